"""Classes of the time before ``class``: a function that makes objects, and what is put on its prototype.

``function Store(client) { … }`` with ``Store.prototype.get = function (key) { … }`` becomes what the same class written
with ``class`` would be. Its region consists of the function and of the methods, wherever they stand.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from tree_sitter import Node

from resplint.languages.common import named, span
from resplint.languages.javascript_names import property_name
from resplint.languages.javascript_scopes import Definition, Definitions
from resplint.languages.lowering import Entry, Lowering
from resplint.languages.regions import RegionDraft, Regions, ScopeDraft

_FUNCTIONS: Final = ("function_expression", "generator_function", "arrow_function")
_MAX_TARGET: Final = 200
_MAX_LINKS: Final = 20


@dataclass(frozen=True, slots=True)
class Member:
    """What stands on a prototype under a name and is no method of its own."""

    owner: Definition
    name: str
    at: Node
    value: Node


@dataclass
class Prototypes:
    """Classes of this kind in one file."""

    low: Lowering
    definitions: Definitions
    members: list[Member] = field(default_factory=list)
    absorbed: set[int] = field(default_factory=set)
    """Assignments that define members, and so are no writes."""
    _containers: Regions | None = None
    _candidates: dict[tuple[int, str], Definition] = field(default_factory=dict)
    _claimed: set[int] = field(default_factory=set)

    def find(self) -> None:
        """Turn functions into classes."""
        low = self.low
        if b"prototype" not in low.source and b"inherits" not in low.source:
            return
        self._containers = Regions(len(low.source))
        for definition in self.definitions.values():
            if definition.kind == "function":
                start = definition.node.start_byte
                body = definition.node.child_by_field_name("body")
                if body is not None:
                    self._containers.add(RegionDraft("body", [span(body)], start, start))
        self._containers.close()
        for definition in self.definitions.values():
            if definition.node.type in ("function_declaration", "class_declaration"):
                self._offer(definition.name, definition)
        for entry in low.each("bind.local"):
            value = low.resolve(entry.parts["value"][0]) if "value" in entry.parts else None
            if value is not None and value.type == "function_expression":
                self._offer(low.text(entry.parts["target"][0]), self.definitions.get(value.id))
        for entry in low.each("expr.call"):
            self._inherits(entry)
        for entry in low.each("expr.assigned"):
            self._assigned(entry)

    def _offer(self, name: str, definition: Definition | None) -> None:
        if definition is not None:
            self._candidates[self._container(definition.node), name] = definition

    def _container(self, node: Node) -> int:
        assert self._containers is not None
        return self._containers.block_at(node.start_byte)

    def _class(self, name: str, at: Node) -> Definition | None:
        """The class of a name; the function of that name becomes its constructor when this is asked first."""
        key = (self._container(at), name)
        definition = self._candidates.get(key)
        if definition is None or definition.kind == "class":
            return definition
        low, node = self.low, definition.node
        scope = ScopeDraft("class", name, *span(node))
        owner = Definition(node, "class", name, scope)
        owner.region = low.regions.add(RegionDraft("body", [span(node)], node.start_byte, node.start_byte, scope))
        definition.name = definition.draft.name = "constructor"
        definition.is_method = True
        low.functions[node.id] = scope
        self.definitions[-node.id - 1] = owner  # beside that of its constructor, which has the node's own id
        self._candidates[key] = owner
        return owner

    # -- what makes a class ----------------------------------------------------------------------------------------

    def _inherits(self, entry: Entry) -> None:
        """``util.inherits(Store, EventEmitter)``"""
        callee = entry.parts["callee"][0]
        if not self.low.source.endswith(b"inherits", callee.start_byte, callee.end_byte):
            return
        arguments = named(entry.parts["arguments"][0])
        if len(arguments) == 2 and arguments[0].type == "identifier":
            owner = self._class(self.low.text(arguments[0]), entry.node)
            if owner is not None:
                owner.bases.append(arguments[1])

    def _assigned(self, entry: Entry) -> None:
        target = entry.parts["target"][0]
        text = self.low.source[target.start_byte : min(target.end_byte, target.start_byte + _MAX_TARGET)]
        if target.type != "member_expression" or b"prototype" not in text or "value" not in entry.parts:
            return
        whole, inner = _prototype(self.low, target), target.child_by_field_name("object")
        if whole is not None:
            owner = self._class(whole, entry.node)
            if owner is not None:
                self._prototype(owner, entry)
            return
        part = _prototype(self.low, inner) if inner is not None else None
        owner = self._class(part, entry.node) if part is not None else None
        key = target.child_by_field_name("property")
        if owner is not None and key is not None:
            self.absorbed.add(entry.node.id)
            value, name = _last(entry.parts["value"][0]), self.low.text(key)
            if name == "__proto__":
                self._base(owner, value)
            elif name != "constructor":  # which leads back to the class itself
                self._member(owner, key, name, value)

    def _prototype(self, owner: Definition, entry: Entry) -> None:
        """``Store.prototype = { … }`` has members, ``Object.create(Base.prototype)`` and ``new Base()`` a base."""
        value = self.low.resolve(entry.parts["value"][0])
        if value.type == "object":
            self.absorbed.add(entry.node.id)
            for child in named(value):
                key = child.child_by_field_name("key") or child.child_by_field_name("name")
                name = property_name(self.low, key) if key is not None else None
                if key is not None and name is not None:
                    self._member(owner, key, name, child.child_by_field_name("value") or child)
        elif value.type == "new_expression":
            base = value.child_by_field_name("constructor")
            if base is not None:
                owner.bases.append(base)
        elif value.type == "call_expression":
            arguments = value.child_by_field_name("arguments")
            if arguments is not None and named(arguments):
                self._base(owner, named(arguments)[0])

    def _base(self, owner: Definition, prototype: Node) -> None:
        base = prototype.child_by_field_name("object")
        if base is not None and _prototype(self.low, prototype) is not None:
            owner.bases.append(base)

    def _member(self, owner: Definition, at: Node, name: str, value: Node) -> None:
        value = self.low.resolve(value)
        method = self.definitions.get(value.id)
        if method is None or method.node.type not in (*_FUNCTIONS, "method_definition") or value.id in self._claimed:
            self.members.append(Member(owner, name, at, value))
            return
        self._claimed.add(value.id)
        method.name = method.draft.name = name
        method.is_method = True
        if owner.region is not None:
            owner.region.intervals.append(span(value))


def _prototype(low: Lowering, node: Node) -> str | None:
    """`Store` for ``Store.prototype``."""
    if node.type != "member_expression":
        return None
    inner, key = node.child_by_field_name("object"), node.child_by_field_name("property")
    if inner is None or key is None or inner.type != "identifier" or low.text(key) != "prototype":
        return None
    return low.text(inner)


def _last(value: Node) -> Node:
    """The value behind further assignments."""
    for _ in range(_MAX_LINKS):
        right = value.child_by_field_name("right") if value.type == "assignment_expression" else None
        if right is None:
            break
        value = right
    return value
