"""Kotlin: how a file is read; blocks, imports and jumps."""

from __future__ import annotations

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE, BlockKind
from resplint.languages import kotlin_bindings, kotlin_scopes
from resplint.languages.common import comments, named, record_import, span
from resplint.languages.kotlin_nodes import (
    TYPES,
    after,
    branches,
    child,
    children,
    delegations,
    identifier,
    is_jump,
    value_of,
)
from resplint.languages.kotlin_scopes import Plan, Plans
from resplint.languages.kotlin_values import BUILDERS, arguments
from resplint.languages.lowering import Entry, Lowering
from resplint.languages.regions import RegionDraft

LISTED = frozenset({"expr.call", "expr.new", "expr.operation", "expr.function"})
LEAVES = frozenset({"expr.integer", "expr.float"})


def lower(low: Lowering) -> None:
    """Fill `low` from the matches it has read."""
    plans = kotlin_scopes.declare(low)
    _declare_blocks(low)
    kotlin_scopes.declare_lambdas(plans)
    low.regions.close()
    kotlin_scopes.finish(plans)
    kotlin_bindings.lower(plans)
    _objects(low)
    _base_calls(plans)
    _imports(low)
    _jumps(plans)
    comments(low)


# -- blocks ------------------------------------------------------------------------------------------------------------


def _block(
    low: Lowering, kind: BlockKind, body: Node | None, group: int, at: int, head: Node | None = None
) -> RegionDraft | None:
    if body is None or body.end_byte <= body.start_byte:
        return None
    return low.regions.add(RegionDraft(kind, [span(body)], group, at, None, head))


def _declare_blocks(low: Lowering) -> None:
    for entry in low.each("block.for"):
        pieces, head = named(entry.node), after(entry.node, "in")
        if head is not None and pieces[-1].start_byte > head.start_byte:
            _block(low, "for", pieces[-1], entry.node.start_byte, entry.node.start_byte, head)
    for entry in low.each("block.while"):
        head = entry.parts["head"][0]
        bodies = [each for each in named(entry.node) if each.id != head.id and each.type != "label"]
        pieces_of = sorted(span(each) for each in (head, *bodies) if each.end_byte > each.start_byte)
        start = entry.node.start_byte
        low.regions.add(RegionDraft("while", pieces_of, start, start, None, head))
    _declare_branches(low)
    for entry in low.each("block.case"):
        _declare_case(low, entry)
    kinds: tuple[tuple[str, BlockKind], ...] = (
        ("block.try", "try"), ("block.except", "except"), ("block.finally", "finally"),
    )  # fmt: skip
    for main, kind in kinds:
        for entry in low.each(main):
            clause = entry.parts["body"][0]
            body = clause if clause.type == "block" else child(clause, "block")
            at = entry.node.start_byte if kind == "try" else clause.start_byte
            caught = child(clause, *TYPES) if kind == "except" else None
            _block(low, kind, body, entry.node.start_byte, at, caught)
    for entry in low.each("expr.operation"):
        if entry.node.type == "binary_expression" and child(entry.node, "?:") is not None:
            right = entry.node.child_by_field_name("right")
            if right is not None and is_jump(low, right):
                _block(low, "if", right, right.start_byte, right.start_byte)


def _declare_branches(low: Lowering) -> None:
    """The branches of if expressions; those of ``else if`` belong to the first one."""
    groups: dict[int, int] = {}
    for entry in low.each("block.if"):
        node = entry.node
        group = groups.get(node.id, node.start_byte)
        parts = branches(node)
        _block(low, "if", parts.then, group, node.start_byte, parts.condition)
        if parts.otherwise is not None and parts.otherwise.type == "if_expression":
            groups[parts.otherwise.id] = group
        elif parts.otherwise is not None and parts.keyword is not None:
            _block(low, "else", parts.otherwise, group, parts.keyword.start_byte)


