"""How long a command may block, and which timeouts of its client cut it short."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import isfinite, isinf

from resplint.bind.values import Const, Instance, LibraryObject, Ref, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.client_records import OptionModel, WaitModel
from resplint.redis.options.arguments import Option
from resplint.redis.options.options import Options
from resplint.redis.options.said import SettingValue
from resplint.redis.options.timeouts import PER_SECOND, as_number, in_seconds, limit
from resplint.redis.usage import CommandSite, Usage

NEW_ENTRIES = ">"
"""The id for which XREADGROUP gives what no consumer has had yet."""


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a call may block: `seconds` 0 is forever. `ref` is the expression that says so, if one does, and
    `spelled` the constant that it stands for, which may be the default of a parameter.
    """

    seconds: float
    ref: Ref | None
    spelled: Ref | None = None


@dataclass(frozen=True, slots=True)
class Timeout:
    """After how many seconds a client gives a command up, and the option that says so."""

    seconds: float
    option: Option

    @property
    def said(self) -> SettingValue | None:
        """The line of a settings file that says so, if one does."""
        per = PER_SECOND.get(self.option.model.unit, 1.0) if self.option.model else 1.0
        for value, said in zip(self.option.values, self.option.said, strict=False):
            if isinstance(value, Const) and in_seconds(value, per) == self.seconds:
                return said
        return None


