"""The schema of the configuration accepts what resplint accepts, and the other way round."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from docs_pages.config_schema import GLOB, OWN, config_schema, known_names
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from resplint.cli.app import cli
from resplint.config.keys import KEYS
from resplint.files.toml_text import parse_toml
from resplint.knowledge.load import load_book

ROOT = Path(__file__).parents[2]
Schema = dict[str, Any]
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12)
LOCAL = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@cache
def published() -> Schema:
    schema: Schema = json.loads((ROOT / "schemas" / "config.schema.json").read_text("utf-8"))
    return schema


@cache
def validator() -> jsonschema.Draft7Validator:
    return jsonschema.Draft7Validator(published())


def loads(folder: Path, table: Schema) -> str:
    """What `resplint scan` says of a configuration: "" if it is accepted."""
    (folder / "code").mkdir(exist_ok=True)
    (folder / "code" / "main.py").write_text("")
    file = folder / "resplint.toml"
    file.write_text(in_toml(table), "utf-8")
    parsed, _ = parse_toml(file.read_bytes())
    assert parsed == table, "the test writes TOML wrongly"
    done = CliRunner().invoke(
        cli, ["scan", "--config", str(file), "--no-baseline", "--format", "json", str(folder / "code")]
    )
    assert done.exit_code in (0, 2), done.output
    return done.stderr if done.exit_code else ""


def in_toml(table: Schema) -> str:
    return "".join(f"{quoted(key)} = {value_in_toml(value)}\n" for key, value in table.items())


def quoted(text: str) -> str:
    return re.sub("[\x7f-\x9f]", lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def value_in_toml(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{quoted(key)} = {value_in_toml(each)}" for key, each in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(value_in_toml(each) for each in value) + "]"
    return quoted(value) if isinstance(value, str) else json.dumps(value)


# -- documents that the schema describes ----------------------------------------------------------------------------


def resolved(schema: Schema) -> Schema:
    """The schema with its references and `allOf` looked up."""
    schema = dict(schema)
    if "$ref" in schema:
        return resolved(published()["definitions"][schema["$ref"].rpartition("/")[2]])
    for each in schema.pop("allOf", ()):
        schema = {**resolved(each), **schema} if "not" not in each else schema
    return schema


def described(schema: Schema) -> st.SearchStrategy[Any]:
    """Values as a schema describes them; what these few words cannot say is sorted out by the validator."""
    schema = resolved(schema)
    if "anyOf" in schema:
        return st.one_of(*(described(one) for one in schema["anyOf"] if one.get("pattern") != OWN))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return st.one_of(*(of_kind(kind, schema) for kind in kinds))


def of_kind(kind: str, schema: Schema) -> st.SearchStrategy[Any]:
    if kind == "string":
        return patterned(schema)
    if kind == "array":
        return st.lists(described(schema["items"]), min_size=schema.get("minItems", 0), max_size=3)
    if kind == "object":
        return of_properties(schema)
    return {
        "boolean": st.booleans(),
        "integer": st.integers(schema.get("minimum"), 2**40),
        "number": st.integers(-(2**40), 2**40) | st.floats(-1e9, 1e9),
    }[kind]


def patterned(schema: Schema) -> st.SearchStrategy[str]:
    pattern = schema.get("pattern")
    if pattern is None:
        return TEXT
    if pattern == GLOB:
        parts = st.sampled_from(
            ["*", "**", "*.py", "build", "a b", "é", "?", "[ab]", "[!a-c]x", "\\#", "!", "#", " ", ""]
        )
        return st.lists(parts, min_size=1, max_size=5).map("/".join)
    # Look-ahead cannot be generated from; without it, texts are cut to what can be.
    simple = re.sub(r"\(\?!.*?\)", "", pattern)
    return st.from_regex(simple, fullmatch=True).map(str).filter(lambda text: not re.search("[\x00-\x1f\x7f]", text))


def of_properties(schema: Schema) -> st.SearchStrategy[Any]:
    """Objects with what is required and a few of the properties that are not."""
    properties = {name: described(each) for name, each in schema.get("properties", {}).items()}
    needed = {name: properties[name] for name in schema.get("required", [])}
    further = schema.get("additionalProperties", {})
    if not properties:
        names = patterned(resolved(schema["propertyNames"])) if "propertyNames" in schema else TEXT
        return st.dictionaries(names, described(further), max_size=3)
    chosen = st.lists(st.sampled_from(sorted(properties)), max_size=3, unique=True)
    return chosen.flatmap(lambda names: st.fixed_dictionaries({**needed, **{name: properties[name] for name in names}}))


def documents() -> st.SearchStrategy[Schema]:
    """Documents without rules of one's own and other files, of which the loader says more than the schema can."""
    schema = published()
    properties = {key: each for key, each in schema["properties"].items() if not key.startswith(("forbid", "extends"))}
    return described({**schema, "properties": properties})


