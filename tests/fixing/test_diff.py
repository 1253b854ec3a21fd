"""Diffs: applied to the text before, they give the text after."""

from __future__ import annotations

import random
import re
import time

import pytest

from resplint.contracts.findings import Report
from resplint.fixing import Plan, unified_diff
from resplint.fixing.records import ChangedFile


def diff(before: str, after: str) -> list[str]:
    file = ChangedFile("a.py", "python", before.encode(), after.encode())
    return unified_diff(Plan(Report((), (), ()), Report((), (), ()), (file,)), lambda text: text)


def patched(before: str, lines: list[str]) -> str:
    """A text after a diff; every line of context must be where the diff says."""
    old = before.splitlines(keepends=True)
    new: list[str] = []
    at = 0
    assert lines[:2] == ["--- a/a.py", "+++ b/a.py"]
    for number, line in enumerate(lines[2:], 2):
        if header := re.fullmatch(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line):
            start = int(header[1]) - (0 if header[2] == "0" else 1)
            new += old[at:start]
            at = start
            assert len(new) == int(header[3]) - (0 if header[4] == "0" else 1)
            continue
        if line.startswith("\\"):
            continue
        ended = number + 1 == len(lines) or not lines[number + 1].startswith("\\")
        text = line[1:] + ("\n" if ended else "")
        if line[0] in " -":
            assert old[at] == text
            at += 1
        if line[0] in " +":
            new.append(text)
    return "".join(new + old[at:])


def test_a_changed_line() -> None:
    assert diff("a\nb\nc\nd\ne\nf\ng\nh\n", "a\nb\nc\nd\nE\nf\ng\nh\n") == [
        "--- a/a.py", "+++ b/a.py", "@@ -2,7 +2,7 @@", " b", " c", " d", "-e", "+E", " f", " g", " h",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "a\n"),
        ("a\n", ""),
        ("a", "a\n"),
        ("a\n", "a"),
        ("a\nb", "a\nb\nc"),
        ("a\n" * 50, "a\n" * 51),
        ("a\nb\n" * 200, "b\na\n" * 200),
        ("\n" * 30 + "x\n" + "\n" * 30, "\n" * 60),
    ],
)
def test_corner_cases(before: str, after: str) -> None:
    assert patched(before, diff(before, after)) == after


@pytest.mark.parametrize("seed", range(60))
def test_random_edits(seed: int) -> None:
    chance = random.Random(seed)
    words = [f"line {number}\n" for number in range(chance.choice([3, 30, 1000]))]
    before = [chance.choice(words) for _ in range(chance.randrange(300))]
    after = list(before)
    for _ in range(chance.randrange(8)):
        at = chance.randrange(len(after) + 1)
        after[at : at + chance.randrange(4)] = [
            chance.choice(words) for _ in range(chance.randrange(130 if seed % 9 == 0 else 4))
        ]
    old, new = "".join(before), "".join(after)
    assert patched(old, diff(old, new)) == new
    assert len(diff(old, old)) == 2


def test_many_changes_of_a_long_text_take_linear_time() -> None:
    def seconds(count: int) -> float:
        before = "".join(
            f"def f{n}():\n    # say\n    pipe = client.pipeline()\n    return pipe\n\n\n" for n in range(count)
        )
        after = before.replace("pipeline()", "pipeline(0)")
        started = time.process_time()
        assert diff(before, after).count("+    pipe = client.pipeline(0)") == count
        return time.process_time() - started

    def quickest(count: int) -> float:
        return min(seconds(count) for _ in range(3))  # a shared machine only ever makes it slower

    seconds(100)
    assert quickest(4_000) < 8 * quickest(1_000)
