"""`action.yml`, run step by step as a GitHub runner does it."""

from __future__ import annotations

import gzip
import importlib.util
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote

import pytest
import yaml

from resplint import __version__
from tests.integration.action_runner import Command, Run, Runner
from tests.integration.conftest import ROOT, Once
from tests.integration.projects import CLIENT, WORKER, repository, write

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
SHOP = {"shop/__init__.py": "", "shop/db.py": CLIENT, "worker.py": WORKER}
CLEAN = {"shop/__init__.py": "", "shop/db.py": CLIENT}
PROGRAM = "open({0!r}, 'a').write(__file__)\n"
MODULES = ["venv", "pip", "ensurepip", "json", "re", "resplint", "click", "msgspec", "tree_sitter", "sitecustomize"]
_UPLOAD_LIMIT = 10_000_000


class Actions:
    """Stands in for the actions that ours uses, and holds the upload to the rules of code scanning."""

    def __init__(self, upload: str) -> None:
        self.upload = upload
        self.uploaded: dict[str, Any] = {}

    def __call__(self, reference: str, given: Mapping[str, str]) -> tuple[str, dict[str, str]]:
        name, _, commit = reference.partition("@")
        assert re.fullmatch("[0-9a-f]{40}", commit), f"{reference} is not pinned"
        if name == "actions/setup-python":
            assert given["update-environment"] == "false", "the Python of the caller's other steps stays"
            return "success", {"python-path": sys.executable}
        assert name == "github/codeql-action/upload-sarif"
        file = Path(given["sarif_file"])
        assert file.suffix == ".sarif"
        assert len(gzip.compress(file.read_bytes())) < _UPLOAD_LIMIT
        log = json.loads(file.read_text("utf-8"))
        for result in log["runs"][0]["results"]:
            path = unquote(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])
            assert (Path(given["checkout_path"]) / path).is_file(), "code scanning would show no code"
        self.uploaded = log
        return self.upload, {}


@pytest.fixture(scope="session")
def first(clone: Path, once: Once) -> dict[str, Any]:
    """What came of the whole action on a clean tree, with a real installation, and whose `python` others use again.

    The tree has files that are called like modules of Python, of pip and of resplint, which leave a mark when run.
    """

    def make(folder: Path) -> None:
        trap = PROGRAM.format(str(folder / "mark"))
        traps = {f"{name}.py": trap for name in MODULES} | {f"{name}/__init__.py": trap for name in MODULES}
        repository(folder / "work", {**CLEAN, **traps})
        run = Runner(clone, folder / "work", folder / "temp", Actions("success")).run()
        told = {"outcome": run.outcome, "outputs": run.outputs, "summary": run.summary, "log": run.log}
        python = run.steps["install"].outputs.get("python", "")
        (folder / "told.json").write_text(json.dumps({**told, "python": python, "mark": str(folder / "mark")}), "utf-8")

    loaded: dict[str, Any] = json.loads((once("action", make) / "told.json").read_text("utf-8"))
    assert loaded["python"], loaded["log"]
    return loaded


@pytest.fixture
def machine(clone: Path, first: dict[str, Any], tmp_path: Path) -> Runner:
    """A runner with resplint installed, whose uploads succeed, and the project with one error checked out."""
    workspace = repository(tmp_path / "work", SHOP)
    premade = {"install": {"python": first["python"]}}
    return Runner(clone, workspace, tmp_path / "temp", Actions("success"), premade)


def annotations(run: Run) -> list[Command]:
    return [command for command in run.commands if "file" in command.properties]


def said(run: Run, name: str) -> list[str]:
    """Messages of commands that concern no file."""
    return [command.message for command in run.commands if command.name == name and "file" not in command.properties]


def actions_of(machine: Runner) -> Actions:
    assert isinstance(machine.used, Actions)
    return machine.used


# -- installing -------------------------------------------------------------------------------------------------------


def test_a_clean_tree_passes_with_what_the_checkout_of_the_action_holds(first: dict[str, Any]) -> None:
    assert first["outcome"] == "success", first["log"]
    outputs = first["outputs"]
    assert (outputs["findings"], outputs["new-findings"], outputs["exit-code"]) == ("0", "0", "0")
    assert Path(outputs["sarif-file"]).is_file()
    assert "no findings" in first["summary"]
    where = "import resplint; print(resplint.__version__, resplint.__file__)"
    shown = subprocess.run([first["python"], "-I", "-c", where], capture_output=True, text=True, check=True).stdout
    version, file = shown.split(maxsplit=1)
    assert version == __version__
    assert "resplint-environment" in file


