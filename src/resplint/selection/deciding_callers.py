"""Functions whose callers decide something that a rule asks: how often a client is made, for whom a command runs that
everybody feels, how long a command waits, which script is sent, which fields a hash gets, which elements a list or set.
"""

from __future__ import annotations

from collections import deque

from resplint.bind.index import children
from resplint.bind.values import LibraryMethod, LibraryObject
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import MethodModel
from resplint.knowledge.records.command_records import CommandModel

Scoped = tuple[int, int]
_MADE = frozenset({"client", "cluster", "pool", "connection", "sentinel"})
_LENDING = frozenset({"pool", "connection"})
"""What lends out a connection that is there."""


def functions(graph: Graph) -> set[Scoped]:
    """Those functions, of all files that are linked so far.

    Whoever calls one that makes a client, or sends a command that everybody feels, is asked for its own callers, too;
    whoever calls one that passes on what it is passed only if it does so itself.
    """
    making = {_around(graph, *ref) for ref in graph.flow.object_places if _is_made_here(graph, ref)}
    sites = list(graph.sites)
    making |= {_around(graph, *ref) for ref, methods in sites if any(_is_felt(graph, one) for one in methods)}
    found = set(making)
    waiting = deque(sorted(making))
    for ref, methods in sites:
        if any(_is_told(graph, one) for one in methods):
            for function in _of_parameters(graph, *ref):
                if function not in found:
                    found.add(function)
                    waiting.append(function)
    holding = {
        _written_around(graph, *ref) for ref, methods in sites if any(_holds_up(graph, ref, one) for one in methods)
    }
    waiting += sorted(holding - found)
    found |= holding
    while waiting:
        function = waiting.popleft()
        if function in holding - making and _is_coroutine(graph, *function):
            continue  # what it holds up is known
        for edge in graph.edges.calls.callers.get(function, ()):
            around = [_around(graph, *edge.ref)] if function in making else _of_parameters(graph, *edge.ref)
            if function in holding:
                holder = _written_around(graph, *edge.ref)
                holding.add(holder)
                around.append(holder)
            for one in around:
                if function in making:
                    making.add(one)
                if one not in found:
                    found.add(one)
                    waiting.append(one)
    return {one for one in found if one[1] > 0}


def _around(graph: Graph, file: int, number: int) -> Scoped:
    index = graph.store.files[file]
    return (file, index.function_of(index.facts.exprs[number].block)) if number >= 0 else (file, 0)


def _written_around(graph: Graph, file: int, number: int) -> Scoped:
    """The function with a name around an expression."""
    index = graph.store.files[file]
    scope = _around(graph, file, number)[1]
    while (written := index.function_expr.get(scope)) is not None:
        scope = index.function_of(index.facts.exprs[written].block)
    return file, scope


def _is_coroutine(graph: Graph, file: int, scope: int) -> bool:
    return graph.store.files[file].facts.scopes[scope].is_async


def _holds_up(graph: Graph, ref: tuple[int, int], method: LibraryMethod) -> bool:
    """Whether a method waits for the server, where whoever starts a coroutine chooses the threads that it holds up."""
    if graph.roles(ref[0]).words.coroutines != "dispatcher" or method.object.origin.type.is_async:
        return False
    model = graph.catalogue.method_of(method.object.origin, method.name)
    return bool((model is not None and model.command) or graph.catalogue.command_name(method.name))


def _is_made_here(graph: Graph, ref: tuple[int, int]) -> bool:
    """Whether a call makes an object that has connections of its own."""
    held = graph.flow.held.get(("expression", *ref), ())
    values = (graph.flow.values[token] for token in held)
    made = [one for one in values if isinstance(one, LibraryObject) and one.made == ref and one.kind in _MADE]
    return any(one.parent is None or one.parent.kind not in _LENDING for one in made)


def _is_told(graph: Graph, method: LibraryMethod) -> bool:
    """Whether what a method is passed says how long it waits, which script runs, or what a collection has."""
    model, command = _models(graph, method)
    if command.raw_wait or command.script or command.hash_write or command.whole_hash or _is_about_elements(command):
        return True
    return model is not None and (model.wait is not None or model.script_index >= 0 or model.raw_index >= 0)


def _is_felt(graph: Graph, method: LibraryMethod) -> bool:
    """Whether a method sends a command that all clients of the server feel."""
    command = _models(graph, method)[1]
    return bool(command.whole_database or command.danger)


def _models(graph: Graph, method: LibraryMethod) -> tuple[MethodModel | None, CommandModel]:
    """What is known of a method and of the command that it sends."""
    model = graph.catalogue.method_of(method.object.origin, method.name)
    name = (model.command if model is not None else "") or graph.catalogue.command_name(method.name)
    return model, graph.catalogue.command(name)


def _is_about_elements(command: CommandModel) -> bool:
    """Whether a command reads a whole collection, adds an element to one or cuts it."""
    return bool(command.whole or command.element >= 0 or command.adds or command.couples == "trim")


def _of_parameters(graph: Graph, file: int, number: int) -> list[Scoped]:
    """The functions around a call whose parameters its arguments are made of."""
    index = graph.store.files[file]
    names = graph.binder.names(file)
    exprs = index.facts.exprs
    call = exprs[number]
    pending = [item.value for item in call.arguments] if isinstance(call, facts.Call) else []
    found: dict[Scoped, None] = {}
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if current == NONE or current in seen:
            continue
        seen.add(current)
        expr = exprs[current]
        if not isinstance(expr, facts.Name):
            pending += children(expr)
            continue
        for one in names.at(current):
            if one.kind == "parameter":
                found[file, one.scope] = None
            elif one.kind not in ("import", "definition"):
                pending.append(index.facts.bindings[one.number].value)
    return list(found)
