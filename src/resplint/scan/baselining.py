"""A scan as the baseline sees it: what it covered, and what has become of code that it did not find."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from resplint.baseline import Entry, Moved, Trace
from resplint.config.loading import Config
from resplint.contracts.findings import NotificationKind
from resplint.languages import EXTENSIONS
from resplint.scan.request import STDIN_NAME, ScanRequest, ScanState
from resplint.scan.standing import Standing
from resplint.scan.survey import Survey


class ScanGround:
    """The ground (`resplint.baseline.Ground`) of one scan; `rules` are the codes of all rules that exist."""

    def __init__(self, found: Survey, state: ScanState, request: ScanRequest, rules: Collection[str]) -> None:
        self._found = found
        self._state = state
        self._config: Config = request.config
        self._rules = rules
        self._failed = {
            note.rule for note in state.notes if note.kind is NotificationKind.INTERNAL_ERROR and not note.path
        }
        self._whole = request.whole_project
        self._arguments = _arguments(request, self.root)
        self._standing = Standing(self.root, lambda path: path in state.files, state.read, state.facts)

    @property
    def root(self) -> str:
        return str(self._state.root)

    def moved(self, trace: Trace) -> Moved:
        return self._standing.moved(trace)

    @property
    def scanned(self) -> Sequence[str]:
        return [os.path.normpath(os.path.join(self.root, path)) for path in ([""] if self._whole else self._arguments)]

    def asks_about(self, path: str) -> bool:
        if path in self._state.files:
            return self._found.asks_about(path)
        if path.startswith(("../", "/")):
            return False
        return any(not each or path == each or path.startswith(each + "/") for each in self._arguments)

    def covers(self, entry: Entry, *, broad: bool) -> bool:
        # Although a file is gone: who sees less, or other rules, cannot know whether its code went elsewhere.
        if not broad or not self.asks_about(entry.path) or not self._covers_rule(entry):
            return False
        return self._covers_file(entry.path) or not self._standing.exists(entry.path)

    def _covers_rule(self, entry: Entry) -> bool:
        if entry.rule not in self._rules:
            return True  # no scan will ever find it again
        config = self._config
        return (
            config.rule_enabled(entry.rule)
            and entry.rule not in self._failed
            and entry.precision.rank >= config.at(entry.path).min_precision.rank
            and entry.rule not in config.ignored_at(entry.path)
        )

    def _covers_file(self, path: str) -> bool:
        """Whether a file was analysed to the end."""
        state = self._state
        if path in state.files:
            return path not in state.failed and path not in state.partial
        # Settings files are read when somebody asks; source files that were not discovered were left out.
        return os.path.splitext(path)[1].lower() not in EXTENSIONS


def _arguments(request: ScanRequest, root: str) -> list[str]:
    """The paths of the request relative to the root; the root itself is ""."""
    found = []
    for path in request.paths:
        if path != STDIN_NAME:
            relative = os.path.relpath(os.path.realpath(path), root).replace(os.sep, "/")
            found.append("" if relative == "." else relative)
    return found
