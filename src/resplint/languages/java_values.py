"""How Java spells its expressions: builders for the nodes that need more than their captures."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import MAX_TEXT, NO_CODE, brackets, false, literal, named, none, text_record, true
from resplint.languages.lowering import MAX_ITEMS, Lowering, Parts, name

_ANNOTATIONS: Final = ("annotation", "marker_annotation")
_OPERATORS: Final = {"&&": "and", "||": "or", "!": "not"}
_NULL_TESTS: Final = {"==": "is", "!=": "is not"}


# -- calls and members -----------------------------------------------------------------------------------------------


def call(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A call of a method, of another constructor, or of an annotation."""
    if node.type == "method_invocation":
        callee = _method(low, node, parts)
    elif node.type == "explicit_constructor_invocation":
        target = parts["callee"][0]
        callee = low.add(facts.Member(*low.where(target), low.expr(target), "constructor"))
    else:
        callee = low.expr(parts["callee"][0])
    holder = parts["arguments"][0]
    given, (last, closing) = arguments(low, holder), brackets(holder)
    start, end, block = low.where(node)
    return facts.Call(start, end, block, callee, given, False, last, closing)


def _method(low: Lowering, node: Node, parts: Parts) -> int:
    """What is called: a bare name, or a member of what stands before it. No node stands for the latter."""
    name = parts["callee"][0]
    owner = node.child_by_field_name("object")
    if owner is None:
        return low.expr(name)
    owner = _super_of(node, owner, name) or owner
    start, _, block = low.where(owner)
    return low.add(facts.Member(start, name.end_byte, block, low.expr(owner), low.text(name)))


def _super_of(node: Node, owner: Node, name: Node) -> Node | None:
    """The `super` of ``Outer.super.name``, where there is room for it."""
    if name.start_byte - owner.end_byte < len(".super."):
        return None
    return next((child for child in node.named_children[1:3] if child.type == "super"), None)


def arguments(low: Lowering, holder: Node) -> tuple[facts.Argument, ...]:
    """The arguments of a call; only those of annotations have names."""
    found: list[facts.Argument] = []
    for child in holder.named_children:
        kind = child.type
        if kind in NO_CODE:
            continue
        if len(found) == MAX_ITEMS:
            break
        if kind == "element_value_pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            found.append(facts.Argument(low.text(key) if key else "", low.expr(value)))
        else:
            found.append(facts.Argument("", low.expr(child)))
    return tuple(found)


