"""RL202: how sure a finding is where a loop waits for other work, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.scan import ScanRequest, scan
from tests.rules.fixture_cases import config

HEAD = """import redis.asyncio as redis
from shop.storage import load

client = redis.Redis(host="cache", socket_timeout=5)


async def fill(names):
    for name in names:
"""
BODIES = {
    "each turn loads first": ("row = await load(name)\nawait client.set(name, row)", "note"),
    "only what is missing is loaded": (
        "row = await client.get(name)\nif row is None:\n    await load(name)",
        "warning",
    ),
    "what is there ends the turn": (
        "row = await client.get(name)\nif row is not None:\n    continue\nawait load(name)",
        "warning",
    ),
    "a condition holds for both": (
        "if name:\n    row = await load(name)\n    await client.set(name, row)",
        "note",
    ),
}


@pytest.mark.parametrize(("body", "level"), BODIES.values(), ids=BODIES)
def test_other_work_sets_the_pace_only_if_it_comes_with_the_command(tmp_path: Path, body: str, level: str) -> None:
    (tmp_path / "app.py").write_text(HEAD + "".join(f"        {line}\n" for line in body.splitlines()))

    report = scan(ScanRequest([str(tmp_path)], config(select=("RL202",)), root=tmp_path))

    assert [one.level.value for one in report.results] == [level]


def test_messages_that_are_published_one_by_one_cost_round_trips_as_other_commands_do(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(HEAD + "        await client.publish('names', name)\n")

    report = scan(ScanRequest([str(tmp_path)], config(select=("RL202",)), root=tmp_path))

    assert [one.precision.value for one in report.results] == ["high"]
