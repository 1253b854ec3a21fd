"""Texts by lines, with edits by line and column."""

from __future__ import annotations

import re
from collections.abc import Iterable

from resplint.contracts.findings import LocatedEdit
from resplint.files.editable import EditableText
from resplint.fixing.changes import Change, changed

# The language server's protocol knows these line ends only; `str.splitlines` would also break at form feeds and U+2028.
_LINE_END = re.compile(r"\r\n|\n|\r")


class Text:
    """The lines of a text, without their ends. Lines and columns count from 1, columns in UTF-16 code units."""

    def __init__(self, text: str) -> None:
        self.text = text
        ends = list(_LINE_END.finditer(text))
        starts = [0, *(end.end() for end in ends)]
        stops = [*(end.start() for end in ends), len(text)]
        self.lines = tuple(text[start:stop] for start, stop in zip(starts, stops, strict=True))
        self.line_end = ends[0].group() if ends else "\n"

    def line(self, number: int) -> str:
        """The text of a line; "" for one that does not exist."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def changes(self, edits: Iterable[LocatedEdit]) -> list[Change]:
        """Edits of this text by characters, sorted."""
        editable = EditableText(self.text, "utf-8", b"")
        return sorted(Change(*editable.span(edit.region), edit.text) for edit in edits)

    def replaced(self, edits: Iterable[LocatedEdit]) -> str:
        """The text after edits that do not overlap."""
        return changed(self.text, self.changes(edits))


def column_after(line: str, length: int) -> int:
    """The column behind the first `length` characters of a line."""
    return len(line[:length].encode("utf-16-le", "surrogatepass")) // 2 + 1
