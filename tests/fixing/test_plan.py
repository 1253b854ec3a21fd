"""What fixing makes of files, in memory: bytes beside the fix stay as they are, and nothing gets worse."""

from __future__ import annotations

import codecs
import re
from dataclasses import replace

import msgspec
import pytest

from resplint.contracts.findings import (
    BaselineState,
    Edit,
    FixSafety,
    Level,
    Notification,
    NotificationKind,
    Place,
    Report,
    Result,
    Suppression,
)
from resplint.fixing import MAX_ROUNDS, Plan, Wanted, plan
from tests.fixing.stub import Edits, Found, Rule, StubScanner, inserting, replacing

# One realistic source a language with a defect that stands twice, the last time on the last line but one.
SOURCES = {
    "jobs.py": """\
import redis

client = redis.Redis(host="jobs")  # \U0001f680 the queue's own server, see the \u00fcberblick


def flush(keys):
    # Nothing here needs to be atomic.
    pipe = client.pipeline()
    for key in keys:
        pipe.delete(f"\U0001f511{key}"); other = client.pipeline()  # astral, then code
    return pipe.execute()
""",
    "Jobs.java": """\
package app;

import redis.clients.jedis.*;

/** Jobs \U0001f680 of the \u00fcberblick. */
class Jobs {
    private final Jedis jedis = new Jedis("jobs"); // one connection

    void flush(java.util.List<String> keys) {
        AbstractPipeline pipe = jedis.pipeline();
        String mark = "\U0001f511"; AbstractPipeline other = jedis.pipeline(); // astral, then code
        keys.forEach(pipe::del); /* not atomic */
    }
}
""",
    "Jobs.kt": """\
package app

import redis.clients.jedis.Jedis

/* Jobs \U0001f680 of the \u00fcberblick. */
class Jobs(private val jedis: Jedis) {
    fun flush(keys: List<String>) {
        val pipe = jedis.pipeline() // not atomic
        val mark = "\U0001f511"; val other = jedis.pipeline() // astral, then code
        keys.forEach { pipe.del(it) }
    }
}
""",
    "jobs.js": """\
const { createClient } = require("redis");

// Jobs \U0001f680 of the \u00fcberblick.
const client = createClient({ url: "redis://jobs" });

async function flush(keys) {
  const pipe = client.pipeline(); /* not atomic */
  const mark = `\U0001f511${keys.length}`; const other = client.pipeline(); // astral, then code
  for (const key of keys) pipe.del(key);
  return pipe.exec();
}
""",
    "jobs.ts": """\
import { Redis } from "ioredis";

// Jobs \U0001f680 of the \u00fcberblick.
const client: Redis = new Redis("jobs");

export async function flush(keys: string[]): Promise<unknown> {
  const pipe = client.pipeline(); /* not atomic */
  const mark = `\U0001f511${keys.length}`; const other = client.pipeline(); // astral, then code
  for (const key of keys) pipe.del(key);
  return pipe.exec();
}
""",
}
DEFECT = Rule("RL201", rb"pipeline\(()\)", inserting("0", 1))


def mixed(text: str) -> str:
    ends = ["\n", "\r\n", "\r"]
    return "".join(line + ends[number % 3] for number, line in enumerate(text.splitlines()))


