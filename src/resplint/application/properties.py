"""Files of Java properties, with the documents, profiles and prefixes that frameworks add."""

from __future__ import annotations

import re
from collections.abc import Iterator

from resplint.application.records import MAX_ENTRIES, Entry, canonical

_SEPARATOR = re.compile(r"(?:[^\\:=\s]|\\.)*")
_BETWEEN = re.compile(r"\s*[:=]?\s*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_PLAIN = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_DOCUMENT = re.compile(r"[#!]---\s*$")
_PREFIX = re.compile(r"%([\w.,-]+)\.(.+)")
PROFILE_KEYS = tuple(canonical(key) for key in ("spring.config.activate.on-profile", "spring.profiles"))
"""Keys that say which profile a document is for."""


def parse_properties(text: str) -> list[Entry]:
    """The entries of a file, in its order."""
    found: list[Entry] = []
    document: list[Entry] = []
    for line, logical in _logical_lines(text):
        if not logical:
            found += _with_profile(document)
            document = []
            continue
        key, value = _pair(logical)
        prefix = _PREFIX.fullmatch(key)  # Quarkus and MicroProfile: %dev.quarkus.redis.timeout
        profile, name = (prefix[1], prefix[2]) if prefix else ("", key)
        document.append(Entry(name, value, line, profile))
        if len(found) + len(document) >= MAX_ENTRIES:
            break
    return found + _with_profile(document)


def _with_profile(document: list[Entry]) -> list[Entry]:
    """The entries of one document, with the profile that it says it is for."""
    profile = next((entry.text for entry in document if canonical(entry.key) in PROFILE_KEYS), "")
    return [Entry(one.key, one.text, one.line, one.profile or profile) for one in document]


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """(first line, text) with continued lines joined; "" between documents."""
    parts: list[str] = []
    first = 0
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        stripped = line.lstrip(" \t\f")
        if not parts:
            first = number
            if _DOCUMENT.match(line):
                yield number, ""
            if not stripped or stripped[0] in "#!":
                continue
        backslashes = len(stripped) - len(stripped.rstrip("\\"))
        if backslashes % 2:
            parts.append(stripped[:-1])
            continue
        yield first, "".join([*parts, stripped])
        parts = []
    if parts:
        yield first, "".join(parts)


def _pair(logical: str) -> tuple[str, str]:
    key = _SEPARATOR.match(logical)
    end = key.end() if key else 0
    between = _BETWEEN.match(logical, end)
    start = between.end() if between else end
    return _unescaped(logical[:end]), _unescaped(logical[start:]).rstrip()


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1][1:], 16)) if len(m[1]) == 5 else _PLAIN.get(m[1], m[1]), text)
