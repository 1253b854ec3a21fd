"""What role a function plays: request handler, task, start-up hook, program entry, test … — told by decorators, by the
calls it is handed to and by the classes it belongs to, never by its name alone."""

from __future__ import annotations

from dataclasses import dataclass

from resplint import facts
from resplint.facts import NONE
from resplint.knowledge.records import RolePattern
from resplint.link import calls
from resplint.link.evaluate import Evaluator
from resplint.link.values import (
    ClassValue,
    External,
    ExternalObject,
    FunctionValue,
    Ref,
    Value,
)

PER_OPERATION = ("handler", "task", "message", "provider_per_request")
ONCE = ("startup", "main", "test", "provider", "thread")


@dataclass(frozen=True, slots=True)
class Role:
    """A role and the expression that gives it (NONE: the definition itself)."""

    name: str
    ref: Ref
    by: str


class RoleTable:
    """Roles of the project's functions."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._known: dict[tuple[int, int], Role | None] = {}
        self._by_name: dict[tuple[str, str], dict[str, str]] = {}

    def of(self, file: int, scope: int) -> Role | None:
        """The role of a function, None when it has none of its own."""
        key = (file, scope)
        if key not in self._known:
            self._known[key] = None
            self._known[key] = (
                self._by_decorator(file, scope) or self._by_class(file, scope) or self._by_use(file, scope)
            )
        return self._known[key]

    def memoised(self, file: int, scope: int) -> str:
        """ "process", "object" or "": for how long the first result of a function is kept."""
        roles = self._ev.roles(file)
        for value in calls.decorators(self._ev, FunctionValue(file, scope)):
            paths = [_path(value)]
            if isinstance(value, ClassValue):  # a project's own decorator, derived from a known one
                paths = [_path(base) for base in self._ev.classes.line(value.file, value.scope)]
            if any(_is(dotted, roles.memoised) for dotted in paths):
                return "process"
            if any(_is(dotted, roles.memoised_per_object) for dotted in paths):
                return "object"
        return ""

    def retry_decorators(self, file: int, scope: int) -> list[int]:
        """Decorator expressions that retry the function."""
        index = self._ev.store.files[file]
        names = {name for decorator in self._ev.roles(file).retry_decorator for name in decorator.names}
        found = []
        for number in index.facts.scopes[scope].decorators:
            expr = index.facts.exprs[number]
            callee = expr.callee if isinstance(expr, facts.Call) else number
            if any(_path(value) in names for value in self._ev.values(file, callee)):
                found.append(number)
        return found

    # -- where roles come from -----------------------------------------------------------------------------------------

    def _names(self, file: int, field: str) -> dict[str, str]:
        """Dotted name -> role, for the decorators or registrars of a file's language."""
        language = self._ev.store.files[file].facts.language
        key = (language, field)
        if key not in self._by_name:
            table: dict[str, str] = {}
            for pattern in self._ev.roles(file).role:
                for name in getattr(pattern, field):
                    table.setdefault(name, pattern.role)
            self._by_name[key] = table
        return self._by_name[key]

    def _by_decorator(self, file: int, scope: int) -> Role | None:
        index = self._ev.store.files[file]
        names = self._names(file, "decorators")
        for number in index.facts.scopes[scope].decorators:
            expr = index.facts.exprs[number]
            callee = expr.callee if isinstance(expr, facts.Call) else number
            for value in self._ev.values(file, callee):
                if role := names.get(_path(value)):
                    return Role(role, (file, number), _path(value))
        return None

    def _by_class(self, file: int, scope: int) -> Role | None:
        index = self._ev.store.files[file]
        owner = index.class_of(scope)
        if owner == NONE:
            return None
        name = index.facts.scopes[scope].name
        bases = [value.dotted for value in self._ev.classes.line(file, owner) if isinstance(value, External)]
        for pattern in self._ev.roles(file).role:
            if any(_is(base, pattern.bases) for base in bases) and (not pattern.methods or name in pattern.methods):
                return Role(pattern.role, (file, NONE), bases[0])
        return None

    def _by_use(self, file: int, scope: int) -> Role | None:
        """The role that a call gives which the function (or its class, as ``View.as_view()``) is handed to."""
        name = self._ev.store.files[file].facts.scopes[scope].name
        if not name:
            return None
        for alias in sorted(self._ev.store.aliases(name)):
            for reference in self._ev.store.named(alias):
                place = self._ev.store.files[reference[0]].argument_of.get(reference[1])
                if place is None or not self._is_function(reference, file, scope):
                    continue
                if role := self._registered(reference[0], place[0]):
                    return role
        return None

    def _is_function(self, reference: Ref, file: int, scope: int) -> bool:
        return any(
            isinstance(value, FunctionValue) and (value.file, value.scope) == (file, scope)
            for value in self._ev.values(*reference)
        )

    def _registered(self, file: int, call: int) -> Role | None:
        expr = self._ev.store.expr((file, call))
        assert isinstance(expr, facts.Call)
        for value in self._ev.values(file, expr.callee):
            dotted = _path(value)
            if role := self._names(file, "registrars").get(dotted):
                return Role(role, (file, call), dotted)
            if dotted in self._ev.roles(file).injectors:
                return Role("provider_per_request", (file, call), dotted)
        return None

    def patterns(self, file: int) -> tuple[RolePattern, ...]:
        """All patterns of a file's language."""
        return self._ev.roles(file).role


def _path(value: Value) -> str:
    """Import path of an external thing; members of an instance are written as members of its class."""
    if isinstance(value, External | ExternalObject):
        return value.dotted.replace("()", "")
    return ""


def _is(dotted: str, patterns: tuple[str, ...]) -> bool:
    return bool(dotted) and dotted in patterns
