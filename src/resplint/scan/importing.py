"""Who imports whom, read from the bytes of files that have not been parsed.

The question is asked about few files, those that carry clients, so that it is turned round: whatever imports one of
them has the last part of its name in it somewhere, and whoever has not need not be looked at more closely.
"""

from __future__ import annotations

import os
import re
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable

from resplint.bind.modules import ModuleTable, dotted_path
from resplint.discovery.selector import stems
from resplint.files.module_aliases import Aliases
from resplint.languages import LANGUAGES, named_modules
from resplint.scan.request import ScanState

STAGE = "Looking for files that import modules which use Redis"
"""What a deadline cuts short here."""
_SOME, _FEW = 12, 40
"""So many words are looked for faster than imports, where those are found quickly. So many are looked for one by one;
for more, the words of a file are listed.
"""
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
        self._by_dotted: dict[str, list[str]] = {}
        for name in sorted(self._names):
            self._by_dotted.setdefault(name.replace("/", "."), []).append(name)
        self._made_table = table
        self._waiting = [path for path in paths if path not in state.failed]
        self._looked_at: list[tuple[str, array[int]]] = []
        """Files whose imports are known, with hashes of the modules that those may mean: names would take ten times as
        much memory, and files are many.
        """
        self._known: set[str] = set()
        """Last parts of names whose importers have been looked at."""

    def of(self, paths: Collection[str]) -> set[str]:
        """Files that may import one of the files at `paths`."""
        named: dict[int, list[str]] = defaultdict(list)
        for path in paths:
            self.asked[path] = set()
            for module in _names_of(dotted_path(path)):
                named[hash(module)].append(path)
        self._look({_last(dotted_path(path)) for path in paths} - self._known)
        for importer, modules in self._looked_at:
            if not named.keys().isdisjoint(modules):
                for found in named.keys() & set(modules):
                    for path in named[found]:
                        self.asked[path].add(importer)
        return set().union(*(self.asked[path] for path in paths))

    def _look(self, wanted: set[str]) -> None:
        """Find out what the files import that may import a module whose name ends in one of the `wanted` words."""
        if not wanted:
            return
        self._known |= wanted
        search = _Search(wanted | self._leading_to(wanted))
        waiting = []
        for path in self._waiting:
            if self._state.deadline.passed(STAGE):
                break
            glance = self._state.glance(path)
            if glance.modules is not None and (glance.sought is self._names or glance.sought == self._names):
                self._add(path)
            elif not search.finds_folder(path) and not self._holds(search, path):
                waiting.append(path)
            elif self._looked_for_imports(path):
                self._add(path)
        self._waiting = waiting

    def _holds(self, search: _Search, path: str) -> bool:
        if search.is_wide and LANGUAGES[self._state.files[path].language].quick_imports:
            return True
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
        """Whether the glance at a file knows its imports and which aliases stand in them; it does unless the file is
        gone.
        """
        glance = self._state.glance(path)
        data = self._state.peek(path)
        if data is None:
            return False
        modules = named_modules(data, path, self._state.files[path].language)
        glance.modules = array("q", sorted(map(hash, modules)))
        glance.sought = self._names
        glance.aliased = tuple(sorted(one for one in modules if self._begins_with_alias(one, data)))
        self._state.glances[path] = glance
        return True

    def _begins_with_alias(self, module: str, data: bytes) -> bool:
        """Whether a module that a file with this content imports is one of an alias that stands in it."""
        parts = module.split(".")
        return any(
            os.fsencode(name) in data
            for count in range(1, len(parts) + 1)
            for name in self._by_dotted.get(".".join(parts[:count]), ())
        )

    def _add(self, path: str) -> None:
        glance = self._state.glance(path)
        assert glance.modules is not None
        behind = {hash(module) for name in glance.aliased for module in self._behind(name, path)}
        self._looked_at.append((path, glance.modules + array("q", behind) if behind else glance.modules))

    def _behind(self, module: str, importer: str) -> set[str]:
        """The modules that an import means which begins with an alias."""
        behind = set()
        parts = module.split(".")
        for count in range(1, len(parts) + 1):
            for name in self._by_dotted.get(".".join(parts[:count]), ()):
                path = self._table.resolve("/".join((name, *parts[count:])), importer)
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

    @property
    def is_wide(self) -> bool:
        """Whether there are so many words that it takes long to look for them."""
        return len(self._stems) > _SOME

    def finds(self, data: bytes) -> bool:
        """Whether one of the words may stand in a file."""
        if len(self._stems) <= _FEW:
            return any(stem in data for stem in self._stems)
        return b"" in self._parts or not self._parts.isdisjoint(_WORDS.findall(data))

    def finds_folder(self, path: str) -> bool:
        """Whether a folder above a file has one of the names: an import of ``.`` or ``..`` does not spell it."""
        return not self._words.isdisjoint(path.split("/")[:-1])


def _names_of(dotted: str) -> list[str]:
    """The names by which a module can be imported: its own, without any number of packages in front of it."""
    parts = dotted.split(".")
    return [".".join(parts[count:]) for count in range(len(parts))]


def _last(dotted: str) -> str:
    return dotted.rsplit(".", 1)[-1]