FORMS = {
    "lf": lambda text: text.encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "cr": lambda text: text.replace("\n", "\r").encode(),
    "mixed": lambda text: mixed(text).encode(),
    "bom": lambda text: codecs.BOM_UTF8 + text.encode(),
    "bom and crlf": lambda text: codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode(),
    "utf-16": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "utf-16 big endian, crlf": lambda text: codecs.BOM_UTF16_BE + text.replace("\n", "\r\n").encode("utf-16-be"),
    "tabs": lambda text: re.sub("(?m)^((?: {4})+)", lambda found: "\t" * (len(found[1]) // 4), text).encode(),
    "no final newline": lambda text: text.rstrip("\n").encode(),
}


def planned(files: dict[str, bytes], *rules: Rule, wanted: Wanted | None = None) -> Plan:
    return plan(StubScanner(list(rules), files), wanted or Wanted())


def after(files: dict[str, bytes], *rules: Rule, wanted: Wanted | None = None) -> dict[str, bytes]:
    """All files after fixing."""
    return {**files, **{file.path: file.after for file in planned(files, *rules, wanted=wanted).files}}


def messages(result: Plan) -> list[str]:
    return [note.message for note in result.notes]


# -- bytes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SOURCES)
def test_only_the_fixed_bytes_change(name: str, form: str) -> None:
    data = FORMS[form](SOURCES[name])
    wanted = FORMS[form](SOURCES[name].replace("pipeline()", "pipeline(0)"))
    assert wanted != data
    result = planned({name: data}, DEFECT)
    assert [file.after for file in result.files] == [wanted]
    assert len(result.fixed) == 2
    assert result.report.results == ()
    assert result.notes == ()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SOURCES)
def test_a_second_run_changes_nothing(name: str, form: str) -> None:
    once = after({name: FORMS[form](SOURCES[name])}, DEFECT)
    again = planned(once, DEFECT)
    assert (again.files, again.fixed) == ((), ())


@pytest.mark.parametrize("coding", ["latin-1", "cp1252", "iso-8859-15"])
def test_the_encoding_of_a_coding_line_is_kept(coding: str) -> None:
    text = f"# -*- coding: {coding} -*-\nname = 'caf\xe9'; pipe = client.pipeline()\n"
    fixed = after({"a.py": text.encode(coding)}, DEFECT)["a.py"]
    assert fixed == text.replace("pipeline()", "pipeline(0)").encode(coding)


def test_a_fix_that_the_encoding_cannot_hold_is_left_out_with_a_remark() -> None:
    data = "# -*- coding: latin-1 -*-\nname = 'caf\xe9'; pipe = client.pipeline()\n".encode("latin-1")
    result = planned({"a.py": data}, Rule("RL201", rb"pipeline\(()\)", inserting("'\u20ac'", 1)))
    assert result.files == ()
    (note,) = result.notes
    assert note.kind is NotificationKind.NOT_FIXED
    assert note.path == "a.py"
    assert "its encoding" in note.message


def test_the_line_that_names_the_encoding_stays_where_it_counts() -> None:
    rule = Rule("RL301", rb"pipeline\(()\)", lambda path, data, found: [
        Edit(Place(path, 0, 0), "import a\nimport b\n"), Edit(Place(path, *found.span(1)), "0")
    ])  # fmt: skip
    result = planned({"a.py": b"# coding: latin-1\nname = '\xc3\xa9'; pipe = client.pipeline()\n"}, rule)
    assert result.files == ()
    assert messages(result) == [
        "RL301: its fix (Put it right) is left out: it would move the line that names the encoding."
    ]


def test_a_file_with_stray_bytes_is_left_alone_with_a_remark() -> None:
    result = planned({"a.py": b"name = 'caf\xe9'; pipe = client.pipeline()\n"}, DEFECT)
    assert result.files == ()
    assert messages(result) == ["Not fixed: not valid UTF-8 at offset 11; undecodable bytes were replaced."]


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_inserted_lines_end_as_the_lines_around_them(name: str, end: str) -> None:
    mark = "#" if name.endswith(".py") else "//"

    def edits(path: str, data: bytes, found: Found) -> list[Edit]:
        line = data.rfind(b"\n", 0, found.start()) + 1
        return [
            Edit(Place(path, line, line), f"{mark} one\n{mark} two\n"),
            Edit(Place(path, found.end() - 1, found.end() - 1), "0"),
        ]

    rule = Rule("RL301", rb"pipeline\(\)", edits)
    data = SOURCES[name].replace("\n", end).encode()
    fixed = after({name: data}, rule)[name].decode()
    assert fixed.count(f"{mark} one{end}{mark} two{end}") == 2
    assert set(re.findall(r"\r\n|\n|\r", fixed)) == {end}


def test_in_a_mixed_file_inserted_lines_end_as_their_neighbours() -> None:
    data = b"a = 1\r\nb = bad\nc = 3\r\nd = bad\r\n"

    def edits(path: str, data: bytes, found: Found) -> list[Edit]:
        return [Edit(Place(path, found.start(), found.start()), "# note\n"), Edit(Place(path, *found.span(1)), "2")]

    rule = Rule("RL301", rb"\w = (bad)", edits)
    fixed = after({"a.py": data}, rule)["a.py"]
    assert fixed == b"a = 1\r\n# note\nb = 2\nc = 3\r\n# note\r\nd = 2\r\n"


def test_a_whole_line_can_go() -> None:
    rule = Rule("RL301", rb"bad = 1\r?\n", replacing(""))
    assert after({"a.py": b"a = 1\r\nbad = 1\r\nb = 2\r\n"}, rule) == {"a.py": b"a = 1\r\nb = 2\r\n"}
    assert after({"a.py": b"bad = 1\n"}, rule) == {"a.py": b""}


# -- which fixes ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("safety", "unsafe", "applied", "more"),
    [
        (FixSafety.SAFE, False, True, False),
        (FixSafety.SAFE, True, True, False),
        (FixSafety.UNSAFE, False, False, True),
        (FixSafety.UNSAFE, True, True, False),
        (FixSafety.DISPLAY, False, False, False),
        (FixSafety.DISPLAY, True, False, False),
    ],
)
def test_safety_decides(safety: FixSafety, unsafe: bool, applied: bool, more: bool) -> None:
    wanted = Wanted(unsafe=unsafe)
    result = planned({"a.py": b"p = c.pipeline()\n"}, replace(DEFECT, safety=safety), wanted=wanted)
    assert bool(result.files) == applied
    assert any(wanted.needs_leave(each) for each in result.report.results) == more


