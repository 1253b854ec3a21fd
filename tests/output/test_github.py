"""Annotations as GitHub's runner reads them."""

from __future__ import annotations

import pytest
from samples import result, rule, scan_report, settled_report
from test_formats import commands

from resplint.contracts.findings import Level, LocatedStep, Notification, NotificationKind, Precision, Region, Report
from resplint.output import FORMATS, Here, OutputOptions
from resplint.output.about import REF


def annotated(report: Report, **options: object) -> str:
    return FORMATS["github"](report, OutputOptions(**options)).decode()  # type: ignore[arg-type]


def test_the_whole_output() -> None:
    book = f"https://github.com/resplint/resplint/blob/{REF}/rules/book"
    assert annotated(scan_report()) == (
        "::error file=app/queue.py,line=3,endLine=3,col=23,endColumn=60,title=RL104 blocking-timeout::"
        "BLPOP waits up to 30 s, but `socket_timeout` is 5 s.%0Ahelp: Wait less than 5 s."
        "%0A1. app/redis.py:5:12: The client is made here.%0A2. app/redis.py:7:9: 5 s."
        f"%0A%0A{book}/RL104-blocking-timeout.md\n"
        "::warning file=app/redis.py,line=5,endLine=8,title=RL102 unbounded-pool::"
        f"The pool has no bound.%0A%0A{book}/RL102-unbounded-pool.md\n"
        "2 findings (1 error, 1 warning) in 2 files; 14 of 4,012 files use Redis\n"
        "1 note is hidden; --level note shows it\n"
    )


def test_a_note_is_a_notice_on_request() -> None:
    assert [name for name, _, _ in commands(annotated(scan_report(), show_notes=True))] == [
        "error",
        "warning",
        "notice",
    ]


def test_settled_results_are_counted_and_not_annotated() -> None:
    output = annotated(settled_report(), show_notes=True)
    assert [(name, properties["line"]) for name, properties, _ in commands(output)] == [
        ("error", "1"),
        ("warning", "11"),
        ("notice", "21"),
    ]
    assert "6 findings are in the baseline" in output
    assert "6 findings are suppressed" in output


def test_the_worst_ten_of_each_kind_are_annotated_and_the_rest_is_in_the_log() -> None:
    results = [
        result(number, level=level, precision=precision, path=f"{number:02}.py")
        for level, numbers in ((Level.ERROR, range(1, 13)), (Level.WARNING, range(20, 25)), (Level.NOTE, range(30, 45)))
        for number in numbers
        for precision in [Precision.VERY_HIGH if number in {12, 44} else Precision.LOW]
    ]
    output = annotated(Report(tuple(results), (), (rule("RL104", "x", Level.NOTE),)), show_notes=True)
    found = commands(output)
    kinds = [name for name, _, _ in found]
    assert kinds == ["error"] * 10 + ["warning"] * 5 + ["notice"] * 10
    files = [properties.get("file") for _, properties, _ in found]
    assert (files[0], files[15]) == ("12.py", "44.py")
    assert files[-1] is None
    assert found[-1][2] == (
        "2 more errors, 6 more notices in the log of this step: GitHub shows 10 annotations of each kind."
    )
    listed = [line.split(":")[0] for line in output.splitlines() if line[0].isdigit() and ".py:" in line]
    assert sorted([*listed, *filter(None, files)]) == sorted(each.path for each in results)


def test_ten_of_a_kind_need_no_notice() -> None:
    output = annotated(Report(tuple(result(number) for number in range(1, 11)), (), ()))
    assert [name for name, _, _ in commands(output)] == ["warning"] * 10


def test_files_that_were_not_analysed_are_annotated() -> None:
    notices = (
        Notification(NotificationKind.INTERNAL_ERROR, "RL101 failed.", "a.py", 0, "RL101"),
        Notification(NotificationKind.SKIPPED, "Binary.", "b.py"),
        Notification(NotificationKind.UNUSED_SUPPRESSION, "Nothing to suppress.", "c.py", 4),
        Notification(NotificationKind.LIMIT, "Too many."),
        Notification(NotificationKind.UNSUPPORTED, "5 PHP files mention Redis and are not analysed (such as a.php)."),
    )
    report = Report((), notices, (), 3, 1, 1)
    output = annotated(report)
    assert commands(output) == [
        ("error", {"file": "a.py", "title": "resplint: Internal errors, results are incomplete"}, "RL101 failed."),
        ("warning", {"file": "b.py", "title": "resplint: Not analysed"}, "Binary."),
        (
            "notice",
            {"file": "c.py", "line": "4", "title": "resplint: Suppressions without effect"},
            "Nothing to suppress.",
        ),
    ]
    assert output.endswith(
        "No findings in what could be analysed; 1 of 3 files uses Redis\n"
        "1 limit of the analysis was met; --verbose shows it\n"
        "5 PHP files mention Redis and are not analysed (such as a.php).\n"
    )
    on_request = commands(annotated(report, show_limits=True))
    assert ("warning", {"title": "resplint: Left out"}, "Too many.") in on_request


@pytest.mark.parametrize("path", ["a,b.py", "a:b.py", "100%.py", "%0A.py", "%3A.py", "a,line=9.py"])
def test_paths_survive_the_runner(path: str) -> None:
    ((_, properties, _),) = commands(annotated(Report((result(path=path),), (), ())))
    assert (properties["file"], properties["line"]) == (path, "1")


def test_paths_are_those_of_the_repository_for_a_runner_and_else_from_the_current_folder() -> None:
    trail = (LocatedStep("app/y.py", Region(2, 1, 2, 3), "made here"),)
    report = Report((result(trail=trail),), (), ())
    ((_, properties, data),) = commands(annotated(report, prefix="services/api/", in_workflow=True))
    assert properties["file"] == "services/api/app/x.py"
    assert "1. services/api/app/y.py:2:1: made here" in data
    ((_, properties, data),) = commands(annotated(report, prefix="services/api/", here=Here("../api")))
    assert properties["file"] == "../api/app/x.py"
    assert "1. ../api/app/y.py:2:1: made here" in data
