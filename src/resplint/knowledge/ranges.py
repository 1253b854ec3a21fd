"""Versions and ranges of versions."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from resplint.contracts.errors import KnowledgeError

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet
    from packaging.version import Version

_NUMBERS = re.compile(r"[vV=\s]*(\d+(?:\.\d+)*)")


@lru_cache(maxsize=4096)
def version_in(version: str, specifier: str) -> bool:
    """Whether a version lies in a PEP 440 range; "" is every version, and the only one that takes no number.

    What other ecosystems put behind the numbers ("6.3.2.RELEASE") is left out of the comparison.
    """
    if not specifier:
        return True
    parsed = parse_version(version)
    return parsed is not None and parse_range(specifier).contains(parsed, prereleases=True)


@lru_cache(maxsize=4096)
def parse_version(version: str) -> Version | None:
    """A version that can be compared, or None."""
    from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - slow to load

    try:
        return Version(version)
    except InvalidVersion:
        match = _NUMBERS.match(version)
        return Version(match[1]) if match else None


@lru_cache(maxsize=4096)
def parse_range(specifier: str) -> SpecifierSet:
    """A range of versions. Raises `KnowledgeError`."""
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - slow to load

    try:
        return SpecifierSet(specifier)
    except InvalidSpecifier as error:
        raise KnowledgeError(f'{specifier!r} is not a range of versions such as ">=4.2,<8"') from error
