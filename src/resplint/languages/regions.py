"""Scopes and blocks of one file, and the block in which an offset stands.

A language's adapter declares regions as it meets them; `Regions.close` nests them by containment and numbers them in
source order. Everything is a sweep over sorted offsets, never a walk up the tree.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from tree_sitter import Node

from resplint.contracts.facts import NONE, BlockKind, ScopeKind

_Interval = tuple[int, int]


@dataclass
class ScopeDraft:
    """A scope in the making; `node_start` is where its definition starts."""

    kind: ScopeKind
    name: str
    start: int
    end: int
    is_async: bool = False
    index: int = NONE


@dataclass
class RegionDraft:
    """A block in the making. `intervals` are its stretches of source (a comprehension has several)."""

    kind: BlockKind
    intervals: list[_Interval]
    group: int
    at: int
    scope: ScopeDraft | None = None
    """Set when the block is the body of a scope of its own."""
    head: Node | None = None
    """Condition, iterable or caught type."""
    waits: bool = False
    """Whether a loop waits for each of its elements."""
    index: int = NONE
    parent: int = NONE
    scope_index: int = NONE


@dataclass
class Regions:
    """All regions of a file of `size` bytes."""

    size: int
    drafts: list[RegionDraft] = field(default_factory=list)
    _scopes: int = 0
    starts: list[int] = field(default_factory=list)
    """Where the innermost block changes; `blocks` are those that begin there."""
    blocks: list[int] = field(default_factory=list)

    def add(self, draft: RegionDraft) -> RegionDraft:
        """Declare one region."""
        self.drafts.append(draft)
        return draft

    def close(self) -> None:
        """Number the regions in source order and find each one's parent and scope."""
        module = RegionDraft("body", [(0, self.size + 1)], 0, 0, ScopeDraft("module", "", 0, self.size))
        pieces = [(0, -(self.size + 1), -1, module)]
        for order, draft in enumerate(self.drafts):
            pieces.extend((start, -end, order, draft) for start, end in draft.intervals if end > start)
        pieces.sort(key=lambda piece: piece[:3])
        self.drafts = []
        stack: list[tuple[int, RegionDraft]] = []
        for start, negative_end, _, draft in pieces:
            self._leave(stack, start)
            if draft.index == NONE:
                self._number(draft, stack[-1][1] if stack else None)
            stack.append((-negative_end, draft))
            self._mark(start, draft.index)
        self._leave(stack, self.size + 2)

    def _number(self, draft: RegionDraft, parent: RegionDraft | None) -> None:
        draft.index = len(self.drafts)
        self.drafts.append(draft)
        draft.parent = parent.index if parent else NONE
        if draft.scope is not None:
            draft.scope.index = draft.scope_index = self._scopes
            self._scopes += 1
        elif parent is not None:
            draft.scope_index = parent.scope_index

    def _leave(self, stack: list[tuple[int, RegionDraft]], offset: int) -> None:
        while stack and stack[-1][0] <= offset:
            end, _ = stack.pop()
            if stack:
                self._mark(end, stack[-1][1].index)

    def _mark(self, offset: int, block: int) -> None:
        if self.starts and self.starts[-1] == offset:
            self.blocks[-1] = block
        else:
            self.starts.append(offset)
            self.blocks.append(block)

    def block_at(self, offset: int) -> int:
        """Index of the innermost block that contains a byte offset."""
        return self.blocks[bisect_right(self.starts, offset) - 1]
