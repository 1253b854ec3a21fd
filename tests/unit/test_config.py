"""The configuration: what is read, which file counts, and errors of one line."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from resplint.config import loading
from resplint.config.loading import Config, load
from resplint.config.values import ClientFactory
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Level, Precision, Status
from resplint.files.globs import pattern_list
from resplint.knowledge.load import load_book

RULES = {
    "RL101": "connection-per-command",
    "RL102": "unbounded-pool",
    "RL104": "blocking-timeout",
    "RL201": "pipeline-transaction",
    "RL401": "hgetall-large-hash",
}

FULL = """\
[project]
name = "shop"

[tool.resplint]
select = ["RL1", "hgetall-large-hash"]
ignore = ["RL102"]
exclude = ["build/", "*_pb2.py"]
include-tests = true
include-minified = true
max-file-size = 2_000_000
file-timeout = 10
scan-timeout = 90
rule-timeout = 60
fail-on = "error"
min-precision = "high"
jobs = 4

[tool.resplint.level]
RL101 = "error"
"hgetall-large-hash" = "note"
RL104 = "off"

[tool.resplint.per-path-ignores]
"scripts/**" = ["RL1"]
"*_task.py" = ["hgetall-large-hash"]

[tool.resplint.client-versions]
redis-py = "5.0.8"

[tool.resplint.server]
redis-version = "7.2"

