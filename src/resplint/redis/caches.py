"""Caches of frameworks in Redis: those that keep entries without a time to live, and what clears them as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.index import FileIndex
from resplint.bind.values import CollectionValue, Const, External, ExternalObject, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import CacheClearModel, CacheModel
from resplint.redis.settings import Settings, SettingsEntry


@dataclass(frozen=True, slots=True)
class LastingCache:
    """A cache whose entries never expire: made by a call (`model`), or an `entry` of a settings mapping."""

    ref: Ref
    model: CacheModel | None = None
    entry: SettingsEntry | None = None


@dataclass(frozen=True, slots=True)
class Clearing:
    """A call or decorator that removes all entries of caches."""

    ref: Ref
    model: CacheClearModel


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
                if call is not None and dotted in models and not self._expires(index, models[dotted]):
                    yield LastingCache((index.number, call), models[dotted])
        for entry in self._settings.entries:
            if place := self._without_end(entry):
                yield LastingCache(place, None, entry)

    def _dotted(self, file: int, number: int) -> str:
        """The import path of what is called."""
        found = (one.dotted for one in self._ev.values(file, number) if isinstance(one, External | ExternalObject))
        return next(found, "").removesuffix("()")

    def clearings(self) -> Iterator[Clearing]:
        """What clears caches in Redis as a whole by looking at every key of the database, by place."""
        for library in self._ev.catalogue.libraries.values():
            for model in library.cache_clear:
                if self._is_in_redis(model) and not self._names(model.in_portions):
                    for index in self._ev.store.judged:
                        yield from (Clearing((index.number, call), model) for call in self._clearing(index, model))

    def _is_in_redis(self, model: CacheClearModel) -> bool:
        """Whether some file has to do with caches that are in Redis."""
        return any(
            f"{item.module}.{item.name}".startswith(model.stores)
            for index in self._ev.store.judged
            for item in index.facts.imports
        )

    def _clearing(self, index: FileIndex, model: CacheClearModel) -> list[int]:
        names = {name.rpartition(".")[2] for name in (*model.marks, *model.methods)}
        found = set()
        for number in (number for name in names for number in index.by_name.get(name, ())):
            call = index.call_of.get(number)
            values = self._ev.named_callee(index.number, number) if call is not None else ()
            for dotted in (
                one.dotted.replace("()", "") for one in values if isinstance(one, External | ExternalObject)
            ):
                if call is None:
                    continue
                clears = dotted in model.methods and not self._is_elsewhere(index, number, model)
                if clears or self._says_all(index, call, model.marks.get(dotted)):
                    found.add(call)
        return sorted(found, key=lambda one: index.facts.exprs[one].start)

    def _is_elsewhere(self, index: FileIndex, number: int, model: CacheClearModel) -> bool:
        """Whether the cache that a method clears was had from what keeps none in Redis: ``Cache cache =
        ehcacheManager.getCache(name)``.
        """
        method = index.facts.exprs[number]
        if not isinstance(method, facts.Member) or not isinstance(index.facts.exprs[method.object], facts.Name):
            return False
        had = index.facts.exprs[self._ev.binder.names(index.number).only_value(method.object)]
        values = self._ev.named_callee(index.number, had.callee) if isinstance(had, facts.Call) else ()
        names = [one.dotted.replace("()", "") for one in values if isinstance(one, External | ExternalObject)]
        return bool(names) and not any(f"{one}.{method.name}" in model.methods for one in names)

    def _says_all(self, index: FileIndex, number: int, name: str | None) -> bool:
        call = index.facts.exprs[number]
        given = [one.value for one in call.arguments if one.name == name] if isinstance(call, facts.Call) else []
        return any(getattr(index.facts.exprs[one], "value", None) is True for one in given)

    def _names(self, names: tuple[str, ...]) -> bool:
        """Whether one of the names stands in the project."""
        return any(index.by_name.get(name) for name in names for index in self._ev.store.judged)

    def _expires(self, index: FileIndex, model: CacheModel) -> bool:
        """Whether the project gives some cache a time to live; then nobody can say that this one has none."""
        if any(self._ev.application(index.facts.path, key) for key in model.settings):
            return True
        return self._names(model.expires)

    def _without_end(self, entry: SettingsEntry) -> Ref | None:
        """Where an entry says that nothing expires."""
        key = entry.model.expiry_key
        place = self._settings.place(CollectionValue(entry.ref), key) if key else None
        expr = self._ev.store.expr(place) if place is not None else None
        values = self._ev.values(*place) if place is not None else ()
        is_none = bool(values) and all(isinstance(one, Const) and one.value is None for one in values)
        return place if is_none and isinstance(expr, facts.Literal | facts.Name) else None
