"""Walks over a keyspace whose pages are all gathered before anything is done with them."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.usage import CommandSite

_SCAN = "SCAN"


class DrainedScans:
    """Looks at what becomes of the pages of SCAN, in the function that asks for them."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def gathered_at(self, site: CommandSite) -> Ref | None:
        """Where all that SCAN finds is put into one collection; None where it is used as it comes, or nobody knows."""
        if site.command != _SCAN or site.receiver.kind == "pipeline":
            return None
        index = self._ev.store.files[site.file]
        for number in self._standing_for(index, site.call):
            found = self._gathered(index, number)
            if found != NONE:
                return (site.file, found)
        found = self._paged(index, site.call)
        return (site.file, found) if found != NONE else None

    def _standing_for(self, index: FileIndex, call: int) -> Iterator[int]:
        """The call, and uses of the variable that holds what it gives, or of the parameter that it is handed to."""
        yield call
        for parameter, scope in self._handed_to(index, call):
            for number in index.by_name.get(parameter, ()):
                if index.within(index.facts.exprs[number].block, scope):
                    yield number
        function = index.function_of(index.facts.exprs[call].block)
        for binding in index.bound_to.get(call, ()):
            for number in index.by_name.get(binding.name, ()):
                expr = index.facts.exprs[number]
                inner = index.within(expr.block, function)
                if inner and expr.start > binding.start and isinstance(expr, facts.Name):
                    yield number

    def _handed_to(self, index: FileIndex, number: int) -> Iterator[tuple[str, int]]:
        """Parameters of functions that run at once with what an expression gives: ``cursor.use { it.toList() }``."""
        member = index.parents.get(number, NONE)
        expr = index.facts.exprs[member] if member != NONE else None
        outer = index.call_of.get(member)
        if not isinstance(expr, facts.Member) or outer is None:
            return
        if expr.name in self._ev.roles(index.number).words.scope_functions:
            yield from self._parameters(index, outer)

    def _parameters(self, index: FileIndex, call: int) -> Iterator[tuple[str, int]]:
        expr = index.facts.exprs[call]
        for item in expr.arguments if isinstance(expr, facts.Call) else ():
            function = index.facts.exprs[item.value]
            if isinstance(function, facts.Function):
                for one in index.facts.scopes[function.scope].parameters[:1]:
                    yield one.name, function.scope

    # -- iterators -----------------------------------------------------------------------------------------------------

    def _gathered(self, index: FileIndex, number: int) -> int:
        """What gathers the elements of an iterator; NONE if nothing does."""
        words = self._ev.roles(index.number).words
        comprehension = self._comprehension(index, number)
        if comprehension != NONE:
            kind = getattr(index.facts.exprs[comprehension], "kind", "")
            return comprehension if kind != "tuple" else self._taken_by(index, comprehension)
        if index.heads.get(number) == "for":
            return self._adds(index, *self._loop(index, number))
        if (taken := self._taken_by(index, number)) != NONE:
            return taken
        while (holder := index.parents.get(number, NONE)) != NONE:
            around = index.facts.exprs[holder]
            call = index.call_of.get(holder)
            if isinstance(around, facts.Member) and call is not None:
                if around.name in words.gathering_methods:
                    return call
                if (found := self._handed(index, call)) != NONE:
                    return found
                if around.name in words.advancers and (found := self._added_in_loop(index, call)) != NONE:
                    return found
                number = call
            else:
                return NONE
        return NONE

    def _comprehension(self, index: FileIndex, number: int) -> int:
        """The comprehension that runs over an expression; NONE if none does."""
        if index.heads.get(number) is None or index.facts.scopes[self._scope_at(index, number)].kind != "comprehension":
            return NONE
        expr = index.facts.exprs[number]
        around = [
            (one.end - one.start, place)
            for place, one in enumerate(index.facts.exprs)
            if isinstance(one, facts.Collection) and one.generated and one.start <= expr.start and expr.end <= one.end
        ]
        return min(around)[1] if around else NONE

    def _scope_at(self, index: FileIndex, head: int) -> int:
        """The scope of the block that an expression is the head of."""
        return next((block.scope for block in index.facts.blocks if block.head == head), 0)

    def _taken_by(self, index: FileIndex, number: int) -> int:
        """The call of a function that gathers its argument."""
        place = index.argument_of.get(number)
        call = index.facts.exprs[place[0]] if place is not None else None
        if place is None or not isinstance(call, facts.Call):
            return NONE
        return place[0] if self._name(index, call.callee) in self._ev.roles(index.number).words.gatherers else NONE

    def _name(self, index: FileIndex, callee: int) -> str:
        expr = index.facts.exprs[callee]
        if isinstance(expr, facts.Member) and isinstance(inner := index.facts.exprs[expr.object], facts.Name):
            return f"{inner.name}.{expr.name}"
        return expr.name if isinstance(expr, facts.Name) else ""

    def _handed(self, index: FileIndex, number: int) -> int:
        """What a function that a call runs for each element puts them into: ``cursor.forEachRemaining(keys::add)``."""
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        for item in call.arguments:
            expr = index.facts.exprs[item.value]
            if isinstance(expr, facts.Function):
                scope = index.facts.scopes[expr.scope]
                found = self._adds(index, scope.block, {one.name for one in scope.parameters})
                if found != NONE:
                    return found
            elif isinstance(expr, facts.Member) and expr.name in self._adding(index) and len(call.arguments) == 1:
                if isinstance(index.facts.exprs[expr.object], facts.Name) and self._is_element_callback(index, call):
                    return number
        return NONE

    def _is_element_callback(self, index: FileIndex, call: facts.Call) -> bool:
        callee = index.facts.exprs[call.callee]
        return getattr(callee, "name", "") in self._ev.roles(index.number).words.element_callbacks

    # -- loops ---------------------------------------------------------------------------------------------------------

    def _loop(self, index: FileIndex, head: int) -> tuple[int, set[str]]:
        """The loop over an expression, and the variables that differ at each turn."""
        for number, block in enumerate(index.facts.blocks):
            if block.head == head:
                return number, self._bound_in(index, number)
        return NONE, set()

    def _bound_in(self, index: FileIndex, loop: int) -> set[str]:
        block = index.facts.blocks[loop]
        bound = [one for one in index.facts.bindings if index.contains(loop, one.block) or one.block == loop]
        return {one.name for one in bound} | {
            one.name for one in index.facts.bindings if one.kind == "for" and block.at <= one.start < block.end
        }

    def _added_in_loop(self, index: FileIndex, call: int) -> int:
        """The adding of what a call gives at each turn of the innermost loop: ``keys.add(cursor.next())``."""
        loop = self._innermost(index, call)
        return self._adds(index, loop, self._bound_in(index, loop), call) if loop != NONE else NONE

    def _paged(self, index: FileIndex, call: int) -> int:
        """The adding of what a page brings, in the loop that asks for one page after the other."""
        loop = self._innermost(index, call)
        if loop == NONE or index.facts.blocks[loop].kind not in ("while", "for"):
            return NONE
        names = {one.name for one in index.bound_to.get(call, ())}
        for binding in index.facts.bindings:
            if index.contains(loop, binding.block) and binding.value != NONE:
                if any(self._is_of(index, part, names, call) for part in parts(index.facts.exprs, binding.value)):
                    names.add(binding.name)
        names |= self._elements_of(index, loop, names, call)
        return self._adds(index, loop, names, call)

    def _elements_of(self, index: FileIndex, loop: int, names: set[str], call: int) -> set[str]:
        """Parameters of functions that are called for each element of what a page brings."""
        block, found = index.facts.blocks[loop], set()
        callbacks = self._ev.roles(index.number).words.element_callbacks
        for number, one in index.calls_in(block.start, block.end):
            callee = index.facts.exprs[one.callee]
            if isinstance(callee, facts.Member) and callee.name in callbacks:
                if any(self._is_of(index, part, names, call) for part in parts(index.facts.exprs, callee.object)):
                    found |= {name for name, _ in self._parameters(index, number)}
        return found

    def _innermost(self, index: FileIndex, call: int) -> int:
        blocks = index.facts.blocks
        around = index.enclosing_blocks(index.facts.exprs[call].block)
        heads = [one for one in around if blocks[one].kind in ("while", "for", "comprehension")]
        return heads[0] if heads else NONE

    # -- adding --------------------------------------------------------------------------------------------------------

    def _adds(self, index: FileIndex, area: int, names: set[str], call: int = NONE) -> int:
        """What in a block adds what the names stand for, or what a call gives, to a collection that no condition there
        looks at; NONE if nothing does.
        """
        if area == NONE:
            return NONE
        block = index.facts.blocks[area]
        adders = self._adding(index)
        for number, one in index.calls_in(block.start, block.end):
            callee = index.facts.exprs[one.callee]
            if not isinstance(callee, facts.Member) or callee.name not in adders:
                continue
            target = index.facts.exprs[callee.object]
            given = [part for item in one.arguments for part in parts(index.facts.exprs, item.value)]
            if isinstance(target, facts.Name) and any(self._is_of(index, part, names, call) for part in given):
                if target.name not in names and not self._is_watched(index, area, target.name):
                    return number
        for binding in index.facts.bindings:
            if binding.operator == "+=" and binding.value != NONE and index.contains(area, binding.block):
                given = list(parts(index.facts.exprs, binding.value))
                if any(self._is_of(index, part, names - {binding.name}, call) for part in given):
                    if not self._is_watched(index, area, binding.name) and self._is_collection(index, binding):
                        return binding.value
        return NONE

    def _adding(self, index: FileIndex) -> frozenset[str]:
        words = self._ev.roles(index.number).words
        return frozenset((*words.list_adders, *words.adders, *words.queuers, *words.map_mergers))

    def _is_of(self, index: FileIndex, part: int, names: set[str], call: int) -> bool:
        expr = index.facts.exprs[part]
        return part == call or (isinstance(expr, facts.Name) and expr.name in names)

    def _is_collection(self, index: FileIndex, binding: facts.Binding) -> bool:
        """Whether a variable begins as a collection, so that an addition makes it longer."""
        begins = [one for one in index.bindings.get((binding.scope, binding.name), ()) if one.kind == "assign"]
        return any(
            one.value != NONE and isinstance(index.facts.exprs[one.value], facts.Collection | facts.Call)
            for one in begins
        )

    def _is_watched(self, index: FileIndex, area: int, name: str) -> bool:
        """Whether a condition in a block depends on a collection, as where it is emptied or has enough."""
        for number in index.by_name.get(name, ()):
            expr = index.facts.exprs[number]
            if not index.contains(area, expr.block) and not self._in_head(index, area, number):
                continue
            root = number
            while (holder := index.parents.get(root, NONE)) != NONE:
                root = holder
            if root in index.conditions:
                return True
        return False

    def _in_head(self, index: FileIndex, area: int, number: int) -> bool:
        head = index.facts.blocks[area].head
        return head != NONE and number in parts(index.facts.exprs, head)
