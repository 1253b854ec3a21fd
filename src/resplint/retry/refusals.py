"""Loops that ask a function again after it said that it failed: ``while not connect(): sleep(5)``."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import LibraryObject
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.retry.attempts import Attempts
from resplint.retry.delays.delays import Delay, Delays

_LEAVING = ("break", "return", "raise")


class Refusals:
    """Tells when a function that survives a failure says so, and what the loops that ask it do then."""

    def __init__(self, evaluator: Graph, delays: Delays, attempts: Attempts) -> None:
        self._ev = evaluator
        self._delays = delays
        self._attempts = attempts

    def says_so(self, index: FileIndex, handler: int, tried: facts.Block) -> bool:
        """Whether a handler ends its function with nothing or false, and success ends it with true or a client, never
        with what was found: nothing found is no failure.
        """
        jumps = [jump for jump in index.jumps[index.function_of(handler)] if jump.kind == "return"]
        inside = [jump for jump in jumps if jump.block == handler]
        if not inside or not all(self._is_nothing(index, jump.value) for jump in inside):
            return False
        done = [jump for jump in jumps if jump.start >= tried.start and jump not in inside]
        return bool(done) and all(self._is_yes(index, jump.value) for jump in done)

    def delay(self, index: FileIndex, handler: int) -> tuple[Delay, float | None] | None:
        """(the pause of a loop of a caller before it asks again, the attempts it makes at most)."""
        for site in self._ev.callers.of(index.number, index.function_of(handler)):
            other = self._ev.store.files[site.file]
            call = other.facts.exprs[site.call]
            loop = self._loop_around(other, call.block)
            area = self._failed(other, site.call, loop) if loop is not None else None
            if loop is None or area is None or self._attempts.few(other, loop):
                continue
            pause = self._delays.within(other, *area, loop)
            if pause.calls:
                pause.between = (other.number, site.call)
                pause.follows_ticks = self._pauses_else(other, area, loop)
                return pause, self._attempts.turns(other, loop)
        return None

    def _pauses_else(self, index: FileIndex, area: tuple[int, int], loop: facts.Block) -> bool:
        """Whether a stretch is one branch of a statement, and the other one pauses as well, so that each turn does:
        ``if beat(): sleep(2)``, ``else: sleep(1)``.
        """
        blocks = index.facts.blocks
        groups = {one.group for one in blocks if (one.start, one.end) == area and one.kind in ("if", "else")}
        others = [
            blocks[one]
            for group in groups
            for kind in ("if", "else")
            for one in index.clauses.get((kind, group), ())
            if (blocks[one].start, blocks[one].end) != area
        ]
        return any(self._delays.within(index, one.start, one.end, loop).calls for one in others)

    def _loop_around(self, index: FileIndex, block: int) -> facts.Block | None:
        """The loop that a call stands in, or is the condition of, within its function."""
        for number in index.enclosing_blocks(block):
            record = index.facts.blocks[number]
            if record.kind == "while" or (record.kind == "for" and self._attempts.counts(index, record)):
                return record
            if record.kind == "for":
                return None
        return None

    def _failed(self, index: FileIndex, number: int, loop: facts.Block) -> tuple[int, int] | None:
        """The stretch of a loop that runs only if a call gave nothing, unless that leaves the loop."""
        names = {one.name for one in index.bound_to.get(number, ()) if not one.path}
        said = self._tests(index, loop.head, number, names) if loop.kind == "while" and loop.head != NONE else None
        if said is False:
            return loop.start, loop.end
        for one in index.blocks_in(loop.start, loop.end):
            block = index.facts.blocks[one]
            said = self._tests(index, block.head, number, names) if block.kind == "if" and block.head != NONE else None
            if said is None or not self._is_inside(index, block.parent, loop):
                continue
            if said is False:
                return None if self._leaves(index, one) else (block.start, block.end)
            others = index.clauses.get(("else", block.group), ())
            if others:
                other = index.facts.blocks[others[0]]
                return None if self._leaves(index, others[0]) else (other.start, other.end)
            return (block.end, loop.end) if self._leaves(index, one) else None
        return None

    def _is_inside(self, index: FileIndex, number: int, loop: facts.Block) -> bool:
        """Whether a block is that of a loop, or one of its guarded statements and branches."""
        for block in (index.facts.blocks[one] for one in index.enclosing_blocks(number)):
            if block == loop:
                return True
            if block.kind not in ("try", "if", "else", "with"):
                return False
        return False

    def _tests(self, index: FileIndex, head: int, number: int, names: set[str]) -> bool | None:
        """True or False: what a condition asks a call, or the name of what it gave, for; None: something else."""
        wanted = True
        while isinstance(test := index.facts.exprs[head], facts.Operation) and test.operator == "not":
            head, wanted = test.operands[0], not wanted
        found = index.facts.exprs[head]
        return wanted if head == number or (isinstance(found, facts.Name) and found.name in names) else None

    def _leaves(self, index: FileIndex, block: int) -> bool:
        return any(jump.kind in _LEAVING for jump in index.jumps_in_block.get(block, ()))

    def _is_nothing(self, index: FileIndex, number: int) -> bool:
        expr = index.facts.exprs[number] if number != NONE else None
        return expr is None or (isinstance(expr, facts.Literal) and not expr.value and expr.type in ("none", "bool"))

    def _is_yes(self, index: FileIndex, number: int) -> bool:
        if number == NONE:
            return False
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Literal):
            return expr.value is True
        values = self._ev.values(index.number, number)
        return bool(values) and all(isinstance(value, LibraryObject) for value in values)
