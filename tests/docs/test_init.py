"""`resplint init`: what it writes works, and what is there stays."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import jsonschema
import pytest
import yaml
from click.testing import CliRunner, Result
from pre_commit.clientlib import load_config as load_hooks

from resplint.cli.app import cli
from resplint.config.keys import KEYS
from resplint.config.loading import Config, load
from resplint.files.toml_text import parse_toml
from resplint.knowledge.load import load_book
from resplint.output.about import REF
from resplint.starter import texts
from tests.tooling import go_command

ROOT = Path(__file__).parents[2]
RULES = {code: rule.name for code, rule in load_book().items()}
WORKFLOW = ".github/workflows/resplint.yml"
HOOKS = ".pre-commit-config.yaml"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/trunk\n")
    (folder / "cart.py").write_text("import redis\n\ndb = redis.Redis()\n")
    (folder / "stock.ts").write_text("import Redis from 'ioredis';\nexport const db = new Redis();\n")
    (folder / "plain.ts").write_text("export const redis = 1;\n")
    return folder


def init(folder: Path, *options: str, code: int = 0) -> Result:
    done = CliRunner().invoke(cli, ["init", str(folder), *options])
    assert done.exit_code == code, done.output
    return done


def written(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def uncommented(text: str) -> str:
    """The configuration with every key in force: comments that hold TOML become TOML."""
    return re.sub(r"^# (?=\[|[\w\"][^ ]* = )", "", text, flags=re.MULTILINE)


# -- a new project --------------------------------------------------------------------------------------------------


def test_a_project_gets_three_files(project: Path) -> None:
    before = written(project)
    done = init(project)
    assert set(written(project)) - set(before) == {"resplint.toml", HOOKS, WORKFLOW}
    assert "Files by language: TypeScript (2), Python (1)\n" in done.output
    assert "Files by client library: ioredis (1), redis-py (1)\n" in done.output
    assert "wrote resplint.toml" in done.output
    assert "resplint scan" in done.output[done.output.index("Next:") :]


def test_the_configuration_changes_nothing_and_explains_every_key(project: Path) -> None:
    init(project)
    text = (project / "resplint.toml").read_text("utf-8")
    config = load(project, None, RULES)
    assert config == Config(rules=RULES, file=os.path.realpath(project / "resplint.toml"))
    assert [key.name for key in KEYS if f"# {key.summary}\n" not in text] == []


def test_with_its_comments_taken_away_it_is_valid(project: Path) -> None:
    init(project)
    file = project / "resplint.toml"
    file.write_text(uncommented(file.read_text("utf-8")), "utf-8")
    (project.parent / "resplint.toml").write_text("")  # which the example of `extends` names
    document, _ = parse_toml(file.read_bytes())
    schema = json.loads((ROOT / "schemas" / "config.schema.json").read_text("utf-8"))
    jsonschema.Draft7Validator(schema).validate(document)
    assert set(document) == {key.name for key in KEYS}
    assert document["client-versions"].keys() == {"ioredis", "redis-py"}  # type: ignore[union-attr]
    assert CliRunner().invoke(cli, ["scan", "--exit-zero", "--no-baseline", str(project)]).exit_code == 0


def test_pre_commit_reads_its_configuration(project: Path) -> None:
    init(project)
    (repository,) = load_hooks(str(project / HOOKS))["repos"]
    assert repository["rev"] == REF
    assert [hook["id"] for hook in repository["hooks"]] == ["resplint"]


@pytest.mark.parametrize("folder", ["services/api", "it's $(here) [ünd]: so"])
def test_the_hook_for_a_folder_takes_its_files_and_its_configuration(project: Path, folder: str) -> None:
    (project / folder).mkdir(parents=True)
    init(project / folder)
    ((hook,),) = (each["hooks"] for each in load_hooks(str(project / HOOKS))["repos"])
    left_out = re.compile(hook["exclude"])
    assert not left_out.search(f"{folder}/app/jobs.py")
    assert all(left_out.search(path) for path in ("app.py", f"old/{folder}/app.py", f"{folder}2/app.py"))
    option, end = hook["args"]
    assert (project / option.removeprefix("--config=")).samefile(project / folder / "resplint.toml")
    assert end == "--"


@pytest.mark.parametrize("folder", [".", "services/api", "it's $(here) ünd: so"])
@pytest.mark.parametrize("branch", ["trunk", "on", "release/1.x"])
def test_the_workflow_passes_actionlint_and_runs_the_action(project: Path, folder: str, branch: str) -> None:
    (project / ".git" / "HEAD").write_text(f"ref: refs/heads/{branch}\n")
    (project / folder).mkdir(parents=True, exist_ok=True)
    init(project / folder)
    actionlint = go_command("github.com/rhysd/actionlint/cmd/actionlint", "v1.7.12")
    done = subprocess.run(
        [actionlint, "-no-color", "-shellcheck=", "-pyflakes=", project / WORKFLOW],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    workflow = yaml.safe_load((project / WORKFLOW).read_text("utf-8"))
    assert workflow[True]["push"]["branches"] == [branch]
    (job,) = workflow["jobs"].values()
    step = job["steps"][-1]
    assert step["uses"] == f"resplint/resplint@{REF}"
    assert step.get("with", {}).get("working-directory", ".") == folder


def test_nothing_is_written_when_only_asked_to_print(project: Path) -> None:
    before = written(project)
    printed = init(project, "--dry-run").output
    assert written(project) == before
    init(project)
    for name in ("resplint.toml", HOOKS, WORKFLOW):
        lines = [line.strip() for line in (project / name).read_text("utf-8").splitlines()]
        assert [line for line in lines if line not in printed] == []


def test_the_recipes_are_those_of_the_documentation() -> None:
    recipes = (ROOT / "docs" / "ci.md").read_text("utf-8")
    for text in (
        texts.pre_commit_config(".", "resplint.toml"),
        texts.github_workflow("main", "."),
        texts.gitlab_job("."),
    ):
        assert f"```yaml\n{text}```" in recipes


# -- what is there --------------------------------------------------------------------------------------------------


def test_a_second_run_changes_nothing(project: Path) -> None:
    init(project)
    before = written(project)
    done = init(project)
    assert written(project) == before
    assert "kept resplint.toml: it exists; --force replaces it" in done.output


def test_other_files_are_never_replaced(project: Path) -> None:
    theirs = {HOOKS: "repos: []\n", ".gitlab-ci.yml": "test:\n  script: [true]\n"}
    for name, text in theirs.items():
        (project / name).write_text(text)
    done = init(project, "--force")
    for name, text in theirs.items():
        assert (project / name).read_text() == text
        assert f"Add to {name}" in done.output
    assert "- id: resplint" in done.output
    assert "codequality: gl-code-quality-report.json" in done.output
    assert WORKFLOW not in written(project), "a project at GitLab has no use for it"


def test_force_replaces_what_is_its_own(project: Path) -> None:
    init(project)
    fresh = written(project)
    for name in ("resplint.toml", WORKFLOW):
        (project / name).write_text("jobs = 3\n")
    init(project)
    assert (project / "resplint.toml").read_text() == "jobs = 3\n"
    init(project, "--force")
    assert written(project) == fresh


def test_hooks_and_workflows_that_run_it_are_recognised(project: Path) -> None:
    init(project)
    (project / WORKFLOW).rename(project / ".github" / "workflows" / "lint.yaml")
    done = init(project)
    assert f"kept {HOOKS}: it runs resplint" in done.output
    assert "kept .github/workflows/lint.yaml: it runs resplint" in done.output
    assert not (project / WORKFLOW).exists()


# -- pyproject.toml -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_the_table_is_added_to_pyproject(project: Path, line_end: str, last: str) -> None:
    before = f'[project]\nname = "shop" # mine{last}'.replace("\n", line_end).encode()
    file = project / "pyproject.toml"
    file.write_bytes(before)
    init(project, "--pyproject")
    after = file.read_bytes()
    assert after.startswith(before)
    assert after.count(line_end.encode()) == after.count(b"\n")
    assert load(project, None, RULES) == Config(rules=RULES, file=os.path.realpath(file))
    assert not (project / "resplint.toml").exists()
    file.write_text(uncommented(after.decode().replace("\r\n", "\n")), "utf-8")
    (project.parent / "resplint.toml").write_text("")  # which the example of `extends` names
    assert load(project, None, RULES).level["RL103"] is None
    assert "kept pyproject.toml: it has a table [tool.resplint]" in init(project, "--pyproject").output
    assert "which a resplint.toml would hide" in init(project).output


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "does not exist; without --pyproject, resplint.toml is written"),
        ("[project\n", "cannot take a table [tool.resplint]: "),
        ("tool = { ruff = {} }\n", "cannot take a table [tool.resplint]: "),
        ("# caf\xe9\n", "cannot take a table [tool.resplint]: "),
    ],
)
def test_a_pyproject_that_cannot_take_it(project: Path, text: str | None, expected: str) -> None:
    if text is not None:
        (project / "pyproject.toml").write_bytes(text.encode("latin-1"))
    before = written(project)
    message = init(project, "--pyproject", code=2).stderr
    assert expected in message
    assert message.count("\n") == 1
    assert written(project) == before


# -- strange places -------------------------------------------------------------------------------------------------


def test_links_do_not_lead_out_of_the_repository(project: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / ".github").symlink_to(outside)
    assert "a link leads out of the repository" in init(project, code=2).stderr
    assert list(outside.iterdir()) == []
    assert not (project / "resplint.toml").exists(), "all or nothing"


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    assert "is no folder" in init(tmp_path / "missing", code=2).stderr


def test_a_folder_without_code_or_repository(tmp_path: Path) -> None:
    done = init(tmp_path)
    assert "none that resplint reads" in done.output
    assert set(written(tmp_path)) == {"resplint.toml", HOOKS, WORKFLOW}
