"""The ways in which the code around a command comes to its key: the objects of a class that keep it, or the calls of a
function that pass it.

What is true of the key of one of them says nothing of the others: ``new RemoteMap("samples")`` beside
``new RemoteMap("levels")``, ``save("samples", id, …)`` beside ``save("levels", "salt", …)``.
"""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import Frame, FunctionValue, Instance, ParameterValue, Ref, Unknown
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.contexts import Frames
from resplint.flow.graph import Graph
from resplint.flow.nodes import CallEdge
from resplint.text import arguments as calls
from resplint.text import text_forms

_CHAIN = 3
"""Calls in a row that pass a key on."""
ANY: list[Frames] = [()]
"""All ways as one."""


class KeyWays:
    """Finds the contexts in which the answers about a key and about what is written beside it belong together."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self._known: dict[Ref, list[Frames]] = {}

    def of(self, file: int, key: int) -> list[Frames]:
        """The contexts of a key, one for each object that keeps it or call that passes it; `ANY` where they are not all
        known, or where the key is always the same.
        """
        if (file, key) not in self._known:
            self._known[file, key] = self._find(file, key)
        return self._known[file, key]

    def at(self, place: Ref, key: Ref) -> list[Frames]:
        """The contexts of the key of a command at a place. Where a helper binds the key for several methods, those
        alone that come through the call which gives this command its collection: ``ops(key).size()``.
        """
        ways = self.of(*key)
        if len(ways) <= 1:
            return ways
        bound = self._bound_by(place)
        return [one for one in ways if not bound.isdisjoint(one)] or ways

    def _bound_by(self, place: Ref) -> set[Frame]:
        """The calls of the project's functions that a command's receiver comes from."""
        file, number = place
        exprs = self._ev.store.files[file].facts.exprs
        names = self._ev.binder.names(file)
        found: set[Frame] = set()
        call = exprs[number] if number != NONE else None
        number = call.callee if isinstance(call, facts.Call) else NONE
        while number != NONE:
            number = names.only_value(number)
            expr = exprs[number]
            if isinstance(expr, facts.Call):
                found.add((file, number))
                number = expr.callee
            else:
                number = expr.object if isinstance(expr, facts.Member) else NONE
        return found

    def calls(self, place: Ref, key: Ref) -> Iterator[tuple[Ref, Frames]]:
        """The calls in other functions that pass the key of a command on its way there, each with its context: the
        outermost ones, which a helper stands behind.
        """
        for frames in self.at(place, key):
            if frames and isinstance(frames[-1], tuple):
                yield frames[-1], frames

    def _find(self, file: int, key: int) -> list[Frames]:
        if key == NONE:
            return ANY
        index = self._ev.store.files[file]
        scope = self._method(index, key)
        if scope == NONE:
            return ANY
        positions, helpers = self._parameters(index, scope, key)
        if not positions:
            return ANY if len(self._ev.values(file, key)) <= 1 else self._objects(index, scope)
        ways = self._passed(index, scope, positions)
        # Of a helper that many functions call nobody else's key is meant, even if nobody calls this one.
        return [tuple((file, one) for one in helpers)] if ways == ANY and helpers else ways

    def _method(self, index: FileIndex, key: int) -> int:
        """The outermost function around an expression, or the method that it stands in; of a name that a class inside a
        function takes over from there, the method around that class.
        """
        scopes = index.facts.scopes
        expr = index.facts.exprs[key]
        found = scope = index.function_of(expr.block)
        owner = index.owner(expr.name, index.scope_of(expr.block)) if isinstance(expr, facts.Name) else NONE
        while scope > 0 and (scopes[scope].kind != "class" or self._is_around(index, owner, scope)):
            if scopes[scope].kind == "function":
                found = scope
            scope = scopes[scope].parent
        return found if found > 0 else NONE

    def _is_around(self, index: FileIndex, owner: int, scope: int) -> bool:
        """Whether a name belongs to a function around a class: ``new Task() { run() { client.get(key); } }``."""
        while owner not in (NONE, scope) and scope > 0:
            scope = index.facts.scopes[scope].parent
            if scope == owner:
                return index.facts.scopes[owner].kind == "function"
        return False

    def _parameters(self, index: FileIndex, scope: int, key: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The positions of the parameters that a key is, or that helpers of the project make it of, and the calls of
        these: ``full(key, shared)``.
        """
        found: dict[int, None] = {}
        helpers: dict[int, None] = {}
        pending, seen = [key], set[int]()
        while pending:
            number = pending.pop(0)
            if number in seen or number == NONE:
                continue
            seen.add(number)
            if (position := self._parameter(index, scope, number)) is not None:
                found[position] = None
                continue
            expr = index.facts.exprs[number]
            if (text := text_forms.text_of(self._ev, index, number)) != number:
                pending.append(text)
                continue
            if isinstance(expr, facts.Call):
                callees = self._ev.values(index.number, expr.callee)
                if callees and all(isinstance(one, FunctionValue) for one in callees):
                    helpers[number] = None
                    pending += [item.value for item in expr.arguments]
                continue
            if not isinstance(expr, facts.Name) or index.owner(expr.name, index.scope_of(expr.block)) != scope:
                continue
            bindings = index.bindings.get((scope, expr.name), ())
            if (
                (scope, expr.name) not in index.parameters
                and len(bindings) == 1
                and bindings[0].kind == "assign"
                and not bindings[0].path
            ):
                pending.append(bindings[0].value)
        return tuple(found), tuple(helpers)

    def _parameter(self, index: FileIndex, scope: int, key: int) -> int | None:
        """The position of the parameter that a key is."""
        expr = index.facts.exprs[key]
        if not isinstance(expr, facts.Name) or index.owner(expr.name, index.scope_of(expr.block)) != scope:
            return None
        return index.parameters.get((scope, expr.name)) if not index.bindings.get((scope, expr.name)) else None

    def _passed(self, index: FileIndex, scope: int, positions: tuple[int, ...]) -> list[Frames]:
        """The calls that pass parameters, each behind those that pass them on in turn."""
        found: list[Frames] = []
        pending: list[tuple[FileIndex, int, tuple[int, ...], Frames]] = [(index, scope, positions, ())]
        while pending:
            here, function, places, frames = pending.pop()
            edges = [one for one in self._ev.callers.of(here.number, function) if one.ref not in frames]
            if not edges and frames:
                found.append(frames)
            for edge in edges:
                around, behind = self._behind(here, function, places, edge)
                if not behind or len(frames) >= _CHAIN:
                    found.append((*frames, edge.ref))
                else:
                    pending.append((self._ev.store.files[edge.file], around, behind, (*frames, edge.ref)))
        return found or ANY

    def _behind(
        self, here: FileIndex, function: int, places: tuple[int, ...], edge: CallEdge
    ) -> tuple[int, tuple[int, ...]]:
        """The function around a call, and which parameters of that one the call passes on."""
        outer = self._ev.store.files[edge.file]
        if not isinstance(outer.facts.exprs[edge.call], facts.Call):
            return NONE, ()
        around = self._method(outer, edge.call)
        record = here.facts.scopes[function]
        given = [calls.argument(outer, edge.call, record, place, edge.bound) for place in places]
        passed = [one for one in given if one is not None and one != NONE]
        for one in passed:
            self._ev.merged(edge.file, one)  # before the key of all calls, which may come from too many expressions
        known = passed if around != NONE else []
        behind = [position for one in known for position in self._parameters(outer, around, one)[0]]
        return around, tuple(dict.fromkeys(behind))

    def _objects(self, index: FileIndex, method: int) -> list[Frames]:
        """The objects that a method runs on, each with the calls that are made on it."""
        found: dict[Instance, dict[Frame, None]] = {}
        inner: dict[Frame, None] = {}
        owner = (index.number, index.class_of(method))
        pending, seen = [(index.number, method)], set[Ref]()
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            for edge in self._ev.callers.of(*current):
                if (around := self._same_object(edge)) is not None:
                    inner[edge.ref] = None
                    pending.append(around)
                    continue
                objects = self._receivers(edge, owner)
                if not objects:
                    return ANY
                for one in objects:
                    found.setdefault(one, {})[edge.ref] = None
        return [(one, *calls, *inner) for one, calls in found.items()] or ANY

    def _same_object(self, edge: CallEdge) -> Ref | None:
        """The method that calls another one of the object that it runs on."""
        index = self._ev.store.files[edge.file]
        call = index.facts.exprs[edge.call]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        base = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else callee
        if not isinstance(base, facts.Name):
            return None
        scope = self._method(index, edge.call)
        record = index.facts.scopes[scope] if scope != NONE else None
        own = record is not None and index.class_of(scope) != NONE and record.belongs != "class"
        bare = base is callee and index.owner(base.name, index.scope_of(base.block)) == index.class_of(scope)
        if own and record is not None and (bare or (base is not callee and base.name == record.receiver)):
            return (edge.file, scope)
        return None

    def _receivers(self, edge: CallEdge, owner: Ref) -> list[Instance]:
        """The objects of a class that a call of its method is made on; [] unless all are seen being made. What is no
        object of the project has no such method.
        """
        index = self._ev.store.files[edge.file]
        call = index.facts.exprs[edge.call]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        values = self._ev.merged(edge.file, callee.object) if isinstance(callee, facts.Member) else ()
        objects = [
            one
            for one in values
            if isinstance(one, Instance) and owner in self._ev.binder.project_line(one.file, one.scope)
        ]
        if any(isinstance(one, ParameterValue | Unknown) for one in values) or any(one.made is None for one in objects):
            return []
        return objects
