"""Suppressions work where their author meant them to, and say so when they do not."""

from __future__ import annotations

import re
import time

import pytest

from resplint.contracts.comments import Comment
from resplint.contracts.findings import Level, NotificationKind, Precision, Region, Result, Suppression
from resplint.results.suppress import apply

KNOWN = {"RL101": "connection-per-command", "RL104": "blocking-timeout", "RL402": "keys-command"}


def result(line: int, end_line: int | None = None, rule: str = "RL104", path: str = "a.py") -> Result:
    region = Region(line, 1, end_line or line, 9)
    return Result(rule, Level.WARNING, Precision.HIGH, "Slow.", path, region, "", (), (), {})


def comments(source: str) -> list[Comment]:
    """The comments of a source text, as a language's adapter would find them."""
    found = []
    for match in re.finditer(r"/\*.*?\*/|(?:#|//)[^\n]*", source, re.DOTALL):
        line_start = source.rfind("\n", 0, match.start()) + 1
        line_end = (source + "\n").index("\n", match.end())
        beside = source[line_start : match.start()] + source[match.end() : line_end]
        line = source.count("\n", 0, match.start()) + 1
        found.append(Comment(match.start(), match.end(), line, match.group(), not beside.strip()))
    return found


def run(
    source: str, *results: Result, active: tuple[str, ...] = tuple(KNOWN)
) -> tuple[list[Suppression | None], list[str]]:
    """What became of each result, and what was said."""
    marked, notices = apply(results, {"a.py": comments(source)}, KNOWN, active)
    assert [(m.rule, m.region) for m in marked] == [(r.rule, r.region) for r in results]
    assert all(n.kind is NotificationKind.UNUSED_SUPPRESSION and n.path == "a.py" for n in notices)
    return [m.suppression for m in marked], [f"{n.line}: {n.message}" for n in notices]


@pytest.mark.parametrize(
    "source",
    [
        "call()  # resplint: ignore[RL104] known",
        "call()  # resplint: ignore[blocking-timeout] known",
        "call()  # resplint:ignore[RL101,RL104] known",
        "call()  # resplint: ignore[ rl104 ]: known",
        "call()  # resplint: ignore known",
        "call()  # noqa: E501  # resplint: ignore[RL104] known",
        "call()  # resplint: ignore[RL104] known # noqa: E501",
        "call(); // resplint: ignore[RL104] known",
        "call(); /* resplint: ignore[RL104] known */",
        "# resplint: ignore-file[RL104] known\ncall()",
    ],
)
def test_ways_to_suppress(source: str) -> None:
    found, _ = run(source, result(source.count("\n") + 1))
    assert found == [Suppression("inSource", "known")]


def test_a_reason_is_optional() -> None:
    assert run("call()  # resplint: ignore[RL104]", result(1)) == ([Suppression("inSource", "")], [])


@pytest.mark.parametrize(
    "source",
    [
        "call()  # the comment resplint: ignore would hide this",
        "call()  # see `resplint: ignore`",
        "call()  # resplint: ignored",
        "call()  # resplint: ignore-next",
        "call()  # resplint ignore",
        "call()  # noresplint: ignore",
        "call()  # resplint: ignore[RL402] another rule",
        "# resplint: ignore[RL104] not directly above\n\ncall()",
        "other()  # resplint: ignore[RL104] on a line with code\ncall()",
        "call()\n# resplint: ignore[RL104] below",
    ],
)
def test_what_does_not_suppress(source: str) -> None:
    line = next(number for number, text in enumerate(source.split("\n"), 1) if text.startswith("call"))
    assert run(source, result(line))[0] == [None]


def test_comment_lines_above_stack() -> None:
    source = "# resplint: ignore[RL104] one\n# prose\n# resplint: ignore[RL101] two\ncall()"
    found, notices = run(source, result(4), result(4, rule="RL101"), result(4, rule="RL402"))
    assert found == [Suppression("inSource", "one"), Suppression("inSource", "two"), None]
    assert notices == []


def test_a_block_comment_above_counts_with_all_its_lines() -> None:
    source = "/*\n * resplint: ignore[RL104] one\n * and more\n */\ncall()"
    assert run(source, result(5)) == ([Suppression("inSource", "one")], [])


