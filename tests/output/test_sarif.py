"""SARIF as GitHub and sarif-tools read it."""

from __future__ import annotations

import gzip
import json
import random
import string
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import EVIL_PATH, QUEUE, fix, hostile_report, result, rule, scan_report, settled_report

from resplint.contracts.findings import (
    BaselineState,
    FixSafety,
    Level,
    LocatedEdit,
    LocatedFix,
    LocatedStep,
    Notification,
    NotificationKind,
    Precision,
    Region,
    Report,
    Result,
    RuleInfo,
    SourceLine,
    Suppression,
)
from resplint.output import OutputOptions, sarif, sarif_results
from resplint.output.sarif import render
from resplint.output.sarif_limits import MAX_RESULTS
from resplint.output.uri import path_uri

SCHEMA = json.loads((Path(__file__).parents[1] / "data" / "sarif-2.1.0.schema.json").read_text("utf-8"))


def run_of(report: Report) -> dict[str, Any]:
    """The only run, after the whole log was found valid."""
    log = json.loads(render(report, OutputOptions()))
    validator = jsonschema.validators.validator_for(SCHEMA)(SCHEMA)
    assert [error.message for error in validator.iter_errors(log)] == []
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    return dict(run)


def texts(value: Any) -> list[str]:
    """Every text, description and message in a log."""
    if isinstance(value, dict):
        own = [value[key] for key in ("text", "markdown", "id", "name", "uri", "justification") if key in value]
        return own + [text for item in value.values() for text in texts(item)]
    return [text for item in value for text in texts(item)] if isinstance(value, list) else []


@pytest.mark.parametrize(
    "report",
    [scan_report(), hostile_report(), settled_report(), Report((), (), ())],
    ids=["scan", "hostile", "settled", "empty"],
)
def test_valid_and_without_empty_texts(report: Report) -> None:
    run = run_of(report)
    assert texts(run)
    assert "" not in texts(run)
    assert not [result for result in run["results"] if "\n" in result["message"]["text"]]


def test_rules_are_described_whether_or_not_they_found_anything() -> None:
    full = run_of(scan_report())["tool"]["driver"]
    empty = run_of(msgspec.structs.replace(scan_report(), results=()))["tool"]["driver"]
    assert full == empty
    assert [rule["id"] for rule in full["rules"]] == ["RL102", "RL104", "RL105"]
    described = full["rules"][1]
    assert described["name"] == "blocking-timeout"
    assert described["shortDescription"]["text"] == "About blocking-timeout."
    assert described["fullDescription"]["text"] == "Finds blocking-timeout."
    assert described["help"] == {
        "text": "Why it hurts\n\nIt is slow.",
        "markdown": "# Why it hurts\n\nIt is slow.",
    }
    assert described["defaultConfiguration"] == {"level": "error"}
    assert described["properties"] == {
        "tags": ["redis", "latency"],
        "precision": "high",
        "problem.severity": "error",
    }
    assert full["rules"][2]["properties"]["problem.severity"] == "recommendation"


def test_a_rule_about_security_says_how_severe_it_is() -> None:
    dangerous = rule("RL301", "x", Level.ERROR, tags=("lua", "security"), security_severity="7.5")
    harmless, described = run_of(Report((), (), (rule("RL102", "y", Level.ERROR), dangerous)))["tool"]["driver"][
        "rules"
    ]
    assert described["properties"]["security-severity"] == "7.5"
    assert "security-severity" not in harmless["properties"]


def test_a_rule_with_bare_metadata_still_has_all_texts() -> None:
    bare = RuleInfo("RL999", "bare", "", "", Level.NOTE, Precision.LOW, "", (), (), {}, "")
    described = run_of(Report((), (), (bare,)))["tool"]["driver"]["rules"][0]
    assert described["shortDescription"]["text"] == "bare."
    assert described["help"] == {"text": "bare."}


