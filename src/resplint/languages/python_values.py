"""How Python spells its expressions: builders for the nodes that need more than their captures."""

from __future__ import annotations

import ast
import warnings

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import MAX_TEXT, NO_CODE, brackets, false, named, none, text_record, true
from resplint.languages.lowering import MAX_ITEMS, Lowering, Parts, name


def call(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A call with its arguments in order."""
    holder = parts["arguments"][0]
    last = closing = NONE
    if holder.type == "argument_list":
        arguments = []
        for child in holder.named_children:
            kind = child.type
            if kind in _SPELT_ARGUMENTS:
                arguments.append(_argument(low, child, kind))
            elif kind not in NO_CODE:
                arguments.append(facts.Argument("", low.expr(child)))
        last, closing = brackets(holder)
    else:  # f(x for x in y)
        arguments = [facts.Argument("", low.expr(holder))]
    callee = low.expr(parts["callee"][0])
    start, end, block = low.where(node)
    given = tuple(arguments) if len(arguments) <= MAX_ITEMS else tuple(arguments[:MAX_ITEMS])
    return facts.Call(start, end, block, callee, given, node.id in low.awaited, last, closing)


_SPELT_ARGUMENTS = frozenset({"keyword_argument", "list_splat", "dictionary_splat"})
"""Arguments with more to them than their value."""


def _argument(low: Lowering, node: Node, kind: str) -> facts.Argument:
    if kind == "keyword_argument":
        name = node.child_by_field_name("name")
        return facts.Argument(low.text(name) if name else "", low.expr(node.child_by_field_name("value")))
    if kind == "list_splat":
        return facts.Argument("*", low.expr(node.named_children[0] if node.named_children else None))
    return facts.Argument("**", low.expr(node.named_children[0] if node.named_children else None))


def member(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`object.name`."""
    start, end, block = low.where(node)
    return facts.Member(start, end, block, low.expr(parts["object"][0]), low.text(parts["name"][0]))


def index(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`object[key]`."""
    return facts.Index(*low.where(node), low.expr(parts["object"][0]), low.expr(parts["key"][0]))


def assigned(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`(target := value)` has the value's value."""
    return facts.Choice(*low.where(node), (low.expr(parts["value"][0]),))


# -- literals ----------------------------------------------------------------------------------------------------------


def _unescape(raw: str, quote: str, prefix: str) -> str:
    if "\\" not in raw or "r" in prefix:
        return raw
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = ast.literal_eval(f"{quote}{raw}{quote}")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return raw
    return value if isinstance(value, str) else raw


def _pieces(low: Lowering, node: Node) -> tuple[list[str | int], str]:
    """Text and holes of one string node, and its prefix in lower case."""
    pieces: list[str | int] = []
    prefix = quote = ""
    for child in node.children:
        if child.type == "string_start":
            opening = low.text(child)
            quote = opening.lstrip("rRbBuUfFtT")
            prefix = opening[: len(opening) - len(quote)].lower()
        elif child.type == "string_content":
            raw = low.text(child)[:MAX_TEXT]
            if "f" in prefix or "t" in prefix:
                raw = raw.replace("{{", "{").replace("}}", "}")
            pieces.append(_unescape(raw, quote, prefix))
        elif child.type == "interpolation":
            pieces.append(low.expr(child.child_by_field_name("expression")))
    return pieces, prefix


def text(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A string literal; an f-string with holes is a template."""
    written = low.text(node)
    if written[0] in "\"'" and "\\" not in written and written.isascii() and not node.has_error:
        quotes = 3 if written.startswith(('"""', "'''")) and len(written) > 5 else 1
        start, end, block = low.where(node)
        return facts.Literal(start, end, block, "str", written[quotes:-quotes][:MAX_TEXT])
    pieces, prefix = _pieces(low, node)
    return text_record(low, node, pieces, "bytes" if "b" in prefix else "str")


def texts(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """String literals side by side are one text."""
    together: list[str | int] = []
    prefixes = ""
    for child in node.named_children:
        if child.type == "string":
            pieces, prefix = _pieces(low, child)
            together.extend(pieces)
            prefixes += prefix
    return text_record(low, node, together, "bytes" if "b" in prefixes else "str")


def integer(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An integer; one beyond 64 bits is kept as a float, one that cannot be read is opaque."""
    try:
        number = int(low.text(node).rstrip("lLjJ"), 0)
    except ValueError:
        return facts.Opaque(*low.where(node))
    value: int | float = number if abs(number) < 2**63 else float("inf")
    return facts.Literal(*low.where(node), "int", value)


def floating(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A floating-point number."""
    try:
        value = float(low.text(node).replace("_", "").rstrip("jJ"))
    except ValueError:
        return facts.Opaque(*low.where(node))
    return facts.Literal(*low.where(node), "float", value)


# -- operators and collections --------------------------------------------------------------------------------------


def _operator(low: Lowering, node: Node) -> str:
    return " ".join(low.text(child) for child in node.children if not child.is_named and child.type not in "()")


def operation(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An operator; `a + b + c`, which the grammar nests to the left, becomes one record."""
    if node.type == "comparison_operator":
        first = next((low.text(child) for child in node.children if not child.is_named), "")
        return facts.Operation(*low.where(node), first, tuple(low.expr(child) for child in named(node)))
    operator, kind = _operator(low, node), node.kind_id
    operands = named(node)[::-1]
    sides = operands
    while len(sides) == 2:
        left = operands[-1]
        if left.kind_id != kind or _operator(low, left) != operator:
            break
        sides = named(left)
        if len(sides) == 2:
            operands[-1:] = sides[::-1]
    indices = tuple([low.expr(operand) for operand in reversed(operands)])
    return facts.Operation(*low.where(node), operator, indices[:MAX_ITEMS])


def choice(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`a if condition else b`: either of the two values."""
    children = named(node)
    options = tuple(low.expr(child) for position, child in enumerate(children) if position != 1)
    condition = low.expr(children[1]) if len(children) == 3 else NONE
    return facts.Choice(*low.where(node), options, condition)


def collection(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A list, tuple, set or dict display, or the types between an annotation's brackets."""
    children = named(node)[:MAX_ITEMS]
    if node.type != "dictionary":
        kind = {"list": "list", "set": "set"}.get(node.type, "tuple")
        items = tuple(low.expr(_unsplat(child)) for child in children)
        spreads = any(child.type == "list_splat" for child in children)
        return facts.Collection(*low.where(node), kind, items, (), False, *brackets(node), spreads)
    keys, values = [], []
    for child in children:
        if child.type == "pair":
            keys.append(low.expr(child.child_by_field_name("key")))
            values.append(low.expr(child.child_by_field_name("value")))
        else:
            keys.append(NONE)
            values.append(low.expr(_unsplat(child)))
    return facts.Collection(*low.where(node), "map", tuple(values), tuple(keys), False, *brackets(node))


def _unsplat(node: Node) -> Node:
    splat = node.type in ("list_splat", "dictionary_splat") and node.named_children
    return node.named_children[0] if splat else node


def generated(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A comprehension: its element stands for all."""
    body = parts["body"][0]
    if body.type == "pair":
        key, value = body.child_by_field_name("key"), body.child_by_field_name("value")
        return facts.Collection(*low.where(node), "map", (low.expr(value),), (low.expr(key),), True)
    kind = {"list_comprehension": "list", "set_comprehension": "set"}.get(node.type, "tuple")
    return facts.Collection(*low.where(node), kind, (low.expr(body),), (), True)


def function(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A lambda."""
    return facts.Function(*low.where(node), low.functions[node.id].index)


BUILDERS = {
    "expr.call": call,
    "expr.member": member,
    "expr.index": index,
    "expr.name": name,
    "expr.assigned": assigned,
    "expr.text": text,
    "expr.texts": texts,
    "expr.integer": integer,
    "expr.float": floating,
    "expr.true": true,
    "expr.false": false,
    "expr.none": none,
    "expr.operation": operation,
    "expr.choice": choice,
    "expr.collection": collection,
    "expr.generated": generated,
    "expr.function": function,
}
"""Main capture -> builder."""
