"""Durations: as text (``2s``, ``500ms``, ``PT1M30S``), and made from numbers."""

from __future__ import annotations

import re

_SIMPLE = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*(ns|us|ms|s|m|h|d)", re.IGNORECASE)
_ISO = re.compile(r"([+-]?)P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.IGNORECASE)
_UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_ISO_UNITS = (86400.0, 3600.0, 60.0, 1.0)
_LONGEST = 40


def seconds(text: str) -> float | None:
    """The seconds of a duration with a unit; None for any other text, a plain number among it."""
    plain = text.strip()[: _LONGEST + 1]
    if len(plain) > _LONGEST:
        return None
    if simple := _SIMPLE.fullmatch(plain):
        return float(simple[1]) * _UNITS[simple[2].lower()]
    iso = _ISO.fullmatch(plain)
    if iso is None or not any(iso.groups()[1:]):
        return None
    total = sum(float(part) * unit for part, unit in zip(iso.groups()[1:], _ISO_UNITS, strict=True) if part)
    return -total if iso[1] == "-" else total
