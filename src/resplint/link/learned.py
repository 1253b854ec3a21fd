"""What declarations say about foreign calls.

``Jedis jedis = connector.getClient();`` says what every other call of the same method gives.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import declared
from resplint.link.values import ExternalObject, LibraryObject

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator


class LearnedTable:
    """Results of foreign methods, as the selection declares what it puts them in."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._known: dict[str, LibraryObject | None] = {}
        self._asked: set[str] = set()
        self._declarations: dict[str, list[tuple[int, facts.Binding, facts.Call]]] | None = None

    def result(self, dotted: str) -> LibraryObject | None:
        """An object of the type that the result of a foreign method, given by its path, is declared as somewhere."""
        if dotted in self._known or dotted in self._asked:
            return self._known.get(dotted)
        self._asked.add(dotted)
        try:
            found, settled = self._look(dotted)
        finally:
            self._asked.discard(dotted)
        if settled:
            self._known[dotted] = found
        return found

    def _look(self, dotted: str) -> tuple[LibraryObject | None, bool]:
        """What the first declaration says, and whether that will not change."""
        settled = True
        for file, binding, call in self._of_calls().get(dotted.rsplit(".", 1)[-1], ()):
            types = declared.typed(self._ev, file, binding.annotation)
            objects = [one for one in types if isinstance(one, LibraryObject)]
            callees = self._ev.values(file, call.callee) if objects else ()
            if any(isinstance(value, ExternalObject) and value.dotted == dotted for value in callees):
                return objects[0], settled
            settled = settled and (not objects or self._ev.is_settled(file, call.callee))
        return None, settled

    def _of_calls(self) -> dict[str, list[tuple[int, facts.Binding, facts.Call]]]:
        """Last name of what is called -> the declarations that take the result."""
        if self._declarations is None:
            self._declarations = defaultdict(list)
            store = self._ev.store
            for index in store.files[: store.selected]:
                for binding in index.facts.bindings:
                    call = index.facts.exprs[binding.value] if binding.value != NONE else None
                    if binding.annotation == NONE or not isinstance(call, facts.Call):
                        continue
                    callee = index.facts.exprs[call.callee]
                    if isinstance(callee, facts.Name | facts.Member):
                        self._declarations[callee.name].append((index.number, binding, call))
        return self._declarations
