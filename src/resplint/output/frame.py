"""Code frames: source lines with line numbers and marks under the regions they are about."""

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


class Marked(msgspec.Struct, frozen=True):
    """A region of one line, beside that of the frame, and how it is marked."""

    region: Region
    mark: Mark


class _Row(msgspec.Struct, frozen=True):
    """A source line as printed, and the cells between which its marked parts lie (ends exclusive).

    Parts that were cropped away have no cells.
    """

    text: str
    spans: tuple[tuple[int, int], ...]

    @property
    def start(self) -> int:
        return self.spans[0][0]

    @property
    def end(self) -> int:
        return self.spans[0][1]


class _Frame(msgspec.Struct, frozen=True):
    """Where and how to draw: `gutter` cells for line numbers, `room` cells for code."""

    page: Page
    region: Region
    mark: Mark
    gutter: int
    room: int
    others: Sequence[Marked]

    def code(self, number: int, *segments: Segment) -> None:
        self.page.add((f"{number:>{self.gutter}} | ", "gutter"), *segments)

    def beside(self, *segments: Segment) -> None:
        self.page.add((" " * self.gutter + " | ", "gutter"), *segments)

    def row(self, line: SourceLine, start: int = 1, end: int = 1) -> _Row:
        return _row(line.text, [(start, end)], self.room)

    def on(self, number: int) -> list[Marked]:
        """The other regions of a line."""
        return [one for one in self.others if one.region.start_line == number]

    def marks(self, line: SourceLine, regions: Sequence[Marked], *side: Segment) -> None:
        """A row of marks under a line, if there are any; a shorter region's mark covers a longer one's."""
        if not regions:
            return
        first = regions[0].region.start_column
        columns = [(one.region.start_column, one.region.end_column) for one in regions]
        spans = _row(line.text, [(first, first), *columns], self.room).spans[1:]
        self.beside(*side, *_underline(spans, [one.mark for one in regions]))


def frame(
    page: Page, lines: Sequence[SourceLine], region: Region, mark: Mark, gutter: int, width: int | None,
    others: Sequence[Marked] = (), *, spaced: bool = True,
) -> None:  # fmt: skip
    """Add `lines` to `page` with `region` marked, and `others` that begin on these lines; an empty row in front if
    `spaced`.

    `gutter` is the width of the column of line numbers, `width` that of the terminal or None. Lines too long
    for it are cropped around the region's start. A region that goes beyond `lines` is marked as going on.
    """
    room = max(20, (width or _DEFAULT_CELLS) - gutter - 5)
    canvas = _Frame(page, region, mark, gutter, room, others)
    if spaced:
        canvas.beside()
    if region.start_line == region.end_line:
        _single(canvas, lines)
    else:
        _spanning(canvas, lines)


def _single(canvas: _Frame, lines: Sequence[SourceLine]) -> None:
    region, mark = canvas.region, canvas.mark
    for line in lines:
        others = canvas.on(line.number)
        if line.number != region.start_line:
            start = others[0].region.start_column if others else 1
            canvas.code(line.number, (canvas.row(line, start, start).text, ""))
            canvas.marks(line, others)
            continue
        row = canvas.row(line, region.start_column, region.end_column)
        canvas.code(line.number, (row.text, ""))
        canvas.marks(line, [Marked(region, mark), *others])


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
            canvas.marks(line, canvas.on(line.number), ("| ", mark.style))
        elif line.number == region.end_line:
            row = canvas.row(line, 1, region.end_column)
            canvas.code(line.number, ("| ", mark.style), (row.text, ""))
            canvas.beside(("|" + "_" * max(1, row.end) + mark.character, mark.style))
            canvas.marks(line, canvas.on(line.number), ("  ", ""))
        else:
            side: Segment = ("| ", mark.style) if region.start_line < line.number < region.end_line else ("  ", "")
            canvas.code(line.number, side, (canvas.row(line).text, ""))
            canvas.marks(line, canvas.on(line.number), side)
    if lines and lines[-1].number < region.end_line:
        left = region.end_line - lines[-1].number
        canvas.beside(("| ", mark.style), (f"{_ELLIPSIS} {left:,} more line{'s' if left > 1 else ''}", "faint"))


def _underline(spans: Sequence[tuple[int, int]], marks: Sequence[Mark]) -> list[Segment]:
    """Marks under the cells of `spans`, the longest span first, so that shorter ones stay visible."""
    cells: dict[int, Mark] = {}
    drawn = sorted(zip(spans, marks, strict=True), key=lambda pair: pair[0][0] - pair[0][1])
    for (start, end), mark in drawn:
        cells.update(dict.fromkeys(range(start, max(start + 1, end)), mark))
    segments: list[Segment] = []
    at = 0
    for cell, mark in sorted(cells.items()):
        if cell > at:
            segments.append((" " * (cell - at), ""))
        segments.append((mark.character, mark.style))
        at = cell + 1
    return _joined(segments)


def _joined(segments: Sequence[Segment]) -> list[Segment]:
    """Segments with neighbours of one style made one."""
    joined: list[Segment] = []
    for text, style in segments:
        if joined and joined[-1][1] == style:
            joined[-1] = (joined[-1][0] + text, style)
        else:
            joined.append((text, style))
    return joined


def _row(text: str, columns: Sequence[tuple[int, int]], room: int) -> _Row:
    """Lay out a line: tabs expanded, unsafe characters visible, cropped to `room` cells around the first of the
    `columns` to mark.
    """
    parts = [(_index(text, start), _index(text, end)) for start, end in columns]
    first = parts[0][0]
    # Crop by characters before anything is measured: a minified line may hold megabytes.
    lead_in = min(_LEAD_IN, room // 3)
    begin = first - lead_in if first > room - lead_in and len(text) > room else 0
    printed = _ELLIPSIS if begin > 0 else ""
    at = len(printed)
    starts, ends = [at] * len(parts), [at] * len(parts)
    cropped = False
    for index in range(begin, len(text)):
        shown, width = _shown(text, index, at)
        if at + width > room - 1 and (at + width > room or index + 1 < len(text)):
            cropped = True
            break
        printed += shown
        at += width
        for number, (start, end) in enumerate(parts):
            if index < start:
                starts[number] = at
            if index < max(start, end):
                ends[number] = at
    spans = tuple((start, max(start, end)) for start, end in zip(starts, ends, strict=True))
    return _Row(printed + _ELLIPSIS if cropped else printed, spans)


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
