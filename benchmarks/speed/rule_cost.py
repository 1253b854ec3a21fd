"""What the rules that run by default cost beside the seven that every contestant runs."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from speed import applications, contest
from speed.corpus import ROOT
from speed.records import RuleCost
from speed.tools import TIMED, Tools

STAGES = ("link", "judge", "locate")
"""What rules cost: solving what they ask, judging, and looking up where their findings are."""


def measure(folder: Path, tools: Tools, rounds: int) -> list[RuleCost]:
    """Scan every tree of `benchmarks/trees.toml` with the seven rules and with those of the default, in turn."""
    found = []
    for tree, root in applications.prepare(folder, tools.work).items():
        few, default = [], []
        for turn in range(rounds):
            few.append(_seconds(root, tools, TIMED))
            default.append(_seconds(root, tools, ()))
            print(f"  {tree.name}: rules, round {turn + 1} of {rounds}", file=sys.stderr, flush=True)
        found.append(RuleCost(tree.name, tree.commit, few, default))
    return found


def _seconds(root: Path, tools: Tools, select: tuple[str, ...]) -> float:
    """Processor time of the stages in one cold scan."""
    cache = Path(tempfile.mkdtemp(prefix="cache-", dir=tools.work))
    try:
        stages = contest.stage_times(tools.resplint(root, cache, select=select).run(ROOT))
    finally:
        shutil.rmtree(cache, ignore_errors=True)
    return sum(stages.get(name, 0.0) for name in STAGES)
