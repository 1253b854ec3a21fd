"""Python: scopes, blocks, bindings, imports and jumps."""

from __future__ import annotations

from typing import Any

from tree_sitter import Node

from resplint.contracts import facts
from resplint.contracts.facts import NONE, BlockKind
from resplint.languages.common import comments, jumps, record_import, span
from resplint.languages.lowering import BindingDraft, Entry, Lowering
from resplint.languages.python_types import annotation
from resplint.languages.python_values import BUILDERS
from resplint.languages.regions import RegionDraft, ScopeDraft

_BLOCKS: dict[str, BlockKind] = {
    "block.for": "for",
    "block.while": "while",
    "block.if": "if",
    "block.else": "else",
    "block.case": "if",
    "block.try": "try",
    "block.except": "except",
    "block.finally": "finally",
    "block.with": "with",
}
_JUMPS: tuple[tuple[str, facts.JumpKind], ...] = (
    ("jump.return", "return"),
    ("jump.raise", "raise"),
    ("jump.break", "break"),
    ("jump.continue", "continue"),
    ("expr.yield", "yield"),
)
_OF_CLASS = ("__new__", "__init_subclass__", "__class_getitem__")
_CONSTRUCTORS = ("__init__", "__post_init__")
_STATEMENTS = {"if_statement", "try_statement", "for_statement", "while_statement"}
_CLAUSES = {"elif_clause", "else_clause", "except_clause", "finally_clause"}

LISTED = frozenset({"expr.call", "expr.function", "expr.generated", "expr.assigned", "expr.yield"})
LEAVES = frozenset({"expr.name", "expr.integer", "expr.float", "expr.true", "expr.false", "expr.none"})


def lower(low: Lowering) -> None:
    """Fill `low` from the matches it has read."""
    _declare_scopes(low)
    _declare_blocks(low)
    low.regions.close()
    _outer_names(low)
    _scopes(low)
    _loop_targets(low)
    _bindings(low)
    _captured(low)
    _imports(low)
    _jumps(low)
    comments(low)


# -- regions --------------------------------------------------------------------------------------------------------


def _declare_scopes(low: Lowering) -> None:
    for main, kind in (("scope.function", "function"), ("scope.class", "class"), ("expr.function", "function")):
        for entry in low.each(main):
            node, body = entry.node, entry.parts["body"][0]
            name = low.text(entry.parts["name"][0]) if "name" in entry.parts else ""
            is_async = bool(node.children) and node.children[0].type == "async"
            draft = ScopeDraft(kind, name, node.start_byte, node.end_byte, is_async)  # type: ignore[arg-type]
            low.functions[node.id] = draft
            low.regions.add(RegionDraft("body", [span(body)], node.start_byte, node.start_byte, draft))
    for entry in low.each("expr.generated"):
        node, body = entry.node, entry.parts["body"][0]
        clauses = [child for child in node.named_children if child.type == "for_in_clause"]
        after = clauses[0].end_byte if clauses else node.end_byte
        draft = ScopeDraft("comprehension", "", node.start_byte, node.end_byte)
        low.functions[node.id] = draft
        head = clauses[0].child_by_field_name("right") if clauses else None
        intervals = [span(body), (after, node.end_byte)]
        low.regions.add(RegionDraft("comprehension", intervals, node.start_byte, node.start_byte, draft, head))


def _declare_blocks(low: Lowering) -> None:
    entries = [entry for main in _BLOCKS for entry in low.each(main)]
    entries.sort(key=lambda entry: (entry.node.start_byte, -entry.node.end_byte))
    statements: list[tuple[int, int]] = []  # (end, start) of the statements around the current entry
    for entry in entries:
        node = entry.node
        while statements and statements[-1][0] <= node.start_byte:
            statements.pop()
        clause = node.type in _CLAUSES
        group = statements[-1][1] if clause and statements else node.start_byte
        if node.type in _STATEMENTS:
            statements.append((node.end_byte, node.start_byte))
        head = entry.parts["head"][0] if "head" in entry.parts else None
        if node.type == "except_clause":
            head = _caught(node)
        intervals = [span(entry.parts["body"][0])]
        if entry.main == "block.while" and head is not None:  # the condition runs at every turn
            intervals.insert(0, span(head))
        draft = RegionDraft(_BLOCKS[entry.main], intervals, group, node.start_byte, None, head)
        draft.waits = entry.main == "block.for" and node.children[0].type == "async"
        low.regions.add(draft)


