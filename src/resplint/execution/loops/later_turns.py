"""Functions that a loop makes for its elements, and that run one after the other once it is over."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import External, ExternalObject
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.loops.loop_elements import LoopElements, Variable
from resplint.flow.graph import Graph


class LaterTurns:
    """Looks where a function goes that is written in a loop."""

    def __init__(self, evaluator: Graph, elements: LoopElements) -> None:
        self._ev = evaluator
        self._elements = elements

    def around(self, index: FileIndex, scope: int, call: int) -> Iterator[int]:
        """The loops that make the function around a call, so that each waits for the call of the one before: in a list
        that is worked off, ``async.series(ids.map(id => done => get(id, done)))``, or behind a promise,
        ``ids.reduce((last, id) => last.then(() => get(id)), Promise.resolve())``.
        """
        written = index.function_expr.get(scope, NONE)
        if written == NONE or index.facts.scopes[scope].kind != "function":
            return
        handed_back = index.returned_by(call) == scope or self._is_awaited(index, scope, call)
        calls_back = self._mentions(index, call, scope)
        for loop in self._elements.around(index, written) if handed_back or calls_back else ():
            if (handed_back and self._is_chained(index, loop, written)) or self._is_listed(index, loop, written):
                yield loop

    def _is_awaited(self, index: FileIndex, scope: int, call: int) -> bool:
        expr = index.facts.exprs[call]
        return index.facts.scopes[scope].is_async and isinstance(expr, facts.Call) and expr.awaited

    def calls_back(self, index: FileIndex, call: int) -> bool:
        """Whether what takes the reply of a call is a parameter of the function around it, or a function that calls
        one, so that the caller goes on when the reply is there. One that hands it on has other work done first.
        """
        expr = index.facts.exprs[call]
        if not isinstance(expr, facts.Call) or not expr.arguments:
            return False
        last = expr.arguments[-1].value
        taker, scope = index.facts.exprs[last], index.function_of(expr.block)
        if isinstance(taker, facts.Name):
            return (
                self._elements.variable(index, last) in index.parameters
                and index.owner(taker.name, index.scope_of(taker.block)) == scope
            )
        uses = [
            number
            for one in index.facts.scopes[scope].parameters
            for number in index.by_name.get(one.name, ())
            if self._elements.variable(index, number) == (scope, one.name)
            and taker.start <= index.facts.exprs[number].start < taker.end
        ]
        called = {self._elements.variable(index, number) for number in uses if number in index.call_of}
        handed_on = {self._elements.variable(index, number) for number in uses if number in index.argument_of}
        return isinstance(taker, facts.Function) and bool(called - handed_on)

    def _mentions(self, index: FileIndex, call: int, scope: int) -> bool:
        """Whether the arguments of a call hand on or call the first parameter of a function."""
        expr = index.facts.exprs[call]
        given = [index.facts.exprs[one.value] for one in expr.arguments] if isinstance(expr, facts.Call) else []
        return any(
            self._elements.variable(index, number) == (scope, one.name)
            and (number in index.call_of or number in index.argument_of)
            and any(place.start <= index.facts.exprs[number].start < place.end for place in given)
            for one in index.facts.scopes[scope].parameters[:1]
            for number in index.by_name.get(one.name, ())
        )

    # -- behind a promise ----------------------------------------------------------------------------------------------

    def _is_chained(self, index: FileIndex, loop: int, written: int) -> bool:
        """Whether a function runs behind the promise of the turn before."""
        call, place = index.argument_of.get(written, (NONE, 0))
        if call == NONE or place:
            return False
        words = self._ev.roles(index.number).words
        member = self._method(index, call)
        if member is None or member.name not in words.thenables:
            return False
        number = member.object
        while (inner := self._method(index, number)) is not None and inner.name in (
            *words.thenables,
            *words.rejection_handlers,
        ):
            number = inner.object
        if not isinstance(index.facts.exprs[number], facts.Name):
            return False
        last = self._elements.variable(index, number)
        return self._is_result_so_far(index, loop, last) or self._is_replaced(index, loop, last, call)

    def _is_result_so_far(self, index: FileIndex, loop: int, variable: Variable) -> bool:
        """Whether a variable is what the function of a fold is given of the turn before."""
        scope = index.facts.blocks[loop].scope
        taker = index.argument_of.get(index.function_expr.get(scope, NONE))
        member = self._method(index, taker[0]) if taker is not None else None
        if member is None or member.name not in self._ev.roles(index.number).words.folds:
            return False
        parameters = index.facts.scopes[scope].parameters
        return bool(parameters) and variable == (scope, parameters[0].name)

    def _is_replaced(self, index: FileIndex, loop: int, variable: Variable, call: int) -> bool:
        """Whether a turn puts the promise of a call in the place of the last one: ``last = last.then(…)``."""
        bound = index.bindings.get(variable, ())
        return any(not index.contains(loop, one.block) for one in bound) and any(
            index.contains(loop, one.block) and one.value != NONE and call in parts(index.facts.exprs, one.value)
            for one in bound
        )

    def _method(self, index: FileIndex, number: int) -> facts.Member | None:
        call = index.facts.exprs[number]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        return callee if isinstance(callee, facts.Member) else None

    # -- in a list -----------------------------------------------------------------------------------------------------

    def _is_listed(self, index: FileIndex, loop: int, written: int) -> bool:
        """Whether a function is put in a list that is worked off, one after the other."""
        return any(self._is_worked_off(index, one) for one in self._lists(index, loop, written))

    def _lists(self, index: FileIndex, loop: int, written: int) -> Iterator[int]:
        """Expressions of its file that stand for a list with the function in it, which each turn fills."""
        given = index.argument_of.get(written)
        filled: set[Variable] = set()
        if given is not None:
            member = self._method(index, given[0])
            adds = member is not None and member.name in self._ev.roles(index.number).words.list_adders
            if member is not None and adds and isinstance(index.facts.exprs[member.object], facts.Name):
                filled.add(self._elements.variable(index, member.object))
        jump = index.jump_with.get(written)
        scope = index.facts.blocks[loop].scope
        record = index.facts.scopes[scope]
        if jump is not None and record.kind == "comprehension" and record.block == loop:
            taker = index.argument_of.get(index.function_expr.get(scope, NONE))
            if taker is not None and index.within(jump.block, scope):
                yield taker[0]
                filled |= {(one.scope, one.name) for one in index.bound_to.get(taker[0], ()) if not one.path}
        for owner, name in filled:
            bound = index.bindings.get((owner, name), ())
            if any(index.contains(loop, one.block) for one in bound):
                continue  # each turn has a list of its own
            for number in index.by_name.get(name, ()):
                if isinstance(index.facts.exprs[number], facts.Name):
                    if self._elements.variable(index, number) == (owner, name):
                        yield number

    def _is_worked_off(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is handed to what runs the functions of a list in turn."""
        taker, place = index.argument_of.get(number, (NONE, 0))
        call = index.facts.exprs[taker] if taker != NONE else None
        if place or not isinstance(call, facts.Call):
            return False
        callee = index.facts.exprs[call.callee]
        name = callee.name if isinstance(callee, facts.Member | facts.Name) else ""
        library = self._ev.roles(index.number).library
        names = {row.function for row in library.get(name, ()) if row.calls == "listed in turn"}
        values = self._ev.callee(index.number, call.callee) if names else ()
        return any(one.dotted in names for one in values if isinstance(one, External | ExternalObject))
