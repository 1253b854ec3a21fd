"""The work of `action.yml`: `install` resplint, or `scan` and tell the runner what came of it.

Runs as `python -I`, so that nothing of the repository that is scanned is imported. Inputs come in environment
variables and leave as single arguments of a process; none ever becomes a part of a script. Needs the standard library
only.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ACTION = Path(__file__).resolve().parents[1]
_VERSION = re.compile(r"\d+(?:\.\d+)*(?:(?:a|b|rc|\.post|\.dev)\d+)?")
_DECLARED = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


class InputError(Exception):
    """An input that cannot be used; the message names it."""


# -- what the runner reads -------------------------------------------------------------------------------------------


def command(name: str, message: str) -> None:
    """Print a workflow command such as `error`, which the runner shows as an annotation."""
    safe = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    print(f"::{name} title=resplint::{safe}", flush=True)


def output(**values: object) -> None:
    """Set outputs of the step; no value can end its own text, as the delimiter cannot be guessed."""
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8", errors="surrogateescape") as file:
        for name, value in values.items():
            delimiter = secrets.token_hex(16)
            file.write(f"{name.replace('_', '-')}<<{delimiter}\n{value}\n{delimiter}\n")


@contextmanager
def plain_log() -> Iterator[None]:
    """Whatever is printed meanwhile is text to the runner, even if it looks like a workflow command."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    try:
        yield
    finally:
        print(f"::{token}::", flush=True)


def given(name: str, *choices: str) -> str:
    """An input of the action, "" if it is empty. Raises `InputError` for one that is not among `choices`."""
    value = os.environ.get("INPUT_" + name.upper().replace("-", "_"), "").strip()
    if choices and value not in choices:
        raise InputError(f"{name}: expected {', '.join(choices[:-1])} or {choices[-1]}, not {value!a}.")
    return value


# -- install ---------------------------------------------------------------------------------------------------------


def install() -> int:
    """Install resplint into an environment of its own and output its `python`."""
    wanted = requirement(given("version"), os.environ.get("ACTION_REF", ""))
    folder = Path(os.environ["RUNNER_TEMP"], "resplint-environment")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    venv = [sys.executable, "-I", "-m", "venv", "--clear", str(folder)]
    pip = [str(python), "-I", "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install", wanted]
    for step in (venv, pip):
        done = subprocess.run(step, cwd=folder.parent, check=False)
        if done.returncode:
            command("error", f"{wanted} could not be installed; the log says why.")
            return done.returncode
    output(python=python)
    return 0


def requirement(version: str, ref: str) -> str:
    """What pip is to install: the `version` asked for; else the release that the action's own tag `ref` names; else,
    when the action is used by branch, by commit or from a folder, its own checkout.
    """
    if version:
        if not _VERSION.fullmatch(version):
            raise InputError(f"version: expected a version such as 1.2.3, not {version!a}.")
        return f"resplint=={version}"
    declared = _DECLARED.search((ACTION / "src" / "resplint" / "_version.py").read_text("utf-8"))
    # Inside another action the ref may be that one's: it has to be the version of this very checkout as well.
    if declared and ref == f"v{declared[1]}":
        return f"resplint=={declared[1]}"
    return str(ACTION)


# -- scan ------------------------------------------------------------------------------------------------------------


