"""All contestants on one group of the corpus, round by round."""

from __future__ import annotations

import sys
from pathlib import Path

from speed.corpus import Group
from speed.process import BenchError, Sample
from speed.records import Contest
from speed.tools import AST_GREP, COLD, CONTESTANTS, RG, SEMGREP, WARM, Tools
from speed.verify import findings, looked_at

_SAME_FILES = 0.005
"""The share of files by which tools may differ: each has its own idea of generated or broken ones."""


def compete(group: Group, folder: Path, tools: Tools, rounds: int) -> Contest:
    """Time every contestant `rounds` times; each round begins with another one.

    A round before them, which is not timed, brings the files into memory, fills the warm cache and tells what tools
    look at and find.
    """
    selected = tools.select(folder)
    seen, found = {}, {}
    tools.time(WARM, folder)
    for name in (COLD, SEMGREP, AST_GREP):
        run = tools.time(name, folder)
        seen[name], found[name] = looked_at(name, run), findings(name, run)
    seen[RG] = looked_at(RG, tools.rg_files(folder).run(folder))
    _same_files(group, seen)
    samples: dict[str, list[Sample]] = {name: [] for name in CONTESTANTS}
    for turn in range(rounds):
        at = turn % len(CONTESTANTS)
        for name in CONTESTANTS[at:] + CONTESTANTS[:at]:
            samples[name].append(tools.time(name, folder).sample)
        print(f"  {group.name}: round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
    return Contest(group, selected, seen, found, samples)


def _same_files(group: Group, seen: dict[str, int]) -> None:
    for name, files in seen.items():
        if abs(files - group.files) > max(2, group.files * _SAME_FILES):
            raise BenchError(f"{name} looked at {files} files of {group.name}, which has {group.files}: not comparable")
