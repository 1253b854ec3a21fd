"""Two versions of a file, compared statement by statement: what both say, wherever it stands, and what only one says.

A statement is a record of the file's facts (a scope, a block, an import, a binding, a write, a jump, an expression that
is part of no other) together with the expressions in it. Statements in their order, each with the kinds of the blocks
around it, say all that the facts say but for places and numbers. Where two versions agree, numbers and places of the
one are mapped to those of the other, and the mapping is verified: all references between records must agree, and all
places must follow each other in the same order.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from resplint.contracts import facts as records
from resplint.contracts.facts import NONE, FileFacts

_TEXT = "a text of several words"
_Interned = dict[object, int]


class Statement(NamedTuple):
    """A record of a file: its place in its `table` and the expressions in it, from the outside in. Two statements that
    say the same have the same `key`.
    """

    key: int
    start: int
    table: str
    number: int
    exprs: list[int]


class Difference(NamedTuple):
    """What has become of a file. `offsets` maps places of what both versions say from the old one to the new one.

    `texts` are the literals (by their numbers in the old version) that stand at the same place of the code and hold
    another text of several words, `removed` and `added` the statements that only one version has, `kept` the others of
    the old version. `is_spaced` tells whether some expression has other white space or comments in it.
    """

    offsets: dict[int, int]
    texts: list[int]
    removed: list[Statement]
    added: list[Statement]
    kept: list[Statement]
    is_spaced: bool


def difference(old: FileFacts, new: FileFacts) -> Difference | None:
    """What has become of a file; None if it is not known."""
    if (old.path, old.language, old.package) != (new.path, new.language, new.package):
        return None
    if old.errors or new.errors or old.partial or new.partial:
        return None
    interned: _Interned = {}
    before, after = _Version(old, interned), _Version(new, interned)
    matched, removed, added = _aligned(before.statements, after.statements)
    mapping = _Mapping(before, after)
    strayed = mapping.take(matched)
    if not mapping.holds():
        return None
    removed += [one for one, _ in strayed]
    added += [other for _, other in strayed]
    kept = [one for one, _ in mapping.kept]
    return Difference(mapping.offsets, mapping.texts, removed, added, kept, mapping.is_spaced)


def is_text(value: object) -> bool:
    """Whether a constant is a text of several words, as a message is: no name, key or pattern."""
    return isinstance(value, str) and " " in value.strip()


class _Version:
    """The statements of one version of a file, in the order of the source."""

    def __init__(self, file: FileFacts, interned: _Interned) -> None:
        self.file = file
        self._interned = interned
        self._paths = _block_paths(file, interned)
        self._depths = _depths(file)
        self._owner: dict[int, tuple[int, int]] = {}
        """Expression -> the statement that holds it first, and its place there."""
        self.statements: list[Statement] = []
        for start, _, table, number in sorted(self._records()):
            self.statements.append(self._statement(start, table, number))

    def _records(self) -> Iterator[tuple[int, int, str, int]]:
        file = self.file
        inner = bytearray(len(file.exprs))
        for expr in file.exprs:
            for child in _children(expr):
                if child >= 0:
                    inner[child] = 1
        for rank, table in enumerate(("scopes", "blocks", "imports", "bindings", "writes", "jumps")):
            for number, record in enumerate(getattr(file, table)):
                for child in _expressions(record):
                    if child >= 0:
                        inner[child] = 1
                if number or rank > 1:  # the module is there in every version
                    start = file.exprs[record.target].start if table == "writes" else record.start
                    yield start, rank, table, number
        for number, within in enumerate(inner):
            if not within:
                yield file.exprs[number].start, 9, "exprs", number

    def _statement(self, start: int, table: str, number: int) -> Statement:
        here = len(self.statements)
        exprs: list[int] = []
        if table == "exprs":
            key: list[object] = ["expression"]
            pending = [number]
        else:
            record = getattr(self.file, table)[number]
            key = [table, *self._said(record)]
            pending = list(reversed(_expressions(record)))
        while pending:
            one = pending.pop()
            if one < 0:
                key.append(None)
            elif one in self._owner:
                around, at = self._owner[one]
                key.append((here - around, at))
            else:
                self._owner[one] = (here, len(exprs))
                exprs.append(one)
                expr = self.file.exprs[one]
                key.append((self._paths[expr.block], *_content(expr)))
                pending.extend(reversed(_children(expr)))
        return Statement(_number(self._interned, tuple(key)), start, table, number, exprs)

    def _said(self, record: object) -> tuple[object, ...]:
        """What a record says beside its expressions and places."""
        match record:
            case records.Scope():
                parameters = tuple((one.name, one.kind, len(one.decorators)) for one in record.parameters)
                counts = (len(record.decorators), len(record.bases))
                flags = (record.is_async, record.is_generator, record.is_constructor, record.is_accessor)
                more = (record.is_open, record.is_single, record.is_private, record.belongs, record.receiver)
                depth = self._depths[record.parent] if record.parent >= 0 else NONE
                around = self._paths[record.defined_in] if record.defined_in >= 0 else NONE
                return (record.kind, record.name, depth, around, parameters, counts, flags, more)
            case records.Block():
                around = self._paths[record.parent] if record.parent >= 0 else NONE
                return (record.kind, around, self._depths[record.scope], record.waits)
            case records.Import():
                return (record.module, record.name, record.alias, record.level, *self._around(record))
            case records.Binding():
                operator = (record.kind, record.path, record.operator, record.belongs, len(record.decorators))
                return (record.name, *operator, *self._around(record))
            case records.Write():
                return (record.kind, record.path, record.operator, self._paths[record.block])
            case records.Jump():
                return (record.kind, self._paths[record.block])
        raise AssertionError(record)

    def _around(self, record: records.Import | records.Binding) -> tuple[int, int]:
        return self._depths[record.scope], self._paths[record.block]


class _Mapping:
    """Numbers and places of one version in the other. Whatever does not fit is found out by `take`."""

    def __init__(self, before: _Version, after: _Version) -> None:
        self._old, self._new = before.file, after.file
        self._numbers: dict[str, dict[int, int]] = {
            "scopes": {0: 0, NONE: NONE},
            "blocks": {0: 0, NONE: NONE},
            "exprs": {},
        }
        self.kept: list[tuple[Statement, Statement]] = []
        self._groups: dict[int, int] = {}
        self.offsets: dict[int, int] = {}
        self.texts: list[int] = []
        self.is_spaced = False

    def take(self, matched: Iterable[tuple[Statement, Statement]]) -> list[tuple[Statement, Statement]]:
        """Map pairs of statements; gives those that stand in blocks or scopes which are none of the pairs."""
        pairs = list(matched)
        waiting = [pair for pair in pairs if pair[0].table in ("scopes", "blocks")]
        while waiting:
            strayed = [pair for pair in waiting if not self._takes(*pair)]
            if len(strayed) == len(waiting):
                break
            waiting = strayed
        return waiting + [
            pair for pair in pairs if pair[0].table not in ("scopes", "blocks") and not self._takes(*pair)
        ]

    def _takes(self, one: Statement, other: Statement) -> bool:
        """Map a pair of statements if what they stand in is a pair."""
        if not self._stands_alike(one, other):
            return False
        self._numbers.setdefault(one.table, {})[one.number] = other.number
        self._numbers["exprs"].update(zip(one.exprs, other.exprs, strict=True))
        self.kept.append((one, other))
        return True

    def _stands_alike(self, one: Statement, other: Statement) -> bool:
        if one.table == "exprs":
            old, new = self._old.exprs[one.number].block, self._new.exprs[other.number].block
            return self._numbers["blocks"].get(old) == new
        record, same = getattr(self._old, one.table)[one.number], getattr(self._new, one.table)[other.number]
        return all(
            self._numbers[table].get(getattr(record, name)) == getattr(same, name) for name, table in _AROUND[one.table]
        )

    def holds(self) -> bool:
        """Whether all that the statements refer to is the same, and follows each other in the same order."""
        return (
            all(self._record(one, other) for one, other in self.kept)
            and all(self._expression(*pair) for pair in self._numbers["exprs"].items())
            and all(_increases(table) for table in self._numbers.values())
            and _increases(self.offsets)
            and _increases(self._groups)
            and not any(block.start == 0 for file in (self._old, self._new) for block in file.blocks[1:])
        )

    def _record(self, one: Statement, other: Statement) -> bool:
        if one.table == "exprs":
            return True
        old, new = getattr(self._old, one.table)[one.number], getattr(self._new, one.table)[other.number]
        if one.table == "blocks" and self._groups.setdefault(old.group, new.group) != new.group:
            return False
        if one.table == "scopes" and self._numbers["blocks"].get(old.block) != new.block:
            return False
        return all(self._place(getattr(old, name), getattr(new, name)) for name in _PLACES[one.table])

    def _expression(self, number: int, other: int) -> bool:
        old, new = self._old.exprs[number], self._new.exprs[other]
        if isinstance(old, records.Function) and isinstance(new, records.Function):
            if self._numbers["scopes"].get(old.scope) != new.scope:
                return False
        if isinstance(old, records.Literal | records.Template) and _texts(old) != _texts(new):
            self.texts.append(number)
        if self._numbers["blocks"].get(old.block) != new.block:
            return False
        self.is_spaced = self.is_spaced or old.end - old.start != new.end - new.start
        return self._place(old.start, new.start) and self._place(old.end, new.end)

    def _place(self, old: int, new: int) -> bool:
        return self.offsets.setdefault(old, new) == new


_AROUND = {
    "scopes": (("parent", "scopes"), ("defined_in", "blocks")),
    "blocks": (("parent", "blocks"), ("scope", "scopes")),
    "imports": (("scope", "scopes"), ("block", "blocks")),
    "bindings": (("scope", "scopes"), ("block", "blocks")),
    "writes": (("block", "blocks"),),
    "jumps": (("block", "blocks"),),
}
_PLACES = {
    "scopes": ("start", "end"),
    "blocks": ("start", "end", "at"),
    "imports": ("start", "end"),
    "bindings": ("start", "end"),
    "writes": (),
    "jumps": ("start",),
}


def _increases(mapping: dict[int, int]) -> bool:
    """Whether what comes first in one version comes first in the other."""
    values = [mapping[key] for key in sorted(mapping)]
    return all(one < other for one, other in itertools.pairwise(values))


def _number(interned: _Interned, key: object) -> int:
    return interned.setdefault(key, len(interned))


def _block_paths(file: FileFacts, interned: _Interned) -> list[int]:
    """For each block a number that stands for the kinds of the blocks around it and itself."""
    found: list[int] = []
    for block in file.blocks:
        around = found[block.parent] if block.parent >= 0 else NONE
        found.append(_number(interned, (around, block.kind, file.scopes[block.scope].kind)))
    return found


def _depths(file: FileFacts) -> list[int]:
    """For each scope how many are around it."""
    found: list[int] = []
    for scope in file.scopes:
        found.append(found[scope.parent] + 1 if scope.parent >= 0 else 0)
    return found


def _expressions(record: object) -> list[int]:
    """The expressions of a record in a fixed order, NONE for those that it has not."""
    match record:
        case records.Scope():
            parameters = [
                number for one in record.parameters for number in (one.annotation, one.default, *one.decorators)
            ]
            return [*parameters, *record.decorators, *record.bases, record.returns, record.receiver_value]
        case records.Block():
            return [record.head]
        case records.Binding():
            return [record.value, record.annotation, *record.decorators]
        case records.Write():
            return [record.target, record.value, record.annotation]
        case records.Jump():
            return [record.value]
    return []


def _children(expr: records.Expr) -> Sequence[int]:
    kind = type(expr)
    if kind is records.Name or kind is records.Literal:
        return ()
    match expr:
        case records.Member():
            return (expr.object,)
        case records.Call():
            return (expr.callee, *[argument.value for argument in expr.arguments])
        case records.Index():
            return (expr.object, expr.key)
        case records.Operation():
            return expr.operands
        case records.Template():
            return [part for part in expr.parts if isinstance(part, int)]
        case records.Collection():
            return (*expr.items, *expr.keys)
        case records.Choice():
            return (*expr.options, expr.condition)
    return ()


def _content(expr: records.Expr) -> tuple[object, ...]:
    """What an expression says beside its parts and places."""
    match expr:
        case records.Name():
            return ("name", expr.name)
        case records.Member():
            return ("member", expr.name)
        case records.Literal():
            return ("literal", expr.type, _TEXT if is_text(expr.value) else repr(expr.value))
        case records.Call():
            names = tuple(argument.name for argument in expr.arguments)
            return ("call", names, expr.awaited, expr.tail == NONE, expr.close == NONE)
        case records.Operation():
            return ("operation", expr.operator, len(expr.operands))
        case records.Template():
            if is_text("".join([part if isinstance(part, str) else "…" for part in expr.parts])):
                return ("template", tuple([_TEXT if part and isinstance(part, str) else 0 for part in expr.parts]))
            return ("template", tuple([part if isinstance(part, str) else 0 for part in expr.parts]))
        case records.Collection():
            sizes = (len(expr.items), len(expr.keys), expr.generated)
            return ("collection", expr.kind, *sizes, expr.tail == NONE, expr.close == NONE)
        case records.Choice():
            return ("choice", len(expr.options))
    return (type(expr).__name__,)


def _texts(expr: object) -> object:
    if isinstance(expr, records.Template):
        return [part for part in expr.parts if isinstance(part, str)]
    return repr(expr.value) if isinstance(expr, records.Literal) else None


def _aligned(
    old: Sequence[Statement], new: Sequence[Statement]
) -> tuple[list[tuple[Statement, Statement]], list[Statement], list[Statement]]:
    """Pairs of the statements that two versions share, and those that only one of them has."""
    least = min(len(old), len(new))
    first = 0
    while first < least and old[first].key == new[first].key:
        first += 1
    last = 0
    while last < least - first and old[-1 - last].key == new[-1 - last].key:
        last += 1
    pairs = list(zip(old[:first], new[:first], strict=True))
    removed, added = list(old[first : len(old) - last]), list(new[first : len(new) - last])
    if removed and added:
        import difflib  # noqa: PLC0415 - most edits are in one place

        matcher = difflib.SequenceMatcher(
            None, [one.key for one in removed], [one.key for one in added], autojunk=False
        )
        blocks = [block for block in matcher.get_matching_blocks() if block.size]
        for block in blocks:
            pairs += zip(removed[block.a : block.a + block.size], added[block.b : block.b + block.size], strict=True)
        removed = _without(removed, ((block.a, block.size) for block in blocks))
        added = _without(added, ((block.b, block.size) for block in blocks))
    if last:
        pairs += zip(old[-last:], new[-last:], strict=True)
    return pairs, removed, added


def _without(statements: list[Statement], stretches: Iterable[tuple[int, int]]) -> list[Statement]:
    kept = [True] * len(statements)
    for start, size in stretches:
        kept[start : start + size] = [False] * size
    return [one for one, keep in zip(statements, kept, strict=True) if keep]
