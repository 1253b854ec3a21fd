"""`package.json`, and the files that hold catalogues of versions for it."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from resplint.versions.json_text import key_lines, parse_json
from resplint.versions.ranges import is_exact
from resplint.versions.records import Group, Requirement
from resplint.versions.semver import semver_to_pep440

_SECTIONS: dict[str, Group] = {
    "dependencies": "main",
    "optionalDependencies": "extra",
    "peerDependencies": "extra",
    "devDependencies": "dev",
}
_ALIAS = re.compile(r"npm:(@?[^@\s]+)(?:@(.*))?")
_PROTOCOL = re.compile(r"(npm|workspace):(.*)")
_TAG = re.compile(r"#(?:semver:(?P<range>.+)|v?(?P<tag>\d+\.\d+\.\d+[\w.-]*))$")
_TARBALL = re.compile(r"-(\d+\.\d+\.\d+[\w.-]*?)\.tgz(?:[#?].*)?$")
_LONGEST = 1_000

Catalogues = Mapping[str, Mapping[str, str]]
"""Ranges by package, by the name of the catalogue ("default" for the one without a name)."""


class NpmDependency(msgspec.Struct, frozen=True):
    """A dependency as it is written: `spec` may be a range, an alias, an address or a reference to a catalogue."""

    name: str
    spec: str
    group: Group
    line: int


class PackageJson(msgspec.Struct, frozen=True):
    """What a `package.json` says: dependencies by name, whether it holds workspaces, and what it forces on them."""

    dependencies: dict[str, tuple[NpmDependency, ...]]
    has_workspaces: bool
    catalogues: dict[str, dict[str, str]]
    problems: tuple[tuple[int, str], ...] = ()


class CatalogueFile(msgspec.Struct, frozen=True):
    """The catalogues of a `pnpm-workspace.yaml` or `.yarnrc.yml`."""

    catalogues: dict[str, dict[str, str]]
    problems: tuple[tuple[int, str], ...] = ()


def parse_package_json(data: bytes) -> PackageJson:
    """A `package.json`. Raises `BrokenManifestError`."""
    document, text = parse_json(data)
    lines = key_lines(text)
    found: dict[str, list[NpmDependency]] = {}
    for section, group in _SECTIONS.items():
        for name, spec in _texts(document.get(section)).items():
            found.setdefault(name, []).append(NpmDependency(name, spec, group, lines.get((section, name), 0)))
    for section, table in _forced(document):
        for key, value in table.items():
            name = key.removeprefix("**/")
            forced = value.get(".") if isinstance(value, dict) else value
            if isinstance(forced, str) and not forced.startswith("$"):
                line = lines.get((section, key), 0)
                found.setdefault(name, []).append(NpmDependency(name, forced[:_LONGEST], "constraint", line))
    workspaces = document.get("workspaces")
    tables = workspaces if isinstance(workspaces, dict) else {}
    dependencies = {name: tuple(each) for name, each in found.items()}
    return PackageJson(dependencies, workspaces is not None, {**_catalogues(tables), **_catalogues(document)})


def parse_catalogue_file(data: bytes) -> CatalogueFile:
    """The catalogues of a workspace. Raises `BrokenManifestError`."""
    from resplint.versions.yaml_text import parse_yaml  # noqa: PLC0415 - slow to load

    return CatalogueFile(_catalogues(parse_yaml(data)))


def npm_requirement(dependency: NpmDependency, catalogues: Catalogues) -> Requirement:
    """What a dependency asks for; an alias is named as the package that it stands for."""
    name, spec = dependency.name, dependency.spec.strip()
    if spec.startswith("catalog:"):
        table = catalogues.get(spec.removeprefix("catalog:").strip() or "default", {})
        spec = table.get(name, "").strip()
    group = dependency.group
    alias = _ALIAS.fullmatch(spec)
    if alias and not semver_to_pep440(alias[1]):
        if alias[1] != name and group == "main":
            # What has the package's own name comes first.
            group = "extra"
        name, spec = alias[1], alias[2] or ""
    elif protocol := _PROTOCOL.fullmatch(spec):
        spec = protocol[2]
    spec, written = _range(spec)
    pep440 = semver_to_pep440(spec)
    return Requirement(name, written if pep440 else "", pep440, is_exact(pep440), dependency.line, group)


def _range(spec: str) -> tuple[str, str]:
    """The range in a specification, and how to show it: addresses may hold secrets."""
    if "/" not in spec and ":" not in spec:
        return spec, spec
    if tag := _TAG.search(spec):
        version = tag["range"] or tag["tag"]
        return version, f"@ {version}"
    if tarball := _TARBALL.search(spec):
        return tarball[1], f"@ {tarball[1]}"
    return "", ""


def _forced(document: Mapping[str, object]) -> list[tuple[str, Mapping[str, object]]]:
    pnpm = document.get("pnpm")
    found = [("overrides", document.get("overrides")), ("resolutions", document.get("resolutions"))]
    found.append(("", pnpm.get("overrides") if isinstance(pnpm, dict) else None))
    return [(section, table) for section, table in found if isinstance(table, dict)]


def _catalogues(document: Mapping[str, object]) -> dict[str, dict[str, str]]:
    named = document.get("catalogs")
    found = {name: _texts(table) for name, table in named.items()} if isinstance(named, dict) else {}
    default = _texts(document.get("catalog"))
    return {**found, "default": default} if default else found


def _texts(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {name: each[:_LONGEST] for name, each in value.items() if isinstance(each, str)}
