"""TypeScript that the grammar does not know, put into words that it does.

Each repair keeps the length, so that offsets hold. Names and texts are read from the source as it is written. What
becomes blank is left out of the facts: the types of a tag, and the word that says that only types are handed out.
"""

from __future__ import annotations

import re
from typing import Final

from resplint.languages.javascript_imports import without_comment_runs

_ALL_TYPES: Final = re.compile(rb"export(?<!\wexport)(\s+type)(?=\s*\*)")
_LONGEST: Final = 600
_BEFORE_TYPES: Final = re.compile(rb"[\w$\])]")
_NO_TYPE: Final = frozenset(b"`\\/+*%=!~^@#")
_NOT_IN_TYPES: Final = (b"&&", b"||", b"${")


def repaired(data: bytes) -> bytes:
    """The source with constructs that do not parse replaced."""
    data = without_comment_runs(data)
    if b"type" in data:
        data = _ALL_TYPES.sub(lambda match: b"export" + _blank(match[1]), data)
    return _without_types_of_tags(data) if b">`" in data else data


def _without_types_of_tags(data: bytes) -> bytes:
    """``sql<Row[]>`select …` `` becomes ``sql        `select …` ``."""
    pieces: list[bytes] = []
    done = 0
    end = data.find(b">`")
    while end >= 0:
        start = _opening(data, end, max(done, end - _LONGEST))
        if start > done and _BEFORE_TYPES.match(data, start - 1):
            pieces += (data[done:start], _blank(data[start : end + 1]))
            done = end + 1
        end = data.find(b">`", end + 1)
    return b"".join((*pieces, data[done:]))


def _opening(data: bytes, end: int, first: int) -> int:
    """Where the bracket opens that closes at `end`; -1 when what is between cannot be types."""
    depth = 0
    for at in range(end, first - 1, -1):
        sign = data[at]
        if sign == ord(">"):
            depth += data[at - 1 : at] != b"="  # `=>` closes nothing
        elif sign == ord("<"):
            depth -= 1
            if depth == 0:
                return at
        elif data[at : at + 2] in _NOT_IN_TYPES or (sign in _NO_TYPE and data[at : at + 2] != b"=>"):
            return -1
    return -1


def _blank(raw: bytes) -> bytes:
    return re.sub(rb"[^\r\n]", b" ", raw)
