"""Chains of calls: from the place where something is made up to what makes that place run for every operation."""

from __future__ import annotations

from dataclasses import dataclass

from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.callers import CallSite
from resplint.flow.graph import Graph
from resplint.text import arguments as calls


@dataclass(frozen=True, slots=True)
class Call:
    """One link: `site` calls the function `scope` of `file` (for an object that is made: one of its constructors)."""

    site: CallSite
    file: int
    scope: int


@dataclass(frozen=True, slots=True)
class Chain:
    """`made` is reached through `calls`, the nearest first; `origin` is what repeats the last one, if it is known."""

    made: Ref
    calls: tuple[Call, ...]
    origin: Ref | None


class Chains:
    """Puts the places of a trail together."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def of(self, made: Ref, steps: tuple[Ref, ...]) -> Chain:
        """The chain from a call that makes something over the places by which it is reached, the nearest first."""
        found: list[Call] = []
        file, scope = made[0], self._function(made)
        for position, ref in enumerate(steps):
            link = self._link(ref, file, scope) if ref[1] > NONE else None
            if link is None:
                rest = steps[position:]
                return Chain(made, tuple(found), rest[0] if rest else None)
            found.append(link)
            file, scope = ref[0], self._function(ref)
        return Chain(made, tuple(found), None)

    def _function(self, ref: Ref) -> int:
        index = self._ev.store.files[ref[0]]
        return index.function_of(index.facts.exprs[ref[1]].block)

    def _link(self, ref: Ref, file: int, scope: int) -> Call | None:
        if not isinstance(self._ev.store.expr(ref), facts.Call):
            return None
        scopes = self._ev.store.files[file].facts.scopes
        while scope != NONE and scopes[scope].kind == "function":
            if (found := self._call_of(ref, file, scope)) is not None:
                return found
            scope = scopes[scope].parent  # the place is inside a function that is called where it stands
        return None

    def _call_of(self, ref: Ref, file: int, scope: int) -> Call | None:
        for site in self._ev.callers.of(file, scope):
            if site.ref == ref:
                return Call(site, file, scope)
        owner = self._ev.store.files[file].class_of(scope)
        for site in self._ev.callers.of_class(file, owner) if owner != NONE else ():
            if site.ref == ref:
                makers = self._ev.classes.constructors(file, owner)
                return Call(site, makers[0].file if makers else file, makers[0].scope if makers else scope)
        return None

    def arguments(self, call: Call, position: int) -> tuple[int, ...]:
        """What a call gives a parameter: expressions of the caller's file; none where it leaves it out."""
        index = self._ev.store.files[call.site.file]
        record = self._ev.store.files[call.file].facts.scopes[call.scope]
        expr = index.facts.exprs[call.site.call]
        assert isinstance(expr, facts.Call)
        kind = record.parameters[position].kind
        if kind in ("*", "**"):
            named = {one.name for one in record.parameters}
            rest = [
                item.value for item in expr.arguments if bool(item.name) == (kind == "**") and item.name not in named
            ]
            return tuple(rest) if kind == "**" else tuple(rest[max(position - call.site.bound, 0) :])
        number = calls.argument(index, call.site.call, record, position, call.site.bound)
        if number == NONE:  # one of those that are spread
            return tuple(item.value for item in expr.arguments if item.name in ("*", "**"))
        return () if number is None else (number,)
