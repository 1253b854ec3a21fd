"""Changes of delays and policies of retrying."""

from __future__ import annotations

from resplint.contracts import facts
from resplint.contracts.findings import Edit
from resplint.contracts.remedy import Given, GrowInstead, MakeInstead
from resplint.spelling.calls import call_of, rename, written
from resplint.spelling.files import NotExpressible, SourceFile
from resplint.spelling.types import imported


def make_instead(file: SourceFile, change: MakeInstead) -> list[Edit]:
    """Another class or factory, imported if need be, and its arguments."""
    call = call_of(file, change.call[1])
    callee = file.facts.exprs[call.callee]
    edits = [rename(file, call.callee, change.name)]
    if isinstance(callee, facts.Name):
        edits += imported(file, change.module, change.name, callee.name)
    if change.arguments is None:
        return edits
    if call.close < 0 or call.end != call.close + 1:
        raise NotExpressible("the brackets are not known")
    start = file.skip_blank(callee.end, call.close)
    inside = file.text(start, call.close)
    if not inside.startswith("(") or any(mark in inside for mark in (file.spelling.line_comment, "/*")):
        raise NotExpressible("a comment would get lost")
    text = ", ".join(_argument(file, one) for one in change.arguments)
    return [*edits, file.edit(start + 1, call.close, text)]


def _argument(file: SourceFile, given: Given) -> str:
    value = written(file, given.value) if given.kept is None else _longer(file, given.kept[1], given.times)
    if not given.name:
        return value
    if not file.spelling.named_argument:
        raise NotExpressible("arguments have no names")
    return file.spelling.named_argument.format(name=given.name, value=value)


def _longer(file: SourceFile, expr: int, times: int) -> str:
    """A number, or a duration made from one, several times as long."""
    if times == 1:
        return file.code(expr)
    record = file.facts.exprs[expr]
    if isinstance(record, facts.Call) and len(record.arguments) == 1:
        amount = file.facts.exprs[record.arguments[0].value]
        inner = _longer(file, record.arguments[0].value, times)
        return f"{file.text(record.start, amount.start)}{inner}{file.text(amount.end, record.end)}"
    if not isinstance(record, facts.Literal) or isinstance(record.value, str | bool | None):
        raise NotExpressible("no number")
    return written(file, record.value * times)


def grow_instead(file: SourceFile, change: GrowInstead) -> list[Edit]:
    """A growing delay in place of a constant one."""
    if not file.spelling.growing_ms:
        raise NotExpressible("not known in this language")
    expr = file.facts.exprs[change.at[1]]
    text = file.spelling.growing_ms.format(delay=change.delay_ms, attempt=change.attempt, cap=change.cap_ms)
    return [file.edit(expr.start, expr.end, text)]
