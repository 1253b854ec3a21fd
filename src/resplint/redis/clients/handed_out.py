"""Clients that the project hands to code outside of it, which then listens to them, closes them, or waits with them."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import External, ExternalObject, FunctionValue, Instance, LibraryMethod, Ref, Unknown
from resplint.contracts import facts
from resplint.flow.graph import Graph

_DEPTH = 4
"""Objects written in each other around a client that is handed on: ``{ store: { client } }``."""


class HandedOut:
    """Answers by the call that made a client."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def calls(self, made: Ref) -> list[Ref]:
        """The calls that hand what a call makes to code outside the project."""
        files = self._graph.store.files
        found: list[Ref] = []
        for file, number in self._graph.places(made):
            call = self._receiving(files[file], number)
            if call is not None and self._is_outside(files[file], call):
                found.append((file, call))
        return found

    def may_listen(self, made: Ref) -> list[Ref]:
        """Those of them to code that may listen to the client's errors."""
        return [ref for ref in self.calls(made) if not self._is_deaf(ref)]

    def _is_deaf(self, ref: Ref) -> bool:
        call = self._graph.store.expr(ref)
        names = self._graph.roles(ref[0]).deaf_users
        if not names or not isinstance(call, facts.Call):
            return False
        values = self._graph.callee(ref[0], call.callee)
        paths = [one.dotted.replace("()", "") + "." for one in values if isinstance(one, External | ExternalObject)]
        return bool(paths) and all(any(path.startswith(f"{name}.") for name in names) for path in paths)

    def blocks(self, made: Ref) -> bool:
        """Whether some of that code is known to wait for work with the client: the worker of a queue."""
        return any(self._is_blocking(ref) for ref in self.calls(made))

    def _is_blocking(self, ref: Ref) -> bool:
        call = self._graph.store.expr(ref)
        names = self._graph.roles(ref[0]).blocking_users
        if not names or not isinstance(call, facts.Call):
            return False
        values = self._graph.callee(ref[0], call.callee)
        return any(isinstance(one, External | ExternalObject) and one.dotted in names for one in values)

    def _receiving(self, index: FileIndex, number: int) -> int | None:
        """The call that an expression is an argument of, by itself or in objects that are written out there."""
        for _ in range(_DEPTH):
            if number in index.argument_of:
                return index.argument_of[number][0]
            parent = index.parents.get(number)
            if parent is None or not isinstance(index.facts.exprs[parent], facts.Collection | facts.Choice):
                return None
            number = parent
        return None

    def _is_outside(self, index: FileIndex, number: int) -> bool:
        """Whether a call is of something outside the project that does more than pass on what it gets."""
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        roles = self._graph.roles(index.number)
        name = callee.name if isinstance(callee, facts.Member | facts.Name) else ""
        keeps = (*roles.words.map_setters, *roles.words.list_adders, *roles.words.bound_function_methods)
        if isinstance(callee, facts.Member) and name in keeps:
            return False
        values = self._graph.callee(index.number, call.callee)
        outside = [one for one in values if isinstance(one, External | ExternalObject | Unknown)]
        known = [one for one in values if isinstance(one, FunctionValue | Instance | LibraryMethod)]
        if known or (values and not outside):
            return False
        paths = [one.dotted.replace("()", "") + "." for one in outside if isinstance(one, External | ExternalObject)]
        return not any(path.startswith(f"{one}.") for path in paths for one in roles.harmless)
