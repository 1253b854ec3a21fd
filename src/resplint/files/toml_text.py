"""TOML with places: parsing that fails with line and column, and the line on which a key stands."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from resplint.contracts.errors import ResplintError

if TYPE_CHECKING:
    from tree_sitter import Node

Path = tuple[str, ...]
"""The parts of a key from the top of the document."""
_KEYED = {"pair", "table", "table_array_element"}
_HOLDING = _KEYED | {"document", "inline_table", "array"}
_PART = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_KEY = rf"{_PART}(?:[ \t]*\.[ \t]*{_PART})*"
_PARTS = re.compile(_PART)
_BARE = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
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
    try:
        return _loads(text), text
    except (RecursionError, MemoryError) as error:
        raise TomlError("is nested too deeply") from error
    except ValueError as error:  # TOMLDecodeError, or a number too long for int()
        raise _located(str(error), text) from error


def _loads(text: str) -> dict[str, object]:
    if sys.version_info >= (3, 11):
        import tomllib  # noqa: PLC0415 - most scans read no TOML
    else:
        import tomli as tomllib  # noqa: PLC0415
    return tomllib.loads(text)


def _demand_short_keys(text: str) -> None:
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") < _MAX_PARTS:
            continue
        for key in _DOTTED.finditer(line):
            if key[0].count(".") >= _MAX_PARTS and len(_PARTS.findall(key[0])) > _MAX_PARTS:
                raise TomlError(f"a key has more than {_MAX_PARTS} parts", number, key.start() + 1)


class KeyLines(Mapping[Path, int]):
    """For every key and table of a TOML text, as a path of its parts, its first line (from 1); lists have no parts. Who
    wants one table of a list that has a header for each asks for the part "[0]", "[1]" … below its key.

    The document itself, the empty path, is at line 1. The text is parsed when somebody asks: mostly nobody does.
    """

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _found(self) -> tuple[Mapping[Path, int], Mapping[Path, int]]:
        return _lines_of(self._text)

    @property
    def _lines(self) -> Mapping[Path, int]:
        return self._found[0]

    def __getitem__(self, path: Path) -> int:
        lines, elements = self._found
        return lines[path] if path in lines else elements[path]

    def __iter__(self) -> Iterator[Path]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __bool__(self) -> bool:
        return True


def key_lines(text: str) -> KeyLines:
    """The lines of the keys of a TOML text."""
    return KeyLines(text)


def _lines_of(text: str) -> tuple[Mapping[Path, int], Mapping[Path, int]]:
    """The lines of all keys, and those in tables of lists by the number of their table."""
    # Only for messages, and for manifests that are TOML.
    import tree_sitter_toml  # noqa: PLC0415
    from tree_sitter import Language, Parser  # noqa: PLC0415

    tree = Parser(Language(tree_sitter_toml.language())).parse(text.encode("utf-8", "surrogatepass"))
    lines: dict[Path, int] = {(): 1}
    elements: dict[Path, int] = {}
    listed: Counter[Path] = Counter()
    waiting: list[tuple[Node, Path, Path]] = [(tree.root_node, (), ())]
    while waiting:
        node, *paths = waiting.pop()
        if node.type in _KEYED:
            key = next((each for each in node.named_children if each.type.endswith("_key")), None)
            if key is not None and key.text is not None:
                parts = _split(key.text.decode("utf-8", "surrogatepass"))
                number = key.start_point.row + 1
                paths = [(*around, *parts) for around in paths]
                lines[paths[0]] = min(number, lines.get(paths[0], number))
                elements.setdefault(paths[1], number)
                if node.type == "table_array_element":
                    listed[paths[1]] += 1
                    paths[1] = (*paths[1], f"[{listed[paths[1]] - 1}]")
                    elements[paths[1]] = number
        inside = [each for each in node.named_children if each.type in _HOLDING]
        waiting += ((each, paths[0], paths[1]) for each in reversed(inside))
    return lines, elements


def line_of_key(lines: Mapping[Path, int], path: Path) -> int:
    """The line of `path`, or of the nearest table around it, or 0."""
    for length in range(len(path), 0, -1):
        if line := lines.get(path[:length]):
            return line
    return 0


def _split(key: str) -> Path:
    """The parts of a key as it is written, without quotes and escapes."""
    if _BARE.fullmatch(key):
        return tuple(key.split("."))
    parts = []
    value: object = _loads(f"{key} = 0")
    while isinstance(value, dict):
        ((part, value),) = value.items()
        parts.append(part)
    return tuple(parts)


def _located(message: str, text: str) -> TomlError:
    match = _AT.search(message)
    if match is None:
        return TomlError(message)
    reason = message[: match.start()]
    if match[1]:
        return TomlError(reason, int(match[1]), int(match[2]))
    return TomlError(f"{reason} at the end", text.count("\n") + 1, len(text) - text.rfind("\n"))
