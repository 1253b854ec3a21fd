"""The image and the workflow of a release, as far as they can be tried without a registry or a daemon of Docker."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.conftest import ROOT
from tests.integration.projects import CLIENT, WORKER, write

BIN = Path(sys.executable).parent
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
JOBS: dict[str, Any] = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))["jobs"]

# Writes down how it was called, and fails where the test says that the command would.
RECORDER = f"""#!{sys.executable}
import json, os, sys
with open(os.environ["CALLS"], "a") as file:
    file.write(json.dumps([os.path.basename(sys.argv[0]), *sys.argv[1:]]) + "\\n")
sys.exit(1 if os.environ.get("REFUSED", "nothing") in sys.argv else 0)
"""


def instructions() -> list[tuple[str, str]]:
    """The instructions of the Dockerfile."""
    joined = re.sub(r"\\\n\s*", "", "\n".join(line for line in DOCKERFILE.splitlines() if line[:1] != "#"))
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in joined.splitlines() if line]


def test_hadolint_has_nothing_to_say_of_the_image(tmp_path: Path) -> None:
    assert subprocess.run([BIN / "hadolint", ROOT / "Dockerfile"], timeout=60, check=False).returncode == 0
    worse = tmp_path / "Dockerfile"
    worse.write_text(DOCKERFILE.replace("python:3.13-slim", "python:latest"), "utf-8")
    done = subprocess.run([BIN / "hadolint", worse], capture_output=True, text=True, timeout=60, check=False)
    assert "DL3007" in done.stdout


def test_the_image_runs_as_nobody_in_particular() -> None:
    last = [each for each in instructions() if each[0] in ("FROM", "USER")][-1]
    assert last == ("USER", "65532:65532")


def test_the_commands_of_the_image_build_a_resplint_that_works(tmp_path: Path) -> None:
    """What the Dockerfile copies is enough, what it installs scans, without a home and with nothing but wheels."""
    allowed = [line[1:] for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines() if line[:1] == "!"]
    for what, rest in instructions():
        if what == "COPY" and not rest.startswith("--from"):
            *names, target = rest.split()
            for name in names:
                assert any(fnmatch.fnmatch(name, each) for each in allowed), name
                into = tmp_path / "source" / target / (name if target == "./" else "")
                copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
                into.parent.mkdir(parents=True, exist_ok=True)
                copy(ROOT / name, into)
    (run,) = (rest for what, rest in instructions() if what == "RUN")
    script = run.replace("/opt/resplint", str(tmp_path / "opt")).replace("python -m venv", f"{sys.executable} -m venv")
    subprocess.run(["sh", "-ec", script], cwd=tmp_path / "source", check=True, timeout=300)
    project = write(tmp_path / "code", {"shop/db.py": CLIENT, "worker.py": WORKER})
    environment = {"PATH": os.defpath, "RESPLINT_CACHE_DIR": str(tmp_path / "cache")}
    command = [str(tmp_path / "opt" / "bin" / "resplint"), *json.loads(dict(instructions())["CMD"])]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "worker.py:5:12: error RL104" in done.stdout


# -- the workflow -----------------------------------------------------------------------------------------------------


def step(job: str, name: str) -> dict[str, Any]:
    (found,) = (each for each in JOBS[job]["steps"] if each.get("name") == name)
    return dict(found)


def calls(script: str, folder: Path, **environment: str) -> tuple[int, list[list[str]]]:
    """The exit code of a script, and how it called the programs that the test stands in for."""
    bin_ = folder / "bin"
    bin_.mkdir(exist_ok=True)
    for name in ("gh", "docker"):
        (bin_ / name).write_text(RECORDER, "utf-8")
        (bin_ / name).chmod(0o755)
    record = folder / "calls"
    record.unlink(missing_ok=True)
    machine = {**os.environ, "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}", "CALLS": str(record)}
    given = {"GITHUB_REPOSITORY": "Acme/Shop", "GITHUB_SHA": "a" * 40, "TOKEN": "t", "ACTOR": "octo", **environment}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(command, cwd=folder, env={**machine, **given}, timeout=60, check=False)
    lines = record.read_text("utf-8").splitlines() if record.exists() else []
    return done.returncode, [json.loads(line) for line in lines]


@pytest.mark.parametrize(("tag", "tags"), [("v1.2.3", ["1.2.3", "latest", "v1"]), ("v1.2.3rc1", ["1.2.3rc1"])])
def test_the_image_is_built_for_both_architectures(tmp_path: Path, tag: str, tags: list[str]) -> None:
    code, called = calls(step("image", "Build for both architectures and push")["run"], tmp_path, TAG=tag)
    assert code == 0
    (build,) = (each for each in called if each[:3] == ["docker", "buildx", "build"])
    assert build[build.index("--platform") + 1] == "linux/amd64,linux/arm64"
    named = [build[place + 1] for place, each in enumerate(build) if each == "--tag"]
    assert named == [f"ghcr.io/acme/shop:{each}" for each in tags]
    assert "t" not in {word for each in called for word in each}  # the token goes in by standard input


def test_the_release_has_what_the_changelog_says_of_it(tmp_path: Path) -> None:
    script = step("release", "Make the release")["run"]
    chapters = {"Unreleased": "New.", "1.2.3] - 2027-01-31": "Mine.", "1.2.2] - 2026-01-31": "Old."}
    text = "\n\n".join(f"## [{heading}\n\n- {change}" for heading, change in chapters.items())
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{text}\n", "utf-8")
    code, called = calls(script, tmp_path, TAG="v1.2.3")
    assert (code, called[0][:4]) == (0, ["gh", "release", "create", "v1.2.3"])
    assert (tmp_path / "notes.md").read_text("utf-8").strip() == "- Mine."
    assert calls(script, tmp_path, TAG="v1.2.4") == (1, [])


def test_the_major_tag_moves_or_is_made(tmp_path: Path) -> None:
    moving = step("release", "Move the major tag")
    code, called = calls(moving["run"], tmp_path, TAG="v1.2.3")
    assert code == 0
    assert [shlex.join(each) for each in called] == [
        f"gh api --silent --method PATCH repos/Acme/Shop/git/refs/tags/v1 -f sha={'a' * 40} -F force=true"
    ]
    code, called = calls(moving["run"], tmp_path, TAG="v1.2.3", REFUSED="PATCH")
    assert code == 0
    assert called[1][-4:] == ["-f", "ref=refs/tags/v1", "-f", f"sha={'a' * 40}"]
    # Tags of majors do not start a release.
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))
    assert workflow[True]["push"]["tags"] == ["v*.*.*"]


def test_nothing_is_published_before_it_is_tested() -> None:
    assert {name: job.get("needs") for name, job in JOBS.items()} == {
        "test": None, "build": "test", "publish": "build", "image": "publish", "release": "publish",
        "extension": "publish",
    }  # fmt: skip
    assert JOBS["publish"]["permissions"] == {"id-token": "write"}
    assert "RELEASED = True" in step("build", "Compare tag and version")["run"]
