"""Gradle's other files: version catalogues, lock files and properties."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from resplint.files.toml_text import TomlError, key_lines, line_of_key, parse_toml
from resplint.versions.comparing import comparable
from resplint.versions.records import BrokenManifestError, Group, Parsed, Requirement, decoded

_LOCKED = re.compile(r"([^\s:#=]+:[^\s:=]+):([^\s:=]+)(?:=(\S*))?\s*")
_PROPERTY = re.compile(r"\s*([^\s#!:=][^\s:=]*)\s*[:=](.*)")
_RICH = ("strictly", "require", "prefer")


class CatalogueEntry(msgspec.Struct, frozen=True):
    """A library (`group:artifact`) or plugin with its version, "" if it has none."""

    name: str
    version: str
    line: int


class Catalogue(msgspec.Struct, frozen=True):
    """A version catalogue. Aliases are written with dots, as accessors in scripts are."""

    versions: dict[str, str]
    libraries: dict[str, CatalogueEntry]
    plugins: dict[str, CatalogueEntry]
    bundles: dict[str, tuple[str, ...]]
    problems: tuple[tuple[int, str], ...] = ()


class Properties(msgspec.Struct, frozen=True):
    """`gradle.properties`: value and line by name."""

    values: dict[str, tuple[str, int]]
    problems: tuple[tuple[int, str], ...] = ()


def parse_catalogue(data: bytes) -> Catalogue:
    """A version catalogue such as `libs.versions.toml`. Raises `BrokenManifestError`."""
    try:
        document, text = parse_toml(data)
    except TomlError as error:
        raise BrokenManifestError(f"is not valid TOML: {error}", error.line) from error
    lines = key_lines(text)
    versions = {alias_of(name): _version(value, {}) for name, value in _table(document, "versions").items()}
    entries: dict[str, dict[str, CatalogueEntry]] = {"libraries": {}, "plugins": {}}
    for section, found in entries.items():
        for alias, value in _table(document, section).items():
            name, version = _entry(value, versions)
            if name:
                found[alias_of(alias)] = CatalogueEntry(name, version, line_of_key(lines, (section, alias)))
    bundles = {
        alias_of(name): tuple(alias_of(each) for each in value if isinstance(each, str))
        for name, value in _table(document, "bundles").items()
        if isinstance(value, list)
    }
    return Catalogue(versions, entries["libraries"], entries["plugins"], bundles)


def parse_gradle_lock(data: bytes) -> Parsed:
    """`gradle.lockfile`, or one file of the older `dependency-locks`."""
    requirements: list[Requirement] = []
    for number, line in enumerate(decoded(data).splitlines(), 1):
        if line.startswith("<<<<<<< "):
            raise BrokenManifestError("has an unresolved merge conflict", number)
        if match := _LOCKED.fullmatch(line):
            uses = (match[3] or "").split(",")
            group: Group = "dev" if match[3] and all("test" in each.lower() for each in uses) else "main"
            version = comparable(match[2])
            if version:
                requirements.append(Requirement(match[1], f"=={match[2]}", f"=={version}", True, number, group))
    return Parsed(tuple(requirements))


def parse_properties(data: bytes) -> Properties:
    """The properties of a project or build."""
    values: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(decoded(data).splitlines(), 1):
        if match := _PROPERTY.fullmatch(line[:2_000]):
            values[match[1]] = (match[2].strip(), number)
    return Properties(values)


def alias_of(name: str) -> str:
    """An alias as scripts write it: `spring-data_redis` is `spring.data.redis`."""
    return re.sub(r"[-_.]+", ".", name)


def _entry(value: object, versions: Mapping[str, str]) -> tuple[str, str]:
    """Name and version of a library or plugin: `"g:a:v"`, or a table with `module`, `group` and `name`, or `id`."""
    if isinstance(value, str):
        name, _, version = value.rpartition(":")
        return (name, version) if name else (value, "")
    table = value if isinstance(value, dict) else {}
    module, group, artifact, plugin = (table.get(key) for key in ("module", "group", "name", "id"))
    name = module or plugin or (f"{group}:{artifact}" if group and artifact else "")
    return (name if isinstance(name, str) else "", _version(table.get("version"), versions))


def _version(value: object, versions: Mapping[str, str]) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        reference = value.get("ref")
        if isinstance(reference, str):
            return versions.get(alias_of(reference), "")
        return next((each for key in _RICH if isinstance(each := value.get(key), str)), "")
    return ""


def _table(document: Mapping[str, object], key: str) -> Mapping[str, object]:
    found = document.get(key)
    return found if isinstance(found, dict) else {}
