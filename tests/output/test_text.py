"""The screen a person sees."""

from __future__ import annotations

import re

import msgspec
import pytest
from samples import RULES, fix, result, rule, scan_report, settled_report

from resplint.contracts.findings import (
    FixSafety,
    Level,
    LocatedStep,
    Notification,
    NotificationKind,
    Region,
    Report,
    SourceLine,
    Suppression,
)
from resplint.output import OutputOptions
from resplint.output.about import REF
from resplint.output.page import cells
from resplint.output.text import render

ANSI = re.compile(r"\x1b\[[0-9;]*m")


def screen(report: Report, **options: object) -> str:
    return render(report, OutputOptions(**options)).decode()  # type: ignore[arg-type]


def marked(text: str, start: int, end: int) -> str:
    """What the marks of a one-line frame stand under, by terminal cells."""
    region = Region(7, start, 7, end)
    shown = screen(Report((result(region=region, frame=(SourceLine(7, text),)),), (), ()))
    code, mark = (line.split("| ", 1)[1] for line in shown.splitlines()[3:5])
    first, last = len(mark) - len(mark.lstrip()), len(mark)
    found, at = "", 0
    for character in code:
        if first <= at < last:
            found += character
        at += cells(character)
    return found


def test_the_whole_screen() -> None:
    assert screen(scan_report()) == (
        """\
app/queue.py:3:23: error RL104 blocking-timeout
  BLPOP waits up to 30 s, but `socket_timeout` is 5 s.
  |
2 |     def pop(self):
3 |         name = '日本'; item = self.client.blpop('jobs', timeout=30)
  |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
4 |         return item
  |
  = 1. app/redis.py:5:12: The client is made here.
5 |     return redis.Redis(
  |            ------------
  = 2. app/redis.py:7:9: 5 s.
7 |         socket_timeout=5,
  |         ----------------
  = help: Wait less than 5 s.

app/redis.py:5:12: warning RL102 unbounded-pool
  The pool has no bound.
  |
4 |   def make():
5 |       return redis.Redis(
  |  ____________^
6 | |         host='cache',
7 | |         socket_timeout=5,
8 | |     )
  | |_____^

2 findings (1 error, 1 warning) in 2 files; 14 of 4,012 files use Redis
1 note is hidden; --level note shows it

Why, and what to do: resplint explain RL102 (or RL104), or https://github.com/resplint/resplint/tree/{REF}/rules/book
""".replace("{REF}", REF)
    )


def test_the_last_line_names_the_page_of_the_only_rule() -> None:
    rules = (rule("RL102", "x", Level.NOTE), rule("RL104", "y", Level.NOTE))
    last = screen(Report((result(rule="RL104"),), (), rules), statistics=True).splitlines()[-1]
    assert last.startswith("Why, and what to do: resplint explain RL104, or https://")
    assert last.endswith("/RL104-y.md")
    assert "explain" not in screen(Report((), (), rules))


def _step(line: int, start: int, end: int, snippet: str, message: str, path: str = "app/y.py") -> LocatedStep:
    return LocatedStep(path, Region(line, start, line, end), message, snippet)


def test_steps_on_one_line_share_its_code() -> None:
    code = "f(a, bb)"
    trail = (_step(4, 6, 8, code, "bb"), _step(4, 3, 4, code, "a"), _step(9, 1, 2, "x", "x"), _step(4, 1, 9, code, "f"))
    shown = screen(Report((result(trail=trail),), (), ()))
    assert shown.split("  |\n", 2)[2].split("\n\n")[0] == (
        """\
  = 1. app/y.py:4:6: bb
  = 2. app/y.py:4:3: a
4 | f(a, bb)
  | --------
  = 3. app/y.py:9:1: x
9 | x
  | -
  = 4. app/y.py:4:1: f"""
    )


def test_steps_on_lines_that_are_shown_are_marked_there() -> None:
    frame = (SourceLine(1, "while 1:"), SourceLine(2, "  pop()"), SourceLine(3, "  sleep(1)"))
    trail = (
        _step(1, 1, 8, "while 1:", "the loop", "app/x.py"),
        _step(3, 3, 11, "  sleep(1)", "the pause", "app/x.py"),
        _step(2, 3, 8, "  pop()", "the finding itself", "app/x.py"),
    )
    shown = screen(Report((result(region=Region(2, 3, 2, 8), frame=frame, trail=trail),), (), ()))
    assert shown.split("waits.\n")[1].split("\n\n")[0] == (
        """\
  |
1 | while 1:
  | -------
2 |   pop()
  |   ^^^^^
3 |   sleep(1)
  |   --------
  |
  = 1. app/x.py:1:1: the loop
  = 2. app/x.py:3:3: the pause"""
    )


