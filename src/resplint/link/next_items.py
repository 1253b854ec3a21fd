"""Loops that go on to something else after a failure: what failed is not tried again."""

from __future__ import annotations

from resplint import facts
from resplint.facts import NONE
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex
from resplint.link.retry_work import Work
from resplint.link.values import External, ExternalObject, LibraryObject, Reply

_ACCESS = ("get", "at", "elementAt", "getOrNull", "item", "getString")
_NOTING = ("append", "add", "push")
_ASKING = ("has", "contains", "includes", "indexOf", "count")
_MEMBERSHIP = ("in", "not in")
_PUTTING = ("put", "put_nowait", "putFirst", "offer", "offerFirst", "addFirst", "appendleft", "send_nowait")
_PUTTING_IN = ("append", "add", "addLast", "push", "unshift", "insert", "extend", "extendleft", "offerLast", "set")


class NextItems:
    """Tells the next piece of work from another attempt at the same one."""

    def __init__(self, evaluator: Evaluator, work: Work) -> None:
        self._ev = evaluator
        self._work = work

    def goes_on(self, index: FileIndex, handler: facts.Block, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether a loop is at another piece of work in its next turn, whatever became of this one."""
        if self.serves_next(index, tried, loop, (index, handler)):
            return True
        return self._goes_elsewhere(index, handler, tried)

    def serves_next(
        self,
        index: FileIndex,
        work: facts.Block | facts.Call,
        loop: facts.Block,
        handler: tuple[FileIndex, facts.Block],
    ) -> bool:
        """Whether each turn begins with a new piece of work, and a handler does not put the one that failed back."""
        if self._waits_for_work(index, loop) and not self._restored(*handler, ""):
            return True
        return self._takes_next(index, work, loop, handler)

    # -- somebody hands it in ------------------------------------------------------------------------------------------

    def _waits_for_work(self, index: FileIndex, loop: facts.Block) -> bool:
        """Whether each turn waits for something new from elsewhere: what a person types, a local queue, a device."""
        names = self._ev.roles(index.number).takes_work
        for _, call in index.calls_in(loop.start, loop.end):
            if not self._each_turn(index, call.block, loop):
                continue
            for value in self._ev.values(index.number, call.callee):
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
            values = self._ev.values(index.number, holder)
            if any(isinstance(value, LibraryObject | Reply) for value in values):
                continue  # what Redis hands out comes back, or is asked for in another handler
            if not self._restored(*handler, getattr(index.facts.exprs[holder], "name", "")):
                return True
        return False

    def _holder(self, index: FileIndex, call: facts.Call, names: tuple[str, ...]) -> int:
        """What an element is taken out of: ``waiting.pop()``, ``next(waiting)``; NONE for other calls."""
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Member) and callee.name in names:
            return callee.object
        if isinstance(callee, facts.Name) and callee.name in names and call.arguments:
            return call.arguments[0].value
        return NONE

    def _works_on(self, index: FileIndex, number: int, tried: facts.Block | facts.Call) -> bool:
        """Whether what a call gives is used in a stretch of code, by name or where it stands."""
        call = index.facts.exprs[number]
        bound = index.bound_to.get(number, ())
        if not bound and (around := index.parents.get(number, NONE)) != NONE:
            bound = index.bound_to.get(around, ())
        if any(index.names_between(one.name, tried.start, tried.end) for one in bound):
            return True
        return tried.start <= call.start < tried.end and number in index.argument_of

    def _restored(self, index: FileIndex, handler: facts.Block, name: str) -> bool:
        """Whether a handler hands what failed in again: to a queue, or to the collection of this name."""
        for _, call in index.calls_in(handler.start, handler.end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member):
                same = bool(name) and getattr(index.facts.exprs[callee.object], "name", "") == name
                if callee.name in _PUTTING or (same and callee.name in _PUTTING_IN):
                    return True
        return False

    # -- the handler says where to go ----------------------------------------------------------------------------------

    def _goes_elsewhere(self, index: FileIndex, handler: facts.Block, tried: facts.Block) -> bool:
        """Whether what a handler notes decides where the next attempt goes: ``tried.append(server)`` before
        ``choose(tried)``, ``broken.add(server)`` where those in `broken` are left out, ``place += 1`` before
        ``servers[place]``.
        """
        for binding in index.facts.bindings:
            if binding.kind == "augment" and handler.start <= binding.start < handler.end:
                if picks(index, binding.name, tried):
                    return True
        for _, call in index.calls_in(handler.start, handler.end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and callee.name in _NOTING and call.arguments:
                noted = index.facts.exprs[callee.object]
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
            return holder.name in _ASKING and index.parents[number] in index.call_of
        return isinstance(holder, facts.Operation) and holder.operator in _MEMBERSHIP and holder.operands[-1] == number


def picks(index: FileIndex, name: str, tried: facts.Block) -> bool:
    """Whether a name picks an element in a stretch of code: ``servers[place]``, ``servers.get(place)``."""
    for number in index.by_name.get(name, ()):
        use = index.facts.exprs[number]
        if not tried.start <= use.start < tried.end:
            continue
        holder = index.facts.exprs[index.parents[number]] if number in index.parents else None
        if isinstance(holder, facts.Index) and holder.key == number:
            return True
        if isinstance(holder, facts.Call) and holder.callee != number:
            callee = index.facts.exprs[holder.callee]
            if isinstance(callee, facts.Member) and callee.name in _ACCESS:
                return True
    return False
