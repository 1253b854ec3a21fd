"""Which foreign methods return the object that they are called on, so that calls stand in a row:
``app.get(…).post(…)``.
"""

from __future__ import annotations

from resplint.knowledge.records.role_records import Roles

_CALLED = "()"


class Chains:
    """What the calls of foreign methods give, by their paths, in one language."""

    def __init__(self, roles: Roles) -> None:
        patterns = [pattern for pattern in roles.role if pattern.fluent]
        self._fluent = frozenset((*roles.fluent, *(name for one in patterns for name in one.registrars)))
        self._last = frozenset(name.rpartition(".")[2] for name in self._fluent)
        known = (*roles.fluent, *(name for pattern in roles.role for name in pattern.registrars))
        self._followed = frozenset(name[:at] for name in known for at, sign in enumerate(name) if sign == ".")

    def given(self, path: str) -> tuple[str, ...]:
        """The paths of what a call gives: that of the object where the method returns it, and the call's own, unless
        nothing further is known of that (as of ``commander.command.action``).
        """
        bare = path.replace(_CALLED, "")
        own = f"{path}{_CALLED}"
        if bare not in self._fluent or path.endswith(_CALLED):
            return (own,)
        owner = path.rpartition(".")[0]
        return (owner, own) if bare in self._followed else (owner,)

    def may_return_itself(self, name: str) -> bool:
        """Whether some foreign method of this name returns the object that it is called on."""
        return name in self._last
