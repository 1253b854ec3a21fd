"""Which collections DEL frees, and how they grow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.values import CollectionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.remedy import CallInstead, Remedy
from resplint.flow.graph import Graph
from resplint.redis.growth.element_writes import ElementWrites
from resplint.redis.growth.gathering import EACH, FEW, Gathering
from resplint.redis.growth.hashes import FieldWrite, Hashes
from resplint.redis.usage import CommandSite, Usage
from resplint.text import collections as elements

TITLE = "Free the memory in the background with UNLINK"


@dataclass(frozen=True, slots=True)
class Freed:
    """A collection that DEL frees. `how` it grows, as the `writes` say."""

    how: str
    writes: list[FieldWrite]


class DeletedKeys:
    """Looks at the keys of DEL."""

    def __init__(
        self, evaluator: Graph, usage: Usage, hashes: Hashes, gathering: Gathering, written: ElementWrites
    ) -> None:
        self._ev = evaluator
        self._usage = usage
        self._hashes = hashes
        self._gathering = gathering
        self._written = written

    def of(self, site: CommandSite) -> Freed | None:
        """The first collection that grows among those that a command deletes."""
        for file, key in self._keys(site):
            names = self._hashes.names(file, key, all_known=True)
            found = self._of_names(names) if names else None
            if found is not None:
                return found
        return None

    def _of_names(self, names: list[str]) -> Freed | None:
        if self._written.trimmed_at(names) is not None:
            return None
        kinds = (
            self._gathering.of(self._hashes.among(self._hashes.writers, names)),
            self._gathering.of_elements(self._written.of("", names)),
        )
        for how, writes in kinds:
            if not how or how == FEW:
                continue
            brief = self._written.expires(names) or all(self._written.is_replaced(one) for one in writes)
            if how != EACH or not brief:
                return Freed(how, writes)
        return None

    def _keys(self, site: CommandSite) -> Iterator[Ref]:
        """The keys among the arguments, those of a list that is written out one by one."""
        bound = self._usage.key_file(site), self._usage.key(site)
        if site.method.key == -1:
            yield bound
            return
        numbers = self._usage.positional(site)
        for number in dict.fromkeys([*numbers, *([bound[1]] if bound[1] != NONE else [])]):
            lists = [one for one in self._ev.values(site.file, number) if isinstance(one, CollectionValue)]
            listed = [ref for one in lists for ref in elements.listed(self._ev, one)]
            yield from listed or [(site.file, number)]

    def remedy(self, site: CommandSite, is_known: bool) -> Remedy | None:
        """UNLINK in the place of DEL, where the library has a method of the same arguments for it; `is_known` says that
        the server is known to have the command.
        """
        instead = self._ev.catalogue.advice(site.receiver.origin.library).unlink
        call = self._ev.store.expr(site.ref)
        callee = self._ev.store.expr((site.file, call.callee)) if isinstance(call, facts.Call) else None
        if not instead or site.method.key == -1 or site.method.raw_index >= 0 or not isinstance(callee, facts.Member):
            return None
        return Remedy(TITLE, (CallInstead(site.ref, instead),), safe=is_known)
