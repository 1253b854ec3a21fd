"""Whole applications, as their repositories have them: scans beside other tools, an edit in a hook and in an editor."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from speed import contest, editing
from speed.corpus import ALL, ROOT, describe, suffixes
from speed.growing import REDIS, UNCHANGED
from speed.process import BenchError, Sample
from speed.records import Application, Hook
from speed.tools import Command, Tools

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LIST = ROOT / "benchmarks" / "trees.toml"
_LINES = {
    ".py": "ROUND_{turn} = {turn}\n",
    ".java": "class Round{turn} {{}}\n",
    ".kt": "val round{turn} = {turn}\n",
    ".js": "const round{turn} = {turn};\n",
    ".ts": "export const round{turn} = {turn};\n",
}


class Tree(msgspec.Struct, frozen=True):
    """A repository of `benchmarks/trees.toml`."""

    owner: str
    repository: str
    commit: str
    edit: str | None = None
    linking: float | None = None

    @property
    def name(self) -> str:
        """As its checkout is called."""
        return f"{self.owner}+{self.repository}"


def listed() -> list[Tree]:
    """The repositories to measure, in the order of the list."""
    with LIST.open("rb") as file:
        owners = tomllib.load(file)
    return [
        msgspec.convert({"owner": owner, "repository": repository, **values}, Tree)
        for owner, repositories in owners.items()
        for repository, values in repositories.items()
    ]


def prepare(folder: Path, work: Path) -> dict[Tree, Path]:
    """Fresh copies of all trees at their commits; nothing is ever written into `folder`.

    Raises `BenchError`, which names every tree that is missing and how to get it.
    """
    sources = {tree: _repository(folder / tree.name) for tree in listed()}
    missing = [_remedy(tree, folder, source) for tree, source in sources.items() if not _has(source, tree.commit)]
    if missing:
        raise BenchError(f"trees are missing in {folder}; to get them:\n  " + "\n  ".join(missing))
    into = work / "trees"
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    return {tree: _copy(source, tree, into / tree.name) for tree, source in sources.items() if source is not None}


def measure(folder: Path, tools: Tools, rounds: int) -> list[Application]:
    """Measure every tree, one after the other."""
    found = []
    for tree, root in prepare(folder, tools.work).items():
        group = msgspec.structs.replace(describe(ALL, root), name=tree.name)
        scans = contest.compete(group, root, tools, rounds, alike=False)
        hook, editor = None, []
        if tree.edit is not None:
            hook = _hook(root, root / tree.edit, group.files, tools, rounds)
            editor = _editor(root, root / tree.edit, tools, rounds)
        found.append(Application(scans, tree.commit, tree.linking, hook, editor))
    return found


def line(path: Path, turn: int) -> str:
    """A line to append to a file: one that says something, and something else in each turn."""
    return _LINES[path.suffix].format(turn=turn)


def _hook(root: Path, path: Path, files: int, tools: Tools, rounds: int) -> Hook:
    """`resplint scan --whole-project FILE` where the repository was scanned before, one more line each round."""
    text = path.read_text("utf-8")
    with tempfile.TemporaryDirectory(prefix="hook-", dir=tools.work) as warm:
        command = tools.resplint(path, Path(warm), "--whole-project")
        command.run(root)
        samples: dict[str, list[Sample]] = {UNCHANGED: [], REDIS: []}
        for turn in range(rounds):
            samples[UNCHANGED].append(command.run(root).sample)
            path.write_text(text + "\n" + line(path, turn), "utf-8")
            samples[REDIS].append(command.run(root).sample)
    path.write_text(text, "utf-8")
    print(f"  {root.name}: hook", file=sys.stderr, flush=True)
    return Hook(files, samples)


def _editor(root: Path, path: Path, tools: Tools, rounds: int) -> list[Sample]:
    """From an edit to its diagnostics in a session of the language server, one line each round."""
    if not editing.CAN_MEASURE:
        return []
    with tempfile.TemporaryDirectory(prefix="editor-", dir=tools.work) as cache:
        lines = (line(path, turn) for turn in range(rounds))
        # The editor of the tests: in a process of its own, as what is timed begins with the size of this one.
        search = os.pathsep.join([str(ROOT), str(ROOT / "benchmarks"), os.environ.get("PYTHONPATH", "")]).rstrip(
            os.pathsep
        )
        env = {"RESPLINT_CACHE_DIR": cache, "PYTHONPATH": search}
        done = Command((sys.executable, "-m", "speed.editing", str(root), str(path), *lines), env).run(ROOT)
    print(f"  {root.name}: editor", file=sys.stderr, flush=True)
    return msgspec.json.decode(done.output, type=list[Sample])


# -- checkouts ------------------------------------------------------------------------------------------------------


def _repository(folder: Path) -> Path | None:
    """The repository in a folder: a checkout, a bare copy, or one with a bare copy in it."""
    for path in (folder / ".git", folder / "repo", folder):
        if path.is_file() or (path / "HEAD").is_file():
            return folder if path.name == ".git" else path
    return None


def _has(source: Path | None, commit: str) -> bool:
    return source is not None and not _git(["-C", str(source), "cat-file", "-e", f"{commit}^{{commit}}"])


def _remedy(tree: Tree, folder: Path, source: Path | None) -> str:
    if source is not None:
        return f"git -C {source} fetch origin {tree.commit}"
    return f"git clone https://github.com/{tree.owner}/{tree.repository} {folder / tree.name}  # has {tree.commit}"


def _copy(source: Path, tree: Tree, target: Path) -> Path:
    """A repository of its own at the commit. Some copies lack large files; no source file may be missing."""
    said = _git(["clone", "--quiet", "--shared", "--no-checkout", str(source.absolute()), str(target)])
    said = said or _git(["-C", str(target), "reset", "--quiet", tree.commit])
    if not said and (failed := _git(["-C", str(target), "checkout-index", "--all", "--force"])):
        listing = ["git", "-C", str(target), "ls-files", "-z", "--deleted"]
        lost = subprocess.run(listing, check=True, capture_output=True, text=True).stdout.split("\0")
        said = failed if any(name.endswith(suffixes(ALL)) for name in lost) else ""
    if said:
        raise BenchError(f"{tree.name} could not be checked out from {source}: {said}")
    return target


def _git(arguments: Sequence[str]) -> str:
    """What git says when it fails, empty when all is well."""
    done = subprocess.run(["git", *arguments], check=False, capture_output=True, text=True)
    return (done.stderr.strip() or f"exit code {done.returncode}") if done.returncode else ""
