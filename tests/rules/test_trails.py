"""A trail leads to the place that decides, so that nobody has to look for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rules.fixture_cases import run

WORKER = """\
import redis

client = redis.Redis(socket_timeout=5)
SLOW = 30


def take(queue, wait=0):
    return client.blpop(queue, timeout={given})
"""


@pytest.mark.parametrize(
    ("given", "line", "code"),
    [("wait", 7, "0"), ("SLOW", 4, "30"), ("30", 8, "30"), ("wait or 30", 8, "wait or 30"), ("(wait)", 7, "0")],
)
def test_the_wait_is_shown_where_it_is_written(tmp_path: Path, given: str, line: int, code: str) -> None:
    text = WORKER.format(given=given)
    (tmp_path / "worker.py").write_text(text)
    (result,) = run(tmp_path, [tmp_path], {"redis-py": "5.0.1"}, "RL104").results
    (region,) = [step.region for step in result.trail if step.message.startswith("the wait: ")]
    written = text.splitlines()[region.start_line - 1][region.start_column - 1 : region.end_column - 1]
    assert (region.start_line, written) == (line, code)


def test_what_runs_behind_the_next_attempt_or_at_once_is_no_pause() -> None:
    fixture = Path(__file__).parents[2] / "fixtures/missing-backoff/javascript/bad_only_reports_after_the_call.js"
    (result,) = run(fixture.parent, [fixture], {}, "RL103").results
    assert "immediately" in result.message
    assert not any("pause" in step.message for step in result.trail)


SERVICE = """\
import redis
from fastapi import FastAPI

app = FastAPI()
cache = redis.Redis(host="cache", socket_timeout=5)


def price(article: str) -> str:
    return cache.get(f"price:{article}")


async def preview(article: str) -> str:
    return price(article)


@app.get("/prices/{article}")
async def show(article: str) -> str:
    return price(article)


@app.get("/baskets/{basket}")
async def total(basket: str) -> list[str]:
    return [price(article) for article in basket.split(",")]


def export() -> str:
    return price("all")
"""


def test_all_that_an_event_loop_runs_is_shown_where_it_waits(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text(SERVICE)
    (result,) = run(tmp_path, [tmp_path], {"redis-py": "5.0.1"}, "RL205").results
    waiting = {step.region.start_line: step.message for step in result.trail if "waits for it, too" in step.message}
    assert (result.level.value, "`show`" in result.message) == ("error", True)
    assert waiting == {13: "`preview` waits for it, too", 23: "`total` waits for it, too"}


def test_who_asks_a_helper_for_everything_is_shown() -> None:
    fixture = Path(__file__).parents[2] / "fixtures/unbounded-read/python/bad_helper_for_pages.py"
    (result,) = run(fixture.parent, [fixture], {}, "RL403").results
    (asked,) = [step.region.start_line for step in result.trail if "asked for here" in step.message]
    assert 'entries("birds:seen", 0, -1)' in fixture.read_text().splitlines()[asked - 1]
