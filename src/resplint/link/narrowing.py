"""What the conditions around a use rule out: inside ``if timeout:`` a timeout is not 0."""

from __future__ import annotations

from collections.abc import Callable

from resplint import facts
from resplint.facts import NONE
from resplint.link.index import FileIndex, children
from resplint.link.values import Const, Unknown, Value, Values

_FEW = 50
"""Parts of an expression that are looked at."""


def narrowed(index: FileIndex, values: Values, name: str, block: int) -> Values:
    """The values of a name without those that the branches around `block` exclude."""
    if not any(isinstance(value, Const) for value in values):
        return values
    for number in index.enclosing_blocks(block):
        branch = index.facts.blocks[number]
        if branch.kind == "if" and branch.head != NONE:
            values = _kept(index, values, name, branch.head, True)
        elif branch.kind == "else":
            for other in index.clauses.get(("if", branch.group), ()):
                head = index.facts.blocks[other].head
                if head != NONE:
                    values = _kept(index, values, name, head, False)
    return values


def under_condition(index: FileIndex, values: Values, choice: facts.Choice) -> Values:
    """Values of the first option of `x // 1000 if x else 1`: nothing that comes of an empty or zero `x`."""
    test = index.facts.exprs[choice.condition]
    if not isinstance(test, facts.Name | facts.Member):
        return values
    pending = [choice.options[0]]
    for _ in range(_FEW):
        if not pending:
            break
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
    if _is_name(test, name):
        return _without(values, lambda value: isinstance(value, Const) and bool(value.value) is not holds)
    if holds and _above_zero(index, test, name):
        return _without(values, lambda value: isinstance(value, Const) and not value.value)
    if isinstance(test, facts.Operation) and len(test.operands) == 2 and _compares_none(index, test, name):
        is_none = holds if test.operator in ("is", "==") else not holds
        return _without(values, lambda value: isinstance(value, Const) and (value.value is None) is not is_none)
    return values


def _compares_none(index: FileIndex, test: facts.Operation, name: str) -> bool:
    left, right = (index.facts.exprs[operand] for operand in test.operands)
    none = isinstance(right, facts.Literal) and right.type == "none"
    return none and test.operator in ("is", "is not", "==", "!=") and _is_name(left, name)


def _above_zero(index: FileIndex, test: facts.Expr, name: str) -> bool:
    """`name > 0` or `name >= 1`."""
    if not isinstance(test, facts.Operation) or len(test.operands) != 2 or test.operator not in (">", ">="):
        return False
    left, right = (index.facts.exprs[operand] for operand in test.operands)
    floor = right.value if isinstance(right, facts.Literal) and isinstance(right.value, int) else -1
    return _is_name(left, name) and floor >= (0 if test.operator == ">" else 1)


def _is_name(expr: facts.Expr, name: str) -> bool:
    return isinstance(expr, facts.Name) and expr.name == name


def _without(values: Values, excluded: Callable[[Value], bool]) -> Values:
    kept = tuple(value for value in values if not excluded(value))
    return kept or (Unknown(),)
