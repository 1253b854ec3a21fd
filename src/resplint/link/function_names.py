"""Which expressions may stand for a function of the project, going by names alone: a cheap test before the real one."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from resplint import facts
from resplint.facts import NONE
from resplint.link.index import FileIndex
from resplint.link.store import Store


class FunctionNames:
    """Names of functions of the selected files, and of the variables, members and parameters that may hold one."""

    def __init__(self, store: Store) -> None:
        self._files = store.files[: store.selected]

    def may_be(self, index: FileIndex, expr: int) -> bool:
        """Whether an expression may stand for a function of the project. This over-approximates."""
        return self._is_one(index, expr, self._names)

    @cached_property
    def _names(self) -> frozenset[str]:
        names = {scope.name for index in self._files for scope in index.facts.scopes if scope.kind == "function"}
        size = -1
        while size < len(names):
            size = len(names)
            for index in self._files:
                self._grow(index, names)
        return frozenset(names)

    def _grow(self, index: FileIndex, names: set[str]) -> None:
        """Add what a file gives functions of these names to."""
        names.update(item.alias for item in index.facts.imports if item.name in names or item.name == "default")
        for binding in index.facts.bindings:
            if binding.name not in names and self._is_one(index, binding.value, names):
                names.add(binding.name)
        for write in index.facts.writes:
            target = index.target_name(write.target)
            if target is not None and target not in names and self._is_one(index, write.value, names):
                names.add(target)
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
            found = index.facts.exprs[pending.pop()]
            if isinstance(found, facts.Function):
                return True
            if isinstance(found, facts.Name | facts.Member) and found.name in names:
                return True
            if isinstance(found, facts.Call):
                pending += [found.callee, *(item.value for item in found.arguments)]
            elif isinstance(found, facts.Choice):
                pending += found.options
        return False
