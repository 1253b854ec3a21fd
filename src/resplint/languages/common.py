"""What the adapters of several languages do in the same way."""

from __future__ import annotations

from collections.abc import Iterable

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.comments import Comment
from resplint.contracts.facts import NONE
from resplint.languages.lowering import BindingDraft, Lowering, Parts

MAX_TEXT = 20_000
"""Bytes of one string literal that are kept; a longer one is data, not something a rule looks into."""


def span(node: Node) -> tuple[int, int]:
    """Start and end of a node."""
    return node.start_byte, node.end_byte


NO_CODE = frozenset({"comment", "line_comment", "block_comment", "ERROR"})
"""Named nodes that are no code."""


def named(node: Node) -> list[Node]:
    """Named children that are code."""
    return [child for child in node.named_children if child.type not in NO_CODE]


def function_type(low: Lowering, node: Node, parameters: Iterable[int]) -> facts.Expr:
    """The type of a function: something without a name, with the types of its parameters as the key of an element."""
    where = low.where(node)
    key = low.add(facts.Collection(*where, "tuple", tuple(parameters)))
    return facts.Index(*where, low.add(facts.Opaque(*where)), key)


_PLAIN_TYPES = frozenset({"String", "Integer", "Long", "Int", "Double", "Boolean", "Record", "Map", "List", "Any", "T"})
"""Types of data that many values are cast to."""


def casts(low: Lowering) -> None:
    """What values are taken for: each is declared once more, without a name."""
    for entry in low.each("bind.cast"):
        type_ = entry.parts["annotation"][0]
        if type_.type != "type_identifier" or low.text(type_) not in _PLAIN_TYPES:
            value = low.expr(entry.parts["value"][0])
            low.bind(
                BindingDraft("", entry.node.start_byte, value, "assign", *span(entry.node), annotation=low.expr(type_))
            )


_BETWEEN = frozenset({",", "comment", "line_comment", "block_comment"})
_CLOSING = frozenset({")", "]", "}"})


def brackets(holder: Node | None) -> tuple[int, int]:
    """Where the last thing between the brackets of a node ends, and where the closing bracket stands."""
    children = holder.children if holder is not None else []
    if len(children) > 1:
        last = children[-1]
        if last.type in _CLOSING and not last.is_missing:
            for at in range(len(children) - 2, -1, -1):
                if children[at].type not in _BETWEEN:
                    return children[at].end_byte, last.start_byte
    return NONE, NONE


def merged(parts: Iterable[str | int]) -> tuple[str | int, ...]:
    """Parts of a text, neighbouring strings joined."""
    joined: list[str | int] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return tuple(joined)


def literal(low: Lowering, node: Node, text: str, type_: str = "str") -> facts.Expr:
    """A text without holes. Lone surrogates cannot be written as UTF-8."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    start, end, block = low.where(node)
    return facts.Literal(start, end, block, type_, text)


def text_record(low: Lowering, node: Node, parts: Iterable[str | int], type_: str = "str") -> facts.Expr:
    """A literal, or a template when one of the parts is an expression. Lone surrogates cannot be written as UTF-8."""
    clean = tuple(
        part.encode("utf-8", "replace").decode("utf-8") if isinstance(part, str) and not part.isascii() else part
        for part in merged(parts)
    )
    if any(isinstance(part, int) for part in clean):
        return facts.Template(*low.where(node), clean)
    return facts.Literal(*low.where(node), type_, "".join(map(str, clean)))


def record_import(
    low: Lowering, at: Node, module: str, name: str, alias: str, level: int = 0, part: Node | None = None
) -> None:
    """Record that a name comes from another module; `part` is what names it in a statement `at` that names several."""
    block = low.regions.block_at(at.start_byte)
    scope = low.regions.drafts[block].scope_index
    scope = low.outer_names.get((scope, alias), scope)
    low.imports.append(facts.Import(module, name, alias, level, scope, block, at.start_byte, (part or at).end_byte))


def jumps(low: Lowering, kinds: Iterable[tuple[str, facts.JumpKind]]) -> None:
    """Record the jumps of these main captures; a lambda whose body is one expression returns it."""
    for main, kind in kinds:
        for entry in low.each(main):
            children = named(entry.node)
            value = low.expr(children[0]) if children else NONE
            block = low.regions.block_at(entry.node.start_byte)
            low.jumps.append(facts.Jump(kind, value, block, entry.node.start_byte))


def comments(low: Lowering) -> None:
    """Record the comments that the queries let through."""
    for entry in low.each("comment"):
        node = entry.node
        row, column = node.start_point
        line_start = node.start_byte - column
        own_line = not low.source[line_start : node.start_byte].strip()
        low.comments.append(Comment(node.start_byte, node.end_byte, row + 1, low.text(node), own_line))


def true(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """The literal `true`; also the condition that a ``for (;;)`` lacks."""
    return facts.Literal(*low.where(node), "bool", True)


def false(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """The literal `false`."""
    return facts.Literal(*low.where(node), "bool", False)


def none(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """The literal for no value: `None`, `null`, `undefined`."""
    return facts.Literal(*low.where(node), "none", None)
