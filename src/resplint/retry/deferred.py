"""Functions that run themselves again later after a failure: ``client.on("end", () => setTimeout(connect, 5000))``."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    Const,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Reply,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.retry.attempts import Attempts
from resplint.retry.delays.delays import Delay, Delays
from resplint.retry.delays.policies import Retry
from resplint.retry.delays.strategies import Strategies
from resplint.retry.work import Work
from resplint.retry.work_item_progress import NextItems


class Deferred:
    """Finds them where errors are handled: in handlers, in functions that promises and emitters call upon errors."""

    def __init__(
        self, evaluator: Graph, work: Work, delays: Delays, attempts: Attempts, strategies: Strategies
    ) -> None:
        self._ev = evaluator
        self._work = work
        self._delays = delays
        self._attempts = attempts
        self._strategies = strategies
        self._next = NextItems(evaluator, work)

    def retry(self, index: FileIndex, number: int) -> Retry | None:
        """The retry that a call schedules, if it does."""
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        around = self.functions_around(index, call.block)
        if not any(self._ev.works(index.number, scope) for scope in around):
            return self._reconnection(index, number, call)
        runs = self._runs(index, call.arguments[0].value) if call.arguments else set()
        again = next((scope for scope in around if (index.number, scope) in runs), None)
        if again is None:
            return self._reconnection(index, number, call)
        place = self._delay_at(index, call)
        if place is None or not self._work.comes_first(index.number, again):
            return None
        if not self._after_failure(index, call, again):
            return None
        delay = Delay()
        positional = [item.value for item in call.arguments if not item.name]
        if place < len(positional) and place >= 0:
            delay.calls.append((index.number, number))
            delay.grows = self._delays.changes(index, positional[place], again)
            delay.jitter = self._delays.random(index, positional[place])
        return self._retry(index, again, delay, (index.number, call.start, call.end))

    def _reconnection(self, index: FileIndex, number: int, call: facts.Call) -> Retry | None:
        """A connection that is opened again after a while whenever a client says that it was lost: ``client.on("end",
        () => setTimeout(() => client.connect(), 1000))``.
        """
        listener = next((one for one in self.functions_around(index, call.block) if self._listens(index, one)), None)
        place = self._delay_at(index, call) if listener is not None and call.arguments else None
        if listener is None or place is None or not 0 <= place < len(call.arguments):
            return None
        if not self._opens_again(index, call.arguments[0].value, self._events(index, listener)):
            return None
        delay = Delay()
        delay.calls.append((index.number, number))
        delay.grows = self._delays.changes(index, call.arguments[place].value, listener)
        delay.jitter = self._delays.random(index, call.arguments[place].value)
        return self._retry(index, listener, delay, (index.number, call.start, call.end))

    def _listens(self, index: FileIndex, scope: int) -> bool:
        """Whether a function is called whenever a client reports that its connection failed."""
        place = index.argument_of.get(index.function_expr.get(scope, NONE))
        call = index.facts.exprs[place[0]] if place is not None else None
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        words = self._ev.roles(index.number).words
        lasting = {*words.listeners} - {*words.listeners_once}
        return isinstance(callee, facts.Member) and callee.name in lasting and self._handles_errors(index, scope)

    def _events(self, index: FileIndex, scope: int) -> set[object]:
        """The events that a function is called upon."""
        call = index.facts.exprs[index.argument_of[index.function_expr[scope]][0]]
        values = self._ev.values(index.number, call.arguments[0].value) if isinstance(call, facts.Call) else ()
        return {one.value for one in values if isinstance(one, Const)}

    def _opens_again(self, index: FileIndex, number: int, events: set[object]) -> bool:
        """Whether a function that is run later upon some events opens the connection of a client again, which would
        not come back by itself.
        """
        for file, scope in self._runs(index, number):
            other = self._ev.store.files[file]
            body = other.facts.blocks[other.facts.scopes[scope].block]
            for _, call in other.calls_in(body.start, body.end):
                for value in self._ev.carried(file, call.callee):
                    library = value.object.origin.library.library if isinstance(value, LibraryMethod) else None
                    if not isinstance(value, LibraryMethod) or library is None or value.name not in library.opens:
                        continue
                    refused = library.opens_after and events.isdisjoint(library.opens_after)
                    if not refused or not self._strategies.goes_on(value.object):
                        return True
        return False

    def rejection(self, index: FileIndex, scope: int) -> Iterator[Retry]:
        """A function that handles errors and calls the one that it stands in: ``.catch(() => connect())``."""
        if scope not in index.function_expr or not self._handles_errors(index, scope):
            return
        own = index.facts.blocks[index.facts.scopes[scope].block]
        for outer in self.functions_around(index, index.facts.scopes[scope].defined_in):
            body = index.facts.blocks[index.facts.scopes[outer].block]
            if self._behind_success(index, scope, outer) or self._next.serves_next(index, body, body, (index, own)):
                continue
            for block in (own, *self._helpers(index, own, outer)):
                for _, call in index.calls_in(block.start, block.end):
                    if self._is(index, call, outer) and self._work.comes_first(index.number, outer):
                        if not self.schedules(index, call) and not self._attempts.once_more(index, outer, call, block):
                            delay = self._delays.within(index, block.start, call.start, None)
                            if (delay.unknown and not delay.calls) or self._is_repeated(index, call, block):
                                return
                            yield self._retry(index, outer, delay, (index.number, call.start, call.end))
                        return

    def _behind_success(self, index: FileIndex, scope: int, outer: int) -> bool:
        """Whether a function that handles errors stands in one that runs only when Redis work has succeeded with which
        the function around both begins: without Redis it is never reached.
        """
        for around in self.functions_around(index, index.facts.scopes[scope].defined_in):
            if around == outer:
                return False
            place = index.argument_of.get(index.function_expr.get(around, NONE))
            call = index.facts.exprs[place[0]] if place is not None else None
            callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
            words = self._ev.roles(index.number).words
            if place is None or place[1] != 0 or not isinstance(callee, facts.Member):
                continue
            if callee.name in words.rejections_beside and callee.name not in words.rejection_handlers:
                promise = index.facts.exprs[callee.object]
                if any(True for _ in index.calls_in(promise.start, promise.end)):
                    if self._work.sends_first(index, promise.start, promise.end):
                        return True
        return False

    def _never_rejects(self, index: FileIndex, promise: facts.Expr) -> bool:
        """Whether a call gives a promise of a function of the project that never uses what would reject it: ``return
        new Promise((resolve, reject) => …)``.
        """
        values = self._ev.callee(index.number, promise.callee) if isinstance(promise, facts.Call) else ()
        return bool(values) and all(isinstance(one, FunctionValue) and self._only_resolves(one) for one in values)

    def _only_resolves(self, function: FunctionValue) -> bool:
        """Whether each promise that a function returns is made with a function that cannot reject it."""
        index = self._ev.store.files[function.file]
        given = [one.value for one in index.jumps.get(function.scope, ()) if one.kind == "return"]
        makers = self._ev.edges.foreign.library(function.file).promises
        found = False
        for number in given:
            made = index.facts.exprs[number] if number != NONE else None
            if not isinstance(made, facts.Call) or self._ev.binder.dotted(function.file, made.callee) not in makers:
                return False
            runner = index.facts.exprs[made.arguments[0].value] if made.arguments else None
            if not isinstance(runner, facts.Function):
                return False
            record = index.facts.scopes[runner.scope]
            for one in record.parameters[1:2]:
                if index.names_between(one.name, runner.start, runner.end):
                    return False
            found = True
        return found

    def behind(self, index: FileIndex, handler: int) -> Delay | None:
        """The pauses of a function that survives a failure, whatever it is, and runs itself again behind the handler or
        in the clause that always runs: ``setImmediate(work)``. None where it does not, or goes on by the clock.
        """
        block, scope = index.facts.blocks[handler], index.function_of(handler)
        tried = self._work.guarded(index, handler)
        if tried is None or not index.runs_with_function(block.parent):
            return None
        always = index.clauses.get(("finally", block.group), ())
        body = index.facts.blocks[index.facts.scopes[scope].block]
        for number, call in index.calls_in(block.end, body.end):
            if call.block not in (block.parent, *always) or index.function_of(call.block) != scope:
                continue
            place = self._delay_at(index, call)
            if place is None and not (self._is(index, call, scope) and self._has_same(index, call, scope)):
                continue
            if place is not None and not (
                call.arguments and (index.number, scope) in self._runs(index, call.arguments[0].value)
            ):
                continue
            delay = self._delays.within(index, block.start, block.end, body)
            between = self._delays.within(index, block.end, call.start, None)
            waits = place is not None and 0 <= place < len(call.arguments) and not self._is_none(index, call, place)
            if (waits or between.calls or between.unknown) and not self._work.blocks(index, tried.start, tried.end):
                return None
            if delay.calls or delay.unknown:
                return delay if delay.calls else None
            if between.calls:
                return between
            if waits and place is not None:
                delay.calls.append((index.number, number))
                delay.grows = self._delays.changes(index, call.arguments[place].value, scope)
                delay.jitter = self._delays.random(index, call.arguments[place].value)
            return delay
        return None

    def _is_none(self, index: FileIndex, call: facts.Call, place: int) -> bool:
        """Whether a delay is nothing: ``setTimeout(work, 0)``."""
        values = self._ev.values(index.number, call.arguments[place].value)
        return bool(values) and all(isinstance(one, Const) and one.value == 0 for one in values)

    def _has_same(self, index: FileIndex, call: facts.Call, scope: int) -> bool:
        """Whether a call passes what its function was given, and no next item."""
        exprs = index.facts.exprs
        given = [exprs[item.value] for item in call.arguments]
        return all(isinstance(one, facts.Name) and (scope, one.name) in index.parameters for one in given)

    def _helpers(self, index: FileIndex, block: facts.Block, outer: int) -> Iterator[facts.Block]:
        """The bodies of functions of the file that code calls, but for one: ``retryOrGiveUp(tries)``."""
        for _, call in index.calls_in(block.start, block.end):
            for value in self._ev.callee(index.number, call.callee):
                if isinstance(value, FunctionValue) and value.file == index.number and value.scope != outer:
                    yield index.facts.blocks[index.facts.scopes[value.scope].block]

    def _is_repeated(self, index: FileIndex, call: facts.Call, area: facts.Block) -> bool:
        """Whether a call stands in a loop of an area, whose own handler waits before the next turn."""
        scope = index.function_of(call.block)
        around = [index.facts.blocks[one] for one in index.enclosing_blocks(call.block, scope)]
        return any(one.kind in ("while", "for") and one.start > area.start for one in around)

    def _retry(self, index: FileIndex, again: int, delay: Delay, place: tuple[int, int, int]) -> Retry:
        growth = "exponential" if delay.grows else "constant" if delay.calls else "none"
        name = index.facts.scopes[again].name
        steps = (((index.number, -2 - again), f"runs again: `{name}`" if name else "this function runs again"),)
        return Retry("recursion", growth, delay.jitter, place, name, again, steps, pauses=tuple(delay.calls[:1]))

    def _is(self, index: FileIndex, call: facts.Call, scope: int) -> bool:
        return not index.is_passed_on(call) and any(
            isinstance(value, FunctionValue) and (value.file, value.scope) == (index.number, scope)
            for value in self._ev.callee(index.number, call.callee)
        )

    def _delay_at(self, index: FileIndex, call: facts.Call) -> int | None:
        """Position of the delay, when the callee runs a function later."""
        names = self._ev.roles(index.number).deferred
        callee = index.facts.exprs[call.callee]
        if not names or not isinstance(callee, facts.Name | facts.Member):
            return None
        for value in self._ev.callee(index.number, call.callee):
            if isinstance(value, External | ExternalObject):
                place = names.get(value.dotted.replace("()", ""))
                if place is not None:
                    return place
        return None

    def functions_around(self, index: FileIndex, block: int) -> list[int]:
        """Scopes of the functions around a block, innermost first."""
        found = []
        scope = index.scope_of(block)
        while scope > 0:
            if index.facts.scopes[scope].kind in ("function", "comprehension"):
                found.append(scope)
            scope = index.facts.scopes[scope].parent
        return found

    def _runs(self, index: FileIndex, expr: int) -> set[tuple[int, int]]:
        """Functions that a scheduled function is, or calls; of an object, the methods that run it."""
        found = set()
        for value in self._ev.carried(index.number, expr):
            if isinstance(value, Instance):
                names = self._ev.roles(value.file).words.function_methods
                for scope, record in enumerate(self._ev.store.files[value.file].facts.scopes):
                    if record.parent == value.scope and record.name in names:
                        found.add((value.file, scope))
            if isinstance(value, FunctionValue):
                found.add((value.file, value.scope))
                if not self._ev.store.files[value.file].facts.scopes[value.scope].name:
                    other = self._ev.store.files[value.file]
                    body = other.facts.blocks[other.facts.scopes[value.scope].block]
                    for _, call in other.calls_in(body.start, body.end):
                        inner = self._ev.carried(value.file, call.callee)
                        found |= {(one.file, one.scope) for one in inner if isinstance(one, FunctionValue)}
        return found

    # -- is it after a failure? ----------------------------------------------------------------------------------------

    def _after_failure(self, index: FileIndex, call: facts.Call, again: int) -> bool:
        """Whether a call stands where a failure of Redis work is handled: in a handler, or in a function that is called
        upon errors.
        """
        block = call.block
        stop = index.facts.scopes[again].block
        while block not in (NONE, stop):
            record = index.facts.blocks[block]
            if record.kind == "except":
                return self._work.is_tried(index, block)
            if record.kind == "if" and record.head != NONE:
                if self._work.mentions_conflict(index, record.head):
                    return False
                if self._tests_error(index, record.head):
                    return True
            scope = index.scope_of(block)
            if index.facts.scopes[scope].block == block and self._handles_errors(index, scope):
                return True
            block = record.parent
        return False

    def schedules(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a call puts something off, or stands in a function that runs later, and is judged there."""
        if self._delay_at(index, call) is not None:
            return True
        for scope in self.functions_around(index, call.block):
            number = index.function_expr.get(scope)
            place = index.argument_of.get(number) if number is not None else None
            outer = index.facts.exprs[place[0]] if place is not None else None
            if isinstance(outer, facts.Call) and self._delay_at(index, outer) is not None:
                return True
        return False

    def _tests_error(self, index: FileIndex, head: int) -> bool:
        """``if (err) …`` where `err` is the first parameter of a callback of Redis work."""
        expr = index.facts.exprs[head]
        if not isinstance(expr, facts.Name):
            return False
        scope = index.owner(expr.name, index.scope_of(expr.block))
        return index.parameters.get((scope, expr.name)) == 0 and self._called_back(index, scope)

    def _called_back(self, index: FileIndex, scope: int) -> bool:
        number = index.function_expr.get(scope)
        place = index.argument_of.get(number) if number is not None else None
        if place is None:
            return False
        call = index.facts.exprs[place[0]]
        return self._work.fails_first(index, call.start, index.facts.exprs[number or 0].start)

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
        if callee.name in words.rejection_handlers or (callee.name in words.rejections_beside and place[1] == 1):
            promise = index.facts.exprs[callee.object]
            if self._never_rejects(index, promise):
                return False
            return self._work.fails_first(index, promise.start, promise.end)
        if callee.name not in words.listeners or place[1] == 0:
            return False
        owners = self._ev.values(index.number, callee.object)
        events = self._ev.values(index.number, call.arguments[0].value)
        named = any(isinstance(event, Const) and event.value in words.failure_events for event in events)
        return named and any(isinstance(owner, LibraryObject | Reply) for owner in owners)
