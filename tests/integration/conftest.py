"""What tests of the integrations share: a clean clone of this checkout, and what is made once for all processes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from tests.integration.projects import git

ROOT = Path(__file__).parents[2]

Once = Callable[[str, Callable[[Path], None]], Path]
"""`once(name, make)`: a folder that `make` fills, once in a run of pytest, however many processes it has."""


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Once:
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Callable[[Path], None]) -> Path:
        folder = shared / f"once-{name}"
        with FileLock(f"{folder}.lock"):
            if not (done := folder / ".done").exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def clone(once: Once) -> Path:
    """A repository that holds this checkout as it is now, changes that are not committed included."""

    def make(folder: Path) -> None:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                target = folder / "resplint" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
        git(folder / "resplint", "init", "--quiet", "--initial-branch=main")
        git(folder / "resplint", "add", "--all")
        git(folder / "resplint", "commit", "--quiet", "--message=As it is now")

    return once("clone", make) / "resplint"
