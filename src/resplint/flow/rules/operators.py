"""What operators give for constants, one combination of operands at a time."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from resplint.bind.values import Const, Ref, Text, Unknown, Value, Values

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
EMPTY: dict[str, tuple[object, ...]] = {"or": (None, False, 0, ""), "||": (None, False, 0, ""), "??": (None,)}
"""Operator -> constants that it passes over in favour of what comes behind: ``limit or settings.limit``."""


def computed(ref: Ref, symbol: str, operands: Sequence[Value]) -> Values:
    """What an operator gives for one value of each operand."""
    if symbol in ("+", "%") and any(_is_text(value) for value in (operands if symbol == "+" else operands[:1])):
        pieces = spelled(operands) if symbol == "+" else None
        if pieces is not None and isinstance(first := operands[0], Const) and _is_text(first):
            return joined(ref, pieces, first.type)
        return (Text(ref),)
    return _number(ref, symbol, operands)


def spelled(parts: Sequence[Value]) -> list[str] | None:
    """What the parts of a text are spelled like; None unless each is a constant. A part that is nothing yet (`None`,
    `null`) gets its value elsewhere: nobody means a text with "None" in it.
    """
    given = [str(one.value) for one in parts if isinstance(one, Const) and one.value is not None]
    return given if len(given) == len(parts) else None


def joined(ref: Ref, pieces: list[str], kind: str) -> Values:
    """Pieces of text as one constant, unless it gets too long."""
    if sum(map(len, pieces)) > MAX_LENGTH:
        return (Text(ref),)
    return (Const("".join(pieces), kind, ref),)


def _is_text(value: Value) -> bool:
    return isinstance(value, Text) or (isinstance(value, Const) and value.type in _TEXTS)


def _number(ref: Ref, symbol: str, operands: Sequence[Value]) -> Values:
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
