"""Patterns as in a `.gitignore` file, compared with one file or folder at a time, as git does it.

The patterns are pathspec's. Its lists of patterns, however, judge a whole path at once, so that a pattern which takes
back a folder (``!*/``) also takes back the files in it; a walk that leaves out folders as it goes needs the verdict on
the folder or file itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from pathspec.patterns.gitignore.base import GitIgnorePatternError
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_MAX_STARS = 3
"""Stars in one part of a pattern: each more multiplies the time that a hostile name can cost by its length."""


class PatternList:
    """Patterns of one place, in their order: the last that fits decides."""

    def __init__(self, patterns: Iterable[GitIgnoreSpecPattern]) -> None:
        self._backwards = tuple(patterns)[::-1]

    def __bool__(self) -> bool:
        return bool(self._backwards)

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """What the patterns say of `path` itself, not of the folders above it.

        `path` is relative to their place, with forward slashes. True is ignored, False taken back, None
        nothing said.
        """
        candidate = path + "/" if folder else path
        for pattern in self._backwards:
            if _fits(pattern, candidate):
                return pattern.include
        return None

    def covers(self, path: str) -> bool:
        """Whether the file `path` or a folder above it is ignored."""
        end = path.find("/")
        while end >= 0:
            if self.verdict(path[:end], folder=True):
                return True
            end = path.find("/", end + 1)
        return bool(self.verdict(path, folder=False))


def _fits(pattern: GitIgnoreSpecPattern, candidate: str) -> bool:
    """Whether a pattern names the candidate, not merely a folder above it (that match ends at an earlier slash)."""
    assert pattern.regex is not None
    if "ps_d" not in pattern.regex.groupindex:
        return pattern.regex.search(candidate) is not None
    return any(
        match["ps_d"] is None or match.end("ps_d") == len(candidate) for match in pattern.regex.finditer(candidate)
    )


def parse_pattern(line: str) -> GitIgnoreSpecPattern | None:
    """The pattern on one line of an ignore file; None for a comment or a line without a pattern.

    Raises `ValueError` for a line that is no pattern, or one whose comparison could take for ever.
    """
    parts = line.split("/")
    if parts.count("**") > _MAX_STARS or any(part != "**" and part.count("*") > _MAX_STARS for part in parts):
        raise ValueError(f"{line!r} has more than {_MAX_STARS} stars in one part")
    if not line.strip("!/ \r\n"):
        return None
    try:
        pattern = GitIgnoreSpecPattern(line.rstrip("\r\n"))
    except (GitIgnorePatternError, re.error) as error:
        raise ValueError(f"{line!r} is not a pattern") from error
    return pattern if pattern.include is not None else None


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
