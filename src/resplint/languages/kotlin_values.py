"""How Kotlin spells its expressions: builders for the nodes that need more than their captures."""

from __future__ import annotations

import re

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import MAX_TEXT, brackets, function_type, named, text_record
from resplint.languages.kotlin_nodes import (
    TYPES,
    branches,
    child,
    children,
    delegations,
    identifier,
    is_jump,
    use_of,
    value_of,
)
from resplint.languages.lowering import MAX_ITEMS, Lowering, Parts

# -- calls, names and members ------------------------------------------------------------------------------------------


def arguments(low: Lowering, holder: Node | None, trailing: Node | None = None) -> tuple[facts.Argument, ...]:
    """Arguments in their order; a lambda behind the parentheses is the last one."""
    found = []
    for each in children(holder, "value_argument")[:MAX_ITEMS]:
        pieces = named(each)
        if not pieces:
            continue
        value = pieces[-1]
        name = identifier(low, pieces[0]) if child(each, "=") is not None and len(pieces) > 1 else ""
        spread = value.type == "spread_expression" or child(each, "*") is not None
        found.append(facts.Argument("*" if spread else name, low.expr(value)))
    if trailing is not None:
        found.append(facts.Argument("", low.expr(trailing)))
    return tuple(found)


def call(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A call; ``f(1) { }`` is one call with two arguments."""
    use = use_of(node)
    callee = low.expr(use.callee)
    given = arguments(low, use.arguments, use.trailing)
    return facts.Call(*low.where(node), callee, given, False, *brackets(use.arguments))


def new(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An object of a class without a name, or an annotation with its elements."""
    if node.type == "constructor_invocation":
        given = arguments(low, child(node, "value_arguments"))
        return facts.Call(*low.where(node), low.expr(child(node, *TYPES)), given)
    draft = low.functions.get(node.id)
    if draft is None or draft.index == NONE:
        return facts.Opaque(*low.where(node))
    made = low.add(facts.Function(*low.where(node), draft.index))
    base = next((each for each in delegations(node) if each.type == "constructor_invocation"), None)
    return facts.Call(*low.where(node), made, arguments(low, child(base, "value_arguments")))


def member(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`object.name` and `object?.name`; `Outer.Companion` is the class itself, whose members its own are."""
    pieces = named(node)
    if len(pieces) < 2:
        return facts.Opaque(*low.where(node))
    inner, text = low.expr(pieces[0]), identifier(low, pieces[-1])
    if text == "Companion":
        return facts.Choice(*low.where(node), (inner,))
    return facts.Member(*low.where(node), inner, text)


def reference(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`pool::getResource` names a member, `::connect` a function."""
    holder = child(node, *TYPES)
    name = identifier(low, node.children[-1])
    if holder is None:
        return facts.Name(*low.where(node), name)
    return facts.Member(*low.where(node), low.expr(holder), name)


def index(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`object[key]`."""
    pieces = named(node)
    if len(pieces) < 2:
        return facts.Opaque(*low.where(node))
    keys = tuple(low.expr(each) for each in pieces[1:])
    where = low.where(node)
    key = keys[0] if len(keys) == 1 else low.add(facts.Collection(*where, "tuple", keys))
    return facts.Index(*where, low.expr(pieces[0]), key)


_WORDS: dict[str, tuple[str, bool | None]] = {"true": ("bool", True), "false": ("bool", False), "null": ("none", None)}


def name(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A bare name, one of the words that the grammar takes for a name, or a declared type."""
    if node.type == "user_type":
        return _type(low, node)
    text = low.text(node)
    if text in _WORDS:
        return facts.Literal(*low.where(node), *_WORDS[text])
    if is_jump(low, node):
        return facts.Opaque(*low.where(node))
    return facts.Name(*low.where(node), text.strip("`"))


def _type(low: Lowering, node: Node) -> facts.Expr:
    """`a.b.Type<K, V>`: names, with the types in brackets as the key of an element."""
    found: facts.Expr | None = None
    for each in children(node, "identifier", "type_arguments"):
        start, end, block = node.start_byte, each.end_byte, low.where(node)[2]
        if each.type == "identifier":
            where, text = (start, end, block), identifier(low, each)
            found = facts.Member(*where, low.add(found), text) if found else facts.Name(*where, text)
        elif found is not None:
            keys = tuple(low.expr(given) for given in children(each, "type_projection")[:MAX_ITEMS])
            key = keys[0] if len(keys) == 1 else low.add(facts.Collection(*low.where(each), "tuple", keys))
            found = facts.Index(start, end, block, low.add(found), key)
    return found or facts.Opaque(*low.where(node))


def signature(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`(Jedis) -> Unit`: what its parameters are."""
    found = []
    for each in children(node, "function_type_parameters")[:1]:
        for given in each.named_children[:MAX_ITEMS]:
            found.append(low.expr(given.named_children[-1] if given.type == "parameter" else given))
    return function_type(low, node, found)


def this(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`this`, and `this@Outer` for the object around."""
    label = child(node, "identifier")
    return facts.Name(*low.where(node), f"this@{identifier(low, label)}" if label is not None else "this")


def super_(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`super`."""
    return facts.Name(*low.where(node), "super")


def function(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A lambda, or a function without a name."""
    draft = low.functions.get(node.id)
    if draft is None or draft.index == NONE:
        return facts.Opaque(*low.where(node))
    return facts.Function(*low.where(node), draft.index)


# -- literals ----------------------------------------------------------------------------------------------------------

_ESCAPES = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "'": "'", '"': '"', "\\": "\\", "$": "$"}
_NAME = rb"\$([A-Za-z_\x80-\xff][\w\x80-\xff]*|`[^`\r\n]+`)"
_PLAIN = re.compile(rb"\\u([0-9a-fA-F]{4})|\\(.)|" + _NAME.replace(b"(", b"(?P<name>", 1), re.DOTALL)
_RAW = re.compile(_NAME.replace(b"(", b"(?P<name>", 1))


def text(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A string or a character. The grammar misses holes such as ``$id``, so the text between ``${…}`` is read here."""
    raw = node.type == "multiline_string_literal"
    quotes = 3 if raw else 1
    at, end = node.start_byte + quotes, node.end_byte
    if end - at >= quotes and low.source[end - 1 : end] in (b'"', b"'"):
        end -= quotes
    if low.source[node.start_byte - 1 : node.start_byte] == b"$":  # $$"…": a hole takes as many signs
        content = low.source[at:end][:MAX_TEXT].decode("utf-8", "replace")
        return facts.Opaque(*low.where(node)) if "$$" in content else text_record(low, node, [content])
    pieces: list[str | int] = []
    for hole in children(node, "interpolation"):
        pieces.extend(_pieces(low, node, at, hole.start_byte, raw))
        inner = named(hole)
        pieces.append(low.expr(inner[0]) if inner else low.add(facts.Opaque(*low.where(hole))))
        at = hole.end_byte
    pieces.extend(_pieces(low, node, at, end, raw))
    return text_record(low, node, pieces)


def _pieces(low: Lowering, node: Node, start: int, end: int, raw: bool) -> list[str | int]:
    """Text and ``$name`` holes of a stretch of a string."""
    source = low.source[start : min(end, start + MAX_TEXT)]
    parts: list[str | int] = []
    last = 0
    for match in (_RAW if raw else _PLAIN).finditer(source):
        parts.append(source[last : match.start()].decode("utf-8", "replace"))
        last = match.end()
        hole = match["name"]
        if hole is not None:
            where = start + match.start() + 1, start + match.end(), low.where(node)[2]
            parts.append(low.add(facts.Name(*where, hole.decode("utf-8", "replace").strip("`"))))
        elif match[1] is not None:
            parts.append(chr(int(match[1], 16)))
        else:
            escaped = match[2].decode("utf-8", "replace")
            parts.append(_ESCAPES.get(escaped, escaped))
    parts.append(source[last:].decode("utf-8", "replace"))
    return parts


def integer(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An integer; one beyond 64 bits is kept as a float."""
    digits = low.text(node).replace("_", "").rstrip("lLuU")
    try:
        number = int(digits, {"0x": 16, "0b": 2}.get(digits[:2].lower(), 10))
    except ValueError:
        return facts.Opaque(*low.where(node))
    return facts.Literal(*low.where(node), "int", number if number < 2**63 else float("inf"))


def floating(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A floating-point number."""
    try:
        value = float(low.text(node).replace("_", "").rstrip("fF"))
    except ValueError:
        return facts.Opaque(*low.where(node))
    return facts.Literal(*low.where(node), "float", value)


# -- operators and collections -----------------------------------------------------------------------------------------

_OPERATORS = {"&&": "and", "||": "or", "!": "not", "===": "==", "!==": "!=", "!in": "not in"}
_INFIX = {"until", "downTo", "step", "rangeTo", "rangeUntil"}
_BITS = {"shl": "<<", "shr": ">>", "ushr": ">>", "xor": "^", "and": "and", "or": "or"}


def operation(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An operator with its operands."""
    if node.type == "binary_expression":
        return _binary(low, node)
    if node.type == "infix_expression":
        return _infix(low, node)
    pieces = named(node)
    operands = tuple(low.expr(each) for each in pieces)
    sign = next((each.type for each in node.children if not each.is_named), "")
    if node.type == "unary_expression" and sign in ("++", "--"):
        return facts.Choice(*low.where(node), operands)
    if node.type == "is_expression":
        test = facts.Operation(*low.where(node), "instanceof", operands)
        return facts.Operation(*low.where(node), "not", (low.add(test),)) if sign == "!is" else test
    return facts.Operation(*low.where(node), _OPERATORS.get(sign, sign), operands)


def _sign(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _binary(low: Lowering, node: Node) -> facts.Expr:
    """`a + b + c`, which the grammar nests to the left, becomes one record."""
    sign = _sign(node)
    operands: list[Node] = []
    left: Node | None = node
    while left is not None and left.type == node.type and _sign(left) == sign:
        right = left.child_by_field_name("right")
        operands.extend([right] if right is not None else [])
        left = left.child_by_field_name("left")
    operands.extend([left] if left is not None else [])
    operands.reverse()
    if sign == "?:":
        options = [each for each in operands if value_of(low, low.resolve(each)) is not None]
        return facts.Choice(*low.where(node), tuple(low.expr(each) for each in options[:MAX_ITEMS] or operands[:1]))
    operator = _OPERATORS.get(sign, sign)
    if operator in ("==", "!=") and any(low.text(each) == "null" for each in operands):
        operator = "is" if operator == "==" else "is not"
    return facts.Operation(*low.where(node), operator, tuple(low.expr(each) for each in operands[:MAX_ITEMS]))


def _infix(low: Lowering, node: Node) -> facts.Expr:
    """`key to value` is a pair, `0 until n` a range, and any other word the name of a method."""
    pieces = named(node)
    if len(pieces) != 3:
        return facts.Opaque(*low.where(node))
    where, word = low.where(node), identifier(low, pieces[1])
    left, right = low.expr(pieces[0]), low.expr(pieces[2])
    if word == "to":
        return facts.Collection(*where, "tuple", (left, right))
    if word in _INFIX or word in _BITS:
        return facts.Operation(*where, _BITS.get(word, word), (left, right))
    callee = facts.Member(pieces[0].start_byte, pieces[1].end_byte, where[2], left, word)
    return facts.Call(*where, low.add(callee), (facts.Argument("", right),))


def choice(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """The values of `if`, `when` and `try`; a branch in which control leaves has none."""
    condition: Node | None = None
    if node.type == "if_expression":
        ways_of = branches(node)
        condition, ways = ways_of.condition, [ways_of.then, ways_of.otherwise]
    elif node.type == "when_expression":
        entries = children(node, "when_entry")
        ways = [named(each)[-1] for each in entries if named(each)]
        if child(node, "when_subject") is None and entries:
            tests = entries[0].children_by_field_name("condition")
            condition = tests[0] if len(tests) == 1 else None
    else:
        blocks = [child(node, "block"), *(child(each, "block") for each in children(node, "catch_block"))]
        ways = list(blocks)
    values = [value_of(low, each) for each in ways[:MAX_ITEMS]]
    options = tuple(low.expr(each) for each in values if each is not None)
    if not options:
        return facts.Opaque(*low.where(node))
    whole = len(options) == len(ways) == 2
    return facts.Choice(*low.where(node), options, low.expr(condition) if whole else NONE)


def collection(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """The elements of an annotation's array."""
    items = tuple(low.expr(each) for each in named(node)[:MAX_ITEMS])
    return facts.Collection(*low.where(node), "list", items)


BUILDERS = {
    "expr.call": call,
    "expr.new": new,
    "expr.member": member,
    "expr.reference": reference,
    "expr.index": index,
    "expr.signature": signature,
    "expr.name": name,
    "expr.this": this,
    "expr.super": super_,
    "expr.text": text,
    "expr.integer": integer,
    "expr.float": floating,
    "expr.operation": operation,
    "expr.choice": choice,
    "expr.collection": collection,
    "expr.function": function,
}
