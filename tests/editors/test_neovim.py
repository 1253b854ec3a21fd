"""The recipe for Neovim in `docs/editor.md`, followed to the letter, in the real editor without a window."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.tooling import ROOT, neovim

DB = "import redis\n\nclient = redis.Redis(socket_timeout=5)\n"
WORKER = "from db import client\n\n\ndef work():\n    return client.blpop('jobs', timeout=30)\n"


def test_the_recipe_shows_findings_and_fixes_them(tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    (home / "nvim").mkdir(parents=True)
    (recipe,) = re.findall(r"^```lua\n(.*?)^```$", (ROOT / "docs" / "editor.md").read_text("utf-8"), re.M | re.S)
    (home / "nvim" / "init.lua").write_text(recipe, "utf-8")
    (project / ".git").mkdir(parents=True)
    (project / "db.py").write_text(DB)
    (project / "worker.py").write_text(WORKER)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    homes = {f"XDG_{name}_HOME": str(home) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    done = subprocess.run(
        [neovim(), "--headless", "-S", str(Path(__file__).with_name("neovim.lua"))],
        cwd=project,
        env={**os.environ, **homes, "PATH": path},
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    said = done.stdout + done.stderr
    if "did not come" in said:
        pytest.fail(said[-3000:])
    assert (done.returncode, said.strip()[-4:]) == (0, "DONE"), said[-3000:]
