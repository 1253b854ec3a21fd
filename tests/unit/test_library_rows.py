"""Rows about foreign functions: how they are written, refused, loaded, and what those of each language say."""

from __future__ import annotations

from pathlib import Path

import pytest

from resplint.contracts.errors import KnowledgeError
from resplint.knowledge.language_files import load_language
from resplint.knowledge.load import load_commands, load_roles
from resplint.knowledge.records.library_records import ALL, Flow, Place, Row, RowError, Step, parse_flow, parse_rows

THIS, RESULT = Place("this"), Place("result")
LANGUAGES = ("python", "java", "kotlin", "javascript", "typescript")


def argument(number: int, *steps: Step) -> Place:
    return Place("argument", number, "", steps)


def of(root: Place, *steps: Step) -> Place:
    return Place(root.root, root.number, root.name, steps)


@pytest.mark.parametrize(
    ("text", "source", "target"),
    [
        ("arg0 -> result", argument(0), RESULT),
        ("this->result", THIS, RESULT),
        ("arg1 -> this[arg0]", argument(1), of(THIS, Step("key", 0))),
        ("arg0 -> this[]", argument(0), of(THIS, Step("element"))),
        ("arg* -> result[]", argument(ALL), of(RESULT, Step("element"))),
        ("arg0[*] -> this[*]", argument(0, Step("entry")), of(THIS, Step("entry"))),
        ("this[] -> result[][1]", of(THIS, Step("element")), of(RESULT, Step("element"), Step("position", 1))),
        ("arg2['value'] -> arg0[arg1]", argument(2, Step("name", 0, "value")), argument(0, Step("key", 1))),
        ("this[] -> arg0.param0", of(THIS, Step("element")), argument(0, Step("parameter", 0))),
        ("callback1.result -> result", argument(1, Step("result")), RESULT),
        ("this -> arg0.this", THIS, argument(0, Step("receiver"))),
        ("arg0.param0.arg1 -> result", argument(0, Step("parameter", 0), Step("argument", 1)), RESULT),
        ("result.param0 -> result.result", of(RESULT, Step("parameter", 0)), of(RESULT, Step("result"))),
        ("arg:default -> result[]", Place("named", 0, "default"), of(RESULT, Step("element"))),
        ("arg:* -> arg0.param:*", Place("named", 0, "*"), argument(0, Step("alike"))),
        ("result -> arg0.this", RESULT, argument(0, Step("receiver"))),
    ],
)
def test_arrows(text: str, source: Place, target: Place) -> None:
    assert parse_flow(text) == [Flow(source, target)]


def test_two_dots_count_on() -> None:
    found = parse_flow("arg:args[0].. -> arg1.param0..")
    assert found[0] == Flow(Place("named", 0, "args", (Step("position", 0),)), argument(1, Step("parameter", 0)))
    assert [one.source.steps[0].number for one in found] == list(range(len(found)))
    assert [one.target.steps[0].number for one in found] == list(range(len(found)))
    assert len(found) > 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("arg0", "an arrow is written source -> target"),
        ("arg0 => result", "an arrow is written source -> target"),
        ("self -> result", "self: a place begins with this, result, argN, arg*, arg:NAME or callbackN"),
        ("args -> result", "args: a place begins with"),
        ("arg0.value -> result", ".value: a step is [], [*], [argN], [N], ['NAME'], .paramN"),
        ("arg0[key] -> result", "[key]: a step is"),
        ("this[arg0 -> result", "[arg0: a step is"),
        ("arg0[][][][] -> result", "has more than 3 steps"),
        ("callback0 -> result", "what is known of a callback is its result: callback0.result"),
        ("callback* -> result", "callback*: a place begins with"),
        ("arg0.arg1 -> result", ".argN stands behind .paramN"),
        ("arg0.param1 -> result", "what a function gets flows into it, and not out of it"),
        ("result -> this", "the result is no source"),
        ("this -> arg0", "nothing flows into an argument itself"),
        ("this -> arg:key", "nothing flows into an argument itself"),
        ("this -> arg0.result", "nothing flows into what a function gives"),
        ("this -> this", "both ends are the same"),
        ("arg1.. -> arg0.param0", "either both ends count on (..) or none"),
        ("arg.. -> result..", "what counts on ends with a number"),
    ],
)
def test_arrows_that_lead_nowhere(text: str, message: str) -> None:
    with pytest.raises(RowError) as error:
        parse_flow(text)
    assert str(error.value).startswith(repr(text))
    assert message in str(error.value)