def test_long_rule_texts_and_tags_keep_to_the_limits() -> None:
    wordy = rule("RL104", "x", Level.NOTE, title="t" * 3000, summary="s " * 3000, tags=tuple(map(str, range(30))))
    described = run_of(Report((), (), (wordy,)))["tool"]["driver"]["rules"][0]
    assert len(described["shortDescription"]["text"]) <= 1024
    assert len(described["fullDescription"]["text"]) <= 1024
    assert described["properties"]["tags"] == [str(number) for number in range(10)]


def test_a_result_points_at_the_code() -> None:
    run = run_of(scan_report())
    first = run["results"][0]
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]]["id"] == first["ruleId"] == "RL104"
    assert run["columnKind"] == "utf16CodeUnits"
    (location,) = first["locations"]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "app/queue.py", "uriBaseId": "%SRCROOT%"}
    region = physical["region"]
    line = QUEUE.splitlines()[region["startLine"] - 1].encode("utf-16-le")
    code = line[2 * (region["startColumn"] - 1) : 2 * (region["endColumn"] - 1)].decode("utf-16-le")
    assert code == region["snippet"]["text"] == "self.client.blpop('jobs', timeout=30)"
    assert location["logicalLocations"] == [{"fullyQualifiedName": "Worker.pop"}]
    assert set(first["partialFingerprints"]) == {"resplint/v1", "resplint/code/v1", "primaryLocationLineHash"}


def test_message_and_help_are_one_text() -> None:
    first, second, _ = run_of(scan_report())["results"]
    wanted = "BLPOP waits up to 30 s, but `socket_timeout` is 5 s. Wait less than 5 s."
    assert first["message"]["text"] == wanted
    assert second["message"]["text"] == "The pool has no bound."


def test_the_trail_is_a_code_flow() -> None:
    (flow,) = run_of(scan_report())["results"][0]["codeFlows"]
    steps = [step["location"] for step in flow["threadFlows"][0]["locations"]]
    assert [step["message"]["text"] for step in steps] == ["The client is made here.", "5 s."]
    assert [step["physicalLocation"]["region"]["startLine"] for step in steps] == [5, 7]


def test_a_long_trail_keeps_its_ends() -> None:
    trail = tuple(LocatedStep("a.py", Region(n, 1, n, 2), f"Step {n}.") for n in range(1, 10_002))
    (flow,) = run_of(Report((result(trail=trail),), (), ()))["results"][0]["codeFlows"]
    lines = [s["location"]["physicalLocation"]["region"]["startLine"] for s in flow["threadFlows"][0]["locations"]]
    assert len(lines) == 100
    assert (lines[0], lines[-1]) == (1, 10_001)


@pytest.mark.parametrize(
    "message", ["m" * 1_000_000 + ".", "word " * 1000 + ".", "x" * 999 + "yz", "x" * 1000, "a.", "no period"]
)
def test_messages_keep_to_the_limit_and_end_with_a_period(message: str) -> None:
    text = run_of(Report((result(message=message),), (), ()))["results"][0]["message"]["text"]
    assert len(text) <= 1000
    assert text.endswith(".")


def test_5001_results_become_5000_and_a_notification() -> None:
    results = [result(number) for number in range(1, 5000)]
    results.append(result(5000, level=Level.NOTE, path="zz.py"))
    results.append(result(5001, level=Level.ERROR, path="zzz.py"))
    run = run_of(Report(tuple(results), (), ()))
    assert len(run["results"]) == MAX_RESULTS == 5000
    assert Counter(r["level"] for r in run["results"]) == {"warning": 4999, "error": 1}
    assert run["results"][0]["level"] == "error"
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notice["descriptor"] == {"id": "limit"}
    assert "1 of 5,001 results were left out" in notice["message"]["text"]


def test_5000_results_all_stay_and_nothing_is_said() -> None:
    report = Report(tuple(result(number) for number in range(1, 5001)), (), ())
    (run,) = json.loads(render(report, OutputOptions()))["runs"]
    assert len(run["results"]) == 5000
    assert run["invocations"][0]["toolExecutionNotifications"] == []


