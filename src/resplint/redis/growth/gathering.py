"""How a collection grows that several writers share: with all data, with hosts and settings, or with what belongs to
one thing.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from resplint.bind.values import LoopValue
from resplint.flow.graph import Graph
from resplint.knowledge.records.command_records import CommandModel
from resplint.redis.growth.few_elements import is_of_few
from resplint.redis.growth.field_growth import BOUNDED, FIXED, GROWING
from resplint.redis.growth.filled_when_empty import FilledWhenEmpty
from resplint.redis.growth.hashes import FieldWrite, Hashes
from resplint.redis.usage import CommandSite, Usage
from resplint.text.key_templates import HOLE, Shape

GROWS, FEW, EACH = "grows", "few", "each"


class Gathering:
    """Judges the writers of one key, or of a family of keys."""

    def __init__(self, evaluator: Graph, usage: Usage, hashes: Hashes) -> None:
        self._ev = evaluator
        self._usage = usage
        self._hashes = hashes
        self._when_empty = FilledWhenEmpty(evaluator, usage, hashes)

    def of(self, writes: list[FieldWrite]) -> tuple[str, list[FieldWrite]]:
        """How a hash grows (or "") and the writes that say so."""
        writes = [one for one in writes if not (self._is_argument(one) and self._when_empty.is_one(one))]
        writes = [one for one in writes if not self._is_one_of_few(one)]
        shared = [write for write in writes if self._is_shared(write)]
        if growing := [write for write in shared if write.growth == GROWING]:
            return GROWS, growing
        if bounded := [write for write in shared if write.growth == BOUNDED]:
            return FEW, bounded
        each = [] if self._is_record(writes) else [one for one in writes if self._is_each(one)]
        return (EACH, each) if each else ("", [])

    def of_elements(self, writes: list[FieldWrite]) -> tuple[str, list[FieldWrite]]:
        """The same for a list, set, sorted set or stream, which is no record; a key that an object keeps may be one of
        many.
        """
        writes = [one for one in writes if not self._is_one_of_few(one)]
        shared = [write for write in writes if self._is_one(write)]
        if growing := [write for write in shared if write.growth == GROWING]:
            return GROWS, growing
        if bounded := [write for write in shared if write.growth == BOUNDED]:
            return FEW, bounded
        each = [one for one in writes if one.growth == GROWING and (_says_which(one.shape) or one.shape.of_object)]
        return (EACH, each) if each else ("", [])

    def fills_empty(self, write: FieldWrite) -> bool:
        """Whether a write only happens where there is nothing under its key yet."""
        return self._when_empty.is_whole(write)

    def is_guess(self, write: FieldWrite) -> bool:
        """Whether nothing that is known says that an element is data: callers nobody knows give it."""
        with self._hashes.around(write):
            return self._hashes.handed_in(write.field) and not self._hashes.is_named_as_identity(write.field)

    def _is_shared(self, write: FieldWrite) -> bool:
        """Whether the key gathers the elements of many: it is always the same, or one per stretch of time."""
        if self._is_one(write):
            return True
        # A class that is itself a dictionary over one key leaves both key and fields to whoever uses it; where the
        # class says what its key is for, callers that are known say what the fields are.
        if write.shape.family or not (write.kept or write.shape.of_object) or self._handed_in(write):
            return False
        return write.shape.says_what_for or not self._hashes.is_parameter(write.field)

    def _is_one(self, write: FieldWrite) -> bool:
        """Whether the key is always the same, or one per stretch of time."""
        return write.shape.fixed or self._hashes.bucket(write.shape) or self._hashes.configured(write.shape)

    def _is_one_of_few(self, write: FieldWrite) -> bool:
        """Whether a write is one of a few that the code says the number of, and the function around it takes out what
        was there before: ``for name in ranking[:10]`` behind ``delete(key)``.
        """
        index = self._ev.store.files[write.site.file]
        function = (write.site.file, index.function_of(index.facts.exprs[write.site.call].block))
        return function in self._emptying.get(write.shape.name, ()) and is_of_few(self._ev, write.field)

    def removal(self, names: list[str]) -> CommandSite | None:
        """A command that takes fields out of a hash with one of these names, None if none does."""
        found = self._removing
        alike = (site for other in found if any(_may_be(one, other) for one in names) for site in found[other])
        return next((site for name in names for site in found.get(name, ())), None) or next(alike, None)

    @cached_property
    def _removing(self) -> dict[str, list[CommandSite]]:
        """Key template -> commands that take fields out of a hash."""
        table: dict[str, list[CommandSite]] = defaultdict(list)
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is not None and model.couples == "remove" and model.structure == "hash":
                for name in self._hashes.names_in_each(site.ref, (self._usage.key_file(site), self._usage.key(site))):
                    table[name].append(site)
        return table

    @cached_property
    def _emptying(self) -> dict[str, set[tuple[int, int]]]:
        """Key template -> functions that delete it, or take elements out in a loop."""
        table: dict[str, set[tuple[int, int]]] = defaultdict(set)
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is not None and model.couples == "remove" and self._takes_several(site, model):
                index = self._ev.store.files[site.file]
                function = (site.file, index.function_of(index.facts.exprs[site.call].block))
                for name in self._hashes.names_in_each(site.ref, (self._usage.key_file(site), self._usage.key(site))):
                    table[name].add(function)
        return table

    def _takes_several(self, site: CommandSite, model: CommandModel) -> bool:
        """Whether a command deletes a key, or takes out what a loop goes through."""
        behind = self._usage.positional(site)[1 + self._usage.field_shift(site) :]
        return model.structure == "key" or any(
            isinstance(one, LoopValue) for number in behind for one in self._ev.values(site.file, number)
        )

    def _is_record(self, writes: list[FieldWrite]) -> bool:
        """Whether a hash is a record: a writer names its fields, or stores an object as it is. Counters that are named
        by data are no record's fields; neither are fields that a loop over data adds, beside which a named one stands
        for none, or for what is known of all.
        """
        if any(one.growth == FIXED for one in writes):
            growing = [one for one in writes if one.growth == GROWING]
            return not any(self._told_by_element(one) or self._named_by_time(one) for one in growing)
        whole = [one for one in writes if self._of_record(one)]
        counts = [one for one in writes if one.growth == GROWING and one not in whole and self._counts(one)]
        return bool(whole) and not counts

    def _counts(self, write: FieldWrite) -> bool:
        model = self._usage.model(write.site)
        return model is not None and model.couples == "counter"

    def _is_each(self, write: FieldWrite) -> bool:
        """Whether each of many hashes (one for a room, a user) grows with data: the key says what for, or has a mark of
        its type and fields are written one by one; and they are not those of a record that is stored as it is.
        """
        if write.growth != GROWING or self._of_record(write):
            return False
        return write.shape.says_what_for or (_says_which(write.shape) and self._is_argument(write))

    def _is_argument(self, write: FieldWrite) -> bool:
        """Whether a field is itself an argument of the command, not an entry of a map that is handed over."""
        file, number = write.field
        place = self._ev.store.files[file].argument_of.get(number)
        return place is not None and (file, place[0]) == write.site.ref

    # -- in the context of a write -------------------------------------------------------------------------------------

    def _handed_in(self, write: FieldWrite) -> bool:
        with self._hashes.around(write):
            return self._hashes.handed_in(write.field)

    def _told_by_element(self, write: FieldWrite) -> bool:
        with self._hashes.around(write):
            return self._hashes.told_by_element(write.field)

    def _named_by_time(self, write: FieldWrite) -> bool:
        with self._hashes.around(write):
            return self._hashes.named_by_time(write.field)

    def _of_record(self, write: FieldWrite) -> bool:
        with self._hashes.around(write):
            return self._hashes.of_record(write.field)


def _may_be(one: str, other: str) -> bool:
    """Whether a key of one template may be one of another: ``room:{}`` and ``room:east``."""
    parts, others = one.split(":"), other.split(":")
    same = [first for first, second in zip(parts, others, strict=False) if first == second and HOLE not in first]
    return (
        len(parts) == len(others)
        and any(any(character.isalpha() for character in part) for part in same)
        and all(first == second or HOLE in (first, second) for first, second in zip(parts, others, strict=False))
    )


def _says_which(shape: Shape) -> bool:
    """Whether a key has at least a mark of the type of its values, or is put together of several parts."""
    plain = shape.template.replace(HOLE, "")
    return shape.known and (shape.template.count(HOLE) > 1 or any(character.isalpha() for character in plain))
