"""Which files name a client library: a search over bytes, before anything is parsed. In real repositories a few per
cent of the files do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from resplint.knowledge.records.client_records import ClientLibrary


class Selector:
    """Searches bytes for `names`: of client libraries, and of functions that stand for them."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self._stems = stems(self.names)

    @classmethod
    def of(cls, libraries: Mapping[str, ClientLibrary], factories: Iterable[str] = ()) -> Selector:
        """A search for everything that leads to one of the libraries."""
        roots = {name for library in libraries.values() for name in library.library.imports}
        roots.update(factory.rsplit(".", 1)[-1] for factory in factories)
        backends = {
            backend for library in libraries.values() for model in library.settings for backend in model.backends
        }
        markers = {marker for library in libraries.values() for marker in library.library.markers}
        wrapped = {library.library.name for library in libraries.values() if library.library.commands}
        return cls(roots | backends | markers | wrapped)

    @cached_property
    def _first(self) -> re.Pattern[bytes]:
        alternatives = sorted(re.escape(name) for name in self.names)
        return re.compile(rb"(?<![A-Za-z0-9])(?:" + "|".join(alternatives).encode() + rb")(?![A-Za-z0-9])")

    def names_library(self, data: bytes) -> bool:
        """Whether a file names a client library at all."""
        # The expression is tried at every byte; whether bytes occur at all is found out ten times as fast.
        return any(stem in data for stem in self._stems) and self._first.search(data) is not None


def stems(names: Iterable[str]) -> tuple[bytes, ...]:
    """The names that hold none of the others: where none of these occurs, no name does."""
    found: list[str] = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        if not any(stem in name for stem in found):
            found.append(name)
    return tuple(os.fsencode(name) for name in found)
