"""Whether two expressions of a file are written alike, so that they mean the same while their variables do."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.contracts import facts
from resplint.contracts.facts import NONE


def reads_same(index: FileIndex, one: int, other: int) -> bool:
    """Whether two expressions are written alike, of the same variables."""
    pending = [(one, other)]
    while pending:
        a, b = pending.pop()
        if NONE in (a, b):
            return False
        first, second = index.facts.exprs[a], index.facts.exprs[b]
        match first, second:
            case facts.Name(name=name), facts.Name(name=again):
                if name != again or owner(index, a) != owner(index, b):
                    return False
            case facts.Literal(value=value), facts.Literal(value=again):
                if value != again:
                    return False
            case facts.Member(name=name, object=inner), facts.Member(name=again, object=outer):
                if name != again:
                    return False
                pending.append((inner, outer))
            case facts.Template(parts=texts), facts.Template(parts=others):
                if len(texts) != len(others):
                    return False
                for text, another in zip(texts, others, strict=True):
                    if isinstance(text, int) and isinstance(another, int):
                        pending.append((text, another))
                    elif text != another:
                        return False
            case facts.Operation(operator=name, operands=texts), facts.Operation(operator=again, operands=others):
                if name != again or len(texts) != len(others):
                    return False
                pending += zip(texts, others, strict=True)
            case facts.Call(callee=inner, arguments=given), facts.Call(callee=outer, arguments=others):
                if len(given) != len(others):
                    return False
                pending += [(inner, outer), *((x.value, y.value) for x, y in zip(given, others, strict=True))]
            case facts.Index(object=inner, key=x), facts.Index(object=outer, key=y):
                pending += [(inner, outer), (x, y)]
            case _:
                return False
    return True


def owner(index: FileIndex, number: int) -> int:
    """The scope whose variable an expression is; NONE where it is no bare name, or none that the file defines."""
    expr = index.facts.exprs[number]
    return index.owner(expr.name, index.scope_of(expr.block)) if isinstance(expr, facts.Name) else NONE
