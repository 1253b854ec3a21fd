"""Batches that a function starts as its callers say: ``def pipeline(self, *args, **options)`` that hands these on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from resplint.bind.index import FileIndex
from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.flow.nodes import CallEdge
from resplint.redis.batches import Batch

_REACH = 4
"""Functions that hand on what they were called with."""
_SPREAD = ("*", "**")


def by_caller(ev: Graph, batch: Batch) -> list[Batch]:
    """A batch for each call that decides how it is sent, with what the function around that call queues; the batch
    itself where no caller decides that, or where not all of them are known.
    """
    calls = _deciding(ev, batch)
    if not calls:
        return [batch]
    places = {ref: _outermost(ev, ref) for ref in calls}
    around = set(places.values())
    found = []
    called = [site for site in batch.queued if _has_callers(ev, _outermost(ev, site.ref), around)]
    for ref, place in places.items():
        here = [site for site in called if _outermost(ev, site.ref) == place]
        queued = [site for site in called if _outermost(ev, site.ref) not in around - {place}]
        one = replace(
            batch,
            made=ref,
            queued=queued if here else [],
            executed=_of(ev, batch.executed, place, around),
            unseen=_of(ev, batch.unseen, place, around),
            plain=batch.plain or calls[ref],
        )
        found.append(one)
    return found


def _has_callers(ev: Graph, place: Ref, around: set[Ref]) -> bool:
    """Whether some of the callers may run a function: nobody uses many of the methods that a batch of the project's own
    has for its commands.
    """
    return place in around or bool(ev.callers.of(*place)) or ev.callers.escapes(*place)


def _of(ev: Graph, refs: Iterable[Ref], place: Ref, around: set[Ref]) -> list[Ref]:
    """What stands in a function, or in none of those that decide."""
    return [ref for ref in refs if _outermost(ev, ref) not in around - {place}]


def _outermost(ev: Graph, ref: Ref) -> Ref:
    """File and scope of the function or method around an expression, the outermost of those written into each other."""
    index = ev.store.files[ref[0]]
    scope = index.function_of(index.facts.exprs[ref[1]].block)
    while (parent := index.facts.scopes[scope].parent) > 0 and index.facts.scopes[parent].kind != "class":
        scope = parent
    return ref[0], scope


def _deciding(ev: Graph, batch: Batch) -> dict[Ref, bool]:
    """The calls whose arguments come to the one that starts a batch, and whether they say how it is sent; none where
    that call says so itself, or where some callers are not known.
    """
    found: dict[Ref, bool] = {}
    waiting = [(batch.made, 0)]
    while waiting:
        ref, depth = waiting.pop()
        spread = _spread(ev.store.files[ref[0]], ref[1])
        if spread is None or depth > _REACH:
            return {}
        scope, positions = spread
        edges = ev.callers.of(ref[0], scope)
        if not edges or ev.callers.escapes(ref[0], scope):
            return {}
        for edge in edges:
            if _hands_on(ev, edge):
                waiting.append((edge.ref, depth + 1))
            else:
                found[edge.ref] = _says(ev, edge, (ref[0], scope), positions, batch.model.parameter)
    return dict(sorted(found.items()))


def _spread(index: FileIndex, number: int) -> tuple[int, set[int]] | None:
    """The function around a call that is handed all of its further arguments, and the positions of the parameters that
    gather them, those with a name among them; None where it spreads something else.
    """
    call = index.facts.exprs[number]
    assert isinstance(call, facts.Call)
    scope = index.function_of(call.block)
    positions: set[int] = set()
    for item in call.arguments:
        if item.name not in _SPREAD:
            continue
        expr = index.facts.exprs[item.value]
        position = index.parameters.get((scope, expr.name)) if isinstance(expr, facts.Name) else None
        if position is None or not isinstance(expr, facts.Name) or index.bindings.get((scope, expr.name)):
            return None
        if index.facts.scopes[scope].parameters[position].kind != item.name or _is_changed(index, scope, expr.name):
            return None
        positions.add(position)
    gathered = index.facts.scopes[scope].parameters
    return (scope, positions) if any(gathered[one].kind == "**" for one in positions) else None


def _is_changed(index: FileIndex, scope: int, name: str) -> bool:
    """Whether a function may change what it was called with: it does more with it than spread it."""
    for use in index.by_name.get(name, ()):
        parent = index.parents.get(use)
        call = index.facts.exprs[parent] if parent is not None else None
        if index.function_of(index.facts.exprs[use].block) != scope:
            continue
        if not isinstance(call, facts.Call) or not any(
            item.value == use and item.name in _SPREAD for item in call.arguments
        ):
            return True
    return False


def _hands_on(ev: Graph, edge: CallEdge) -> bool:
    call = ev.store.expr(edge.ref)
    return isinstance(call, facts.Call) and any(item.name in _SPREAD for item in call.arguments)


def _says(ev: Graph, edge: CallEdge, function: tuple[int, int], positions: set[int], parameter: str) -> bool:
    """Whether a call passes something that decides: the option by its name, or anything by its position."""
    call = ev.store.expr(edge.ref)
    assert isinstance(call, facts.Call)
    record = ev.store.files[function[0]].facts.scopes[function[1]]
    given = [item for item, at in ev.edges.calls.placed(edge, call, record) if at in positions and at != NONE]
    return any(item.name in ("", parameter) for item in given)
