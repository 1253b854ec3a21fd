"""Changes of calls: an argument more, another method, another constant."""

from __future__ import annotations

import re
from collections.abc import Sequence

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Edit
from resplint.contracts.remedy import CallInstead, Given, Plain, ReplaceCode, ReplaceValue, SetOption
from resplint.spelling.files import NotExpressible, SourceFile
from resplint.spelling.layout import appended

_MARK = re.compile(r"^\d[\d_]*([lLn])$")
"""What marks an integer as a long one."""


def written(file: SourceFile, value: Plain) -> str:
    """A constant as the language of a file writes it."""
    if value is None:
        return file.spelling.nothing
    if isinstance(value, bool):
        return file.spelling.true if value else file.spelling.false
    if isinstance(value, str):
        if not value.isalpha():
            raise NotExpressible("text needs quotes")
        return f"{_quote(file)}{value}{_quote(file)}"
    return f"{value:g}" if isinstance(value, float) and not value.is_integer() else str(int(value))


def _quote(file: SourceFile) -> str:
    """The sign between which a file has most of its texts."""
    texts = [expr for expr in file.facts.exprs if isinstance(expr, facts.Literal) and expr.type == "str"]
    signs = [file.text(expr.start, expr.start + 1) for expr in texts]
    return max("'\"", key=signs.count) if "'" in signs else '"'


def call_of(file: SourceFile, expr: int) -> facts.Call:
    """The call that an expression is."""
    call = file.facts.exprs[expr]
    if not isinstance(call, facts.Call):
        raise NotExpressible("no call")
    return call


def start_of_last(file: SourceFile, call: facts.Call) -> int:
    """Where the last argument of a call starts, its name included; NONE when there is none."""
    if not call.arguments:
        return NONE
    start = file.facts.exprs[call.arguments[-1].value].start
    line = file.line_start(start)
    return line + len(file.indent(start)) if _names_only(file, call, line, start) else start


def _names_only(file: SourceFile, call: facts.Call, line: int, start: int) -> bool:
    """Whether only the argument's own name, or a mark such as ``**``, stands before its value on the line."""
    before = file.text(line, start).strip()
    name = call.arguments[-1].name
    return not before or before.rstrip("=: ").strip("*.") in ("", name)


def set_option(file: SourceFile, change: SetOption) -> list[Edit]:
    """A named argument more, behind the others."""
    call = call_of(file, change.call[1])
    form = file.spelling.named_argument
    if not form or any(item.name in ("*", "**", change.name) for item in call.arguments):
        raise NotExpressible("the option cannot be named here")
    text = form.format(name=change.name, value=written(file, change.value))
    return appended(file, start_of_last(file, call), call.tail, call.close, [text])


def replace_value(file: SourceFile, change: ReplaceValue) -> list[Edit]:
    """Another constant."""
    expr = file.facts.exprs[change.at[1]]
    if isinstance(change.value, str):
        old = expr.value if isinstance(expr, facts.Literal) and isinstance(expr.value, str) else ""
        before, found, _ = file.code(change.at[1]).partition(old)
        if not old or not found:
            raise NotExpressible("the text is written in another way")
        start = expr.start + len(before.encode())
        return [file.edit(start, start + len(old.encode()), change.value)]
    kept = _MARK.search(file.code(change.at[1])) if isinstance(expr, facts.Literal) else None
    return [replaced(file, change.at[1], written(file, change.value) + (kept[1] if kept else ""))]


def replace_code(file: SourceFile, change: ReplaceCode) -> list[Edit]:
    """Other code in place of an expression."""
    return [replaced(file, change.at[1], change.code)]


def replaced(file: SourceFile, expr: int, text: str) -> Edit:
    """`text` in place of an expression; one that is an entry's name as well (``{ maximum }``) keeps the name."""
    record = file.facts.exprs[expr]
    name = f"{file.code(expr)}: " if file.is_shorthand(expr) else ""
    return file.edit(record.start, record.end, name + text)


def call_instead(file: SourceFile, change: CallInstead) -> list[Edit]:
    """Another name in front of the brackets."""
    call = call_of(file, change.call[1])
    callee = file.facts.exprs[call.callee]
    same = isinstance(callee, facts.Member | facts.Name) and callee.name == change.name
    edits = [] if same else [rename(file, call.callee, change.name)]
    return edits if change.arguments is None else [*edits, arguments(file, call, change.arguments)]


def arguments(file: SourceFile, call: facts.Call, given: Sequence[Given]) -> Edit:
    """Other arguments between the brackets of a call."""
    if call.close < 0 or call.end != call.close + 1:
        raise NotExpressible("the brackets are not known")
    start = file.skip_blank(file.facts.exprs[call.callee].end, call.close)
    inside = file.text(start, call.close)
    if not inside.startswith("(") or any(mark in inside for mark in (file.spelling.line_comment, "/*")):
        raise NotExpressible("a comment would get lost")
    return file.edit(start + 1, call.close, ", ".join(_argument(file, one) for one in given))


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


def rename(file: SourceFile, expr: int, name: str) -> Edit:
    """Another name for the last part of ``a.b.c`` or a bare name."""
    callee = file.facts.exprs[expr]
    if not isinstance(callee, facts.Member | facts.Name):
        raise NotExpressible("no name")
    start = callee.end - len(callee.name.encode())
    if file.text(start, callee.end) != callee.name:
        raise NotExpressible("the name is written in another way")
    return file.edit(start, callee.end, name)
