"""Functions whose role a framework tells by the file that exports them and the name under which it does:
``export async function GET()`` in `app/orders/route.ts`.
"""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.files.globs import pattern_list
from resplint.knowledge.records.role_records import RolePattern

_WHOLE = "default"
"""What stands for a module as a whole."""


def has_place(index: FileIndex, scope: int, pattern: RolePattern) -> bool:
    """Whether a function is exported under a name, from a file and with a first parameter, as a pattern says."""
    record = index.facts.scopes[scope]
    if record.kind != "function" or record.parent != 0 or not (pattern.paths or pattern.first_parameter):
        return False
    if pattern.paths and not pattern_list(pattern.paths).verdict(index.facts.path, folder=False):
        return False
    first = record.parameters[0].name if record.parameters else ""
    if pattern.first_parameter and first not in pattern.first_parameter:
        return False
    return not _names(index, scope).isdisjoint(pattern.exports)


def is_handed_out(index: FileIndex, scope: int) -> bool:
    """Whether a module hands out one of its functions under a name, alone or in an object."""
    for binding in index.facts.bindings:
        if binding.name.partition(".")[0] == "exports" and binding.value != NONE:
            value = index.facts.exprs[binding.value]
            items = value.items if isinstance(value, facts.Collection) else (binding.value,)
            if any(_stands_for(index, item, scope) for item in items):
                return True
    return False


def _stands_for(index: FileIndex, number: int, scope: int) -> bool:
    expr = index.facts.exprs[number]
    if isinstance(expr, facts.Function):
        return expr.scope == scope
    names = {index.facts.scopes[scope].name, *index.callable_names(scope)} - {""}
    return isinstance(expr, facts.Name) and expr.name in names


def _names(index: FileIndex, scope: int) -> set[str]:
    """The names under which a module may hand out one of its functions."""
    record = index.facts.scopes[scope]
    found = {record.name, *index.callable_names(scope)} - {""}
    for binding in index.facts.bindings:
        value = index.facts.exprs[binding.value] if binding.value != NONE else None
        own = isinstance(value, facts.Function) and value.scope == scope
        if own or (isinstance(value, facts.Name) and value.name == record.name and binding.name.startswith("exports")):
            found.add(binding.name.removeprefix("exports.") if binding.name != "exports" else _WHOLE)
    return found
