"""Which files name a client library, or call methods that only Redis clients have and name Redis: a search over bytes,
before anything is parsed. In real repositories a few per cent of the files do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import cached_property

from resplint.knowledge.records.client_records import ClientLibrary
from resplint.knowledge.records.command_records import CommandModel

_SERVERS = (b"redis", b"Redis", b"REDIS", b"valkey", b"Valkey")
_CALL = "("
"""What the names of methods end in among `Selector.names`."""


class Selector:
    """Searches bytes for `names`: of client libraries, of functions that stand for them, and of methods."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = frozenset(names)
        self._methods = {name for name in self.names if name.endswith(_CALL)}
        self._stems = stems(self.names - self._methods)

    @classmethod
    def of(
        cls, libraries: Mapping[str, ClientLibrary], factories: Iterable[str] = (),
        commands: Mapping[str, CommandModel] | None = None,
    ) -> Selector:  # fmt: skip
        """A search for everything that leads to one of the libraries; with `commands`, also for calls of methods that
        only clients have.
        """
        roots = {name for library in libraries.values() for name in library.library.imports}
        roots.update(factory.rsplit(".", 1)[-1] for factory in factories)
        backends = {
            backend for library in libraries.values() for model in library.settings for backend in model.backends
        }
        markers = {marker for library in libraries.values() for marker in library.library.markers}
        wrapped = {library.library.name for library in libraries.values() if library.library.commands}
        telling = {name.lower() for name, command in (commands or {}).items() if command.is_telling and name.isalpha()}
        return cls(roots | backends | markers | wrapped | {name + _CALL for name in telling})

    @cached_property
    def _first(self) -> re.Pattern[bytes]:
        alternatives = sorted(re.escape(name) for name in self.names - self._methods)
        return re.compile(rb"(?<![A-Za-z0-9])(?:" + "|".join(alternatives).encode() + rb")(?![A-Za-z0-9])")

    @cached_property
    def _asked(self) -> re.Pattern[bytes]:
        alternatives = sorted(name.removesuffix(_CALL) for name in self._methods)
        return re.compile(rb"(?i:\.\s*(?:" + "|".join(alternatives).encode() + rb")\s*\()")

    def names_library(self, data: bytes) -> bool:
        """Whether a file names a client library at all."""
        # The expression is tried at every byte; whether bytes occur at all is found out ten times as fast.
        if any(stem in data for stem in self._stems) and self._first.search(data) is not None:
            return True
        return bool(self._methods) and any(name in data for name in _SERVERS) and self._asked.search(data) is not None


def stems(names: Iterable[str]) -> tuple[bytes, ...]:
    """The names that hold none of the others: where none of these occurs, no name does."""
    found: list[str] = []
    for name in sorted(names, key=lambda name: (len(name), name)):
        if not any(stem in name for stem in found):
            found.append(name)
    return tuple(os.fsencode(name) for name in found)
