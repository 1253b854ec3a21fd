"""What a scan is asked, and what accumulates while it is answered."""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from resplint.config.loading import Config
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Notification, NotificationKind
from resplint.discovery.discover import SourceFile
from resplint.files.regular_files import UnreadableFileError, read_seen
from resplint.languages import EXTENSIONS
from resplint.scan.kept.memory import Entries, FactsMemory, Glance
from resplint.scan.kept.shelf import Shelf
from resplint.workers.time_limits import Deadline

if TYPE_CHECKING:
    from resplint.bind.modules import ModuleTable
    from resplint.cache import Store
    from resplint.contracts.facts import FileFacts
    from resplint.files.module_aliases import Aliases
    from resplint.scan.kept.archive import Archive
    from resplint.scan.kept.basis import Basis
    from resplint.scan.kept.import_answers import Answers, ImporterTable
    from resplint.scan.kept.sought import Sought
    from resplint.scan.lowering_pool import LoweredFile, OnDemand

STDIN_NAME = "-"

_AT_HAND = 48_000_000
"""Bytes of sources that are kept in memory between searches: all of a repository of a few thousand files."""
_FEW = 15_000
"""Of more files, that would be too small a part to be worth the memory."""

Progress = Callable[[str, int, int], None]
"""(stage, done, total), called now and then."""


def cpu_seconds() -> float:
    """Processor time of this process and of those of its children that have ended."""
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def _today() -> datetime.date:
    from resplint.baseline import current_date  # noqa: PLC0415 - most scans have no baseline

    return current_date()


@dataclass
class ScanRequest:
    """What to scan.

    `root` is what reported paths are relative to (None: found from `paths`). With `whole_project` everything below
    `root` is linked, while only findings and remarks about `paths` are reported. `stdin` holds the bytes for the path
    "-", which is then called `stdin_name`. `overlay` holds texts that count instead of what is on disk (or in `stdin`),
    such as unsaved files of an editor, by path relative to the root. `memory` keeps facts from one scan of a process to
    the next, `cache` what was found from one process to the next. With `names_others` the scan says how many files
    mention Redis in languages that are not analysed, and with `demands_source` it is wrong to name paths without any
    source file. `today` says which day it is, for entries of a
    baseline that expire.
    """

    paths: Sequence[str]
    config: Config
    root: Path | None = None
    stdin: bytes | None = None
    stdin_name: str = "stdin.py"
    whole_project: bool = False
    overlay: Mapping[str, bytes] = field(default_factory=dict)
    memory: FactsMemory | None = None
    cache: Store | Entries | None = None
    names_others: bool = False
    demands_source: bool = False
    progress: Progress = lambda stage, done, total: None
    today: Callable[[], datetime.date] = _today


