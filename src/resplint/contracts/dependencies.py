"""What a manifest of the project says about one dependency."""

from __future__ import annotations

from dataclasses import dataclass

from resplint.contracts.findings import Place


@dataclass(frozen=True, slots=True)
class Declared:
    """Where a manifest asks for a distribution, with which optional parts; `text` is the whole manifest."""

    place: Place
    line: int
    extras: frozenset[str]
    text: str
