"""JavaScript and TypeScript: functions and classes, their parameters and their decorators."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE, ScopeKind
from resplint.languages.common import named, span
from resplint.languages.javascript_names import property_name
from resplint.languages.lowering import Entry, Lowering
from resplint.languages.regions import RegionDraft, ScopeDraft

PATTERNS: Final = ("object_pattern", "array_pattern")
_CLASSES: Final = (
    "class", "class_declaration", "abstract_class_declaration", "interface_declaration", "enum_declaration",
    "type_alias_declaration",
)  # fmt: skip
_MARKS: Final = ("decorator", "accessibility_modifier", "override_modifier", "comment")
_FIELD_MARKS: Final = ("accessibility_modifier", "override_modifier", "readonly")

_ANY_MEMBER: Final = "[]"
"""What an interface is given a method of this name for: ``[id: string]: Order``."""


class Parameter(msgspec.Struct, frozen=True):
    """One parameter as it is written. `makes_field` is set for those of a constructor that also declare a field."""

    position: int
    target: Node
    kind: str = ""
    annotation: Node | None = None
    default: Node | None = None
    decorators: tuple[Node, ...] = ()
    makes_field: bool = False

    @property
    def is_taken_apart(self) -> bool:
        """Whether it is a pattern with names in it, not a name."""
        return self.target.type in PATTERNS

    def name(self, low: Lowering) -> str:
        """Its name; that of a pattern is its position."""
        return f"#{self.position}" if self.is_taken_apart else low.text(self.target)


@dataclass(slots=True)
class Definition:
    """A function or class."""

    node: Node
    kind: ScopeKind
    name: str
    draft: ScopeDraft
    is_method: bool = False
    modifiers: frozenset[str] = frozenset()
    parameters: list[Parameter] = field(default_factory=list)
    decorators: list[Node] = field(default_factory=list)
    bases: list[Node] = field(default_factory=list)
    region: RegionDraft | None = None

    @property
    def is_constructor(self) -> bool:
        """Whether it runs when an object is made."""
        return self.is_method and self.name == "constructor" and "static" not in self.modifiers


Definitions = dict[int, Definition]
"""Node id of a definition -> what is known of it."""


def declare(low: Lowering) -> Definitions:
    """Declare the regions of all functions and classes."""
    found: Definitions = {}
    marks = _decorators(low)
    defaults = _default_exports(low)
    for main in ("scope.class", "scope.function", "expr.function"):
        for entry in low.each(main):
            definition = _definition(low, entry, marks, defaults)
            found[entry.node.id] = definition
            low.functions[entry.node.id] = definition.draft
            definition.region = low.regions.add(_region(definition, entry.parts.get("body")))
    return found


def _region(definition: Definition, bodies: list[Node] | None) -> RegionDraft:
    """Where the code of a definition stands: its body, and what is evaluated when it is called without arguments."""
    node = definition.node
    intervals = [span(bodies[0]) if bodies else (node.end_byte - 1, node.end_byte)]
    for item in definition.parameters:
        if item.is_taken_apart:
            intervals.append(span(item.target))
        if item.default is not None:
            intervals.append(span(item.default))
    return RegionDraft("body", sorted(intervals), node.start_byte, node.start_byte, definition.draft)


def _definition(low: Lowering, entry: Entry, marks: dict[int, list[Node]], defaults: set[int]) -> Definition:
    node = entry.node
    is_class = node.type in _CLASSES
    kind: ScopeKind = "class" if is_class else "function"
    modifiers = frozenset() if is_class else _modifiers(node)
    own = node.child_by_field_name("name")
    name = ""
    if node.type == "index_signature":
        name = _ANY_MEMBER
    elif entry.main == "scope.function" and own is not None:
        name = property_name(low, own) or ""
        name = f"set {name}" if "set" in modifiers else name
    elif own is not None and node.type != "method_definition":
        name = low.text(own)
    elif node.id in defaults:
        name = "default"
    draft = ScopeDraft(kind, name, node.start_byte, node.end_byte, "async" in modifiers)
    is_method = entry.main == "scope.function" and node.type.startswith(("method", "abstract", "property"))
    decorators = [child for child in node.named_children if child.type == "decorator"]
    decorators = [*marks.get(node.id, ()), *decorators]
    parameters = [] if is_class else parameters_of(_typed(node))
    bases = _bases(node) if is_class else []
    return Definition(node, kind, name, draft, is_method, modifiers, parameters, decorators, bases)


def _typed(node: Node) -> Node:
    """What has the parameters and the result of a function: of a member of an interface its type."""
    annotation = node.child_by_field_name("type") if node.type == "property_signature" else None
    return annotation.named_children[0] if annotation is not None else node


def _modifiers(node: Node) -> frozenset[str]:
    """Words and signs before the name of a function."""
    found = set()
    for child in node.children:
        if child.is_named and child.type not in _MARKS:
            break
        found.update(child.type.split())  # "static get" can be one token
    if node.type.startswith("generator"):
        found.add("*")
    return frozenset(found)


def _decorators(low: Lowering) -> dict[int, list[Node]]:
    """Node id -> the decorators in front of it that are not its own children."""
    table: dict[int, list[Node]] = {}
    if b"@" not in low.source:
        return table
    holders = [entry.parts["body"][0] for main in ("scope.class", "expr.function") for entry in low.each(main)]
    holders = [body for body in holders if body.type == "class_body"]
    for holder in (*holders, *(entry.node for entry in low.each("export"))):
        pending: list[Node] = []
        for child in named(holder):
            if child.type == "decorator":
                pending.append(child)
            elif pending:
                table[child.id] = pending
                pending = []
    return table


def _default_exports(low: Lowering) -> set[int]:
    """Ids of the nodes that ``export default`` hands out as they stand."""
    values = (entry.node.child_by_field_name("value") for entry in low.each("export"))
    return {low.resolve(value).id for value in values if value is not None}


def _bases(node: Node) -> list[Node]:
    found: list[Node] = []
    for child in node.named_children:
        if child.type == "extends_type_clause":  # of an interface
            found += child.children_by_field_name("type")
        elif child.type == "class_heritage":
            for part in named(child):
                if part.type == "extends_clause":
                    found += part.children_by_field_name("value")
                elif part.type == "implements_clause":
                    found += named(part)
                else:
                    found.append(part)
    return found


# -- parameters --------------------------------------------------------------------------------------------------------


def parameters_of(function: Node) -> list[Parameter]:
    """The parameters of a function; TypeScript's declaration of ``this`` is none."""
    holder = function.child_by_field_name("parameters")
    if holder is None:
        single = function.child_by_field_name("parameter")
        return [] if single is None else [Parameter(0, single)]
    found: list[Parameter] = []
    for child in named(holder):
        item = _parameter(child, len(found))
        if item is not None:
            found.append(item)
    return found


