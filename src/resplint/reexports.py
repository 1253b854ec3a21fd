"""Where a name comes from that modules hand on to each other."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)
Found = TypeVar("Found")


def nearest(
    places: Iterable[Place], beyond: Callable[[Place], Iterable[Place]], found: Callable[[Place], Found]
) -> Found | None:
    """What `found` says of the first place for which it says anything: of the `places`, then of those `beyond` them.

    Breadth first, and each place once: modules that hand on each other's names in circles take no longer than there are
    places and ways between them.
    """
    pending = deque(dict.fromkeys(places))
    seen = set(pending)
    while pending:
        place = pending.popleft()
        if answer := found(place):
            return answer
        for one in beyond(place):
            if one not in seen:
                seen.add(one)
                pending.append(one)
    return None
