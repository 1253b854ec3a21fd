"""Clients that live as long as a stream to somebody outside: a listener of its end closes them."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, FunctionValue, LibraryMethod, LibraryObject
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.redis.usage import Usage


def serves_stream(graph: Graph, usage: Usage, value: LibraryObject) -> bool:
    """Whether a client is closed when a stream ends, ``socket.on("close", () => client.quit())``, and sends what it
    sends in the meantime: in other functions than the one that makes it.
    """
    if value.made is None:
        return False
    file = value.made[0]
    index = graph.store.files[file]
    function = index.function_of(index.facts.exprs[value.made[1]].block)
    for site in usage.sent_through(value.made):
        model = usage.model(site)
        plain = model is not None and model.access == "none"  # such as SUBSCRIBE
        if not plain and site.file == file and index.function_of(index.facts.exprs[site.call].block) == function:
            return False
    closing = {
        index.function_of(index.facts.exprs[ref[1]].block)
        for ref, tokens in graph.edges.calls.sites.items()
        if ref[0] == file and any(_closes(graph.flow.values[token], value) for token in tokens)
    }
    return any(_hears_end(graph, index, one, function) for one in closing)


def _closers(value: LibraryObject) -> tuple[str, ...]:
    return value.origin.library.library.closes


def _closes(method: object, value: LibraryObject) -> bool:
    return isinstance(method, LibraryMethod) and method.object.made == value.made and method.name in _closers(value)


def _hears_end(graph: Graph, index: FileIndex, listener: int, function: int) -> bool:
    """Whether one function hands another one to something outside, to be called when that has gone."""
    events = graph.roles(index.number).words.closing_events
    for number in index.calls if events else ():
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member) or index.function_of(call.block) != function or not call.arguments:
            continue
        event, *others = (item.value for item in call.arguments)
        names = graph.values(index.number, event)
        if not any(isinstance(one, Const) and one.value in events for one in names):
            continue
        if any(isinstance(one, LibraryObject) for one in graph.values(index.number, callee.object)):
            continue
        handed = [one for other in others for one in graph.carried(index.number, other)]
        if any(isinstance(one, FunctionValue) and (one.file, one.scope) == (index.number, listener) for one in handed):
            return True
    return False
