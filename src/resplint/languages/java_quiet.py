"""Java source without what the grammar cannot bear."""

from __future__ import annotations

import re
from typing import Final

_TOO_MANY: Final = 1_000
_OPEN: Final = (b"<", b"&", b"=")
_RUN: Final = re.compile(rb"[\w$.\s<&=\x80-\xff]+")


def without_open_runs(data: bytes) -> bytes:
    """The source with endless `a < a < a <` blanked out; the length stays.

    The grammar takes each of them for the start of type arguments and for a comparison at once. When neither comes to
    an end, memory grows with the square of their number: 5,000 of them take more than a gigabyte. Nobody writes so
    many between two other signs, and `treesitter.MAX_DEPTH` would stop there anyway.
    """
    if sum(map(data.count, _OPEN)) < _TOO_MANY:
        return data
    return _RUN.sub(_blanked, data)


def _blanked(run: re.Match[bytes]) -> bytes:
    found = run[0]
    if len(found) < _TOO_MANY or sum(map(found.count, _OPEN)) < _TOO_MANY:
        return found
    return re.sub(rb"[^\r\n]", b" ", found)
