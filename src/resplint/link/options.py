"""How an object of a client library was configured: what was passed where, and what holds by default in the version in
use.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import msgspec

from resplint import facts
from resplint.facts import NONE
from resplint.knowledge.catalogue import Factory
from resplint.knowledge.records import ClientLibrary, OptionModel, Scalar
from resplint.link import elements
from resplint.link.evaluate import Evaluator
from resplint.link.settings import Settings, SettingsEntry
from resplint.link.values import (
    CollectionValue,
    Const,
    ExternalObject,
    LibraryObject,
    ParameterValue,
    Ref,
    Unknown,
    Value,
    Values,
)
from resplint.link.versions import AssumedVersion, Versions


@dataclass(frozen=True, slots=True)
class Option:
    """One option of one object. `given` options have values; otherwise `default` holds.

    `unknown` means that it may be set in a way that cannot be followed. `ref` is the expression that sets it.
    """

    model: OptionModel | None
    values: Values = ()
    given: bool = False
    unknown: bool = False
    ref: Ref | None = None

    @property
    def default(self) -> Scalar:
        """What holds when the option is absent: a number, "none" or "unbounded"."""
        return self.model.default if self.model else "none"


class Options:
    """Looks options up by their role (read_timeout, pool_max, retry, …)."""

    def __init__(self, evaluator: Evaluator, versions: Versions) -> None:
        self._ev = evaluator
        self._versions = versions
        self.settings = Settings(evaluator)
        self._asking: set[tuple[int, int, str]] = set()

    def version(self, value: LibraryObject, file: int = 0) -> AssumedVersion:
        """The version to assume for an object that is used in `file`."""
        return self._ev.version(value, file)

    def version_at(self, library: ClientLibrary, path: str) -> AssumedVersion:
        """The version to assume for a library in a file."""
        return self._versions(library, path)

    def ridden(self, library: ClientLibrary) -> ClientLibrary:
        """The library whose version decides the defaults."""
        return self._ev.catalogue.libraries.get(library.library.rides_on, library)

    def find(self, value: LibraryObject, role: str) -> Option | None:
        """The option with this role, None when the object has none or was not seen being made."""
        constructor = value.origin.constructor
        if value.origin.factory is not None and constructor is not None:
            return self._of_factory(value, value.origin.factory, constructor.options, role)
        if constructor is not None and constructor.settings:
            entry = self._entry(value)
            return self.of_entry(entry, role) if entry is not None else None
        found = self._constructed(value)
        if found is None:
            return self.find(value.parent, role) if value.parent is not None else None
        file, call, option_set = found
        library = value.origin.library
        model = self._ev.catalogue.option(library, option_set, role, self.version(value).version)
        if model is None:
            return None
        if value.origin.method is not None and value.parent is not None:
            return self._of_derived(file, call, model, value.parent, role)
        keywords_only = value.origin.constructor is not None and value.origin.constructor.keywords_only
        return self.argument(file, call, msgspec.structs.replace(model, positional=()) if keywords_only else model)

    def _of_factory(self, value: LibraryObject, factory: Factory, option_set: str, role: str) -> Option | None:
        """An option as the configuration describes the factory; what it does not name is unknown."""
        model = self._ev.catalogue.option(value.origin.library, option_set, role, self.version(value).version)
        if model is None or model.name not in factory.options:
            return Option(model, unknown=True) if model is not None else None
        given = factory.options[model.name]
        kind = {bool: "bool", int: "int", float: "float", str: "str"}[type(given)]
        return Option(model, (Const(given, kind, value.made or (0, NONE)),), True)

    def _entry(self, value: LibraryObject) -> SettingsEntry | None:
        """The settings entry that configures what an accessor hands out."""
        constructor = value.origin.constructor
        expr = self._ev.store.expr(value.made) if value.made else None
        if constructor is None or value.made is None or not isinstance(expr, facts.Call):
            return None
        alias = "default"
        positional = [item.value for item in expr.arguments if item.name in ("", "alias")]
        if len(positional) > constructor.alias_index >= 0:
            names = self._ev.values(value.made[0], positional[constructor.alias_index])
            texts = [name.value for name in names if isinstance(name, Const)]
            alias = str(texts[0]) if len(texts) == 1 and len(names) == 1 else ""
        return self.settings.by_alias(constructor.settings, alias)

    def of_entry(self, entry: SettingsEntry, role: str) -> Option | None:
        """The option with this role of the pool that a settings entry describes."""
        known = self._ev.catalogue.constructor(self.settings.pool_constructor(entry))
        if known is None:
            return None
        library, constructor = known
        path = self._ev.store.files[entry.ref[0]].facts.path
        version = self._versions(self.ridden(library), path).version
        model = self._ev.catalogue.option(library, constructor.options, role, version)
        if model is None:
            return None
        place = self.settings.option(entry, model.name)
        if place is not None:
            return self._given(place[0], place[1], model)
        return Option(model, unknown=self.settings.opaque(entry))

    def _of_derived(
        self, file: int, call: facts.Call, model: OptionModel, parent: LibraryObject, role: str
    ) -> Option | None:
        """A client that another object makes (`Sentinel.master_for`): its own keywords, else those of the maker."""
        own = self.argument(file, call, model)
        if own.given or own.unknown:
            return own
        inherited = self.find(parent, role)
        if inherited is None or not (inherited.given or inherited.unknown):
            made = self._ev.store.expr(parent.made) if parent.made is not None else None
            return self.argument(parent.made[0], made, model) if parent.made and isinstance(made, facts.Call) else own
        return inherited

    def pool_of(self, value: LibraryObject) -> LibraryObject | None:
        """The pool that a client was given, when it can be told."""
        option = self.find(value, "pool")
        for one in option.values if option else ():
            if isinstance(one, LibraryObject) and one.kind == "pool":
                return one
        return None

    def shares_pool(self, value: LibraryObject) -> bool:
        """Whether a client was given a pool, whatever it is (but not when that pool may be None)."""
        option = self.find(value, "pool")
        return bool(option and option.given and not all(_is_none(one) for one in option.values))

    def effective(self, value: LibraryObject, role: str) -> Option | None:
        """The option of the object, or of the pool that it was given."""
        pool = self.pool_of(value)
        if pool is not None:
            return self.find(pool, role)
        if self.shares_pool(value):
            return None
        return self.find(value, role)

    def _constructed(self, value: LibraryObject) -> tuple[int, facts.Call, str] | None:
        """(file, call, option set) of the call whose arguments configure the object."""
        if value.made is None:
            return None
        constructor, method = value.origin.constructor, value.origin.method
        option_set = constructor.options if constructor else method.options if method else ""
        if not option_set:
            return None
        file, number = value.made
        if value.subclass is not None and (inner := self._super_init(*value.subclass)):
            file, number = inner
        expr = self._ev.store.expr((file, number))
        return (file, expr, option_set) if isinstance(expr, facts.Call) else None

    def _super_init(self, file: int, scope: int) -> Ref | None:
        """The call by which the constructor of a derived class configures its base."""
        method = self._ev.classes.method(file, scope, "__init__")
        if method is None:
            return None
        index = self._ev.store.files[method.file]
        for number in index.calls:
            expr = index.facts.exprs[number]
            assert isinstance(expr, facts.Call)
            callee = index.facts.exprs[expr.callee]
            if (
                isinstance(callee, facts.Member)
                and callee.name == "__init__"
                and index.function_of(expr.block) == method.scope
            ):
                return (method.file, number)
        return None

    # -- arguments -----------------------------------------------------------------------------------------------------

    def argument(self, file: int, call: facts.Call, model: OptionModel) -> Option:
        """The option as one call sets it."""
        place = 0
        splats: list[int] = []
        for item in call.arguments:
            if item.name == model.name:
                return self._given(file, item.value, model)
            if item.name == "**":
                splats.append(item.value)
            elif not item.name:
                if any(positional.index == place for positional in model.positional):
                    return self._given(file, item.value, model)
                place += 1
            elif item.name == "*":
                splats.append(NONE)
        unknown = False
        for number in splats:
            option = self._spread(file, number, model)
            if option.given:
                return option
            unknown = unknown or option.unknown
        return self._in_url(file, call, model) or Option(model, unknown=unknown)

    def _given(self, file: int, number: int, model: OptionModel) -> Option:
        return Option(model, self._ev.values(file, number) or (Unknown(),), True, False, (file, number))

    def _spread(self, file: int, number: int, model: OptionModel) -> Option:
        """What ``**mapping`` contributes."""
        if number == NONE:
            return Option(model, unknown=True)
        unknown = False
        for value in self._ev.values(file, number) or (Unknown(),):
            option = self._from_mapping(value, model)
            if option.given:
                return option
            unknown = unknown or option.unknown
        return Option(model, unknown=unknown)

    def _from_mapping(self, value: Value, model: OptionModel) -> Option:
        if isinstance(value, CollectionValue):
            return self._from_collection(value, model)
        if isinstance(value, ExternalObject) and value.dotted == "dict()" and value.ref is not None:
            expr = self._ev.store.expr(value.ref)
            if isinstance(expr, facts.Call):  # dict(mapping, name=value) reads like mapping.update(…)
                return self._update(value.ref[0], expr, model, "update")
        if isinstance(value, ParameterValue):
            return self._from_callers(value, model)
        if isinstance(value, Const) and value.value is None:
            return Option(model)
        return Option(model, unknown=True)

    def _from_collection(self, value: CollectionValue, model: OptionModel) -> Option:
        collection = self._ev.store.expr(value.ref)
        assert isinstance(collection, facts.Collection)
        file, unknown = value.ref[0], collection.generated
        updated = self._updates(value, model)
        if updated.given:
            return updated
        unknown = unknown or updated.unknown
        for key, number in zip(collection.keys, collection.items, strict=False):
            if key == NONE:
                option = self._spread(file, number, model)
                if option.given:
                    return option
                unknown = unknown or option.unknown
                continue
            names = self._ev.values(file, key)
            if any(isinstance(name, Const) and name.value == model.name for name in names):
                return self._given(file, number, model)
        for index, write in elements.stored_items(self._ev, value):
            if index.target_name(write.target) == model.name:
                return self._given(index.number, write.value, model)
        return Option(model, unknown=unknown)

    def _updates(self, value: CollectionValue, model: OptionModel) -> Option:
        """What ``options.update(…)``, ``options.setdefault(…)`` and ``options |= …`` add to a mapping later."""
        index = self._ev.store.files[value.ref[0]]
        unknown = False
        for name in ("update", "setdefault"):
            for number in index.by_name.get(name, ()):
                member = index.facts.exprs[number]
                call = index.facts.exprs[index.call_of[number]] if number in index.call_of else None
                if not isinstance(member, facts.Member) or not isinstance(call, facts.Call):
                    continue
                if value not in self._ev.values(index.number, member.object):
                    continue
                option = self._update(index.number, call, model, name)
                if option.given:
                    return option
                unknown = unknown or option.unknown
        for binding in index.facts.bindings:
            if binding.kind == "augment" and binding.operator == "|=":
                names = index.bindings.get((binding.scope, binding.name), ())
                unknown = unknown or any(one.value == value.ref[1] for one in names)
        return Option(model, unknown=unknown)

    def _update(self, file: int, call: facts.Call, model: OptionModel, name: str) -> Option:
        positional = [item.value for item in call.arguments if not item.name]
        if name == "setdefault":
            keys = self._ev.values(file, positional[0]) if len(positional) == 2 else ()
            named = any(isinstance(key, Const) and key.value == model.name for key in keys)
            return self._given(file, positional[1], model) if named else Option(model)
        option = self.argument(file, facts.Call(0, 0, 0, call.callee, _keywords(call)), model)
        if option.given:
            return option
        unknown = option.unknown
        for number in positional:
            for one in self._ev.values(file, number) or (Unknown(),):
                option = self._from_mapping(one, model)
                if option.given:
                    return option
                unknown = unknown or option.unknown
        return Option(model, unknown=unknown)

    def _from_callers(self, value: ParameterValue, model: OptionModel) -> Option:
        """``def make(**options): Redis(**options)``: what the callers pass by this name."""
        key = (value.file, value.scope, model.name)
        if key in self._asking:  # a function that calls itself with its own keywords
            return Option(model, unknown=True)
        self._asking.add(key)
        try:
            return self._from_sites(value, model)
        finally:
            self._asking.discard(key)

    def _from_sites(self, value: ParameterValue, model: OptionModel) -> Option:
        unknown = self._ev.callers.escapes(value.file, value.scope)
        for site in self._ev.callers.of(value.file, value.scope):
            expr = self._ev.store.expr(site.ref)
            assert isinstance(expr, facts.Call)
            option = self.argument(site.file, facts.Call(0, 0, 0, expr.callee, _keywords(expr)), model)
            if option.given:
                return option
            unknown = unknown or option.unknown
        return Option(model, unknown=unknown or not self._ev.callers.of(value.file, value.scope))

    def _in_url(self, file: int, call: facts.Call, model: OptionModel) -> Option | None:
        """An option in the query of a connection URL."""
        for item in call.arguments:
            if item.name not in ("", "url"):
                continue
            for value in self._ev.values(file, item.value):
                if not (isinstance(value, Const) and isinstance(value.value, str) and "?" in value.value):
                    continue
                found = _query(value.value).get(model.name)
                if found:
                    return Option(model, (Const(_number(found[0]), "float", value.ref),), True, False, value.ref)
            break
        return None


def _query(url: str) -> dict[str, list[str]]:
    try:
        return parse_qs(urlsplit(url).query)
    except ValueError:
        return {}


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _keywords(call: facts.Call) -> tuple[facts.Argument, ...]:
    return tuple(item for item in call.arguments if item.name)


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None
