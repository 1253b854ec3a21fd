"""Objects outside the project: what members and calls of them give, named when somebody asks.

While the graph is solved there is one token for each place, so that a chain of calls in a loop, or many objects that
meet in one parameter, do not multiply. The way that leads to it is spelled on the finished graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint.bind.values import External, ExternalObject, Outside, Ref, Unknown, Value
from resplint.contracts import facts
from resplint.flow import nodes

if TYPE_CHECKING:
    from resplint.flow.core import Flow

_MOST = 4
"""Ways to one place that are spelled."""
_DEPTH = 8
"""Members and calls in a row that are spelled."""


class Spelling:
    """The ways that lead to objects outside the project."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._known: dict[tuple[Ref, int], tuple[str, ...]] = {}
        self._steps = -1

    def objects(self, value: Outside) -> list[Value]:
        """What stands at the place, with the ways that lead there."""
        expr = self._flow.store.expr(value.ref)
        named = value.ref if isinstance(expr, facts.Call | facts.Index) else None
        if self._steps != self._flow.steps:  # the graph has grown since
            self._known.clear()
            self._steps = self._flow.steps
        found: list[Value] = [ExternalObject(dotted, named) for dotted in self._paths(value.ref, _DEPTH)]
        return found or [Unknown()]

    def _paths(self, ref: Ref, depth: int) -> tuple[str, ...]:
        known = self._known.get((ref, depth))
        if known is not None:
            return known
        expr = self._flow.store.expr(ref)
        if isinstance(expr, facts.Call):
            base, ending = expr.callee, "()"
        elif isinstance(expr, facts.Index):
            base, ending = expr.object, "[]"
        elif isinstance(expr, facts.Member):
            base, ending = expr.object, f".{expr.name}"
        else:
            return ()
        found: set[str] = set()
        for token in self._flow.held.get(nodes.expression(ref[0], base), {}):
            value = self._flow.values[token]
            if isinstance(value, External | ExternalObject):
                found.update(self._behind(ref[0], value.dotted, ending))
            elif isinstance(value, Outside) and depth:
                in_chain = value.ref == (ref[0], base) and self._in_chain(value.ref)
                for path in self._paths(value.ref, depth if in_chain else depth - 1):
                    found.update(self._behind(ref[0], path, ending))
        paths = self._known[ref, depth] = tuple(sorted(found)[:_MOST])
        return paths

    def _behind(self, file: int, path: str, ending: str) -> tuple[str, ...]:
        """The ways to what stands behind a path."""
        return self._flow.binder.chains(file).given(path) if ending == "()" else (path + ending,)

    def _in_chain(self, ref: Ref) -> bool:
        """Whether a call or its callee belongs to a chain of which each call may return the object it is called on,
        however long: ``app.get(…).post(…)``.
        """
        expr = self._flow.store.expr(ref)
        if isinstance(expr, facts.Call):
            expr = self._flow.store.expr((ref[0], expr.callee))
        return isinstance(expr, facts.Member) and self._flow.binder.chains(ref[0]).may_return_itself(expr.name)
