"""The POMs of a project: each with its parents, and found by name among the modules around it."""

from __future__ import annotations

import posixpath
import re
from collections import deque
from collections.abc import Iterator
from typing import Literal

from resplint.versions.files import ManifestFiles, upwards, within
from resplint.versions.filling import CircularNameError, filled
from resplint.versions.manifests import POM
from resplint.versions.pom import Pom, PomDependency

POM_NAME = "pom.xml"

_HOLE = re.compile(r"\$\{([^${}]*)\}")
_PARENT_LIMIT = 30
_LIST_LIMIT = 50
_MODULE_LIMIT = 2_000
_STEPS_LIMIT = 1_000_000
"""How often modules of all projects together are followed: each of a thousand projects may list all others."""

_Kind = Literal["dependencies", "managed"]
_Table = tuple[dict[str, list[PomDependency]], tuple[PomDependency, ...]]
"""Entries by name, and those whose names hold properties."""


class MavenProject:
    """A POM with its parents, nearest first, as far as they are in the project."""

    def __init__(self, projects: MavenProjects, files: ManifestFiles, chain: tuple[tuple[str, Pom], ...]) -> None:
        self.chain = chain
        self.path = chain[0][0]
        self._projects = projects
        self._files = files
        self._open: dict[_Kind, list[tuple[str, str, PomDependency]]] = {}

    def text(self, raw: str, path: str, line: int) -> str:
        """`raw` (which stands at `path`, `line`) with the properties that hold for this POM; "" if one is unknown."""
        if "${" not in raw:
            return raw
        try:
            return filled(raw, _HOLE, lambda match: self.property_of(match[1].strip())) or ""
        except CircularNameError as error:
            self._files.remark(path, line, f"has {error}")
            return ""

    def property_of(self, name: str) -> str | None:
        """The value of a property, with the properties in it not yet filled in."""
        for _, pom in self.chain:
            if name in pom.properties:
                return pom.properties[name]
        own = self.chain[0][1]
        built_in = {
            "groupId": own.group,
            "artifactId": own.artifact,
            "version": own.version,
            "parent.groupId": own.parent.group if own.parent else "",
            "parent.version": own.parent.version if own.parent else "",
        }
        return built_in.get(re.sub(r"^(?:project|pom)\.", "", name)) or None

    def entries(self, kind: _Kind, name: str) -> Iterator[tuple[str, PomDependency]]:
        """Path and entry of everything that needs a distribution or decides its version, own before inherited."""
        for path, _ in self.chain:
            table, _ = self._projects.table(path, kind)
            yield from ((path, each) for each in table.get(name, ()))
        yield from ((path, each) for key, path, each in self._opened(kind) if key == name)

    def names(self) -> Iterator[str]:
        """All distributions that it depends on."""
        for path, _ in self.chain:
            yield from self._projects.table(path, "dependencies")[0]
        yield from (key for key, _, _ in self._opened("dependencies"))

    def imports(self) -> Iterator[tuple[str, str, PomDependency]]:
        """Name, path and entry of every imported list of versions."""
        for path, pom in self.chain:
            yield from ((self.name_of(path, each), path, each) for each in pom.imports)

    def name_of(self, path: str, entry: PomDependency) -> str:
        """`group:artifact` of an entry that stands at `path`."""
        return f"{self.text(entry.group, path, entry.line)}:{self.text(entry.artifact, path, entry.line)}"

    def _opened(self, kind: _Kind) -> list[tuple[str, str, PomDependency]]:
        if kind not in self._open:
            self._open[kind] = [
                (self.name_of(path, each), path, each)
                for path, _ in self.chain
                for each in self._projects.table(path, kind)[1]
            ]
        return self._open[kind]


