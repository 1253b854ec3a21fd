"""Gradle: what the scripts, version catalogues and lock files of a folder say about a distribution.

Scripts are never run: coordinates, plugins and variables count where they are written out.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from resplint.versions.files import ManifestFiles, within
from resplint.versions.gradle_builds import Builds, Declared, Folder, reference_name
from resplint.versions.gradle_files import CatalogueEntry
from resplint.versions.gradle_script import Coordinate, Use
from resplint.versions.managed import Managing, platforms, requirement, starters_of
from resplint.versions.neighbours import brought
from resplint.versions.records import Group, Mention


class GradleManifests:
    """What Gradle's files of each folder say about distributions of Maven's repositories."""

    def __init__(self, files: ManifestFiles) -> None:
        self._builds = Builds(files)
        self._declared: dict[str, dict[str, list[Declared]]] = {}
        self._managing: dict[str, tuple[Managing, ...]] = {}
        self._managed_here: dict[tuple[str, str, Group], Mention | None] = {}

    def mentions(self, folder: str, name: str) -> list[Mention]:
        """What the files of this folder say about a distribution."""
        here = self._builds.folder(folder)
        found = list(here.locked(name)) + self._needed(here, name)
        if not found:
            noted = self._written(here, name, "constraint", ("constraint", "note"))
            noted = noted or self._decided(here, folder, name, "constraint")
            found = [noted] if noted else self._brought(here, name)
        return found

    def _needed(self, folder: Folder, name: str) -> list[Mention]:
        """What a folder's scripts name themselves or by a starter."""
        found = []
        for each in self._in(folder).get(name, ()):
            if each.use == "dependency":
                group: Group = "dev" if each.development else "main"
                version = self._text(each, folder.path)
                mention = None if version else self._managed(folder.path, name, group)
                found.append(mention or Mention(requirement(name, version, each.line, group), each.path, "project"))
        return found or list(self._by_starter(folder, name))

    def _by_starter(self, folder: Folder, name: str) -> Iterator[Mention]:
        for starter in sorted(starters_of(name)):
            for each in self._in(folder).get(starter, ()):
                if each.use != "dependency":
                    continue
                group: Group = "dev" if each.development else "main"
                version = self._text(each, folder.path)
                own = [Managing(one, version, each.path, each.line) for one in platforms()] if version else []
                above = [one for every in self._builds.above(folder.path) for one in self._platforms(every)]
                managing = next((one for one in (*own, *above) if one.brings(starter, name)), None)
                mention = managing and (self._managed(folder.path, name, group) or managing.mention(name, group))
                if mention:
                    yield mention

    # -- versions that are decided elsewhere ------------------------------------------------------------------------

    def _managed(self, folder: str, name: str, group: Group) -> Mention | None:
        """The version that constraints or platforms decide, of this folder or the next one above; else one that is
        written down somewhere."""
        key = (folder, name, group)
        if key not in self._managed_here:
            self._managed_here[key] = self._find_managed(folder, name, group)
        return self._managed_here[key]

    def _find_managed(self, folder: str, name: str, group: Group) -> Mention | None:
        for each in self._builds.above(folder):
            found = self._written(each, name, group, ("constraint",)) or self._decided(each, folder, name, group)
            if found:
                return found
        noted = (self._written(each, name, group, ("note",)) for each in self._builds.above(folder))
        return next(filter(None, noted), None)

    def _written(self, folder: Folder, name: str, group: Group, uses: tuple[Use, ...]) -> Mention | None:
        """The version that stands in a folder, whether or not the distribution is used there."""
        for each in self._in(folder).get(name, ()):
            if each.use in uses and (version := self._text(each, folder.path)):
                return Mention(requirement(name, version, each.line, group), each.path, "project")
        return None

    def _decided(self, folder: Folder, user: str, name: str, group: Group) -> Mention | None:
        """The version that a platform decides which a folder names; properties that hold for `user` override it."""
        for managing in self._platforms(folder):
            key = managing.platform.properties.get(name, "")
            value = self._builds.variable(key, user) if key else None
            if value and (version := self._builds.text(value, user, managing.path, managing.line)):
                return Mention(requirement(name, version, managing.line, group), managing.path, "project")
            if mention := managing.mention(name, group):
                return mention
        return None

    def _platforms(self, folder: Folder) -> tuple[Managing, ...]:
        """The platforms whose version a folder's files name: imported lists first, then plugins, then catalogues."""
        if folder.path not in self._managing:
            found = (*self._imported(folder), *self._plugins(folder), *self._catalogued(folder))
            self._managing[folder.path] = tuple(each for each in found if each.version)
        return self._managing[folder.path]

    def _imported(self, folder: Folder) -> Iterator[Managing]:
        for platform in platforms():
            for name in platform.boms:
                for each in self._in(folder).get(name, ()):
                    if each.use in ("platform", "dependency"):
                        yield Managing(platform, self._text(each, folder.path), each.path, each.line)

    def _plugins(self, folder: Folder) -> Iterator[Managing]:
        for platform in platforms():
            for path, script in folder.scripts:
                for name, version, line in script.plugins:
                    if name in platform.plugins:
                        yield Managing(platform, self._builds.text(version, folder.path, path, line), path, line)
                for reference, _ in script.plugin_references:
                    for source, entry in self._builds.entries(reference, folder.path):
                        if entry.name in platform.plugins:
                            yield Managing(platform, entry.version, source, entry.line)
            for name in platform.plugin_artifacts:
                for each in self._in(folder).get(name, ()):
                    if each.use == "build":
                        yield Managing(platform, self._text(each, folder.path), each.path, each.line)

    def _catalogued(self, folder: Folder) -> Iterator[Managing]:
        for path, catalogue in folder.catalogues.values():
            for platform in platforms():
                for each in catalogue.plugins.values():
                    if each.name in platform.plugins:
                        yield Managing(platform, each.version, path, each.line)
                for each in catalogue.libraries.values():
                    if each.name in platform.boms or each.name in platform.plugin_artifacts:
                        yield Managing(platform, each.version, path, each.line)

    # -- reading ----------------------------------------------------------------------------------------------------

    def _text(self, declared: Declared, folder: str) -> str:
        version = self._builds.text(declared.version, folder, declared.path, declared.line)
        # Behind it there may be a classifier or a kind of file.
        return version.partition(":")[0].partition("@")[0]

    def _in(self, folder: Folder) -> dict[str, list[Declared]]:
        """Everything that is declared in a folder, by name."""
        if folder.path not in self._declared:
            table: dict[str, list[Declared]] = {}
            for each in (*self._scripted(folder), *_entered(folder)):
                table.setdefault(each.name, []).append(each)
            self._declared[folder.path] = table
        return self._declared[folder.path]

    def _scripted(self, folder: Folder) -> Iterator[Declared]:
        for path, script in folder.scripts:
            for each in script.coordinates:
                yield from self._resolved(each, path, folder.path)
        for path, script in folder.build_scripts:
            for each in script.coordinates:
                # What the build itself needs is not there for the sources.
                for one in self._resolved(each, path, folder.path):
                    one.use = "build"
                    yield one

    def _resolved(self, coordinate: Coordinate, path: str, folder: str) -> Iterator[Declared]:
        text = coordinate.text
        if coordinate.reference:
            name = reference_name(text)
            entries = self._builds.entries(name, folder)
            for source, entry in entries:
                yield Declared(entry.name, entry.version, source, _placed(entry, coordinate))
            text = "" if entries else self._builds.variable(name, folder) or ""
        group, artifact, version = (*text.split(":", 2), "", "")[:3]
        if "$" in group or "$" in artifact:
            text = self._builds.text(text, folder, path, coordinate.line)
            group, artifact, version = (*text.split(":", 2), "", "")[:3]
        if group and artifact:
            yield Declared(f"{group}:{artifact}", version, path, coordinate)

    # -- projects of the build --------------------------------------------------------------------------------------

    def _brought(self, folder: Folder, name: str) -> list[Mention]:
        """What other projects of the build, on which this one depends, bring with them."""
        return brought(folder, self._projects, lambda other: self._needed(other, name))

    def _projects(self, folder: Folder) -> Iterator[Folder]:
        names = dict.fromkeys(each for _, script in folder.scripts for each in script.projects)
        root = self._builds.root(folder.path) if names else ""
        for each in names:
            for relative in _project_folders(each):
                target = within(root, relative)
                if target is not None and self._builds.folder(target).has_build:
                    yield self._builds.folder(target)


def _placed(entry: CatalogueEntry, coordinate: Coordinate) -> Coordinate:
    """How the script uses an entry, at the place where its version is written."""
    return Coordinate(coordinate.text, entry.line, coordinate.use, coordinate.development)


def _entered(folder: Folder) -> Iterator[Declared]:
    for path, catalogue in folder.catalogues.values():
        for each in catalogue.libraries.values():
            yield Declared(each.name, each.version, path, each)


def _project_folders(project: str) -> Iterator[str]:
    """Where a project stands: `:libs:cache` in `libs/cache`, `projects.libs.redisCache` in `libs/redis-cache`."""
    if project.startswith("projects."):
        parts = project.split(".")[1:]
        yield posixpath.join(*parts)
        yield posixpath.join(*("".join(f"-{c.lower()}" if c.isupper() else c for c in part) for part in parts))
    else:
        yield posixpath.join(*project.strip(":").split(":")) if project.strip(":") else "."
