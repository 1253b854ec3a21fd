"""Projects to scan, resplint in this process, and git without the user's own configuration."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from resplint.cli.app import cli

QUEUE = """\
import redis

client = redis.Redis(socket_timeout=5, max_connections=8)


def next_job():
    return client.blpop("jobs", timeout=30)


def next_mail():
    return client.blpop("mails", timeout=60)
"""
"""Two errors, RL104, in two functions."""
POOL = """\
import redis


def make():
    return redis.Redis(connection_pool=redis.ConnectionPool(socket_timeout=5, max_connections=None))
"""
"""One warning: RL102."""
QUIET = "import redis\n\nclient = redis.Redis(max_connections=8, socket_timeout=5)\nclient.get('name')\n"
JAVA = """\
package shop;

import redis.clients.jedis.Jedis;

class Worker {
    private final Jedis jedis = new Jedis("localhost", 6379);

    String pop() {
        return jedis.blpop(0, "jobs").get(1);
    }
}
"""
"""One warning: RL104."""


def run(*arguments: str | Path, stdin: str | None = None, env: Mapping[str, str] | None = None) -> Result:
    """`resplint …` in this process; an exception that escapes fails the test."""
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(cli, words, input=stdin, env=env, catch_exceptions=False)


def report(*arguments: str | Path, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What `resplint scan` reports, as JSON."""
    done = run("scan", "--exit-zero", "--format", "json", *arguments, env=env)
    assert done.exit_code == 0, done.output
    parsed: dict[str, Any] = json.loads(done.stdout)
    return parsed


def states(*arguments: str | Path) -> list[tuple[str, str, str]]:
    """(path, rule, state) of every result of a scan with these arguments."""
    return [(each["path"], each["rule"], each["baseline"]) for each in report(*arguments)["results"]]


def open_results(*arguments: str | Path) -> list[tuple[str, int]]:
    """(path, line) of the results that count."""
    return [
        (each["path"], each["region"]["start_line"])
        for each in report(*arguments)["results"]
        if each["suppression"] is None
    ]


def remarks(kind: str, *arguments: str | Path, env: Mapping[str, str] | None = None) -> list[str]:
    """Messages of the notifications of one kind."""
    return [each["message"] for each in report(*arguments, env=env)["notifications"] if each["kind"] == kind]


def entries(file: Path) -> list[dict[str, Any]]:
    """The entries of a baseline, without its header."""
    header, *lines = file.read_text("utf-8").splitlines()
    assert json.loads(header)["resplint-baseline"] == 1
    return [json.loads(line) for line in lines]


def put(folder: Path, files: Mapping[str, str]) -> Path:
    """Write files by their paths."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
    return folder


def git(folder: Path, *arguments: str, check: bool = True) -> str:
    """Run git as somebody whom no configuration knows; what it printed."""
    program = shutil.which("git")
    assert program, "these tests need git on the PATH"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    who = {
        f"GIT_{role}_{what}": f"who@{role}.example" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    done = subprocess.run(
        [program, "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        env={**environment, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    if check and done.returncode:
        raise AssertionError(f"git {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def commit(folder: Path, message: str = "change") -> str:
    """Commit everything; the hash."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(folder, "rev-parse", "HEAD")


def repository(folder: Path, files: Mapping[str, str]) -> Path:
    """A new repository with one commit on the branch main."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "--quiet")
    put(folder, files)
    commit(folder, "first")
    return folder