def test_worst_results_come_first_and_suppressed_ones_last() -> None:
    results = (
        result(1, precision=Precision.LOW, level=Level.ERROR),
        result(2, level=Level.ERROR, suppression=Suppression("inSource")),
        result(3, level=Level.NOTE),
        result(4, precision=Precision.VERY_HIGH, level=Level.ERROR),
    )
    run = run_of(Report(results, (), ()))
    lines = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in run["results"]]
    assert lines == [4, 1, 3, 2]


def test_suppressions_are_stated_for_all_results_or_none() -> None:
    suppressed = result(2, suppression=Suppression("inSource", "known"))
    silent = result(3, suppression=Suppression("external"))
    run = run_of(Report((result(1), suppressed, silent), (), ()))
    assert [r["suppressions"] for r in run["results"]] == [
        [],
        [{"kind": "inSource", "justification": "known"}],
        [{"kind": "external"}],
    ]
    assert "suppressions" not in run_of(Report((result(1),), (), ()))["results"][0]


def test_every_notification_is_reported_and_the_run_is_successful() -> None:
    notices = tuple(Notification(kind, "Text", "a b.py", 3, "RL104") for kind in NotificationKind)
    whole = Notification(NotificationKind.LIMIT, "No file.")
    invocation = run_of(Report((), (*notices, whole), (rule("RL104", "x", Level.NOTE),)))["invocations"][0]
    assert invocation["executionSuccessful"] is True
    levels = {n["descriptor"]["id"]: n["level"] for n in invocation["toolExecutionNotifications"]}
    assert levels == {
        "skipped": "warning",
        "unsupported": "warning",
        "partial": "warning",
        "limit": "warning",
        "not-fixed": "warning",
        "unused-suppression": "note",
        "unused-baseline": "note",
        "lapsed-baseline": "warning",
        "manifest": "note",
        "internal-error": "error",
    }
    located = [n for n in invocation["toolExecutionNotifications"] if "locations" in n]
    assert len(located) == len(NotificationKind)
    assert located[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b.py"
    assert located[0]["associatedRule"] == {"id": "RL104", "index": 0}


def test_nothing_local_leaks() -> None:
    run = run_of(scan_report())
    assert run["originalUriBaseIds"]["%SRCROOT%"].keys() == {"description"}
    assert run["automationDetails"] == {"id": "resplint/"}
    assert str(Path(__file__).parents[2]) not in json.dumps(run)
    assert "Time" not in json.dumps(run)


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1))
def test_uris_lead_back_to_the_path(path: str) -> None:
    uri = path_uri(path)
    assert uri.isascii()
    assert not set(uri) & set(' %#?"<>\\^`{|}:\n\t') - {"%"}
    assert unquote_to_bytes(uri).decode() == path


def test_uris_of_names_that_are_not_utf8_hold_their_bytes() -> None:
    assert path_uri("caf\udce9/x.py") == "caf%E9/x.py"
    assert unquote_to_bytes(path_uri(EVIL_PATH)) == EVIL_PATH.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("report", [scan_report(), hostile_report()], ids=["scan", "hostile"])
def test_sarif_tools_counts_what_we_count(report: Report, tmp_path: Path) -> None:
    from sarif import loader

    file = tmp_path / "report.sarif"
    file.write_bytes(render(report, OutputOptions()))
    loaded = loader.load_sarif_file(str(file))
    assert loaded.get_distinct_tool_names() == ["resplint"]
    assert loaded.get_result_count() == len(report.results)
    seen = Counter((record["Severity"], record["Code"]) for record in loaded.get_records())
    assert seen == Counter((result.level.value, result.rule) for result in report.results)
    assert sorted(record["Line"] for record in loaded.get_records()) == sorted(
        result.region.start_line for result in report.results
    )


# -- baseline, suppressions, fixes ----------------------------------------------------------------------------------


def test_states_of_the_baseline_are_stated_for_all_results_or_none() -> None:
    results = (
        result(1, baseline=BaselineState.UNCHANGED, suppression=Suppression("external", "Planned for May.")),
        result(2, baseline=BaselineState.NEW),
        result(3),
    )
    told = {
        r["locations"][0]["physicalLocation"]["region"]["startLine"]: (r["baselineState"], r["suppressions"])
        for r in run_of(Report(results, (), ()))["results"]
    }
    assert told == {
        1: ("unchanged", [{"kind": "external", "justification": "Planned for May."}]),
        2: ("new", []),
        3: ("new", []),
    }
    assert "baselineState" not in run_of(Report((result(3),), (), ()))["results"][0]


