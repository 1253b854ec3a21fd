"""TOML with places: parsing that fails with line and column, and the line on which a key stands."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Mapping

from resplint.contracts.errors import ResplintError

_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_HEADER = re.compile(rf"^[ \t]*(\[\[?)[ \t]*({_KEY})[ \t]*\]")
_ASSIGNMENT = re.compile(rf"^[ \t]*({_KEY})[ \t]*=")
_PARTS = re.compile(_PART)
_DOTTED = re.compile(_KEY)
_MAX_PARTS = 50
"""Parts of a dotted key: the time to read one grows with the square of their number."""
_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)\s*$")


class TomlError(ResplintError):
    """Text is not TOML. `line` and `column` count from 1, 0 is unknown; the message names neither."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.line = line
        self.column = column


def parse_toml(data: bytes) -> tuple[dict[str, object], str]:
    """The document and its text. A byte order mark is tolerated. Raises `TomlError`."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = error.start - before.rfind(b"\n")
        raise TomlError("is not UTF-8", before.count(b"\n") + 1, column) from error
    _demand_short_keys(text)
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415 - most scans read no TOML
    else:
        import tomli as tomllib  # noqa: PLC0415
    try:
        return tomllib.loads(text), text
    except (RecursionError, MemoryError) as error:
        raise TomlError("is nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError, or a number too long for int()
        raise _located(str(error), text) from error


def _demand_short_keys(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") < _MAX_PARTS:
            continue
        for key in _DOTTED.finditer(line):
            if key[0].count(".") >= _MAX_PARTS and len(_split(key[0])) > _MAX_PARTS:
                raise TomlError(f"a key has more than {_MAX_PARTS} parts", number, key.start() + 1)


def key_lines(text: str) -> Mapping[tuple[str, ...], int]:
    """For every key and table header of a TOML text, as a path of its parts, its first line (from 1).

    The tables of a list that are written with a header each are the parts "[0]", "[1]" … below its key. Keys inside
    inline tables are not listed: ask `line_of_key`, which then gives the line of the table.
    """
    lines: dict[tuple[str, ...], int] = {}
    listed: Counter[tuple[str, ...]] = Counter()
    table: tuple[str, ...] = ()
    quote = ""
    for number, line in enumerate(text.split("\n"), 1):
        if not quote:
            if match := _HEADER.match(line):
                table = _split(match[2])
                if match[1] == "[[":
                    lines.setdefault(table, number)
                    listed[table] += 1
                    table = (*table, f"[{listed[table] - 1}]")
                lines.setdefault(table, number)
            elif match := _ASSIGNMENT.match(line):
                lines.setdefault((*table, *_split(match[1])), number)
        quote = _open_quote(line, quote)
    return lines


def line_of_key(lines: Mapping[tuple[str, ...], int], path: tuple[str, ...]) -> int:
    """The line of `path`, or of the nearest table around it, or 0."""
    for length in range(len(path), 0, -1):
        if line := lines.get(path[:length]):
            return line
    return 0


def _split(key: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in _PARTS.findall(key))


def _open_quote(line: str, quote: str) -> str:
    """The multi-line quote that is open after `line`, given the one open before it."""
    for mark in re.findall(r"\"\"\"|'''", line):
        if not quote:
            quote = mark
        elif quote == mark:
            quote = ""
    return quote


def _located(message: str, text: str) -> TomlError:
    match = _AT.search(message)
    if match is None:
        return TomlError(message)
    reason = message[: match.start()]
    if match[1]:
        return TomlError(reason, int(match[1]), int(match[2]))
    return TomlError(f"{reason} at the end", text.count("\n") + 1, len(text) - text.rfind("\n"))
