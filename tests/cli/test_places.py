"""Files in the context of their project, and paths as somebody in the current folder would write them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli

FACTORY = "import redis\n\n\ndef connect():\n    return redis.Redis(max_connections=8, socket_timeout=5)\n"
WORKER = "from app.db import connect\n\nclient = connect()\nclient.blpop('jobs', timeout=30)\n"
ALONE = "import redis\n\nclient = redis.Redis(max_connections=8, socket_timeout=5)\nclient.blpop('jobs', timeout=30)\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)


def report(*arguments: str | Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(run("scan", "--format", "json", *arguments).output)
    return document


def found(*arguments: str | Path) -> list[tuple[str, str]]:
    return [(each["path"], each["rule"]) for each in report(*arguments)["results"]]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, the current folder, in which a file makes a client, another waits with it, a third does both."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "app").mkdir()
    (tmp_path / "tools").mkdir()
    (tmp_path / "requirements.txt").write_text("redis[hiredis]==6.4.0\n")
    (tmp_path / "app" / "db.py").write_text(FACTORY)
    (tmp_path / "app" / "worker.py").write_text(WORKER)
    (tmp_path / "tools" / "drain.py").write_text(ALONE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


# -- a file and its project --------------------------------------------------------------------------------------------


def test_a_file_is_judged_in_its_project(project: Path) -> None:
    assert found("app/worker.py") == [("app/worker.py", "RL104")]
    assert found("app/worker.py", "--whole-project") == [("app/worker.py", "RL104")]
    assert report("app/worker.py")["counts"]["files_discovered"] == 1


def test_it_can_be_judged_alone(project: Path) -> None:
    assert found("app/worker.py", "--isolated") == []
    assert found("tools/drain.py", "--isolated") == [("tools/drain.py", "RL104")]
    refused = run("scan", "app/worker.py", "--isolated", "--whole-project")
    assert (refused.exit_code, "exclude each other" in refused.output) == (2, True)


def test_a_folder_stands_for_itself(project: Path) -> None:
    assert found("tools") == [("tools/drain.py", "RL104")]
    assert report("tools")["counts"]["files_discovered"] == 1


def test_a_file_outside_of_a_project_is_alone(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    loose = tmp_path_factory.mktemp("loose")
    (loose / "worker.py").write_text(WORKER)
    (loose / "app").mkdir()
    (loose / "app" / "db.py").write_text(FACTORY)
    assert found(loose / "worker.py") == []
    (loose / "resplint.toml").write_text("")
    assert found(loose / "worker.py") == [("worker.py", "RL104")]


def test_two_files_with_nothing_in_common_are_alone(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = tmp_path_factory.mktemp("other")
    (other / ".git").mkdir()
    (other / "queue.py").write_text(ALONE)
    assert report("app/worker.py", other / "queue.py")["counts"]["files_discovered"] == 2


def test_a_finding_has_the_fingerprint_that_it_has_in_a_scan_of_all(project: Path) -> None:
    (of_file,) = report("app/worker.py")["results"]
    of_all = {each["path"]: each for each in report(".")["results"]}
    assert of_file["fingerprints"] == of_all["app/worker.py"]["fingerprints"]


# -- paths -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("here", "path", "shown"),
    [
        (".", "tools", "tools/drain.py"),
        (".", "tools/drain.py", "tools/drain.py"),
        ("tools", ".", "drain.py"),
        ("tools", "drain.py", "drain.py"),
        ("app", "worker.py", "worker.py"),
        ("app", "../tools/drain.py", "../tools/drain.py"),
        ("app", "../tools", "../tools/drain.py"),
    ],
)
def test_people_see_paths_from_the_current_folder_and_machines_from_the_repository(
    project: Path, monkeypatch: pytest.MonkeyPatch, here: str, path: str, shown: str
) -> None:
    monkeypatch.chdir(project / here)
    assert run("scan", path).output.startswith(f"{shown}:")
    assert run("scan", path, "--format", "concise").output.startswith(f"{shown}:")
    place = (project / here / shown).resolve().relative_to(project.resolve()).as_posix()
    document = report(path)
    (result,) = document["results"]
    assert result["path"] == place
    assert (Path(document["root"]) / result["path"]).is_file()
    sarif = json.loads(run("scan", path, "--format", "sarif").output)["runs"][0]["results"][0]
    assert sarif["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == place
    assert f"file={shown}," in run("scan", path, "--format", "github").output
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert f"file={place}," in run("scan", path, "--format", "github").output
    gitlab = json.loads(run("scan", path, "--format", "gitlab").output)
    assert gitlab[0]["location"]["path"] == place


def test_trail_and_remarks_are_seen_from_here_too(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "app" / "broken.py").write_text(ALONE + "def (:\n")
    monkeypatch.chdir(project / "app")
    output = run("scan", "worker.py", "broken.py").output
    assert " broken.py: Analysed only in part" in output
    assert "db.py:5:12" in output
    assert not re.search(r"^(\s*= \d+\. )?app/", output, re.MULTILINE)


def test_from_elsewhere_paths_are_those_of_what_is_scanned(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert run("scan", project).output.startswith("app/worker.py:")
    assert report(project)["root"] is None


def test_a_workflow_without_git_reads_paths_from_its_workspace(
    project: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / ".git").rmdir()
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.chdir(project / "tools")
    assert "file=tools/drain.py," in run("scan", "--format", "github").output
    monkeypatch.delenv("GITHUB_ACTIONS")
    assert "file=drain.py," in run("scan", "--format", "github").output


SESSIONS = """import redis

