"""Code frames: source lines with line numbers and a mark under the region they are about."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from resplint.contracts.findings import Region, SourceLine
from resplint.output.escape import escape_character
from resplint.output.page import Page, Segment, cell_width

_TAB = 4
_DEFAULT_CELLS = 160
_LEAD_IN = 30
_ELLIPSIS = "…"


class Mark(msgspec.Struct, frozen=True):
    """How a region is marked: the character drawn under it and the style it has."""

    character: str
    style: str


class _Row(msgspec.Struct, frozen=True):
    """A source line as printed, and the cells between which its marked part lies (`end` exclusive)."""

    text: str
    start: int
    end: int


class _Frame(msgspec.Struct, frozen=True):
    """Where and how to draw: `gutter` cells for line numbers, `room` cells for code."""

    page: Page
    region: Region
    mark: Mark
    gutter: int
    room: int

    def code(self, number: int, *segments: Segment) -> None:
        self.page.add((f"{number:>{self.gutter}} | ", "gutter"), *segments)

    def beside(self, *segments: Segment) -> None:
        self.page.add((" " * self.gutter + " | ", "gutter"), *segments)

    def row(self, line: SourceLine, start: int = 1, end: int = 1) -> _Row:
        return _row(line.text, start, end, self.room)


def frame(page: Page, lines: Sequence[SourceLine], region: Region, mark: Mark, gutter: int, width: int | None) -> None:
    """Add `lines` to `page` with `region` marked.

    `gutter` is the width of the column of line numbers, `width` that of the terminal or None. Lines too long
    for it are cropped around the region's start. A region that goes beyond `lines` is marked as going on.
    """
    room = max(20, (width or _DEFAULT_CELLS) - gutter - 5)
    canvas = _Frame(page, region, mark, gutter, room)
    canvas.beside()
    if region.start_line == region.end_line:
        _single(canvas, lines)
    else:
        _spanning(canvas, lines)


def _single(canvas: _Frame, lines: Sequence[SourceLine]) -> None:
    region, mark = canvas.region, canvas.mark
    for line in lines:
        if line.number != region.start_line:
            canvas.code(line.number, (canvas.row(line).text, ""))
            continue
        row = canvas.row(line, region.start_column, region.end_column)
        canvas.code(line.number, (row.text, ""))
        canvas.beside((" " * row.start + mark.character * max(1, row.end - row.start), mark.style))


def _spanning(canvas: _Frame, lines: Sequence[SourceLine]) -> None:
    """Mark a region of several lines by a stroke along its left side."""
    region, mark = canvas.region, canvas.mark
    for line in lines:
        if line.number == region.start_line:
            row = canvas.row(line, region.start_column, region.start_column)
            if row.text[: row.start].strip():
                canvas.code(line.number, ("  " + row.text, ""))
                canvas.beside((" " + "_" * (row.start + 1) + mark.character, mark.style))
            else:
                canvas.code(line.number, ("/ ", mark.style), (row.text, ""))
        elif line.number == region.end_line:
            row = canvas.row(line, 1, region.end_column)
            canvas.code(line.number, ("| ", mark.style), (row.text, ""))
            canvas.beside(("|" + "_" * max(1, row.end) + mark.character, mark.style))
        else:
            side: Segment = ("| ", mark.style) if region.start_line < line.number < region.end_line else ("  ", "")
            canvas.code(line.number, side, (canvas.row(line).text, ""))
    if lines and lines[-1].number < region.end_line:
        left = region.end_line - lines[-1].number
        canvas.beside(("| ", mark.style), (f"{_ELLIPSIS} {left:,} more line{'s' if left > 1 else ''}", "faint"))


def _row(text: str, start_column: int, end_column: int, room: int) -> _Row:
    """Lay out a line: tabs expanded, unsafe characters visible, cropped to `room` cells."""
    first = _index(text, start_column)
    last = max(first, _index(text, end_column))
    # Crop by characters before anything is measured: a minified line may hold megabytes.
    lead_in = min(_LEAD_IN, room // 3)
    begin = first - lead_in if first > room - lead_in and len(text) > room else 0
    printed = _ELLIPSIS if begin > 0 else ""
    at = len(printed)
    start = end = at
    cropped = False
    for index in range(begin, len(text)):
        shown, width = _shown(text, index, at)
        if at + width > room - 1 and (at + width > room or index + 1 < len(text)):
            cropped = True
            break
        printed += shown
        at += width
        if index < first:
            start = at
        if index < last:
            end = at
    return _Row(printed + _ELLIPSIS if cropped else printed, start, max(start, end))


def _shown(text: str, index: int, at: int) -> tuple[str, int]:
    """What to print for the character at `index`, which begins at cell `at`, and its cells."""
    character = text[index]
    if character == "\t":
        width = _TAB - at % _TAB
        return " " * width, width
    safe = escape_character(text, index)
    return safe, cell_width(character) if safe == character else len(safe)


def _index(text: str, column: int) -> int:
    """The index of the character at a UTF-16 column."""
    units = column - 1
    if text.isascii():
        return min(units, len(text))
    if units > len(text.encode("utf-16-le", "surrogatepass")) // 2:
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "replace"))
