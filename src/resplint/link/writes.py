"""Which writes store something in a member of an object, a class or a module, found by name and confirmed by value."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from resplint import facts
from resplint.link.values import ClassValue, Instance, LibraryObject, Value

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator

Placed = tuple[int, facts.Write]
"""(file, write)"""
Class = tuple[int, int]
"""(file, scope)"""


class WriteTable:
    """Writes of the selected files to members. What a name's writes are stored in is looked at once, not once for each
    question; only while some of it is still being evaluated is it looked at again.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._owners: dict[str, dict[Value, list[Placed]]] = {}
        self._classes: dict[str, dict[Class, list[tuple[int, Placed]]]] = {}
        self._holders: dict[str, dict[tuple[str, type, str], list[Placed]]] = {}

    def to_owner(self, name: str, owner: Value) -> Iterable[Placed]:
        """Writes to the member `name` of exactly this."""
        table = self._owners.get(name)
        if table is None:
            self._look(name)
            table = self._owners.get(name)
        if table is not None:
            return table.get(owner, ())
        return [one for one in self._ev.store.writes(name) if owner in self._objects(one)]

    def to_classes(self, name: str, family: set[Class]) -> Iterable[Placed]:
        """Writes to the member `name` of these classes and of objects of them, in the order of the project."""
        table = self._classes.get(name)
        if table is None:
            self._look(name)
            table = self._classes.get(name)
        if table is not None:
            found = {at: one for key in family for at, one in table.get(key, ())}
            return [found[at] for at in sorted(found)]
        return [
            one
            for one in self._ev.store.writes(name)
            if any(_class_of(value) in family for value in self._objects(one))
        ]

    def beside(self, name: str, holder: str, kind: type, runtime: str) -> Iterable[Placed]:
        """Writes to `holder.name` (or ``holder["name"]``, as `kind` says), whatever the holder is, in files of
        languages that share this runtime.
        """
        table = self._holders.get(name)
        if table is None:
            table = self._holders[name] = defaultdict(list)
            for file, write in self._ev.store.writes(name):
                exprs = self._ev.store.files[file].facts.exprs
                target = exprs[write.target]
                if isinstance(target, facts.Member | facts.Index):
                    inner = exprs[target.object]
                    last = inner.name if isinstance(inner, facts.Name | facts.Member) else ""
                    table[last, type(target), self._ev.roles(file).words.runtime].append((file, write))
        return table.get((holder, kind, runtime), ())

    def _objects(self, placed: Placed) -> tuple[Value, ...]:
        """What a write stores something in a member of."""
        file, write = placed
        target = self._ev.store.files[file].facts.exprs[write.target]
        return self._ev.values(file, target.object) if isinstance(target, facts.Member) else ()

    def _look(self, name: str) -> None:
        """Enter the writes of a name; not while what one of them is stored in is being evaluated."""
        owners: dict[Value, list[Placed]] = {}
        classes: dict[Class, list[tuple[int, Placed]]] = {}
        final = True
        for at, placed in enumerate(self._ev.store.writes(name)):
            file, write = placed
            target = self._ev.store.files[file].facts.exprs[write.target]
            if not isinstance(target, facts.Member):
                continue
            for value in self._ev.values(file, target.object):
                owners.setdefault(value, []).append(placed)
                if (key := _class_of(value)) is not None:
                    classes.setdefault(key, []).append((at, placed))
            final = final and self._ev.is_settled(file, target.object)
        if final:
            self._owners[name], self._classes[name] = owners, classes


def _class_of(value: Value) -> Class | None:
    """The project's class that a value is or is an object of."""
    if isinstance(value, Instance | ClassValue):
        return (value.file, value.scope)
    return value.subclass if isinstance(value, LibraryObject) else None
