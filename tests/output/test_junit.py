"""JUnit's XML as Jenkins' schema, GitLab's reader and an independent reader take it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase
from lxml import etree
from samples import RULES, hostile_report, result, rule, scan_report, settled_report

from resplint.contracts.findings import Level, Notification, NotificationKind, Report
from resplint.output import FORMATS, OutputOptions

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).parents[1] / "data" / "junit-10.xsd"))
OUTCOMES = {Failure: "failure", Error: "error", Skipped: "skipped"}


def read(report: Report, **options: object) -> JUnitXml:
    """The report as junitparser reads it, after Jenkins' schema and counts were found to hold."""
    output = FORMATS["junit"](report, OutputOptions(**options))  # type: ignore[arg-type]
    SCHEMA.assertValid(etree.fromstring(output))
    suites = JUnitXml.fromstring(output)
    counted = [Counter(outcome(case) for case in suite) for suite in suites]
    for suite, found in zip(suites, counted, strict=True):
        assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (
            found.total(), found["failure"], found["error"], found["skipped"],
        )  # fmt: skip
    total = sum(counted, Counter())
    assert (suites.tests, suites.failures, suites.errors) == (total.total(), total["failure"], total["error"])
    # GitLab knows a test by these alone.
    keys = [(suite.name, case.classname, case.name) for suite in suites for case in suite]
    assert len(keys) == len(set(keys))
    return suites


def outcome(case: TestCase) -> str:
    return OUTCOMES[type(case.result[0])] if case.result else "passed"


def outcomes(suites: JUnitXml) -> list[tuple[str, str]]:
    return [(case.name, outcome(case)) for suite in suites for case in suite]


@pytest.mark.parametrize("fail_on", list(Level))
@pytest.mark.parametrize(
    "report",
    [scan_report(), hostile_report(), settled_report(), Report((), (), ())],
    ids=["scan", "hostile", "settled", "empty"],
)
def test_every_report_is_valid(report: Report, fail_on: Level) -> None:
    read(report, fail_on=fail_on)


def test_a_clean_scan_is_tests_that_passed() -> None:
    suites = read(Report((), (), RULES, 3, 3))
    assert [suite.name for suite in suites] == [
        "RL102 unbounded-pool", "RL104 blocking-timeout", "RL105 missing-timeout",
    ]  # fmt: skip
    assert outcomes(suites) == [("no findings", "passed")] * 3


def test_a_finding_is_a_failed_test_that_tells_everything() -> None:
    suites = read(scan_report(), prefix="api/")
    (case,) = next(suite for suite in suites if suite.name.startswith("RL104"))
    assert (case.name, case.classname, outcome(case)) == ("RL104 in Worker.pop", "api/app/queue.py", "failure")
    assert case.result[0].message == "BLPOP waits up to 30 s, but `socket_timeout` is 5 s."
    assert case.result[0].type == "error"
    # GitLab shows the text and not the message.
    text = case.result[0].text
    assert text.startswith("api/app/queue.py:3:23: error RL104 blocking-timeout\n  BLPOP waits up to 30 s")
    assert "= 1. api/app/redis.py:5:12: The client is made here." in text
    assert text.endswith("= help: Wait less than 5 s.\n")


@pytest.mark.parametrize(
    ("fail_on", "failing"),
    [
        (Level.ERROR, {"error"}),
        (Level.WARNING, {"error", "warning"}),
        (Level.NOTE, {"error", "warning", "note"}),
    ],
)
def test_tests_fail_from_the_level_that_makes_the_scan_fail(fail_on: Level, failing: set[str]) -> None:
    results = tuple(result(number, level=level) for number, level in enumerate(Level, 1))
    suites = read(Report(results, (), ()), fail_on=fail_on)
    cases = [case for suite in suites for case in suite]
    assert {case.result[0].type for case in cases if outcome(case) == "failure"} == failing
    passed = [case for case in cases if outcome(case) == "passed"]
    assert len(passed) == 3 - len(failing)
    assert all("Something waits." in case.system_out for case in passed)


def test_settled_results_are_skipped_and_say_why() -> None:
    found = [case.result[0] for suite in read(settled_report()) for case in suite if outcome(case) == "skipped"]
    assert Counter(each.message for each in found) == {
        "In the baseline": 3,
        "In the baseline: planned for May": 3,
        "Suppressed: known to be short": 3,
        "Suppressed": 3,
    }
    assert all(each.text.startswith(each.message) for each in found)


def test_names_hold_no_line_numbers() -> None:
    before = Report((result(1), result(2), result(3, symbol="pop")), (), (rule("RL104", "x", Level.NOTE),))
    after = Report((result(71), result(82), result(93, symbol="pop")), (), before.rules)
    assert outcomes(read(before)) == outcomes(read(after))
    assert [name for name, _ in outcomes(read(before))] == ["RL104", "RL104 #2", "RL104 in pop"]


def test_files_that_were_not_analysed_are_skipped_tests_and_internal_errors_are_errors() -> None:
    notices = (
        Notification(NotificationKind.SKIPPED, "Binary.", "a.py"),
        Notification(NotificationKind.INTERNAL_ERROR, "Failed.", "b.py", 3),
        Notification(NotificationKind.LIMIT, "Too many."),
    )
    (few,) = read(Report((), notices, ()))
    assert [case.classname for case in few] == ["b.py", "a.py"]
    (suite,) = read(Report((), notices, ()), show_limits=True)
    assert [(case.classname, outcome(case), case.result[0].text) for case in suite] == [
        ("b.py", "error", "b.py:3: Failed.\n"),
        ("a.py", "skipped", "a.py: Binary.\n"),
        ("resplint", "skipped", "resplint: Too many.\n"),
    ]


def test_no_text_names_an_attachment_of_a_failed_test() -> None:
    """GitLab opens the path that a failed test names in its output."""
    for suite in read(hostile_report()):
        assert not [case for case in suite if outcome(case) != "passed" and case.system_out]