[tool.resplint.client-factories]
"app.db.get_redis" = "redis.Redis"
"app.db.queue" = { client = "redis.asyncio.Redis", options = { socket_timeout = 5, ssl = true } }
"""


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def error_of(tmp_path: Path, text: str, name: str = "resplint.toml") -> str:
    write(tmp_path, name, text)
    with pytest.raises(UserError) as caught:
        load(tmp_path, None, RULES)
    return str(caught.value)


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    config = load(tmp_path, None, RULES)
    assert config == Config(rules=RULES)
    assert all(config.rule_enabled(code) for code in RULES)
    assert (config.fail_on, config.min_precision) == (Level.WARNING, Precision.MEDIUM)
    assert (config.max_file_size, config.jobs, config.include_tests) == (1_000_000, 0, False)


def test_every_key_of_a_pyproject_is_read(tmp_path: Path) -> None:
    file = write(tmp_path, "pyproject.toml", FULL)
    config = load(tmp_path, None, RULES)
    assert config.file == os.path.realpath(file)
    assert [code for code in RULES if config.rule_enabled(code)] == ["RL101", "RL401"]
    assert config.level_for("RL101", Level.WARNING) is Level.ERROR
    assert config.level_for("RL401", Level.WARNING) is Level.NOTE
    assert config.level_for("RL201", Level.WARNING) is Level.WARNING
    assert config.exclude == ("build/", "*_pb2.py")
    assert config.client_versions == {"redis-py": "5.0.8"}
    assert config.server == {"redis-version": "7.2"}
    assert config.client_factories == {
        "app.db.get_redis": ClientFactory("redis.Redis"),
        "app.db.queue": ClientFactory("redis.asyncio.Redis", {"socket_timeout": 5, "ssl": True}),
    }
    assert (config.include_tests, config.max_file_size, config.jobs) == (True, 2_000_000, 4)
    assert config.include_minified
    assert (config.fail_on, config.min_precision) == (Level.ERROR, Precision.HIGH)
    assert config.ignored_at("scripts/load.py") == {"RL101", "RL102", "RL104"}
    assert config.ignored_at("app/mail_task.py") == {"RL401"}
    assert config.ignored_at("app/views.py") == frozenset()


def test_resplint_toml_beats_pyproject_of_the_same_folder(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.resplint]\njobs = 1\n")
    write(tmp_path, "resplint.toml", "jobs = 2\n")
    assert load(tmp_path, None, RULES).jobs == 2


def test_an_empty_resplint_toml_counts(tmp_path: Path) -> None:
    write(tmp_path, "pyproject.toml", "[tool.resplint]\njobs = 1\n")
    write(tmp_path, "resplint.toml", "")
    assert load(tmp_path, None, RULES).jobs == 0


def test_the_nearest_file_upwards_counts_and_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    write(tmp_path, "resplint.toml", "jobs = 9\n")
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    inner = repository / "services" / "api"
    write(inner, "pyproject.toml", '[project]\nname = "api"\n')
    assert load(inner, None, RULES).jobs == 0
    write(repository, "pyproject.toml", '[tool.resplint]\njobs = 3\nexclude = ["services/api/gen/"]\n')
    config = load(inner, None, RULES)
    assert (config.jobs, config.prefix) == (3, "services/api/")


def test_patterns_start_at_the_folder_of_the_file(tmp_path: Path) -> None:
    write(tmp_path, "resplint.toml", '[per-path-ignores]\n"/services/api/*.py" = ["all"]\n')
    inner = tmp_path / "services" / "api"
    inner.mkdir(parents=True)
    config = load(inner, None, RULES)
    assert config.ignored_at("app.py") == set(RULES)
    assert config.ignored_at("deeper/app.py") == frozenset()


def test_patterns_of_a_file_below_the_root_start_at_its_folder(tmp_path: Path) -> None:
    """As when the whole repository is linked from a folder that has a configuration of its own."""
    inner = tmp_path / "services" / "api [1]"
    ignores = '"scripts/" = ["all"]\n"/*.py" = ["RL101"]\n'
    exclude = ["/gen/", "old/*.py", "!keep.py", "*_pb2.py", "build/"]
    write(inner, "resplint.toml", f"exclude = {exclude}\n[per-path-ignores]\n{ignores}")
    config = load(tmp_path, None, RULES, nearest_to=inner)
    assert config.ignored_at("services/api [1]/deep/scripts/run.py") == set(RULES)
    assert config.ignored_at("services/api [1]/run.py") == {"RL101"}
    for path in ("scripts/run.py", "services/web/scripts/run.py", "services/api 1/scripts/run.py", "run.py"):
        assert config.ignored_at(path) == frozenset()
    excluded = pattern_list(config.exclude)
    left_out = ["gen/a.py", "old/a.py", "a_pb2.py", "deep/a_pb2.py", "deep/build/a.py"]
    taken = ["deep/gen/a.py", "deep/old/a.py", "old/keep.py", "a.py"]
    assert [path for path in left_out + taken if excluded.covers(f"services/api [1]/{path}")] == left_out
    assert not any(excluded.covers(path) for path in left_out)


def test_other_peoples_broken_pyproject_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path, "pyproject.toml", "[project\nname = \n")
    assert load(tmp_path, None, RULES).file == ""


def test_an_explicit_file_wins(tmp_path: Path) -> None:
    write(tmp_path, "resplint.toml", "jobs = 1\n")
    other = write(tmp_path / "elsewhere", "ci.toml", "jobs = 5\n")
    config = load(tmp_path, str(other), RULES)
    assert (config.jobs, config.prefix) == (5, "")


@pytest.mark.parametrize(
    ("text", "line", "key", "expected"),
    [
        ("selekt = []\n", 1, "selekt", 'did you mean "select"?'),
        ("\nmax_file_size = 5\n", 2, "max_file_size", 'did you mean "max-file-size"?'),
        ("[levels]\nRL101 = 'note'\n", 1, "levels", 'did you mean "level"?'),
        ("zzz = 1\n", 1, "zzz", "expected one of extends, select, ignore"),
        ("select = 'RL101'\n", 1, "select", "a list of strings"),
        ("select = []\n", 1, "select", "at least one rule"),
        ("select = [1]\n", 1, "select", "non-empty strings"),
        ("jobs = 1\nignore = ['RL9']\n", 2, "ignore", "unknown rule 'RL9'"),
        ("ignore = ['unbound-pool']\n", 1, "ignore", 'did you mean "unbounded-pool"?'),
        ("ignore = ['rl104']\n", 1, "ignore", 'did you mean "RL104"?'),
        ("exclude = 'build'\n", 1, "exclude", "a list of strings"),
        ("exclude = ['!']\n", 1, "exclude", "a pattern as in .gitignore"),
        ("exclude = ['# note']\n", 1, "exclude", "a pattern as in .gitignore"),
        ("exclude = ['[ab']\n", 1, "exclude", "a pattern as in .gitignore"),
        ("include-tests = 1\n", 1, "include-tests", "true or false"),
        ("max-file-size = '1MB'\n", 1, "max-file-size", "a whole number of at least 1"),
        ("max-file-size = true\n", 1, "max-file-size", "a whole number"),
        ("max-file-size = 0\n", 1, "max-file-size", "at least 1"),
        ("jobs = -1\n", 1, "jobs", "at least 0"),
        ("jobs = 1.5\n", 1, "jobs", "a whole number"),
        ("fail-on = 'errors'\n", 1, "fail-on", 'did you mean "error"?'),
        ("min-precision = 'very high'\n", 1, "min-precision", 'did you mean "very-high"?'),
        ("min-precision = 3\n", 1, "min-precision", '"low", "medium", "high", "very-high"'),
        ("level = 'note'\n", 1, "level", "a table"),
        ("[level]\nRL101 = 'warn'\n", 2, "level.RL101", 'did you mean "warning"?'),
        ("[level]\n\nRL999x = 'note'\n", 3, "level.RL999x", "unknown rule"),
        ("[level]\nRL102 = 'note'\nunbounded-pool = 'off'\n", 3, "level.unbounded-pool", "a second time"),
        ("level.RL101 = 7\n", 1, "level.RL101", '"error"'),
        ("level = { RL101 = 7 }\n", 1, "level.RL101", '"off"'),
        ("[per-path-ignores]\n'a/**' = 'RL101'\n", 2, "per-path-ignores.a/**", "a list of strings"),
        ("[per-path-ignores]\n'!' = ['RL101']\n", 2, "per-path-ignores.!", "a pattern"),
        ("[per-path-ignores]\n'a' = ['XX']\n", 2, "per-path-ignores.a", "unknown rule 'XX'"),
        ("[server]\nredis-version = 7.2\n", 2, "server.redis-version", "a version in quotes"),
        ("[server]\nversion = '7.2'\n", 2, "server.version", "redis-version"),
        ("[client-versions]\nredis-py = 5\n", 2, "client-versions.redis-py", "a version in quotes"),
        ("[client-versions]\nredis-py = 'five'\n", 2, "client-versions.redis-py", 'such as "5.0.8"'),
        ("[client-factories]\n'a b' = 'redis.Redis'\n", 2, "client-factories.a b", "a dotted name"),
        ("[client-factories]\n'a.b' = 'redis Redis'\n", 2, "client-factories.a.b", "a dotted name"),
        ("[client-factories]\n'a.b' = 1\n", 2, "client-factories.a.b", "a constructor"),
        ("[client-factories]\n'a.b' = { option = {} }\n", 2, "client-factories.a.b.option", '"options"?'),
        ("[client-factories]\n'a.b' = { options = {} }\n", 2, "client-factories.a.b", "has no key client"),
        (
            "[client-factories]\n'a.b' = { client = 'r.R', options = { x = [1] } }\n",
            2,
            "client-factories.a.b.options.x",
            "a string, a number",
        ),
    ],
)
def test_every_mistake_is_one_line_with_place_and_remedy(
    tmp_path: Path, text: str, line: int, key: str, expected: str
) -> None:
    message = error_of(tmp_path, text)
    file = os.path.realpath(tmp_path / "resplint.toml")
    assert message.startswith(f"{file}:{line}: {key}: ")
    assert expected in message
    assert "\n" not in message
    assert message.endswith((".", "?"))


def test_in_pyproject_the_key_is_named_in_full(tmp_path: Path) -> None:
    text = '[project]\nname = "x"\nselekt = 1\n\n[tool.resplint]\nselekt = ["RL1"]\n'
    message = error_of(tmp_path, text, "pyproject.toml")
    assert ':6: tool.resplint.selekt: unknown key; did you mean "select"?' in message


def test_keys_in_multi_line_strings_do_not_mislead(tmp_path: Path) -> None:
    text = "[project]\ndescription = '''\n[tool.resplint]\njobs = 1\n'''\n[tool.resplint]\njobs = -1\n"
    assert ":7: tool.resplint.jobs:" in error_of(tmp_path, text, "pyproject.toml")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("select = [\n", ":2:1: not valid TOML"),
        ("jobs = 1\njobs = 2\n", ":2:9: not valid TOML"),
        ("jobs = = 1\n", ":1:8: not valid TOML"),
        ("jobs = " + "9" * 5_000 + "\n", "not valid TOML"),
        ("select = " + "[" * 100_000 + "\n", "not valid TOML"),
        ("#" * 1_000_001, "is larger than 1,000,000 bytes"),
    ],
)
def test_text_that_is_no_toml(tmp_path: Path, text: str, expected: str) -> None:
    message = error_of(tmp_path, text)
    assert expected in message
    assert "\n" not in message
    assert "resplint.toml" in message


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "resplint.toml").write_bytes(b"jobs = 1\n# caf\xe9\n")
    with pytest.raises(UserError, match=r"resplint\.toml:2:6: not valid TOML: is not UTF-8\."):
        load(tmp_path, None, RULES)


def test_a_byte_order_mark_is_tolerated(tmp_path: Path) -> None:
    (tmp_path / "resplint.toml").write_bytes(b"\xef\xbb\xbfjobs = 1\r\n")
    assert load(tmp_path, None, RULES).jobs == 1


def test_hostile_keys_and_values_are_shown_escaped(tmp_path: Path) -> None:
    message = error_of(tmp_path, '"a\\u001b[31m\\n::error::" = 1\n')
    assert message.isprintable()
    message = error_of(tmp_path, 'fail-on = "\\u001b]0;x\\u0007\\n::error::' + "y" * 5_000 + '"\n')
    assert message.isprintable()
    assert len(message) < 500


@pytest.mark.parametrize("name", ["missing.toml", "folder.toml", "pipe.toml"])
def test_an_explicit_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(UserError) as caught:
        load(tmp_path, str(tmp_path / name), RULES)
    assert name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "[tool.ruff]\n", "[tool]\nresplint = 1\n"])
def test_an_explicit_pyproject_needs_the_table(tmp_path: Path, text: str) -> None:
    file = write(tmp_path, "pyproject.toml", text)
    with pytest.raises(UserError, match=r"pyproject\.toml:?\d*: tool\.resplint: (missing; )?expected a table"):
        load(tmp_path, str(file), RULES)


def test_the_more_specific_of_select_and_ignore_decides() -> None:
    config = Config(rules=RULES, select=("RL104", "RL4"), ignore=("RL1", "hgetall-large-hash"))
    assert [code for code in RULES if config.rule_enabled(code)] == ["RL104"]
    assert not Config(rules=RULES, level={"RL104": None}).rule_enabled("RL104")


def test_rules_in_preview_run_when_they_are_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    book = load_book()
    preview = {"RL401": msgspec.structs.replace(book["RL401"], status=Status.PREVIEW)}
    monkeypatch.setattr(loading, "load_book", lambda: {**book, **preview})

    def runs(*select: str, **changes: object) -> bool:
        chosen = {"select": select} if select else {}
        return Config(rules=RULES, **chosen, **changes).rule_enabled("RL401")  # type: ignore[arg-type]

    assert not runs()
    assert not runs("default")
    assert runs("all")
    assert runs("RL4")
    assert runs("default", "hgetall-large-hash")
    assert not runs("all", ignore=("RL4",))
    assert Config(rules=RULES).rule_enabled("RL104")
    assert Config(rules={**RULES, "SHOP001": "no-keys"}).rule_enabled("SHOP001")


def test_flags_override_the_file() -> None:
    config = Config(rules=RULES, select=("RL4",), ignore=("RL104",), exclude=("a/",), jobs=2)
    changed = config.with_overrides(
        select=["RL104"], exclude=["b/"], fail_on="never", min_precision="low", jobs=0, include_tests=True
    )
    assert [code for code in RULES if changed.rule_enabled(code)] == ["RL104"]
    assert changed.exclude == ("a/", "b/")
    assert (changed.fail_on, changed.min_precision, changed.jobs) == (None, Precision.LOW, 0)
    assert changed.include_tests
    assert config.with_overrides() == config
    assert config.with_overrides(ignore=["RL401"]).ignore == ("RL104", "RL401")


@pytest.mark.parametrize(
    ("flag", "value"),
    [("select", ["RL9"]), ("ignore", ["x"]), ("exclude", ["!"]), ("fail_on", "erorr"), ("max_file_size", 0)],
)
def test_a_wrong_flag_is_named(flag: str, value: object) -> None:
    with pytest.raises(UserError) as caught:
        Config(rules=RULES).with_overrides(**{flag: value})  # type: ignore[arg-type]
    message = str(caught.value)
    assert message.startswith(f"--{flag.replace('_', '-')}: ")
    assert "\n" not in message
