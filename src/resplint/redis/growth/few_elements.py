"""Whether the elements that a loop goes through are the first or the last few: ``for name in ranking[:10]``."""

from __future__ import annotations

from resplint.bind.values import Const, LoopValue, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph

_SLICE = ":"


def is_of_few(evaluator: Graph, field: Ref) -> bool:
    """Whether an expression is always one of a number of elements that the code says, or belongs to one."""
    file, number = field
    while isinstance(expr := evaluator.store.expr((file, number)), facts.Member | facts.Call):
        number = expr.object if isinstance(expr, facts.Member) else expr.callee
    values = evaluator.values(file, number)
    return bool(values) and all(isinstance(one, LoopValue) and _is_cut(evaluator, one.ref) for one in values)


def _is_cut(evaluator: Graph, ref: Ref) -> bool:
    """Whether a list is a part of another one, as long as constants say."""
    file, number = ref[0], evaluator.binder.names(ref[0]).only_value(ref[1])
    index = evaluator.store.files[file]
    expr = index.facts.exprs[number]
    if isinstance(expr, facts.Index):
        key = index.facts.exprs[expr.key]
        if not isinstance(key, facts.Operation) or key.operator != _SLICE or not key.operands:
            return False
        to_the_end = len(key.operands) == 1 and index.facts.exprs[key.operands[0]].start == key.start
        return _bounds(evaluator, file, key.operands, to_the_end=to_the_end)
    callee = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
    if not isinstance(expr, facts.Call) or not isinstance(callee, facts.Member):
        return False
    cutters = evaluator.roles(file).words.cutters
    given = tuple(one.value for one in expr.arguments)
    if callee.name not in cutters or not given:
        return False
    return _bounds(evaluator, file, given, to_the_end=len(given) < cutters[callee.name])


def _bounds(evaluator: Graph, file: int, ends: tuple[int, ...], *, to_the_end: bool) -> bool:
    """Whether the ends of a part are numbers that are counted from the same side."""
    sides = set()
    for number in ends:
        values = evaluator.values(file, number)
        if not values or not all(isinstance(one, Const) and isinstance(one.value, int) for one in values):
            return False
        sides |= {isinstance(one, Const) and isinstance(one.value, int) and one.value < 0 for one in values}
    return sides == {to_the_end}
