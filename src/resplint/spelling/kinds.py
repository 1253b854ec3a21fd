"""What kind of value an expression gives, as far as its declaration and its own form say."""

from __future__ import annotations

from typing import Literal as OneOf

from resplint.bind.index import children
from resplint.bind.values import ClassValue, Const, External, FunctionValue, Instance, ParameterValue
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.spelling.files import SourceFile

Kind = OneOf["text", "number", ""]
_Kind = OneOf["text", "whole", "number", ""]
_ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**")
_WHOLE = ("+", "-", "*", "//", "%")
"""Operators that make whole numbers of whole ones."""
_DEPTH = 4


def kind_of(ev: Graph, file: SourceFile, expr: int) -> Kind:
    """ "text", "number", or "" when it may be either, or something else."""
    kind = _kind_of(ev, file, expr)
    return "number" if kind == "whole" else kind


def is_whole(ev: Graph, file: SourceFile, expr: int) -> bool:
    """Whether it is surely a whole number."""
    return _kind_of(ev, file, expr) == "whole"


def _kind_of(ev: Graph, file: SourceFile, expr: int, depth: int = 0) -> _Kind:
    record = file.facts.exprs[expr]
    if depth > _DEPTH:
        return ""
    match record:
        case facts.Literal(value=value):
            return _of_constant(value)
        case facts.Template():
            return "text"
        case facts.Operation(operator=operator, operands=operands):
            kinds = {_kind_of(ev, file, one, depth + 1) for one in operands}
            if operator == "+" and "text" in kinds:
                return "text"
            if kinds == {"whole"} and operator in _WHOLE:
                return "whole"
            return "number" if kinds <= {"whole", "number"} and operator in _ARITHMETIC else ""
        case facts.Name():
            return _of_name(ev, file, expr, record)
        case facts.Member(name=name) if name in file.spelling.number_members and _is_languages_own(ev, file, expr):
            return "whole"
        case facts.Member():
            return _of_values(ev, file, expr)
        case facts.Call(callee=callee):
            return _of_call(ev, file, callee)
    return ""


def may_change(ev: Graph, file: SourceFile, expr: int) -> bool:
    """Whether an expression may give another value the second time, or have an effect: it calls anything but a
    conversion.
    """
    pending = [expr] if expr != NONE else []
    while pending:
        record = file.facts.exprs[pending.pop()]
        if isinstance(record, facts.Call):
            kind = _of_call(ev, file, record.callee)
            if not kind or (kind != "text" and not record.arguments):
                return True
        if isinstance(record, facts.Opaque | facts.Function):
            return True
        pending += children(record)
    return False


def _of_constant(value: object) -> _Kind:
    if isinstance(value, bool) or value is None:
        return ""
    return "text" if isinstance(value, str) else "whole" if isinstance(value, int) else "number"


def _of_values(ev: Graph, file: SourceFile, expr: int) -> _Kind:
    values = ev.values(file.index.number, expr)
    kinds = {_of_constant(one.value) if isinstance(one, Const) else "" for one in values}
    return "number" if kinds == {"whole", "number"} else kinds.pop() if len(kinds) == 1 else ""


def _of_name(ev: Graph, file: SourceFile, expr: int, record: facts.Name) -> _Kind:
    index = file.index
    scope = index.owner(record.name, index.scope_of(record.block))
    bindings = index.bindings.get((scope, record.name), [])
    position = index.parameters.get((scope, record.name))
    if position is not None and not bindings:
        parameter = index.facts.scopes[scope].parameters[position]
        if parameter.kind or _is_nothing(file, parameter.default):
            return ""
        return _of_type(file, parameter.annotation)
    if len(bindings) == 1 and position is None and bindings[0].annotation != NONE:
        return _of_type(file, bindings[0].annotation)
    return _of_values(ev, file, expr)


def _is_nothing(file: SourceFile, default: int) -> bool:
    """``name: str = None``"""
    record = file.facts.exprs[default] if default != NONE else None
    return isinstance(record, facts.Literal) and record.value is None


def _of_type(file: SourceFile, annotation: int) -> _Kind:
    """The kind of a type that is written as one name."""
    record = file.facts.exprs[annotation] if annotation != NONE else None
    name = record.name if isinstance(record, facts.Name) else ""
    if name in file.spelling.text_types:
        return "text"
    if name in file.spelling.whole_types:
        return "whole"
    return "number" if name in file.spelling.number_types else ""


def _of_call(ev: Graph, file: SourceFile, callee: int) -> _Kind:
    spelling = file.spelling
    kinds: tuple[tuple[tuple[str, ...], _Kind], ...] = (
        (spelling.text_calls, "text"), (spelling.whole_calls, "whole"), (spelling.number_calls, "number"),
    )  # fmt: skip
    for names, kind in kinds:
        if any(_is_called(ev, file, callee, name) for name in names):
            return kind if _is_languages_own(ev, file, callee) else ""
    return ""


def _is_called(ev: Graph, file: SourceFile, callee: int, name: str) -> bool:
    """Whether a callee goes by a name: ``lower`` is a function or a method of anything, ``Date.now`` is that one."""
    record = file.facts.exprs[callee]
    holder, _, last = name.rpartition(".")
    values = ev.values(file.index.number, callee)
    if not holder:
        named = isinstance(record, facts.Name | facts.Member) and record.name == last
        imported = isinstance(record, facts.Name) and any(
            isinstance(one, External) and "." in one.dotted for one in values
        )
        return named and not imported
    if any(isinstance(value, External) and f".{value.dotted}".endswith(f".{name}") for value in values):
        return True
    target = file.facts.exprs[record.object] if isinstance(record, facts.Member) and record.name == last else None
    return isinstance(target, facts.Name) and target.name == holder


def _is_languages_own(ev: Graph, file: SourceFile, expr: int) -> bool:
    """Whether nothing of the project goes by the name of a function, method or field here."""
    record = file.facts.exprs[expr]
    values = ev.values(file.index.number, expr)
    if any(isinstance(value, FunctionValue | ClassValue | Instance) for value in values):
        return False
    if isinstance(record, facts.Member):
        is_of_text = _kind_of(ev, file, record.object) == "text"
        return is_of_text or not any(record.name in index.member_names for index in ev.store.loaded)
    return not any(isinstance(value, ParameterValue) for value in values)
