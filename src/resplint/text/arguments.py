"""Calls as they are written: which argument fills a parameter, what decorates a function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint.bind.values import FunctionValue, Value, Values
from resplint.contracts import facts
from resplint.contracts.facts import NONE

if TYPE_CHECKING:
    from resplint.bind.index import FileIndex
    from resplint.flow.graph import Graph


def result(ev: Graph, function: Value) -> Values:
    """What a function returns (or yields), whoever calls it; () for what is no function."""
    return ev.returns(function) if isinstance(function, FunctionValue) else ()


def is_property(ev: Graph, function: FunctionValue) -> bool:
    """Whether a method is read like a field."""
    return ev.edges.calls.is_property(function.file, function.scope)


def decorators(ev: Graph, function: FunctionValue) -> list[Value]:
    """Values of a function's decorators; of a decorator that is called, those of what is called."""
    index = ev.store.files[function.file]
    found: list[Value] = []
    for number in index.facts.scopes[function.scope].decorators:
        expr = index.facts.exprs[number]
        found.extend(ev.values(function.file, expr.callee if isinstance(expr, facts.Call) else number))
    return found


def argument(index: FileIndex, number: int, record: facts.Scope, position: int, bound: int) -> int | None:
    """The argument of a call that fills a parameter: its expression, None when omitted, NONE when it is not known."""
    expr = index.facts.exprs[number]
    assert isinstance(expr, facts.Call)
    name = record.parameters[position].name
    wanted = position - bound
    place = 0
    for item in expr.arguments:
        if item.name == name:
            return item.value
        if item.name == "*":
            return NONE
        if not item.name:
            if place == wanted and record.parameters[position].kind != "kw":
                return item.value
            place += 1
    return NONE if any(item.name == "**" for item in expr.arguments) else None
