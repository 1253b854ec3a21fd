"""The order of Maven's versions is that of `univers`, a library of its own for the orders of package registries."""

from __future__ import annotations

import itertools
import random

import pytest
from packaging.version import Version
from univers.versions import MavenVersion

from resplint.knowledge.load import load_libraries
from resplint.knowledge.platforms import load_platforms
from resplint.versions.comparing import comparable

# Versions as they were published, with those before a release.
PUBLISHED = {
    "jedis": "1.5.2 2.0.0 2.1.0 2.9.0 2.9.3 2.10.0-m1 2.10.0-rc1 2.10.0 2.10.2 3.0.0-m1 3.0.0-rc1 3.0.0 3.1.0-m1 3.1.0 "
    "3.10.0 4.0.0-beta1 4.0.0-beta4 4.0.0-rc1 4.0.0-rc2 4.0.0 4.3.0-m1 4.3.0-m2 4.3.0 5.0.0-alpha1 5.0.0-alpha2 "
    "5.0.0-beta1 5.0.0-beta2 5.0.0 5.2.0-beta1 5.2.0 6.0.0",
    "lettuce": "4.1.1.Final 4.2.0.Final 4.5.0.Final 5.0.0.Beta1 5.0.0.RC1 5.0.0.RC2 5.0.0.RELEASE 5.0.1.RELEASE "
    "5.1.0.M1 5.1.0.M2 5.1.0.RC1 5.1.0.RELEASE 6.0.0.M1 6.0.0.RC1 6.0.0.RELEASE 6.2.0.RELEASE 6.10.0.RELEASE",
    "spring-data-redis": "1.0.0.M1 1.0.0.RC1 1.0.0.RELEASE 1.8.23.RELEASE 2.0.0.M1 2.0.0.M4 2.0.0.RC3 2.0.0.RELEASE "
    "2.3.9.RELEASE 2.4.0-M1 2.4.0-RC1 2.4.0 2.4.15 3.0.0-M1 3.0.0-M6 3.0.0-RC2 3.0.0 3.10.1",
    "redisson": "1.0.0 1.2.1 2.0.0 2.15.2 3.0.0 3.9.1 3.10.0 3.16.0 3.27.2 3.100.0",
    "spring-cloud": "1.0.0.SR1 1.0.0.SR2 1.0.0.SR10 1.0.1.RELEASE",
}


def order(one: str, other: str) -> int:
    first, second = Version(comparable(one)), Version(comparable(other))
    return (first > second) - (first < second)


def of_univers(one: str, other: str) -> int:
    first, second = MavenVersion(one), MavenVersion(other)
    return (first > second) - (first < second)


def differing(versions: list[str]) -> list[tuple[str, str]]:
    pairs = itertools.combinations(dict.fromkeys(versions), 2)
    return [(one, other) for one, other in pairs if order(one, other) != of_univers(one, other)]


KNOWN = {
    name: list(library.library.versions)
    for name, library in load_libraries().items()
    if library.library.ecosystem == "maven"
}


@pytest.mark.parametrize("versions", KNOWN.values(), ids=KNOWN)
def test_known_versions_have_the_order_of_maven(versions: list[str]) -> None:
    assert differing(versions) == []


@pytest.mark.parametrize("versions", [each.split() for each in PUBLISHED.values()], ids=PUBLISHED)
def test_published_versions_have_the_order_of_maven(versions: list[str]) -> None:
    assert differing(versions) == []
    ordered = sorted(versions, key=lambda each: Version(comparable(each)))
    assert ordered == versions, "and it is the one in which they came out"


def test_releases_of_platforms_have_the_order_of_maven() -> None:
    for platform in load_platforms():
        assert differing([release.read for release in platform.release]) == []


@pytest.mark.parametrize(("sign", "length"), [("-", 0), (".", 3)])
def test_made_up_versions_have_the_order_of_maven(sign: str, length: int) -> None:
    """A project writes its qualifiers in one way, those with a dot behind the same number of numbers."""
    made = random.Random(7)
    qualifiers = ["", "", "alpha{}", "beta{}", "rc{}", "RC{}", "cr{}", "SP{}", "Final", "GA"]
    versions = []
    for _ in range(400):
        numbers = ".".join(str(made.choice((0, 1, 2, 9, 10, 11, 100))) for _ in range(length or made.randint(1, 4)))
        qualifier = made.choice(qualifiers).format(made.choice((1, 2, 9, 10)))
        versions.append(f"{numbers}{sign}{qualifier}" if qualifier else numbers)
    assert len(set(versions)) > 300
    assert differing(versions) == []


@pytest.mark.parametrize(
    ("one", "other", "ours", "theirs"),
    [
        # No library that is known has both for one version. PEP 440 has a single step between alpha and candidate.
        ("4.0.0-beta4", "4.0.0-m1", 1, -1),
        # A snapshot is counted among the first of its version: defaults may be those of the version before.
        ("3.0.0-SNAPSHOT", "3.0.0-rc1", -1, 1),
        ("6.1.0.BUILD-SNAPSHOT", "6.1.0", 0, 1),
        # Maven itself takes both for one since 3.9, univers does not yet.
        ("2.3.0.RELEASE", "2.3.0", 0, 1),
        # What the qualifier says is no order: two builds of one version.
        ("33.0-jre", "33.0-android", 0, 1),
    ],
)
def test_where_the_order_is_another_one(one: str, other: str, ours: int, theirs: int) -> None:
    assert (order(one, other), of_univers(one, other)) == (ours, theirs)


def test_no_known_library_has_betas_and_milestones_of_one_version() -> None:
    for versions in KNOWN.values():
        early = [each.lower().replace(".", "-") for each in versions]
        assert not {each.partition("-beta")[0] for each in early if "-beta" in each} & {
            each.rpartition("-m")[0] for each in early if "-m" in each
        }
