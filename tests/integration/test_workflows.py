"""`action.yml`, the workflows and the recipes for users, judged by the linters that exist for them."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import tree_sitter_groovy
import yaml
from tree_sitter import Language, Parser

from resplint._version import RELEASED, __version__
from resplint.output.about import INFORMATION_URI, REF, REQUIREMENT
from tests.integration.conftest import ROOT
from tests.integration.projects import CLIENT, WORKER, git, repository, write
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
    elif "pool" in recipe:
        check_schema("vendor.azure-pipelines", snippet, tmp_path, "--data-transform", "azure-pipelines")
        folder = repository(tmp_path / "shop", {"shop/db.py": CLIENT, "worker.py": WORKER})
        scripts = [step["script"] for step in recipe["steps"] if "script" in step]
        run_commands([line for line in scripts if line.startswith("resplint ")], folder, 1)
        inputs = [step.get("inputs", {}) for step in recipe["steps"]]
        files = [each[key] for each in inputs for key in ("testResultsFiles", "PathtoPublish") if key in each]
        assert files
        assert [file for file in files if not (folder / file).is_file()] == []
    elif "descriptor_id" in recipe:
        jsonschema.Draft7Validator(MEGALINTER).validate(recipe)
        (linter,) = recipe["linters"]
        sarif = str(tmp_path / "resplint.sarif")
        told = [sarif if each == "{{SARIF_OUTPUT_FILE}}" else each for each in linter["cli_sarif_args"]]
        command = [linter["cli_executable"], *linter["cli_lint_extra_args"], *told]
        run_commands(
            [shlex.join(command)], repository(tmp_path / "shop", {"shop/db.py": CLIENT, "worker.py": WORKER}), 1
        )
        assert json.loads(Path(sarif).read_text("utf-8"))["version"] == "2.1.0"
    elif "PLUGINS" in recipe:
        (plugin,) = recipe["PLUGINS"]
        assert plugin.removeprefix("file://") in (ROOT / "docs" / "ci.md").read_text("utf-8").split("`")
    else:
        check_schema("vendor.gitlab-ci", snippet, tmp_path, "--data-transform", "gitlab-ci")
        (job,) = recipe.values()
        folder = repository(tmp_path / "shop", {"shop/db.py": CLIENT, "worker.py": WORKER})
        run_commands([line for line in job["script"] if line.startswith("resplint ")], folder, 1)
        assert [file for file in job["artifacts"]["reports"].values() if not (folder / file).is_file()] == []


# The properties that a linter and a descriptor may have of those that recipes use, as in
# megalinter/descriptors/schemas/megalinter-descriptor.jsonschema.json of MegaLinter 9.
_TEXT, _TEXTS = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
MEGALINTER = {
    "type": "object",
    "required": ["descriptor_id", "descriptor_type", "linters"],
    "additionalProperties": False,
    "properties": {
        "descriptor_id": {"type": "string", "pattern": "^[A-Z_]+$"},
        "descriptor_type": {"enum": ["language", "format", "tooling_format", "other"]},
        "linters": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["linter_name", "linter_url", "examples"],
                "additionalProperties": False,
                "properties": {
                    **dict.fromkeys(("linter_name", "name", "linter_url", "linter_text", "cli_executable"), _TEXT),
                    **dict.fromkeys(("cli_config_arg_name", "config_file_name"), _TEXT),
                    **dict.fromkeys(("cli_version_arg_name", "cli_help_arg_name"), _TEXT),
                    **dict.fromkeys(("cli_lint_extra_args", "cli_sarif_args", "examples"), _TEXTS),
                    "cli_lint_mode": {"enum": ["file", "project", "list_of_files"]},
                    "can_output_sarif": {"type": "boolean"},
                    "install": {"type": "object", "properties": {"dockerfile": _TEXTS}, "additionalProperties": False},
                },
            },
        },
    },
}


def check_schema(schema: str, text: str, folder: Path, *options: str) -> None:
    """Fails where a document is not what a schema that check-jsonschema brings along says."""
    (folder / "document.yml").write_text(text, "utf-8")
    command = [BIN / "check-jsonschema", "--builtin-schema", schema, *options, folder / "document.yml"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_schemas_would_have_something_to_say(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="retry"):
        check_schema(
            "vendor.gitlab-ci", "job: {script: [x], retry: often}\n", tmp_path, "--data-transform", "gitlab-ci"
        )
    azure = ("vendor.azure-pipelines", "steps:\n  - script: [x]\n", tmp_path, "--data-transform", "azure-pipelines")
    with pytest.raises(AssertionError, match="steps"):
        check_schema(*azure)


def check_workflow(workflow: dict[str, Any]) -> None:
    assert workflow["permissions"] == {}
    name = INFORMATION_URI.removeprefix("https://github.com/")
    for job in workflow["jobs"].values():
        ours = [step for step in job["steps"] if step.get("uses", "").startswith(f"{name}@")]
        assert all(step["uses"] == f"{name}@{REF}" for step in ours)
        assert all(set(step.get("with", {})) <= set(ACTION["inputs"]) for step in ours)
        assert job["steps"][0]["with"]["persist-credentials"] is False


def check_hooks(config: dict[str, Any]) -> None:
    (repo,) = config["repos"]
    assert (repo["repo"], repo["rev"]) == (INFORMATION_URI, REF)
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
    assert f"pip install --quiet {REQUIREMENT}'" in pipeline
    parser = Parser(Language(tree_sitter_groovy.language()))
    assert not parser.parse(pipeline.encode()).root_node.has_error
    assert parser.parse(pipeline.replace("[sarif(", "[sarif").encode()).root_node.has_error


def test_the_recipe_for_reviewdog_comments_on_changed_lines_only(tmp_path: Path) -> None:
    """reviewdog itself reads what a scan of a changed repository prints."""
    reviewdog = go_command("github.com/reviewdog/reviewdog/cmd/reviewdog", "v0.21.0")
    local = next(text for text in blocks(ROOT / "docs" / "ci.md", "sh") if "origin/main" in text)
    old = "import redis\n\npool = redis.Redis(connection_pool=redis.ConnectionPool(max_connections=None))\n"
    folder = repository(tmp_path / "shop", {"shop/db.py": CLIENT, "old.py": old})
    git(folder, "update-ref", "refs/remotes/origin/main", "HEAD")
    write(folder, {"worker.py": WORKER})
    git(folder, "add", "worker.py")
    environment = {**os.environ, "PATH": os.pathsep.join([str(BIN), str(reviewdog.parent), os.environ["PATH"]])}
    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", local],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr
    # It prints the results that it would comment on.
    places = [one["locations"][0]["physicalLocation"] for one in map(json.loads, done.stdout.splitlines())]
    assert [one["artifactLocation"]["uri"] for one in places] == ["worker.py"]


def test_the_comment_is_made_once_and_then_written_anew(tmp_path: Path) -> None:
    """The steps of the recipe, with a `gh` that keeps comments in a file."""
    recipe = next(text for text in blocks(ROOT / "docs" / "ci.md", "yaml") if "gh api" in text)
    (job,) = yaml.safe_load(recipe)["jobs"].values()
    scan, comment = (step["run"] for step in job["steps"] if "resplint.md" in step.get("run", ""))
    folder = repository(tmp_path / "shop", {"shop/db.py": CLIENT, "worker.py": WORKER})
    fake = tmp_path / "bin" / "gh"
    fake.parent.mkdir()
    fake.write_text(f"#!{sys.executable}\n" + FAKE_GH, "utf-8")
    fake.chmod(0o755)
    environment = {
        **os.environ, "PATH": os.pathsep.join([str(fake.parent), str(BIN), os.environ["PATH"]]),
        "COMMENTS": str(tmp_path / "comments.json"), "GITHUB_REPOSITORY": "acme/shop", "NUMBER": "7",
    }  # fmt: skip
    plain = scan.replace('--diff-base "$BASE" ', "")
    assert plain != scan
    for _ in range(2):
        for script in (plain, comment):
            subprocess.run(
                ["bash", "-eo", "pipefail", "-c", script], cwd=folder, env=environment, check=True, timeout=60
            )
    others, ours = json.loads((tmp_path / "comments.json").read_text("utf-8"))
    assert others["body"] == "Not ours: <!-- resplint -->"
    assert ours["times"] == 2
    assert ours["body"].startswith("<!-- resplint -->\n")
    assert "RL104" in ours["body"]
    assert len(ours["body"]) <= 65_536


FAKE_GH = """\
import json, os, re, subprocess, sys
from pathlib import Path