@st.composite
def changed(draw: st.DrawFn) -> Schema:
    """A document with one place changed: another value, a misspelt name, something added."""
    document = draw(documents())
    places = list(nodes(document, ()))
    assume(places)
    *way, last = draw(st.sampled_from(places))
    inner: Any = document
    for step in way:
        inner = inner[step]
    change = draw(st.sampled_from(["value", "name", "add"]))
    if change == "name" and isinstance(inner, dict) and isinstance(last, str):
        inner[draw(st.sampled_from([last + "x", last.lower(), last.replace("-", "_"), last[:-1], "", "1" + last]))] = (
            inner.pop(last)
        )
    elif change == "add" and isinstance(inner[last], list):
        inner[last].append(draw(strange_values(inner[last])))
    else:
        inner[last] = draw(strange_values(inner[last]))
    return document


def strange_values(value: object) -> st.SearchStrategy[Any]:
    near = [value + "x", value + " ", value[:-1], value.lower(), value.upper()] if isinstance(value, str) else []
    return st.sampled_from(
        [
            *near,
            "",
            " ",
            "RL",
            "RL1",
            "RL9",
            "rl104",
            "!",
            "#",
            "1.0",
            "five",
            "a..b",
            0,
            -1,
            1.5,
            True,
            [],
            {},
            [1],
            [""],
        ]
    )


