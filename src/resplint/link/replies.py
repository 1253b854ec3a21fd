"""What code does with the reply of a command."""

from __future__ import annotations

from resplint.facts import NONE, Binding, Choice, Index, Member, Operation
from resplint.link.index import FileIndex


def needs_reply(index: FileIndex, call: int) -> bool:
    """Whether the code around a call would fail on an empty reply: it takes the reply apart without a look at it."""
    if _is_taken_apart(index, call):
        return True
    return any(
        binding.path or (_parts_of(index, binding) and not _is_tested(index, binding))
        for binding in index.bound_to.get(call, ())
    )


def looks_at_errors(index: FileIndex, call: int, position: int) -> bool:
    """Whether code that gets a list of pairs takes the error out of each, at `position`, and does something with it:
    ``const [[error, name], [other, age]] = await batch.exec()``.
    """
    bindings = index.bound_to.get(call, ())
    pairs = {binding.path[0] for binding in bindings if len(binding.path) > 1}
    errors = [binding for binding in bindings if binding.path[1:] == (position,)]
    return (
        bool(bindings)
        and all(len(binding.path) > 1 for binding in bindings)
        and pairs == {binding.path[0] for binding in errors}
        and all(_mentions(index, binding) for binding in errors)
    )


def _is_taken_apart(index: FileIndex, expr: int) -> bool:
    holder = index.parents.get(expr)
    found = index.facts.exprs[holder] if holder is not None else None
    return isinstance(found, Member | Index) and found.object == expr


def _parts_of(index: FileIndex, binding: Binding) -> bool:
    """Whether parts of what a variable holds are read anywhere in its function."""
    return any(_is_taken_apart(index, number) for number in _mentions(index, binding))


def _is_tested(index: FileIndex, binding: Binding) -> bool:
    """Whether a condition or an operator (``reply or …``, ``reply is None``) looks at the variable."""
    for number in _mentions(index, binding):
        current: int | None = number
        while current is not None:
            expr = index.facts.exprs[current]
            if current in index.conditions or isinstance(expr, Operation):
                return True
            if isinstance(expr, Choice) and expr.condition != NONE:
                return True
            current = index.parents.get(current)
    return False


def _mentions(index: FileIndex, binding: Binding) -> list[int]:
    """Where the variable of a binding is named in its function."""
    scope = index.function_of(binding.block)
    function = index.facts.scopes[scope]
    named = index.names_between(binding.name, function.start, function.end)
    return [number for number in named if index.function_of(index.facts.exprs[number].block) == scope]
