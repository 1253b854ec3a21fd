"""Loops that try again: whether one ends with success, and what it waits for between its turns."""

from __future__ import annotations

from resplint import facts
from resplint.facts import NONE
from resplint.link.attempts import Attempts
from resplint.link.delays import Delay, Delays
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex
from resplint.link.retry_work import Work
from resplint.link.values import Ref


class RetryLoops:
    """Judges the loop around a handler."""

    def __init__(self, evaluator: Evaluator, work: Work, delays: Delays, attempts: Attempts) -> None:
        self._ev = evaluator
        self._work = work
        self._delays = delays
        self._attempts = attempts

    def around(self, index: FileIndex, number: int) -> facts.Block | None:
        """The nearest loop around a handler, within its function."""
        for outer in index.enclosing_blocks(number)[1:]:
            if index.facts.blocks[outer].kind in ("for", "while"):
                return index.facts.blocks[outer]
        return None

    def delay(
        self, index: FileIndex, number: int, tried: facts.Block, loop: facts.Block, work: Ref | None
    ) -> Delay | None:
        """The pause between the attempts that a loop makes; None when it makes none after a failure."""
        block = index.facts.blocks[number]
        leaves = self.leaves_on_success(index, tried, loop, work)
        counted = loop.kind == "for" or self._attempts.is_counted(index, loop)
        if counted and not (leaves and self._counts_attempts(index, tried, loop)):
            return None
        if self._attempts.few(index, loop) or self._attempts.gives_up_soon(index, number, loop):
            return None
        delay = self._delays.within(index, block.start, block.end, loop)
        if leaves:
            rest = self._delays.within(index, loop.start, loop.end, loop)
            return rest if rest.calls or rest.unknown else delay
        rest = self._delays.within(index, loop.start, loop.end, loop)
        if not delay.calls and (rest.calls or rest.unknown):
            return None  # a loop that pauses at every turn, failed or not, is a tick, not a retry
        return delay

    def _counts_attempts(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> bool:
        if loop.kind == "while":
            return not self._attempts.walks_data(index, loop, tried)
        return self._attempts.counts(index, loop)

    # -- does it end once the work is done? ----------------------------------------------------------------------------

    def leaves_on_success(self, index: FileIndex, tried: facts.Block, loop: facts.Block, work: Ref | None) -> bool:
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
            if tried.end <= jump.start < loop.end and self._ends_turn(index, jump, loop):
                return True
        return loop.kind == "while" and self._condition_cleared(index, tried, loop)

    def _ends_turn(self, index: FileIndex, jump: facts.Jump, loop: facts.Block) -> bool:
        """Whether a jump stands in the loop itself. The value of a repeated lambda is no jump out of the loop."""
        if index.facts.blocks[jump.block] != loop:
            return False
        return not (jump.kind == "return" and index.facts.scopes[loop.scope].kind == "comprehension")

    def _comes_after(self, index: FileIndex, jump: facts.Jump, work: Ref) -> bool:
        """Whether a jump stands behind the work, or around it (`return client.get(…)`)."""
        call = index.facts.exprs[work[1]]
        value = index.facts.exprs[jump.value] if jump.value != NONE else None
        return jump.start >= call.start or (value is not None and value.start <= call.start <= value.end)

    def _condition_cleared(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> bool:
        """`while not connected: try: …; connected = True`, `while (!isAlive(client))`."""
        head = index.facts.exprs[loop.head] if loop.head != NONE else None
        if head is not None and self._work.within(index, head.start, head.end) is not None:
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

    # -- loops in callers ----------------------------------------------------------------------------------------------

    def delay_of_callers(self, index: FileIndex, handler: int) -> Delay | None:
        """The pause after a failure that a function survives, when a loop which serves on calls it at every turn."""
        block = index.facts.blocks[handler]
        scope = index.function_of(handler)
        if any(block.start <= jump.start < block.end and jump.kind == "raise" for jump in index.jumps[scope]):
            return None
        delay = self._delays.within(index, block.start, block.end, None)
        for site in self._ev.callers.of(index.number, scope):
            other = self._ev.store.files[site.file]
            call = other.facts.exprs[site.call]
            assert isinstance(call, facts.Call)
            if (loop := self._serving(other, call)) is None:
                continue
            paced = self._delays.within(other, loop.start, loop.end, loop).calls
            if delay.calls or not paced:
                return delay
        return None

    def _serving(self, index: FileIndex, call: facts.Call) -> facts.Block | None:
        """The loop without an end of its own that makes a call at every turn."""
        for number in index.enclosing_blocks(call.block):
            block = index.facts.blocks[number]
            if block.kind == "while":
                return block if self._endless(index, block) else None
            if block.kind in ("for", "except"):
                return None
        return None

    def _endless(self, index: FileIndex, loop: facts.Block) -> bool:
        """Whether only a flag ends a loop."""
        pending = [loop.head]
        while pending:
            number = pending.pop()
            head = index.facts.exprs[number] if number != NONE else None
            if isinstance(head, facts.Operation):
                if head.operator not in ("not", "and", "or"):
                    return False
                pending.extend(head.operands)
            elif isinstance(head, facts.Call):
                callee = index.facts.exprs[head.callee]
                if head.arguments or not isinstance(callee, facts.Member | facts.Name) or callee.name in _EMPTY:
                    return False
        return True


_EMPTY = ("isEmpty", "hasNext", "isNotEmpty", "size", "length", "hasMoreElements", "ready")
