"""Options that are times, in seconds."""

from __future__ import annotations

from math import isnan

from resplint.bind.values import Const
from resplint.redis.options.arguments import Option

PER_SECOND = {"s": 1.0, "ms": 1000.0}


def limit(option: Option) -> float | None:
    """The shortest time that an option sets, None when it sets none that is known (0 and less is none)."""
    if option.model is None or option.unknown:
        return None
    per = PER_SECOND.get(option.model.unit, 1.0)
    if option.given:
        known = [in_seconds(value, per) for value in option.values if isinstance(value, Const)]
    else:
        default = as_number(option.default)
        known = [default / per] if default is not None else []
    positive = [seconds for seconds in known if seconds is not None and seconds > 0]
    return min(positive) if positive else None


def format_duration(seconds: float) -> str:
    """A time as a message says it."""
    return f"{seconds:g} s" if seconds >= 1 or not seconds else f"{seconds * 1000:g} ms"


def in_seconds(value: Const, per: float) -> float | None:
    """A constant as seconds; a duration brings its own unit."""
    number = as_number(value.value)
    if number is None:
        return None
    return number if value.type == "duration" else number / per


def as_number(value: object) -> float | None:
    """A constant as a number, which may be infinite; text counts when it spells one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return None if isnan(value) else float(value)
    if isinstance(value, str):
        try:
            return as_number(float(value))
        except ValueError:
            return None
    return None
