"""The command line: what to measure, and where the results go."""

from __future__ import annotations

import argparse
import datetime
import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from speed import applications, contest, growing, records, render, rule_cost, verify
from speed.corpus import ALL, ROOT, group_names, prepare
from speed.process import BenchError
from speed.tools import Tools, install, versions

OUTPUT = ROOT / "benchmarks"
GROWTH, HOOK, TREES, MEMORY, RULES = "growth", "hook", "trees", "memory", "rules"
APPLICATIONS = (TREES, MEMORY)
"""The parts of a run over application repositories beside other tools."""
QUICK_SIZES = (1_000, 5_000, 20_000)


def main() -> int:
    arguments = _arguments()
    work: Path = arguments.work.absolute()
    work.mkdir(parents=True, exist_ok=True)
    try:
        if arguments.render:
            write(records.load(OUTPUT / "results.json"), OUTPUT)
            return 0
        parts = arguments.only or _usual_parts(arguments)
        tools = install(work) if set(parts) - {RULES} else Tools(work)
        rounds = 1 if arguments.quick else arguments.rounds
        results = _earlier(OUTPUT)
        if set(parts) - {*APPLICATIONS, RULES}:
            measured = measure(parts, tools, rounds, quick=arguments.quick)
            results = msgspec.structs.replace(measured, applications=results.applications, rules=results.rules)
        if set(parts) & set(APPLICATIONS):
            found = measure_applications(parts, arguments.trees, tools, rounds)
            results = msgspec.structs.replace(results, applications=found)
        if RULES in parts:
            results = msgspec.structs.replace(results, rules=measure_rules(arguments.trees, tools, rounds))
    except (BenchError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    partly = (arguments.quick or arguments.only) and not arguments.record
    target = work / "quick" if partly else OUTPUT
    target.mkdir(exist_ok=True)
    records.save(results, target / "results.json")
    write(results, target)
    print(render.summary(results, applications_only=not set(parts) - {*APPLICATIONS, RULES}))
    print(f"Written to {target}" + (": not all was measured, so the repository's results stay" if partly else ""))
    return 0


def measure(parts: Sequence[str], tools: Tools, rounds: int, *, quick: bool) -> records.Results:
    """Everything that `parts` names: groups, `hook`, `growth`."""
    groups = prepare(parts, tools.work)
    print("Checking that every rule finds what it is for", file=sys.stderr, flush=True)
    verify.check_rules(tools)
    machine = _machine()
    contests = [contest.compete(group, tools.work / "corpus" / name, tools, rounds) for name, group in groups.items()]
    return records.Results(
        date=datetime.date.today().isoformat(),
        commit=_commit(),
        machine=machine,
        versions={**versions(), "tree-sitter": importlib.metadata.version("tree-sitter")},
        rounds=rounds,
        contests=contests,
        hook=growing.hook(tools, rounds) if HOOK in parts else None,
        growth=growing.growth(tools, QUICK_SIZES if quick else growing.SIZES, min(rounds, growing.RUNS))
        if GROWTH in parts
        else [],
    )


def measure_applications(parts: Sequence[str], folder: Path | None, tools: Tools, rounds: int) -> records.Applications:
    """The trees in `folder` and the memory that large generated ones take, as far as `parts` names them."""
    machine = _machine()
    return records.Applications(
        date=datetime.date.today().isoformat(),
        commit=_commit(),
        machine=machine,
        rounds=rounds,
        trees=applications.measure(folder, tools, rounds) if TREES in parts and folder is not None else [],
        memory=growing.growth(tools, growing.MEMORY_SIZES, 1) if MEMORY in parts else [],
    )


def measure_rules(folder: Path, tools: Tools, rounds: int) -> records.RuleCosts:
    """What the rules of the default cost on the trees in `folder`."""
    machine = _machine()
    return records.RuleCosts(
        date=datetime.date.today().isoformat(),
        commit=_commit(),
        machine=machine,
        rounds=rounds,
        trees=rule_cost.measure(folder, tools, rounds),
    )


def write(results: records.Results, folder: Path) -> None:
    """The page and the plots."""
    # Not before everything is measured: it is large, and what is forked from this process begins with its size.
    from speed import plot  # noqa: PLC0415

    tried = (OUTPUT / "tried.md").read_text("utf-8")
    (folder / "RESULTS.md").write_text(render.page(results, tried), "utf-8")
    if len(results.contests) > 1:
        plot.speed(results.contests, folder / "speed.svg")
    if results.growth:
        plot.growth(results.growth, folder / "growth.svg")


def _usual_parts(arguments: argparse.Namespace) -> list[str]:
    """What is measured unless the user says: with `--trees` only what is about them."""
    if arguments.trees is not None:
        return [*APPLICATIONS, RULES]
    # The sum of all groups takes as long as they do together, and says little more: only on request.
    return [*(name for name in group_names() if name != ALL), HOOK, GROWTH]


def _earlier(folder: Path) -> records.Results:
    """The results of the repository, of which a run of some parts leaves the others alone."""
    return records.load(folder / "results.json")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench", description="Time resplint and other tools side by side.")
    parser.add_argument(
        "--rounds", type=int, default=int(os.environ.get("BENCH_ROUNDS") or 5), help="rounds of each group"
    )
    parser.add_argument("--quick", action="store_true", help="one round, small trees; the repository's results stay")
    parser.add_argument(
        "--only",
        type=lambda text: text.split(","),
        help="groups, hook, growth, trees, memory, rules: with commas between",
    )
    parser.add_argument("--trees", type=Path, help="a folder with checkouts of benchmarks/trees.toml, named owner+name")
    parser.add_argument("--record", action="store_true", help="let a run of some parts be the repository's results")
    parser.add_argument("--render", action="store_true", help="write the page and plots again from results.json")
    parser.add_argument("--work", type=Path, default=ROOT / ".work" / "bench", help="for downloads, tools and trees")
    arguments = parser.parse_args()
    known = {*group_names(), HOOK, GROWTH, *APPLICATIONS, RULES}
    if unknown := set(arguments.only or ()) - known:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    if {TREES, RULES} & {*(arguments.only or ())} and arguments.trees is None:
        parser.error("the application trees are in a folder of yours: TREES=DIR")
    if arguments.rounds < 1:
        parser.error("at least one round")
    return arguments


def _machine() -> records.Machine:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return records.Machine(
        processors=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        memory_gb=memory,
        system=f"{platform.system()} {platform.machine()}",
        python=platform.python_version(),
        load=os.getloadavg()[0],
    )


def _commit() -> str:
    """What is measured; a `+` says that the sources were changed since."""

    def git(*arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    try:
        changed = git("status", "--porcelain", "--", "src", "rules")
        return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.CalledProcessError):
        return "not a checkout"


if __name__ == "__main__":
    sys.exit(main())
