"""How JavaScript and TypeScript spell their expressions: builders for the nodes that need more than their captures."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import MAX_TEXT, brackets, false, function_type, literal, named, none, text_record, true
from resplint.languages.javascript_names import exported_name, module_text, required_name, string_text, unescape
from resplint.languages.javascript_properties import define
from resplint.languages.lowering import MAX_ITEMS, Lowering, Parts, name

_WORDS: Final = {"&&": "and", "||": "or", "!": "not", "===": "==", "!==": "!="}
"""Operators that facts spell as a word, as other languages do."""
_TESTS: Final = {"==": "is", "!=": "is not"}
_TYPES_BETWEEN: Final = {"union_type": "|", "intersection_type": "&"}
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_LEGACY_OCTAL: Final = re.compile(r"0[0-7]+")


# -- calls and members -----------------------------------------------------------------------------------------------


def call(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A call, an object made by ``new``, or a template with a tag, which is called with it."""
    target = parts["callee"][0]
    callee = low.expr(target)
    if target.type == "super":
        callee = low.add(facts.Member(*low.where(target), callee, "constructor"))
    given: tuple[facts.Argument, ...] = ()
    last = closing = NONE
    if "arguments" in parts:
        holder = parts["arguments"][0]
        if holder.type == "arguments":
            arguments = named(holder)[:MAX_ITEMS]
            given = tuple([_argument(low, child) for child in arguments])
            last, closing = brackets(holder)
            define(low, target, arguments)
        else:
            given = (_argument(low, holder),)
    start, end, block = low.where(node)
    # The grammar reads ``await read<Order>(id)`` as if it were ``(await read)<Order>(id)``.
    awaited = node.id in low.awaited or target.type == "await_expression"
    return facts.Call(start, end, block, callee, given, awaited, last, closing)


def _argument(low: Lowering, node: Node) -> facts.Argument:
    if node.type == "spread_element":
        return facts.Argument("*", low.expr(_unspread(node)))
    return facts.Argument("", low.expr(node))


def _unspread(node: Node) -> Node:
    children = named(node) if node.type == "spread_element" else ()
    return children[0] if children else node


