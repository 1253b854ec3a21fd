"""Code around regions: whole lines, and only where the standard allows it."""

from __future__ import annotations

import json

import pytest
from samples import result, scan_report

from resplint.contracts.findings import LocatedStep, Region, Report, SourceLine
from resplint.output.options import OutputOptions
from resplint.output.sarif import render


def first_result(report: Report) -> dict[str, object]:
    found: dict[str, object] = json.loads(render(report, OutputOptions()))["runs"][0]["results"][0]
    return found


def place(report: Report) -> dict[str, object]:
    return first_result(report)["locations"][0]["physicalLocation"]  # type: ignore[index,no-any-return]


def test_a_result_shows_the_lines_around_it() -> None:
    context = place(scan_report())["contextRegion"]
    assert context == {
        "startLine": 2,
        "endLine": 4,
        "snippet": {
            "text": "\tdef pop(self):\n\t\tname = '日本'; item = self.client.blpop('jobs', timeout=30)\n\t\treturn item"
        },
    }


def test_steps_show_their_line_even_where_their_region_goes_on() -> None:
    flow = first_result(scan_report())["codeFlows"][0]["threadFlows"][0]["locations"]  # type: ignore[index]
    made, option = (step["location"]["physicalLocation"] for step in flow)
    assert made["properties"] == {"firstLine": "    return redis.Redis("}
    assert "contextRegion" not in made
    assert option["contextRegion"] == {"startLine": 7, "endLine": 7, "snippet": {"text": "        socket_timeout=5,"}}


@pytest.mark.parametrize(
    ("region", "lines"),
    [
        # All of the only line: the context would be no more than the region.
        (Region(1, 1, 1, 7), (SourceLine(1, "wait()"),)),
        # Lines that do not reach to the end of the region, that do not belong together, or that are too much.
        (Region(1, 1, 9, 2), (SourceLine(1, "wait("), SourceLine(2, "  1,"))),
        (Region(2, 1, 2, 3), (SourceLine(1, "a"), SourceLine(2, "wait()"), SourceLine(4, "b"))),
        (Region(1, 1, 1, 3), (SourceLine(1, "x" * 100_000),)),
        (Region(1, 1, 1, 3), ()),
    ],
)
def test_no_context_where_the_standard_wants_none(region: Region, lines: tuple[SourceLine, ...]) -> None:
    assert "contextRegion" not in place(Report((result(region=region, frame=lines),), (), ()))


def test_code_that_steers_terminals_is_made_visible() -> None:
    step = LocatedStep("a.py", Region(1, 1, 2, 2), "Here.", "f(\x1b[31m\u202e")
    report = Report((result(frame=(SourceLine(1, "wait() # \x1b[2J"),), trail=(step,)),), (), ())
    text = render(report, OutputOptions()).decode()
    assert "\\\\x1b[2J" in text
    assert "f(\\\\x1b[31m\\\\u202e" in text
    assert "\x1b" not in text
