"""Java: scopes, members that are not written out, imports."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import comments, named, record_import, span
from resplint.languages.java_bindings import assignments, declarations
from resplint.languages.java_blocks import Blocks, leave
from resplint.languages.java_nodes import component, components, declare, decorators, is_private, is_static, parameters
from resplint.languages.java_values import (
    BUILDERS,
    alias_constructors,
    arguments,
    array_of,
    class_body,
    declared_type,
    written,
)
from resplint.languages.lowering import Lowering
from resplint.languages.regions import RegionDraft, ScopeDraft

_CONSTRUCTORS = ("constructor_declaration", "compact_constructor_declaration", "block")
_BASES = ("superclass", "super_interfaces", "extends_interfaces")

LISTED = frozenset(
    {"expr.call", "expr.choice", "expr.new", "expr.function", "expr.reference", "expr.assigned", "expr.yield"}
)
LEAVES = frozenset({"expr.name", "expr.integer", "expr.float", "expr.true", "expr.false", "expr.none"})


def lower(low: Lowering) -> None:
    """Fill `low` from the matches it has read."""
    alias_constructors(low)
    members = _Members()
    definitions = [*_classes(low, members), *_functions(low, members)]
    blocks = Blocks()
    blocks.declare(low)
    low.regions.close()
    _scopes(low, definitions)
    declarations(low)
    blocks.finish(low)
    members.fill(low)
    assignments(low)
    leave(low)
    _imports(low)
    comments(low)
    for entry in low.each("expr.new"):
        low.expr(entry.node)


# -- regions --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Definition:
    """A scope in the making, and the nodes that its signature is read from."""

    draft: ScopeDraft
    kind: Literal["class", "method", "constructor", "lambda", "accessor"]
    node: Node
    parameters: Node | None = None
    returns: Node | None = None
    bases: tuple[Node, ...] = ()
    base_name: str = ""


def _declared(
    low: Lowering, definition: _Definition, intervals: list[tuple[int, int]], key: Node | None = None
) -> _Definition:
    start = definition.node.start_byte
    low.functions[(key or definition.node).id] = definition.draft
    low.regions.add(RegionDraft("body", intervals, start, start, definition.draft))
    return definition


def _classes(low: Lowering, members: _Members) -> Iterator[_Definition]:
    for entry in low.each("scope.class"):
        node, body = entry.node, entry.parts["body"][0]
        draft = ScopeDraft("class", low.text(entry.parts["name"][0]), *span(node))
        intervals = [span(body)]
        if node.type == "record_declaration":
            intervals.insert(0, span(entry.parts["parameters"][0]))
        yield _declared(low, _Definition(draft, "class", node, bases=_bases(node)), intervals)
        if node.type == "record_declaration":
            yield from _record(low, members, _Record(entry.parts["parameters"][0], body, draft))
        elif node.type == "enum_declaration":
            for constant in body.named_children:
                if constant.type == "enum_constant":
                    members.constants.append((constant, draft))
                    if (inner := class_body(constant)) is not None:
                        anonymous = ScopeDraft("class", "", *span(inner))
                        found = _Definition(anonymous, "class", inner, base_name=draft.name)
                        yield _declared(low, found, [span(inner)])
    for entry in low.each("expr.new"):
        if (inner := class_body(entry.node)) is not None:
            anonymous = ScopeDraft("class", "", *span(inner))
            found = _Definition(anonymous, "class", inner, bases=(entry.parts["callee"][0],))
            yield _declared(low, found, [span(inner)])


def _bases(node: Node) -> tuple[Node, ...]:
    found: list[Node] = []
    for child in node.named_children:
        if child.type in _BASES:
            for each in named(child):
                found.extend(named(each) if each.type == "type_list" else [each])
    return tuple(found)


def _functions(low: Lowering, members: _Members) -> Iterator[_Definition]:
    for entry in low.each("scope.function"):
        node, parts = entry.node, entry.parts
        is_constructor = node.type in _CONSTRUCTORS
        name = "constructor" if is_constructor else low.text(parts["name"][0])
        draft = ScopeDraft("function", name, *span(node))
        holder = parts["parameters"][0] if "parameters" in parts else members.parameters.get(node.id)
        returns = parts["returns"][0] if "returns" in parts else None
        body = parts["body"][0] if "body" in parts else node if node.type == "block" else node.children[-1]
        kind: Literal["constructor", "method"] = "constructor" if is_constructor else "method"
        yield _declared(low, _Definition(draft, kind, node, holder, returns), [span(body)])
    for entry in low.each("expr.function"):
        draft = ScopeDraft("function", "", *span(entry.node))
        found = _Definition(draft, "lambda", entry.node, entry.parts["parameters"][0])
        yield _declared(low, found, [span(entry.parts["body"][0])])


# -- scopes ---------------------------------------------------------------------------------------------------------


def _scopes(low: Lowering, definitions: list[_Definition]) -> None:
    by_scope = {each.draft.index: each for each in definitions}
    for region in low.regions.drafts:
        scope = region.scope
        if scope is None:
            continue
        parent = low.regions.drafts[region.parent].scope_index if region.parent != NONE else NONE
        found = by_scope.get(scope.index)
        in_class = parent != NONE and low.scopes[parent].kind == "class"
        signature = _signature(low, found, in_class=in_class) if found else {}
        low.scopes[scope.index] = facts.Scope(
            scope.kind, scope.name, parent, region.index, region.parent, scope.start, scope.end, **signature
        )


def _signature(low: Lowering, found: _Definition, *, in_class: bool) -> dict[str, Any]:
    node = found.node
    if found.kind == "lambda":
        return {"parameters": parameters(low, found.parameters) if found.parameters else ()}
    marks = decorators(low, node)
    if found.kind == "class":
        bases = tuple(low.expr(base) for base in found.bases)
        if found.base_name:
            bases = (low.add(facts.Name(*low.where(node), found.base_name)),)
        if node.type == "enum_declaration":
            bases = (*bases, low.add(facts.Name(*low.where(node), "Enum")))  # which no code writes
        return {"decorators": marks, "bases": bases, "receiver": "this", "is_open": True}
    signature: dict[str, Any] = {"decorators": marks if found.kind != "accessor" else ()}
    if found.parameters is not None:
        signature["parameters"] = parameters(low, found.parameters)
    if found.returns is not None:
        signature["returns"] = declared_type(low, found.returns, node)
    if found.kind == "constructor":
        return {**signature, "belongs": "object", "receiver": "this", "is_constructor": True}
    if in_class:
        static = found.kind == "method" and is_static(node)
        signature |= {"belongs": "class" if static else "object", "receiver": "" if static else "this"}
        signature["is_private"] = found.kind == "method" and is_private(node)
    return signature


# -- members that are not written out ---------------------------------------------------------------------------------


@dataclass(slots=True)
class _Record:
    """The components between the parentheses of a record, its body, and its scope."""

    holder: Node
    body: Node
    draft: ScopeDraft
    constructor: Node | None = None
    """Where the constructor stands that sets all fields without saying so."""


class _Members:
    """Fields that stand for the constants of enums and for the components of records."""

    def __init__(self) -> None:
        self.constants: list[tuple[Node, ScopeDraft]] = []
        self.records: list[_Record] = []
        self.parameters: dict[int, Node] = {}
        """Node id of a record's constructor without parentheses -> its parameters."""
        self.accessors: list[tuple[Node, ScopeDraft]] = []

    def fill(self, low: Lowering) -> None:
        """Bind the fields, and what records do with them."""
        for constant, draft in self.constants:
            self._constant(low, constant, draft)
        for record in self.records:
            self._record(low, record)
        for name, draft in self.accessors:
            if draft.index != NONE:
                value = _own_member(low, name, low.text(name), name.start_byte)
                block = low.regions.block_at(name.start_byte)
                low.jumps.append(facts.Jump("return", value, block, name.start_byte))

    def _constant(self, low: Lowering, constant: Node, draft: ScopeDraft) -> None:
        """A constant is an object that its enum makes."""
        where = low.where(constant)
        body, holder = class_body(constant), constant.child_by_field_name("arguments")
        callee = written(low, body) if body else low.add(facts.Name(*where, draft.name))
        value = low.add(facts.Call(*where, callee, arguments(low, holder) if holder else ()))
        name = constant.child_by_field_name("name")
        declare(low, name, constant.start_byte, value, marks=decorators(low, constant), belongs="class")

    def _record(self, low: Lowering, record: _Record) -> None:
        for child in components(record.holder):
            name, declared = component(child)
            if name is None:
                continue
            annotation = declared_type(low, declared, child)
            if child.type == "spread_parameter":
                annotation = array_of(low, child, annotation)
            declare(low, name, record.body.start_byte, NONE, "assign", annotation, decorators(low, child))
            if record.constructor is not None:
                at = record.constructor.start_byte
                block = low.regions.block_at(at)
                value = low.add(facts.Name(*span(name), block, low.text(name)))
                target = _own_member(low, name, low.text(name), at)
                low.writes.append(facts.Write(target, value, block, "assign"))


