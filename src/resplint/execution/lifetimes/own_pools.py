"""Pools that a project writes itself: one function hands out what it takes from a collection, and another one puts what
it is handed into the same collection.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.lifetimes.fields import own_field
from resplint.flow.graph import Graph

_Store = tuple[int, str]
"""The class (or the module) and the name of a collection."""


class OwnPools:
    """Answers for functions, file by file."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._lent: dict[int, dict[_Store, set[int]]] = {}

    def lenders(self) -> Iterator[tuple[int, int]]:
        """The functions of the selected files that lend what another one takes back: (file, scope)."""
        for index in self._graph.store.judged:
            for store, scopes in self._taken(index).items():
                if any(self._puts(index, store)):
                    yield from ((index.number, one) for one in sorted(scopes))

    def takes_back(self, file: int, scope: int, parameter: str) -> bool:
        """Whether a function puts a parameter into a collection that another one lends from."""
        index = self._graph.store.files[file]
        return any((scope, parameter) in self._puts(index, store) for store in self._taken(index))

    def _taken(self, index: FileIndex) -> dict[_Store, set[int]]:
        """The collections of a file, each with the functions that take something out of it and return that."""
        if index.number not in self._lent:
            found: dict[_Store, set[int]] = defaultdict(set)
            words = self._graph.roles(index.number).words
            for name in (*words.takers, *words.queue_takers):
                for member in index.by_name.get(name, ()):
                    store, call = _store(index, member), index.call_of.get(member, NONE)
                    if store is not None and call != NONE and not self._looks_up(index, call, name):
                        found[store].update(_returning(index, call))
            self._lent[index.number] = found
        return self._lent[index.number]

    def _looks_up(self, index: FileIndex, number: int, method: str) -> bool:
        """Whether a call asks for what is kept under a key: ``clients.get(host)``, ``options.pop(name)``."""
        call = index.facts.exprs[number]
        keyed = isinstance(call, facts.Call) and any(not item.name for item in call.arguments)
        return keyed and method in self._graph.roles(index.number).words.lookups

    def _puts(self, index: FileIndex, store: _Store) -> set[tuple[int, str]]:
        """The functions that put a parameter into a collection, each with that."""
        words = self._graph.roles(index.number).words
        found: set[tuple[int, str]] = set()
        for name in (*words.list_adders, *words.adders, *words.queuers):
            for member in index.by_name.get(name, ()):
                call = index.facts.exprs[index.call_of[member]] if member in index.call_of else None
                if isinstance(call, facts.Call) and _store(index, member) == store:
                    for given in (index.facts.exprs[item.value] for item in call.arguments):
                        if isinstance(given, facts.Name):
                            owner = index.owner(given.name, index.scope_of(given.block))
                            if (owner, given.name) in index.parameters:
                                found.add((owner, given.name))
        return found


def _returning(index: FileIndex, number: int) -> set[int]:
    """The functions that return what a call gives, perhaps by way of a name."""
    uses = [
        use
        for binding in index.bound_to.get(number, ())
        for use in index.by_name.get(binding.name, ())
        if index.owner(binding.name, index.scope_of(index.facts.exprs[use].block)) == binding.scope
    ]
    return {index.returned_by(one) for one in (number, *uses)} - {NONE}


def _store(index: FileIndex, member: int) -> _Store | None:
    """The field or variable of the module that a method is one of."""
    expr = index.facts.exprs[member]
    if not isinstance(expr, facts.Member):
        return None
    if field := own_field(index, expr.object):
        scope = index.function_of(expr.block)
        while index.class_of(scope) == NONE and scope != 0:
            scope = index.facts.scopes[scope].parent
        return index.class_of(scope), field
    holder = index.facts.exprs[expr.object]
    if isinstance(holder, facts.Name) and index.owner(holder.name, index.scope_of(holder.block)) == 0:
        return 0, holder.name
    return None
