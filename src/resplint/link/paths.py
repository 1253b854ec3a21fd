"""Objects as they are written: ``self.stopped``. The same path in one function is the same object."""

from __future__ import annotations

from resplint import facts
from resplint.facts import NONE
from resplint.link.index import FileIndex


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