def test_steps_beside_a_region_of_several_lines_are_marked() -> None:
    frame = (SourceLine(1, "p = make("), SourceLine(2, "  size=9,"), SourceLine(3, ")"))
    trail = (_step(2, 3, 9, "  size=9,", "nine", "app/x.py"),)
    shown = screen(Report((result(region=Region(1, 5, 3, 2), frame=frame, trail=trail),), (), ()))
    assert "2 | |   size=9,\n  | |   ------\n3 | | )\n" in shown


def test_help_is_a_line_of_its_own() -> None:
    report = Report((result(help="Set `timeout`, then " + "wait " * 30 + "again."),), (), ())
    assert "\n  |\n  = help: Set `timeout`, then wait" in screen(report)
    lines = ANSI.sub("", screen(report, color=True, width=60)).split("= help: ")[1].splitlines()
    assert lines[1].startswith("    wait")


def test_notes_are_shown_on_request() -> None:
    shown = screen(scan_report(), show_notes=True)
    assert "note RL105 missing-timeout" in shown
    assert "hidden" not in shown
    assert "3 findings (1 error, 1 warning, 1 note) in 2 files" in shown


def test_suppressed_results_are_only_counted() -> None:
    report = Report((result(suppression=Suppression("inSource", "known")),), (), ())
    assert screen(report) == "No findings; there was no source file to search\n1 finding is suppressed\n"


def test_settled_results_are_counted_by_why_they_are() -> None:
    shown = screen(settled_report(), show_notes=True)
    assert [line.split(": ")[0] for line in shown.splitlines() if line.startswith("app/")] == [
        "app/x.py:1:1", "app/x.py:11:1", "app/x.py:21:1",
    ]  # fmt: skip
    assert "6 findings are in the baseline\n6 findings are suppressed\n" in shown


def test_marks_stand_under_the_code_even_where_it_looks_like_a_command() -> None:
    text = "x = '##[error]' + call(x)"
    shown = screen(Report((result(region=Region(7, 19, 7, 26), frame=(SourceLine(7, text),)),), (), ()))
    code, mark = shown.splitlines()[3:5]
    assert "##\\x5berror]" in code
    assert mark.index("^") == code.index("call(x)")
    assert mark.count("^") == len("call(x)")


def test_a_file_that_was_not_analysed_is_never_clean() -> None:
    skipped = Notification(NotificationKind.SKIPPED, "Binary.", "a.py")
    shown = screen(Report((), (skipped,), (), 3, 1, 1))
    assert shown.startswith("No findings in what could be analysed; 1 of 3 files uses Redis\n")
    assert "Not analysed (1):\n  a.py: Binary.\n" in shown


def test_long_lists_of_files_are_cut_and_counted() -> None:
    skipped = tuple(Notification(NotificationKind.SKIPPED, "Binary.", f"{n:03}.py") for n in range(25))
    unused = Notification(NotificationKind.UNUSED_SUPPRESSION, "Unused suppression.", "z.py", 9)
    shown = screen(Report((), (*skipped, unused), ()))
    assert "Not analysed (25):" in shown
    assert "019.py" in shown
    assert "020.py" not in shown
    assert "  and 5 more\n" in shown
    assert "  z.py:9: Unused suppression.\n" in shown


@pytest.mark.parametrize(
    "text",
    ["\tcall(x)", "日本 = call(x)", "é = call(x)", "e\u0301 = call(x)", "🎉🎉 call(x)", "a\x1bb call(x)"],
)
def test_marks_stand_under_the_code(text: str) -> None:
    before = text.index("call")
    start = len(text[:before].encode("utf-16-le")) // 2 + 1
    assert marked(text, start, start + 7) == "call(x)"


@pytest.mark.parametrize(
    ("before", "cells_before"),
    [("\t", 4), ("ab\t", 4), ("日本 ", 5), ("e\u0301 ", 2), ("🎉", 2), ("\x1b", 4), ("\u200d", 0)],
)
def test_marks_know_how_wide_a_terminal_draws(before: str, cells_before: int) -> None:
    start = len(before.encode("utf-16-le")) // 2 + 1
    line = result(region=Region(7, start, 7, start + 4), frame=(SourceLine(7, before + "call"),))
    mark = screen(Report((line,), (), ())).splitlines()[4]
    assert mark == "  | " + " " * cells_before + "^^^^"


def test_marks_count_tabs_inside_the_region() -> None:
    assert marked("f(\tx\t)", 1, 7) == "f(  x   )"


