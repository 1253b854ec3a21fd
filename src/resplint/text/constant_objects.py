"""Objects of the project that stand under a name of their own, each with its own arguments: members of an enumeration,
constants of a class.
"""

from __future__ import annotations

from collections.abc import Sequence

from resplint.bind.values import FunctionValue, Instance, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.text import arguments as calls


def parts_of_text(ev: Graph, file: int, expr: int) -> list[Ref | str] | None:
    """The parts of the text that an expression reads from such an object, with what this one object was made with in
    the place of its fields: ``Key.USERS.text``, ``Key.USERS.toString()``. None when it does not read one.
    """
    index = ev.store.files[file]
    found = index.facts.exprs[expr]
    words = ev.roles(file).words
    if isinstance(found, facts.Member):
        maker = _maker(ev, file, found.object)
        given = _given(ev, maker, found.name) if maker is not None else None
        if given is None and maker is not None and found.name in words.member_names:
            return _name(ev, maker)
        return [given] if given is not None else None
    callee = index.facts.exprs[found.callee] if isinstance(found, facts.Call) and not found.arguments else None
    if not isinstance(callee, facts.Member) or (maker := _maker(ev, file, callee.object)) is None:
        return None
    assert isinstance(found, facts.Call)
    methods = [one for one in ev.values(file, found.callee) if isinstance(one, FunctionValue)]
    if not methods and callee.name in words.member_names:
        return _name(ev, maker)
    return _said(ev, maker, methods)


def parts_in_text(ev: Graph, file: int, expr: int) -> list[Ref | str] | None:
    """The same for such an object itself that is joined to a text: ``Key.USERS + id``."""
    words = ev.roles(file).words
    method = words.text_method
    found = ev.store.files[file].facts.exprs[expr]
    maker = _maker(ev, file, expr) if method and isinstance(found, facts.Name | facts.Member) else None
    if maker is None:
        return None
    methods = ev.binder.methods(maker.file, maker.scope, method)
    return _said(ev, maker, methods) if methods or method not in words.member_names else _name(ev, maker)


def _said(ev: Graph, maker: Instance, methods: Sequence[FunctionValue]) -> list[Ref | str] | None:
    """The parts of the text that the one method of the object returns."""
    if len(methods) != 1 or methods[0].file != maker.file:
        return None
    other = ev.store.files[methods[0].file]
    returns = [jump.value for jump in other.jumps.get(methods[0].scope, ()) if jump.kind == "return"]
    if len(returns) != 1 or returns[0] == NONE:
        return None
    return _with_fields(ev, maker, returns[0])


def _name(ev: Graph, maker: Instance) -> list[Ref | str] | None:
    """The name of a member of an enumeration, which is what it is as a text unless its class says otherwise."""
    assert maker.made is not None
    names = {one.name for one in ev.store.files[maker.made[0]].bound_to.get(maker.made[1], ())}
    return list(names) if len(names) == 1 and ev.classes.is_enumeration(maker.file, maker.scope) else None


def _maker(ev: Graph, file: int, expr: int) -> Instance | None:
    """The one object that an expression stands for, when it is known with what it was made."""
    values = ev.values(file, expr)
    if len(values) != 1 or not isinstance(values[0], Instance) or values[0].made is None:
        return None
    maker = values[0]
    assert maker.made is not None
    index = ev.store.files[maker.made[0]]
    bound = index.bound_to.get(maker.made[1], ())
    return maker if any(index.facts.scopes[one.scope].kind == "class" for one in bound) else None


def _with_fields(ev: Graph, maker: Instance, text: int) -> list[Ref | str] | None:
    """What a method of the object returns, in parts; None when no field of it is among them."""
    exprs = ev.store.files[maker.file].facts.exprs
    found = exprs[text]
    parts: tuple[str | int, ...] = (text,)
    if isinstance(found, facts.Template):
        parts = found.parts
    elif isinstance(found, facts.Operation) and found.operator == "+":
        parts = found.operands
    made: list[Ref | str] = []
    of_object = False
    for part in parts:
        given = _given(ev, maker, _field(ev, maker, part)) if isinstance(part, int) else None
        of_object = of_object or given is not None
        made.append(part if isinstance(part, str) else given or (maker.file, part))
    return made if of_object else None


def _field(ev: Graph, maker: Instance, expr: int) -> str:
    """Name of the object's field that code of its class reads, "" for anything else."""
    index = ev.store.files[maker.file]
    found = index.facts.exprs[expr]
    if isinstance(found, facts.Name):
        return found.name if index.field_owner(found.name, found.block) == maker.scope else ""
    holder = index.facts.exprs[found.object] if isinstance(found, facts.Member) else None
    receiver = index.facts.scopes[index.function_of(found.block)].receiver
    return found.name if isinstance(found, facts.Member) and getattr(holder, "name", "") == receiver else ""


def _given(ev: Graph, maker: Instance, name: str) -> Ref | None:
    """The argument that went into a field when the object was made."""
    index = ev.store.files[maker.file]
    assert maker.made is not None
    for constructor in index.constructors.get(maker.scope, ()) if name else ():
        record = index.facts.scopes[constructor]
        bound = 1 if record.parameters and record.parameters[0].name == record.receiver else 0
        for write in index.writes_by_name.get(name, ()):
            value = index.facts.exprs[write.value] if write.value != NONE else None
            if not isinstance(value, facts.Name) or index.function_of(write.block) != constructor:
                continue
            position = index.parameters.get((constructor, value.name))
            if position is not None:
                given = calls.argument(ev.store.files[maker.made[0]], maker.made[1], record, position, bound)
                return (maker.made[0], given) if given not in (None, NONE) and given is not None else None
    return None
