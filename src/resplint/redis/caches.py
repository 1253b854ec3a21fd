"""Caches of frameworks that keep their entries in Redis without a time to live."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.values import CollectionValue, Const, External, ExternalObject, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.knowledge.records import CacheModel
from resplint.redis.settings import Settings, SettingsEntry


@dataclass(frozen=True, slots=True)
class LastingCache:
    """A cache whose entries never expire: made by a call (`model`), or an `entry` of a settings mapping."""

    ref: Ref
    model: CacheModel | None = None
    entry: SettingsEntry | None = None


class Caches:
    """Looks for them in the selected files."""

    def __init__(self, evaluator: Graph, settings: Settings) -> None:
        self._ev = evaluator
        self._settings = settings

    def lasting(self) -> Iterator[LastingCache]:
        """Every such cache, by place."""
        models = {
            name: model
            for library in self._ev.catalogue.libraries.values()
            for model in library.cache
            for name in model.names
        }
        lasts = {name.rpartition(".")[2] for name in models}
        for index in self._ev.store.judged:
            for number in sorted({one for last in lasts for one in index.by_name.get(last, ())}):
                call = index.call_of.get(number)
                dotted = self._dotted(index.number, number) if call is not None else ""
                if call is not None and dotted in models and not self._expires(models[dotted]):
                    yield LastingCache((index.number, call), models[dotted])
        for entry in self._settings.entries:
            if place := self._without_end(entry):
                yield LastingCache(place, None, entry)

    def _dotted(self, file: int, number: int) -> str:
        """The import path of what is called."""
        found = (one.dotted for one in self._ev.values(file, number) if isinstance(one, External | ExternalObject))
        return next(found, "").removesuffix("()")

    def _expires(self, model: CacheModel) -> bool:
        """Whether the project gives some cache a time to live; then nobody can say that this one has none."""
        return any(index.by_name.get(name) for name in model.expires for index in self._ev.store.judged)

    def _without_end(self, entry: SettingsEntry) -> Ref | None:
        """Where an entry says that nothing expires."""
        key = entry.model.expiry_key
        place = self._settings.place(CollectionValue(entry.ref), key) if key else None
        expr = self._ev.store.expr(place) if place is not None else None
        values = self._ev.values(*place) if place is not None else ()
        is_none = bool(values) and all(isinstance(one, Const) and one.value is None for one in values)
        return place if is_none and isinstance(expr, facts.Literal | facts.Name) else None
