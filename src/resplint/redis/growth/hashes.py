"""Which hashes grow: the fields that their writers use."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
    CollectionValue,
    Frame,
    Instance,
    LibraryMethod,
    LoopValue,
    ParameterValue,
    Ref,
    Reply,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.contexts import Frames
from resplint.flow.graph import Graph
from resplint.redis.growth.field_growth import FIXED, GROWING, UNCLEAR, FieldGrowth
from resplint.redis.growth.key_ways import KeyWays
from resplint.redis.growth.map_fields import MapFields
from resplint.redis.growth.script_writes import ScriptWrites
from resplint.redis.usage import CommandSite, Usage
from resplint.text import arguments as calls
from resplint.text import collections as elements
from resplint.text.key_templates import HOLE, Shape, Shapes
from resplint.text.texts import CONFIGURED, CONSTANT, Texts

_ANY_TEXT = "*"
"""What stands for any text in the patterns of KEYS and SCAN."""
_SCANNING = "scan"
"""What the methods begin with that send SCAN as often as it takes: scan_iter, scanIterator, scanStream."""

_BETWEEN = ":"
"""What stands between the parts of a key."""
_PARTS = 3
"""Parts of keys that are compared one by one, at least: two that are the same, and one that is not."""
_WORD = 3
"""Characters of a part that says what a key is for, at least."""
_IDENTITY = re.compile(r"(^|_)(id|uuid)$|[a-z](Id|ID|Uuid|UUID)$")
"""Names of what tells records apart."""
_ENTRY = 2
"""What a function is given for each entry of a map: the key and the value."""
_PAIRS = ("HSET", "HMSET")
"""Commands that take a field and its value, or several, or a map of them."""
_MOST_KEYS = 20
"""Keys of a list that are looked at."""
_PASSED_ON = 3
"""Calls in a row that hand a field on."""
_ALONE = 2
"""Arguments of a command with a key and nothing but one map."""


@dataclass(frozen=True, slots=True)
class FieldWrite:
    """One write to a hash. `growth` tells whether its field names grow with the data; `field` is the expression that
    names it.
    """

    site: CommandSite
    shape: Shape
    growth: str
    field: Ref
    kept: bool = False
    """Whether the writer has the key from a field of its object."""
    frames: Frames = ()
    """The context in which it writes under this key: the call that passes it, or the object that keeps it."""

    @property
    def places(self) -> list[Ref]:
        """Where it is written: the command, and the call that passes the key to the function around it."""
        return [self.site.ref, *(one for one in self.frames[-1:] if isinstance(one, tuple))]


def _alike(one: str, other: str) -> bool:
    """Whether two families of keys overlap as one of them says more of a part: ``room:{}:seen``, ``room:eu{}:seen``."""
    parts, others = one.split(_BETWEEN), other.split(_BETWEEN)
    if len(parts) != len(others) or len(parts) < _PARTS or one.startswith("{<") or other.startswith("{<"):
        return False
    same = [first for first, second in zip(parts, others, strict=True) if first == second and HOLE not in first]
    return sum(len(part) >= _WORD for part in same) >= _PARTS - 1 and all(
        first == second or (HOLE in first and HOLE in second and HOLE in (first, second))
        for first, second in zip(parts, others, strict=True)
    )


class Hashes:
    """Writers of hashes by the template of their key."""

    def __init__(self, evaluator: Graph, usage: Usage, shapes: Shapes, texts: Texts) -> None:
        self._ev = evaluator
        self._usage = usage
        self._shapes = shapes
        self._texts = texts
        self._growth = FieldGrowth(evaluator, texts)
        self.maps = MapFields(evaluator, self._growth)
        self._scripts = ScriptWrites(evaluator, usage, texts)
        self.ways = KeyWays(evaluator)
        self._asking: set[Ref] = set()
        """Keys of maps that are being looked at."""
        self._put_together: dict[tuple[Ref, str], list[FieldWrite]] = defaultdict(list)
        """Class and form of a key -> what methods of that class write under such keys, where all that is seen of the
        parts is that they are always the same: a parameter that nobody passes anything else for.
        """

    @cached_property
    def writers(self) -> dict[str, list[FieldWrite]]:
        """Key template -> what is written under it."""
        table: dict[str, list[FieldWrite]] = defaultdict(list)
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            how = site.method.hash_write or (model.hash_write if model is not None else "")
            if not how:
                self._written_by_script(site, table)
                continue
            for frames in self.ways.at(site.ref, (self._usage.key_file(site), self._usage.key(site))):
                with self._ev.under(frames):
                    self._written(site, how, frames, table)
        return table

    def _written(self, site: CommandSite, how: str, frames: Frames, table: dict[str, list[FieldWrite]]) -> None:
        """Notes what a command writes in one context."""
        for shape in self._shapes.of(self._usage.key_file(site), self._usage.key(site)):
            if known := self._shapes.known(shape):
                kept = self.is_kept(site)
                fields = [self._unless_copied(one) for one in self._fields(site, shape, how)]
                for one in known:
                    table[one.name].extend(replace(field, kept=kept, shape=one, frames=frames) for field in fields)
                written = self._shapes.as_written(self._usage.key_file(site), self._usage.key(site))
                if written is not None and written.says_what_for and shape.fixed and not written.fixed:
                    found = self._put_together[self._in_class(site, written.template)]
                    found.extend(replace(field, kept=kept, shape=written, frames=frames) for field in fields)

    def _written_by_script(self, site: CommandSite, table: dict[str, list[FieldWrite]]) -> None:
        for write in self._scripts.of(site):
            growth = GROWING if write.replied else FIXED if write.field[1] == NONE else self.maps.growth(*write.field)
            field = write.key if write.field[1] == NONE else write.field
            for shape in self._shapes.of(*write.key):
                for one in self._shapes.known(shape):
                    table[one.name].append(FieldWrite(site, one, growth, field))

    @cached_property
    def _moved(self) -> dict[str, dict[str, None]]:
        """Key template -> those whose values are moved there: ``rename(current, finished)``."""
        table: dict[str, dict[str, None]] = defaultdict(dict)
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is None or not model.moves:
                continue
            first = self._usage.key(site)
            behind = self._usage.argument(site, 1 + max(site.method.key, -1 if site.method.key == -1 else model.key))
            for source in self._shapes.of(self._usage.key_file(site), first):
                for target in self._shapes.of(site.file, behind) if source.known else ():
                    if target.known:
                        table[target.name][source.name] = None
        return table

    def by_choice(self, site: CommandSite) -> dict[Ref, list[FieldWrite]]:
        """The writers of what a command reads, by where the key is chosen: at the command, or at each of the calls that
        have it sent.
        """
        writers = self.writers  # of all contexts: not to be found out in one
        chosen = self.choices(site.ref, (self._usage.key_file(site), self._usage.key(site)))
        return {
            at: self.among(writers, names)
            or [one for name in names for one in self._put_together.get(self._in_class(site, name), ())]
            for at, (names, _) in chosen.items()
        }

    def _in_class(self, site: CommandSite, template: str) -> tuple[Ref, str]:
        """The class that a command stands in, or its file, and how its key is put together there."""
        index = self._ev.store.files[site.file]
        return (site.file, index.class_of(index.function_of(index.facts.exprs[site.call].block))), template

    def choices(self, place: Ref, key: Ref) -> dict[Ref, tuple[list[str], list[Shape]]]:
        """The names under which writers of a key are found, and what it may be that is known, by where it is chosen: at
        `place`, or at each of the calls that have a function run which is handed it.
        """
        ways = self.ways.at(place, key)
        said = self._shapes.by_helper(*key)
        own = len(ways) == 1 or (said is not None and said.says_what_for)
        _ = self._moved  # of all contexts
        found: dict[Ref, tuple[dict[str, None], dict[Shape, None]]] = {}
        for frames in ways:
            with self._ev.under(frames):
                names, shapes = self.names(*key), self._shapes.of(*key)
            outermost = self._says(key, frames) if frames and not own else place
            at = found.setdefault(place if isinstance(outermost, Instance) else outermost, ({}, {}))
            at[0].update(dict.fromkeys(names))
            for shape in shapes:
                at[1].update(dict.fromkeys([shape] if shape.known else self._shapes.known(shape)))
        return {at: (list(names), list(shapes)) for at, (names, shapes) in found.items()}

    def _says(self, key: Ref, frames: Frames) -> Frame:
        """The first call of a context that says what a key is for, whatever calls further out fill in; or the
        outermost.
        """
        for at, one in enumerate(frames[:-1], start=1):
            if not isinstance(one, tuple):
                continue
            with self._ev.under(frames[:at]):
                shape, shapes = self._shapes.by_helper(*key), self._shapes.of(*key)
            if shape is not None and shape.says_what_for:
                return one
            if len({each.template for each in shapes}) == 1 and shapes[0].says_what_for and not shapes[0].fixed:
                further_out = {self._around(other) for other in frames[at:] if isinstance(other, tuple)}
                if not any(self._around(hole) in further_out for each in shapes for hole in each.holes):
                    return one
        return frames[-1]

    def _around(self, ref: Ref) -> tuple[int, int]:
        """The function that an expression stands in."""
        index = self._ev.store.files[ref[0]]
        return ref[0], index.function_of(index.facts.exprs[ref[1]].block)

    def in_each_way(self, place: Ref, key: Ref) -> Iterator[Shape]:
        """What the key of a command at a place may be that is known, in each of the contexts that the code around it
        runs in; and what it stands for if it is made of one of a few constants.
        """
        found: dict[Shape, None] = {}
        for frames in self.ways.at(place, key):
            with self._ev.under(frames):
                for shape in self._shapes.of(*key):
                    found.update(dict.fromkeys(self._shapes.known(shape)))
        return iter(found)

    def names_in_each(self, place: Ref, key: Ref) -> list[str]:
        """Under which names writers of the key of a command at a place are found, in the objects that the code around
        it runs on.
        """
        found: dict[str, None] = {}
        for frames in self.ways.at(place, key):
            with self._ev.under(frames):
                found.update(dict.fromkeys(self.names(*key)))
        return list(found)

    def among(self, writers: Mapping[str, list[FieldWrite]], names: Iterable[str]) -> list[FieldWrite]:
        """Those of all `writers` that write under one of the names, each once."""
        asked = list(names)
        found = [write for name in asked for write in writers.get(name, ())]
        if not found:
            found = [write for other in writers if any(_alike(one, other) for one in asked) for write in writers[other]]
        once = {(write.site.ref, write.field, write.growth, write.frames): write for write in reversed(found)}
        return list(once.values())[::-1]

    def names(self, file: int, key: int, *, all_known: bool = False) -> list[str]:
        """Under which names writers of a key are found, those of keys that are renamed to it included. What a key may
        be besides, of which nothing is known, is left out; with `all_known` it is [] then.
        """
        shapes = [listed for shape in self._shapes.of(file, key) for listed in (self._listed(shape) or (shape,))]
        if all_known and not all(shape.known for shape in shapes):
            return []
        known = [one for shape in shapes for one in self._shapes.known(shape)]
        if not known and not all_known:
            known = [one for shape in self._in_list(file, key) for one in self._shapes.known(shape)]
        names = dict.fromkeys(one.name for one in known)
        pending = list(names)
        while pending:
            for source in self._moved.get(pending.pop(), ()):
                if source not in names:
                    names[source] = None
                    pending.append(source)
        return list(names)

    def _in_list(self, file: int, key: int) -> list[Shape]:
        """The shapes of the keys in a list, of which one is picked: ``indexes[0]``."""
        expr = self._ev.store.expr((file, key)) if key != NONE else None
        if not isinstance(expr, facts.Index):
            return []
        refs, _ = elements.in_list(self._ev, file, expr.object)
        return [shape for ref in refs[:_MOST_KEYS] for shape in self._shapes.of(*ref) if shape.known]

    def _listed(self, shape: Shape) -> tuple[Shape, ...]:
        """The shapes of keys that were listed by a pattern: ``for key in client.scan_iter("cart:*")``."""
        if shape.known or len(shape.holes) != 1:
            return ()
        found: dict[Shape, None] = {}
        values = self._ev.values(*shape.holes[0])
        lists = [value.ref for value in values if isinstance(value, LoopValue)]
        answers = [value for ref in lists for value in self._ev.values(*ref)]
        asked = dict.fromkeys(value.ref for value in (*values, *answers) if isinstance(value, Reply))
        for ref in asked:
            if not self._lists_keys(ref):
                return ()
            call = self._ev.store.expr(ref)
            arguments = call.arguments if isinstance(call, facts.Call) else ()
            for one in (each for item in arguments for each in self._shapes.of(ref[0], item.value)):
                if _ANY_TEXT in one.template:
                    template = one.template.replace(_ANY_TEXT, HOLE)
                    found[Shape(template, f"{one.identity}@{shape.identity}", (*one.holes, *shape.holes))] = None
        return tuple(found)

    def _lists_keys(self, ref: Ref) -> bool:
        """Whether a call asks for the keys that there are."""
        if sites := self._usage.by_place.get(ref):
            models = [self._usage.model(site) for site in sites]
            return all(model is not None and model.structure == "keyspace" for model in models)
        call = self._ev.store.expr(ref)
        return isinstance(call, facts.Call) and any(
            isinstance(value, LibraryMethod) and value.name.lower().startswith(_SCANNING)
            for value in self._ev.callee(ref[0], call.callee)
        )

    # -- fields --------------------------------------------------------------------------------------------------------

    def _fields(self, site: CommandSite, shape: Shape, how: str) -> list[FieldWrite]:
        found = []
        second = 1 + self._usage.field_shift(site)
        field = self._field(site, second)
        mapping = (
            self._usage.argument(site, 3, site.method.mapping_parameter) if how == "pairs" and not site.raw else NONE
        )
        laid_out = self.maps.laid_out(site.file, field) if how == "pairs" and field != NONE else None
        if laid_out is not None and self.maps.is_mapping(*laid_out):
            return [FieldWrite(site, shape, growth, ref) for growth, ref in self.maps.fields(*laid_out)]
        if how in ("pairs", "mapping") and field != NONE and self.maps.is_mapping(site.file, field):
            mapping, field = field, NONE
        if mapping != NONE:
            found = [FieldWrite(site, shape, growth, ref) for growth, ref in self.maps.fields(site.file, mapping)]
        if how in ("pairs", "field") or site.raw:
            fields = [field] if not site.raw or how == "field" else self._usage.positional(site)[second::2]
            if mapping != NONE and mapping in fields and self.maps.is_only_mapping(site.file, mapping):
                fields.remove(mapping)
            for one in fields:
                if one not in (NONE, self._usage.key(site)):
                    found.append(FieldWrite(site, shape, self.maps.growth(site.file, one), (site.file, one)))
        return found

    def _field(self, site: CommandSite, second: int) -> int:
        """The argument that names a field, by position or by the names that libraries give it."""
        if not site.raw and (named := self._usage.keyword(site, "field")) != NONE:
            return named
        return self._usage.argument(site, second, "" if site.raw else "key")

    def _unless_copied(self, write: FieldWrite) -> FieldWrite:
        """A write, which says nothing of how a hash grows when its field was read from the same hash just before."""
        calls = self.maps.taken_from(*write.field) if write.growth == GROWING else None
        own = bool(calls) and all(self._reads_whole(ref, write.shape) for ref in calls or ())
        return replace(write, growth=UNCLEAR) if own else write

    def _reads_whole(self, ref: Ref, shape: Shape) -> bool:
        """Whether a call reads all of a hash, under a key of this shape and no other."""
        for site in self._usage.by_place.get(ref, ()):
            model = self._usage.model(site)
            shapes = self._shapes.of(self._usage.key_file(site), self._usage.key(site))
            if model is None or not model.whole_hash or {one.name for one in shapes} != {shape.name}:
                return False
        return ref in self._usage.by_place

    def around(self, write: FieldWrite) -> AbstractContextManager[None]:
        """The context of a write, in which questions about its field are asked."""
        return self._ev.under(write.frames)

    def handed_in(self, field: Ref) -> bool:
        """Whether a field is a bare parameter whose callers are not known: they may name the fields of a record. It may
        be one of a function around: ``with(client -> client.hset(key, field, value))``. What a call of the context
        passes is asked instead of the parameter that takes it.
        """
        return all(self._is_handed_in(one) for one in self.chosen(field))

    def _is_handed_in(self, field: Ref) -> bool:
        expr = self._ev.store.expr(field)
        if not isinstance(expr, facts.Name):
            return False
        index = self._ev.store.files[field[0]]
        return all(
            isinstance(value, ParameterValue) and value.file == field[0] and index.within(expr.block, value.scope)
            for value in self._ev.values(*field)
        )

    def is_named_as_identity(self, field: Ref) -> bool:
        """Whether the name of a variable suggests that it is an identity, which a record has no field for: `skuId`. It
        makes a guess a better one, and decides nothing.
        """
        names = {getattr(self._ev.store.expr(one), "name", "") for one in (field, *self.chosen(field))}
        return any(_IDENTITY.search(name) is not None for name in names)

    def chosen(self, field: Ref, depth: int = 0) -> list[Ref]:
        """What the calls of the context pass for a field that is a parameter, or the field itself."""
        index = self._ev.store.files[field[0]]
        expr = index.facts.exprs[field[1]]
        found = self._ev.binder.names(field[0]).at(field[1]) if isinstance(expr, facts.Name) else ()
        if len(found) != 1 or found[0].kind != "parameter" or depth > _PASSED_ON:
            return [field]
        given: dict[Ref, None] = {}
        record = index.facts.scopes[found[0].scope]
        for edge in self._ev.calls_here(field[0], found[0].scope):
            if not isinstance(self._ev.store.expr(edge.ref), facts.Call):
                return [field]
            other = self._ev.store.files[edge.file]
            one = calls.argument(other, edge.call, record, found[0].number, edge.bound)
            if one is None or one == NONE:
                return [field]
            given.update(dict.fromkeys(self.chosen((edge.file, one), depth + 1)))
        return list(given) or [field]

    def is_parameter(self, field: Ref) -> bool:
        """Whether a field is a bare parameter, so that it is the callers who choose it."""
        expr = self._ev.store.expr(field)
        if not isinstance(expr, facts.Name):
            return False
        index = self._ev.store.files[field[0]]
        scope = index.function_of(expr.block)
        return (scope, expr.name) in index.parameters and not index.bindings.get((scope, expr.name))

    def of_record(self, field: Ref) -> bool:
        """Whether a field is a key of a loop over an object or map: as many as the object has. What Redis has replied
        is no such object.
        """
        for value in self._ev.values(*field):
            data = self._ev.store.expr(self._listing(value.ref)) if isinstance(value, LoopValue) else None
            if isinstance(value, LoopValue) and isinstance(data, facts.Call):
                callee = self._ev.store.expr((value.ref[0], data.callee))
                if isinstance(callee, facts.Member) and callee.name in self._ev.roles(value.ref[0]).words.map_views:
                    maps = (callee.object, *(item.value for item in data.arguments))
                    given = [one for each in maps for one in self._ev.values(value.ref[0], each)]
                    if not any(isinstance(one, Reply) or self._is_made_of_data(one) for one in given):
                        return True
        return self._of_pair(*field) or self._is_handed_whole(*field) or self._is_laid_out(*field)

    def _is_made_of_data(self, value: Value) -> bool:
        """Whether a map gets an entry for each element of some data: ``{one: place for place, one in enumerate(ids)}``,
        not for each entry of another map.
        """
        made = self._ev.store.expr(value.ref) if isinstance(value, CollectionValue) else None
        if not isinstance(made, facts.Collection) or not made.generated or not isinstance(value, CollectionValue):
            return False
        keys = [(value.ref[0], key) for key in made.keys if key != NONE and (value.ref[0], key) not in self._asking]
        self._asking.update(keys)
        try:
            return any(self.maps.growth(*key) == GROWING and not self.of_record(key) for key in keys)
        finally:
            self._asking.difference_update(keys)

    def named_by_time(self, field: Ref) -> bool:
        """Whether a field is named after a point in time: a count of each day beside one of all."""
        return self._growth.is_time(*field)

    def told_by_element(self, field: Ref) -> bool:
        """Whether an element of a list that is gone through tells a field: ``items.forEach(i -> put(i.id, i))``."""
        index = self._ev.store.files[field[0]]
        number = field[1]
        while True:
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Call) and not expr.arguments:
                number = expr.callee
            elif isinstance(expr, facts.Call) and len(expr.arguments) == 1:
                number = expr.arguments[0].value
            elif isinstance(expr, facts.Member):
                number = expr.object
            else:
                break
        return (
            isinstance(expr, facts.Name)
            and any(isinstance(value, LoopValue) for value in self._ev.values(field[0], number))
            and not self.of_record(field)
        )

    def _is_handed_whole(self, file: int, number: int) -> bool:
        """Whether an object of which nothing is known stands alone in the place of fields and values:
        ``hset(key, data)``.
        """
        place = self._ev.store.files[file].argument_of.get(number)
        call = self._ev.store.expr((file, place[0])) if place is not None else None
        if not isinstance(call, facts.Call) or any(item.name for item in call.arguments):
            return False
        alone = len(call.arguments) == _ALONE and call.arguments[-1].value == number
        sites = self._usage.by_place.get((file, place[0]), ()) if place is not None and alone else ()
        plain = isinstance(self._ev.store.expr((file, number)), facts.Name | facts.Member)
        return plain and any(site.command in _PAIRS for site in sites) and not self.maps.is_mapping(file, number)

    def _is_laid_out(self, file: int, number: int) -> bool:
        """Whether the fields and values of an object of which nothing is known stand there one behind the other:
        ``hset(key, ...Object.entries(data).flat())``. What Redis has replied is no such object.
        """
        laid_out = self.maps.laid_out(file, number)
        return laid_out is not None and not any(isinstance(one, Reply) for one in self._ev.values(*laid_out))

    def _listing(self, ref: Ref) -> Ref:
        """The call that lists what a loop goes through, behind a name for it and behind the choice of some entries."""
        file, number = ref
        index = self._ev.store.files[file]
        keepers = self._ev.roles(file).words.map_keepers
        seen: set[int] = set()
        while number not in seen:
            seen.add(number)
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Name):
                found = self._ev.binder.names(file).at(number)
                binding = index.facts.bindings[found[0].number] if [one.kind for one in found] == ["assign"] else None
                if binding is None or binding.path or binding.value == NONE:
                    break
                number = binding.value
            elif isinstance(expr, facts.Call):
                callee = index.facts.exprs[expr.callee]
                if not isinstance(callee, facts.Member) or callee.name not in keepers:
                    break
                number = callee.object
            else:
                break
        return file, number

    def _of_pair(self, file: int, number: int) -> bool:
        """Whether a field is the first of the two that a function is given for each entry of a map:
        ``data.forEach((name, value) -> hset(key, String.valueOf(name), value))``.
        """
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Call):  # as a text
            callee = index.facts.exprs[expr.callee]
            if not expr.arguments and isinstance(callee, facts.Member):
                number = callee.object
            elif len(expr.arguments) == 1:
                number = expr.arguments[0].value
            expr = index.facts.exprs[number]
        definitions = self._ev.binder.names(file).at(number) if isinstance(expr, facts.Name) else ()
        return bool(definitions) and all(
            one.kind == "parameter"
            and one.number == 0
            and index.facts.scopes[one.scope].kind == "comprehension"
            and len(index.facts.scopes[one.scope].parameters) == _ENTRY
            and self.maps.gets_entries(index, one.scope)
            for one in definitions
        )

    def of_any_maker(self, site: CommandSite) -> bool:
        """Whether a command reads a key that its object was handed when it was made, in a method that nobody outside
        the class is seen to call.
        """
        key = self._key(site)
        if self._usage.key_file(site) != site.file or not isinstance(key, facts.Member) or not self.is_kept(site):
            return False
        index = self._ev.store.files[site.file]
        scope = index.function_of(key.block)
        owner = index.facts.scopes[scope].parent
        classes = [one for one in self._ev.classes.line(site.file, owner) if isinstance(one, ClassValue)]
        kept = [
            (self._ev.store.files[one.file], write.value)
            for one in classes
            for write in self._ev.store.files[one.file].writes_by_name.get(key.name, ())
            if self._ev.store.files[one.file].within(write.block, one.scope)
        ]
        if not kept or not all(self._handed_to_constructor(*one) for one in kept):
            return False
        for caller in self._ev.callers.of(site.file, scope):
            other = self._ev.store.files[caller.file]
            if caller.file != site.file or not other.within(other.facts.exprs[caller.call].block, owner):
                return False
        return True

    def _handed_to_constructor(self, index: FileIndex, number: int) -> bool:
        """``this.key = key``, ``this.key = options.key``."""
        name = index.facts.exprs[number] if number != NONE else None
        while isinstance(name, facts.Member):
            name = index.facts.exprs[name.object]
        if not isinstance(name, facts.Name):
            return False
        scope = index.function_of(name.block)
        return index.facts.scopes[scope].is_constructor and (scope, name.name) in index.parameters

    def is_kept(self, site: CommandSite) -> bool:
        """Whether the key of a command is a field of the object that sends it."""
        expr = self._key(site)
        return isinstance(expr, facts.Member) and any(
            isinstance(value, Instance) for value in self._ev.values(self._usage.key_file(site), expr.object)
        )

    def _key(self, site: CommandSite) -> facts.Expr | None:
        """The expression of a command's key."""
        number = self._usage.key(site)
        return self._ev.store.expr((self._usage.key_file(site), number)) if number != NONE else None

    def configured(self, shape: Shape) -> bool:
        """Whether a key's holes are settings of the process, so that it is one key all the same."""
        return bool(shape.holes) and all(self._is_setting(*hole) for hole in shape.holes)

    def _is_setting(self, file: int, number: int) -> bool:
        kinds = {part.kind for part in self._texts.parts(file, number)}
        return (bool(kinds) and kinds <= {CONSTANT, CONFIGURED}) or self._of_process(file, number)

    def _of_process(self, file: int, number: int) -> bool:
        """Whether an expression reads what belongs to a class: ``App.getInstance().config.cluster``."""
        expr = self._ev.store.expr((file, number))
        while isinstance(expr, facts.Member) or (isinstance(expr, facts.Call) and not expr.arguments):
            number = expr.object if isinstance(expr, facts.Member) else expr.callee
            expr = self._ev.store.expr((file, number))
        values = self._ev.values(file, number) if isinstance(expr, facts.Name) else ()
        return bool(values) and all(isinstance(value, ClassValue) for value in values)

    def bucket(self, shape: Shape) -> bool:
        """Whether a key's holes are all points in time (a hash per day, say), so that many writers share it."""
        return bool(shape.holes) and all(self._growth.is_time(*hole) for hole in shape.holes)
