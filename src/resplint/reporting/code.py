"""Lines of code with the stretches that a region marks, from snippets or from the source itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec

from resplint.contracts.errors import UserError
from resplint.files.regular_files import UnreadableFileError, is_inside, read_regular
from resplint.reporting.records import Line
from resplint.reporting.sarif import PhysicalLocation, Region

MAX_LINES = 40
MAX_WIDTH = 400
_MAX_SOURCE_BYTES = 5_000_000
_CONTEXT = 1
_ELLIPSIS = "…"
_FIRST_LINE = "firstLine"


class Sources:
    """Source files below a folder, read once each; without a folder nothing is known about any file."""

    def __init__(self, root: str | None) -> None:
        if root is not None and not Path(root).is_dir():
            raise UserError(f"--source-root {root}: is no folder.")
        self._root = os.path.realpath(root) if root is not None else None
        self._files: dict[str, Mapping[int, str]] = {}

    def relative(self, path: str) -> str:
        """`path` relative to the root if it is an absolute one below it, as some tools write them."""
        if self._root is None or not os.path.isabs(path):
            return path
        return path.removeprefix(self._root.rstrip(os.sep) + os.sep)

    def lines(self, path: str) -> Mapping[int, str]:
        """Lines by number of a file; empty if it is outside the root, missing, too large or not UTF-8."""
        if self._root is None or not path:
            return {}
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> Mapping[int, str]:
        assert self._root is not None
        try:
            # A link that leads outside, and `..` in a stranger's file, must not show what is none of the report's
            # business.
            target = os.path.realpath(os.path.join(self._root, path))
            if not is_inside(target, self._root):
                return {}
            text = read_regular(target, _MAX_SOURCE_BYTES).decode("utf-8-sig")
        except (UnreadableFileError, OSError, ValueError):
            return {}
        return dict(enumerate(split_lines(text), 1))


class Extent(msgspec.Struct, frozen=True):
    """A region in lines and code points; `end_column` 0 means the end of the line."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int
    utf16: bool

    def marked(self, number: int, text: str) -> Line:
        """The line with what this extent covers of it marked; white space at its ends is not."""
        if not self.start_line <= number <= self.end_line:
            return Line(number, text)
        start = self.index(text, self.start_column) if number == self.start_line else 0
        end = self.index(text, self.end_column) if number == self.end_line and self.end_column else len(text)
        covered = text[start:end]
        start += len(covered) - len(covered.lstrip())
        end = start + len(covered.strip())
        if not self.start_column and not self.end_column:
            return Line(number, text)
        return Line(number, text, ((start, end),) if end > start else ())

    def measure(self, text: str) -> int:
        """The length of `text` in the unit of columns."""
        return len(text.encode("utf-16-le", "surrogatepass")) // 2 if self.utf16 else len(text)

    def index(self, text: str, column: int) -> int:
        """The index in `text` of a column, which counts from 1."""
        units = max(0, column - 1)
        if text.isascii() or not self.utf16:
            return min(units, len(text))
        encoded = text.encode("utf-16-le", "surrogatepass")
        return len(encoded[: 2 * units].decode("utf-16-le", "replace"))


def extent(region: Region | None, *, utf16: bool) -> Extent | None:
    """The lines that `region` covers, with the defaults of the standard; None if it tells no line."""
    if region is None or not region.start_line or region.start_line < 1:
        return None
    start = region.start_line
    end = max(start, region.end_line or start)
    start_column = max(0, region.start_column or 0)
    return Extent(start, start_column, end, max(0, region.end_column or 0), utf16)


def code_lines(physical: PhysicalLocation, source: Mapping[int, str], *, utf16: bool) -> tuple[Line, ...]:
    """The lines to show for a place, its region marked: from the snippet around it, the source, or its own snippet."""
    where = extent(physical.region, utf16=utf16)
    if where is None:
        return ()
    known = context(physical) or _around(source, where)
    if where.start_line in known:
        return _cropped([where.marked(number, text) for number, text in sorted(known.items())])
    snippet = physical.region.snippet.text if physical.region and physical.region.snippet else None
    if snippet:
        return _cropped(_own(snippet, where))
    first = physical.properties.get(_FIRST_LINE)
    return _cropped([where.marked(where.start_line, first)]) if isinstance(first, str) and first else ()


def context(physical: PhysicalLocation) -> dict[int, str]:
    """Whole lines by number, as the snippet of the context tells them."""
    around = physical.context_region
    if around is None or around.snippet is None or not around.snippet.text or not around.start_line:
        return {}
    if around.start_column not in (None, 1):
        return {}  # the first line is not whole, so that columns would be off
    return dict(enumerate(split_lines(around.snippet.text)[: MAX_LINES + 1], around.start_line))


def split_lines(text: str) -> list[str]:
    """Lines as SARIF counts them: not by the characters that only Python takes for line ends."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if len(lines) > 1 and not lines[-1] else lines


def _around(source: Mapping[int, str], where: Extent) -> dict[int, str]:
    wanted = range(
        max(1, where.start_line - _CONTEXT), min(where.end_line, where.start_line + MAX_LINES) + _CONTEXT + 1
    )
    return {number: source[number] for number in wanted if number in source}


def _own(snippet: str, where: Extent) -> list[Line]:
    """A region's own snippet is exactly the region by the standard; many tools write its whole lines."""
    first, *rest = split_lines(snippet)
    last = where.measure(rest[-1] if rest else first)
    start = max(0, where.start_column - 1)
    end = where.end_column - 1
    if start and last > (end if rest else end - start) >= 0:
        return [where.marked(number, text) for number, text in enumerate([first, *rest], where.start_line)]
    if rest:
        # The lines below tell how far the first one is indented.
        first = " " * min(start, MAX_WIDTH // 2) + first
    return [Line(number, text) for number, text in enumerate([first, *rest], where.start_line)]


def _cropped(lines: list[Line]) -> tuple[Line, ...]:
    kept = [_narrowed(line) for line in lines[:MAX_LINES]]
    if len(lines) > MAX_LINES:
        kept.append(Line(0, _ELLIPSIS))
    return tuple(kept)


def _narrowed(line: Line) -> Line:
    """At most `MAX_WIDTH` characters of a line, those around its mark."""
    text = line.text
    if len(text) <= MAX_WIDTH:
        return line
    first = line.marks[0][0] if line.marks else 0
    begin = max(0, min(first - MAX_WIDTH // 4, len(text) - MAX_WIDTH))
    head = _ELLIPSIS if begin else ""
    tail = _ELLIPSIS if begin + MAX_WIDTH < len(text) else ""
    shift = len(head) - begin
    limit = len(head) + MAX_WIDTH
    marks = tuple((start + shift, min(end + shift, limit)) for start, end in line.marks if start + shift < limit)
    return Line(line.number, head + text[begin : begin + MAX_WIDTH] + tail, marks)