def nodes(value: object, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """The ways to all values in a document."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in entries:
        yield (*path, step)
        yield from nodes(each, (*path, step))


def beyond_schema(value: object) -> bool:
    """Whether a document holds what only the loader judges: patterns with brackets or backslashes, and names that a
    rule of one's own might have.
    """
    if isinstance(value, dict):
        return any(beyond_schema(each) for pair in value.items() for each in pair)
    if isinstance(value, list):
        return any(map(beyond_schema, value))
    return isinstance(value, str) and bool(re.search(r"[\[\\]", value) or (value not in KNOWN and re.match(OWN, value)))


BOOK = {name for code, rule in load_book().items() for name in (code, rule.name)}
KEYS_AND_CLIENTS = {key.name for key in KEYS} | set(known_names().libraries)
KNOWN = BOOK | KEYS_AND_CLIENTS | {"all", "very-high"}


# -- both ways ------------------------------------------------------------------------------------------------------


@LOCAL
@given(documents())
def test_what_the_schema_accepts_is_loaded(tmp_path: Path, document: Schema) -> None:
    assume(validator().is_valid(document))
    assert loads(tmp_path, document) == ""


@LOCAL
@given(changed())
def test_near_misses_are_judged_alike(tmp_path: Path, document: Schema) -> None:
    assume(not beyond_schema(document))
    assert validator().is_valid(document) == (loads(tmp_path, document) == ""), loads(tmp_path, document)


OWN_RULE = {"code": "SHOP001", "name": "no-keys", "message": "KEYS blocks the server.", "command": "KEYS"}


@pytest.mark.parametrize(
    ("document", "valid"),
    [
        ({}, True),
        ({"select": ["all"]}, True),
        ({"select": []}, False),
        ({"ignore": []}, True),
        ({"select": ["R", "RL", "RL1", "RL10", "RL101", "blocking-timeout"]}, True),
        ({"select": ["RL9"]}, False),
        ({"select": ["rl104"]}, False),
        ({"select": ["RL104\n"]}, False),
        ({"level": {"RL104": "off", "unbounded-pool": "note"}}, True),
        ({"level": {"RL104": "never"}}, False),
        ({"level": {"RL1": "note"}}, False),
        ({"level": {"RL104": "note", "blocking-timeout": "note"}}, False),
        ({"exclude": ["/", "a"]}, False),
        ({"exclude": ["\t"]}, False),
        ({"exclude": ["a/**/b/**/c/**/d"]}, True),
        ({"exclude": ["a/**/b/**/c/**/d/**"]}, False),
        ({"exclude": ["a*b*c*d"]}, True),
        ({"exclude": ["a*b*c*d*"]}, False),
        ({"per-path-ignores": {"#x": ["all"]}}, False),
        ({"client-versions": {"redis-py": "5.0.8"}}, True),
        ({"server": {"redis-version": "7.2"}}, True),
        ({"server": {"version": "7.2"}}, False),
        ({"client-versions": {"redis-py": " V5.0RC1.post2.dev3+Ab.1 "}}, True),
        ({"client-versions": {"redis-py": "5.x"}}, False),
        ({"client-versions": {"redis-py": "1." + "9" * 5000}}, False),
        ({"client-versions": {"redispy": "5.0.8"}}, False),
        ({"client-factories": {"größe.get_ρ$": "redis.Redis"}}, True),
        ({"client-factories": {"lib.store.connect": "@redis/client.createClient"}}, True),
        ({"client-factories": {"a.b\n": "redis.Redis"}}, False),
        ({"client-factories": {"a.b": "redis.Reddis"}}, False),
        ({"client-factories": {"a.b": {"client": "redis.Redis", "options": {"any thing": 1.5}}}}, True),
        ({"client-factories": {"a.b": {"client": "redis.Redis", "options": {"x": []}}}}, False),
        ({"fail-on": "never"}, True),
        ({"fail-on": "off"}, False),
        ({"forbid": [OWN_RULE]}, True),
        ({"forbid": [{**OWN_RULE, "command": "KEYZ*"}]}, None),
        ({"forbid": [{**OWN_RULE, "make": "pool"}]}, False),
        ({"forbid": [{key: value for key, value in OWN_RULE.items() if key != "command"}]}, False),
        ({"forbid": [{**OWN_RULE, "code": "RL900"}]}, False),
        ({"forbid": [{**OWN_RULE, "name": "nokeys"}]}, False),
        ({"forbid": [{**OWN_RULE, "messages": "x"}]}, False),
        ({"forbid": [{**OWN_RULE, "level": "off"}]}, False),
        ({"forbid": [{**OWN_RULE, "role": "requests"}]}, False),
        ({"forbid": [OWN_RULE], "select": ["SHOP", "no-keys"], "level": {"SHOP001": "note"}}, True),
        ({"forbid": OWN_RULE}, False),
        ({"extends": ""}, False),
        ({"extends": 1}, False),
        ({"forbid-from": []}, True),
        ({"forbid-from": [""]}, False),
        ({"jobs": 0}, True),
        ({"max-file-size": 0}, False),
        ({"min_precision": "low"}, False),
    ],
)
def test_both_judge_alike(tmp_path: Path, document: Schema, valid: bool | None) -> None:
    """None: only the loader knows better."""
    assert validator().is_valid(document) == (valid is not False)
    assert (loads(tmp_path, document) == "") == bool(valid)


# -- for editors ----------------------------------------------------------------------------------------------------


def test_the_schema_is_one_of_draft_7() -> None:
    jsonschema.Draft7Validator.check_schema(published())
    assert published()["$schema"] == "http://json-schema.org/draft-07/schema#"


def test_every_key_tells_what_it_means_and_what_holds_without_it(tmp_path: Path) -> None:
    properties = published()["properties"]
    assert list(properties) == [key.name for key in KEYS]
    for key in KEYS:
        assert properties[key.name]["description"].startswith(key.summary)
        assert validator().is_valid({key.name: properties[key.name].get("default", "file")})


def test_editors_offer_every_rule_with_its_title() -> None:
    offered = published()["definitions"]["selector"]["anyOf"][0]
    titles = dict(zip(offered["enum"], offered["x-taplo"]["docs"]["enumValues"], strict=True))
    for code, rule in load_book().items():
        assert titles[code] == titles[rule.name] == rule.title


def test_the_published_schema_is_that_of_the_records() -> None:
    assert published() == json.loads(json.dumps(config_schema(known_names())))
