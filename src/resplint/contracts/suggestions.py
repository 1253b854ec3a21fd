"""What somebody may have meant who wrote a name that does not exist."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

_LONGEST = 60
"""Characters that are compared: the time of the comparison grows with the square of the length."""


def nearest(name: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The known name that is most like `name`, without regard to case and to dashes or underscores; None if none is.

    Of several that are as like it, the one that shares the longest beginning: RL111 for RL114, not RL411.
    """
    import difflib  # noqa: PLC0415 - only for who has made a mistake

    wanted = _folded(name[:_LONGEST])
    folded = {_folded(each): each for each in known}
    found = difflib.get_close_matches(wanted, folded, n=len(folded) or 1, cutoff=likeness)
    if not found:
        return None

    def rank(each: str) -> tuple[float, int]:
        same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(each, wanted, strict=False))
        return difflib.SequenceMatcher(None, each, wanted).ratio(), len(list(same))

    return folded[max(found, key=rank)]


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")