@pytest.mark.parametrize(
    ("changes", "applied"),
    [
        ({"suppression": Suppression("inSource")}, False),
        ({"suppression": Suppression("external")}, False),
        ({"baseline": BaselineState.UNCHANGED}, False),
        ({"baseline": BaselineState.NEW}, True),
        ({"level": Level.NOTE}, False),
        ({"level": Level.ERROR}, True),
    ],
)
def test_only_open_findings_are_fixed(changes: dict[str, object], applied: bool) -> None:
    def change(report: Report) -> Report:
        results = [msgspec.structs.replace(result, **changes) for result in report.results]
        return msgspec.structs.replace(report, results=tuple(results))

    scanner = StubScanner([DEFECT], {"a.py": b"p = c.pipeline()\n"}, change=change)
    assert bool(plan(scanner, Wanted()).files) == applied


def test_notes_are_fixed_when_asked_for() -> None:
    rule = replace(DEFECT, level=Level.NOTE)
    assert planned({"a.py": b"p = c.pipeline()\n"}, rule, wanted=Wanted(notes=True)).files


# -- in each other's way --------------------------------------------------------------------------------------------


def test_of_overlapping_fixes_the_first_wins_and_the_other_sees_what_it_left() -> None:
    outer = Rule("RL102", rb"connect\(slow, (\w+)\)", lambda path, data, found: [
        Edit(Place(path, *found.span()), f"connect({found[1].decode()})")
    ])  # fmt: skip
    inner = Rule("RL103", rb"old", replacing("new"))
    files = {"a.py": b"a = connect(slow, old)\nb = old\n"}
    scanner = StubScanner([inner, outer], files)
    result = plan(scanner, Wanted())
    assert [file.after for file in result.files] == [b"a = connect(new)\nb = new\n"]
    assert [each.rule for each in result.fixed] == ["RL102", "RL103", "RL103"]
    assert scanner.scans == 3


def test_two_fixes_at_one_place_wait_for_each_other() -> None:
    """Both need an import; the second one no longer does when the first one is there."""

    def edits(path: str, data: bytes, found: Found) -> list[Edit]:
        made = [Edit(Place(path, *found.span()), "Retry()")]
        if b"import Retry" not in data:
            made.insert(0, Edit(Place(path, 0, 0), "from redis.retry import Retry\n"))
        return made

    files = {"a.py": b"import redis\na = old()\nb = old()\nc = old()\n"}
    result = planned(files, Rule("RL103", rb"old\(\)", edits))
    assert [file.after for file in result.files] == [
        b"from redis.retry import Retry\nimport redis\na = Retry()\nb = Retry()\nc = Retry()\n"
    ]
    assert len(result.fixed) == 3


def test_neighbours_that_touch_are_applied_one_after_the_other() -> None:
    files = {"a.py": b"call(onetwo)\n"}
    scanner = StubScanner([Rule("RL102", rb"one", replacing("a")), Rule("RL103", rb"two", replacing("b"))], files)
    assert [file.after for file in plan(scanner, Wanted()).files] == [b"call(ab)\n"]
    assert scanner.scans == 3


