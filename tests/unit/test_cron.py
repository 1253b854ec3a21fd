"""What crontabs say of the time between two runs."""

from __future__ import annotations

import pytest

from resplint.text.cron import seconds_between

TIMES = {
    "* * * * *": 60,
    "*/10 * * * *": 600,
    "0 * * * *": 3600,
    "30 4 * * MON-FRI": 3600,
    "0,15,40 * * * *": 900,
    "10-20 * * * *": 60,
    "*/30 * * * * *": 1,
    "0 0 3 * * ?": 3600,
    "0 5/20 * * * *": 1200,
    "@hourly": 3600,
    "@daily": 86400,
    "every five minutes, or so": None,
    "one two three four five": None,
    "clean": None,
}


@pytest.mark.parametrize(("text", "seconds"), TIMES.items())
def test_least_time_between_two_runs(text: str, seconds: float | None) -> None:
    assert seconds_between(text) == seconds
