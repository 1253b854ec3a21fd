"""The capture names that a language's queries may use.

A pattern has one *main* capture, whose prefix says which kind of fact the node becomes, and *part* captures that name
its children. The lowering of every language understands the same names; a query file that uses another one is refused.
"""

from __future__ import annotations

MAIN_CAPTURES: dict[str, str] = {
    "expr.call": "call site: callee, arguments",
    "expr.new": "object made of a class: callee, arguments, body",
    "expr.member": "member access: object, name",
    "expr.reference": "method named without being called: object, name",
    "expr.this": "the object whose method this is",
    "expr.super": "the same object, seen as its base class",
    "expr.index": "element access: object, key",
    "expr.name": "bare name",
    "expr.text": "string literal, with or without holes",
    "expr.texts": "string literals joined by juxtaposition",
    "expr.integer": "integer literal",
    "expr.float": "floating-point literal",
    "expr.true": "the literal true",
    "expr.false": "the literal false",
    "expr.none": "the literal for no value",
    "expr.operation": "operator with operands",
    "expr.choice": "conditional expression",
    "expr.signature": "type of a function: what its parameters are",
    "expr.collection": "list, tuple, set or map written out",
    "expr.generated": "comprehension",
    "expr.function": "function written in place: parameters, body",
    "expr.same": "wrapper that changes nothing: inner",
    "expr.await": "awaited expression: inner",
    "expr.assigned": "assignment used as an expression: target, value",
    "expr.yield": "value handed out by a generator, or by a branch of a switch",
    "scope.function": "function definition: name, parameters, body",
    "scope.class": "class definition: name, bases, body",
    "scope.decorated": "definition with decorators: definition",
    "block.for": "loop over data: target, head, body",
    "block.while": "loop under a condition: head, body",
    "block.if": "branch: head, body",
    "block.else": "other branch: body",
    "block.case": "branch of a match, or all of them: head, body",
    "block.try": "guarded statements: body",
    "block.except": "handler: body",
    "block.finally": "clean-up: body",
    "block.with": "managed resource: body",
    "bind.assign": "assignment: target, value, annotation",
    "bind.local": "declaration of a local name: target, value, annotation",
    "bind.field": "declaration of a field: target, value, annotation",
    "bind.other": "declaration whose parts the adapter reads from the node",
    "bind.augment": "augmented assignment: target, operator, value",
    "bind.cast": "value that is taken for one of a type: value, annotation",
    "bind.with": "managed resource bound to a name: value, target",
    "import.module": "import of a module",
    "import.names": "import of names from a module: module",
    "import.call": "call that loads a module",
    "import.choice": "call that loads one of several modules",
    "export": "what a module hands out",
    "package": "package that the file belongs to",
    "declare.global": "names of this scope that belong to the module",
    "declare.nonlocal": "names of this scope that belong to an enclosing function",
    "jump.return": "return",
    "jump.raise": "raise or throw",
    "jump.break": "break",
    "jump.continue": "continue",
    "comment": "comment",
}
"""Main capture -> what it stands for and its part captures."""

PART_CAPTURES = frozenset(
    {
        "callee", "arguments", "object", "name", "key", "target", "value", "annotation", "operator", "head", "body",
        "parameters", "bases", "inner", "definition", "module", "returns",
    }
)  # fmt: skip
"""Captures that name a child of the main capture's node."""