def _parameter(node: Node, position: int) -> Parameter | None:
    target: Node | None = node
    annotation = default = None
    decorators: tuple[Node, ...] = ()
    makes_field = False
    if node.type in ("required_parameter", "optional_parameter"):
        target, annotation = node.child_by_field_name("pattern"), node.child_by_field_name("type")
        default = node.child_by_field_name("value")
        decorators = tuple(child for child in node.named_children if child.type == "decorator")
        makes_field = any(child.type in _FIELD_MARKS for child in node.children)
    elif node.type == "assignment_pattern":
        target, default = node.child_by_field_name("left"), node.child_by_field_name("right")
    if target is None or target.type in ("this", "decorator"):
        return None
    kind = ""
    if target.type == "rest_pattern":
        kind, inner = "*", named(target)
        target = inner[0] if inner else target
    return Parameter(position, target, kind, annotation, default, decorators, makes_field)


# -- records -----------------------------------------------------------------------------------------------------------


def record(low: Lowering, definitions: Definitions) -> None:
    """Fill the table of scopes."""
    by_index = {definition.draft.index: definition for definition in definitions.values()}
    for draft in low.regions.drafts:
        scope = draft.scope
        if scope is None:
            continue
        outer = low.regions.drafts[draft.parent] if draft.parent != NONE else None
        definition = by_index.get(scope.index)
        low.scopes[scope.index] = facts.Scope(
            scope.kind, scope.name, outer.scope_index if outer else NONE, draft.index, draft.parent, scope.start,
            scope.end, **_signature(low, definition) if definition else {}, is_async=scope.is_async,
        )  # fmt: skip


def _signature(low: Lowering, definition: Definition) -> dict[str, Any]:
    signature: dict[str, Any] = {"decorators": marks_of(low, definition.decorators)}
    if definition.kind == "class":
        bases = tuple(low.expr(base) for base in definition.bases)
        if definition.node.type == "enum_declaration":
            bases = (low.add(facts.Name(*low.where(definition.node), "Enum")),)
        return {**signature, "bases": bases, "receiver": "this"}
    node, modifiers = definition.node, definition.modifiers
    returns = _typed(node).child_by_field_name("return_type")
    if returns is not None and (returns.type == "type_annotation" or node.type == "property_signature"):
        signature["returns"] = low.expr(returns)
    if definition.is_method:
        signature["belongs"] = "class" if "static" in modifiers else "object"
    if node.type != "arrow_function" and "static" not in modifiers:
        signature["receiver"] = "this"
    return {
        **signature,
        "parameters": tuple(_parameter_record(low, item) for item in definition.parameters),
        "is_generator": "*" in modifiers,
        "is_constructor": definition.is_constructor,
        "is_accessor": "get" in modifiers,
    }


def _parameter_record(low: Lowering, item: Parameter) -> facts.Parameter:
    annotation, default = low.expr(item.annotation), low.expr(item.default)
    return facts.Parameter(item.name(low), annotation, default, item.kind, marks_of(low, item.decorators))


def marks_of(low: Lowering, decorators: Iterable[Node]) -> tuple[int, ...]:
    """The expressions behind the signs of decorators."""
    inner = (named(decorator) for decorator in decorators)
    return tuple(low.expr(children[0]) for children in inner if children)
