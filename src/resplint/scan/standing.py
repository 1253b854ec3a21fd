"""What still stands in the files of a project, for whoever looks for code that went elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from resplint.baseline import Moved, Trace
from resplint.bind.index import FileIndex
from resplint.contracts.facts import FileFacts
from resplint.languages import EXTENSIONS
from resplint.scan.lowering_pool import lower_all


class Standing:
    """Answers whether code of a file can have moved.

    `known` are the files (paths relative to `root`) that may be looked into, `read` gives their bytes, and `facts` what
    has been lowered already.
    """

    def __init__(
        self,
        root: str,
        known: Callable[[str], bool],
        read: Callable[[str], bytes | None],
        facts: Mapping[str, FileFacts],
    ) -> None:
        self._root = root
        self._known = known
        self._read = read
        self._facts = facts
        self._symbols: dict[str, frozenset[str] | None] = {}
        self._exists: dict[str, bool] = {}

    def exists(self, path: str) -> bool:
        """Whether there is a file of this name, analysed or not."""
        if self._known(path):
            return True
        if path not in self._exists:
            try:
                self._exists[path] = os.path.lexists(os.path.join(self._root, path))
            except ValueError:  # a NUL
                self._exists[path] = False
        return self._exists[path]

    def moved(self, trace: Trace) -> Moved:
        """Whether the code of a finding can be the one that is found in another file now."""
        if not self.exists(trace.path):
            return Moved.GONE
        if not self._known(trace.path):
            return Moved.STANDING
        if trace.path not in self._symbols:
            self._symbols[trace.path] = self._defined(trace.path)
        symbols = self._symbols[trace.path]
        return Moved.STANDING if symbols is None or trace.symbol in symbols else Moved.LEFT

    def _defined(self, path: str) -> frozenset[str] | None:
        """Qualified names of what a file defines; None if it cannot be read to the end."""
        facts = self._facts.get(path)
        language = EXTENSIONS.get(os.path.splitext(path)[1].lower())
        if facts is None and language is not None:
            (lowered,) = lower_all([(path, language)], self._read, 1)
            facts = lowered.facts
        if facts is None or facts.partial:
            return None
        index = FileIndex(0, facts)
        return frozenset(index.qualified_name(scope) for scope in range(len(facts.scopes)))
