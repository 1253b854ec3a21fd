"""Names under which a project's own modules are imported: packages of a workspace (``@acme/cache``), the ``imports`` of
a package (``#lib/redis``) and those that it registers as it starts (``_moduleAliases``), and the ``paths`` of a
tsconfig.

Each alias is (prefix, target): a module named by the prefix is the file at the target, relative to the root; ``*`` at
the end of both stands for the rest of the name. What a file cannot say in this form is left out: the import is then
taken for one of a foreign package.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from resplint.files.project_files import content_below, is_below
from resplint.files.regular_files import UnreadableFileError

Aliases = tuple[tuple[str, str], ...]

_SCRIPT = re.compile(r"\.(?:[cm]?[jt]s|[jt]sx)$")
_LIMIT = 1_000_000
_MAX_FOLDERS = 20_000
_ENTRIES = ("source", "module", "main", "types")
_INDEXES = ("src/index", "index", "lib/index", "src/main")
_BUILT = ("dist", "build", "out", "lib")
"""Folders that hold what is made from the sources."""
_TSCONFIGS = ("tsconfig.json", "tsconfig.base.json", "jsconfig.json")
_NOISE = re.compile(r'("(?:\\.|[^"\\\n])*"?)|//[^\n]*|/\*.*?(?:\*/|\Z)|,(?=\s*[}\]])', re.DOTALL)
"""Comments and trailing commas, which a tsconfig may have; strings are kept. What is never closed goes on to the end:
otherwise the search would look there again and again.
"""


class AliasTable:
    """Aliases by their names, so that an import is not compared with each of them."""

    def __init__(self, aliases: Aliases) -> None:
        self._by_stem: dict[str, list[tuple[str, str]]] = {}
        for alias in aliases:
            self._by_stem.setdefault(alias[0].rstrip("*"), []).append(alias)
        self._lengths = sorted({len(stem) for stem in self._by_stem}, reverse=True)

    def targets(self, name: str) -> Iterator[str]:
        """Where a module may be that is imported under a name, the longest prefix first."""
        head = name.split("/", 1)[0]
        for length in self._lengths:
            for prefix, target in self._by_stem.get(name[:length], ()) if length <= len(name) else ():
                if prefix.rstrip("*").split("/", 1)[0] == head and (prefix == name or prefix.endswith("*")):
                    yield posixpath.normpath(target.replace("*", name[length:]))


def module_aliases(root: Path, paths: Iterable[str], is_over: Callable[[], bool] = lambda: False) -> Aliases:
    """Aliases from the package.json and tsconfig files in the folders of source files (and above them), those of deeper
    folders first. Once `is_over` says so, no more files are read.
    """
    top = os.path.realpath(root)
    folders: set[str] = set()
    paths = list(paths)
    for path in paths:
        folder = posixpath.dirname(path)
        while _SCRIPT.search(path) and folder not in folders and len(folders) < _MAX_FOLDERS:
            folders.add(folder)
            folder = posixpath.dirname(folder)
    found: list[tuple[str, str]] = []
    for folder in sorted(folders, key=lambda one: (-one.count("/"), one)):
        if is_over():
            break
        found += _package(top, folder)
        for name in _TSCONFIGS:
            found += _tsconfig(top, folder, name)
    return tuple(dict.fromkeys(_spelled_out(found, paths)))


def _spelled_out(aliases: list[tuple[str, str]], paths: list[str]) -> Iterator[tuple[str, str]]:
    """The aliases, those that end within the first part of a name (``#*`` for ``src/*``) replaced by one for each file
    and folder that they may lead to.
    """
    children: dict[str, dict[str, None]] | None = None
    for prefix, target in aliases:
        if not prefix.endswith("*") or "/" in prefix or "*" not in target:
            yield prefix, target
            continue
        if children is None:
            children = _children(paths)
        start, _, suffix = target.partition("*")
        folder, _, start = start.rpartition("/")
        for child in children.get(folder, ()):
            if child.startswith(start):
                name, place = prefix[:-1] + child[len(start) :], posixpath.join(folder, child)
                if _SCRIPT.search(child):
                    yield _SCRIPT.sub("", name), place
                    yield name, place
                else:
                    yield f"{name}/*", f"{place}/*{suffix}"


def _children(paths: list[str]) -> dict[str, dict[str, None]]:
    """The names of the scripts, and of the folders with scripts below them, in each folder."""
    found: dict[str, dict[str, None]] = {}
    for path in filter(_SCRIPT.search, paths):
        folder, _, name = path.rpartition("/")
        while name and name not in found.setdefault(folder, {}):
            found[folder][name] = None
            folder, _, name = folder.rpartition("/")
    return found


def _read(root: str, path: str) -> dict[str, object]:
    """The object in a JSON file; {} when there is none that can be read."""
    if not is_below(root, path):
        return {}
    try:
        text = content_below(root, path, _LIMIT).decode("utf-8-sig", "replace")
        data = json.loads(_NOISE.sub(lambda match: match[1] or "", text))
    except (UnreadableFileError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _package(root: str, folder: str) -> list[tuple[str, str]]:
    """A package of the project under its own name: its entry, and the files below it."""
    data = _read(root, posixpath.join(folder, "package.json"))
    name = data.get("name")
    own = _subpaths(data.get("imports"), folder) + _registered(data.get("_moduleAliases"), folder)
    if not isinstance(name, str) or not name:
        return own
    entries = [entry for key in _ENTRIES if isinstance(entry := data.get(key), str)]
    targets = [_source_of(entry) for entry in entries] + [*entries, *_INDEXES]
    found = [(name, posixpath.normpath(posixpath.join(folder, target))) for target in targets]
    for inner in ("src/*", "*"):
        found.append((f"{name}/*", posixpath.normpath(posixpath.join(folder, inner))))
    return found + own


def _subpaths(imports: object, folder: str) -> list[tuple[str, str]]:
    """Names that only the package's own files know: ``"#lib/*": "./src/lib/*.js"``."""
    found: list[tuple[str, str]] = []
    for prefix, value in imports.items() if isinstance(imports, dict) else ():
        for target in _targets(value) if isinstance(prefix, str) and prefix.startswith("#") else ():
            inner = posixpath.normpath(target)
            first, _, rest = inner.partition("/")
            for one in (inner, posixpath.join("src", rest)) if first in _BUILT else (inner,):
                found.append((prefix, posixpath.normpath(posixpath.join(folder, one))))
    return found


def _registered(names: object, folder: str) -> list[tuple[str, str]]:
    """Names that the package registers as it starts (``"@lib": "./src/lib"``), each for a folder or a file."""
    found: list[tuple[str, str]] = []
    for name, target in names.items() if isinstance(names, dict) else ():
        if isinstance(name, str) and name and isinstance(target, str) and not target.startswith("/"):
            place = posixpath.normpath(posixpath.join(folder, target))
            found += [(name, place), (f"{name}/*", posixpath.join(place, "*"))]
    return found


def _targets(value: object) -> Iterator[str]:
    """The files below the package that one of its names may stand for, whatever the condition."""
    pending = [value]
    while pending:
        one = pending.pop(0)
        if isinstance(one, str) and one.startswith("./"):
            yield one
        elif isinstance(one, dict):
            pending[:0] = one.values()
        elif isinstance(one, list):
            pending[:0] = one


def _source_of(entry: str) -> str:
    """Where the source of a built file may stand: ``./dist/esm/index.js`` is made from ``src/index``."""
    return posixpath.join("src", posixpath.splitext(posixpath.basename(entry))[0])


def _tsconfig(root: str, folder: str, name: str) -> list[tuple[str, str]]:
    options = _read(root, posixpath.join(folder, name)).get("compilerOptions")
    if not isinstance(options, dict):
        return []
    base = options.get("baseUrl")
    origin = posixpath.normpath(posixpath.join(folder, base if isinstance(base, str) else "."))
    paths = options.get("paths")
    found: list[tuple[str, str]] = []
    for prefix, targets in paths.items() if isinstance(paths, dict) else ():
        for target in targets if isinstance(targets, list) else ():
            if isinstance(prefix, str) and isinstance(target, str) and prefix not in ("", "*"):
                found.append((prefix, posixpath.normpath(posixpath.join(origin, target))))
    return found
