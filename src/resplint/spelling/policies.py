"""Changes of delays and policies of retrying."""

from __future__ import annotations

from resplint.contracts import facts
from resplint.contracts.findings import Edit
from resplint.contracts.remedy import GrowInstead, MakeInstead
from resplint.spelling.calls import arguments, call_of, rename
from resplint.spelling.files import NotExpressible, SourceFile
from resplint.spelling.types import imported


def make_instead(file: SourceFile, change: MakeInstead) -> list[Edit]:
    """Another class or factory, imported if need be, and its arguments."""
    call = call_of(file, change.call[1])
    callee = file.facts.exprs[call.callee]
    edits = [rename(file, call.callee, change.name)]
    if isinstance(callee, facts.Name):
        edits += imported(file, change.module, change.name, callee.name)
    return edits if change.arguments is None else [*edits, arguments(file, call, change.arguments)]


def grow_instead(file: SourceFile, change: GrowInstead) -> list[Edit]:
    """A growing delay in place of a constant one."""
    if not file.spelling.growing_ms:
        raise NotExpressible("not known in this language")
    expr = file.facts.exprs[change.at[1]]
    text = file.spelling.growing_ms.format(delay=change.delay_ms, attempt=change.attempt, cap=change.cap_ms)
    return [file.edit(expr.start, expr.end, text)]
