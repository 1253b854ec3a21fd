"""The table of README.md names tests that exist, and misses no point."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLE = (Path(__file__).parent / "README.md").read_text("utf-8")


def test_every_test_it_names_exists() -> None:
    defined = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text("utf-8"), re.MULTILINE)
    }
    assert set(re.findall(r"`(test_\w+)`", TABLE)) <= defined
    assert all((ROOT / path).is_file() for path in re.findall(r"`(tests/[\w/]+\.py)`", TABLE))


def test_it_misses_no_point() -> None:
    rows = [line.split("|")[1:4] for line in TABLE.splitlines() if re.match(r"\| \d", line)]
    assert [int(number) for row in rows for number in row[0].split(",")] == list(range(1, 47))
    assert all("`" in row[2] for row in rows)
