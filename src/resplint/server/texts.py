"""Texts as editors count them: lines, columns, edits, and where a line went when the text changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from resplint.contracts.findings import LocatedEdit, Region
from resplint.files.editable import EditableText
from resplint.fixing.changes import Change, changed

# The protocol knows these line ends only; `str.splitlines` would also break at form feeds and U+2028.
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


class LineMap:
    """Where regions of an older text are in a newer one: what was written in one go is one stretch of other lines."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        shorter = min(len(old), len(new))
        self._same_above = next((at for at in range(shorter) if old[at] != new[at]), shorter)
        rest = shorter - self._same_above
        self._same_below = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
        self._old_lines = len(old)
        self._moved_lines = len(new) - len(old)

    def region(self, region: Region) -> Region | None:
        """The region in the newer text; None if a line of it is another one by now."""
        if region.end_line <= self._same_above:
            return region
        if region.start_line <= self._old_lines - self._same_below:
            return None
        return msgspec.structs.replace(
            region, start_line=region.start_line + self._moved_lines, end_line=region.end_line + self._moved_lines
        )
