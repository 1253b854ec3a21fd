"""SonarQube's generic issues, as it documents them and as its scanner checks them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from samples import EVIL_PATH, hostile_report, result, rule, scan_report, settled_report

from resplint.cli.app import cli
from resplint.contracts.findings import Level, Region, Report
from resplint.output import FORMATS, OutputOptions
from resplint.output.escape import escape

TEXT = {"type": "string", "minLength": 1}
LOCATION = {
    "type": "object",
    "required": ["message", "filePath", "textRange"],
    "additionalProperties": False,
    "properties": {
        "message": TEXT,
        "filePath": {**TEXT, "not": {"pattern": "^(/|\\./)"}},
        "textRange": {
            "type": "object",
            "required": ["startLine"],
            "additionalProperties": False,
            "properties": {
                "startLine": {"type": "integer", "minimum": 1},
                "endLine": {"type": "integer", "minimum": 1},
                "startColumn": {"type": "integer", "minimum": 0},
                "endColumn": {"type": "integer", "minimum": 0},
            },
        },
    },
}
# Fields, which of them are required and what they may hold:
# https://docs.sonarsource.com/sonarqube-server/analyzing-source-code/importing-external-issues/generic-issue-import-format
# An issue may not have the fields `severity` and `type` of the former format.
SCHEMA = {
    "type": "object",
    "required": ["rules", "issues"],
    "additionalProperties": False,
    "properties": {
        "rules": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "name", "description", "engineId", "cleanCodeAttribute", "impacts"],
                "dependentRequired": {"type": ["severity"], "severity": ["type"]},
                "additionalProperties": False,
                "properties": {
                    "id": TEXT,
                    "name": TEXT,
                    "description": TEXT,
                    "engineId": TEXT,
                    "cleanCodeAttribute": {
                        "enum": [
                            "FORMATTED", "CONVENTIONAL", "IDENTIFIABLE", "CLEAR", "LOGICAL", "COMPLETE", "EFFICIENT",
                            "FOCUSED", "DISTINCT", "MODULAR", "TESTED", "LAWFUL", "TRUSTWORTHY", "RESPECTFUL",
                        ]
                    },
                    "impacts": {
                        "type": "array",
                        "minItems": 1,
                        "items": {
                            "type": "object",
                            "required": ["softwareQuality", "severity"],
                            "additionalProperties": False,
                            "properties": {
                                "softwareQuality": {"enum": ["SECURITY", "RELIABILITY", "MAINTAINABILITY"]},
                                "severity": {"enum": ["HIGH", "MEDIUM", "LOW"]},
                            },
                        },
                    },
                    "type": {"enum": ["BUG", "VULNERABILITY", "CODE_SMELL"]},
                    "severity": {"enum": ["BLOCKER", "CRITICAL", "MAJOR", "MINOR", "INFO"]},
                },
            },
        },
        "issues": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["ruleId", "primaryLocation"],
                "additionalProperties": False,
                "properties": {
                    "ruleId": TEXT,
                    "effortMinutes": {"type": "integer", "minimum": 0},
                    "primaryLocation": LOCATION,
                    "secondaryLocations": {"type": "array", "items": LOCATION},
                },
            },
        },
    },
}  # fmt: skip


def taken(output: bytes) -> dict[str, Any]:
    """The document, if SonarQube would take it."""
    document: dict[str, Any] = json.loads(output)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    ids = [rule["id"] for rule in document["rules"]]
    assert len(set(ids)) == len(ids)
    assert {issue["ruleId"] for issue in document["issues"]} <= set(ids)
    places = [
        place["textRange"]
        for issue in document["issues"]
        for place in (issue["primaryLocation"], *issue.get("secondaryLocations", ()))
    ]
    for each in places:  # an empty range makes the import fail
        if "startColumn" in each:
            assert (each["startLine"], each["startColumn"]) < (each["endLine"], each["endColumn"])
    return document


def rendered(report: Report, **options: object) -> dict[str, Any]:
    return taken(FORMATS["sonar"](report, OutputOptions(**options)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "report",
    [scan_report(), hostile_report(), settled_report(), Report((), (), ())],
    ids=["scan", "hostile", "settled", "empty"],
)
def test_every_report_is_what_sonarqube_takes(report: Report) -> None:
    rendered(report)


def test_an_issue_has_its_place_and_its_trail() -> None:
    first = rendered(scan_report(), prefix="services/api/")["issues"][0]
    assert first["ruleId"] == "RL104"
    assert first["primaryLocation"] == {
        "message": "BLPOP waits up to 30 s, but `socket_timeout` is 5 s. Wait less than 5 s.",
        "filePath": "services/api/app/queue.py",
        # Columns count from 0, in UTF-16 code units: a tab or a Japanese character is one.
        "textRange": {"startLine": 3, "endLine": 3, "startColumn": 22, "endColumn": 59},
    }
    made, bound = first["secondaryLocations"]
    assert (made["filePath"], made["message"]) == ("services/api/app/redis.py", "The client is made here.")
    assert (made["textRange"]["startLine"], made["textRange"]["endLine"]) == (5, 8)
    assert bound["textRange"]["startLine"] == 7


def test_the_severity_of_an_issue_is_that_of_its_level() -> None:
    found = rendered(scan_report())
    impacts = {each["id"]: (each["impacts"][0]["severity"], each["severity"]) for each in found["rules"]}
    assert impacts == {"RL102": ("MEDIUM", "MAJOR"), "RL104": ("HIGH", "CRITICAL"), "RL105": ("LOW", "MINOR")}
    # A rule of another level than its finding: SonarQube knows the severity of rules only.
    mixed = Report((result(1, level=Level.ERROR), result(2, level=Level.NOTE)), (), scan_report().rules)
    found = rendered(mixed)
    impacts = {each["id"]: (each["impacts"][0]["severity"], each["severity"]) for each in found["rules"]}
    assert impacts == {"RL104": ("HIGH", "CRITICAL"), "RL104-note": ("LOW", "MINOR")}
    assert [issue["ruleId"] for issue in found["issues"]] == ["RL104", "RL104-note"]


@pytest.mark.parametrize(
    ("tags", "quality", "kind"),
    [
        (("redis", "security", "reliability"), "SECURITY", "VULNERABILITY"),
        (("redis", "reliability"), "RELIABILITY", "BUG"),
        (("redis", "performance"), "RELIABILITY", "CODE_SMELL"),
        (("our-own",), "MAINTAINABILITY", "CODE_SMELL"),
    ],
)
def test_the_quality_follows_from_the_tags_of_the_rule(tags: tuple[str, ...], quality: str, kind: str) -> None:
    known = rule("RL104", "blocking-timeout", Level.WARNING, tags=tags)
    (entry,) = rendered(Report((result(),), (), (known,)))["rules"]
    assert (entry["impacts"][0]["softwareQuality"], entry["type"]) == (quality, kind)


def test_settled_results_are_left_out() -> None:
    lines = [each["primaryLocation"]["textRange"]["startLine"] for each in rendered(settled_report())["issues"]]
    assert lines == [1, 11, 21]


def test_a_place_without_extent_is_its_line() -> None:
    found = rendered(Report((result(region=Region(4, 3, 4, 3)),), (), ()))
    assert found["issues"][0]["primaryLocation"]["textRange"] == {"startLine": 4}


def test_names_that_are_not_utf8_are_shown() -> None:
    paths = {each["primaryLocation"]["filePath"] for each in rendered(hostile_report())["issues"]}
    assert escape(EVIL_PATH) in paths


def test_a_scan_writes_it(tmp_path: Path) -> None:
    """From a project's code to the file that `sonar.externalIssuesReportPaths` names."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "worker.py").write_text(
        "import redis\n\nqueue = redis.Redis(socket_timeout=5)\n\n\ndef take():\n"
        "    return queue.blpop('jobs', timeout=30)\n"
    )
    target = tmp_path / "sonar.json"
    done = CliRunner().invoke(cli, ["scan", str(tmp_path / "jobs"), "--report", f"sonar={target}", "--exit-zero"])
    assert done.exit_code == 0, done.output
    document = taken(target.read_bytes())
    (issue,) = (each for each in document["issues"] if each["ruleId"] == "RL104")
    assert issue["primaryLocation"]["filePath"] == "jobs/worker.py"
    assert issue["primaryLocation"]["textRange"]["startLine"] == 7
    (known,) = (each for each in document["rules"] if each["id"] == "RL104")
    assert known["engineId"] == "resplint"
    assert known["impacts"][0]["softwareQuality"] == "RELIABILITY"
