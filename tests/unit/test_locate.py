"""Findings get lines, columns, frames and fingerprints."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from resplint.contracts.findings import (
    Edit,
    Finding,
    Fix,
    FixSafety,
    Level,
    Notification,
    NotificationKind,
    Place,
    Precision,
    Region,
    Result,
    SourceLine,
    Step,
)
from resplint.results.fingerprints import CODE_KEY, GITHUB_KEY, OWN_KEY, line_hashes
from resplint.results.locate import locate

CODE = "import redis\n\n\ndef f(c):\n    c.get('a')\n    c.get('b')\n    c.get('a')\n"


def finding(code: str, text: str = CODE, nth: int = 0, **changes: object) -> Finding:
    data = text.encode()
    start = -1
    for _ in range(nth + 1):
        start = data.index(code.encode(), start + 1)
    fields: dict[str, object] = {
        "rule": "RL104",
        "level": Level.WARNING,
        "precision": Precision.HIGH,
        "message": "Slow.",
        "place": Place("a.py", start, start + len(code.encode())),
        "symbol": "f",
    }
    return Finding(**{**fields, **changes})  # type: ignore[arg-type]


def located(*findings: Finding, data: bytes = CODE.encode(), language: str = "python") -> list[Result]:
    return locate(findings, {"a.py": data}.get, lambda _: language)


def test_region_and_frame() -> None:
    (result,) = located(finding("c.get('b')"))
    assert result.region == Region(6, 5, 6, 15)
    assert result.frame == (
        SourceLine(5, "    c.get('a')"),
        SourceLine(6, "    c.get('b')"),
        SourceLine(7, "    c.get('a')"),
    )


def test_the_frame_ends_with_the_last_line_that_has_text() -> None:
    (result,) = located(finding("c.get('a')", nth=1))
    assert [line.number for line in result.frame] == [6, 7]


def test_the_frame_of_the_first_line_begins_there() -> None:
    (result,) = located(finding("import redis"))
    assert [line.number for line in result.frame] == [1, 2]


def test_a_long_region_has_a_frame_of_12_lines() -> None:
    text = "start\n" + "call(\n" + "1,\n" * 50 + ")\n"
    (result,) = located(finding(text[6:-1], text), data=text.encode())
    assert result.region == Region(2, 1, 53, 2)
    assert [line.number for line in result.frame] == list(range(1, 13))


def test_offsets_are_those_of_the_normalised_text() -> None:
    """A file in UTF-16, one with a byte-order mark and one in Latin-1 place the same call alike."""
    text = "# coding: latin-1\nx = 'é'; c.get('a')\n"
    expected = Region(2, 10, 2, 20)
    one = finding("c.get('a')", text)
    for data in (text.encode("latin-1"), ("\ufeff" + text).encode(), ("\ufeff" + text).encode("utf-16-le")):
        (result,) = located(one, data=data)
        assert result.region == expected
        assert result.frame[-1].text == "x = 'é'; c.get('a')"


def test_githubs_fingerprint_is_that_of_the_line_in_the_original_file() -> None:
    data = b"\xef\xbb\xbf" + CODE.encode()
    first, second = located(finding("import redis"), finding("c.get('b')"), data=data)
    assert first.fingerprints[GITHUB_KEY] == line_hashes("\ufeff" + CODE)[0]
    assert second.fingerprints[GITHUB_KEY] == line_hashes("\ufeff" + CODE)[5]


def test_no_github_fingerprint_where_the_upload_action_would_read_other_text() -> None:
    text = "# coding: latin-1\nx = 'é'; c.get('a')\n"
    for data in (text.encode("latin-1"), ("\ufeff" + text).encode("utf-16-be")):
        (result,) = located(finding("c.get('a')", text), data=data)
        assert set(result.fingerprints) == {OWN_KEY, CODE_KEY}


def test_equal_code_gets_distinct_fingerprints() -> None:
    results = located(finding("c.get('a')"), finding("c.get('a')", nth=1), finding("c.get('b')"))
    assert len({result.fingerprints[OWN_KEY] for result in results}) == 3


def test_two_findings_of_one_line_differ() -> None:
    text = "f(); f()\n"
    results = located(finding("f()", text), finding("f()", text, nth=1), data=text.encode())
    assert results[0].region.start_line == results[1].region.start_line
    assert results[0].fingerprints[OWN_KEY] != results[1].fingerprints[OWN_KEY]


def test_our_fingerprints_survive_edits() -> None:
    def prints(text: str, calls: list[tuple[str, int]], message: str = "Slow.") -> Counter[str]:
        findings = [finding(code, text, nth, message=message) for code, nth in calls]
        return Counter(r.fingerprints[OWN_KEY] for r in located(*findings, data=text.encode()))

    calls = [("c.get('a')", 0), ("c.get('b')", 0), ("c.get('a')", 1)]
    before = prints(CODE, calls)
    assert prints("# new\n\n" + CODE, calls) == before
    assert prints(CODE.replace("\n", "\r\n"), calls) == before
    assert prints(CODE.replace("    c", "\tc"), calls) == before
    assert prints(CODE, calls, "Rather slow.") == before
    assert prints("def other():\n    c.get('z')\n" + CODE, calls) == before
    black = CODE.replace("'", '"').replace('c.get("b")', 'c.get(\n        "b",\n    )')
    assert prints(black, [('c.get("a")', 0), ('c.get(\n        "b",\n    )', 0), ('c.get("a")', 1)]) == before
    assert prints(CODE.replace("'b'", "'bb'"), [*calls[:1], ("c.get('bb')", 0), *calls[2:]]) != before


def test_the_trail_shows_the_line_of_each_step() -> None:
    other = "x = 1\nclient = redis.Redis(\n    a,\n)\n"
    place = Place("b.py", 15, other.index(")") + 1)
    one = finding("c.get('b')", trail=(Step(place, "Made here."), Step(Place("gone.py", 5, 9), "Lost.")))
    (result,) = locate([one], {"a.py": CODE.encode(), "b.py": other.encode()}.get, lambda _: "python")
    made, lost = result.trail
    assert (made.path, made.region, made.message) == ("b.py", Region(2, 10, 4, 2), "Made here.")
    assert made.snippet == "client = redis.Redis("
    assert (lost.path, lost.region, lost.snippet) == ("gone.py", Region(1, 1, 1, 1), "")


def test_a_vanished_or_binary_file_keeps_its_findings() -> None:
    findings = [finding("c.get('a')"), finding("c.get('b')")]
    for files in ({}, {"a.py": b"\0"}):
        results = locate(findings, files.get, lambda _: "python")
        assert [(r.region, r.frame) for r in results] == [(Region(1, 1, 1, 1), ())] * 2
        assert len({r.fingerprints[OWN_KEY] for r in results}) == 2
        assert all(GITHUB_KEY not in r.fingerprints for r in results)


def test_a_file_that_shrank_gives_places_inside_it() -> None:
    (result,) = located(finding("c.get('b')"), data=b"short\n")
    assert result.region == Region(2, 1, 2, 1)


def test_each_file_is_read_once() -> None:
    reads: list[str] = []

    def read(path: str) -> bytes:
        reads.append(path)
        return CODE.encode()

    trail = (Step(Place("b.py", 0, 3), "Here."), Step(Place("a.py", 0, 3), "There."))
    locate([finding("c.get('a')", trail=trail), finding("c.get('b')", trail=trail)], read, lambda _: "python")
    assert sorted(reads) == ["a.py", "b.py"]


def test_duplicates_become_the_gravest_one_whatever_the_order() -> None:
    mild = finding("c.get('a')", message="Mild.", level=Level.NOTE)
    grave = finding("c.get('a')", message="Grave.", level=Level.ERROR)
    same = msgspec.structs.replace(grave)
    for order in ([mild, grave, same], [same, grave, mild]):
        (result,) = located(*order)
        assert result.message == "Grave."
    assert len(located(mild, finding("c.get('a')", rule="RL105"))) == 2


def test_results_are_sorted_whatever_the_order() -> None:
    findings = [finding("c.get('a')", nth=1), finding("c.get('b')"), finding("c.get('a')", rule="RL101")]
    findings.append(finding("c.get('a')"))
    results = located(*findings)
    assert results == sorted(results, key=Result.sort_key)
    assert located(*reversed(findings)) == results


# -- fixes ----------------------------------------------------------------------------------------------------------


def fixed(*edits: tuple[int, int, str], data: bytes = CODE.encode()) -> tuple[Result, list[Notification]]:
    """A finding with a fix, located; and what was remarked."""
    fix = Fix("Do it", FixSafety.SAFE, tuple(Edit(Place("a.py", start, end), text) for start, end, text in edits))
    notes: list[Notification] = []
    found = finding("import redis", fix=fix)
    (result,) = locate([found], {"a.py": data}.get, lambda _: "python", notes.append)
    return result, notes


def edits(result: Result) -> list[tuple[Region, str]]:
    assert result.fix is not None
    assert (result.fix.title, result.fix.safety) == ("Do it", FixSafety.SAFE)
    return [(edit.region, edit.text) for edit in result.fix.edits]


def test_edits_are_sorted_and_have_regions_in_utf_16_columns() -> None:
    data = "import redis\nkey = '\U0001f511'; old()\n".encode()
    at = data.index(b"old")
    result, notes = fixed((at, at + 3, "new"), (0, 0, "import os\n"), data=data)
    assert edits(result) == [(Region(1, 1, 1, 1), "import os\n"), (Region(2, 13, 2, 16), "new")]
    assert notes == []


def test_an_edit_may_take_a_line_end() -> None:
    result, _ = fixed((0, 13, ""))
    assert edits(result) == [(Region(1, 1, 2, 1), "")]


def test_insertions_at_one_place_become_one_in_the_order_given() -> None:
    result, _ = fixed((13, 13, "b"), (13, 13, "a"), (13, 14, ""))
    assert edits(result) == [(Region(2, 1, 2, 1), "ba"), (Region(2, 1, 3, 1), "")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("given", ["\n", "\r\n"])
def test_the_text_of_an_edit_has_the_line_ends_of_the_file(end: str, given: str) -> None:
    result, _ = fixed((0, 0, f"one{given}two{given}"), data=CODE.replace("\n", end).encode())
    assert edits(result) == [(Region(1, 1, 1, 1), f"one{end}two{end}")]


def test_a_replaced_line_keeps_its_own_end_in_a_mixed_file() -> None:
    data = b"import redis\r\nb\nc\r\n"
    result, _ = fixed((0, 17, "x\ny\nz\n"), data=data)
    assert edits(result) == [(Region(1, 1, 3, 2), "x\r\ny\nz\r\n")]


def test_edits_that_change_nothing_are_left_out() -> None:
    result, _ = fixed((0, 6, "import"), (7, 12, "valkey"))
    assert edits(result) == [(Region(1, 8, 1, 13), "valkey")]


@pytest.mark.parametrize(
    ("spans", "data", "problem"),
    [
        ([], CODE.encode(), "it changes nothing"),
        ([(0, 6, "import")], CODE.encode(), "it changes nothing"),
        ([(3, 7, "x"), (6, 9, "y")], CODE.encode(), "two of its edits overlap at byte 6 of a.py"),
        ([(0, 3, "x"), (0, 2, "y")], CODE.encode(), "two of its edits overlap at byte 0 of a.py"),
        ([(0, 999, "x")], CODE.encode(), "an edit reaches outside its file (bytes 0 to 999 of a.py)"),
        ([(-1, 2, "x")], CODE.encode(), "an edit reaches outside its file (bytes -1 to 2 of a.py)"),
        ([(5, 4, "x")], CODE.encode(), "an edit reaches outside its file (bytes 5 to 4 of a.py)"),
        ([(0, 14, "x")], "import redis \u00fc".encode(), "begins or ends inside a character or line end"),
        ([(0, 13, "x")], b"import redis\r\n", "begins or ends inside a character or line end"),
        ([(0, 1, "\0")], CODE.encode(), "it would write characters that are no text"),
        ([(0, 1, "\ud800")], CODE.encode(), "it would write characters that are no text"),
    ],
)
def test_a_fix_that_makes_no_sense_is_left_out_with_a_remark(
    spans: list[tuple[int, int, str]], data: bytes, problem: str
) -> None:
    result, (note,) = fixed(*spans, data=data)
    assert result.fix is None
    assert (note.kind, note.path, note.line, note.rule) == (NotificationKind.INTERNAL_ERROR, "a.py", 1, "RL104")
    assert problem in note.message


def test_a_fix_of_a_file_that_is_gone_is_left_out() -> None:
    fix = Fix("Do it", FixSafety.SAFE, (Edit(Place("b.py", 0, 0), "x"),))
    notes: list[Notification] = []
    (result,) = locate(
        [finding("import redis", fix=fix)], {"a.py": CODE.encode()}.get, lambda _: "python", notes.append
    )
    assert result.fix is None
    assert [note.message for note in notes] == ["RL104: its fix is left out: it edits b.py, which cannot be read."]


def test_of_two_findings_at_one_place_the_one_with_a_fix_is_kept() -> None:
    fix = Fix("Do it", FixSafety.SAFE, (Edit(Place("a.py", 0, 0), "x"),))
    pair = [finding("import redis"), finding("import redis", fix=fix)]
    assert located(*pair) == located(*reversed(pair))
    assert located(*pair)[0].fix is not None
