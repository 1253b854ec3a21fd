"""The files of a linked project, and what all of them together are looked up by."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping

from resplint.bind.callback_loops import as_loops
from resplint.bind.index import FileIndex
from resplint.bind.modules import Loader, ModuleTable, dotted_path, path_module
from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.facts import FileFacts

_SHOWING = frozenset({"examples", "example", "samples", "sample", "demos", "demo", "docs", "doc"})
"""Folders of code that shows how other code is used: what it passes says nothing about other users."""


class Store:
    """Facts of the selected files, plus those that turn out to be needed, which `load` lowers on demand.

    `modules` knows all source files of the project, whether selected or not.
    """

    def __init__(
        self,
        selected: Iterable[FileFacts],
        modules: ModuleTable,
        load: Loader,
        callbacks: Mapping[str, tuple[frozenset[str], ...]] | None = None,
    ) -> None:
        """`callbacks` are, for each language, what `as_loops` needs to know of its methods."""
        self._callbacks = callbacks or {}
        self.files: dict[int, FileIndex] = {}
        """The files that are linked, by number: the place of their paths among those of the whole project, so that
        nothing depends on the order in which they are read.
        """
        self.loaded: list[FileIndex] = []
        """The same, in the order in which they were read."""
        self._paths = modules.paths
        self._by_path: dict[str, FileIndex | None] = {}
        self._load = load
        self.mentions: Callable[[str, tuple[str, ...]], bool] = lambda path, texts: True
        """Whether one of the texts stands in a file that was not loaded."""
        self.modules = modules
        self._names: dict[str, list[int]] | None = None
        """Name -> the files that mention it."""
        self._aliases: dict[str, set[str]] | None = None
        self._module_aliases: dict[str, set[str]] | None = None
        self._packages: dict[str, list[FileIndex]] | None = None
        self._writes: dict[str, list[tuple[int, facts.Write]]] | None = None
        self._named_among: dict[int, FileIndex] = {}
        self._judged: dict[int, FileIndex] = {}
        self.admit(selected)
        self.judge(path for path in self._by_path)

    def _add(self, file: FileFacts) -> FileIndex:
        file = as_loops(file, *self._callbacks.get(file.language, ()))
        at = bisect_left(self._paths, file.path)
        is_known = at < len(self._paths) and self._paths[at] == file.path
        index = FileIndex(at if is_known else len(self._paths) + len(self.loaded), file)
        self.files[index.number] = index
        self.loaded.append(index)
        self._by_path[file.path] = index
        return index

    def judge(self, paths: Iterable[str]) -> None:
        """Say which files are reported on; the others are linked to resolve names alone."""
        found = (index for path in paths if (index := self._by_path.get(path)) is not None)
        self._judged = {index.number: index for index in sorted(found, key=lambda index: index.number)}

    @property
    def judged(self) -> Collection[FileIndex]:
        """The files that are reported on, in the order of their paths."""
        return self._judged.values()

    @property
    def first(self) -> int:
        """The number of the first file that is reported on, for what is known of no file; 0 if there is none."""
        return next(iter(self._judged), 0)

    def is_judged(self, file: int) -> bool:
        """Whether a file is reported on."""
        return file in self._judged

    def admit(self, files: Iterable[FileFacts]) -> None:
        """Take in further files, in which names are looked up."""
        for file in sorted(files, key=lambda file: file.path):
            index = self._by_path.get(file.path) or self._add(file)
            self._named_among[index.number] = index
        self._named_among = dict(sorted(self._named_among.items()))
        self._names = self._aliases = self._module_aliases = self._packages = self._writes = None
        self._refs: dict[str, list[Ref]] = {}

    def only_shows(self, file: int) -> bool:
        """Whether a file stands in a folder of examples."""
        return not _SHOWING.isdisjoint(self.files[file].facts.path.split("/")[:-1])

    def by_path(self, path: str) -> FileIndex | None:
        """The file at a path, loaded on first use; None when it cannot be lowered."""
        if path not in self._by_path:
            file = self._load(path)
            if file is None:
                self._by_path[path] = None
            else:
                self._add(file)
        return self._by_path[path]

    def has(self, path: str) -> bool:
        """Whether the file at a path was selected or has been loaded."""
        return self._by_path.get(path) is not None

    def in_package(self, package: str) -> list[FileIndex]:
        """Selected files that say they belong to a package."""
        if self._packages is None:
            table: dict[str, list[FileIndex]] = defaultdict(list)
            for index in self.named_among:
                if index.facts.package:
                    table[index.facts.package].append(index)
            self._packages = table
        return self._packages.get(package, [])

    def expr(self, ref: Ref) -> facts.Expr:
        """The expression at a reference."""
        return self.files[ref[0]].facts.exprs[ref[1]]

    # -- tables over the selected files --------------------------------------------------------------------------------

    @property
    def named_among(self) -> Collection[FileIndex]:
        """The files in which names are looked up, in the order of their paths."""
        return self._named_among.values()

    def named(self, name: str) -> list[Ref]:
        """`Name` and `Member` expressions of the selected files that end in `name`."""
        if self._names is None:
            table: dict[str, list[int]] = defaultdict(list)
            for index in self.named_among:
                for key in index.by_name:
                    table[key].append(index.number)
            self._names = table
        found = self._refs.get(name)
        if found is None:
            files = (self.files[number] for number in self._names.get(name, ()))
            found = [(index.number, number) for index in files for number in index.by_name[name]]
            self._refs[name] = found
        return found

    def aliases(self, name: str) -> set[str]:
        """The name itself and the names that imports and plain assignments give it."""
        if self._aliases is None:
            table: dict[str, set[str]] = defaultdict(set)
            for index in self.named_among:
                for item in index.facts.imports:
                    if item.name and item.alias != item.name:
                        table[item.name].add(item.alias.removeprefix("exports."))
                for binding in index.facts.bindings:
                    expr = index.facts.exprs[binding.value] if binding.value >= 0 else None
                    if isinstance(expr, facts.Name | facts.Member) and expr.name != binding.name:
                        table[expr.name].add(binding.name)
            self._aliases = table
        first = self._aliases.get(name, set())
        return {name, *first, *(one for alias in first for one in self._aliases.get(alias, ()))}

    def module_aliases(self, path: str) -> set[str]:
        """Names under which selected files import a file as a whole, or its default."""
        if self._module_aliases is None:
            table: dict[str, set[str]] = defaultdict(set)
            for index in self.named_among:
                for item in index.facts.imports:
                    if item.name in ("", "default"):
                        last = path_module(item.module, index.facts.path).rsplit(".", 1)[-1]
                        table[last].add(item.alias.rsplit(".", 1)[-1])
            self._module_aliases = table
        last = dotted_path(path).rsplit(".", 1)[-1]
        return self._module_aliases.get(last, set()) | {last}

    def writes(self, name: str) -> list[tuple[int, facts.Write]]:
        """(file, write) of every write of the selected files to a member or literal key `name`."""
        if self._writes is None:
            table: dict[str, list[tuple[int, facts.Write]]] = defaultdict(list)
            for index in self.named_among:
                for key, found in index.writes_by_name.items():
                    table[key].extend((index.number, write) for write in found)
            self._writes = table
        return self._writes.get(name, [])
