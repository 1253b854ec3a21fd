"""What code runs for: requests, jobs, messages, a program's start, a command that somebody gives by hand, a test."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from resplint.bind.values import Ref
from resplint.contracts.facts import NONE
from resplint.execution.roles import Role, RoleTable
from resplint.flow.graph import Graph

REQUEST, TASK, MESSAGE, STARTUP, TEST = "request", "task", "message", "startup", "test"
SERVING = (REQUEST, TASK, MESSAGE)
"""What goes on for as long as a program runs."""
_PURPOSES = {
    "handler": REQUEST, "provider_per_request": REQUEST, "task": TASK, "submitted": TASK, "message": MESSAGE,
    "startup": STARTUP, "main": STARTUP, "provider": STARTUP, "test": TEST,
}  # fmt: skip
_NOUNS = {
    REQUEST: "a request handler", TASK: "a task", MESSAGE: "a message handler", STARTUP: "a start-up hook",
    TEST: "a test",
}  # fmt: skip
_MOST = 300
"""Functions that are looked at on the way up the callers."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a function with a role runs for, and the `way` from it down to the code. `by_hand` marks what somebody
    starts for one piece of work. `name` is the function's.
    """

    name: str
    what: str
    by_hand: bool
    way: tuple[tuple[Ref, str], ...]

    @property
    def is_serving(self) -> bool:
        """Whether it goes on for as long as the program runs."""
        return self.what in SERVING


class Purposes:
    """Finds the functions with a role that lead to a place."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self._roles = roles
        self._known: dict[tuple[int, int], tuple[Purpose, ...]] = {}

    def of(self, ref: Ref) -> tuple[Purpose, ...]:
        """All that a place is known to run for, the nearest first."""
        return self.of_function(ref[0], self._function(ref))

    def of_function(self, file: int, scope: int) -> tuple[Purpose, ...]:
        """All that a function is known to run for."""
        start = (file, scope)
        if start not in self._known:
            self._known[start] = tuple(self._leading(*start))
        return self._known[start]

    def serving(self, ref: Ref) -> Purpose | None:
        """The nearest request, job or message that a place runs for."""
        return next((one for one in self.of(ref) if one.what in SERVING), None)

    def is_test(self, ref: Ref) -> bool:
        """Whether a place runs for tests, and for nothing else that is known."""
        found = self.of(ref)
        return bool(found) and all(one.what == TEST for one in found)

    def is_by_hand(self, ref: Ref) -> bool:
        """Whether a place runs when somebody gives a command, and for nothing else that is known."""
        found = [one for one in self.of(ref) if one.what != TEST]
        return bool(found) and all(one.by_hand for one in found)

    def callers(self, ref: Ref, most: int = 3) -> tuple[tuple[Ref, str], ...]:
        """The first calls of the function around a place."""
        file, scope = ref[0], self._function(ref)
        index = self._ev.store.files[file]
        if index.facts.scopes[scope].kind == "module":
            return ()
        name = index.qualified_name(scope)
        message = f"`{name}` is called here" if name else "the function is called here"
        return tuple((one.ref, message) for one in self._ev.callers.of(file, scope)[:most])

    def _leading(self, file: int, scope: int) -> Iterator[Purpose]:
        pending: deque[tuple[int, int, tuple[tuple[Ref, str], ...]]] = deque([(file, scope, ())])
        seen = {(file, scope)}
        while pending and len(seen) < _MOST:
            file, scope, way = pending.popleft()
            index = self._ev.store.files[file]
            if index.facts.scopes[scope].kind == "module":
                continue
            role = self._roles.of(file, scope)
            if role is not None:
                if role.name in _PURPOSES:
                    yield self._purpose(file, scope, role, way)
                continue
            name = index.qualified_name(scope)
            message = f"`{name}` is called here" if name else "the function is called here"
            sites = [
                (one.file, self._function(one.ref), ((one.ref, message), *way))
                for one in self._ev.callers.of(file, scope)
            ]
            parent = index.facts.scopes[scope].parent
            around = [(file, parent, way)] if not sites and parent != NONE else []
            for one in (*sites, *around):
                if one[:2] not in seen:
                    seen.add(one[:2])
                    pending.append(one)

    def _purpose(self, file: int, scope: int, role: Role, way: Sequence[tuple[Ref, str]]) -> Purpose:
        what = _PURPOSES[role.name]
        place = role.ref if role.ref[1] != NONE else (file, -2 - scope)
        name = self._ev.store.files[file].qualified_name(scope)
        who = f"`{name}`" if name else "the function"
        step = (place, f"{who} is {_NOUNS[what]} ({role.by})")
        by_hand = role.pattern is not None and role.pattern.by_hand
        return Purpose(name, what, by_hand, (step, *way))

    def _function(self, ref: Ref) -> int:
        index = self._ev.store.files[ref[0]]
        return index.function_of(index.facts.exprs[ref[1]].block)
