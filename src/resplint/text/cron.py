"""Times of jobs as crontabs have them: ``0 * * * *``, ``@daily``, with seconds in front as in Spring and node-cron."""

from __future__ import annotations

import re

_FIELD = re.compile(r"(\*|\?|[\dA-Za-z#,/*-]+)")
_NAMED = {"@hourly": 3600.0, "@daily": 86400.0, "@midnight": 86400.0, "@weekly": 604800.0, "@monthly": 2419200.0}
_STANDARD, _WITH_SECONDS, _WITH_YEAR = 5, 6, 7
_MINUTE, _HOUR = 60.0, 3600.0
_IN_AN_HOUR = 60


def seconds_between(text: str) -> float | None:
    """The least number of seconds between two runs; None for a text that is no such time."""
    if text in _NAMED:
        return _NAMED[text]
    fields = text.split()
    if not _STANDARD <= len(fields) <= _WITH_YEAR or not all(_FIELD.fullmatch(one) for one in fields):
        return None
    if not any(one == "*" or "*/" in one or one == "?" for one in fields):
        return None  # a date, a text of five words
    if len(fields) >= _WITH_SECONDS and not fields.pop(0).isdigit():
        return 1.0
    return _between_minutes(fields[0])


def _between_minutes(field: str) -> float | None:
    if field.isdigit():
        return _HOUR
    first, _, step = field.partition("/")
    if step:
        return float(step) * _MINUTE if step.isdigit() and (first == "*" or first.isdigit()) else _MINUTE
    minutes = field.split(",")
    if not all(one.isdigit() for one in minutes):
        return _MINUTE
    known = sorted({int(one) for one in minutes})
    gaps = [later - one for one, later in zip(known, [*known[1:], known[0] + _IN_AN_HOUR], strict=True)]
    return min(gaps) * _MINUTE
