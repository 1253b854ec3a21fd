"""`pom.xml`: what one file of Maven says, properties not yet filled in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from resplint.files.xml_text import Element, parse_xml
from resplint.versions.records import BrokenManifestError


class PomDependency(msgspec.Struct, frozen=True):
    """A dependency, managed or not; the texts may hold properties. `optional` ones stand in a profile."""

    group: str
    artifact: str
    version: str
    scope: str
    line: int
    optional: bool = False


class PomParent(msgspec.Struct, frozen=True):
    """The parent that a POM names; `relative_path` is None if it says none, "" if there shall be none here."""

    group: str
    artifact: str
    version: str
    relative_path: str | None
    line: int


class Pom(msgspec.Struct, frozen=True):
    """A POM. `imports` are the lists of versions that its management takes over."""

    group: str
    artifact: str
    version: str
    parent: PomParent | None
    properties: dict[str, str]
    dependencies: tuple[PomDependency, ...]
    managed: tuple[PomDependency, ...]
    imports: tuple[PomDependency, ...]
    modules: tuple[str, ...]
    problems: tuple[tuple[int, str], ...] = ()


def parse_pom(data: bytes) -> Pom:
    """The POM of some bytes. Raises `BrokenManifestError`."""
    root = parse_xml(data, BrokenManifestError)
    if root.name != "project":
        raise BrokenManifestError("is not a POM: its root element is not <project>", root.line)
    profiles = list(root.at("profiles", "profile"))
    managed = list(_dependencies(root, profiles, "dependencyManagement", "dependencies"))
    parent = root.child("parent")
    return Pom(
        group=root.text_of("groupId") or (parent.text_of("groupId") if parent else ""),
        artifact=root.text_of("artifactId"),
        version=root.text_of("version") or (parent.text_of("version") if parent else ""),
        parent=_parent(parent) if parent else None,
        properties=_properties(root, profiles),
        dependencies=tuple(_dependencies(root, profiles, "dependencies")),
        managed=tuple(each for each in managed if each.scope != "import"),
        imports=tuple(each for each in managed if each.scope == "import"),
        modules=tuple(each.text for place in (root, *profiles) for each in _modules(place)),
    )


def _modules(place: Element) -> Iterator[Element]:
    yield from place.at("modules", "module")
    # Maven 4 has a new word for them.
    yield from place.at("subprojects", "subproject")


def _parent(element: Element) -> PomParent:
    relative = element.child("relativePath")
    return PomParent(
        element.text_of("groupId"),
        element.text_of("artifactId"),
        element.text_of("version"),
        relative.text if relative else None,
        element.line,
    )


def _properties(root: Element, profiles: Iterable[Element]) -> dict[str, str]:
    """Properties as they hold when no profile is asked for; those of other profiles where there are no others."""
    found = _texts(root)
    others: dict[str, str] = {}
    for profile in profiles:
        if any(each.text == "true" for each in profile.at("activation", "activeByDefault")):
            found.update(_texts(profile))
        else:
            others.update(_texts(profile))
    return {**others, **found}


def _texts(place: Element) -> dict[str, str]:
    return {each.name: each.text for table in place.at("properties") for each in table.children}


def _dependencies(root: Element, profiles: Iterable[Element], *path: str) -> Iterator[PomDependency]:
    for place in (root, *profiles):
        for each in place.at(*path, "dependency"):
            version = each.child("version")
            yield PomDependency(
                each.text_of("groupId"),
                each.text_of("artifactId"),
                version.text if version else "",
                each.text_of("scope"),
                (version or each.child("artifactId") or each).line,
                place is not root,
            )
