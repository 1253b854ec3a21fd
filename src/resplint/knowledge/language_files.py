"""A language's profile, its frameworks and its library as one record.

``rules/<language>/profile.toml`` says what is true of the language itself, each file of ``frameworks/`` and
``library/`` what names of a framework or of a part of the library mean. What one file says of a name, no other file
says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from resplint.contracts.errors import KnowledgeError
from resplint.knowledge.files import read_document, to_record
from resplint.knowledge.records.library_records import Row, RowError, parse_rows
from resplint.knowledge.records.role_records import RolePattern, Roles, Words

PARTS = ("frameworks", "library")
"""Folders of a language whose files add to its profile."""

_OWN = ("inherits", "words")
"""What only the profile says."""
_SHORT = re.compile(r"[./]\w")
_AS_WRITTEN = ("paths",)
"""Keys whose strings are no names."""
_DECORATOR = ("arg0 -> result", "result.param0 -> result.result")
"""What a decorator does, with arguments of its own or without."""
_NAMES = (
    "decorators", "registrars", "bases", "class_decorators", "function_types", "parameter_types",
    "parameter_decorators", "calls",
)  # fmt: skip
_PRECEDENCE = (
    "handler", "message", "task", "submitted", "startup", "main", "thread", "provider", "provider_per_request", "test",
)  # fmt: skip
"""Roles in the order in which they are tried."""


def language_files(folder: Path) -> list[Path]:
    """The files of a language in the order in which they are read: its profile, then frameworks, then its library."""
    return [folder / "profile.toml", *(path for part in PARTS for path in sorted((folder / part).glob("*.toml")))]


def load_language(folder: Path) -> Roles:
    """What the files of a language say, without what it inherits. Raises `KnowledgeError`."""
    profile, *others = language_files(folder)
    merged = _read(profile)
    said = dict.fromkeys(_said(merged, profile), profile)
    for path in others:
        roles = _read(path)
        for field in _OWN:
            if getattr(roles, field) != getattr(Roles(), field):
                raise KnowledgeError(f"{path}: {field}: belongs to {profile.name}")
        for what in _said(roles, path):
            if (other := said.setdefault(what, path)) != path:
                raise KnowledgeError(f"{path}: {': '.join(what)}: {other} says it already")
        merged = joined(merged, roles)
    merged = joined(merged, Roles(library=_by_name(_implied(merged))))
    return msgspec.structs.replace(merged, role=tuple(sorted(merged.role, key=_rank)))


def _read(path: Path) -> Roles:
    document = read_document(path)
    full = _expanded(document, _prefixes(document.pop("prefix", []), path), path)
    if "library" in document:
        raise KnowledgeError(f"{path}: library: is written as rows")
    rows = full.pop("rows", []) if isinstance(full, dict) else []
    try:
        library = _by_name(parse_rows(rows))
    except RowError as error:
        raise KnowledgeError(f"{path}: rows: {error}") from error
    return msgspec.structs.replace(to_record(full, Roles, path), library=library)


def _by_name(rows: list[Row]) -> dict[str, tuple[Row, ...]]:
    found: dict[str, tuple[Row, ...]] = {}
    for row in rows:
        found[row.method] = (*found.get(row.method, ()), row)
    return found


def _implied(roles: Roles) -> list[Row]:
    """Rows that other tables are short for, but for functions that have one of their own."""
    own = {row.function for rows in roles.library.values() for row in rows}
    passed = [(name, (f"arg{at} -> result",), False) for name, at in roles.pass_through.items()]
    once = [(name, _DECORATOR, True) for name in (*roles.memoised, *roles.memoised_per_object)]
    lazy = [(name, ("arg0 -> result", "callback0.result -> result"), True) for name in roles.lazy]
    return [
        row
        for name, flow, calls in (*passed, *once, *lazy)
        if name not in own
        for row in parse_rows([{"function": name, "flow": list(flow), "calls": "once" if calls else ""}])
    ]


def _prefixes(value: object, path: Path) -> list[str]:
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) and one for one in found):
        raise KnowledgeError(f"{path}: prefix: must be a name, or several")
    return [str(one) for one in found]


def _expanded(value: object, prefixes: list[str], path: Path) -> object:
    """A value of a file with all names in full: one that begins with a dot or slash stands behind each prefix."""
    if isinstance(value, dict):
        return {
            full: item if key in _AS_WRITTEN else _expanded(item, prefixes, path)
            for key, item in value.items()
            for full in _full(key, prefixes, path)
        }
    if isinstance(value, str):
        names = _full(value, prefixes, path)
        return names[0] if len(names) == 1 else names
    if isinstance(value, list):
        found: list[object] = []
        for item in value:
            new = _expanded(item, prefixes, path)
            found.extend(new if isinstance(item, str) and isinstance(new, list) else [new])
        return found
    return value


def _full(name: str, prefixes: list[str], path: Path) -> list[str]:
    if not _SHORT.match(name):
        return [name]
    if not prefixes:
        raise KnowledgeError(f"{path}: {name}: the file has no prefix that it could stand behind")
    return [prefix + name for prefix in prefixes]


def _said(roles: Roles, path: Path) -> Iterator[tuple[str, ...]]:
    """What a file says of which names."""
    for field in Roles.__struct_fields__:
        value = getattr(roles, field)
        if field in _OWN:
            continue
        if field == "role":
            yield from {what for pattern in value for what in _said_by(pattern)}
        elif field in ("retry_decorator", "retry_function"):
            yield from ((field, name) for one in value for name in one.names)
        elif field == "library":
            rows = [what for each in value.values() for row in each for what in _said_in(row)]
            if len(set(rows)) < len(rows):
                twice = next(one for one in rows if rows.count(one) > 1)
                raise KnowledgeError(f"{path}: {': '.join(twice)} twice")
            yield from rows
        elif isinstance(value, dict):
            yield from ((field, name) for name in value)
        elif field != "switch":
            if len(set(value)) < len(value):
                raise KnowledgeError(f"{path}: {field}: {next(one for one in value if value.count(one) > 1)} twice")
            yield from ((field, name) for name in value)


def _said_by(pattern: RolePattern) -> Iterator[tuple[str, ...]]:
    for field in _NAMES:
        for name in getattr(pattern, field):
            yield (f"role {pattern.role}", field, name)


def _said_in(row: Row) -> Iterator[tuple[str, ...]]:
    if row.function:
        yield ("rows", row.function)
    else:
        yield from (("rows", name, row.method) for name in row.on or ("any receiver",))


def joined(first: Roles, second: Roles) -> Roles:
    """Lists and tables of both, those of the first in front; everything else is the first's, if it says it."""
    changes: dict[str, object] = {}
    for field in Roles.__struct_fields__:
        mine, other = getattr(first, field), getattr(second, field)
        if field == "library":
            changes[field] = {name: (*mine.get(name, ()), *other.get(name, ())) for name in {**mine, **other}}
        elif isinstance(mine, tuple):
            changes[field] = (*mine, *other)
        elif isinstance(mine, dict):
            changes[field] = {**other, **mine}
        elif not mine or mine == Words():
            changes[field] = other
    return msgspec.structs.replace(first, **changes)


def _rank(pattern: RolePattern) -> tuple[bool, int]:
    """Patterns that name an event or an entry of an object go first, as others take any."""
    limited = bool(pattern.keys or pattern.events or pattern.beside)
    known = pattern.role in _PRECEDENCE
    return not limited, _PRECEDENCE.index(pattern.role) if known else len(_PRECEDENCE)
