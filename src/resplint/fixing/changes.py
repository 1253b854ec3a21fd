"""Changes of one text: where they may stand side by side, what they make of it, and where things are afterwards."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

import msgspec


class Change(msgspec.Struct, frozen=True, order=True):
    """Text that takes the place of the characters from `start` to `end` (exclusive)."""

    start: int
    end: int
    text: str


class ChangeSet:
    """Changes of one text that neither overlap nor touch, in order."""

    def __init__(self) -> None:
        self._changes: list[Change] = []

    @property
    def changes(self) -> tuple[Change, ...]:
        """All of them, by place."""
        return tuple(self._changes)

    def has_room(self, change: Change) -> bool:
        """Whether a change stands clear of all others. Neighbours count as in the way: two fixes that insert at one
        place must not depend on their order, and what is inserted there may be the same.
        """
        at = bisect.bisect_left(self._changes, change)
        before, after = self._changes[max(0, at - 1) : at], self._changes[at : at + 1]
        return all(one.end < change.start for one in before) and all(change.end < one.start for one in after)

    def add(self, change: Change) -> None:
        """Take a change for which there is room, or which belongs to the same fix as its neighbour."""
        bisect.insort(self._changes, change)


def changed(text: str, changes: Sequence[Change]) -> str:
    """`text` after `changes`, which are sorted and do not overlap."""
    parts: list[str] = []
    at = 0
    for change in changes:
        parts += (text[at : change.start], change.text)
        at = change.end
    return "".join((*parts, text[at:]))


class Shift:
    """Where the characters of a text are after `changes`, which are sorted and do not overlap."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._changes = changes
        self._starts = [change.start for change in changes]
        self._grown = [0]
        for change in changes:
            self._grown.append(self._grown[-1] + len(change.text) - (change.end - change.start))

    def range(self, offset: int) -> tuple[int, int]:
        """The first and last offset at which what stood at `offset` may be now; they differ inside a change."""
        last = bisect.bisect_right(self._starts, offset) - 1
        first = last
        while first >= 0 and self._changes[first].end >= offset:
            first -= 1
        # Changes up to `first` lie before the offset; those behind it, up to `last`, hold it or touch it.
        if first == last:
            at = offset + self._grown[first + 1]
            return at, at
        low = self._changes[first + 1].start + self._grown[first + 1]
        held = max(offset, self._changes[last].end)
        return low, held + self._grown[last + 1]
