"""A file as its fixes see it: its text, its facts, and how its language writes things down."""

from __future__ import annotations

import re
from dataclasses import dataclass

from resplint.bind.index import FileIndex
from resplint.contracts.facts import NONE, Collection, FileFacts
from resplint.contracts.findings import Edit, Place
from resplint.knowledge.records.spelling_records import Spelling

_INDENT = re.compile(rb"[ \t]*")
_SPACE = b" \t\r\n\f"


class NotExpressible(Exception):  # noqa: N818
    """A change cannot be written down as it should be, so that there is no fix."""


@dataclass(frozen=True)
class SourceFile:
    """One file. Offsets are bytes into its normalised text, `data`."""

    index: FileIndex
    data: bytes
    spelling: Spelling

    @property
    def facts(self) -> FileFacts:
        return self.index.facts

    def text(self, start: int, end: int) -> str:
        """Source text of a stretch."""
        return self.data[start:end].decode("utf-8", "replace")

    def code(self, expr: int) -> str:
        """Source text of an expression."""
        record = self.facts.exprs[expr]
        return self.text(record.start, record.end)

    def is_shorthand(self, expr: int) -> bool:
        """Whether an expression names the entry of a map that it is the value of."""
        holder = self.facts.exprs[self.index.parents.get(expr, expr)]
        if not isinstance(holder, Collection) or expr not in holder.items:
            return False
        start = self.facts.exprs[expr].start
        return any(key != NONE and self.facts.exprs[key].start == start for key in holder.keys)

    def edit(self, start: int, end: int, text: str) -> Edit:
        """`text` in place of a stretch."""
        return Edit(Place(self.facts.path, start, end), text)

    def line_start(self, offset: int) -> int:
        """Where the line of an offset starts."""
        return self.facts.line_starts[self.facts.line(offset) - 1]

    def line_end(self, offset: int) -> int:
        """Where the line of an offset ends, before its line end."""
        line = self.facts.line(offset)
        starts = self.facts.line_starts
        end = starts[line] if line < len(starts) else len(self.data)
        while end > offset and self.data[end - 1 : end] in (b"\n", b"\r"):
            end -= 1
        return end

    def newline(self, offset: int) -> str:
        """The line end that is in use around an offset."""
        end = self.line_end(offset)
        return "\r\n" if self.data[end : end + 2] == b"\r\n" else "\n"

    def indent(self, offset: int) -> str:
        """The white space at the start of the line of an offset."""
        found = _INDENT.match(self.data, self.line_start(offset))
        return found.group().decode("ascii") if found else ""

    def skip_blank(self, start: int, end: int) -> int:
        """The first offset from `start` on that is neither white space nor comment, at most `end`."""
        line, block = self.spelling.line_comment.encode(), [part.encode() for part in self.spelling.block_comment]
        while start < end:
            if self.data[start] in _SPACE:
                start += 1
            elif self.data.startswith(line, start):
                start = max(start + 1, self.line_end(start))
            elif block and self.data.startswith(block[0], start):
                closed = self.data.find(block[1], start)
                start = end if closed < 0 else closed + len(block[1])
            else:
                break
        return min(start, end)
