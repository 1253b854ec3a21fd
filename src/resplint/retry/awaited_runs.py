"""Functions that a call has run elsewhere while the code around waits for what they give."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import FunctionValue, LibraryMethod, Values
from resplint.contracts import facts
from resplint.flow.graph import Graph


class AwaitedRuns:
    """Answers for calls such as ``await asyncio.to_thread(client.blpop, "jobs")``, which fail as the function does."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def of(self, index: FileIndex, number: int, call: facts.Call) -> Values:
        """What an awaited call runs of what it is handed, as far as that leads to Redis; () for any other call."""
        if not call.arguments or not self._is_awaited(index, number, call):
            return ()
        running = self._ev.edges.foreign.library(index.number).running
        callee = index.facts.exprs[call.callee]
        dotted = self._ev.binder.dotted(index.number, call.callee)
        at = running.get(dotted) if dotted else None
        if at is None and isinstance(callee, facts.Member):
            at = running.get(callee.name)
        if at is None or at >= len(call.arguments) or call.arguments[at].name:
            return ()
        given = self._ev.carried(index.number, call.arguments[at].value)
        return tuple(one for one in given if isinstance(one, FunctionValue | LibraryMethod))

    def _is_awaited(self, index: FileIndex, number: int, call: facts.Call) -> bool:
        """Whether a call, or one that it is handed to, is awaited: ``await wait_for(to_thread(…), 5)``."""
        place = index.argument_of.get(number)
        outer = index.facts.exprs[place[0]] if place is not None else None
        return call.awaited or (isinstance(outer, facts.Call) and outer.awaited)
