"""Patterns as in a `.gitignore` file, compared with one file or folder at a time, as git does it.

Libraries for this compare whole paths, which goes wrong when a walk leaves out folders as it goes: with `*`,
`!*/`, `!*.py` they leave out every folder. Comparing takes time in proportion to pattern times name, so
hostile patterns cannot stall a scan.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable
from functools import lru_cache

import msgspec

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CLASS = re.compile(r"\[[!^]?\]?[^\]]*\]")


class Pattern(msgspec.Struct, frozen=True):
    """One pattern. `parts` are expressions for the parts of a path, None standing for `**`.

    With `by_name` there is one part, compared with the name alone; `negated` takes back earlier patterns.
    """

    parts: tuple[re.Pattern[str] | None, ...]
    by_name: bool
    folders_only: bool
    negated: bool


class PatternList:
    """Patterns of one place, in their order: the last that fits decides."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._backwards = tuple(patterns)[::-1]

    def __bool__(self) -> bool:
        return bool(self._backwards)

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """What the patterns say of `path` itself, not of the folders above it.

        `path` is relative to their place, with forward slashes. True is ignored, False taken back, None
        nothing said.
        """
        name = path[path.rfind("/") + 1 :]
        parts: list[str] = []
        for pattern in self._backwards:
            if pattern.folders_only and not folder:
                continue
            if pattern.by_name:
                expression = pattern.parts[0]
                fits = expression is None or expression.match(name) is not None
            else:
                parts = parts or path.split("/")
                fits = _fits(pattern.parts, parts)
            if fits:
                return not pattern.negated
        return None

    def covers(self, path: str) -> bool:
        """Whether the file `path` or a folder above it is ignored."""
        end = path.find("/")
        while end >= 0:
            if self.verdict(path[:end], folder=True):
                return True
            end = path.find("/", end + 1)
        return bool(self.verdict(path, folder=False))


def parse_pattern(line: str) -> Pattern | None:
    """The pattern on one line of an ignore file; None for a comment or a line without a pattern.

    Raises `ValueError` for a bracket that is never closed.
    """
    text = _without_trailing_spaces(line.rstrip("\r\n"))
    if text.startswith("#"):
        return None
    negated = text.startswith("!")
    text = text.removeprefix("!")
    folders_only = text.endswith("/")
    text = text.removesuffix("/")
    by_name = "/" not in text
    text = text.removeprefix("/")
    if not text:
        return None
    parts = tuple(None if part == "**" else _expression(part) for part in text.split("/"))
    return Pattern(parts, by_name, folders_only, negated)


@lru_cache(maxsize=256)
def pattern_list(lines: tuple[str, ...]) -> PatternList:
    """The patterns of lines that people configured. Raises `ValueError` for a line that is no pattern."""
    patterns = []
    for line in lines:
        pattern = parse_pattern(line)
        if pattern is None:
            raise ValueError(f"{line!r} is not a pattern")
        patterns.append(pattern)
    return PatternList(patterns)


def _fits(pattern: tuple[re.Pattern[str] | None, ...], parts: list[str]) -> bool:
    """Compare part by part; after a mismatch only the last `**` needs to take one part more."""
    at = place = 0
    star, taken = -1, 0
    while at < len(parts):
        expression = pattern[place] if place < len(pattern) else None
        if place < len(pattern) and expression is None:
            star, taken = place, at
            place += 1
            if place == len(pattern):
                return True
        elif expression is not None and expression.match(parts[at]):
            at += 1
            place += 1
        elif star >= 0:
            taken += 1
            at, place = taken, star + 1
        else:
            return False
    return place == len(pattern)


@lru_cache(maxsize=4_096)
def _expression(part: str) -> re.Pattern[str]:
    """The expression for one part of a pattern, through `fnmatch`, whose expressions do not backtrack."""
    pieces: list[str] = []
    at = 0
    while at < len(part):
        if part[at] == "\\":
            escaped = part[at + 1 : at + 2]
            pieces.append(f"[{escaped}]" if escaped in ("*", "?", "[") else escaped)
            at += 2
        elif part[at] == "[":
            match = _CLASS.match(part, at)
            if match is None:
                raise ValueError(f"{part!r} has a bracket that is never closed")
            inner = _ESCAPE.sub(r"\1", match[0])
            pieces.append("[!" + inner[2:] if inner.startswith("[^") else inner)
            at = match.end()
        else:
            pieces.append(part[at])
            at += 1
    try:
        return re.compile(fnmatch.translate("".join(pieces)))
    except re.error as error:
        raise ValueError(f"{part!r} is not a pattern") from error


def _without_trailing_spaces(text: str) -> str:
    stripped = text.rstrip(" ")
    # A backslash keeps the first of the spaces after it.
    if len(stripped) < len(text) and stripped.endswith("\\"):
        return stripped + " "
    return stripped
