"""Reading rules of a user's own: what a `[[forbid]]` table may say, checked against the commands, clients and options
that resplint knows.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from resplint.config.values import Reader, level_or_none, unknown_key
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level
from resplint.contracts.forbidding import KINDS, ROLES, Condition, Forbidden
from resplint.contracts.suggestions import nearest
from resplint.files.regular_files import UnreadableFileError, read_regular, shown

CODE = r"^(?!RL)[A-Z]{2,12}[0-9]{1,4}$(?!\n)"
"""A code of a user's own rule, as a regular expression, also of JSON Schema."""
NAME = r"^[a-z][a-z0-9]*(?:-[a-z0-9]+)+$(?!\n)"
METHOD = r"^@?[^\W\d](?:[\w$./-]*[\w$])?$(?!\n)"
FUNCTION = r"^[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*$(?!\n)"
CONDITION = r"^[\w.-]+(?:=[^\s].*)?$(?!\n)"
URL = r"^https?://\S+$(?!\n)"

SUBJECTS = ("command", "method", "make")
FILES = "forbid-from"
MOST_RULES = 500
MOST_TEXT = 5_000
"""Characters of a message or a help."""
_SUFFIX = ".toml"
_CONFIGURATIONS = ("resplint.toml", "pyproject.toml")
_FILE_LIMIT = 1_000_000
_SHOWN = 60
_TABLE = "forbid"

Path = tuple[str, ...]
_Rules = Mapping[str, str]


