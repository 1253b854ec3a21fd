"""What one call says about an option: by keyword, by position, in a mapping that it spreads or receives, in a URL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import msgspec

from resplint.bind.values import (
    CollectionValue,
    Const,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    ParameterValue,
    Ref,
    Text,
    Unknown,
    Value,
    Values,
    merge,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import durations
from resplint.flow.graph import Graph
from resplint.flow.rules import overloads
from resplint.knowledge.records.base_records import Scalar
from resplint.knowledge.records.client_records import OptionModel
from resplint.redis.options.property_texts import LookedUp
from resplint.text import collections as elements

if TYPE_CHECKING:
    from resplint.redis.options.said import SettingValue


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
    said: tuple[SettingValue, ...] = ()
    """What settings files say, for each of `values`."""

    @property
    def default(self) -> Scalar:
        """What holds when the option is absent: a number, "none" or "unbounded"."""
        return self.model.default if self.model else "none"


class Arguments:
    """Reads options from the arguments of calls."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self._asking: set[tuple[int, int, str]] = set()
        self.looked_up = LookedUp(evaluator)

    def argument(self, file: int, call: facts.Call, model: OptionModel, mapping: bool = False) -> Option:
        """The option as one call sets it; with `mapping` options stand in an object among the positional arguments."""
        place = 0
        places = {
            one.index for one in model.positional if not one.shape or overloads.fits(self._ev, file, call, one.shape)
        }
        splats: list[int] = []
        if len(places) > 1:  # overloads that look alike: no place is sure
            places, splats = set(), [NONE]
        for item in call.arguments:
            if item.name == model.name:
                return self.given(file, item.value, model)
            if item.name == "**":
                splats.append(item.value)
            elif not item.name:
                if place in places:
                    return self.given(file, item.value, model)
                place += 1
            elif item.name == "*":
                splats.append(NONE)
        unknown = False
        for number in splats:
            option = self._spread(file, number, model)
            if option.given:
                return option
            unknown = unknown or option.unknown
        if mapping:
            return self._among(file, call, model)
        return self._in_url(file, call, model) or Option(model, unknown=unknown)

    def _among(self, file: int, call: facts.Call, model: OptionModel) -> Option:
        """The option in an object written out, or known, among the positional arguments."""
        unknown = False
        for place, item in enumerate(call.arguments):
            if model.place not in (-1, place):
                continue
            for value in _written(self._ev.values(file, item.value)) or (Unknown(),):
                if isinstance(value, Const | Text | LibraryObject | LibraryMethod | FunctionValue):
                    continue  # a URL, a port, a callback
                option = self._at_path((value,), model.name.split("."), model)
                if option.given:
                    return option
                unknown = unknown or option.unknown
        return Option(model, unknown=unknown)

    def _at_path(self, values: Values, path: list[str], model: OptionModel) -> Option:
        """The option under a path of keys."""
        unknown = False
        for value in _written(values):
            option = self._from_mapping(value, msgspec.structs.replace(model, name=path[0]))
            if not option.given:
                unknown = unknown or option.unknown
            elif len(path) == 1:
                return Option(model, option.values, True, False, option.ref)
            else:
                inner = self._at_path(option.values, path[1:], model)
                if inner.given:
                    return inner
                unknown = unknown or inner.unknown
        return Option(model, unknown=unknown)

    def measured(self, file: int, arguments: tuple[int, ...], model: OptionModel) -> Option:
        """The option as a setter's arguments say: a value, and perhaps its unit."""
        if model.argument >= len(arguments):
            return Option(model, unknown=True)
        option = self.given(file, arguments[model.argument], model)
        unit = self.unit(file, arguments[1]) if len(arguments) == 2 and not model.argument else None
        if unit is None:
            return option
        values = tuple(_in_unit(value, unit) for value in option.values)
        return Option(model, values, True, False, option.ref)

    def unit(self, file: int, number: int) -> float | None:
        """Seconds of the unit of time that an argument names; None when it names none."""
        for value in self._ev.values(file, number):
            if isinstance(value, External):
                return self._ev.roles(file).units.get(value.dotted)
        return None

    def given(self, file: int, number: int, model: OptionModel) -> Option:
        """The option as one expression says."""
        values = self._ev.values(file, number)
        if model.unit:
            values = tuple(known for one in values for known in self.looked_up.known(one))
        return Option(model, values or (Unknown(),), True, False, (file, number))

    def _spread(self, file: int, number: int, model: OptionModel) -> Option:
        """What ``**mapping`` contributes."""
        if number == NONE:
            return Option(model, unknown=True)
        unknown = False
        for value in _written(self._ev.values(file, number)) or (Unknown(),):
            option = self._from_mapping(value, model)
            if option.given:
                return option
            unknown = unknown or option.unknown
        return Option(model, unknown=unknown)

    def _from_mapping(self, value: Value, model: OptionModel) -> Option:
        if isinstance(value, CollectionValue):
            return self._from_collection(value, model)
        if isinstance(value, ExternalObject) and value.ref is not None and self._copies_map(value):
            expr = self._ev.store.expr(value.ref)
            if isinstance(expr, facts.Call):  # dict(mapping, name=value) reads like mapping.update(…)
                return self._update(value.ref[0], expr, model)
        if isinstance(value, ExternalObject) and value.ref is not None and self._merges(value):
            return self._merged(value.ref, model)
        if isinstance(value, ParameterValue):
            return self._from_callers(value, model)
        if isinstance(value, Const) and value.value is None:
            return Option(model)
        return Option(model, unknown=True)

    def _merges(self, value: ExternalObject) -> bool:
        return value.ref is not None and value.dotted.removesuffix("()") in self._ev.roles(value.ref[0]).merges

    def _merged(self, ref: Ref, model: OptionModel) -> Option:
        """``Object.assign({}, defaults, options)``: what stands later overrides."""
        call, unknown = self._ev.store.expr(ref), False
        for item in reversed(call.arguments) if isinstance(call, facts.Call) else ():
            option = self._spread(ref[0], item.value, model)
            if option.given:
                return option
            unknown = unknown or option.unknown
        return Option(model, unknown=unknown)

    def _from_collection(self, value: CollectionValue, model: OptionModel) -> Option:
        """The option in an object or mapping written out; one that spreads itself says nothing more."""
        key = (*value.ref, model.name)
        if key in self._asking:
            return Option(model)
        self._asking.add(key)
        try:
            return self._in_collection(value, model)
        finally:
            self._asking.discard(key)

    def _in_collection(self, value: CollectionValue, model: OptionModel) -> Option:
        collection = self._ev.store.expr(value.ref)
        assert isinstance(collection, facts.Collection)
        file, unknown = value.ref[0], collection.generated
        updated = self._updates(value, model)
        if updated.given:
            return updated
        unknown = unknown or updated.unknown
        pairs = list(zip(collection.keys, collection.items, strict=False))
        for key, number in reversed(pairs):  # what stands later overrides
            if key == NONE:
                option = self._spread(file, number, model)
                if option.given:
                    return option
                unknown = unknown or option.unknown
                continue
            names = self._ev.values(file, key)
            if any(isinstance(name, Const) and name.value == model.name for name in names):
                return self._or_later(value, model, self.given(file, number, model))
        return self._or_later(value, model, Option(model, unknown=unknown))

    def _or_later(self, value: CollectionValue, model: OptionModel, written: Option) -> Option:
        """The option as a mapping is written, or as ``options["tls"] = …`` and ``options.tls = …`` set it later."""
        option = written
        for index, write in elements.stored_under(self._ev, value, model.name):
            later = self.given(index.number, write.value, model)
            option = Option(model, merge([option.values, later.values]), True, False, later.ref)
        return option

    def _updates(self, value: CollectionValue, model: OptionModel) -> Option:
        """What ``options.update(…)``, ``options.setdefault(…)`` and ``options |= …`` add to a mapping later."""
        index = self._ev.store.files[value.ref[0]]
        words = self._ev.roles(index.number).words
        unknown = False
        for name in (*words.map_mergers, *words.map_defaults):
            for number in index.by_name.get(name, ()):
                member = index.facts.exprs[number]
                call = index.facts.exprs[index.call_of[number]] if number in index.call_of else None
                if not isinstance(member, facts.Member) or not isinstance(call, facts.Call):
                    continue
                if value not in self._ev.values(index.number, member.object):
                    continue
                merges = name in words.map_mergers
                option = self._update(index.number, call, model) if merges else self._default(index.number, call, model)
                if option.given:
                    return option
                unknown = unknown or option.unknown
        for binding in index.facts.bindings:
            if binding.kind == "augment" and binding.operator == "|=":
                names = index.bindings.get((binding.scope, binding.name), ())
                unknown = unknown or any(one.value == value.ref[1] for one in names)
        return Option(model, unknown=unknown)

    def _copies_map(self, value: ExternalObject) -> bool:
        """``dict(mapping, name=value)``."""
        assert value.ref is not None
        name = self._ev.roles(value.ref[0]).words.map_class
        return bool(name) and value.dotted == f"{name}()"

    def _default(self, file: int, call: facts.Call, model: OptionModel) -> Option:
        positional = [item.value for item in call.arguments if not item.name]
        keys = self._ev.values(file, positional[0]) if len(positional) == 2 else ()
        named = any(isinstance(key, Const) and key.value == model.name for key in keys)
        return self.given(file, positional[1], model) if named else Option(model)

    def _update(self, file: int, call: facts.Call, model: OptionModel) -> Option:
        positional = [item.value for item in call.arguments if not item.name]
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
        names = {item.name for item in self._ev.store.files[value.file].facts.scopes[value.scope].parameters}
        if model.name in names:  # what has a parameter of its own never comes with the rest
            return Option(model)
        unknown = self._ev.callers.escapes(value.file, value.scope)
        for site in self._ev.calls(value.file, value.scope):
            expr = self._ev.store.expr(site.ref)
            assert isinstance(expr, facts.Call)
            option = self.argument(site.file, facts.Call(0, 0, 0, expr.callee, _keywords(expr)), model)
            if option.given:
                return option
            unknown = unknown or option.unknown
        return Option(model, unknown=unknown or not self._ev.calls(value.file, value.scope))

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
                    return Option(model, (_from_url(found[0], value.ref),), True, False, value.ref)
            break
        return None


def _written(values: Values) -> Values:
    """Values without the objects that only a declared type tells of, where what is written out is known."""
    if not any(isinstance(value, CollectionValue) for value in values):
        return values
    return tuple(value for value in values if not isinstance(value, Instance) or value.made is not None or value.exact)


def _in_unit(value: Value, seconds: float) -> Value:
    if isinstance(value, Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool):
        return Const(value.value * seconds, "duration", value.ref)
    return value


def _query(url: str) -> dict[str, list[str]]:
    try:
        return parse_qs(urlsplit(url).query)
    except ValueError:
        return {}


def _from_url(text: str, ref: Ref) -> Const:
    length = durations.seconds(text)
    if length is not None:
        return Const(length, "duration", ref)
    try:
        return Const(float(text), "float", ref)
    except ValueError:
        return Const(text, "float", ref)


def _keywords(call: facts.Call) -> tuple[facts.Argument, ...]:
    return tuple(item for item in call.arguments if item.name)
