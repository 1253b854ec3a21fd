"""How Java's nodes are taken apart, for all modules of the adapter."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import named
from resplint.languages.java_values import declared_type
from resplint.languages.lowering import BindingDraft, Lowering

ANNOTATIONS: Final = frozenset({"annotation", "marker_annotation"})


def modifiers(node: Node) -> list[Node]:
    """Keywords and annotations in front of a declaration."""
    for child in node.children:
        if child.type == "modifiers":
            return child.children
        if child.is_named and not child.is_extra:
            break
    return []


def decorators(low: Lowering, node: Node) -> tuple[int, ...]:
    """The annotations of a declaration."""
    return tuple(low.expr(child) for child in modifiers(node) if child.type in ANNOTATIONS)


def is_static(node: Node) -> bool:
    """Whether a declaration says `static`."""
    return any(child.type == "static" for child in modifiers(node))


def is_private(node: Node) -> bool:
    """Whether a declaration says `private`."""
    return any(child.type == "private" for child in modifiers(node))


def parameters(low: Lowering, holder: Node) -> tuple[facts.Parameter, ...]:
    """The parameters of a method or a lambda. What collects the rest has the type of one element."""
    if holder.type == "identifier":
        return (facts.Parameter(low.text(holder), NONE, NONE, ""),)
    found = []
    for child in named(holder):
        if child.type == "identifier":
            found.append(facts.Parameter(low.text(child), NONE, NONE, ""))
        elif child.type in ("formal_parameter", "spread_parameter"):
            name, declared = component(child)
            if name is not None:
                kind = "*" if child.type == "spread_parameter" else ""
                annotation = declared_type(low, declared, child)
                found.append(facts.Parameter(low.text(name), annotation, NONE, kind, decorators(low, child)))
    return tuple(found)


def component(parameter: Node) -> tuple[Node | None, Node | None]:
    """Name and type of a declared parameter."""
    if parameter.type == "formal_parameter":
        return parameter.child_by_field_name("name"), parameter.child_by_field_name("type")
    parts = [child for child in named(parameter) if child.type not in ("modifiers", *ANNOTATIONS)]
    name = parts[-1].child_by_field_name("name") if parts and parts[-1].type == "variable_declarator" else None
    return name, parts[0] if len(parts) > 1 else None


def components(holder: Node) -> list[Node]:
    """The declared parameters between parentheses."""
    return [child for child in named(holder) if child.type in ("formal_parameter", "spread_parameter")]


def declare(
    low: Lowering,
    name: Node | None,
    at: int,
    value: int,
    kind: facts.BindingKind = "assign",
    annotation: int = NONE,
    marks: tuple[int, ...] = (),
    belongs: facts.Belonging = "",
) -> None:
    """Record a declared name; `at` is the offset whose block it belongs to."""
    if name is not None and name.type == "identifier" and name.end_byte > name.start_byte:
        draft = BindingDraft(low.text(name), at, value, kind, name.start_byte, name.end_byte)
        draft.annotation, draft.decorators, draft.belongs = annotation, marks, belongs
        low.bind(draft)
