"""Classes that show in a ``main`` of their own how they are used, while other code is to use them."""

from __future__ import annotations

from collections.abc import Sequence

from resplint.bind.index import FileIndex
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.roles import RoleTable
from resplint.flow.callers import CallSite
from resplint.flow.graph import Graph

_UNUSED = 2
"""Public methods that nobody calls, but to show them, from which on a class is there for others."""


class Demonstrations:
    """Tells calls that only show how a method is used."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self._roles = roles
        self._for_others: dict[tuple[int, int], bool] = {}

    def are_all(self, file: int, scope: int, sites: Sequence[CallSite]) -> bool:
        """Whether all calls of a public method stand in the ``main`` of its own class, which others are to use."""
        index = self._ev.store.files[file]
        owner = index.class_of(scope)
        if owner == NONE or index.facts.scopes[scope].is_private or not index.facts.scopes[owner].is_open:
            return False
        if not all(self._is_main(index, owner, site) for site in sites):
            return False
        if (file, owner) not in self._for_others:
            self._for_others[file, owner] = self._is_for_others(index, owner)
        return self._for_others[file, owner]

    def _is_main(self, index: FileIndex, owner: int, site: CallSite) -> bool:
        """Whether a call stands in the ``main`` of a class."""
        if site.file != index.number or not isinstance(index.facts.exprs[site.call], facts.Call):
            return False
        around = index.function_of(index.facts.exprs[site.call].block)
        role = self._roles.of(site.file, around) if index.class_of(around) == owner else None
        return role is not None and role.name == "main" and not self._reads_arguments(index, around)

    def _reads_arguments(self, index: FileIndex, scope: int) -> bool:
        """Whether a ``main`` looks at what the program was called with, as one does that somebody starts by hand."""
        names = {one.name for one in index.facts.scopes[scope].parameters}
        return any(
            index.within(index.facts.exprs[number].block, scope)
            for name in names
            for number in index.by_name.get(name, ())
        )

    def _is_for_others(self, index: FileIndex, owner: int) -> bool:
        """Whether other files call methods of a class, or nobody calls several of its public ones."""
        unused = 0
        for number, record in enumerate(index.facts.scopes):
            if record.kind != "function" or record.parent != owner or record.is_private or record.is_constructor:
                continue
            if self._roles.of(index.number, number) is not None or not record.name:
                continue
            sites = self._ev.callers.of(index.number, number)
            if any(site.file != index.number for site in sites):
                return True
            unused += not record.decorators and self._is_only_shown(index, owner, number, sites)
        return unused >= _UNUSED

    def _is_only_shown(self, index: FileIndex, owner: int, scope: int, sites: Sequence[CallSite]) -> bool:
        """Whether nobody calls a method, or the ``main`` of its class alone, with values that are written out."""
        if sites and not index.own_parameters(scope):
            return False
        for site in sites:
            call = index.facts.exprs[site.call] if site.file == index.number else None
            given = [index.facts.exprs[item.value] for item in call.arguments] if isinstance(call, facts.Call) else []
            written = bool(given) and all(isinstance(one, facts.Literal | facts.Template) for one in given)
            if not written or not self._is_main(index, owner, site):
                return False
        return True
