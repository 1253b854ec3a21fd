"""What is to be reached, and by how much it is or is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from speed.figures import ratios, slope, spread
from speed.process import Sample
from speed.records import Contest, Results, Size
from speed.tools import AST_GREP, COLD, PARSING, RG, SEMGREP, WARM

MEMORY_AT = 100_000
LINEAR = 1.1
"""A slope up to here counts as linear: start-up makes it smaller, caches of the processor larger."""


class Verdict(msgspec.Struct, frozen=True):
    """A goal with the worst figure for it, written out, and where that was. `share` is how much of the goal was
    reached: 1 or more is met.
    """

    goal: str
    figure: str
    where: str
    share: float

    @property
    def words(self) -> str:
        """`met`, or by how much it is missed."""
        return "met" if self.share >= 1 else f"missed by {max(1, round((1 / self.share - 1) * 100))} %"


def verdicts(results: Results) -> list[Verdict]:
    """Every goal that something was measured for. Ratios are medians over the rounds; the worst group counts."""
    sparse = [each for each in results.contests if each.group.name.startswith("sparse-")]
    dense = [each for each in results.contests if each.group.name.startswith("dense-")]
    found = [
        *_at_least(10, "Sparse: at least 10 times as fast as ast-grep, cold", sparse, AST_GREP),
        *_at_least(15, "Sparse: at least 15 times as fast as Semgrep CE, cold", sparse, SEMGREP),
        *_at_most(6, "Sparse: at most 6 times `rg -l -i redis`, cold", sparse, COLD, RG),
        *_at_most(1, "Dense: not slower than ast-grep, cold", dense, COLD, AST_GREP),
        *_at_most(3, "Dense: at most 3 times bare parsing, cold", dense, COLD, PARSING),
        *_at_most(1 / 3, "Warm cache: at most a third of cold", sparse + dense, WARM, COLD),
    ]
    if results.hook is not None:
        name, wall_s = _worst(results.hook.samples)
        goal = f"One file in a hook: at most 0.25 s, warm project of {results.hook.files:,} files"
        found.append(Verdict(goal, f"{wall_s:.2f} s", name, 0.25 / wall_s))
    found += _growth(results.growth)
    return found


def ratio(contest: Contest, above: str, below: str) -> float:
    """The median over the rounds of how many times as long `above` takes as `below`."""
    return ratios(walls(contest.samples[above]), walls(contest.samples[below])).middle


def walls(samples: list[Sample]) -> list[float]:
    return [each.wall_s for each in samples]


def middle(samples: list[Sample], figure: Callable[[Sample], float]) -> float:
    """The median of one figure of some runs."""
    return spread([figure(each) for each in samples]).middle


def growth_slope(growth: list[Size]) -> float:
    """The exponent with which the time of a cold scan grows with the number of files."""
    return slope([each.files for each in growth], [fastest(each.cold) for each in growth])


def fastest(samples: list[Sample]) -> float:
    """The shortest time of some runs: what else the machine does only ever adds to it."""
    return min(walls(samples))


def _at_least(times: float, goal: str, contests: list[Contest], other: str) -> Iterator[Verdict]:
    if contests:
        value, name = min((ratio(each, other, COLD), each.group.name) for each in contests)
        yield Verdict(goal, f"{value:.1f} times", name, value / times)


def _at_most(times: float, goal: str, contests: list[Contest], above: str, below: str) -> Iterator[Verdict]:
    if contests:
        value, name = max((ratio(each, above, below), each.group.name) for each in contests)
        yield Verdict(goal, f"{value:.2f} times", name, times / value)


def _worst(cases: dict[str, list[Sample]]) -> tuple[str, float]:
    wall_s, name = max((middle(samples, lambda each: each.wall_s), name) for name, samples in cases.items())
    return name, wall_s


def _growth(growth: list[Size]) -> Iterator[Verdict]:
    if len(growth) > 1:
        value = growth_slope(growth)
        sizes = f"{growth[0].files:,} to {growth[-1].files:,} files"
        yield Verdict(
            "Time grows linearly with the number of files (slope 1)", f"slope {value:.2f}", sizes, LINEAR / value
        )
    for each in growth:
        if each.files == MEMORY_AT:
            peak_mb = middle(each.cold, lambda sample: sample.peak_mb)
            goal = f"At most 300 MB a process at {MEMORY_AT:,} files"
            yield Verdict(goal, f"{peak_mb:.0f} MB", "cold", 300 / peak_mb)
