"""``Object.defineProperty(target, "name", { value })``: members that are written with what describes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import named
from resplint.languages.javascript_names import property_name
from resplint.languages.lowering import MAX_ITEMS, Lowering

_ONE: Final = frozenset({"Object.defineProperty", "Reflect.defineProperty"})
_MANY: Final = "Object.defineProperties"
_LONGEST: Final = 40


def define(low: Lowering, callee: Node, arguments: list[Node]) -> None:
    """Record the writes that a call is, if it defines properties: of a value, or of what a getter gives."""
    if len(arguments) < 2 or callee.type != "member_expression" or callee.end_byte - callee.start_byte > _LONGEST:
        return
    called = low.text(callee)
    if called in _ONE and len(arguments) > 2:
        name = property_name(low, arguments[1]) if arguments[1].type == "string" else None
        _write(low, arguments[0], name, arguments[2])
    elif called == _MANY and arguments[1].type == "object":
        for name, descriptor in _entries(low, arguments[1]):
            _write(low, arguments[0], name, descriptor)


def _write(low: Lowering, target: Node, name: str | None, descriptor: Node) -> None:
    value = _described(low, descriptor) if name else NONE
    if value != NONE and name:
        member = low.add(facts.Member(*low.where(target), low.expr(target), name))
        low.writes.append(facts.Write(member, value, low.where(target)[2], "assign"))


def _described(low: Lowering, descriptor: Node) -> int:
    """What a property has that is described as ``{ value: one }`` or ``{ get: function }``; NONE for anything else."""
    for key, value in _entries(low, descriptor) if descriptor.type == "object" else ():
        if key == "value":
            return low.expr(value)
        if key == "get":
            return low.add(facts.Call(*low.where(value), low.expr(value), ()))
    return NONE


def _entries(low: Lowering, node: Node) -> Iterator[tuple[str, Node]]:
    for child in named(node)[:MAX_ITEMS]:
        key = child.child_by_field_name("key") or child.child_by_field_name("name")
        name = property_name(low, key) if key is not None else None
        if name:
            yield name, child.child_by_field_name("value") or child
