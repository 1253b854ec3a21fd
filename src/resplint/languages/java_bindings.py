"""Java: names and members that get a value.

Code says `pool = x` for a local name and for a field alike. What the file declares tells them apart; a name that it
does not declare is a field that a base class has.
"""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import casts, span
from resplint.languages.java_blocks import declare_pattern
from resplint.languages.java_nodes import declare, decorators, is_static
from resplint.languages.java_values import declared_type
from resplint.languages.lowering import BindingDraft, Lowering


def declarations(low: Lowering) -> None:
    """Fields, local names, resources, and names that patterns bind."""
    for main in ("bind.field", "bind.local"):
        for entry in low.each(main):
            marks = decorators(low, entry.node)
            belongs: facts.Belonging = ""
            if main == "bind.field":  # those of interfaces are static without saying so
                static = entry.node.type == "constant_declaration" or is_static(entry.node)
                belongs = "class" if static else "object"
            for declarator in entry.node.children_by_field_name("declarator"):
                annotation = declared_type(low, entry.parts["annotation"][0], declarator)
                value = low.expr(declarator.child_by_field_name("value"))
                name = declarator.child_by_field_name("name")
                declare(low, name, declarator.start_byte, value, "assign", annotation, marks, belongs)
    for entry in low.each("bind.with"):
        parts, at = entry.parts, entry.node.start_byte
        value = low.expr(parts["value"][0])
        if "target" in parts:
            annotation = declared_type(low, parts["annotation"][0], entry.node)
            declare(low, parts["target"][0], at, value, "with", annotation)
        else:
            low.bind(BindingDraft("", at, value, "with", *span(entry.node)))
    for entry in low.each("bind.assign"):
        parts = entry.parts
        annotation = declared_type(low, parts["annotation"][0])
        value = low.expr(parts["value"][0])
        declare(low, parts["target"][0], entry.node.start_byte, value, "assign", annotation)
    casts(low)
    for entry in low.each("bind.other"):
        declare_pattern(low, entry.parts["target"][0], entry.node.start_byte, NONE)


def assignments(low: Lowering) -> None:
    """Assignments, once all declarations are known."""
    owners = _Owners(low)
    last: dict[int, Node] = {}
    for entry in reversed(low.each("expr.assigned")):  # the inner ones of `a = b = value` first
        value = _assigned(entry.parts["value"][0], last)
        _assign(low, owners, entry.parts["target"][0], low.expr(value), "")
    for entry in low.each("bind.augment"):
        node, parts = entry.node, entry.parts
        target = low.resolve(parts["target"][0])
        if "operator" in parts:
            _assign(low, owners, target, low.expr(parts["value"][0]), low.text(parts["operator"][0]))
        else:
            step = low.add(facts.Literal(*low.where(node), "int", 1))
            down = any(child.type == "--" for child in node.children)
            _assign(low, owners, target, step, "-=" if down else "+=")


def _assigned(value: Node, last: dict[int, Node]) -> Node:
    """The value behind `a = b = value`; `last` remembers it for each link, so that long chains are walked once."""
    links = []
    while value.type == "assignment_expression" and value.id not in last:
        operator, right = value.child_by_field_name("operator"), value.child_by_field_name("right")
        if right is None or operator is None or operator.type != "=":
            break
        links.append(value.id)
        value = right
    value = last.get(value.id, value)
    last.update(dict.fromkeys(links, value))
    return value


def _assign(low: Lowering, owners: _Owners, target: Node, value: int, operator: str) -> None:
    start, end, block = low.where(target)
    kind: facts.BindingKind = "augment" if operator else "assign"
    if target.type in ("field_access", "array_access"):
        low.writes.append(facts.Write(low.expr(target), value, block, kind, (), operator))
    if target.type != "identifier" or start == end:
        return
    name = low.text(target)
    scope = low.regions.drafts[block].scope_index
    owner, through = owners.of(scope, name)
    if through:
        holder = low.add(facts.Name(start, end, block, through))
        member = low.add(facts.Member(start, end, block, holder, name))
        low.writes.append(facts.Write(member, value, block, kind, (), operator))
        return
    if owner != scope:
        low.outer_names[scope, name] = owner
    draft = BindingDraft(name, start, value, kind, start, end)
    draft.operator = operator
    low.bind(draft)


@dataclass
class _Owners:
    """To whom the bare names of a file belong."""

    low: Lowering

    def __post_init__(self) -> None:
        self._declared = {(binding.scope, binding.name) for binding in self.low.bindings}
        for number, scope in self.low.scopes.items():
            self._declared.update((number, parameter.name) for parameter in scope.parameters)
        self._known: dict[tuple[int, str], tuple[int, str]] = {}

    def of(self, scope: int, name: str) -> tuple[int, str]:
        """The scope that declares a name, and, for a member, the name through which code in `scope` reaches it."""
        key = (scope, name)
        if key not in self._known:
            self._known[key] = self._find(scope, name)
        return self._known[key]

    def _find(self, start: int, name: str) -> tuple[int, str]:
        scopes = self.low.scopes
        classes: list[tuple[int, str]] = []
        scope, inner = start, NONE
        while scope != NONE:
            declared = (scope, name) in self._declared
            if scopes[scope].kind == "class":
                classes.append((scope, self._through(scope, inner, first=not classes)))
                if declared:
                    return classes[-1] if scope != start else (scope, "")
            elif declared:
                return scope, ""
            scope, inner = scopes[scope].parent, scope
        # Not of this file: a class that has bases inherits it.
        inherited = [each for each in classes if scopes[each[0]].bases]
        found = next(iter([*inherited, *classes]), (start, ""))
        return found if found[0] != start else (start, "")

    def _through(self, scope: int, inner: int, *, first: bool) -> str:
        scopes = self.low.scopes
        static = inner != NONE and scopes[inner].belongs == "class"
        return "this" if first and not static else scopes[scope].name or "this"
