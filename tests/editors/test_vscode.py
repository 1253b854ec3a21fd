"""The extension for VS Code: its own tests against the real server, its package, and what it shares with the server."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from resplint._version import __version__
from resplint.contracts.findings import Level
from resplint.output.about import install
from tests.tooling import ROOT, beside, node, npm, npm_project

SOURCE = ROOT / "editors" / "vscode"
MANIFEST: dict[str, Any] = json.loads((SOURCE / "package.json").read_text("utf-8"))
SETTINGS: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
LEFT_OUT = shutil.ignore_patterns("node_modules", "dist")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the extension with what its lock file names, packaged."""
    folder = tmp_path_factory.mktemp("extension") / "vscode"
    shutil.copytree(SOURCE, folder, ignore=LEFT_OUT)
    (folder / "node_modules").symlink_to(npm_project(SOURCE))
    run(folder, "check")
    run(folder, "package")
    return folder


def run(folder: Path, script: str) -> str:
    """What a script of the extension says; it must end well."""
    environment = {**os.environ, **beside(node()), "RESPLINT": str(Path(sys.executable).with_name("resplint"))}
    done = subprocess.run(
        [*npm(), "run", "--silent", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=180,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    return done.stdout


def test_its_own_tests_pass(project: Path) -> None:
    said = run(project, "test")
    assert "# fail 0" in said
    assert "# skipped 0" in said
    assert int(said.split("# pass ")[1].split()[0]) > 15


def test_the_package_has_what_it_needs_and_nothing_else(project: Path) -> None:
    with zipfile.ZipFile(project / "dist" / "resplint.vsix") as package:
        inside = {name for name in package.namelist() if name.startswith("extension/")}
        licenses = package.read("extension/dist/licenses.txt").decode()
        manifest = json.loads(package.read("extension/package.json"))
    assert inside == {
        "extension/LICENSE.txt", "extension/changelog.md", "extension/package.json", "extension/readme.md",
        "extension/dist/extension.js", "extension/dist/licenses.txt",
    }  # fmt: skip
    assert manifest["version"] == __version__
    assert all(name in licenses for name in MANIFEST["dependencies"])


def test_versions_are_pinned() -> None:
    lock = json.loads((SOURCE / "package-lock.json").read_text("utf-8"))
    pinned = {**MANIFEST["dependencies"], **MANIFEST["devDependencies"]}
    assert all(version[0].isdigit() for version in pinned.values())
    assert {name: lock["packages"][f"node_modules/{name}"]["version"] for name in pinned} == pinned
    assert all(each.get("integrity") for name, each in lock["packages"].items() if name)


def test_it_installs_what_the_server_says_it_needs() -> None:
    source = (SOURCE / "src" / "installing.ts").read_text("utf-8")
    (requirement,) = [line.split('"')[1] for line in source.splitlines() if "REQUIREMENT =" in line]
    assert install("server") == f"pip install '{requirement}'"


def test_its_settings_are_options_of_the_server() -> None:
    assert SETTINGS["resplint.level"]["enum"] == [level.value for level in Level]
    assert SETTINGS["resplint.diagnostics"]["enum"] == ["auto", "open", "workspace"]


def test_a_folder_that_is_not_trusted_does_not_decide_what_is_started() -> None:
    restricted = MANIFEST["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert restricted == ["resplint.path"]
    assert SETTINGS["resplint.requirement"]["scope"] == "machine"


def test_every_setting_is_described_for_people() -> None:
    readme = (SOURCE / "README.md").read_text("utf-8")
    assert [name for name in SETTINGS if f"`{name}`" not in readme] == []
