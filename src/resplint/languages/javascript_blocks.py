"""JavaScript and TypeScript: loops, branches and handlers."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

from tree_sitter import Node

from resplint.contracts.facts import BlockKind
from resplint.languages.common import span
from resplint.languages.lowering import Entry, Lowering
from resplint.languages.regions import RegionDraft

LOGICAL: Final = ("&&=", "||=", "??=")
_SHORTENED: Final = ("&&", "||", "??")


def declare(low: Lowering) -> None:
    """Declare the regions of all blocks."""
    _branches(low)
    _cases(low)
    _loops(low)
    _guarded(low)
    _conditional_assignments(low)


def _add(low: Lowering, kind: BlockKind, body: Node, group: int, at: int, head: Node | None = None) -> None:
    low.regions.add(RegionDraft(kind, [span(body)], group, at, None, head))


def _branches(low: Lowering) -> None:
    """``else if`` is no branch in a branch, but one of the same statement."""
    entries = [*low.each("block.if"), *low.each("block.else")]
    entries.sort(key=lambda entry: (entry.node.start_byte, -entry.node.end_byte))
    groups: dict[int, int] = {}
    for entry in entries:
        node, body = entry.node, entry.parts["body"][0]
        group = groups.get(node.id, node.start_byte)
        if entry.main == "block.if":
            other = node.child_by_field_name("alternative")
            if other is not None:
                groups[other.id] = group
            _add(low, "if", body, group, node.start_byte, entry.parts["head"][0])
        elif body.type == "if_statement":
            groups[body.id] = group
        else:
            _add(low, "else", body, group, node.start_byte)


def _cases(low: Lowering) -> None:
    for entry in low.each("block.case"):
        node, body = entry.node, entry.parts["body"][0]
        if node.type != "switch_statement":  # the default of a parameter or of a name in a pattern
            _add(low, "if", body, body.start_byte, body.start_byte)
            continue
        for case in body.named_children:
            statements = case.children_by_field_name("body")
            if statements:
                interval = (statements[0].start_byte, case.end_byte)
                low.regions.add(RegionDraft("if", [interval], node.start_byte, case.start_byte))


def _loops(low: Lowering) -> None:
    for entry in low.each("block.for"):
        node = entry.node
        draft = RegionDraft("for", [span(entry.parts["body"][0])], node.start_byte, node.start_byte)
        draft.head, draft.waits = entry.parts["head"][0], any(child.type == "await" for child in node.children)
        low.regions.add(draft)
    for entry in low.each("block.while"):
        node, head = entry.node, entry.parts["head"][0]
        if head.type == "empty_statement":  # for (;;)
            low.entries[head.id] = Entry("expr.true", head, {})
        step = node.child_by_field_name("increment")
        parts = [head, entry.parts["body"][0], *([step] if step is not None else [])]  # all run at every turn
        intervals = sorted(span(part) for part in parts)
        low.regions.add(RegionDraft("while", intervals, node.start_byte, node.start_byte, None, head))


def _guarded(low: Lowering) -> None:
    groups: dict[int, int] = {}
    for entry in low.each("block.try"):
        node = entry.node
        for name in ("handler", "finalizer"):
            clause = node.child_by_field_name(name)
            if clause is not None:
                groups[clause.id] = node.start_byte
        _add(low, "try", entry.parts["body"][0], node.start_byte, node.start_byte)
    kinds: tuple[tuple[str, BlockKind], ...] = (("block.except", "except"), ("block.finally", "finally"))
    for main, kind in kinds:
        for entry in low.each(main):
            start = entry.node.start_byte
            _add(low, kind, entry.parts["body"][0], groups.get(entry.node.id, start), start)


def _conditional_assignments(low: Lowering) -> None:
    """What is assigned in ``x ??= y``, ``x || (x = y)`` or ``test ? (x = y) : z`` is assigned under a condition."""
    assigned = low.each("expr.assigned")
    for entry in assigned:
        if entry.node.type == "augmented_assignment_expression":
            token = entry.node.child_by_field_name("operator")
            if token is not None and token.type in LOGICAL:
                _guard(low, token, entry.parts["target"][0], entry.parts["value"][0])
    starts = [entry.node.start_byte for entry in assigned]

    def assigns(node: Node | None) -> bool:
        return node is not None and bisect_left(starts, node.start_byte) < bisect_left(starts, node.end_byte)

    for entry in low.each("expr.operation"):
        node = entry.node
        if not assigns(node):
            continue
        token, left, right = (node.child_by_field_name(name) for name in ("operator", "left", "right"))
        if token is not None and token.type in _SHORTENED and left is not None and right is not None:
            if assigns(right):
                _guard(low, token, _nearest(left, token.type), right)
    for entry in low.each("expr.choice"):
        node = entry.node
        if not assigns(node):
            continue
        kinds: tuple[tuple[str, BlockKind], ...] = (("consequence", "if"), ("alternative", "else"))
        for name, kind in kinds:
            branch = node.child_by_field_name(name)
            if branch is not None:
                head = node.child_by_field_name("condition") if kind == "if" else None
                _add(low, kind, branch, node.start_byte, branch.start_byte, head)


def _nearest(left: Node, operator: str) -> Node:
    """The last operand of a chain: the condition of each link must not hold the whole chain again."""
    token, last = left.child_by_field_name("operator"), left.child_by_field_name("right")
    same = left.type == "binary_expression" and token is not None and token.type == operator
    return last if same and last is not None else left


def _guard(low: Lowering, token: Node, left: Node, right: Node) -> None:
    """A branch whose condition no node stands for: the operator does instead."""
    low.entries[token.id] = Entry("block.if", token, {"target": [left]})
    _add(low, "if", right, right.start_byte, right.start_byte, token)
