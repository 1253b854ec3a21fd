"""npm, Yarn and pnpm: what the nearest `package.json` asks for, and what the lock file that covers it has chosen."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from resplint.versions.comparing import comparable
from resplint.versions.files import ManifestFiles, upwards
from resplint.versions.manifests import NPM_CATALOGUES, NPM_LOCKS, PACKAGE_JSON
from resplint.versions.npm_locks import LockedPackage, NpmLock
from resplint.versions.npm_manifests import Catalogues, PackageJson, npm_requirement
from resplint.versions.records import Mention, Requirement

_MANIFEST = "package.json"


class NpmManifests:
    """What the manifests of each folder say about packages of npm's registry."""

    def __init__(self, files: ManifestFiles) -> None:
        self._files = files
        self._catalogues: dict[str, Catalogues] = {}
        self._requirements: dict[str, dict[str, list[Requirement]]] = {}

    def mentions(self, folder: str, name: str) -> list[Mention]:
        """What holds for a package in this folder: a lock file above it counts if it covers the folder."""
        package = self._package(folder)
        asked = self._asked(folder, package).get(name, []) if package else []
        found = [Mention(each, posixpath.join(folder, _MANIFEST), "project") for each in asked]
        for above in upwards(folder) if package else [folder]:
            locks = self._locks(above)
            for path, lock in locks:
                locked = self._locked(lock, above, folder, name)
                found += (_mention(each, path) for each in locked if each.version)
            if locks:
                break
        return found

    # -- manifests --------------------------------------------------------------------------------------------------

    def _package(self, folder: str) -> PackageJson | None:
        if _MANIFEST not in self._files.names(folder):
            return None
        return self._files.document(posixpath.join(folder, _MANIFEST), PACKAGE_JSON)

    def _asked(self, folder: str, package: PackageJson) -> dict[str, list[Requirement]]:
        """What a manifest asks for, by the name of the package that an alias stands for."""
        if folder not in self._requirements:
            table: dict[str, list[Requirement]] = {}
            for dependencies in package.dependencies.values():
                for each in dependencies:
                    catalogues = self._catalogues_of(folder) if each.spec.startswith("catalog:") else {}
                    requirement = npm_requirement(each, catalogues)
                    table.setdefault(requirement.distribution, []).append(requirement)
            self._requirements[folder] = table
        return self._requirements[folder]

    def _catalogues_of(self, folder: str) -> Catalogues:
        """The catalogues that hold in a folder: those of the nearest file upwards that has some."""
        if folder not in self._catalogues:
            found = (tables for each in upwards(folder) for tables in self._catalogues_in(each) if tables)
            self._catalogues[folder] = next(found, {})
        return self._catalogues[folder]

    def _catalogues_in(self, folder: str) -> Iterator[Catalogues]:
        for name in self._files.names(folder):
            if NPM_CATALOGUES.pattern.fullmatch(name):
                file = self._files.document(posixpath.join(folder, name), NPM_CATALOGUES)
                yield file.catalogues if file else {}
        package = self._package(folder)
        yield package.catalogues if package else {}

    # -- lock files -------------------------------------------------------------------------------------------------

    def _locks(self, folder: str) -> list[tuple[str, NpmLock]]:
        found = []
        for name in self._files.names(folder):
            for form in NPM_LOCKS:
                if form.pattern.fullmatch(name):
                    path = posixpath.join(folder, name)
                    # A broken lock file still is the one that covers the folder.
                    found.append((path, self._files.document(path, form) or NpmLock()))
        return found

    def _locked(self, lock: NpmLock, root: str, folder: str, name: str) -> Iterable[LockedPackage]:
        """What a lock file in `root` has chosen for a folder there or below."""
        relative = folder[len(root) :].strip("/")
        if lock.installed:
            return _installed(lock, relative, name)
        if lock.importers:
            used = lock.importers.get(relative, {})
            return [used[name]] if name in used and used[name].name == name else _named(used.values(), name)
        covered = not relative or self._covers(lock, root, relative)
        return self._answering(lock, folder, name, bool(relative)) if covered else []

    def _covers(self, lock: NpmLock, root: str, relative: str) -> bool:
        if lock.workspaces is not None:
            return relative in lock.workspaces
        package = self._package(root)
        return package is not None and package.has_workspaces

    def _answering(self, lock: NpmLock, folder: str, name: str, must_ask: bool) -> list[LockedPackage]:
        """Yarn's entries say which ranges they answer; the range that a folder asks for stands in its manifest."""
        entries = lock.entries.get(name, ())
        package = self._package(folder)
        asked = [each.spec for each in self._asked(folder, package).get(name, ())] if package else []
        asked += [each.spec.removeprefix("npm:") for each in package.dependencies.get(name, ())] if package else []
        if must_ask and not asked:
            return []
        return [each for each in entries if not set(asked).isdisjoint(each.ranges)] or list(entries)


def _installed(lock: NpmLock, relative: str, name: str) -> list[LockedPackage]:
    names = {name, *lock.aliases.get(name, ())}
    if relative:
        # What the workspace does not ask for itself is for the folders above to tell.
        names &= (lock.workspaces or {}).get(relative, frozenset())
    places = {each: lock.installed_for(relative, each) for each in sorted(names)}
    found = {each: place for each, place in places.items() if place is not None and place.name == name}
    return [found[name]] if name in found else list(found.values())


def _named(packages: Iterable[LockedPackage], name: str) -> list[LockedPackage]:
    return [each for each in packages if each.name == name]


def _mention(package: LockedPackage, path: str) -> Mention:
    version = comparable(package.version, semver=True)
    requirement = Requirement(package.name, f"=={package.version}", f"=={version}", True, package.line, package.group)
    return Mention(requirement, path, "lock")
