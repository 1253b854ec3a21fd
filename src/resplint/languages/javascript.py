"""JavaScript and TypeScript become facts: the order of the steps, and the jumps."""

from __future__ import annotations

from typing import Final

from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.languages import javascript_blocks, javascript_scopes, javascript_types
from resplint.languages.common import comments, jumps
from resplint.languages.javascript_bindings import Bindings
from resplint.languages.javascript_modules import Modules
from resplint.languages.javascript_prototypes import Prototypes
from resplint.languages.javascript_values import BUILDERS
from resplint.languages.lowering import Lowering

_JUMPS: Final[tuple[tuple[str, facts.JumpKind], ...]] = (
    ("jump.return", "return"),
    ("jump.raise", "raise"),
    ("expr.yield", "yield"),
)
_LABELLED: Final[tuple[tuple[str, facts.JumpKind], ...]] = (("jump.break", "break"), ("jump.continue", "continue"))

LISTED = frozenset(
    {
        "expr.call",
        "expr.new",
        "expr.function",
        "expr.assigned",
        "expr.operation",
        "expr.choice",
        "expr.yield",
    }
)
LEAVES = frozenset({"expr.name", "expr.integer", "expr.true", "expr.false", "expr.none"})


def lower(low: Lowering) -> None:
    """Fill `low` from the matches it has read."""
    javascript_types.narrow_nullable(low)
    definitions = javascript_scopes.declare(low)
    prototypes = Prototypes(low, definitions)
    prototypes.find()
    javascript_blocks.declare(low)
    low.regions.close()
    for entry in low.each("expr.await"):  # what stands in parentheses is awaited, too
        low.resolve(entry.node)
    modules = Modules(low)
    modules.find()
    javascript_scopes.record(low, definitions)
    modules.record()
    Bindings(low, modules, prototypes).record(definitions)
    modules.record_unnamed()
    modules.record_exports()
    for entry in low.each("expr.new"):
        low.expr(entry.node)
    low.imports.sort(key=lambda item: item.start)
    _jumps(low)
    comments(low)


def _jumps(low: Lowering) -> None:
    jumps(low, _JUMPS)
    for main, kind in _LABELLED:
        for entry in low.each(main):
            start = entry.node.start_byte
            low.jumps.append(facts.Jump(kind, NONE, low.regions.block_at(start), start))
    for entry in low.each("expr.function"):
        body = entry.parts["body"][0]
        if entry.node.type == "arrow_function" and body.type != "statement_block":
            block = low.regions.block_at(body.start_byte)
            low.jumps.append(facts.Jump("return", low.expr(body), block, body.start_byte))


__all__ = ["BUILDERS", "lower"]
