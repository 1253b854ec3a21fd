"""Looking up versions: from a source file's folder upwards to the nearest manifest that knows the library."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol

from resplint.contracts.dependencies import Declared
from resplint.contracts.findings import Notification, Place
from resplint.files.source import Undecodable, decode
from resplint.versions.comparing import Ordering, plain, semver_ordering, tolerant_ordering
from resplint.versions.deciding import VersionFact, decide
from resplint.versions.files import ManifestFiles, upwards
from resplint.versions.records import Mention, normalised


class _Manifests(Protocol):
    """The manifests of one ecosystem."""

    def mentions(self, folder: str, name: str) -> Sequence[Mention]:
        """What holds for source files of this folder because of the manifests in it."""


class _Ecosystem(NamedTuple):
    """Who reads its manifests, the order of its versions, what the names of its sources end with, and how those of
    the manifests begin that a program has beside them.
    """

    module: str
    name: str
    ordering: Ordering
    sources: tuple[str, ...] = ()
    manifests: tuple[str, ...] = ()


_ECOSYSTEMS = {
    "pypi": _Ecosystem("pypi", "PypiManifests", plain, (".py",), ("requirements", "pyproject", "setup.", "Pipfile")),
    "maven": _Ecosystem("jvm", "JvmManifests", tolerant_ordering),
    "npm": _Ecosystem(
        "npm", "NpmManifests", semver_ordering, (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx"), ("package.json",)
    ),
}

_DEPTH = 3
_FOLDERS = 300
"""How far below the root, and in how many folders, a manifest is looked for that stands above no code."""
_PASSED_OVER = ("node_modules", "venv", "env", "vendor", "dist", "build", "target", "__pycache__", "site-packages")


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
        self._apart: dict[str, list[str]] = {}
        self._below_root: dict[str, list[str]] = {}

    @property
    def notifications(self) -> tuple[Notification, ...]:
        """What could not be read so far, sorted."""
        return self._files.notifications

    def lookup(
        self, path: str, distribution: str, known: Sequence[str] = (), *, ecosystem: str = "pypi"
    ) -> VersionFact:
        """The version of `distribution` for the source file `path` (relative to the root, forward slashes).

        `ecosystem` says what a distribution's name looks like: "pypi" (``redis``), "maven" (``group:artifact``) or
        "npm" (``@scope/name``). `known` are all released versions, in any order: of them the newest in the range is
        taken, spelt as in `known`. Where no folder above the file knows it, a folder without code may, or those of
        the programs beside it, if they agree.
        """
        name = normalised(distribution) if ecosystem == "pypi" else distribution
        ordering = _ECOSYSTEMS[ecosystem].ordering if ecosystem in _ECOSYSTEMS else plain
        for folder in upwards(posixpath.dirname(path).strip("/")):
            mentions = self._mentions_of(folder, name, ecosystem)
            if mentions:
                return decide(name, mentions, known, ordering)
        for folders in (self._without_code(ecosystem), self._of_programs(path, ecosystem)):
            agreed = self._agreed(folders, path, name, known, ecosystem)
            if agreed is not None:
                return agreed if agreed.version else decide(name, (), known, ordering)
        return decide(name, (), known, ordering)

    def _agreed(
        self, folders: list[str], path: str, name: str, known: Sequence[str], ecosystem: str
    ) -> VersionFact | None:
        """The version on which the manifests in some folders agree, below the nearest folder above a source file that
        has such; a fact without a version where they do not.
        """
        for above in upwards(posixpath.dirname(path).strip("/")) if folders else ():
            facts = [
                decide(name, mentions, known, _ECOSYSTEMS[ecosystem].ordering)
                for folder in folders
                if (not above or folder.startswith(f"{above}/"))
                and (mentions := self._mentions_of(folder, name, ecosystem))
            ]
            if facts:
                agree = len({fact.version for fact in facts}) == 1
                return facts[0] if agree else decide(name, (), (), _ECOSYSTEMS[ecosystem].ordering)
        return None

    def _of_programs(self, path: str, ecosystem: str) -> list[str]:
        """Folders whose programs may share a source file that has no manifest of its own, in a folder beside them."""
        begins = _ECOSYSTEMS[ecosystem].manifests if ecosystem in _ECOSYSTEMS else ()
        folder = posixpath.dirname(path).strip("/")
        above = upwards(folder)
        if not folder or any(name.startswith(begins) for folder in above for name in self._files.names(folder)):
            return []
        return self._below_root.get(ecosystem, [])

    def _without_code(self, ecosystem: str) -> list[str]:
        """Folders below the root in which, and below which, there are no sources of an ecosystem."""
        sources = _ECOSYSTEMS[ecosystem].sources if ecosystem in _ECOSYSTEMS else ()
        if not sources or ecosystem in self._apart or self._is_over():
            return self._apart.get(ecosystem, [])
        found, level, holding = [""], [""], set[str]()
        for depth in range(_DEPTH):
            below = [posixpath.join(folder, name) for folder in level for name in self._folders_in(folder)]
            level = below[: max(0, _FOLDERS - len(found))]
            found += level
            for folder in below if depth == _DEPTH - 1 else below[len(level) :]:
                if folder not in level or self._folders_in(folder):  # what is in there is not looked at
                    holding.update(upwards(folder))
        for folder in found:
            if any(name.endswith(sources) for name in self._files.names(folder)):
                holding.update(upwards(folder))
        self._below_root[ecosystem] = found if len(found) < _FOLDERS else []
        self._apart[ecosystem] = [folder for folder in found if folder not in holding]
        return self._apart[ecosystem]

    def _folders_in(self, folder: str) -> list[str]:
        """Names in a folder that look like those of folders."""
        return [name for name in self._files.names(folder) if "." not in name and name not in _PASSED_OVER]

    def requires(self, path: str, distribution: str, *, ecosystem: str = "pypi") -> bool:
        """Whether what runs with a source file needs a distribution, as the nearest manifests that know it say. A bound
        for its version, such as a platform sets, is no need.
        """
        name = normalised(distribution) if ecosystem == "pypi" else distribution
        for folder in upwards(posixpath.dirname(path).strip("/")):
            if mentions := self._mentions_of(folder, name, ecosystem):
                return any(each.requirement.group in ("main", "extra") for each in mentions)
        return False

    def declared(self, path: str, distribution: str, *, ecosystem: str = "pypi") -> Declared | None:
        """Where the nearest manifests that know a distribution ask for it, to run a source file; None if they do not.
        What says which release is installed comes behind what asks for one.
        """
        name = normalised(distribution) if ecosystem == "pypi" else distribution
        for folder in upwards(posixpath.dirname(path).strip("/")):
            known = self._mentions_of(folder, name, ecosystem)
            mentions = [one for one in known if one.requirement.group == "main" and not one.rank[0]]
            if mentions:
                chosen = min(mentions, key=lambda one: (one.kind == "lock", one.rank, one.path, one.requirement.line))
                extras = frozenset(extra for one in mentions for extra in one.requirement.extras)
                return self._declared(chosen.path, chosen.requirement.line, extras)
        return None

    def _declared(self, path: str, line: int, extras: frozenset[str]) -> Declared | None:
        decoded = decode(self._files.text(path) or b"", "settings")
        if isinstance(decoded, Undecodable):
            return None
        lines = decoded.data.split(b"\n")
        at = min(max(line, 1), len(lines)) - 1
        start = sum(len(one) + 1 for one in lines[:at])
        place = Place(path, start, start + len(lines[at].rstrip()))
        return Declared(place, line, extras, decoded.data.decode("utf-8", "replace"))

    def text(self, path: str) -> bytes | None:
        """The bytes of a manifest, None if it cannot be read."""
        return self._files.text(path)

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
