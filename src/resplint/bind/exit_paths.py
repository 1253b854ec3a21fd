"""Objects as they are written: ``self.stopped``. The same path in one function is the same object."""

from __future__ import annotations

from resplint.bind.index import FileIndex, parts
from resplint.contracts import facts
from resplint.contracts.facts import NONE


def path(index: FileIndex, number: int) -> str:
    """``self.stopped`` as it is written; "" for anything but names and members."""
    names: list[str] = []
    expr = index.facts.exprs[number]
    while isinstance(expr, facts.Member):
        names.append(expr.name)
        expr = index.facts.exprs[expr.object]
    return ".".join((expr.name, *reversed(names))) if isinstance(expr, facts.Name) else ""


def own_path(index: FileIndex, number: int) -> str:
    """The same without the name of the own object, which some languages leave out."""
    written = path(index, number)
    root, _, rest = written.partition(".")
    return rest if rest and root == receiver(index, index.function_of(index.facts.exprs[number].block)) else written


def receiver(index: FileIndex, scope: int) -> str:
    """Under which name a function knows the object that it, or one around it, is a method of; "" if there is none."""
    while scope != NONE and not index.facts.scopes[scope].receiver:
        scope = index.facts.scopes[scope].parent
    return index.facts.scopes[scope].receiver if scope != NONE else ""


def mentions(index: FileIndex, expr: int, name: str) -> bool:
    """Whether an expression has a name or member in it."""
    below = (index.facts.exprs[number] for number in parts(index.facts.exprs, expr))
    return any(isinstance(one, facts.Name | facts.Member) and one.name == name for one in below)


def alike(index: FileIndex, one: int, other: int) -> bool:
    """Whether two expressions are the same object or the same literal, as they are written."""
    left, right = index.facts.exprs[one], index.facts.exprs[other]
    if isinstance(left, facts.Literal) and isinstance(right, facts.Literal):
        return (left.type, left.value) == (right.type, right.value)
    written = path(index, one)
    return bool(written) and written == path(index, other)
