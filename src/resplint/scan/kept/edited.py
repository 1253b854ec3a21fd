"""The outcome of a scan after edits that do not change what it rests on, at the places where everything stands now."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Collection, Mapping

import msgspec

from resplint.config.loading import Config
from resplint.contracts.facts import Binding, Block, Call, Expr, FileFacts, Function, Jump, Scope, Template
from resplint.contracts.findings import Edit, Fix, Notification, NotificationKind, Place, Result, RuleInfo, Step
from resplint.files.source import DecodedSource, decode
from resplint.knowledge.compiled import sections
from resplint.results import suppress
from resplint.results.locate import locate
from resplint.scan.kept.basis import Basis, Unlocated, digest, plain, words_of, words_of_statements
from resplint.scan.kept.outcome import Outcome
from resplint.scan.kept.statements import Difference, Statement, difference
from resplint.scan.request import ScanState

_SHORT = 4
"""Names of fewer letters are taken for known ones."""
_DECLARING = frozenset({"scopes", "blocks", "bindings", "jumps", "exprs"})
_ACTIVE = (Call, Template, Function)
"""Expressions that make a declaration more than a name."""

Facts = Callable[[str], FileFacts | None]
"""The facts of a file as it is now."""


class _Edited:
    """A file that has changed."""

    def __init__(self, old: FileFacts, new: FileFacts, change: Difference) -> None:
        self.old, self.new = old, new
        self.change = change
        self.offsets = {0: 0, **change.offsets}

    def place(self, place: Place) -> Place | None:
        """Where something stands now; None if that is not known."""
        start = self.offsets.get(place.start)
        if start is None:
            return None
        ends = {self.offsets.get(place.end)} - {None}
        if place.end == _end_of_line(self.old, place.start):
            ends.add(_end_of_line(self.new, start))
        end = ends.pop() if len(ends) == 1 else None
        return Place(place.path, start, end) if end is not None else None

    def line(self, number: int) -> int | None:
        """The number that a line has now; None if what stood on it stands on several."""
        starts = self.old.line_starts
        if not 0 < number <= len(starts):
            return None
        end = starts[number] if number < len(starts) else starts[-1] + max(self.offsets)
        found = {self.new.line(now) for old, now in self.change.offsets.items() if starts[number - 1] <= old < end}
        return found.pop() if len(found) == 1 else None


def after_edits(
    state: ScanState, config: Config, book: Mapping[str, RuleInfo], basis: Basis, earlier: Outcome,
    changed: Mapping[str, FileFacts], facts_now: Facts,
) -> Outcome | None:  # fmt: skip
    """What a scan comes to now, if it came to `earlier` when the `changed` files had these facts; None if the edits may
    change what is found.
    """
    was_on = gc.isenabled()
    gc.disable()  # a comparison makes many small objects, and no garbage
    try:
        edited = _edited(basis, changed, facts_now)
    finally:
        if was_on:
            gc.enable()
    if edited is None or not _can_be_moved(earlier, edited):
        return None
    touched = [one for one in basis.findings if not one.paths.isdisjoint(edited) or _spots(one, edited)]
    again = {one.place.path for one in touched}
    if any(path not in state.files for one in touched for path in one.paths):
        return None
    moved: list[Unlocated] = []
    for one in basis.findings:
        if one.place.path in again:
            now = _moved(one, edited, state)
            if now is None:
                return None
            moved.append(now)
    notes: list[Notification] = []
    results = locate(
        [one.finding() for one in moved], state.read, lambda path: state.files[path].language, notes.append
    )
    looked_at = sorted(path for path in {*edited, *again} if path in earlier.analysed or path in again)
    comments = {}
    for path in looked_at:
        facts = edited[path].new if path in edited else facts_now(path)
        if facts is None:
            return None
        comments[path] = facts.comments
    results, remarks = suppress.apply(
        results, comments, {code: info.name for code, info in book.items()},
        {code for code in book if config.rule_enabled(code)},
    )  # fmt: skip
    kept = [one for one in earlier.notes if one.path not in comments or not _is_of_comments(one)]
    return msgspec.structs.replace(
        earlier,
        results=_merged(earlier.results, results, again, config),
        notes=tuple(sorted({*kept, *notes, *remarks}, key=Notification.sort_key)),
        lines=earlier.lines
        + sum(
            len(one.new.line_starts) - len(one.old.line_starts)
            for path, one in edited.items()
            if path in earlier.analysed
        ),
    )


def _merged(
    earlier: tuple[Result, ...], results: list[Result], again: Collection[str], config: Config
) -> tuple[Result, ...]:
    others = [one for one in earlier if one.path not in again]
    fresh = [one for one in results if one.rule not in config.ignored_at(one.path)]
    return tuple(sorted([*others, *fresh], key=Result.sort_key))


def _is_of_comments(note: Notification) -> bool:
    return note.kind is NotificationKind.UNUSED_SUPPRESSION


def _can_be_moved(earlier: Outcome, edited: Collection[str]) -> bool:
    """Whether nothing that was remarked on is about the edited files."""
    return not any(
        (note.path in edited and not _is_of_comments(note)) or any(path + ":" in note.message for path in edited)
        for note in earlier.notes
    )


# -- what an edit may change -----------------------------------------------------------------------------------------


def _edited(basis: Basis, changed: Mapping[str, FileFacts], facts_now: Facts) -> dict[str, _Edited] | None:
    """The edited files; None if an edit may change what is found."""
    found = {}
    for path, old in changed.items():
        new = facts_now(path)
        change = difference(old, new) if new is not None else None
        if new is None or change is None or not _says_nothing(basis, old, new, change):
            return None
        found[path] = _Edited(old, new, change)
    return found


def _says_nothing(basis: Basis, old: FileFacts, new: FileFacts, change: Difference) -> bool:
    """Whether nobody would look at what is different."""
    if change.texts and not set(change.texts) <= _unread(basis, old, change):
        return False
    if not (_declares(old, change.removed) and _declares(new, change.added)):
        return False
    words = words_of_statements(old, change.removed) | words_of_statements(new, change.added)
    return not words or not _are_known(words, basis, old, change)


def _unread(basis: Basis, old: FileFacts, change: Difference) -> set[int]:
    """The texts that are handed to calls which nobody looked at, and whose results nobody gets."""
    if old.path not in basis.linked:
        return set()
    alone = {one.number for one in change.kept if one.table == "exprs"}
    calls = (old.exprs[number] for number in basis.unread.get(old.path, ()) if number in alone)
    return {one.value for call in calls if isinstance(call, Call) for one in call.arguments}


def _declares(file: FileFacts, statements: list[Statement]) -> bool:
    """Whether statements merely declare something at the top of a file."""
    blocks = {0, *(one.number for one in statements if one.table == "blocks")}
    for one in statements:
        if one.table not in _DECLARING or any(isinstance(file.exprs[number], _ACTIVE) for number in one.exprs):
            return False
        record = getattr(file, one.table)[one.number]
        if isinstance(record, Block) and record.kind != "body":
            return False
        if _around(record) not in blocks:
            return False
    return True


def _around(record: Scope | Block | Binding | Jump | Expr) -> int:
    """The block that a statement stands in."""
    if isinstance(record, Scope):
        return record.defined_in
    return record.parent if isinstance(record, Block) else record.block


def _are_known(words: set[str], basis: Basis, old: FileFacts, change: Difference) -> bool:
    """Whether one of the words stands elsewhere in the code that was linked, or in what is known of libraries."""
    if any(len(plain(word)) < _SHORT or word.startswith("__") for word in words):
        return True
    bare = set(map(plain, words))
    standing = bare & basis.words
    if not standing <= basis.of_one_file or not standing <= set(map(plain, words_of(old))):
        return True
    if not standing.isdisjoint(map(plain, words_of_statements(old, change.kept))):
        return True
    spelled = [one.encode("utf-8", "surrogatepass") for one in bare.union(word.lower() for word in words)]
    rules = sections().values()
    return not rules or any(one in known for known in (bytes(section).lower() for section in rules) for one in spelled)


# -- where things stand now ------------------------------------------------------------------------------------------


def _spots(unlocated: Unlocated, edited: Collection[str]) -> bool:
    """Whether a message spells lines of an edited file."""
    texts = (unlocated.message, unlocated.help, *(step.message for step in unlocated.trail))
    return any(path + ":" in text for path in edited for text in texts)


def _respelled(text: str, edited: Mapping[str, _Edited]) -> str | None:
    """A message with the lines of edited files as they are now; None if that is not known."""
    for path, file in edited.items():
        if path + ":" in text:
            parts = re.split(f"({re.escape(path)}:)(\\d+)", text)
            for at in range(2, len(parts), 3):
                now = file.line(int(parts[at]))
                if now is None:
                    return None
                parts[at] = str(now)
            text = "".join(parts)
    return text


def _moved(unlocated: Unlocated, edited: Mapping[str, _Edited], state: ScanState) -> Unlocated | None:
    """A finding at its place now; None if that is not known."""

    def now(place: Place) -> Place | None:
        file = edited.get(place.path)
        return file.place(place) if file is not None else place

    place, message, help_ = (
        now(unlocated.place),
        _respelled(unlocated.message, edited),
        _respelled(unlocated.help, edited),
    )
    trail = []
    for step in unlocated.trail:
        there, text = now(step.place), _respelled(step.message, edited)
        if there is None or text is None:
            return None
        trail.append(Step(there, text))
    if place is None or message is None or help_ is None:
        return None
    fix = unlocated.fix
    file = edited.get(unlocated.place.path)
    if fix is not None and file is not None:
        fix = _moved_fix(unlocated, place, file, state)
        if fix is None:
            return None
    return msgspec.structs.replace(unlocated, place=place, message=message, help=help_, trail=tuple(trail), fix=fix)


def _moved_fix(unlocated: Unlocated, place: Place, file: _Edited, state: ScanState) -> Fix | None:
    """A fix of which the lines around it are as they were, at their place now."""
    stretch, fix = unlocated.stretch, unlocated.fix
    if stretch is None or fix is None or file.change.is_spaced or file.change.texts:
        return None
    data = state.read(place.path)
    source = decode(data, state.files[place.path].language) if data is not None else None
    shift = place.start - unlocated.place.start
    start, end = stretch.start + shift, stretch.end + shift
    if not isinstance(source, DecodedSource) or start < 0 or digest(source.data[start:end]) != stretch.digest:
        return None
    edits = tuple(
        Edit(Place(one.place.path, one.place.start + shift, one.place.end + shift), one.text) for one in fix.edits
    )
    return msgspec.structs.replace(fix, edits=edits)


def _end_of_line(file: FileFacts, start: int) -> int:
    """The end of the line of an offset, as places of whole lines have it."""
    line, ends = file.line(start), file.line_starts
    return max(start, ends[line] - 1 if line < len(ends) else start + 1)
