"""What operators and texts with holes stand for."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING

from resplint import facts
from resplint.link.values import Const, Ref, Text, Unknown, Value, Values, merge

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator

_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "<<": lambda number, places: int(number) << int(places) if 0 <= places <= 62 else 0,
}
MAX_LENGTH = 200_000
"""Characters of a constant that is put together. Each line of a file can double the text of the line before."""
_NUMBERS = ("int", "float")
_TEXTS = ("str", "bytes")
_EMPTY: dict[str, tuple[object, ...]] = {"or": (None, False, 0, ""), "||": (None, False, 0, ""), "??": (None,)}
"""Operator -> constants that it passes over in favour of what comes behind: ``limit or settings.limit``."""


def template(ev: Evaluator, ref: Ref, expr: facts.Template) -> Values:
    """Values of a text with holes: a constant if what fills them is."""
    pieces = []
    for part in expr.parts:
        if isinstance(part, str):
            pieces.append(part)
            continue
        values = ev.values(ref[0], part)
        if len(values) != 1 or not isinstance(values[0], Const):
            return (Text(ref),)
        pieces.append(str(values[0].value))
    return _text(ref, pieces, "str")


def operation(ev: Evaluator, ref: Ref, expr: facts.Operation) -> Values:
    """Values of an operator with its operands."""
    groups = [ev.values(ref[0], operand) for operand in expr.operands]
    if expr.operator in ("or", "and", "??", "||"):
        passed_over = _EMPTY.get(expr.operator, ())
        left = [tuple(one for one in group if not _is_one_of(one, passed_over)) for group in groups[:-1]]
        return merge([*left, groups[-1]])
    if expr.operator in ("+", "%") and any(_is_text(value) for value in groups[0]):
        return _joined(ref, expr, groups)
    if expr.operator == "+" and any(group and all(_is_text(value) for value in group) for group in groups[1:]):
        return _joined(ref, expr, groups)  # what is added to a text is text, whatever it is
    if all(len(group) == 1 for group in groups):
        return _computed(ref, expr.operator, [group[0] for group in groups])
    if len(groups) == 1:
        return merge([_computed(ref, expr.operator, [value]) for value in groups[0]])
    if len(groups) == 2:
        return merge([_computed(ref, expr.operator, [a, b]) for a in groups[0] for b in groups[1]])
    return (Unknown(),)


def _is_text(value: Value) -> bool:
    return isinstance(value, Text) or (isinstance(value, Const) and value.type in _TEXTS)


def _is_one_of(value: Value, constants: tuple[object, ...]) -> bool:
    return isinstance(value, Const) and value.value in constants


def _joined(ref: Ref, expr: facts.Operation, groups: list[Values]) -> Values:
    consts = [group[0] for group in groups if len(group) == 1 and isinstance(group[0], Const)]
    if expr.operator == "+" and len(consts) == len(groups):
        kind = next((const.type for const in consts if const.type in _TEXTS), "str")
        return _text(ref, [str(const.value) for const in consts], kind)
    return (Text(ref),)


def _text(ref: Ref, pieces: list[str], kind: str) -> Values:
    if sum(map(len, pieces)) > MAX_LENGTH:
        return (Text(ref),)
    return (Const("".join(pieces), kind, ref),)


def _computed(ref: Ref, symbol: str, operands: list[object]) -> Values:
    numbers = [value.value for value in operands if isinstance(value, Const) and value.type in _NUMBERS]
    if len(numbers) != len(operands) or not numbers:
        return (Unknown(),)
    if len(numbers) == 1:
        return (Const(-numbers[0], "float", ref),) if symbol == "-" else (Unknown(),)  # type: ignore[operator]
    action = _ARITHMETIC.get(symbol)
    if symbol == "**" and all(abs(number) <= 64 for number in numbers):  # type: ignore[arg-type]
        action = operator.pow
    if action is None:
        return (Unknown(),)
    try:
        total = numbers[0]
        for number in numbers[1:]:
            total = action(total, number)  # type: ignore[arg-type]
    except (ArithmeticError, ValueError):
        return (Unknown(),)
    if isinstance(total, complex) or (isinstance(total, int) and abs(total) > 2**62):
        return (Unknown(),)
    return (Const(total, "int" if isinstance(total, int) else "float", ref),)
