"""Which file an import means.

A project's folders rarely say where its import roots are, so every file answers to each dotted suffix of its path;
among several candidates the one that shares most of its path with the importing file wins.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections.abc import Callable, Iterable, Set

from resplint.contracts.facts import FileFacts, Import
from resplint.files.module_aliases import AliasTable

Loader = Callable[[str], FileFacts | None]
"""Path relative to the root -> facts; called for files that were not selected but turn out to be needed."""

_INIT = "__init__"
_INDEX = "index"
"""Files that stand for the folder they are in: of Python and of JavaScript."""
_SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs")
"""What a path without a suffix may end in; a ``.js`` that is imported may be written as ``.ts``."""
_PLAIN = (*_SCRIPTS[4:], *_SCRIPTS[:4])
"""The same for files that run as they are: beside ``pool.ts`` they mean ``pool.js``."""
_FROM_ROOT = ("@/", "~/", "#/", "/", "$")
_ROOTS = ("", "src", "lib")


def dotted_path(path: str) -> str:
    """Dotted name that a path spells, without suffix; a package's own file stands for the package."""
    stem, suffix = posixpath.splitext(path)
    parts = stem.split("/")
    if parts[-1] == _INIT or (parts[-1] == _INDEX and suffix in _SCRIPTS and len(parts) > 1):
        parts.pop()
    return ".".join(parts)


def path_module(specifier: str, importer: str) -> str:
    """Dotted name of a module that is named by a path, as seen from the importing file: "./lib/redis" in "app/main.ts"
    is app.lib.redis.
    """
    rooted = next((specifier[len(mark) :] for mark in _FROM_ROOT if specifier.startswith(mark)), specifier)
    if specifier.startswith("."):
        rooted = posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier))
    stem, suffix = posixpath.splitext(rooted)
    parts = (stem if suffix in _SCRIPTS else rooted).split("/")
    if parts[-1] == _INDEX and len(parts) > 1:
        parts.pop()
    return ".".join(part for part in parts if part not in ("", ".", ".."))


def _last_part(folder: str, name: str) -> str:
    """The last part of the dotted name of the file `name` in a folder; as in `dotted_path`, but for many files."""
    stem, dot, suffix = name.rpartition(".")
    if not stem.strip("."):  # no suffix at all
        stem, suffix = name, ""
    if stem == _INIT or (stem == _INDEX and folder and dot + suffix in _SCRIPTS):
        stem = folder.rpartition("/")[2]
    return stem.rpartition(".")[2]


