"""What a baseline means for the results of a scan."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from resplint.baseline.matching import Moved, Trace, match, traces
from resplint.baseline.records import Baseline, Entry, Translation
from resplint.contracts.findings import BaselineState, Notification, NotificationKind, Result, Suppression
from resplint.files.regular_files import is_inside, shown

MAX_REMARKS = 1_000
"""So many unused entries are named one by one."""


class Ground(Protocol):
    """What a baseline must know of the scan whose results it is compared with."""

    @property
    def root(self) -> str:
        """The absolute path that those of results are relative to."""

    def moved(self, trace: Trace) -> Moved:
        """Whether the code of an entry can have gone to another file."""

    @property
    def scanned(self) -> Sequence[str]:
        """Absolute paths of the files and folders that were analysed together."""

    def covers(self, entry: Entry, *, broad: bool) -> bool:
        """Whether this scan would have found the finding of an entry, if it were still there. `broad` tells whether it
        saw as much as the scan that wrote the entry.
        """

    def asks_about(self, path: str) -> bool:
        """Whether the scan is to report on a file."""


class Partners(msgspec.Struct, frozen=True):
    """Which entry stands for which result. `entries` have paths relative to the root of the scan; `pairs` maps the
    index of a result to that of its entry.
    """

    entries: tuple[Entry, ...]
    pairs: Mapping[int, int]


class Marked(msgspec.Struct, frozen=True):
    """All results with their state, those accepted suppressed; and remarks about entries."""

    results: tuple[Result, ...]
    remarks: tuple[Notification, ...]


def partners(results: Sequence[Result], baseline: Baseline, ground: Ground) -> Partners:
    """Compare the results of a scan, those among them that nobody asked about, with a baseline."""
    translation = Translation(baseline.folder, ground.root)
    entries = baseline.entries
    if translation.changes:
        entries = tuple(msgspec.structs.replace(one, path=translation.to_root(one.path)) for one in entries)
    old = [Trace(one.path, one.rule, one.symbol, one.fingerprint, one.nth) for one in entries]
    return Partners(entries, match(old, traces(results), ground.moved))


def mark(results: Sequence[Result], baseline: Baseline, ground: Ground, today: Callable[[], datetime.date]) -> Marked:
    """Say of each result whether it is new. `today` is called only if an entry expires."""
    found = partners(results, baseline, ground)
    broad = is_broad(baseline, ground)
    marked, lapsed, unused = [], [], []
    for index, result in enumerate(results):
        if index not in found.pairs:
            marked.append(msgspec.structs.replace(result, baseline=BaselineState.NEW))
            continue
        number = found.pairs[index]
        why_not = _lapse(found.entries[number], result, today)
        if why_not and result.suppression is None and ground.asks_about(result.path):
            lapsed.append((number, NotificationKind.LAPSED_BASELINE, why_not))
        marked.append(_marked(result, found.entries[number], holds=not why_not))
    used = set(found.pairs.values())
    for number, entry in enumerate(found.entries):
        if number not in used and ground.covers(entry, broad=broad):
            where = f"'{entry.path}'" + (f", in '{entry.symbol}'" if entry.symbol else "")
            message = f"Nothing matches this entry any more: {entry.rule} in {where}."
            unused.append((number, NotificationKind.UNUSED_BASELINE, message))
    place = _Place(baseline, ground.root)
    remarks = [*place.remarks(lapsed), *place.remarks(unused)]
    return Marked(tuple(marked), tuple(sorted(remarks, key=Notification.sort_key)))


def is_broad(baseline: Baseline, ground: Ground) -> bool:
    """Whether a scan sees all that the one saw which wrote the baseline. What is gone, nobody can see."""
    before = (os.path.realpath(os.path.join(baseline.folder, path)) for path in baseline.scanned or (".",))
    return all(any(is_inside(path, one) for one in ground.scanned) for path in before if os.path.lexists(path))


def expired(entry: Entry, today: Callable[[], datetime.date]) -> bool:
    """Whether the last day of an entry is over."""
    return entry.expires is not None and entry.expires < today()


def _lapse(entry: Entry, result: Result, today: Callable[[], datetime.date]) -> str:
    """Why an entry no longer holds for its finding; "" if it does."""
    if expired(entry, today):
        return f"This entry has expired ({entry.expires}): {result.rule} in '{result.path}' counts again."
    if result.level is not entry.level and result.level.rank > entry.level.rank:
        graver = f"{result.rule} in '{result.path}' is graver than what was accepted"
        return f"This entry no longer holds: {graver}: {result.level.value}, not {entry.level.value}."
    return ""


def _marked(result: Result, entry: Entry, *, holds: bool) -> Result:
    if not holds:
        return msgspec.structs.replace(result, baseline=BaselineState.NEW)
    suppression = result.suppression or Suppression("external", entry.reason)
    return msgspec.structs.replace(result, baseline=BaselineState.UNCHANGED, suppression=suppression)


class _Place:
    """Where entries stand: their file as seen from the root of the scan."""

    def __init__(self, baseline: Baseline, root: str) -> None:
        self._baseline = baseline
        path = os.path.relpath(os.path.join(baseline.folder, os.path.basename(baseline.file)), root)
        self._path = path.replace(os.sep, "/")
        self._outside = self._path.startswith("../")

    def remarks(self, about: Iterable[tuple[int, NotificationKind, str]]) -> list[Notification]:
        """One remark for each (index of an entry, kind, message), up to a limit."""
        listed = list(about)
        found = [self._remark(number, kind, message) for number, kind, message in listed[:MAX_REMARKS]]
        if len(listed) > MAX_REMARKS:
            message = f"The same holds for {len(listed) - MAX_REMARKS:,} more entries."
            found.append(Notification(listed[0][1], message, "" if self._outside else self._path))
        return found

    def _remark(self, number: int, kind: NotificationKind, message: str) -> Notification:
        entry = self._baseline.entries[number]
        line = self._baseline.lines.get(entry.identity(), 0)
        if self._outside:
            return Notification(kind, f"{shown(self._baseline.file)}:{line}: {message}", "", 0, entry.rule)
        return Notification(kind, message, self._path, line, entry.rule)
