"""What a check decides about a place: a finding, or the reason why there is none. `check` gives the findings alone;
`resplint why` shows both, so what it says is what was decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from resplint.contracts.findings import Finding, Place


@dataclass(frozen=True)
class Silence:
    """A rule looked at a place and reports nothing there; `reason` is a sentence that says why."""

    rule: str
    place: Place
    reason: str


Decision = Finding | Silence


def findings(decisions: Iterable[Decision]) -> Iterator[Finding]:
    """The decisions that are reported."""
    return (one for one in decisions if isinstance(one, Finding))
