"""What functions receive that something else calls: a library, a promise, a collection, a scope function."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import calls, declared, elements
from resplint.link.values import (
    CollectionValue,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    LoopValue,
    Ref,
    Reply,
    Unknown,
    Values,
    merge,
)

if TYPE_CHECKING:
    from resplint.knowledge.records import CallbackModel
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex


def given(ev: Evaluator, file: int, scope: int, position: int) -> Values:
    """What the taker of a function hands to one of its parameters, () when nothing is known of it."""
    index = ev.store.files[file]
    number = index.function_expr.get(scope)
    place = index.argument_of.get(number) if number is not None else None
    if place is None:
        return _of_method(ev, index, scope, position)
    call = index.facts.exprs[place[0]]
    assert isinstance(call, facts.Call)
    groups = [
        _from_library(ev, index, place, value, position)
        for value in ev.values(file, call.callee)
        if isinstance(value, LibraryMethod)
    ]
    callee = index.facts.exprs[call.callee]
    if not any(groups) and isinstance(callee, facts.Member):
        groups.append(_from_object(ev, index, call, callee, position))
    return merge(groups)


def _from_library(
    ev: Evaluator, index: FileIndex, place: tuple[int, int], value: LibraryMethod, position: int
) -> Values:
    """A library's method that calls back with an object of its own."""
    model = model_of(ev, value, index.number)
    if model is None or model.index != place[1] or model.parameter != position:
        return ()
    return handed(ev, value, model, (index.number, place[0]))


def model_of(ev: Evaluator, value: LibraryMethod, file: int) -> CallbackModel | None:
    """How a method of a library calls back, if it does."""
    owner = value.object
    method = ev.catalogue.method_of(owner.origin, value.name, ev.version(owner, file).version)
    return method.callback if method is not None else None


def handed(ev: Evaluator, value: LibraryMethod, model: CallbackModel, call: Ref) -> Values:
    """The object that a calling method hands over; it lives as long as the call."""
    known = ev.catalogue.type(model.gives)
    if known is None:
        return ()
    return (LibraryObject(declared.origin(ev, *known, None, None, model), call, value.object),)


def _of_method(ev: Evaluator, index: FileIndex, scope: int, position: int) -> Values:
    """A method of an object written in place that is handed to a library: ``execute(new SessionCallback() { … })``."""
    owner = index.class_of(scope)
    number = index.function_expr.get(owner) if owner != NONE else None
    made = index.call_of.get(number) if number is not None else None
    place = index.argument_of.get(made) if made is not None else None
    if place is None:
        return ()
    name = index.facts.scopes[scope].name
    call = index.facts.exprs[place[0]]
    assert isinstance(call, facts.Call)
    groups: list[Values] = []
    for value in ev.values(index.number, call.callee):
        model = model_of(ev, value, index.number) if isinstance(value, LibraryMethod) else None
        if model is not None and name in model.names and model.parameter == position:
            assert isinstance(value, LibraryMethod)
            groups.append(handed(ev, value, model, (index.number, place[0])))
    return merge(groups)


def _from_object(ev: Evaluator, index: FileIndex, call: facts.Call, callee: facts.Member, position: int) -> Values:
    """`items.forEach(x => …)`, `promise.then(x => …)`, `client.let { … }`: the object, or its elements."""
    words = ev.roles(index.number).words
    if position == 0 and (callee.name in words.thenables or callee.name in words.scope_functions):
        return tuple(value for value in ev.values(index.number, callee.object) if not isinstance(value, Unknown))
    if callee.name in words.folds and position == 0:
        return ev.values(index.number, call.arguments[1].value) if len(call.arguments) > 1 else ()
    if callee.name not in words.element_callbacks:
        return ()
    groups: list[Values] = []
    for value in ev.values(index.number, callee.object):
        if isinstance(value, CollectionValue) and position == (1 if callee.name in words.folds else 0):
            groups.append(elements.item(ev, value, None))
        else:
            groups.append((LoopValue((index.number, callee.object)),))
    return merge(groups)


def then(ev: Evaluator, ref: Ref, expr: facts.Call, callee: facts.Member) -> Values | None:
    """`promise.then(f)`: what `f` gives; of a reply that nothing is done with, the reply."""
    objects = ev.values(ref[0], callee.object)
    if not expr.arguments or not any(isinstance(value, LibraryObject | Reply | Instance) for value in objects):
        return None
    functions = [value for value in ev.values(ref[0], expr.arguments[0].value) if isinstance(value, FunctionValue)]
    found = merge([calls.result(ev, value, None) for value in functions])
    return tuple(value for value in found if not isinstance(value, Unknown)) or (Reply(ref),)


def scope_function(ev: Evaluator, ref: Ref, expr: facts.Call, callee: facts.Member, gives: str) -> Values | None:
    """`x.apply { … }` is x; `x.let { … }` is what the lambda gives. None when the method is one of the project's."""
    objects = ev.values(ref[0], callee.object)
    lambdas = [value for value in ev.values(ref[0], expr.arguments[-1].value) if isinstance(value, FunctionValue)]
    if not lambdas:
        return None
    return objects if gives == "object" else merge([calls.result(ev, value, None) for value in lambdas])


def bound_function(ev: Evaluator, ref: Ref, expr: facts.Call) -> Values | None:
    """`client.get.bind(client)`, `task.also { … }`: the function or object itself."""
    callee = ev.store.files[ref[0]].facts.exprs[expr.callee]
    if not isinstance(callee, facts.Member):
        return None
    words = ev.roles(ref[0]).words
    if callee.name in words.bound_function_methods:
        found = [
            value for value in ev.values(ref[0], callee.object) if isinstance(value, FunctionValue | LibraryMethod)
        ]
        return tuple(found) or None
    if callee.name in words.folds and len(expr.arguments) > 1:
        return ev.values(ref[0], expr.arguments[1].value) or None
    if callee.name in words.thenables:
        return then(ev, ref, expr, callee)
    if callee.name in words.scope_functions and expr.arguments:
        return scope_function(ev, ref, expr, callee, words.scope_functions[callee.name])
    return None
