"""What is known of a language's foreign functions and methods, sorted by what the rules of calls ask."""

from __future__ import annotations

from functools import cached_property

from resplint.knowledge.records.library_records import Row, parse_flow
from resplint.knowledge.records.role_records import Roles

_LAST_FIRST = 3
"""Where the arguments begin at the latest that a function hands on."""


class Library:
    """The rows and collections of one language."""

    def __init__(self, roles: Roles) -> None:
        self._rows = [row for rows in roles.library.values() for row in rows]
        self._makers = frozenset((*roles.collection_makers, *roles.holders))
        self._types = frozenset(
            last for owner, _, last in (name.rpartition(".") for name in self._makers) if _is_package(owner)
        )

    def makes_collection(self, dotted: str) -> bool:
        """Whether a call makes a collection, or something that holds values like one: by its whole path, or by the last
        name of a class or function of a package.
        """
        return dotted in self._makers or dotted.rpartition(".")[2] in self._types

    @cached_property
    def partials(self) -> frozenset[str]:
        """Functions that give the first argument with the others filled in: ``functools.partial``."""
        return frozenset(row.function for row in self._with("arg0 -> result", "arg1 -> arg0.param0") if row.function)

    @cached_property
    def partial_methods(self) -> frozenset[str]:
        """Methods that fill in a class or function with what follows it: ``app.add_middleware(Limit, store)``."""
        return self._methods("arg0 -> result", "arg1 -> arg0.param0")

    @cached_property
    def promises(self) -> frozenset[str]:
        """Constructors that pass a function what settles the object that they make: ``Promise``."""
        return frozenset(row.function for row in self._with("arg0.param0.arg0 -> result") if row.function)

    @cached_property
    def mapping(self) -> frozenset[str]:
        """Methods that give a collection of what their function gives for each element: ``map``."""
        return self._methods("callback0.result -> result[]") | self._methods("callback0.result[] -> result[]")

    @cached_property
    def keeping(self) -> frozenset[str]:
        """Methods that give a collection of elements of the receiver: ``filter``."""
        return self._methods("this[] -> result[]")

    @cached_property
    def choosing(self) -> frozenset[str]:
        """Methods that give an element for which their function decides: ``find``."""
        return self._methods("this[] -> result", "this[] -> arg0.param0")

    @cached_property
    def running(self) -> dict[str, int]:
        """Functions and methods that run an argument and give what it gives -> which one: 1 of ``run_in_executor``."""
        found: dict[str, int] = {}
        for at in range(_LAST_FIRST):
            for row in self._with(f"callback{at}.result -> result"):
                if row.function or not row.on:
                    found[row.function or row.method] = at
        return found

    def _with(self, *flows: str) -> list[Row]:
        """Rows that say all of this."""
        wanted = {flow for text in flows for flow in parse_flow(text)}
        return [row for row in self._rows if wanted <= set(row.flows)]

    def _methods(self, *flows: str) -> frozenset[str]:
        return frozenset(row.method for row in self._with(*flows) if not row.function and not row.on)


def _is_package(owner: str) -> bool:
    """Whether a path is none of a class, going by its last name."""
    return not owner.rpartition(".")[2][:1].isupper()
