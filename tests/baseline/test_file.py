"""The file: what is written is read again; what people and merges do to it is tolerated or refused with its place."""

from __future__ import annotations

import datetime
import json
import re
import time
from pathlib import Path

import pytest

from resplint.baseline import Baseline, Entry, Moved, current_date, load, mark, render
from resplint.baseline.reading import SIZE_LIMIT
from resplint.contracts.errors import UserError
from resplint.contracts.findings import BaselineState, Level, Precision, Region, Result
from resplint.results.fingerprints import CODE_KEY

HEADER = '{"resplint-baseline": 1}\n'


def entry(path: str = "a.py", **changes: object) -> Entry:
    fields = {
        "path": path, "rule": "RL104", "symbol": "f", "code": "call()", "level": Level.ERROR,
        "precision": Precision.HIGH, "fingerprint": "0" * 32,
    }  # fmt: skip
    return Entry(**{**fields, **changes})  # type: ignore[arg-type]


def line(**changes: object) -> str:
    fields = {
        "path": "a.py", "rule": "RL104", "symbol": "f", "code": "call()", "level": "error", "precision": "high",
        "fingerprint": "0" * 32,
    }  # fmt: skip
    return json.dumps({**fields, **changes}) + "\n"


def write(folder: Path, text: str | bytes) -> Path:
    file = folder / "base.jsonl"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


FULL = entry(
    "dir é/日本.py",
    symbol="Ä.b",
    code='x("\u202e\x1b[31m\n")',
    nth=2,
    reason='until "v2" \u2028 & co',
    expires=datetime.date(2030, 2, 28),
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    written = [entry(), FULL, entry("not-utf8-\udcff.py"), entry(level=Level.NOTE, rule="RL102")]
    read = load(str(write(tmp_path, render(written))))
    assert sorted(read.entries, key=Entry.identity) == sorted(written, key=Entry.identity)
    assert read.lines[FULL.identity()] == 4


def test_an_entry_is_a_line_that_people_can_read(tmp_path: Path) -> None:
    header, first, second = render([FULL, entry()]).decode().splitlines()
    assert json.loads(header) == {"resplint-baseline": 1}
    assert list(json.loads(first)) == ["path", "rule", "symbol", "code", "level", "precision", "fingerprint"]
    assert json.loads(second)["expires"] == "2030-02-28"
    # Nothing that steers a terminal or turns the text round in a review.
    assert second.isprintable()
    (umlaut,) = render([entry("größe.py")]).decode().splitlines()[1:]
    assert '"größe.py"' in umlaut


def test_the_order_of_writing_does_not_depend_on_that_of_entries() -> None:
    some = [entry(f"{name}.py", rule=rule) for name in "cab" for rule in ("RL2", "RL1")]
    assert render(some) == render(some[::-1])
    paths = [json.loads(text)["path"] for text in render(some).decode().splitlines()[1:]]
    assert paths == sorted(paths)


def test_order_blank_lines_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    mixed = "\ufeff\n" + line(path="z.py") + "\n" + line() + HEADER
    read = load(str(write(tmp_path, mixed.replace("\n", "\r\n"))))
    assert [each.path for each in read.entries] == ["a.py", "z.py"]
    assert read.lines[read.entries[0].identity()] == 4


@pytest.mark.parametrize("swap", [False, True])
def test_of_equal_entries_the_one_with_a_reason_counts(tmp_path: Path, swap: bool) -> None:
    lines = [line(), line(reason="agreed", expires="2030-01-01")]
    (kept,) = load(str(write(tmp_path, HEADER + "".join(lines[::-1] if swap else lines)))).entries
    assert (kept.reason, kept.expires) == ("agreed", datetime.date(2030, 1, 1))


@pytest.mark.parametrize("swap", [False, True])
def test_of_two_dates_the_sooner_counts(tmp_path: Path, swap: bool) -> None:
    lines = [line(expires="2030-01-01"), line(expires="2029-12-31")]
    (kept,) = load(str(write(tmp_path, HEADER + "".join(lines[::-1] if swap else lines)))).entries
    assert kept.expires == datetime.date(2029, 12, 31)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", ":1", r'not a baseline: expected \{"resplint-baseline": 1\} as its first line'),
        (line(), ":1", "not a baseline"),
        (HEADER + line() + "{", ":3", "Input data was truncated"),
        (HEADER + "[]\n", ":2", "Expected `object`, got `array`"),
        (HEADER + "null\n", ":2", "Expected `object`, got `null`"),
        (HEADER + line() + line(reson="x"), ":3", "unknown field `reson`"),
        (HEADER + line(path=1), ":2", r"Expected `str`, got `int` - at `\$.path`"),
        (HEADER + line(path=""), ":2", "length >= 1"),
        (HEADER + line(nth=0), ":2", ">= 1"),
        (HEADER + line(level="fatal"), ":2", "Invalid enum value"),
        (HEADER + line(expires="1.1.2030"), ":2", r"at `\$.expires`"),
        (HEADER + line(expires="2030-02-30"), ":2", r"at `\$.expires`"),
        (HEADER + '{"path": "a.py"}\n', ":2", "missing required field `rule`"),
        ('{"resplint-baseline": 2}\n', ":1", "a baseline of version 2, but this resplint reads version 1"),
        ('{"resplint-baseline": true}\n', ":1", "a baseline of version True"),
        ('{"resplint-baseline": "\x1b[31m"}\n', ":1", "Invalid control character"),
        (HEADER + "[" * 100_000 + "\n", ":2", "not an entry"),
        (HEADER + '{"path": ' + "[" * 100_000 + "\n", ":2", "not an entry"),
        (HEADER + "<<<<<<< HEAD\n" + line() + "=======\n>>>>>>> main\n", ":2", "a merge conflict is not resolved"),
        (HEADER + line() + "||||||| 1234567\n", ":3", "a merge conflict is not resolved"),
        (HEADER + line() + "=======\r\n", ":3", "a merge conflict is not resolved"),
        (HEADER + line() + ">>>>>>> feature/x\n", ":3", "a merge conflict is not resolved"),
    ],
)
def test_mistakes_are_told_with_their_line_and_a_remedy(tmp_path: Path, text: str, where: str, what: str) -> None:
    file = write(tmp_path, text)
    with pytest.raises(UserError) as caught:
        load(str(file))
    message = str(caught.value)
    assert message.startswith(f"{file}{where}: ")
    assert re.search(what, message)
    assert "'resplint baseline'" in message
    assert message.isprintable()


