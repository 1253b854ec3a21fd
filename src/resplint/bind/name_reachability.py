"""Which expressions may stand for a certain thing, going by names alone: a cheap test before the real one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property

from resplint.bind.files import Store
from resplint.bind.index import FileIndex
from resplint.contracts import facts
from resplint.contracts.facts import NONE


class NameSpread:
    """Names of the variables, members, parameters and functions of the selected files that may hold or give certain
    things.

    Files and scopes are not told apart, so that this over-approximates.
    """

    def __init__(
        self, store: Store, is_first: Callable[[FileIndex, int], bool], names: Iterable[str] = (), aliases: str = ""
    ) -> None:
        """The things are the expressions for which `is_first` holds, what goes by one of the `names`, and what is
        imported as `aliases`.
        """
        self._files = store.files[: store.selected]
        self._is_first = is_first
        self._known = frozenset(names)
        self._aliases = aliases

    def may_be(self, index: FileIndex, expr: int) -> bool:
        """Whether an expression may stand for one of the things. This over-approximates."""
        return self._is_one(index, expr, self._names)

    @cached_property
    def _names(self) -> frozenset[str]:
        names = set(self._known)
        size = -1
        while size < len(names):
            size = len(names)
            for index in self._files:
                self._grow(index, names)
        return frozenset(names)

    def _grow(self, index: FileIndex, names: set[str]) -> None:
        """Add what a file gives things of these names to."""
        for item in index.facts.imports:
            if item.name in names or (self._aliases and item.name == self._aliases):
                names.add(item.alias)
        for binding in index.facts.bindings:
            if binding.name not in names and self._is_one(index, binding.value, names):
                names.add(binding.name)
        for write in index.facts.writes:
            target = index.target_name(write.target)
            if target is not None and target not in names and self._is_one(index, write.value, names):
                names.add(target)
        for jump in index.facts.jumps:
            if jump.kind in ("return", "yield") and self._is_one(index, jump.value, names):
                names.update(name.rpartition(".")[2] for name in index.callable_names(index.function_of(jump.block)))
        for number in index.calls:
            call = index.facts.exprs[number]
            assert isinstance(call, facts.Call)
            callee = index.facts.exprs[call.callee]
            taken = self._parameters.get(getattr(callee, "name", ""), frozenset())
            if not taken <= names and any(self._is_one(index, item.value, names) for item in call.arguments):
                names |= taken

    @cached_property
    def _parameters(self) -> dict[str, frozenset[str]]:
        """Name of a function or class -> the names of the parameters that calls of it fill."""
        table: dict[str, set[str]] = defaultdict(set)
        for index in self._files:
            for scope in index.facts.scopes:
                if scope.kind == "function":
                    around = index.facts.scopes[scope.parent].name if scope.is_constructor else scope.name
                    table[around].update(item.name for item in scope.parameters)
        return {name: frozenset(found) for name, found in table.items()}

    def _is_one(self, index: FileIndex, expr: int, names: set[str] | frozenset[str]) -> bool:
        pending = [expr] if expr != NONE else []
        while pending:
            number = pending.pop()
            found = index.facts.exprs[number]
            if isinstance(found, facts.Name | facts.Member):
                if found.name in names:
                    return True
            elif isinstance(found, facts.Call):
                pending += [found.callee, *(item.value for item in found.arguments)]
            elif isinstance(found, facts.Choice):
                pending += found.options
            if self._is_first(index, number):
                return True
        return False


def functions(store: Store) -> NameSpread:
    """What may stand for a function of the project."""
    files = store.files[: store.selected]
    names = {scope.name for index in files for scope in index.facts.scopes if scope.kind == "function"}
    return NameSpread(
        store, lambda index, number: isinstance(index.facts.exprs[number], facts.Function), names, "default"
    )
