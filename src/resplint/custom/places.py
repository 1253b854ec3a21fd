"""Where something stands: in which function, and what that runs for."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from resplint.bind.values import Ref
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Step
from resplint.model.project import Project

ROLES = {
    "request": ("handler", "provider_per_request"),
    "task": ("task", "submitted"),
    "message": ("message",),
    "startup": ("startup", "main", "provider"),
    "test": ("test",),
}
"""What code may run for -> the roles of functions."""
_NOUNS = {
    "request": "a request handler", "task": "a task", "message": "a message handler", "startup": "a start-up hook",
    "test": "a test",
}  # fmt: skip
_MOST = 300
"""Functions that are looked at on the way up the callers."""


def steps_from(project: Project, ref: Ref, wanted: Sequence[str]) -> tuple[Step, ...] | None:
    """The way from a function with one of the roles down to a place; None if none leads there that is known."""
    roles = {name: role for role in wanted for name in ROLES[role]}
    start = (ref[0], _function(project, ref))
    pending: deque[tuple[int, int, tuple[Step, ...]]] = deque([(*start, ())])
    seen = {start}
    while pending and len(seen) < _MOST:
        file, scope, steps = pending.popleft()
        index = project.store.files[file]
        if index.facts.scopes[scope].kind == "module":
            continue
        role = project.roles.of(file, scope)
        if role is not None:
            if role.name in roles:
                place = role.ref if role.ref[1] != NONE else (file, -2 - scope)
                name = index.qualified_name(scope)
                who = f"'{name}'" if name else "the function"
                return (project.step(place, f"{who} is {_NOUNS[roles[role.name]]} ({role.by})"), *steps)
            continue
        found = [(site.file, _function(project, site.ref), site.ref) for site in project.ev.callers.of(file, scope)]
        for other, around, call in found:
            if (other, around) not in seen:
                seen.add((other, around))
                name = index.qualified_name(scope)
                message = f"'{name}' is called here" if name else "the function is called here"
                pending.append((other, around, (project.step(call, message), *steps)))
        parent = index.facts.scopes[scope].parent
        if not found and parent != NONE and (file, parent) not in seen:
            seen.add((file, parent))
            pending.append((file, parent, steps))
    return None


def is_in(project: Project, ref: Ref, names: Sequence[str]) -> bool:
    """Whether a place lies in one of the functions or classes that are named by their dotted paths, or by the ends of
    those.
    """
    index = project.store.files[ref[0]]
    module = index.facts.path.rpartition(".")[0].replace("/", ".")
    scope = _function(project, ref)
    while scope != NONE:
        symbol = index.qualified_name(scope)
        for full in (f"{module}.{symbol}", f"{index.facts.package}.{symbol}") if symbol else (module,):
            if any(f".{full}".endswith(f".{name}") for name in names):
                return True
        scope = index.facts.scopes[scope].parent
    return False


def _function(project: Project, ref: Ref) -> int:
    index = project.store.files[ref[0]]
    return index.function_of(index.facts.exprs[ref[1]].block)
