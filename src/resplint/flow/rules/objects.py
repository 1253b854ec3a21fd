"""Objects of classes: of a client library, of the project, or of a class of the project that extends a library's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

from resplint.bind.values import (
    ClassValue,
    External,
    Instance,
    LibraryObject,
    Origin,
    Ref,
    Value,
)
from resplint.contracts import facts
from resplint.flow import nodes
from resplint.flow.core import Flow
from resplint.flow.limits import CHAIN, MAX_CHAIN


class Objects:
    """Makes the tokens of objects, and says which classes are active."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._active: set[tuple[int, int]] = set()
        self._families: set[tuple[int, int]] = set()
        self._apart: set[tuple[int, int]] = set()
        self._told_apart: set[tuple[int, int]] = set()
        self._origins: dict[tuple[int, int], tuple[Sequence[ClassValue | External], Origin | None]] = {}
        """Class -> its line, and what makes the library's type that it derives from."""
        self._makers: dict[tuple[int, int], list[Callable[[], None]]] = defaultdict(list)
        """Class -> what tells the objects apart that are made of it."""

    def of_class(self, file: int, scope: int, made: Ref | None) -> Value:
        """An object of a class of the project, made at a call or known by its type only."""
        line = self._flow.binder.line(file, scope)
        known = self._origins.get((file, scope))
        if known is None or known[0] is not line:
            known = self._origins[file, scope] = (line, self._origin(line))
        if known[1] is not None:
            return LibraryObject(known[1], made, None, (file, scope))
        return Instance(file, scope, made, made is not None)

    def _origin(self, line: Sequence[ClassValue | External]) -> Origin | None:
        """What makes the library's type that a class derives from, as far as it does. Where a setting chooses between a
        client of one server and one of a cluster, it is that of one server, which has whatever the other one has.
        """
        found = [
            (base.dotted, known)
            for base in line[1:]
            if isinstance(base, External) and (known := self._flow.catalogue.type(base.dotted))
        ]
        if not found:
            return None
        kinds = [known[1].kind for _, known in found]
        dotted, known = found[kinds.index("client") if {*kinds} == {"client", "cluster"} else 0]
        constructor = self._flow.catalogue.constructor(dotted)
        return self._flow.origin(*known, constructor[1] if constructor else None)

    def typed(self, file: int, scope: int) -> Value:
        """An object that only its class is known of."""
        return self.of_class(file, scope, None)

    def derived(self, origin: Origin, made: Ref, parent: LibraryObject) -> LibraryObject:
        """An object that a method of another one gives. A loop may derive objects from each other without end: one
        that is made at a call again is the one that was made there first.
        """
        chain: list[LibraryObject] = []
        current: LibraryObject | None = parent
        while current is not None:
            if current.made == made and current.origin is origin:
                return current
            chain.append(current)
            current = current.parent
        if len(chain) > MAX_CHAIN:
            self._flow.limits.met(CHAIN, made[0])
            parent = chain[-MAX_CHAIN]
        return LibraryObject(origin, made, parent)

    def of_type(self, dotted: str) -> Value | None:
        """An object of a library's type by its import path; None when it is no such type."""
        known = self._flow.catalogue.type(dotted)
        return LibraryObject(self._flow.origin(*known), None) if known is not None else None

    def outside(self, dotted: str) -> Value:
        """What an import path outside the project stands for."""
        known = self._flow.catalogue.object(dotted)
        return LibraryObject(self._flow.origin(*known), None) if known is not None else External(dotted)

    def tell_apart(self, file: int, scope: int) -> None:
        """The objects of a class, and of those that derive from it, differ by the call that makes them: what goes into
        them matters. Of all other classes one token stands for all objects.
        """
        if (file, scope) not in self._told_apart:
            self._told_apart.add((file, scope))
            for key in ((file, scope), *self._flow.binder.subclasses(file, scope)):
                self._tell_apart(key)

    def _tell_apart(self, key: tuple[int, int]) -> None:
        if key not in self._apart:
            self._apart.add(key)
            for action in self._makers.pop(key, ()):
                action()

    def each_apart(self, file: int, scope: int, action: Callable[[], None]) -> None:
        """Call `action` once the objects of a class are distinguished."""
        if (file, scope) in self._apart:
            action()
        else:
            self._makers[file, scope].append(action)

    def lead(self, file: int, scope: int) -> None:
        """Objects of a class lead to Redis: they are followed wherever they go."""
        self._flow.relevance.of_class(file, scope)
        self.activate(file, scope)

    def activate(self, file: int, scope: int) -> None:
        """Objects of a class are followed: their class, its bases and what derives from it."""
        if (file, scope) in self._families:
            return
        self._families.add((file, scope))
        flow = self._flow
        waiting = [(file, scope), *flow.binder.project_line(file, scope)]
        waiting += flow.binder.subclasses(file, scope)
        for key in waiting:
            if key in self._active:
                continue
            self._active.add(key)
            self._seed(*key)

    def _seed(self, file: int, scope: int) -> None:
        flow = self._flow
        index = flow.store.files[file]
        flow.edges.names.seed_definition(file, scope)
        typed = self.typed(file, scope)
        for number in flow.binder.functions_in(file, scope):
            record = index.facts.scopes[number]
            if record.belongs == "class":
                if record.receiver:
                    flow.put(nodes.receiver(file, number), ClassValue(file, scope))
            elif record.receiver:
                flow.put(nodes.receiver(file, number), typed)
        if index.facts.scopes[scope].receiver:
            flow.put(nodes.receiver(file, scope), typed)
        self._seen_as_base(file, scope)

    def _seen_as_base(self, file: int, scope: int) -> None:
        """`super()` in the methods of a class."""
        flow = self._flow
        index = flow.store.files[file]
        base = flow.binder.roles(file).words.base
        for number in index.by_name.get(base, ()) if base else ():
            call = index.call_of.get(number)
            expr = index.facts.exprs[call] if call is not None else None
            if call is not None and isinstance(expr, facts.Call) and not expr.arguments:
                if index.class_of(index.function_of(expr.block)) == scope:
                    target = nodes.expression(file, call)
                    flow.edges.members.put_base((file, scope), target, nodes.expression(file, number))

    @property
    def active(self) -> int:
        """How many classes have objects that are followed."""
        return len(self._active)

    def is_active(self, file: int, scope: int) -> bool:
        """Whether objects of a class are followed."""
        return (file, scope) in self._active

    def enter_subclasses(self) -> None:
        """Take in classes of files that were loaded since: they may derive from an active one."""
        self._flow.relevance.enter_subclasses()
        for key in tuple(self._active):
            for one in self._flow.binder.subclasses(*key):
                self.activate(*one)
        for key in tuple(self._told_apart):
            for one in self._flow.binder.subclasses(*key):
                self._tell_apart(one)
