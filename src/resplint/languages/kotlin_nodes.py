"""The shapes of Kotlin's syntax nodes: which child is what, where the grammar gives it no name."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from resplint.languages.common import named
from resplint.languages.lowering import Lowering

TYPES = frozenset({"user_type", "nullable_type", "function_type", "non_nullable_type", "parenthesized_type"})
JUMPS = frozenset({"return_expression", "throw_expression"})
JUMP_WORDS = frozenset({"break", "continue"})
_NO_VALUE = JUMPS | {
    "assignment", "for_statement", "while_statement", "do_while_statement", "property_declaration", "type_alias",
    "function_declaration", "class_declaration", "object_declaration",
}  # fmt: skip


def child(node: Node | None, *types: str) -> Node | None:
    """The first child of one of these types."""
    if node is not None:
        for each in node.children:
            if each.type in types:
                return each
    return None


def children(node: Node | None, *types: str) -> list[Node]:
    """All children of these types."""
    return [each for each in node.children if each.type in types] if node is not None else []


def identifier(low: Lowering, node: Node | None) -> str:
    """A name without the backticks that let it be a keyword."""
    return low.text(node).strip("`") if node is not None else ""


def after(node: Node, token: str) -> Node | None:
    """The first piece of code behind a bare token."""
    seen = False
    for each in node.children:
        if seen and each.is_named and not each.type.endswith("comment"):
            return each
        seen = seen or each.type == token
    return None


def start_of_definition(node: Node) -> int:
    """Where a definition starts behind its annotations and modifiers."""
    for each in node.children:
        if each.type not in ("modifiers", "line_comment", "block_comment"):
            return each.start_byte
    return node.start_byte


def marks_of(node: Node | None) -> list[Node]:
    """Names or calls behind the @ signs of a definition or a parameter."""
    marks: list[Node] = []
    for holder in (node, *children(node, "modifiers", "parameter_modifiers")) if node is not None else ():
        for mark in children(holder, "annotation"):
            marks.extend(children(mark, "constructor_invocation", *TYPES))
    return marks


def has_modifier(low: Lowering, node: Node, word: str) -> bool:
    """Whether a definition carries a modifier such as ``suspend``."""
    return any(low.text(each) == word for holder in children(node, "modifiers") for each in named(holder))


def value_of(low: Lowering, node: Node | None) -> Node | None:
    """What a branch gives: itself, or the last expression of its block; None when control leaves, or for no value."""
    if node is not None and node.type in ("block", "lambda_literal"):
        statements = named(node)
        node = statements[-1] if statements and statements[-1].type != "lambda_parameters" else None
    if node is None or node.type in _NO_VALUE or is_jump(low, node):
        return None
    return None if node.type == "if_expression" and branches(node).otherwise is None else node


def is_jump(low: Lowering, node: Node) -> bool:
    """Whether control leaves where this expression stands."""
    if node.type == "labeled_expression":
        label = child(node, "label")
        return label is not None and low.text(label).rstrip("@") in JUMP_WORDS
    return node.type in JUMPS or (node.type == "identifier" and low.text(node) in JUMP_WORDS)


@dataclass(slots=True)
class Branches:
    """The parts of an if expression; `keyword` is its ``else``."""

    condition: Node | None
    then: Node | None = None
    keyword: Node | None = None
    otherwise: Node | None = None


def branches(node: Node) -> Branches:
    """Take an if expression apart."""
    found = Branches(node.child_by_field_name("condition"))
    inside = True
    for each in node.children:
        if each.type == ")":
            inside = False
        elif each.type == "else":
            found.keyword = each
        elif each.is_named and not inside and not each.type.endswith("comment"):
            if found.keyword is None:
                found.then = found.then or each
            else:
                found.otherwise = each
    return found


@dataclass(slots=True)
class Use:
    """A call taken apart. The grammar nests ``f(1) { }`` as a call of ``f(1)`` with a lambda: `inner` is ``f(1)``."""

    callee: Node | None
    arguments: Node | None
    trailing: Node | None
    inner: Node | None

    def name(self, low: Lowering) -> str:
        """Name of the function or method."""
        if self.callee is None:
            return ""
        if self.callee.type == "navigation_expression":
            return identifier(low, self.callee.named_children[-1])
        return identifier(low, self.callee) if self.callee.type == "identifier" else ""

    def object(self) -> Node | None:
        """The object whose method is called."""
        if self.callee is not None and self.callee.type == "navigation_expression":
            return self.callee.named_children[0]
        return None

    def is_safe(self) -> bool:
        """Whether it is called only when its object is there."""
        return child(self.callee, "?.") is not None


def use_of(call: Node) -> Use:
    """Take a call apart."""
    parts = named(call)
    holder = child(call, "annotated_lambda")
    arguments = child(call, "value_arguments")
    callee = parts[0] if parts else None
    inner = None
    if holder is not None and arguments is None and callee is not None and callee.type == "call_expression":
        direct = child(callee, "value_arguments")
        if direct is not None and child(callee, "annotated_lambda") is None:
            inner, arguments, callee = callee, direct, next(iter(named(callee)), None)
    return Use(callee, arguments, child(holder, "lambda_literal"), inner)


def delegations(node: Node) -> list[Node]:
    """The base classes and interfaces of a class: types, or types with constructor arguments."""
    found = []
    for each in children(child(node, "delegation_specifiers"), "delegation_specifier"):
        base = child(each, "constructor_invocation", "explicit_delegation", *TYPES)
        if base is not None and base.type == "explicit_delegation":
            base = child(base, *TYPES)
        if base is not None:
            found.append(base)
    return found


def initialiser(declaration: Node) -> Node | None:
    """What a property starts with: its value, or what it is delegated to."""
    delegate = child(declaration, "property_delegate")
    return after(delegate, "by") if delegate is not None else after(declaration, "=")


def members(body: Node | None) -> list[Node]:
    """What a class declares, also where a part of it does not parse."""
    found: list[Node] = []
    for each in body.children if body is not None else ():
        found.extend(each.children if each.type == "ERROR" else [each])
    return found


@dataclass(slots=True)
class Given:
    """A parameter with what stands around it; one of a class holds its modifiers and its default itself."""

    node: Node
    modifiers: Node | None = None
    default: Node | None = None


_PARAMETERS = frozenset({"parameter", "class_parameter", "variable_declaration", "multi_variable_declaration"})


def parameters(holder: Node) -> list[Given]:
    """The parameters of a function, a class, a lambda or a setter."""
    found: list[Given] = []
    modifiers: Node | None = None
    equals = False
    for each in holder.children:
        if each.type == "=":
            equals = True
        elif each.type == "parameter_modifiers":
            modifiers = each
        elif equals and each.is_named and not each.type.endswith("comment"):
            if found:
                found[-1].default = each
            equals = False
        elif each.type in _PARAMETERS or (holder.type == "setter" and each.type == "identifier"):
            found.append(Given(each, modifiers))
            modifiers = None
    return found
