"""What a batch holds each time that it is sent: ``pipe.get(a); pipe.execute(); pipe.delete(b); pipe.execute()``."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.redis.batches import Batch
from resplint.redis.commands import CommandSite

_LOOPS = ("for", "while", "comprehension")
_BRANCHES = ("if", "else", "except")
Function = tuple[int, int]
"""A function, by its file and scope."""


def rounds(ev: Graph, batch: Batch) -> tuple[list[list[CommandSite]], bool]:
    """What is queued for each of the times that the code certainly sends a batch, in its order, and whether that is all
    of it: what a loop sends at some turns, or a branch, comes behind.
    """
    return _Rounds(ev, batch).all()


class _Rounds:
    def __init__(self, ev: Graph, batch: Batch) -> None:
        self._ev = ev
        self._batch = batch
        self._sites: dict[Function, list[int]] = defaultdict(list)
        for site in batch.queued:
            self._sites[self._function(site.ref)].append(self._expr(site.ref).start)
        self._sends = {self._function(ref) for ref in batch.executed}
        self._ends = {one: self._sent_in(one) for one in self._sends}

    def all(self) -> tuple[list[list[CommandSite]], bool]:
        """The rounds, and whether they are all; none where what the batch holds at some of the times is not known."""
        if any(self._sends_others(one) for one in self._sends):
            return [], False
        found: dict[tuple[Function, int], list[CommandSite]] = defaultdict(list)
        for site in self._batch.queued:
            places = self._places(site.ref)
            if not places:
                return [], False
            for place in places:
                found[place].append(site)
        behind = [(function, place) for function, place in found if place == len(self._ends[function])]
        if any(function != self._function(self._batch.made) for function, _ in behind):
            return [], False
        return [found[one] for one in sorted(found) if one not in behind], not behind

    def _places(self, ref: Ref) -> set[tuple[Function, int]]:
        """The rounds of the functions that send in which a call runs; none where others call it as well."""
        found: set[tuple[Function, int]] = set()
        for one in self._up_to_senders(ref):
            function = self._function(one)
            if function in self._sends:
                found.add((function, bisect_right(self._ends[function], self._start(one))))
            elif self._ev.callers.escapes(*function) or not self._ev.callers.of(*function):
                return set()
        return found

    def _up_to_senders(self, *refs: Ref) -> Iterator[Ref]:
        """Calls, and those of the functions around them, up to functions that send the batch; each function once."""
        waiting, seen = list(refs), set[Function]()
        while waiting:
            ref = waiting.pop()
            yield ref
            function = self._function(ref)
            if function not in self._sends and function not in seen:
                seen.add(function)
                waiting += [edge.ref for edge in self._ev.callers.of(*function)]

    def _sent_in(self, function: Function) -> list[int]:
        """Where a function certainly sends what it has queued in front, in the order of the code."""
        index = self._ev.store.files[function[0]]
        sent = sorted((ref for ref in self._batch.executed if self._function(ref) == function), key=self._start)
        ends: list[int] = []
        for ref in sent:
            around = self._around(index, ref[1])
            begin = ends[-1] if ends else 0
            queued = [
                site.call
                for site in self._batch.queued
                if self._function(site.ref) == function and begin < self._start(site.ref) < self._start(ref)
            ]
            if not around[_LOOPS] and all(around[_BRANCHES] <= self._around(index, one)[_BRANCHES] for one in queued):
                ends.append(self._start(ref))
        return ends

    def _around(self, index: FileIndex, number: int) -> dict[tuple[str, ...], set[int]]:
        """The loops and branches around an expression; not those in which the batch is started anew."""
        made = self._expr(self._batch.made)
        blocks = index.facts.blocks
        chain = [
            one
            for one in index.enclosing_blocks(index.facts.exprs[number].block)
            if self._batch.made[0] != index.number or not blocks[one].start <= made.start < blocks[one].end
        ]
        return {kinds: {one for one in chain if blocks[one].kind in kinds} for kinds in (_LOOPS, _BRANCHES)}

    def _sends_others(self, function: Function) -> bool:
        """Whether a function that sends is called where another one that sends has queued something."""
        for ref in self._up_to_senders(*(edge.ref for edge in self._ev.callers.of(*function))):
            caller = self._function(ref)
            if caller in self._sends:
                start, ends = self._start(ref), self._ends[caller]
                begin = max((one for one in ends if one < start), default=0)
                if any(begin < one < start for one in self._sites[caller]):
                    return True
        return False

    def _function(self, ref: Ref) -> Function:
        index = self._ev.store.files[ref[0]]
        return ref[0], index.function_of(index.facts.exprs[ref[1]].block)

    def _expr(self, ref: Ref) -> facts.Expr:
        return self._ev.store.expr(ref)

    def _start(self, ref: Ref) -> int:
        return self._expr(ref).start
