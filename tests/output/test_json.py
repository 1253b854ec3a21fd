"""The JSON report keeps to its schema, and the schema describes all of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import jsonschema
import msgspec
import pytest
from samples import EVIL, EVIL_PATH, fix, hostile_report, result, scan_report, settled_report

from resplint.contracts.findings import FixSafety, LocatedEdit, LocatedFix, Region, Report, Suppression
from resplint.output import OutputOptions
from resplint.output.json import render

SCHEMA = json.loads((Path(__file__).parents[2] / "schemas" / "report-1.1.schema.json").read_text("utf-8"))


def closed(schema: Any) -> Any:
    """The schema without room for properties that it does not describe."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    strict = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict):
        strict["additionalProperties"] = False
    return strict


def rendered(report: Report, **options: bool) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(render(report, OutputOptions(**options)))
    return document


@pytest.mark.parametrize(
    "report",
    [scan_report(), hostile_report(), settled_report(), Report((), (), ())],
    ids=["scan", "hostile", "settled", "empty"],
)
@pytest.mark.parametrize("statistics", [False, True])
def test_every_report_is_described_by_the_schema(report: Report, statistics: bool) -> None:
    document = rendered(report, statistics=statistics)
    jsonschema.Draft202012Validator(closed(SCHEMA)).validate(document)
    assert ("statistics" in document) is statistics


def test_the_schema_is_a_schema_and_refuses_nonsense() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    document = rendered(scan_report())
    document["results"][0]["region"]["start_line"] = 0
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(document)


def test_a_result_tells_all_it_knows() -> None:
    first = rendered(scan_report())["results"][0]
    assert first["rule"] == "RL104"
    assert (first["level"], first["precision"]) == ("error", "high")
    assert first["path"] == first["uri"] == "app/queue.py"
    assert first["region"] == {"start_line": 3, "start_column": 23, "end_line": 3, "end_column": 60}
    assert first["symbol"] == "Worker.pop"
    assert first["message"] == "BLPOP waits up to 30 s, but `socket_timeout` is 5 s."
    assert first["help"] == "Wait less than 5 s."
    assert [step["snippet"] for step in first["trail"]] == [
        "    return redis.Redis(",
        "        socket_timeout=5,",
    ]
    assert set(first["fingerprints"]) == {"resplint/v1", "resplint/code/v1", "primaryLocationLineHash"}
    assert first["suppression"] is None


def test_suppressed_results_stay_but_do_not_count() -> None:
    report = Report((result(1), result(2, suppression=Suppression("inSource", "known"))), (), ())
    document = rendered(report)
    assert document["results"][1]["suppression"] == {"kind": "inSource", "justification": "known"}
    assert document["counts"]["findings"] == 1
    assert document["counts"]["suppressed"] == 1
    assert document["counts"]["levels"] == {"error": 0, "warning": 1, "note": 0}
    assert document["counts"]["rules"] == {"RL104": 1}


def test_paths_are_exact() -> None:
    path = "dir é/a b\x1b%.py"
    document = rendered(Report((result(path=path),), (), ()))
    assert document["results"][0]["path"] == path
    nasty = rendered(hostile_report())["results"][1]
    assert unquote_to_bytes(nasty["uri"]) == EVIL_PATH.encode("utf-8", "surrogateescape")


def test_timings_do_not_reach_the_default_report() -> None:
    report = scan_report()
    timed = msgspec.structs.replace(report, statistics={"seconds": 12.5})
    assert render(timed, OutputOptions()) == render(report, OutputOptions())


def test_what_came_later_is_not_required() -> None:
    """Documents from before there were baselines and fixes are still described by the schema, and readers of those
    find everything they know.
    """
    document = rendered(scan_report())
    for told in document["results"]:
        assert (told.pop("baseline"), told.pop("fix")) == (None, None)
    del document["counts"]["unchanged"]
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert document["version"] == "1.1"


def test_results_in_the_baseline_stay_but_do_not_count() -> None:
    document = rendered(settled_report())
    counts = document["counts"]
    assert (counts["findings"], counts["suppressed"], counts["unchanged"]) == (3, 12, 6)
    assert counts["levels"] == {"error": 1, "warning": 1, "note": 1}
    states = [(told["baseline"], (told["suppression"] or {}).get("kind")) for told in document["results"][:5]]
    assert states == [
        ("new", None), ("unchanged", "external"), ("unchanged", None), ("new", "inSource"), ("unchanged", "inSource"),
    ]  # fmt: skip


def test_a_fix_is_told_exactly() -> None:
    edits = (LocatedEdit("a b.py", Region(1, 1, 1, 1), "x\r\n\t\x00"),)
    (told,) = rendered(Report((result(fix=LocatedFix("Wait\x1b", FixSafety.UNSAFE, edits)),), (), ()))["results"]
    assert told["fix"] == {
        "title": "Wait\\x1b",
        "safety": "unsafe",
        "edits": [
            {
                "path": "a b.py",
                "uri": "a%20b.py",
                "region": {"start_line": 1, "start_column": 1, "end_line": 1, "end_column": 1},
                "text": "x\r\n\t\x00",
            }
        ],
    }
    assert rendered(hostile_report())["results"][1]["fix"]["edits"][0]["text"] == EVIL


def test_a_fix_that_no_reader_could_decode_is_left_out() -> None:
    odd = fix(FixSafety.SAFE, LocatedEdit("a.py", Region(1, 1, 1, 1), "\udcff"))
    assert rendered(Report((result(fix=odd),), (), ()))["results"][0]["fix"] is None
