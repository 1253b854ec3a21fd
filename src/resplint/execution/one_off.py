"""Work that a program is started for: it does it once, closes its client and ends."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.frequency import Frequency
from resplint.flow.graph import Graph

_Function = tuple[int, int]


class OneOff:
    """Tells it from work of programs that go on."""

    def __init__(self, evaluator: Graph, frequency: Frequency) -> None:
        self._ev = evaluator
        self._frequency = frequency

    def is_one_off(self, work: Ref, closings: list[Ref]) -> bool:
        """Whether a program does some work once, and one of its callers closes the client behind it: a migration, an
        export.
        """
        if not closings or self._frequency.code(*work).kind != "once":
            return False
        functions, sites = self._around(work)
        if any(self._goes_on(*one) for one in functions):
            return False
        return any(place in functions for closing in closings for place in self._closes(closing, sites))

    def _around(self, work: Ref) -> tuple[set[_Function], set[Ref]]:
        """The functions that lead to some work, and where they call each other."""
        first = (work[0], self._function(*work))
        functions, pending = {first}, [first]
        sites: set[Ref] = set()
        while pending:
            for site in self._ev.callers.of(*pending.pop()):
                sites.add(site.ref)
                place = (site.file, self._function(*site.ref))
                if place not in functions:
                    functions.add(place)
                    pending.append(place)
        return functions, sites

    def _closes(self, closing: Ref, sites: set[Ref]) -> Iterator[_Function]:
        """The functions that close a client themselves, or behind one of some calls: ``main().finally(() => …)``."""
        index = self._ev.store.files[closing[0]]
        scope = self._function(*closing)
        yield index.number, scope
        place = index.argument_of.get(index.function_expr.get(scope, NONE))
        call = index.facts.exprs[place[0]] if place is not None else None
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        if isinstance(callee, facts.Member) and self._has_call(index, callee.object, sites):
            yield index.number, index.function_of(callee.block)

    def _has_call(self, index: FileIndex, number: int, sites: set[Ref]) -> bool:
        area = index.facts.exprs[number]
        calls = [index.facts.exprs[call] for file, call in sites if file == index.number]
        return any(area.start <= call.start and call.end <= area.end for call in calls)

    def _goes_on(self, file: int, scope: int) -> bool:
        """Whether a function has a loop that nothing but the end of the program ends."""
        index = self._ev.store.files[file]
        for number, block in enumerate(index.facts.blocks):
            if block.kind == "while" and index.function_of(number) == scope:
                head = index.facts.exprs[block.head] if block.head != NONE else None
                if head is None or (isinstance(head, facts.Literal) and bool(head.value)):
                    return True
        return False

    def _function(self, file: int, number: int) -> int:
        index = self._ev.store.files[file]
        return index.function_of(index.facts.exprs[number].block)