def test_the_order_of_findings_does_not_matter() -> None:
    rules = [Rule("RL102", rb"one(?=two)", replacing("a")), Rule("RL103", rb"onetwo", replacing("x"))]
    files = {"a.py": b"call(onetwo)\n"}
    assert after(files, *rules) == after(files, *reversed(rules)) == {"a.py": b"call(atwo)\n"}


# -- never worse ----------------------------------------------------------------------------------------------------

BROKEN = {
    "jobs.py": "0)) + (",
    "Jobs.java": "0)); ((",
    "Jobs.kt": "0)) + ((",
    "jobs.js": "0)) + ((",
    "jobs.ts": "0)) + ((",
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_fix_that_brings_a_syntax_error_is_left_out_and_the_others_are_applied(name: str) -> None:
    count = 0

    def edits(path: str, data: bytes, found: Found) -> list[Edit]:
        nonlocal count
        count += 1
        text = BROKEN[name] if b"other" in data[found.start() - 30 : found.start()] else "0"
        return [Edit(Place(path, *found.span(1)), text)]

    data = SOURCES[name].encode()
    result = planned({name: data}, replace(DEFECT, edits=edits))
    (file,) = result.files
    assert file.after == data.replace(b"pipeline()", b"pipeline(0)", 1)
    (note,) = result.notes
    assert note.kind is NotificationKind.INTERNAL_ERROR
    assert (note.path, note.rule) == (name, "RL201")
    assert "it would bring a syntax error" in note.message
    assert len(result.report.results) == 1, "its finding is still reported"


def test_the_culprit_among_many_is_found() -> None:
    bad = {3, 17, 40}

    def edits(path: str, data: bytes, found: Found) -> list[Edit]:
        number = int(found[1])
        return [Edit(Place(path, *found.span(2)), "((" if number in bad else "1")]

    lines = [f"a{number} = old" for number in range(64)]
    result = planned({"a.py": "\n".join(lines).encode()}, Rule("RL201", rb"a(\d+) = (old)", edits))
    (file,) = result.files
    left = [number for number, line in enumerate(file.after.decode().split("\n")) if line.endswith("old")]
    assert left == sorted(bad)
    assert len(result.notes) == 3


def test_two_fixes_that_only_together_bring_an_error() -> None:
    rule = Rule("RL201", rb"\w = (\(?)old(\)?)", lambda path, data, found: [
        Edit(Place(path, *found.span()), found[0].decode().replace("old", "new") + (" + (" if found[1] else " * 2)"))
    ])  # fmt: skip
    result = planned({"a.py": b"a = (old\n\nb = old)\n"}, rule)
    for file in result.files:
        assert file.after.count(b"(") == file.after.count(b")")


def test_a_file_that_did_not_parse_before_is_fixed_elsewhere() -> None:
    data = b"p = c.pipeline()\n\ndef broken(:\n    pass\n\nq = c.pipeline()\n"
    (file,) = planned({"a.py": data}, DEFECT).files
    assert file.after == data.replace(b"pipeline()", b"pipeline(0)")


def test_a_fix_that_would_lose_a_comment_is_left_out() -> None:
    rule = Rule("RL201", rb"pipeline\((?s:.*?)\)", replacing("pipeline(0)"))
    data = b"p = c.pipeline(  # measured: no need\n)\n"
    result = planned({"a.py": data}, rule)
    assert result.files == ()
    assert messages(result) == ["RL201: its fix (Put it right) is left out: it would lose a comment."]


@pytest.mark.parametrize(
    "edits",
    [
        pytest.param(inserting("x = 1; "), id="beside it"),
        pytest.param(replacing("old(0)"), id="within it"),
    ],
)
def test_a_fix_whose_finding_stays_is_not_applied_and_reported(edits: Edits) -> None:
    result = planned({"a.py": b"c = 1\nold()\n"}, Rule("RL201", rb"(?m)^(?:x = 1; )*old\(.*\)", edits))
    assert result.files == ()
    assert messages(result) == ["RL201: its fix (Put it right) is left out: its finding would still be there."]


def test_a_message_that_changes_does_not_hide_that_the_finding_stays() -> None:
    rule = Rule("RL201", rb"(?:x = 1; )*(old)\(\)", inserting("x = 1; "), message=lambda found: f"At {found.start(1)}.")
    assert planned({"a.py": b"c = 1\nold()\n"}, rule).files == ()


def test_the_others_are_fixed_when_one_is_without_effect() -> None:
    rules = [Rule("RL201", rb"old\(\)", inserting("x = 1; ")), DEFECT]
    result = planned({"a.py": b"old()\np = c.pipeline()\n"}, *rules)
    assert [file.after for file in result.files] == [b"old()\np = c.pipeline(0)\n"]
    assert [each.rule for each in result.fixed] == ["RL201"]
    assert len(result.notes) == 1


def test_rounds_have_an_end() -> None:
    """Every fix makes a new finding: it stops, says so, and the file is sound."""

    def words(found: Found) -> str:
        return f"Step {found[1].decode()}."

    rule = Rule("RL201", rb"step\((\d+)\)", lambda path, data, found: [
        Edit(Place(path, *found.span(1)), str(int(found[1]) + 1))
    ], message=words, title=words)  # fmt: skip
    scanner = StubScanner([rule], {"a.py": b"step(0)\n"})
    result = plan(scanner, Wanted())
    assert [file.after for file in result.files] == [f"step({MAX_ROUNDS})\n".encode()]
    (note,) = result.notes
    assert note.kind is NotificationKind.LIMIT
    assert note.message == "Fixing stopped after 10 rounds, when 1 finding could still be fixed."
    assert scanner.scans == MAX_ROUNDS + 1


def test_a_scan_that_fails_because_of_a_fix_takes_it_back() -> None:
    def change(report: Report) -> Report:
        if scanner.seen["a.py"] == b"p = c.pipeline()\n":
            return report
        note = Notification(NotificationKind.INTERNAL_ERROR, "RL104 failed.", rule="RL104")
        return Report((), (note,), ())

    scanner = StubScanner([DEFECT], {"a.py": b"p = c.pipeline()\n"}, change=change)
    result = plan(scanner, Wanted())
    assert result.files == ()
    assert messages(result) == ["RL201: its fix (Put it right) is left out: the changed file could not be analysed."]


# -- several files --------------------------------------------------------------------------------------------------


def renamed(path: str, data: bytes, found: Found) -> list[Edit]:
    """A fix of `settings.py` that `worker.py` follows."""
    return [Edit(Place(path, *found.span()), "BOUND"), Edit(Place("worker.py", 23, 28), "BOUND")]


TWO = {"settings.py": b"LIMIT = 10\n", "worker.py": b"from settings import * ;LIMIT\n", "z.py": b"p = c.pipeline()\n"}


def test_a_fix_of_several_files_is_applied_to_all_and_keeps_them_together() -> None:
    files = {**TWO, "worker.py": b"from settings import (\nLIMIT)\n"}
    result = planned(files, Rule("RL102", rb"LIMIT(?= =)", renamed), DEFECT)
    assert {file.path: file.after for file in result.files} == {
        "settings.py": b"BOUND = 10\n",
        "worker.py": b"from settings import (\nBOUND)\n",
        "z.py": b"p = c.pipeline(0)\n",
    }
    assert [[file.path for file in group] for group in result.groups()] == [["settings.py", "worker.py"], ["z.py"]]


def test_what_harms_one_of_its_files_changes_none() -> None:
    def edits(path: str, data: bytes, found: Found) -> list[Edit]:
        first, second = renamed(path, data, found)
        return [first, Edit(second.place, "((")]

    result = planned(TWO, Rule("RL102", rb"LIMIT(?= =)", edits), DEFECT)
    assert [file.path for file in result.files] == ["z.py"]
    assert len(result.notes) == 1


def test_a_finding_that_is_fixed_in_another_file_must_be_gone_as_well() -> None:
    rule = Rule("RL102", rb"LIMIT(?= =)", lambda path, data, found: [Edit(Place("z.py", 0, 1), "q")])
    result = planned(TWO, rule)
    assert result.files == ()
    assert len(result.notes) == 1


def test_results_of_the_plan_are_those_of_a_new_scan() -> None:
    files = {name: text.encode() for name, text in SOURCES.items()}
    kept = Rule("RL104", rb"jobs", replacing("x"), FixSafety.DISPLAY)
    result = planned(files, DEFECT, kept)
    fresh = StubScanner([DEFECT, kept], after(files, DEFECT, kept)).scan({})

    def told(report: Report) -> list[Result]:
        return list(report.results)

    assert told(result.report) == told(fresh)
