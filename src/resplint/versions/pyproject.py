"""`pyproject.toml` (PEP 621, PEP 735, Poetry, PDM, uv, Hatch) and `Pipfile`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from resplint.files.toml_text import TomlError, parse_toml
from resplint.versions.ranges import is_exact, poetry_to_pep440
from resplint.versions.records import (
    BrokenManifestError,
    Group,
    Parsed,
    Requirement,
    is_development,
    normalised,
)
from resplint.versions.requirements import parse_requirement

_KEY = re.compile(r"""^\s*(?:([A-Za-z0-9._-]+)|"([^"]+)"|'([^']+)')\s*=(?!=)""")
_QUOTED = re.compile(r"""["']\s*([A-Za-z0-9][A-Za-z0-9._-]*)""")
_ABOUT_DEPENDENCIES = re.compile(r"dependenc|packages|require", re.IGNORECASE)

_Found = tuple[str, object, Group]
"""Name (empty if the text holds it), requirement as written, group."""


def parse_pyproject(data: bytes) -> Parsed:
    """The requirements of a `pyproject.toml`, from every table that holds some."""
    document, text = _document(data)
    project = _table(document, "project")
    found: list[_Found] = [("", each, "main") for each in _list(project.get("dependencies"))]
    for name, group in _table(project, "optional-dependencies").items():
        found.extend(("", each, _group(name, "extra")) for each in _list(group))
    for name, group in _table(document, "dependency-groups").items():
        found.extend(("", each, _group(name, "extra")) for each in _list(group))
    found.extend(_of_tools(_table(document, "tool")))
    return _parsed(found, text)


def parse_pipfile(data: bytes) -> Parsed:
    """The requirements of a `Pipfile`; other categories than `packages` are for development or optional."""
    document, text = _document(data)
    found: list[_Found] = []
    for category, table in document.items():
        if category in ("source", "requires", "scripts", "pipenv") or not isinstance(table, dict):
            continue
        group: Group = "main" if category == "packages" else _group(category, "extra")
        found.extend((str(name), each, group) for name, each in table.items())
    return _parsed(found, text)


def _of_tools(tool: Mapping[str, object]) -> Iterator[_Found]:
    poetry = _table(tool, "poetry")
    for name, each in _table(poetry, "dependencies").items():
        optional = isinstance(each, dict) and each.get("optional") is True
        yield name, each, "extra" if optional else "main"
    for name, each in _table(poetry, "dev-dependencies").items():
        yield name, each, "dev"
    for label, group in _table(poetry, "group").items():
        for name, each in _table(_mapping(group), "dependencies").items():
            yield name, each, _group(label, "extra")
    for group in _table(_table(tool, "pdm"), "dev-dependencies").values():
        yield from (("", each, "dev") for each in _list(group))
    uv = _table(tool, "uv")
    yield from (("", each, "dev") for each in _list(uv.get("dev-dependencies")))
    for key in ("constraint-dependencies", "override-dependencies"):
        yield from (("", each, "constraint") for each in _list(uv.get(key)))
    for environment in _table(_table(tool, "hatch"), "envs").values():
        for key in ("dependencies", "extra-dependencies"):
            yield from (("", each, "dev") for each in _list(_mapping(environment).get(key)))


def _parsed(found: list[_Found], text: str) -> Parsed:
    lines = _Lines(text)
    requirements: list[Requirement] = []
    problems: list[tuple[int, str]] = []
    for name, each, group in found:
        if name:
            line = lines.next_of(name)
            requirements.extend(_poetry(name, each, line, group))
        elif isinstance(each, str):
            match = re.match(r"\s*([A-Za-z0-9._-]+)", each)
            line = lines.next_of(match[1]) if match else 0
            try:
                requirement = parse_requirement(each, line, group)
            except ValueError as error:
                problems.append((line, f"a requirement {error}"))
                continue
            if requirement is not None:
                requirements.append(requirement)
    return Parsed(tuple(requirements), (), tuple(problems))


def _poetry(name: str, value: object, line: int, group: Group) -> Iterator[Requirement]:
    """A constraint of Poetry or Pipenv: text, a table with `version` or a source, or a list of tables."""
    for each in value if isinstance(value, list) else [value]:
        version = each.get("version", each.get("tag", "")) if isinstance(each, dict) else each
        if not isinstance(version, str):
            continue
        spec = version.strip()
        pep440 = poetry_to_pep440(re.sub(r"^v(?=\d)", "", spec))
        written = "" if spec == "*" else spec
        extras = tuple(normalised(one) for one in _list(_mapping(each).get("extras")) if isinstance(one, str))
        yield Requirement(normalised(name), written, pep440, is_exact(pep440), line, group, extras=extras)


class _Lines:
    """On which lines of a TOML text requirements stand, by name, in their order.

    A TOML parser forgets places. Names are looked for only under keys and headers that speak of dependencies,
    so that a keyword or the project's own name is not taken for one.
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[str, list[int]] = {}
        header, key = "", ""
        for number, line in enumerate(text.split("\n"), 1):
            rest = line
            if (name := _header(line)) is not None:
                header, key = name, ""
                parent, _, last = header.rpartition(".")
                if _ABOUT_DEPENDENCIES.search(parent) and not _ABOUT_DEPENDENCIES.search(last):
                    self._add(last.strip("\"'"), number)
                continue
            if match := _KEY.match(line):
                key = next(part for part in match.groups() if part)
                rest = line[match.end() :]
                if _ABOUT_DEPENDENCIES.search(header):
                    self._add(key, number)
            if _ABOUT_DEPENDENCIES.search(header) or _ABOUT_DEPENDENCIES.search(key):
                for match in _QUOTED.finditer(rest):
                    self._add(match[1], number)

    def next_of(self, name: str) -> int:
        """The next line for a name; the last one again when all were given; 0 if there is none."""
        lines = self._lines.get(normalised(name), [])
        if len(lines) > 1:
            return lines.pop(0)
        return lines[0] if lines else 0

    def _add(self, name: str, number: int) -> None:
        self._lines.setdefault(normalised(name), []).append(number)


def _header(line: str) -> str | None:
    """The name of the table (or list of tables) that begins on a line; None for any other line."""
    text = line.lstrip()
    name, end, _ = text.removeprefix("[").removeprefix("[").partition("]")
    return name.strip() if text.startswith("[") and end and name else None


def _document(data: bytes) -> tuple[Mapping[str, object], str]:
    try:
        return parse_toml(data)
    except TomlError as error:
        raise BrokenManifestError(f"is not valid TOML: {error}", error.line) from error


def _group(name: str, otherwise: Group) -> Group:
    return "dev" if is_development(name) else otherwise


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _table(outer: Mapping[str, object], key: str) -> Mapping[str, object]:
    return _mapping(outer.get(key))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
