"""Bytes become text with lines and columns, or a reason why not."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resplint.contracts.findings import Region
from resplint.files.source import DecodedSource, LineIndex, Undecodable, decode, is_minified

TEXTS = st.text(st.sampled_from("ab \t\n\r\f\x0b\x85\u2028é日🎉\u0301\ufeff"), max_size=60)


def decoded(data: bytes, language: str = "python") -> DecodedSource:
    source = decode(data, language)
    assert isinstance(source, DecodedSource)
    return source


@pytest.mark.parametrize(
    ("data", "language", "text", "encoding"),
    [
        (b"", "python", "", "utf-8"),
        ("x = 'é'\n".encode(), "java", "x = 'é'\n", "utf-8"),
        (b"\xef\xbb\xbfx = 1\n", "python", "x = 1\n", "utf-8"),
        (b"\xef\xbb\xbf# coding: utf-8\n", "python", "# coding: utf-8\n", "utf-8"),
        ("\ufeffx = '🎉'\n".encode("utf-16-le"), "java", "x = '🎉'\n", "utf-16-le"),
        ("\ufeffx = '🎉'\n".encode("utf-16-be"), "python", "x = '🎉'\n", "utf-16-be"),
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "python", None, "iso8859-1"),
        ("#!é\n# vim: set fileencoding=latin-1 :\nx = 'é'\n".encode("latin-1"), "python", None, "iso8859-1"),
        ("# coding: cp1252\rx = '€'\r".encode("cp1252"), "python", "# coding: cp1252\nx = '€'\n", "cp1252"),
        ("# coding: shift_jis\nx = '日本'\n".encode("shift_jis"), "python", None, "shift_jis"),
    ],
)
def test_readable(data: bytes, language: str, text: str | None, encoding: str) -> None:
    source = decoded(data, language)
    expected = data.decode(encoding) if text is None else text
    assert source == DecodedSource(expected.encode(), encoding, "")


@pytest.mark.parametrize(
    ("data", "language", "text", "problem"),
    [
        (b"x = '\xe9'\n", "python", "x = '\ufffd'\n", "not valid UTF-8 at offset 5"),
        (b"x = 1 # \xe6\x97", "python", "x = 1 # \ufffd", "not valid UTF-8 at offset 8"),
        (b"\xc0\x80", "java", "\ufffd\ufffd", "not valid UTF-8"),
        (b"\xed\xa0\x80", "java", "\ufffd" * 3, "not valid UTF-8"),
        (b"\xff\xfea\0\x00\xd8", "java", "a\ufffd", "not valid UTF-16-LE"),
        (
            b"# coding: ascii\n'\xe9'\n",
            "python",
            "# coding: ascii\n'\ufffd'\n",
            "not valid ASCII at offset 17",
        ),
        (b"# coding: klingon\nx = 1\n", "python", None, "unknown source encoding 'klingon'"),
        (
            b"# coding: unicode_escape\nx = 1 # \\n",
            "python",
            None,
            "unknown source encoding 'unicode_escape'",
        ),
        (b"# coding: utf-16\nx = 1\n", "python", None, "unknown source encoding 'utf-16'"),
        (b"# coding: rot13\nx = 1\n", "python", None, "unknown source encoding 'rot13'"),
        (b"# coding: cp037\nx = 1\n", "python", None, "unknown source encoding 'cp037'"),
        (
            b"\xef\xbb\xbf# coding: latin-1\n",
            "python",
            "# coding: latin-1\n",
            "byte-order mark of UTF-8, but",
        ),
    ],
)
def test_partly_readable_says_why(data: bytes, language: str, text: str | None, problem: str) -> None:
    source = decoded(data, language)
    assert source.data.decode() == (data.decode() if text is None else text)
    assert source.problem.startswith(problem)


@pytest.mark.parametrize("offset", [0, 4095, 5000])
def test_nul_means_binary(offset: int) -> None:
    data = b"x" * offset + b"\0" + b"y" * 10
    assert decode(data, "python") == Undecodable(f"binary: NUL byte at offset {offset}")


def test_utf_32_is_binary_and_not_garbage() -> None:
    assert isinstance(decode("\ufeffx = 1".encode("utf-32-le"), "python"), Undecodable)


def test_a_coding_line_counts_in_python_and_in_its_first_two_lines_only() -> None:
    latin = "# coding: latin-1\n'é'".encode("latin-1")
    assert decoded(latin, "java").problem
    assert decoded(b"\n\n" + latin).problem
    assert decoded(b"import os\n" + latin).problem
    assert not decoded(b"\n" + latin).problem


@given(st.binary(max_size=200), st.sampled_from(["python", "java"]))
def test_any_bytes_become_valid_text_or_a_reason(data: bytes, language: str) -> None:
    source = decode(data, language)
    if isinstance(source, Undecodable):
        assert source.reason
    else:
        source.data.decode("utf-8", "strict")
        assert b"\0" not in source.data


@given(TEXTS)
def test_positions_are_those_of_a_plain_walk(text: str) -> None:
    """Line and UTF-16 column of every character, found by walking the text once."""
    index = LineIndex(text.encode())
    line, column, offset = 1, 1, 0
    for position, character in enumerate(text):
        # The LF of a CRLF stands inside a line end, which has no column of its own.
        inside = character == "\n" and text[position - 1 : position] == "\r"
        if not inside:
            assert index.position(offset) == (line, column)
        offset += len(character.encode())
        if character == "\n" or (character == "\r" and text[position + 1 : position + 2] != "\n"):
            line, column = line + 1, 1
        elif character != "\r":
            column += 2 if ord(character) > 0xFFFF else 1
    assert index.position(offset) == (line, column)
    assert index.line_count == line


@given(TEXTS, st.data())
def test_a_region_cuts_out_its_text(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    index = LineIndex(text.encode())
    region = index.region(len(text[:start].encode()), len(text[:end].encode()))
    lines = [index.line_text(n).encode("utf-16-le") for n in range(region.start_line, region.end_line + 1)]
    lines[-1] = lines[-1][: 2 * (region.end_column - 1)]
    lines[0] = lines[0][2 * (region.start_column - 1) :]
    found = "\n".join(line.decode("utf-16-le") for line in lines)
    expected = text[start:end].replace("\r\n", "\n").replace("\r", "\n")
    # A line end at the edge of a stretch belongs to no line that the region would have to reach into.
    assert found.strip("\n") == expected.strip("\n")
    assert region.start_line <= region.end_line


@pytest.mark.parametrize("seed", range(40))
def test_columns_in_long_lines(seed: int) -> None:
    generator = random.Random(seed)
    text = "".join(generator.choices("aé日🎉", k=generator.randint(500, 900)))
    index = LineIndex(b"\xc3\xa9\n" + text.encode())
    for at in (0, len(text), *(generator.randrange(len(text)) for _ in range(20))):
        column = len(text[:at].encode("utf-16-le")) // 2 + 1
        assert index.position(3 + len(text[:at].encode())) == (2, column)


def test_line_ends() -> None:
    index = LineIndex("a\nb\r\nc\rd\fe\u2028f\x85g\x0bh\n".encode())
    assert [index.line_text(n) for n in range(1, index.line_count + 1)] == [
        "a",
        "b",
        "c",
        "d\fe\u2028f\x85g\x0bh",
        "",
    ]
    assert index.line_text(0) == index.line_text(6) == ""


def test_the_byte_order_mark_is_not_part_of_a_column() -> None:
    source = decoded(b"\xef\xbb\xbfx = 1\n")
    assert LineIndex(source.data).position(source.data.index(b"=")) == (1, 3)


def test_a_region_does_not_reach_into_a_line_of_which_it_holds_nothing() -> None:
    assert LineIndex(b"ab\ncd\n").region(0, 3) == Region(1, 1, 1, 3)


def test_offsets_outside_the_text_or_inside_a_character_are_moved() -> None:
    index = LineIndex("a日b".encode())
    assert index.position(-5) == (1, 1)
    assert index.position(99) == (1, 4)
    assert index.region(2, 3) == Region(1, 2, 1, 3)


def test_many_positions_in_one_long_line_take_no_quadratic_time() -> None:
    """Half a million units; 20,000 look-ups that each decoded the line up to there would take minutes."""
    index = LineIndex(("é;" * 250_000).encode())
    rng = random.Random(0)
    for _ in range(20_000):
        unit = rng.randrange(500_000)
        assert index.position(unit // 2 * 3 + unit % 2 * 2) == (1, unit + 1)


def test_minified_code_is_seen() -> None:
    assert is_minified(b"var a=function(b){return b.c(d)};" * 100)
    assert is_minified(b"x = 1; " * 1000)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x" * 1000,
        b'"""' + b"A long line of prose in a docstring. " * 41 + b'"""\n\nimport redis\n\n\nclient = redis.Redis()\n',
        b"import redis\n\n\ndef f():\n    return redis.Redis()\n" * 100,
        ("# " + "这是一个很长的注释行没有任何空格" * 4 + "\n").encode() * 40,
        b"a\rb = 1\r" * 500,
    ],
    ids=["empty", "small", "long docstring", "plain", "chinese", "cr"],
)
def test_code_that_people_wrote_is_not_minified(data: bytes) -> None:
    assert not is_minified(data)
