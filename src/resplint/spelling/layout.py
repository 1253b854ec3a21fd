"""Where further items of a bracketed list go, and in which layout."""

from __future__ import annotations

from collections.abc import Sequence

from resplint.contracts.facts import NONE
from resplint.contracts.findings import Edit
from resplint.spelling.files import NotExpressible, SourceFile


def appended(file: SourceFile, first: int, tail: int, close: int, items: Sequence[str]) -> list[Edit]:
    """Edits that put items behind the last one of a list that ends at `tail` and is closed at `close`.

    `first` is where its last item starts, NONE for an empty list. A list that has an item on each line gets lines more,
    and a comma behind the last item stays there.
    """
    if NONE in (tail, close):
        raise NotExpressible("the brackets are not known")
    if first == NONE:
        return [file.edit(tail, tail, ", ".join(items))]
    comma = file.skip_blank(tail, close)
    has_comma = file.data[comma : comma + 1] == b","
    if comma < close and not has_comma:
        raise NotExpressible("something else stands behind the last item")
    if not _own_line(file, first, tail, close):
        text = ", ".join(items)
        return [file.edit(comma + 1, comma + 1, f" {text},")] if has_comma else [file.edit(tail, tail, f", {text}")]
    lines = ",".join(f"{file.newline(first)}{file.indent(first)}{item}" for item in items)
    end = file.line_end(comma + 1 if has_comma else tail)
    if has_comma:
        return [file.edit(end, end, f"{lines},")]
    if end == tail:
        return [file.edit(tail, tail, f",{lines}")]
    return [file.edit(tail, tail, ","), file.edit(end, end, lines)]


def behind(file: SourceFile, start: int, end: int, close: int, items: Sequence[str]) -> list[Edit]:
    """Edits that put items behind one that is followed by others."""
    comma = file.skip_blank(end, close)
    if file.data[comma : comma + 1] != b",":
        raise NotExpressible("something else stands behind the item")
    following = file.skip_blank(comma + 1, close)
    if file.facts.line(following) > file.facts.line(comma) and not file.data[file.line_start(start) : start].strip():
        at = file.line_end(comma + 1)
        return [file.edit(at, at, "".join(f"{file.newline(start)}{file.indent(start)}{item}," for item in items))]
    return [file.edit(comma + 1, comma + 1, "".join(f" {item}," for item in items))]


def _own_line(file: SourceFile, first: int, tail: int, close: int) -> bool:
    """Whether the last item begins a line and the closing bracket stands on a later one."""
    return not file.data[file.line_start(first) : first].strip() and file.facts.line(close) > file.facts.line(tail)
