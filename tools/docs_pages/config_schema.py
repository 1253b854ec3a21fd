"""The JSON Schema of the configuration, for editors: made from the same records as the loader, `config_keys.KEYS`.

It is of draft 7, the newest that editors of TOML understand throughout. The schema says a little less than the loader:
to JSON Schema `4.0` is an integer, and whether the brackets of a pattern close is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

from resplint.config.forbidding import (
    CODE,
    CONDITION,
    FUNCTION,
    MEANINGS,
    METHOD,
    MOST_TEXT,
    NAME,
    SUBJECTS,
    URL,
    made_names,
)
from resplint.config.forbidding import KEYS as OWN_KEYS
from resplint.config.keys import KEYS, LEVELS, JsonSchema, Key
from resplint.config.loading import Config
from resplint.config.values import CONSTRUCTOR, VERSION_LENGTH
from resplint.contracts.findings import Level, Precision
from resplint.contracts.forbidding import ROLES
from resplint.knowledge.book import LANGUAGE_TITLES
from resplint.knowledge.load import load_book, load_libraries
from resplint.output.about import INFORMATION_URI

SCHEMA_URI = f"{INFORMATION_URI}/schemas/config.schema.json"
"""What the schema is called, whatever place it is read from."""

END = r"$(?!\n)"
"""The end of a text; `$` alone also fits before a last line feed in some dialects of regular expressions."""

OWN = rf"^((?!RL)[A-Z]{{1,12}}[0-9]{{0,4}}|[a-z][a-z0-9]*(-[a-z0-9]+)+){END}"
"""A rule of the user's own by its code or name, or the beginning of a code."""
_BLANK = r"([!/ \r\n]*|!?\s*|/\s*)"
_FOUR_FOLDERS = r"([\s\S]*/)?\*\*(/([\s\S]*/)?\*\*){3}"
_FOUR_STARS = r"[\s\S]*(\*[^/]*){4}"
GLOB = rf"^(?!#)(?!{_BLANK}{END})(?!{_FOUR_FOLDERS}(/|{END}))(?!{_FOUR_STARS})"
"""A pattern as in .gitignore: no comment, something to compare with, at most three stars in one part."""
VERSION = (
    r"^\s*[vV]?([0-9]+!)?[0-9]+(\.[0-9]+)*"
    r"([-_.]?([aA]|[bB]|[cC]|[rR][cC]|[aA][lL][pP][hH][aA]|[bB][eE][tT][aA]|[pP][rR][eE]([vV][iI][eE][wW])?)[-_.]?[0-9]*)?"
    r"(-[0-9]+|[-_.]?([pP][oO][sS][tT]|[rR][eE][vV]|[rR])[-_.]?[0-9]*)?"
    r"([-_.]?[dD][eE][vV][-_.]?[0-9]*)?(\+[a-zA-Z0-9]+([-_.][a-zA-Z0-9]+)*)?\s*" + END
)
"""A version as PEP 440 defines it."""


class Names(msgspec.Struct, frozen=True):
    """What values may name. `rules` and `slugs` map codes to titles and names, `libraries` names to titles."""

    rules: Mapping[str, str]
    slugs: Mapping[str, str]
    libraries: Mapping[str, str]
    constructors: tuple[str, ...]


def known_names() -> Names:
    """The names of what resplint knows."""
    book, libraries = load_book(), load_libraries()
    return Names(
        rules={code: rule.title for code, rule in book.items()},
        slugs={code: rule.name for code, rule in book.items()},
        libraries={name: library.library.title or name for name, library in libraries.items()},
        constructors=tuple(
            {
                name
                for each in libraries.values()
                for one in each.constructor
                for name in one.names
                if re.match(CONSTRUCTOR, name)
            }
        ),
    )


