"""Decorators of the project that keep what they were given: ``@once``, ``@memo``, ``@singleton``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec import structs

from resplint.bind.values import ClassValue, FunctionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE

if TYPE_CHECKING:
    from resplint.bind.index import FileIndex
    from resplint.execution.escape.escape_analysis import Keeper
    from resplint.execution.frequency.higher_order_calls import Handed
    from resplint.flow.graph import Graph


_DESCRIPTOR = 2
"""Position of the argument that describes the method, where decorators get object, name and descriptor."""


class Memoising:
    """Looks whether a decorator stores what the function or class gives that it is put on, once it has none."""

    def __init__(self, evaluator: Graph, keeper: Keeper, handed: Handed) -> None:
        self._ev = evaluator
        self._keeper = keeper
        self._handed = handed
        self._known: dict[tuple[int, int], bool] = {}

    def decorated(self, file: int, scope: int) -> bool:
        """Whether a function or class has such a decorator."""
        key = (file, scope)
        if key not in self._known:
            self._known[key] = False  # what recursion sees
            self._known[key] = any(self._keeps(ref) for ref in self._sites(file, scope))
        return self._known[key]

    def made_once(self, file: int, scope: int) -> bool:
        """Whether a class, or one that it is derived from, has such a decorator or metaclass."""
        line = self._ev.classes.line(file, scope)
        return any(self.decorated(one.file, one.scope) for one in line if isinstance(one, ClassValue))

    def is_only_one(self, file: int, scope: int) -> bool:
        """Whether every call of a class gives the one object that it keeps: ``if cls._only is None: cls._only =
        super().__new__(cls)``. Its constructor runs each time all the same.
        """
        line = self._ev.classes.line(file, scope)
        return any(
            self._keeps(ref) for one in line if isinstance(one, ClassValue) for ref in self._new(one.file, one.scope)
        )

    def _new(self, file: int, scope: int) -> Iterator[Ref]:
        """Calls that make the object, in the method of the class which does so: ``super().__new__(cls)``."""
        index = self._ev.store.files[file]
        for number, record in enumerate(index.facts.scopes):
            if record.parent != scope or not record.is_constructor or record.belongs != "class":
                continue
            body = index.facts.blocks[record.block]
            for call, made in index.calls_in(body.start, body.end):
                callee = index.facts.exprs[made.callee]
                if isinstance(callee, facts.Member) and callee.name == record.name and index.within(made.block, number):
                    yield (file, call)

    def is_set_again(self, index: FileIndex, write: facts.Write) -> bool:
        """Whether each run of a constructor comes to a store, itself or by way of methods: nothing looks whether
        something is there already, or asks a flag.
        """
        constructing = self._ev.roles(index.number).words.constructing
        pending, seen = [write], set[int]()
        while pending:
            one = pending.pop()
            scope = index.function_of(one.block)
            if self._keeper.flagged(index.number, one.block) or self._keeper.guarded(index.number, one):
                continue
            record = index.facts.scopes[scope]
            if self._made_beside(index, scope, one.block):
                continue
            if record.is_constructor or record.name in constructing:
                return True
            if scope not in seen:
                seen.add(scope)
                calls = [site.call for site in self._ev.callers.of(index.number, scope) if site.file == index.number]
                pending += [structs.replace(write, block=index.facts.exprs[call].block) for call in calls]
        return False

    def _made_beside(self, index: FileIndex, scope: int, block: int) -> bool:
        """Whether a block runs only with the call that makes the object of a class: ``cls._only.connect()`` behind
        ``cls._only = super().__new__(cls)``.
        """
        record = index.facts.scopes[scope]
        if not record.is_constructor or record.belongs != "class":
            return False
        around = index.enclosing_blocks(block)
        return any(
            index.facts.exprs[call].block in around and index.within(index.facts.exprs[call].block, scope)
            for _, call in self._new(index.number, record.parent)
        )

    def _sites(self, file: int, scope: int) -> Iterator[Ref]:
        """Where decorators of the project call what they are put on."""
        index = self._ev.store.files[file]
        for number in index.facts.scopes[scope].decorators:
            expr = index.facts.exprs[number]
            called = isinstance(expr, facts.Call)
            for value in self._ev.values(file, expr.callee if isinstance(expr, facts.Call) else number):
                if isinstance(value, FunctionValue):
                    yield from self._of_function(value, called)
                elif isinstance(value, ClassValue):
                    yield from self._of_class(value)

    def _of_function(self, decorator: FunctionValue, called: bool) -> Iterator[Ref]:
        """Calls of the first parameter; of the function inside, for a decorator that is called: ``@memo(size=3)``."""
        index = self._ev.store.files[decorator.file]
        scopes = index.facts.scopes
        takers = [decorator.scope]
        if called:
            takers = [number for number, one in enumerate(scopes) if one.parent == decorator.scope]
        for taker in takers:
            parameters = index.own_parameters(taker) if scopes[taker].kind == "function" else ()
            names = [parameters[0].name] if parameters else []
            if len(parameters) > _DESCRIPTOR:
                names += self._taken_out(index, taker, parameters[_DESCRIPTOR].name)
            for name in names:
                for site in self._ev.callers.calls_of_parameter(index, taker, name):
                    yield site.ref

    def _taken_out(self, index: FileIndex, scope: int, descriptor: str) -> list[str]:
        """Local names of the method that a descriptor holds: ``const original = descriptor.value``."""
        found = []
        for binding in index.facts.bindings:
            value = index.facts.exprs[binding.value] if binding.value != NONE else None
            holder = index.facts.exprs[value.object] if isinstance(value, facts.Member) else None
            if isinstance(holder, facts.Name) and holder.name == descriptor and index.within(binding.block, scope):
                found.append(binding.name)
        return found

    def _of_class(self, decorator: ClassValue) -> Iterator[Ref]:
        """Calls of the field that a constructor sets to its first argument; in a metaclass ``super().__call__()``."""
        index = self._ev.store.files[decorator.file]
        words = self._ev.roles(decorator.file).words
        for number in index.by_name.get(words.call, ()) if words.call else ():
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Member) and number in index.call_of and index.within(expr.block, decorator.scope):
                holder = index.facts.exprs[expr.object]
                callee = index.facts.exprs[holder.callee] if isinstance(holder, facts.Call) else holder
                if isinstance(callee, facts.Name) and callee.name in (words.base, *words.class_types):
                    yield (decorator.file, index.call_of[number])
        for maker in self._ev.classes.constructors(decorator.file, decorator.scope):
            index = self._ev.store.files[maker.file]
            parameters = index.own_parameters(maker.scope)
            for name in self._stored(index, maker.scope, parameters[0].name) if parameters else ():
                for number in index.by_name.get(name, ()):
                    expr = index.facts.exprs[number]
                    inside = isinstance(expr, facts.Member) and index.within(expr.block, decorator.scope)
                    if inside and number in index.call_of:
                        yield (index.number, index.call_of[number])

    def _stored(self, index: FileIndex, scope: int, parameter: str) -> list[str]:
        """The fields that a function sets to one of its parameters."""
        found = []
        for write in index.facts.writes:
            value = index.facts.exprs[write.value] if write.value != NONE else None
            if index.function_of(write.block) == scope and isinstance(value, facts.Name) and value.name == parameter:
                found.append(index.target_name(write.target) or "")
        return [name for name in found if name]

    def _keeps(self, ref: Ref) -> bool:
        """Whether what a call gives is stored where nothing was yet."""
        kept = self._keeper.of(*ref)
        stores = [*kept.module, *kept.members]
        if stores:
            return all(self._keeper.guarded(ref[0], store) for store in stores)
        return self._handed.closure(*ref, kept) != NONE
