"""Single requirements as PEP 508 writes them, and pip's requirement files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from packaging.markers import (
    InvalidMarker,
    Marker,
    UndefinedComparison,
    UndefinedEnvironmentName,
)
from packaging.requirements import InvalidRequirement
from packaging.requirements import Requirement as Pep508
from packaging.version import InvalidVersion

from resplint.versions.ranges import is_exact, lenient
from resplint.versions.records import Group, Include, Parsed, Requirement, decoded, normalised

_NAME = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)")
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_OPTION = re.compile(r"\s--?[A-Za-z].*$")
_FILE_OPTION = re.compile(r"(-r|--requirement|-c|--constraint)(?:\s+|\s*=\s*|(?=[^\s=]))(.+)$")
_EDITABLE = re.compile(r"(?:-e|--editable)(?:\s+|\s*=\s*)")
_URL = re.compile(r"[A-Za-z][\w+.-]*://|\.{0,2}/|file:")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9._-]+)")
_WHEEL = re.compile(r"/([A-Za-z0-9](?:[A-Za-z0-9._]*[A-Za-z0-9])?)-(\d[A-Za-z0-9.!+]*)(?:-[^/]*\.whl|\.tar\.gz|\.zip)")
_TAG = re.compile(r"@v?(\d+(?:\.\d+)+)(?:[#?]|$)")
_LINE_LIMIT = 4_000
_PYTHONS = tuple(f"3.{minor}" for minor in range(8, 15))


def parse_requirement(text: str, line: int, group: Group = "main") -> Requirement | None:
    """One requirement such as `redis[hiredis]>=4.5,<6; python_version > "3.8"` or `redis @ https://…`.

    None if its marker holds on no current Python on Linux. Raises `ValueError` if it is no requirement.
    """
    text = text[:_LINE_LIMIT]
    try:
        parsed = _parsed(text)
        if parsed.marker is not None and not _can_hold(str(parsed.marker)):
            return None
    except RecursionError as error:
        raise ValueError("is nested too deeply") from error
    if parsed.url:
        return _from_url(parsed.name, parsed.url, line, group)
    pep440 = str(parsed.specifier)
    match = _NAME.match(text)
    rest = text[match.end() :] if match else ""
    written = re.sub(r"\s+", "", re.sub(r"^\s*\[[^\]]*\]", "", rest).split(";")[0]).strip("()")
    extras = tuple(sorted(normalised(one) for one in parsed.extras))
    return Requirement(normalised(parsed.name), written, pep440, is_exact(pep440), line, group, extras=extras)


def _parsed(text: str) -> Pep508:
    try:
        return Pep508(text)
    except InvalidRequirement as error:
        try:
            return Pep508(lenient(text))
        except InvalidRequirement:
            raise ValueError("is not a requirement") from error


def parse_requirements_file(data: bytes) -> Parsed:
    """A requirement or constraint file of pip."""
    requirements: list[Requirement] = []
    includes: list[Include] = []
    problems: list[tuple[int, str]] = []
    for number, line in _logical_lines(decoded(data)):
        if option := _FILE_OPTION.match(line):
            constraint = option[1] in ("-c", "--constraint")
            includes.append(Include(option[2].strip().strip("\"'"), constraint, number))
            continue
        try:
            found = _parse_line(line, number)
        except ValueError as error:
            problems.append((number, f"this line {error}"))
            continue
        if found is not None:
            requirements.append(found)
    return Parsed(tuple(requirements), tuple(includes), tuple(problems))


def _parse_line(line: str, number: int) -> Requirement | None:
    editable = _EDITABLE.match(line)
    if editable:
        line = line[editable.end() :]
    elif line.startswith("-"):
        return None
    if editable or _URL.match(line):
        name = _EGG.search(line)
        wheel = _WHEEL.search(line)
        found = name[1] if name else wheel[1] if wheel else ""
        return _from_url(found, line, number, "main") if found else None
    return parse_requirement(_OPTION.sub("", line), number)


def _from_url(name: str, url: str, line: int, group: Group) -> Requirement:
    match = _WHEEL.search(url)
    version = match[2] if match else ""
    if not version and (tag := _TAG.search(url)):
        version = tag[1]
    pep440 = f"=={version}" if version else ""
    # The address itself may hold a token, so it is not kept.
    return Requirement(normalised(name), f"@ {version}" if version else "", pep440, bool(version), line, group)


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines that say something, without comments; joined lines have the first one's number."""
    start, pieces = 0, list[str]()
    for number, raw in enumerate([*text.splitlines(), ""], 1):
        if not pieces:
            start = number
        stripped = raw.rstrip()
        if stripped.endswith("\\") and not _COMMENT.search(stripped):
            pieces.append(stripped[:-1])
            continue
        pieces.append(stripped)
        line = _COMMENT.sub("", " ".join(pieces)).strip()
        pieces.clear()
        if line:
            yield start, line


@lru_cache(maxsize=1_024)
def _can_hold(text: str) -> bool:
    """Whether a marker holds for some Python of today on Linux (fixed, so that results do not vary)."""
    try:
        marker = Marker(text)
        return any(marker.evaluate(_environment(python)) for python in _PYTHONS)
    except (InvalidMarker, UndefinedComparison, UndefinedEnvironmentName, InvalidVersion, RecursionError):
        return True


def _environment(python: str) -> dict[str, str]:
    return {
        "implementation_name": "cpython",
        "implementation_version": f"{python}.0",
        "os_name": "posix",
        "platform_machine": "x86_64",
        "platform_release": "",
        "platform_system": "Linux",
        "platform_version": "",
        "python_full_version": f"{python}.0",
        "platform_python_implementation": "CPython",
        "python_version": python,
        "sys_platform": "linux",
        "extra": "",
    }
