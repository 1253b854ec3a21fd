"""Who listens to the errors of a client: `error` listeners on it, wherever it went."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from resplint.bind.values import Const, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph

_ERROR = "error"


class ErrorListeners:
    """Answers by the call that made a client."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def heard_at(self, made: Ref) -> list[Ref]:
        """The calls that listen to the errors of what a call makes, or to events that are not known."""
        return self._listeners.get(made, [])

    @cached_property
    def _listeners(self) -> dict[Ref, list[Ref]]:
        found: dict[Ref, list[Ref]] = defaultdict(list)
        for ref, methods in self._graph.sites:
            words = self._graph.roles(ref[0]).words
            makers = [one.object.made for one in methods if one.name in words.listeners and one.object.made is not None]
            if makers and self._takes_errors(ref):
                for made in makers:
                    found[made].append(ref)
        return found

    def _takes_errors(self, ref: Ref) -> bool:
        call = self._graph.store.expr(ref)
        if not isinstance(call, facts.Call) or not call.arguments:
            return False
        events = self._graph.values(ref[0], call.arguments[0].value)
        return not events or any(not isinstance(one, Const) or one.value == _ERROR for one in events)
