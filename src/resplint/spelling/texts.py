"""How an expression puts a text together: from templates, by joining, by formatting."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Edit
from resplint.knowledge.records.spelling_records import TextFunction
from resplint.spelling.files import NotExpressible, SourceFile
from resplint.spelling.tokens import Token, Unit, read

_PERCENT = {"s": False, "d": True, "i": True}
"""Conversions -> whether their values are numbers."""
_FIELD = re.compile(r"[A-Za-z_]\w*|\d*")


@dataclass
class Woven:
    """A text: its units in order, the tokens they come from, and edits that take the formatting away."""

    units: list[Unit] = field(default_factory=list)
    tokens: list[Token] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    literals: set[int] = field(default_factory=set)
    """Expressions of constants that were looked up by a name."""
    doubled: list[tuple[int, int]] = field(default_factory=list)
    """Stretches of characters that are written twice for the formatting."""


def weave(file: SourceFile, expr: int) -> Woven:
    """The text that an expression stands for. Raises `NotExpressible` where it is put together in another way."""
    record = file.facts.exprs[expr]
    if isinstance(record, facts.Literal | facts.Template):
        tokens, units = read(file, expr)
        return Woven(units, tokens)
    if isinstance(record, facts.Operation) and record.operator == "+":
        return _joined(file, record)
    if isinstance(record, facts.Operation) and record.operator == "%" and file.spelling.percent:
        return _percent(file, record)
    if isinstance(record, facts.Call):
        return _called(file, record)
    raise NotExpressible("text that is put together in another way")


# -- joining -----------------------------------------------------------------------------------------------------------


def _joined(file: SourceFile, record: facts.Operation) -> Woven:
    """``"a" + b + "c"``: what stands between two texts is one hole."""
    woven = Woven()
    pending: list[int] = []
    for operand in record.operands:
        inner = file.facts.exprs[operand]
        if isinstance(inner, facts.Literal | facts.Template) and _is_text(inner):
            tokens, units = read(file, operand)
            _between(file, woven, pending, tokens[0])
            woven.units += units
            woven.tokens += tokens
        else:
            pending.append(operand)
    _between(file, woven, pending, None)
    return woven


def _is_text(record: facts.Literal | facts.Template) -> bool:
    return isinstance(record, facts.Template) or isinstance(record.value, str)


def _between(file: SourceFile, woven: Woven, pending: list[int], following: Token | None) -> None:
    """The hole between the last text and the next one."""
    if not pending:
        return
    if len(pending) > 1 or not (woven.tokens or following):
        raise NotExpressible("values side by side")
    record = file.facts.exprs[pending[0]]
    start = woven.tokens[-1].inner_end if woven.tokens else record.start
    end = following.inner if following else record.end
    outside = file.text(start, record.start) + file.text(record.end, end)
    if file.spelling.line_comment in outside or any(mark in outside for mark in file.spelling.block_comment):
        raise NotExpressible("a comment would get lost")
    if (not woven.tokens or not following) and outside.count("(") != outside.count(")"):
        raise NotExpressible("brackets around a value")
    woven.units.append(Unit("", start, end, pending.pop(), is_text=True))


# -- formatting --------------------------------------------------------------------------------------------------------


def _percent(file: SourceFile, record: facts.Operation) -> Woven:
    """``template % (a, b)``."""
    if len(record.operands) != 2:
        raise NotExpressible("several operators")
    template, given = record.operands
    values = file.facts.exprs[given]
    if isinstance(values, facts.Collection):
        if values.kind != "tuple" or values.generated or values.tail == NONE:
            raise NotExpressible("values in a mapping")
        numbers = list(values.items)
    elif isinstance(values, facts.Name | facts.Member | facts.Call | facts.Literal):
        numbers = [given]
    else:
        raise NotExpressible("values that are put together")
    woven = _template(file, template)
    woven.units = _conversions(woven, numbers)
    end = file.facts.exprs[template].end
    between = file.text(end, file.facts.exprs[given].start).replace("(", " ").split()
    if between != ["%"] or file.spelling.line_comment in file.text(end, record.end):
        raise NotExpressible("brackets around the template")
    woven.edits.append(file.edit(end, record.end, ""))
    return woven


def _called(file: SourceFile, call: facts.Call) -> Woven:
    callee = file.facts.exprs[call.callee]
    if not isinstance(callee, facts.Member) or call.close == NONE or call.end != call.close + 1:
        raise NotExpressible("text that is put together in another way")
    owner = file.facts.exprs[callee.object]
    dotted = f"{owner.name}.{callee.name}" if isinstance(owner, facts.Name) else ""
    for function in file.spelling.text_functions:
        if function.name in ((callee.name,) if function.template == "receiver" else (dotted,)):
            return _of_function(file, call, callee, function)
    raise NotExpressible("text that is put together in another way")


def _of_function(file: SourceFile, call: facts.Call, callee: facts.Member, function: TextFunction) -> Woven:
    first = function.template == "first"
    template = call.arguments[0].value if first and call.arguments else callee.object
    given = call.arguments[1:] if first else call.arguments
    if any(item.name in ("*", "**") for item in call.arguments):
        raise NotExpressible("values that are spread")
    if not function.holes:
        if given:
            raise NotExpressible("text that is put together in another way")
        return weave(file, template)
    woven = _template(file, template)
    if function.holes == "percent":
        woven.units = _conversions(woven, [item.value for item in given])
    else:
        woven.units = _fields(woven, given)
    record = file.facts.exprs[template]
    outside = file.text(call.start, record.start) + file.text(record.end, call.end)
    if file.spelling.line_comment in outside or any(mark in outside for mark in file.spelling.block_comment):
        raise NotExpressible("a comment would get lost")
    if not first and file.text(record.end, callee.end).strip().lstrip(".").strip() != callee.name:
        raise NotExpressible("brackets around the template")
    woven.edits += [file.edit(call.start, record.start, "")] if first else []
    woven.edits.append(file.edit(record.end, call.end, ""))
    return woven


def _template(file: SourceFile, expr: int) -> Woven:
    """A template: a literal, or the constant that a name stands for."""
    record = file.facts.exprs[expr]
    if isinstance(record, facts.Name):
        bound = file.index.bindings.get((0, record.name), [])
        scope = file.index.scope_of(record.block)
        local = scope and ((scope, record.name) in file.index.bindings or (scope, record.name) in file.index.parameters)
        if len(bound) != 1 or local or bound[0].kind != "assign" or bound[0].path or _uses(file, record.name) != 1:
            raise NotExpressible("a template that others use")
        literal = bound[0].value
    else:
        literal = expr
    if literal == NONE or not isinstance(file.facts.exprs[literal], facts.Literal):
        raise NotExpressible("no template")
    tokens, units = read(file, literal)
    return Woven(units, tokens, literals={literal} if literal != expr else set())


def _uses(file: SourceFile, name: str) -> int:
    return sum(isinstance(one, facts.Name | facts.Member) and one.name == name for one in file.facts.exprs)


def _conversions(woven: Woven, values: list[int]) -> list[Unit]:
    """``%s`` and ``%d`` become holes."""
    found: list[Unit] = []
    units, given = iter(woven.units), list(values)
    for unit in units:
        if unit.char != "%":
            found.append(unit)
            continue
        kind = next(units, None)
        if kind is None or (kind.char != "%" and (kind.char not in _PERCENT or not given)):
            raise NotExpressible("a conversion")
        if kind.token is not unit.token:
            raise NotExpressible("a conversion across texts")
        if kind.char == "%":
            found.append(_twice(woven, unit, kind))
        else:
            number = _PERCENT[kind.char]
            found.append(Unit("", unit.start, kind.end, given.pop(0), unit.token, number, not number))
    if given:
        raise NotExpressible("too many values")
    return found


def _fields(woven: Woven, given: tuple[facts.Argument, ...]) -> list[Unit]:
    """``{}``, ``{0}`` and ``{name}`` become holes."""
    positional = [item.value for item in given if not item.name]
    named = {item.name: item.value for item in given if item.name}
    found: list[Unit] = []
    units, at, automatic = woven.units, 0, 0
    while at < len(units):
        unit = units[at]
        if unit.char not in ("{", "}"):
            found.append(unit)
            at += 1
            continue
        if at + 1 < len(units) and units[at + 1].char == unit.char:
            found.append(_twice(woven, unit, units[at + 1]))
            at += 2
            continue
        text = "".join(one.char for one in units[at + 1 : at + 60])
        name = _FIELD.match(text)
        if unit.char == "}" or name is None or text[name.end() : name.end() + 1] != "}":
            raise NotExpressible("a field with a format")
        key = name[0] or str(automatic)
        automatic += not name[0]
        value = positional[int(key)] if key.isdigit() and int(key) < len(positional) else named.get(key)
        last = units[at + 1 + name.end()]
        if value is None or last.token is not unit.token:
            raise NotExpressible("a field without a value")
        found.append(Unit("", unit.start, last.end, value, unit.token))
        at += name.end() + 2
    return found


def _twice(woven: Woven, one: Unit, other: Unit) -> Unit:
    """A character that is written twice in a template and once in plain text."""
    woven.doubled.append((one.start, other.end))
    return replace(one, end=other.end)
