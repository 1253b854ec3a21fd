"""One line a finding."""

from __future__ import annotations

import re

from samples import FORGED_PATH, hostile_report, scan_report, settled_report

from resplint.contracts.findings import Notification, NotificationKind, Report
from resplint.output import FORMATS, OutputOptions


def lines(report: Report, **options: object) -> list[str]:
    return FORMATS["concise"](report, OutputOptions(**options)).decode().splitlines()  # type: ignore[arg-type]


def test_the_whole_output() -> None:
    assert lines(scan_report()) == [
        "app/queue.py:3:23: RL104 BLPOP waits up to 30 s, but `socket_timeout` is 5 s.",
        "app/redis.py:5:12: RL102 The pool has no bound.",
        "2 findings (1 error, 1 warning) in 2 files; 14 of 4,012 files use Redis",
        "1 note is hidden; --level note shows it",
    ]


def test_notes_are_shown_on_request_and_settled_results_counted() -> None:
    shown = lines(settled_report(), show_notes=True)
    assert [line.split(": ")[0] for line in shown[:3]] == ["app/x.py:1:1", "app/x.py:11:1", "app/x.py:21:1"]
    assert shown[-2:] == ["6 findings are in the baseline", "6 findings are suppressed"]


def test_what_was_not_analysed_is_said_and_is_no_finding() -> None:
    said = ("Binary.", "Not analysed: Binary.")
    notes = tuple(Notification(NotificationKind.SKIPPED, said[n % 2], f"{n}.py", n) for n in range(30))
    shown = lines(Report((), notes, ()))
    assert shown[0].startswith("No findings in what could be analysed; ")
    assert shown[1:3] == ["Not analysed: Binary. (0.py)", "Not analysed: Binary. (1.py, line 1)"]
    assert len(shown) == 31


def test_quiet_prints_findings_only() -> None:
    assert len(lines(scan_report(), quiet=frozenset())) == 2


def test_nothing_is_wrapped_and_colour_is_only_style() -> None:
    coloured = FORMATS["concise"](scan_report(), OutputOptions(color=True, width=40)).decode()
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).splitlines() == lines(scan_report())


def test_a_path_cannot_forge_a_command() -> None:
    assert lines(hostile_report())[0].startswith(f"./{FORGED_PATH}:1:1: RL104 ")
