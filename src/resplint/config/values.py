"""Checking the values of a configuration, key by key, with errors a person can act on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, Precision
from resplint.contracts.suggestions import nearest
from resplint.files.globs import pattern_list
from resplint.files.regular_files import shown

OptionValue = str | int | float | bool

Reporter = Callable[[tuple[str, ...], str], UserError]
"""Makes the error for a key (as the path of its parts) and what is wrong with it (no period at the end)."""

DAY_S = 86_400
DOTTED_NAME = r"^[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*$(?!\n)"
"""A regular expression, also of JSON Schema, where `$` alone may fit before a last line feed."""
CONSTRUCTOR = r"^@?[^\W\d](?:[\w$./-]*[\w$])?$(?!\n)"
"""The path of a constructor: dotted, below a package of npm with its scope, or below a path in one."""
VERSION_LENGTH = 100
"""Characters that a version may have; the time to read a number grows with the square of its length."""

_DOTTED = re.compile(DOTTED_NAME)
_CONSTRUCTOR = re.compile(CONSTRUCTOR)
_VALUE_LIMIT = 60
_GLOB = 'a pattern as in .gitignore, such as "build/" or "*_pb2.py"'
_FACTORY_KEYS = ("client", "options")

_Named = TypeVar("_Named", Level, Precision)


class ClientFactory(msgspec.Struct, frozen=True):
    """What a callable of the project returns: `client` is the constructor it stands for ("redis.Redis")."""

    client: str
    options: Mapping[str, OptionValue] = {}


class Reader:
    """Takes values of a TOML document apart; every method raises what `report` makes of a wrong one."""

    def __init__(self, report: Reporter) -> None:
        self.report = report

    def wrong(self, path: tuple[str, ...], value: object, expected: str) -> UserError:
        """The error for a value that is not what was expected."""
        return self.report(path, f"expected {expected}, not {_told(value)}")

    def strings(self, path: tuple[str, ...], value: object) -> tuple[str, ...]:
        """A list of non-empty strings."""
        if not isinstance(value, list):
            raise self.wrong(path, value, "a list of strings")
        for each in value:
            if not isinstance(each, str) or not each.strip():
                raise self.wrong(path, each, "a list of non-empty strings")
        return tuple(value)

    def table(self, path: tuple[str, ...], value: object) -> Mapping[str, object]:
        """A table."""
        if not isinstance(value, dict):
            raise self.wrong(path, value, "a table")
        return value

    def boolean(self, path: tuple[str, ...], value: object) -> bool:
        """`true` or `false`."""
        if not isinstance(value, bool):
            raise self.wrong(path, value, "true or false")
        return value

    def file_name(self, path: tuple[str, ...], value: object) -> str:
        """The name of a file."""
        if not isinstance(value, str) or not value or "\0" in value:
            raise self.wrong(path, value, 'the name of a file, such as "resplint-baseline.jsonl"')
        return value

    def seconds(self, path: tuple[str, ...], value: object) -> int:
        """A number of seconds, up to a day."""
        if self.integer(path, value, least=1) > DAY_S:
            raise self.wrong(path, value, f"a whole number from 1 to {DAY_S}")
        assert isinstance(value, int)
        return value

    def integer(self, path: tuple[str, ...], value: object, *, least: int) -> int:
        """A whole number of at least `least`."""
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.wrong(path, value, f"a whole number of at least {least}")
        return value

    def glob(self, path: tuple[str, ...], value: str) -> str:
        """A pattern as in a `.gitignore` file."""
        try:
            pattern_list((value,))
        except ValueError as error:
            raise self.wrong(path, value, _GLOB) from error
        return value

    def globs(self, path: tuple[str, ...], value: object) -> tuple[str, ...]:
        """A list of such patterns."""
        patterns = tuple(self.glob(path, each) for each in self.strings(path, value))
        try:
            pattern_list(patterns)
        except ValueError as error:  # each of them is one, so there are too many
            raise self.report(path, str(error)) from error
        return patterns

    def version(self, path: tuple[str, ...], value: object) -> str:
        """A version number."""
        if not isinstance(value, str):
            raise self.wrong(path, value, 'a version in quotes, such as "5.0.8"')
        if len(value) > VERSION_LENGTH:
            raise self.wrong(path, value, f"a version of at most {VERSION_LENGTH} characters")
        from packaging.version import InvalidVersion, Version  # noqa: PLC0415 - most configurations name none

        try:
            return str(Version(value))
        except InvalidVersion as error:
            raise self.wrong(path, value, 'a version such as "5.0.8"') from error

    def levels(self, path: tuple[str, ...], value: object, rules: Mapping[str, str]) -> Mapping[str, Level | None]:
        """A table from rule (code or slug) to level; the result has codes, and None for off."""
        codes = {slug: code for code, slug in rules.items()}
        levels: dict[str, Level | None] = {}
        for name, each in self.table(path, value).items():
            code = codes.get(name, name)
            if code not in rules:
                raise _unknown_rule(self, (*path, name), name, rules)
            if code in levels:
                raise self.report((*path, name), f"sets the level of {code} a second time; expected it once")
            levels[code] = level_or_none(self, (*path, name), each, "off")
        return levels

    def factory(self, path: tuple[str, ...], value: object) -> ClientFactory:
        """A constructor, or a table of a constructor and options; the key must be a dotted name too."""
        if not _DOTTED.match(path[-1]):
            raise self.report(path, 'the key must be a dotted name such as "app.db.get_redis"')
        if isinstance(value, str):
            return ClientFactory(self._constructor(path, value))
        if not isinstance(value, dict):
            raise self.wrong(path, value, 'a constructor such as "redis.Redis" or a table { client, options }')
        for key in value:
            if key not in _FACTORY_KEYS:
                raise unknown_key(self, (*path, key), _FACTORY_KEYS)
        if "client" not in value:
            raise self.report(path, 'has no key client; expected { client = "redis.Redis", options = { … } }')
        options: dict[str, OptionValue] = {}
        for name, each in self.table((*path, "options"), value.get("options", {})).items():
            if not isinstance(each, (str, int, float, bool)):
                raise self.wrong((*path, "options", name), each, "a string, a number, true or false")
            options[name] = each
        return ClientFactory(self._constructor((*path, "client"), value["client"]), options)

    def _constructor(self, path: tuple[str, ...], value: object) -> str:
        if not isinstance(value, str) or not _CONSTRUCTOR.match(value):
            raise self.wrong(path, value, 'a dotted name such as "redis.Redis"')
        return value


def selectors(reader: Reader, path: tuple[str, ...], value: object, rules: Mapping[str, str]) -> tuple[str, ...]:
    """A list of codes, names, beginnings of codes, "default" or "all"; each must name at least one rule."""
    chosen = reader.strings(path, value)
    if not chosen and path[0] == "select":
        raise reader.wrong(path, value, "at least one rule (leave the key out for those that are on by default)")
    slugs = set(rules.values())
    for each in chosen:
        if each not in ("all", "default") and each not in slugs and not any(code.startswith(each) for code in rules):
            raise _unknown_rule(reader, path, each, rules)
    return chosen


def level_or_none(reader: Reader, path: tuple[str, ...], value: object, none: str) -> Level | None:
    """A level by its name, or None for the word `none`."""
    return None if value == none else _by_name(reader, path, value, Level, none)


def precision(reader: Reader, path: tuple[str, ...], value: object) -> Precision:
    """A precision by its name."""
    return _by_name(reader, path, value, Precision)


def unknown_key(reader: Reader, path: tuple[str, ...], known: Iterable[str]) -> UserError:
    """The error for a key that does not exist, with the closest one that does."""
    names = list(known)
    hint = _meant(path[-1], names) or "; expected one of " + ", ".join(names)
    return reader.report(path, "unknown key" + hint)


def sentence(problem: str) -> str:
    """`problem` with a period, unless it is a question."""
    return problem if problem.endswith("?") else problem + "."


def _unknown_rule(reader: Reader, path: tuple[str, ...], name: str, rules: Mapping[str, str]) -> UserError:
    hint = _meant(name, [*rules, *rules.values()]) or (
        '; expected a code ("RL101"), a name ("blocking-timeout") or the beginning of codes ("RL1"): '
        "`resplint rules` lists them"
    )
    return reader.report(path, f"unknown rule {_told(name)}{hint}")


def _by_name(reader: Reader, path: tuple[str, ...], value: object, kind: type[_Named], *others: str) -> _Named:
    members: list[_Named] = list(kind.__members__.values())
    for each in members:
        if each.value == value:
            return each
    names = [*(each.value for each in members), *others]
    expected = "one of " + ", ".join(f'"{name}"' for name in names)
    hint = _meant(value, names) if isinstance(value, str) else ""
    raise reader.report(path, f"expected {expected}, not {_told(value)}{hint}")


def _meant(name: str, known: Iterable[str]) -> str:
    found = nearest(name, known)
    return f'; did you mean "{found}"?' if found is not None else ""


def _told(value: object) -> str:
    return shown(repr(value), _VALUE_LIMIT)
