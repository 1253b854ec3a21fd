"""What is to be reached, and by how much it is or is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from speed.figures import Spread, ratios, slope, spread
from speed.growing import REDIS, UNCHANGED
from speed.process import Sample
from speed.records import Application, Applications, Contest, Results, Size
from speed.tools import AST_GREP, COLD, PARSING, RG, SEMGREP, WARM

MEMORY_MB = {100_000: 300, 200_000: 400}
"""The most that a process may take, by files."""
LINKING = ("link", "judge")
"""The stages that follow clients."""
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
        *_at_least(3, "Sparse: at most a third of ast-grep's CPU, cold", sparse, AST_GREP, cpus),
        *_at_least(15, "Sparse: at least 15 times as fast as Semgrep CE, cold", sparse, SEMGREP),
        *_at_most(6, "Sparse: at most 6 times `rg -l -i redis`, cold", sparse, COLD, RG),
        *_at_most(1, "Dense: not slower than ast-grep, cold", dense, COLD, AST_GREP),
        *_at_most(10, "Dense: at most 10 times the CPU of bare parsing, cold", dense, COLD, PARSING, cpus),
        *_at_most(1 / 3, "Warm cache: at most a third of cold", sparse + dense, WARM, COLD),
    ]
    if results.hook is not None:
        name, wall_s = _worst(results.hook.samples)
        goal = f"One file in a hook: at most 0.25 s, warm project of {results.hook.files:,} files"
        found.append(Verdict(goal, f"{wall_s:.2f} s", name, 0.25 / wall_s))
    found += _growth(results.growth)
    if results.applications is not None:
        found += _applications(results.applications)
    # Large trees that were measured with the applications stand for themselves, as those of all growth may be older.
    memory = results.applications.memory if results.applications is not None else []
    found += _memory([*memory, *(each for each in results.growth if each.files not in {one.files for one in memory})])
    return found


def walls(samples: list[Sample]) -> list[float]:
    return [each.wall_s for each in samples]


def cpus(samples: list[Sample]) -> list[float]:
    return [each.cpu_s for each in samples]


Figures = Callable[[list[Sample]], list[float]]


def ratio(contest: Contest, above: str, below: str, figures: Figures = walls) -> float:
    """The median over the rounds of how many times as much `above` takes as `below`."""
    return ratios(figures(contest.samples[above]), figures(contest.samples[below])).middle


def linking(contest: Contest) -> Spread:
    """What linking and judging cost, as a multiple of bare parsing of the selected files."""
    spent = [sum(stages.get(name, 0.0) for name in LINKING) for stages in contest.stages]
    return ratios(spent, contest.parsing)


def middle(samples: list[Sample], figure: Callable[[Sample], float]) -> float:
    """The median of one figure of some runs."""
    return spread([figure(each) for each in samples]).middle


def growth_slope(growth: list[Size]) -> float:
    """The exponent with which the time of a cold scan grows with the number of files."""
    return slope([each.files for each in growth], [fastest(each.cold) for each in growth])


def fastest(samples: list[Sample]) -> float:
    """The shortest time of some runs: what else the machine does only ever adds to it."""
    return min(walls(samples))


def _at_least(
    times: float, goal: str, contests: list[Contest], other: str, figures: Figures = walls
) -> Iterator[Verdict]:
    if contests:
        value, name = min((ratio(each, other, COLD, figures), each.group.name) for each in contests)
        yield Verdict(goal, f"{value:.1f} times", name, value / times)


def _at_most(
    times: float, goal: str, contests: list[Contest], above: str, below: str, figures: Figures = walls
) -> Iterator[Verdict]:
    if contests:
        value, name = max((ratio(each, above, below, figures), each.group.name) for each in contests)
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


def _memory(sizes: list[Size]) -> Iterator[Verdict]:
    for each in sorted(sizes, key=lambda size: size.files):
        if each.files in MEMORY_MB:
            peak_mb, most = middle(each.cold, lambda sample: sample.peak_mb), MEMORY_MB[each.files]
            yield Verdict(
                f"At most {most} MB a process at {each.files:,} files", f"{peak_mb:.0f} MB", "cold", most / peak_mb
            )


def _applications(found: Applications) -> Iterator[Verdict]:
    """Processor time everywhere."""
    contests = [each.contest for each in found.trees]
    if contests:
        middling = spread([ratio(each, COLD, AST_GREP, cpus) for each in contests]).middle
        goal = "Applications: at most 0.6 times ast-grep's CPU, cold, in the median tree"
        yield Verdict(goal, f"{middling:.2f} times", f"{len(contests)} trees", 0.6 / middling)
    yield from _at_most(2, "Applications: at most twice ast-grep's CPU, cold, in each", contests, COLD, AST_GREP, cpus)
    yield from _at_most(1, "Applications: less CPU than Semgrep CE, cold, in each", contests, COLD, SEMGREP, cpus)
    for each in found.trees:
        if each.linking is not None and each.contest.stages:
            value, goal = (
                linking(each.contest).middle,
                f"Linking and judging: at most {each.linking:g} times bare parsing",
            )
            yield Verdict(goal, f"{value:.1f} times", each.contest.group.name, each.linking / value)
    hooks = [each for each in found.trees if each.hook is not None]
    yield from _seconds(
        0.8, "Hook: at most 0.8 s of CPU after an unused declaration in a file with Redis", hooks, _hooked(REDIS)
    )
    yield from _seconds(0.25, "Hook: at most 0.25 s of CPU when nothing changed", hooks, _hooked(UNCHANGED))
    edited = [each for each in found.trees if each.editor]
    yield from _seconds(
        0.4, "Editor: at most 0.4 s of CPU from an unused declaration to diagnostics", edited, lambda each: each.editor
    )


def _hooked(case: str) -> Callable[[Application], list[Sample]]:
    return lambda each: each.hook.samples[case] if each.hook is not None else []


def _seconds(
    most: float, goal: str, trees: list[Application], samples: Callable[[Application], list[Sample]]
) -> Iterator[Verdict]:
    if trees:
        value, name = max(
            (middle(samples(each), lambda sample: sample.cpu_s), each.contest.group.name) for each in trees
        )
        yield Verdict(goal, f"{value:.2f} s", name, most / max(value, 0.001))
