"""Version ranges: other tools' notations in PEP 440's, and the versions that a range allows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

_CARET_OR_TILDE = re.compile(r"([\^~])(?!=)\s*v?(\d[\w.+!-]*?)((?:\.\*)*)$")
_CLAUSE = re.compile(r"(===|==|!=|<=|>=|~=|<|>|\^|~|=)?\s*([\w*][\w.*+!-]*)")
_WILD_BOUND = re.compile(r"(>=|<=|>|<|~=)(\s*[\d.]+?)(?:\.\*)+")
_LOWER_OPERATORS = frozenset({">=", ">", "~=", "==", "==="})
_LONGEST = 1_000


def poetry_to_pep440(constraint: str) -> str:
    """A constraint of Poetry or Pipenv ("^5.2", "~4.1", "5.0.1", "*", ">=4 <6 || ^7") in PEP 440's terms.

    Alternatives stay joined by "||". What cannot be translated comes back as "" (any version).
    """
    alternatives = [_translated(part) for part in re.split(r"\|\|?", constraint[:_LONGEST])]
    return "" if "" in alternatives else "||".join(alternatives)


def lenient(spec: str) -> str:
    """A specifier as older tools accepted it (">=4.*") in the form that is valid today."""
    return _WILD_BOUND.sub(r"\1\2", spec)


def is_exact(pep440: str) -> bool:
    """Whether a range names just one version."""
    specifiers = _parsed(pep440)
    return (
        any(
            each.operator == "===" or (each.operator == "==" and not each.version.endswith(".*")) for each in specifiers
        )
        and "||" not in pep440
    )


def newest_allowed(pep440: str, known: Sequence[str]) -> str | None:
    """The newest of the `known` versions in a range, else the range's own lower bound, else None.

    `known` should list all releases (in any order). An installation without a lock file gets the newest one.
    """
    allowed = all_allowed(pep440, known)
    if allowed:
        return newest(allowed)
    bounds = [bound for each in pep440.split("||") if (bound := _lower_bound(_parsed(each))) is not None]
    return str(max(bounds)) if bounds else None


def all_allowed(pep440: str, known: Sequence[str]) -> list[str]:
    """Those of the `known` versions that lie in a range, oldest first."""
    versions = sorted(set(_valid(known)))
    if not pep440:
        return [str(version) for version in versions]
    ranges = [_parsed(alternative) for alternative in pep440.split("||")]
    return [str(version) for version in versions if any(version in _within(one, versions) for one in ranges)]


def _within(specifiers: SpecifierSet, versions: Sequence[Version]) -> set[Version]:
    """What a range allows of some versions: previews only where there is nothing else."""
    return set(specifiers.filter(versions))


def newest(known: Sequence[str]) -> str | None:
    """The newest version, final releases first."""
    versions = _valid(known)
    final = [version for version in versions if not version.is_prerelease]
    return str(max(final or versions)) if versions else None


def sort_key(version: str | None) -> tuple[int, Version]:
    """Orders versions as text; None (no bound at all) comes last."""
    if version is not None:
        try:
            return (0, Version(version))
        except InvalidVersion:
            pass
    return (1, Version("0"))


def _translated(alternative: str) -> str:
    text = alternative.strip()
    if text in ("", "*", "x", "latest"):
        return ""
    clauses = []
    for match in _CLAUSE.finditer(text.replace(",", " ")):
        operator, version = match[1] or "", match[2]
        if operator in ("^", "~"):
            clause = _caret_or_tilde(operator, version)
        elif version == "*":
            continue
        else:
            clause = ("==" if operator in ("", "=") else operator) + version
        if not clause or not _is_valid(lenient(clause)):
            return ""
        clauses.append(lenient(clause))
    return ",".join(clauses)


def _caret_or_tilde(operator: str, version: str) -> str:
    match = _CARET_OR_TILDE.fullmatch(operator + version)
    try:
        release = Version(match[2]).release if match else ()
    except InvalidVersion:
        release = ()
    if match is None or not release:
        return ""
    if operator == "~":
        place = 0 if len(release) == 1 else 1
    else:
        # The first part that is not zero may not change; if all are zero, the last one given.
        place = next((index for index, part in enumerate(release) if part), len(release) - 1)
    upper = ".".join(map(str, (*release[:place], release[place] + 1)))
    return f">={match[2]},<{upper}"


def _lower_bound(specifiers: SpecifierSet) -> Version | None:
    bounds = []
    for each in specifiers:
        if each.operator in _LOWER_OPERATORS:
            try:
                bounds.append(Version(each.version.removesuffix(".*")))
            except InvalidVersion:
                continue
    return max(bounds, default=None)


def _valid(known: Sequence[str]) -> list[Version]:
    versions = []
    for each in known:
        try:
            versions.append(Version(each))
        except InvalidVersion:
            continue
    return versions


def _parsed(pep440: str) -> SpecifierSet:
    from packaging.specifiers import InvalidSpecifier, SpecifierSet  # noqa: PLC0415 - slow to load

    try:
        return SpecifierSet(pep440)
    except InvalidSpecifier:
        return SpecifierSet()


def _is_valid(clause: str) -> bool:
    from packaging.specifiers import InvalidSpecifier, Specifier  # noqa: PLC0415 - slow to load

    try:
        for each in clause.split(","):
            Specifier(each)
    except InvalidSpecifier:
        return False
    return True
