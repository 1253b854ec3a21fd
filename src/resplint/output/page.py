"""A page of styled text, built line by line and turned into bytes at the end, with or without colour."""

from __future__ import annotations

import unicodedata

Segment = tuple[str, str]
"""Text that is safe to print, and the name of its style (empty for none)."""

_STYLES = {
    "error": "bold red",
    "warning": "bold yellow",
    "note": "bold blue",
    "strong": "bold",
    "gutter": "blue",
    "faint": "dim",
    "trail": "cyan",
    "good": "bold green",
}


class Page:
    """Lines of segments. Nothing is wrapped or cropped here: what is added is what is printed."""

    def __init__(self) -> None:
        self._lines: list[tuple[Segment, ...]] = []

    def add(self, *segments: Segment) -> None:
        """Append a line; without segments an empty one."""
        self._lines.append(segments)

    def render(self, *, color: bool) -> bytes:
        """The page as UTF-8; every line ends with LF and none with blanks."""
        if color:
            return "".join(f"{_painted(line)}\n" for line in self._lines).encode("utf-8")
        plain = (_inert("".join(text for text, _ in line).rstrip()) for line in self._lines)
        return "".join(f"{line}\n" for line in plain).encode("utf-8")


def _inert(line: str) -> str:
    """`line`, unless a CI runner that reads it in its log would take it for a command."""
    return line.replace("::", "\\x3a:", 1) if line.lstrip().startswith("::") else line


def _painted(line: tuple[Segment, ...]) -> str:
    # Only here, for importing rich takes longer than many a scan.
    from rich.color import ColorSystem  # noqa: PLC0415
    from rich.style import Style  # noqa: PLC0415

    return "".join(
        # The sixteen standard colours follow the theme of the reader's terminal.
        Style.parse(_STYLES[style]).render(text, color_system=ColorSystem.STANDARD) if style else text
        for text, style in line
    )


def cell_width(character: str) -> int:
    """Terminal cells of one printable character: 0 for combining marks, 2 for wide ones, otherwise 1."""
    if character < "\u0300":
        return 1
    if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1


def cells(text: str) -> int:
    """Terminal cells of a printable text."""
    return len(text) if text.isascii() else sum(map(cell_width, text))


def wrap(text: str, width: int | None) -> list[str]:
    """`text` broken at blanks into lines of at most `width` cells, words kept whole; None means one line."""
    if width is None:
        return [text]
    lines: list[str] = []
    current = ""
    for word in text.split(" "):
        longer = f"{current} {word}" if current else word
        if current and cells(longer) > width:
            lines.append(current)
            current = word
        else:
            current = longer
    return [*lines, current]
