"""Clients made by a function of the same file that does nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.rules.metamorphic import Changed, Move, Setting
from tests.rules.metamorphic_code import Code, Part, code_of
from tests.rules.metamorphic_names import IMPORTED, LOCAL, Declaration, declarations, fresh, mentions

_CLASSES = re.compile(
    r"(?:Binary)?Jedis(?:Pool|Pooled|Cluster|SentinelPool)?|UnifiedJedis|(?:String)?RedisTemplate|"
    r"(?:Lettuce|Jedis)ConnectionFactory"
)
_FACTORIES = {
    "RedisClient.create": "io.lettuce.core.RedisClient",
    "RedisClusterClient.create": "io.lettuce.core.cluster.RedisClusterClient",
    "Redisson.create": "org.redisson.api.RedissonClient",
}
_OWN = frozenset({"this", "super", "await_expression", "yield_expression", "this_expression", "super_expression"})
_NAMED_CLASSES = ("class_declaration", "enum_declaration", "object_declaration", "companion_object")
_BODIES = ("class_body", "enum_body_declarations")


@dataclass(frozen=True)
class _Making:
    """A client that is made: the expression, what its class is called, and the variables that it needs."""

    part: Part
    made: str
    needs: tuple[Declaration, ...]


def make_in_helper(text: str, setting: Setting) -> Changed:
    """`new Redis(url)` becomes `make1(url)`, and a new function `make1` makes the client."""
    code = code_of(text, setting)
    names = fresh(code, "make")
    write = {"java": _java_helper, "kotlin": _kotlin_helper}.get(code.language, _script_helper)
    moves: list[Move] = []
    for making in _makings(code):
        name = next(names)
        addition = write(code, making, name)
        if addition is not None:
            needed = ", ".join(each.name for each in making.needs)
            moves += [(making.part.start, making.part.end, [f"{name}({needed})"]), addition]
    return code.moved(_joined(moves))


def _joined(moves: list[Move]) -> list[Move]:
    """One move for all that is added at one place."""
    joined: dict[tuple[int, int], Move] = {}
    for start, end, pieces in moves:
        before = joined.get((start, end), (start, end, []))
        joined[start, end] = (start, end, [*before[2], *pieces])
    return list(joined.values())


def _makings(code: Code) -> Iterator[_Making]:
    declared = declarations(code)
    last = 0
    for part in code.parts:
        made = _made(code, part, declared) if part.start >= last else ""
        if not made or any(each.kind in _OWN for each in part.walk):
            continue
        needs = _needs(code, part, declared)
        if needs is not None:
            last = part.end
            yield _Making(part, made, needs)


def _made(code: Code, part: Part, declared: list[Declaration]) -> str:
    """The class of the client that an expression makes; empty for all other expressions."""
    if code.language == "java":
        made = part.get("type") if part.kind == "object_creation_expression" else None
        if made is not None and _CLASSES.fullmatch(code.code(made)) and part.children[-1].kind == "argument_list":
            return code.code(made)
        name = part.get("name") if part.kind == "method_invocation" else None
        return _FACTORIES.get(code.text[part.start : name.end], "") if name is not None else ""
    if code.language == "kotlin":
        callee = code.code(part.children[0]) if part.kind == "call_expression" else ""
        is_plain = len(part.children) == 2 and part.children[1].kind == "value_arguments"
        return "client" if is_plain and (_CLASSES.fullmatch(callee) or callee in _FACTORIES) else ""
    callee_part = part.get("constructor") or part.get("function")
    if callee_part is None or part.kind not in ("new_expression", "call_expression"):
        return ""
    callee = code.code(callee_part)
    imported = {each.name for each in declared if each.kind == IMPORTED and each.start == 0}
    last = callee.rpartition(".")[2]
    wanted = r"create\w*" if part.kind == "call_expression" else r"[A-Z]\w*"
    is_path = re.fullmatch(r"[\w.]+", callee) is not None
    return "client" if is_path and callee.partition(".")[0] in imported and re.fullmatch(wanted, last) else ""


def _needs(code: Code, part: Part, declared: list[Declaration]) -> tuple[Declaration, ...] | None:
    """The variables of functions that an expression mentions; None if some cannot be handed over."""
    found: dict[str, Declaration] = {}
    known = {each.name for each in declared}
    for mention in mentions(code):
        if not part.start <= mention.start < part.end:
            continue
        around = [each for each in declared if each.name == mention.name and each.holds(mention.start)]
        inner = max(around, key=lambda each: (each.start, each.part.start), default=None)
        if inner is None:
            if mention.name == "it" or (code.language == "kotlin" and _is_member(mention.name, known)):
                return None
        elif not part.covers(inner.part) and (inner.kind == LOCAL and inner.start > 0):
            found[mention.name] = inner
        elif inner.kind != LOCAL and inner.start > 0 and code.language not in ("java", "kotlin"):
            return None
    return tuple(found.values())


def _is_member(name: str, known: set[str]) -> bool:
    """A name of Kotlin that the file does not declare may be a member of what a lambda receives."""
    return name[0].islower() and name not in known


# -- what is written -----------------------------------------------------------------------------------------


def _script_helper(code: Code, making: _Making, name: str) -> Move | None:
    parameters = ", ".join(each.name for each in making.needs)
    pieces: list[str | tuple[int, int]] = [f"\nfunction {name}({parameters}) {{\n  return "]
    return (
        len(code.text),
        len(code.text),
        [*pieces, (making.part.start, making.part.end), ";\n}\n"],
    )


def _java_helper(code: Code, making: _Making, name: str) -> Move | None:
    part = making.part
    owner = part.within(*_NAMED_CLASSES, "record_declaration", "interface_declaration")
    body = owner.get("body") if owner is not None else None
    types = [_java_type(code, each.part) for each in making.needs]
    if body is None or body.kind != "class_body" or not all(types):
        return None
    if part.within("explicit_constructor_invocation", "enum_constant", "annotation") is not None:
        return None
    member = next(each for each in part.above if each.parent is body or each.parent is None)
    is_static = any(child.kind == "modifiers" and "static" in code.code(child) for child in member.children)
    is_static = is_static or member.kind == "static_initializer"
    parameters = ", ".join(f"{kind} {each.name}" for kind, each in zip(types, making.needs, strict=True))
    head = f"\n    private {'static ' if is_static else ''}{making.made} {name}({parameters}) {{\n        return "
    return body.end - 1, body.end - 1, [head, (part.start, part.end), ";\n    }\n"]


def _java_type(code: Code, name: Part) -> str:
    """The declared type of a variable; empty if it is left to the compiler."""
    holder = name.parent
    if holder is not None and holder.kind == "variable_declarator":
        holder = holder.parent
    written = holder.get("type") if holder is not None else None
    text = code.code(written) if written is not None and holder is not None else ""
    return "" if text == "var" or (holder is not None and holder.kind == "spread_parameter") else text


def _kotlin_helper(code: Code, making: _Making, name: str) -> Move | None:
    part = making.part
    body = part.within(*_BODIES)
    types = [_kotlin_type(code, each.part) for each in making.needs]
    if not all(types) or part.within("class_parameters", "constructor_delegation_call", "delegation_specifier"):
        return None
    receivers = part.within("object_literal")
    if receivers is not None:
        return None
    parameters = ", ".join(f"{each.name}: {kind}" for kind, each in zip(types, making.needs, strict=True))
    margin = "    " if body is not None else ""
    head = f"\n{margin}private fun {name}({parameters}) = "
    at = body.end - 1 if body is not None else len(code.text)
    return at, at, [head, (part.start, part.end), "\n"]


def _kotlin_type(code: Code, name: Part) -> str:
    holder = name.parent
    kinds = ("user_type", "nullable_type", "function_type")
    found = next((each for each in holder.children if each.kind in kinds), None) if holder is not None else None
    return code.code(found) if found is not None else ""
