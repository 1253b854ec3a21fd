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
    """A batch for each call that decides how it is sent, with what is queued on what that call gives; the batch itself
    where no caller decides that, or where not all of them are known.
    """
    calls = _deciding(ev, batch)
    return [_of_call(ev, batch, calls, ref) for ref in calls] if calls else [batch]


def _of_call(ev: Graph, batch: Batch, calls: dict[Ref, bool], made: Ref) -> Batch:
    around = {_outermost(ev, ref) for ref in calls}
    place = _outermost(ev, made)

    def belongs(ref: Ref, holders: Iterable[int]) -> bool:
        """Whether a call is about this batch; where it is not known about which one, those of its function count."""
        found = [known for one in holders if (known := _from(ev, ref[0], one, calls, 0)) is not None]
        if found:
            return any(made in one for one in found)
        return _outermost(ev, ref) not in around - {place}

    queued = [
        site for site in batch.queued
        if _has_callers(ev, _outermost(ev, site.ref), around) and belongs(site.ref, _receiver(ev, site.ref))
    ]  # fmt: skip
    steered = [(name, ref) for name, ref in batch.steered if belongs(ref, _receiver(ev, ref))]
    elsewhere = batch.controls - {name for name, _ in batch.steered}
    own = [site for site in queued if _outermost(ev, site.ref) == place]
    return replace(
        batch,
        made=made,
        queued=queued if own else [],
        controls=elsewhere | {name for name, _ in steered if batch.says(name)},
        steered=steered,
        executed=[
            *(ref for ref in batch.executed if belongs(ref, _receiver(ev, ref))),
            *_executed(ev, batch, place, calls, made),
        ],
        unseen=[ref for ref in batch.unseen if belongs(ref, _arguments(ev, ref))],
        plain=batch.plain or calls[made],
    )


def _receiver(ev: Graph, ref: Ref) -> tuple[int, ...]:
    """What a method is called on."""
    call = ev.store.expr(ref)
    callee = ev.store.expr((ref[0], call.callee)) if isinstance(call, facts.Call) else None
    return (callee.object,) if isinstance(callee, facts.Member) else ()


def _arguments(ev: Graph, ref: Ref) -> tuple[int, ...]:
    call = ev.store.expr(ref)
    return tuple(item.value for item in call.arguments) if isinstance(call, facts.Call) else ()


def _executed(ev: Graph, batch: Batch, place: Ref, calls: dict[Ref, bool], made: Ref) -> list[Ref]:
    """The calls in a function that send a batch by a method that a class of the project has for it."""
    index = ev.store.files[place[0]]
    body = index.facts.blocks[index.facts.scopes[place[1]].block]
    found = []
    for number, call in index.calls_in(body.start, body.end):
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Member) and callee.name in (*batch.model.execute, *batch.model.execute_plain):
            if (
                made in (_from(ev, place[0], callee.object, calls, 0) or ())
                and (place[0], number) not in batch.executed
            ):
                found.append((place[0], number))
    return found


def _from(ev: Graph, file: int, number: int, calls: dict[Ref, bool], depth: int) -> set[Ref] | None:
    """The calls that may give what an expression stands for, by its name and what functions are passed; None where
    something else may.
    """
    index = ev.store.files[file]
    expr = index.facts.exprs[number]
    while (file, number) not in calls and isinstance(expr, facts.Call):  # methods that give the batch itself
        callee = index.facts.exprs[expr.callee]
        if not isinstance(callee, facts.Member):
            return None
        number, expr = callee.object, index.facts.exprs[callee.object]
    if (file, number) in calls:
        return {(file, number)}
    if not isinstance(expr, facts.Name) or depth > _REACH:
        return None
    found: set[Ref] = set()
    for one in ev.binder.names(file).at(number):
        given: list[tuple[int, int]] = []
        if one.kind == "parameter":
            edges = ev.callers.of(file, one.scope)
            record = index.facts.scopes[one.scope]
            for edge in edges:
                call = ev.store.expr(edge.ref)
                placed = ev.edges.calls.placed(edge, call, record) if isinstance(call, facts.Call) else ()
                given += [(edge.file, item.value) for item, at in placed if at == one.number]
            if len(given) < len(edges) or ev.callers.escapes(file, one.scope):
                return None
        elif one.kind in ("assign", "with", "walrus"):
            binding = index.facts.bindings[one.number]
            given = [(file, binding.value)] if binding.value not in (NONE, number) and not binding.path else []
        further = [_from(ev, *each, calls, depth + 1) for each in given]
        if not further or None in further:
            return None
        found.update(*(each for each in further if each is not None))
    return found or None


def _has_callers(ev: Graph, place: Ref, around: set[Ref]) -> bool:
    """Whether some of the callers may run a function: nobody uses many of the methods that a batch of the project's own
    has for its commands.
    """
    return place in around or bool(ev.callers.of(*place)) or ev.callers.escapes(*place)


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
