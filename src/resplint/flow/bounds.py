"""How much one node holds: of each kind of data the values that stand first in the project, and so many objects.

Which ones these are does not depend on the order in which they come. Others that came before them have flowed on by
then, but what they make elsewhere stands behind what these make there.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from resplint.bind.files import Store
from resplint.bind.values import (
    Const,
    ExternalObject,
    LoopValue,
    Many,
    Outside,
    ParameterValue,
    Reply,
    Text,
    Value,
)
from resplint.flow.limits import MAX_CONSTANTS, MAX_CROWDED, MAX_OBJECTS
from resplint.flow.nodes import Node

Rank = tuple[int | str, ...]
MOST: dict[type, int] = {
    Const: MAX_CONSTANTS, Text: 8, Outside: 3, ExternalObject: 3, ParameterValue: 3, LoopValue: 3, Reply: 3,
}  # fmt: skip
"""Kind of data -> how many of it are kept at one place; of more it is only known that there are others."""
_ALIKE = 2
"""Places of one constant that are distinguished at a node."""


class Group:
    """The values of one kind at one node: those that spell the same, with their places."""

    __slots__ = ("_order", "alike", "most")

    def __init__(self, most: int) -> None:
        self.most = most
        self.alike: dict[object, list[Rank]] = {}
        self._order: _Order | None = None

    @property
    def is_full(self) -> bool:
        """Whether there are more than are kept."""
        return self._order is not None

    def admits(self, spelled: object, rank: Rank) -> bool:
        """Whether a value is among those that are kept, so far."""
        places, order = self.alike.get(spelled), self._order
        if places is not None:
            if len(places) >= _ALIKE and rank >= places[-1]:
                return False
            first = places[0]
            insort(places, rank)
            del places[_ALIKE:]
            if order is not None and places[0] is not first:
                order.move(spelled, first, rank)
            return True
        if len(self.alike) == self.most:
            if order is None:
                order = self._order = _Order(self.alike)
            if rank >= order.last:
                return False
            del self.alike[order.pop()]
        self.alike[spelled] = [rank]
        if order is not None:
            order.add(spelled, rank)
        return True


class _Order:
    """What a full group keeps, by its first place; of several at one place the one that came first is the last."""

    __slots__ = ("_arrived", "_by_place", "_count")

    def __init__(self, alike: Mapping[object, Sequence[Rank]]) -> None:
        self._arrived = {spelled: -number for number, spelled in enumerate(alike)}
        self._by_place = sorted((alike[spelled][0], number, spelled) for spelled, number in self._arrived.items())
        self._count = -len(alike)

    @property
    def last(self) -> Rank:
        """The place of the value that stands last."""
        return self._by_place[-1][0]

    def add(self, spelled: object, rank: Rank) -> None:
        """Take in a value."""
        self._arrived[spelled] = self._count
        insort(self._by_place, (rank, self._count, spelled))
        self._count -= 1

    def pop(self) -> object:
        """Take out the value that stands last."""
        spelled = self._by_place.pop()[2]
        del self._arrived[spelled]
        return spelled

    def move(self, spelled: object, before: Rank, rank: Rank) -> None:
        """A value turns out to stand further in front."""
        number = self._arrived[spelled]
        del self._by_place[bisect_left(self._by_place, (before, number))]
        insort(self._by_place, (rank, number, spelled))


class Bounds:
    """What is kept at each node."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._groups: dict[tuple[Node, type], Group] = {}
        self._objects: dict[Node, int] = defaultdict(int)
        """How many objects and functions came to a node that neither have nor use a client themselves."""
        self._crowded = 0
        """How many of them came to nodes that had many already."""

    def admits(self, node: Node, value: Value) -> tuple[bool, bool]:
        """Whether a node takes one more value of a bounded kind, and whether this is the first that is too many."""
        key = (node, type(value))
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = Group(MOST[type(value)])
        was_full = group.is_full
        admitted = group.admits(_spelled(value), self._rank(value))
        return admitted, group.is_full and not was_full

    def admits_object(self, node: Node) -> bool:
        """Whether a node takes one more object or function that neither has nor uses a client itself. Each may hold any
        number of them, until there are too many in all places together.
        """
        self._objects[node] += 1
        if self._objects[node] <= MAX_OBJECTS:
            return True
        self._crowded += 1
        return self._crowded <= MAX_CROWDED

    def kept(self, values: Iterable[Value]) -> list[Value]:
        """Those of some values that are kept."""
        every = list(values)
        computed = {one.ref for one in every if isinstance(one, Many)} - {None}
        every = [one for one in every if not isinstance(one, Const) or one.ref not in computed]
        groups: dict[type, Group] = {}
        for one in every:
            kind = type(one)
            if kind in MOST:
                groups.setdefault(kind, Group(MOST[kind])).admits(_spelled(one), self._rank(one))
        return [one for one in every if type(one) not in MOST or self._is_in(groups[type(one)], one)]

    def _is_in(self, group: Group, value: Value) -> bool:
        return self._rank(value) in group.alike.get(_spelled(value), ())

    def _rank(self, value: Value) -> Rank:
        """Where a value stands in the project."""
        if isinstance(value, ParameterValue):
            return (value.file, value.scope, value.index)
        ref = getattr(value, "ref", None)
        text = str(getattr(value, "dotted", "") or getattr(value, "view", "") or getattr(value, "value", ""))
        if ref is None:
            return (-1, 0, 0, text)
        start = self._store.expr(ref).start if ref[1] >= 0 else 0
        return (ref[0], start, ref[1], text)


def _spelled(value: Value) -> object:
    return (value.type, value.value, value.through) if isinstance(value, Const) else value
