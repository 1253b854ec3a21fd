"""What somebody may have meant who wrote a name that does not exist."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 60
"""Characters that are compared: the time of the comparison grows with the square of the length."""


def nearest(name: str, known: Iterable[str], *, likeness: float = 0.6) -> str | None:
    """The known name that is most like `name`, without regard to case and to dashes or underscores; None if none is."""
    import difflib  # noqa: PLC0415 - only for who has made a mistake

    folded = {_folded(each): each for each in known}
    found = difflib.get_close_matches(_folded(name[:_LONGEST]), folded, n=1, cutoff=likeness)
    return folded[found[0]] if found else None


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")
