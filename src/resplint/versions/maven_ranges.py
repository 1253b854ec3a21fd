"""Versions and ranges as Maven and Gradle write them, in PEP 440's terms."""

from __future__ import annotations

import re

from resplint.versions.comparing import comparable

_INTERVAL = re.compile(r"([\[\](])\s*([^\[\](),]*?)\s*(?:(,)\s*([^\[\](),]*?)\s*)?([\])\[])")
_NEWEST = re.compile(r"latest(?:\.\w+)?|release|\+", re.IGNORECASE)
_PREFIX = re.compile(r"([0-9]+(?:\.[0-9]+)*)\.\+")
_LONGEST = 500


def maven_to_pep440(version: str) -> str:
    """`3.1.5.RELEASE`, `[1,2)`, `(,1.0],[1.2,)`, Gradle's `3.+`, `]1,2[` and `[3,4[!!3.8`.

    Alternatives are joined by "||". What names no number comes back as "" (any version).
    """
    # What stands behind "!!" is only preferred.
    text = version.strip()[:_LONGEST].partition("!!")[0].strip()
    if not text or _NEWEST.fullmatch(text):
        return ""
    if match := _PREFIX.fullmatch(text):
        return f"=={match[1]}.*"
    if text[0] not in "[](":
        exact = comparable(text)
        return f"=={exact}" if exact else ""
    clauses = [_interval(match) for match in _INTERVAL.finditer(text)]
    return "" if not all(clauses) else "||".join(clauses)


def _interval(match: re.Match[str]) -> str:
    opening, low, comma, high, closing = match.groups()
    lower = comparable(low) if low else ""
    if not comma:
        return f"=={lower}" if lower else ""
    upper = comparable(high) if high else ""
    parts = []
    if lower:
        parts.append((">=" if opening == "[" else ">") + lower)
    if upper:
        parts.append(("<=" if closing == "]" else "<") + upper)
    return ",".join(parts)
