"""Which version of a client library holds for a source file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from resplint.config.loading import Config
from resplint.contracts.dependencies import Declared
from resplint.contracts.findings import Notification
from resplint.knowledge.client_versions import AssumedVersion
from resplint.knowledge.numbering import known_numbers, library_number
from resplint.knowledge.records.client_records import ClientLibrary
from resplint.versions import VersionIndex


class AssumedVersions:
    """The version of a library that a file of the project can count on. Once `is_over` says so, no more manifests are
    read.
    """

    def __init__(self, root: Path, config: Config, is_over: Callable[[], bool] = lambda: False) -> None:
        self._index = VersionIndex(str(root), is_over=is_over)
        self._config = config
        self._known: dict[tuple[str, str], AssumedVersion] = {}

    def __call__(self, library: ClientLibrary, path: str) -> AssumedVersion:
        key = (library.library.name, path)
        if key not in self._known:
            self._known[key] = self._find(library, path)
        return self._known[key]

    def _find(self, library: ClientLibrary, path: str) -> AssumedVersion:
        section = library.library
        title = section.title or section.name
        pinned = self._config.at(path).client_versions
        if section.name in pinned:
            return AssumedVersion(title, pinned[section.name], "config")
        for distribution in section.distributions:
            steps = [one for one in section.renumbered if one.distribution == distribution]
            known = known_numbers(steps, section.versions)
            fact = self._index.lookup(path, distribution, known, ecosystem=section.ecosystem)
            number = library_number(fact.version, steps) if fact.source != "none" and fact.version else ""
            if number:
                allowed = tuple(filter(None, (library_number(version, steps) for version in fact.allowed)))
                return AssumedVersion(
                    title, number, fact.source, fact.spec, fact.manifest_path, fact.exact, fact.managed_by, allowed
                )
        return AssumedVersion(title, section.versions[-1], "none", allowed=tuple(section.versions))

    def server(self, path: str) -> str:
        """Version of the Redis server that code in a file talks to, as the configuration says; "" if it does not."""
        return self._config.at(path).server.get("redis-version", "")

    def depends(self, path: str, distribution: str, ecosystem: str) -> bool:
        """Whether the project of a source file depends on a distribution."""
        return self._index.requires(path, distribution, ecosystem=ecosystem)

    def declared(self, path: str, distribution: str, ecosystem: str) -> Declared | None:
        """Where the project of a source file asks for a distribution; None if it does not."""
        return self._index.declared(path, distribution, ecosystem=ecosystem)

    def text(self, path: str) -> bytes | None:
        """The bytes of a manifest, None if it cannot be read."""
        return self._index.text(path)

    @property
    def notifications(self) -> tuple[Notification, ...]:
        """Manifests that could not be read."""
        return self._index.notifications