def test_bytes_that_are_no_text_are_told_too(tmp_path: Path) -> None:
    for data in (b'{"path": "\xff\xfe"}\n', b"\xff\xfe{\0}\0", b"\0" * 100, b"\x1f\x8b\x08 compressed"):
        with pytest.raises(UserError, match=r"base\.jsonl:2: not an entry"):
            load(str(write(tmp_path, HEADER.encode() + data)))


def test_no_file_no_regular_file_and_a_huge_one(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist; 'resplint baseline' writes a baseline"):
        load(str(tmp_path / "none.jsonl"))
    with pytest.raises(UserError, match="is a folder"):
        load(str(tmp_path))
    huge = tmp_path / "huge.jsonl"
    with huge.open("wb") as stream:
        stream.truncate(SIZE_LIMIT + 1)
    with pytest.raises(UserError, match="is larger than 200,000,000 bytes"):
        load(str(huge))


# -- many entries ---------------------------------------------------------------------------------------------------


class Ground:
    """A scan that covers everything."""

    root = "/project"
    scanned = ("/",)

    def moved(self, trace: object) -> Moved:
        return Moved.GONE

    def covers(self, covered: Entry, *, broad: bool) -> bool:
        return broad

    def asks_about(self, path: str) -> bool:
        return True


def test_100_000_entries_are_read_and_matched_quickly(tmp_path: Path) -> None:
    """About 0.8 s; the bound leaves room for slow machines, and none for anything quadratic."""
    many = [entry(f"app/{n % 97}/m{n % 2003}.py", fingerprint=f"{n:032x}") for n in range(100_000)]
    results = [
        Result(one.rule, one.level, one.precision, "M.", one.path, Region(1, 1, 1, 2), one.symbol, (), (),
               {CODE_KEY: one.fingerprint})
        for one in many
    ]  # fmt: skip
    file = write(tmp_path, render(many))
    started = time.process_time()
    read = load(str(file))
    marked = mark(
        results, Baseline("/project/b.jsonl", read.entries, lines=read.lines), Ground(), lambda: datetime.date.max
    )
    assert time.process_time() - started < 4
    assert all(one.baseline is BaselineState.UNCHANGED for one in marked.results)
    assert marked.remarks == ()


def test_of_many_unused_entries_some_are_named_and_the_others_counted() -> None:
    many = tuple(entry(f"{n:05}.py") for n in range(3_000))
    remarks = mark([], Baseline("/project/b.jsonl", many), Ground(), lambda: datetime.date.max).remarks
    assert len(remarks) == 1_001
    assert any("2,000 more entries" in remark.message for remark in remarks)


# -- what day it is -------------------------------------------------------------------------------------------------


def test_the_day_can_be_given_from_outside() -> None:
    assert current_date({"SOURCE_DATE_EPOCH": "0"}) == datetime.date(1970, 1, 1)
    assert current_date({"SOURCE_DATE_EPOCH": "1767225599"}) == datetime.date(2025, 12, 31)
    assert abs(current_date({}) - datetime.datetime.now(datetime.timezone.utc).date()) <= datetime.timedelta(1)


@pytest.mark.parametrize("value", ["soon", "1e400", "9" * 30, "\x1b[31m"])
def test_a_day_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(UserError, match="SOURCE_DATE_EPOCH") as caught:
        current_date({"SOURCE_DATE_EPOCH": value})
    assert str(caught.value).isprintable()
