"""Where further items of a bracketed list go, and in which layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from resplint.facts import NONE
from resplint.findings import Edit
from resplint.spelling.files import SourceFile, Unspeakable

_LINE: Final = 100
"""Columns that a line may have, even if no other line of its file is as long."""


def appended(
    file: SourceFile, first: int, tail: int, close: int, items: Sequence[str], opened: int = NONE
) -> list[Edit]:
    """Edits that put items behind the last one of a list that ends at `tail` and is closed at `close`.

    `first` is where its last item starts, NONE for an empty list. A list that has an item on each line gets lines more,
    and a comma behind the last item stays there. Given where the list is `opened`, a line that would become longer than
    any other is broken.
    """
    if NONE in (tail, close):
        raise Unspeakable("the brackets are not known")
    if first == NONE:
        return [file.edit(tail, tail, ", ".join(items))]
    comma = file.skip_blank(tail, close)
    has_comma = file.data[comma : comma + 1] == b","
    if comma < close and not has_comma:
        raise Unspeakable("something else stands behind the last item")
    if not _own_line(file, first, tail, close):
        text = ", ".join(items)
        if not has_comma and opened != NONE and _too_long(file, tail, text):
            return [file.edit(tail, tail, f",{file.newline(tail)}{_continued(file, opened, tail)}{text}")]
        return [file.edit(comma + 1, comma + 1, f" {text},")] if has_comma else [file.edit(tail, tail, f", {text}")]
    lines = ",".join(f"{file.newline(first)}{file.indent(first)}{item}" for item in items)
    end = file.line_end(comma + 1 if has_comma else tail)
    if has_comma:
        return [file.edit(end, end, f"{lines},")]
    if end == tail:
        return [file.edit(tail, tail, f",{lines}")]
    return [file.edit(tail, tail, ","), file.edit(end, end, lines)]


def _too_long(file: SourceFile, tail: int, text: str) -> bool:
    """Whether a line gets too long with `text` in it; one that ends with a comment may be meant to."""
    line = file.text(file.line_start(tail), file.line_end(tail))
    grown = len(line) + len(f", {text}")
    return grown > max(_LINE, file.longest_line) and file.spelling.line_comment not in line


def _continued(file: SourceFile, opened: int, tail: int) -> str:
    """White space that puts an item below the others: at the start of their line, or behind the opening bracket."""
    start = file.line_start(tail)
    if opened < start:
        return file.indent(tail)
    indent = file.indent(tail)
    return indent + " " * (len(file.text(start, opened + 1)) - len(indent))


def behind(file: SourceFile, start: int, end: int, close: int, items: Sequence[str]) -> list[Edit]:
    """Edits that put items behind one that is followed by others."""
    comma = file.skip_blank(end, close)
    if file.data[comma : comma + 1] != b",":
        raise Unspeakable("something else stands behind the item")
    following = file.skip_blank(comma + 1, close)
    if file.facts.line(following) > file.facts.line(comma) and not file.data[file.line_start(start) : start].strip():
        at = file.line_end(comma + 1)
        return [file.edit(at, at, "".join(f"{file.newline(start)}{file.indent(start)}{item}," for item in items))]
    return [file.edit(comma + 1, comma + 1, "".join(f" {item}," for item in items))]


def _own_line(file: SourceFile, first: int, tail: int, close: int) -> bool:
    """Whether the last item begins a line and the closing bracket stands on a later one."""
    return not file.data[file.line_start(first) : first].strip() and file.facts.line(close) > file.facts.line(tail)