class Waits:
    """Answers for the commands of a project."""

    def __init__(self, evaluator: Graph, usage: Usage, options: Options) -> None:
        self._ev = evaluator
        self._usage = usage
        self._options = options

    # -- how long ------------------------------------------------------------------------------------------------------

    def longest(self, site: CommandSite) -> Wait | None:
        """The longest wait that is known; forever is longest. None when the call does not block or nothing is
        known.
        """
        with self._ev.under(tuple(one for one in _root(site.receiver).via if isinstance(one, Instance))):
            found = [one for one in self._waits(site) if not self._reads_pending(site, one)]
        waits = self._limited(site, [_whole(site, wait) for wait in found if wait.seconds >= 0])
        if not waits:
            return None
        return min(waits, key=lambda wait: (wait.seconds != 0, -wait.seconds))

    def blocks(self, site: CommandSite) -> bool:
        """Whether a call waits for data, be it that nothing is known of how long."""
        if self.longest(site) is not None:
            return True
        model = site.method.wait
        call = self._ev.store.expr(site.ref)
        if model is None or model.setters or not isinstance(call, facts.Call):
            return False
        if model.mapping:
            option = OptionModel(name=model.parameter, unit=model.unit)
            found = self._options.arguments.argument(site.file, call, option, True)
            return found.given and not any(isinstance(one, Const) for one in found.values)
        number = self._usage.argument(site, model.index, model.parameter)
        return number != NONE and not any(isinstance(one, Const) for one in self._ev.values(site.file, number))

    def _waits(self, site: CommandSite) -> list[Wait]:
        model = site.method.wait
        if model is None:
            return self._of_words(site) if site.raw else []
        if model.setters or model.mapping:
            return self._in_object(site, model)
        number = self._usage.argument(site, model.index, model.parameter)
        if number == NONE:
            return [] if self._usage.spreads(site) else _constant(model, model.default, None)
        unit = NONE
        if model.unit_index > -100:
            unit = self._usage.argument(site, model.unit_index)
        per = self._options.arguments.unit(site.file, unit) if unit != NONE else None
        if unit != NONE and per is None:
            return []
        return self._given(model, site.file, number, per)

    def _given(self, model: WaitModel, file: int, number: int, per: float | None = None) -> list[Wait]:
        found: list[Wait] = []
        for value in self._ev.values(file, number):
            if not isinstance(value, Const):
                continue
            if value.type == "duration" and isinstance(value.value, int | float):
                waits = [Wait(float(value.value), (file, number))]
            elif per is not None and (plain := as_number(value.value)) is not None:
                waits = [Wait(plain * per, (file, number))]
            else:
                given = model.none_means if value.value is None else value.value
                waits = _constant(model, given, (file, number))
            found += [replace(one, spelled=value.ref) for one in waits]
        return found

    def _in_object(self, site: CommandSite, model: WaitModel) -> list[Wait]:
        """The wait that an object among the arguments says: one written out, or one with setters."""
        call = self._ev.store.expr(site.ref)
        if not isinstance(call, facts.Call):
            return []
        option = OptionModel(name=model.parameter, unit=model.unit, setters=model.setters)
        for item in call.arguments:
            if model.mapping:
                found = self._options.arguments.argument(
                    site.file, facts.Call(0, 0, 0, call.callee, (item,)), option, True
                )
                if found.given and found.ref is not None:
                    return self._given(model, *found.ref)
            for value in self._ev.values(site.file, item.value) if model.setters else ():
                if isinstance(value, LibraryObject) and (setting := self._options.set_on(value, option)) is not None:
                    return [wait for one in setting.values for wait in self._of_value(model, one, setting.ref)]
        return _constant(model, model.default, None)

    def _of_value(self, model: WaitModel, value: Value, ref: Ref | None) -> list[Wait]:
        if not isinstance(value, Const):
            return []
        if value.type == "duration" and isinstance(value.value, int | float):
            return [Wait(float(value.value), ref)]
        return _constant(model, value.value, ref)

    def _of_words(self, site: CommandSite) -> list[Wait]:
        """The wait of a command that is sent as words."""
        model = self._usage.model(site)
        words = self._usage.positional(site)
        if model is None or not model.raw_wait or self._usage.spreads(site) or not words:
            return []
        if len(words) > 1 and self._may_be_callback(site, words[-1]):
            words = words[:-1]
        place = {"last": words[-1], "first": words[0]}.get(model.raw_wait, NONE)
        if model.raw_wait == "block":
            for word, following in pairwise(words):
                texts = [v.value for v in self._ev.values(site.file, word) if isinstance(v, Const)]
                if any(isinstance(text, str) and text.upper() == "BLOCK" for text in texts):
                    place = following
        if place == NONE:
            return []
        numbers = [
            number
            for v in self._ev.values(site.file, place)
            if isinstance(v, Const) and (number := as_number(v.value)) is not None
        ]
        return [Wait(number / PER_SECOND[model.raw_wait_unit], (site.file, place)) for number in numbers]

    # -- what is read again --------------------------------------------------------------------------------------------

    def _reads_pending(self, site: CommandSite, wait: Wait) -> bool:
        """Whether XREADGROUP asks for entries that the consumer has had already, which it never waits for: every id is
        known, and none is ``>``.
        """
        call = self._ev.store.expr(site.ref)
        if site.command != "XREADGROUP" or not isinstance(call, facts.Call):
            return False
        ids = self._ids_of_words(site) if site.raw else self._ids_of_objects(site.file, call)
        said = [self._said(site.file, number, wait) for number in ids]
        return bool(said) and all(one and NEW_ENTRIES not in one for one in said)

    def _ids_of_words(self, site: CommandSite) -> list[int]:
        """The last half of what stands behind STREAMS."""
        words = self._usage.positional(site)
        for at, word in enumerate(words):
            texts = [one.value for one in self._ev.values(site.file, word) if isinstance(one, Const)]
            if any(isinstance(text, str) and text.upper() == "STREAMS" for text in texts):
                behind = words[at + 1 :]
                return list(behind[len(behind) // 2 :])
        return []

    def _ids_of_objects(self, file: int, call: facts.Call) -> list[int]:
        """What stands under ``id`` in an object among the arguments, or behind the streams of a map."""
        found: list[int] = []
        pending = [item.value for item in call.arguments]
        while pending:
            expr = self._ev.store.files[file].facts.exprs[pending.pop()]
            if not isinstance(expr, facts.Collection):
                continue
            if expr.kind != "map":
                pending += expr.items
                continue
            texts = [self._ev.store.files[file].facts.exprs[key] if key != NONE else None for key in expr.keys]
            names = [one.value if isinstance(one, facts.Literal) else None for one in texts]
            if "id" in names:
                found.append(expr.items[names.index("id")])
            elif not any(isinstance(name, str) and name.upper() in ("BLOCK", "COUNT", "NOACK") for name in names):
                found += expr.items
        return found

    def _said(self, file: int, number: int, wait: Wait) -> frozenset[str]:
        """The texts that an expression stands for, in the call that says the wait if that is a parameter as well; none
        if it may be something else.
        """
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Name) and wait.spelled is not None and wait.spelled[1] >= 0:
            scope = index.function_of(expr.block)
            parameter = index.parameters.get((scope, expr.name))
            there = self._ev.store.files[wait.spelled[0]]
            place = there.argument_of.get(wait.spelled[1])
            calls = [one.ref for one in self._ev.callers.of(file, scope)]
            if parameter is not None and place is not None and (wait.spelled[0], place[0]) in calls:
                call = there.facts.exprs[place[0]]
                assert isinstance(call, facts.Call)
                if parameter < len(call.arguments) and not any(item.name for item in call.arguments):
                    file, number = wait.spelled[0], call.arguments[parameter].value
        values = [one.value if isinstance(one, Const) else None for one in self._ev.values(file, number)]
        texts = [one for one in values if isinstance(one, str)]
        return frozenset(texts) if len(texts) == len(values) else frozenset()

    def _may_be_callback(self, site: CommandSite, number: int) -> bool:
        """Whether the last word is what takes the reply: a parameter of which nothing is known."""
        index = self._ev.store.files[site.file]
        name = index.facts.exprs[number]
        if not site.receiver.origin.library.library.callbacks or not isinstance(name, facts.Name):
            return False
        if index.parameters.get((index.owner(name.name, index.scope_of(name.block)), name.name)) is None:
            return False
        return not any(isinstance(value, Const) for value in self._ev.values(site.file, number))

    # -- what cuts it --------------------------------------------------------------------------------------------------

    def cut_by(self, site: CommandSite) -> Timeout | None:
        """The shortest timeout that the client applies to a blocking command; None when it has none."""
        found = []
        if self._read_timeout_cuts(site):
            found.append(self._timeout(site, "read_timeout"))
        found.append(self._timeout(site, "blocking_timeout"))
        found = [one for one in found if one is not None]
        return min(found, key=lambda one: one.seconds) if found else None  # type: ignore[union-attr]

    def _read_timeout_cuts(self, site: CommandSite) -> bool:
        if site.method.read_timeout_cuts is not None:
            return site.method.read_timeout_cuts
        own = self._options.cut_blocking(site.receiver, site.file)
        if own is not None:
            return own
        library = site.receiver.origin.library.library
        version = self._options.version(site.receiver, site.file).version
        by_version = (one.value for one in library.blocking_by_version if version_in(version, one.versions))
        return next(by_version, library.blocking_uses_read_timeout)

    def _timeout(self, site: CommandSite, role: str) -> Timeout | None:
        option = self._options.effective(site.receiver, role, site.file)
        seconds = limit(option) if option is not None else None
        return Timeout(seconds, option) if option is not None and seconds is not None and isfinite(seconds) else None

    def _limited(self, site: CommandSite, waits: list[Wait]) -> list[Wait]:
        """Waits without end, where the client ends them itself."""
        if not any(wait.seconds == 0 for wait in waits):
            return waits
        option = self._options.effective(site.receiver, "blocking_limit", site.file)
        if option is None or not (option.given or limit(option)):
            return waits
        seconds = limit(option)
        ended = [Wait(seconds, option.ref)] if seconds is not None else []
        return [one for wait in waits for one in ([wait] if wait.seconds else ended)]


def _root(value: LibraryObject) -> LibraryObject:
    """The object that another one was made from, directly or not."""
    while value.parent is not None:
        value = value.parent
    return value


def _whole(site: CommandSite, wait: Wait) -> Wait:
    """The wait as it is sent by a method that knows whole units only."""
    model = site.method.wait
    if isinf(wait.seconds):
        return replace(wait, seconds=0)  # the same by another name
    if model is None or not model.whole or not isfinite(wait.seconds * PER_SECOND[model.unit]):
        return wait
    per = PER_SECOND[model.unit]
    return replace(wait, seconds=int(wait.seconds * per) / per)


def _constant(model: WaitModel, value: object, ref: Ref | None) -> list[Wait]:
    number = as_number(value)
    return [] if number is None else [Wait(number / PER_SECOND[model.unit], ref)]