def test_open_results_come_before_known_ones() -> None:
    lines = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in run_of(settled_report())["results"]]
    assert lines[:3] == [1, 11, 21]
    assert len(lines) == 15


def test_a_fix_replaces_regions_by_texts() -> None:
    edits = (
        LocatedEdit("a b.py", Region(1, 1, 1, 5), ""),
        LocatedEdit("a b.py", Region(2, 3, 2, 3), "x\r\n\t"),
        LocatedEdit("c.py", Region(1, 1, 3, 1), "new"),
    )
    (told,) = run_of(Report((result(fix=LocatedFix("Wait no longer", FixSafety.UNSAFE, edits)),), (), ()))["results"]
    (fixed,) = told["fixes"]
    assert fixed["description"] == {"text": "Wait no longer. It may change what the program does: look at it first."}
    assert fixed["properties"] == {"safety": "unsafe"}
    assert [change["artifactLocation"]["uri"] for change in fixed["artifactChanges"]] == ["a%20b.py", "c.py"]
    assert [change["replacements"] for change in fixed["artifactChanges"]] == [
        [
            {"deletedRegion": {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 5}},
            {
                "deletedRegion": {"startLine": 2, "startColumn": 3, "endLine": 2, "endColumn": 3},
                "insertedContent": {"text": "x\r\n\t"},
            },
        ],
        [
            {
                "deletedRegion": {"startLine": 1, "startColumn": 1, "endLine": 3, "endColumn": 1},
                "insertedContent": {"text": "new"},
            }
        ],
    ]


def test_fixes_say_how_safe_they_are() -> None:
    results = tuple(result(number, fix=fix(safety)) for number, safety in enumerate(FixSafety, 1))
    told = [r["fixes"][0] for r in run_of(Report(results, (), ()))["results"]]
    assert [each["properties"]["safety"] for each in told] == ["safe", "unsafe", "display"]
    assert told[0]["description"] == {"text": "Wait no longer."}
    assert len({each["description"]["text"] for each in told}) == 3


@pytest.mark.parametrize("text", ["\udcff", "x" * 20_001])
def test_a_fix_that_readers_could_not_take_is_left_out_and_counted(text: str) -> None:
    edit = LocatedEdit("a.py", Region(1, 1, 1, 1), text)
    run = run_of(Report((result(fix=LocatedFix("T", FixSafety.SAFE, (edit,))),), (), ()))
    assert "fixes" not in run["results"][0]
    assert remarks(run) == ["1 fix was left out: too large, or not valid Unicode."]


# -- limits ---------------------------------------------------------------------------------------------------------


def remarks(run: dict[str, Any]) -> list[str]:
    return [
        notice["message"]["text"]
        for notice in run["invocations"][0]["toolExecutionNotifications"]
        if notice["descriptor"]["id"] == "limit"
    ]


def test_25001_results() -> None:
    results = [result(number, path=f"{number % 97}.py") for number in range(1, 25_001)]
    worst = result(1, level=Level.ERROR, path="zz.py")
    data = render(Report((*results, worst), (), ()), OutputOptions())
    (run,) = json.loads(data)["runs"]
    assert len(run["results"]) == 5000
    assert run["results"][0]["level"] == "error"
    (remark,) = remarks(run)
    assert remark.startswith("20,001 of 25,001 results were left out, the least severe ones")


def test_everything_that_is_cut_is_said() -> None:
    steps = tuple(LocatedStep("a.py", Region(n, 1, n, 2), f"Step {n}.") for n in range(1, 10_002))
    long = result(message="m" * 1_000_000 + ".", trail=steps, suppression=Suppression("external", "j" * 2000))
    notice = Notification(NotificationKind.SKIPPED, "n" * 2000, "b.py")
    tagged = rule("RL104", "x", Level.NOTE, tags=tuple(map(str, range(11))), summary="s" * 2000)
    run = run_of(Report((long, result(2)), (notice,), (tagged,)))
    assert sorted(remarks(run)) == [
        "1 tag was left out: a rule may have 10.",
        "1 trail had more than 100 steps and lost the middle.",
        "4 texts were longer than code scanning shows them and lost the end.",
    ]


