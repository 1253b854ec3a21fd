"""What `object[key]` stands for, and what loops, unpacking and `with` take out of a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import calls, members
from resplint.link.values import (
    CollectionMethod,
    CollectionValue,
    Const,
    EnumValues,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LoopValue,
    ParameterValue,
    Ref,
    Reply,
    Unknown,
    Value,
    Values,
    merge,
)

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex


_MAX_SPREAD = 20
"""Objects that are looked into for one entry."""


def element(ev: Evaluator, ref: Ref, expr: facts.Index) -> Values:
    """Values of `object[key]`."""
    file = ref[0]
    objects = ev.values(file, expr.object)
    keys = ev.values(file, expr.key)
    key = keys[0].value if len(keys) == 1 and isinstance(keys[0], Const) else None
    groups: list[Values] = []
    for value in objects:
        if isinstance(value, CollectionValue):
            groups.append(item(ev, value, key))
        elif isinstance(value, External) and (
            ev.catalogue.type(value.dotted) or ev.catalogue.constructor(value.dotted)
        ):
            groups.append((value,))  # Redis[bytes]
        elif isinstance(value, External | ExternalObject):
            stored = members.stored_elsewhere(ev, key, ref) if isinstance(key, str) else ()
            groups.append(stored or (ExternalObject(f"{value.dotted}[]", ref),))
        elif isinstance(value, Unknown) and isinstance(key, str):
            groups.append(members.stored_elsewhere(ev, key, ref) or (Unknown(),))
        elif isinstance(value, Reply | LoopValue | ParameterValue):
            stored = members.stored_elsewhere(ev, key, ref) if isinstance(key, str) else ()
            groups.append(stored or (value,))
    return merge(groups) or (Unknown(),)


def item(ev: Evaluator, value: CollectionValue, key: object) -> Values:
    """The element under a key (None: any), including what is stored later with `collection[key] = …`, and what stands
    under it in a map that is spread: ``{**other, "retries": 3}``.
    """
    found = _own_item(ev, value, key)
    collection = ev.store.expr(value.ref)
    assert isinstance(collection, facts.Collection)
    if NONE not in collection.keys or not isinstance(key, str) or _replaces(ev, value.ref[0], collection, key):
        return found
    groups, pending, seen = [found], [value], {value}
    while pending:
        for other in _spread_in(ev, pending.pop(0)):
            if isinstance(other, CollectionValue) and other not in seen:  # maps may spread each other in a circle
                seen.add(other)
                groups.append(_own_item(ev, other, key))
                pending.append(other)
        if len(seen) > _MAX_SPREAD:
            ev.is_cut = True
            break
    return merge(groups)


def _replaces(ev: Evaluator, file: int, collection: facts.Collection, key: str) -> bool:
    """Whether a map has an entry of its own behind everything that it spreads."""
    behind = collection.keys[len(collection.keys) - collection.keys[::-1].index(NONE) :]
    return any(isinstance(name, Const) and name.value == key for number in behind for name in ev.values(file, number))


def _own_item(ev: Evaluator, value: CollectionValue, key: object) -> Values:
    """The same, of what is written in the map itself or stored there."""
    collection = ev.store.expr(value.ref)
    assert isinstance(collection, facts.Collection)
    file = value.ref[0]
    groups: list[Values] = []
    if collection.keys:
        for position, number in enumerate(collection.keys):
            names = ev.values(file, number) if number != NONE else ()
            if key is None or any(isinstance(name, Const) and name.value == key for name in names):
                groups.append(ev.values(file, collection.items[position]))
    elif isinstance(key, int) and not collection.generated and -len(collection.items) <= key < len(collection.items):
        if _reordered(ev, value):
            return (*merge([ev.values(file, number) for number in collection.items]), Unknown())
        return ev.values(file, collection.items[key])
    else:
        groups.extend(ev.values(file, number) for number in collection.items)
    for index, write in stored_items(ev, value):
        name = index.target_name(write.target)
        if key is None or name is None or name == key:
            groups.append(ev.bound(index, write))
    return merge(groups)


def _reordered(ev: Evaluator, value: CollectionValue) -> bool:
    """Whether the project moves elements of a list that is written out."""
    words = ev.roles(value.ref[0]).words
    for name in (*words.reorderers, *words.prependers):
        for file, number in ev.store.named(name):
            member = ev.store.files[file].facts.exprs[number]
            if isinstance(member, facts.Member) and value in ev.values(file, member.object):
                return True
    return False


def put_in_front(ev: Evaluator, value: CollectionValue) -> list[int] | None:
    """What a file puts in front of its list later, ``words.unshift(script)``, first to last; None when it moves the
    elements in other ways.
    """
    index = ev.store.files[value.ref[0]]
    words, found = ev.roles(index.number).words, list[int]()
    for name in (*words.reorderers, *words.prependers):
        for number in index.by_name.get(name, ()):
            member = index.facts.exprs[number]
            call = index.facts.exprs[index.call_of[number]] if number in index.call_of else None
            if isinstance(member, facts.Member) and value in ev.values(index.number, member.object):
                if name not in words.prependers or not isinstance(call, facts.Call):
                    return None
                found = [*(item.value for item in call.arguments), *found]
    return found


def entry(ev: Evaluator, value: CollectionValue, name: str) -> Values:
    """`object.name` of an object written out: what stands under that key, or is stored there later."""
    collection = ev.store.expr(value.ref)
    assert isinstance(collection, facts.Collection)
    if collection.kind != "map" or collection.generated or not ev.roles(value.ref[0]).words.map_members:
        return ()
    groups: list[Values] = []
    pending, seen = [value], {value}
    while pending and len(seen) <= _MAX_SPREAD:  # objects may spread each other in a circle
        one = pending.pop(0)
        groups.append(_own_entry(ev, one, name))
        for other in _spread_in(ev, one):
            if not isinstance(other, CollectionValue):
                groups.append(members.member(ev, (other,), name, one.ref))
            elif other not in seen:
                seen.add(other)
                pending.append(other)
    found = [one for one in merge(groups) if not isinstance(one, Unknown | CollectionMethod)]
    read = [
        calls.result(ev, one, None) if isinstance(one, FunctionValue) and calls.is_property(ev, one) else (one,)
        for one in found
    ]
    return tuple(one for one in merge(read) if not isinstance(one, Unknown))


def _own_entry(ev: Evaluator, value: CollectionValue, name: str) -> Values:
    """What an object written out has under a key itself, or gets there later in its file."""
    collection = ev.store.expr(value.ref)
    assert isinstance(collection, facts.Collection)
    groups = [_own_item(ev, value, name)] if collection.keys else []
    index = ev.store.files[value.ref[0]]
    for write in index.writes_by_name.get(name, ()):
        target = index.facts.exprs[write.target]
        if isinstance(target, facts.Member) and value in ev.values(index.number, target.object):
            groups.append(ev.bound(index, write))
    return merge(groups)


def _spread_in(ev: Evaluator, value: CollectionValue) -> Values:
    """What an object written out spreads: ``{ ...other }``."""
    collection = ev.store.expr(value.ref)
    assert isinstance(collection, facts.Collection)
    pairs = zip(collection.keys, collection.items, strict=False)
    return merge([ev.values(value.ref[0], item) for key, item in pairs if key == NONE])


def listed(ev: Evaluator, value: CollectionValue) -> list[Ref]:
    """The elements of a list written out, and those that are added to it later in the same file."""
    collection = ev.store.expr(value.ref)
    assert isinstance(collection, facts.Collection)
    index = ev.store.files[value.ref[0]]
    found = [(index.number, number) for number in collection.items]
    for name in ev.roles(index.number).words.list_adders:
        for number in index.by_name.get(name, ()):
            member = index.facts.exprs[number]
            call = index.facts.exprs[index.call_of[number]] if number in index.call_of else None
            if isinstance(member, facts.Member) and isinstance(call, facts.Call):
                if value in ev.values(index.number, member.object):
                    found += [(index.number, item.value) for item in call.arguments]
    return found


def generated(ev: Evaluator, file: int, number: int) -> list[Ref]:
    """`ids.map(id => ['get', id])`: what the function gives for an element; [] for anything else."""
    index = ev.store.files[file]
    call = index.facts.exprs[number]
    callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
    if not isinstance(call, facts.Call) or not isinstance(callee, facts.Member) or not call.arguments:
        return []
    if callee.name not in ev.roles(file).words.element_callbacks:
        return []
    values = ev.values(file, call.arguments[0].value)
    functions = [value for value in values if isinstance(value, FunctionValue)]
    return [
        (one.file, jump.value)
        for one in functions
        for jump in ev.store.files[one.file].jumps.get(one.scope, ())
        if jump.value != NONE
    ]


def stored_items(ev: Evaluator, value: CollectionValue) -> list[tuple[FileIndex, facts.Write]]:
    """Writes `collection[key] = …` to a collection, in the file that writes it out."""
    index = ev.store.files[value.ref[0]]
    found = []
    for write in index.facts.writes:
        target = index.facts.exprs[write.target]
        if isinstance(target, facts.Index) and value in ev.values(index.number, target.object):
            found.append((index, write))
    return found


def elements_of_loop(ev: Evaluator, file: int, binding: facts.Binding | facts.Write, values: Values) -> Values:
    """What a loop's target is: elements of a collection written out, else one element of data."""
    groups: list[Values] = []
    for value in values:
        if isinstance(value, CollectionValue):
            collection = ev.store.expr(value.ref)
            assert isinstance(collection, facts.Collection)
            for number, path in _iterated(value, collection, binding.path):
                if number != NONE:
                    groups.append(_walk(ev, value.ref[0], number, path))
        elif isinstance(value, EnumValues):
            groups.append(enum_constants(ev, value.file, value.scope))
    if groups and len(values) == 1:
        return merge(groups)
    return (LoopValue((file, binding.value)),)


