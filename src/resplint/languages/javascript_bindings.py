"""JavaScript and TypeScript: which names, members and fields get which value."""

from __future__ import annotations

from dataclasses import dataclass, field

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import casts, named, span
from resplint.languages.javascript_blocks import LOGICAL
from resplint.languages.javascript_modules import Modules
from resplint.languages.javascript_names import exported_name, property_name
from resplint.languages.javascript_patterns import Path, Target, is_name, targets
from resplint.languages.javascript_prototypes import Prototypes
from resplint.languages.javascript_scopes import Definition, Definitions, Parameter, marks_of
from resplint.languages.lowering import Entry, Lowering


@dataclass
class Bindings:
    """Writes the bindings of one file.

    A declaration belongs to its function; an assignment to the nearest function around it that declares the name, or to
    the module.
    """

    low: Lowering
    modules: Modules
    prototypes: Prototypes
    _declared: set[tuple[int, str]] = field(default_factory=set)
    _values: dict[int, Node] = field(default_factory=dict)

    def record(self, definitions: Definitions) -> None:
        """Record what is declared, then what is assigned."""
        low = self.low
        for number, scope in low.scopes.items():
            self._declared.update((number, parameter.name) for parameter in scope.parameters)
            if scope.parent != NONE and scope.name:
                self._declared.add((scope.parent, scope.name))
        for definition in definitions.values():
            self._parameters(definition)
        for entry in low.each("bind.local"):
            if entry.node.id not in definitions:  # `type Limits = { … }` has members of its own
                self._local(entry)
        self._caught_and_iterated()
        for entry in low.each("bind.field"):
            if entry.node.id not in definitions:  # `connect: () => Promise<Redis>` of an interface is a method
                self._field(entry)
        casts(low)
        self._members_of_enums()
        self._members_of_prototypes()
        self._aliases()
        self._declared.update((item.scope, item.alias) for item in low.imports)
        for entry in low.each("block.for"):
            if entry.node.child_by_field_name("kind") is None:
                self._iterated(entry)
        entries = low.each("expr.assigned")
        for entry in reversed(entries):  # the inner ones of `a = b = value` first
            if "value" in entry.parts:
                self._value(entry.parts["value"][0])
        for entry in entries:
            if entry.node.id not in self.prototypes.absorbed:
                self._assigned(entry)

    # -- names and members ---------------------------------------------------------------------------------------------

    def _scope_at(self, offset: int) -> int:
        return self.low.regions.drafts[self.low.regions.block_at(offset)].scope_index

    def _owner(self, scope: int, name: str) -> int:
        scopes = self.low.scopes
        while scope > 0 and ((scope, name) not in self._declared or scopes[scope].kind == "class"):
            scope = scopes[scope].parent
        return max(scope, 0)

    def _declare(
        self, node: Node, scope: int, at: int, value: int, kind: facts.BindingKind = "assign", path: Path = (),
        annotation: int = NONE,
    ) -> None:  # fmt: skip
        """A name of a scope gets a value, in the block that stands at `at`."""
        name = self.low.text(node)
        self._declared.add((scope, name))
        block = self.low.regions.block_at(at)
        binding = facts.Binding(name, scope, block, value, kind, node.start_byte, node.end_byte, path, "", annotation)
        self.low.bindings.append(binding)

    def _assign(
        self, node: Node, at: int, value: int, kind: facts.BindingKind = "assign", path: Path = (), operator: str = ""
    ) -> None:
        """A name that is declared elsewhere, a member or an element gets a value."""
        low = self.low
        node = low.resolve(node)
        block = low.regions.block_at(at)
        exported = exported_name(low, node)
        if exported:
            if node.type != "identifier":  # a mere `exports = …` hands out nothing
                low.bindings.append(facts.Binding(exported, 0, block, value, kind, *span(node), path, operator))
        elif is_name(node):
            name = low.text(node)
            scope = self._owner(low.regions.drafts[block].scope_index, name)
            low.bindings.append(facts.Binding(name, scope, block, value, kind, *span(node), path, operator))
        elif node.type in ("member_expression", "subscript_expression"):
            low.writes.append(facts.Write(low.expr(node), value, block, kind, path, operator))

    # -- declarations --------------------------------------------------------------------------------------------------

    def _parameters(self, definition: Definition) -> None:
        for item in definition.parameters:
            if item.is_taken_apart:
                self._taken_apart(item)
            if item.makes_field and definition.is_constructor:
                self._field_of_parameter(definition, item)

    def _taken_apart(self, item: Parameter) -> None:
        low = self.low
        at = item.target.start_byte
        value = low.add(facts.Name(*low.where(item.target), item.name(low)))
        types = _types_of(low, item.annotation)
        for target in targets(low, item.target):
            if is_name(target.node):
                annotation = low.expr(types.get(target.path))
                self._one(target, self._scope_at(at), at, value, annotation=annotation)

    def _one(self, target: Target, scope: int, at: int, value: int, annotation: int = NONE) -> None:
        """One name of a pattern, and once more for its default."""
        if target.is_rest:
            self._declare(target.node, scope, at, NONE)
            return
        self._declare(target.node, scope, at, value, path=target.path, annotation=annotation)
        if target.default is not None:
            self._declare(target.node, scope, target.default.start_byte, self.low.expr(target.default))

    def _field_of_parameter(self, definition: Definition, item: Parameter) -> None:
        """``constructor(private readonly client: Redis)`` declares a field and sets it."""
        low = self.low
        name, start, end = low.text(item.target), *span(item.target)
        scope = low.scopes[definition.draft.index]
        this = low.add(facts.Name(start, end, scope.block, "this"))
        target = low.add(facts.Member(start, end, scope.block, this, name))
        given = low.add(facts.Name(start, end, scope.block, name))
        low.writes.append(facts.Write(target, given, scope.block, "assign"))
        annotation = low.expr(item.annotation)
        low.bindings.append(
            facts.Binding(
                name, scope.parent, scope.defined_in, NONE, "assign", start, end, annotation=annotation,
                decorators=marks_of(low, item.decorators),
            )
        )  # fmt: skip

    def _local(self, entry: Entry) -> None:
        low, node, parts = self.low, entry.node, entry.parts
        target, at = parts["target"][0], entry.node.start_byte
        scope = self._scope_at(at)
        value = self._value(parts["value"][0]) if "value" in parts else None
        if value is not None and self.modules.bind(target, value, scope):
            return
        kind = node.child_by_field_name("type")
        annotation = low.expr(kind)
        if value is not None:
            given = low.expr(value)
        else:  # a declared name without a value is undefined until it gets one
            given = low.add(facts.Literal(*low.where(target), "none", None)) if kind is None else NONE
        if is_name(target):
            self._declare(target, scope, at, given, annotation=annotation)
            return
        types = _types_of(low, kind)
        for each in targets(low, target):
            if is_name(each.node):
                self._one(each, scope, at, given, annotation=low.expr(types.get(each.path)))

    def _caught_and_iterated(self) -> None:
        for entry in self.low.each("block.except"):
            parameter = entry.node.child_by_field_name("parameter")
            at = entry.parts["body"][0].start_byte
            if parameter is not None:
                for target in targets(self.low, parameter):
                    self._declare(target.node, self._scope_at(at), at, NONE, "except")
        for entry in self.low.each("block.for"):
            if entry.node.child_by_field_name("kind") is not None:
                self._iterated(entry)

    def _iterated(self, entry: Entry) -> None:
        low, parts = self.low, entry.parts
        head, at = low.expr(parts["head"][0]), parts["body"][0].start_byte
        declares = entry.node.child_by_field_name("kind") is not None
        for target in targets(low, parts["target"][0]):
            value = NONE if target.is_rest else head
            if declares:
                self._declare(target.node, self._scope_at(at), at, value, "for", target.path)
            else:
                self._assign(target.node, at, value, "for", target.path)

    def _field(self, entry: Entry) -> None:
        low, node, parts = self.low, entry.node, entry.parts
        name = property_name(low, parts["target"][0])
        block = low.regions.block_at(node.start_byte)
        scope = low.regions.drafts[block].scope_index
        if name is None or low.scopes[scope].kind != "class":
            return
        value = low.expr(parts["value"][0]) if "value" in parts else NONE
        annotation = low.expr(node.child_by_field_name("type"))
        decorators = marks_of(low, (child for child in node.named_children if child.type == "decorator"))
        where = span(parts["target"][0])
        static = any(child.type == "static" for child in node.children)
        belongs: facts.Belonging = "class" if static else "object"
        low.bindings.append(
            facts.Binding(name, scope, block, value, "assign", *where, (), "", annotation, decorators, belongs)
        )

    def _members_of_enums(self) -> None:
        low = self.low
        bodies = [entry.parts["body"][0] for entry in low.each("scope.class")]
        for body in bodies:
            for child in named(body) if body.type == "enum_body" else ():
                key = child.child_by_field_name("name") or child
                name = property_name(low, key)
                if name is not None:
                    block = low.regions.block_at(child.start_byte)
                    scope = low.regions.drafts[block].scope_index
                    value = low.expr(child.child_by_field_name("value"))
                    low.bindings.append(facts.Binding(name, scope, block, value, "assign", *span(key)))

    def _members_of_prototypes(self) -> None:
        for member in self.prototypes.members:
            scope, block = member.owner.draft.index, self.low.regions.block_at(member.at.start_byte)
            value = self.low.expr(self._value(member.value))
            where = span(member.at)
            self.low.bindings.append(facts.Binding(member.name, scope, block, value, "assign", *where))

    def _aliases(self) -> None:
        for entry in self.low.each("bind.other"):
            children = named(entry.node)
            if len(children) == 2:
                at = entry.node.start_byte
                self._declare(children[0], self._scope_at(at), at, self.low.expr(children[1]))

    # -- assignments ---------------------------------------------------------------------------------------------------

    def _assigned(self, entry: Entry) -> None:
        low, node, parts = self.low, entry.node, entry.parts
        target, at = parts["target"][0], node.start_byte
        if "value" not in parts:  # x++
            token = node.child_by_field_name("operator")
            operator = "-=" if token is not None and token.type == "--" else "+="
            self._assign(target, at, low.add(facts.Literal(*low.where(node), "int", 1)), "augment", (), operator)
            return
        value = self._value(parts["value"][0])
        if node.type == "augmented_assignment_expression":
            token = node.child_by_field_name("operator")
            operator = token.type if token is not None else ""
            if operator in LOGICAL:
                self._assign(target, parts["value"][0].start_byte, low.expr(value))
            else:
                self._assign(target, at, low.expr(value), "augment", (), operator)
            return
        if self._imported(target, value, at):
            return
        given = low.expr(value)
        for each in targets(low, target):
            self._assign(each.node, at, NONE if each.is_rest else given, "assign", each.path)
            if each.default is not None and not each.is_rest:
                self._assign(each.node, each.default.start_byte, low.expr(each.default))

    def _imported(self, target: Node, value: Node, at: int) -> bool:
        """``client = require("redis")``, with a name that is declared before."""
        if not is_name(target):
            return False
        scope = self._owner(self._scope_at(at), self.low.text(target))
        return self.modules.bind(target, value, scope)

    def _value(self, value: Node) -> Node:
        """The value behind `a = b = value`; each link remembers it, so that long chains are walked once."""
        links = []
        value = self.low.resolve(value)
        while value.type == "assignment_expression" and value.id not in self._values:
            right = value.child_by_field_name("right")
            if right is None:
                break
            links.append(value.id)
            value = self.low.resolve(right)
        value = self._values.get(value.id, value)
        self._values.update(dict.fromkeys(links, value))
        return value


def _types_of(low: Lowering, annotation: Node | None) -> dict[Path, Node]:
    """Path -> type, of an object type that is written out beside the pattern: ``({ client }: { client: Redis })``."""
    found: dict[Path, Node] = {}
    kind = low.resolve(annotation) if annotation is not None else None
    for child in named(kind) if kind is not None and kind.type == "object_type" else ():
        key, type_ = child.child_by_field_name("name"), child.child_by_field_name("type")
        name = property_name(low, key) if key is not None and child.type == "property_signature" else None
        if name is not None and type_ is not None:
            found[(name,)] = type_
    return found
