"""Findings get lines, columns, frames and fingerprints."""

from __future__ import annotations

from collections import Counter

import msgspec

from resplint.findings import Finding, Level, Place, Precision, Region, Result, SourceLine, Step
from resplint.fingerprints import CODE_KEY, GITHUB_KEY, OWN_KEY, line_hashes
from resplint.locate import locate

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
