"""Failures of Redis work that leave a function: what nothing on the way up survives."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import FunctionValue, LibraryMethod, Ref, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.retry.caught_errors import Errors
from resplint.retry.empty_handed import EmptyHanded
from resplint.retry.work import REACH, Work

_MOST = 50


class EscapingFailures:
    """Tells whether a handler ever sees that Redis work failed somewhere below."""

    def __init__(self, evaluator: Graph, work: Work, errors: Errors) -> None:
        self._ev = evaluator
        self._work = work
        self._errors = errors
        self._empty_handed = EmptyHanded(evaluator)
        self._known: dict[tuple[int, int], tuple[bool, set[tuple[int, int]]]] = {}

    def reach(self, index: FileIndex, tried: facts.Block) -> bool:
        """Whether a failure of Redis work can come out of guarded statements."""
        works, below = self._direct(index, tried)
        level, seen = below, set(below)
        for _ in range(REACH):
            if works:
                return True
            found = [self._of(key) for key in level]
            works = any(one for one, _ in found)
            level = {key for _, callees in found for key in callees} - seen
            seen |= level
        return works

    def told_by_reply(self, work: Ref, tried: facts.Block) -> tuple[FileIndex, int] | None:
        """The handler of a function of the project that survives failures of Redis work and then returns nothing, where
        a call in guarded statements gives what that returns: the reply says that it failed.
        """
        index = self._ev.store.files[work[0]]
        if self._errors.survived(index, index.facts.exprs[work[1]].block, tried):
            return None
        pending, seen = [work], {work}
        while pending and len(seen) < _MOST:
            file, number = pending.pop()
            call = self._ev.store.expr((file, number))
            values = self._ev.carried(file, call.callee) if isinstance(call, facts.Call) else ()
            for value in values:
                if not isinstance(value, FunctionValue):
                    continue
                other = self._ev.store.files[value.file]
                if (handler := self._returns_nothing(other, value.scope)) != NONE:
                    return other, handler
                returned = {(value.file, one.value) for one in other.jumps.get(value.scope, ()) if one.kind == "return"}
                pending += sorted(returned - seen)
                seen |= returned
        return None

    def _returns_nothing(self, index: FileIndex, scope: int) -> int:
        """The handler of a function that returns nothing after a failure of the Redis work that it guards."""
        for jump in index.jumps.get(scope, ()):
            value = index.facts.exprs[jump.value] if jump.value != NONE else None
            empty = value is None or (isinstance(value, facts.Literal) and not value.value)
            if jump.kind == "return" and empty and index.facts.blocks[jump.block].kind == "except":
                tried = self._work.guarded(index, jump.block)
                if tried is not None and self.reach(index, tried):
                    return jump.block
        returned = [jump for jump in index.jumps.get(scope, ()) if jump.kind == "return" and jump.value != NONE]
        for number, block in enumerate(index.facts.blocks) if returned else ():
            if block.kind != "except" or index.function_of(number) != scope:
                continue
            tried = self._work.guarded(index, number)
            goes_on = not any(jump.kind == "raise" for jump in index.by_place.jumps.between(block.start, block.end))
            if goes_on and tried is not None and self._empty_handed.gives_nothing(index, number):
                if self._errors.caught(index, block) in ("redis", "broad") and self.reach(index, tried):
                    return number
        return NONE

    def _of(self, key: tuple[int, int]) -> tuple[bool, set[tuple[int, int]]]:
        if key not in self._known:
            index = self._ev.store.files[key[0]]
            self._known[key] = self._direct(index, index.facts.blocks[index.facts.scopes[key[1]].block])
        return self._known[key]

    def _direct(self, index: FileIndex, area: facts.Block) -> tuple[bool, set[tuple[int, int]]]:
        """(whether work of an area itself can fail out of it, functions whose failures leave it)."""
        works, callees = False, set[tuple[int, int]]()
        for number, call in index.calls_in(area.start, area.end):
            if self._errors.survived(index, call.block, area) or self._is_handed_over(index, number, call, area):
                continue
            for value in self._work.run_by(index, number, call):
                works = works or (self._work.is_work(value) and not _closes(value))
                if isinstance(value, FunctionValue):
                    callees.add((value.file, value.scope))
        return works or self._says_so_itself(index, area), callees

    def _says_so_itself(self, index: FileIndex, area: facts.Block) -> bool:
        """Whether an area raises an error of its own when a helper says that its Redis work failed: ``if not await
        ping(): raise Unavailable()``.
        """
        for jump in index.by_place.jumps.between(area.start, area.end):
            guard = index.facts.blocks[jump.block]
            if jump.kind != "raise" or guard.kind != "if" or guard.head == NONE:
                continue
            if index.function_of(jump.block) != self._own(index, area) or self._errors.survived(
                index, jump.block, area
            ):
                continue
            test = index.facts.exprs[guard.head]
            if isinstance(test, facts.Operation) and test.operator == "not":
                asked = test.operands[0]
                if isinstance(index.facts.exprs[asked], facts.Call) and self._says_no(index, asked):
                    return True
        return False

    def _says_no(self, index: FileIndex, number: int) -> bool:
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        functions = [one for one in self._ev.carried(index.number, call.callee) if isinstance(one, FunctionValue)]
        return any(self._returns_nothing(self._ev.store.files[one.file], one.scope) != NONE for one in functions)

    def _own(self, index: FileIndex, area: facts.Block) -> int:
        """The function of an area, which may be all of it."""
        return index.function_of(area.parent) if area.kind == "try" else area.scope

    def _is_handed_over(self, index: FileIndex, number: int, call: facts.Call, area: facts.Block) -> bool:
        """Whether a call stands in a function that is handed to another one of the project, and judged there."""
        own = self._own(index, area)
        scope = index.function_of(call.block)
        while scope not in (own, NONE) and scope > 0:
            outer = index.facts.blocks[index.facts.scopes[scope].block]
            for other, around in index.calls_in(area.start, outer.start):
                if other != number and around.start <= outer.start and outer.end <= around.end:
                    values = self._ev.callee(index.number, around.callee)
                    if any(isinstance(value, FunctionValue) for value in values):
                        return True
            scope = index.facts.scopes[scope].parent
        return False


def _closes(value: Value) -> bool:
    """`jedis.close()`: what is given back sends nothing that a retry is for."""
    if not isinstance(value, LibraryMethod):
        return False
    library = value.object.origin.library.library
    return value.name in library.closes or value.name in library.releases