class ModuleTable:
    """Modules of a project by every dotted suffix of their path."""

    def __init__(
        self, paths: Iterable[str], foreign: frozenset[str] = frozenset(), aliases: tuple[tuple[str, str], ...] = ()
    ) -> None:
        """`foreign` are top-level modules that exist outside the project: the language's own and well-known
        frameworks.
        """
        self._foreign = foreign
        self._by_last: dict[str, str | list[str]] = {}
        """Last part of the name -> the one path, or several."""
        self._named: dict[str, list[tuple[str, str]]] = {}
        self._folders: set[str] = set()
        self._folder_names: set[str] = set()
        self._found: dict[tuple[str, str], str | None] = {}
        self._of_package: dict[tuple[str, str, str, str], list[str]] = {}
        self._aliased: dict[tuple[str, bool], str | None] = {}
        self._paths = paths if isinstance(paths, Set) else frozenset(paths)
        self._aliases = AliasTable(aliases)
        self.paths = sorted(self._paths)
        """The paths of all source files of the project, sorted."""
        before = ""
        for path in self.paths:
            folder, _, name = path.rpartition("/")
            self._add(_last_part(folder, name), path)
            if folder != before:
                before = folder
                while folder and folder not in self._folders:
                    self._folders.add(folder)
                    self._folder_names.add(posixpath.basename(folder))
                    folder = posixpath.dirname(folder)

    def _add(self, last: str, path: str) -> None:
        known = self._by_last.get(last)
        if known is None:
            self._by_last[last] = path
        elif isinstance(known, str):
            self._by_last[last] = [known, path]
        else:
            known.append(path)

    def _candidates(self, dotted: str) -> list[tuple[str, str]]:
        """(dotted name, path) of the files whose names end in the same part as a dotted name."""
        last = dotted.rsplit(".", 1)[-1]
        if last not in self._named:
            found = self._by_last.get(last, ())
            paths = (found,) if isinstance(found, str) else found
            self._named[last] = [(dotted_path(path), path) for path in paths]
        return self._named[last]

    def find(self, module: str, importer: str, package: bool = False) -> str | None:
        """Path of the file that `module` names when imported from `importer`, or None.

        With `package` it is a type in a package, whose first part (`io`, `com`) says nothing about whose it is.
        """
        key = (module, posixpath.dirname(importer))
        if key not in self._found:
            self._found[key] = self._find(module, importer, frozenset() if package else self._foreign)
        return self._found[key]

    def _find(self, module: str, importer: str, foreign: frozenset[str]) -> str | None:
        best: tuple[int, int, str] | None = None
        here = dotted_path(importer).split(".")
        for dotted, path in self._candidates(module):
            if dotted != module and not dotted.endswith("." + module):
                continue
            root = dotted[: -len(module)].rstrip(".")
            if root not in _ROOTS and module.split(".", 1)[0] in foreign:
                continue  # `proj/celery.py` is not what `from celery import …` means, also not inside `proj`
            # The import root must lie on the way down to the importing file, or beside it; foreign roots come last.
            prefix = root.split(".") if root else []
            shared = _shared(prefix, here)
            rank = (0 if shared == len(prefix) else 1, -shared, path)
            if best is None or rank < best:
                best = rank
        return best[2] if best else None

    def resolve(self, specifier: str, importer: str) -> str | None:
        """Path of the file that a module named by a path means (``./pool``, ``@/lib/redis``); None when it is not one
        of the project.
        """
        if specifier.startswith("."):
            return self._script(posixpath.normpath(posixpath.join(posixpath.dirname(importer), specifier)), importer)
        if aliased := self._behind_alias(specifier, importer):
            return aliased
        rooted = next((specifier[len(mark) :] for mark in _FROM_ROOT if specifier.startswith(mark)), None)
        if rooted is None and specifier.split("/", 1)[0] in self._folder_names and "/" in specifier:
            rooted = specifier
        if rooted is None:
            return None
        folder = posixpath.dirname(importer)
        while True:  # the nearest folder above the importer that has such a file, its sources first
            for base in (folder, posixpath.join(folder, "src")):
                if found := self._script(posixpath.normpath(posixpath.join(base, rooted)), importer):
                    return found
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def _behind_alias(self, specifier: str, importer: str) -> str | None:
        key = specifier, importer.endswith(_PLAIN[:4])
        if key not in self._aliased:
            found = (self._script(target, importer) for target in self._aliases.targets(specifier))
            self._aliased[key] = next(filter(None, found), None)
        return self._aliased[key]

    def _script(self, path: str, importer: str) -> str | None:
        if path in self._paths:
            return path
        endings = _endings(importer)
        stem, suffix = posixpath.splitext(path)
        stems = [path, stem] if suffix in _SCRIPTS else [path]
        for candidate in stems:
            for ending in endings:
                if candidate + ending in self._paths:
                    return candidate + ending
        for ending in endings:
            if f"{path}/index{ending}" in self._paths:
                return f"{path}/index{ending}"
        return None

    def relative(self, module: str, level: int, importer: str) -> tuple[str, str]:
        """(dotted name, path or "") of a relative import: `level` dots, then `module`."""
        folder = posixpath.dirname(importer)
        for _ in range(level - 1):
            folder = posixpath.dirname(folder)
        dotted = ".".join(part for part in (folder.replace("/", "."), module) if part)
        for candidate, path in self._candidates(dotted):
            if candidate == dotted:
                return dotted, path
        return dotted, ""

    def of_package(self, package: str, importer: str, own: str) -> list[str]:
        """Files of a package in the importer's language, by their folders, which may leave out the packages that all
        have in common. `own` is the package of the importer.
        """
        folder, suffix = posixpath.dirname(importer), posixpath.splitext(importer)[1]
        key = (folder, own, package, suffix)
        if key not in self._of_package:
            self._of_package[key] = self._search_package(folder, own, package, suffix)
        return self._of_package[key]

    def _search_package(self, folder: str, own: str, package: str, suffix: str) -> list[str]:
        above, common, parts = folder.split("/") if folder else [], own.split("."), package.split(".")
        while above and common and above[-1] == common[-1]:
            above.pop()
            common.pop()
        folders = ["/".join([*above, *parts[len(common) :]])] if parts[: len(common)] == common else []
        wanted = "/".join(parts)
        if parts[-1] in self._folder_names:
            folders += sorted(one for one in self._folders if one == wanted or one.endswith(f"/{wanted}"))
        paths = (path for one in dict.fromkeys(folders) for path in self._inside(one))
        return [path for path in paths if path.endswith(suffix)]

    def _inside(self, folder: str) -> list[str]:
        """The files of a folder itself."""
        start = bisect_left(self.paths, f"{folder}/" if folder else "")
        found = []
        for at in range(start, len(self.paths)):
            path = self.paths[at]
            if folder and not path.startswith(f"{folder}/"):
                break
            if posixpath.dirname(path) == folder:
                found.append(path)
        return found

    def is_package(self, path: str) -> bool:
        """Whether a file is what a package runs, so that it has modules of its own."""
        return posixpath.splitext(posixpath.basename(path))[0] == _INIT

    def lacks(self, item: Import, importer: str) -> bool:
        """Whether an import of dotted names is of a module that a package of the project should have and has not."""
        if item.level:
            dotted, path = self.relative(item.module, item.level, importer)
            return bool(item.module) and not path and not self.is_folder(dotted, importer)
        package, _, last = item.module.rpartition(".")
        if not package or not last or self.find(item.module, importer) is not None:
            return False
        return self.is_folder(package.partition(".")[0], importer) and not self.is_folder(item.module, importer)

    def lacks_path(self, specifier: str, importer: str) -> bool:
        """Whether a module named by a path is one that the project should have and has not."""
        is_ours = specifier.startswith((".", *_FROM_ROOT)) or bool(self._aliases.targets(specifier))
        return is_ours and "/" in specifier and self.resolve(specifier, importer) is None

    def is_folder(self, dotted: str, importer: str) -> bool:
        """Whether a dotted name is a folder of modules (a namespace package), seen from `importer`."""
        wanted = dotted.replace(".", "/")
        if wanted in self._folders:
            return True
        folder = posixpath.dirname(importer)
        while folder:
            if f"{folder}/{wanted}" in self._folders:
                return True
            folder = posixpath.dirname(folder)
        return False


def _endings(importer: str) -> tuple[str, ...]:
    """What a path without a suffix may end in, in the order in which a file looks for it."""
    return _PLAIN if importer.endswith(_PLAIN[:4]) else _SCRIPTS


def _shared(prefix: list[str], here: list[str]) -> int:
    count = 0
    for left, right in zip(prefix, here, strict=False):
        if left != right:
            break
        count += 1
    return count
