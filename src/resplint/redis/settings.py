"""Clients that a framework makes from a settings mapping (Django's ``CACHES``)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from resplint.bind.values import CollectionValue, Const, External, Ref, Values
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import ClientLibrary, SettingsModel
from resplint.text import collections as elements


@dataclass(frozen=True, slots=True)
class SettingsEntry:
    """One entry of such a mapping. `ref` is the entry, `key` its key in the mapping."""

    library: ClientLibrary
    model: SettingsModel
    alias: str
    ref: Ref
    key: Ref


class Settings:
    """Reads the settings mappings of the selected files."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    @cached_property
    def entries(self) -> list[SettingsEntry]:
        """Every entry that names a known backend."""
        models = [(library, model) for library in self._ev.catalogue.libraries.values() for model in library.settings]
        found = []
        for index in self._ev.store.judged:
            for name in sorted({model.name for _, model in models}):
                for binding in index.bindings.get((0, name), ()):
                    for value in self._ev.values(index.number, binding.value):
                        if isinstance(value, CollectionValue):
                            found.extend(self._in_mapping(value, [pair for pair in models if pair[1].name == name]))
        return found

    def _in_mapping(
        self, value: CollectionValue, models: list[tuple[ClientLibrary, SettingsModel]]
    ) -> list[SettingsEntry]:
        mapping = self._ev.store.expr(value.ref)
        assert isinstance(mapping, facts.Collection)
        found = []
        file = value.ref[0]
        for key, item in zip(mapping.keys, mapping.items, strict=False):
            aliases = [v.value for v in self._ev.values(file, key) if isinstance(v, Const)] if key != NONE else []
            for entry in self._ev.values(file, item):
                if not isinstance(entry, CollectionValue) or not aliases:
                    continue
                for library, model in models:
                    backends = {v.value for v in self.get(entry, model.backend_key) if isinstance(v, Const)}
                    if backends & set(model.backends):
                        found.append(SettingsEntry(library, model, str(aliases[0]), entry.ref, (file, key)))
        return found

    def get(self, mapping: CollectionValue, key: str) -> Values:
        """Values under a literal key."""
        return elements.item(self._ev, mapping, key) if self._has(mapping, key) else ()

    def _has(self, mapping: CollectionValue, key: str) -> bool:
        return self.place(mapping, key) is not None

    def place(self, mapping: CollectionValue, key: str) -> Ref | None:
        """The expression under a literal key."""
        collection = self._ev.store.expr(mapping.ref)
        assert isinstance(collection, facts.Collection)
        for number, item in zip(collection.keys, collection.items, strict=False):
            names = self._ev.values(mapping.ref[0], number) if number != NONE else ()
            if any(isinstance(name, Const) and name.value == key for name in names):
                return (mapping.ref[0], item)
        return None

    def by_alias(self, name: str, alias: str) -> SettingsEntry | None:
        """The entry of the mapping `name` under an alias, when just one is known."""
        found = [entry for entry in self.entries if entry.model.name == name and entry.alias == alias]
        return found[0] if len({entry.ref for entry in found}) == 1 else None

    def option(self, entry: SettingsEntry, option: str) -> Ref | None:
        """The expression that sets an option of the pool in an entry."""
        model = entry.model
        for options in self.get(CollectionValue(entry.ref), model.options_key):
            if not isinstance(options, CollectionValue):
                continue
            for key, target in model.keys.items():
                if target == option and (place := self.place(options, key)):
                    return place
            for inner in self.get(options, model.pool_options_key) if model.pool_options_key else ():
                if isinstance(inner, CollectionValue) and (place := self.place(inner, option)):
                    return place
        return None

    def pool_constructor(self, entry: SettingsEntry) -> str:
        """Import path of the constructor that makes the entry's pool."""
        key = entry.model.pool_class_key
        for options in self.get(CollectionValue(entry.ref), entry.model.options_key):
            if isinstance(options, CollectionValue) and key:
                for value in self.get(options, key):
                    if isinstance(value, Const) and isinstance(value.value, str):
                        return f"{value.value}.from_url"
                    if isinstance(value, External):
                        return f"{value.dotted}.from_url"
        return entry.model.pool

    def opaque(self, entry: SettingsEntry) -> bool:
        """Whether the entry's options are built in a way that cannot be followed."""
        place = self.place(CollectionValue(entry.ref), entry.model.options_key)
        if place is None:
            return False
        values = self._ev.values(*place)
        return not values or not all(isinstance(value, CollectionValue) for value in values)
