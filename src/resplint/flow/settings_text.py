"""Values that a framework fills in: ``@Value("${redis.pool.max:8}") int max``."""

from __future__ import annotations

import math

from resplint.bind.values import Const, Ref
from resplint.flow import durations

SETTING = "settings"
"""Path of what an application's settings fill in when their value is not known."""


def as_constant(text: str, ref: Ref, timed: bool = False) -> Const:
    """A setting's text as the constant that it spells; with `timed` a duration with a unit is one."""
    plain = text.strip()
    if timed and (length := durations.seconds(plain)) is not None:
        return Const(length, "duration", ref)
    try:
        number = float(plain)
    except ValueError:
        return Const(plain == "true", "bool", ref) if plain in ("true", "false") else Const(plain, "str", ref)
    if not math.isfinite(number):
        return Const(plain, "str", ref)
    return Const(int(number) if number.is_integer() else number, "float", ref)
