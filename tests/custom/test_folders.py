"""Rules of one's own in the configurations of folders: they hold below them, and those of the root do not."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli

CODE = """import redis

client = redis.Redis(max_connections=8, socket_timeout=5)


def names():
    return client.keys("user:*")


def empty():
    client.flushall()
"""
RULE = '[[forbid]]\ncode = "{code}"\nname = "{name}"\ncommand = "{command}"\nmessage = "{command} is not for us."\n'
NO_KEYS = RULE.format(code="SHOP001", name="no-keys", command="KEYS")
NO_FLUSH = RULE.format(code="SHOP002", name="no-flush", command="FLUSHALL")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def found(*arguments: str | Path) -> list[tuple[str, str]]:
    """Path and rule of what rules of one's own report."""
    output = run("scan", "--format", "json", *arguments).output
    results = [(one["path"], one["rule"]) for one in json.loads(output)["results"]]
    return [(path, rule) for path, rule in results if not rule.startswith("RL")]


def put(place: str, text: str) -> None:
    Path(place).parent.mkdir(parents=True, exist_ok=True)
    Path(place).write_text(text)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, the current folder, with two services that send the same commands. The root forbids KEYS."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for service in ("api", "mail"):
        put(f"services/{service}/users.py", CODE)
    put("resplint.toml", NO_KEYS)
    return tmp_path


API, MAIL = "services/api/users.py", "services/mail/users.py"


@pytest.mark.parametrize("arguments", [[], ["services"], ["--no-cache"], ["--whole-project", "services"], [API, MAIL]])
def test_those_of_the_nearest_configuration_hold_and_no_others(project: Path, arguments: list[str]) -> None:
    assert found(*arguments) == [(API, "SHOP001"), (MAIL, "SHOP001")]
    put("services/api/resplint.toml", NO_FLUSH)
    assert found(*arguments) == [(API, "SHOP002"), (MAIL, "SHOP001")]
    put("services/api/resplint.toml", "# none\n")
    assert found(*arguments) == [(MAIL, "SHOP001")]


def test_it_says_the_same_from_everywhere(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("services/api/resplint.toml", NO_FLUSH)
    for here in (project, project / "services" / "api", project / "services" / "mail"):
        monkeypatch.chdir(here)
        assert found(project / API, project / MAIL) == [(API, "SHOP002"), (MAIL, "SHOP001")]
        assert found(project / "services" / "api") == [(API, "SHOP002")]
        assert found("--isolated", project / MAIL) == [(MAIL, "SHOP001")]


def test_extends_adds_up(project: Path) -> None:
    put("services/api/resplint.toml", 'extends = "../../resplint.toml"\n' + NO_FLUSH)
    assert found() == [(API, "SHOP001"), (API, "SHOP002"), (MAIL, "SHOP001")]


def test_patterns_of_an_inherited_rule_start_at_the_folder(project: Path) -> None:
    put("resplint.toml", NO_KEYS + 'path-not = "/tools/"\n')
    put("services/api/resplint.toml", 'extends = "../../resplint.toml"\n')
    for place in ("tools/names.py", "services/api/tools/names.py", "services/mail/tools/names.py"):
        put(place, CODE)
    assert found() == [(API, "SHOP001"), ("services/mail/tools/names.py", "SHOP001"), (MAIL, "SHOP001")]


def test_rules_of_files_hold_in_the_folder_and_their_examples_are_left_out(project: Path) -> None:
    put("services/api/resplint.toml", 'forbid-from = "rules"\n')
    put("services/api/rules/flush.toml", NO_FLUSH)
    put("services/api/rules/example.py", CODE)
    assert found() == [(API, "SHOP002"), (MAIL, "SHOP001")]
    put("resplint.toml", 'extends = "config/base.toml"\n')
    put("config/base.toml", 'forbid-from = "rules"\n')
    put("config/rules/keys.toml", NO_KEYS)
    put("config/rules/example.py", CODE)
    assert found() == [(API, "SHOP002"), (MAIL, "SHOP001")]


def test_folders_may_share_rules(project: Path) -> None:
    put("shared/keys.toml", NO_KEYS)
    put("resplint.toml", 'forbid-from = "shared"\n')
    put("services/api/resplint.toml", 'forbid-from = "../../shared"\n' + NO_FLUSH)
    assert found() == [(API, "SHOP001"), (API, "SHOP002"), (MAIL, "SHOP001")]


@pytest.mark.parametrize(
    ("rule", "what"),
    [(NO_FLUSH.replace("SHOP002", "SHOP001"), "SHOP001"), (NO_FLUSH.replace("flush", "keys"), "no-keys")],
)
def test_a_code_or_name_means_one_rule_only(project: Path, rule: str, what: str) -> None:
    put("services/api/resplint.toml", rule)
    result = run("scan")
    assert result.exit_code == 2
    assert result.output == (
        f"resplint: {project}/services/api/resplint.toml: forbid: '{what}' is another rule in {project}/resplint.toml; "
        "give one of them a code and a name of its own, or share the rule with extends or forbid-from.\n"
    )
    assert run("scan", "services/mail").exit_code == 1


def test_keys_of_the_folder_name_its_rules_and_those_of_the_root(project: Path) -> None:
    put("services/api/resplint.toml", '[level]\nno-flush = "error"\n' + NO_FLUSH)
    document = json.loads(run("scan", "--format", "json").output)
    own = [one for one in document["results"] if not one["rule"].startswith("RL")]
    assert [(one["rule"], one["level"]) for one in own] == [
        ("SHOP002", "error"),
        ("SHOP001", "warning"),
    ]
    put("services/api/resplint.toml", 'ignore = ["SHOP001", "SHOP002"]\n' + NO_FLUSH)
    assert found() == [(MAIL, "SHOP001")]
    put("services/api/resplint.toml", '[per-path-ignores]\n"users.py" = ["no-flush"]\n' + NO_FLUSH)
    assert found() == [(MAIL, "SHOP001")]
    put("services/api/resplint.toml", 'ignore = ["SHOP009"]\n')
    assert "unknown rule" in run("scan").output


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--select", "SHOP002"], [(API, "SHOP002")]),
        (["--select", "no-flush,SHOP001"], [(API, "SHOP002"), (MAIL, "SHOP001")]),
        (["--ignore", "no-flush"], [(MAIL, "SHOP001")]),
    ],
)
def test_options_name_rules_of_folders(project: Path, options: list[str], expected: list[tuple[str, str]]) -> None:
    put("services/api/resplint.toml", NO_FLUSH)
    assert found(*options) == expected
    refused = run("scan", "--select", "SHOP003")
    assert (refused.exit_code, "did you mean" in refused.output) == (2, True)