def _caught(clause: Node) -> Node | None:
    value = clause.child_by_field_name("value")
    if value is not None and value.type == "as_pattern":
        return value.named_children[0] if value.named_children else None
    return value


# -- scopes ---------------------------------------------------------------------------------------------------------


def _scopes(low: Lowering) -> None:
    decorators: dict[int, tuple[int, ...]] = {}
    marks: dict[int, set[str]] = {}
    for entry in low.each("scope.decorated"):
        found = [child for child in entry.node.named_children if child.type == "decorator" and child.named_children]
        definition = entry.parts["definition"][0].id
        decorators[definition] = tuple(low.expr(mark.named_children[0]) for mark in found)
        marks[definition] = {low.text(mark.named_children[0]).rsplit(".", 1)[-1] for mark in found}
    entries = {
        low.functions[entry.node.id].index: entry
        for main in ("scope.function", "scope.class", "expr.function", "expr.generated")
        for entry in low.each(main)
    }
    generators = {
        low.regions.drafts[low.regions.block_at(entry.node.start_byte)].scope_index for entry in low.each("expr.yield")
    }
    for region in low.regions.drafts:
        if region.scope is None:
            continue
        scope = region.scope
        outer = low.regions.drafts[region.parent] if region.parent != NONE else None
        signature = _signature(low, entries.get(scope.index), decorators)
        if scope.kind == "function" and outer is not None and outer.scope is not None and outer.scope.kind == "class":
            signature.update(_belonging(low, scope.name, entries.get(scope.index), signature, marks))
        low.scopes[scope.index] = facts.Scope(
            scope.kind, scope.name, outer.scope_index if outer else NONE, region.index, region.parent, scope.start,
            scope.end, **signature, is_async=scope.is_async, is_generator=scope.index in generators,
        )  # fmt: skip


def _belonging(
    low: Lowering, name: str, entry: Entry | None, signature: dict[str, Any], marks: dict[int, set[str]]
) -> dict[str, Any]:
    """Whether a method needs an object, its class or neither, and under which name it knows it."""
    names = marks.get(entry.node.id, set()) if entry is not None else set()
    first = next(iter(signature.get("parameters", ())), None)
    receiver = first.name if first is not None and not first.kind else ""
    if "staticmethod" in names:
        return {"belongs": "class"}
    if "classmethod" in names or name in _OF_CLASS:
        return {"belongs": "class", "receiver": receiver, "is_constructor": name == "__new__"}
    return {"belongs": "object", "receiver": receiver, "is_constructor": name in _CONSTRUCTORS}


def _signature(low: Lowering, entry: Entry | None, decorators: dict[int, tuple[int, ...]]) -> dict[str, Any]:
    if entry is None:
        return {}
    parts = entry.parts
    signature: dict[str, Any] = {"decorators": decorators.get(entry.node.id, ())}
    if "parameters" in parts:
        signature["parameters"] = tuple(_parameters(low, parts["parameters"][0]))
    if "bases" in parts:
        bases = [child for child in parts["bases"][0].named_children if child.type != "keyword_argument"]
        signature["bases"] = tuple(low.expr(base) for base in bases)
        signature["decorators"] += tuple(low.expr(one) for one in _metaclasses(parts["bases"][0]))
    if "returns" in parts:
        signature["returns"] = annotation(low, parts["returns"][0])
    return signature


