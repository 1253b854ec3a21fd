"""Delays that are written down one after the other, each of which is taken by one attempt: ``next(pauses)``."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import CollectionValue, Const, FunctionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.text.collections import listed

GROWING, CONSTANT, UNKNOWN = "growing", "constant", "unknown"


class Series:
    """Reads them where an iterator is advanced."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def kind(self, index: FileIndex, call: facts.Call, loop: facts.Block | None) -> str:
        """How the elements develop that a call takes from an iterator at each turn; "" when it takes none."""
        iterator = self._iterator(index, call)
        if iterator == NONE:
            return ""
        made = self._made(index, iterator)
        if loop is not None and any(self._inside(index, ref, loop) for ref in made):
            return CONSTANT  # begun anew at every turn
        kinds = {kind for ref in made for kind in self._elements(ref)}
        if GROWING in kinds:
            return GROWING
        return CONSTANT if kinds == {CONSTANT} else UNKNOWN

    def _iterator(self, index: FileIndex, call: facts.Call) -> int:
        """The iterator that a call advances: ``pauses.next()``, ``next(pauses)``."""
        names = self._ev.roles(index.number).words.advancers
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Member) and callee.name in names and not call.arguments:
            return callee.object
        if isinstance(callee, facts.Name) and callee.name in names and call.arguments:
            return call.arguments[0].value
        return NONE

    def _inside(self, index: FileIndex, ref: Ref, loop: facts.Block) -> bool:
        return ref[0] == index.number and loop.start <= self._ev.store.expr(ref).start < loop.end

    def _made(self, index: FileIndex, iterator: int) -> list[Ref]:
        """The expressions that an iterator was made by."""
        expr = index.facts.exprs[iterator]
        if isinstance(expr, facts.Name):
            bound = index.bindings.get((index.owner(expr.name, index.scope_of(expr.block)), expr.name), ())
            return [(index.number, one.value) for one in bound if one.value != NONE]
        if isinstance(expr, facts.Member):
            written = index.writes_by_name.get(expr.name, ())
            return [(index.number, one.value) for one in written if one.value != NONE]
        return [(index.number, iterator)]

    def _elements(self, ref: Ref) -> list[str]:
        """Kinds of what an expression yields."""
        file, number = ref
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Call):
            functions = [one for one in self._ev.callee(file, expr.callee) if isinstance(one, FunctionValue)]
            yielded = [(one.file, jump.value) for one in functions for jump in self._yields(one)]
            if yielded:
                return [self._of_elements(yielded)]
            number = expr.arguments[0].value if len(expr.arguments) == 1 else number  # iter([1, 2, 5])
            callee = index.facts.exprs[expr.callee]
            if not expr.arguments and isinstance(callee, facts.Member):
                number = callee.object  # List.of(1, 2, 5).iterator()
        found = []
        for value in self._ev.values(file, number):
            if isinstance(value, CollectionValue):
                found.append(self._of_elements(listed(self._ev, value)))
            else:
                found.append(UNKNOWN)
        return found

    def _yields(self, function: FunctionValue) -> list[facts.Jump]:
        jumps = self._ev.store.files[function.file].jumps.get(function.scope, ())
        return [jump for jump in jumps if jump.kind == "yield" and jump.value != NONE]

    def _of_elements(self, refs: list[Ref]) -> str:
        """Constants that are all the same, or anything else: then they develop."""
        values = [value for ref in refs for value in self._ev.values(*ref)]
        numbers = {value.value for value in values if isinstance(value, Const) and value.value is not None}
        others = any(not isinstance(value, Const) for value in values)
        return GROWING if others or len(numbers) > 1 else CONSTANT
