"""Functions that run themselves again later after a failure: ``client.on("end", () => setTimeout(connect, 5000))``."""

from __future__ import annotations

from collections.abc import Callable

from resplint import facts
from resplint.facts import NONE
from resplint.link.delays import Delays
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex
from resplint.link.retry_policies import Retry
from resplint.link.values import Const, External, ExternalObject, FunctionValue, LibraryObject, Ref, Reply

Touches = Callable[[int, int], bool]


class Deferred:
    """Finds them; `touches_redis(file, scope)` tells whether a function does Redis work."""

    def __init__(self, evaluator: Evaluator, touches_redis: Touches) -> None:
        self._ev = evaluator
        self._touches_redis = touches_redis
        self._delays = Delays(evaluator)

    def retry(self, index: FileIndex, number: int) -> Retry | None:
        """The retry that a call schedules, if it does."""
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        place = self._delay_at(index, call)
        if place is None or not call.arguments:
            return None
        around = self._functions_around(index, call.block)
        runs = self._runs(index, call.arguments[0].value)
        again = next((scope for scope in around if (index.number, scope) in runs), None)
        if again is None or not self._after_failure(index, call, again):
            return None
        if not self._touches_redis(index.number, again):
            return None
        positional = [item.value for item in call.arguments if not item.name]
        delay = positional[place] if place < len(positional) else NONE
        grows = delay != NONE and self._delays.changes(index, delay, again)
        jitter = delay != NONE and self._delays.random(index, delay)
        growth = "exponential" if grows else "constant" if delay != NONE else "none"
        where = (index.number, call.start, call.end)
        name = index.facts.scopes[again].name
        steps: tuple[tuple[Ref, str], ...] = (((index.number, -2 - again), f"'{name or 'this'}' runs again later"),)
        return Retry("recursion", growth, jitter, where, name, again, steps)

    def _delay_at(self, index: FileIndex, call: facts.Call) -> int | None:
        """Position of the delay, when the callee runs a function later."""
        names = self._ev.roles(index.number).deferred
        callee = index.facts.exprs[call.callee]
        if not names or not isinstance(callee, facts.Name | facts.Member):
            return None
        for value in self._ev.values(index.number, call.callee):
            if isinstance(value, External | ExternalObject):
                place = names.get(value.dotted.replace("()", ""))
                if place is not None:
                    return place
        return None

    def _functions_around(self, index: FileIndex, block: int) -> list[int]:
        found = []
        scope = index.scope_of(block)
        while scope > 0:
            if index.facts.scopes[scope].kind in ("function", "comprehension"):
                found.append(scope)
            scope = index.facts.scopes[scope].parent
        return found

    def _runs(self, index: FileIndex, expr: int) -> set[tuple[int, int]]:
        """Functions that a scheduled function is, or calls."""
        found = set()
        for value in self._ev.values(index.number, expr):
            if isinstance(value, FunctionValue):
                found.add((value.file, value.scope))
                if not self._ev.store.files[value.file].facts.scopes[value.scope].name:
                    other = self._ev.store.files[value.file]
                    body = other.facts.blocks[other.facts.scopes[value.scope].block]
                    for _, call in other.calls_in(body.start, body.end):
                        inner = self._ev.values(value.file, call.callee)
                        found |= {(one.file, one.scope) for one in inner if isinstance(one, FunctionValue)}
        return found

    def _after_failure(self, index: FileIndex, call: facts.Call, again: int) -> bool:
        """Whether the call stands where something failed: in a handler, or in a function that is called upon errors."""
        block = call.block
        stop = index.facts.scopes[again].block
        while block not in (NONE, stop):
            record = index.facts.blocks[block]
            if record.kind == "except":
                return True
            if record.kind == "if" and record.head != NONE and self._tests_error(index, record.head):
                return True
            scope = index.scope_of(block)
            if index.facts.scopes[scope].block == block and self._handles_errors(index, scope):
                return True
            block = record.parent
        return False

    def _tests_error(self, index: FileIndex, head: int) -> bool:
        """``if (err) …`` where `err` is the first parameter of a callback."""
        expr = index.facts.exprs[head]
        if not isinstance(expr, facts.Name):
            return False
        scope = index.scope_of(expr.block)
        while scope != NONE:
            position = index.parameters.get((scope, expr.name))
            if position is not None:
                return position == 0 and scope in index.function_expr
            scope = index.facts.scopes[scope].parent
        return False

    def _handles_errors(self, index: FileIndex, scope: int) -> bool:
        """``client.on('error', …)``, ``promise.catch(…)``."""
        number = index.function_expr.get(scope)
        place = index.argument_of.get(number) if number is not None else None
        if place is None:
            return False
        call = index.facts.exprs[place[0]]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member):
            return False
        words = self._ev.roles(index.number).words
        if callee.name in words.rejection_handlers:
            return True
        if callee.name not in words.listeners or place[1] == 0:
            return False
        owners = self._ev.values(index.number, callee.object)
        events = self._ev.values(index.number, call.arguments[0].value)
        named = any(isinstance(event, Const) and event.value in words.failure_events for event in events)
        return named and any(isinstance(owner, LibraryObject | Reply) for owner in owners)
