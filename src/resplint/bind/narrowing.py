"""What the conditions around a use rule out: inside ``if timeout:`` a timeout is not 0."""

from __future__ import annotations

from collections.abc import Callable

from resplint.bind.exit_paths import path
from resplint.bind.index import FileIndex, children
from resplint.bind.values import Const, Unknown, Value, Values
from resplint.contracts import facts
from resplint.contracts.facts import NONE


def narrowed(index: FileIndex, values: Values, name: str, block: int, start: int) -> Values:
    """The values of a name, or of a path of members (``settings.limit``), at `start` without those that the branches
    around `block` exclude, and those that leave in front of it: ``if timeout is None: return``.
    """
    if not any(isinstance(value, Const) for value in values):
        return values
    for number in index.enclosing_blocks(block):
        for guard in index.guards.get(number, ()):
            left = index.facts.blocks[guard]
            if left.end <= start and not _given_anew(index, name, left.end, start):
                values = _kept(index, values, name, left.head, False)
        branch = index.facts.blocks[number]
        if branch.kind == "if" and branch.head != NONE:
            values = _kept(index, values, name, branch.head, True)
        elif branch.kind == "else":
            for other in index.clauses.get(("if", branch.group), ()):
                head = index.facts.blocks[other].head
                if head != NONE:
                    values = _kept(index, values, name, head, False)
    return values


def _given_anew(index: FileIndex, name: str, start: int, end: int) -> bool:
    """Whether a name gets another value between two offsets."""
    return any(start <= binding.start < end for binding in index.bindings_by_name.get(name, ()))


def under_condition(index: FileIndex, values: Values, choice: facts.Choice) -> Values:
    """Values of the first option of `x // 1000 if x else 1`: nothing that comes of an empty or zero `x`."""
    test = index.facts.exprs[choice.condition]
    if not isinstance(test, facts.Name | facts.Member):
        return values
    pending = [choice.options[0]]
    while pending:
        part = index.facts.exprs[pending.pop()]
        if isinstance(part, facts.Name | facts.Member) and type(part) is type(test) and part.name == test.name:
            return _without(values, lambda value: isinstance(value, Const) and not value.value)
        pending.extend(children(part))
    return values


def _kept(index: FileIndex, values: Values, name: str, head: int, holds: bool) -> Values:
    """Values for which a condition can have the outcome `holds`; all of them if it says nothing about the name."""
    test = index.facts.exprs[head]
    if isinstance(test, facts.Operation) and test.operator == "not" and test.operands:
        return _kept(index, values, name, test.operands[0], not holds)
    if isinstance(test, facts.Operation) and test.operator == ("and" if holds else "or"):
        for operand in test.operands:
            values = _kept(index, values, name, operand, holds)
        return values
    if path(index, head) == name:
        return _without(values, lambda value: isinstance(value, Const) and bool(value.value) is not holds)
    if not isinstance(test, facts.Operation) or len(test.operands) != 2:
        return values
    right = index.facts.exprs[test.operands[1]]
    if path(index, test.operands[0]) != name or not isinstance(right, facts.Literal):
        return values
    if _above_zero(test.operator if holds else _NEGATED.get(test.operator, ""), right.value):
        return _without(values, lambda value: isinstance(value, Const) and not value.value)
    if test.operator in _EQUAL and (right.type == "none" or right.value == 0):
        same = holds is _EQUAL[test.operator]
        return _without(values, lambda value: isinstance(value, Const) and _equals(value, right) is not same)
    return values


_NEGATED = {"<": ">=", "<=": ">"}
_EQUAL = {"is": True, "==": True, "===": True, "is not": False, "!=": False, "!==": False}


def _above_zero(operator: str, limit: object) -> bool:
    """`> 0` or `>= 1`."""
    floor = limit if isinstance(limit, int | float) else -1
    return floor >= {">": 0, ">=": 1}.get(operator, float("inf"))


def _equals(value: Const, literal: facts.Literal) -> bool:
    """Whether a constant is what a literal says; None is no zero, nor is False."""
    if literal.type == "none" or value.value is None or isinstance(value.value, bool):
        return value.value is literal.value
    return value.value == literal.value


def _without(values: Values, excluded: Callable[[Value], bool]) -> Values:
    kept = tuple(value for value in values if not excluded(value))
    return kept or (Unknown(),)
