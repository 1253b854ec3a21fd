"""Looking up versions: from a source file's folder upwards to the nearest manifest that knows the library."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol

from resplint.contracts.findings import Notification
from resplint.versions.comparing import Ordering, plain, semver_ordering, tolerant_ordering
from resplint.versions.deciding import VersionFact, decide
from resplint.versions.files import ManifestFiles, upwards
from resplint.versions.records import Mention, normalised


class _Manifests(Protocol):
    """The manifests of one ecosystem."""

    def mentions(self, folder: str, name: str) -> Sequence[Mention]:
        """What holds for source files of this folder because of the manifests in it."""


class _Ecosystem(NamedTuple):
    """Who reads its manifests, and the order of its versions."""

    module: str
    name: str
    ordering: Ordering


_ECOSYSTEMS = {
    "pypi": _Ecosystem("pypi", "PypiManifests", plain),
    "maven": _Ecosystem("jvm", "JvmManifests", tolerant_ordering),
    "npm": _Ecosystem("npm", "NpmManifests", semver_ordering),
}


class VersionIndex:
    """The manifests below one root, read when first needed.

    `read` gives the bytes of a path relative to the root, or None if that fails; `list_names` the names in a
    folder relative to the root ("" is the root itself). By default both read the disk, inside the root. Once
    `is_over` says so, nothing more is read: what is not known by then stays unknown.
    """

    def __init__(
        self,
        root: str,
        read: Callable[[str], bytes | None] | None = None,
        list_names: Callable[[str], Sequence[str]] | None = None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._files = ManifestFiles(root, read, list_names, is_over)
        self._is_over = is_over
        self._manifests: dict[str, _Manifests] = {}
        self._mentions: dict[tuple[str, str, str], tuple[Mention, ...]] = {}

    @property
    def notifications(self) -> tuple[Notification, ...]:
        """What could not be read so far, sorted."""
        return self._files.notifications

    def lookup(
        self, path: str, distribution: str, known: Sequence[str] = (), *, ecosystem: str = "pypi"
    ) -> VersionFact:
        """The version of `distribution` for the source file `path` (relative to the root, forward slashes).

        `ecosystem` says what a distribution's name looks like: "pypi" (``redis``), "maven" (``group:artifact``) or
        "npm" (``@scope/name``). `known` are all released versions, in any order: of them the lowest in the range is
        taken, spelt as in `known`.
        """
        name = normalised(distribution) if ecosystem == "pypi" else distribution
        ordering = _ECOSYSTEMS[ecosystem].ordering if ecosystem in _ECOSYSTEMS else plain
        for folder in upwards(posixpath.dirname(path).strip("/")):
            mentions = self._mentions_of(folder, name, ecosystem)
            if mentions:
                return decide(name, mentions, known, ordering)
        return decide(name, (), known, ordering)

    def requires(self, path: str, distribution: str, *, ecosystem: str = "pypi") -> bool:
        """Whether what runs with a source file needs a distribution, as the nearest manifests that know it say. A bound
        for its version, such as a platform sets, is no need.
        """
        name = normalised(distribution) if ecosystem == "pypi" else distribution
        for folder in upwards(posixpath.dirname(path).strip("/")):
            if mentions := self._mentions_of(folder, name, ecosystem):
                return any(each.requirement.group in ("main", "extra") for each in mentions)
        return False

    def _mentions_of(self, folder: str, name: str, ecosystem: str) -> tuple[Mention, ...]:
        key = (folder, name, ecosystem)
        if key not in self._mentions and self._is_over():
            return ()
        if key not in self._mentions:
            known = ecosystem in _ECOSYSTEMS
            self._mentions[key] = tuple(self._of(ecosystem).mentions(folder, name)) if known else ()
        return self._mentions[key]

    def _of(self, ecosystem: str) -> _Manifests:
        """The manifests of an ecosystem, whose code is loaded with the first question about it."""
        if ecosystem not in self._manifests:
            known = _ECOSYSTEMS[ecosystem]
            made: _Manifests = getattr(import_module(f"resplint.versions.{known.module}"), known.name)(self._files)
            self._manifests[ecosystem] = made
        return self._manifests[ecosystem]
