"""Functions that nothing in the project calls but its tests, as far as names say."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import ClassValue, CollectionMethod, External, FunctionValue, LibraryMethod, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution import exported
from resplint.execution.roles import RoleTable
from resplint.flow.graph import Graph

_KNOWN = (FunctionValue, ClassValue, CollectionMethod, External, LibraryMethod)
_MOST = 200
"""Expressions of one name that are looked at, and functions on the way up the callers."""


class Unused:
    """Finds them. An expression that ends in a function's name may call it unless it is known to be something else."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self._roles = roles

    def has(self, ref: Ref) -> bool:
        """Whether a place stands in a function that nothing calls, or only tests and functions that nothing calls."""
        pending = [self._function(*ref)]
        seen = set(pending)
        while pending:
            file, scope = pending.pop()
            callers = self._callers(self._ev.store.files[file], scope)
            if callers is None or len(seen) > _MOST:
                return False
            pending += callers - seen
            seen |= callers
        return True

    def is_dead(self, ref: Ref) -> bool:
        """Whether a place stands in a private function that nothing calls: no other code ever can."""
        file, scope = self._function(*ref)
        return self._ev.store.files[file].facts.scopes[scope].is_private and self.has(ref)

    def _callers(self, index: FileIndex, scope: int) -> set[tuple[int, int]] | None:
        """The functions that call one of a name, itself left out; None where others than they may run it."""
        record = index.facts.scopes[scope]
        if record.kind != "function" or record.is_constructor or self._roles.of(index.number, scope) is not None:
            return None
        name = record.name or index.name_of_function.get(scope, "")
        if not name or self._is_marked(index, scope) or self._is_asked_from_outside(index, scope, name):
            return None
        mentions = [ref for alias in sorted(self._ev.store.aliases(name)) for ref in self._ev.store.named(alias)]
        if len(mentions) > _MOST:
            return None
        calls = {site.ref for site in self._ev.callers.of(index.number, scope)}
        found = {self._function(*ref) for ref in calls if not self._of_test(*ref)}
        for file, number in mentions:
            other = self._ev.store.files[file]
            call = other.call_of.get(number, NONE)
            if (
                (file, call) not in calls
                and not self._of_test(file, number)
                and not self._is_other(other, number, FunctionValue(index.number, scope))
            ):
                return None
        return found - {(index.number, scope)}

    def _of_test(self, file: int, number: int) -> bool:
        role = self._roles.of(*self._function(file, number))
        return role is not None and role.name == "test"

    def _is_marked(self, index: FileIndex, scope: int) -> bool:
        """Whether a decorator may have a framework run a function."""
        plain = self._ev.roles(index.number).plain_decorators
        marks = self._roles.marks(index.number, scope)
        return len(marks) < len(index.facts.scopes[scope].decorators) or any(one not in plain for one in marks)

    def _is_asked_from_outside(self, index: FileIndex, scope: int, name: str) -> bool:
        """Whether code that nobody read may call a function: a method that a base class or interface has, too, or what
        its file exports.
        """
        owner = index.class_of(scope)
        if owner == NONE:
            return exported.is_handed_out(index, scope)
        bases = [one for one in self._ev.classes.line(index.number, owner) if one != ClassValue(index.number, owner)]
        return any(isinstance(one, External) or self._ev.classes.methods(one.file, one.scope, name) for one in bases)

    def _is_other(self, index: FileIndex, number: int, function: FunctionValue) -> bool:
        """Whether an expression is certainly not the function, nor a method that may be overridden by it."""
        is_method = self._ev.store.files[function.file].class_of(function.scope) != NONE
        if is_method and isinstance(index.facts.exprs[number], facts.Name) and number not in index.call_of:
            return True  # a variable
        values = self._ev.callee(index.number, number)
        return bool(values) and all(
            isinstance(one, _KNOWN)
            and not (isinstance(one, FunctionValue) and (one == function or self._is_of_family(one, function)))
            for one in values
        )

    def _is_of_family(self, one: FunctionValue, other: FunctionValue) -> bool:
        """Whether one method may override the other."""
        owners = [(each.file, self._ev.store.files[each.file].class_of(each.scope)) for each in (one, other)]
        lines = [
            [(each.file, each.scope) for each in self._ev.classes.line(*owner) if isinstance(each, ClassValue)]
            if owner[1] != NONE
            else []
            for owner in owners
        ]
        return owners[0] in lines[1] or owners[1] in lines[0]

    def _function(self, file: int, number: int) -> tuple[int, int]:
        """The function around an expression that has a name or a role of its own, over those written in place."""
        index = self._ev.store.files[file]
        scope = index.function_of(index.facts.exprs[number].block)
        while index.function_expr.get(scope, NONE) in index.argument_of and self._roles.of(file, scope) is None:
            scope = index.function_of(index.facts.exprs[index.function_expr[scope]].block)
        return file, scope
