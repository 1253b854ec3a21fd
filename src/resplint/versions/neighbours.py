"""Projects of one build, of which each may bring what another one depends on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from resplint.versions.records import Mention

_REACH_LIMIT = 60
"""How many projects of the build are asked what they bring."""


class Placed(Protocol):
    """A project, or its folder."""

    @property
    def path(self) -> str: ...


P = TypeVar("P", bound=Placed)


def brought(project: P, others: Callable[[P], Iterable[P]], needed: Callable[[P], Iterable[Mention]]) -> list[Mention]:
    """What the nearest of the `others` on which a project depends, itself or through others, needs at run time."""
    pending, seen = deque([project]), {project.path}
    while pending and len(seen) < _REACH_LIMIT:
        for other in others(pending.popleft()):
            if other.path in seen:
                continue
            seen.add(other.path)
            if found := [one for one in needed(other) if one.requirement.group != "dev"]:
                return found
            pending.append(other)
    return []
