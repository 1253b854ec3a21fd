"""Which clients, pools and connections the project makes."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import LibraryObject, Ref
from resplint.flow.graph import Graph

_MAKES = ("client", "cluster", "pool", "sentinel", "connection")


class Making:
    """Finds the calls that make something, in the selected files."""

    def __init__(self, evaluator: Graph) -> None:
        self.ev = evaluator

    @property
    def _files(self) -> Collection[FileIndex]:
        return self.ev.store.judged

    @cached_property
    def made(self) -> list[LibraryObject]:
        """Every client, cluster, pool, … that the selected files make, by place."""
        found: dict[tuple[Ref, str], LibraryObject] = {}
        for ref in self.ev.makers():
            for value in self.ev.carried(*ref):
                if isinstance(value, LibraryObject) and value.made == ref and value.kind in _MAKES:
                    found.setdefault((ref, value.origin.type.name), value)
        return list(found.values())

    @cached_property
    def pools_of_anything(self) -> list[tuple[LibraryObject, LibraryObject]]:
        """(pool, what it holds) of general pools that the selected files fill with objects of a client library."""
        found: list[tuple[LibraryObject, LibraryObject]] = []
        for ref in self.ev.makers():
            for value in self.ev.carried(*ref):
                if not isinstance(value, LibraryObject) or value.made != ref:
                    continue
                if value.origin.type.name in self.ev.catalogue.pools_of_anything:
                    held = [one for one in self.ev.pooled(ref) if isinstance(one, LibraryObject)]
                    found += [(value, one) for one in held[:1] if one.kind != "config"]
        return found