def test_a_call_of_several_lines_is_covered_at_both_ends() -> None:
    source = "call(\n    1,\n)  # resplint: ignore[RL104] moved here by a formatter"
    assert run(source, result(1, 3))[0] == [Suppression("inSource", "moved here by a formatter")]
    assert run("call(  # resplint: ignore[RL104] here\n    1,\n)", result(1, 3))[0] == [Suppression("inSource", "here")]
    assert run("call(\n    1,  # resplint: ignore[RL104] an argument\n)", result(1, 3))[0] == [None]


def test_ignore_file_covers_every_line_of_its_file_only() -> None:
    source = "a()\nb()\n# resplint: ignore-file[RL104] generated"
    found, notices = run(source, result(1), result(2), result(1, rule="RL101"), result(1, path="b.py"))
    assert found == [Suppression("inSource", "generated")] * 2 + [None, None]
    assert notices == []


def test_the_nearest_reason_counts() -> None:
    source = "# resplint: ignore-file far\n# resplint: ignore[RL104] near\ncall()  # resplint: ignore[RL104] here"
    assert run(source, result(3)) == ([Suppression("inSource", "here")], [])


def test_unused_suppressions_are_named() -> None:
    source = "call()  # resplint: ignore[RL104, keys-command, RL101] x\n# resplint: ignore-file[RL402]\n"
    _, notices = run(source, result(1))
    assert notices == [
        "1: Unused suppression: RL402 and RL101 report nothing here.",
        "2: Unused suppression: RL402 reports nothing in this file.",
    ]


def test_an_unused_blanket_suppression_is_named_only_if_all_rules_ran() -> None:
    source = "call()  # resplint: ignore\n"
    assert run(source)[1] == ["1: Unused suppression: no rule reports anything here."]
    assert run(source, active=("RL104", "RL402"))[1] == []


def test_suppressions_of_rules_that_did_not_run_are_not_unused() -> None:
    source = "call()  # resplint: ignore[RL101, RL402]\n"
    assert run(source, active=("RL402",))[1] == ["1: Unused suppression: RL402 reports nothing here."]
    assert run(source, active=("RL104",))[1] == []


def test_unknown_rules_are_named_with_the_closest_one() -> None:
    source = "call()  # resplint: ignore[RL140, key-command, RL104, zzz] x"
    found, notices = run(source, result(1))
    assert found == [Suppression("inSource", "x")]
    assert notices == [
        "1: The suppression names an unknown rule 'RL140'.",
        "1: The suppression names an unknown rule 'key-command'; did you mean 'keys-command'?",
        "1: The suppression names an unknown rule 'zzz'.",
    ]


@pytest.mark.parametrize("brackets", ["[]", "[ , ]", "[RL104", "[RL999]"])
def test_broken_brackets_suppress_nothing_and_say_so(brackets: str) -> None:
    found, notices = run(f"call()  # resplint: ignore{brackets}", result(1))
    assert found == [None]
    assert len(notices) == 1


def test_what_a_baseline_suppressed_stays_so_and_the_comment_is_used() -> None:
    from msgspec.structs import replace

    known = replace(result(1), suppression=Suppression("external", "baseline"))
    found, notices = run("call()  # resplint: ignore[RL104] x", known)
    assert found == [Suppression("external", "baseline")]
    assert notices == []


@pytest.mark.parametrize(
    "text",
    [
        " // resplint: ignore[ x" * 50_000,
        "#" + " " * 1_000_000 + "resplint",
        "# resplint: ignore" + " " * 1_000_000 + "x",
        "#" * 1_000_000 + "resplint: ignore",
        "# resplint: ignore[" + "x" * 1_000_000,
    ],
    ids=["brackets", "blanks", "blanks after", "leaders", "open bracket"],
)
def test_hostile_comments_take_no_quadratic_time(text: str) -> None:
    before = time.process_time()
    apply([result(1)], {"a.py": [Comment(0, len(text), 1, text, True)]}, KNOWN, KNOWN)
    assert time.process_time() - before < 5
