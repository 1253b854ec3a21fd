"""What somebody may have meant who named a file or folder that does not exist."""

from __future__ import annotations

import os

from resplint.contracts.suggestions import nearest

_MOST_ENTRIES = 10_000
"""A folder with more is not searched for a name that is alike."""


def nearest_path(path: str) -> str | None:
    """`path` with its first part that does not exist replaced by what is most like it there; None if nothing is.

    What follows that part stays if it exists there, and is left out otherwise.
    """
    there = os.sep if os.path.isabs(path) else ""
    parts = [part for part in path.split(os.sep) if part]
    for number, part in enumerate(parts):
        below = os.path.join(there, part)
        if os.path.lexists(below):
            there = below
            continue
        found = nearest(part, _entries(there or os.curdir))
        if found is None:
            return None
        meant = os.path.join(there, found)
        whole = os.path.join(meant, *parts[number + 1 :])
        return whole if os.path.lexists(whole) else meant
    return None


def hint_at(path: str) -> str:
    """A question to add to a message that says that `path` does not exist, without its end; empty if there is none."""
    found = nearest_path(path)
    return f"did you mean {found!r}?" if found is not None else ""


def _entries(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except (OSError, ValueError):
        return []
    return names if len(names) <= _MOST_ENTRIES else []
