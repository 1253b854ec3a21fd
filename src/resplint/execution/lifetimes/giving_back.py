"""How a connection or client is given back: by a method of its own or of its pool, or by a helper that does either."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    ParameterValue,
    Values,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.lifetimes.own_pools import OwnPools
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import ClientLibrary

_REACH = 4
"""How far a thing is followed into functions that it is handed to."""


class GivingBack:
    """Answers for calls and functions."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.pools = OwnPools(graph)
        self._handing: dict[tuple[int, int, int], str] = {}

    def all_ends(self, library: ClientLibrary) -> tuple[str, ...]:
        """Methods that close an object of a library or give it back."""
        own = (*library.library.closes, *library.library.releases)
        if own or not library.library.inherits:
            return own
        return self.all_ends(self._graph.catalogue.libraries[library.library.inherits])

    def ends(self, library: ClientLibrary, name: str) -> bool:
        """Whether a method of this name closes an object or gives it back."""
        return name in self.all_ends(library)

    def reopens(self, library: ClientLibrary, name: str) -> bool:
        """Whether a method of this name connects anew what is closed."""
        parent = self._graph.catalogue.libraries.get(library.library.inherits)
        return name in library.library.reopens or (parent is not None and self.reopens(parent, name))

    def takes_back(self, library: ClientLibrary, name: str) -> bool:
        """Whether a method of this name is handed what its pool has lent."""
        section = library.library
        if name in section.takes_back:
            return True
        parent = self._graph.catalogue.libraries.get(section.inherits)
        return parent is not None and self.takes_back(parent, name)

    def handed(self, index: FileIndex, call: facts.Call, number: int, library: ClientLibrary, depth: int = 0) -> str:
        """What a call does with an argument: "gives" it back, "keeps" it, only "uses" it, or "unknown"."""
        graph = self._graph
        words = graph.roles(index.number).words
        callee = index.facts.exprs[call.callee]
        name = callee.name if isinstance(callee, facts.Name | facts.Member) else ""
        position = next((at for at, item in enumerate(call.arguments) if item.value == number), NONE)
        keyword = call.arguments[position].name if position != NONE else ""
        values: Values = graph.callee(index.number, call.callee)
        found: set[str] = set()
        for value in values:
            if isinstance(value, LibraryMethod):
                takes = self.takes_back(value.object.origin.library, value.name)
                found.add("gives" if takes else "uses")
            elif isinstance(value, FunctionValue) and depth < _REACH:
                found.add(self._parameter(value, position, keyword, library, depth))
            elif isinstance(value, ClassValue | Instance):
                found.add("keeps")
            elif isinstance(value, External) and value.dotted in words.closing_functions:
                found.add("gives")
            elif isinstance(value, External | ExternalObject):
                harmless = any(
                    value.dotted.replace("()", "").startswith((f"{one}.", one))
                    for one in graph.roles(index.number).harmless
                )
                found.add("uses" if harmless else "unknown")
        if not found and self.takes_back(library, name) and isinstance(callee, facts.Member):
            return "gives"  # the pool is not known, its method is
        if not found and name in words.function_methods and isinstance(callee, facts.Member) and depth < _REACH:
            for function in graph.values(index.number, callee.object):
                if isinstance(function, ParameterValue) and words.bound_function_methods:
                    return "unknown"  # it is run as `run(client)` would be, which may give it back
                if isinstance(function, FunctionValue):
                    own = graph.store.files[function.file].own_parameters(function.scope)
                    shift = len(call.arguments) - len(own)  # `run.call(null, client)`
                    found.add(self._parameter(function, position - max(shift, 0), "", library, depth))
            if "gives" not in found:
                return "uses"
        if not found and name in words.log_methods:
            return "uses"
        return next((one for one in ("gives", "keeps", "unknown", "uses") if one in found), "unknown")

    def only_ends(self, index: FileIndex, call: facts.Call, number: int, library: ClientLibrary) -> bool:
        """Whether a call goes to functions that close an argument, and let nobody else have it: not one that puts it
        back into a queue, and closes what that has no room for.
        """
        position = next((at for at, item in enumerate(call.arguments) if item.value == number), NONE)
        values = self._graph.callee(index.number, call.callee)
        if self.handed(index, call, number, library) != "gives":
            return False
        for value in values:
            if not isinstance(value, FunctionValue):
                return False
            other = self._graph.store.files[value.file]
            own = other.own_parameters(value.scope)
            if not 0 <= position < len(own):
                return False
            body = other.facts.blocks[other.facts.scopes[value.scope].block]
            for use in other.names_between(own[position].name, body.start, body.end):
                if use in other.argument_of or other.written_to.get(use) or other.bound_to.get(use):
                    return False
                if use in other.jump_with or other.returned_by(use) != NONE:
                    return False
        return True

    def _parameter(
        self, function: FunctionValue, position: int, keyword: str, library: ClientLibrary, depth: int
    ) -> str:
        index = self._graph.store.files[function.file]
        own = index.own_parameters(function.scope)
        item = next((one for one in own if keyword and one.name == keyword), None)
        if item is None:
            if not 0 <= position < len(own) or own[position].kind:
                return "unknown"
            item = own[position]
        key = (function.file, function.scope, own.index(item))
        if key not in self._handing:
            self._handing[key] = "uses"  # what recursion sees
            self._handing[key] = self._of_parameter(index, function.scope, item.name, library, depth)
        return self._handing[key]

    def _of_parameter(self, index: FileIndex, scope: int, name: str, library: ClientLibrary, depth: int) -> str:
        """The same of a parameter, by what its function does with it."""
        if self.pools.takes_back(index.number, scope, name):
            return "gives"
        found, closed, reopened = {"uses"}, False, False
        body = index.facts.blocks[index.facts.scopes[scope].block]
        if self._graph.is_abstract(FunctionValue(index.number, scope)):
            return "unknown"
        for number in index.names_between(name, body.start, body.end):
            if index.written_to.get(number) or number in index.jump_with:
                found.add("keeps")
            for binding in index.bound_to.get(number, ()):
                found.add("gives" if binding.kind == "with" else "uses")
                if index.facts.scopes[binding.scope].kind in ("module", "class"):
                    found.add("keeps")
            parent = index.parents.get(number)
            member = index.facts.exprs[parent] if parent is not None else None
            if isinstance(member, facts.Member) and (
                self.ends(library, member.name) or member.name in self._graph.roles(index.number).words.closers
            ):
                found.add("gives")
                closed = True
            elif isinstance(member, facts.Member) and self.reopens(library, member.name):
                reopened = True
            if number in index.argument_of:
                call = index.facts.exprs[index.argument_of[number][0]]
                assert isinstance(call, facts.Call)
                found.add(self.handed(index, call, number, library, depth + 1))
        if closed and reopened:
            found.discard("gives")
        return next(one for one in ("gives", "keeps", "unknown", "uses") if one in found)
