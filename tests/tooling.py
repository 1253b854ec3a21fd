"""Tools that tests run and that pip does not install: fetched once, at pinned versions, into `.work/tools`.

A tool that cannot be installed fails the test that needs it, with what the installer said: a test that passes because
its tool is missing would prove nothing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).parents[1]
TOOLS = ROOT / ".work" / "tools"
_INSTALL_TIMEOUT_S = 300


def npm_package(name: str, version: str) -> Path:
    """The `node_modules` folder of an npm package installed with its dependencies; needs npm."""

    def install(folder: Path) -> None:
        _run(["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", f"{name}@{version}"])

    return _once(f"{name.strip('@').replace('/', '-')}-{version}", install) / "node_modules"


def go_command(module: str, version: str) -> Path:
    """The executable that `go install module@version` builds; needs Go."""

    def install(folder: Path) -> None:
        _run(["go", "install", f"{module}@{version}"], {"GOBIN": str(folder), "GOFLAGS": ""})

    name = module.rsplit("/", 1)[-1]
    return _once(f"{name}-{version}", install) / name


def _once(name: str, install: Callable[[Path], None]) -> Path:
    """The folder of a tool, installed now if it is not there; safe when several test processes ask at once."""
    folder = TOOLS / name
    TOOLS.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        done = folder / ".installed"
        if not done.is_file():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            install(folder)
            done.touch()
    return folder


def _run(command: Sequence[str], environment: dict[str, str] | None = None) -> None:
    program = shutil.which(command[0])
    if program is None:
        raise RuntimeError(f"{command[0]} is needed to install what this test runs: put it on the PATH")
    done = subprocess.run(
        [program, *command[1:]],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=_INSTALL_TIMEOUT_S,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(command)} failed ({done.returncode}): {done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
