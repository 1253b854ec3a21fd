"""All contestants on one group of the corpus, round by round."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from speed.corpus import Group
from speed.process import BenchError, Run, Sample
from speed.records import Contest
from speed.tools import AST_GREP, COLD, CONTESTANTS, PARSING, RG, SEMGREP, WARM, Tools
from speed.verify import findings, looked_at

LOOKING = (COLD, SEMGREP, AST_GREP)
"""Those that tell what they looked at and found."""
_CPU = " (CPU s)"
_SAME_FILES = 0.005
"""The share of files by which tools may differ: each has its own idea of generated or broken ones."""


def compete(group: Group, folder: Path, tools: Tools, rounds: int, *, alike: bool = True) -> Contest:
    """Time every contestant `rounds` times; each round begins with another one.

    A scan before them, which is not timed, brings the files into memory and fills the warm cache. Unless the tools may
    differ in what they look at, it is an error when they do (`alike`).
    """
    selected = tools.select(folder)
    tools.time(WARM, folder)
    seen = {RG: looked_at(RG, tools.rg_files(folder).run(folder))}
    found: dict[str, dict[str, int]] = {}
    samples: dict[str, list[Sample]] = {name: [] for name in CONTESTANTS}
    stages: list[dict[str, float]] = []
    parsing: list[float] = []
    for turn in range(rounds):
        at = turn % len(CONTESTANTS)
        for name in CONTESTANTS[at:] + CONTESTANTS[:at]:
            run = tools.time(name, folder)
            samples[name].append(run.sample)
            if name == COLD:
                stages.append(stage_times(run))
            elif name == PARSING:
                parsing.append(float(run.output))
            if name in LOOKING and name not in seen:
                seen[name], found[name] = looked_at(name, run), findings(name, run)
        if alike:
            _same_files(group, seen)
        print(f"  {group.name}: round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    return Contest(group, selected, seen, found, samples, stages, parsing)


def stage_times(run: Run) -> dict[str, float]:
    """Processor time by stage of a scan, as its report tells."""
    told: dict[str, float] = msgspec.json.decode(run.output)["statistics"]
    return {name.removesuffix(_CPU): seconds for name, seconds in told.items() if name.endswith(_CPU)}


def _same_files(group: Group, seen: dict[str, int]) -> None:
    for name, files in seen.items():
        if abs(files - group.files) > max(2, group.files * _SAME_FILES):
            raise BenchError(f"{name} looked at {files} files of {group.name}, which has {group.files}: not comparable")
