"""Clients that live as long as a stream to somebody outside: a listener of its end closes them."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, FunctionValue, LibraryObject, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.redis.usage import Usage


def serves_stream(graph: Graph, usage: Usage, value: LibraryObject) -> bool:
    """Whether a client is closed when a stream ends, ``socket.on("close", () => client.quit())``, and sends what it
    sends in the meantime: in other functions than the one that waits for the end.
    """
    if value.made is None:
        return False
    closing = {(ref[0], _function(graph, ref)) for ref in usage.closed_at(value.made)}
    waiting = {(file, one) for file, scope in closing for one in _wait_for_end(graph, graph.store.files[file], scope)}
    if not waiting:
        return False
    for site in usage.sent_through(value.made):
        model = usage.model(site)
        plain = model is not None and model.access == "none"  # such as SUBSCRIBE
        if not plain and (site.file, _function(graph, site.ref)) in waiting:
            return False
    return True


def _function(graph: Graph, ref: Ref) -> int:
    index = graph.store.files[ref[0]]
    return index.function_of(index.facts.exprs[ref[1]].block)


def _wait_for_end(graph: Graph, index: FileIndex, listener: int) -> Iterator[int]:
    """The functions that hand another one to something outside, to be called when that has gone."""
    events = graph.roles(index.number).words.closing_events
    for number in index.calls if events else ():
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member) or not call.arguments:
            continue
        event, *others = (item.value for item in call.arguments)
        names = graph.values(index.number, event)
        if not any(isinstance(one, Const) and one.value in events for one in names):
            continue
        if any(isinstance(one, LibraryObject) for one in graph.values(index.number, callee.object)):
            continue
        handed = [one for other in others for one in graph.carried(index.number, other)]
        if any(isinstance(one, FunctionValue) and (one.file, one.scope) == (index.number, listener) for one in handed):
            yield index.function_of(call.block)
