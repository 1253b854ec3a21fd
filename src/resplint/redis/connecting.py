"""Where code connects a client that was made elsewhere, and takes the connection from it again when it is done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.index import FileIndex
from resplint.bind.values import FunctionValue, LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.redis.usage import CommandSite, Usage

_Placed = tuple[int, int, LibraryObject]
"""(file, function, object)"""


@dataclass(frozen=True, slots=True)
class Connecting:
    """A function that connects a client, sends commands through it and closes it. `opened` and `closed` are calls."""

    client: LibraryObject
    opened: Ref
    closed: Ref
    sites: tuple[CommandSite, ...]


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
            found.append(Connecting(client, ref, closed[key], tuple(sent[key])))
    return [*found, *_managed(graph, usage)]


def _managed(graph: Graph, usage: Usage) -> Iterator[Connecting]:
    """Statements that close a client when they are left: ``async with self.cluster as cluster``."""
    for index in graph.store.judged:
        for binding in index.facts.bindings:
            if binding.kind != "with" or _is_lent(graph, index, binding.value):
                continue
            values = graph.carried(index.number, binding.value)
            for value in values:
                if not isinstance(value, LibraryObject) or value.made is None or not value.origin.type.left_closed:
                    continue
                ref = (index.number, binding.value)
                function = _function(graph, ref)
                if value.made[0] == ref[0] and _function(graph, value.made) == function:
                    continue
                sites = [site for site in usage.sent_through(value.made) if site.file == ref[0]]
                sites = [site for site in sites if _function(graph, site.ref) == function]
                if sites:
                    yield Connecting(value, ref, ref, tuple(sites))


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
