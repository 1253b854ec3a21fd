"""Loops that go on to something else after a failure: what failed is not tried again."""

from __future__ import annotations

from resplint.bind.exit_paths import own_path
from resplint.bind.index import FileIndex
from resplint.bind.values import External, ExternalObject, FunctionValue, LibraryObject, ParameterValue, Reply, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.retry.stop_flags import runs_whenever
from resplint.retry.work import Work

_MEMBERSHIP = ("in", "not in")


class NextItems:
    """Tells the next piece of work from another attempt at the same one."""

    def __init__(self, evaluator: Graph, work: Work) -> None:
        self._ev = evaluator
        self._work = work

    def goes_on(self, index: FileIndex, handler: facts.Block, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether a loop is at another piece of work in its next turn, whatever became of this one."""
        if self.serves_next(index, tried, loop, (index, handler)) or self._counts_on(index, tried, loop):
            return True
        return self._goes_elsewhere(index, handler, tried)

    def _counts_on(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether each turn takes the element at the place that a counter is at, and moves the counter on before it is
        worked on: ``const at = next++`` before ``work(rows[at])``.
        """
        for binding in index.facts.bindings:
            if binding.kind != "augment" or not loop.start <= binding.start < tried.start:
                continue
            if not self._each_turn(index, binding.block, loop):
                continue
            for number in index.by_name.get(binding.name, ()):
                use = index.facts.exprs[number]
                if not isinstance(use, facts.Name) or not use.start <= binding.start < use.end:
                    continue
                around = index.parents.get(number, NONE)
                names = [one.name for at in (number, around) for one in index.bound_to.get(at, ())]
                if any(picks(self._ev, index, one, tried) for one in names):
                    return True
        return False

    def serves_next(
        self,
        index: FileIndex,
        work: facts.Block | facts.Call,
        loop: facts.Block,
        handler: tuple[FileIndex, facts.Block],
    ) -> bool:
        """Whether each turn begins with a new piece of work, and a handler does not put the one that failed back."""
        sources = self._waits_for_work(index, loop)
        if sources and not any(self._restored(*handler, (index, one)) for one in sources):
            return True
        return self._takes_next(index, work, loop, handler) or self._callee_takes_next(index, work, loop, handler)

    # -- somebody hands it in ------------------------------------------------------------------------------------------

    def _waits_for_work(self, index: FileIndex, loop: facts.Block) -> list[int]:
        """What each turn waits for something new from: what a person types, a local queue, a device. NONE stands for
        one without an object.
        """
        names = self._ev.roles(index.number).takes_work
        found: list[int] = []
        for _, call in index.calls_in(loop.start, loop.end):
            if not self._each_turn(index, call.block, loop):
                continue
            for value in self._ev.callee(index.number, call.callee):
                if isinstance(value, External | ExternalObject) and value.dotted.replace("()", "") in names:
                    callee = index.facts.exprs[call.callee]
                    found.append(callee.object if isinstance(callee, facts.Member) else NONE)
                elif isinstance(value, FunctionValue) and self._hands_on(value):
                    found.append(NONE)
        return found

    def _hands_on(self, function: FunctionValue) -> bool:
        """Whether a function of the project returns what a person typed or a queue had: ``return
        input(prompt).strip()``.
        """
        index = self._ev.store.files[function.file]
        names = self._ev.roles(function.file).takes_work
        for jump in index.jumps[function.scope]:
            if jump.kind != "return" or jump.value == NONE:
                continue
            given = index.facts.exprs[jump.value]
            for _, call in index.calls_in(given.start, given.end):
                for value in self._ev.callee(index.number, call.callee):
                    if isinstance(value, External | ExternalObject) and value.dotted.replace("()", "") in names:
                        return True
        return False

    def _each_turn(self, index: FileIndex, number: int, loop: facts.Block) -> bool:
        """Whether what stands in a block runs at every turn of a loop."""
        blocks = [index.facts.blocks[one] for one in index.enclosing_blocks(number)]
        inside = blocks[: blocks.index(loop)] if loop in blocks else blocks[:1]
        return blocks[0] == loop or all(one.kind in ("try", "with") for one in inside)

    # -- the loop takes it ---------------------------------------------------------------------------------------------

    def _takes_next(
        self,
        index: FileIndex,
        work: facts.Block | facts.Call,
        loop: facts.Block,
        handler: tuple[FileIndex, facts.Block],
    ) -> bool:
        """Whether each turn takes an element out of a collection, or the next one of an iterator, and works on that:
        ``ticket = waiting.popleft()``.
        """
        words = self._ev.roles(index.number).words
        for number, call in index.calls_in(min(loop.start, loop.at), work.end):
            holder = self._holder(index, call, (*words.takers, *words.advancers))
            if holder == NONE or not self._works_on(index, number, work):
                continue
            if loop.start <= call.start and not self._each_turn(index, call.block, loop):
                continue
            if loop.start <= call.start and self._begins_anew(index, call):
                continue
            kept = self._was_read(index, holder, loop) or self._is_walked(index, call, holder, loop)
            returns = self._is_of_redis(index, holder) and not kept
            if returns or self._asks_redis(index, call):
                continue  # what Redis hands out comes back, or is asked for in another handler
            if not self._restored(*handler, (index, holder)):
                return True
        return False

    def _callee_takes_next(
        self,
        index: FileIndex,
        work: facts.Block | facts.Call,
        loop: facts.Block,
        handler: tuple[FileIndex, facts.Block],
    ) -> bool:
        """Whether the work is handed a collection out of which it takes an element each time: ``fetch(servers)`` where
        that begins with ``servers.pop()``.
        """
        for _, call in index.calls_in(work.start, work.end):
            found = self._ev.callee(index.number, call.callee)
            if len(found) != 1 or not isinstance(found[0], FunctionValue):
                continue
            other = self._ev.store.files[found[0].file]
            scope = other.facts.scopes[found[0].scope]
            given = dict(zip((one.name for one in scope.parameters), call.arguments, strict=False))
            body = other.facts.blocks[scope.block]
            for _, taking in other.calls_in(body.start, body.end):
                holder = self._holder(other, taking, self._ev.roles(other.number).words.takers)
                name = getattr(other.facts.exprs[holder], "name", "") if holder != NONE else ""
                if not runs_whenever(other, taking.block, scope.block) or name not in given or given[name].name:
                    continue
                taken_from = given[name].value
                if not self._is_of_redis(index, taken_from) and not self._restored(*handler, (index, taken_from)):
                    return True
        return False

    def _holder(self, index: FileIndex, call: facts.Call, names: tuple[str, ...]) -> int:
        """What an element is taken out of: ``waiting.pop()``, ``next(waiting)``, a name for such a method; NONE for
        other calls.
        """
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Name) and callee.name not in names:
            found = self._ev.binder.names(index.number).at(call.callee)
            bound = [index.facts.bindings[one.number] for one in found if one.kind == "assign"]
            if len(bound) == len(found) == 1 and bound[0].value != NONE and not bound[0].path:
                callee = index.facts.exprs[bound[0].value]
        if isinstance(callee, facts.Member) and callee.name in names:
            return callee.object
        if isinstance(callee, facts.Name) and callee.name in names and call.arguments:
            return call.arguments[0].value
        return NONE

    def _begins_anew(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a call takes the first item of an iterator that it has just asked for: ``next(open_session())``."""
        if not isinstance(index.facts.exprs[call.callee], facts.Name) or not call.arguments:
            return False
        given = index.facts.exprs[call.arguments[0].value]
        return isinstance(given, facts.Call) and not given.arguments

    def _works_on(self, index: FileIndex, number: int, tried: facts.Block | facts.Call) -> bool:
        """Whether what a call gives is used in a stretch of code, by name or where it stands."""
        call = index.facts.exprs[number]
        bound = index.bound_to.get(number, ())
        if not bound and (around := index.parents.get(number, NONE)) != NONE:
            bound = index.bound_to.get(around, ())
        names = [one.name for one in bound]
        for name in names:  # what is read from it: ``pool = entry.getValue()``
            for use in index.names_between(name, call.end, tried.start):
                names += [one for one in self._named_after(index, use) if one not in names]
        if any(index.names_between(one, tried.start, tried.end) for one in names):
            return True
        return tried.start <= call.start < tried.end and number in index.argument_of

    def _named_after(self, index: FileIndex, number: int) -> list[str]:
        """The names that what is read from an expression is bound to: ``host`` in ``host = node.host``."""
        while number in index.parents and isinstance(
            index.facts.exprs[index.parents[number]], facts.Member | facts.Call
        ):
            number = index.parents[number]
            if number in index.bound_to:
                return [one.name for one in index.bound_to[number]]
        return []

    def _restored(self, index: FileIndex, handler: facts.Block, taken_from: tuple[FileIndex, int]) -> bool:
        """Whether a handler puts something into the queue or collection that work is taken from."""
        words = self._ev.roles(index.number).words
        names = {*words.list_adders, *words.adders, *words.prependers, *words.queuers, *words.map_setters}
        if taken_from[1] == NONE:
            return False
        for _, call in index.calls_in(handler.start, handler.end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and callee.name in names:
                if self._is_one(*taken_from, index, callee.object):
                    return True
        return False

    def _is_of_redis(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is an object of a client library, or what Redis replied."""
        return any(isinstance(value, LibraryObject | Reply) for value in self._ev.values(index.number, number))

    def _was_read(self, index: FileIndex, number: int, loop: facts.Block) -> bool:
        """Whether an expression is a reply, and no client, that a name stands for since before a loop."""
        if any(isinstance(value, LibraryObject) for value in self._ev.values(index.number, number)):
            return False
        found = self._ev.binder.names(index.number).at(number)
        return bool(found) and all(one.start < min(loop.start, loop.at) for one in found)

    def _is_walked(self, index: FileIndex, call: facts.Call, number: int, loop: facts.Block) -> bool:
        """Whether a call takes the next item of an iterator that a loop has asked for before its first turn: ``nodes =
        cluster.getClusterNodes().values().iterator()``. No item of it comes back.
        """
        callee = index.facts.exprs[call.callee]
        advancers = self._ev.roles(index.number).words.advancers
        if not isinstance(callee, facts.Name | facts.Member) or callee.name not in advancers:
            return False
        found = self._ev.binder.names(index.number).at(number)
        bound = [index.facts.bindings[one.number] for one in found if one.kind == "assign"]
        return len(bound) == len(found) > 0 and all(
            one.start < min(loop.start, loop.at)
            and one.value != NONE
            and isinstance(index.facts.exprs[one.value], facts.Call)
            for one in bound
        )

    def _asks_redis(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a call is of a function of the project that takes the element out of Redis: ``queue.dequeue()``."""
        values = self._ev.callee(index.number, call.callee)
        return any(isinstance(one, FunctionValue) and self._work.touches(one.file, one.scope) for one in values)

    def _is_one(self, index: FileIndex, one: int, other_index: FileIndex, other: int) -> bool:
        """Whether two expressions mean one object: they have the same name, or stand for what was made in one place."""
        if name := own_path(index, one):
            if name == own_path(other_index, other):
                return True
        made = [value for value in self._ev.values(index.number, one) if _is_told_apart(value)]
        others = self._ev.values(other_index.number, other)
        return any(value in others for value in made)

    # -- the handler says where to go ----------------------------------------------------------------------------------

    def _goes_elsewhere(self, index: FileIndex, handler: facts.Block, tried: facts.Block) -> bool:
        """Whether what a handler notes decides where the next attempt goes: ``tried.append(server)`` before
        ``choose(tried)``, ``broken.add(server)`` where those in `broken` are left out, ``place += 1`` before
        ``servers[place]``.
        """
        words = self._ev.roles(index.number).words
        noting = (*words.list_adders, *words.adders)
        for binding in index.facts.bindings:
            if binding.kind == "augment" and handler.start <= binding.start < handler.end:
                if picks(self._ev, index, binding.name, tried):
                    return True
        for _, call in index.calls_in(handler.start, handler.end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and callee.name in noting and call.arguments:
                noted = index.facts.exprs[callee.object]
                if self._is_of_redis(index, callee.object):
                    continue
                if isinstance(noted, facts.Name) and self._passed_on(index, noted.name, tried):
                    return True
                if self._leaves_out(index, noted, call, handler, tried):
                    return True
        return False

    def _passed_on(self, index: FileIndex, name: str, area: facts.Block) -> bool:
        """Whether a name is an argument in a stretch of code."""
        uses = ((number, index.facts.exprs[number]) for number in index.by_name.get(name, ()))
        return any(area.start <= use.start < area.end and number in index.argument_of for number, use in uses)

    def _leaves_out(
        self, index: FileIndex, noted: facts.Expr, call: facts.Call, handler: facts.Block, tried: facts.Block
    ) -> bool:
        """Whether what was tried is noted in a collection that is asked elsewhere in the file whether it has it."""
        item = index.facts.exprs[call.arguments[0].value]
        if not isinstance(noted, facts.Name | facts.Member) or not isinstance(item, facts.Name):
            return False
        if not index.names_between(item.name, tried.start, tried.end):
            return False
        return any(
            self._same(index, index.facts.exprs[number], noted) and self._asked(index, number)
            for number in index.by_name.get(noted.name, ())
            if not handler.start <= index.facts.exprs[number].start < handler.end
        )

    def _same(self, index: FileIndex, one: facts.Expr, other: facts.Name | facts.Member) -> bool:
        """Whether two mentions of a name mean one variable, or members of that name."""
        if not isinstance(one, facts.Name) or not isinstance(other, facts.Name):
            return type(one) is type(other)
        owners = {index.owner(other.name, index.scope_of(each.block)) for each in (one, other)}
        return len(owners) == 1

    def _asked(self, index: FileIndex, number: int) -> bool:
        """``broken.has(…)``, ``… in broken``."""
        holder = index.facts.exprs[index.parents[number]] if number in index.parents else None
        if isinstance(holder, facts.Member):
            words = self._ev.roles(index.number).words
            return holder.name in words.membership and index.parents[number] in index.call_of
        return isinstance(holder, facts.Operation) and holder.operator in _MEMBERSHIP and holder.operands[-1] == number


def picks(ev: Graph, index: FileIndex, name: str, tried: facts.Block | facts.Expr) -> bool:
    """Whether a name picks an element in a stretch of code: ``servers[place]``, ``servers.get(place)``."""
    words = ev.roles(index.number).words
    for number in index.by_name.get(name, ()):
        use = index.facts.exprs[number]
        if not tried.start <= use.start < tried.end:
            continue
        holder = index.facts.exprs[index.parents[number]] if number in index.parents else None
        if isinstance(holder, facts.Index) and holder.key == number:
            return True
        if isinstance(holder, facts.Call) and holder.callee != number:
            callee = index.facts.exprs[holder.callee]
            if isinstance(callee, facts.Member) and callee.name in (*words.lookups, *words.element_getters):
                return True
    return False


def _is_told_apart(value: Value) -> bool:
    """Whether a value is one object, and not anything of its type."""
    return isinstance(value, ParameterValue) or getattr(value, "ref", None) is not None
