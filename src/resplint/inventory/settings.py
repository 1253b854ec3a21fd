"""Options of clients as the inventory shows them."""

from __future__ import annotations

from collections.abc import Callable

from resplint.bind.values import Const, LibraryObject, Ref, Unknown, Value
from resplint.contracts.findings import Place
from resplint.inventory.records import Origin, Setting, Spot
from resplint.knowledge.records.base_records import Scalar
from resplint.knowledge.records.client_records import OptionModel
from resplint.model.project import Project
from resplint.redis.options.arguments import Option
from resplint.redis.options.timeouts import PER_SECOND, as_number, format_duration, in_seconds

Code = Callable[[Place], str]
"""The text that stands at a place, "" when it cannot be read."""

POOL = ("pool_max", "single_connection")
TIMEOUTS = ("read_timeout", "connect_timeout", "blocking_timeout", "blocking_limit")
RETRY = ("retry", "backoff", "retries", "retry_on_timeout", "retry_on_error", "retry_delay")

_LONGEST_CODE = 80
_OFTEN_ABSENT = ("single_connection", "blocking_timeout", "blocking_limit", "retry_on_timeout", "retry_on_error")
"""Options that are worth a word only when they are set."""


class Settings:
    """Reads them from the linked project."""

    def __init__(self, project: Project, code: Code) -> None:
        self._project = project
        self._code = code

    def of(self, value: LibraryObject, roles: tuple[str, ...], file: int) -> tuple[Setting, ...]:
        """The options with these roles, in their order, of an object that is used in `file`."""
        found = []
        for role in roles:
            first = self._project.options.effective(value, role, file)
            others = [one for one in self._project.options.every(value, (role,)) if one.given]
            for option in (*([first] if first is not None else []), *others):
                setting = self.worth_showing(role, option)
                if setting is not None:
                    found.append(setting)
        return tuple(dict.fromkeys(found))

    def worth_showing(self, role: str, option: Option) -> Setting | None:
        """One option; None when it belongs to nothing that is known, or goes without saying."""
        setting = self._setting(option)
        if setting is not None and role in _OFTEN_ABSENT and setting.origin is Origin.DEFAULT:
            return None
        return setting

    def _setting(self, option: Option) -> Setting | None:
        model = option.model
        if model is None:
            return None
        if option.given:
            return self._given(option, model)
        if option.unknown:
            return Setting(model.name, "unknown", Origin.UNKNOWN)
        if model.default == "":
            return None
        return Setting(model.name, _of_default(model), Origin.DEFAULT, _number(model, option.default))

    def _given(self, option: Option, model: OptionModel) -> Setting:
        # What some callers pass may not be known; what others pass is.
        values = [value for value in option.values if not isinstance(value, Unknown)]
        texts = [self._text(model, value, option.ref) for value in values] or [self._at(option.ref)]
        number = _number(model, values[0]) if len(values) == 1 and isinstance(values[0], Const) else None
        text = " or ".join(dict.fromkeys(texts))
        if option.said:
            said = option.said[0]
            return Setting(said.key, text, Origin.SETTINGS, number, Spot(said.place.path, said.line))
        if option.ref is None:
            return Setting(model.name, text, Origin.CONFIGURATION, number)
        return Setting(model.name, text, Origin.CODE, number, self.spot(option.ref))

    def _text(self, model: OptionModel, value: Value, ref: Ref | None) -> str:
        if not isinstance(value, Const):
            return self._at(ref)
        if value.value is None:
            return _word(model, model.none_means)
        number = as_number(value.value)
        if number is None:
            return str(value.value).lower() if isinstance(value.value, bool) else str(value.value)
        if number < 0 and model.negative_means != "none":
            return _word(model, model.negative_means)
        if number == 0 and model.zero_means != "none":
            return _word(model, model.zero_means)
        seconds = in_seconds(value, PER_SECOND[model.unit]) if model.unit in PER_SECOND else None
        return format_duration(seconds) if seconds is not None else f"{number:,.15g}"

    def _at(self, ref: Ref | None) -> str:
        """The code of a value that is no constant, in one line."""
        text = " ".join(self._code(self._project.place(ref)).split()) if ref is not None else ""
        if not text:
            return "unknown"
        return text if len(text) <= _LONGEST_CODE else text[: _LONGEST_CODE - 1] + "…"

    def spot(self, ref: Ref) -> Spot:
        """The line on which an expression begins."""
        place = self._project.place(ref)
        return Spot(place.path, self._project.index(ref).facts.line(place.start))


def _of_default(model: OptionModel) -> str:
    return _word(model, model.default)


def _word(model: OptionModel, value: Scalar) -> str:
    """A default, or what an explicit null stands for, in words."""
    if value == "unbounded":
        return "unlimited"
    number = as_number(value)
    if number is not None and model.unit in PER_SECOND:
        return format_duration(number / PER_SECOND[model.unit])
    if number is not None:
        return f"{number:,.15g}"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "exponential with jitter" if value == "exponential+jitter" else str(value)


def _number(model: OptionModel, value: Const | Scalar) -> float | None:
    """A value as a number: seconds for times."""
    if isinstance(value, Const):
        per = PER_SECOND.get(model.unit)
        return in_seconds(value, per) if per is not None else as_number(value.value)
    number = as_number(value)
    return number / PER_SECOND.get(model.unit, 1.0) if number is not None else None
