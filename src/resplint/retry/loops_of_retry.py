"""Loops that try again: what they wait for between their turns."""

from __future__ import annotations

from resplint.bind.exit_paths import alike
from resplint.bind.index import FileIndex, parts
from resplint.bind.values import Const, External, ExternalObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.retry.attempts import Attempts
from resplint.retry.caught_errors import Errors
from resplint.retry.delays.delays import Delay, Delays, is_number
from resplint.retry.empty_handed import EmptyHanded
from resplint.retry.exits import Exits
from resplint.retry.work import Work
from resplint.retry.work_item_progress import NextItems


class RetryLoops:
    """Judges the loop around a handler."""

    def __init__(self, evaluator: Graph, work: Work, delays: Delays, attempts: Attempts) -> None:
        self._ev = evaluator
        self._work = work
        self._exits = Exits(evaluator, work)
        self._delays = delays
        self._attempts = attempts
        self._next = NextItems(evaluator, work)
        self._empty_handed = EmptyHanded(evaluator)
        self._errors = Errors(evaluator)

    def delay(
        self, index: FileIndex, number: int, tried: facts.Block, loop: facts.Block, work: Ref | None
    ) -> Delay | None:
        """The pause between the attempts that a loop makes; None when it makes none after a failure."""
        block = index.facts.blocks[number]
        leaves = self._exits.leaves_on_success(index, tried, loop, work)
        again = self._attempts.steps_back(index, block, loop)
        counted = loop.kind == "for" or self._attempts.is_counted(index, loop)
        if counted and not again and not (leaves and self._counts_attempts(index, tried, loop)):
            return None
        if loop.kind == "for" and work is not None and self._attempts.names_turn(index, loop, work):
            return None
        if self._attempts.few(index, loop) or self._attempts.gives_up_soon(index, number, loop):
            return None
        if self._fails_outside(index, tried.start, loop) or self._fails_behind(index, number, tried, loop):
            return None
        if not again and self._next.goes_on(index, block, tried, loop):
            return None
        if self._stays_inside(index, number, tried, loop):
            return None
        if self._is_timeout(index, block) and self._work.blocks(index, tried.start, tried.end):
            return None  # the failed attempt has waited for as long as the time limit
        delay = self._delays.within(index, block.start, block.end, loop)
        if delay.calls:
            looks = self._pauses_alike(index, tried, delay, loop)
            if looks and not self._exits.success_is_enough(index, tried, loop, work):
                return None
            delay.follows_ticks = not leaves and self._is_periodic(index, tried, loop)
            return delay
        rest = self._delays.within(index, loop.start, loop.end, loop)
        if not rest.calls and not rest.unknown:
            return delay
        if again:
            return rest
        if not leaves:
            # A loop that pauses at every turn, failed or not, is a tick, not a retry; but a turn that listens for
            # messages ends with its connection, and one that waits for an item is paced by the queue.
            if self._work.listens(index, tried.start, tried.end) or self._work.blocks(index, tried.start, tried.end):
                return rest
            return delay if self._pauses_after_success(index, tried, rest, loop) else None
        turn = self._beside(index, tried, loop)
        first = not rest.unknown and self._pauses_first(index, tried, rest)
        if not turn.calls and not turn.unknown and not first:
            return rest if rest.unknown else delay
        # The same pause after success that goes on, and after failure: it waits for something to come true.
        pause = turn if turn.calls or turn.unknown else rest
        return pause if self._exits.success_is_enough(index, tried, loop, work) else None

    def is_aside(self, index: FileIndex, handler: int, tried: facts.Block, loop: facts.Block, work: Ref | None) -> bool:
        """Whether a turn goes on alike behind guarded statements, succeed or fail, unless what they found ends the
        loop: ``try: if cancelled(): return``, ``except: pass``.
        """
        block = index.facts.blocks[handler]
        if any(one.kind != "yield" for one in index.by_place.jumps.between(block.start, block.end)):
            return False
        pauses = self._delays.within(index, block.start, block.end, loop)
        return not (pauses.calls or pauses.unknown or self._exits.success_is_enough(index, tried, loop, work))

    def _pauses_alike(self, index: FileIndex, tried: facts.Block, failed: Delay, loop: facts.Block) -> bool:
        """Whether guarded statements that succeed end in the same pause as their handler: ``try: look(); sleep(tick)``,
        ``except …: sleep(tick)``.
        """
        here = self._ticks(index, tried, loop)
        function = index.function_of(tried.parent)
        return (
            bool(failed.amounts and not failed.grows)
            and all(file == index.number and index.function_of(block) == function for file, block, _ in failed.amounts)
            and all(any(self._is_same(index, amount, one) for one in here) for _, _, amount in failed.amounts)
        )

    def _is_same(self, index: FileIndex, amount: int, other: int) -> bool:
        """Whether two amounts are written alike, or are the same number: ``sleep(BEAT)``, ``sleep(5)``."""
        numbers = [
            {value.value for value in self._ev.values(index.number, one) if is_number(value)} for one in (amount, other)
        ]
        return alike(index, amount, other) or (bool(numbers[0]) and numbers[0] == numbers[1])

    def _is_periodic(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether turns that succeed pause, too, as those of work by the clock do: ``try: look(); sleep(tick)``. A turn
        that listens or waits for messages is paced by them, and its pause is no tick.
        """
        if self._work.listens(index, tried.start, tried.end) or self._work.blocks(index, tried.start, tried.end):
            return False
        return bool(self._ticks(index, tried, loop)) or any(
            file == index.number and index.facts.blocks[number] == loop
            for file, number, _ in self._delays.within(index, loop.start, tried.start, loop).amounts
        )

    def _ticks(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> list[int]:
        """Amounts of the pauses that guarded statements come to whenever they succeed, those that end a function of the
        file which they call among them. ``sleep(0)`` only lets others run.
        """
        found = []
        for file, number, amount in self._delays.within(index, tried.start, tried.end, loop).amounts:
            if file == index.number and (index.facts.blocks[number] == tried or index.runs_with_function(number)):
                if not self._is_zero(index, amount):
                    found.append(amount)
        return found

    def _is_zero(self, index: FileIndex, amount: int) -> bool:
        values = self._ev.values(index.number, amount)
        return bool(values) and all(isinstance(one, Const) and one.value == 0 for one in values)

    def _pauses_first(self, index: FileIndex, tried: facts.Block, pauses: Delay) -> bool:
        """Whether Redis work stands behind a pause in the guarded statements, and none that is always sent in front of
        it: a pause behind work is left out when that fails.
        """
        calls = [index.facts.exprs[number] for file, number in pauses.calls if file == index.number]
        inside = [one for one in calls if tried.start <= one.start < tried.end]
        sent = [
            call.start
            for number, call in index.calls_in(tried.start, tried.end)
            if self._always_in(index, call.block, tried) and self._work.sends(index, number)
        ]
        inside = [one for one in inside if not sent or one.start < min(sent)]
        return any(
            self._work.within(index, one.start + 1, self._reached(index, one, tried)) is not None for one in inside
        )

    def _reached(self, index: FileIndex, pause: facts.Expr, tried: facts.Block) -> int:
        """The end of what a pause in guarded statements comes before: of its branch, when that ends the turn."""
        for number in index.enclosing_blocks(pause.block):
            block = index.facts.blocks[number]
            if block.start <= tried.start:
                break
            behind = (jump for jump in index.jumps_in_block.get(number, ()) if jump.start > pause.start)
            if any(jump.kind != "yield" for jump in behind):
                return block.end
        return tried.end

    def _pauses_after_success(self, index: FileIndex, tried: facts.Block, pauses: Delay, loop: facts.Block) -> bool:
        """Whether a turn that fails goes without the pauses: they all stand in the guarded statements, behind the
        work. What stands outside the loop belongs to helpers that are called from it.
        """
        starts = [index.facts.exprs[number].start for file, number in pauses.calls if file == index.number]
        here = [start for start in starts if loop.start <= start < loop.end]
        return (
            not pauses.unknown
            and bool(here)
            and all(tried.start <= start < tried.end for start in here)
            and not self._pauses_first(index, tried, pauses)
        )

    def _fails_outside(self, index: FileIndex, before: int, loop: facts.Block) -> bool:
        """Whether something is always sent before the work is tried: when the server is away, that leaves the loop, or
        goes to a handler of its own that ends the turn.
        """
        head = index.facts.exprs[loop.head] if loop.head != NONE and loop.kind == "while" else None
        start = min(loop.start, head.start) if head is not None else loop.start
        for number, call in index.calls_in(start, before):
            inside = self._between(index, call.block, loop)
            if all(
                block.kind == "with"
                or self._skips(block, before)
                or self._ends_turn(index, block)
                or self._lets_through(index, block, before)
                for block in inside
            ):
                if self._work.sends(index, number):
                    return True
        return False

    def _fails_behind(self, index: FileIndex, handler: int, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether a turn that survives a failure always sends something behind its handler that nothing guards, which
        then leaves the loop: the next page, ``cursor, keys = client.scan(cursor)``.
        """
        if index.jumps_in_block.get(handler):
            return False
        sent = [
            call.start
            for number, call in index.calls_in(self._clauses_end(index, tried), loop.end)
            if self._always_in(index, call.block, loop) and self._work.sends(index, number)
        ]
        jumps = index.by_place.jumps.between(self._clauses_end(index, tried), min(sent)) if sent else ()
        return bool(sent) and all(jump.kind == "yield" for jump in jumps)

    def _skips(self, block: facts.Block, place: int) -> bool:
        """Whether a failure in a block never comes to a place: both stand in the same guarded statements."""
        return block.kind == "try" and block.start <= place < block.end

    def _lets_through(self, index: FileIndex, block: facts.Block, place: int) -> bool:
        """Whether all that fails in a block leaves it, be it since its handlers ask the server themselves, and what
        comes to a place behind has come through it.
        """
        if block.kind == "try":
            handlers = index.clauses.get(("except", block.group), ())
            return all(
                self._errors.caught(index, index.facts.blocks[one]) in ("", "conflict") or self._asks(index, one)
                for one in handlers
            )
        return block.kind in ("if", "else") and block.start <= place < block.end

    def _asks(self, index: FileIndex, handler: int) -> bool:
        """Whether a handler always sends something, which nothing in it guards."""
        block = index.facts.blocks[handler]
        return any(
            call.block == handler and self._work.sends(index, number)
            for number, call in index.calls_in(block.start, block.end)
        )

    def _ends_turn(self, index: FileIndex, block: facts.Block) -> bool:
        """Whether no turn goes on behind guarded statements that failed because the server cannot be reached."""
        handlers = index.clauses.get(("except", block.group), ()) if block.kind == "try" else ()
        asked = [one for one in handlers if not self._is_timeout(index, index.facts.blocks[one])]
        return bool(asked) and all(index.jumps_in_block.get(number) for number in asked)

    def _stays_inside(self, index: FileIndex, handler: int, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether a failure leads on into a loop of the same turn that does Redis work of its own and is never left
        because that fails: what failed out here is not tried again before that loop has had its way.
        """
        if any(jump.kind != "yield" for jump in index.jumps_in_block.get(handler, ())):
            return False
        blocks = index.facts.blocks
        for number in index.blocks_in(tried.end, loop.end):
            inner = blocks[number]
            if inner.kind != "while" or not self._endless(index, inner) or self._between(index, number, loop)[1:]:
                continue
            failing = [one for one in index.by_place.jumps.between(inner.start, inner.end) if one.kind == "break"]
            if any(blocks[one].kind == "except" for jump in failing for one in index.enclosing_blocks(jump.block)):
                continue
            if self._work.within(index, inner.start, inner.end) is not None:
                return True
        return False

    def _between(self, index: FileIndex, number: int, loop: facts.Block) -> list[facts.Block]:
        """The blocks around a place, up to a loop."""
        blocks = [index.facts.blocks[one] for one in index.enclosing_blocks(number)]
        return blocks[: blocks.index(loop)] if loop in blocks else []

    def _always_in(self, index: FileIndex, number: int, area: facts.Block) -> bool:
        """Whether a block is an area, or one in it that runs whenever that does and handles no failure."""
        blocks = [index.facts.blocks[one] for one in index.enclosing_blocks(number)]
        return area in blocks and all(one.kind == "with" for one in blocks[: blocks.index(area)])

    def _beside(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> Delay:
        """Pauses of a turn that stand neither in the guarded statements nor in their handlers. Those inside belong to
        the work.
        """
        before = self._delays.within(index, loop.start, tried.start, loop)
        behind = self._delays.within(index, self._clauses_end(index, tried), loop.end, loop)
        return before if before.calls or before.unknown else behind

    def _clauses_end(self, index: FileIndex, tried: facts.Block) -> int:
        """Where guarded statements, their handlers and what belongs to them end."""
        return max(
            index.facts.blocks[one].end
            for kind in ("try", "except", "else")
            for one in index.clauses.get((kind, tried.group), ())
        )

    def _counts_attempts(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> bool:
        if loop.kind == "while":
            return not self._attempts.walks_data(index, loop, tried)
        return self._attempts.counts(index, loop)

    # -- loops in callers ----------------------------------------------------------------------------------------------

    def delay_of_callers(self, index: FileIndex, handler: int) -> Delay | None:
        """The pause after a failure that a function survives, when a loop which serves on calls it at every turn."""
        block = index.facts.blocks[handler]
        scope = index.function_of(handler)
        if any(block.start <= jump.start < block.end and jump.kind == "raise" for jump in index.jumps[scope]):
            return None
        delay = self._delays.within(index, block.start, block.end, None)
        fails_before = self._fails_before(index, block)
        pending, seen = [(index.number, scope)], {(index.number, scope)}
        gives = any(jump.kind == "return" and jump.value != NONE for jump in index.jumps[scope])
        while pending:
            called = pending.pop(0)
            for site in self._ev.callers.of(*called):
                other = self._ev.store.files[site.file]
                call = other.facts.exprs[site.call]
                assert isinstance(call, facts.Call)
                flagged = self._until_it_gives(other, site.call, call)
                if flagged is not None and self._empty_handed.may_give_nothing(index, handler):
                    paced = self._delays.within(other, flagged.start, flagged.end, flagged)
                    if paced.calls and not delay.calls and not self._attempts.few(other, flagged):
                        paced.between = (other.number, site.call)
                        return paced
                if (loop := self._serving(other, call)) is None:
                    passer = self._passes_on(other, site.call, call)
                    if passer != NONE and (site.file, passer) not in seen:
                        seen.add((site.file, passer))
                        pending.append((site.file, passer))
                    continue
                if fails_before or self._is_hook(other, call) or self._when_due(other, call, loop):
                    continue
                if self._fails_outside(other, call.start, loop) or self._is_fed(other, call, loop):
                    continue
                if self._next.serves_next(other, call, loop, (index, block)):
                    continue
                if self._empty_handed.ends((index, handler), other, site.call, loop):
                    continue
                paced = self._delays.within(other, loop.start, loop.end, loop)
                if delay.calls or not paced.calls:
                    return delay
                if self._work.listens(other, call.start, call.end):
                    paced.between = (other.number, site.call)
                    return paced
                if paced.unknown or self._is_timeout(index, block):
                    continue
                if called != (index.number, scope) and not gives:  # another overload gives what is passed on
                    continue
                paced = self._when_empty_handed((index, handler), other, site.call, loop, paced)
                if not paced.calls:
                    return delay
                if self._work.blocks(other, call.start, call.end):
                    paced.between = (other.number, site.call)
                    return paced
        return None

    def _is_timeout(self, index: FileIndex, handler: facts.Block) -> bool:
        """Whether a handler takes errors of Redis, but not those of a server that cannot be reached."""
        return self._errors.caught(index, handler) == "redis" and not self._errors.is_of_connection(index, handler)

    def _when_empty_handed(
        self, helper: tuple[FileIndex, int], index: FileIndex, call: int, loop: facts.Block, pauses: Delay
    ) -> Delay:
        """The pauses of a loop in the turns in which a helper has survived a failure; all of them, where what it gives
        then is not known.
        """
        if not self._empty_handed.may_give_nothing(*helper):
            return pauses
        found = Delay()
        for number in self._empty_handed.pauses(index, call, loop, pauses.calls):
            pause = index.facts.exprs[number]
            if number == call and not self._pauses_anyway(*helper):
                continue
            one = self._delays.within(index, pause.start, pause.end, loop)
            found.calls += one.calls
            found.amounts += one.amounts
            found.grows, found.jitter = found.grows or one.grows, found.jitter or one.jitter
        return found

    def _pauses_anyway(self, index: FileIndex, handler: int) -> bool:
        """Whether a function pauses when its guarded work has failed, too: in front of that, or behind it."""
        tried = self._work.guarded(index, handler)
        if tried is None:
            return True
        body = index.facts.blocks[index.facts.scopes[index.function_of(handler)].block]
        ends = (index.facts.blocks[one].end for one in index.clauses.get(("except", tried.group), ()))
        around = ((body.start, tried.start), (max((*ends, tried.end)), body.end))
        if any(self._delays.within(index, *one, None).calls for one in around):
            return True
        return self._pauses_first(index, tried, self._delays.within(index, tried.start, tried.end, None))

    def _is_hook(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a loop reports to a function that was handed to it: ``on_progress(done, total)``. What that does with
        it is not what the loop tries.
        """
        callee = index.facts.exprs[call.callee]
        if not call.arguments or not isinstance(callee, facts.Name):
            return False
        return (index.owner(callee.name, index.scope_of(callee.block)), callee.name) in index.parameters

    def _when_due(self, index: FileIndex, call: facts.Call, loop: facts.Block) -> bool:
        """Whether a loop makes a call only when the time has come: ``if time.time() - saved > 60: save()``."""
        for block in self._between(index, call.block, loop):
            if block.kind == "if" and block.head != NONE and self._asks_clock(index, block.head, loop):
                return True
        return False

    def _asks_clock(self, index: FileIndex, number: int, loop: facts.Block) -> bool:
        """Whether a comparison has the time in it, or a name that a turn gives the time."""
        clock = self._ev.roles(index.number).clock
        stretches = [index.facts.exprs[number]]
        if not isinstance(stretches[0], facts.Operation):
            return False
        for part in parts(index.facts.exprs, number):
            name = index.facts.exprs[part]
            if isinstance(name, facts.Name):
                bound = index.bindings.get((index.owner(name.name, index.scope_of(name.block)), name.name), ())
                turn = [one for one in bound if loop.start <= one.start < loop.end and one.value != NONE]
                stretches += [index.facts.exprs[one.value] for one in turn]
        return any(
            isinstance(value, External | ExternalObject) and value.dotted.replace("()", "").startswith(clock)
            for one in stretches
            for _, inner in index.calls_in(one.start, one.end)
            for value in self._ev.callee(index.number, inner.callee)
        )

    def _is_fed(self, index: FileIndex, call: facts.Call, loop: facts.Block) -> bool:
        """Whether what a call is passed is fetched from Redis in front of it, where it stands or by a name that the
        turn gives it: ``handle(queue.take())``, ``job = queue.take()`` before ``handle(job)``. Without the server there
        is nothing to call it for.
        """
        exprs = index.facts.exprs
        fetched = [exprs[item.value] for item in call.arguments]
        for item in call.arguments:
            name = exprs[item.value]
            if isinstance(name, facts.Name):
                bound = index.bindings.get((index.owner(name.name, index.scope_of(name.block)), name.name), ())
                turn = [one for one in bound if loop.start <= one.start < loop.end]
                if all(one.value != NONE for one in turn):
                    fetched += [exprs[one.value] for one in turn if not self._is_constant(index, one.value)]
        return any(
            index.scope_of(inner.block) == index.scope_of(call.block) and self._work.sends(index, number)
            for one in fetched
            for number, inner in index.calls_in(one.start, one.end)
        )

    def _is_constant(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is written out: ``None``."""
        return isinstance(index.facts.exprs[number], facts.Literal)

    def _until_it_gives(self, index: FileIndex, number: int, call: facts.Call) -> facts.Block | None:
        """The loop that makes a call until that gives something: ``while (!ready) ready = connect()``."""
        names = {one.name for one in index.bound_to.get(number, ()) if not one.path}
        for block in (index.facts.blocks[one] for one in index.enclosing_blocks(call.block)):
            if block.kind == "while":
                return block if self._ends_with(index, block.head, names) else None
            if block.kind not in ("try", "with", "if", "else"):
                return None
        return None

    def _ends_with(self, index: FileIndex, head: int, names: set[str]) -> bool:
        """Whether a condition asks that one of the names is still without a value."""
        pending = [head]
        while pending:
            number = pending.pop()
            test = index.facts.exprs[number] if number != NONE else None
            if isinstance(test, facts.Operation) and test.operator == "and":
                pending.extend(test.operands)
            elif isinstance(test, facts.Operation) and test.operator == "not":
                if getattr(index.facts.exprs[test.operands[0]], "name", "") in names:
                    return True
        return False

    def _passes_on(self, index: FileIndex, number: int, call: facts.Call) -> int:
        """The function that does no more about a call than to return what it gives; NONE for others."""
        scope = index.function_of(call.block)
        blocks = [index.facts.blocks[one].kind for one in index.enclosing_blocks(call.block, scope)]
        returned = any(jump.kind == "return" and jump.value == number for jump in index.jumps.get(scope, ()))
        return scope if returned and not {"for", "while", "try", "except"}.intersection(blocks) else NONE

    def _fails_before(self, index: FileIndex, handler: facts.Block) -> bool:
        """Whether a function always sends something in front of its guarded work, which that handler does not guard:
        when the server is away, the failure reaches whoever calls it, or a handler around.
        """
        body = index.facts.scopes[index.function_of(handler.parent)].block
        around = {*index.enclosing_blocks(handler.parent, index.function_of(handler.parent))}
        start = min(
            index.facts.blocks[one].start for one in index.clauses.get(("try", handler.group), (handler.parent,))
        )
        return any(
            call.block in (body, *around) and self._work.sends(index, number)
            for number, call in index.calls_in(index.facts.blocks[body].start, start)
            if index.function_of(call.block) == index.function_of(handler.parent)
        )

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
        words = self._ev.roles(index.number).words
        data_ends = {*words.exhausted, *words.sizes}
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
                if head.arguments or not isinstance(callee, facts.Member | facts.Name) or callee.name in data_ends:
                    return False
        return True