def test_a_row_for_each_name() -> None:
    assert parse_rows([{"on": "java.util.Map", "method": ["put", "replace"], "flow": "arg1 -> this[arg0]"}]) == [
        Row(method, ("java.util.Map",), "", tuple(parse_flow("arg1 -> this[arg0]"))) for method in ("put", "replace")
    ]
    rows = parse_rows([{"function": ["functools.cache", "lodash/once", "sorted"], "calls": "once"}])
    assert [(row.method, row.function, row.calls) for row in rows] == [
        ("cache", "functools.cache", "once"), ("once", "lodash/once", "once"), ("sorted", "sorted", "once"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ('{ flow = "arg0 -> result" }', "row 1: names a method or a function, and not both"),
        ('{ method = "a", function = "b", flow = "arg0 -> result" }', "row 1 (a): names a method or a function"),
        ('{ on = "x.Y", function = "b", flow = "arg0 -> result" }', "row 1 (b): a function has no receiver"),
        ('{ function = "b", flow = "this -> result" }', "row 1 (b): a function has no receiver"),
        (
            '{ method = "x.Y.put", flow = "arg0 -> this[]" }',
            "row 1 (x.Y.put): x.Y.put: a method has a bare name; its type stands in on",
        ),
        ('{ method = "put" }', "row 1 (put): says nothing: neither flow nor calls"),
        ('{ method = ["put"], flow = "arg0 > this" }', "row 1 (put): 'arg0 > this': an arrow is written"),
        ('{ method = "put", calls = "twice" }', "row 1 (put): Invalid enum value 'twice'"),
        ('{ method = "put", flows = "arg0 -> this[]" }', "row 1 (put): Object contains unknown field `flows`"),
        ('"put"', "row 1: Expected `object`, got `str`"),
    ],
)
def test_rows_that_say_nothing(tmp_path: Path, row: str, message: str) -> None:
    (tmp_path / "profile.toml").touch()
    (tmp_path / "library").mkdir()
    (tmp_path / "library/maps.toml").write_text(f"rows = [{row}]\n", "utf-8")
    with pytest.raises(KnowledgeError) as error:
        load_language(tmp_path)
    assert f"library/maps.toml: rows: {message}" in str(error.value).replace("\\", "/")


def test_rows_by_the_name_of_the_method(tmp_path: Path) -> None:
    (tmp_path / "profile.toml").write_text(
        'memoised = ["x.once"]\n[pass_through]\n"x.cast" = 1\n"x.wrap" = 0\n', "utf-8"
    )
    (tmp_path / "library").mkdir()
    (tmp_path / "library/a.toml").write_text(
        """
        prefix = "x"
        rows = [
          { on = [".Map", "y.Map"], method = "put", flow = "arg1 -> this[arg0]" },
          { function = ".wrap", flow = "arg0 -> result[]" },
        ]
        """,
        "utf-8",
    )
    (tmp_path / "library/b.toml").write_text('rows = [{ method = "put", flow = "arg0 -> this[]" }]', "utf-8")
    library = load_language(tmp_path).library
    assert [row.on for row in library["put"]] == [("x.Map", "y.Map"), ()]
    assert [(row.function, row.flows) for row in library["wrap"]] == [("x.wrap", tuple(parse_flow("arg0 -> result[]")))]
    assert [row.flows for row in library["cast"]] == [tuple(parse_flow("arg1 -> result"))]
    assert [row.calls for row in library["once"]] == ["once"]


@pytest.mark.parametrize(
    ("first", "second", "what"),
    [
        ('on = "x.Map", method = "put"', 'on = ["y.Map", "x.Map"], method = "put"', "x.Map: put"),
        ('method = "put"', 'method = ["get", "put"]', "any receiver: put"),
        ('function = "x.wrap"', 'function = "x.wrap"', "x.wrap"),
    ],
)
def test_two_rows_for_one_name_are_refused(tmp_path: Path, first: str, second: str, what: str) -> None:
    (tmp_path / "profile.toml").touch()
    (tmp_path / "library").mkdir()
    row = 'rows = [{{ {}, flow = "arg0 -> result" }}]'
    (tmp_path / "library/a.toml").write_text(f"{row.format(first)[:-1]}, {row.format(second)[8:]}", "utf-8")
    with pytest.raises(KnowledgeError, match=f"a.toml: rows: {what} twice"):
        load_language(tmp_path)
    (tmp_path / "library/a.toml").write_text(row.format(first), "utf-8")
    (tmp_path / "library/b.toml").write_text(row.format(second), "utf-8")
    with pytest.raises(KnowledgeError) as error:
        load_language(tmp_path)
    assert f"b.toml: rows: {what}: " in str(error.value)
    assert "a.toml says it already" in str(error.value)


