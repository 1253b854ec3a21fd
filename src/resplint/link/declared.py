"""What a declared type says about a value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from resplint import facts
from resplint.link.values import (
    ClassValue,
    CollectionValue,
    Const,
    External,
    ExternalObject,
    Instance,
    LibraryObject,
    Origin,
    Ref,
    Value,
    Values,
    merge,
)

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator

_DOTTED = re.compile(r"[A-Za-z_][\w.]*")


def typed(ev: Evaluator, file: int, annotation: int) -> Values:
    """Values of something declared with this type; () when the type says nothing."""
    expr = ev.store.files[file].facts.exprs[annotation]
    match expr:
        case facts.Literal(type="str", value=str(text)):
            return _quoted(ev, (file, annotation), expr, text)
        case facts.Operation(operator="|", operands=operands):
            return merge([typed(ev, file, operand) for operand in operands])
        case facts.Index(object=outer, key=key):
            return _generic(ev, file, outer, key)
        case facts.Name() | facts.Member():
            return merge([of_class(ev, value) for value in ev.values(file, annotation)])
    return ()


def _quoted(ev: Evaluator, ref: Ref, expr: facts.Literal, text: str) -> Values:
    """A forward reference: every dotted name in it is looked up at the place where it stands.

    It may name what it is the type of: `Model: type["Model"] = module.Model`.
    """
    if ref in ev.quoted:
        return ()
    ev.quoted.add(ref)
    index = ev.store.files[ref[0]]
    groups = []
    try:
        for match in _DOTTED.finditer(text[:200]):
            head, *rest = match.group().split(".")
            values = ev.name(index, head, expr.block, expr.start)
            for part in rest:
                values = tuple(External(f"{value.dotted}.{part}") for value in values if isinstance(value, External))
            groups.append(merge([of_class(ev, value) for value in values]))
    finally:
        ev.quoted.remove(ref)
    return merge(groups)


def _generic(ev: Evaluator, file: int, outer: int, key: int) -> Values:
    own = typed(ev, file, outer)
    if any(isinstance(value, LibraryObject) for value in own):
        return own
    name = getattr(ev.store.files[file].facts.exprs[outer], "name", "")
    inner = ev.store.files[file].facts.exprs[key]
    items = inner.items if isinstance(inner, facts.Collection) else (key,)
    words = ev.roles(file).words
    if name in words.type_streams:
        items = items[:1]
    elif name not in words.type_wrappers:
        return own
    injected = [ev.values(file, item) for item in items[1:]] if name in words.annotators else []
    found = [value for group in injected for value in group if isinstance(value, LibraryObject)]
    if found:
        return tuple(found)
    return merge([typed(ev, file, item) for item in items])


def of_class(ev: Evaluator, value: Value) -> Values:
    """An object of the class that `value` is."""
    if isinstance(value, ClassValue):
        return (ev.classes.instance(value.file, value.scope, None),)
    if isinstance(value, External):
        known = ev.catalogue.type(value.dotted)
        if known is not None:
            return (LibraryObject(origin(ev, *known), None),)
        if "." in value.dotted:
            return (ExternalObject(value.dotted),)
    if isinstance(value, ExternalObject) and value.dotted.endswith("[]") and value.ref is not None:
        alias = ev.store.expr(value.ref)  # `RedisDep = Annotated[Redis, Depends(get_redis)]`
        if isinstance(alias, facts.Index):
            return _generic(ev, value.ref[0], alias.object, alias.key)
    if isinstance(value, Const) and value.type == "none":
        return (value,)
    return ()


def is_a(ev: Evaluator, value: Value, declared_as: Values) -> bool:
    """Whether an object is of one of the classes that a parameter is declared as: any object, if they are foreign; an
    object written out, whatever they are.
    """
    if isinstance(value, CollectionValue):
        return any(isinstance(one, Instance) for one in declared_as)
    if not isinstance(value, Instance):
        return False
    classes = [one for one in declared_as if isinstance(one, Instance)]
    line = ev.classes.line(value.file, value.scope)
    return not classes or any(ClassValue(one.file, one.scope) in line for one in classes)


def origin(
    ev: Evaluator,
    library: object,
    type_: object,
    constructor: object = None,
    method: object = None,
    callback: object = None,
) -> Origin:
    """The one `Origin` record for these pieces of knowledge (they are compared by identity)."""
    key = (id(library), id(type_), id(constructor), id(method), id(callback))
    return ev.classes.origins.setdefault(
        key,
        Origin(library, type_, constructor, method, None, callback),  # type: ignore[arg-type]
    )