file = Path(os.environ["COMMENTS"])
theirs = {"id": 1, "body": "Not ours: <!-- resplint -->", "times": 1}
comments = json.loads(file.read_text()) if file.exists() else [theirs]
arguments = sys.argv[1:]
assert arguments.pop(0) == "api", arguments
if "--jq" in arguments:
    assert "repos/acme/shop/issues/7/comments" in arguments
    query = arguments[arguments.index("--jq") + 1]
    assert query == '.[] | select(.body | startswith("<!-- resplint -->")) | .id', query
    print("\\n".join(str(one["id"]) for one in comments if one["body"].startswith("<!-- resplint -->")))
    sys.exit()
method, address = arguments[arguments.index("--method") + 1 :][:2]
body = Path(arguments[arguments.index("-F") + 1].removeprefix("body=@")).read_text()
if method == "POST":
    assert address == "repos/acme/shop/issues/7/comments", address
    comments.append({"id": 2, "body": body, "times": 1})
else:
    assert (method, address) == ("PATCH", "repos/acme/shop/issues/comments/2"), address
    comments[1].update(body=body, times=comments[1]["times"] + 1)
file.write_text(json.dumps(comments))
"""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_versions_in_recipes_are_that_of_this_checkout(document: Path) -> None:
    text = document.read_text("utf-8")
    named = set(re.findall(r"(?:resplint@v|resplint==|rev: v)([\w.]+)", text))
    assert named == ({__version__} if RELEASED else set())
    assert f"uses: resplint/resplint@{REF}" in text


def test_the_tables_of_inputs_and_outputs_are_those_of_the_action() -> None:
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    for heading, key in (("Input", "inputs"), ("Output", "outputs")):
        table = re.search(rf"^\| {heading} \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", text, re.MULTILINE)
        assert table
        assert re.findall(r"^\| `([\w-]+)` \|", table[1], re.MULTILINE) == list(ACTION[key])