# -- what the languages say ----------------------------------------------------------------------------------


def flows(language: str, name: str) -> set[str]:
    """What the rows of a method or function say, each with its type or whole name."""
    return {
        f"{where}: {_written(flow.source)} -> {_written(flow.target)}"
        for row in load_roles(language).library[name]
        for where in row.on or (row.function or "any",)
        for flow in row.flows
    }


def _written(place: Place) -> str:
    forms = {
        "element": "[]", "entry": "[*]", "key": "[arg{}]", "position": "[{}]", "name": "['{1}']",
        "parameter": ".param{}", "alike": ".param:*", "argument": ".arg{}", "receiver": ".this", "result": ".result",
    }  # fmt: skip
    roots = {"argument": f"arg{place.number}", "named": f"arg:{place.name}"}
    return roots.get(place.root, place.root) + "".join(
        forms[one.kind].format(one.number, one.name) for one in place.steps
    )


@pytest.mark.parametrize(
    ("language", "name", "expected"),
    [
        ("python", "partial", "functools.partial: arg1 -> arg0.param0"),
        ("python", "append", "any: arg0 -> this[]"),
        ("python", "submit", "any: arg1 -> arg0.param0"),
        ("python", "Thread", "threading.Thread: arg:args[0] -> arg:target.param0"),
        ("python", "gather", "asyncio.gather: arg1 -> result[1]"),
        ("python", "wait_for", "asyncio.wait_for: arg0 -> result"),
        ("java", "put", "any: arg1 -> this[arg0]"),
        ("java", "get", "java.util.Optional: this -> result"),
        ("java", "get", "java.util.function.Supplier: this.result -> result"),
        ("java", "computeIfAbsent", "any: arg1.result -> this[arg0]"),
        ("java", "supplyAsync", "java.util.concurrent.CompletableFuture.supplyAsync: arg0.result -> result"),
        ("java", "getObject", "org.springframework.beans.factory.ObjectProvider: this -> result"),
        ("kotlin", "apply", "any: this -> arg0.this"),
        ("kotlin", "also", "any: this -> arg0.param0"),
        ("kotlin", "use", "any: arg0.result -> result"),
        ("kotlin", "with", "with: arg0 -> arg1.this"),
        ("kotlin", "put", "any: arg1 -> this[arg0]"),
        ("javascript", "Promise", "Promise: arg0.param0.arg0 -> result"),
        ("javascript", "then", "any: this -> arg0.param0"),
        ("javascript", "map", "any: arg0.result -> result[]"),
        ("javascript", "bind", "any: arg0 -> this.this"),
        ("typescript", "set", "any: arg1 -> this[arg0]"),
        ("typescript", "parallel", "async.parallel: arg0[].param0.arg1 -> arg1.param1[]"),
        ("typescript", "decorate", "fastify.FastifyInstance: arg1 -> this[arg0]"),
    ],
)
def test_what_is_known(language: str, name: str, expected: str) -> None:
    assert expected in flows(language, name)


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("python", "lru_cache"),
        ("python", "cached_property"),
        ("java", "memoize"),
        ("kotlin", "lazy"),
        ("javascript", "memoize"),
    ],
)
def test_what_runs_once(language: str, name: str) -> None:
    assert {row.calls for row in load_roles(language).library[name]} == {"once"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_client_does_not_come_out_of_its_own_commands(language: str) -> None:
    """Rows of any receiver hold for what may be a client: `client.get(key)` gives no client."""
    commands = {name.lower() for name in load_commands()}
    wrong = [
        name
        for name, rows in load_roles(language).library.items()
        for row in rows
        if not row.on and not row.function and name.lower() in commands
        if any(flow.source == THIS for flow in row.flows)
    ]
    assert wrong == []
