"""Which version counts when one folder's manifests say several things."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from resplint.versions.comparing import Ordering
from resplint.versions.ranges import all_allowed, newest, newest_allowed, sort_key
from resplint.versions.records import Mention


class VersionFact(msgspec.Struct, frozen=True):
    """The version of a distribution that a source file can count on.

    `version` is the newest version allowed (None if nothing is known), `allowed` are all of the known ones, oldest
    first; `spec` is the requirement as written, "" if it names no version; `exact` tells a pinned version.
    `manifest_path` is relative to the root ("" for source "none"), `line` is 0 when unknown. `managed_by` names the
    platform that decided the version, if the project did not ("Spring Boot 3.2.0").
    """

    distribution: str
    version: str | None
    spec: str
    exact: bool
    source: Literal["lock", "manifest", "none"]
    manifest_path: str = ""
    line: int = 0
    managed_by: str = ""
    allowed: tuple[str, ...] = ()


def decide(name: str, mentions: Sequence[Mention], known: Sequence[str], ordering: Ordering) -> VersionFact:
    """Of all mentions in one folder: a lock first, then what runs, then the lower version."""
    spelt = ordering(known)
    if not mentions:
        return VersionFact(name, _spelt(newest(list(spelt)), spelt), "", False, "none")
    locked = [each for each in mentions if each.kind == "lock"]
    candidates = _strongest(locked or list(mentions))
    if not locked:
        candidates = _bounded(candidates, [each for each in mentions if each.requirement.group == "constraint"])
    facts = [_fact(name, each, list(spelt)) for each in candidates]
    chosen = min(facts, key=lambda fact: (*sort_key(fact.version), fact.manifest_path, fact.line))
    allowed = tuple(spelt.get(version, version) for version in chosen.allowed)
    return msgspec.structs.replace(chosen, version=_spelt(chosen.version, spelt), allowed=allowed)


def _spelt(version: str | None, spelt: dict[str, str]) -> str | None:
    return None if version is None else spelt.get(version, version)


def _strongest(mentions: list[Mention]) -> list[Mention]:
    required = [each for each in mentions if each.requirement.group != "constraint"] or mentions
    best = min(each.rank for each in required)
    chosen = [each for each in required if each.rank == best]
    chosen = [each for each in chosen if each.requirement.pep440] or chosen
    # What is deployed is pinned in requirement files; the project's metadata says what would do too.
    deployed = [each for each in chosen if each.kind == "requirements"]
    if deployed and all(each.requirement.exact for each in deployed):
        return deployed
    return chosen


def _bounded(mentions: list[Mention], constraints: list[Mention]) -> list[Mention]:
    """The mentions as a constraint file narrows them; one that pins the version takes their place."""
    exact = [each for each in constraints if each.requirement.exact]
    if exact:
        return exact
    bounds = ",".join(each.requirement.pep440 for each in constraints if each.requirement.pep440)
    if not bounds or "||" in bounds:
        return mentions
    narrowed = []
    for each in mentions:
        requirement = each.requirement
        if "||" not in requirement.pep440:
            both = ",".join(filter(None, (requirement.pep440, bounds)))
            requirement = msgspec.structs.replace(requirement, pep440=both, spec=requirement.spec or bounds)
        narrowed.append(msgspec.structs.replace(each, requirement=requirement))
    return narrowed


def _fact(name: str, mention: Mention, known: Sequence[str]) -> VersionFact:
    requirement = mention.requirement
    source: Literal["lock", "manifest"] = "lock" if mention.kind == "lock" else "manifest"
    return VersionFact(
        name,
        newest_allowed(requirement.pep440, known),
        requirement.spec,
        requirement.exact,
        source,
        mention.path,
        requirement.line,
        requirement.managed_by,
        () if requirement.exact else tuple(all_allowed(requirement.pep440, known)),
    )
