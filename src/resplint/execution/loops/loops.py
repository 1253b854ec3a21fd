"""Which loops repeat an expression for their data."""

from __future__ import annotations

from collections.abc import Callable

from resplint.bind.index import FileIndex
from resplint.bind.values import CollectionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph


class Loops:
    """Finds loops around expressions, other than those that try again or run over what the code writes out."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def repeating(
        self, index: FileIndex, expr: int, served: bool = False, per_element: Callable[[], set[int]] | None = None
    ) -> int | None:
        """The data of the innermost loop that evaluates an expression again and again; None when no loop does.

        With `served` a loop under a condition does not count; neither does one of those that `per_element` names.
        """
        found = index.facts.exprs[expr]
        chain = index.enclosing_blocks(found.block)
        for position, number in enumerate(chain):
            block = index.facts.blocks[number]
            if block.kind not in ("for", "while", "comprehension") or block.head == NONE:
                continue
            if self._leaves(index, chain[:position], number, found.start) or self._fixed_turns(index, block):
                continue
            if any(index.facts.blocks[inner].kind == "except" for inner in chain[:position]):
                continue  # what a failure brings about: a lost connection is made again
            if per_element is not None and number in per_element():
                continue
            if block.kind == "while" and served:
                continue  # a program that serves until it has to stop
            return block.head
        return None

    def is_data(self, ref: Ref) -> bool:
        """Whether a place is what a loop runs over, or its condition."""
        return self._ev.store.files[ref[0]].heads.get(ref[1]) in ("for", "while", "comprehension")

    def _leaves(self, index: FileIndex, inner: list[int], loop: int, start: int) -> bool:
        """Whether the loop is left once the expression has succeeded: a loop that tries again, not one over data."""
        per_element = index.facts.scopes[index.scope_of(loop)].kind == "comprehension"
        around = {*inner, index.facts.blocks[inner[-1]].parent} if inner else set() if per_element else {loop}
        return any(
            jump.kind in ("return", "break") and jump.block in around and jump.start >= start - 8
            for jump in index.jumps[index.function_of(loop)]
        ) or any(
            jump.kind == "return" and jump.value != NONE and jump.block in around
            and jump.start <= start <= index.facts.exprs[jump.value].end
            for jump in index.jumps[index.function_of(loop)]
        )  # fmt: skip

    def _fixed_turns(self, index: FileIndex, block: facts.Block) -> bool:
        """A loop over a collection written out in the code is configuration, not data."""
        if block.kind == "while":
            return False
        values = self._ev.values(index.number, block.head)
        return bool(values) and all(
            isinstance(value, CollectionValue) and not getattr(self._ev.store.expr(value.ref), "generated", False)
            for value in values
        )
