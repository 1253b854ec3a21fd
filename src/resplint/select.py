"""Which files can matter: a search over bytes, before anything is parsed.

First round: files that name a client library. Later rounds: files that import a module which, as the rounds before
showed, makes, hands out or uses a client. In real repositories a few per cent of the files survive.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from resplint.knowledge.records import ClientLibrary
from resplint.link.modules import dotted_path


class Selector:
    """Searches bytes for `names`: of client libraries, and of functions that stand for them."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        alternatives = sorted(re.escape(name) for name in self.names)
        self._first = re.compile(rb"(?<![A-Za-z0-9])(?:" + "|".join(alternatives).encode() + rb")(?![A-Za-z0-9])")

    @classmethod
    def of(cls, libraries: Mapping[str, ClientLibrary], factories: Iterable[str] = ()) -> Selector:
        """A search for everything that leads to one of the libraries."""
        roots = {name for library in libraries.values() for name in library.library.imports}
        roots.update(factory.rsplit(".", 1)[-1] for factory in factories)
        backends = {
            backend for library in libraries.values() for model in library.settings for backend in model.backends
        }
        markers = {marker for library in libraries.values() for marker in library.library.markers}
        return cls(roots | backends | markers)

    def names_library(self, data: bytes) -> bool:
        """Whether a file names a client library at all."""
        return self._first.search(data) is not None


class Importers:
    """Files by the modules that their import statements may mean. `asked` holds every answer that was given."""

    def __init__(self, modules_of: Mapping[str, Iterable[str]]) -> None:
        self.asked: dict[str, set[str]] = {}
        self._by_last: dict[str, list[tuple[str, str]]] = {}
        for path, modules in modules_of.items():
            for module in modules:
                self._by_last.setdefault(module.rsplit(".", 1)[-1], []).append((module, path))

    def of(self, paths: Iterable[str]) -> set[str]:
        """Files that may import one of the files at `paths`."""
        found: set[str] = set()
        for path in paths:
            dotted = dotted_path(path)
            answer = self.asked[path] = {
                importer
                for module, importer in self._by_last.get(dotted.rsplit(".", 1)[-1], ())
                if dotted == module or dotted.endswith("." + module)
            }
            found |= answer
        return found
