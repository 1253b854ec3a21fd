"""Versions that a platform decides for the projects that build on it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from resplint.knowledge.load import load_platforms
from resplint.knowledge.platforms import Platform, release_of
from resplint.knowledge.ranges import version_in
from resplint.versions.comparing import comparable
from resplint.versions.maven_ranges import maven_to_pep440
from resplint.versions.ranges import is_exact
from resplint.versions.records import Group, Mention, Requirement


class Managing(msgspec.Struct, frozen=True):
    """A platform in the version that a project names, and where it does so.

    `overridable` tells whether the project's properties override single versions.
    """

    platform: Platform
    version: str
    path: str
    line: int
    overridable: bool = False

    def version_of(self, name: str) -> str:
        """The version that it decides for a distribution, "" if none."""
        release = release_of(self.platform, comparable(self.version))
        return release.versions.get(name, "") if release else ""

    def brings(self, starter: str, name: str) -> bool:
        """Whether a starter of the platform has the distribution with it."""
        version = comparable(self.version)
        return bool(version) and any(
            starter in each.names and name in each.brings and version_in(version, each.versions)
            for each in self.platform.starter
        )

    def mention(self, name: str, group: Group) -> Mention | None:
        """What the platform says about a distribution."""
        version = self.version_of(name)
        if not version:
            return None
        release = release_of(self.platform, comparable(self.version))
        # Other patches of the platform have other patches of the library.
        exact = release is not None and comparable(release.read) == comparable(self.version)
        title = f"{self.platform.title} {self.version}"
        requirement = Requirement(name, version, maven_to_pep440(version), exact, self.line, group, title)
        return Mention(requirement, self.path, "project")


def platforms() -> Iterator[Platform]:
    """The platforms of the JVM."""
    return (each for each in load_platforms() if each.ecosystem == "maven")


def starters_of(name: str) -> frozenset[str]:
    """Everything that some platform makes bring a distribution."""
    return frozenset(
        starter for each in platforms() for one in each.starter if name in one.brings for starter in one.names
    )


def requirement(name: str, version: str, line: int, group: Group) -> Requirement:
    """A requirement as Maven or Gradle writes it."""
    pep440 = maven_to_pep440(version)
    return Requirement(name, version if pep440 else "", pep440, is_exact(pep440), line, group)