def scan() -> int:
    """Scan once into all reports and set the outputs. The exit code is that of this step's work, not of the scan."""
    reports = Path(tempfile.mkdtemp(prefix="resplint-", dir=os.environ["RUNNER_TEMP"]))
    folder = Path(os.environ["GITHUB_WORKSPACE"], given("working-directory"))
    upload = given("upload-sarif", "auto", "true", "false")
    annotations = given("annotations", "auto", "true", "false")
    summary = given("summary", "true", "false")
    if not folder.is_dir():
        raise InputError(f"working-directory: no such folder: {str(folder)!a}.")
    sarif = sarif_file(folder, reports)
    done = run(arguments(sarif, reports), folder)
    if not sarif.is_file():
        last = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["The scan failed; see the log."])[-1]
        command("error", re.sub("^(?:resplint|Error): ", "", last))
        output(exit_code=done.returncode)
        return 0
    if summary == "true":
        with open(os.environ["GITHUB_STEP_SUMMARY"], "ab") as page:
            page.write((reports / "summary.md").read_bytes())
    output(
        **counts(reports / "report.json"),
        exit_code=done.returncode,
        sarif_file=sarif,
        checkout=checkout(folder),
        upload="true" if upload == "true" or (upload == "auto" and may_upload()) else "false",
        annotations_file="" if annotations == "false" else reports / "annotations.txt",
    )
    return 0


def sarif_file(folder: Path, reports: Path) -> Path:
    """Where the SARIF goes; what an earlier run left there is removed, lest it be uploaded."""
    name = given("sarif-file")
    sarif = folder / name if name else reports / "resplint.sarif"
    if sarif.suffix != ".sarif":  # code scanning passes over files of any other name
        raise InputError(f"sarif-file: expected a name that ends in .sarif, not {name!a}.")
    try:
        sarif.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise InputError(f"sarif-file: {name!a} cannot be replaced: {error}.") from error
    return sarif


def arguments(sarif: Path, reports: Path) -> list[str]:
    """The arguments of resplint. Values are joined to their option, so that none can be taken for another one."""
    chosen = [f"--{name}={value}" for name in ("config", "level", "fail-on", "baseline") if (value := given(name))]
    files = {
        "sarif": sarif,
        "json": reports / "report.json",
        "markdown": reports / "summary.md",
        "github": reports / "annotations.txt",
    }
    written = [f"--report={format_}={file}" for format_, file in files.items()]
    # "-" would be standard input, where nothing is.
    paths = ["./-" if path == "-" else path for path in words("paths")] or ["."]
    return ["scan", "--whole-project", *written, *chosen, *words("extra-args"), "--", *paths]


def words(name: str) -> list[str]:
    """The words of an input, separated by spaces and line ends except in quotes; nothing in them is expanded."""
    try:
        return shlex.split(given(name))
    except ValueError as error:
        raise InputError(f"{name}: {error}; expected words separated by spaces or line breaks.") from error


def run(given_arguments: list[str], folder: Path) -> subprocess.CompletedProcess[bytes]:
    """Run resplint with its report for people in the log."""
    command_line = [sys.executable, "-I", "-m", "resplint", *given_arguments]
    with plain_log():
        done = subprocess.run(command_line, cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        sys.stdout.buffer.write(done.stderr)
        sys.stdout.flush()
    return done


def counts(report: Path) -> dict[str, int]:
    """Findings that the report for people shows, with those of the baseline and without."""
    counted = json.loads(report.read_text("utf-8"))["counts"]
    return {"findings": counted["shown"] + counted["unchanged"], "new_findings": counted["shown"]}


def checkout(folder: Path) -> Path:
    """The repository that paths of the report are relative to; the workspace if it was fetched without git."""
    folder, workspace = folder.resolve(), Path(os.environ["GITHUB_WORKSPACE"]).resolve()
    top = next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)
    return top or (workspace if workspace in (folder, *folder.parents) else folder)


def may_upload() -> bool:
    """Whether to try. Most refusals show only in the attempt, which `action.yml` therefore lets fail: a pull request
    of a fork may upload to a public repository although its token cannot write, a private one may lack code scanning.
    """
    # That a push by Dependabot cannot is certain.
    return not (os.environ.get("GITHUB_ACTOR") == "dependabot[bot]" and os.environ.get("GITHUB_EVENT_NAME") == "push")


def main() -> int:
    step = {"install": install, "scan": scan}[sys.argv[1]]
    try:
        return step()
    except InputError as error:
        command("error", str(error))
        output(exit_code=2)
        return 2 if step is install else 0


if __name__ == "__main__":
    sys.exit(main())
