"""The keys of the configuration: what each means, how the loader reads its value, and what JSON Schema says of it.

The three stand in one record, so that the published schema and the documentation cannot drift from the loader.
`config_schema` makes the schema of them and holds what `$ref` refers to; defaults are those of `config.Config`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from resplint.config.forbidding import MOST_RULES, folders, forbidden
from resplint.config.values import DAY_S, DOTTED_NAME, Reader, level_or_none, precision, selectors, unknown_key
from resplint.contracts.findings import Level, Precision

Path = tuple[str, ...]
"""The way to a value: the key, then those of the tables in it."""
Slugs = Mapping[str, str]
"""The name of every rule by its code."""
JsonSchema = dict[str, Any]

SELECTORS: JsonSchema = {"type": "array", "items": {"$ref": "#/definitions/selector"}}
FILE_NAME: JsonSchema = {"type": "string", "minLength": 1, "pattern": "^[^\\u0000]*$"}
LEVELS = [each.value for each in Level]


class Key(msgspec.Struct, frozen=True):
    """A key. `kind` names its values for people, `summary` is one sentence, `details` are further ones, both in
    Markdown; `example` is a value as it is written in TOML, of several lines for a table (then without its header).
    """

    name: str
    kind: str
    summary: str
    example: str
    read: Callable[[Reader, Path, object, Slugs], object]
    """Turns a value into what `Config` holds. Raises what the reader makes of a wrong one."""
    schema: JsonSchema
    details: str = ""

    @property
    def field(self) -> str:
        """Its name in `Config`."""
        return self.name.replace("-", "_")

    @property
    def is_table(self) -> bool:
        """Whether its value is a table, which usually has a header of its own."""
        return self.kind.startswith("table")

    def header(self, name: str) -> str:
        """The header of its table by the name that it has there: a list has one for each of its tables."""
        return f"[[{name}]]" if self.kind.startswith("tables") else f"[{name}]"


def _patterns(reader: Reader, path: Path, value: object, _: Slugs) -> object:
    return reader.globs(path, value)


def _rules_by_pattern(reader: Reader, path: Path, value: object, rules: Slugs) -> object:
    return {
        reader.glob((*path, pattern), pattern): selectors(reader, (*path, pattern), codes, rules)
        for pattern, codes in reader.table(path, value).items()
    }


def _versions(reader: Reader, path: Path, value: object, _: Slugs) -> object:
    return {name: reader.version((*path, name), each) for name, each in reader.table(path, value).items()}


def _server(reader: Reader, path: Path, value: object, _: Slugs) -> object:
    table = reader.table(path, value)
    for name in table:
        if name != "redis-version":
            raise unknown_key(reader, (*path, name), ["redis-version"])
    return {name: reader.version((*path, name), each) for name, each in table.items()}


def _factories(reader: Reader, path: Path, value: object, _: Slugs) -> object:
    return {name: reader.factory((*path, name), each) for name, each in reader.table(path, value).items()}


KEYS = (
    Key(
        name="extends",
        kind="name of a file",
        summary="Another configuration, whose keys count here as well unless this one has them itself.",
        details="The name is relative to the folder of this configuration. Patterns start at this folder, too, as if "
        "they stood here; names of files are relative to the other one's. Rules of one's own add up.",
        example='"../resplint.toml"',
        read=lambda reader, path, value, _: reader.file_name(path, value),
        schema=FILE_NAME,
    ),
    Key(
        name="select",
        kind="list of rules",
        summary="Rules to run: codes, names, beginnings of codes (`RL1`), `default` or `all`.",
        details="`default` stands for the rules that are on unless you say otherwise (`resplint rules` lists them) and "
        "those of your own, `all` for every rule. Where `select` and `ignore` both name a rule, the more specific "
        "entry decides, and `ignore` if they are equally specific.",
        example='["default"]',
        read=selectors,
        schema={**SELECTORS, "minItems": 1},
    ),
    Key(
        name="ignore",
        kind="list of rules",
        summary="Rules to leave out; where both lists name a rule, the more specific entry decides.",
        example='["RL401"]',
        read=selectors,
        schema=SELECTORS,
    ),
    Key(
        name="level",
        kind="table: rule to level",
        summary="Level by rule: `error`, `warning`, `note` or `off`.",
        details="It replaces the level of all findings of the rule. A rule is named by its code or its name, once.",
        example='unbounded-pool = "error"\nRL103 = "off"',
        read=Reader.levels,
        schema={"$ref": "#/definitions/levels"},
    ),
    Key(
        name="exclude",
        kind="list of patterns",
        summary="Files to leave out, as in `.gitignore`.",
        details="Patterns start at the folder of the configuration; those of a file that `--config` names start at "
        "the scanned folder if that is not below the file's. What git ignores is left out in any case (not "
        "what it tracks, whatever `.gitignore` says), and so is JavaScript that was compiled from TypeScript "
        "which is scanned (`dist/users.js` beside `src/users.ts`), and what Gradle and Maven generate or copy"
        " (`build/generated/`, `build/tmp/`, `target/classes/` and `target/generated-sources/` beside "
        "`src/`), and a folder of backups whose files are mostly copies of live ones "
        "(`tools/backups/2025-09-30/api/server.ts` beside `api/server.ts`).",
        example='["migrations/", "*_pb2.py"]',
        read=_patterns,
        schema={"type": "array", "items": {"$ref": "#/definitions/pattern"}},
    ),
    Key(
        name="per-path-ignores",
        kind="table: pattern to list of rules",
        summary="Rules to leave out, by pattern of the path.",
        details="The files are still read: a client that is made in one of them is known everywhere.",
        example='"scripts/" = ["RL101", "RL2"]',
        read=_rules_by_pattern,
        schema={
            "type": "object",
            "propertyNames": {"$ref": "#/definitions/pattern"},
            "additionalProperties": SELECTORS,
        },
    ),
    Key(
        name="client-versions",
        kind="table: client library to version",
        summary="Version of a client library, instead of what manifests and lock files say.",
        details="Defaults differ between versions, and with them what is found.",
        example='redis-py = "5.0.8"',
        read=_versions,
        schema={"$ref": "#/definitions/versions"},
    ),
    Key(
        name="server",
        kind="table",
        summary="The Redis server that the code talks to: `redis-version` is its version.",
        details="Several rules ask what the server can do, and fixes use what it has. Name the oldest version that is "
        "in use; of a Valkey server, that of the Redis server it is compatible with.",
        example='redis-version = "7.2"',
        read=_server,
        schema={
            "type": "object",
            "properties": {"redis-version": {"$ref": "#/definitions/version"}},
            "additionalProperties": False,
        },
    ),
    Key(
        name="client-factories",
        kind="table: function to constructor",
        summary="Functions whose result is a client: the constructor that they stand for, and options it was given.",
        details="For clients that code does not show: from a container, a plugin, or a package outside the project. "
        "The key is the path of the file without its suffix, or the package, then the class if there is one and the "
        "name of the function, joined by dots. The end of it is enough.",
        example='"app.db.get_redis" = "redis.Redis"\n'
        '"app.queue.connect" = { client = "redis.asyncio.Redis", options = { socket_timeout = 5 } }',
        read=_factories,
        schema={
            "type": "object",
            "propertyNames": {"pattern": DOTTED_NAME},
            "additionalProperties": {"$ref": "#/definitions/factory"},
        },
    ),
    Key(
        name="forbid",
        kind="tables, one for each rule",
        summary="Rules of your own: commands, methods, clients, options and keys that this project does without.",
        details="Each has a `code`, a `name` and a `message`, and says what it forbids; see "
        "[rules of your own](own-rules.md). Every other key names them by code or name, as it does resplint's.",
        example='code = "SHOP001"\nname = "no-keys"\ncommand = "KEYS"\n'
        'message = "KEYS blocks the server while it walks over every key: use SCAN."',
        read=forbidden,
        schema={"type": "array", "items": {"$ref": "#/definitions/forbidden"}, "maxItems": MOST_RULES},
    ),
    Key(
        name="forbid-from",
        kind="name of a folder or file, or a list",
        summary="Further rules of your own: files, or folders whose `.toml` files hold them below `[[forbid]]`.",
        details="Names are relative to the folder of the configuration. Code in such a folder shows what the rules "
        "find (`resplint rules test`), and is left out of every scan where the folder lies below that of the "
        "configuration.",
        example='["redis-rules"]',
        read=folders,
        schema={"anyOf": [FILE_NAME, {"type": "array", "items": FILE_NAME}]},
    ),
    Key(
        name="include-tests",
        kind="`true` or `false`",
        summary="Also scan tests and benchmarks.",
        details="Functions of a test framework among other code, such as `@Test` below `src/main`, count as tests.",
        example="false",
        read=lambda reader, path, value, _: reader.boolean(path, value),
        schema={"type": "boolean"},
    ),
    Key(
        name="include-minified",
        kind="`true` or `false`",
        summary="Also analyse what looks like machine output, instead of listing it as skipped.",
        details="That is what begins with hardly any white space on long lines, or with hardly any lines.",
        example="false",
        read=lambda reader, path, value, _: reader.boolean(path, value),
        schema={"type": "boolean"},
    ),
    Key(
        name="max-file-size",
        kind="whole number",
        summary="Larger files, in bytes, are listed as skipped.",
        example="1000000",
        read=lambda reader, path, value, _: reader.integer(path, value, least=1),
        schema={"type": "integer", "minimum": 1},
    ),
    Key(
        name="file-timeout",
        kind="whole number",
        summary="Files that take longer to analyse, in seconds of processor time, are listed as skipped.",
        details="On the clock they may take four times as long, for machines that do other things as well. On macOS "
        "and Windows, and in an editor, only parsing and resplint's own code are limited, not the parser's queries.",
        example="5",
        read=lambda reader, path, value, _: reader.seconds(path, value),
        schema={"type": "integer", "minimum": 1, "maximum": DAY_S},
    ),
    Key(
        name="scan-timeout",
        kind="whole number",
        summary="Choosing files, linking and judging them take at most so long together, in seconds.",
        details="What all rules build on has four fifths of it: choosing files by their imports, reading manifests "
        "and settings, and following values to their origin. Then it is cut short. The rules judge what is there by "
        "then, and share the rest. A remark says what was cut.",
        example="600",
        read=lambda reader, path, value, _: reader.seconds(path, value),
        schema={"type": "integer", "minimum": 1, "maximum": DAY_S},
    ),
    Key(
        name="rule-timeout",
        kind="whole number",
        summary="A rule that takes longer to judge the project, in seconds, is stopped.",
        details="What it found by then is reported, the other rules go on, and the exit code is 3.",
        example="300",
        read=lambda reader, path, value, _: reader.seconds(path, value),
        schema={"type": "integer", "minimum": 1, "maximum": DAY_S},
    ),
    Key(
        name="fail-on",
        kind="level",
        summary="Level from which findings make the exit code 1, or `never`.",
        example='"warning"',
        read=lambda reader, path, value, _: level_or_none(reader, path, value, "never"),
        schema={"enum": [*LEVELS, "never"]},
    ),
    Key(
        name="min-precision",
        kind="precision",
        summary="Findings below this precision are left out: `low`, `medium`, `high`, `very-high`.",
        details="The precision of a finding says how often those of its class were right in code that nobody had seen: "
        "low below 75 %, medium from there, high from 90 %, very high from 97 %, of at least 20 that were read.",
        example='"medium"',
        read=lambda reader, path, value, _: precision(reader, path, value),
        schema={"enum": [each.value for each in Precision]},
    ),
    Key(
        name="jobs",
        kind="whole number",
        summary="Processes to use; 0 is one for each processor.",
        example="0",
        read=lambda reader, path, value, _: reader.integer(path, value, least=0),
        schema={"type": "integer", "minimum": 0},
    ),
    Key(
        name="baseline",
        kind="name of a file",
        summary="File of accepted findings, written by `resplint baseline`.",
        details="It is relative to the folder of the configuration. Without the key, `resplint-baseline.jsonl` is used "
        "where it stands in the scanned folder, or in one above it in the same repository. `--no-baseline` passes over "
        "it.",
        example='"resplint-baseline.jsonl"',
        read=lambda reader, path, value, _: reader.file_name(path, value),
        schema=FILE_NAME,
    ),
)
"""Every key of the configuration."""
