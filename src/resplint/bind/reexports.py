"""What modules hand on that import or export all names of others.

Such modules may take everything from each other in circles: those that do are one group, which hands out whatever one
of them defines. So a name is looked up once for a group, however many ways lead through it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from resplint.bind.names import Names
from resplint.bind.values import External


@dataclass(eq=False, slots=True)
class Group:
    """Modules that hand on each other's names; mostly it is a single one."""

    members: tuple[int, ...]
    beyond: tuple[int, ...]
    """Other modules of the project whose names these take over."""
    following: tuple[Group, ...]
    """The groups of those."""
    outside: tuple[External, ...]
    """Modules outside the project whose names they take over."""
    _definers: dict[str, list[int]] = field(default_factory=dict)
    _is_read: bool = False

    @property
    def number(self) -> int:
        """What tells a group from others."""
        return self.members[0]

    def defining(self, name: str, names: Callable[[int], Names]) -> Sequence[int]:
        """The members that define a name themselves, as their scope spells it."""
        if not self._is_read:
            self._is_read = True
            for member in self.members:
                for each in names(member).of_module:
                    self._definers.setdefault(each, []).append(member)
        return self._definers.get(name, ())


class Reexports:
    """The groups of modules, found when somebody asks."""

    def __init__(self, taken: Callable[[int], tuple[list[int], list[External]]], names: Callable[[int], Names]) -> None:
        """`taken` says whose names a module takes over: files of the project, and modules outside."""
        self._taken = taken
        self._names = names
        self._groups: dict[int, Group] = {}
        self._providers: dict[tuple[int, str], tuple[list[int], list[External]]] = {}

    def group(self, file: int) -> Group:
        """The group of a module."""
        if file not in self._groups:
            self._find(file)
        return self._groups[file]

    def providers(self, file: int, name: str) -> tuple[list[int], list[External]]:
        """The modules of the project that define a name which a module may take over, and the modules outside that it
        takes names from. What a module outside of a circle defines hides what lies behind it.
        """
        first = self.group(file)
        key = (first.number, name)
        known = self._providers.get(key)
        if known is None:
            found: list[int] = []
            outside: dict[External, None] = {}
            waiting, seen = deque([first]), {first.number}
            while waiting:
                group = waiting.popleft()
                own = group.defining(name, self._names)
                found += own
                if own and group is not first and len(group.members) == 1:
                    continue
                outside.update(dict.fromkeys(group.outside))
                for one in group.following:
                    if one.number not in seen:
                        seen.add(one.number)
                        waiting.append(one)
            known = self._providers[key] = (found, list(outside))
        return known

    def _find(self, start: int) -> None:
        """Tarjan's strongly connected components, without recursion."""
        order: dict[int, int] = {}
        low: dict[int, int] = {}
        taken: dict[int, tuple[list[int], list[External]]] = {}
        path: list[int] = []
        waiting: list[tuple[int, int]] = [(start, 0)]
        while waiting:
            file, at = waiting.pop()
            if at == 0:
                order[file] = low[file] = len(order)
                taken[file] = self._taken(file)
                path.append(file)
            for place in range(at, len(taken[file][0])):
                other = taken[file][0][place]
                if other in self._groups:
                    continue
                if other not in order:
                    waiting += [(file, place + 1), (other, 0)]
                    break
                low[file] = min(low[file], order[other])
            else:
                if waiting:
                    above = waiting[-1][0]
                    low[above] = min(low[above], low[file])
                if low[file] == order[file]:
                    self._close(path, file, taken)

    def _close(self, path: list[int], file: int, taken: dict[int, tuple[list[int], list[External]]]) -> None:
        at = path.index(file) if path[-1] != file else len(path) - 1
        members = sorted(path[at:])
        del path[at:]
        inside = set(members)
        beyond = dict.fromkeys(other for member in members for other in taken[member][0] if other not in inside)
        following = {group.number: group for group in (self._groups[other] for other in beyond)}
        outside = dict.fromkeys(module for member in members for module in taken[member][1])
        made = Group(tuple(members), tuple(beyond), tuple(following.values()), tuple(outside))
        self._groups.update(dict.fromkeys(members, made))
