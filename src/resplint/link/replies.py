"""What code does with the reply of a command."""

from __future__ import annotations

from resplint.facts import NONE, Binding, Choice, Index, Member, Name, Operation
from resplint.link.index import FileIndex, children


def needs_reply(index: FileIndex, call: int) -> bool:
    """Whether the code around a call would fail on an empty reply: it takes the reply apart without a look at it."""
    if _is_taken_apart(index, call):
        return True
    for binding in index.facts.bindings:
        if binding.value == call:
            if binding.path or (_parts_of(index, binding) and not _is_tested(index, binding)):
                return True
    return False


def _is_taken_apart(index: FileIndex, expr: int) -> bool:
    holder = index.parents.get(expr)
    found = index.facts.exprs[holder] if holder is not None else None
    return isinstance(found, Member | Index) and found.object == expr


def _parts_of(index: FileIndex, binding: Binding) -> bool:
    """Whether parts of what a variable holds are read anywhere in its function."""
    return any(_is_taken_apart(index, number) for number in _mentions(index, binding))


def _is_tested(index: FileIndex, binding: Binding) -> bool:
    """Whether a condition or an operator (``reply or …``, ``reply is None``) looks at the variable."""
    names = set(_mentions(index, binding))
    heads = [block.head for block in index.facts.blocks if block.kind in ("if", "while") and block.head != NONE]
    heads += [expr.condition for expr in index.facts.exprs if isinstance(expr, Choice) and expr.condition != NONE]
    heads += [number for number, expr in enumerate(index.facts.exprs) if isinstance(expr, Operation)]
    seen: set[int] = set()
    while heads:
        number = heads.pop()
        if number in names:
            return True
        if number not in seen:
            seen.add(number)
            heads += children(index.facts.exprs[number])
    return False


def _mentions(index: FileIndex, binding: Binding) -> list[int]:
    """Where the variable of a binding is named in its function."""
    scope = index.function_of(binding.block)
    return [
        number
        for number, expr in enumerate(index.facts.exprs)
        if isinstance(expr, Name) and expr.name == binding.name and index.function_of(expr.block) == scope
    ]
