"""Collections that no code of the project fills, and what the rest of the code shows of their elements."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from resplint.bind.values import ClassValue, FunctionValue, LoopValue, ParameterValue, Ref, Reply, Unknown
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.records.command_records import CommandModel
from resplint.redis.growth.element_writes import ElementWrites
from resplint.redis.growth.field_growth import GROWING
from resplint.redis.growth.hashes import Hashes
from resplint.redis.usage import CommandSite, Usage
from resplint.text.fresh_values import walk
from resplint.text.key_templates import HOLE, Shape, Shapes

_HASH = "hash"
_SET = "set"
"""The structure that holds settings as often as data."""
_ENTRY = 2
"""What an entry of a hash has: a name and a value."""
_PARTIAL = ("HKEYS", "HVALS")
"""Commands that ask for all names or all values of a hash, as hardly anybody does with a record."""


class Unfilled:
    """Asks who takes elements of a collection out, looks them up, or names keys after them."""

    def __init__(
        self, evaluator: Graph, usage: Usage, shapes: Shapes, hashes: Hashes, element_writes: ElementWrites
    ) -> None:
        self._ev = evaluator
        self._usage = usage
        self._shapes = shapes
        self._hashes = hashes
        self._element_writes = element_writes

    def shown_by(self, site: CommandSite, names: list[str], shapes: list[Shape]) -> tuple[Shape, list[Ref]] | None:
        """The key of a collection that a command reads as a whole and other programs fill, and the code that shows its
        elements to be data. None is needed but for a set that is always the same one, which may hold settings. Nothing
        where the project writes it by other means, or its key says nothing. The key has these names and shapes.
        """
        model = self._usage.model(site)
        if model is None or not shapes or not names or self._element_writes.expires(names):
            return None
        if any(name in self._written for name in names) or self._element_writes.is_emptied(site, names):
            return None
        if any(("", name) in self._like_commands for name in names):
            return None
        shown = [ref for name in names for ref in self._like_commands.get((model.structure, name), ())]
        shown += [ref for name in names for ref in self._of_data.get((model.structure, name), ())]
        shown += [ref for ref in (self._naming_keys.get(site.ref) or self._done_for_each(site),) if ref is not None]
        # What is cut off at the front once it was read is data, too.
        shown += [ref for ref in (self._element_writes.taken_out_at(names),) if ref is not None]
        if shown:
            said = next((one for one in shapes if one.fixed or one.says_what_for or one.of_object), None)
            return (said, list(dict.fromkeys(shown))) if said is not None else None
        says = [one for one in shapes if one.says_what_for or (one.of_object and model.structure != _SET)]
        if not says or any(not one.known for one in shapes):
            return None
        one_only = any(one.fixed or self._hashes.configured(one) for one in shapes)
        return None if one_only and model.structure == _SET else (says[0], [])

    def fields_shown_by(self, site: CommandSite) -> tuple[Shape, list[Ref], bool] | None:
        """The key of a hash that a command reads as a whole and other programs fill, the code that shows its fields to
        be data, and whether that is sure: a field that is looked up or taken out, not a loop over all of them. None
        where nothing says so, or the project writes the hash by other means.
        """
        key = (self._usage.key_file(site), self._usage.key(site))
        names = self._hashes.names_in_each(site.ref, key)
        shapes = [one for one in self._shapes.of(*key) if one.known]
        if not names or self._element_writes.expires(names) or self._element_writes.is_emptied(site, names):
            return None
        if any(name in self._written or ("", name) in self._like_commands for name in names):
            return None
        shown = [ref for name in names for ref in self._of_data.get((_HASH, name), ())]
        shown += [ref for ref in (self._naming_keys.get(site.ref),) if ref is not None]
        worked = self._done_for_each(site) if not shown else None
        said = next((one for one in shapes if one.fixed or one.says_what_for), None)
        if said is not None and site.command in _PARTIAL and self._is_of_each(said):
            return said, list(dict.fromkeys(shown)), True
        if said is not None and worked is not None:
            return said, [worked], True
        if said is None or shown:
            named = site.ref in self._naming_keys
            sure = said is not None and (said.fixed or named or any(self._takes_out(one) for one in shown))
            return (said, list(dict.fromkeys(shown)), sure) if said is not None else None
        loop = self._gone_through(site) if said.fixed else None
        return (said, [loop], False) if loop is not None else None

    def _done_for_each(self, site: CommandSite) -> Ref | None:
        """A call of the project, or one that is awaited, that is made for each element of a reply: a message to each
        user, an object for each data set. Settings are looked through; nothing is sent for each of them. For the
        entries of a hash the name and the value of each is passed, as nobody does with the fields of a record.
        """
        index = self._ev.store.files[site.file]
        model = self._usage.model(site)
        least = _ENTRY if model is not None and model.whole_hash else 1
        own = FunctionValue | ClassValue
        for number in index.calls:
            call = index.facts.exprs[number]
            if not isinstance(call, facts.Call) or len(call.arguments) < least:
                continue
            if call.awaited or any(isinstance(one, own) for one in self._ev.values(site.file, call.callee)):
                if sum(self._is_element(site, item.value) for item in call.arguments) >= least:
                    return (site.file, number)
        return None

    def _is_element(self, site: CommandSite, number: int) -> bool:
        """Whether an expression is an element of what a command replies, or is put together with one."""
        for one, _ in walk(self._ev, site.file, number):
            for value in self._ev.values(site.file, one):
                if isinstance(value, LoopValue) and value.ref[0] == site.file and self._is_reply(site, value.ref):
                    return True
        return False

    def _is_reply(self, site: CommandSite, ref: Ref) -> bool:
        """Whether what a loop goes through is what a command replies, or a view of that: ``Object.entries(reply)``."""
        numbers = [ref[1]]
        call = self._ev.store.expr(ref)
        callee = self._ev.store.expr((ref[0], call.callee)) if isinstance(call, facts.Call) else None
        if isinstance(call, facts.Call) and isinstance(callee, facts.Member):
            if callee.name in self._ev.roles(ref[0]).words.map_views:
                numbers += [item.value for item in call.arguments]
        values = [one for number in numbers for one in self._ev.values(ref[0], number)]
        return any(isinstance(one, Reply) and one.ref == site.ref for one in values)

    def _is_of_each(self, shape: Shape) -> bool:
        """Whether there is a hash for each of many: the last part of its key varies, or a loop comes to some part."""
        if shape.template.endswith(HOLE) and len(shape.holes) == shape.template.count(HOLE):
            if not self._hashes.configured(Shape(HOLE, shape.identity, shape.holes[-1:])):
                return True
        return any(isinstance(value, LoopValue) for hole in shape.holes for value in self._ev.values(*hole))

    def _takes_out(self, ref: Ref) -> bool:
        """Whether a command removes a field that is data, as nobody does with the fields of a record."""
        models = [self._usage.model(site) for site in self._usage.by_place.get(ref, ())]
        return any(model is not None and model.couples == "remove" for model in models)

    def _gone_through(self, site: CommandSite) -> Ref | None:
        """Where a loop goes through all that a command replies."""
        index = self._ev.store.files[site.file]
        for binding in index.facts.bindings:
            if binding.kind == "for" and binding.value != NONE and self._is_reply(site, (site.file, binding.value)):
                return (site.file, binding.value)
        return None

    @cached_property
    def _of_data(self) -> dict[tuple[str, str], list[Ref]]:
        """Structure and template of a key -> commands that take elements out, or look for elements that are data."""
        table: dict[tuple[str, str], list[Ref]] = defaultdict(list)
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is None or not (model.takes or model.asked_for >= 0):
                continue
            key = (self._usage.key_file(site), self._usage.key(site))
            for frames in self._hashes.ways.at(site.ref, key):
                with self._ev.under(frames):
                    for shape in self._shapes.of(*key) if self._is_about_data(site, model) else ():
                        for one in self._shapes.known(shape):
                            table[(model.structure, one.name)].append(site.ref)
        return table

    def _is_about_data(self, site: CommandSite, model: CommandModel) -> bool:
        if model.takes:
            return True
        if model.asked_for < 0:
            return False
        element = self._usage.argument(site, model.asked_for + self._usage.field_shift(site))
        if element == NONE or self._hashes.maps.growth(site.file, element) != GROWING:
            return False
        # Callers that are not known may ask for settings by their names.
        field = (site.file, element)
        return not self._hashes.handed_in(field) or self._hashes.is_named_as_identity(field)

    @cached_property
    def _like_commands(self) -> dict[tuple[str, str], list[Ref]]:
        """Structure and template of a key -> calls on objects of which nothing is known that are called like commands
        which add elements: ``self.store.rpush(KEY, text)``. Under no structure those that keep a collection short.
        """
        table: dict[tuple[str, str], list[Ref]] = defaultdict(list)
        for index in self._ev.store.judged:
            for number in index.calls:
                call = index.facts.exprs[number]
                callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
                if not isinstance(call, facts.Call) or not isinstance(callee, facts.Member):
                    continue
                model = self._ev.catalogue.commands.get(self._ev.catalogue.command_name(callee.name))
                if model is None or not call.arguments or model.key != 0:
                    continue
                structure = "" if model.couples in ("trim", "expire") else model.structure
                if not structure or model.adds or model.element >= 0:
                    if all(
                        isinstance(one, Unknown | ParameterValue) for one in self._ev.values(index.number, call.callee)
                    ):
                        for shape in self._shapes.of(index.number, call.arguments[0].value):
                            for one in self._shapes.known(shape):
                                table[(structure, one.name)].append((index.number, number))
        return table

    @cached_property
    def _naming_keys(self) -> dict[Ref, Ref]:
        """Commands whose replies list what keys are named after -> a command with such a key:
        ``for id in client.smembers(index): client.hgetall(f"item:{id}")``.
        """
        table: dict[Ref, Ref] = {}
        for site in self._usage.with_unsent:
            if (number := self._usage.key(site)) == NONE:
                continue
            for shape in self._shapes.of(self._usage.key_file(site), number):
                for hole in shape.holes if shape.says_what_for else ():
                    for value in self._ev.values(*hole):
                        lists = self._ev.values(*value.ref) if isinstance(value, LoopValue) else ()
                        for one in (value, *lists):
                            if isinstance(one, Reply) and one.ref != site.ref:
                                table.setdefault(one.ref, site.ref)
        return table

    @cached_property
    def _written(self) -> set[str]:
        """Templates of the keys that a command writes as a whole: SUNIONSTORE, RESTORE, COPY."""
        found: set[str] = set()
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is not None and model.access == "write" and not model.couples:
                for shape in self._hashes.in_each_way(site.ref, (self._usage.key_file(site), self._usage.key(site))):
                    found.add(shape.name)
        return found
