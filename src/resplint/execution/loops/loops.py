"""Which loops repeat an expression for their data."""

from __future__ import annotations

from collections.abc import Callable

from resplint.bind.exit_paths import mentions
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
            if self._is_kept(index, expr, chain[:position], block):
                continue
            if per_element is not None and number in per_element():
                continue
            if block.kind == "while" and served:
                continue  # a program that serves until it has to stop
            return block.head
        return None

    def _is_kept(self, index: FileIndex, expr: int, inner: list[int], loop: facts.Block) -> bool:
        """Whether a loop evaluates an expression only while a variable has nothing, which then holds what it gives for
        the next turns: ``if client is None: client = connect()``.
        """
        heads = [index.facts.blocks[one].head for one in inner if index.facts.blocks[one].kind == "if"]
        for one in index.bound_to.get(expr, ()):
            if any(head != NONE and mentions(index, head, one.name) for head in heads):
                given = index.bindings.get((one.scope, one.name), ())
                inside = [other for other in given if loop.start <= other.start < loop.end]
                if len(inside) < len(given) and not any(self._in_every_turn(index, other, loop) for other in inside):
                    return True
        return False

    def _in_every_turn(self, index: FileIndex, binding: facts.Binding, loop: facts.Block) -> bool:
        """Whether a variable gets a value whenever a turn comes to its end."""
        blocks = [index.facts.blocks[one] for one in index.enclosing_blocks(binding.block)]
        around = blocks[: blocks.index(loop)] if loop in blocks else []
        return all(block.kind in ("try", "with", "finally") for block in around)

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