def member(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`object.name`; of a private name what follows its mark."""
    if low.exported and (exported := _exported(low, node)):
        return facts.Name(*low.where(node), exported)
    name = low.text(parts["name"][0]).removeprefix("#")
    start, end, block = low.where(node)
    return facts.Member(start, end, block, low.expr(parts["object"][0]), name)


def index(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`object[key]`, and generic types: ``Map<string, Redis>``; with a name in quotes it is `object.name`."""
    where = low.where(node)
    if low.exported and (exported := _exported(low, node)):
        return facts.Name(*where, exported)
    key = parts["key"][0]
    if node.type == "array_type":
        return facts.Index(*where, low.add(facts.Name(*where, "Array")), low.expr(key))
    if key.type == "string" and _NAME.fullmatch(written := string_text(low, key)):
        return facts.Member(*where, low.expr(parts["object"][0]), written)
    types = named(key) if key.type == "type_arguments" else ()
    return facts.Index(*where, low.expr(parts["object"][0]), low.expr(types[0] if len(types) == 1 else key))


def required(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`require("x")` where it is not bound to a name: the name that its import has."""
    return facts.Name(*low.where(node), required_name(module_text(low, parts["module"][0])))


def required_choice(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`require(test ? "x" : "y")`: one of the names that the imports have."""
    where = low.where(node)
    names = [low.add(facts.Name(*where, required_name(module_text(low, one)))) for one in parts["module"]]
    return facts.Choice(*where, tuple(names))


def _exported(low: Lowering, node: Node) -> str:
    """What the module hands out as `module.exports.x`, where the module itself reads it; "" for anything else."""
    if not low.source.startswith((b"module", b"exports"), node.start_byte):
        return ""
    found = exported_name(low, node)
    return found if found in low.exported else ""


# -- literals ----------------------------------------------------------------------------------------------------------


def text(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A string, or a template with its holes."""
    if node.type == "string":
        return literal(low, node, string_text(low, node))
    pieces: list[str | int] = []
    start = node.start_byte + 1
    for child in node.named_children:
        if child.type == "template_substitution":
            inner = named(child)
            pieces += [_piece(low, start, child.start_byte), low.expr(inner[0] if inner else child)]
            start = child.end_byte
    pieces.append(_piece(low, start, node.end_byte - 1))
    return text_record(low, node, [piece for piece in pieces if piece != ""])


def _piece(low: Lowering, start: int, end: int) -> str:
    return unescape(low.source[start : min(end, start + MAX_TEXT)].decode("utf-8", "replace"))


def number(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A number; integral ones are integers. One beyond 64 bits is kept as a float."""
    where, written = low.where(node), low.text(node).replace("_", "").lower()
    try:
        if written[:2] in ("0x", "0o", "0b"):
            value: int | float = int(written.rstrip("n"), 0)
        elif _LEGACY_OCTAL.fullmatch(written):
            value = int(written, 8)
        elif written.rstrip("n").isdigit():
            value = int(written.rstrip("n"))
        else:
            value = float(written)
    except ValueError:
        return facts.Opaque(*where)
    if isinstance(value, float) and not value.is_integer():
        return facts.Literal(*where, "float", value)
    return facts.Literal(*where, "int", int(value) if abs(value) < 2**63 else float("inf"))


# -- operators ---------------------------------------------------------------------------------------------------------


def assigned(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An assignment has the value that is assigned."""
    where = low.where(node)
    if node.type == "assignment_expression":
        return facts.Choice(*where, (low.expr(parts["value"][0]),))
    operator = _operator(low, node).removesuffix("=")
    old = low.expr(parts["target"][0])
    new = low.expr(parts["value"][0]) if "value" in parts else low.add(facts.Literal(*where, "int", 1))
    if operator == "??":
        return facts.Choice(*where, (old, new))
    operator = {"++": "+", "--": "-"}.get(operator, operator)
    return facts.Operation(*where, _WORDS.get(operator, operator), (old, new))


def _operator(low: Lowering, node: Node) -> str:
    token = node.child_by_field_name("operator")
    return low.text(token) if token is not None else _TYPES_BETWEEN.get(node.type, "")


def operands(low: Lowering, node: Node, operator: str) -> list[Node]:
    """What stands between the links of `a + b + c`, which the grammar nests to the left: `operator` is its own."""
    found: list[Node] = []
    kind = node.kind_id
    left: Node | None = node
    while left is not None:
        children = named(left)
        if len(children) != 2:
            found += reversed(children)
            break
        left, right = children
        found.append(right)
        if left.kind_id != kind or _operator(low, left) != operator:
            found.append(left)
            break
    return found[::-1]


def operation(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An operator; a chain of the same one is one record."""
    where = low.where(node)
    operator = _operator(low, node)
    if node.type == "unary_expression":
        argument = node.child_by_field_name("argument")
        if operator == "void":
            return facts.Literal(*where, "none", None)
        return facts.Operation(*where, _WORDS.get(operator, operator), (low.expr(argument),))
    sides = operands(low, node, operator)
    indices = tuple([low.expr(side) for side in sides[:MAX_ITEMS]])
    if operator == "??":
        return facts.Choice(*where, indices)
    operator = _WORDS.get(operator, operator)
    if operator in _TESTS and any(low.resolve(side).type in ("null", "undefined") for side in sides):
        operator = _TESTS[operator]
    return facts.Operation(*where, operator, indices)


def choice(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`condition ? a : b`: either of the two values."""
    options = [node.child_by_field_name(name) for name in ("consequence", "alternative")]
    condition = low.expr(node.child_by_field_name("condition"))
    return facts.Choice(*low.where(node), tuple(low.expr(option) for option in options if option), condition)


def guard(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """The condition under which ``x ??= y`` assigns, or the right side of ``x || y`` is evaluated."""
    where = low.where(node)
    operator = low.text(node).removesuffix("=")
    left = low.expr(parts["target"][0])
    if operator == "&&":
        return facts.Choice(*where, (left,))
    if operator == "||":
        return facts.Operation(*where, "not", (left,))
    return facts.Operation(*where, "is", (left, low.add(facts.Literal(*where, "none", None))))


# -- collections and functions -----------------------------------------------------------------------------------------


def collection(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An object or array written out, or the types between the brackets of a generic one."""
    children = named(node)[:MAX_ITEMS]
    if node.type != "object":
        kind = "list" if node.type == "array" else "tuple"
        found = tuple(low.expr(_unspread(child)) for child in children)
        spreads = any(child.type == "spread_element" for child in children)
        return facts.Collection(*low.where(node), kind, found, (), False, *brackets(node), spreads)
    keys, items = [], []
    for child in children:
        kind = child.type
        if kind == "method_definition" and any(part.type == "set" for part in child.children[:2]):
            continue
        key = child.child_by_field_name("key") or child.child_by_field_name("name")
        if kind == "spread_element":
            keys.append(NONE)
            items.append(low.expr(_unspread(child)))
        elif key is None:  # shorthand
            keys.append(low.add(facts.Literal(*low.where(child), "str", low.text(child))))
            items.append(low.add(facts.Name(*low.where(child), low.text(child))))
        else:
            keys.append(_key(low, key))
            items.append(low.expr(child.child_by_field_name("value") or child))
    return facts.Collection(*low.where(node), "map", tuple(items), tuple(keys), False, *brackets(node))


def signature(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`(client: Redis) => void`: what its parameters are."""
    found = []
    parameters = node.child_by_field_name("parameters")
    for each in parameters.named_children[:MAX_ITEMS] if parameters is not None else ():
        declared = each.child_by_field_name("type")
        found.append(low.expr(declared) if declared is not None else low.add(facts.Opaque(*low.where(each))))
    return function_type(low, node, found)


def _key(low: Lowering, node: Node) -> int:
    if node.type == "computed_property_name":
        children = named(node)
        return low.expr(children[0] if children else node)
    written = string_text(low, node) if node.type == "string" else low.text(node).removeprefix("#")
    return low.add(facts.Literal(*low.where(node), "str", written))


def function(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A function or class written in place."""
    return facts.Function(*low.where(node), low.functions[node.id].index)


BUILDERS = {
    "expr.call": call,
    "expr.new": call,
    "expr.member": member,
    "expr.index": index,
    "expr.signature": signature,
    "expr.name": name,
    "expr.this": name,
    "expr.super": name,
    "expr.assigned": assigned,
    "expr.text": text,
    "expr.integer": number,
    "expr.true": true,
    "expr.false": false,
    "expr.none": none,
    "expr.operation": operation,
    "expr.choice": choice,
    "expr.collection": collection,
    "expr.function": function,
    "import.call": required,
    "import.choice": required_choice,
    "block.if": guard,
}
"""Main capture -> builder; the last two are what the adapter makes of calls, members and operators itself."""
