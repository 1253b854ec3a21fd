"""Text that can be changed and written back with every other byte as it was.

`source.decode` gives the one form in which everything is analysed. A change has to go into the form in which the file
is written: its encoding, byte-order mark and line ends. Both have the same characters but for lone CR line ends, so
that lines and UTF-16 columns mean the same place in both.
"""

from __future__ import annotations

import codecs
import re

from resplint.contracts.findings import Region
from resplint.files.source import Undecodable, decode

_LINE_END = re.compile(r"\r\n|\n|\r")
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class EditableText:
    """The text of a file as it is written, and how to write it. Offsets are characters of `text`."""

    def __init__(self, text: str, encoding: str, mark: bytes) -> None:
        """`mark` is the byte-order mark that the file begins with, or nothing."""
        self.text = text
        self._encoding = encoding
        self._mark = mark
        self._starts = [0]
        self._ends: list[str] = []
        for end in _LINE_END.finditer(text):
            self._ends.append(end[0])
            self._starts.append(end.end())
        self._ascii = text.isascii()

    def offset(self, line: int, column: int) -> int:
        """Where a line and UTF-16 column (both from 1) stand; places outside the text are moved to its ends."""
        if line > len(self._starts):
            return len(self.text)
        start = self._starts[line - 1]
        if self._ascii:
            return min(start + column - 1, len(self.text))
        stop = self._starts[line] if line < len(self._starts) else len(self.text)
        units = self.text[start:stop].encode("utf-16-le")[: 2 * (column - 1)]
        return start + len(units.decode("utf-16-le", "ignore"))

    def span(self, region: Region) -> tuple[int, int]:
        """Offsets of the first character of a region and of the one behind it."""
        return self.offset(region.start_line, region.start_column), self.offset(region.end_line, region.end_column)

    def line_end(self, line: int) -> str:
        """How a line (from 1) ends; for the last line, which may have no end, how the one before it does."""
        if not self._ends:
            return "\n"
        return self._ends[min(line, len(self._ends)) - 1]

    def encode(self, text: str) -> bytes:
        """Bytes of the file with another text. Raises `UnicodeEncodeError` if its encoding lacks a character."""
        return self._mark + text.encode(self._encoding)


def editable(data: bytes, language: str) -> EditableText | Undecodable:
    """The bytes of a file in `language`, to be edited; `Undecodable` if they could not be written back as they are."""
    source = decode(data, language)
    if isinstance(source, Undecodable):
        return source
    if source.problem:
        return Undecodable(source.problem)
    mark = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    text = data[len(mark) :].decode(source.encoding)
    found = EditableText(text, source.encoding, mark)
    try:
        if found.encode(text) == data:
            return found
    except UnicodeEncodeError:
        pass
    return Undecodable(f"its encoding ({source.encoding}) cannot be written back byte for byte")