def config_schema(names: Names) -> JsonSchema:
    """The schema of `resplint.toml`, and of the table `[tool.resplint]`."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": SCHEMA_URI,
        "title": "Configuration of resplint",
        "description": "`resplint.toml`, or the table `[tool.resplint]` of `pyproject.toml`. Every key is optional.",
        "type": "object",
        "properties": {key.name: _property(key) for key in KEYS},
        "additionalProperties": False,
        "definitions": _definitions(names),
    }


def default_of(key: Key) -> object:
    """What holds when a key is absent, as it is written in TOML; None for nothing."""
    value = getattr(Config(rules={}), key.field)
    if isinstance(value, (Level, Precision)):
        return value.value
    return msgspec.to_builtins(value)


def _property(key: Key) -> JsonSchema:
    default = default_of(key)
    described = {"description": key.summary + (f"\n\n{key.details}" if key.details else "")}
    schema = key.schema
    if "$ref" in schema:  # draft 7 passes over what stands beside a reference
        schema = {"allOf": [schema]}
    return {**described, **schema, **({} if default is None else {"default": default})}


def _definitions(names: Names) -> JsonSchema:
    """What the schemas of values refer to."""
    codes = sorted(names.rules)
    prefixes = sorted({code[:length] for code in codes for length in range(1, len(code))})
    return {
        "selector": {
            "description": "A rule by its code or name, a beginning of codes such as `RL1`, `default` or `all`.",
            "anyOf": [
                _with_titles(
                    {
                        "default": "The rules that are on by default, and those of your own.",
                        "all": "Every rule.",
                        **{code: names.rules[code] for code in codes},
                        **{names.slugs[code]: names.rules[code] for code in codes},
                    }
                ),
                {"type": "string", "pattern": f"^({'|'.join(prefixes)}){END}"},
                {"description": "A rule of your own, or the beginning of its code.", "type": "string", "pattern": OWN},
            ],
        },
        "pattern": {
            "description": "A pattern as in `.gitignore`, relative to the folder of the configuration.",
            "type": "string",
            "pattern": GLOB,
        },
        "level": {
            "description": "`error`, `warning` or `note`; `off` switches the rule off.",
            "enum": [*LEVELS, "off"],
        },
        "levels": {
            "type": "object",
            "properties": {
                name: {"description": names.rules[code], "allOf": [{"$ref": "#/definitions/level"}]}
                for code in codes
                for name in (code, names.slugs[code])
            },
            "patternProperties": {OWN: {"$ref": "#/definitions/level"}},
            "additionalProperties": False,
            "allOf": [{"not": {"required": [code, names.slugs[code]]}} for code in codes],
        },
        "version": {
            "description": 'A version such as "5.0.8".',
            "type": "string",
            "maxLength": VERSION_LENGTH,
            "pattern": VERSION,
        },
        "versions": {
            "type": "object",
            "properties": {
                name: {"description": title, "allOf": [{"$ref": "#/definitions/version"}]}
                for name, title in sorted(names.libraries.items())
            },
            "additionalProperties": False,
        },
        "constructor": {
            "description": "A constructor of a client that resplint knows.",
            "enum": sorted(names.constructors),
        },
        "factory": {
            "anyOf": [
                {"$ref": "#/definitions/constructor"},
                {
                    "type": "object",
                    "properties": {
                        "client": {"$ref": "#/definitions/constructor"},
                        "options": {
                            "description": "Options that the function gives to the constructor.",
                            "type": "object",
                            "additionalProperties": {"type": ["string", "number", "boolean"]},
                        },
                    },
                    "required": ["client"],
                    "additionalProperties": False,
                },
            ],
        },
        "made": {
            "description": "A kind of client or pool, a constructor, or the type of what it makes.",
            "enum": made_names(),
        },
        "forbidden": _forbidden(),
    }


def _forbidden() -> JsonSchema:
    """One rule of a user's own. Which options a command or client has, only the loader says."""
    values: dict[str, JsonSchema] = {
        "code": {"type": "string", "pattern": CODE},
        "name": {"type": "string", "pattern": NAME},
        "message": {"type": "string", "pattern": r"\S", "maxLength": MOST_TEXT},
        "level": {"enum": LEVELS},
        "help": {"type": "string", "pattern": r"\S", "maxLength": MOST_TEXT},
        "url": {"type": "string", "pattern": URL},
        "command": _one_or_more({"type": "string", "examples": ["KEYS", "FLUSHALL", "CONFIG *"], "minLength": 1}),
        "method": _one_or_more({"type": "string", "pattern": METHOD}),
        "make": _one_or_more({"$ref": "#/definitions/made"}),
        "key": _one_or_more({"type": "string", "pattern": r"\S"}),
        "key-not": _one_or_more({"type": "string", "pattern": r"\S"}),
        "with": _one_or_more({"type": "string", "pattern": CONDITION}),
        "without": _one_or_more({"type": "string", "pattern": CONDITION}),
        "unless-also": _one_or_more({"type": "string", "minLength": 1}),
        "library": _one_or_more({"enum": sorted(load_libraries())}),
        "library-not": _one_or_more({"enum": sorted(load_libraries())}),
        "language": _one_or_more({"enum": list(LANGUAGE_TITLES)}),
        "path": _one_or_more({"$ref": "#/definitions/pattern"}),
        "path-not": _one_or_more({"$ref": "#/definitions/pattern"}),
        "function": _one_or_more({"type": "string", "pattern": FUNCTION}),
        "function-not": _one_or_more({"type": "string", "pattern": FUNCTION}),
        "role": _one_or_more({"enum": list(ROLES)}),
        "role-not": _one_or_more({"enum": list(ROLES)}),
    }
    assert list(values) == list(OWN_KEYS)
    return {
        "description": "A rule of your own: what this project does without.",
        "type": "object",
        "properties": {key: {"description": MEANINGS[key], **schema} for key, schema in values.items()},
        "required": ["code", "name", "message"],
        "oneOf": [{"required": [subject]} for subject in SUBJECTS],
        "additionalProperties": False,
    }


def _one_or_more(schema: JsonSchema) -> JsonSchema:
    return {"anyOf": [schema, {"type": "array", "items": schema, "minItems": 1}]}


def _with_titles(titles: Mapping[str, str]) -> JsonSchema:
    return {"enum": list(titles), "x-taplo": {"docs": {"enumValues": list(titles.values())}}}