def _metaclasses(node: Node) -> list[Node]:
    """``class Store(metaclass=Singleton)``: it decides like a decorator what making an object does."""
    found = []
    for child in node.named_children:
        name, value = child.child_by_field_name("name"), child.child_by_field_name("value")
        if child.type == "keyword_argument" and name is not None and name.text == b"metaclass" and value is not None:
            found.append(value)
    return found


def _parameters(low: Lowering, node: Node) -> list[facts.Parameter]:
    found: list[facts.Parameter] = []
    keyword_only = False
    for child in node.named_children:
        if child.type == "keyword_separator":
            keyword_only = True
            continue
        name, kind = child, ""
        if child.type in ("typed_parameter", "default_parameter", "typed_default_parameter"):
            name = child.child_by_field_name("name") or child.named_children[0]
        if name.type in ("list_splat_pattern", "dictionary_splat_pattern"):
            kind = "*" if name.type == "list_splat_pattern" else "**"
            name = name.named_children[0] if name.named_children else name
        if name.type != "identifier":
            continue
        type_, default = child.child_by_field_name("type"), child.child_by_field_name("value")
        kind = kind or ("kw" if keyword_only else "")
        keyword_only = keyword_only or kind == "*"
        found.append(facts.Parameter(low.text(name), annotation(low, type_), low.expr(default), kind))
    return found


def _outer_names(low: Lowering) -> None:
    for main in ("declare.global", "declare.nonlocal"):
        for entry in low.each(main):
            scope = low.regions.drafts[low.regions.block_at(entry.node.start_byte)].scope_index
            for child in entry.node.named_children:
                if main == "declare.global":
                    low.outer_names[(scope, low.text(child))] = 0
                else:
                    low.nonlocals.add((scope, low.text(child)))


# -- bindings -------------------------------------------------------------------------------------------------------


def _bind(low: Lowering, target: Node, at: int, value: int, kind: facts.BindingKind, **more: object) -> None:
    """Take a target apart: names become bindings, members and elements become writes."""
    pending: list[tuple[Node, tuple[int, ...]]] = [(target, ())]
    while pending:
        node, path = pending.pop()
        if node.type == "identifier":
            draft = BindingDraft(low.text(node), at, value, kind, node.start_byte, node.end_byte, path, **more)  # type: ignore[arg-type]
            low.bind(draft)
        elif node.type in ("attribute", "subscript"):
            block = low.regions.block_at(at)
            low.writes.append(facts.Write(low.expr(node), value, block, kind, path, **more))  # type: ignore[arg-type]
        elif node.type in ("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"):
            children = enumerate(node.named_children)
            pending.extend((child, (*path, position)) for position, child in children if len(path) < 8)
        elif node.type in ("parenthesized_expression", "as_pattern_target") and node.named_children:
            pending.append((node.named_children[0], path))
        elif (
            node.type == "list_splat_pattern" and node.named_children
        ):  # the rest of a sequence: a name, but no one value
            _bind(low, node.named_children[0], at, NONE, kind)


def _loop_targets(low: Lowering) -> None:
    for entry in low.each("block.for"):
        head = low.expr(entry.parts["head"][0])
        _bind(low, entry.parts["target"][0], entry.parts["body"][0].start_byte, head, "for")
    for entry in low.each("expr.generated"):
        clauses = [child for child in entry.node.named_children if child.type == "for_in_clause"]
        for clause in clauses:
            target, data = clause.child_by_field_name("left"), clause.child_by_field_name("right")
            if target is not None and data is not None:
                _bind(low, target, entry.parts["body"][0].start_byte, low.expr(data), "for")


