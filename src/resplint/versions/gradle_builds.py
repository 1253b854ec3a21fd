"""Gradle's files by folder, and what the names in them stand for: scripts above a folder hold for it, too."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from typing import TypeVar

from resplint.versions.files import ManifestFiles, upwards, within
from resplint.versions.filling import CircularNameError, filled
from resplint.versions.gradle_files import Catalogue, CatalogueEntry, Properties, alias_of
from resplint.versions.gradle_script import Coordinate, GradleScript, Use, variable_name
from resplint.versions.manifests import CATALOGUE, GRADLE, GRADLE_LOCK, GRADLE_PROPERTIES
from resplint.versions.records import Mention

T = TypeVar("T")

_HOLE = re.compile(r"\$\{([^{}]*)\}|\$([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)", re.ASCII)
_ASKED = re.compile(r"""(?:[pP]roperty|get|extra|ext)\s*[(\[]\s*["']([^"']+)["']""")
_INDEXED = re.compile(r"""\[\s*["']([^"'\]]+)["']\s*\]""")
_TAIL = re.compile(r"(?:\.(?:get|toString|asProvider|orNull)(?:\(\))?|!!|\s+as\s+\w+\??|\(\))+$")
_ROOT = re.compile(r"\$\{?(?:rootDir|rootProject\.(?:projectDir|rootDir))\}?/?")
_HERE = re.compile(r"\$\{?(?:projectDir|project\.projectDir)\}?/?")
_FILE = re.compile(r"""\$\{(rootProject\.)?file\["([^"]+)"\]\}""")
_APPLIED_LIMIT = 30
_CONSTANTS_LIMIT = 50
_SOURCES = (".kt", ".kts", ".java", ".groovy", ".gradle")
_CONSTANTS = ("src/main/kotlin", "src/main/java", "src/main/groovy")


class Declared:
    """A coordinate in a script or an entry of a catalogue, with its name known and its version perhaps open."""

    __slots__ = ("development", "line", "name", "path", "use", "version")

    def __init__(self, name: str, version: str, path: str, at: Coordinate | CatalogueEntry) -> None:
        self.name = name
        self.version = version
        self.path = path
        self.line = at.line
        self.use: Use = at.use if isinstance(at, Coordinate) else "note"
        self.development = at.development if isinstance(at, Coordinate) else False


class Folder:
    """What Gradle's files in one folder say."""

    def __init__(self, files: ManifestFiles, path: str) -> None:
        self._files = files
        self.path = path
        names = files.names(path)
        self.scripts: list[tuple[str, GradleScript]] = []
        self.catalogues: dict[str, tuple[str, Catalogue]] = {}
        self.properties: Properties | None = None
        # Some builds name a project's script after its folder.
        base = posixpath.basename(path)
        named = (f"{base}.gradle", f"{base}.gradle.kts") if base else ()
        scripts = [each for each in names if each in named or GRADLE.pattern.fullmatch(each)]
        own = [posixpath.join(path, each) for each in scripts]
        self.is_root = any(each.startswith("settings.") for each in scripts)
        self.has_build = any(not each.startswith("settings.") for each in scripts)
        self._read_scripts(own)
        if "gradle" in names:
            inner = posixpath.join(path, "gradle")
            for name in files.names(inner):
                if CATALOGUE.pattern.fullmatch(name) and (found := files.document(f"{inner}/{name}", CATALOGUE)):
                    self.catalogues[name.partition(".")[0]] = (f"{inner}/{name}", found)
        if "gradle.properties" in names:
            self.properties = files.document(posixpath.join(path, "gradle.properties"), GRADLE_PROPERTIES)
        self.build_scripts = self._of_the_build(names) if own else []

    def locked(self, name: str) -> Iterator[Mention]:
        """What lock files say."""
        names = self._files.names(self.path)
        found = [posixpath.join(self.path, each) for each in names if GRADLE_LOCK.pattern.fullmatch(each)]
        if "gradle" in names:
            inner = posixpath.join(self.path, "gradle", "dependency-locks")
            names = self._files.names(inner) if self._files.has(inner) else ()
            found += [f"{inner}/{each}" for each in names if each.endswith(".lockfile")]
        for path in found:
            parsed = self._files.document(path, GRADLE_LOCK)
            for each in parsed.requirements if parsed else ():
                if each.distribution == name:
                    yield Mention(each, path, "lock")

    def variable(self, name: str) -> str | None:
        """The text of a variable, with the names in it not yet filled in."""
        for _, script in (*self.scripts, *self.build_scripts):
            if name in script.variables:
                return script.variables[name][0]
        if self.properties and name in self.properties.values:
            return self.properties.values[name][0]
        return None

    def _read_scripts(self, pending: list[str]) -> None:
        seen = set(pending)
        for path in pending:
            script = self._files.document(path, GRADLE)
            if script is None:
                continue
            self.scripts.append((path, script))
            for each in script.applied:
                target = self._applied(each)
                if target and target not in seen and len(seen) < _APPLIED_LIMIT and self._files.has(target):
                    seen.add(target)
                    pending.append(target)

    def _applied(self, text: str) -> str | None:
        """The path of a script that is taken in; None if it is not known or not below the root."""
        start = self.path
        if match := _FILE.fullmatch(text):
            text, start = match[2], self._root() if match[1] else start
        elif match := _ROOT.match(text):
            text, start = text[match.end() :], self._root()
        elif match := _HERE.match(text):
            text = text[match.end() :]
        return None if "$" in text else within(start, text)

    def _root(self) -> str:
        return next((each for each in upwards(self.path) if _has_settings(self._files, each)), self.path)

    def _of_the_build(self, names: tuple[str, ...]) -> list[tuple[str, GradleScript]]:
        """Scripts and constants that the build itself is made of."""
        paths: list[str] = []
        for inner in ("buildSrc", "build-logic"):
            if inner not in names:
                continue
            folder = posixpath.join(self.path, inner)
            paths += [f"{folder}/{each}" for each in self._files.names(folder) if GRADLE.pattern.fullmatch(each)]
            for place in _CONSTANTS:
                below = posixpath.join(folder, place)
                sources = [each for each in self._files.names(below) if each.endswith(_SOURCES)]
                paths += [f"{below}/{each}" for each in sources[:_CONSTANTS_LIMIT]]
        found = ((path, self._files.document(path, GRADLE)) for path in paths)
        return [(path, script) for path, script in found if script is not None]


class Builds:
    """All folders, read when first needed, and the names that hold in them."""

    def __init__(self, files: ManifestFiles) -> None:
        self._files = files
        self._folders: dict[str, Folder] = {}

    def folder(self, path: str) -> Folder:
        """What stands in a folder."""
        if path not in self._folders:
            self._folders[path] = Folder(self._files, path)
        return self._folders[path]

    def above(self, path: str) -> Iterator[Folder]:
        """The folder and those above it, nearest first."""
        return (self.folder(each) for each in upwards(path))

    def root(self, path: str) -> str:
        """The folder of the build that a folder belongs to."""
        return next((each.path for each in self.above(path) if each.is_root), path)

    def text(self, raw: str, folder: str, path: str, line: int) -> str:
        """`raw` with the names in it filled in as they hold in a folder, "" if one is unknown."""
        if "$" not in raw:
            return raw
        try:
            return filled(raw, _HOLE, lambda match: self._value(match, folder)) or ""
        except CircularNameError as error:
            self._files.remark(path, line, f"has {error}")
            return ""

    def variable(self, name: str, folder: str) -> str | None:
        """A variable or property that holds in a folder."""
        return self._first(folder, lambda each: each.variable(name))

    def entries(self, reference: str, folder: str) -> list[tuple[str, CatalogueEntry]]:
        """What an accessor such as `libs.spring.data.redis` or `libs.bundles.redis` means: path and entry of each."""
        catalogue, _, alias = reference.partition(".")
        found = self._first(folder, lambda each: each.catalogues.get(catalogue))
        if found is None:
            return []
        path, content = found
        kind, _, rest = alias.partition(".")
        names = content.bundles.get(alias_of(rest), ()) if kind == "bundles" else (alias_of(alias),)
        table = content.libraries
        if kind == "plugins":
            names, table = (alias_of(rest),), content.plugins
        return [(path, table[each]) for each in names if each in table]

    def _first(self, folder: str, ask: Callable[[Folder], T | None]) -> T | None:
        return next((found for each in self.above(folder) if (found := ask(each)) is not None), None)

    def _value(self, match: re.Match[str], folder: str) -> str | None:
        name = reference_name(match[1] or match[2])
        found = self._named(name, folder)
        if found is None and match[2] and "." in name:
            # In Kotlin "$version.RELEASE" is a name and text behind it.
            first, _, rest = name.partition(".")
            found = self._named(first, folder)
            return None if found is None else f"{found}.{rest}"
        return found

    def _named(self, name: str, folder: str) -> str | None:
        found = self.variable(name, folder)
        catalogue, _, rest = name.partition(".")
        if found is None and rest.startswith("versions."):
            alias = alias_of(rest.partition(".")[2])
            found = self._first(folder, lambda each: _version_in(each, catalogue, alias))
        return found


def reference_name(expression: str) -> str:
    """The name of what an expression reads: `rootProject.ext["x"]`, `property('x')`, `libs.versions.x.get()`."""
    expression = expression.strip()[:300]
    if match := _ASKED.search(expression):
        return match[1]
    return variable_name(_TAIL.sub("", _INDEXED.sub(r".\1", expression)))


def _version_in(folder: Folder, catalogue: str, alias: str) -> str | None:
    found = folder.catalogues.get(catalogue)
    return found[1].versions.get(alias) if found else None


def _has_settings(files: ManifestFiles, folder: str) -> bool:
    return any(name in files.names(folder) for name in ("settings.gradle", "settings.gradle.kts"))
