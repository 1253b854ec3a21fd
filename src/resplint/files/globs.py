"""Patterns as in a `.gitignore` file, compared with one file or folder at a time, as git does it.

A walk that leaves out folders as it goes needs the verdict on the folder or file itself, not on the folders above it.
It asks for every entry of every folder. Most patterns are plain names or endings, so a list of them is looked up in
dictionaries; what is left becomes two regular expressions, one for names and one for paths.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

_MAX_STARS = 3
"""Stars in one part of a pattern: each more multiplies the time that a hostile name can cost by its length."""
_MAX_LENGTH = 4_096
"""Characters of a pattern: no path is longer."""
MAX_WILDCARDS = 1_000
"""Patterns of one place that have to be compared with every name, as they cannot be looked up."""
_MAX_COMPARED = 100_000
"""Characters that those may have together."""
_STARS = re.compile(r"\*+")
_FOLDERS = re.compile(r"\*\*")
_SPECIAL = re.compile(r"[*?\[\\]")
_CLASSES = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \t", "cntrl": "\0-\x1f\x7f", "digit": "0-9", "graph": "!-~",
    "lower": "a-z", "print": " -~", "punct": "!-/:-@\\[-`{-~", "space": " \t-\r", "upper": "A-Z", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_CLASS = re.compile(rf"\[:({'|'.join(_CLASSES)}):\]")


class Pattern(msgspec.Struct, frozen=True):
    """One pattern. `text` is compared with the path if `whole`, else with the name, which comes last in it."""

    text: str
    include: bool
    """Whether it ignores what fits; otherwise it takes that back."""
    folders: bool
    """Whether it speaks of folders only."""
    whole: bool

    @property
    def is_ending(self) -> bool:
        """Whether it is a star and a suffix."""
        text = self.text
        return not self.whole and text[:2] == "*." and text.count(".") == 1 and not _SPECIAL.search(text, 1)

    @property
    def compared(self) -> int:
        """The number of its characters if it cannot be looked up, else 0."""
        return 0 if _is_plain(self.text) or self.is_ending else len(self.text)


class PatternList:
    """Patterns of one place, in their order: the last that fits decides."""

    def __init__(self, patterns: Iterable[Pattern]) -> None:
        self._patterns = tuple(patterns)
        self._tables: list[_Table | None] = [None, None]

    def __bool__(self) -> bool:
        return bool(self._patterns)

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """What the patterns say of `path` itself, not of the folders above it.

        `path` is relative to their place, with forward slashes. True is ignored, False taken back, None
        nothing said.
        """
        if not self._patterns:
            return None
        path = _as_bytes(path)
        table = self._tables[folder]
        if table is None:
            table = self._tables[folder] = _Table(self._patterns, folder)
        last = table.last(path)
        return None if last < 0 else self._patterns[last].include

    def covers(self, path: str) -> bool:
        """Whether the file `path` or a folder above it is ignored."""
        end = path.find("/")
        while end >= 0:
            if self.verdict(path[:end], folder=True):
                return True
            end = path.find("/", end + 1)
        return bool(self.verdict(path, folder=False))


class _Table:
    """Numbers of the patterns of a list that can speak of files, or of folders, by what they compare."""

    def __init__(self, patterns: Sequence[Pattern], folder: bool) -> None:
        self._names: dict[str, int] = {}
        self._endings: dict[str, int] = {}
        """Suffix with its dot -> number."""
        self._paths: dict[str, int] = {}
        names: list[tuple[int, str]] = []
        paths: list[tuple[int, str]] = []
        for number, pattern in enumerate(patterns):
            if pattern.folders and not folder:
                continue
            text = pattern.text
            if _is_plain(text):
                (self._paths if pattern.whole else self._names)[text] = number
            elif pattern.is_ending:
                self._endings[text[1:]] = number
            else:
                (paths if pattern.whole else names).append((number, text))
        self._name_search, self._path_search = _Search(names), _Search(paths)

    def last(self, path: str) -> int:
        """The number of the last pattern that fits, or -1."""
        name = path[path.rfind("/") + 1 :]
        found = self._names.get(name, -1)
        if self._endings:
            found = max(found, self._endings.get(name[name.rfind(".") :], -1))
        if self._paths:
            found = max(found, self._paths.get(path, -1))
        return max(found, self._name_search.last(name), self._path_search.last(path))


class _Search:
    """Patterns, with their numbers, as one regular expression."""

    def __init__(self, patterns: Sequence[tuple[int, str]]) -> None:
        backwards = patterns[::-1]
        self._numbers = [number for number, _ in backwards]
        # The first alternative that fits wins, and a group tells which one it is.
        groups = "|".join(f"({_expression(text)})" for _, text in backwards)
        self._match = re.compile(rf"(?:{groups})\Z", re.DOTALL).match if backwards else None

    def last(self, text: str) -> int:
        match = self._match(text) if self._match is not None else None
        return -1 if match is None or match.lastindex is None else self._numbers[match.lastindex - 1]


def parse_pattern(line: str) -> Pattern | None:
    """The pattern on one line of an ignore file; None for a comment or a line without a pattern.

    Raises `ValueError` for a line that is no pattern, or one whose comparison could take forever.
    """
    text = _as_bytes(line.rstrip("\r\n"))
    if len(text) > _MAX_LENGTH:
        raise ValueError(f"a pattern of {len(text):,} characters is longer than any path")
    parts = text.split("/")
    if len(_FOLDERS.findall(text)) > _MAX_STARS or any(len(_STARS.findall(part)) > _MAX_STARS for part in parts):
        raise ValueError(f"{line!r} has more than {_MAX_STARS} stars in one part")
    if text.startswith("#") or not text.strip("!/ "):
        return None
    text = _without_trailing_spaces(text)
    include = not text.startswith("!")
    text = text if include else text[1:]
    folders = text.endswith("/")
    text = text[:-1] if folders else text
    whole = "/" in text
    text = text.removeprefix("/")
    if not text:
        return None
    if not _is_plain(text):
        try:
            _expression(text)
        except ValueError as error:
            raise ValueError(f"{line!r} is not a pattern") from error
    return Pattern(text, include, folders, whole)


def affordable(patterns: Sequence[Pattern]) -> int:
    """How many of the patterns of one place, from the first on, can be compared with all names in acceptable time."""
    left, characters = MAX_WILDCARDS, _MAX_COMPARED
    for number, pattern in enumerate(patterns):
        cost = pattern.compared
        left, characters = left - bool(cost), characters - cost
        if min(left, characters) < 0:
            return number
    return len(patterns)


@lru_cache(maxsize=256)
def pattern_list(lines: tuple[str, ...]) -> PatternList:
    """The patterns of lines that people configured. Raises `ValueError` for a line that is no pattern, and if there are
    too many with wildcards.
    """
    patterns = []
    for line in lines:
        pattern = parse_pattern(line)
        if pattern is None:
            raise ValueError(f"{line!r} is not a pattern")
        patterns.append(pattern)
    if affordable(patterns) < len(patterns):
        raise ValueError(f"{len(patterns):,} patterns are too many with wildcards (at most {MAX_WILDCARDS:,})")
    return PatternList(patterns)


def _as_bytes(text: str) -> str:
    """A character for each byte, which is what a wildcard of git stands for."""
    return text if text.isascii() else os.fsencode(text).decode("latin-1")


def _without_trailing_spaces(text: str) -> str:
    bare = text.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2
    return text[: len(bare) + escaped]


def _is_plain(text: str) -> bool:
    """Whether a pattern is a name or path written out."""
    return not any(mark in text for mark in "*?[\\")


def _expression(text: str) -> str:
    """A pattern as a regular expression for all of a name or path. Raises `ValueError` if it can fit nothing."""
    special = _SPECIAL.search(text)
    start = at = special.start() if special else len(text)
    parts = [re.escape(text[:start])]
    while at < len(text):
        char = text[at]
        if char == "*":
            end = len(text) - len(text[at:].lstrip("*"))
            part, at = _stars(text, at, end, at == start or text[at - 1] == "/")
        elif char == "[":
            part, at = _bracket(text, at + 1)
        elif char == "?":
            part, at = "[^/]", at + 1
        else:
            at += char == "\\"
            if at == len(text):
                raise ValueError("nothing stands behind the last backslash")
            part, at = re.escape(text[at]), at + 1
        parts.append(part)
    return "".join(parts)


def _stars(text: str, at: int, end: int, leads: bool) -> tuple[str, int]:
    """What the stars from `at` to `end` stand for, and where the pattern goes on.

    Two of them stand for whole folders where they are a part of their own (`leads` says that one begins there; for git
    it also does behind all that holds no wildcard).
    """
    if end - at > 1 and leads and text[end : end + 1] in ("", "/"):
        return ("(?:.*/)?", end + 1) if end < len(text) else (".*", end)
    return "[^/]*", end


def _bracket(text: str, at: int) -> tuple[str, int]:
    """A set of characters whose bracket opened before `at`, and where the pattern goes on. Raises `ValueError` if it
    does not end.
    """
    negated = text[at : at + 1] in ("!", "^")
    at += negated
    first, items, before = at, "", ""
    while text[at : at + 1] != "]" or at == first:
        if named := _CLASS.match(text, at):
            items += _CLASSES[named[1]]
            before, at = "", named.end()
            continue
        ranged = bool(before) and text[at : at + 1] == "-" and text[at + 1 : at + 2] not in ("", "]")
        at += ranged
        at += text[at : at + 1] == "\\"
        char = text[at : at + 1]
        if not char:
            raise ValueError("a bracket is not closed")
        if not ranged:
            items += re.escape(char)
        elif before <= char:
            items += f"{re.escape(before)}-{re.escape(char)}"
        before, at = "" if ranged else char, at + 1
    if not items:
        return ("[^/]" if negated else r"(?!)"), at + 1
    return f"(?!/)[{'^' if negated else ''}{items}]", at + 1
