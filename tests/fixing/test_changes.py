"""Texts that are edited and written back, against a plain account of what should come out."""

from __future__ import annotations

import codecs
import random
import re

import pytest

from resplint.contracts.findings import Edit, Finding, Fix, FixSafety, Level, Place, Precision, Region
from resplint.files.editable import EditableText, editable
from resplint.files.source import DecodedSource, decode
from resplint.fixing.changes import Change, ChangeSet, Shift, changed
from resplint.results.locate import locate

CHARACTERS = [
    "a",
    "b",
    " ",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "\u00e9",
    "\u20ac",
    "\U0001f511",
    "e\u0301",
    "\u2028",
    "\f",
]
LATIN = ["a", "b", " ", "\t", "\n", "\r\n", "\r", "\u00e9", "\xa0"]
FORMS = {
    "utf-8": lambda text: text.encode(),
    "utf-8 with mark": lambda text: codecs.BOM_UTF8 + text.encode(),
    "utf-16": lambda text: codecs.BOM_UTF16_LE + text.encode("utf-16-le"),
    "latin-1": lambda text: b"# coding: latin-1\n" + text.encode("latin-1"),
}


def random_text(chance: random.Random, characters: list[str], length: int) -> str:
    return "".join(chance.choice(characters) for _ in range(chance.randrange(length)))


def unified(text: str) -> str:
    return re.sub(r"\r\n|\r", "\n", text)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("seed", range(40))
def test_edits_do_to_a_file_what_they_say(seed: int, form: str) -> None:
    """Edits in bytes of the normalised text, located, applied to the file as it is written, and normalised again."""
    chance = random.Random(seed)
    characters = LATIN if form == "latin-1" else CHARACTERS
    # A CR before a LF of another piece would be one line end.
    data = FORMS[form](re.sub(r"\r(?=\n)", " \r", random_text(chance, characters, 60)))
    source = decode(data, "python")
    assert isinstance(source, DecodedSource)
    text = source.data.decode()
    # Places between whole characters and line ends, behind the line that names the encoding.
    stops = [0, *(found.end() for found in re.finditer(r"\r\n|(?s:.)", text))]
    stops = [stop for stop in stops if stop >= text.find("latin-1\n") + 8 or form != "latin-1"]
    spans = sorted(chance.sample(range(len(stops)), k=min(len(stops), 2 * chance.randrange(1, 4)) // 2 * 2))
    pairs = [(stops[first], stops[last]) for first, last in zip(spans[::2], spans[1::2], strict=True)]
    news = [random_text(chance, characters, 5) for _ in pairs]
    expected, edits = text, []
    for (start, end), new in reversed(list(zip(pairs, news, strict=True))):
        expected = expected[:start] + new + expected[end:]
        edits.append(Edit(Place("a.py", len(text[:start].encode()), len(text[:end].encode())), new))
    if not edits or unified(expected) == unified(text):
        return
    finding = Finding(
        "RL101", Level.NOTE, Precision.LOW, "A.", Place("a.py", 0, 0), fix=Fix("B", FixSafety.SAFE, tuple(edits))
    )
    (result,) = locate([finding], {"a.py": data}.get, lambda path: "python")
    whole = editable(data, "python")
    assert isinstance(whole, EditableText)
    assert result.fix is not None
    changes = [Change(*whole.span(edit.region), edit.text) for edit in result.fix.edits]
    after = decode(whole.encode(changed(whole.text, changes)), "python")
    assert isinstance(after, DecodedSource)
    assert unified(after.data.decode()) == unified(expected)
    assert after.encoding == source.encoding


@pytest.mark.parametrize("seed", range(40))
def test_places_move_with_their_characters(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chr(0x100 + number) for number in range(40))  # each character stands once
    stops = sorted(chance.sample(range(41), k=2 * chance.randrange(1, 6)))
    changes = [
        Change(start, chance.choice([start, end]), "x" * chance.randrange(4))
        for start, end in zip(stops[::2], stops[1::2], strict=True)
    ]
    after, shift = changed(text, changes), Shift(changes)
    for offset, character in enumerate(text):
        low, high = shift.range(offset)
        assert 0 <= low <= high <= len(after)
        if character in after:
            assert low <= after.index(character) <= high
        if not any(change.start <= offset <= change.end for change in changes):
            assert low == high


@pytest.mark.parametrize(
    ("taken", "asked", "free"),
    [
        ([(2, 4)], (5, 6), True),
        ([(2, 4)], (4, 6), False),
        ([(2, 4)], (0, 1), True),
        ([(2, 4)], (0, 2), False),
        ([(2, 4)], (2, 2), False),
        ([(2, 4)], (3, 3), False),
        ([(2, 2)], (2, 2), False),
        ([(2, 2)], (1, 3), False),
        ([(0, 9)], (3, 4), False),
        ([(1, 2), (8, 9)], (4, 6), True),
        ([(1, 2), (8, 9)], (4, 8), False),
    ],
)
def test_what_touches_has_no_room(taken: list[tuple[int, int]], asked: tuple[int, int], free: bool) -> None:
    changes = ChangeSet()
    for start, end in taken:
        changes.add(Change(start, end, "x"))
    assert changes.has_room(Change(*asked, "y")) == free


@pytest.mark.parametrize("text", ["", "a", "a\n", "\U0001f511a\r\n\u00e9b\rc\n", "\n\n", "\r\n\r"])
def test_every_place_of_a_text_is_found(text: str) -> None:
    whole = editable(text.encode(), "java")
    assert isinstance(whole, EditableText)
    line, column = 1, 1
    for at, character in enumerate(text):
        assert whole.offset(line, column) == at
        assert whole.span(Region(line, column, line, column)) == (at, at)
        column += len(character.encode("utf-16-le")) // 2
        if character == "\n" or (character == "\r" and text[at + 1 : at + 2] != "\n"):
            line, column = line + 1, 1
    assert whole.offset(line, column) == whole.offset(line + 5, 1) == len(text)
