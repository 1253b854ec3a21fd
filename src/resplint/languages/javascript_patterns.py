"""Patterns that take a value apart: ``const { a: { b }, c = 1, ...rest } = value``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from tree_sitter import Node

from resplint.languages.common import named
from resplint.languages.javascript_names import property_name
from resplint.languages.lowering import Lowering

Path = tuple[int | str, ...]

_MAX_PATH: Final = 8
_NAMES: Final = frozenset(
    {
        "identifier", "type_identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern",
        "undefined",
    }
)  # fmt: skip
_WHOLE: Final = _NAMES | {"member_expression", "subscript_expression"}
"""What gets a value as a whole."""


class Target(msgspec.Struct, frozen=True):
    """A name, member or element in a pattern, which part of the value it gets, and what it gets when there is none."""

    node: Node
    path: Path
    default: Node | None = None
    is_rest: bool = False


def is_name(node: Node) -> bool:
    """Whether a target is a bare name."""
    return node.type in _NAMES


def targets(low: Lowering, pattern: Node) -> Iterator[Target]:
    """Everything that a pattern gives a value to; a name alone is a pattern, too."""
    first = low.resolve(pattern)
    if first.type in _WHOLE:
        yield Target(first, ())
        return
    pending = [Target(first, ())]
    while pending:
        target = pending.pop()
        node = low.resolve(target.node)
        if node.type in _WHOLE:
            yield Target(node, target.path, target.default, target.is_rest)
        elif len(target.path) < _MAX_PATH:
            pending.extend(_inside(low, node, target))


def _inside(low: Lowering, node: Node, target: Target) -> Iterator[Target]:
    path = target.path
    if node.type in ("assignment_pattern", "object_assignment_pattern", "assignment_expression"):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is not None:
            own = (low.text(left),) if node.type == "object_assignment_pattern" and is_name(left) else ()
            yield Target(left, (*path, *own), right, target.is_rest)
    elif node.type in ("rest_pattern", "spread_element"):
        children = named(node)
        if children:
            yield Target(children[0], path, None, True)
    elif node.type in ("array_pattern", "array"):
        yield from _elements(node, target)
    elif node.type in ("object_pattern", "object"):
        for child in named(node):
            yield from _property(low, child, target)


def _elements(node: Node, target: Target) -> Iterator[Target]:
    position = 0
    for child in node.children:
        if child.type == ",":
            position += 1
        elif child.is_named and child.type not in ("comment", "ERROR"):
            yield Target(child, (*target.path, position), None, target.is_rest)


def _property(low: Lowering, node: Node, target: Target) -> Iterator[Target]:
    path = target.path
    if node.type in ("pair_pattern", "pair"):
        key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
        name = property_name(low, key) if key is not None else None
        if value is not None:
            # What stands under a computed name is not known.
            yield Target(value, (*path, name) if name is not None else path, None, target.is_rest or name is None)
    elif is_name(node):
        yield Target(node, (*path, low.text(node)), None, target.is_rest)
    else:
        yield Target(node, path, None, target.is_rest)
