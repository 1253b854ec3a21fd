"""Code Quality as GitLab documents it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import jsonschema
import msgspec
import pytest
from samples import EVIL_PATH, hostile_report, result, scan_report, settled_report

from resplint.contracts.findings import Level, Notification, NotificationKind, Region, Report
from resplint.output import FORMATS, OutputOptions
from resplint.output.escape import escape

# What https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format requires of each entry.
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "additionalProperties": False,
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "minLength": 1, "not": {"pattern": "^(/|\\./)"}},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}


def entries(report: Report, **options: object) -> list[dict[str, Any]]:
    output = FORMATS["gitlab"](report, OutputOptions(**options))  # type: ignore[arg-type]
    assert not output.startswith(b"\xef\xbb\xbf")
    document: list[dict[str, Any]] = json.loads(output)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert max(Counter(entry["fingerprint"] for entry in document).values(), default=1) == 1
    return document


@pytest.mark.parametrize(
    "report",
    [scan_report(), hostile_report(), settled_report(), Report((), (), ())],
    ids=["scan", "hostile", "settled", "empty"],
)
def test_every_report_is_what_gitlab_takes(report: Report) -> None:
    entries(report)


def test_an_empty_report_is_an_empty_list() -> None:
    assert entries(Report((), (), ())) == []


def test_entries_are_findings_worst_first() -> None:
    found = entries(scan_report(), prefix="services/api/")
    assert [(entry["severity"], entry["check_name"]) for entry in found] == [
        ("major", "RL104"),
        ("minor", "RL102"),
        ("info", "RL105"),
    ]
    assert found[0] == {
        "description": "RL104 blocking-timeout: BLPOP waits up to 30 s, but `socket_timeout` is 5 s. "
        "Wait less than 5 s.",
        "check_name": "RL104",
        "fingerprint": scan_report().results[0].fingerprints["resplint/v1"],
        "severity": "major",
        "location": {"path": "services/api/app/queue.py", "lines": {"begin": 3, "end": 3}},
    }


def test_settled_results_are_left_out() -> None:
    assert [entry["location"]["lines"]["begin"] for entry in entries(settled_report())] == [1, 11, 21]


def test_fingerprints_do_not_depend_on_lines_and_differ_even_if_nothing_else_does() -> None:
    twice = (result(1, fingerprints={}), result(1, fingerprints={}), result(7, fingerprints={}))
    moved = [msgspec.structs.replace(each, region=Region(90, 1, 90, 5)) for each in twice]
    before, after = entries(Report(twice, (), ())), entries(Report(tuple(moved), (), ()))
    assert [entry["fingerprint"] for entry in before] == [entry["fingerprint"] for entry in after]


def test_remarks_on_files_are_entries() -> None:
    kinds = (*NotificationKind, NotificationKind.SKIPPED)
    notices = [Notification(kind, "Text.", "a.py", 3 * (number % 2)) for number, kind in enumerate(kinds)]
    found = entries(Report((), (*notices, Notification(NotificationKind.LIMIT, "Of no file.")), ()))
    assert [entry["check_name"] for entry in found] == [
        kind.value for kind in kinds if kind is not NotificationKind.LIMIT
    ]
    assert {entry["severity"] for entry in found if entry["check_name"] != "internal-error"} == {"info"}
    assert {entry["severity"] for entry in found if entry["check_name"] == "internal-error"} == {"major"}


def test_names_that_are_not_utf8_are_shown() -> None:
    paths = {entry["location"]["path"] for entry in entries(hostile_report())}
    assert escape(EVIL_PATH) in paths
    assert (
        entries(Report((result(path="dir é/a b%.py", level=Level.NOTE),), (), ()))[0]["location"]["path"]
        == "dir é/a b%.py"
    )
