"""Configurations of folders: the nearest one holds, whole, for what is found below it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli

JOBS = "import redis\n\nclient = redis.Redis(max_connections=8, socket_timeout=5)\nclient.blpop('jobs', timeout=30)\n"
POOL = (
    "import redis\n\n"
    "pool = redis.ConnectionPool(socket_timeout=5, max_connections=None)\n"
    "client = redis.Redis(connection_pool=pool)\n"
)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def found(*arguments: str | Path) -> list[tuple[str, str, str]]:
    document = json.loads(run("scan", "--format", "json", *arguments).output)
    return [(each["path"], each["rule"], each["level"]) for each in document["results"]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two services that have the same two mistakes; it is the current folder."""
    (tmp_path / ".git").mkdir()
    for service in ("api", "mail"):
        folder = tmp_path / "services" / service
        folder.mkdir(parents=True)
        (folder / "requirements.txt").write_text("redis[hiredis]==6.4.0\n")
        (folder / "jobs.py").write_text(JOBS)
        (folder / "pool.py").write_text(POOL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(project: Path, place: str, text: str) -> None:
    file = project / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


MAIL = [("services/mail/jobs.py", "RL104", "error"), ("services/mail/pool.py", "RL102", "warning")]


@pytest.mark.parametrize("arguments", [[], ["services"], ["--whole-project", "services"], ["--no-cache"]])
def test_a_folder_leaves_a_rule_out(project: Path, arguments: list[str]) -> None:
    put(project, "services/api/resplint.toml", 'ignore = ["RL104"]\n[level]\nRL102 = "error"\n')
    assert found(*arguments) == [("services/api/pool.py", "RL102", "error"), *MAIL]


def test_it_says_so_in_pyproject_too_and_others_pyprojects_do_not_count(project: Path) -> None:
    put(project, "services/api/pyproject.toml", '[tool.resplint]\nignore = ["RL1"]\n')
    put(project, "services/mail/pyproject.toml", '[project]\nname = "mail"\n')
    assert found() == MAIL


def test_the_nearest_one_holds_whole(project: Path) -> None:
    put(project, "resplint.toml", 'ignore = ["RL104"]\n[per-path-ignores]\n"pool.py" = ["RL102"]\n')
    assert found() == []
    put(project, "services/mail/resplint.toml", "# all of it\n")
    assert found() == MAIL


def test_patterns_start_at_its_folder(project: Path) -> None:
    put(project, "services/api/resplint.toml", 'exclude = ["/jobs.py"]\n[per-path-ignores]\n"/pool.py" = ["all"]\n')
    put(project, "services/api/old/jobs.py", JOBS)
    assert found() == [("services/api/old/jobs.py", "RL104", "error"), *MAIL]


def test_tests_are_taken_where_it_says_so(project: Path) -> None:
    for service in ("api", "mail"):
        put(project, f"services/{service}/tests/test_jobs.py", JOBS)
    put(project, "services/api/resplint.toml", 'include-tests = true\nignore = ["RL102"]\nmin-precision = "high"\n')
    assert [path for path, _, _ in found()] == [
        "services/api/jobs.py", "services/api/tests/test_jobs.py", "services/mail/jobs.py", "services/mail/pool.py",
    ]  # fmt: skip


def test_versions_are_those_of_the_folder(project: Path) -> None:
    waits = "import redis\n\nredis.Redis(max_connections=8).blpop('jobs', timeout=30)\n"
    for service in ("api", "mail"):
        put(project, f"services/{service}/jobs.py", waits)
    put(project, "services/api/resplint.toml", '[client-versions]\nredis-py = "8.1.0"\n')
    assert ("services/api/jobs.py", "RL104", "error") in found()
    assert ("services/mail/jobs.py", "RL104", "error") not in found()


def test_the_command_line_wins_everywhere(project: Path) -> None:
    put(project, "services/api/resplint.toml", 'ignore = ["RL104"]\n')
    assert found("--select", "RL104") == [("services/api/jobs.py", "RL104", "error"), MAIL[0]]
    assert found("--exclude", "jobs.py") == [("services/api/pool.py", "RL102", "warning"), MAIL[1]]
    put(project, "other.toml", "")
    assert len(found("--config", "other.toml")) == 4


def test_what_is_about_the_run_comes_from_where_it_begins(project: Path) -> None:
    put(project, "services/api/resplint.toml", 'fail-on = "never"\nbaseline = "missing.jsonl"\njobs = 3\n')
    assert run("scan").exit_code == 1
    put(project, "resplint.toml", 'fail-on = "never"\n')
    put(project, "services/api/resplint.toml", 'fail-on = "note"\n')
    assert run("scan").exit_code == 0


def test_a_scan_of_the_folder_and_of_a_file_in_it_say_the_same(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(project, "services/api/resplint.toml", 'ignore = ["RL104"]\n')
    pool = [("services/api/pool.py", "RL102", "warning")]
    for here in (project, project / "services" / "api", project / "services" / "mail"):
        monkeypatch.chdir(here)
        assert found(project / "services" / "api") == pool
        assert found(project / "services" / "api" / "jobs.py") == []
        assert found("--isolated", project / "services" / "api" / "jobs.py") == []
        assert found(project / "services" / "api" / "jobs.py", project / "services" / "mail" / "jobs.py") == [MAIL[0]]


def test_a_changed_configuration_counts_in_the_next_scan(project: Path) -> None:
    assert len(found()) == 4
    put(project, "services/api/resplint.toml", 'ignore = ["RL1"]\n')
    assert found() == MAIL
    put(project, "services/api/resplint.toml", 'exclude = ["*"]\n')
    assert found() == MAIL
    (project / "services/api/resplint.toml").unlink()
    assert len(found()) == 4


def test_a_mistake_is_named_with_its_file(project: Path) -> None:
    put(project, "services/api/resplint.toml", 'ignroe = ["RL1"]\n')
    result = run("scan")
    assert result.exit_code == 2
    file = os.path.realpath(project / "services/api/resplint.toml")
    assert result.output == f'resplint: {file}:1: ignroe: unknown key; did you mean "ignore"?\n'


def test_a_configuration_that_is_left_out_does_not_count(project: Path) -> None:
    put(project, "vendor/lib/resplint.toml", "nonsense = 1\n")
    put(project, "vendor/lib/jobs.py", JOBS)
    put(project, ".gitignore", "vendor/\n")
    assert len(found()) == 4


def test_accepted_findings_of_folders_are_accepted(project: Path) -> None:
    put(project, "services/api/resplint.toml", 'ignore = ["RL104"]\n')
    assert run("baseline").output.startswith("resplint-baseline.jsonl: 3 entries (3 added")
    assert run("scan").exit_code == 0
    assert run("baseline").output.startswith("resplint-baseline.jsonl: 3 entries (0 added, 3 kept, 0 removed)")


# -- extends -----------------------------------------------------------------------------------------------------------


def test_own_keys_come_before_those_that_are_extended(project: Path) -> None:
    put(project, "resplint.toml", 'ignore = ["RL104"]\n[level]\nRL102 = "error"\n')
    put(project, "services/api/resplint.toml", 'extends = "../../resplint.toml"\nignore = []\n')
    assert found() == [
        ("services/api/jobs.py", "RL104", "error"),
        ("services/api/pool.py", "RL102", "error"),
        ("services/mail/pool.py", "RL102", "error"),
    ]


def test_the_one_a_scan_begins_with_may_extend_others(project: Path) -> None:
    put(project, "config/base.toml", 'ignore = ["RL104"]\n')
    put(project, "config/strict.toml", 'extends = "base.toml"\n[level]\nRL102 = "error"\n')
    put(project, "pyproject.toml", '[tool.resplint]\nextends = "config/strict.toml"\n')
    assert {(rule, level) for _, rule, level in found()} == {("RL102", "error")}


def test_rules_of_ones_own_are_inherited_and_may_be_named(project: Path) -> None:
    rule = '[[forbid]]\ncode = "{}"\nname = "no-{}"\nmessage = "Not here."\ncommand = "{}"\n'
    put(project, "config/base.toml", rule.format("SHOP001", "blpop", "BLPOP"))
    own = 'extends = "config/base.toml"\nselect = ["SHOP"]\n[level]\nSHOP001 = "error"\n'
    put(project, "resplint.toml", own + rule.format("SHOP002", "get", "GET"))
    assert {(rule, level) for _, rule, level in found()} == {("SHOP001", "error")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('extends = "missing.toml"\n', "resplint.toml:1: extends: there is no file missing.toml."),
        ('extends = "resplint.toml"\n', "resplint.toml:1: extends: resplint.toml extends this configuration in turn."),
        ("extends = 1\n", "resplint.toml:1: extends: expected the name of a file"),
    ],
)
def test_what_cannot_be_extended_is_said(project: Path, text: str, said: str) -> None:
    put(project, "resplint.toml", text)
    result = run("scan")
    assert (result.exit_code, said in result.output) == (2, True), result.output
