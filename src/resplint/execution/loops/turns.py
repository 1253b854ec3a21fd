"""Loops without an end of their own that call a function at every turn, where the function comes back each time."""

from __future__ import annotations

from collections.abc import Iterable

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import Const, External, FunctionValue, LibraryMethod, Ref, Reply
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.loops.loops import Loops
from resplint.flow.callers import CallSite
from resplint.flow.graph import Graph

_DEPTH = 3
"""Calls that are followed to see whether a function comes back."""
_LONG = 5.0
"""Seconds between two turns from which on what they make costs little."""


class Turns:
    """Tells a program that makes something anew for each item from one that makes it whenever it has to start again."""

    def __init__(self, evaluator: Graph, loops: Loops) -> None:
        self._ev = evaluator
        self._loops = loops

    def calling(self, file: int, scope: int, sites: Iterable[CallSite]) -> tuple[Ref, CallSite] | None:
        """The condition of a loop that calls a function again and again without a long pause, and the call."""
        for site in sites:
            index = self._ev.store.files[site.file]
            head = self._loops.repeating(index, site.call)
            if head is None or index.heads.get(head) != "while":
                continue
            loop = next((one for one in index.facts.blocks if one.kind == "while" and one.head == head), None)
            if loop is None or self._is_slow(index, loop) or self._starts_again(index, site.call, loop):
                continue
            if self._comes_back(file, scope, 0):
                return (site.file, head), site
        return None

    def _starts_again(self, index: FileIndex, call: int, loop: facts.Block) -> bool:
        """Whether a loop does no more than to run something that ends by a failure: ``try: serve() except …: pass``.
        One that goes on while something is left, ``while queue.llen(TODO) > 0``, works it off.
        """
        if index.bound_to.get(call) or call in index.parents or call in index.heads:
            return False
        if self._asks_what_is_left(index, loop):
            return False
        blocks = [index.facts.blocks[one] for one in index.enclosing_blocks(index.facts.exprs[call].block)]
        return any(block.kind == "try" and loop.start <= block.start < loop.end for block in blocks)

    def _asks_what_is_left(self, index: FileIndex, loop: facts.Block) -> bool:
        """Whether a loop goes on as what Redis replies tells it, or the size of a collection."""
        words = self._ev.roles(index.number).words
        sizes = {*words.sizes, *words.size_functions, *words.exhausted}
        for number in parts(index.facts.exprs, loop.head) if loop.head != NONE else ():
            if getattr(index.facts.exprs[number], "name", "") in sizes:
                return True
            if any(isinstance(value, Reply) for value in self._ev.values(index.number, number)):
                return True
        return False

    def _is_slow(self, index: FileIndex, loop: facts.Block) -> bool:
        """Whether a pause of a loop is long, or nobody knows how long; not one that only follows a failure."""
        delays = self._ev.roles(index.number).delays
        for _, call in index.calls_in(loop.start, loop.end):
            names = {one.dotted for one in self._ev.callee(index.number, call.callee) if isinstance(one, External)}
            if not names & delays.keys() or self._is_after_failure(index, call, loop):
                continue
            given = [one for item in call.arguments[:1] for one in self._ev.values(index.number, item.value)]
            known = [one.value for one in given if isinstance(one, Const) and isinstance(one.value, int | float)]
            if not known or max(known) >= _LONG:
                return True
        return False

    def _is_after_failure(self, index: FileIndex, call: facts.Call, loop: facts.Block) -> bool:
        blocks = [index.facts.blocks[one] for one in index.enclosing_blocks(call.block)]
        return any(one.kind == "except" and loop.start <= one.start < loop.end for one in blocks)

    def _comes_back(self, file: int, scope: int, depth: int) -> bool:
        """Whether nothing in a function, as far as is known, runs on until something breaks."""
        index = self._ev.store.files[file]
        body = index.facts.blocks[index.facts.scopes[scope].block]
        if any(self._is_endless(index, one) for one in index.blocks_in(body.start, body.end)):
            return False
        for _, call in index.calls_in(body.start, body.end):
            for value in self._ev.callee(file, call.callee) if call.callee != NONE else ():
                if isinstance(value, LibraryMethod) and value.name in value.object.origin.library.library.listens:
                    return False
                if isinstance(value, FunctionValue) and depth < _DEPTH and (value.file, value.scope) != (file, scope):
                    if not self._comes_back(value.file, value.scope, depth + 1):
                        return False
        return True

    def _is_endless(self, index: FileIndex, number: int) -> bool:
        """Whether only a flag ends a loop, if anything does."""
        block = index.facts.blocks[number]
        if block.kind != "while" or any(
            jump.kind in ("break", "return") for jump in index.by_place.jumps.between(block.start, block.end)
        ):
            return False
        return block.head == NONE or not isinstance(index.facts.exprs[block.head], facts.Operation)
