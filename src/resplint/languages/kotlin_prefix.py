"""Kotlin's prefix operators bind looser than calls and members, which the grammar has the other way round: to it,
``!client.exists(key)`` is a call of a member of ``!client``.
"""

from __future__ import annotations

import msgspec

from resplint.contracts import facts
from resplint.contracts.facts import FileFacts

_PREFIXES = ("not", "-", "+")


def postprocess(file: FileFacts) -> FileFacts:
    """The file with prefix operators around the whole chain of calls that they stand in front of."""
    holders = _holders(file)
    exprs: list[facts.Expr] = list(file.exprs)
    for number, expr in enumerate(file.exprs):
        if isinstance(expr, facts.Operation) and expr.operator in _PREFIXES and len(expr.operands) == 1:
            chain = _chain(holders, number)
            if chain:
                _hoist(exprs, number, expr, chain)
    return msgspec.structs.replace(file, exprs=tuple(exprs)) if holders else file


def _holders(file: FileFacts) -> dict[int, int]:
    """Expression -> the call, member or element access that is made on it, where both begin at the same place."""
    table: dict[int, int] = {}
    for number, expr in enumerate(file.exprs):
        inner = -1
        if isinstance(expr, facts.Call):
            inner = expr.callee
        elif isinstance(expr, facts.Member | facts.Index):
            inner = expr.object
        if inner >= 0 and file.exprs[inner].start == expr.start:
            table[inner] = number
    return table


def _chain(holders: dict[int, int], number: int) -> list[int]:
    """What hangs on an operator, innermost first."""
    found: list[int] = []
    while number in holders:
        number = holders[number]
        found.append(number)
    return found


def _hoist(exprs: list[facts.Expr], number: int, operator: facts.Operation, chain: list[int]) -> None:
    """Make the outermost expression the operation, and the operator's place what was outermost."""
    operand = operator.operands[0]
    start = exprs[operand].start
    below = operand
    for each in chain:
        expr = exprs[each]
        part = {"callee": below} if isinstance(expr, facts.Call) else {"object": below}
        exprs[each] = msgspec.structs.replace(expr, start=start, **part)
        below = each
    last = chain[-1]
    exprs[number] = exprs[last]
    exprs[last] = msgspec.structs.replace(operator, end=exprs[last].end, operands=(number,))
