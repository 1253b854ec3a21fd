"""Rounds of fixing, all in memory: choose fixes that do not get in each other's way, prove them, scan the new texts.

A fix is only kept when the scan that follows no longer has its finding. What must wait for a place that another fix has
taken is looked at again in the next round, as the new scan sees it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from resplint.contracts.findings import LocatedFix, Notification, NotificationKind, Region, Report, Result
from resplint.files.editable import EditableText, editable
from resplint.files.source import Undecodable
from resplint.fixing.changes import Change, ChangeSet, Shift, changed
from resplint.fixing.proof import Prover
from resplint.fixing.records import ChangedFile, Plan, Scanner, Source, Wanted
from resplint.results.fingerprints import OWN_KEY

MAX_ROUNDS = 10

_FAILURES = (NotificationKind.INTERNAL_ERROR, NotificationKind.SKIPPED)

_Key = tuple[str, ...]


def plan(scanner: Scanner, wanted: Wanted, initial: Report | None = None) -> Plan:
    """What files look like when every wanted fix is applied; nothing is written.

    `initial` is the report of a scan that `scanner` has made already (None: it makes one).
    """
    return _Planner(scanner, wanted).run(initial)


class _Chosen(msgspec.Struct, frozen=True):
    """A result whose fix is to be applied: what it changes in each file."""

    result: Result
    changes: Mapping[str, tuple[Change, ...]]


class _Planner:
    """One course of fixing. `_texts` are the files as far as they are fixed, with those that a fix ever asked for."""

    def __init__(self, scanner: Scanner, wanted: Wanted) -> None:
        self._scanner = scanner
        self._wanted = wanted
        self._prover = Prover()
        self._originals: dict[str, Source] = {}
        self._texts: dict[str, bytes] = {}
        self._editable: dict[str, tuple[bytes, EditableText | Undecodable]] = {}
        self._refused: set[_Key] = set()
        self._notes: set[Notification] = set()
        self._fixed: list[Result] = []

    def run(self, initial: Report | None) -> Plan:
        report = initial = initial or self._scanner.scan({})
        for _ in range(MAX_ROUNDS):
            chosen, texts = self._sound(self._choose(report))
            if not chosen:
                break
            after = self._scanner.scan({**self._texts, **texts})
            failed = self._failed(chosen, texts, report, after)
            if failed:
                continue  # the same round once more without them
            self._texts.update(texts)
            self._fixed += (each.result for each in chosen)
            report = after
        else:
            self._say_what_is_left(report)
        files = tuple(
            ChangedFile(path, source.language, source.data, self._texts[path])
            for path, source in sorted(self._originals.items())
            if self._texts[path] != source.data
        )
        return Plan(initial, report, files, tuple(self._fixed), tuple(sorted(self._notes, key=Notification.sort_key)))

    def _say_what_is_left(self, report: Report) -> None:
        left = len(self._choose(report))
        if left:
            some = "1 finding" if left == 1 else f"{left:,} findings"
            message = f"Fixing stopped after {MAX_ROUNDS} rounds, when {some} could still be fixed."
            self._notes.add(Notification(NotificationKind.LIMIT, message))

    # -- choosing ---------------------------------------------------------------------------------------------------

    def _choose(self, report: Report) -> list[_Chosen]:
        """Fixes that have room beside those before them, in the order of the report."""
        taken: dict[str, ChangeSet] = {}
        chosen = []
        for result in sorted(report.results, key=Result.sort_key):
            fix = self._wanted.fix_of(result)
            if fix is None or _key(result) in self._refused:
                continue
            changes = self._changes(fix)
            sets = {path: taken.setdefault(path, ChangeSet()) for path in changes}
            if not changes or not all(sets[path].has_room(one) for path in changes for one in changes[path]):
                continue
            for path, ones in changes.items():
                for one in ones:
                    sets[path].add(one)
            chosen.append(_Chosen(result, changes))
        return chosen

    def _changes(self, fix: LocatedFix) -> dict[str, tuple[Change, ...]]:
        """What a fix changes; empty, with a remark, if one of its files cannot be edited."""
        found: dict[str, list[Change]] = {}
        for edit in fix.edits:
            text = self._text(edit.path)
            reason = "it cannot be read any more" if text is None else ""
            if isinstance(text, Undecodable):
                reason = text.reason
            elif text is not None:
                change = Change(*text.span(edit.region), edit.text)
                found.setdefault(edit.path, []).append(change)
                reason = _unencodable(text, change)
            if reason:
                self._notes.add(Notification(NotificationKind.NOT_FIXED, f"Not fixed: {reason}.", edit.path))
                return {}
        return {path: tuple(changes) for path, changes in found.items()}

    def _text(self, path: str) -> EditableText | Undecodable | None:
        """The text of a file in this round, to be edited; from now on it counts instead of what is on disk."""
        if path not in self._originals:
            source = self._scanner.source(path)
            if source is None:
                return None
            self._originals[path], self._texts[path] = source, source.data
        data = self._texts[path]
        known = self._editable.get(path)
        if known is None or known[0] != data:
            known = self._editable[path] = data, editable(data, self._originals[path].language)
        return known[1]

    # -- proving ----------------------------------------------------------------------------------------------------

    def _sound(self, chosen: list[_Chosen]) -> tuple[list[_Chosen], dict[str, bytes]]:
        """The chosen fixes without those that would do harm, and the texts that they make."""
        settled: dict[str, bytes] = {}
        waiting = sorted({path for each in chosen for path in each.changes})
        while waiting:
            path = waiting[-1]
            data, harm = self._tried(path, chosen)
            if not harm:
                settled[path] = data
                waiting.pop()
                continue
            culprit, harm = self._culprit(path, chosen)
            chosen = [each for each in chosen if each is not culprit]
            self._refuse(culprit.result, harm)
            # Its other files are without it now.
            waiting += sorted({each for each in culprit.changes if settled.pop(each, None) is not None})
        return chosen, {path: data for path, data in settled.items() if data != self._texts[path]}

    def _tried(self, path: str, chosen: Sequence[_Chosen]) -> tuple[bytes, str]:
        """A file after the chosen fixes, and what is worse about it (see `Prover.harm`)."""
        text = self._text(path)
        assert isinstance(text, EditableText), "fixes of other files are not chosen"
        changes = _all_changes(path, chosen)
        data = text.encode(changed(text.text, changes))
        return data, self._prover.harm(path, self._originals[path].language, self._texts[path], data, changes)

    def _culprit(self, path: str, chosen: Sequence[_Chosen]) -> tuple[_Chosen, str]:
        """The first fix that does harm to a file, found by halving, and the harm. Together they do."""
        suspects = [each for each in chosen if path in each.changes]
        good, bad = 0, len(suspects)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._tried(path, suspects[:middle])[1]:
                bad = middle
            else:
                good = middle
        return suspects[bad - 1], self._tried(path, suspects[:bad])[1]

    def _failed(self, chosen: Sequence[_Chosen], texts: Mapping[str, bytes], before: Report, after: Report) -> bool:
        """Refuse the fixes whose findings are still there and those that broke the scan; whether there are any."""
        unresolved = self._unresolved(chosen, texts, after)
        for each in unresolved:
            self._refuse(each.result, "its finding would still be there")
        failures = _new_failures(before, after) if not unresolved else ()
        broken = [each for each in chosen if any(_concerns(note, each) for note in failures)]
        for each in broken:
            self._refuse(each.result, "the changed file could not be analysed")
        return bool(unresolved or broken)

    def _unresolved(self, chosen: Sequence[_Chosen], texts: Mapping[str, bytes], after: Report) -> list[_Chosen]:
        """Fixes whose finding the new scan reports again, at the place where it is now."""
        alike: dict[tuple[str, str, str], list[tuple[int, Result]]] = {}
        places = {path: self._places(path, data, chosen) for path, data in texts.items()}
        for result in after.results:
            for mark in _marks(result):
                start = places[result.path].new(result.region) if result.path in places else 0
                alike.setdefault((result.rule, result.path, mark), []).append((start, result))
        found = []
        for each in chosen:
            result = each.result
            rivals = [one for mark in _marks(result) for one in alike.get((result.rule, result.path, mark), ())]
            if result.path in places:
                low, high = places[result.path].old(result.region)
                is_there = any(low <= start <= high for start, _ in rivals)
            else:
                is_there = any(one.region == result.region for _, one in rivals)
            if is_there:
                found.append(each)
        return found

    def _places(self, path: str, data: bytes, chosen: Sequence[_Chosen]) -> _Places:
        before, after = self._text(path), editable(data, self._originals[path].language)
        assert isinstance(before, EditableText), "fixes of other files are not chosen"
        assert isinstance(after, EditableText), "it was proven sound"
        return _Places(before, after, Shift(_all_changes(path, chosen)))

    def _refuse(self, result: Result, reason: str) -> None:
        self._refused.add(_key(result))
        message = f"{result.rule}: its fix ({_title(result)}) is left out: {reason}."
        place = result.path, result.region.start_line
        self._notes.add(Notification(NotificationKind.INTERNAL_ERROR, message, *place, result.rule))


class _Places:
    """Where regions of a file start after it was changed, in characters."""

    def __init__(self, before: EditableText, after: EditableText, shift: Shift) -> None:
        self._before = before
        self._after = after
        self._shift = shift

    def old(self, region: Region) -> tuple[int, int]:
        """First and last offset of a region from before the change."""
        return self._shift.range(self._before.span(region)[0])

    def new(self, region: Region) -> int:
        """Offset of a region from after it."""
        return self._after.span(region)[0]


def _marks(result: Result) -> set[str]:
    """What tells that a finding is another one's self, beside rule and place. A message may name lines, which move; and
    the same remedy for the same place would be applied forever.
    """
    return {f"message {result.message}", f"remedy {_title(result)}"} if result.fix else {f"message {result.message}"}


def _key(result: Result) -> _Key:
    return (result.rule, result.path, result.message, result.fingerprints.get(OWN_KEY, ""))


def _title(result: Result) -> str:
    return result.fix.title if result.fix is not None else ""


def _all_changes(path: str, chosen: Sequence[_Chosen]) -> list[Change]:
    return sorted(change for each in chosen for change in each.changes.get(path, ()))


def _unencodable(text: EditableText, change: Change) -> str:
    try:
        text.encode(change.text)
    except UnicodeEncodeError as error:
        return f"its encoding ({error.encoding}) lacks characters that the fix needs"
    return ""


def _new_failures(before: Report, after: Report) -> list[Notification]:
    """Rules and files that failed only after the fixes."""
    known = {(note.kind, note.path, note.rule) for note in before.notifications}
    return [
        note
        for note in after.notifications
        # Both a path and a rule: something about one finding, not a failure of either.
        if note.kind in _FAILURES and not (note.path and note.rule) and (note.kind, note.path, note.rule) not in known
    ]


def _concerns(note: Notification, each: _Chosen) -> bool:
    return not note.path or note.path in each.changes or note.path == each.result.path
