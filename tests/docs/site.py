"""The site of the documentation, built for tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[2]


def build(folder: Path, settings: Path) -> subprocess.CompletedProcess[str]:
    """Run MkDocs strictly. Not quietly: it counts only the warnings that it shows."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", settings, "-d", folder],
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def built(temporary: pytest.TempPathFactory) -> Path:
    """The folder of the site, built once for all test processes."""
    base = temporary.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "site"
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            done = build(folder, ROOT / "mkdocs.yml")
            assert done.returncode == 0, done.stderr
    return folder