class MavenProjects:
    """All POMs below the root, read and combined when first needed."""

    def __init__(self, files: ManifestFiles) -> None:
        self._files = files
        self._known: dict[str, MavenProject | None] = {}
        self._tables: dict[tuple[str, _Kind], _Table] = {}
        self._modules: dict[str, dict[str, str]] = {}
        self._around: dict[str, tuple[dict[str, str], ...]] = {}
        self._lists: dict[str, tuple[MavenProject, ...]] = {}
        self._listed: dict[str, tuple[str, ...]] = {}
        self._imported: dict[str, tuple[MavenProject, ...]] = {}
        self._steps_left = _STEPS_LIMIT

    def in_folder(self, folder: str) -> MavenProject | None:
        """The project whose POM stands in a folder."""
        return self.at(posixpath.join(folder, POM_NAME)) if POM_NAME in self._files.names(folder) else None

    def at(self, path: str) -> MavenProject | None:
        """The project with the POM at `path`."""
        if path not in self._known:
            chain: list[tuple[str, Pom]] = []
            current, seen = path, {path}
            while current and (pom := self._files.document(current, POM)):
                chain.append((current, pom))
                current = self._parent_of(current, pom)
                if current in seen or len(chain) >= _PARENT_LIMIT:
                    break
                seen.add(current)
            self._known[path] = MavenProject(self, self._files, tuple(chain)) if chain else None
        return self._known[path]

    def named(self, key: str, path: str) -> MavenProject | None:
        """The project of this name (`group:artifact`) among the modules of the project around `path`."""
        found = self._module(key, path)
        return self.at(found) if found else None

    def lists(self, project: MavenProject) -> tuple[MavenProject, ...]:
        """The project itself and all lists of versions in the project that it imports, near ones first."""
        if project.path not in self._lists:
            found: list[MavenProject] = []
            pending, seen = deque([project]), {project.path}
            while pending and len(found) < _LIST_LIMIT:
                current = pending.popleft()
                found.append(current)
                for imported in self._imported_by(current):
                    if imported.path not in seen:
                        seen.add(imported.path)
                        pending.append(imported)
            self._lists[project.path] = tuple(found)
        return self._lists[project.path]

    def _imported_by(self, project: MavenProject) -> tuple[MavenProject, ...]:
        if project.path not in self._imported:
            found = (self.named(key, path) for key, path, _ in project.imports())
            self._imported[project.path] = tuple(dict.fromkeys(each for each in found if each is not None))
        return self._imported[project.path]

    def table(self, path: str, kind: _Kind) -> _Table:
        """The entries of one POM, without those of its parents."""
        key = (path, kind)
        if key not in self._tables:
            pom = self._files.document(path, POM)
            entries = () if pom is None else pom.dependencies if kind == "dependencies" else pom.managed
            table: dict[str, list[PomDependency]] = {}
            for each in entries:
                table.setdefault(f"{each.group}:{each.artifact}", []).append(each)
            self._tables[key] = (table, tuple(each for each in entries if "${" in each.group + each.artifact))
        return self._tables[key]

    def _parent_of(self, path: str, pom: Pom) -> str:
        """The path of the parent's POM, "" if it is not in the project."""
        parent = pom.parent
        if parent is None:
            return ""
        key = f"{parent.group}:{parent.artifact}"
        relative = f"../{POM_NAME}" if parent.relative_path is None else parent.relative_path
        target = self._pom_at(posixpath.dirname(path), relative) if relative else ""
        found = self._files.document(target, POM) if target else None
        if found and f"{found.group}:{found.artifact}" == key:
            return target
        return self._module(key, path)

    def _pom_at(self, folder: str, relative: str) -> str:
        """The path of the POM that a path to it or to its folder means, "" if there is none."""
        target = within(folder, relative)
        if target is None:
            return ""
        if not target.endswith(".xml"):
            target = posixpath.join(target, POM_NAME)
        return target if self._files.has(target) else ""

    def _module(self, key: str, path: str) -> str:
        indexes = self._indexes(posixpath.dirname(path))
        return next((each[key] for each in indexes if key in each), "")

    def _indexes(self, folder: str) -> tuple[dict[str, str], ...]:
        """The modules of the outermost project around a folder, then of inner ones that it does not list."""
        if folder not in self._around:
            found: list[dict[str, str]] = []
            for each in reversed(upwards(folder)):
                start = posixpath.join(each, POM_NAME)
                if POM_NAME in self._files.names(each) and not any(start in one.values() for one in found):
                    if start not in self._modules:
                        self._modules[start] = self._modules_of(start)
                    found.append(self._modules[start])
            self._around[folder] = tuple(found)
        return self._around[folder]

    def _modules_of(self, start: str) -> dict[str, str]:
        found: dict[str, str] = {}
        pending, seen = deque([start]), {start}
        while pending:
            path = pending.popleft()
            pom = self._files.document(path, POM)
            if pom is None:
                continue
            found.setdefault(f"{pom.group}:{pom.artifact}", path)
            listed = self._modules_listed(path, pom)
            if self._steps_left < len(listed):
                if self._steps_left >= 0:  # one place is enough to find the others
                    problem = f"its modules list each other more than {_STEPS_LIMIT:,} times, and were not all followed"
                    self._files.remark(start, 0, problem)
                self._steps_left = -1
                break
            self._steps_left -= len(listed)
            for target in listed:
                if target not in seen and len(seen) < _MODULE_LIMIT:
                    seen.add(target)
                    pending.append(target)
        return found

    def _modules_listed(self, path: str, pom: Pom) -> tuple[str, ...]:
        """The POMs of the modules that one POM lists."""
        if path not in self._listed:
            targets = (self._pom_at(posixpath.dirname(path), module) for module in pom.modules)
            self._listed[path] = tuple(target for target in targets if target)
        return self._listed[path]
