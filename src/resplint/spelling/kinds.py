"""What kind of value an expression gives, as far as its declaration and its own form say."""

from __future__ import annotations

from typing import Literal as OneOf

from resplint import facts
from resplint.facts import NONE
from resplint.link.evaluate import Evaluator
from resplint.link.values import Const
from resplint.spelling.files import SourceFile

Kind = OneOf["text", "number", ""]
_ARITHMETIC = ("-", "*", "/", "//", "%", "**")
_DEPTH = 4


def kind_of(ev: Evaluator, file: SourceFile, expr: int, depth: int = 0) -> Kind:
    """ "text", "number", or "" when it may be either, or something else."""
    record = file.facts.exprs[expr]
    if depth > _DEPTH:
        return ""
    match record:
        case facts.Literal(value=value):
            return _of_constant(value)
        case facts.Template():
            return "text"
        case facts.Operation(operator=operator, operands=operands):
            kinds = {kind_of(ev, file, one, depth + 1) for one in operands}
            if operator == "+" and "text" in kinds:
                return "text"
            return "number" if kinds == {"number"} and operator in ("+", *_ARITHMETIC) else ""
        case facts.Name():
            return _of_name(ev, file, expr, record)
        case facts.Member(name=name) if name in file.spelling.number_members:
            return "number"
        case facts.Member():
            return _of_values(ev, file, expr)
        case facts.Call(callee=callee):
            return _of_call(file, callee)
    return ""


def _of_constant(value: object) -> Kind:
    if isinstance(value, bool) or value is None:
        return ""
    return "text" if isinstance(value, str) else "number"


def _of_values(ev: Evaluator, file: SourceFile, expr: int) -> Kind:
    values = ev.values(file.index.number, expr)
    kinds = {_of_constant(one.value) if isinstance(one, Const) else "" for one in values}
    return kinds.pop() if len(kinds) == 1 else ""


def _of_name(ev: Evaluator, file: SourceFile, expr: int, record: facts.Name) -> Kind:
    index = file.index
    scope = index.scope_of(record.block)
    while scope != NONE:
        bindings = index.bindings.get((scope, record.name), [])
        position = index.parameters.get((scope, record.name))
        if position is not None and not bindings:
            parameter = index.facts.scopes[scope].parameters[position]
            return _of_type(file, parameter.annotation) if not parameter.kind else ""
        if bindings or position is not None:
            if len(bindings) == 1 and position is None and bindings[0].annotation != NONE:
                return _of_type(file, bindings[0].annotation)
            break
        scope = index.facts.scopes[scope].parent
    return _of_values(ev, file, expr)


def _of_type(file: SourceFile, annotation: int) -> Kind:
    """The kind of a type that is written as one name."""
    record = file.facts.exprs[annotation] if annotation != NONE else None
    name = record.name if isinstance(record, facts.Name) else ""
    if name in file.spelling.text_types:
        return "text"
    return "number" if name in file.spelling.number_types else ""


def _of_call(file: SourceFile, callee: int) -> Kind:
    record = file.facts.exprs[callee]
    name = record.name if isinstance(record, facts.Name | facts.Member) else ""
    if name in file.spelling.text_calls:
        return "text"
    return "number" if name in file.spelling.number_calls else ""