def test_a_named_configuration_holds_everywhere(project: Path) -> None:
    put("services/api/resplint.toml", NO_FLUSH)
    assert found("--config", "resplint.toml") == [(API, "SHOP001"), (MAIL, "SHOP001")]


def test_a_changed_rule_of_a_folder_counts_in_the_next_scan(project: Path) -> None:
    put("services/api/resplint.toml", NO_FLUSH)
    assert found() == found() == [(API, "SHOP002"), (MAIL, "SHOP001")]
    put("services/api/resplint.toml", NO_FLUSH.replace("FLUSHALL", "KEYS"))
    assert found() == [(API, "SHOP002"), (MAIL, "SHOP001")]
    assert "KEYS is not for us" in run("scan", "services/api").output


def test_comments_baselines_and_add_ignore_know_them(project: Path) -> None:
    put("services/api/resplint.toml", NO_FLUSH)
    put(API, CODE.replace("flushall()", "flushall()  # resplint: ignore[no-flush] a server of our own"))
    assert found("--select", "SHOP001") == [(MAIL, "SHOP001")]
    result = run("scan")
    assert "1 finding is suppressed" in result.output
    assert "Unused" not in result.output
    put(API, CODE)
    assert run("scan", "--add-ignore", "for now").exit_code == 0
    assert "ignore[SHOP002] for now" in Path(API).read_text()
    put(API, CODE)
    assert run("baseline").exit_code == 0
    assert run("scan").exit_code == 0


def test_they_are_listed_and_explained(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put("services/api/resplint.toml", 'extends = "../../resplint.toml"\n' + NO_FLUSH)
    rows = {row["code"]: row for row in json.loads(run("rules", "--format", "json").output)}
    assert (rows["SHOP001"]["folders"], rows["SHOP002"]["folders"]) == ([".", "services/api"], ["services/api"])
    assert rows["RL101"]["folders"] is None
    assert "SHOP002 holds in services/api.\n" in run("rules").output
    assert run("explain", "no-flush").output.startswith("# SHOP002 no-flush\n")
    monkeypatch.chdir("services/mail")
    rows = {row["code"]: row for row in json.loads(run("rules", "--format", "json").output)}
    assert "SHOP002" not in rows
    assert "SHOP001" in rows


def test_why_says_what_they_decide(project: Path) -> None:
    put("services/api/resplint.toml", NO_FLUSH)
    assert "SHOP002 reports: FLUSHALL is not for us." in run("why", f"{API}:11").output
    said = run("why", f"{API}:7").output
    assert "SHOP001" not in said
    assert "SHOP001 reports: KEYS is not for us." in run("why", f"{MAIL}:7").output


def test_the_hook_of_pre_commit_knows_them(project: Path) -> None:
    """What the hook runs, as a process of its own."""
    put("services/api/resplint.toml", 'ignore = ["RL"]\n' + NO_FLUSH)
    command = [sys.executable, "-m", "resplint", "scan", "--whole-project", "--format", "concise", "-q", "--", API]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (1, f"{API}:11:5: SHOP002 FLUSHALL is not for us.\n")
