"""Fields of the object that code runs on, as the code names them."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.contracts import facts
from resplint.contracts.facts import NONE


def field_of(index: FileIndex, owner: int, store: facts.Binding | facts.Write) -> str:
    """The field of a class that is set; "" for anything else."""
    if isinstance(store, facts.Binding):
        return store.name if store.scope == owner else ""
    return own_field(index, store.target)


def own_field(index: FileIndex, number: int) -> str:
    """The field of the object that the code around runs on, or of its class: ``this.lent``, ``Lender.lent``, or
    ``lent`` where that means the same.
    """
    expr = index.facts.exprs[number]
    if isinstance(expr, facts.Name):
        return expr.name if index.field_owner(expr.name, expr.block) else ""
    holder = index.facts.exprs[expr.object] if isinstance(expr, facts.Member) else None
    if not isinstance(expr, facts.Member) or not isinstance(holder, facts.Name):
        return ""
    scope = index.function_of(expr.block)
    if index.class_of(scope) != NONE and index.facts.scopes[index.class_of(scope)].name == holder.name:
        return expr.name
    while scope != NONE and not index.facts.scopes[scope].receiver:
        scope = index.facts.scopes[scope].parent
    return expr.name if scope != NONE and index.facts.scopes[scope].receiver == holder.name else ""
