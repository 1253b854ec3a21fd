"""Who imports whom, told from the bytes of files that have not been parsed.

The question is asked about few files, those that carry clients, so that it is turned round: whatever imports one of
them has the last part of its name in it somewhere, and whoever has not need not be looked at more closely.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable

from resplint.languages import named_modules
from resplint.link.modules import ModuleTable, dotted_path
from resplint.module_aliases import Aliases
from resplint.scan.request import ScanState
from resplint.select import stems

_FEW = 40
"""So many words are looked for one by one; for more, the words of a file are listed."""
_WORDS = re.compile(rb"[\w$\x80-\xff]+")


class Importers:
    """Those of the files at `paths` that import something. `table` is that of all files with these aliases.

    `asked` holds every answer that was given.
    """

    def __init__(
        self, state: ScanState, aliases: Aliases, paths: Collection[str], table: ModuleTable | None = None
    ) -> None:
        self.asked: dict[str, set[str]] = {}
        self._state = state
        self._aliases = aliases
        self._names = frozenset(prefix.rstrip("/*") for prefix, _ in aliases)
        self._made_table = table
        self._waiting = [path for path in paths if path not in state.failed]
        self._by_last: dict[str, list[tuple[str, str]]] = {}
        self._known: set[str] = set()
        """Last parts of names whose importers have been found."""

    def of(self, paths: Collection[str]) -> set[str]:
        """Files that may import one of the files at `paths`."""
        names = {path: dotted_path(path) for path in paths}
        self._look({_last(dotted) for dotted in names.values()} - self._known)
        for path, dotted in names.items():
            self.asked[path] = {
                importer
                for module, importer in self._by_last.get(_last(dotted), ())
                if dotted == module or dotted.endswith("." + module)
            }
        return set().union(*(self.asked[path] for path in paths))

    def _look(self, wanted: set[str]) -> None:
        """Find out what the files import that may import a module whose name ends in one of the `wanted` words."""
        if not wanted:
            return
        self._known |= wanted
        search = _Search(wanted | self._leading_to(wanted))
        waiting = []
        for path in self._waiting:
            glance = self._state.glance(path)
            if glance.modules is not None and glance.sought == self._names:
                self._add(path)
            elif not search.finds_folder(path) and not self._holds(search, path):
                waiting.append(path)
            elif self._looked_for_imports(path):
                self._add(path)
        self._waiting = waiting

    def _holds(self, search: _Search, path: str) -> bool:
        data = self._state.peek(path)
        return data is not None and search.finds(data)

    def _leading_to(self, wanted: set[str]) -> set[str]:
        """Aliases that may lead to a module with such a name although they end in another word."""
        found = set()
        for prefix, target in self._aliases:
            name = prefix.rstrip("/*")
            if prefix.endswith("*"):
                # The last part of what is imported through it is the last part of the path.
                leads = not (prefix.endswith("/*") and (target == "*" or target.endswith("/*")))
            else:
                path = self._table.resolve(name, "")
                leads = path is not None and _last(dotted_path(path)) in wanted
            if leads:
                found.add(name)
        return found

    def _looked_for_imports(self, path: str) -> bool:
        """Whether the glance at a file knows its imports and which aliases stand in it; it does unless the file is
        gone.
        """
        glance, names = self._state.glance(path), self._names
        data = self._state.peek(path)
        if data is None:
            return False
        glance.modules = frozenset(named_modules(data, path, self._state.files[path].language))
        glance.sought, glance.mentioned = names, frozenset(name for name in names if os.fsencode(name) in data)
        return True

    def _add(self, path: str) -> None:
        glance = self._state.glance(path)
        modules = set(glance.modules or ())
        for name in sorted(glance.mentioned):
            modules |= self._behind(name, modules, path)
        for module in modules:
            self._by_last.setdefault(_last(module), []).append((module, path))

    def _behind(self, name: str, found: set[str], importer: str) -> set[str]:
        """The modules that an alias means, for those of a file's imports that begin with it."""
        dotted = name.replace("/", ".")
        behind = set()
        for module in found:
            if module == dotted or module.startswith(dotted + "."):
                path = self._table.resolve(name + module[len(dotted) :].replace(".", "/"), importer)
                if path is not None:
                    behind.add(dotted_path(path))
        return behind

    @property
    def _table(self) -> ModuleTable:
        if self._made_table is None:
            self._made_table = ModuleTable(self._state.files, aliases=self._aliases)
        return self._made_table


class _Search:
    """A search of files for words."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._stems = stems(self._words)
        self._parts = frozenset(
            part for word in self._words for part in _WORDS.findall(os.fsencode(word))[-1:] or (b"",)
        )

    def finds(self, data: bytes) -> bool:
        """Whether one of the words may stand in a file."""
        if len(self._stems) <= _FEW:
            return any(stem in data for stem in self._stems)
        return b"" in self._parts or not self._parts.isdisjoint(_WORDS.findall(data))

    def finds_folder(self, path: str) -> bool:
        """Whether a folder above a file has one of the names: an import of ``.`` or ``..`` does not spell it."""
        return not self._words.isdisjoint(path.split("/")[:-1])


def _last(dotted: str) -> str:
    return dotted.rsplit(".", 1)[-1]
