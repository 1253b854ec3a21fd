"""Maps of fields and values: which fields are in them, and whether the code names them all."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
    CollectionMethod,
    CollectionValue,
    Const,
    EnumValues,
    ExternalObject,
    FunctionValue,
    Instance,
    LoopValue,
    ParameterValue,
    Ref,
    Reply,
    Text,
    Unknown,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.growth.field_growth import BOUNDED, FIXED, GROWING, UNCLEAR, FieldGrowth
from resplint.text import collections as elements

_FIRST = (0,)
"""The way to the key in an entry that is taken apart."""
_ENTRY = 2
"""What a function is given for each entry of a map: the key and the value."""
_KEYED = "keyed"
"""How a map is made whose keys a function gives, one for each element."""


class MapFields:
    """Reads maps where they are written out, made of arguments, filled later or made of an object."""

    def __init__(self, evaluator: Graph, growth: FieldGrowth) -> None:
        self._ev = evaluator
        self._growth = growth
        self._asking: set[Ref] = set()
        self._copying: set[Ref] = set()
        self._looked_at: set[Ref] = set()
        """Maps whose entries are being looked at."""

    def growth(self, file: int, field: int) -> str:
        """Whether a field name is one of a fixed set, such as the keys of a map that the code writes out, or comes from
        data without bound.
        """
        return FIXED if self._is_known_key(file, field) else self._growth.of(file, field)

    def is_mapping(self, file: int, expr: int) -> bool:
        """Whether an argument is a map of fields and values rather than a single field."""
        values = self._ev.values(file, self._origin(file, expr))
        return next((is_map for value in values if (is_map := self._is_map(file, value)) is not None), False)

    def is_only_mapping(self, file: int, expr: int) -> bool:
        """Whether an argument is never anything else."""
        return all(self._is_map(file, value) for value in self._ev.values(file, self._origin(file, expr)))

    def _is_map(self, file: int, value: Value) -> bool | None:
        """Whether a value is a map; None where it may be."""
        if isinstance(value, CollectionValue):
            collection = self._ev.store.expr(value.ref)
            return isinstance(collection, facts.Collection) and collection.kind == "map"
        return True if isinstance(value, ExternalObject) and self._makes_map(file, value.dotted) else None

    def _makes_map(self, file: int, dotted: str) -> bool:
        roles = self._ev.roles(file)
        plain = dotted.removesuffix("()")
        return plain in roles.collection_makers or plain in roles.map_makers

    def fields(self, file: int, expr: int) -> list[tuple[str, Ref]]:
        """Growth of each field of a mapping."""
        return [one for value in self._ev.values(file, self._origin(file, expr)) for one in self._fields_of(value)]

    def laid_out(self, file: int, number: int) -> Ref | None:
        """The map whose keys and values a list holds one behind the other: ``Object.entries(data).flat()``; None for
        anything else.
        """
        index = self._ev.store.files[file]
        words = self._ev.roles(file).words
        seen: set[int] = set()
        while number not in seen:
            seen.add(number)
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Name) and len(kept := elements.calls_kept(self._ev, file, number)) == 1:
                number = kept[0]
                continue
            callee = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
            if not isinstance(expr, facts.Call) or not isinstance(callee, facts.Member):
                return None
            if callee.name in words.map_views:
                viewed, view = self._viewed(file, number)
                return viewed if view == "items" and expr.arguments else None
            if callee.name not in (*words.flatteners, *words.map_keepers) and not self._keeps_keys(index, expr):
                return None
            number = callee.object
        return None

    def _keeps_keys(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a function gives the key of an entry and a value for each entry: ``([name, value]) => [name,
        String(value)]``.
        """
        callee = index.facts.exprs[call.callee]
        words = self._ev.roles(index.number).words
        if not isinstance(callee, facts.Member) or callee.name not in words.element_callbacks or not call.arguments:
            return False
        if callee.name in words.folds:
            return False
        pairs = [
            expr
            for one in self._ev.values(index.number, call.arguments[0].value)
            if isinstance(one, FunctionValue) and one.file == index.number
            for jump in index.jumps.get(one.scope, ())
            if jump.value != NONE and isinstance(expr := index.facts.exprs[jump.value], facts.Collection)
        ]
        return bool(pairs) and all(
            len(pair.items) == _ENTRY
            and isinstance(index.facts.exprs[pair.items[0]], facts.Name)
            and {
                self._way(index, one.kind, one.scope, one.number)
                for one in self._ev.binder.names(index.number).at(pair.items[0])
            }
            == {_FIRST}
            for pair in pairs
        )

    def _origin(self, file: int, number: int) -> int:
        """The map that a call leaves as it is but for the values of its entries, or for some entries."""
        keepers = self._ev.roles(file).words.map_keepers
        while isinstance(expr := self._ev.store.expr((file, number)), facts.Call):
            callee = self._ev.store.expr((file, expr.callee))
            if not isinstance(callee, facts.Member) or callee.name not in keepers:
                break
            number = callee.object
        return self._collector(file, number)

    def _collector(self, file: int, number: int) -> int:
        """What says which keys a map has that a call collects: ``rows.collect(Collectors.toMap(Row::id, …))``."""
        roles = self._ev.roles(file)
        for one in elements.calls_kept(self._ev, file, number):
            call = self._ev.store.expr((file, one))
            assert isinstance(call, facts.Call)
            for item in call.arguments[:1]:
                for value in self._ev.values(file, item.value):
                    plain = value.dotted.removesuffix("()") if isinstance(value, ExternalObject) else ""
                    if roles.map_makers.get(plain) == _KEYED and not self._is_listed(file, call.callee):
                        return item.value
        return number

    def _is_listed(self, file: int, number: int) -> bool:
        """Whether something is made of the entries of a map or of what the code lists: ``data.entrySet().stream()``,
        ``Arrays.stream(Status.values())``, ``Stream.of("a", "b")``.
        """
        views = self._ev.roles(file).words.map_views
        given: list[Value] = []
        while True:
            expr = self._ev.store.expr((file, number))
            if isinstance(expr, facts.Member) and expr.name in views:
                return True
            if isinstance(expr, facts.Call):
                given = [value for item in expr.arguments for value in self._ev.values(file, item.value)]
                number = expr.callee
            elif isinstance(expr, facts.Member):
                number = expr.object
            else:
                break
        given += [one for one in self._ev.values(file, number) if isinstance(one, CollectionValue)]
        return bool(given) and all(isinstance(one, ClassValue | CollectionValue | Const | EnumValues) for one in given)

    def _fields_of(self, value: Value) -> Iterator[tuple[str, Ref]]:
        if isinstance(value, CollectionValue):
            yield from self._collection(value)
        elif isinstance(value, ExternalObject) and value.ref and self._makes_map(value.ref[0], value.dotted):
            yield from self._made_of(value)
            yield from self._dict_writes(value)

    def _made_of(self, value: ExternalObject) -> list[tuple[str, Ref]]:
        """`Map.of("a", 1, id, 2)`, `mapOf("a" to 1)`: the fields among the arguments."""
        assert value.ref is not None
        file = value.ref[0]
        how = self._ev.roles(file).map_makers.get(value.dotted.removesuffix("()"), "")
        call = self._ev.store.expr(value.ref)
        if not how or not isinstance(call, facts.Call):
            return []
        numbers = [item.value for item in call.arguments]
        if how == "entries":
            refs = [ref for number in numbers[:1] for ref in self._entries(file, number)]
            return [(self.growth(*ref), ref) for ref in refs]
        if how == _KEYED:
            return [(self._of_elements(file, number), (file, number)) for number in numbers[:1]]
        if how == "pairs":
            numbers = numbers[::2]
        else:
            pairs = [self._ev.store.files[file].facts.exprs[number] for number in numbers]
            numbers = [pair.items[0] for pair in pairs if isinstance(pair, facts.Collection) and pair.items]
        return [(self.growth(file, number), (file, number)) for number in numbers]

    def _of_elements(self, file: int, number: int) -> str:
        """Growth of what a function gives for each element: ``Row::id``, ``row -> row.id()``."""
        expr = self._ev.store.expr((file, number))
        owner = self._ev.values(file, expr.object) if isinstance(expr, facts.Member) else ()
        if any(isinstance(one, ClassValue) and self._ev.classes.is_enumeration(one.file, one.scope) for one in owner):
            return FIXED
        if owner:
            return GROWING
        found = {
            self.growth(one.file, jump.value)
            for one in self._ev.values(file, number)
            if isinstance(one, FunctionValue)
            for jump in self._ev.store.files[one.file].jumps.get(one.scope, ())
            if jump.value != NONE
        }
        return next((one for one in (GROWING, UNCLEAR, BOUNDED, FIXED) if one in found), UNCLEAR)

    def _entries(self, file: int, number: int) -> list[Ref]:
        """The keys of a list of pairs: ``Object.fromEntries(rows.map(row => [row.id, row]))``."""
        pairs = elements.generated(self._ev, file, number)
        for value in self._ev.values(file, number) if not pairs else ():
            if isinstance(value, CollectionValue):
                pairs += elements.listed(self._ev, value)
        found = []
        for other, pair in pairs:
            expr = self._ev.store.files[other].facts.exprs[pair]
            if isinstance(expr, facts.Collection) and expr.items:
                found.append((other, expr.items[0]))
        return found

    def _collection(self, value: CollectionValue) -> list[tuple[str, Ref]]:
        collection = self._ev.store.expr(value.ref)
        assert isinstance(collection, facts.Collection)
        file = value.ref[0]
        found = [(self.growth(file, key), (file, key)) for key in collection.keys if key != NONE]
        for index, write in elements.stored_items(self._ev, value):
            target = index.facts.exprs[write.target]
            assert isinstance(target, facts.Index)
            found.append((self.growth(index.number, target.key), (index.number, target.key)))
        return found + self._put_by_methods(self._ev.store.files[file], value)

    def _dict_writes(self, value: ExternalObject | Reply) -> list[tuple[str, Ref]]:
        assert value.ref is not None
        index = self._ev.store.files[value.ref[0]]
        found = []
        for write in index.facts.writes:
            target = index.facts.exprs[write.target]
            if isinstance(target, facts.Index) and value in self._ev.values(index.number, target.object):
                found.append((self.growth(index.number, target.key), (index.number, target.key)))
        return found + self._put_by_methods(index, value)

    def _put_by_methods(self, index: FileIndex, value: Value) -> list[tuple[str, Ref]]:
        """The keys of ``map.put(key, …)``, ``map.setdefault(key, …)``."""
        found = []
        words = self._ev.roles(index.number).words
        for name in (*words.map_setters, *words.map_defaults):
            for number in index.by_name.get(name, ()):
                member = index.facts.exprs[number]
                call = index.facts.exprs[index.call_of[number]] if number in index.call_of else None
                if isinstance(member, facts.Member) and isinstance(call, facts.Call) and call.arguments:
                    if value in self._ev.values(index.number, member.object):
                        key = call.arguments[0].value
                        found.append((self.growth(index.number, key), (index.number, key)))
        return found

    def gets_entries(self, index: FileIndex, scope: int) -> bool:
        """Whether a function is given the key and the value of each entry of a map."""
        place = index.argument_of.get(index.function_expr.get(scope, NONE))
        call = index.facts.exprs[place[0]] if place is not None else None
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        names = self._ev.roles(index.number).words.entry_loops
        return isinstance(callee, facts.Member) and callee.name in names

    # -- keys of maps --------------------------------------------------------------------------------------------------

    def _is_known_key(self, file: int, number: int) -> bool:
        """Whether a field is a key of a map that is gone through, whose keys the code names, one and all."""
        ref = (file, number)
        if ref in self._asking:  # ``totals[key] += 1`` for each key of the totals adds none
            return True
        self._asking.add(ref)
        try:
            maps = self._gone_through(self._ev.store.files[file], number)
            return bool(maps) and all(self._has_known_keys(*one) for one in maps)
        finally:
            self._asking.discard(ref)

    def taken_from(self, file: int, number: int) -> list[Ref] | None:
        """The calls whose replies a field is a key of, as such or over maps that were made of those replies; None when
        it may be anything else.
        """
        ref = (file, number)
        if ref in self._copying:  # ``record[name] = other[name]`` for each name of the record
            return []
        self._copying.add(ref)
        try:
            maps = self._walked(file, number) or self._gone_through(self._ev.store.files[file], number)
            found = [one for each in maps for one in self._replied(*each) or (None,)]
        finally:
            self._copying.discard(ref)
        return [one for one in found if one is not None] if maps and None not in found else None

    def _walked(self, file: int, number: int) -> list[Ref]:
        """The maps that the loops around a name go through whose key it is; [] when it may be anything else."""
        index = self._ev.store.files[file]
        found: list[Ref] = []
        for one in self._ev.binder.names(file).at(number) if isinstance(index.facts.exprs[number], facts.Name) else ():
            binding = index.facts.bindings[one.number] if one.kind == "for" else None
            if binding is None or binding.value == NONE or binding.path not in ((), _FIRST):
                return []
            ref, view = self._viewed(file, binding.value)
            if view == "values" or (not binding.path) != (view == "keys"):
                return []
            found.append(ref)
        return found

    def _replied(self, file: int, number: int) -> list[Ref] | None:
        """The calls whose replies a map is, or is made of."""
        found: list[Ref] = []
        for value in self._ev.values(file, self._origin(file, number)):
            if isinstance(value, Reply):
                if self._is_merged(value) or any(growth != FIXED for growth, _ in self._dict_writes(value)):
                    return None
                found.append(value.ref)
            elif isinstance(value, CollectionValue):
                fields = [self.taken_from(*field) for growth, field in self._collection(value) if growth != FIXED]
                if not fields or None in fields:
                    return None
                found += [one for each in fields for one in each or ()]
            elif not _is_nothing(value):
                return None
        return found

    def lists_known_keys(self, file: int, number: int) -> bool:
        """Whether an expression is the keys of a map, perhaps as another list of them, and the code names them all."""
        views = self._ev.roles(file).words.map_views
        while isinstance(expr := self._ev.store.expr((file, number)), facts.Call) and not expr.arguments:
            callee = self._ev.store.expr((file, expr.callee))
            if not isinstance(callee, facts.Member) or callee.name in views:
                break
            number = callee.object
        viewed, view = self._viewed(file, number)
        if view == "keys" and self._has_known_keys(*viewed):
            return True
        values = self._ev.values(file, number)
        kept = [value for value in values if isinstance(value, CollectionMethod)]
        return (
            bool(kept)
            and all(isinstance(one, CollectionMethod | ExternalObject) for one in values)
            and all(views.get(one.name) == "keys" and self._has_known_keys(*one.collection.ref) for one in kept)
        )

    def _gone_through(self, index: FileIndex, number: int) -> list[Ref]:
        """The maps of which an expression is a key; [] when it may be anything else."""
        words = self._ev.roles(index.number).words
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Call):
            callee = index.facts.exprs[expr.callee]
            if isinstance(callee, facts.Member) and not expr.arguments:
                if callee.name in words.entry_keys:
                    return self._looped(index, callee.object, whole=False)
                return self._gone_through(index, callee.object)  # as a text: key.toString()
            values = self._ev.values(index.number, expr.callee)
            if len(expr.arguments) != 1 or any(isinstance(one, FunctionValue) for one in values):
                return []
            return self._gone_through(index, expr.arguments[0].value)
        if isinstance(expr, facts.Member) and expr.name in words.entry_keys:
            return self._looped(index, expr.object, whole=False)
        if not isinstance(expr, facts.Name):
            return []
        definitions = self._ev.binder.names(index.number).at(number)
        ways = {self._way(index, one.kind, one.scope, one.number) for one in definitions}
        if len(ways) != 1 or not ways <= {(), _FIRST}:
            return []
        return self._looped(index, number, whole=() in ways)

    def _way(self, index: FileIndex, kind: str, scope: int, number: int) -> tuple[int | str, ...] | None:
        """The way to a name in what a loop or a caller gives: an element of a pair, or all of it."""
        if kind == "parameter":
            pair = len(index.facts.scopes[scope].parameters) == _ENTRY and self.gets_entries(index, scope)
            return (number,) if pair else () if number == 0 else None
        if kind in ("import", "definition"):
            return None
        return index.facts.bindings[number].path

    def _looped(self, index: FileIndex, number: int, whole: bool) -> list[Ref]:
        """The maps that an element comes from, which is a key as a `whole` or has one."""
        found: list[Ref] = []
        for value in self._ev.values(index.number, number):
            if isinstance(value, LoopValue):
                ref, view = self._viewed(*value.ref)
                if view == "values" or whole != (view == "keys"):
                    return []
                found.append(ref)
        return found

    def _viewed(self, file: int, number: int) -> tuple[Ref, str]:
        """The map of which an expression is a view, and which: ``data.items()``, ``Object.keys(data)``."""
        expr = self._ev.store.expr((file, number))
        call = expr if isinstance(expr, facts.Call) else None
        member = self._ev.store.expr((file, call.callee)) if call is not None else expr
        views = self._ev.roles(file).words.map_views
        if not isinstance(member, facts.Member) or member.name not in views:
            return (file, number), self._ev.roles(file).words.map_elements
        viewed = call.arguments[0].value if call is not None and call.arguments else member.object
        return (file, viewed), views[member.name]

    # -- maps ----------------------------------------------------------------------------------------------------------

    def _has_known_keys(self, file: int, number: int) -> bool:
        """Whether the code names all keys of a map, or it is an object with its fields as keys."""
        number = self._origin(file, number)
        expr = self._ev.store.expr((file, number))
        if self._collects_keywords(file, expr):
            return True
        callee = self._ev.store.expr((file, expr.callee)) if isinstance(expr, facts.Call) else None
        words = self._ev.roles(file).words
        for member in (expr, callee):
            if isinstance(member, facts.Member) and member.name in words.record_members:
                if any(isinstance(one, Instance) for one in self._ev.values(file, member.object)):
                    return True
        values = [one for one in self._ev.values(file, number) if not self._is_declared(one)]
        if any(isinstance(one, Instance) for one in values):  # a type is declared, so that is what callers give
            data = ParameterValue | Reply | Text | Unknown
            values = [one for one in values if not isinstance(one, data) and not _is_nothing(one)]
        return bool(values) and all(self._is_known(one) for one in values)

    def _collects_keywords(self, file: int, expr: facts.Expr) -> bool:
        """Whether an expression is the parameter that takes the keywords which callers write out: ``**fields``."""
        if not isinstance(expr, facts.Name):
            return False
        index = self._ev.store.files[file]
        owner = index.owner(expr.name, index.scope_of(expr.block))
        position = index.parameters.get((owner, expr.name))
        return position is not None and index.facts.scopes[owner].parameters[position].kind == "**"

    def _is_declared(self, value: Value) -> bool:
        """Whether a value says no more than the type of a map."""
        return isinstance(value, ExternalObject) and value.ref is None

    def _has_fields(self, value: Instance) -> bool:
        """Whether an object's class declares its fields, and leaves it to nobody to say what an entry is."""
        line = self._ev.classes.line(value.file, value.scope)
        words = self._ev.roles(value.file).words
        if any(
            self._ev.classes.method(value.file, value.scope, name) for name in (*words.map_views, *words.any_member)
        ):
            return False
        classes = [one for one in line if isinstance(one, ClassValue)]
        return len(classes) == len(line) and any(
            binding.scope == one.scope for one in classes for binding in self._ev.store.files[one.file].facts.bindings
        )

    def _is_known(self, value: Value) -> bool:
        if isinstance(value, Instance):
            return self._has_fields(value)
        fields = list(self._fields_of(value))
        if isinstance(value, CollectionValue):
            collection = self._ev.store.expr(value.ref)
            assert isinstance(collection, facts.Collection)
            spread = (
                [item for key, item in zip(collection.keys, collection.items, strict=False) if key == NONE]
                if collection.kind == "map"
                else [NONE]
            )
            if value.ref in self._looked_at:  # it takes over its own entries: ``state = { ...state, seen: true }``
                return True
            self._looked_at.add(value.ref)
            try:
                if not all(one != NONE and self._has_known_keys(value.ref[0], one) for one in spread):
                    return False
            finally:
                self._looked_at.discard(value.ref)
            return bool(fields or spread) and all(growth == FIXED for growth, _ in fields)
        if not isinstance(value, ExternalObject) or value.ref is None:
            return False
        if value.dotted.removesuffix("()") in self._ev.roles(value.ref[0]).record_makers:
            return True
        if self._takes_over(value) or not fields:
            return False
        return all(growth == FIXED for growth, _ in fields)

    def _takes_over(self, value: ExternalObject) -> bool:
        """Whether a map gets entries of others, when it is made or later."""
        assert value.ref is not None
        roles = self._ev.roles(value.ref[0])
        call = self._ev.store.expr(value.ref)
        how = roles.map_makers.get(value.dotted.removesuffix("()"), "")
        numbers = [item.value for item in call.arguments] if isinstance(call, facts.Call) and not how else []
        given = [self._ev.values(value.ref[0], number) for number in numbers]
        if any(not values or not all(isinstance(one, Const) for one in values) for values in given):
            return True
        return self._is_merged(value)

    def _is_merged(self, value: ExternalObject | Reply) -> bool:
        """Whether a map gets the entries of others later."""
        assert value.ref is not None
        index = self._ev.store.files[value.ref[0]]
        for name in self._ev.roles(index.number).words.map_mergers:
            for number in index.by_name.get(name, ()):
                member = index.facts.exprs[number]
                if isinstance(member, facts.Member) and value in self._ev.values(index.number, member.object):
                    return True
        return False


def _is_nothing(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None
