"""What fixing is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from resplint.contracts.findings import BaselineState, FixSafety, Level, LocatedFix, Notification, Report, Result


class Source(msgspec.Struct, frozen=True):
    """The bytes of a file as they were analysed last, and its language."""

    data: bytes
    language: str


class Scanner(Protocol):
    """Scans the same files again and again."""

    def scan(self, overlay: Mapping[str, bytes]) -> Report:
        """The report when `overlay` (by path relative to the root) counts instead of what is on disk."""

    def source(self, path: str) -> Source | None:
        """What the newest `scan` took for the content of a file; None if it did not analyse it."""


class Wanted(msgspec.Struct, frozen=True):
    """Which findings are to be fixed: also by `unsafe` fixes, also mere `notes`."""

    unsafe: bool = False
    notes: bool = False

    def fix_of(self, result: Result) -> LocatedFix | None:
        """The fix of a result if it may be applied."""
        fix = self._open(result)
        return fix if fix is not None and (self.unsafe or fix.safety is FixSafety.SAFE) else None

    def needs_leave(self, result: Result) -> bool:
        """Whether a result would be fixed if unsafe fixes were allowed."""
        return self._open(result) is not None and self.fix_of(result) is None

    def _open(self, result: Result) -> LocatedFix | None:
        if result.fix is None or result.fix.safety is FixSafety.DISPLAY:
            return None
        if result.suppression is not None or result.baseline is BaselineState.UNCHANGED:
            return None
        return result.fix if self.notes or result.level is not Level.NOTE else None


class ChangedFile(msgspec.Struct, frozen=True):
    """A file that fixes change: its bytes as they were analysed and as they shall be."""

    path: str
    language: str
    before: bytes
    after: bytes


class Plan(msgspec.Struct, frozen=True):
    """What fixing would do.

    `initial` is the report before it and `report` the one after it. `files` are sorted by path; `fixed` are the
    findings that are gone because their fix was applied, with what it changed. `notes` say what was left out.
    """

    initial: Report
    report: Report
    files: tuple[ChangedFile, ...] = ()
    fixed: tuple[Result, ...] = ()
    notes: tuple[Notification, ...] = ()

    def groups(self) -> list[list[ChangedFile]]:
        """Files that must change together, because a fix changes several of them, all or none."""
        leader = {file.path: file.path for file in self.files}

        def find(path: str) -> str:
            while leader[path] != path:
                path = leader[path]
            return path

        for result in self.fixed:
            first, *others = sorted(paths_of(result))
            for other in others:
                leader[find(other)] = find(first)
        grouped: dict[str, list[ChangedFile]] = {}
        for file in self.files:
            grouped.setdefault(find(file.path), []).append(file)
        return list(grouped.values())


def paths_of(result: Result) -> set[str]:
    """The files that the fix of a result changes."""
    return {edit.path for edit in result.fix.edits} if result.fix is not None else set()
