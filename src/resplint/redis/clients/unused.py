"""Clients that are made and closed again, and asked for nothing between."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import LibraryObject
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.redis.usage import Usage


def is_closed_unused(evaluator: Graph, usage: Usage, value: LibraryObject) -> bool:
    """Whether a client is closed in the function that makes it, and nothing else gets hold of it."""
    made = value.made
    if made is None:
        return False
    index = evaluator.store.files[made[0]]
    function = index.function_of(index.facts.exprs[made[1]].block)
    closed = [index.facts.exprs[number] for file, number in usage.closed_at(made) if file == index.number]
    if not any(index.function_of(one.block) == function for one in closed):
        return False
    return all(file == index.number and _is_asked(index, number, function) for file, number in evaluator.places(made))


def _is_asked(index: FileIndex, number: int, function: int) -> bool:
    """Whether an object is no more than called where it is named, in the function that makes it."""
    expr = index.facts.exprs[number]
    if isinstance(expr, facts.Call):
        return True  # what makes it, or a method that gives it again
    holder = index.parents.get(number)
    return (
        isinstance(expr, facts.Name)
        and index.function_of(expr.block) == function
        and holder is not None
        and isinstance(index.facts.exprs[holder], facts.Member)
    )
