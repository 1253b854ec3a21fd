"""What general pools hold: objects that a function or factory of the project makes for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint.bind.values import (
    CollectionValue,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryObject,
    Value,
    Values,
    merge,
)
from resplint.contracts import facts
from resplint.text import arguments as calls
from resplint.text import collections as elements

if TYPE_CHECKING:
    from resplint.flow.graph import Graph


def held(ev: Graph, pool: LibraryObject) -> list[LibraryObject]:
    """Objects of client libraries that a pool was given a way to make."""
    call = ev.store.expr(pool.made) if pool.made is not None else None
    if pool.made is None or not isinstance(call, facts.Call):
        return []
    names = pool.origin.library.library.creating
    groups = [_made_by(ev, value, names) for item in call.arguments for value in ev.values(pool.made[0], item.value)]
    return [value for value in merge(groups) if isinstance(value, LibraryObject) and value.kind != "config"]


def _made_by(ev: Graph, value: Value, names: tuple[str, ...]) -> Values:
    """What a function gives, or the creating method of a factory."""
    if isinstance(value, FunctionValue):
        return _unwrapped(ev, calls.result(ev, value))
    groups: list[Values] = []
    for name in names:
        if isinstance(value, CollectionValue):
            found = elements.entry(ev, value, name)
            groups += [calls.result(ev, one) for one in found if isinstance(one, FunctionValue)]
        elif isinstance(value, Instance):
            method = ev.classes.method(value.file, value.scope, name)
            if method is not None:
                groups.append(calls.result(ev, FunctionValue(method.file, method.scope, value)))
    return _unwrapped(ev, merge(groups))


def _unwrapped(ev: Graph, values: Values) -> Values:
    """`new DefaultPooledObject<>(jedis)` is what it wraps."""
    groups: list[Values] = [values]
    for value in values:
        call = ev.store.expr(value.ref) if isinstance(value, ExternalObject) and value.ref is not None else None
        if isinstance(call, facts.Call) and isinstance(value, ExternalObject) and value.ref is not None:
            groups += [ev.values(value.ref[0], item.value) for item in call.arguments[:1]]
    return merge(groups)