def _own_member(low: Lowering, node: Node, name: str, at: int) -> int:
    """`this.name` as it would stand at an offset."""
    where = (*span(node), low.regions.block_at(at))
    return low.add(facts.Member(*where, low.add(facts.Name(*where, "this")), name))


def _record(low: Lowering, members: _Members, record: _Record) -> Iterator[_Definition]:
    """A record has a constructor and accessors that nobody writes out; the names of its components stand for them."""
    found = components(record.holder)
    written_out: set[str] = set()
    explicit = False
    for child in record.body.named_children:
        name, holder = child.child_by_field_name("name"), child.child_by_field_name("parameters")
        if child.type == "method_declaration" and name is not None and holder is not None and not components(holder):
            written_out.add(low.text(name))
        elif child.type == "compact_constructor_declaration":
            members.parameters[child.id] = record.holder
            record.constructor = child.child_by_field_name("body")
        elif child.type == "constructor_declaration" and holder is not None:
            explicit = explicit or len(components(holder)) == len(found)
    if record.constructor is None and not explicit:
        record.constructor = opening = record.holder.children[0]
        draft = ScopeDraft("function", "constructor", *span(record.holder))
        yield _declared(low, _Definition(draft, "constructor", opening, record.holder), [span(opening)])
    members.records.append(record)
    for child in found:
        name, declared = component(child)
        if name is not None and low.text(name) not in written_out:
            draft = ScopeDraft("function", low.text(name), *span(name))
            members.accessors.append((name, draft))
            returns = declared if child.type == "formal_parameter" else None
            yield _declared(low, _Definition(draft, "accessor", name, returns=returns), [span(name)])


# -- imports ----------------------------------------------------------------------------------------------------------


def _imports(low: Lowering) -> None:
    for entry in low.each("package")[:1]:
        low.package = _dotted(low, entry.parts["name"][0])
    for entry in low.each("import.names"):
        parts = named(entry.node)
        if not parts:
            continue
        dotted = _dotted(low, parts[0])
        if parts[-1].type == "asterisk":
            record_import(low, entry.node, dotted, "*", "*")
        else:
            module, _, name = dotted.rpartition(".")
            record_import(low, entry.node, module, name, name)


def _dotted(low: Lowering, node: Node) -> str:
    return "".join(low.text(node).split())


__all__ = ["BUILDERS", "lower"]
