"""The corpus: real packages from their registries, in groups that every tool looks at alike."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import fetch_packages
import msgspec

from speed.process import BenchError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "benchmarks" / "corpus.toml"
ALL = "all"
SUFFIXES: Mapping[str, tuple[str, ...]] = {
    "python": (".py",),
    "java": (".java", ".kt"),
    "javascript": (".js", ".jsx", ".mjs", ".cjs"),
    "typescript": (".ts", ".tsx", ".mts", ".cts"),
}
LANGUAGES: Mapping[str, tuple[str, ...]] = {
    **{name: (name,) for name in SUFFIXES},
    "node": ("javascript", "typescript"),
}
"""What the groups of the list have in them."""
MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "package.json", "pom.xml")
"""Taken along from the top of a package: they say which version of a client library is used."""
MAX_BYTES = 1_000_000
_LEFT_OUT = re.compile(
    r"(^|/)(\.[^/]*|node_modules|site-packages|tests?|testings?|__tests__|spec|fixtures)/"
    r"|(^|/)\.[^/]+$|(^|/)(test_[^/]*|[^/]*_test|tests?|conftest)\.py$|Tests?\.(java|kt)$|IT\.java$"
    r"|\.(test|spec)\.[cm]?[jt]sx?$|\.d\.[cm]?ts$|\.min\.[cm]?js$"
)
"""What one tool or another leaves out by itself: without it all look at the same files."""
_REDIS = re.compile(rb"redis(?!tri|cov|pla)", re.IGNORECASE)
"""Redis, and not the redistribution of many a licence."""
_READY = ".ready"


class Group(msgspec.Struct, frozen=True):
    """Files of one language and density, in a repository of their own; `all` has every file.

    `size` in bytes; `naming` are the files in which Redis is named.
    """

    name: str
    files: int
    size: int
    lines: int
    naming: int


def group_names() -> list[str]:
    """`sparse-python`, …, in the order of the list, then `all`."""
    return [f"{density}-{language}" for density, table in _list().items() for language in table] + [ALL]


def suffixes(group: str) -> tuple[str, ...]:
    """The suffixes of the files of a group."""
    languages = SUFFIXES if group == ALL else LANGUAGES[group.partition("-")[2]]
    return tuple(suffix for language in languages for suffix in SUFFIXES[language])


def prepare(names: Sequence[str], work: Path) -> dict[str, Group]:
    """Make sure that groups are in `work / "corpus"`, and tell what is in them."""
    wanted = [name for name in group_names() if name in names or ALL in names]
    folders = _fetched([name for name in wanted if name != ALL], work / "packages")
    for name, sources in folders.items():
        _link(name, sources, work / "corpus" / name)
    if ALL in names:
        _link(ALL, [work / "corpus" / name for name in folders], work / "corpus" / ALL)
    return {name: describe(name, work / "corpus" / name) for name in wanted if name in names}


def source_files(folder: Path, group: str) -> Iterator[Path]:
    """The files of a group that tools look at."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in suffixes(group) and path.is_file():
            yield path


def describe(name: str, folder: Path) -> Group:
    files = size = lines = naming = 0
    for path in source_files(folder, name):
        data = path.read_bytes()
        files, size, lines = files + 1, size + len(data), lines + data.count(b"\n")
        naming += _REDIS.search(data) is not None
    return Group(name, files, size, lines, naming)


def _fetched(names: Sequence[str], into: Path) -> dict[str, list[Path]]:
    """The folders of the packages of each group, fetched unless they are there."""
    groups = {name: fetch_packages.read_tables(_tables(name)) for name in names}
    every = {package.folder: package for packages in groups.values() for package in packages}
    fetched = fetch_packages.fetch_all(list(every.values()), lambda package: into / package.folder)
    if failed := [each.error for each in fetched if each.error]:
        raise BenchError("; ".join(failed))
    return {name: [into / package.folder for package in packages] for name, packages in groups.items()}


def _link(group: str, sources: Sequence[Path], target: Path) -> None:
    """Fill `target` with the files of `sources` that count, as hard links, and make it a git repository."""
    mark = "\n".join(str(source.name) for source in sources)
    if (target / ".git" / _READY).is_file() and (target / ".git" / _READY).read_text("utf-8") == mark:
        return
    shutil.rmtree(target, ignore_errors=True)
    for source in sources:
        for path in _counting(source, group):
            copy = target / source.name / path.relative_to(source)
            copy.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, copy)
    # Semgrep would leave out folders such as build/ unless the repository says what to leave out.
    (target / ".semgrepignore").write_text("", "utf-8")
    git(target, "init", "--quiet")
    git(target, "add", "--all", "--force")
    git(target, "commit", "--quiet", "--message", "The corpus")
    (target / ".git" / _READY).write_text(mark, "utf-8")


def _counting(source: Path, group: str) -> Iterator[Path]:
    for folder, below, names in os.walk(source):
        below.sort()
        for name in sorted(names):
            path = Path(folder, name)
            inside = path.relative_to(source).as_posix()
            manifest = name in MANIFESTS and (group == ALL or "/" not in inside)
            taken = path.suffix in suffixes(group) and not _LEFT_OUT.search(inside) and path.stat().st_size <= MAX_BYTES
            if (manifest or taken) and not path.is_symlink():
                yield path


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder, whatever the user has configured."""
    who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false", "-c", "gc.auto=0"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, check=False, capture_output=True, text=True)
    if done.returncode:
        raise BenchError(f"git {arguments[0]} in {folder} failed: {done.stderr.strip()}. Is git installed?")


def _list() -> dict[str, dict[str, Any]]:
    with LIST.open("rb") as file:
        return tomllib.load(file)


def _tables(group: str) -> Mapping[str, Any]:
    density, _, language = group.partition("-")
    tables: Mapping[str, Any] = _list()[density][language]
    return tables
