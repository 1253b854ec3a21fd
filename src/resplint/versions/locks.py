"""Lock files: `uv.lock`, `poetry.lock`, `pdm.lock`, `pylock.toml` and `Pipfile.lock`.

The TOML ones are machine-written and can be large, so they are searched, not parsed: a package is a
`[[package]]` header followed by lines `name = "…"` and `version = "…"`.
"""

from __future__ import annotations

import re

import msgspec

from resplint.versions.records import (
    BrokenManifestError,
    Group,
    Parsed,
    Requirement,
    decoded,
    is_development,
    normalised,
)

_TOKEN = re.compile(
    r"""^(?:(?P<package>\[\[packages?\]\])|(?P<other>\[)
    |name\ =\ "(?P<name>[^"\n]+)"|version\ =\ "(?P<version>[^"\n]+)"
    |category\ =\ "(?P<category>[^"\n]+)"|groups\ =\ \[(?P<groups>[^\]\n]*)\]|(?P<conflict><{7}\ ))""",
    re.MULTILINE | re.VERBOSE,
)
_LONGEST = 100
"""Characters of a version that count: no number of thousands of digits becomes an integer."""
_JSON_KEY = re.compile(r'^\s*"([A-Za-z0-9][A-Za-z0-9._-]*)"\s*:\s*\{', re.MULTILINE)


def parse_toml_lock(data: bytes) -> Parsed:
    """The packages of a lock file written by uv, Poetry, PDM or as PEP 751 has it."""
    text = decoded(data).replace("\r\n", "\n")
    requirements: list[Requirement] = []
    entry: dict[str, str] | None = None
    start = line = 0
    last, number = 0, 1
    for match in _TOKEN.finditer(text):
        number += text.count("\n", last, match.start())
        last = match.start()
        kind = match.lastgroup
        if kind == "conflict":
            raise BrokenManifestError("has an unresolved merge conflict", number)
        if kind in ("package", "other"):
            _close(requirements, entry, line)
            entry, start, line = ({} if kind == "package" else None), number, number
        elif entry is not None and kind is not None and kind not in entry:
            entry[kind] = match[kind]
            line = number if kind == "name" else line
    _close(requirements, entry, line or start)
    return Parsed(tuple(requirements))


def parse_pipfile_lock(data: bytes) -> Parsed:
    """The packages of a `Pipfile.lock`."""
    text = decoded(data)
    try:
        document = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError) as error:
        raise BrokenManifestError("is not valid JSON") from error
    lines: dict[str, int] = {}
    last, number = 0, 1
    for match in _JSON_KEY.finditer(text):
        number += text.count("\n", last, match.start(1))
        last = match.start(1)
        lines.setdefault(normalised(match[1]), number)
    requirements: list[Requirement] = []
    for category, packages in document.items() if isinstance(document, dict) else ():
        if category == "_meta" or not isinstance(packages, dict):
            continue
        group: Group = "main" if category == "default" else "dev" if is_development(category) else "extra"
        for name, details in packages.items():
            version = details.get("version") if isinstance(details, dict) else None
            if isinstance(version, str):
                key = normalised(name)
                requirements.append(_locked(key, version.lstrip("="), lines.get(key, 0), group))
    return Parsed(tuple(requirements))


def _close(requirements: list[Requirement], entry: dict[str, str] | None, line: int) -> None:
    if not entry or "name" not in entry or "version" not in entry:
        return
    groups = re.findall(r'"([^"]+)"', entry.get("groups", "")) or [entry.get("category", "main")]
    group: Group = "dev" if all(is_development(each) for each in groups) else "main"
    requirements.append(_locked(normalised(entry["name"]), entry["version"], line, group))


def _locked(name: str, version: str, line: int, group: Group) -> Requirement:
    version = version[:_LONGEST]
    return Requirement(name, f"=={version}", f"=={version}", True, line, group)