def _bindings(low: Lowering) -> None:
    last: dict[int, Node] = {}
    for entry in reversed(low.each("bind.assign")):  # the inner ones of `a = b = value` first
        parts, at = entry.parts, entry.node.start_byte
        value = _assigned(parts["value"][0], last) if "value" in parts else None
        declared = annotation(low, parts["annotation"][0]) if "annotation" in parts else NONE
        _bind(low, parts["target"][0], at, low.expr(value), "assign", annotation=declared)
    for entry in low.each("bind.augment"):
        parts, at = entry.parts, entry.node.start_byte
        operator = low.text(parts["operator"][0])
        _bind(low, parts["target"][0], at, low.expr(parts["value"][0]), "augment", operator=operator)
    for entry in low.each("bind.with"):
        value = entry.parts["value"][0]
        if "target" in entry.parts:
            _bind(low, entry.parts["target"][0], entry.node.start_byte, low.expr(value), "with")
        elif value.type != "as_pattern":
            at = entry.node.start_byte
            low.bind(BindingDraft("", at, low.expr(value), "with", *span(entry.node)))
    for entry in low.each("expr.assigned"):
        parts = entry.parts
        _bind(low, parts["target"][0], entry.node.start_byte, low.expr(parts["value"][0]), "walrus")


def _assigned(value: Node, last: dict[int, Node]) -> Node:
    """The value behind `a = b = value`; `last` remembers it for each link, so that long chains are walked once."""
    links = []
    while value.type == "assignment" and value.id not in last:
        right = value.child_by_field_name("right")
        if right is None:
            break
        links.append(value.id)
        value = right
    value = last.get(value.id, value)
    last.update(dict.fromkeys(links, value))
    return value


def _captured(low: Lowering) -> None:
    """Names that handlers and patterns bind without saying which value: ``except E as error``, ``case Point(x, y)``."""
    for entry in low.each("block.except"):
        value = entry.node.child_by_field_name("value")
        if value is not None and value.type == "as_pattern":
            alias = value.child_by_field_name("alias")
            if alias is not None:
                _bind(low, alias, entry.parts["body"][0].start_byte, NONE, "except")
    for entry in low.each("block.case"):
        body = entry.parts["body"][0]
        pending = [child for child in entry.node.named_children if child.type == "case_pattern"]
        while pending:
            node = pending.pop()
            if node.type == "dotted_name" and len(node.named_children) == 1:
                _bind(low, node.named_children[0], body.start_byte, NONE, "assign")
            elif node.type == "as_pattern":
                pending.extend(child for child in node.named_children if child.type == "case_pattern")
                names = [child for child in node.named_children if child.type == "identifier"]
                for name in names:
                    _bind(low, name, body.start_byte, NONE, "assign")
            elif node.type not in ("class_pattern", "keyword_pattern"):
                pending.extend(node.named_children)
            else:  # the first child names the class or the field
                pending.extend(node.named_children[1:])


# -- imports, jumps, comments -----------------------------------------------------------------------------------------


def _imports(low: Lowering) -> None:
    for entry in low.each("import.module"):
        for child in entry.node.named_children:
            dotted, alias = _alias(low, child)
            # `import a.b` binds `a`; only `import a.b as c` binds the inner module.
            module = dotted if alias else dotted.split(".", 1)[0]
            record_import(low, entry.node, module, "", alias or module, 0, child)
    for entry in low.each("import.names"):
        module_node = entry.parts["module"][0]
        module = low.text(module_node).replace(" ", "")
        level = len(module) - len(module.lstrip("."))
        for child in entry.node.named_children:
            if child.id == module_node.id:
                continue
            if child.type == "wildcard_import":
                record_import(low, entry.node, module[level:], "*", "*", level)
            elif child.type in ("dotted_name", "aliased_import"):
                name, alias = _alias(low, child)
                record_import(low, entry.node, module[level:], name, alias or name, level, child)


def _alias(low: Lowering, node: Node) -> tuple[str, str]:
    if node.type != "aliased_import":
        return low.text(node).replace(" ", ""), ""
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    return (low.text(name).replace(" ", "") if name else "", low.text(alias) if alias else "")


def _jumps(low: Lowering) -> None:
    jumps(low, _JUMPS)
    for entry in low.each("expr.function"):
        body = entry.parts["body"][0]
        block = low.regions.block_at(body.start_byte)
        low.jumps.append(facts.Jump("return", low.expr(body), block, body.start_byte))


__all__ = ["BUILDERS", "lower"]
