"""The object that code is a method of, under the name that its language gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import calls, declared, members
from resplint.link.values import (
    ClassValue,
    CollectionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Unknown,
    Values,
    merge,
)

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex

_BASE = "super"
_OUTER = "this@"
EXTENDED = "this"
"""Name of the first parameter of a function that extends a type: the object it is called on."""


def named(ev: Evaluator, index: FileIndex, scope: int, name: str) -> Values | None:
    """Values of a name that means the receiver of a scope's code; None when it does not.

    ``super`` is the receiver seen as its base class (where a language has no function for that), ``this@Outer`` the
    receiver of the class around.
    """
    record = index.facts.scopes[scope]
    if not record.receiver:
        return None
    if name == record.receiver:
        return of(ev, index, scope)
    if name == _BASE and not ev.roles(index.number).words.base:
        owner = scope if record.kind == "class" else index.class_of(scope)
        return base(ev, index, owner) if owner != NONE else (Unknown(),)
    if name.startswith(_OUTER) and record.kind == "class" and record.name == name.removeprefix(_OUTER):
        return of(ev, index, scope)
    return None


def implicit(ev: Evaluator, index: FileIndex, scope: int, name: str) -> Values:
    """Values of a bare name that may be a member of the object a lambda runs on; () when it has none of that name."""
    groups: list[Values] = []
    position = index.parameters.get((scope, EXTENDED))
    objects = of(ev, index, scope) if position is None else calls.parameter(ev, index.number, scope, position)
    for value in objects:
        if isinstance(value, LibraryObject):
            known = (value.origin.library, value.origin.type)
            if ev.catalogue.knows_method(known, name) or ev.catalogue.pipeline(value.origin, name, ""):
                groups.append((LibraryMethod(value, name),))
            else:
                groups.append(members.read_as_field(ev, value, name, (index.number, NONE)))
        elif isinstance(value, Instance):
            found = members.member(ev, (value,), name, (index.number, NONE))
            groups.append(tuple(one for one in found if not isinstance(one, Unknown)))
    return merge(groups)


def of(ev: Evaluator, index: FileIndex, scope: int) -> Values:
    """The object (or class) that code in a scope is a method of."""
    record = index.facts.scopes[scope]
    if record.receiver_value != NONE:
        return ev.values(index.number, record.receiver_value)
    owner = scope if record.kind == "class" else index.class_of(scope)
    if owner == NONE:
        return _of_literal(index, scope)
    if record.belongs == "class":
        return (ClassValue(index.number, owner),)
    return (ev.classes.instance(index.number, owner, None),)


def base(ev: Evaluator, index: FileIndex, owner: int) -> Values:
    """An object of a class, seen as one of its bases."""
    groups: list[Values] = []
    for one in ev.classes.line(index.number, owner)[1:]:
        if isinstance(one, ClassValue):
            groups.append((ev.classes.instance(one.file, one.scope, None),))
        else:
            groups.append(declared.of_class(ev, one))
    return merge(groups) or (Unknown(),)


def _of_literal(index: FileIndex, scope: int) -> Values:
    """The object written out that a function stands in: ``module.exports = { connect() { this.client = … } }``."""
    number = index.function_expr.get(scope)
    parent = index.parents.get(number) if number is not None else None
    if parent is not None and isinstance(index.facts.exprs[parent], facts.Collection):
        return (CollectionValue((index.number, parent)),)
    return (Unknown(),)
