"""TypeScript's types where they matter before expressions are built."""

from __future__ import annotations

from resplint.languages.javascript_values import operands
from resplint.languages.lowering import Lowering

_NOTHING = ("null", "undefined")


def narrow_nullable(low: Lowering) -> None:
    """``Redis | null`` is a Redis: the type is a wrapper around the one that is something."""
    seen: set[int] = set()
    for entry in low.each("expr.operation"):  # outer ones first, so that chains are walked once
        node = entry.node
        if node.type != "union_type" or node.id in seen:
            continue
        left = node
        while left.type == "union_type":
            seen.add(left.id)
            if not left.named_children:
                break
            left = left.named_children[0]
        parts = [part for part in operands(low, node, "|") if low.resolve(part).type not in _NOTHING]
        if len(parts) == 1:
            low.aliases[node.id] = parts[0]
