"""Texts that no person wrote, the same ones each time, for values that were computed elsewhere."""

from __future__ import annotations

import random

_PIECES = (
    "a", "b", "  ", "\t", "\n", "\r", "\r\n", "\n\n", "x = 1", "client.get(key)\n", "// note", "é", "日本",
    "\U0001f9c2", "\ufeff", "\u2028", "\f", "\0", "\uffff", "0123456789" * 11, " " * 7, "\r\r\n", "}\n",
)  # fmt: skip
COUNT = 1_000


def random_text(number: int) -> str:
    """Text `number` of `COUNT`: up to 120 pieces, some repeated, with every line end there is."""
    rng = random.Random(number)
    text = "".join(rng.choice(_PIECES) * rng.choice((1, 1, 1, 2, 5)) for _ in range(rng.randrange(120)))
    return text * rng.choice((1, 1, 1, 3))