def new(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`new X(a)`; with a body, an object of the class that is written there."""
    body = class_body(node)
    callee = written(low, body) if body else low.expr(plain_type(parts["callee"][0]))
    holder = parts["arguments"][0]
    return facts.Call(*low.where(node), callee, arguments(low, holder), False, *brackets(holder))


def class_body(node: Node) -> Node | None:
    """The body of an anonymous class or of an enum's constant."""
    last = node.children[-1] if node.child_count else None
    return last if last is not None and last.type == "class_body" else None


def written(low: Lowering, body: Node) -> int:
    """The expression that stands for an anonymous class."""
    scope = low.functions[body.id].index
    return low.add(facts.Function(*low.where(body), scope) if scope != NONE else facts.Opaque(*low.where(body)))


def plain_type(node: Node) -> Node:
    """A type without its arguments: `List` of ``List<String>``."""
    while node.type in ("generic_type", "annotated_type"):
        parts = [child for child in named(node) if child.type not in _ANNOTATIONS]
        if not parts:
            return node
        node = parts[0]
    return node


def member(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`object.name`, `Outer.Inner`, `X.class`, and `Outer.this`."""
    names = [child for child in named(node) if child.type not in _ANNOTATIONS]
    if not names:
        return facts.Opaque(*low.where(node))
    if node.type == "class_literal":
        return facts.Member(*low.where(node), low.expr(names[0]), "class")
    owner, name = names[0], names[-1]
    owner = _super_of(node, owner, name) or owner
    if name.type == "this":
        return facts.Name(*low.where(node), f"this@{low.text(owner)}")
    start, end, block = low.where(node)
    return facts.Member(start, end, block, low.expr(owner), low.text(name))


def reference(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`pool::getResource`. What `Pool::new` stands for is an alias, see `alias_constructors`."""
    names = [child for child in named(node) if child.type != "type_arguments"]
    if len(names) < 2:
        return facts.Opaque(*low.where(node))
    return facts.Member(*low.where(node), low.expr(names[0]), low.text(names[-1]))


def alias_constructors(low: Lowering) -> None:
    """`Pool::new` stands for the class itself."""
    for entry in low.each("expr.reference"):
        children = entry.node.children
        if children and children[-1].type == "new":
            low.aliases[entry.node.id] = plain_type(children[0])


def index(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`object[key]`, `List<String>` and `String[]`."""
    if node.type == "array_type":
        element, dimensions = node.child_by_field_name("element"), node.child_by_field_name("dimensions")
        inner = array_of(low, node, low.expr(element), _depth(dimensions) - 1)
        return facts.Index(*low.where(node), _array(low, node), inner)
    if node.type == "generic_type":
        base, *rest = named(node)
        types = named(rest[-1]) if rest else []
        key = low.expr(types[0] if len(types) == 1 else rest[-1] if rest else None)
        return facts.Index(*low.where(node), low.expr(base), key)
    return facts.Index(*low.where(node), low.expr(parts["object"][0]), low.expr(parts["key"][0]))


def _array(low: Lowering, node: Node) -> int:
    return low.add(facts.Name(*low.where(node), "Array"))


def array_of(low: Lowering, node: Node, element: int, dimensions: int = 1) -> int:
    """The type of arrays of `element`."""
    for _ in range(min(dimensions, 8)):
        element = low.add(facts.Index(*low.where(node), _array(low, node), element))
    return element


def _depth(dimensions: Node | None) -> int:
    return sum(child.type == "[" for child in dimensions.children) if dimensions else 1


def declared_type(low: Lowering, node: Node | None, holder: Node | None = None) -> int:
    """A declared type; NONE for `var`. `holder` is the declarator, which may have dimensions: ``String names[]``."""
    if node is None or (node.type == "type_identifier" and low.text(node) == "var"):
        return NONE
    dimensions = holder.child_by_field_name("dimensions") if holder else None
    found = low.expr(node)
    return array_of(low, node, found, _depth(dimensions)) if dimensions else found


def assigned(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`target = value` has the value's value."""
    return facts.Choice(*low.where(node), (low.expr(parts["value"][0]),))


def function(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A lambda."""
    scope = low.functions[node.id].index
    where = low.where(node)
    return facts.Function(*where, scope) if scope != NONE else facts.Opaque(*where)


# -- literals ----------------------------------------------------------------------------------------------------------

_ESCAPE = re.compile(r"\\(?:u+([0-9a-fA-F]{4})|([0-3]?[0-7]{1,2})|(\r?\n)|(.))", re.DOTALL)
_LETTERS: Final = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "s": " "}


def _unescape(raw: str) -> str:
    if "\\" not in raw:
        return raw
    text = _ESCAPE.sub(_escaped, raw)
    if not any("\ud800" <= char <= "\udfff" for char in text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")  # halves of pairs


def _escaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    if match[2]:
        return chr(int(match[2], 8))
    if match[3]:  # the end of a line in a text block
        return ""
    return _LETTERS.get(match[4], match[4])


def text(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A string, a text block or a character; with holes (``STR."\\{x}"``) it is a template."""
    raw = low.source[node.start_byte : min(node.end_byte, node.start_byte + MAX_TEXT)].decode("utf-8", "replace")
    quotes = 3 if raw.startswith('"""') and len(raw) >= 6 else 1
    holes = []
    if low.source.find(b"\\{", node.start_byte, node.end_byte) >= 0:
        holes = [child for child in node.named_children if child.type == "string_interpolation"]
    if holes:
        return text_record(low, node, _holed(low, node, holes, quotes))
    end = len(raw) - quotes if raw.endswith(raw[:quotes]) else len(raw)
    content = _outdented(raw[quotes:end]) if quotes == 3 else raw[quotes:end]
    return literal(low, node, _unescape(content))


def _holed(low: Lowering, node: Node, holes: list[Node], quotes: int) -> list[str | int]:
    parts: list[str | int] = []
    at = node.start_byte + quotes
    for hole in holes[:MAX_ITEMS]:
        parts.append(_unescape(low.source[at : hole.start_byte].decode("utf-8", "replace")))
        parts.append(low.expr(next(iter(named(hole)), None)))
        at = hole.end_byte
    parts.append(_unescape(low.source[at : max(at, node.end_byte - quotes)].decode("utf-8", "replace")))
    return [part for part in parts if part != NONE]


def _outdented(content: str) -> str:
    """A text block without the indentation that its lines have in common; its last line counts even when blank."""
    _, _, content = content.partition("\n")
    lines = content.split("\n")
    margins = [len(line) - len(line.lstrip()) for line in lines[:-1] if line.strip()]
    margin = min([*margins, len(lines[-1]) - len(lines[-1].lstrip())])
    return "\n".join(line[margin:].rstrip() for line in lines)


def integer(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An integer; one beyond 64 bits is kept as a float."""
    digits = low.text(node).replace("_", "").rstrip("lL")
    octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    try:
        number = int(digits, 8) if octal else int(digits, 0)
    except ValueError:
        return facts.Opaque(*low.where(node))
    return facts.Literal(*low.where(node), "int", number if number < 2**63 else float("inf"))


def floating(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """A floating-point number."""
    digits = low.text(node).replace("_", "")
    try:
        value = float.fromhex(digits.rstrip("fFdD")) if "p" in digits.lower() else float(digits.rstrip("fFdD"))
    except (ValueError, OverflowError):
        return facts.Opaque(*low.where(node))
    return facts.Literal(*low.where(node), "float", value)


# -- operators and collections --------------------------------------------------------------------------------------


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator else ""


def operation(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """An operator; `a + b + c`, which the grammar nests to the left, becomes one record."""
    operator, kind = _operator(node), node.type
    if kind == "unary_expression":
        operand = low.expr(node.child_by_field_name("operand"))
        return facts.Operation(*low.where(node), _OPERATORS.get(operator, operator), (operand,))
    if kind == "instanceof_expression":
        sides = [node.child_by_field_name(field) for field in ("left", "right")]
        operands = [low.expr(side) for side in sides if side]
        return facts.Operation(*low.where(node), "instanceof", tuple(operands))
    nodes: list[Node] = []
    left: Node | None = node
    while left is not None:
        right = left.child_by_field_name("right")
        if right is not None:
            nodes.append(right)
        left = left.child_by_field_name("left")
        if left is not None and (left.type != kind or _operator(left) != operator):
            break
    if left is not None:
        nodes.append(left)
    nodes.reverse()
    nulls = [low.resolve(each).type == "null_literal" for each in nodes] if operator in _NULL_TESTS else []
    if any(nulls):  # `null == x` asks the same as `x == null`
        operator = _NULL_TESTS[operator]
        nodes = nodes[::-1] if nulls[0] else nodes
    indices = tuple(low.expr(each) for each in nodes[:MAX_ITEMS])
    return facts.Operation(*low.where(node), _OPERATORS.get(operator, operator), indices)


def choice(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """`condition ? a : b`, and the values of a switch, those of its `yield`s included (see `java_blocks.leave`)."""
    if node.type == "switch_expression":
        body = node.child_by_field_name("body")
        results = _results(body) if body else []
        results.extend(parts.get("value", ()))
        options = tuple(low.expr(result) for result in results[:MAX_ITEMS])
        return facts.Choice(*low.where(node), options) if options else facts.Opaque(*low.where(node))
    options = tuple(low.expr(node.child_by_field_name(field)) for field in ("consequence", "alternative"))
    return facts.Choice(*low.where(node), options, low.expr(node.child_by_field_name("condition")))


def _results(body: Node) -> list[Node]:
    """Values of the branches of a switch that are one expression."""
    found = []
    for rule in body.named_children:
        last = rule.named_children[-1] if rule.type == "switch_rule" and rule.named_children else None
        if last is not None and last.type == "expression_statement":
            found.extend(named(last)[:1])
    return found


def collection(low: Lowering, node: Node, parts: Parts) -> facts.Expr:
    """The elements of an array, or types side by side."""
    kind = "tuple" if node.type in ("type_arguments", "catch_type") else "list"
    items = tuple(low.expr(child) for child in named(node)[:MAX_ITEMS])
    return facts.Collection(*low.where(node), kind, items, (), False, *brackets(node))


BUILDERS = {
    "expr.call": call,
    "expr.new": new,
    "expr.member": member,
    "expr.reference": reference,
    "expr.index": index,
    "expr.name": name,
    "expr.this": name,
    "expr.super": name,
    "expr.assigned": assigned,
    "expr.text": text,
    "expr.integer": integer,
    "expr.float": floating,
    "expr.true": true,
    "expr.false": false,
    "expr.none": none,
    "expr.operation": operation,
    "expr.choice": choice,
    "expr.collection": collection,
    "expr.function": function,
}
"""Main capture -> builder."""
