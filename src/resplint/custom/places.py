"""Where something stands: in which function, and what that runs for."""

from __future__ import annotations

from collections.abc import Sequence

from resplint.bind.values import Ref
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Step
from resplint.model.project import Project


def steps_from(project: Project, ref: Ref, wanted: Sequence[str]) -> tuple[Step, ...] | None:
    """The way from a function that runs for one of these down to a place; None if none leads there that is known."""
    purpose = next((one for one in project.purposes.of(ref) if one.what in wanted), None)
    return project.steps(purpose.way) if purpose is not None else None


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
