"""Maven: what a folder's `pom.xml` says together with its parents and with imported lists of versions.

Only files of the project are read. What stands in a repository is unknown, apart from the platforms in `managed`.
"""

from __future__ import annotations

from collections.abc import Iterator

from resplint.versions.files import ManifestFiles
from resplint.versions.managed import Managing, platforms, requirement, starters_of
from resplint.versions.maven_projects import MavenProject, MavenProjects
from resplint.versions.neighbours import brought
from resplint.versions.pom import PomDependency
from resplint.versions.records import Group, Mention


class MavenManifests:
    """What the POMs of each folder say about distributions of Maven's repositories."""

    def __init__(self, files: ManifestFiles) -> None:
        self._projects = MavenProjects(files)
        self._managing: dict[str, tuple[Managing, ...]] = {}
        self._imported: dict[str, tuple[Managing, ...]] = {}
        self._modules: dict[str, tuple[MavenProject, ...]] = {}

    def mentions(self, folder: str, name: str) -> list[Mention]:
        """What the POM of this folder says about a distribution, by itself or by what it inherits."""
        project = self._projects.in_folder(folder)
        if project is None:
            return []
        found = self._needed(project, name)
        if not found:
            managed = self._version(project, name, "constraint")
            found = [managed] if managed else self._brought(project, name)
        return found

    def _needed(self, project: MavenProject, name: str) -> list[Mention]:
        """What a POM names itself or by a starter."""
        found = []
        for path, each in project.entries("dependencies", name):
            group = _group(each)
            version = project.text(each.version, path, each.line)
            mention = None if version else self._version(project, name, group)
            found.append(mention or Mention(requirement(name, version, each.line, group), path, "project"))
        return found or list(self._by_starter(project, name))

    def _by_starter(self, project: MavenProject, name: str) -> Iterator[Mention]:
        for starter in sorted(starters_of(name)):
            for path, each in project.entries("dependencies", starter):
                group = _group(each)
                version = project.text(each.version, path, each.line)
                own = [Managing(one, version, path, each.line) for one in platforms()] if version else []
                managing = next((one for one in (*own, *self._platforms(project)) if one.brings(starter, name)), None)
                mention = managing and (self._version(project, name, group) or managing.mention(name, group))
                if mention:
                    yield mention

    def _version(self, project: MavenProject, name: str, group: Group) -> Mention | None:
        """What the management of a POM decides: its own entries, then lists in the project, then platforms."""
        for each in self._projects.lists(project):
            for path, entry in each.entries("managed", name):
                if version := each.text(entry.version, path, entry.line):
                    return Mention(requirement(name, version, entry.line, group), path, "project")
        for managing in self._platforms(project):
            key = managing.platform.properties.get(name, "")
            value = project.property_of(key) if key and managing.overridable else None
            if value and (version := project.text(value, managing.path, managing.line)):
                return Mention(requirement(name, version, managing.line, group), managing.path, "project")
            if mention := managing.mention(name, group):
                return mention
        return None

    def _platforms(self, project: MavenProject) -> tuple[Managing, ...]:
        """The platforms that decide versions for a POM, those it imports first."""
        if project.path not in self._managing:
            lists = self._projects.lists(project)
            imported = [one for each in lists for one in self._imported_by(each)]
            inherited = [one for each in lists for one in _inherited(each, each is project)]
            self._managing[project.path] = (*imported, *inherited)
        return self._managing[project.path]

    def _imported_by(self, project: MavenProject) -> tuple[Managing, ...]:
        if project.path not in self._imported:
            self._imported[project.path] = tuple(_imported(project))
        return self._imported[project.path]

    def _brought(self, project: MavenProject, name: str) -> list[Mention]:
        """What other modules of the project, on which this one depends, bring with them."""
        return brought(project, self._modules_of, lambda other: self._needed(other, name))

    def _modules_of(self, project: MavenProject) -> tuple[MavenProject, ...]:
        if project.path not in self._modules:
            found = (self._projects.named(each, project.path) for each in project.names())
            self._modules[project.path] = tuple(each for each in found if each is not None)
        return self._modules[project.path]


def _imported(project: MavenProject) -> Iterator[Managing]:
    for name, path, entry in project.imports():
        for each in platforms():
            if name in each.boms:
                yield Managing(each, project.text(entry.version, path, entry.line), path, entry.line)


def _inherited(project: MavenProject, overridable: bool) -> Iterator[Managing]:
    path, pom = project.chain[-1]
    if parent := pom.parent:
        for each in platforms():
            if f"{parent.group}:{parent.artifact}" in each.parents:
                version = project.text(parent.version, path, parent.line)
                yield Managing(each, version, path, parent.line, overridable)


def _group(dependency: PomDependency) -> Group:
    return "dev" if dependency.scope == "test" else "extra" if dependency.optional else "main"
