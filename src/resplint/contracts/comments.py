"""Comments of a source file, as every language's adapter hands them on."""

from __future__ import annotations

import msgspec


class Comment(msgspec.Struct, frozen=True, gc=False):
    """One comment of a file.

    `start` and `end` are byte offsets into the normalised UTF-8 text, end exclusive. `line` counts from 1
    and is the line on which the comment starts. `text` includes the comment leader (``#``, ``//``, ``/*``)
    and, for block comments, the closer. `own_line` is true when nothing but white space stands beside the
    comment on its lines.
    """

    start: int
    end: int
    line: int
    text: str
    own_line: bool

    @property
    def last_line(self) -> int:
        """The line, from 1, on which a block comment ends; `line` for every other comment."""
        body = self.text.rstrip("\r\n")
        breaks = body.count("\n") + body.count("\r") - body.count("\r\n")
        return self.line + breaks