def test_nothing_of_the_tree_is_run(first: dict[str, Any]) -> None:
    assert not Path(first["mark"]).exists()


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("github_action", ROOT / "tools" / "github_action.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_version_is_the_one_asked_for_else_the_own_tag_else_the_checkout(script: ModuleType) -> None:
    own = f"resplint=={__version__}"
    assert script.requirement("", f"v{__version__}") == own
    assert script.requirement("1.2.3", f"v{__version__}") == "resplint==1.2.3"
    assert script.requirement("2.0rc1", "main") == "resplint==2.0rc1"
    # Branches, commits, folders, and tags of whatever action this one is used in.
    for ref in ("", "main", "v0", "v99.0.0", __version__, "3d3c42e5aac5ba805825da76410c181273ba90b1"):
        assert script.requirement("", ref) == str(ROOT)


def test_a_release_that_cannot_be_had_fails_the_action_and_is_named(clone: Path, tmp_path: Path) -> None:
    """Without an index, pip names what it was asked for: the release of the tag that the action is used by."""
    offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    workspace = repository(tmp_path / "work", CLEAN)
    tag = {"action_ref": f"v{__version__}"}
    run = Runner(clone, workspace, tmp_path / "temp", Actions("success"), github=tag, machine=offline).run()
    wanted = f"resplint=={__version__}"
    assert run.outcome == "failure"
    assert f"No matching distribution found for {wanted}" in run.log
    assert said(run, "error") == [f"{wanted} could not be installed; the log says why."]
    assert run.steps["scan"].outcome == run.steps["upload"].outcome == "skipped"


# -- what is reported -------------------------------------------------------------------------------------------------


def test_findings_are_uploaded_and_summed_up_and_fail_the_step_at_the_end(machine: Runner) -> None:
    run = machine.run()
    assert run.outcome == "failure"
    assert {**run.outputs, "sarif-file": ""} == {
        "sarif-file": "", "findings": "1", "new-findings": "1", "exit-code": "1",
    }  # fmt: skip
    steps = list(run.steps.values())
    assert [step.outcome for step in steps] == ["success"] * 4 + ["skipped", "failure"]
    assert run.steps["upload"].used == {
        "sarif_file": run.outputs["sarif-file"], "checkout_path": str(machine.workspace), "category": "resplint",
    }  # fmt: skip
    assert [result["ruleId"] for result in actions_of(machine).uploaded["runs"][0]["results"]] == ["RL104"]
    assert "worker.py:5:12: error RL104 blocking-timeout" in run.log
    link = f"https://github.com/some/shop/blob/{'0123456789abcdef' * 2}01234567/worker.py#L5"
    assert link in run.summary
    assert "error | [RL104](" in run.summary
    # Code scanning annotates pull requests itself.
    assert run.commands == []


@pytest.mark.parametrize(("fail_on", "code"), [("never", "0"), ("error", "1"), ("note", "1")])
def test_fail_on_decides_what_fails_the_step(machine: Runner, fail_on: str, code: str) -> None:
    run = machine.run(fail_on=fail_on)
    assert run.outputs["exit-code"] == code
    assert run.outputs["findings"] == "1"
    assert run.outcome == ("success" if code == "0" else "failure")


def test_a_configuration_may_be_named(machine: Runner) -> None:
    write(machine.workspace, {"ci/resplint.toml": '[level]\nRL104 = "warning"\n'})
    run = machine.run(config="ci/resplint.toml", level="error")
    assert (run.outputs["findings"], run.outcome) == ("0", "success")
    assert machine.run(config="ci/resplint.toml", fail_on="warning").outcome == "failure"


def test_what_the_baseline_knows_is_counted_and_uploaded_but_fails_nothing(machine: Runner) -> None:
    known = [machine.premade["install"]["python"], "-I", "-m", "resplint", "baseline", "--output", "ci/known.jsonl"]
    (machine.workspace / "ci").mkdir()
    subprocess.run(known, cwd=machine.workspace, capture_output=True, check=True)
    run = machine.run(baseline="ci/known.jsonl")
    assert (run.outcome, run.outputs["findings"], run.outputs["new-findings"]) == ("success", "1", "0")
    (result,) = actions_of(machine).uploaded["runs"][0]["results"]
    assert (result["baselineState"], result["suppressions"][0]["kind"]) == ("unchanged", "external")
    write(machine.workspace, {"other.py": WORKER})
    run = machine.run(baseline="ci/known.jsonl", upload_sarif="false")
    assert (run.outcome, run.outputs["findings"], run.outputs["new-findings"]) == ("failure", "2", "1")
    assert [command.properties["file"] for command in annotations(run)] == ["other.py"]


def test_only_the_paths_are_reported_on_but_all_is_linked(machine: Runner) -> None:
    assert machine.run(paths="shop").outputs["findings"] == "0"
    write(machine.workspace, {"my jobs/one.py": WORKER, "-two.py": WORKER})
    assert machine.run(paths="'my jobs'\n-two.py shop").outputs["findings"] == "2"


def test_further_options_are_split_like_on_a_command_line(machine: Runner) -> None:
    write(machine.workspace, {"tests/test_worker.py": WORKER})
    assert machine.run(extra_args="--include-tests\n--exclude 'work*.py'").outputs["findings"] == "1"


def test_paths_of_a_working_directory_are_those_of_the_repository(machine: Runner) -> None:
    """Code scanning and annotations know only these; the repository need not be in the workspace itself."""
    repository(machine.workspace / "checkout", {f"services/jobs/{path}": text for path, text in SHOP.items()})
    machine.used = Actions("failure")
    run = machine.run(working_directory="checkout/services/jobs", paths="worker.py")
    assert run.outputs["findings"] == "1", run.log
    assert run.steps["upload"].used["checkout_path"] == str(machine.workspace / "checkout")
    assert [command.properties["file"] for command in annotations(run)] == ["services/jobs/worker.py"]
    assert "services/jobs/worker.py#L5" in run.summary


def test_a_repository_that_was_fetched_without_git_is_the_workspace(machine: Runner) -> None:
    """As actions/checkout does in a container that has no git."""
    shutil.rmtree(machine.workspace / ".git")
    machine.used = Actions("failure")
    write(machine.workspace, {"jobs/worker.py": WORKER})
    for given in ({"paths": "jobs"}, {"working_directory": "jobs"}):
        run = machine.run(**given)
        assert run.outputs["findings"] == "1", "all is linked"
        assert run.steps["upload"].used["checkout_path"] == str(machine.workspace)
        assert [command.properties["file"] for command in annotations(run)] == ["jobs/worker.py"]
        assert "jobs/worker.py#L5" in run.summary


def test_a_working_directory_has_a_configuration_and_a_baseline_of_its_own(machine: Runner) -> None:
    settings = 'baseline = "known.jsonl"\nexclude = ["/gen/"]\n'
    jobs = {"resplint.toml": settings, "worker.py": WORKER, "gen/more.py": WORKER}
    write(machine.workspace, {f"services/my jobs/{path}": text for path, text in jobs.items()})
    known = [machine.premade["install"]["python"], "-I", "-m", "resplint", "baseline", "--whole-project"]
    subprocess.run(known, cwd=machine.workspace / "services/my jobs", capture_output=True, check=True)
    run = machine.run(working_directory="services/my jobs", sarif_file=str(machine.workspace / "all of it.sarif"))
    assert (run.outcome, run.outputs["findings"], run.outputs["new-findings"]) == ("success", "1", "0"), run.log
    (result,) = actions_of(machine).uploaded["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "services/my%20jobs/worker.py"
    write(machine.workspace, {"services/my jobs/new one.py": WORKER, "services/my jobs/two.py": WORKER})
    run = machine.run(working_directory="services/my jobs", paths="worker.py 'new one.py'", upload_sarif="false")
    assert [command.properties["file"] for command in annotations(run)] == ["services/my jobs/new one.py"]


def test_the_sarif_file_goes_where_it_is_wanted(machine: Runner) -> None:
    run = machine.run(sarif_file="redis.sarif", upload_sarif="false")
    assert run.outputs["sarif-file"] == str(machine.workspace / "redis.sarif")
    assert (machine.workspace / "redis.sarif").is_file()


def test_a_summary_is_not_forced_upon_anyone(machine: Runner) -> None:
    assert machine.run(summary="false").summary == ""


# -- code scanning and annotations ------------------------------------------------------------------------------------

FORK = {"event_name": "pull_request", "ref": "refs/pull/7/merge", "actor": "stranger"}


@pytest.mark.parametrize("github", [FORK, {}], ids=["fork", "private"])
def test_a_refused_upload_becomes_annotations_and_changes_nothing_else(machine: Runner, github: dict[str, str]) -> None:
    machine.used, machine.github = Actions("failure"), github
    run = machine.run()
    assert run.steps["upload"].outcome == "failure"
    (shown,) = annotations(run)
    assert (shown.name, shown.properties["file"], shown.properties["line"]) == ("error", "worker.py", "5")
    assert "RL104" in shown.properties["title"]
    assert "BLPOP" in shown.message
    (notice,) = said(run, "notice")
    assert notice.startswith("Code scanning refused the report.")
    assert (run.outcome, run.outputs["exit-code"]) == ("failure", "1")
    (machine.workspace / "worker.py").unlink()
    assert machine.run().outcome == "success"


def test_an_upload_that_must_succeed_fails_the_step_when_it_is_refused(machine: Runner) -> None:
    machine.used = Actions("failure")
    (machine.workspace / "worker.py").unlink()
    run = machine.run(upload_sarif="true")
    assert (run.outcome, run.outputs["exit-code"]) == ("failure", "0")
    assert said(run, "error") == ["Code scanning refused the report, and upload-sarif is true."]


def test_without_an_upload_findings_are_annotations(machine: Runner) -> None:
    run = machine.run(upload_sarif="false")
    assert run.steps["upload"].outcome == "skipped"
    assert [command.name for command in annotations(run)] == ["error"]
    assert said(run, "notice") == []


def test_a_push_by_dependabot_does_not_try_to_upload(machine: Runner) -> None:
    machine.github = {"actor": "dependabot[bot]"}
    assert machine.run().steps["upload"].outcome == "skipped"
    machine.github = {"actor": "dependabot[bot]", "event_name": "pull_request"}
    assert machine.run().steps["upload"].outcome == "success"


@pytest.mark.parametrize(("wanted", "upload", "number"), [("true", "success", 1), ("false", "failure", 0)])
def test_annotations_may_be_had_always_or_never(machine: Runner, wanted: str, upload: str, number: int) -> None:
    machine.used = Actions(upload)
    assert len(annotations(machine.run(annotations=wanted))) == number


# -- what goes wrong --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("inputs", "told"),
    [
        ({"paths": "worker.py gone.py"}, "gone.py"),
        ({"config": "gone.toml"}, "gone.toml"),
        ({"baseline": "gone.jsonl"}, "gone.jsonl"),
        ({"working_directory": "gone"}, "working-directory: no such folder"),
        ({"fail_on": "sometimes"}, "sometimes"),
        ({"level": "bad"}, "bad"),
        ({"upload_sarif": "maybe"}, "upload-sarif: expected auto, true or false, not 'maybe'"),
        ({"annotations": "yes"}, "annotations: expected auto, true or false, not 'yes'"),
        ({"summary": "1"}, "summary: expected true or false, not '1'"),
        ({"sarif_file": "report.json"}, "sarif-file: expected a name that ends in .sarif"),
        ({"sarif_file": "gone/report.sarif"}, "gone"),
        ({"paths": "'worker.py"}, "paths: No closing quotation"),
        ({"extra_args": "--no-such-option"}, "--no-such-option"),
    ],
)
def test_a_mistake_is_told_in_one_annotation_and_nothing_is_uploaded(
    machine: Runner, inputs: dict[str, str], told: str
) -> None:
    run = machine.run(**inputs)
    assert run.outcome == "failure"
    assert run.outputs == {"sarif-file": "", "findings": "", "new-findings": "", "exit-code": "2"}
    (message,) = said(run, "error")
    assert told in message
    assert run.steps["upload"].outcome == "skipped"


def test_what_an_earlier_run_left_is_not_uploaded(machine: Runner) -> None:
    machine.run(sarif_file="redis.sarif")
    write(machine.workspace, {"resplint.toml": "unknown = 1\n"})
    run = machine.run(sarif_file="redis.sarif")
    assert (run.outputs["exit-code"], run.steps["upload"].outcome) == ("2", "skipped")


# -- hostile inputs and trees -----------------------------------------------------------------------------------------

FORGED = (
    "\nexit-code=0\nfindings=0\n::error::forged\n##[error]forged\n::set-output name=exit-code::0\n${{ github.token }}\n"
)


def hostile(marks: Path) -> dict[str, str]:
    """Values that would do something if they became a part of a script, of an output file, or another option."""
    quotes = f"""x'; touch {marks}/1; '"; touch {marks}/2; "$(touch {marks}/3)`touch {marks}/4`${{IFS}}"""
    lines = f"{FORGED}EOF\n\nexit-code<<EOF\n0\nEOF\n"
    return {"text": quotes + lines, "option": f"--output={marks}/5"}


CASES = [
    (name, kind)
    for name in ACTION["inputs"]
    for kind in ("text", "option")
    # The version has a test of its own, and for options there is `extra-args`.
    if name != "version" and (name, kind) != ("extra-args", "option")
]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_hostile_input_does_nothing(machine: Runner, tmp_path: Path, name: str, kind: str) -> None:
    (marks := tmp_path / "marks").mkdir()
    value = hostile(marks)[kind]
    run = machine.run(**{name: value})
    assert list(marks.iterdir()) == []
    assert run.outcome == "failure", "the finding is still there"
    assert run.outputs["exit-code"] in ("1", "2")
    assert run.outputs["findings"] == ("1" if run.outputs["exit-code"] == "1" else "")
    assert "ghs_secret" not in run.log
    for command in run.commands:
        assert command.name in ("error", "notice")
        assert command.properties.get("title", "").startswith(("resplint", "RL104"))
    if name == "category":
        assert run.steps["upload"].used["category"] == value


@pytest.mark.parametrize("kind", ["text", "option"])
def test_a_hostile_version_is_refused(clone: Path, tmp_path: Path, kind: str) -> None:
    (marks := tmp_path / "marks").mkdir()
    workspace = repository(tmp_path / "work", SHOP)
    run = Runner(clone, workspace, tmp_path / "temp", Actions("success")).run(version=hostile(marks)[kind])
    assert list(marks.iterdir()) == []
    assert (run.outcome, run.steps["install"].outcome) == ("failure", "failure")
    (message,) = said(run, "error")
    assert message.startswith("version: expected a version such as 1.2.3, not ")
    assert not (tmp_path / "temp" / "resplint-environment").exists()


@pytest.mark.parametrize(
    "version", ["resplint", "1.0 --pre", "1.0;touch x", "1.0 @ file:///x", ">=1", "1.0\n2.0", "git+https://x/y", "1.*"]
)
def test_only_a_version_is_a_version(script: ModuleType, version: str) -> None:
    with pytest.raises(script.InputError):
        script.requirement(version, "")


def test_a_hostile_tree_gives_the_runner_no_commands(machine: Runner) -> None:
    """File names and code that look like commands, in the log, in annotations and in outputs."""
    machine.used = Actions("failure")
    files = {
        "::error::forged.py": WORKER,
        "##[error]forged.py": WORKER,
        "::set-output name=findings::0.py": WORKER,
        "a\n::warning::forged.py": WORKER,
        "text.py": WORKER.replace('"jobs"', '"::error::forged ##[warning]forged ::stop-commands::x"'),
    }
    write(machine.workspace, files)
    run = machine.run()
    assert run.outputs["findings"] == "6", run.log
    assert len(annotations(run)) == 6
    assert {command.name for command in run.commands} == {"error", "notice"}
    assert "forged" not in " ".join(said(run, "error") + said(run, "notice"))
    assert "<script" not in run.summary


# -- what the runner does not see -------------------------------------------------------------------------------------


def test_no_script_has_an_expression_in_it() -> None:
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step]
    assert scripts
    assert [script for script in scripts if "${{" in script] == []


def test_every_input_is_used_and_described() -> None:
    text = (ROOT / "action.yml").read_text("utf-8")
    assert [name for name in ACTION["inputs"] if f"inputs.{name} " not in text] == []
    assert all(one["description"] and "default" in one for one in ACTION["inputs"].values())


def test_ci_tries_the_action_with_what_it_claims(machine: Runner) -> None:
    """The job that runs the action on other systems compares the numbers that it should."""
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8"))
    steps = {step["id"]: step["with"] for step in workflow["jobs"]["action"]["steps"] if "id" in step}
    examples = [ROOT / given["paths"] for given in steps.values()]
    write(machine.workspace, {str(file.relative_to(ROOT)): file.read_text("utf-8") for file in examples})
    found = {name: machine.run(**{key: str(value) for key, value in given.items()}) for name, given in steps.items()}
    assert {name: run.outcome for name, run in found.items()} == {"bad": "success", "good": "success"}
    assert int(found["bad"].outputs["findings"]) > 0
    assert found["good"].outputs["findings"] == "0"
