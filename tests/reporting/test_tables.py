"""The table of findings and the table over time."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from resplint.cli.app import cli
from resplint.output.about import install
from resplint.reporting.csv import COLUMNS
from tests.reporting.samples import hostile, log, result, save, scanned

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> bytes:
    done = CliRunner().invoke(cli, ["report", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout_bytes


def table(data: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))


# -- findings -------------------------------------------------------------------------------------------------------


def test_the_table_has_a_row_for_each_finding(tmp_path: Path) -> None:
    target = tmp_path / "findings.csv"
    run(save(tmp_path, scanned()), "--csv", str(target))
    rows = table(target.read_bytes())
    given = json.loads(scanned())["runs"][0]["results"]
    assert Counter((row["rule"], row["level"], row["message"]) for row in rows) == Counter(
        (each["ruleId"], each["level"], each["message"]["text"]) for each in given
    )
    first = next(each for each in given if each["message"]["text"] == rows[0]["message"])
    place = first["locations"][0]["physicalLocation"]
    assert rows[0]["path"] == place["artifactLocation"]["uri"]
    assert [int(rows[0][name]) for name in ("line", "column", "end_line", "end_column")] == [
        place["region"][name] for name in ("startLine", "startColumn", "endLine", "endColumn")
    ]


def test_the_table_keeps_to_rfc_4180(tmp_path: Path) -> None:
    message = {"text": 'Say "no", or\n wait;\r\nforever.'}
    data = run(save(tmp_path, log(result(message=message), result(suppressions=[{"kind": "inSource"}]))), "--csv", "-")
    lines = data.split(b"\r\n")
    assert lines[-1] == b""
    assert len(lines) == 4, "one line for each finding, one of headings"
    assert b"\n" not in data.replace(b"\r\n", b"")
    assert lines[0].decode().split(",") == list(COLUMNS)
    rows = table(data)
    assert {row["message"] for row in rows} == {'Say "no", or wait; forever.', "It waits. Forever."}
    assert sorted((row["state"], row["suppression"]) for row in rows) == [("open", ""), ("suppressed", "inSource")]


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1"])
def test_no_cell_is_a_formula(tmp_path: Path, start: str) -> None:
    evil = result(
        start,
        path=f"{start}.py",
        message={"text": f"{start} x."},
        suppressions=[{"kind": "external", "justification": start}],
    )
    data = run(save(tmp_path, log(evil, tool=start)), "--csv", "-")
    for row in table(data):
        for cell in row.values():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "＝")), cell


def test_hostile_texts_keep_their_row(tmp_path: Path) -> None:
    content = hostile()
    data = run(save(tmp_path, content), "--csv", "-")
    assert len(table(data)) == len(content["runs"][0]["results"])
    assert not [character for character in data.decode() if character in "\x00\x07\x1b\u2028\u202e"]


def test_the_documents_name_every_column() -> None:
    text = (ROOT / "docs" / "reports.md").read_text("utf-8")
    documented = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert [name for name in documented if name in COLUMNS] == list(COLUMNS)


# -- over time ------------------------------------------------------------------------------------------------------


def test_the_trend_counts_open_findings_by_level(tmp_path: Path) -> None:
    muted = result(suppressions=[{"kind": "inSource"}])
    anonymous = result()
    del anonymous["ruleId"]
    older = save(tmp_path, log(result(), result(level="warning"), muted), "api-20260131T090000Z.sarif")
    newer = save(tmp_path, log(anonymous, result(baselineState="absent")), "api-20260201T093000Z.sarif")
    rows = table(run(newer, older, "--trend", "-"))
    assert rows == [
        {"Date": "2026-01-31 09:00", "Tool": "resplint", "error": "1", "warning": "1", "note": "0", "none": "0"},
        {"Date": "2026-02-01 09:30", "Tool": "resplint", "error": "1", "warning": "0", "note": "0", "none": "0"},
    ]


def test_the_trend_of_a_scan_is_what_sarif_tools_counts(tmp_path: Path) -> None:
    from sarif import loader

    path = save(tmp_path, scanned(), "resplint-20260131T090000Z.sarif")
    (row,) = table(run(path, "--trend", "-"))
    counts = Counter(record["Severity"] for record in loader.load_sarif_file(path).get_records())
    assert {level: int(row[level]) for level in ("error", "warning", "note")} == dict(counts)


@pytest.mark.parametrize(
    "name", ["resplint.sarif", "20261399T999999Z.sarif", "20260101T000000Z-20260102T000000Z.sarif"]
)
def test_the_trend_needs_a_time_in_every_name(tmp_path: Path, name: str) -> None:
    stamped = save(tmp_path, log(), "resplint-20260131T090000Z.sarif")
    done = CliRunner().invoke(cli, ["report", stamped, save(tmp_path, log(), name), "--trend", "-"])
    assert done.exit_code == 2
    assert name in done.stderr
    assert "such as resplint-20260131T090000Z.sarif" in done.stderr


def test_only_the_newest_of_a_series_counts(tmp_path: Path) -> None:
    older = save(tmp_path, log(result(), result(line=9)), "api-20260131T090000Z.sarif")
    newer = save(tmp_path, log(result(line=7)), "api-20260201T090000Z.sarif")
    other = save(tmp_path, log(result(line=8)), "web-20260101T090000Z.sarif")
    rows = table(run(older, newer, other, "--csv", "-"))
    assert sorted((row["source"], row["line"]) for row in rows) == [
        ("api-20260201T090000Z", "7"), ("web-20260101T090000Z", "8"),
    ]  # fmt: skip


@pytest.mark.parametrize(("option", "module"), [("--html", "jinja2"), ("--trend", "sarif.operations.trend_op")])
def test_what_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str, module: str
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    done = CliRunner().invoke(cli, ["report", save(tmp_path, log(), "a-20260131T090000Z.sarif"), option, "-"])
    assert done.exit_code == 2
    assert install("report") in done.stderr
