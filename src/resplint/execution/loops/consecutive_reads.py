"""Reads that one command could do together: several keys, or several fields of one hash, one after the other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.index import FileIndex, parts
from resplint.bind.same_code import reads_same
from resplint.bind.values import Const, FunctionValue
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.usage import CommandSite, Usage

FEWEST_KEYS, FEWEST_FIELDS = 3, 2
"""How many reads make a row: a key may have to move to another slot for it, a field never."""
MOST = 100
"""Reads of one row, which is as many as one command should read; the next one begins another row."""
_SHORT_CIRCUITS = ("and", "or", "??", "?:", "&&", "||")


@dataclass(frozen=True, slots=True)
class Row:
    """Reads in the order of the code, none of which needs the reply of another, and the command that does all."""

    sites: tuple[CommandSite, ...]
    together: str
    same_key: bool


class ConsecutiveReads:
    """Looks for them in stretches of statements that run one after the other."""

    def __init__(self, evaluator: Graph, usage: Usage) -> None:
        self._ev = evaluator
        self._usage = usage

    def all(self) -> Iterator[Row]:
        """The rows, by file and block."""
        queued = {site.ref for batch in self._usage.batches for site in batch.queued}
        table: dict[tuple[int, int, str, bool], list[CommandSite]] = defaultdict(list)
        for ref, sites in self._usage.by_place.items():
            site = sites[0]
            if len({one.command for one in sites}) > 1 or ref in queued or not self._waits(site):
                continue
            if one := self._together(site):
                table[ref[0], self._ev.store.expr(ref).block, one[0], one[1]].append(site)
        for (file, _, together, same_key), found in sorted(table.items()):
            index = self._ev.store.files[file]
            fewest = FEWEST_FIELDS if same_key else FEWEST_KEYS
            if len(found) >= fewest:
                found.sort(key=lambda one: index.facts.exprs[one.call].end)
                for row in self._rows(index, found, same_key):
                    if len(row) >= fewest:
                        yield Row(tuple(row), together, same_key)

    # -- single reads --------------------------------------------------------------------------------------------------

    def _together(self, site: CommandSite) -> tuple[str, bool] | None:
        """The command that reads what several of this one do, and whether it does so of one key."""
        model = self._usage.model(site)
        key = self._usage.key(site)
        if model is None or model.access != "read" or key == NONE or self._usage.spreads(site):
            return None
        if model.batch_items and site.command != model.batch_items:
            field = self._field(site)
            known = field != NONE and self._is_constant(site.file, field)
            return (model.batch_items, True) if known and not model.batch_since else None
        bound = site.method.key == -1 or self._usage.key_file(site) != site.file
        if model.batch_keys and not model.several_keys and not bound and site.receiver.kind != "cluster":
            return model.batch_keys, False
        return None

    def _field(self, site: CommandSite) -> int:
        return self._usage.argument(site, 1 + self._usage.field_shift(site))

    def _is_constant(self, file: int, number: int) -> bool:
        values = self._ev.values(file, number)
        return bool(values) and all(isinstance(one, Const) for one in values)

    def _waits(self, site: CommandSite) -> bool:
        """Whether the reply is there before the code goes on, each time."""
        expr = self._ev.store.expr(site.ref)
        if site.is_queued or not isinstance(expr, facts.Call):
            return False
        if not site.receiver.origin.type.is_async or expr.awaited:
            return self._is_unconditional(site)
        index = self._ev.store.files[site.file]
        member = index.parents.get(site.call, NONE)
        around = index.facts.exprs[member] if member != NONE else None
        joins = isinstance(around, facts.Member) and around.name in self._ev.roles(site.file).words.joining
        return joins and member in index.call_of and self._is_unconditional(site)

    def _is_unconditional(self, site: CommandSite) -> bool:
        """Whether nothing in the statement itself decides whether the command is sent."""
        index = self._ev.store.files[site.file]
        number = site.call
        while (holder := index.parents.get(number, NONE)) != NONE:
            around = index.facts.exprs[holder]
            if isinstance(around, facts.Choice) and number in around.options:
                return False
            if isinstance(around, facts.Operation) and around.operator in _SHORT_CIRCUITS:
                if around.operands and around.operands[0] != number:
                    return False
            number = holder
        return number not in index.heads

    # -- rows ----------------------------------------------------------------------------------------------------------

    def _rows(self, index: FileIndex, found: list[CommandSite], same_key: bool) -> Iterator[list[CommandSite]]:
        row: list[CommandSite] = []
        for site in found:
            if row and (len(row) >= MOST or not self._goes_on(index, row, site, same_key)):
                yield row
                row = []
            row.append(site)
        yield row

    def _goes_on(self, index: FileIndex, row: list[CommandSite], site: CommandSite, same_key: bool) -> bool:
        last = row[-1]
        if not reads_same(index, self._object(index, last), self._object(index, site)):
            return False
        key = self._usage.key(site)
        if same_key:
            if not self._is_same_key(index, last, site):
                return False
            if any(self._is_same_field(index, one, site) for one in row):
                return False
        elif any(reads_same(index, self._usage.key(one), key) for one in row):
            return False
        return self._is_free_between(index, last, site) and not self._depends(index, row, site)

    def _object(self, index: FileIndex, site: CommandSite) -> int:
        call = index.facts.exprs[site.call]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        return callee.object if isinstance(callee, facts.Member) else NONE

    def _is_same_key(self, index: FileIndex, one: CommandSite, other: CommandSite) -> bool:
        a, b = self._usage.key(one), self._usage.key(other)
        file = self._usage.key_file(one)
        if file != self._usage.key_file(other):
            return False
        return a == b or (file == index.number and reads_same(index, a, b))

    def _is_same_field(self, index: FileIndex, one: CommandSite, other: CommandSite) -> bool:
        a, b = self._field(one), self._field(other)
        return reads_same(index, a, b) or self._ev.values(one.file, a) == self._ev.values(other.file, b)

    def _is_free_between(self, index: FileIndex, last: CommandSite, site: CommandSite) -> bool:
        """Whether code goes straight on from one read to the next, without waiting and without another command."""
        first, second = index.facts.exprs[last.call], index.facts.exprs[site.call]
        function = index.function_of(first.block)
        jumps = index.by_place.jumps.between(first.end, second.start)
        if any(index.function_of(jump.block) == function for jump in jumps):
            return False
        start = index.facts.exprs[self._root(index, last.call)].start
        for number, call in index.calls_in(start, second.end):
            if number in (last.call, site.call) or call.end > second.start or call.end < first.start:
                continue
            inner = first.start <= call.start and call.end <= first.end
            if not inner and self._does_more(index, number, call):
                return False
        return True

    def _does_more(self, index: FileIndex, number: int, call: facts.Call) -> bool:
        """Whether a call between two reads may change what the second one finds: it waits, or works with Redis."""
        if call.awaited or (index.number, number) in self._usage.by_place:
            return True
        if self._is_delay(index, call):
            return True
        values = self._ev.callee(index.number, call.callee)
        return any(isinstance(one, FunctionValue) and self._ev.works(one.file, one.scope) for one in values)

    def _is_delay(self, index: FileIndex, call: facts.Call) -> bool:
        callee = index.facts.exprs[call.callee] if call.callee != NONE else None
        name = getattr(callee, "name", "")
        return any(one.rpartition(".")[2] == name for one in self._ev.roles(index.number).delays)

    def _root(self, index: FileIndex, number: int) -> int:
        """The whole expression around a part."""
        while (holder := index.parents.get(number, NONE)) != NONE:
            number = holder
        return number

    # -- what needs an earlier reply -----------------------------------------------------------------------------------

    def _depends(self, index: FileIndex, row: list[CommandSite], site: CommandSite) -> bool:
        """Whether what a command is sent with comes from the reply of one in front of it."""
        exprs = index.facts.exprs
        replies = {one.call for one in row}
        start, end = exprs[self._root(index, row[0].call)].start, exprs[site.call].start
        names: set[str] = set()
        for binding in index.facts.bindings:
            if binding.value != NONE and start <= exprs[binding.value].start < end:
                if self._comes_from(index, binding.value, replies, names):
                    names.add(binding.name)
        for write in index.facts.writes:
            if write.value != NONE and start <= exprs[write.value].start < end:
                if self._comes_from(index, write.value, replies, names):
                    names.add(getattr(exprs[write.target], "name", ""))
        call = exprs[site.call]
        given = [one.value for one in call.arguments] if isinstance(call, facts.Call) else []
        return any(self._comes_from(index, one, replies, names) for one in given)

    def _comes_from(self, index: FileIndex, number: int, replies: set[int], names: set[str]) -> bool:
        for part in parts(index.facts.exprs, number):
            if part in replies or getattr(index.facts.exprs[part], "name", None) in names:
                return True
        return False
