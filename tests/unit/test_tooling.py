"""Node.js and Go where the machine has none: from PyPI, as `make test` needs them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import tooling


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with git and a shell, whose tools go to a folder of the test's own."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("git", "sh"):
        found = tooling.shutil.which(name)
        assert found
        (programs / name).symlink_to(found)
    monkeypatch.setenv("PATH", str(programs))
    assert (tooling.shutil.which("node"), tooling.shutil.which("npm"), tooling.shutil.which("go")) == (None,) * 3
    return programs


def test_a_package_of_npm_runs_on_the_node_of_the_wheel(bare: Path) -> None:
    assert tooling.node().is_relative_to(tooling.TOOLS)
    modules = tooling.npm_package("ms", "2.1.3")
    program = "console.log(process.version, require(process.argv[1])('2 days'))"
    done = subprocess.run([tooling.node(), "-e", program, modules / "ms"], capture_output=True, text=True, check=True)
    assert done.stdout == f"v{tooling._NODE_VERSION} 172800000\n"


def test_a_command_of_a_go_module_is_built_by_the_go_of_the_wheel(bare: Path) -> None:
    assert tooling.go().is_relative_to(tooling.TOOLS)
    command = tooling.go_command("github.com/client9/misspell/cmd/misspell", "v0.3.4")
    done = subprocess.run([command], input="recieve", capture_output=True, text=True, check=True, timeout=60)
    assert "receive" in done.stdout + done.stderr


def test_an_old_node_is_not_taken(bare: Path) -> None:
    for name in ("node", "npm"):
        (bare / name).write_text("#!/bin/sh\necho v12.22.9\n")
        (bare / name).chmod(0o755)
    assert tooling.node().is_relative_to(tooling.TOOLS)
    (bare / "node").write_text("#!/bin/sh\necho v22.1.0\n")
    assert tooling.node() == bare / "node"
    assert tooling.npm() == [str(bare / "npm")]