def _declare_case(low: Lowering, entry: Entry) -> None:
    case = entry.parts["body"][0]
    body = after(case, "->")
    tests = case.children_by_field_name("condition")
    is_plain = len(tests) == 1 and child(entry.node, "when_subject") is None
    kind: BlockKind = "if" if child(case, "else") is None else "else"
    _block(low, kind, body, entry.node.start_byte, case.start_byte, tests[0] if is_plain else None)


# -- calls that do not look like ones ----------------------------------------------------------------------------------


def _objects(low: Lowering) -> None:
    """Objects of anonymous classes and calls between two operands count even where nothing takes their value."""
    for main, type_ in (("expr.new", "object_literal"), ("expr.operation", "infix_expression")):
        for entry in low.each(main):
            if entry.node.type == type_:
                low.expr(entry.node)


def _base_calls(plans: Plans) -> None:
    """`class A : B(1)` and `constructor() : this(1)` call another constructor."""
    low = plans.low
    for entry in low.each("scope.class"):
        for base in delegations(entry.node):
            if base.type == "constructor_invocation":
                _base_call(low, base, "super")
    for plan in plans.all:
        given = child(plan.node, "constructor_delegation_call")
        if given is not None:
            _base_call(low, given, "this" if child(given, "this") is not None else "super")


def _base_call(low: Lowering, node: Node, name: str) -> None:
    where = low.where(node)
    callee = low.add(facts.Name(*where, name))
    low.add(facts.Call(*where, callee, arguments(low, child(node, "value_arguments"))))


# -- imports and jumps -------------------------------------------------------------------------------------------------


def _dotted(low: Lowering, node: Node) -> str:
    return ".".join(identifier(low, each) for each in children(node, "identifier"))


def _imports(low: Lowering) -> None:
    for entry in low.each("package"):
        low.package = low.package or _dotted(low, entry.parts["name"][0])
    for entry in low.each("import.names"):
        node, dotted = entry.node, _dotted(low, entry.parts["module"][0])
        if child(node, "*") is not None:
            record_import(low, node, dotted, "*", "*")
            continue
        module, _, name = dotted.rpartition(".")
        alias = child(node, "identifier")
        record_import(low, node, module, name, identifier(low, alias) if alias is not None else name)


def _jumps(plans: Plans) -> None:
    low = plans.low
    for entry in low.each("jump.return"):
        _return(plans, entry.node)
    kinds: tuple[tuple[str, facts.JumpKind], ...] = (
        ("jump.raise", "raise"), ("jump.break", "break"), ("jump.continue", "continue"),
    )  # fmt: skip
    for main, kind in kinds:
        for entry in low.each(main):
            node = entry.node
            pieces = named(node) if kind == "raise" else []
            value = low.expr(pieces[0]) if pieces else NONE
            low.jumps.append(facts.Jump(kind, value, low.regions.block_at(node.start_byte), node.start_byte))
    for plan in plans.all:
        if plan.index != NONE and (body := _result(low, plan)) is not None:
            low.jumps.append(facts.Jump("return", low.expr(body), plan.region.index, body.start_byte))


def _result(low: Lowering, plan: Plan) -> Node | None:
    """What a function gives without saying `return`: its expression, or the last one of a lambda."""
    if plan.role == "lambda":
        return value_of(low, plan.node)
    body = child(plan.node, "function_body")
    return after(body, "=") if body is not None else None


def _return(plans: Plans, node: Node) -> None:
    """A plain `return` leaves the function around the lambdas that it stands in, one with a label only its lambda."""
    low = plans.low
    label = node.child_by_field_name("label")
    pieces = [each for each in named(node) if label is None or each.id != label.id]
    block = low.regions.block_at(node.start_byte)
    plan = plans.by_scope.get(low.regions.drafts[block].scope_index)
    while label is None and plan is not None and plan.role == "lambda" and plan.region.parent != NONE:
        block = plan.region.parent
        plan = plans.by_scope.get(low.regions.drafts[block].scope_index)
    value = low.expr(pieces[0]) if pieces else NONE
    low.jumps.append(facts.Jump("return", value, block, node.start_byte))


__all__ = ["BUILDERS", "lower"]
