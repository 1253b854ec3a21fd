"""Which overload of a library's method or constructor a call takes: by the number of its arguments and what is known of
them. Put to the solved graph; rules of the graph itself go by what is written (`Declared.overload`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from resplint.bind.values import (
    ClassValue,
    CollectionValue,
    Const,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryObject,
    ParameterValue,
    Text,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.rules import declared

if TYPE_CHECKING:
    from resplint.bind.index import FileIndex
    from resplint.flow.graph import Graph


class _Shaped(Protocol):
    @property
    def shape(self) -> tuple[str, ...]: ...


_Model = TypeVar("_Model", bound=_Shaped)

_OF_CONST = {"str": "text", "bytes": "text", "int": "number", "float": "number", "bool": "boolean", "none": "none"}


def choose(ev: Graph, models: Iterable[_Model], file: int, call: facts.Call) -> _Model | None:
    """The first model whose shape a call may have; None when there is none."""
    return next((model for model in models if fits(ev, file, call, model.shape)), None)


def fits(ev: Graph, file: int, call: facts.Call, shape: Sequence[str]) -> bool:
    """Whether a call may have a shape: as many arguments, none of which is known to be something else."""
    return declared.fits(call, shape, partial(may_be, ev, file))


def taking(ev: Graph, functions: Sequence[FunctionValue], file: int, call: facts.Call) -> list[FunctionValue]:
    """Functions whose parameters' declared types allow the arguments of a call, as far as both are known. Where all
    declare the same, nothing is asked: it tells none of them from the others.
    """
    left = list(functions)
    for position, number in enumerate(item.value for item in call.arguments if not item.name):
        words = [_word_at(ev, function, position) for function in left]
        if len(set(words)) > 1:
            possible = {word: not word or may_be(ev, file, number, word) for word in dict.fromkeys(words)}
            left = [function for function, word in zip(left, words, strict=True) if possible[word]]
    return left


def _word_at(ev: Graph, function: FunctionValue, position: int) -> str:
    """The word for the declared type of a parameter, "" when anything may be given."""
    index = ev.store.files[function.file]
    parameters = index.own_parameters(function.scope)
    if position >= len(parameters) or parameters[position].kind:
        return ""
    return _of_annotation(ev, index, parameters[position].annotation)


def may_be(ev: Graph, file: int, number: int, word: str) -> bool:
    """Whether an argument may be what a word of a shape says; "true" is what is known to be so."""
    if word == declared.TRUE:
        values = ev.values(file, number)
        return bool(values) and all(isinstance(value, Const) and value.value is True for value in values)
    kinds = {_kind(ev, file, value) for value in ev.values(file, number)} or {""}
    written = _declared(ev, file, number)
    if written:
        kinds = (kinds - {""}) | {written}
    kinds.discard("none")
    return word in kinds or "" in kinds or not kinds


def _kind(ev: Graph, file: int, value: Value) -> str:
    """The word for a value, "" when it may be anything."""
    if isinstance(value, Const):
        return value.type if value.type == "duration" else _OF_CONST[value.type]
    if isinstance(value, Text):
        return "text"
    if isinstance(value, External | ExternalObject):
        roles = ev.roles(file)
        if value.dotted in roles.units:
            return "unit"
        if value.dotted in ("duration()", *roles.durations):
            return "duration"
        return roles.words.type_kinds.get(value.dotted.rsplit(".", 1)[-1], "")
    if isinstance(value, CollectionValue):
        collection = ev.store.expr(value.ref)
        return "map" if isinstance(collection, facts.Collection) and collection.kind == "map" else "list"
    if isinstance(value, FunctionValue):
        return "function"
    return "object" if isinstance(value, LibraryObject | Instance | ClassValue) else ""


def _declared(ev: Graph, file: int, number: int) -> str:
    """The word for the declared type of a name or parameter, "" when none is known."""
    index = ev.store.files[file]
    expr = index.facts.exprs[number]
    for value in ev.values(file, number):
        if isinstance(value, ParameterValue):
            of = ev.store.files[value.file]
            return _of_annotation(ev, of, of.facts.scopes[value.scope].parameters[value.index].annotation)
    if isinstance(expr, facts.Call):
        return _returned(ev, file, expr.callee)
    if not isinstance(expr, facts.Name):
        return ""
    owner = index.owner(expr.name, index.scope_of(expr.block))
    if (position := index.parameters.get((owner, expr.name))) is not None:
        return _of_annotation(ev, index, index.facts.scopes[owner].parameters[position].annotation)
    bindings = index.bindings.get((owner, expr.name))
    return _of_annotation(ev, index, bindings[0].annotation) if bindings else ""


def _returned(ev: Graph, file: int, callee: int) -> str:
    """The word for what a function of the project is declared to return, "" when none is known or they disagree."""
    words = set()
    for value in ev.values(file, callee):
        if isinstance(value, FunctionValue):
            of = ev.store.files[value.file]
            words.add(_of_annotation(ev, of, of.facts.scopes[value.scope].returns))
    return words.pop() if len(words) == 1 else ""


def _of_annotation(ev: Graph, index: FileIndex, annotation: int) -> str:
    expr = index.facts.exprs[annotation] if annotation != NONE else None
    kinds = ev.roles(index.number).words.type_kinds
    return kinds.get(expr.name, "") if isinstance(expr, facts.Name | facts.Member) else ""