def test_what_fits_exactly_is_not_said_to_be_cut() -> None:
    steps = tuple(LocatedStep("a.py", Region(n, 1, n, 2), "s" * 999 + ".") for n in range(1, 101))
    exact = result(message="m" * 999 + ".", trail=steps)
    tagged = rule("RL104", "x", Level.NOTE, tags=tuple(map(str, range(10))), title="t" * 1023)
    assert remarks(run_of(Report((exact,), (), (tagged,)))) == []


def test_notifications_are_limited_too_and_the_important_ones_stay() -> None:
    notices = [Notification(NotificationKind.UNUSED_SUPPRESSION, "Unused.", f"{n}.py") for n in range(6000)]
    failed = Notification(NotificationKind.INTERNAL_ERROR, "Failed.", "zz.py")
    run = run_of(Report((), (*notices, failed), ()))
    told = run["invocations"][0]["toolExecutionNotifications"]
    assert len(told) == 5000
    assert "internal-error" in {notice["descriptor"]["id"] for notice in told}
    assert remarks(run) == ["1,002 notifications were left out, the least important ones."]


def noisy(number: int, steps: int, quoted: int) -> Result:
    """A result with so many steps and characters of code, all of which do not compress."""
    source = random.Random(number)
    texts = ["".join(source.choices(string.ascii_letters, k=990)) for _ in range(steps)]
    trail = tuple(LocatedStep("a.py", Region(n, 1, n, 2), text) for n, text in enumerate(texts, 1))
    frame = (SourceLine(number, "".join(source.choices(string.ascii_letters, k=quoted))), SourceLine(number + 1, ""))
    return result(number, trail=trail, frame=frame, region=Region(number, 1, number, quoted + 1))


def test_a_file_that_would_be_too_large_loses_code_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MAX_COMPRESSED", 100_000)
    results = tuple(noisy(number, 1, 1000) for number in range(1, 81))
    data = render(Report(results, (), ()), OutputOptions())
    assert len(gzip.compress(data, 6)) <= 100_000
    (run,) = json.loads(data)["runs"]
    assert len(run["results"]) == 80
    assert remarks(run) == ["Code was left out, as the file would have been too large for code scanning."]
    assert "contextRegion" not in json.dumps(run)
    assert "snippet" not in json.dumps(run)
    assert "contextRegion" in json.dumps(run_of(Report(results[:1], (), ())))


def test_a_file_that_would_be_too_large_loses_the_least_severe_results(monkeypatch: pytest.MonkeyPatch) -> None:
    assert sarif.MAX_COMPRESSED < 10_000_000
    monkeypatch.setattr(sarif, "MAX_COMPRESSED", 1_000_000)
    several = [noisy(number, 8, 10) for number in range(1, 50)]
    # The same noise again and again does not compress either: it is further away than gzip looks back.
    many = [msgspec.structs.replace(several[n % 49], region=Region(n, 1, n, 2)) for n in range(1, 400)]
    worst = result(1, level=Level.ERROR, path="zz.py")
    data = render(Report((*many, worst), (), ()), OutputOptions())
    assert 700_000 < len(gzip.compress(data, 6)) < 1_000_000
    (run,) = json.loads(data)["runs"]
    assert run["results"][0]["level"] == "error"
    left_out = 400 - len(run["results"])
    assert left_out > 100
    assert any(remark.startswith(f"{left_out:,} of 400 results were left out") for remark in remarks(run))


def test_a_file_that_would_be_too_large_to_read_stops_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif_results, "MAX_BYTES", 50_000)
    run = run_of(Report(tuple(result(number) for number in range(1, 1001)), (), ()))
    assert 10 < len(run["results"]) < 200
    assert any("results were left out" in remark for remark in remarks(run))
