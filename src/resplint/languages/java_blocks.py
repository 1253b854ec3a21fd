"""Java: stretches of statements under a condition, and the jumps that leave them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import jumps, named, span
from resplint.languages.java_nodes import declare
from resplint.languages.java_values import declared_type
from resplint.languages.lowering import Entry, Lowering
from resplint.languages.regions import RegionDraft

_LOOPS = ("block.for", "block.while")
_JUMPS: tuple[tuple[str, facts.JumpKind], ...] = (("jump.return", "return"), ("jump.raise", "raise"))
_LEAVES: tuple[tuple[str, facts.JumpKind], ...] = (("jump.break", "break"), ("jump.continue", "continue"))


@dataclass(slots=True)
class _Case:
    """One branch of a switch."""

    subject: Node
    labels: list[Node]
    start: int


@dataclass(slots=True)
class Blocks:
    """The blocks of one file: first declared, then, when offsets have blocks, given their heads and names."""

    groups: dict[int, int] = field(default_factory=dict)
    """Node id of a later clause -> start of its statement."""
    endless: list[Node] = field(default_factory=list)
    cases: list[_Case] = field(default_factory=list)

    def declare(self, low: Lowering) -> None:
        """Declare all regions. Where two cover the same stretch, the outer one comes first."""
        for entry in low.each("block.for"):
            self._add(low, entry, "for")
        for entry in low.each("block.while"):
            self._loop(low, entry)
        for entry in low.each("block.if"):
            self._branch(low, entry)
        for entry in low.each("block.else"):
            if entry.parts["body"][0].type != "if_statement":
                keyword = next(child for child in reversed(entry.node.children) if child.type == "else")
                self._add(low, entry, "else", at=keyword.start_byte)
        for entry in low.each("block.case"):
            self._switch(low, entry)
        for entry in (*low.each("block.try"), *low.each("block.with")):
            self._guarded(low, entry)
        for entry in low.each("block.except"):
            self._add(low, entry, "except", head=_caught(entry.node))
        for entry in low.each("block.finally"):
            self._add(low, entry, "finally")

    def _add(
        self, low: Lowering, entry: Entry, kind: facts.BlockKind, *, head: Node | None = None, at: int = NONE
    ) -> None:
        start = entry.node.start_byte
        head = entry.parts["head"][0] if "head" in entry.parts else head
        group = self.groups.get(entry.node.id, start)
        at = at if at != NONE else start
        low.regions.add(RegionDraft(kind, [span(entry.parts["body"][0])], group, at, None, head))

    def _loop(self, low: Lowering, entry: Entry) -> None:
        """Conditions and updates run at every turn."""
        node, body = entry.node, entry.parts["body"][0]
        head = node.child_by_field_name("condition")
        intervals = [span(body)]
        if head is not None:
            intervals.append(span(head))
        if node.type == "for_statement":
            intervals.extend(span(child) for child in node.children_by_field_name("update"))
            if head is None:
                head = node.children[0]
                self.endless.append(head)
        intervals.sort()
        low.regions.add(RegionDraft("while", intervals, node.start_byte, node.start_byte, None, head))

    def _branch(self, low: Lowering, entry: Entry) -> None:
        """`else if` is a clause of the first `if`, not a statement inside its `else`."""
        alternative = entry.node.child_by_field_name("alternative")
        if alternative is not None and alternative.type == "if_statement":
            self.groups[alternative.id] = self.groups.get(entry.node.id, entry.node.start_byte)
        self._add(low, entry, "if")

    def _switch(self, low: Lowering, entry: Entry) -> None:
        """A label without statements shares those of the next one."""
        node, subject = entry.node, entry.parts["head"][0]
        labels: list[Node] = []
        for branch in entry.parts["body"][0].named_children:
            parts = named(branch)
            own = [part for part in parts if part.type == "switch_label"]
            labels.extend(own)
            if not own or len(parts) == len(own):
                continue
            first = parts[len(own)]
            last = any(child.type == "default" for label in labels for child in label.children)
            draft = RegionDraft(
                "else" if last else "if", [(first.start_byte, branch.end_byte)], node.start_byte, branch.start_byte
            )
            draft.head = labels[0] if not last and len(labels) == 1 and _is_value(labels[0]) else None
            low.regions.add(draft)
            self.cases.append(_Case(subject, labels, first.start_byte))
            labels = []

    def _guarded(self, low: Lowering, entry: Entry) -> None:
        """Resources are opened inside the `try` whose handlers see what goes wrong with them."""
        node, body = entry.node, entry.parts["body"][0]
        clauses = [child for child in node.children if child.type in ("catch_clause", "finally_clause")]
        self.groups.update((clause.id, node.start_byte) for clause in clauses)
        stretch = span(body)
        if entry.main == "block.with":
            resources = node.child_by_field_name("resources")
            stretch = (resources.start_byte if resources else stretch[0], stretch[1])
            low.regions.add(RegionDraft("with", [stretch], node.start_byte, node.start_byte))
        if clauses or entry.main == "block.try":
            low.regions.add(RegionDraft("try", [stretch], node.start_byte, node.start_byte))

    def finish(self, low: Lowering) -> None:
        """Heads that no node stands for, and the names that blocks bind."""
        for keyword in self.endless:
            low.ids[keyword.id] = low.add(facts.Literal(*low.where(keyword), "bool", True))
        for entry in low.each("block.for"):
            parts, node = entry.parts, entry.node
            annotation = declared_type(low, parts["annotation"][0], node)
            at = parts["body"][0].start_byte
            declare(low, parts["target"][0], at, low.expr(parts["head"][0]), "for", annotation)
        for entry in low.each("block.except"):
            parameter = _child(entry.node, "catch_formal_parameter")
            if parameter is not None:
                annotation = low.expr(_caught(entry.node))
                name = parameter.child_by_field_name("name")
                declare(low, name, entry.parts["body"][0].start_byte, NONE, "except", annotation)
        for case in self.cases:
            self._case(low, case)

    def _case(self, low: Lowering, case: _Case) -> None:
        subject = low.expr(case.subject)
        for label in case.labels:
            if _is_value(label):
                sides = subject, low.expr(_first(label))
                low.ids[label.id] = low.add(facts.Operation(*low.where(label), "==", sides))
            for pattern in named(label):
                if pattern.type == "pattern":
                    declare_pattern(low, pattern, case.start, subject)


def declare_pattern(low: Lowering, pattern: Node, at: int, value: int) -> None:
    """Names in ``Type name`` and ``Type(var name, Inner(var other))``; only the first has the value itself."""
    pending = [pattern]
    while pending:
        node = pending.pop()
        parts = named(node)
        if node.type in ("type_pattern", "record_pattern_component") and len(parts) == 2:
            whole = value if node.type == "type_pattern" else NONE
            declare(low, parts[1], at, whole, "assign", declared_type(low, parts[0]))
        elif node.type in ("pattern", "record_pattern", "record_pattern_body"):
            pending.extend(reversed(parts))


def _child(node: Node, kind: str) -> Node | None:
    return next((child for child in node.named_children if child.type == kind), None)


def _caught(clause: Node) -> Node | None:
    """The type that a handler names; several of them are one node."""
    parameter = _child(clause, "catch_formal_parameter")
    types = _child(parameter, "catch_type") if parameter else None
    if types is None:
        return None
    each = named(types)
    return each[0] if len(each) == 1 else types


def _first(label: Node) -> Node | None:
    return next(iter(named(label)), None)


def _is_value(label: Node) -> bool:
    """Whether a label is one expression, which the switch's subject equals."""
    parts = named(label)
    return len(parts) == 1 and parts[0].type != "pattern"


