"""Code that tries Redis work again after it failed: loops with a handler, recursion, retrying decorators, policy
objects.
"""

from __future__ import annotations

from functools import cached_property

from resplint import facts
from resplint.facts import NONE
from resplint.link.caught import Errors
from resplint.link.deferred import Deferred
from resplint.link.delays import Delay, Delays
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex
from resplint.link.retriers import Retriers
from resplint.link.retry_policies import Policies, Retry
from resplint.link.roles import RoleTable
from resplint.link.strategies import Strategies
from resplint.link.values import (
    Const,
    External,
    ExternalObject,
    FunctionValue,
    LibraryMethod,
    LoopValue,
    ParameterValue,
    Ref,
    Reply,
    Unknown,
)

_REACH = 3


class Retries:
    """Finds them in the selected files."""

    def __init__(self, evaluator: Evaluator, roles: RoleTable, strategies: Strategies) -> None:
        self._ev = evaluator
        self._roles = roles
        self._delays = Delays(evaluator)
        self._errors = Errors(evaluator)
        self._policies = Policies(evaluator, roles, self._errors, self.touches_redis)
        self._strategies = strategies
        self._deferred = Deferred(evaluator, self.touches_redis)
        self._retriers = Retriers(evaluator, strategies, self.touches_redis)
        self._touches: dict[tuple[int, int], bool] = {}

    @cached_property
    def all(self) -> list[Retry]:
        """Every retry of Redis work, by place."""
        found: list[Retry] = []
        for index in self._ev.store.files[: self._ev.store.selected]:
            for number, block in enumerate(index.facts.blocks):
                if block.kind == "except" and (retry := self._handler(index, number, block)):
                    found.append(retry)
            for number in index.calls:
                retry = (
                    self._policies.policy(index, number)
                    or self._strategies.method(index, number)
                    or self._deferred.retry(index, number)
                    or self._retriers.retry(index, number)
                )
                if retry:
                    found.append(retry)
            for scope in range(len(index.facts.scopes)):
                found.extend(self._policies.decorators(index, scope))
        found.extend(self._strategies.all())
        return found

    # -- what is caught and what is tried ------------------------------------------------------------------------------

    def touches_redis(self, file: int, scope: int, depth: int = 0) -> bool:
        """Whether a function does Redis work, itself or through functions of the project that it calls."""
        key = (file, scope)
        if key not in self._touches:
            self._touches[key] = False
            index = self._ev.store.files[file]
            block = index.facts.blocks[index.facts.scopes[scope].block]
            self._touches[key] = self._work(index, block.start, block.end, depth) is not None
        return self._touches[key]

    def _work(self, index: FileIndex, start: int, end: int, depth: int = 0) -> Ref | None:
        """A call between two offsets that does Redis work."""
        for number, call in index.calls_in(start, end):
            for value in self._ev.values(index.number, call.callee):
                if isinstance(value, LibraryMethod) and value.object.kind != "lock":
                    return (index.number, number)
                if isinstance(value, External) and self._ev.catalogue.constructor(value.dotted):
                    return (index.number, number)
                if isinstance(value, FunctionValue) and depth < _REACH:
                    if self.touches_redis(value.file, value.scope, depth + 1):
                        return (index.number, number)
        return None

    def _fails_first(self, index: FileIndex, start: int, end: int) -> bool:
        """Whether Redis work is the first thing in a guarded stretch that can fail, so that it is what a broad handler
        is for.
        """
        found = sorted(index.calls_in(start, end), key=lambda pair: (pair[1].end, pair[0]))
        for _, call in found:
            for value in self._ev.values(index.number, call.callee):
                if isinstance(value, LibraryMethod):
                    return value.object.kind != "lock"
                if isinstance(value, External) and self._ev.catalogue.constructor(value.dotted):
                    return True
                if isinstance(value, FunctionValue) and self.touches_redis(value.file, value.scope):
                    return True
                if isinstance(value, External | ExternalObject) and self._may_fail(index, value.dotted):
                    return False
                if isinstance(value, Unknown | ParameterValue | LoopValue | Reply):
                    return False
        return True

    def _may_fail(self, index: FileIndex, dotted: str) -> bool:
        """Builtins and logging are no work that a retry is for."""
        plain = dotted.replace("()", "")
        harmless = self._ev.roles(index.number).harmless
        return "." in plain and not any(plain == name or plain.startswith(name + ".") for name in harmless)

    # -- handlers ------------------------------------------------------------------------------------------------------

    def _handler(self, index: FileIndex, number: int, block: facts.Block) -> Retry | None:
        caught = self._errors.caught(index, block)
        if caught not in ("redis", "broad") or self._leaves(index, number):
            return None
        statement = index.clauses.get(("try", block.group), ())
        if not statement:
            return None
        tried = index.facts.blocks[statement[0]]
        work = self._work(index, tried.start, tried.end)
        loop = self._loop(index, number)
        if caught == "broad":
            # In a loop that serves on, what stands in front of the guarded stretch belongs to the turn as well.
            leaves = loop is not None and self._leaves_on_success(index, tried, loop, work)
            start = loop.start if loop is not None and loop.kind == "while" and not leaves else tried.start
            if work is None or not self._fails_first(index, start, tried.end):
                return None
        if loop is not None:
            return self._in_loop(index, number, tried, loop, work)
        return self._recursion(index, number, work)

    def _leaves(self, index: FileIndex, number: int) -> bool:
        """Whether the handler always leaves the loop."""
        return any(
            jump.kind in ("return", "raise", "break") and not self._recurses(index, jump)
            for jump in index.jumps_in_block.get(number, ())
        )

    def _recurses(self, index: FileIndex, jump: facts.Jump) -> bool:
        """`return connect(…)` inside `connect` tries again."""
        call = index.facts.exprs[jump.value] if jump.value != NONE else None
        scope = index.function_of(jump.block)
        return isinstance(call, facts.Call) and any(
            isinstance(value, FunctionValue) and (value.file, value.scope) == (index.number, scope)
            for value in self._ev.values(index.number, call.callee)
        )

    def _loop(self, index: FileIndex, number: int) -> facts.Block | None:
        for outer in index.enclosing_blocks(number)[1:]:
            if index.facts.blocks[outer].kind in ("for", "while"):
                return index.facts.blocks[outer]
        return None

    def _in_loop(
        self, index: FileIndex, number: int, tried: facts.Block, loop: facts.Block, work: Ref | None
    ) -> Retry | None:
        block = index.facts.blocks[number]
        leaves_on_success = self._leaves_on_success(index, tried, loop, work)
        if loop.kind == "for" and not (leaves_on_success and self._counts_attempts(index, loop)):
            return None
        if self._few_attempts(index, loop) or self._gives_up_soon(index, number, loop):
            return None
        delay = self._delays.within(index, block.start, block.end, loop)
        if leaves_on_success:
            rest = self._delays.within(index, loop.start, loop.end, loop)
            delay = rest if rest.calls else delay
        elif not delay.calls and self._paced(index, loop):
            return None
        return self._retry("loop", index, number, delay, work)

    def _paced(self, index: FileIndex, loop: facts.Block) -> bool:
        """A loop that pauses at every turn, failed or not, is a tick, not a retry."""
        return bool(self._delays.within(index, loop.start, loop.end, loop).calls)

    def _leaves_on_success(self, index: FileIndex, tried: facts.Block, loop: facts.Block, work: Ref | None) -> bool:
        """Whether the loop ends once the work is done."""
        scope_jumps = index.jumps[index.function_of(tried.parent)]
        clauses = [index.facts.blocks[other] for other in index.clauses.get(("else", tried.group), ())]
        for jump in scope_jumps:
            if jump.kind not in ("return", "break"):
                continue
            if work is not None and not self._comes_after(index, jump, work):
                continue  # `if self.stopped: break` in front of the work
            if any(region.start <= jump.start < region.end for region in (tried, *clauses)):
                return True
            if tried.end <= jump.start < loop.end and index.facts.blocks[jump.block] == loop:
                return True
        return loop.kind == "while" and self._condition_cleared(index, tried, loop)

    def _comes_after(self, index: FileIndex, jump: facts.Jump, work: Ref) -> bool:
        """Whether a jump stands behind the work, or around it (`return client.get(…)`)."""
        call = index.facts.exprs[work[1]]
        value = index.facts.exprs[jump.value] if jump.value != NONE else None
        return jump.start >= call.start or (value is not None and value.start <= call.start <= value.end)

    def _condition_cleared(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> bool:
        """`while not connected: try: …; connected = True`, `while (!isAlive(client))`."""
        head = index.facts.exprs[loop.head] if loop.head != NONE else None
        if head is not None and self._work(index, head.start, head.end) is not None:
            return True
        inner = head
        if isinstance(head, facts.Operation) and head.operator == "not":
            inner = index.facts.exprs[head.operands[0]]
        if isinstance(inner, facts.Operation) and inner.operands:
            inner = index.facts.exprs[inner.operands[0]]
        name = getattr(inner, "name", "")
        return bool(name) and any(
            binding.name == name and tried.start <= binding.start < tried.end for binding in index.facts.bindings
        )

    def _counts_attempts(self, index: FileIndex, loop: facts.Block) -> bool:
        head = index.facts.exprs[loop.head] if loop.head != NONE else None
        callee = head.callee if isinstance(head, facts.Call) else NONE
        names = self._ev.roles(index.number).counters
        # A sequence of delays to go through is growth that the code spells out; anything else is data.
        return callee != NONE and any(
            isinstance(value, External) and value.dotted in names for value in self._ev.values(index.number, callee)
        )

    def _few_attempts(self, index: FileIndex, loop: facts.Block) -> bool:
        """`for _ in range(2)`: one retry, then give up."""
        head = index.facts.exprs[loop.head] if loop.head != NONE else None
        if loop.kind == "while":
            return self._counts_down(index, loop, head)
        if not isinstance(head, facts.Call) or not 1 <= len(head.arguments) <= 3:
            return False
        numbers = []
        for argument in head.arguments:
            values = self._ev.values(index.number, argument.value)
            if len(values) != 1 or not isinstance(values[0], Const) or not isinstance(values[0].value, int | float):
                return False
            numbers.append(int(values[0].value))
        return not (len(numbers) == 3 and numbers[2] == 0) and len(range(*numbers)) <= 2

    def _counts_down(self, index: FileIndex, loop: facts.Block, head: facts.Expr | None) -> bool:
        """`retries = 2` … `while retries > 0`."""
        if not isinstance(head, facts.Operation) or len(head.operands) != 2 or head.operator not in (">", ">=", "!="):
            return False
        name = index.facts.exprs[head.operands[0]]
        if not isinstance(name, facts.Name):
            return False
        starts = [
            index.facts.exprs[binding.value]
            for binding in index.bindings.get((index.scope_of(name.block), name.name), ())
            if binding.kind == "assign" and binding.value != NONE and binding.start < loop.start
        ]
        return bool(starts) and all(
            isinstance(start, facts.Literal) and isinstance(start.value, int) and start.value <= 2 for start in starts
        )

    def _gives_up_soon(self, index: FileIndex, number: int, loop: facts.Block) -> bool:
        """`if retried: raise` … `retried = True`: a single second attempt."""
        block = index.facts.blocks[number]
        for jump in index.jumps[index.function_of(number)]:
            if jump.kind not in ("raise", "return", "break") or not block.start <= jump.start < block.end:
                continue
            guard = index.facts.blocks[jump.block]
            flag = index.facts.exprs[guard.head] if guard.kind == "if" and guard.head != NONE else None
            if isinstance(flag, facts.Name) and any(
                loop.start <= binding.start < loop.end and self._is_true(index, binding.value)
                for binding in index.bindings.get((index.scope_of(flag.block), flag.name), ())
            ):
                return True
        return False

    def _is_true(self, index: FileIndex, expr: int) -> bool:
        values = self._ev.values(index.number, expr)
        return any(isinstance(value, Const) and value.value is True for value in values)

    def _recursion(self, index: FileIndex, handler: int, work: Ref | None) -> Retry | None:
        scope, block = index.function_of(handler), index.facts.blocks[handler]
        for _, call in index.calls_in(block.start, block.end):
            if any(
                isinstance(value, FunctionValue) and (value.file, value.scope) == (index.number, scope)
                for value in self._ev.values(index.number, call.callee)
            ):
                delay = self._delays.within(index, block.start, block.end, None)
                return self._retry("recursion", index, handler, delay, work)
        return None

    def _retry(self, kind: str, index: FileIndex, number: int, delay: Delay, work: Ref | None) -> Retry:
        block = index.facts.blocks[number]
        growth = "exponential" if delay.grows else "constant" if delay.calls else "none"
        steps: list[tuple[Ref, str]] = []
        if work is not None:
            steps.append((work, "this Redis work is tried"))
        steps += [(ref, "the pause before the next attempt") for ref in delay.calls[:2]]
        head = index.facts.exprs[block.head].end if block.head != NONE else block.at + len("except")
        place = (index.number, block.at, head)
        return Retry(kind, growth, delay.jitter, place, "the handler", index.function_of(number), tuple(steps))
