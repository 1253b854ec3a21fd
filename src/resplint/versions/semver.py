"""npm's version ranges in PEP 440's terms."""

from __future__ import annotations

import re

from resplint.versions.comparing import comparable

_HYPHEN = re.compile(r"\s*(\S+)\s+-\s+(\S+)\s*")
_COMPARATOR = re.compile(r"(>=|<=|~>|[<>=~^])?\s*([^\s<>=~^,]+)")
_PARTS = re.compile(
    r"[vV=]*([0-9]{1,18}|[xX*])(?:\.([0-9]{1,18}|[xX*]))?(?:\.([0-9]{1,18}|[xX*]))?(-[\w.-]+)?(?:\+[\w.-]+)?",
    re.ASCII,
)
_LONGEST = 1_000

_Parts = tuple[list[int], str]
"""The numbers that are given, at most three, and a full version in PEP 440's terms ("" if numbers are missing)."""


def semver_to_pep440(text: str) -> str:
    """A range such as `^5.3.2`, `~4.1`, `1.2.x || >=2 <3`, `1.2 - 2.3`; alternatives are joined by "||".

    "" is any version: `*`, tags such as `latest`, and whatever is no range of versions.
    """
    alternatives = [_alternative(each) for each in text[:_LONGEST].split("||")]
    return "||".join(alternatives) if all(alternatives) else ""


def _alternative(text: str) -> str:
    if hyphen := _HYPHEN.fullmatch(text):
        pairs = [(">=", hyphen[1]), ("<=", hyphen[2])]
    else:
        pairs = [(match[1] or "", match[2]) for match in _COMPARATOR.finditer(text)]
    clauses: list[str] = []
    for operator, version in pairs:
        parts = _parts(version)
        if parts is None:
            return ""
        clauses += _clauses(operator, *parts)
    return ",".join(clauses)


def _parts(version: str) -> _Parts | None:
    match = _PARTS.fullmatch(version)
    if match is None:
        return None
    numbers: list[int] = []
    for part in match.groups()[:3]:
        if part is None or not part.isdigit():
            break
        numbers.append(int(part))
    return numbers, comparable(version.lstrip("vV="), semver=True) if len(numbers) == 3 else ""


def _clauses(operator: str, numbers: list[int], full: str) -> list[str]:
    if not numbers:
        # "<*" allows nothing, which nobody means.
        return []
    low = full or _text(numbers)
    if operator in ("", "="):
        return [f"=={full}"] if full else [f">={low}", f"<{_after(numbers)}"]
    if operator == "^":
        # The first part that is not zero may not change; if all are zero, the last one given.
        place = next((index for index, part in enumerate(numbers) if part), len(numbers) - 1)
        return [f">={low}", f"<{_after(numbers[: place + 1])}"]
    if operator in ("~", "~>"):
        return [f">={low}", f"<{_after(numbers[:2])}"]
    if full:
        return [operator + full]
    if operator == ">":
        return [f">={_after(numbers)}"]
    return [f"<{_after(numbers)}" if operator == "<=" else operator + low]


def _text(numbers: list[int]) -> str:
    return ".".join(map(str, numbers))


def _after(numbers: list[int]) -> str:
    return _text([*numbers[:-1], numbers[-1] + 1])
