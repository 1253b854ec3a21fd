"""The recipes for Emacs in `docs/editor.md`, followed to the letter, in the real editor without a window."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.tooling import ROOT, emacs, python_package

DB = "import redis\n\nclient = redis.Redis(socket_timeout=5)\n"
WORKER = """\
from db import client


def work():
    return client.blpop('jobs', timeout=30)


def swap(worker):
    return client.getset('owner', worker)
"""
SCRIPT = """\
const Redis = require('ioredis');

const client = new Redis({ commandTimeout: 2000 });
client.on('error', console.error);

exports.sessions = () => client.keys('session:*');
"""
THREE_SERVERS = f"import json\n\n{WORKER}\n\ncount: int = 'many'\n"
PAGE = (ROOT / "docs" / "editor.md").read_text("utf-8").split("\n## Emacs\n")[1].split("\n## ")[0]
RECIPE, BESIDE_OTHERS = re.findall(r"^```elisp\n(.*?)^```$", PAGE, re.M | re.S)


def follow(recipe: str, what: str, home: Path, worker: str = WORKER, packages: Sequence[Path] = ()) -> None:
    """Start Emacs in a small project, with a recipe as its `init.el`, and do what a function of `emacs.el` does."""
    start = emacs()
    project = home / "project"
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    for name, text in (("db.py", DB), ("worker.py", worker), ("sessions.js", SCRIPT)):
        (project / name).write_text(text)
    init = home / "init.el"
    init.write_text(recipe, "utf-8")
    programs = [Path(sys.executable).parent, *(package / "bin" for package in packages)]
    environment = {**os.environ, "HOME": str(home), "PATH": joined([*programs, os.environ["PATH"]])}
    if packages:
        environment["PYTHONPATH"] = joined([*packages, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [*start, "--load", str(init), "--load", str(Path(__file__).with_name("emacs.el")), "--funcall", what],
        cwd=project,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    said = done.stdout + done.stderr
    assert (done.returncode, said.strip()[-4:]) == (0, "DONE"), said[-3000:]


def joined(folders: Sequence[Path | str]) -> str:
    return os.pathsep.join(str(each) for each in folders if str(each))


def test_the_recipe_shows_findings_and_fixes_them(tmp_path: Path) -> None:
    follow(RECIPE, "tried-recipe", tmp_path)


def test_options_go_behind_the_command(tmp_path: Path) -> None:
    (options,) = re.findall(r"^Options go behind the command: `(.*)`\.$", PAGE, re.M)
    command = '. ("resplint" "server")'
    assert RECIPE.count(command) == 1
    follow(RECIPE.replace(command, f". {options}"), "tried-options", tmp_path)


def test_resplint_runs_beside_other_servers(tmp_path: Path) -> None:
    emacs()
    packages = [python_package("rassumfrassum", "0.3.5"), python_package("ty", "0.0.105")]
    follow(BESIDE_OTHERS, "tried-multiplexer", tmp_path, THREE_SERVERS, packages)