def test_an_empty_region_still_has_a_mark() -> None:
    assert marked("call(x)", 6, 6) == "x"


def test_a_minified_line_is_cropped_around_the_finding() -> None:
    text = "a;" * 5000 + "call(x);" + "b;" * 5000
    shown = screen(Report((result(region=Region(1, 10001, 1, 10008), frame=(SourceLine(1, text),)),), (), ()))
    assert max(map(len, shown.splitlines())) < 200
    assert marked(text, 10001, 10008) == "call(x)"
    assert "…" in shown


def test_a_region_beyond_its_frame_says_how_much_is_missing() -> None:
    frame = tuple(SourceLine(number, f"line {number}") for number in range(1, 4))
    shown = screen(Report((result(region=Region(1, 1, 9, 2), frame=frame),), (), ()))
    assert "| … 6 more lines" in shown


def test_a_vanished_file_has_no_frame() -> None:
    shown = screen(Report((result(region=Region(1, 1, 1, 1), frame=()),), (), (rule("RL104", "x", Level.NOTE),)))
    assert shown.startswith("app/x.py:1:1: warning RL104 x\n  Something waits.\n\n1 finding")


def test_colour_changes_nothing_but_styles() -> None:
    coloured = screen(scan_report(), color=True, width=500)
    assert "\x1b[" in coloured
    bare = "".join(f"{line.rstrip()}\n" for line in ANSI.sub("", coloured).splitlines())
    assert bare == screen(scan_report(), color=False, width=40)


def test_a_terminal_gets_no_line_longer_than_itself() -> None:
    long = result(
        message="word " * 100 + "end.",
        frame=(SourceLine(1, "x" * 500),),
        trail=(LocatedStep("a.py", Region(1, 1, 1, 2), "step " * 50 + "end.", "y" * 500),),
    )
    for width in (40, 60, 100):
        shown = ANSI.sub("", screen(Report((long,), (), ()), color=True, width=width))
        lines = shown.split("\n\n")[0].splitlines()
        assert max(map(cells, lines)) <= width


def test_source_is_not_read_as_markup() -> None:
    report = Report((result(message="Set [bold]x[/bold] :smile:.", frame=(SourceLine(1, "a[red]b[/]"),)),), (), ())
    shown = ANSI.sub("", screen(report, color=True, width=100))
    assert "Set [bold]x[/bold] :smile:." in shown
    assert "a[red]b[/]" in shown


def test_statistics_count_by_rule() -> None:
    report = msgspec.structs.replace(scan_report(), statistics={"seconds": 1.23456, "workers": 2})
    table = screen(report, statistics=True).split("Statistics:\n")[1].split("\n\n")[0]
    rows = [line.split() for line in table.splitlines()]
    assert rows == [
        ["RL102", "unbounded-pool", "warning", "1"],
        ["RL104", "blocking-timeout", "error", "1"],
        ["RL105", "missing-timeout", "note", "1"],
        ["files", "found", "4,012"],
        ["files", "that", "use", "Redis", "14"],
        ["files", "analysed", "14"],
        ["seconds", "1.235"],
        ["workers", "2"],
    ]


def test_statistics_begin_with_the_most_frequent_rule_and_mark_what_can_be_fixed() -> None:
    several = (result(1, rule="RL102"), *(result(number, fix=fix(FixSafety.UNSAFE)) for number in (2, 3)))
    shown_only = result(4, rule="RL105", level=Level.NOTE, fix=fix(FixSafety.DISPLAY))
    heading, *table = (
        screen(Report((*several, shown_only), (), RULES), statistics=True).partition("Statistics:")[2].splitlines()
    )
    assert "[*]: some can be fixed by --fix or --unsafe-fixes" in heading
    assert [line.split() for line in table[:3]] == [
        ["RL104", "[*]", "blocking-timeout", "warning", "2"],
        ["RL102", "unbounded-pool", "warning", "1"],
        ["RL105", "missing-timeout", "note", "1"],
    ]


def test_quiet_text_is_findings_and_what_made_the_scan_fail() -> None:
    notes = tuple(Notification(kind, f"It is {kind.value}.", "a.py") for kind in NotificationKind)
    quiet = frozenset({NotificationKind.INTERNAL_ERROR})
    assert screen(Report((), notes[:1], RULES, 9, 9), quiet=quiet) == ""
    shown = screen(Report((result(),), notes, RULES, 9, 9), quiet=quiet)
    assert "Something waits." in shown
    assert "It is internal-error." in shown
    assert not any(f"It is {kind.value}." in shown for kind in NotificationKind if kind not in quiet)
    assert "use Redis" not in shown
