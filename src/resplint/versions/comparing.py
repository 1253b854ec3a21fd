"""Versions that are not PEP 440's in an order that it can tell: `6.1.0.RELEASE`, `4.0.0-beta4`, `5.0.0-next.2`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from packaging.version import InvalidVersion, Version

Ordering = Callable[[Sequence[str]], dict[str, str]]
"""Known versions as PEP 440 writes them -> as they are written. What is no version is left out."""

_VERSION = re.compile(r"[vV=\s]*(\d+(?:\.\d+)*)(?P<sign>[-._]?)(?P<rest>[\w.-]*)(?:\+[\w.-]*)?\s*", re.ASCII)
_QUALIFIER = re.compile(r"([a-z]*)[-._]?(\d{0,18})")
_LONGEST = 100

_EARLY = {
    "alpha": "a", "a": "a", "beta": "b", "b": "b", "m": "b", "milestone": "b", "rc": "rc", "cr": "rc", "pre": "a",
    "preview": "a", "ea": "a", "next": "a", "canary": "a", "dev": ".dev", "snapshot": ".dev", "nightly": ".dev",
}  # fmt: skip
_LATE = {"sr": ".post", "sp": ".post"}


def plain(known: Sequence[str]) -> dict[str, str]:
    """For versions that follow PEP 440: as the packages are normalised."""
    found = {}
    for each in known:
        try:
            found[str(Version(each))] = str(Version(each))
        except InvalidVersion:
            continue
    return found


def tolerant_ordering(known: Sequence[str]) -> dict[str, str]:
    """For Maven's versions."""
    return {version: each for each in known if (version := comparable(each))}


def semver_ordering(known: Sequence[str]) -> dict[str, str]:
    """For npm's versions."""
    return {version: each for each in known if (version := comparable(each, semver=True))}


@lru_cache(maxsize=4096)
def comparable(version: str, *, semver: bool = False) -> str:
    """A version in PEP 440's terms, "" if it has no number.

    Qualifiers that say nothing about the order (`RELEASE`, `Final`, `jre8`) are left out; with `semver` any qualifier
    means a version before the one that its numbers name.
    """
    match = _VERSION.fullmatch(version[:_LONGEST])
    if match is None:
        return ""
    word, digits = ("", "")
    if match["rest"] and (qualifier := _QUALIFIER.match(match["rest"].lower())):
        word, digits = qualifier[1], qualifier[2]
    mark = _EARLY.get(word) or ("" if semver else _LATE.get(word, ""))
    if semver and match["rest"] and not mark:
        mark = "a" if word else ".dev"
    suffix = f"{mark}{int(digits or 0)}" if mark else ""
    return str(Version(match[1] + suffix))
