"""The text behind what gives it in another form: its bytes, its characters."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph


def text_of(ev: Graph, index: FileIndex, number: int) -> int:
    """The text that an expression gives in another form: ``key.getBytes()``, ``SafeEncoder.encode(key)``, a variable
    that holds such bytes; any other expression itself.
    """
    forms = ev.roles(index.number).text_forms
    seen: set[int] = set()
    while forms and number != NONE and number not in seen:
        seen.add(number)
        held = _held(index, number)
        inner = _inside(ev, index, held)
        if inner == NONE:
            break
        number = inner
    return number


def _held(index: FileIndex, number: int) -> int:
    """What a name that is bound once stands for; an expression of another kind itself."""
    expr = index.facts.exprs[number]
    if not isinstance(expr, facts.Name):
        return number
    bound = index.bindings.get((index.owner(expr.name, index.scope_of(expr.block)), expr.name), ())
    held = bound[0].value if len(bound) == 1 else NONE
    return held if held != NONE else number


def _inside(ev: Graph, index: FileIndex, number: int) -> int:
    """The text in a call that gives another form of it; NONE for any other expression."""
    expr = index.facts.exprs[number]
    callee = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
    if not isinstance(expr, facts.Call) or not isinstance(callee, facts.Member | facts.Name):
        return NONE
    forms = ev.roles(index.number).text_forms
    place = forms.get(callee.name) or forms.get(ev.binder.dotted(index.number, expr.callee), "")
    if place == "object" and isinstance(callee, facts.Member):
        return callee.object
    return expr.arguments[0].value if place == "argument" and len(expr.arguments) == 1 else NONE
