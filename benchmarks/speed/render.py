"""`RESULTS.md`, from what was measured."""

from __future__ import annotations

from collections.abc import Sequence

from speed.corpus import ALL
from speed.figures import Spread, ratios, slope
from speed.goals import fastest, growth_slope, middle, verdicts, walls
from speed.process import Sample
from speed.records import Contest, Hook, Results, Size
from speed.tools import AST_GREP, COLD, CONTESTANTS, SEMGREP
from speed.verify import SLUGS

OTHERS = tuple(name for name in CONTESTANTS if name != COLD)

_HOW = """\
## How it is measured

- `make bench` does everything: it fetches the packages of [corpus.toml](corpus.toml), installs the tools of
  [tools.txt](tools.txt) into an environment of their own, and writes `results.json`, from which this page and the plots
  are made.
- Every figure is of a whole process, start-up included, with its report written to a file. All contestants run in turn
  in each round, and ratios are taken within a round: a busy moment of the machine slows all of them. A spread is
  *median (min–max)* over the rounds.
- Every group is a git repository of its own, and everything in it is looked at by all (tests, declarations, minified
  and larger files are left out beforehand). Before anything is timed, every rule of the other tools must find something
  in the bad examples of its anti-pattern in `fixtures/`, and the tools must agree on the number of files.
- Files, Python's bytecode and the tools' own caches are warm in all cases. *Cold* means an empty cache of resplint's
  results, which the run then fills; *warm* that nothing has changed since.
- Semgrep CE runs with its default number of jobs, without network. *Parsing* is a plain loop in one process that parses
  the files which resplint selects, with the same grammars, and does nothing else. `rg -l` is `rg -l -i redis` over the
  same suffixes.
- CPU is user and system time of all processes; MB (1e6 bytes) the peak of resident memory of the largest one, no less
  than the some 30 MB of the process that starts it.
"""


def page(results: Results, tried: str) -> str:
    """The whole page; `tried` is its part that is written by hand."""
    parts = [_head(results), _goals(results), _speed(results.contests)]
    if results.hook is not None:
        parts.append(_hook(results.hook))
    if results.growth:
        parts.append(_growth(results.growth))
    parts += [_corpus(results.contests), _findings(results.contests), _HOW, tried]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def summary(results: Results) -> str:
    """What is printed at the end of a run."""
    parts = [_goals(results), _speed(results.contests)]
    parts += [_hook(results.hook)] if results.hook is not None else []
    parts += [_growth(results.growth, plots=False)] if results.growth else []
    return "\n".join([*parts, _findings(results.contests)])


def _head(results: Results) -> str:
    machine = results.machine
    versions = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    return f"""\
# Benchmark results

Written by `make bench`; what is written by hand comes from [tried.md](tried.md).

| | |
|---|---|
| Date, commit | {results.date}, {results.commit} |
| Machine | {machine.processors} processors, {machine.memory_gb:.0f} GB, {machine.system}, Python {machine.python} |
| Load before | {machine.load:.1f} |
| Tools | {versions} |
| Rounds | {results.rounds} |
"""


def _goals(results: Results) -> str:
    rows = [(each.goal, each.figure, each.where, each.words) for each in verdicts(results)]
    if not rows:
        return ""
    text = "## Goals\n\nThe worst group counts, by its median.\n\n"
    return text + _table(("goal", "measured", "where", ""), rows)


def _speed(contests: Sequence[Contest]) -> str:
    if not contests:
        return ""
    text = (
        "## Speed\n\n![Time of each tool compared with resplint](speed.svg)\n\n"
        if len(contests) > 1
        else "## Speed\n\n"
    )
    text += "How many times as long as resplint with a cold cache; less than 1 is faster.\n\n"
    rows = [
        (each.group.name, *(_spread(ratios(walls(each.samples[name]), walls(each.samples[COLD]))) for name in OTHERS))
        for each in contests
    ]
    text += _table(("group", *OTHERS), rows, right=OTHERS)
    text += "\nMedian seconds by the clock / of CPU, and peak MB of a process.\n\n"
    return text + _table(
        ("group", *CONTESTANTS),
        [(each.group.name, *(_absolute(each.samples[name]) for name in CONTESTANTS)) for each in contests],
        right=CONTESTANTS,
    )


