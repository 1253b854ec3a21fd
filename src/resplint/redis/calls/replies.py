"""What code does with the reply of a command."""

from __future__ import annotations

from resplint.bind.index import FileIndex, children
from resplint.contracts.facts import NONE, Binding, Choice, Index, Literal, Member, Name, Operation

_COMBINING = ("or", "||", "-", "/", "//", "%", "<", ">", "<=", ">=", "==", "!=", "===", "!==")
"""Operators whose result is wrong when their operands are of different moments. A sum is an estimate, and who wants
both of two things does without when one is missing.
"""
_EITHER = ("or", "||")
_DENIALS = ("not", "!")


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


def are_combined(index: FileIndex, call: int) -> bool:
    """Whether one expression puts several replies of a batch together, which then have to be of one moment:
    ``waiting, due = await batch.execute()`` and ``return waiting > 0 or due > 0``. Whether one is missing
    (``!name || !mail``) is asked of each for itself.
    """
    lists = {binding.name for binding in index.bound_to.get(call, ()) if not binding.path}
    parts = {binding.name: binding.path[0] for binding in index.bound_to.get(call, ()) if len(binding.path) == 1}
    function = index.facts.scopes[index.function_of(index.facts.exprs[call].block)]
    end = index.facts.blocks[function.block].end
    inside = index.facts.exprs[call].end
    for binding in index.by_place.bindings.between(inside, end):
        if binding.value != NONE and not binding.path:
            place = _place(index, binding.value, lists)
            if place is not None:
                parts[binding.name] = place
    return any(
        len({place for operand in expr.operands for place in _places(index, operand, lists, parts)}) > 1
        for expr in index.by_place.operations.between(inside, end)
        if expr.operator in _COMBINING and not _is_any_absent(index, expr)
    )


def _is_any_absent(index: FileIndex, found: Operation) -> bool:
    """Whether an operation asks of each of several values for itself whether there is none: ``!name || !mail``."""
    denied = [index.facts.exprs[number] for number in found.operands]
    return found.operator in _EITHER and all(
        isinstance(one, Operation)
        and one.operator in _DENIALS
        and all(isinstance(index.facts.exprs[inner], Name | Index) for inner in one.operands)
        for one in denied
    )


def _place(index: FileIndex, number: int, lists: set[str]) -> int | str | None:
    """The place of a reply in a list of replies: ``results[1]``."""
    expr = index.facts.exprs[number]
    if not isinstance(expr, Index):
        return None
    holder, key = index.facts.exprs[expr.object], index.facts.exprs[expr.key]
    if isinstance(holder, Name) and holder.name in lists and isinstance(key, Literal) and isinstance(key.value, int):
        return key.value
    return None


def _places(index: FileIndex, number: int, lists: set[str], parts: dict[str, int | str]) -> set[int | str]:
    """Places of the replies that an expression is made of."""
    found, pending = set[int | str](), [number]
    while pending:
        current = pending.pop()
        expr = index.facts.exprs[current]
        place = _place(index, current, lists)
        if place is not None:
            found.add(place)
        elif isinstance(expr, Name):
            found |= {parts[expr.name]} if expr.name in parts else set()
        else:
            pending.extend(children(expr))
    return found


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
