"""Distributions whose versions have other numbers than those of the library they are (`LibrarySection.renumbered`)."""

from __future__ import annotations

from collections.abc import Sequence

from packaging.version import Version

from resplint.knowledge.ranges import parse_version
from resplint.knowledge.records.client_records import Renumbered

_FIRST = Version("0")


def known_numbers(steps: Sequence[Renumbered], versions: Sequence[str]) -> list[str]:
    """The known versions of such a distribution in its own numbers; those of the library where there are no steps."""
    if not steps:
        return list(versions)
    found = [step.at for step in steps]
    for version in versions:
        step = _step(version, steps)
        if step is not None and not step.version and version not in found:
            found.append(version)
    return sorted(found, key=lambda one: parse_version(one) or _FIRST)


def library_number(version: str, steps: Sequence[Renumbered]) -> str:
    """The library's number for a version of the distribution; "" for one from before the first step."""
    if not steps:
        return version
    step = _step(version, steps)
    return "" if step is None else step.version or version


def _step(version: str, steps: Sequence[Renumbered]) -> Renumbered | None:
    parsed = parse_version(version)
    passed = [step for step in steps if parsed is not None and (parse_version(step.at) or _FIRST) <= parsed]
    return max(passed, key=lambda step: parse_version(step.at) or _FIRST) if passed else None
