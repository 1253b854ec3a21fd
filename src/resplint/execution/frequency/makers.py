"""Whether those who make an object also call the method in which it gets its client: ``Service()`` in a handler makes
no connection if only the start of the process calls ``service.connect()``.
"""

from __future__ import annotations

from resplint.contracts.facts import NONE
from resplint.execution.frequency.run_sites import Runs
from resplint.execution.roles import PER_OPERATION, RoleTable
from resplint.flow.graph import Graph

MAX_CALLERS = 300
"""Functions that are looked at. Whoever has more of them is called from everywhere."""


class Makers:
    """Answers for methods that store a client in their object."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self._roles = roles

    def call(self, file: int, scope: int, runs: Runs) -> bool:
        """Whether a method is called, over whatever it is called by, from a function on the way to where the objects
        are made (`runs`), or by somebody who is not seen.
        """
        owner = self._ev.store.files[file].class_of(scope)
        makers = {self._function(ref) for ref, _ in runs.steps}
        provided = any(self._has_role(one, ("provider_per_request",)) for one in makers)
        seen, waiting = {(file, scope)}, [(file, scope)]
        while waiting:
            one = waiting.pop()
            if one in makers or len(seen) > MAX_CALLERS or self._is_run(*one, (file, owner)):
                return True
            if provided and self._has_role(one, PER_OPERATION):
                return True  # a framework makes the object and hands it to whatever runs for the request
            for caller in self._callers(*one):
                if caller not in seen:
                    seen.add(caller)
                    waiting.append(caller)
        return False

    def _callers(self, file: int, scope: int) -> list[tuple[int, int]]:
        """The functions that call a function or stand around one that is written in place."""
        index = self._ev.store.files[file]
        found = [self._function(site.ref) for site in self._ev.callers.of(file, scope)]
        if scope in index.function_expr:
            found.append(self._function((file, index.function_expr[scope])))
        return found

    def _is_run(self, file: int, scope: int, owner: tuple[int, int]) -> bool:
        """Whether somebody outside the project may call a method of the object itself: a framework, or whoever the
        method escapes to.
        """
        if (file, self._ev.store.files[file].class_of(scope)) != owner:
            return False
        return self._ev.callers.escapes(file, scope) or self._has_role((file, scope), PER_OPERATION)

    def _has_role(self, function: tuple[int, int], names: tuple[str, ...]) -> bool:
        role = self._roles.of(*function)
        return role is not None and role.name in names

    def _function(self, ref: tuple[int, int]) -> tuple[int, int]:
        file, number = ref
        index = self._ev.store.files[file]
        if number < NONE:  # a definition, see `Frequency._definition`
            return file, -2 - number
        return file, index.function_of(index.facts.exprs[number].block)
