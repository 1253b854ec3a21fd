"""What gets a value in Kotlin: properties, locals, loop variables, and bare names that are members of an object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import casts, named
from resplint.languages.kotlin_nodes import (
    TYPES,
    after,
    child,
    children,
    identifier,
    initialiser,
    marks_of,
    members,
    parameters,
)
from resplint.languages.kotlin_scopes import Plan, Plans
from resplint.languages.kotlin_values import arguments
from resplint.languages.lowering import BindingDraft, Entry, Lowering


def lower(plans: Plans) -> None:
    """Record everything that gets a value."""
    names = _Names(plans)
    for plan in plans.all:
        if plan.index != NONE:
            _declared_by(names, plan)
    for entry in plans.low.each("bind.local"):
        _property(names, entry.node)
    for entry in plans.low.each("bind.other"):
        _alias(names, entry.node)
    casts(plans.low)
    _targets(names)
    for entry in plans.low.each("bind.assign"):
        _assignment(names, entry)
    for entry in plans.low.each("bind.augment"):
        _step(names, entry)


@dataclass
class _Names:
    """Which scope declares a name, so that an assignment finds what it changes."""

    plans: Plans
    variables: set[tuple[int, str]] = field(default_factory=set)
    """(scope, name) of what can change. Parameters never do, so that ``ttl = 5`` is never about one called ttl."""
    found: dict[tuple[int, str], tuple[int, str]] = field(default_factory=dict)

    @property
    def low(self) -> Lowering:
        return self.plans.low

    def declare(self, draft: BindingDraft, changes: bool) -> None:
        """Bind a name where it is declared; `changes` tells whether it may get another value later."""
        self.low.bind(draft)
        if changes:
            self.variables.add((self.low.bindings[-1].scope, draft.name))

    def owner(self, scope: int, name: str) -> tuple[int, str]:
        """Whose name it is: the scope that declares it, or the object (by its name) whose member it is."""
        if (scope, name) not in self.found:
            self.found[scope, name] = self._search(scope, name)
        return self.found[scope, name]

    def _search(self, start: int, name: str) -> tuple[int, str]:
        """Locals come first, then members of the object that a lambda or an extension runs on, then of classes."""
        around, static, owner, inherited = start, False, "", ""
        is_lambda = False
        while around != NONE:
            scope, plan = self.low.scopes[around], self.plans.by_scope.get(around)
            declares = (around, name) in self.variables
            if declares and (scope.kind != "class" or around == start):
                return around, ""
            if plan is not None and plan.has_own_object:
                owner = owner or "this"
            is_lambda = is_lambda or (plan is not None and plan.role == "lambda")
            static = static or scope.belongs == "class"
            if scope.kind == "class":
                direct = scope.name if static and scope.name else "this"
                if declares:
                    if owner:
                        return NONE, f"this@{scope.name}" if scope.name else "this"
                    return NONE, (scope.name or "this") if inherited else direct
                inherited, static = inherited or direct, False
            around = scope.parent
        if not owner and self.low.scopes[start].kind == "class":
            return start, ""
        owner = owner or inherited or ("this" if is_lambda else "")
        return (NONE, owner) if owner else (start, "")


# -- declarations ------------------------------------------------------------------------------------------------------


def _declared_by(names: _Names, plan: Plan) -> None:
    """Parameters; those taken apart are bindings, and those of a class with ``val`` or ``var`` are fields, too."""
    low, block = names.low, plan.region.index
    node = plan.node
    if plan.role in ("getter", "setter") and b"field" in low.source[node.start_byte : node.end_byte]:
        here = facts.Name(node.start_byte, node.end_byte, block, "this")
        value = low.add(facts.Member(node.start_byte, node.end_byte, block, low.add(here), plan.accessed))
        low.bindings.append(
            facts.Binding("field", plan.index, block, value, "assign", node.start_byte, node.start_byte)
        )
    if plan.role == "class":
        _constants(names, plan)
    given = parameters(plan.parameters) if plan.parameters is not None else []
    implied = len(low.scopes[plan.index].parameters) - len(given)
    for position, node in enumerate((each.node for each in given), implied):
        if node.type == "class_parameter":
            _field_parameter(names, plan, node)
        elif node.type == "multi_variable_declaration":
            value = low.add(facts.Name(node.start_byte, node.end_byte, block, f"#{position}"))
            _bind(names, node, node.start_byte, value, "assign")


def _field_parameter(names: _Names, plan: Plan, node: Node) -> None:
    keyword, name = child(node, "val", "var"), child(node, "identifier")
    if keyword is None or name is None:
        return
    low, block = names.low, plan.region.index
    text, start, end = identifier(low, name), name.start_byte, name.end_byte
    annotation = low.expr(child(node, *TYPES))
    marks = tuple(low.expr(mark) for mark in marks_of(node))
    owner = low.scopes[plan.index].parent
    if keyword.type == "var":
        names.variables.add((owner, text))
    low.bindings.append(
        facts.Binding(
            text, owner, low.scopes[owner].block, NONE, "assign", start, end, annotation=annotation, decorators=marks
        )
    )
    here = low.add(facts.Name(start, end, block, "this"))
    target, value = facts.Member(start, end, block, here, text), facts.Name(start, end, block, text)
    low.writes.append(facts.Write(low.add(target), low.add(value), block, "assign", annotation=annotation))


def _constants(names: _Names, plan: Plan) -> None:
    """Constants of an enum are objects of its class."""
    low = names.low
    for constant in members(child(plan.node, "enum_class_body")):
        name = child(constant, "identifier")
        if constant.type != "enum_entry" or name is None:
            continue
        where = low.where(name)
        own = low.add(facts.Name(*where, plan.draft.name))
        value = low.add(facts.Call(*where, own, arguments(low, child(constant, "value_arguments"))))
        draft = BindingDraft(
            identifier(low, name), name.start_byte, value, "assign", name.start_byte, name.end_byte, annotation=own
        )
        names.declare(draft, changes=False)


def _property(names: _Names, node: Node) -> None:
    if child(node, *TYPES) is not None:
        return  # an extension property is only its accessors
    value = initialiser(node)
    target = child(node, "variable_declaration", "multi_variable_declaration")
    getter = child(node, "getter")
    if target is None or (value is None and child(getter, "function_body") is not None):
        return
    marks = tuple(names.low.expr(mark) for mark in marks_of(node))
    changes = value is None or child(node, "var") is not None
    _bind(names, target, node.start_byte, names.low.expr(value), "assign", decorators=marks, changes=changes)


def _alias(names: _Names, node: Node) -> None:
    name, value = node.child_by_field_name("type"), after(node, "=")
    if name is not None and value is not None:
        _bind(names, name, node.start_byte, names.low.expr(value), "assign")


def _bind(
    names: _Names,
    target: Node,
    at: int,
    value: int,
    kind: facts.BindingKind,
    *,
    decorators: tuple[int, ...] = (),
    changes: bool = False,
) -> None:
    """Bind a variable, or those of ``(a, b)``, to a value."""
    low = names.low
    for variable, path in _variables(target):
        name = variable if variable.type == "identifier" else child(variable, "identifier")
        if name is None or (path and low.text(name) == "_"):
            continue
        declared = low.expr(child(variable, *TYPES))
        draft = BindingDraft(
            identifier(low, name), at, value, kind, name.start_byte, name.end_byte, path, annotation=declared,
            decorators=decorators,
        )  # fmt: skip
        names.declare(draft, changes)


def _variables(target: Node) -> Iterator[tuple[Node, tuple[int, ...]]]:
    if target.type != "multi_variable_declaration":
        yield target, ()
        return
    for position, variable in enumerate(children(target, "variable_declaration")):
        yield variable, (position,)


def _targets(names: _Names) -> None:
    """Variables of loops, of handlers and of ``when (val x = …)``."""
    low = names.low
    for entry in low.each("block.for"):
        target = child(entry.node, "variable_declaration", "multi_variable_declaration")
        pieces = named(entry.node)
        head = after(entry.node, "in")
        if target is not None and head is not None and pieces[-1].start_byte > head.start_byte:
            _bind(names, target, pieces[-1].start_byte, low.expr(head), "for")
    for entry in low.each("block.except"):
        clause = entry.parts["body"][0]
        name, body = child(clause, "identifier"), child(clause, "block")
        if name is not None and body is not None:
            _bind(names, name, body.start_byte, NONE, "except")
    for node in {entry.node.id: entry.node for entry in low.each("block.case")}.values():
        subject = child(node, "when_subject")
        target = child(subject, "variable_declaration")
        if subject is not None and target is not None:
            _bind(names, target, subject.start_byte, low.expr(after(subject, "=")), "assign")


# -- assignments -------------------------------------------------------------------------------------------------------


def _assignment(names: _Names, entry: Entry) -> None:
    low = names.low
    operator = low.text(entry.parts["operator"][0])
    value = low.expr(entry.parts["value"][0])
    if operator == "=":
        _change(names, entry, value, "assign", "")
    else:
        _change(names, entry, value, "augment", operator)


def _step(names: _Names, entry: Entry) -> None:
    """`x++` adds one."""
    low = names.low
    operator = low.text(entry.parts["operator"][0])[:1] + "="
    one = low.add(facts.Literal(*low.where(entry.node), "int", 1))
    _change(names, entry, one, "augment", operator)


def _change(names: _Names, entry: Entry, value: int, kind: facts.BindingKind, operator: str) -> None:
    low = names.low
    target, at = low.resolve(entry.parts["target"][0]), entry.node.start_byte
    block = low.regions.block_at(at)
    if target.type in ("navigation_expression", "index_expression"):
        low.writes.append(facts.Write(low.expr(target), value, block, kind, (), operator))
    if target.type != "identifier":
        return
    name, start, end = identifier(low, target), target.start_byte, target.end_byte
    inside = low.regions.drafts[block].scope_index
    plan = names.plans.by_scope.get(inside)
    if name == "field" and plan is not None and plan.role == "setter":
        scope, owner, name = NONE, "this", plan.accessed
    else:
        scope, owner = names.owner(inside, name)
    if scope != NONE:
        low.bindings.append(facts.Binding(name, scope, block, value, kind, start, end, (), operator))
        return
    here = low.add(facts.Name(start, end, block, owner))
    member = low.add(facts.Member(start, end, block, here, name))
    low.writes.append(facts.Write(member, value, block, kind, (), operator))
