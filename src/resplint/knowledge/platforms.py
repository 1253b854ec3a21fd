"""Platforms that decide versions of libraries for the projects that build on them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

from resplint.contracts.errors import KnowledgeError
from resplint.knowledge.compiled import stored
from resplint.knowledge.files import read_record, rules_dir
from resplint.knowledge.ranges import parse_range, parse_version


class Starter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Distributions that bring others with them, for a range of versions of their platform."""

    names: tuple[str, ...]
    brings: tuple[str, ...]
    versions: str = ""
    source: str = ""


class PlatformRelease(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a platform manages from one release on, up to the next one listed. `read` is the release whose versions
    these are."""

    version: str
    read: str
    versions: dict[str, str]
    source: str = ""


class Platform(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One file of ``rules/managed``: something that projects build on and that decides versions for them."""

    title: str
    ecosystem: str
    parents: tuple[str, ...]
    """Parent projects that bring it."""
    boms: tuple[str, ...]
    """Lists of versions that are imported."""
    plugins: tuple[str, ...] = ()
    """Build plugins whose version is the platform's."""
    plugin_artifacts: tuple[str, ...] = ()
    """The same plugins as distributions on the build's own class path."""
    properties: dict[str, str] = {}
    """Distribution -> property that overrides its version in projects that have a parent of the platform."""
    starter: tuple[Starter, ...] = ()
    release: tuple[PlatformRelease, ...] = ()
    """Oldest first."""


@cache
def load_platforms(directory: Path | None = None) -> tuple[Platform, ...]:
    """Every platform of ``managed/*.toml``, in the order of their files."""
    known = stored("platforms", tuple[Platform, ...]) if directory is None else None
    if known is not None:
        return known
    platforms = []
    for path in sorted(((directory or rules_dir()) / "managed").glob("*.toml")):
        platform = read_record(path, Platform)
        problem = next(_problems(platform), "")
        if problem:
            raise KnowledgeError(f"{path}: {problem}")
        platforms.append(platform)
    return tuple(platforms)


def release_of(platform: Platform, version: str) -> PlatformRelease | None:
    """The newest release listed that is not newer than `version`; None if all are newer or it is no version."""
    from packaging.version import Version  # noqa: PLC0415 - slow to load

    asked = parse_version(version)
    found = None
    for release in platform.release:
        first = parse_version(release.version)
        if asked is not None and first is not None and first <= Version(asked.base_version):
            found = release
    return found


def _problems(platform: Platform) -> Iterator[str]:
    versions = [parse_version(each.version) for each in platform.release]
    known = [each for each in versions if each is not None]
    if not known or len(known) != len(versions) or known != sorted(set(known)):
        yield "release must name at least one version, oldest first, each once"
    managed = {name for release in platform.release for name in release.versions}
    for release in platform.release:
        for name, version in release.versions.items():
            if parse_version(version) is None:
                yield f"release {release.version}: {name} has {version!r}, which is no version"
    for starter in platform.starter:
        for name in starter.brings:
            if name not in managed:
                yield f"starter {starter.names[0]}: brings names {name!r}, which no release manages"
        try:
            parse_range(starter.versions)
        except KnowledgeError as error:
            yield f"starter {starter.names[0]}: versions: {error}"
    for name in platform.properties:
        if name not in managed:
            yield f"properties names {name!r}, which no release manages"
