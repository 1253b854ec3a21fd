"""What the elements of lists, sets, sorted sets and streams are, as their writers show, and which are trimmed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from math import inf

from resplint.bind.exit_paths import alike
from resplint.bind.values import CollectionValue, Const, Instance, ParameterValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.contexts import Frames
from resplint.flow.graph import Graph
from resplint.knowledge.records.command_records import CommandModel
from resplint.redis.calls.command_options import CommandOptions
from resplint.redis.commands import SCRIPT_CALL
from resplint.redis.growth.field_growth import BOUNDED, FIXED, GROWING
from resplint.redis.growth.hashes import FieldWrite, Hashes
from resplint.redis.growth.kept_short import KeptShort
from resplint.redis.growth.script_writes import ScriptWrite, ScriptWrites
from resplint.redis.growth.trimming import BY_SCORE, Trimming
from resplint.redis.usage import CommandSite, Usage
from resplint.text import collections as elements
from resplint.text.fresh_values import counts_without_bound
from resplint.text.key_templates import HOLE, Shapes
from resplint.text.texts import CONSTANT, Texts

_ORDERED = ("list", "stream")
"""Structures that keep an element as often as it is added."""
_VALUE = "value"
"""The entry of an object that holds a member beside its score: ``{ score: 1, value: 'a' }``."""
_NAMED = ("mapping", _VALUE)
"""Keywords for the members of a sorted set."""
_WORD = 3
"""Letters from which on a text is a word."""
_PARTS = 3
"""Parts from which on keys that differ in some are compared part by part."""
_SEPARATORS = frozenset(":/")
"""What stands between the parts of a key."""
_BRIEF = 600
"""Seconds up to which a life is brief."""
_UNITS = {"EXPIRE": 1.0, "PEXPIRE": 0.001}
"""Seconds of the unit in which a command says a life."""
_SAME = {"geo": "zset"}
"""Structures that are kept as another one."""


class ElementWrites:
    """Writers of collections by the template of their key."""

    def __init__(
        self, evaluator: Graph, usage: Usage, shapes: Shapes, texts: Texts, hashes: Hashes, options: CommandOptions
    ) -> None:
        self._ev = evaluator
        self._usage = usage
        self._shapes = shapes
        self._texts = texts
        self._hashes = hashes
        self._options = options
        self._scripts = ScriptWrites(evaluator, usage, texts)
        self._trimming = Trimming(evaluator, usage)
        self._kept_short = KeptShort(evaluator, usage, shapes, hashes.ways)

    def of(self, structure: str, names: list[str]) -> list[FieldWrite]:
        """Writers of a collection of one structure by the names of its key; `field` is an element."""
        writers = self._hashes.among(self._writers, names)
        return [one for one in writers if structure in ("", self._structure(one.site))]

    def fitting(self, structure: str, names: list[str]) -> list[FieldWrite]:
        """Writers of the collection whose key has one part that varies, by keys that say more of that part or less:
        ``rooms:team-{id}`` for ``rooms:{room}``, and the other way round.
        """
        if len(names) != 1 or not _says_enough(names[0]):
            return self._of_families(structure, names) or self._overlapping(structure, names)
        found = [name for name in self._writers if _fits(name, names[0]) or _fits(names[0], name)]
        writers = self._hashes.among(self._writers, [name for name in found if self.trimmed_at([name]) is None])
        return [
            one
            for one in writers
            if structure == self._structure(one.site) and (one.shape.fixed or not self._shapes.filled(one.shape))
        ]

    def _of_families(self, structure: str, names: list[str]) -> list[FieldWrite]:
        """Writers of the families of keys that keys without a part that varies are of: ``rooms:{room}`` for
        ``rooms:lobby``.
        """
        fixed = [name for name in names if HOLE not in name]
        found = [
            one
            for one in self._writers
            if HOLE in one and any(_fits(name, one) for name in fixed) and self.trimmed_at([one]) is None
        ]
        writers = self._hashes.among(self._writers, found) if found else []
        return [one for one in writers if structure == self._structure(one.site) and not self._shapes.filled(one.shape)]

    def _overlapping(self, structure: str, names: list[str]) -> list[FieldWrite]:
        """Writers of one collection of many, by keys of several parts of which one says more than the other:
        ``{}:{}:log`` and ``room:{}:log``.
        """
        found = [
            one
            for one in self._writers
            if any(_overlaps(one, name) for name in names) and self.trimmed_at([one]) is None
        ]
        return [
            one
            for one in self._hashes.among(self._writers, found)
            if structure == self._structure(one.site) and HOLE in one.shape.template
        ]

    def trimmed_at(self, names: list[str]) -> Ref | None:
        """Where a collection is cut to a length or a span of time or kept at a size, or its stream is bounded as it is
        written.
        """
        return next((self._trims[name] for name in names if name in self._trims), None)

    def taken_out_at(self, names: list[str]) -> Ref | None:
        """Where a collection is cut to what was not read yet, or to what is not old, or where single elements go on to
        another collection, as tasks that were waiting and now run: its elements leave it, but it holds as many as there
        are.
        """
        places = (table[name] for name in names for table in (self._cuts[1], self._moved_on) if name in table)
        return next(places, None)

    def is_asked_before(self, site: CommandSite) -> bool:
        """Whether a command is only sent where its collection has less elements than some number."""
        return self._kept_short.is_asked_before(site)

    def holds_work(self, writes: list[FieldWrite], names: list[str]) -> bool:
        """Whether a collection only gets what is taken from another one for the time of the work on it: nothing but
        RPOPLPUSH and the like writes it, and elements are taken out one by one (LREM).
        """
        models = [self._usage.model(one.site) for one in writes]
        moved = bool(models) and all(model is not None and model.gives_to >= 0 for model in models)
        return moved and any(name in self._taken_out for name in names)

    def expires(self, names: list[str]) -> bool:
        """Whether a collection is given a time to live."""
        return any(name in self._expiring for name in names)

    def lives_briefly(self, names: list[str]) -> Ref | None:
        """Where a collection is given a life of minutes at most; None where it is also given a longer one, or one of
        which nothing is known. It starts anew with each command, so that only one that gets few elements stays short.
        """
        lives = [one for name in names for one in self._lives.get(name, ())]
        return lives[0][0] if lives and all(0 < seconds <= _BRIEF for _, seconds in lives) else None

    @cached_property
    def _lives(self) -> dict[str, list[tuple[Ref, float]]]:
        """Key template -> where it is given a life, and how long in seconds; infinite where that is not known."""
        table: dict[str, list[tuple[Ref, float]]] = defaultdict(list)
        for site in self._usage.commands:
            model = self._usage.model(site)
            if model is not None and model.couples == "expire" and model.structure == "key":
                for shape in self._hashes.in_each_way(site.ref, self._key(site)):
                    table[shape.name].append((site.ref, self._life(site)))
        return table

    def _life(self, site: CommandSite) -> float:
        """The seconds that a command lets a key live, the most that they may be; infinite where that is not known. Of a
        parameter that nobody is seen to pass its default counts.
        """
        place = 1 + self._usage.field_shift(site)
        number, named = self._usage.argument(site, place), self._usage.argument(site, place + 1)
        unit = self._options.unit(site.file, named) if named != NONE else None
        if unit is None:
            unit = _UNITS.get(site.command, inf)
        values = self._ev.values(site.file, number) if number != NONE else ()
        values = tuple(one for one in values if not isinstance(one, ParameterValue))
        spans = [
            one.value * (1 if one.type == "duration" else unit)
            for one in values
            if isinstance(one, Const) and isinstance(one.value, int | float) and not isinstance(one.value, bool)
        ]
        return max(spans) if spans and len(spans) == len(values) else inf

    def is_pruned(self, site: CommandSite, names: list[str]) -> bool:
        """Whether the function that reads a collection takes elements out of it as well, those that it looked through:
        whoever reads it leaves only what is still of use.
        """
        around = self._function(site)
        return any(around in self._pruning.get(name, ()) for name in names)

    @cached_property
    def _pruning(self) -> dict[str, set[tuple[int, int]]]:
        """Key template -> functions that take elements out which a command of theirs has read."""
        table: dict[str, set[tuple[int, int]]] = defaultdict(set)
        for site in self._usage.commands:
            model = self._usage.model(site)
            if model is None or model.couples != "remove" or model.structure != "set":
                continue
            if not self._takes_out_others(site):
                continue
            for shape in self._hashes.in_each_way(site.ref, self._key(site)):
                table[shape.name].add(self._function(site))
        return table

    def _takes_out_others(self, site: CommandSite) -> bool:
        """Whether the elements that a command takes out are several that the function around it has gathered."""
        index = self._ev.store.files[site.file]
        scope = self._function(site)[1]
        names = [one for number in self._spread(site) if isinstance(one := index.facts.exprs[number], facts.Name)]
        return bool(names) and all((scope, one.name) not in index.parameters for one in names)

    def is_replaced(self, write: FieldWrite) -> bool:
        """Whether the function that writes a collection deletes it as well: it writes the whole of it."""
        deleted = self._deleted.get(write.shape.name, ())
        function = self._function(write.site)
        if function in deleted:
            return True
        if write.frames and isinstance(write.frames[0], Instance):  # all calls of the object, each of which writes
            with self._hashes.around(write):
                edges = self._ev.calls_here(*function)
            return bool(edges) and all(self._around(edge.ref) in deleted for edge in edges)
        return any(isinstance(one, tuple) and self._around(one) in deleted for one in write.frames[-1:])

    def is_written_anew(self, write: FieldWrite) -> bool:
        """Whether a collection is deleted on the way to a write: the function around it writes all that it holds."""
        deletes = self._deletes.get(write.shape.name, ())
        on_the_way = any(self._is_on_the_way(one, place) for place in write.places for one in deletes)
        return on_the_way and self.is_replaced(write)

    def _is_on_the_way(self, first: Ref, second: Ref) -> bool:
        """Whether a call stands before another one in one function, and in no branch that does not hold that one."""
        index = self._ev.store.files[second[0]]
        before, call = index.facts.exprs[first[1]] if first[0] == second[0] else None, index.facts.exprs[second[1]]
        return (
            before is not None
            and before.start < call.start
            and before.block in index.enclosing_blocks(call.block, index.function_of(call.block))
        )

    def is_emptied(self, site: CommandSite, names: list[str]) -> bool:
        """Whether the function that sends a command deletes a key of one of the names."""
        return any(self._function(site) in self._deleted.get(name, ()) for name in names)

    def _function(self, site: CommandSite) -> tuple[int, int]:
        return self._around(site.ref)

    def _around(self, call: Ref) -> tuple[int, int]:
        """The function that a call stands in."""
        index = self._ev.store.files[call[0]]
        return (call[0], index.function_of(index.facts.exprs[call[1]].block))

    @cached_property
    def _deleted(self) -> dict[str, set[tuple[int, int]]]:
        """Key template -> functions that delete such a key."""
        return {name: {self._around(ref) for ref in refs} for name, refs in self._deletes.items()}

    @cached_property
    def _deletes(self) -> dict[str, list[Ref]]:
        """Key template -> the commands that delete such a key, and the calls that pass it to one."""
        table: dict[str, list[Ref]] = defaultdict(list)
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            deletes = model is not None and model.couples == "remove" and model.structure == "key"
            if deletes or self._trimming.empties(site):
                key = self._key(site)
                for shape in self._shapes.of(*key):
                    table[shape.name].append(site.ref)
                for call, frames in self._hashes.ways.calls(site.ref, key):
                    with self._ev.under(frames):
                        for shape in self._shapes.of(*key):
                            table[shape.name].append(call)
        return table

    @cached_property
    def _taken_out(self) -> dict[str, Ref]:
        """Key template -> where single elements are removed."""
        table: dict[str, Ref] = {}
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is not None and model.couples == "remove" and model.structure != "key":
                self._note_place(table, site.ref, self._key(site))
        return table

    @cached_property
    def _moved_on(self) -> dict[str, Ref]:
        """Key template -> where a function or a script takes an element out that it adds to a collection under a key of
        another form: ``zrem(WAITING, id)`` beside ``sadd(RUNNING, id)``.
        """
        added: dict[tuple[int, int], list[FieldWrite]] = defaultdict(list)
        for write in (one for found in self._writers.values() for one in found):
            added[self._function(write.site)].append(write)
        table: dict[str, Ref] = {}
        for site in self._usage.with_unsent:
            for key in self._scripts.moved_by(site):
                self._note_place(table, site.ref, key)
            model = self._usage.model(site)
            if model is None or model.couples != "remove" or model.structure in ("", "key"):
                continue
            index = self._ev.store.files[site.file]
            members = self._usage.positional(site)[1 + self._usage.field_shift(site) :]
            others = {
                write.shape.name
                for write in added.get(self._function(site), ())
                if write.field[0] == site.file and any(alike(index, write.field[1], one) for one in members)
            }
            for shape in self._hashes.in_each_way(site.ref, self._key(site)) if others else ():
                if others - {shape.name}:
                    table.setdefault(shape.name, site.ref)
        return table

    @cached_property
    def _expiring(self) -> dict[str, Ref]:
        table: dict[str, Ref] = {}
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is not None and model.couples == "expire" and model.structure == "key":
                self._note_place(table, site.ref, self._key(site))
        return table

    def _structure(self, site: CommandSite) -> str:
        model = self._usage.model(site)
        return _SAME.get(model.structure, model.structure) if model is not None else ""

    @cached_property
    def _writers(self) -> dict[str, list[FieldWrite]]:
        table: dict[str, list[FieldWrite]] = defaultdict(list)
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is None or site.name == SCRIPT_CALL:
                continue
            if model.gives_to >= 0:
                key = (site.file, self._usage.argument(site, model.gives_to + self._usage.field_shift(site)))
            elif model.adds or model.element >= 0 or site.method.element >= 0:
                key = self._key(site)
            else:
                continue
            for frames in self._hashes.ways.at(site.ref, key):
                with self._ev.under(frames):
                    self._note(table, site, key, self._added(site, model), frames)
        for site, write in self._by_scripts:
            self._written_by_script(table, site, write)
        return table

    @cached_property
    def _by_scripts(self) -> list[tuple[CommandSite, ScriptWrite]]:
        return [(site, write) for site in self._usage.with_unsent for write in self._scripts.to_collections(site)]

    def _written_by_script(self, table: dict[str, list[FieldWrite]], site: CommandSite, write: ScriptWrite) -> None:
        model = self._ev.catalogue.commands[write.command]
        if model.couples == "trim" or write.field[1] == NONE:
            return
        structure = _SAME.get(model.structure, model.structure)
        growth = GROWING if write.replied or structure in _ORDERED else self._growth(structure, *write.field)
        field = site.ref if write.replied else write.field
        self._note(table, replace(site, command=write.command), write.key, [(growth, field)])

    def _note(
        self,
        table: dict[str, list[FieldWrite]],
        site: CommandSite,
        key: Ref,
        found: list[tuple[str, Ref]],
        frames: Frames = (),
    ) -> None:
        if key[1] == NONE or not found:
            return
        kept = self._hashes.is_kept(site)
        for shape in self._shapes.of(*key):
            for one in self._shapes.known(shape):
                table[one.name] += [FieldWrite(site, one, growth, ref, kept, frames) for growth, ref in found]

    @property
    def _trims(self) -> dict[str, Ref]:
        """Key template -> where it is trimmed."""
        return self._cuts[0]

    @cached_property
    def _cuts(self) -> tuple[dict[str, Ref], dict[str, Ref]]:
        """Key template -> where it is trimmed so that it stays short, and where only what was read or is old goes."""
        table: dict[str, Ref] = {}
        others: dict[str, Ref] = {}
        for site, write in self._by_scripts:
            if self._ev.catalogue.commands[write.command].couples == "trim":
                self._note_place(table, site.ref, write.key)
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is None or not (model.couples == "trim" or (model.adds and self._is_bounded(site, model))):
                continue
            if self._trimming.empties(site):
                continue
            short = model.adds or (
                self._trimming.bounds(site) and (model.trims_by != BY_SCORE or self._is_cut_in_use(site))
            )
            self._note_place(table if short else others, site.ref, self._key(site))
        for name, place in self._kept_short.places():
            table.setdefault(name, place)
        return table, others

    def _is_cut_in_use(self, site: CommandSite) -> bool:
        """Whether what is old goes whenever elements are added or read: the function that takes it out, or one that
        calls that, does so as well. A job that cleans up now and then leaves what has come meanwhile.
        """
        around = self._functions(site)
        callers = {self._around(edge.ref) for one in around for edge in self._ev.callers.of(*one)}
        names = set(self._hashes.names_in_each(site.ref, self._key(site)))
        return any(not names.isdisjoint(self._used_in.get(one, ())) for one in around | callers)

    @cached_property
    def _used_in(self) -> dict[tuple[int, int], set[str]]:
        """Function -> templates of the keys of sorted sets to which it adds, or of which it reads."""
        table: dict[tuple[int, int], set[str]] = defaultdict(set)
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is not None and self._structure(site) == "zset" and (model.element >= 0 or model.access == "read"):
                names = self._hashes.names_in_each(site.ref, self._key(site))
                for one in self._functions(site):
                    table[one].update(names)
        return table

    def _functions(self, site: CommandSite) -> set[tuple[int, int]]:
        """The function that sends a command, and those that have it sent with a key that they pass."""
        passed = {self._around(call) for call, _ in self._hashes.ways.calls(site.ref, self._key(site))}
        return {self._function(site), *passed}

    def _key(self, site: CommandSite) -> Ref:
        return (self._usage.key_file(site), self._usage.key(site))

    def _note_place(self, table: dict[str, Ref], place: Ref, key: Ref) -> None:
        for shape in self._hashes.in_each_way(place, key):
            table.setdefault(shape.name, place)

    def _is_bounded(self, site: CommandSite, model: CommandModel) -> bool:
        return any(self._options.find(site, one).there for one in model.bounded_by)

    def _added(self, site: CommandSite, model: CommandModel) -> list[tuple[str, Ref]]:
        """What a command adds to a collection, or moves there."""
        if model.gives_to >= 0:
            return (list(self._elements(site, model)) if model.element >= 0 else []) or [(GROWING, site.ref)]
        return [(GROWING, site.ref)] if model.adds else list(self._elements(site, model))

    # -- elements ------------------------------------------------------------------------------------------------------

    def _elements(self, site: CommandSite, model: CommandModel) -> Iterator[tuple[str, Ref]]:
        """Growth of each element that a command adds."""
        structure = self._structure(site)
        for number in self._given(site, model, structure):
            for file, one in self._single(site.file, number):
                if structure == "zset" and self._hashes.maps.is_mapping(file, one):
                    yield from self._hashes.maps.fields(file, one)
                else:
                    yield self._growth(structure, file, one), (file, one)

    def _given(self, site: CommandSite, model: CommandModel, structure: str) -> list[int]:
        """Arguments that are elements, or hold them."""
        positional = self._usage.positional(site)
        shift = self._usage.field_shift(site)
        first = site.method.element if site.method.element >= 0 else model.element + shift
        if structure != "zset":
            return positional[first:] + self._spread(site)
        if not site.raw:
            named = [self._usage.keyword(site, name) for name in _NAMED]
            if found := [one for one in named if one != NONE]:
                return found
        behind = positional[1 + shift :]
        if len(behind) <= 1:  # a map of members and scores, or a list
            return behind
        return behind[-1:] if site.words is not None else positional[first : first + 1]

    def _spread(self, site: CommandSite) -> list[int]:
        call = self._ev.store.expr(site.ref)
        if (site.raw and site.inner is None) or not isinstance(call, facts.Call):
            return []  # the words of a command that is sent as such hold them
        return [item.value for item in call.arguments if item.name == "*"]

    def _single(self, file: int, number: int) -> list[Ref]:
        """The elements of a list that is written out, and the member of an object that has a score beside it."""
        found: list[Ref] = self._gathered(file, number)
        for value in self._ev.values(file, number) if not found else ():
            data = self._ev.store.expr(value.ref) if isinstance(value, CollectionValue) else None
            if not isinstance(value, CollectionValue) or not isinstance(data, facts.Collection):
                continue
            if data.kind == "map":
                found += self._entry(value.ref[0], data)
            elif listed := elements.listed(self._ev, value):
                found += [one for ref in listed for one in (self._single(*ref) if ref != (file, number) else [ref])]
        return found or [(file, number)]

    def _gathered(self, file: int, number: int) -> list[Ref]:
        """What the calls of a function pass for a parameter that takes the rest: ``add(key, *members)``."""
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number]
        found = self._ev.binder.names(file).at(number) if isinstance(expr, facts.Name) else ()
        if len(found) != 1 or found[0].kind != "parameter":
            return []
        record = index.facts.scopes[found[0].scope]
        if record.parameters[found[0].number].kind != "*":
            return []
        given: dict[Ref, None] = {}
        here = self._ev.calls_here(file, found[0].scope)  # of this key, not of another one
        for edge in here or self._ev.calls(file, found[0].scope):
            call = self._ev.store.expr(edge.ref)
            if not isinstance(call, facts.Call):
                return []
            positional = [item for item in call.arguments if item.name in ("", "*")]
            given.update(((edge.file, item.value), None) for item in positional[found[0].number - edge.bound :])
        return list(given)

    def _entry(self, file: int, data: facts.Collection) -> list[Ref]:
        exprs = self._ev.store.files[file].facts.exprs
        for key, item in zip(data.keys, data.items, strict=False):
            literal = exprs[key] if key != NONE else None
            if isinstance(literal, facts.Literal) and literal.value == _VALUE:
                return [(file, item)]
        return []

    def _is_in_code(self, file: int, number: int) -> bool:
        """Whether an element is one of a list, or is a list, that the code makes and fills with constants."""
        lists = elements.run_over(self._ev, file, number) or [number]
        made = [elements.made_in_code(self._ev, value) for one in lists for value in self._ev.values(file, one)]
        found = [self._texts.parts(*ref) for refs in made for ref in refs]
        return bool(made) and all(made) and all(one and {part.kind for part in one} == {CONSTANT} for one in found)

    def _growth(self, structure: str, file: int, number: int) -> str:
        if self._is_in_code(file, number):
            return FIXED
        growth = self._hashes.maps.growth(file, number)
        if growth != FIXED and self._hashes.maps.lists_known_keys(file, number):
            growth = FIXED
        if growth == BOUNDED and (given := self._hashes.chosen((file, number))) != [(file, number)]:
            # One of several callers may pass on a setting, beside others with data.
            growth = GROWING if any(self._hashes.maps.growth(*one) == GROWING for one in given) else growth
        if structure not in _ORDERED or growth == BOUNDED:
            return growth
        parts = self._texts.parts(file, number)
        fixed = (
            parts and all(part.kind == CONSTANT for part in parts) and not counts_without_bound(self._ev, file, number)
        )
        return FIXED if fixed else GROWING


def _says_enough(name: str) -> bool:
    """Whether a key has more than a mark around the one part of it that varies."""
    return name.count(HOLE) == 1 and not name.startswith("{<") and sum(one.isalpha() for one in name) >= _WORD


def _fits(name: str, pattern: str) -> bool:
    """Whether a key is one of those that a pattern stands for, whose part that varies has no further parts."""
    if name == pattern or not _says_enough(pattern):
        return False
    before, after = pattern.split(HOLE)
    inside = name[len(before) : len(name) - len(after)]
    return name.startswith(before) and name.endswith(after) and bool(inside) and not set(inside) & _SEPARATORS


def _overlaps(one: str, other: str) -> bool:
    """Whether two keys of several parts may be the same: each part is the same in both, or any text in one of them, and
    a part that is the same is a word.
    """
    parts, others = one.split(":"), other.split(":")
    if one == other or len(parts) != len(others) or len(parts) < _PARTS or "{<" in one + other:
        return False
    pairs = list(zip(parts, others, strict=True))
    if not all(first == second or HOLE in (first, second) for first, second in pairs):
        return False
    return any(first == second and sum(one.isalpha() for one in first) >= _WORD for first, second in pairs)