def enum_constants(ev: Evaluator, file: int, scope: int) -> Values:
    """The objects that an enumeration consists of."""
    index = ev.store.files[file]
    found = [
        ev.bound(index, binding)
        for (owner, _), bindings in index.bindings.items()
        if owner == scope
        for binding in bindings
        if binding.value != NONE and binding.kind == "assign"
    ]
    return tuple(value for value in merge(found) if isinstance(value, Instance | Const))


def _iterated(
    value: CollectionValue, collection: facts.Collection, path: tuple[int | str, ...]
) -> list[tuple[int, tuple[int | str, ...]]]:
    """(expression, rest of the path) for each element that a loop over a collection, or a view of it, takes."""
    if value.view == "items" and path:
        source = collection.keys if path[0] == 0 else collection.items
        return [(number, path[1:]) for number in source]
    source = collection.keys if collection.keys and value.view != "values" else collection.items
    return [(number, path) for number in source]


def method_result(ev: Evaluator, method: CollectionMethod, ref: Ref, expr: facts.Call) -> Values:
    """What a method of a collection gives: a view, an element, a copy."""
    collection = method.collection
    words = ev.roles(ref[0]).words
    view = words.map_views.get(method.name)
    if view == "keys" or method.name in words.copiers:
        return (collection,)
    if view is not None:
        return (CollectionValue(collection.ref, view),)
    if method.name in (*words.lookups, *words.map_defaults) and expr.arguments:
        keys = ev.values(ref[0], expr.arguments[0].value)
        key = keys[0].value if len(keys) == 1 and isinstance(keys[0], Const) else None
        groups = [item(ev, collection, key)]
        groups += [ev.values(ref[0], argument.value) for argument in expr.arguments[1:2]]
        return merge(groups)
    return (Unknown(),)


