"""Cost over size: generated trees, each the one before with more in it; and one file in a hook."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from speed import trees
from speed.corpus import git
from speed.process import BenchError, Sample
from speed.records import Hook, Size
from speed.tools import COLD, Tools

SIZES = (1_000, 5_000, 20_000, 50_000, 100_000, 200_000)
MEMORY_SIZES = (100_000, 200_000)
RUNS = 3
HOOK_FILES = 5_000
UNCHANGED, PLAIN, REDIS = "nothing changed", "a changed file without Redis", "a changed file with Redis"


def growth(tools: Tools, sizes: Sequence[int], runs: int) -> list[Size]:
    """Scans of trees of `sizes` files, in rising order, `runs` times each, cold and warm by turns."""
    found: list[Size] = []
    with tempfile.TemporaryDirectory(prefix="growth-", dir=tools.work) as temporary:
        root, warm = Path(temporary, "tree"), Path(temporary, "warm")
        _repository(root)
        present = size = 0
        for files in sizes:
            size += trees.grow(root, present, files)
            present = files
            shutil.rmtree(warm, ignore_errors=True)
            _expect(tools.resplint(root, warm).run(root).output, files)
            cold_runs, warm_runs = [], []
            for _ in range(runs):
                cold_runs.append(tools.time(COLD, root).sample)
                warm_runs.append(tools.resplint(root, warm).run(root).sample)
            found.append(Size(files, size, trees.naming(files), cold_runs, warm_runs))
            print(f"  {files:,} files: {min(each.wall_s for each in cold_runs):.2f} s", file=sys.stderr, flush=True)
    return found


def hook(tools: Tools, rounds: int) -> Hook:
    """`resplint scan --whole-project FILE` in a repository that was scanned before.

    A changed file has other contents in each round, never seen before.
    """
    with tempfile.TemporaryDirectory(prefix="hook-", dir=tools.work) as temporary:
        root, warm = Path(temporary, "project"), Path(temporary, "warm")
        _repository(root)
        trees.grow(root, 0, HOOK_FILES)
        git(root, "add", "--all")
        git(root, "commit", "--quiet", "--message", "The project")
        _expect(tools.resplint(root, warm).run(root).output, HOOK_FILES)
        plain, redis = (root / trees.path_of(number) for number in (1, trees.REDIS_FILES[1]))
        tools.resplint(redis, warm, "--whole-project").run(root)
        cases = {UNCHANGED: redis, PLAIN: plain, REDIS: redis}
        samples: dict[str, list[Sample]] = {name: [] for name in cases}
        for turn in range(rounds):
            for name, path in cases.items():
                if name != UNCHANGED:
                    path.write_text(path.read_text("utf-8") + f"\n\nROUND_{turn} = {turn}\n", "utf-8")
                samples[name].append(tools.resplint(path, warm, "--whole-project").run(root).sample)
            # So that the file of the first case is not new to the cache in the next round.
            tools.resplint(redis, warm, "--whole-project").run(root)
        print(f"  hook: {rounds} rounds", file=sys.stderr, flush=True)
        return Hook(HOOK_FILES, samples)


def _expect(output: bytes, files: int) -> None:
    """A scan that did not see the tree would be fast for nothing."""
    if f'"files_discovered": {files}'.encode() not in output or b'"RL104"' not in output:
        raise BenchError(f"the scan of {files:,} generated files did not find what is in them: its time means nothing")


def _repository(folder: Path) -> None:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet")