@dataclass
class ScanState:
    """What accumulates during one scan.

    `digests` stand for the contents of files that were read, if `digest` makes such; `used` are the files whose content
    mattered beyond a search. `at_hand` are contents of the first files that were looked at, as they may be looked at
    again; there is `room` for so many bytes more. `modules` are all files by name, `importers` those by what they
    import, if that was looked at; `answers` say what an earlier run found there. `sought` is
    what files were searched for meanwhile, `basis` what the outcome rests on.
    `disturbed` tells whether another scan may come to something else: a file went away, changed meanwhile, or was
    given up. The stages before judging share a `deadline`.
    """

    root: Path
    config: Config
    files: dict[str, SourceFile]
    notes: list[Notification] = field(default_factory=list)
    facts: Shelf = field(default_factory=Shelf)
    failed: set[str] = field(default_factory=set)
    partial: set[str] = field(default_factory=set)
    overlay: Mapping[str, bytes] = field(default_factory=dict)
    sources: dict[str, bytes] = field(default_factory=dict)
    at_hand: dict[str, bytes] = field(default_factory=dict)
    room: int = _AT_HAND
    aliases: Aliases = ()
    memory: FactsMemory | None = None
    timings: dict[str, float] = field(default_factory=dict)
    glances: dict[str, Glance] = field(default_factory=dict)
    archive: Archive | None = None
    answers: Answers | None = None
    digest: Callable[[bytes], bytes] | None = None
    digests: dict[str, bytes] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    modules: ModuleTable | None = None
    importers: ImporterTable | None = None
    sought: Sought | None = None
    basis: Basis | None = None
    disturbed: bool = False
    deadline: Deadline = field(default_factory=Deadline)
    cpu_since: float = field(default_factory=cpu_seconds)

    def __post_init__(self) -> None:
        if len(self.files) > _FEW:
            self.room = 0

    @cached_property
    def on_demand(self) -> OnDemand:
        """Lowers what the linker asks for. To be closed when the linker will not ask any more."""
        from resplint.scan.lowering_pool import OnDemand  # noqa: PLC0415 - not needed where nothing has changed

        return OnDemand(self.config.file_timeout, include_minified=self.config.include_minified)

    def read(self, path: str) -> bytes | None:
        """Bytes of a file by its path relative to the root, None when it is gone, not ours, or has grown too large."""
        if path not in self.files and path not in self.overlay:  # what manifests and settings say is kept beside
            return None
        self.used.add(path)
        return self.peek(path)

    def peek(self, path: str) -> bytes | None:
        """The same, for a search whose answer is kept in the file's glance."""
        if path in self.overlay:
            if self.digest is not None and path not in self.digests:
                self.digests[path] = self.digest(self.overlay[path])
            return self.overlay[path]
        for known in (self.sources, self.at_hand):
            if path in known:
                return known[path]
        file = self.files.get(path)
        if file is None:
            return None
        try:
            data = read_seen(file.absolute, self.config.max_file_size)
        except UnreadableFileError:
            self.disturbed = True
            return None
        if len(data) <= self.room:
            self.room -= len(data)
            self.at_hand[path] = data
        if self.digest is not None:
            digest = self.digest(data)
            self.disturbed |= self.digests.setdefault(path, digest) != digest
        return data

    def source(self, path: str) -> bytes | None:
        """Bytes of a file that is about to be lowered. They count until the scan ends, whatever becomes of the file."""
        data = self.read(path)
        if data is not None:
            self.sources[path] = data
        return data

    def glance(self, path: str) -> Glance:
        """What searches over the bytes of a file found so far; `glances` hold those that found anything."""
        known = self.glances.get(path)
        if known is not None or self.memory is None:
            return known or Glance()
        on_disk = path not in self.overlay
        fresh = self.glances[path] = self.memory.glance(path, self.files[path].absolute) if on_disk else Glance()
        return fresh

    def take(self, lowered: LoweredFile) -> None:
        """Keep the facts of one file, or the reason why there are none."""
        if lowered.facts is None:
            self.failed.add(lowered.path)
            kind = NotificationKind.INTERNAL_ERROR if lowered.crashed else NotificationKind.SKIPPED
            self.notes.append(Notification(kind, f"Not analysed: {lowered.reason}.", lowered.path))
            self.disturbed |= not lowered.settled
            return
        self.facts[lowered.path] = lowered.facts
        if lowered.facts.partial:
            self.partial.add(lowered.path)
            message = f"Analysed only in part: {lowered.facts.partial}."
            self.notes.append(Notification(NotificationKind.PARTIAL, message, lowered.path))

    def remember(self, path: str) -> bool:
        """Take the facts of a file from an earlier scan, if its content is still the same."""
        data = self.source(path) if self.memory is not None or self.archive is not None else None
        lowered = self._known(path, data) if data is not None else None
        if lowered is not None:
            self.take(lowered)
        return lowered is not None

    def facts_now(self, path: str) -> FileFacts | None:
        """Facts of a file for a look at it: the scan does not take them. None if there are none."""
        data = self.peek(path)
        if data is None:
            return None
        lowered = self._known(path, data)
        if lowered is None:
            lowered = self.on_demand.lower(path, self.files[path].language, data)
            self._remember_next_time(lowered, data)
        return lowered.facts

    def _known(self, path: str, data: bytes) -> LoweredFile | None:
        if self.memory is not None:
            return self.memory.get(path, data)
        digest = self.digests.get(path)
        if self.archive is None or digest is None:
            return None
        return self.archive.get(path, self.files[path].language, digest)

    def keep(self, lowered: LoweredFile) -> None:
        """Take the facts of a file that was lowered just now, and remember them for the next scan."""
        self.take(lowered)
        self._remember_next_time(lowered, self.sources.get(lowered.path))

    def _remember_next_time(self, lowered: LoweredFile, data: bytes | None) -> None:
        if self.memory is not None and data is not None:
            self.memory.put(lowered.path, data, lowered)
        if self.archive is not None and lowered.path in self.digests and not self.disturbed:
            self.archive.put(self.files[lowered.path].language, self.digests[lowered.path], lowered)

    def lap(self, stage: str, since: float) -> None:
        """Record how long a stage took; `since` is what `time.perf_counter` said at its begin. Its processor time is
        all that was used since the stage before it, so that the stages add up.
        """
        self.timings[f"{stage} (s)"] = round(time.perf_counter() - since, 3)
        now = cpu_seconds()
        self.timings[f"{stage} (CPU s)"] = round(now - self.cpu_since, 3)
        self.cpu_since = now


def standard_input(request: ScanRequest, root: Path) -> tuple[SourceFile, bytes] | None:
    """The file that standard input stands for, if it is to be scanned. Raises `UserError`."""
    if STDIN_NAME not in request.paths:
        return None
    data = request.stdin or b""
    name = _stdin_name(request, root)
    return SourceFile(name, str(root), _language(name) or ""), data


def _language(path: str) -> str | None:
    return EXTENSIONS.get(os.path.splitext(path)[1].lower())


def _stdin_name(request: ScanRequest, root: Path) -> str:
    name = request.stdin_name
    if os.path.isabs(name):
        name = os.path.relpath(os.path.realpath(name), os.path.realpath(root))
    name = os.path.normpath(name).replace(os.sep, "/")
    if _language(name) is None or name.startswith(".."):
        raise UserError(
            f"--stdin-filename {request.stdin_name!r}: expected a name below the scan's root with one of the suffixes "
            f"{', '.join(sorted(EXTENSIONS))}."
        )
    return name