client = redis.Redis(max_connections=8, socket_timeout=5)


def login(user, token):
    client.hset("sessions", token, user)
"""
EVERYBODY = """from flask import Flask
from sessions import client, login

web = Flask(__name__)


@web.get("/all")
def everybody():
    return client.hgetall("sessions")


@web.post("/login/<user>/<token>")
def enter(user, token):
    login(user, token)
"""


@pytest.mark.parametrize(
    "format_", ["text", "concise", "github", "json", "sarif", "markdown", "gitlab", "junit", "sonar"]
)
@pytest.mark.parametrize("here", [".", "app", "app/web", "tools"])
def test_places_that_a_message_names_have_the_same_paths(
    project: Path, monkeypatch: pytest.MonkeyPatch, here: str, format_: str
) -> None:
    for name, text in (("sessions", SESSIONS), ("everybody", EVERYBODY)):
        (project / "app" / "web").mkdir(exist_ok=True)
        (project / "app" / "web" / f"{name}.py").write_text(text)
    monkeypatch.chdir(project / here)
    path = Path(os.path.relpath(project / "app" / "web", Path.cwd())).as_posix()
    seen = "sessions.py" if path == "." else f"{path}/sessions.py"
    output = run("scan", path, "--select", "RL401", "--level", "note", "--format", format_).output
    expected = seen if format_ in ("text", "concise", "github") else "app/web/sessions.py"
    assert f" at {expected}:7)" in output.replace("&#58;<!-- -->", ":")


def test_places_that_only_a_step_names_too(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = "missing-backoff/javascript/bad_retry_helper_elsewhere"
    monkeypatch.chdir(Path(__file__).parents[2] / "fixtures")
    output = run("scan", "--no-cache", "--select", "RL103", folder).output
    assert f"which sends SADD at {folder}/stores/medals.mjs:7" in output


# -- what was accepted -------------------------------------------------------------------------------------------------


def test_a_baseline_is_found_by_the_next_scan(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("scan").exit_code == 1
    assert run("init").exit_code == 0
    assert run("baseline").exit_code == 0
    done = run("scan")
    assert (done.exit_code, "2 findings are in the baseline" in done.output) == (0, True)
    for arguments in (["tools"], ["app/worker.py"], ["--isolated", "tools/drain.py"], ["--whole-project", "app"]):
        done = run("scan", *arguments)
        assert (done.exit_code, "1 finding is in the baseline" in done.output) == (0, True), arguments
    monkeypatch.chdir(project / "tools")
    assert run("scan").exit_code == 0
    (project / "tools" / "more.py").write_text(ALONE.replace("jobs", "mails"))
    done = run("scan")
    assert (done.exit_code, "more.py:4:1" in done.output) == (1, True)
    assert run("scan", "--no-baseline").output.count(": error RL104") == 2


def test_a_baseline_of_another_name_is_not(project: Path) -> None:
    assert run("baseline", "--output", "accepted.jsonl").exit_code == 0
    assert run("scan").exit_code == 1
    assert run("scan", "--baseline", "accepted.jsonl").exit_code == 0


def test_the_baseline_of_the_configuration_comes_first(project: Path) -> None:
    assert run("baseline").exit_code == 0
    (project / "resplint.toml").write_text('baseline = "accepted.jsonl"\n')
    assert "accepted.jsonl: does not exist" in run("scan").output


def test_a_baseline_above_the_repository_is_somebody_elses(project: Path) -> None:
    assert run("baseline").exit_code == 0
    inner = project / "vendored"
    (inner / ".git").mkdir(parents=True)
    (inner / "queue.py").write_text(ALONE)
    assert run("scan", inner).exit_code == 1


def test_scripts_are_told_how_many_findings_are_shown(project: Path) -> None:
    (project / "resplint.toml").write_text('[level]\nRL104 = "note"\n')
    assert report(".")["counts"]["shown"] == 0
    assert report(".")["counts"]["findings"] == 2
    assert report(".", "--level", "note")["counts"]["shown"] == 2
    assert run("scan").output.startswith("No findings; ")


# -- other commands ----------------------------------------------------------------------------------------------------


def test_clients_and_why_name_places_from_the_current_folder(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project / "tools")
    listed = run("clients", "..").output
    assert ("../app/db.py:5" in listed, "../app/worker.py: 1" in listed, "\ndrain.py:3" in listed) == (True, True, True)
    said = run("why", "../app/worker.py:4", "--project", "..").output
    assert said.startswith("../app/worker.py:4  client.blpop('jobs', timeout=30)")
    assert "../app/db.py:5" in said
    assert " app/db.py" not in said
    document = json.loads(run("clients", "..", "--format", "json").output)
    assert {each["place"]["path"] for each in document["clients"]} == {"app/db.py", "tools/drain.py"}
