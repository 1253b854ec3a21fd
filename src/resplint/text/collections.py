"""Collections that are written out: what stands under a key, what is added later, what a list is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint.bind.values import (
    CollectionMethod,
    CollectionValue,
    Const,
    ExternalObject,
    FunctionValue,
    Ref,
    Text,
    Unknown,
    Value,
    Values,
    merge,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.text import arguments as calls

if TYPE_CHECKING:
    from resplint.bind.index import FileIndex
    from resplint.flow.graph import Graph

_MAX_SPREAD = 20
"""Objects that are looked into for one entry."""


def item(ev: Graph, value: CollectionValue, key: object) -> Values:
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


def _replaces(ev: Graph, file: int, collection: facts.Collection, key: str) -> bool:
    """Whether a map has an entry of its own behind everything that it spreads."""
    behind = collection.keys[len(collection.keys) - collection.keys[::-1].index(NONE) :]
    return any(isinstance(name, Const) and name.value == key for number in behind for name in ev.values(file, number))


def _own_item(ev: Graph, value: CollectionValue, key: object) -> Values:
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


def _reordered(ev: Graph, value: CollectionValue) -> bool:
    """Whether the project moves elements of a list that is written out."""
    words = ev.roles(value.ref[0]).words
    for name in (*words.reorderers, *words.prependers):
        for file, number in ev.store.named(name):
            member = ev.store.files[file].facts.exprs[number]
            if isinstance(member, facts.Member) and value in ev.values(file, member.object):
                return True
    return False


def put_in_front(ev: Graph, value: CollectionValue) -> list[int] | None:
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


def entry(ev: Graph, value: CollectionValue, name: str) -> Values:
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
                pass
            elif other not in seen:
                seen.add(other)
                pending.append(other)
    found = [one for one in merge(groups) if not isinstance(one, Unknown | CollectionMethod)]
    read = [
        calls.result(ev, one) if isinstance(one, FunctionValue) and calls.is_property(ev, one) else (one,)
        for one in found
    ]
    return tuple(one for one in merge(read) if not isinstance(one, Unknown))


def _own_entry(ev: Graph, value: CollectionValue, name: str) -> Values:
    """What an object written out has under a key itself, or gets there later in its file."""
    collection = ev.store.expr(value.ref)
    assert isinstance(collection, facts.Collection)
    groups = [_own_item(ev, value, name)] if collection.keys else []
    groups += [ev.bound(index, write) for index, write in _set_members(ev, value, name)]
    return merge(groups)


def _spread_in(ev: Graph, value: CollectionValue) -> Values:
    """What an object written out spreads: ``{ ...other }``."""
    collection = ev.store.expr(value.ref)
    assert isinstance(collection, facts.Collection)
    pairs = zip(collection.keys, collection.items, strict=False)
    return merge([ev.values(value.ref[0], item) for key, item in pairs if key == NONE])


def listed(ev: Graph, value: CollectionValue) -> list[Ref]:
    """The elements of a list written out, and those that are added to it later in the same file."""
    collection = ev.store.expr(value.ref)
    assert isinstance(collection, facts.Collection)
    index = ev.store.files[value.ref[0]]
    found = [(index.number, number) for number in collection.items]
    return found + _added_later(ev, value, index.number)


def made_in_code(ev: Graph, value: Value) -> list[Ref]:
    """The elements of a list that is made empty, as an object of a library, and filled where it is made; [] for
    anything else.
    """
    if not isinstance(value, ExternalObject) or value.ref is None:
        return []
    call, roles = ev.store.expr(value.ref), ev.roles(value.ref[0])
    if not isinstance(call, facts.Call) or call.arguments:
        return []
    if value.dotted.removesuffix("()") not in roles.collection_makers:
        return []
    return _added_later(ev, value, value.ref[0])


def _added_later(ev: Graph, value: Value, file: int) -> list[Ref]:
    index = ev.store.files[file]
    found: list[Ref] = []
    for name in ev.roles(file).words.list_adders:
        for number in index.by_name.get(name, ()):
            member = index.facts.exprs[number]
            call = index.facts.exprs[index.call_of[number]] if number in index.call_of else None
            if isinstance(member, facts.Member) and isinstance(call, facts.Call):
                if value in ev.values(file, member.object):
                    found += [(file, item.value) for item in call.arguments]
    return found


def in_list(ev: Graph, file: int, number: int) -> tuple[list[Ref], bool]:
    """The elements of a list, wherever it is written out, generated or joined of others (``a.concat(b)``); lists among
    them stand for themselves, under whatever name. Whether they are all of its elements.
    """
    found: dict[Ref, None] = {}
    is_whole = True
    pending: list[Ref] = [(file, number)]
    seen = set(pending)
    while pending:
        ref = pending.pop()
        if refs := generated(ev, *ref):
            found.update(dict.fromkeys(refs))
            continue
        for value in ev.values(*ref):
            if isinstance(value, CollectionValue):
                found.update(dict.fromkeys(listed(ev, value)))
                continue
            parts = _joined(ev, value)
            is_whole = is_whole and bool(parts)
            pending += [one for one in parts if one not in seen]
            seen.update(parts)
    return [one for ref in found for one in _lists_behind(ev, ref)], is_whole


def _joined(ev: Graph, value: Value) -> list[Ref]:
    """The lists that ``a.concat(b)`` joins; [] for anything else."""
    if not isinstance(value, Text):
        return []
    call = ev.store.expr(value.ref)
    callee = ev.store.files[value.ref[0]].facts.exprs[call.callee] if isinstance(call, facts.Call) else None
    if not isinstance(call, facts.Call) or not isinstance(callee, facts.Member):
        return []
    if ev.roles(value.ref[0]).text_functions.get(callee.name) != "concat":
        return []
    return [(value.ref[0], one) for one in (callee.object, *(item.value for item in call.arguments))]


def _lists_behind(ev: Graph, ref: Ref) -> list[Ref]:
    """The lists that a name stands for; anything else stands for itself."""
    if not isinstance(ev.store.expr(ref), facts.Name):
        return [ref]
    return [value.ref for value in ev.values(*ref) if isinstance(value, CollectionValue)] or [ref]


def run_over(ev: Graph, file: int, number: int) -> list[int]:
    """What a variable is an element of: ``data`` in ``for (const one of data)`` and ``data.forEach(one => …)``; [] for
    anything else.
    """
    index = ev.store.files[file]
    words = ev.roles(file).words
    found: list[int] = []
    for one in ev.binder.names(file).at(number) if isinstance(index.facts.exprs[number], facts.Name) else ():
        if one.kind == "for":
            binding = index.facts.bindings[one.number]
            found += [binding.value] if not binding.path and binding.value != NONE else []
        elif one.kind == "parameter" and one.number == 0:
            place = index.argument_of.get(index.function_expr.get(one.scope, NONE))
            call = index.facts.exprs[place[0]] if place is not None else None
            callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
            if isinstance(callee, facts.Member) and callee.name in words.element_callbacks:
                found += [callee.object] if callee.name not in words.folds else []
    return found


def generated(ev: Graph, file: int, number: int) -> list[Ref]:
    """`ids.map(id => ['get', id])`, there, kept in a variable or given by a function of the project: what the function
    gives for an element; [] for anything else.
    """
    return _generated(ev, file, number, set())


def _generated(ev: Graph, file: int, number: int, seen: set[Ref]) -> list[Ref]:
    index = ev.store.files[file]
    call = index.facts.exprs[number]
    if (file, number) in seen:
        return []
    seen.add((file, number))
    if isinstance(call, facts.Name):
        return [ref for value in _kept(ev, file, number) for ref in _generated(ev, file, value, seen)]
    if not isinstance(call, facts.Call):
        return []
    callee = index.facts.exprs[call.callee]
    if isinstance(callee, facts.Member) and callee.name in ev.roles(file).words.element_callbacks:
        return _returned(ev, file, call.arguments[0].value) if call.arguments else []
    found = [_written(ev, ref) or _generated(ev, *ref, seen) for ref in _returned(ev, file, call.callee)]
    return [ref for refs in found for ref in refs] if all(found) else []


def _returned(ev: Graph, file: int, number: int) -> list[Ref]:
    """What the functions of the project that an expression stands for give back."""
    functions = [one for one in ev.objects(file, number) if isinstance(one, FunctionValue)]
    return [
        (one.file, jump.value)
        for one in functions
        for jump in ev.store.files[one.file].jumps.get(one.scope, ())
        if jump.kind == "return" and jump.value != NONE
    ]


def _written(ev: Graph, ref: Ref) -> list[Ref]:
    """The elements of a list that is written out at a place; [] for anything else."""
    expr = ev.store.expr(ref)
    if not isinstance(expr, facts.Collection) or expr.kind == "map" or expr.generated:
        return []
    return [(ref[0], one) for one in expr.items]


def calls_kept(ev: Graph, file: int, number: int) -> list[int]:
    """A call, or those that a variable holds the results of; [] for anything else."""
    expr = ev.store.files[file].facts.exprs[number]
    if isinstance(expr, facts.Name):
        return _kept(ev, file, number)
    return [number] if isinstance(expr, facts.Call) else []


def _kept(ev: Graph, file: int, number: int) -> list[int]:
    """The calls that a variable holds the results of; [] if it holds anything else as well."""
    exprs = ev.store.files[file].facts
    found = []
    for one in ev.binder.names(file).at(number):
        binding = exprs.bindings[one.number] if one.kind == "assign" else None
        if binding is None or binding.path or binding.value == NONE:
            return []
        if not isinstance(exprs.exprs[binding.value], facts.Call):
            return []
        found.append(binding.value)
    return found


def stored_under(ev: Graph, value: CollectionValue, name: str) -> list[tuple[FileIndex, facts.Write]]:
    """What is stored under a key later in the same file: ``options["tls"] = …``, ``options.tls = …``."""
    found = [one for one in stored_items(ev, value) if one[0].target_name(one[1].target) == name]
    return found + (_set_members(ev, value, name) if ev.roles(value.ref[0]).words.map_members else [])


def _set_members(ev: Graph, value: CollectionValue, name: str) -> list[tuple[FileIndex, facts.Write]]:
    """Writes `object.name = …` to an object, in the file that writes it out."""
    index = ev.store.files[value.ref[0]]
    found = []
    for write in index.writes_by_name.get(name, ()):
        target = index.facts.exprs[write.target]
        if isinstance(target, facts.Member) and value in ev.values(index.number, target.object):
            found.append((index, write))
    return found


def stored_items(ev: Graph, value: CollectionValue) -> list[tuple[FileIndex, facts.Write]]:
    """Writes `collection[key] = …` to a collection, in the file that writes it out."""
    index = ev.store.files[value.ref[0]]
    found = []
    for write in index.facts.writes:
        target = index.facts.exprs[write.target]
        if isinstance(target, facts.Index) and value in ev.values(index.number, target.object):
            found.append((index, write))
    return found
