"""How calls take the keys and arguments of a script: side by side behind their number, or as lists of an object."""

from __future__ import annotations

from dataclasses import dataclass

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Edit
from resplint.contracts.remedy import Parameterise
from resplint.spelling.calls import start_of_last
from resplint.spelling.files import NotExpressible, SourceFile
from resplint.spelling.layout import appended, behind


@dataclass(frozen=True)
class Passed:
    """Code of further keys and arguments."""

    keys: list[str]
    arguments: list[str]


@dataclass(frozen=True)
class Passing:
    """A call as it is; `keys` and `arguments` are how many it passes now."""

    keys: int
    arguments: int
    text_only: bool
    """Whether it passes everything as text."""

    def edits(self, file: SourceFile, more: Passed) -> list[Edit]:
        """What passes more of them."""
        raise NotImplementedError


def passing(file: SourceFile, change: Parameterise) -> Passing:
    """How the call of a script passes its values."""
    holder = file.facts.exprs[change.call[1]]
    if isinstance(holder, facts.Call) and any(item.name for item in holder.arguments):
        raise NotExpressible("named or spread arguments")
    if change.entries:
        return _by_entries(file, change)
    return _side_by_side(file, change)


# -- side by side ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _SideBySide(Passing):
    holder: facts.Call | facts.Collection
    first_of_last: int
    count: int
    """The expression that says how many keys follow, NONE when nothing follows the text."""
    words: tuple[int, ...]

    def edits(self, file: SourceFile, more: Passed) -> list[Edit]:
        if self.count == NONE:
            items = [str(len(more.keys)), *more.keys, *more.arguments]
            return appended(file, self.first_of_last, self.holder.tail, self.holder.close, items)
        edits: list[Edit] = []
        arguments = list(more.arguments)
        if more.keys:
            edits.append(_raised(file, self.count, len(more.keys)))
            if self.arguments:
                last_key = file.facts.exprs[self.words[1 + self.keys]]
                edits += behind(file, last_key.start, last_key.end, self.holder.close, list(more.keys))
            else:
                arguments = [*more.keys, *arguments]
        if arguments:
            edits += appended(file, self.first_of_last, self.holder.tail, self.holder.close, arguments)
        return edits


def _raised(file: SourceFile, count: int, by: int) -> Edit:
    record = file.facts.exprs[count]
    assert isinstance(record, facts.Literal)
    code = file.code(count)
    old = str(record.value)
    if code.strip("\"'") != old:
        raise NotExpressible("a number that is written in another way")
    return file.edit(record.start, record.end, code.replace(old, str(int(old) + by)))


def _side_by_side(file: SourceFile, change: Parameterise) -> Passing:
    words = change.words
    holder = file.facts.exprs[change.call[1]]
    parts = _parts(holder)
    if words and words[0] not in parts and len(words) == len(set(words)):
        holder = next((one for one in map(file.facts.exprs.__getitem__, parts) if words[0] in _parts(one)), holder)
        parts = _parts(holder)
    if not isinstance(holder, facts.Call | facts.Collection) or not set(words) <= set(parts) or parts[-1] != words[-1]:
        raise NotExpressible("words that stand elsewhere")
    if isinstance(holder, facts.Collection) and (holder.keys or holder.generated):
        raise NotExpressible("words that stand elsewhere")
    first = start_of_last(file, holder) if isinstance(holder, facts.Call) else file.facts.exprs[parts[-1]].start
    if len(words) == 1:
        return _SideBySide(0, 0, change.text_only, holder, first, NONE, words)
    record = file.facts.exprs[words[1]]
    number = str(record.value) if isinstance(record, facts.Literal) and not isinstance(record.value, bool) else ""
    if not number.isdigit() or int(number) > len(words) - 2:
        raise NotExpressible("the number of keys is not written out")
    text_only = change.text_only or (isinstance(record, facts.Literal) and record.type == "str")
    return _SideBySide(int(number), len(words) - 2 - int(number), text_only, holder, first, words[1], words)


def _parts(record: facts.Expr) -> tuple[int, ...]:
    if isinstance(record, facts.Call):
        return tuple(item.value for item in record.arguments)
    return record.items if isinstance(record, facts.Collection) else ()


# -- lists of an object ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ByEntries(Passing):
    call: facts.Call
    options: facts.Collection | None
    lists: tuple[facts.Collection | None, facts.Collection | None]
    entries: tuple[str, ...]

    def edits(self, file: SourceFile, more: Passed) -> list[Edit]:
        edits: list[Edit] = []
        missing: list[str] = []
        for name, known, values in zip(self.entries, self.lists, (more.keys, more.arguments), strict=True):
            if not values:
                continue
            if known is None:
                missing.append(f"{name}: [{', '.join(values)}]")
            else:
                first = file.facts.exprs[known.items[-1]].start if known.items else NONE
                edits += appended(file, first, known.tail, known.close, values)
        if self.options is None:
            text = f"{{ {', '.join(missing)} }}"
            return appended(file, start_of_last(file, self.call), self.call.tail, self.call.close, [text])
        if missing:
            keys = [number for number in self.options.keys if number != NONE]
            first = file.facts.exprs[keys[-1]].start if keys else NONE
            edits += appended(file, first, self.options.tail, self.options.close, missing)
        return edits


def _by_entries(file: SourceFile, change: Parameterise) -> Passing:
    call = file.facts.exprs[change.call[1]]
    if not isinstance(call, facts.Call) or len(change.words) > 2 or len(call.arguments) != len(change.words):
        raise NotExpressible("other arguments")
    if len(change.words) == 1:
        return _ByEntries(0, 0, change.text_only, call, None, (None, None), change.entries)
    options = file.facts.exprs[change.words[1]]
    if not isinstance(options, facts.Collection) or options.kind != "map" or NONE in options.keys or not options.keys:
        raise NotExpressible("options that stand elsewhere")
    lists = [_entry(file, options, name) for name in change.entries]
    counts = [len(one.items) if one is not None else 0 for one in lists]
    return _ByEntries(counts[0], counts[1], change.text_only, call, options, (lists[0], lists[1]), change.entries)


def _entry(file: SourceFile, options: facts.Collection, name: str) -> facts.Collection | None:
    """The list that an entry holds; None when there is no such entry."""
    for key, value in zip(options.keys, options.items, strict=True):
        label, found = file.facts.exprs[key], file.facts.exprs[value]
        if isinstance(label, facts.Literal) and label.value == name:
            if (
                not isinstance(found, facts.Collection)
                or found.kind != "list"
                or b"..." in file.data[found.start : found.end]
            ):
                raise NotExpressible("a list that stands elsewhere")
            assert isinstance(found, facts.Collection)
            return found
    return None
