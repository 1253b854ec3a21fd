"""Where code connects a client that was made elsewhere, and takes the connection from it again when it is done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.index import FileIndex
from resplint.bind.values import FunctionValue, LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.usage import CommandSite, Usage

_Placed = tuple[int, int, LibraryObject]
"""(file, function, object)"""


@dataclass(frozen=True, slots=True)
class Connecting:
    """Code that connects a client, sends commands through it and closes it. `opened` and `closed` are calls, or one
    expression: what a statement closes when it is left. `probes`: it only asks for a sign of life.
    """

    client: LibraryObject
    opened: Ref
    closed: Ref
    probes: bool


def connections(graph: Graph, usage: Usage) -> list[Connecting]:
    """Every stretch between connecting and closing a client that some other code has made, by place."""
    opened: dict[_Placed, Ref] = {}
    closed: dict[_Placed, Ref] = {}
    for ref in graph.touching():
        for token in graph.edges.calls.sites.get(ref, ()):
            method = graph.flow.values[token]
            if isinstance(method, LibraryMethod) and method.object.made is not None:
                library = method.object.origin.library.library
                key = (ref[0], _function(graph, ref), method.object)
                if method.name in library.opens:
                    opened.setdefault(key, ref)
                elif method.name in library.closes:
                    closed[key] = ref
    sent: dict[_Placed, list[CommandSite]] = defaultdict(list)
    for site in usage.commands if opened and closed else ():
        sent[site.file, _function(graph, site.ref), site.receiver].append(site)
    found = []
    for key, ref in opened.items():
        file, function, client = key
        assert client.made is not None
        made_here = client.made[0] == file and _function(graph, client.made) == function
        if key in closed and key in sent and not made_here and not client.via:
            models = [usage.model(site) for site in sent[key]]
            probes = all(model is not None and model.access == "none" for model in models)
            found.append(Connecting(client, ref, closed[key], probes))
    return [*found, *_managed(graph)]


def _managed(graph: Graph) -> Iterator[Connecting]:
    """Statements that close a client when they are left: ``with self.cluster as cluster``, ``client.use { … }``."""
    for index in graph.store.judged:
        for number, start, end in _closing(graph, index):
            if _is_lent(graph, index, number):
                continue
            for value in graph.carried(index.number, number):
                if not isinstance(value, LibraryObject) or value.made is None or not value.origin.type.left_closed:
                    continue
                ref = (index.number, number)
                if _stands_in(graph, value.made, ref):
                    continue
                accesses = [*_accesses(graph, index, value, start, end)]
                if accesses:
                    yield Connecting(value, ref, ref, set(accesses) == {"none"})


def _accesses(graph: Graph, index: FileIndex, client: LibraryObject, start: int, end: int) -> Iterator[str]:
    """What the commands that code sends through a client do with data: "read", "write", "none"."""
    for _, call in index.calls_in(start, end):
        for value in graph.carried(index.number, call.callee):
            if isinstance(value, LibraryMethod) and client in (value.object, value.object.parent):
                command = graph.catalogue.commands.get(graph.catalogue.command_name(value.name))
                if command is not None:
                    yield command.access


def _closing(graph: Graph, index: FileIndex) -> Iterator[tuple[int, int, int]]:
    """What is closed at the end of a stretch of code, and the stretch."""
    for binding in index.facts.bindings:
        if binding.kind == "with":
            yield binding.value, binding.start, index.facts.blocks[binding.block].end
    closers = graph.roles(index.number).words.closers
    for _, call in index.calls_in(0, index.facts.blocks[0].end) if closers else ():
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Member) and callee.name in closers and callee.object != NONE:
            yield callee.object, index.facts.exprs[callee.object].end, call.end


def _stands_in(graph: Graph, made: Ref, closed: Ref) -> bool:
    """Whether the function that makes a client closes it as well, perhaps in a function inside."""
    if made[0] != closed[0]:
        return False
    index = graph.store.files[closed[0]]
    block = index.facts.exprs[closed[1]].block
    maker = _function(graph, made)
    inside = index.facts.scopes[maker].kind == "function" and index.within(block, maker)
    return inside or index.function_of(block) == maker


def _is_lent(graph: Graph, index: FileIndex, number: int) -> bool:
    """Whether what a statement manages is a generator of the project, which lends a client and keeps it."""
    expr = index.facts.exprs[number]
    called = graph.carried(index.number, expr.callee) if isinstance(expr, facts.Call) else ()
    return any(
        isinstance(one, FunctionValue) and graph.store.files[one.file].facts.scopes[one.scope].is_generator
        for one in called
    )


def _function(graph: Graph, ref: Ref) -> int:
    index = graph.store.files[ref[0]]
    return index.function_of(index.facts.exprs[ref[1]].block)