def _hook(hook: Hook) -> str:
    rows = [
        (name, _seconds([each.wall_s for each in samples]), _absolute(samples))
        for name, samples in hook.samples.items()
    ]
    return (
        "## One file in a hook\n\n`resplint scan --whole-project FILE` in a generated repository of "
        f"{hook.files:,} files that was scanned before.\n\n"
        + _table(("case", "seconds", "clock / CPU, peak"), rows, right=("seconds", "clock / CPU, peak"))
    )


def _growth(growth: Sequence[Size], *, plots: bool = True) -> str:
    columns = (
        "files",
        "MB of source",
        "name Redis",
        "cold",
        "µs a file",
        "slope so far",
        "peak MB",
        "warm",
        "peak MB, warm",
    )
    rows = []
    for at, each in enumerate(growth):
        cold_s = fastest(each.cold)
        known = growth[max(0, at - 1) : at + 1]
        local = f"{slope([x.files for x in known], [fastest(x.cold) for x in known]):.2f}" if len(known) > 1 else ""
        rows.append(
            (
                f"{each.files:,}", f"{each.size / 1e6:.1f}", f"{each.naming:,}", f"{cold_s:.2f} s",
                f"{cold_s / each.files * 1e6:.0f}", local, f"{_peak(each.cold):.0f}", f"{fastest(each.warm):.2f} s",
                f"{_peak(each.warm):.0f}",
            )
        )  # fmt: skip
    text = "## Growth\n\nGenerated trees; the shortest of the runs, and the peak of a process.\n\n"
    if plots:
        text += "![Time and memory over the number of files](growth.svg)\n\n"
    text += _table(
        tuple(each.replace("slope so far", "slope from the row above") for each in columns), rows, right=columns
    )
    if len(growth) > 1:
        text += f"\nSlope of all (log-log, least squares): {growth_slope(list(growth)):.2f}.\n"
    return text


def _corpus(contests: Sequence[Contest]) -> str:
    rows = [
        (
            each.group.name, f"{each.group.files:,}", f"{each.group.size / 1e6:.1f}", f"{each.group.lines / 1e3:,.0f}",
            f"{each.group.naming:,}", f"{each.group.naming / each.group.files:.1%}", f"{each.selected:,}",
        )
        for each in contests
    ]  # fmt: skip
    columns = ("group", "files", "MB", "1,000 lines", "name Redis", "share", "parsed by resplint")
    return "## The corpus\n\n" + _table(columns, rows, right=columns[1:]) if rows else ""


def _findings(contests: Sequence[Contest]) -> str:
    """Counts over all groups; `all` would count everything twice."""
    groups = [each for each in contests if each.group.name != ALL] or contests
    if not groups:
        return ""
    rows = []
    for slug in SLUGS.values():
        counts = [sum(each.findings[tool][slug] for each in groups) for tool in (COLD, SEMGREP, AST_GREP)]
        rows.append((slug, *(f"{count:,}" for count in counts)))
    text = """\
## What was found

Counts over all groups. The rules of the other tools say what text and syntax can say; what they cannot stands above
each of them, in [rules/](rules): what a name stands for, how often code runs, which default holds, what others say.

"""
    return text + _table(("anti-pattern", "resplint", SEMGREP, AST_GREP), rows, right=("resplint", SEMGREP, AST_GREP))


# -- words ----------------------------------------------------------------------------------------------------------


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()) -> str:
    rule = ["---:" if name in right else "---" for name in head]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *rows))


def _spread(found: Spread) -> str:
    return f"{_number(found.middle)} ({_number(found.low)}–{_number(found.high)})"


def _number(value: float) -> str:
    """Three digits, whatever the size."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def _seconds(values: Sequence[float]) -> str:
    return _spread(ratios(values, [1.0] * len(values)))


def _absolute(samples: Sequence[Sample]) -> str:
    wall_s, cpu_s = (middle(list(samples), figure) for figure in (lambda each: each.wall_s, lambda each: each.cpu_s))
    return f"{_number(wall_s)} / {_number(cpu_s)} s, {_peak(samples):.0f} MB"


def _peak(samples: Sequence[Sample]) -> float:
    return middle(list(samples), lambda each: each.peak_mb)
