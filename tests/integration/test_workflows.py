"""`action.yml`, the workflows and the recipes for users, judged by the linters that exist for them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from resplint import __version__
from resplint.output.about import INFORMATION_URI
from tests.integration.conftest import ROOT
from tests.integration.projects import CLIENT, WORKER, repository
from tests.tooling import go_command

BIN = Path(sys.executable).parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
DOCUMENTS = [ROOT / "README.md", ROOT / "docs" / "ci.md"]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def actionlint(*files: Path) -> str:
    """What actionlint, with shellcheck for the scripts, has to say; "" if nothing."""
    command = go_command("github.com/rhysd/actionlint/cmd/actionlint", "v1.7.12")
    options = ["-no-color", "-oneline", "-shellcheck", str(BIN / "shellcheck"), "-pyflakes", ""]
    done = subprocess.run(
        [command, *options, *files], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    assert bool(done.returncode) is bool(done.stdout)
    return done.stdout


def zizmor(files: Sequence[Path], *options: str) -> subprocess.CompletedProcess[str]:
    command = [str(BIN / "zizmor"), "--offline", "--quiet", "--no-progress", "--strict-collection", *options]
    return subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def as_workflow(action: dict[str, Any]) -> str:
    """The steps of a composite action as a workflow that may be called, for linters that read only workflows."""
    inputs = {name: {"type": "string", "default": one["default"]} for name, one in action["inputs"].items()}
    outputs = {name: one["value"] for name, one in action["outputs"].items()}
    job = {"runs-on": "ubuntu-latest", "outputs": outputs, "steps": action["runs"]["steps"]}
    return yaml.safe_dump({"on": {"workflow_call": {"inputs": inputs}}, "jobs": {"action": job}})


# -- our own ----------------------------------------------------------------------------------------------------------


def test_actionlint_has_nothing_to_say_of_the_workflows() -> None:
    assert {path.name for path in WORKFLOWS} >= {"ci.yml", "code-scanning.yml"}
    assert actionlint(*WORKFLOWS) == ""


def test_actionlint_has_nothing_to_say_of_the_steps_of_the_action(tmp_path: Path) -> None:
    (tmp_path / "action.yml").write_text(as_workflow(ACTION), "utf-8")
    assert actionlint(tmp_path / "action.yml") == ""


def test_actionlint_would_have_something_to_say(tmp_path: Path) -> None:
    """Of scripts and of expressions: else the two tests above would prove nothing."""
    steps = ACTION["runs"]["steps"]
    worse = [
        *steps,
        {"shell": "bash", "run": "cat $UNQUOTED"},
        {"shell": "bash", "run": "echo ${{ steps.gone.outcome }}"},
    ]
    (tmp_path / "action.yml").write_text(as_workflow({**ACTION, "runs": {"steps": worse}}), "utf-8")
    said = actionlint(tmp_path / "action.yml")
    assert "SC2086" in said
    assert 'property "gone" is not defined' in said


def test_zizmor_has_nothing_to_say_even_as_an_auditor() -> None:
    files = [ROOT / "action.yml", *WORKFLOWS, ROOT / ".github" / "dependabot.yml"]
    done = zizmor(files, "--persona", "auditor")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No findings to report" in done.stdout
    ignored = re.findall(
        r"^\w+\[([\w-]+)\]", zizmor(files, "--persona", "auditor", "--no-ignores").stdout, re.MULTILINE
    )
    assert set(ignored) <= {"self-repository"}


def test_zizmor_would_have_something_to_say(tmp_path: Path) -> None:
    worse = (
        (ROOT / "action.yml").read_text("utf-8").replace('run: cat -- "$ANNOTATIONS"', "run: cat ${{ inputs.paths }}")
    )
    (tmp_path / "action.yml").write_text(worse, "utf-8")
    done = zizmor([tmp_path / "action.yml"], "--persona", "auditor")
    assert "template-injection" in done.stdout
    assert done.returncode != 0


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_have_no_permission_that_no_job_asks_for(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == {}
    assert all("permissions" in job for job in workflow["jobs"].values())


@pytest.mark.parametrize("path", [ROOT / "action.yml", *WORKFLOWS], ids=lambda path: path.name)
def test_actions_of_others_are_pinned_and_say_which_version_that_is(path: Path) -> None:
    used = re.findall(r"uses: (\S+)(.*)", path.read_text("utf-8"))
    foreign = [(reference, rest) for reference, rest in used if not reference.startswith("./")]
    assert foreign
    assert [one for one in foreign if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one[0])] == []
    assert [one for one in foreign if not re.fullmatch(r" # v\d+\.\d+\.\d+", one[1])] == []


def test_a_commit_of_an_action_has_one_version_everywhere() -> None:
    texts = [path.read_text("utf-8") for path in (ROOT / "action.yml", *WORKFLOWS)]
    pins = {found for text in texts for found in re.findall(r"uses: ([\w./-]+)@([0-9a-f]{40}) # (v\S+)", text)}
    assert len({name for name, *_ in pins}) == len(pins)


# -- recipes for users ------------------------------------------------------------------------------------------------


def blocks(document: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", document.read_text("utf-8"), re.MULTILINE | re.DOTALL)


SNIPPETS = [
    pytest.param(text, id=f"{path.name}-{n}") for path in DOCUMENTS for n, text in enumerate(blocks(path, "yaml"))
]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_a_recipe_is_what_its_reader_accepts(snippet: str, tmp_path: Path) -> None:
    recipe = yaml.safe_load(snippet)
    if "jobs" in recipe:
        (tmp_path / "workflow.yml").write_text(snippet, "utf-8")
        assert actionlint(tmp_path / "workflow.yml") == ""
        check_workflow(recipe)
    elif "repos" in recipe:
        (tmp_path / "config.yaml").write_text(snippet, "utf-8")
        subprocess.run([BIN / "pre-commit", "validate-config", tmp_path / "config.yaml"], check=True)
        check_hooks(recipe)
    else:
        (job,) = recipe.values()
        folder = repository(tmp_path / "shop", {"shop/db.py": CLIENT, "worker.py": WORKER})
        run_commands([line for line in job["script"] if line.startswith("resplint ")], folder, 1)
        assert [file for file in job["artifacts"]["reports"].values() if not (folder / file).is_file()] == []


def check_workflow(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {}
    name = INFORMATION_URI.removeprefix("https://github.com/")
    for job in workflow["jobs"].values():
        ours = [step for step in job["steps"] if step.get("uses", "").startswith(f"{name}@")]
        assert all(step["uses"] == f"{name}@v{__version__}" for step in ours)
        assert all(set(step.get("with", {})) <= set(ACTION["inputs"]) for step in ours)
        assert job["steps"][0]["with"]["persist-credentials"] is False


def check_hooks(config: dict[str, Any]) -> None:
    (repo,) = config["repos"]
    assert (repo["repo"], repo["rev"]) == (INFORMATION_URI, f"v{__version__}")
    known = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}
    assert {hook["id"] for hook in repo["hooks"]} <= known
    assert all(hook.get("args", ["--"])[-1] == "--" for hook in repo["hooks"])


def run_commands(commands: Sequence[str], folder: Path, code: int) -> None:
    assert commands
    for command in commands:
        done = subprocess.run(
            [BIN / "resplint", *shlex.split(command)[1:]], cwd=folder, capture_output=True, timeout=60, check=False
        )
        assert done.returncode == code, done.stderr


def test_the_commands_of_the_recipe_for_jenkins_work(tmp_path: Path) -> None:
    (pipeline,) = blocks(ROOT / "docs" / "ci.md", "groovy")
    folder = repository(tmp_path / "shop", {"shop/db.py": CLIENT, "worker.py": WORKER})
    run_commands(re.findall(r"sh '\.resplint/bin/(resplint [^']+)'", pipeline), folder, 0)
    assert [file for file in re.findall(r"'(resplint\.\w+)'", pipeline) if not (folder / file).is_file()] == []
    assert re.findall(r"resplint==([\w.]+)", pipeline) == [__version__]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_versions_in_recipes_are_that_of_this_checkout(document: Path) -> None:
    text = document.read_text("utf-8")
    named = re.findall(r"(?:resplint@v|resplint==|rev: v)([\w.]+)", text)
    assert named
    assert set(named) == {__version__}


def test_the_tables_of_inputs_and_outputs_are_those_of_the_action() -> None:
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    for heading, key in (("Input", "inputs"), ("Output", "outputs")):
        table = re.search(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
        assert table
        assert re.findall(r"^\| `([\w-]+)` \|", table[1], re.MULTILINE) == list(ACTION[key])
