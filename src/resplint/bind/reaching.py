"""Which of a name's definitions can be seen at a place in the same function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from resplint.bind.index import FileIndex

_LEAVING = ("return", "raise", "continue", "break")


@dataclass(frozen=True, slots=True)
class Definition:
    """One definition of a name: where it stands, what it is, and its number in the table of its kind.

    `kind` is "parameter" (`number` is its position), "import", "definition" (a function or class: its scope) or the
    kind of a binding. `scope` owns the name.
    """

    start: int
    block: int
    kind: str
    scope: int
    number: int


def reaching(index: FileIndex, definitions: Sequence[Definition], block: int, start: int) -> Sequence[Definition]:
    """The definitions that may be current at `start` in `block`, latest first; all of them when none precedes.

    Straight-line code is followed: an unconditional definition hides earlier ones, the other branch of an `if` is left
    out, and so is a branch that leaves before it gets here. Inside a loop, later definitions of the same turn reach
    back, unless the loop sets the name anew at each turn.
    """
    if len(definitions) == 1:
        return definitions
    around = index.enclosing_blocks(block)
    candidates = [one for one in definitions if not _other_branch(index, one.block, around)]
    before = sorted(
        (one for one in candidates if one.start < start or one.kind == "parameter"), key=_order, reverse=True
    )
    visible: list[Definition] = []
    turning = around
    for one in before:
        if _leaves_first(index, one, around):
            continue
        visible.append(one)
        if one.kind != "augment" and one.block in around:
            turning = around[: around.index(one.block)]  # each turn of a loop around it comes by here first
            break
    loops = [index.facts.blocks[number] for number in turning if index.facts.blocks[number].kind in ("for", "while")]
    for one in candidates:
        if one.start >= start and any(loop.start <= one.start <= loop.end for loop in loops):
            visible.append(one)
    return visible or definitions


def _order(definition: Definition) -> int:
    return -1 if definition.kind == "parameter" else definition.start


def _other_branch(index: FileIndex, block: int, around: list[int]) -> bool:
    """Whether the definition stands in a branch that excludes the one the use stands in."""
    blocks = index.facts.blocks
    groups = {blocks[number].group: number for number in around if blocks[number].kind in ("if", "else")}
    for number in index.enclosing_blocks(block):
        if number in around:
            return False
        if blocks[number].kind in ("if", "else") and groups.get(blocks[number].group, number) != number:
            return True
    return False


def _leaves_first(index: FileIndex, definition: Definition, around: list[int]) -> bool:
    """Whether control always leaves the definition's branch before it comes to the use."""
    block = definition.block
    if block in around:
        return False
    return any(
        jump.block == block and jump.kind in _LEAVING and jump.start > definition.start
        for jump in index.jumps[index.function_of(block)]
    )
