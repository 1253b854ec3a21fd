"""Things of a file in the order in which they stand, and those of a stretch of it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from resplint.contracts.facts import Binding, FileFacts, Jump, Operation


class _Placed(Protocol):
    @property
    def start(self) -> int: ...


T = TypeVar("T", bound=_Placed)


class Stretches(Generic[T]):
    """Built once, so that a question costs what is in the stretch and not what is in the file."""

    def __init__(self, items: Iterable[T]) -> None:
        self._items = sorted(items, key=lambda item: item.start)
        self._starts = [item.start for item in self._items]

    def between(self, start: int, end: int) -> list[T]:
        """What starts in a stretch of the file, in order."""
        return self._items[bisect_left(self._starts, start) : bisect_left(self._starts, end)]


class ByPlace:
    """A file's facts by where they stand."""

    def __init__(self, facts: FileFacts) -> None:
        self._facts = facts

    @cached_property
    def operations(self) -> Stretches[Operation]:
        return Stretches(one for one in self._facts.exprs if isinstance(one, Operation))

    @cached_property
    def bindings(self) -> Stretches[Binding]:
        return Stretches(self._facts.bindings)

    @cached_property
    def jumps(self) -> Stretches[Jump]:
        return Stretches(self._facts.jumps)
