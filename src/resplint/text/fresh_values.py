"""What is never the same twice: the time, random numbers, new identifiers."""

from __future__ import annotations

from resplint.bind.index import children
from resplint.bind.values import External, ExternalObject
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph

_MOST = 100


def walk(ev: Graph, file: int, expr: int) -> list[tuple[int, facts.Expr]]:
    """An expression, its parts, and what its names are bound to in the same function."""
    index = ev.store.files[file]
    pending, seen = [expr], set[int]()
    found: list[tuple[int, facts.Expr]] = []
    while pending and len(seen) < _MOST:
        number = pending.pop()
        if number in seen or number == NONE:
            continue
        seen.add(number)
        one = index.facts.exprs[number]
        found.append((number, one))
        pending.extend(children(one))
        if isinstance(one, facts.Name):
            scope = index.scope_of(one.block)
            pending.extend(binding.value for binding in index.bindings.get((scope, one.name), ()))
    return found


def named(ev: Graph, file: int, expr: int, *, once_is_old: bool = False) -> str:
    """What makes an expression another one each time, in words for a message; "" for what may stay the same.
    `once_is_old`: what a module keeps, as the time of its start, does not count.
    """
    roles = ev.roles(file)
    for number, _ in walk(ev, file, expr):
        for value in ev.kinds(file, number):
            if isinstance(value, External | ExternalObject):
                made = value.ref if isinstance(value, ExternalObject) else None
                if once_is_old and made is not None and not _in_function(ev, *made):
                    continue
                dotted = value.dotted.replace("()", "")
                if dotted in roles.random:
                    return "a random number"
                if dotted.startswith(tuple(roles.clock)):
                    return "the current time"
                if dotted.startswith(tuple(roles.identifiers)):
                    return "a new identifier"
    return ""


def _in_function(ev: Graph, file: int, number: int) -> bool:
    index = ev.store.files[file]
    return index.facts.scopes[index.function_of(index.facts.exprs[number].block)].kind not in ("module", "class")
