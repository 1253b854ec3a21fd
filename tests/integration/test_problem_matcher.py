"""The problem matcher, applied to real text reports as a GitHub runner applies it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli
from tests.integration.conftest import ROOT

MATCHERS: list[dict[str, Any]] = json.loads((ROOT / ".github" / "resplint-matcher.json").read_text("utf-8"))[
    "problemMatcher"
]
SEVERITIES = {"error", "warning", "notice"}
"""Those that a runner knows; it drops issues of any other."""


def issues(matcher: dict[str, Any], text: str) -> Iterator[tuple[str, int, int, str, str, str]]:
    """What a matcher makes of a log: consecutive lines that fit its patterns one after the other."""
    lines, patterns = text.splitlines(), matcher["pattern"]
    for number in range(len(lines) - len(patterns) + 1):
        found = [re.search(pattern["regexp"], line) for pattern, line in zip(patterns, lines[number:], strict=False)]
        if not all(found):
            continue
        issue = {"severity": matcher.get("severity", "error")}
        for pattern, match in zip(patterns, found, strict=True):
            assert match
            issue |= {key: match[group] for key, group in pattern.items() if key != "regexp"}
        assert issue["severity"] in SEVERITIES
        yield (
            issue["file"], int(issue["line"]), int(issue["column"]), issue["severity"], issue["code"], issue["message"],
        )  # fmt: skip


@pytest.mark.parametrize(
    "folder", ["blocking-timeout/java", "hgetall-large-hash/python", "connection-per-command/typescript"]
)
def test_the_matchers_see_every_finding_as_it_is(folder: str) -> None:
    where = str(ROOT / "fixtures" / folder)
    options = ["--level", "note", "--min-precision", "low", "--include-tests"]
    text = CliRunner().invoke(cli, ["scan", *options, where]).stdout
    report = json.loads(CliRunner().invoke(cli, ["scan", *options, "--format", "json", where]).stdout)
    expected = [
        (
            one["path"], one["region"]["start_line"], one["region"]["start_column"],
            "notice" if one["level"] == "note" else one["level"], one["rule"], one["message"],
        )
        for one in report["results"]
        if one["suppression"] is None
    ]  # fmt: skip
    seen = [issue for matcher in MATCHERS for issue in issues(matcher, text)]
    assert sorted(seen) == sorted(expected)
    assert expected


def test_owners_are_told_apart() -> None:
    assert len({matcher["owner"] for matcher in MATCHERS}) == len(MATCHERS)
