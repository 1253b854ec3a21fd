"""How often findings are right, from the verdicts that still match one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import msgspec

from wild.records import Row, Verdict

_Z = 1.96
"""Of the normal distribution, for an interval that holds the true share in 95 of 100 samples."""


class Tally(msgspec.Struct, frozen=True):
    """Verdicts of a group of findings."""

    right: int = 0
    wrong: int = 0
    unclear: int = 0

    @property
    def judged(self) -> int:
        """Those that could be decided."""
        return self.right + self.wrong

    @property
    def precision(self) -> float | None:
        """Share of the right ones among those that could be decided; None without any."""
        return self.right / self.judged if self.judged else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the precision."""
        if not self.judged:
            return None
        n, p = self.judged, self.right / self.judged
        middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
        half = _Z / (1 + _Z**2 / n) * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
        return max(0.0, middle - half), min(1.0, middle + half)

    def add(self, outcome: str) -> Tally:
        """With one verdict more."""
        return msgspec.structs.replace(self, **{outcome: getattr(self, outcome) + 1})


class Matched(msgspec.Struct, frozen=True):
    """Verdicts with the findings they are about, and those whose finding is gone or says something else of kind."""

    pairs: tuple[tuple[Verdict, Row], ...]
    lost: tuple[Verdict, ...]


def match(verdicts: Sequence[Verdict], rows: Sequence[Row]) -> Matched:
    """Find the finding of each verdict: the same package and fingerprint, hence the same rule at the same code."""
    known = {row.key: row for row in rows}
    pairs = [(verdict, known[verdict.key]) for verdict in verdicts if verdict.key in known]
    return Matched(tuple(pairs), tuple(verdict for verdict in verdicts if verdict.key not in known))


def tallies(matched: Matched, group: Callable[[Row], str]) -> Mapping[str, Tally]:
    """Verdicts by group of their findings, as these are now."""
    found: defaultdict[str, Tally] = defaultdict(Tally)
    for verdict, row in matched.pairs:
        found[group(row)] = found[group(row)].add(verdict.verdict)
    return dict(sorted(found.items()))
