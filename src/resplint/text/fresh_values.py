"""What is never the same twice: the time, random numbers, new identifiers."""

from __future__ import annotations

from resplint.bind.index import FileIndex, children
from resplint.bind.values import Const, External, ExternalObject, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph

_MOST = 100
"""Parts of an expression that are looked at."""
_FEW = 100
"""Turns up to which a loop has few."""
_COMPARED = 2
"""What a comparison compares."""

NOW = "the current time"


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
                    return NOW
                if dotted.startswith(tuple(roles.identifiers)):
                    return "a new identifier"
    return ""


def _in_function(ev: Graph, file: int, number: int) -> bool:
    index = ev.store.files[file]
    return index.facts.scopes[index.function_of(index.facts.exprs[number].block)].kind not in ("module", "class")


def counts_without_bound(ev: Graph, file: int, expr: int) -> bool:
    """Whether an expression is the counter of a loop that runs as often as something says which is no small constant:
    ``for (int i = 0; i < players; i++)``.
    """
    for number, _ in walk(ev, file, expr):
        for value in ev.values(file, number):
            if isinstance(value, Const) and value.ref[1] != NONE:
                index = ev.store.files[value.ref[0]]
                for binding in index.facts.bindings:
                    if binding.kind == "augment" and binding.value == value.ref[1]:
                        if _runs_on(ev, index, binding):
                            return True
    return False


def _is_few(limit: Value) -> bool:
    return isinstance(limit, Const) and isinstance(limit.value, int | float) and limit.value <= _FEW


def _runs_on(ev: Graph, index: FileIndex, counter: facts.Binding) -> bool:
    """Whether a loop compares the counter with something that is no small constant."""
    for number in index.enclosing_blocks(counter.block):
        block = index.facts.blocks[number]
        head = index.facts.exprs[block.head] if block.kind in ("while", "for") and block.head != NONE else None
        if isinstance(head, facts.Operation) and len(head.operands) == _COMPARED:
            names = [getattr(index.facts.exprs[one], "name", "") for one in head.operands]
            if counter.name in names:
                limit = head.operands[1 - names.index(counter.name)]
                return not all(_is_few(one) for one in ev.values(index.number, limit))
    return False
