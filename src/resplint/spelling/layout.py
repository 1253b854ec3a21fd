"""Where further items of a bracketed list go, and in which layout."""

from __future__ import annotations

from resplint.facts import NONE
from resplint.findings import Edit
from resplint.spelling.files import SourceFile, Unspeakable


def appended(file: SourceFile, first: int, tail: int, close: int, text: str) -> list[Edit]:
    """Edits that put an item behind the last one of a list that ends at `tail` and is closed at `close`.

    `first` is where its last item starts, NONE for an empty list. A list that has an item on each line gets one line
    more, and a comma behind the last item stays there.
    """
    if NONE in (tail, close):
        raise Unspeakable("the brackets are not known")
    if first == NONE:
        return [file.edit(tail, tail, text)]
    comma = file.skip_blank(tail, close)
    has_comma = file.data[comma : comma + 1] == b","
    if comma < close and not has_comma:
        raise Unspeakable("something else stands behind the last item")
    if not _own_line(file, first, tail, close):
        return [file.edit(comma + 1, comma + 1, f" {text},")] if has_comma else [file.edit(tail, tail, f", {text}")]
    line = f"{file.newline(first)}{file.indent(first)}{text}{',' if has_comma else ''}"
    behind = comma + 1 if has_comma else tail
    end = file.line_end(behind)
    if has_comma:
        return [file.edit(end, end, line)]
    if end == tail:
        return [file.edit(tail, tail, f",{line}")]
    return [file.edit(tail, tail, ","), file.edit(end, end, line)]


def _own_line(file: SourceFile, first: int, tail: int, close: int) -> bool:
    """Whether the last item begins a line and the closing bracket stands on a later one."""
    return not file.data[file.line_start(first) : first].strip() and file.facts.line(close) > file.facts.line(tail)