# -- jumps ------------------------------------------------------------------------------------------------------------


def leave(low: Lowering) -> None:
    """Record the jumps. A `break` that only ends a branch of a switch is none, and `yield` is the switch's value."""
    jumps(low, _JUMPS)
    loops = [entry.node for main in _LOOPS for entry in low.each(main)]
    switches = [entry.node for entry in low.each("block.case")]
    for main, kind in _LEAVES:
        nodes = [entry.node for entry in low.each(main)]
        # Only a jump without a label can mean the switch.
        inside = _innermost([*loops, *(switches if kind == "break" else ())], nodes)
        for node in nodes:
            holder = inside.get(node.id)
            if holder is not None and (holder.type != "switch_expression" or named(node)):
                block = low.regions.block_at(node.start_byte)
                low.jumps.append(facts.Jump(kind, NONE, block, node.start_byte))
    yields = low.each("expr.yield")
    inside = _innermost(switches, [entry.node for entry in yields])
    for entry in yields:
        holder = inside.get(entry.node.id)
        if holder is not None:
            low.entries[holder.id].parts.setdefault("value", []).extend(entry.parts["value"])
    for entry in low.each("expr.function"):
        body = entry.parts["body"][0]
        if body.type != "block":
            block = low.regions.block_at(body.start_byte)
            low.jumps.append(facts.Jump("return", low.expr(body), block, body.start_byte))


def _innermost(holders: Iterable[Node], nodes: Iterable[Node]) -> dict[int, Node]:
    """For each node the innermost of the holders around it, in one sweep over the text."""
    found: dict[int, Node] = {}
    stack: list[Node] = []
    for node, holds in _in_order(holders, nodes):
        while stack and stack[-1].end_byte <= node.start_byte:
            stack.pop()
        if holds:
            stack.append(node)
        elif stack:
            found[node.id] = stack[-1]
    return found


def _in_order(holders: Iterable[Node], nodes: Iterable[Node]) -> Iterator[tuple[Node, bool]]:
    marked = [*((node, True) for node in holders), *((node, False) for node in nodes)]
    marked.sort(key=lambda each: (each[0].start_byte, -each[0].end_byte))
    return iter(marked)
