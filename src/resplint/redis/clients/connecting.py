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
from resplint.knowledge.ranges import version_in
from resplint.redis.usage import CommandSite, Usage

_Placed = tuple[int, int, LibraryObject]
"""(file, function, object)"""


@dataclass(frozen=True, slots=True)
class Connecting:
    """Code that connects a client, sends commands through it and closes it. `opened` and `closed` are calls, or one
    expression: what a statement closes when it is left, or (`ends`) the call that closes a client which connects again
    with the next command. `probes`: it only asks for a sign of life. `taken`: the function asks for the client itself,
    as each use of it does.
    """

    client: LibraryObject
    opened: Ref
    closed: Ref
    probes: bool
    ends: bool = False
    taken: bool = False


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
    return [*found, *_managed(graph), *_ended(graph, usage)]


def _managed(graph: Graph) -> Iterator[Connecting]:
    """Statements that close a client when they are left: ``with self.cluster as cluster``, ``client.use { … }``."""
    for index in graph.store.judged:
        for number, start, end in _closing(graph, index):
            if _is_lent(graph, index, number):
                continue
            for value in graph.carried(index.number, number):
                if not isinstance(value, LibraryObject) or value.made is None or not _comes_back(graph, value):
                    continue
                ref = (index.number, number)
                if _stands_in(graph, value.made, ref):
                    continue
                accesses = [*_accesses(graph, index, value, start, end)]
                if accesses:
                    yield Connecting(value, ref, ref, set(accesses) == {"none"})


def _ended(graph: Graph, usage: Usage) -> Iterator[Connecting]:
    """Calls that close a client behind commands of the same function, after which the next command connects anew:
    ``await client.aclose()`` in the `finally` of each function that asks for the client of all.
    """
    for value in {one.made: one for one in usage.made if _comes_back(graph, one)}.values():
        assert value.made is not None
        for ref in usage.closed_at(value.made):
            file, number = ref
            index = graph.store.files[file]
            call = index.facts.exprs[number]
            scope = index.function_of(call.block)
            callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
            if not isinstance(callee, facts.Member) or index.facts.scopes[scope].kind != "function":
                continue
            holder = index.facts.exprs[callee.object]
            name = holder.name if isinstance(holder, facts.Name) else ""
            if not _is_on_the_way(index, call.block, scope, name):
                continue
            closed = [one for one in graph.carried(file, callee.object) if isinstance(one, LibraryObject)]
            if any(one.made is not None and _stands_in(graph, one.made, ref) for one in closed):
                continue
            start = index.facts.blocks[index.facts.scopes[scope].block].start
            accesses = {*_accesses(graph, index, value, start, call.start)}
            accesses |= {*_of_helpers(graph, usage, index, value, start, call.start)}
            if _lends(graph, index, scope, value):
                accesses.add("read")
            if accesses:
                bound = index.bindings.get((scope, name), ())
                taken = any(isinstance(index.facts.exprs[one.value], facts.Call) for one in bound)
                yield Connecting(value, ref, ref, accesses == {"none"}, ends=True, taken=taken)


def _comes_back(graph: Graph, value: LibraryObject) -> bool:
    """Whether closing a client closes its connections, and the next command opens new ones."""
    versions = value.origin.type.left_closed
    file = value.made[0] if value.made is not None else graph.store.first
    return bool(versions) and version_in(graph.version(value, file).version, versions)


def _is_on_the_way(index: FileIndex, home: int, scope: int, name: str) -> bool:
    """Whether a block runs in any case: it is in no handler of errors, and under no condition but whether there is what
    the name stands for.
    """
    for one in index.enclosing_blocks(home):
        block = index.facts.blocks[one]
        if block.scope != scope:
            break
        if block.kind == "except":
            return False
        if block.kind in ("if", "else"):
            head = index.facts.exprs[block.head] if block.head != NONE else None
            if head is None or not index.names_between(name, head.start, head.end):
                return False
    return True


def _of_helpers(
    graph: Graph, usage: Usage, index: FileIndex, client: LibraryObject, start: int, end: int
) -> Iterator[str]:
    """What the functions do with data that code hands a client to: ``await load(client)``."""
    assert client.made is not None
    for _, call in index.calls_in(start, end):
        if not any(_is_one(graph, index, item.value, client) for item in call.arguments):
            continue
        called = graph.carried(index.number, call.callee)
        functions = {(one.file, one.scope) for one in called if isinstance(one, FunctionValue)}
        for site in usage.sent_from(client.made) if functions else ():
            model = usage.model(site)
            if model is not None and (site.file, _function(graph, site.ref)) in functions:
                yield model.access


def _lends(graph: Graph, index: FileIndex, scope: int, client: LibraryObject) -> bool:
    """Whether a function is a generator that lends a client: ``yield client``."""
    yielded = [one.value for one in index.jumps[scope] if one.kind == "yield" and one.value != NONE]
    return any(_is_one(graph, index, one, client) for one in yielded)


def _is_one(graph: Graph, index: FileIndex, number: int, client: LibraryObject) -> bool:
    """Whether an expression may stand for a client, however code came to it."""
    values = graph.carried(index.number, number)
    return any(isinstance(one, LibraryObject) and one.made == client.made for one in values)


def _accesses(graph: Graph, index: FileIndex, client: LibraryObject, start: int, end: int) -> Iterator[str]:
    """What the commands that code sends through a client do with data: "read", "write", "none"."""
    for _, call in index.calls_in(start, end):
        for value in graph.carried(index.number, call.callee):
            if not isinstance(value, LibraryMethod):
                continue
            parent = value.object.parent
            if client.made in (value.object.made, parent.made if parent is not None else None):
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
