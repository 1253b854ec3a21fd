"""Types in quotes: `client: "Redis[bytes]"` is the expression that the text spells."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import named
from resplint.languages.lowering import Lowering

_MAX_QUOTED = 1000
_MAX_DEPTH = 20
_OF_TEXTS = frozenset({"Literal"})
_OF_ONE_TYPE = frozenset({"Annotated"})


def annotation(low: Lowering, node: Node | None) -> int:
    """Index of the expression that a declared type is."""
    if node is not None:
        for text in _quoted(low, node):
            if text.id not in low.ids and (number := _spelt(low, text)) != NONE:
                low.ids[text.id] = number
    return low.expr(node)


def _quoted(low: Lowering, outer: Node) -> list[Node]:
    """The strings of a type that are types themselves."""
    found, pending = [], [outer]
    while pending:
        node = pending.pop()
        if node.type == "string":
            found.append(node)
        elif node.type in ("type", "union_type", "binary_operator", "type_parameter", "tuple", "list"):
            pending += named(node)
        elif node.type in ("generic_type", "subscript"):
            head, *arguments = named(node)
            pending += _types(low.text(head).rpartition(".")[2], arguments)
    return found


def _types(name: str, arguments: list[Node]) -> list[Node]:
    """Those of the arguments of a generic type that are types."""
    if name in _OF_TEXTS:
        return []
    if name in _OF_ONE_TYPE:
        between = arguments[0] if arguments else None
        return named(between)[:1] if between is not None and between.type == "type_parameter" else arguments[:1]
    return arguments


def _spelt(low: Lowering, node: Node) -> int:
    """Records of the expression in a string; NONE if it is none."""
    content = [child for child in node.named_children if child.type == "string_content"]
    if len(content) != 1 or len(node.named_children) != 3 or content[0].named_children:
        return NONE
    raw = low.text(content[0]).strip()
    return _parsed(low, raw, low.where(node)) if len(raw) <= _MAX_QUOTED else NONE


def _parsed(low: Lowering, text: str, where: tuple[int, int, int], depth: int = 0) -> int:
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return NONE
    return _record(low, tree.body, where, depth)


def _record(low: Lowering, tree: ast.expr, where: tuple[int, int, int], depth: int) -> int:
    """Append the record of a node of a type, and those of its parts."""

    def part(inner: ast.expr) -> int:
        return _record(low, inner, where, depth + 1)

    if depth > _MAX_DEPTH:
        return low.add(facts.Opaque(*where))
    if isinstance(tree, ast.Constant) and isinstance(tree.value, str):
        number = _parsed(low, tree.value, where, depth + 1)
        return number if number != NONE else low.add(facts.Opaque(*where))
    return low.add(_expression(tree, where, part))


def _expression(tree: ast.expr, where: tuple[int, int, int], part: Callable[[ast.expr], int]) -> facts.Expr:
    match tree:
        case ast.Name(id=name):
            return facts.Name(*where, name)
        case ast.Attribute(value=owner, attr=name):
            return facts.Member(*where, part(owner), name)
        case ast.Subscript(value=outer, slice=inner):
            name = outer.attr if isinstance(outer, ast.Attribute) else getattr(outer, "id", "")
            items = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            if name in _OF_TEXTS:
                return facts.Index(*where, part(outer), part(ast.Constant(None)))
            if name in _OF_ONE_TYPE:
                items = items[:1]
            return facts.Index(*where, part(outer), part(ast.Tuple(items)))
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return facts.Operation(*where, "|", (part(left), part(right)))
        case ast.Tuple(elts=items) | ast.List(elts=items):
            kind = "list" if isinstance(tree, ast.List) else "tuple"
            return facts.Collection(*where, kind, tuple(part(item) for item in items))
        case ast.Constant(value=None):
            return facts.Literal(*where, "none", None)
    return facts.Opaque(*where)