def forbidden(reader: Reader, path: Path, value: object, rules: _Rules) -> tuple[Forbidden, ...]:
    """The rules of a list of tables; `rules` are those that exist already, name by code."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise reader.wrong(path, value, "tables, each below a line [[forbid]]")
    if len(value) > MOST_RULES:
        raise reader.report(path, f"holds {len(value):,} rules; expected at most {MOST_RULES}")
    known = dict(rules)
    found = []
    for number, table in enumerate(value):
        rule = _Entry(reader, (*path, f"[{number}]"), table).rule(known)
        known[rule.code] = rule.name
        found.append(rule)
    return tuple(found)


def folders(reader: Reader, path: Path, value: object, _: _Rules) -> tuple[str, ...]:
    """Files or folders, each by its name."""
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list):
        raise reader.wrong(path, value, 'the name of a folder or file, such as "redis-rules", or a list of them')
    return tuple(reader.file_name(path, each) for each in names)


def read_files(
    names: Iterable[str],
    folder: str,
    report: Callable[[str], UserError],
    read: Callable[[str, bytes], Any],
    rules: _Rules,
) -> tuple[Forbidden, ...]:
    """The rules in files and in the files of folders, by `names` relative to `folder`.

    `report` makes the error for a name that leads nowhere; `read` takes the bytes of a file apart and gives its table
    and a reader that names the file.
    """
    known, found = dict(rules), list[Forbidden]()
    for name in names:
        files = _files(os.path.join(folder, name))
        if not files:
            raise report(f'{shown(repr(name), _SHOWN)} is no file and holds none that ends in "{_SUFFIX}"')
        for file in files:
            try:
                data = read_regular(file, _FILE_LIMIT)
            except UnreadableFileError as error:
                raise UserError(f"{shown(file)}: {error}; expected a TOML file with rules.", file=file) from error
            table, reader = read(file, data)
            for key in table:
                if key != _TABLE:
                    raise unknown_key(reader, (key,), (_TABLE,))
            here = forbidden(reader, (_TABLE,), table.get(_TABLE, []), known)
            known.update({rule.code: rule.name for rule in here})
            found += here
    return tuple(found)


def rule_files(path: str) -> list[str]:
    """The files with rules at a path: the file itself, or those that stand directly in a folder, sorted, but for
    configurations, which say more than rules.
    """
    return _files(path)


def _files(path: str) -> list[str]:
    if not os.path.isdir(path):
        return [path] if os.path.lexists(path) else []
    names = sorted(name for name in os.listdir(path) if name.endswith(_SUFFIX) and name not in _CONFIGURATIONS)
    return [os.path.join(path, name) for name in names]


class _Entry:
    """One table."""

    def __init__(self, reader: Reader, path: Path, table: Mapping[str, object]) -> None:
        self._reader, self._path, self._table = reader, path, table

    def rule(self, known: _Rules) -> Forbidden:
        for key in self._table:
            if key not in KEYS:
                raise unknown_key(self._reader, (*self._path, key), KEYS)
        for key, example in (("code", "SHOP001"), ("name", "no-keys"), ("message", "KEYS blocks the server.")):
            if key not in self._table:
                raise self._reader.report(self._path, f'has no {key}; expected one, such as {key} = "{example}"')
        rule = Forbidden(**{field: read(self, key) for key, (field, read) in KEYS.items() if key in self._table})
        self._demand_own(rule, known)
        self._demand_subject(rule)
        return rule

    def _demand_own(self, rule: Forbidden, known: _Rules) -> None:
        if rule.code in known:
            raise self.wrong("code", f'"{rule.code}" is the code of another rule already ({known[rule.code]})')
        if rule.name in known.values() or rule.name in ("all", "default"):
            raise self.wrong("name", f'"{rule.name}" is the name of another rule already; expected one of its own')

    def _demand_subject(self, rule: Forbidden) -> None:
        given = [key for key in SUBJECTS if getattr(rule, key)]
        if not given:
            raise self._reader.report(self._path, "does not say what is forbidden; expected command, method or make")
        if len(given) > 1:
            raise self.wrong(given[1], f"a rule with {given[0]} has no {given[1]}; expected two rules")
        allowed = {"command": {"key", "key-not", "with", "without", "unless-also"}, "make": {"with", "without"}}
        for key in ("key", "key-not", "with", "without", "unless-also"):
            if key in self._table and key not in allowed.get(given[0], ()):
                others = [subject for subject in SUBJECTS if key in allowed.get(subject, ())]
                raise self.wrong(
                    key, f"goes with {' or '.join(others)}, not with {given[0]}; expected a rule without it"
                )
        self._demand_options(rule)

    def _demand_options(self, rule: Forbidden) -> None:
        from resplint.knowledge.load import load_commands  # noqa: PLC0415 - most configurations have no such rule

        if rule.make:
            options, subject = option_names(), "a client"
        else:
            commands = load_commands()
            options = frozenset(
                option for name, model in commands.items() if fits(rule.command, name) for option in model.options
            )
            subject = rule.command[0] if len(rule.command) == 1 else "these commands"
        for key, conditions in (("with", rule.options), ("without", rule.without)):
            for one in conditions:
                if one.option not in options:
                    wanted = f"; expected one of {', '.join(sorted(options))}" if len(options) <= _FEW else ""
                    none = "; no option of it is known" if not options else wanted
                    hint = _meant(one.option, options, likeness=_TYPING_ERROR if rule.make else _ALIKE)
                    if rule.make and not hint:
                        continue  # clients have more options than those that resplint's own rules are about
                    hint = hint or none
                    raise self.wrong(
                        key, f'"{shown(one.option, _SHOWN)}" is no option of {subject} that is known{hint}'
                    )

    def wrong(self, key: str, problem: str) -> UserError:
        return self._reader.report((*self._path, key), problem)

    # -- values --------------------------------------------------------------------------------------------------------

    def text(self, key: str) -> str:
        value = self._table[key]
        if not isinstance(value, str) or not value.strip():
            raise self._reader.wrong((*self._path, key), value, "a text that is not empty")
        if len(value) > MOST_TEXT:
            raise self.wrong(key, f"has {len(value):,} characters; expected at most {MOST_TEXT:,}")
        return value.strip()

    def message(self, key: str) -> str:
        text = " ".join(self.text(key).split())
        if not text.isprintable():
            raise self.wrong(key, "holds what cannot be printed; expected one line of text")
        return text

    def level(self, key: str) -> Level:
        found = level_or_none(self._reader, (*self._path, key), self._table[key], "")
        return found or Level.WARNING

    def matching(self, pattern: str, example: str) -> Callable[[str], str]:
        def read(key: str) -> str:
            value = self._table[key]
            if not isinstance(value, str) or not re.match(pattern, value):
                raise self._reader.wrong((*self._path, key), value, example)
            return value

        return read

    def texts(self, key: str, pattern: str = "", example: str = "a text or a list of texts") -> tuple[str, ...]:
        value = self._table[key]
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not values:
            raise self._reader.wrong((*self._path, key), value, example)
        for each in values:
            if not isinstance(each, str) or not each.strip() or (pattern and not re.match(pattern, each)):
                raise self._reader.wrong((*self._path, key), each, example)
        return tuple(dict.fromkeys(values))

    def one_of(self, key: str, known: Iterable[str], what: str) -> tuple[str, ...]:
        names = list(known)
        found = self.texts(key, example=f"{what} or a list of them")
        for each in found:
            if each not in names:
                listed = f"; expected one of {', '.join(names)}" if len(names) <= _FEW else ""
                raise self.wrong(key, f'unknown {what} "{shown(each, _SHOWN)}"{_meant(each, names) or listed}')
        return found

    def commands(self, key: str) -> tuple[str, ...]:
        from resplint.knowledge.load import load_commands  # noqa: PLC0415

        found = tuple(each.upper() for each in self.texts(key, example='a Redis command such as "KEYS", or a list'))
        known = load_commands()
        for each in found:
            if not any(fits((each,), name) for name in known):
                hint = _meant(each, known) or '; expected one such as "KEYS", "CONFIG SET" or "CONFIG *"'
                raise self.wrong(key, f'unknown command "{shown(each, _SHOWN)}"{hint}')
        return found

    def methods(self, key: str) -> tuple[str, ...]:
        from resplint.knowledge.load import load_libraries  # noqa: PLC0415

        found = self.texts(key, METHOD, 'a method such as "pipeline" or "redis.Redis.pipeline", or a list')
        types = {name for one in load_libraries().values() for type_ in one.type for name in (type_.name, *type_.also)}
        for each in found:
            owner = each.rpartition(".")[0]
            if owner and owner not in types:
                hint = _meant(owner, types) or "; expected the name of the method, or one behind a type of a client"
                raise self.wrong(key, f'unknown type of a client "{shown(owner, _SHOWN)}"{hint}')
        return found

    def makes(self, key: str) -> tuple[str, ...]:
        return self.one_of(key, made_names(), "client")

    def libraries(self, key: str) -> tuple[str, ...]:
        from resplint.knowledge.load import load_libraries  # noqa: PLC0415

        return self.one_of(key, sorted(load_libraries()), "client library")

    def languages(self, key: str) -> tuple[str, ...]:
        from resplint.knowledge.book import LANGUAGE_TITLES  # noqa: PLC0415

        return self.one_of(key, LANGUAGE_TITLES, "language")

    def roles(self, key: str) -> tuple[str, ...]:
        return self.one_of(key, ROLES, "role")

    def conditions(self, key: str) -> tuple[Condition, ...]:
        found = self.texts(key, CONDITION, 'an option such as "EX" or "ssl=false", or a list of them')
        pairs = [each.partition("=") for each in found]
        return tuple(Condition(option, value if equals else None) for option, equals, value in pairs)

    def globs(self, key: str) -> tuple[str, ...]:
        return self._reader.globs((*self._path, key), list(self.texts(key)))


_FEW = 15

KEYS: dict[str, tuple[str, Callable[[_Entry, str], Any]]] = {
    "code": (
        "code",
        lambda entry, key: entry.matching(CODE, 'capital letters and a number, not RL, such as "SHOP001"')(key),
    ),
    "name": (
        "name",
        lambda entry, key: entry.matching(
            NAME, 'small letters and digits with a dash between words, such as "no-keys"'
        )(key),
    ),
    "message": ("message", _Entry.message),
    "level": ("level", _Entry.level),
    "help": ("help", _Entry.text),
    "url": ("url", lambda entry, key: entry.matching(URL, 'an address such as "https://wiki.example.com/redis"')(key)),
    "command": ("command", _Entry.commands),
    "method": ("method", _Entry.methods),
    "make": ("make", _Entry.makes),
    "key": ("key", lambda entry, key: entry.texts(key, example='a pattern such as "shop:*", or a list')),
    "key-not": ("key_not", lambda entry, key: entry.texts(key, example='a pattern such as "shop:*", or a list')),
    "with": ("options", _Entry.conditions),
    "without": ("without", _Entry.conditions),
    "unless-also": ("unless_also", _Entry.commands),
    "library": ("library", _Entry.libraries),
    "library-not": ("library_not", _Entry.libraries),
    "language": ("language", _Entry.languages),
    "path": ("path", _Entry.globs),
    "path-not": ("path_not", _Entry.globs),
    "function": ("function", lambda entry, key: entry.texts(key, FUNCTION, _FUNCTION)),
    "function-not": ("function_not", lambda entry, key: entry.texts(key, FUNCTION, _FUNCTION)),
    "role": ("role", _Entry.roles),
    "role-not": ("role_not", _Entry.roles),
}
"""Key of a table -> the field of `Forbidden`, and what reads it."""
MEANINGS: dict[str, str] = {
    "code": "Capital letters and a number, such as `SHOP001`; not `RL`, which is resplint's.",
    "name": "Words of small letters and digits with dashes between them, such as `no-keys`.",
    "message": "What a report says: what is wrong, and what comes of it.",
    "level": "`error`, `warning` (the default) or `note`.",
    "help": "What to do instead, in Markdown. Its first paragraph stands below each finding, all of it on the page "
    "of the rule.",
    "url": "Where more about it can be read.",
    "command": "Commands, perhaps with a star: `KEYS`, `CONFIG *`.",
    "method": "Methods of clients: `pipeline`, or only those of one type: `redis.Redis.pipeline`.",
    "make": "What is made: `client`, `cluster`, `sentinel`, `pool` or `connection`, or a constructor or type such as "
    "`redis.Redis`.",
    "key": "Only with a first key that surely fits one of these patterns (`*` is any text, `?` one character).",
    "key-not": "Only with a first key that is known and cannot fit any of these patterns.",
    "with": "Only with one of these options of the command or client: `NX`, or `ssl=false` for one of that value.",
    "without": "Only if none of these options is there, and none may be.",
    "unless-also": "Not where the same function sends one of these commands for the same key.",
    "library": "Only with clients of these libraries.",
    "library-not": "Only with clients of other libraries.",
    "language": "Only in these languages.",
    "path": "Only in files that fit one of these patterns, which are as in `.gitignore`.",
    "path-not": "Only in other files.",
    "function": "Only in these functions or classes, by the ends of their dotted paths.",
    "function-not": "Only outside them.",
    "role": "Only in code that runs for a `request`, `task` or `message`, at `startup` or in a `test`.",
    "role-not": "Only in code that is not known to run for one of these.",
}
"""What each key says, in Markdown."""
_FUNCTION = 'the name of a function, such as "redis_factory.connect", or a list'


def fits(patterns: Iterable[str], command: str) -> bool:
    """Whether a command is one of those that are named, perhaps with stars."""
    return any(fnmatch.fnmatchcase(command, pattern) for pattern in patterns)


def made_names() -> list[str]:
    """What `make` may name: kinds of objects, constructors and types."""
    from resplint.knowledge.load import load_libraries  # noqa: PLC0415

    found: dict[str, None] = dict.fromkeys(KINDS)
    for library in load_libraries().values():
        for type_ in library.type:
            if type_.kind in KINDS:
                found.update(dict.fromkeys((type_.name, *type_.also)))
        for constructor in library.constructor:
            found.update(dict.fromkeys(constructor.names))
    return list(found)


def option_names() -> frozenset[str]:
    """The options of clients by their roles and by their names."""
    from resplint.knowledge.load import load_libraries  # noqa: PLC0415

    found: set[str] = set()
    for library in load_libraries().values():
        found.update((*library.library.databases, *library.library.titles))
        for models in library.option_set.values():
            found.update(name for one in models for name in (one.role, one.name))
    return frozenset(found)


_ALIKE, _TYPING_ERROR = 0.6, 0.88


def _meant(name: str, known: Iterable[str], *, likeness: float = _ALIKE) -> str:
    found = nearest(name, known, likeness=likeness)
    return f'; did you mean "{found}"?' if found is not None else ""
