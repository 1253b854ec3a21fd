"""Who listens to the errors of a client: `error` listeners on it, wherever it went, and code outside the project."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, External, ExternalObject, FunctionValue, Instance, LibraryMethod, Ref, Unknown
from resplint.contracts import facts
from resplint.flow.graph import Graph

_ERROR = "error"
_DEPTH = 4
"""Objects written in each other around a client that is handed on: ``{ store: { client } }``."""


class ErrorListeners:
    """Answers by the call that made a client."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def heard_at(self, made: Ref) -> list[Ref]:
        """The calls that listen to the errors of what a call makes, or to events that are not known."""
        return self._listeners.get(made, [])

    @cached_property
    def _listeners(self) -> dict[Ref, list[Ref]]:
        found: dict[Ref, list[Ref]] = defaultdict(list)
        for ref, methods in self._graph.sites:
            words = self._graph.roles(ref[0]).words
            makers = [one.object.made for one in methods if one.name in words.listeners and one.object.made is not None]
            if makers and self._takes_errors(ref):
                for made in makers:
                    found[made].append(ref)
        return found

    def _takes_errors(self, ref: Ref) -> bool:
        call = self._graph.store.expr(ref)
        if not isinstance(call, facts.Call) or not call.arguments:
            return False
        events = self._graph.values(ref[0], call.arguments[0].value)
        return not events or any(not isinstance(one, Const) or one.value == _ERROR for one in events)

    def handed_out(self, made: Ref) -> list[Ref]:
        """The calls that hand what a call makes to code outside the project, which may listen to its errors."""
        files = self._graph.store.files
        found: list[Ref] = []
        for file, number in self._graph.places(made):
            call = self._receiving(files[file], number)
            if call is not None and self._is_outside(files[file], call):
                found.append((file, call))
        return found

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
