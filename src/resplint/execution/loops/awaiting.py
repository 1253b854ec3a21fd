"""Whether code waits for what a call gives before it goes on to the next one."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph


class Awaiting:
    """Answers for calls that give a promise, a coroutine or a future."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def waiting(self, index: FileIndex, call: int) -> int:
        """The expression that code waits for where a call stands: ``await get(id)``, ``get(id).join()``, or one around
        it, ``await Promise.all([get(id), ttl(id)])``. NONE if it waits for neither.
        """
        names = self._ev.roles(index.number).words.joining
        number = call
        while True:
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Call) and expr.awaited:
                return number
            holder = index.parents.get(number, NONE)
            if holder == NONE:
                return NONE
            around = index.facts.exprs[holder]
            if isinstance(around, facts.Member) and around.name in names and holder in index.call_of:
                return number
            number = holder

    def is_handed_back(self, index: FileIndex, call: int) -> bool:
        """Whether a function gives back what a call gives, perhaps by a name, so that its caller may wait for it."""
        number = call
        while number != NONE:
            if index.returned_by(number) != NONE or self._is_returned_by_name(index, number):
                return True
            number = index.parents.get(number, NONE)
        return False

    def _is_returned_by_name(self, index: FileIndex, number: int) -> bool:
        """Whether a function binds what an expression gives to a name, and gives that back."""
        scope = index.function_of(index.facts.exprs[number].block)
        names = {one.name for one in index.bound_to.get(number, ()) if one.scope == scope and not one.path}
        return bool(names) and any(
            one.kind == "return"
            and one.value != NONE
            and isinstance(given := index.facts.exprs[one.value], facts.Name)
            and given.name in names
            for one in index.jumps.get(scope, ())
        )
