"""`RESULTS.md`, from what was measured."""

from __future__ import annotations

from collections.abc import Sequence

from speed.corpus import ALL
from speed.figures import Spread, ratios, slope, spread
from speed.goals import cpus, fastest, growth_slope, linking, middle, verdicts, walls
from speed.growing import REDIS, UNCHANGED
from speed.process import Sample
from speed.records import Application, Applications, Contest, Hook, Results, RuleCosts, Size
from speed.tools import AST_GREP, COLD, CONTESTANTS, PARSING, SEMGREP, TIMED
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
  the files which resplint selects, with the same grammars, and does nothing else; where stages are compared with it,
  the start of its process does not count. `rg -l` is `rg -l -i redis` over the same suffixes.
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
    if results.applications is not None:
        parts.append(_applications(results.applications))
    if results.rules is not None:
        parts.append(_rules(results.rules))
    parts += [_corpus(results.contests), _findings(results.contests), _HOW, tried]
    return "\n".join(part.strip("\n") + "\n" for part in parts if part)


def summary(results: Results, *, applications_only: bool = False) -> str:
    """What is printed at the end of a run."""
    parts = [_goals(results)]
    if not applications_only:
        parts.append(_speed(results.contests))
        parts += [_hook(results.hook)] if results.hook is not None else []
        parts += [_growth(results.growth, plots=False)] if results.growth else []
        parts.append(_findings(results.contests))
    parts += [_applications(results.applications)] if results.applications is not None else []
    parts += [_rules(results.rules)] if results.rules is not None else []
    return "\n".join(parts)


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


def _applications(found: Applications) -> str:
    machine = found.machine
    text = (
        "## Application repositories\n\n"
        f"`make bench TREES=DIR` on {found.date}, commit {found.commit}, rounds: {found.rounds};\n{machine.processors} "
        f"processors, {machine.memory_gb:.0f} GB, {machine.system}, Python {machine.python}, load before "
        f"{machine.load:.1f}.\nThe repositories of [trees.toml](trees.toml) as they are, tests and all: each tool\n"
        "leaves out what it leaves out by itself. All figures are CPU seconds or ratios of them, as\n"
        "*median (min–max)* over the rounds.\n\n"
    )
    if found.trees:
        tools = (AST_GREP, SEMGREP)
        columns = (
            "tree",
            "cold",
            *(f"÷ {name}" for name in tools),
            *tools,
            PARSING,
            "link + judge ÷ parsing",
            "files parsed",
        )
        text += _table(columns, [_scans(each.contest) for each in found.trees], right=columns[1:])
        stages = sorted({name for each in found.trees for run in each.contest.stages for name in run}, key=_turn)
        text += (
            "\nStages of the cold scans. What is before the first is the start of the process; worker processes count "
            "where they end.\n\n"
        )
        rows = [
            (each.contest.group.name, *(_number(_stage(each.contest, name)) for name in stages)) for each in found.trees
        ]
        text += _table(("tree", *stages), rows, right=stages)
    edited = [each for each in found.trees if each.hook is not None]
    if edited:
        columns = ("tree", UNCHANGED, REDIS, "editor", "editor, by the clock")
        text += (
            "\n`resplint scan --whole-project FILE` in a repository that was scanned before, and an edit in the\n"
            "language server, from the change to its diagnostics (by the clock with the pause for which it waits).\n"
            "One declaration that nothing uses is appended each time: the edit that costs least. One that others rest\n"
            "on is linked and judged anew.\n\n"
        )
        text += _table(columns, [_edits(each) for each in edited], right=columns[1:])
    if found.memory:
        columns = ("files", "cold, peak MB", "cold, CPU s", "warm, peak MB", "warm, CPU s")
        text += "\nGenerated trees: the peak of the largest process.\n\n"
        rows = [
            (f"{each.files:,}", *(one for runs in (each.cold, each.warm) for one in (f"{_peak(runs):.0f}", _cpu(runs))))
            for each in found.memory
        ]
        text += _table(columns, rows, right=columns)
    return text


def _rules(found: RuleCosts) -> str:
    machine = found.machine
    text = (
        "## What more rules cost\n\n"
        f"`make bench TREES=DIR ONLY=rules` on {found.date}, commit {found.commit}, rounds: {found.rounds};\n"
        f"{machine.processors} processors, {machine.memory_gb:.0f} GB, {machine.system}, Python {machine.python}, load "
        f"before {machine.load:.1f}.\nCPU seconds of linking, judging and locating in cold scans, as *median "
        f"(min–max)*: with {', '.join(TIMED[:-1])}\nand {TIMED[-1]}, and with all rules that run by default. Ratios "
        "are taken within a round.\n\n"
    )
    columns = ("tree", "the seven", "default", "more")
    rows = [
        (each.name, _seconds(each.timed), _seconds(each.default), _more(ratios(each.default, each.timed)))
        for each in found.trees
    ]
    timed = [sum(runs) for runs in zip(*(each.timed for each in found.trees), strict=True)]
    default = [sum(runs) for runs in zip(*(each.default for each in found.trees), strict=True)]
    rows.append(("all together", _seconds(timed), _seconds(default), _more(ratios(default, timed))))
    return text + _table(columns, rows, right=columns[1:])


def _more(found: Spread) -> str:
    """By how much more, in percent."""
    return f"{found.middle - 1:+.0%} ({found.low - 1:+.0%} to {found.high - 1:+.0%})"


def _scans(contest: Contest) -> tuple[str, ...]:
    samples = contest.samples
    return (
        contest.group.name,
        _cpu(samples[COLD]),
        *(_spread(ratios(cpus(samples[COLD]), cpus(samples[name]))) for name in (AST_GREP, SEMGREP)),
        *(_cpu(samples[name]) for name in (AST_GREP, SEMGREP)),
        _spread(spread(contest.parsing)),
        _spread(linking(contest)),
        f"{contest.selected:,} of {contest.group.files:,}",
    )


def _turn(stage: str) -> tuple[int, str]:
    """Where a stage stands among all; one that is new comes last."""
    known = ("discover", "search", "recall", "lower", "link", "judge", "locate")
    return (known.index(stage) if stage in known else len(known), stage)


def _stage(contest: Contest, name: str) -> float:
    return spread([each.get(name, 0.0) for each in contest.stages]).middle


def _edits(tree: Application) -> tuple[str, ...]:
    cases = tree.hook.samples if tree.hook is not None else {}
    editor = (_cpu(tree.editor), _seconds(walls(tree.editor))) if tree.editor else ("", "")
    return (tree.contest.group.name, *(_cpu(cases[name]) for name in (UNCHANGED, REDIS)), *editor)


def _cpu(samples: Sequence[Sample]) -> str:
    return _seconds(cpus(list(samples)))


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

Counts over all groups. These are the rules that every tool ran, resplint as well (`--select`), so that figures of
different dates can be compared; resplint has more of them since. The rules of the other tools say what text and syntax
can say; what they cannot stands above each of them, in [rules/](rules): what a name stands for, how often code runs,
which default holds, what others say.

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