def _walk(ev: Evaluator, file: int, number: int, path: tuple[int | str, ...]) -> Values:
    values = ev.values(file, number)
    for step in path:
        values = merge([item(ev, value, step) for value in values if isinstance(value, CollectionValue)])
    return values or (Unknown(),)


def unpacked(ev: Evaluator, file: int, binding: facts.Binding | facts.Write, values: Values) -> Values:
    """Values of one target of ``a, b = value``."""
    for step in binding.path:
        groups: list[Values] = []
        for value in values:
            if isinstance(value, CollectionValue):
                groups.append((isinstance(step, str) and entry(ev, value, step)) or item(ev, value, step))
            elif isinstance(value, Reply | LoopValue | ParameterValue):
                groups.append((value,))
            elif isinstance(step, str):
                groups.append(members.member(ev, (value,), step, (file, NONE)))
        absent = bool(values) and all(_lacks(ev, value, step) for value in values)
        values = merge(groups) or (() if absent else (Unknown(),))
    return values


def _lacks(ev: Evaluator, value: Value, step: object) -> bool:
    """Whether an object written out is known not to have a key."""
    if not isinstance(value, CollectionValue) or not isinstance(step, str):
        return False
    collection = ev.store.expr(value.ref)
    if not isinstance(collection, facts.Collection) or collection.kind != "map" or collection.generated:
        return False
    return NONE not in collection.keys and not entry(ev, value, step) and not item(ev, value, step)


def is_overridden(ev: Evaluator, index: FileIndex, binding: facts.Binding) -> bool:
    """Whether a pattern's default never counts: `{ maximum = 100 }` where all that is passed has the key."""
    if binding.path:
        return False
    for other in index.bindings.get((binding.scope, binding.name), ()):
        if other.path and (other.start, other.end) == (binding.start, binding.end):
            values = ev.values(index.number, other.value)
            for step in other.path:
                if not values or not all(
                    isinstance(one, CollectionValue) and not _lacks(ev, one, step) for one in values
                ):
                    return False
                values = merge([entry(ev, one, str(step)) for one in values if isinstance(one, CollectionValue)])
            return bool(values)
    return False


def entered(ev: Evaluator, values: Values) -> Values:
    """What ``with value as name`` binds: client objects return themselves, project classes have a method for it."""
    groups: list[Values] = []
    for value in values:
        if isinstance(value, Instance):
            names = ev.roles(value.file).words.entering
            method = next((one for name in names if (one := ev.classes.method(value.file, value.scope, name))), None)
            if method is not None:
                groups.append(calls.result(ev, FunctionValue(method.file, method.scope, value), None))
                continue
        groups.append((value,))
    return merge(groups)
