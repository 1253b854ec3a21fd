"""Code that retries Redis work after it failed: loops with a handler, recursion, retrying decorators, policy
objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import External, FunctionValue, LibraryMethod, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.roles import RoleTable
from resplint.flow.graph import Graph
from resplint.retry.attempts import Attempts
from resplint.retry.caught_errors import Errors
from resplint.retry.deferred import Deferred
from resplint.retry.delays.delays import Delay, Delays
from resplint.retry.delays.policies import Policies, Retry
from resplint.retry.delays.strategies import Strategies
from resplint.retry.empty_handed import EmptyHanded
from resplint.retry.escaping_failures import EscapingFailures
from resplint.retry.exits import Exits
from resplint.retry.loops_of_retry import RetryLoops
from resplint.retry.periodic import Periodic
from resplint.retry.refusals import Refusals
from resplint.retry.restarts import Restarts
from resplint.retry.retriers import Retriers
from resplint.retry.stop_flags import StopFlags
from resplint.retry.work import Work


class Retries:
    """Finds them in the selected files, and in the helpers that these hand Redis work to."""

    def __init__(self, evaluator: Graph, roles: RoleTable, strategies: Strategies) -> None:
        self._ev = evaluator
        self._roles = roles
        self._delays = Delays(evaluator)
        self._errors = Errors(evaluator)
        self._attempts = Attempts(evaluator)
        self._work = Work(evaluator, self._errors)
        self._escaping = EscapingFailures(evaluator, self._work, self._errors)
        self._loops = RetryLoops(evaluator, self._work, self._delays, self._attempts)
        self._exits = Exits(evaluator, self._work)
        self._refusals = Refusals(evaluator, self._delays, self._attempts)
        self._flags = StopFlags(evaluator)
        self._policies = Policies(evaluator, roles, self._errors, self._work, self._escaping)
        self._strategies = strategies
        self._deferred = Deferred(evaluator, self._work, self._delays, self._attempts, strategies)
        self._restarts = Restarts(evaluator, roles)
        self._periodic = Periodic(evaluator)
        self._empty_handed = EmptyHanded(evaluator)
        self._retriers = Retriers(evaluator, strategies, self._work)
        self._exit_names: dict[str, frozenset[str]] = {}

    @cached_property
    def all(self) -> list[Retry]:
        """Every retry of Redis work, by place."""
        found: dict[tuple[int, int, int], Retry] = {}
        for retry in self._each():
            found.setdefault(retry.place, retry)
        return list(found.values())

    def _each(self) -> Iterator[Retry]:
        for index in self._ev.store.judged:
            for number, block in enumerate(index.facts.blocks):
                if block.kind == "except" and (retry := self._handler(index, number)):
                    yield retry
            for number in index.calls:
                yield from self._of_call(index, number)
            for write in index.facts.writes:
                if retry := self._strategies.assigned(index, write):
                    yield retry
            for scope in range(len(index.facts.scopes)):
                yield from self._policies.decorators(index, scope)
                yield from self._deferred.rejection(index, scope)
        yield from self._strategies.all()
        yield from self._in_helpers()

    def _of_call(self, index: FileIndex, number: int) -> Iterator[Retry]:
        retry = (
            self._policies.policy(index, number)
            or self._strategies.setting(index, number)
            or self._deferred.retry(index, number)
            or self._retriers.retry(index, number)
        )
        if retry:
            yield retry

    def _in_helpers(self) -> Iterator[Retry]:
        """Handlers in files that say nothing of Redis, in functions that are handed Redis work to run."""
        seen: set[tuple[int, int]] = set()
        for index in self._ev.store.judged:
            for call in (index.facts.exprs[number] for number in index.calls):
                assert isinstance(call, facts.Call)
                for value in self._ev.objects(index.number, call.callee) if self._hands_work_over(index, call) else ():
                    if isinstance(value, FunctionValue) and not self._ev.store.is_judged(value.file):
                        if (value.file, value.scope) not in seen:
                            seen.add((value.file, value.scope))
                            yield from self._handlers_of(value)

    def _hands_work_over(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a function among the arguments does Redis work."""
        return any(
            isinstance(value, FunctionValue) and self._work.comes_first(value.file, value.scope)
            for item in call.arguments
            for value in self._ev.carried(index.number, item.value)
        )

    def _handlers_of(self, function: FunctionValue) -> Iterator[Retry]:
        index = self._ev.store.files[function.file]
        for number, block in enumerate(index.facts.blocks):
            if block.kind == "except" and index.within(number, function.scope):
                if retry := self._handler(index, number):
                    yield retry

    # -- handlers ------------------------------------------------------------------------------------------------------

    def _handler(self, index: FileIndex, number: int) -> Retry | None:
        block = index.facts.blocks[number]
        tried = self._work.guarded(index, number)
        if tried is None or not self._ev.touches(index.number, tried.start, tried.end):
            return None
        caught = self._errors.caught(index, block)
        if caught not in ("redis", "broad"):
            return None
        leaves = self._leaves(index, number)
        if leaves and not self._only_returns(index, number):
            return self._asked_again(index, number, tried, caught)
        if caught == "broad" and self._left_to_another(index, number):
            return None
        work = self._work.within(index, tried.start, tried.end)
        if self._work.only_prepares(index, tried.start, tried.end):
            return None
        loop = self._exits.around(index, number)
        if loop is not None and (
            leaves or self._flags.end(index, number, loop) or self._flags.repeats_on_request(index, number, tried, loop)
        ):
            return None
        if loop is not None and (self._cleans_up(index, tried, loop) or self._fails_again(index, number, tried)):
            return None
        if loop is not None and self._exits.follow(index, number, tried, loop):
            return None
        hidden = self._work.decorated(index, tried.start, tried.end, number) if work is None else None
        work = work or hidden
        if caught == "broad" and hidden is None:
            if work is None:
                return None
            # In a loop that serves on, what stands in front of the guarded stretch belongs to the turn as well.
            aside = loop is not None and self._loops.is_aside(index, number, tried, loop, work)
            done = loop is not None and self._exits.leaves_on_success(index, tried, loop, work)
            serves = loop is not None and (aside or (loop.kind == "while" and not done))
            start = self._turn(index, loop) if loop is not None and serves else tried.start
            if not self._work.fails_first(index, start, tried.end):
                return None
        unseen = caught == "broad" and hidden is None and not self._escaping.reach(index, tried)
        if loop is not None:
            delay = self._loops.delay(index, number, tried, loop, work)
            if delay is None or (delay.unknown and not delay.calls):
                return None
            if unseen and not (work is not None and self._sees_reply(index, work, tried, delay)):
                return None
            shown = self._work.sent_instead(index, work, tried)
            retry = self._retry("tick" if delay.follows_ticks else "loop", index, number, delay, shown)
            return replace(
                retry,
                attempts=self._attempts.at_most(index, number, loop, loop=True),
                awaits=self._exits.awaits_server(index, tried, loop, work),
                asks=self._exits.only_asks(index, tried, loop, work),
                opens=self._opened(work),
            )
        if unseen:
            return None
        again = None if leaves else self._again(index, number, tried, work)
        return again or self._loop_of_callers(index, number, work)

    def _opened(self, work: Ref | None) -> tuple[Ref, ...]:
        """Where the clients are made that work opens, if they try until they are connected, after delays of their own
        that grow.
        """
        call = self._ev.store.expr(work) if work is not None else None
        methods = self._ev.carried(work[0], call.callee) if work is not None and isinstance(call, facts.Call) else ()
        found = list[Ref]()
        for one in methods:
            library = one.object.origin.library.library if isinstance(one, LibraryMethod) else None
            if not isinstance(one, LibraryMethod) or library is None or one.object.made is None:
                return ()
            if one.name not in library.opens or not library.opens_after or not self._strategies.goes_on(one.object):
                return ()
            found.append(one.object.made)
        return tuple(found)

    def _cleans_up(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether guarded statements stand in another handler of a loop, which is a retry itself."""
        return any(
            block.kind == "except" and loop.start <= block.start and self._handler(index, number) is not None
            for number in index.enclosing_blocks(tried.parent)
            for block in (index.facts.blocks[number],)
        )

    def _fails_again(self, index: FileIndex, number: int, tried: facts.Block) -> bool:
        """Whether a handler itself asks whom the guarded statements ask, so that a failure that lasts leaves it."""
        block = index.facts.blocks[number]
        asked = {self._receiver(index, call) for _, call in index.calls_in(tried.start, tried.end)} - {""}
        return any(
            call.block == number and self._receiver(index, call) in asked and self._work.sends(index, one)
            for one, call in index.calls_in(block.start, block.end)
        )

    def _receiver(self, index: FileIndex, call: facts.Call) -> str:
        """What a method is called on, where that is a name or a member of one: ``self.client``."""
        callee = index.facts.exprs[call.callee]
        parts = list[str]()
        expr = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else callee
        while isinstance(expr, facts.Member):
            parts.append(expr.name)
            expr = index.facts.exprs[expr.object]
        return ".".join([expr.name, *reversed(parts)]) if isinstance(expr, facts.Name) else ""

    def _sees_reply(self, index: FileIndex, work: Ref, tried: facts.Block, delay: Delay) -> bool:
        """Whether a handler is for a helper which survives failures and then gives nothing: it pauses, or the guarded
        statements fail on nothing. Not where the handler in the helper is a finding of its own.
        """
        if not delay.calls and not (work[0] == index.number and self._empty_handed.fails(index, work[1], tried)):
            return False
        found = self._escaping.told_by_reply(work, tried)
        return found is not None and self._handler(*found) is None

    def _asked_again(self, index: FileIndex, number: int, tried: facts.Block, caught: str) -> Retry | None:
        """A loop elsewhere that calls the function of a handler again because it said that it failed."""
        work = self._work.within(index, tried.start, tried.end)
        if work is None or self._exits.around(index, number) is not None:
            return None
        if self._work.only_prepares(index, tried.start, tried.end):
            return None
        if not self._refusals.says_so(index, number, tried):
            return None
        if caught == "broad" and (
            self._left_to_another(index, number)
            or not self._work.fails_first(index, tried.start, tried.end)
            or not self._escaping.reach(index, tried)
        ):
            return None
        found = self._refusals.delay(index, number)
        if found is None:
            return None
        delay, attempts = found
        return replace(self._of_caller(index, number, delay, work), attempts=attempts)

    def _only_returns(self, index: FileIndex, number: int) -> bool:
        """Whether a handler does no more than end its function, which then survives the failure. What gives nothing
        back waits for a next time if it pauses, or if the work blocks while there is nothing to do.
        """
        block = index.facts.blocks[number]
        inside = [j for j in index.jumps[index.function_of(number)] if block.start <= j.start < block.end]
        leaving = [jump for jump in inside if jump.kind != "yield"]
        if not leaving or any(jump.kind != "return" for jump in leaving):
            return False
        if all(jump.value == NONE for jump in leaving):
            return True
        if not all(jump.value == NONE or self._is_nothing(index, jump.value) for jump in leaving):
            return False
        tried = self._work.guarded(index, number)
        waits = self._delays.within(index, block.start, block.end, None).calls
        return bool(waits) or (tried is not None and self._work.blocks(index, tried.start, tried.end))

    def _is_nothing(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is written out and empty: ``None``, ``[]``, ``false``."""
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Literal):
            return not expr.value
        return isinstance(expr, facts.Collection) and not expr.items

    def _left_to_another(self, index: FileIndex, number: int) -> bool:
        """Whether a handler before this one takes whatever the library raises, or takes the errors of lost connections
        and leaves the loop.
        """
        siblings = index.clauses.get(("except", index.facts.blocks[number].group), ())
        earlier = [(other, index.facts.blocks[other]) for other in siblings if other < number]
        return any(
            self._errors.is_any_of_library(index, block)
            or (self._errors.is_of_connection(index, block) and self._leaves(index, other))
            for other, block in earlier
        )

    def _turn(self, index: FileIndex, loop: facts.Block) -> int:
        """Where a turn of a loop starts, behind its condition."""
        head = index.facts.exprs[loop.head] if loop.head != NONE else None
        return head.end if head is not None and loop.start <= head.start < loop.end else loop.start

    def _leaves(self, index: FileIndex, number: int) -> bool:
        """Whether the handler always leaves the loop, or goes on only for errors that no retry is for."""
        block = index.facts.blocks[number]
        inside = [j for j in index.jumps[index.function_of(number)] if block.start <= j.start < block.end]
        leaving = [j for j in inside if j.kind in ("return", "raise", "break") and not self._recurses(index, j)]
        if any(self._unless_conflict(index, jump.block) for jump in leaving):
            return True
        direct = [jump for jump in leaving if jump.block == number]
        if not direct:
            return self._always_raises(index, number)
        again = [
            jump
            for jump in inside
            if jump.start < direct[0].start and (jump.kind == "continue" or self._recurses(index, jump))
        ]
        guards = [index.facts.blocks[jump.block].head for jump in again]
        return all(guard != NONE and self._work.mentions_conflict(index, guard) for guard in guards)

    def _always_raises(self, index: FileIndex, number: int) -> bool:
        """Whether a handler calls a function that never comes back: ``fail(error)``, ``sys.exit(1)``."""
        block = index.facts.blocks[number]
        for _, call in index.calls_in(block.start, block.end):
            if call.block == number and self._ends_all(index, call):
                return True
        return False

    def _ends_all(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether nothing runs behind a call: a function of the project that always raises, or one that ends the
        process or the request.
        """
        name = getattr(index.facts.exprs[call.callee], "name", "")
        if name not in self._ending and name not in self._exits_called(index):
            return False
        ends = self._ev.roles(index.number).never_returns
        values = self._ev.callee(index.number, call.callee)
        return bool(values) and all(
            self._never_returns(value)
            if isinstance(value, FunctionValue)
            else isinstance(value, External) and value.dotted in ends
            for value in values
        )

    def _exits_called(self, index: FileIndex) -> frozenset[str]:
        """Last names of the calls of a file's language that never come back, and what the project calls them."""
        language = index.facts.language
        if language not in self._exit_names:
            names = {name.rsplit(".", 1)[-1] for name in self._ev.roles(index.number).never_returns}
            aliases = (alias for name in names for alias in self._ev.store.aliases(name))
            self._exit_names[language] = frozenset((*names, *aliases))
        return self._exit_names[language]

    @cached_property
    def _ending(self) -> frozenset[str]:
        """Names of the functions of the project that never come back."""
        store = self._ev.store
        names = {
            record.name
            for index in store.loaded
            for scope, record in enumerate(index.facts.scopes)
            if record.kind == "function" and record.name
            if self._never_returns(FunctionValue(index.number, scope))
        }
        return frozenset(alias for name in names for alias in store.aliases(name))

    def _never_returns(self, function: FunctionValue) -> bool:
        """Whether a function is declared not to return, or has a ``raise`` or a ``sys.exit()`` that nothing guards."""
        index = self._ev.store.files[function.file]
        scope = index.facts.scopes[function.scope]
        declared = index.facts.exprs[scope.returns] if scope.returns != NONE else None
        never = self._ev.roles(function.file).words.never_types
        if isinstance(declared, facts.Name | facts.Member) and declared.name in never:
            return True
        jumps = index.jumps[function.scope]
        if any(jump.kind == "return" for jump in jumps):
            return False
        raised = (jump.block for jump in jumps if jump.kind == "raise")
        return any(map(index.runs_with_function, raised)) or self._always_exits(index, scope)

    def _always_exits(self, index: FileIndex, scope: facts.Scope) -> bool:
        """Whether a function always comes to a call that ends the process or the request."""
        ends = self._ev.roles(index.number).never_returns
        for name in self._exits_called(index):
            for number in index.by_name.get(name, ()):
                block = index.facts.exprs[number].block
                inside = number in index.call_of and index.function_of(block) == index.function_of(scope.block)
                if inside and index.runs_with_function(block):
                    values = self._ev.callee(index.number, number)
                    if values and all(isinstance(one, External) and one.dotted in ends for one in values):
                        return True
        return False

    def _unless_conflict(self, index: FileIndex, number: int) -> bool:
        """``if (!(err instanceof WatchError)) throw err``, or the same in an else."""
        block = index.facts.blocks[number]
        if block.kind == "if" and block.head != NONE:
            test = index.facts.exprs[block.head]
            negative = isinstance(test, facts.Operation) and test.operator in ("not", "!=")
            return negative and self._work.mentions_conflict(index, block.head)
        if block.kind == "else":
            tests = [index.facts.blocks[one].head for one in index.clauses.get(("if", block.group), ())]
            return any(test != NONE and self._work.mentions_conflict(index, test) for test in tests)
        return False

    def _recurses(self, index: FileIndex, jump: facts.Jump) -> bool:
        """Whether a jump is there to try again: ``return connect(…)`` in `connect`, or ``connect(…); return;``."""
        scope = index.function_of(jump.block)
        if jump.kind == "return" and jump.value == NONE:
            block = index.facts.blocks[jump.block]
            return any(
                call.block == jump.block and self._calls(index, call, scope)
                for _, call in index.calls_in(block.start, jump.start)
            )
        call = index.facts.exprs[jump.value] if jump.value != NONE else None
        return isinstance(call, facts.Call) and self._calls(index, call, scope)

    def _calls(self, index: FileIndex, call: facts.Call, scope: int) -> bool:
        """Whether a call is of the function that it stands in, not of another object's of that name or an overload."""
        return not index.is_passed_on(call) and any(
            isinstance(value, FunctionValue)
            and (value.file, value.scope) == (index.number, scope)
            and self._ev.edges.calls.takes(value, index.number, call)
            for value in self._ev.callee(index.number, call.callee)
        )

    def _recursion(self, index: FileIndex, handler: int, work: Ref | None) -> Retry | None:
        block = index.facts.blocks[handler]
        for scope in self._deferred.functions_around(index, handler):
            area = index.facts.blocks[index.facts.scopes[scope].block]
            for _, call in index.calls_in(block.start, block.end):
                if not self._calls(index, call, scope) or self._deferred.schedules(index, call):
                    continue
                if self._attempts.once_more(index, scope, call, area) or self._for_conflict(index, call, handler):
                    return None
                if self._attempts.gives_up_soon(index, handler, area) or self._periodic.goes_on(index, handler, call):
                    return None
                delay = self._delays.within(index, block.start, block.end, area)
                if delay.unknown and not delay.calls:
                    return None
                retry = self._retry("recursion", index, handler, delay, work)
                known = (
                    self._attempts.at_most(index, handler, area, loop=False),
                    self._attempts.of_recursion(index, scope, call),
                )
                return replace(retry, attempts=min((one for one in known if one is not None), default=None))
        return None

    def _again(self, index: FileIndex, handler: int, tried: facts.Block, work: Ref | None) -> Retry | None:
        """A function that runs itself again in a handler, on a thread, or behind the handler."""
        return (
            self._recursion(index, handler, work)
            or self._restart(index, handler, tried, work)
            or self._goes_round(index, handler, work)
        )

    def _restart(self, index: FileIndex, handler: int, tried: facts.Block, work: Ref | None) -> Retry | None:
        """A function that a handler, or what follows after it, has run again on a thread or in a new object."""
        blocks = index.facts.blocks
        block = blocks[handler]
        scope = index.function_of(handler)
        body = blocks[index.facts.scopes[scope].block]
        around = self._deferred.functions_around(index, handler)
        always = [blocks[one] for one in index.clauses.get(("finally", tried.group), ())]
        found = next(filter(None, (self._restarts.within(index, one, around) for one in (block, *always))), None)
        if found is None or self._for_conflict(index, found.call, handler):
            return None
        if self._periodic.goes_on(index, handler, found.call):
            return None
        if self._deferred.schedules(index, found.call) or self._attempts.gives_up_soon(index, handler, body):
            return None
        if any(
            self._calls(index, found.call, one) and self._attempts.once_more(index, one, found.call, body)
            for one in around
        ):
            return None
        delay = self._delays.within(index, block.start, block.end, body)
        before = self._delays.within(index, body.start, tried.start, body)
        delay = before if before.calls and not delay.calls else delay
        timed = found.pause != NONE
        if (delay.unknown and not delay.calls) or (found.call.start >= block.end and (delay.calls or timed)):
            return None  # each run is followed by a pause, after success as well
        if timed:
            delay.calls.append((index.number, found.number))
            delay.grows = delay.grows or self._delays.changes(index, found.pause, scope)
            delay.jitter = delay.jitter or self._delays.random(index, found.pause)
        return self._retry("recursion", index, handler, delay, work)

    def _goes_round(self, index: FileIndex, handler: int, work: Ref | None) -> Retry | None:
        """A function that survives a failure and runs itself again behind the handler."""
        delay = self._deferred.behind(index, handler)
        return self._retry("recursion", index, handler, delay, work) if delay is not None else None

    def _for_conflict(self, index: FileIndex, call: facts.Call, handler: int) -> bool:
        """Whether a call in a handler is made only after errors that have nothing to do with the connection."""
        for number in index.enclosing_blocks(call.block, index.function_of(handler)):
            block = index.facts.blocks[number]
            if number == handler:
                leaving = index.by_place.jumps.between(block.start, call.start)
                return any(jump.kind == "raise" and self._unless_conflict(index, jump.block) for jump in leaving)
            if block.kind == "if" and block.head != NONE and self._work.mentions_conflict(index, block.head):
                return True
        return False

    def _loop_of_callers(self, index: FileIndex, handler: int, work: Ref | None) -> Retry | None:
        """A function that survives a failure, called again and again by a loop that serves on."""
        delay = self._loops.delay_of_callers(index, handler)
        if delay is None:
            return None
        return self._of_caller(index, handler, delay, work)

    def _of_caller(self, index: FileIndex, handler: int, delay: Delay, work: Ref | None) -> Retry:
        """A retry that stands where a loop of a caller pauses, if it does."""
        retry = self._retry("tick" if delay.follows_ticks else "loop", index, handler, delay, work)
        if delay.between is None:
            return retry
        other = self._ev.store.files[delay.between[0]]
        call = other.facts.exprs[delay.between[1]]
        place = (other.number, call.start, call.end)
        return replace(retry, place=place, scope=other.function_of(call.block))

    def _retry(self, kind: str, index: FileIndex, number: int, delay: Delay, work: Ref | None) -> Retry:
        block = index.facts.blocks[number]
        growth = "exponential" if delay.grows else "constant" if delay.calls else "none"
        head = index.facts.exprs[block.head].end if block.head != NONE else block.at + len("except")
        place = (index.number, block.at, head)
        return Retry(
            kind, growth, delay.jitter, place, "the handler", index.function_of(number), work=work,
            pauses=tuple(delay.calls[:2]),
        )  # fmt: skip
