"""Kotlin's scopes: classes, constructors, functions, accessors and lambdas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal as OneOf

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages.common import named, span
from resplint.languages.kotlin_nodes import (
    TYPES,
    Given,
    Use,
    after,
    child,
    children,
    delegations,
    has_modifier,
    identifier,
    initialiser,
    marks_of,
    members,
    parameters,
    start_of_definition,
    use_of,
)
from resplint.languages.lowering import Lowering
from resplint.languages.regions import RegionDraft, ScopeDraft

Role = OneOf["class", "constructor", "function", "lambda", "getter", "setter"]

_ON_ITS_OBJECT = frozenset({"apply", "run"})
_WITHOUT_PARAMETER = frozenset(
    {
        "apply", "run", "with", "lazy", "synchronized", "withLock", "withPermit", "thread", "runBlocking", "launch",
        "async", "coroutineScope", "supervisorScope", "withContext", "withTimeout", "withTimeoutOrNull", "runTest",
        "flow", "sequence", "buildList", "buildMap", "buildSet", "buildString", "measureTime", "measureTimeMillis",
        "measureNanoTime", "runCatching", "transaction",
    }
)  # fmt: skip
"""Functions of the standard library and of coroutines whose lambda takes nothing, so that ``it`` in it comes from the
lambda around."""
_RUNS_ONCE = frozenset(
    {
        "apply", "run", "with", "let", "also", "use", "synchronized", "withLock", "runBlocking", "coroutineScope",
        "withContext", "measureTimeMillis",
    }
)  # fmt: skip
"""Functions that surely run their lambda: what leaves it leaves the function around it."""


@dataclass(slots=True)
class Plan:
    """A scope in the making, with the nodes that its record is read from once all regions are known."""

    role: Role
    draft: ScopeDraft
    region: RegionDraft
    node: Node
    parameters: Node | None = None
    returns: Node | None = None
    belongs: facts.Belonging = ""
    receiver: str = ""
    receiver_type: Node | None = None
    receiver_value: Node | None = None
    on_call: Node | None = None
    """The call of a lambda that runs on the object around it (``apply { }``)."""
    bases: list[Node] = field(default_factory=list)
    has_it: bool = False
    is_single: bool = False
    accessed: str = ""
    """Name of the property that an accessor reads or writes."""

    @property
    def index(self) -> int:
        """Number of the scope; NONE when it is empty, in broken code."""
        return self.draft.index

    @property
    def has_own_object(self) -> bool:
        """Whether bare names in it may be members of an object that is not the class around it."""
        return (self.role == "lambda" and self.receiver != "") or self.receiver_type is not None


@dataclass
class Plans:
    """All scopes of a file."""

    low: Lowering
    all: list[Plan] = field(default_factory=list)
    by_node: dict[int, Plan] = field(default_factory=dict)
    by_scope: dict[int, Plan] = field(default_factory=dict)
    belonging: dict[int, facts.Belonging] = field(default_factory=dict)
    """Node of a function or property -> how it belongs to the class whose body it stands in."""

    def add(
        self, role: Role, name: str, node: Node, intervals: Iterable[tuple[int, int]], *, at: int | None = None
    ) -> Plan:
        """Declare one scope; `intervals` are where its code stands."""
        low = self.low
        start = start_of_definition(node) if at is None else at
        is_async = has_modifier(low, node, "suspend")
        draft = ScopeDraft("class" if role == "class" else "function", name, start, node.end_byte, is_async)
        pieces = sorted(piece for piece in intervals if piece[1] > piece[0])
        region = low.regions.add(RegionDraft("body", pieces, start, start, draft))
        plan = Plan(role, draft, region, node)
        self.all.append(plan)
        self.by_node[node.id] = plan
        low.functions[node.id] = draft
        return plan


def declare(low: Lowering) -> Plans:
    """Declare all scopes but those of lambdas, the outer ones first."""
    plans = Plans(low)
    for entry in low.each("scope.class"):
        _class(plans, entry.node, entry.parts["name"][0])
    for entry in low.each("expr.new"):
        if entry.node.type == "object_literal" and (body := child(entry.node, "class_body")) is not None:
            plan = plans.add("class", "", entry.node, [span(body)])
            plan.bases = [_type_of(base) for base in delegations(entry.node)]
            plan.receiver = "this"
            _members(plans, body, "object")
    for entry in low.each("scope.function"):
        _function(plans, entry.node, entry.parts["parameters"][0])
    for entry in low.each("expr.function"):
        if (holder := child(entry.node, "function_value_parameters")) is not None:
            _function(plans, entry.node, holder)
    for entry in low.each("bind.local"):
        _accessors(plans, entry.node)
    return plans


def _type_of(base: Node) -> Node:
    return (child(base, *TYPES) or base) if base.type == "constructor_invocation" else base


# -- classes -----------------------------------------------------------------------------------------------------------


def _class(plans: Plans, node: Node, name: Node) -> None:
    plan = plans.add("class", identifier(plans.low, name), node, [(name.start_byte, node.end_byte)])
    plan.bases = [_type_of(base) for base in delegations(node)]
    plan.receiver = "this"
    plan.is_single = node.type == "object_declaration"
    body = child(node, "class_body", "enum_class_body")
    _members(plans, body, "object")
    for constant in children(body, "enum_entry"):
        if (inner := child(constant, "class_body")) is not None:
            special = plans.add("class", "", constant, [span(inner)])
            special.bases = [name]
            special.receiver = "this"
            _members(plans, inner, "object")
    _constructor(plans, node, body)


def _members(plans: Plans, body: Node | None, belongs: facts.Belonging) -> None:
    for member in members(body):
        if member.type in ("function_declaration", "property_declaration"):
            plans.belonging[member.id] = belongs
        elif member.type == "companion_object":
            _members(plans, child(member, "class_body"), "class")


def _constructor(plans: Plans, node: Node, body: Node | None) -> None:
    """What runs with the parameters of the class when an object is made: arguments for the base class, `init` blocks,
    and what fields start with.
    """
    primary = child(node, "primary_constructor")
    declared_parameters = child(primary, "class_parameters")
    declared = members(body)
    bases = child(node, "delegation_specifiers") if _calls_base(node) else None
    code = [each for each in (declared_parameters, bases) if each is not None]
    code.extend(block for each in declared if (block := child(each, "block")) and each.type == "anonymous_initializer")
    if declared_parameters is not None and named(declared_parameters):
        fields = [initialiser(each) for each in declared if each.type == "property_declaration"]
        code.extend(each for each in fields if each is not None)
    if not code:
        return
    at = (primary or code[0]).start_byte
    holder = primary or code[0]
    plan = plans.add("constructor", "constructor", holder, [span(each) for each in code], at=at)
    plan.parameters, plan.belongs, plan.receiver = declared_parameters, "object", "this"


def _calls_base(node: Node) -> bool:
    return any(base.type == "constructor_invocation" for base in delegations(node))


# -- functions ---------------------------------------------------------------------------------------------------------


def _function(plans: Plans, node: Node, holder: Node) -> None:
    is_constructor = node.type == "secondary_constructor"
    name = "constructor" if is_constructor else identifier(plans.low, node.child_by_field_name("name"))
    role: Role = "constructor" if is_constructor else "function"
    plan = plans.add(role, name, node, [(holder.start_byte, node.end_byte)])
    plan.parameters = holder
    types = children(node, *TYPES)
    plan.returns = next((each for each in types if each.start_byte >= holder.end_byte), None)
    plan.receiver_type = next((each for each in types if each.end_byte <= holder.start_byte), None)
    plan.belongs = "object" if is_constructor else plans.belonging.get(node.id, "")
    if plan.receiver_type is not None:
        plan.belongs, plan.receiver = "", "this"
    elif plan.belongs == "object":
        plan.receiver = "this"


def _accessors(plans: Plans, node: Node) -> None:
    variable = child(node, "variable_declaration")
    name = identifier(plans.low, child(variable, "identifier"))
    receiver_type = child(node, *TYPES)
    roles: tuple[Role, ...] = ("getter", "setter")
    for role in roles:
        accessor = child(node, role)
        if accessor is None or child(accessor, "function_body") is None:
            continue
        plan = plans.add(role, name if role == "getter" else f"{name}=", accessor, [span(accessor)])
        plan.accessed = name
        plan.receiver_type = receiver_type
        plan.belongs = plans.belonging.get(node.id, "") if receiver_type is None else ""
        plan.receiver = "this" if plan.belongs == "object" or receiver_type is not None else ""
        if role == "getter":
            plan.returns = child(accessor, *TYPES) or child(variable, *TYPES)
        else:
            plan.parameters = accessor


def declare_lambdas(plans: Plans) -> None:
    """Declare the scopes of lambdas, and that those which a plain ``return`` leaves run under a condition."""
    low = plans.low
    uses: dict[int, tuple[Use | None, Node | None]] = {}
    for entry in low.each("expr.call"):
        made = use_of(entry.node)
        if made.inner is not None:
            low.aliases[made.inner.id] = entry.node
        if made.trailing is not None:
            uses[made.trailing.id] = (made, entry.node)
    left = _left(plans)
    for entry in low.each("expr.function"):
        node = entry.node
        if node.type != "lambda_literal":
            continue
        use, call = uses.get(node.id, (None, None))
        name = use.name(low) if use is not None else ""
        if node.id in left and not (name in _RUNS_ONCE and use and not use.is_safe() and _returns(node)):
            low.regions.add(RegionDraft("if", [span(node)], node.start_byte, node.start_byte))
        plan = plans.add("lambda", "", node, [(node.start_byte + 1, node.end_byte)])
        plan.parameters = child(node, "lambda_parameters")
        plan.has_it = plan.parameters is None and child(node, "->") is None and name not in _WITHOUT_PARAMETER
        if use is not None and name in _ON_ITS_OBJECT and (use.object() is not None or name == "apply"):
            plan.receiver, plan.receiver_value, plan.on_call = "this", use.object(), call
        elif use is not None and name == "with" and use.object() is None and use.arguments is not None:
            given = named(use.arguments)
            if given and (values := named(given[0])):
                plan.receiver, plan.receiver_value = "this", values[-1]


def _returns(node: Node) -> bool:
    return any(each.child_by_field_name("label") is None for each in children(node, "return_expression"))


def _left(plans: Plans) -> set[int]:
    """The lambdas that a plain ``return`` leaves, together with the function around them."""
    low = plans.low
    nodes = [plan.node for plan in plans.all if plan.role not in ("class", "constructor")]
    nodes.extend(entry.node for entry in low.each("expr.function") if entry.node.type == "lambda_literal")
    nodes.extend(entry.node for entry in low.each("jump.return") if entry.node.child_by_field_name("label") is None)
    nodes.sort(key=lambda node: (node.start_byte, -node.end_byte))
    left: set[int] = set()
    around: list[Node] = []
    for node in nodes:
        while around and around[-1].end_byte <= node.start_byte:
            around.pop()
        if node.type != "return_expression":
            around.append(node)
            continue
        for outer in reversed(around):
            if outer.type != "lambda_literal" or outer.id in left:
                break
            left.add(outer.id)
    return left


# -- records -----------------------------------------------------------------------------------------------------------


def finish(plans: Plans) -> None:
    """Make the records of all scopes."""
    low = plans.low
    plans.by_scope = {plan.index: plan for plan in plans.all if plan.index != NONE}
    for region in low.regions.drafts:
        if region.scope is None:
            continue
        outer = low.regions.drafts[region.parent] if region.parent != NONE else None
        parent = outer.scope_index if outer else NONE
        scope = facts.Scope(
            region.scope.kind, region.scope.name, parent, region.index, region.parent, region.scope.start,
            region.scope.end,
        )  # fmt: skip
        plan = plans.by_scope.get(region.scope.index)
        low.scopes[region.scope.index] = scope if plan is None else _completed(low, plan, scope)


def _completed(low: Lowering, plan: Plan, scope: facts.Scope) -> facts.Scope:
    receiver_value = low.expr(plan.receiver_value)
    if plan.on_call is not None and plan.receiver_value is None:
        receiver_value = low.add(facts.Name(*low.where(plan.on_call), "this"))
    return facts.Scope(
        scope.kind, scope.name, scope.parent, scope.block, scope.defined_in, scope.start, scope.end,
        parameters=tuple(_parameters(low, plan)),
        decorators=tuple(low.expr(mark) for mark in marks_of(plan.node)),
        bases=_bases(low, plan),
        returns=low.expr(plan.returns),
        is_async=plan.draft.is_async,
        belongs=plan.belongs,
        receiver=plan.receiver,
        receiver_value=receiver_value,
        is_constructor=plan.role == "constructor",
        is_accessor=plan.role == "getter",
        is_open=plan.role == "class",
        is_single=plan.is_single,
        is_private=plan.role == "function" and has_modifier(low, plan.node, "private"),
    )  # fmt: skip


def _bases(low: Lowering, plan: Plan) -> tuple[int, ...]:
    """The bases written out; every enumeration has one that is not."""
    bases = tuple(low.expr(base) for base in plan.bases)
    if plan.role == "class" and has_modifier(low, plan.node, "enum"):
        return (*bases, low.add(facts.Name(*low.where(plan.node), "Enum")))
    return bases


def _parameters(low: Lowering, plan: Plan) -> list[facts.Parameter]:
    found = []
    if plan.receiver_type is not None:
        found.append(facts.Parameter("this", low.expr(plan.receiver_type), NONE, ""))
    if plan.has_it:
        found.append(facts.Parameter("it", NONE, NONE, ""))
    if plan.parameters is not None:
        found.extend(_parameter(low, given, len(found)) for given in parameters(plan.parameters))
    return found


def _parameter(low: Lowering, given: Given, position: int) -> facts.Parameter:
    node = given.node
    name = node if node.type == "identifier" else child(node, "identifier")
    text = identifier(low, name) if name is not None else f"#{position}"
    modifiers = given.modifiers or child(node, "modifiers") or node
    kind = "*" if "vararg" in [low.text(word) for word in children(modifiers, "parameter_modifier")] else ""
    marks = tuple(low.expr(mark) for mark in marks_of(modifiers))
    default = after(node, "=") if node.type == "class_parameter" else given.default
    return facts.Parameter(text, low.expr(child(node, *TYPES)), low.expr(default), kind, marks)
