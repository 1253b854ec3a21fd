"""Projects that resplint meets in hooks and workflows, written for a test, and what is found in them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

CLIENT = "import redis\n\nclient = redis.Redis(socket_timeout=5)\n"
WORKER = 'from shop.db import client\n\n\ndef work():\n    return client.blpop("jobs", timeout=30)\n'
FILLER = "def price_{0}(amount):\n    return amount * {0}\n"
READER = 'from shop.db import client\n\n\ndef read_{0}(name):\n    return client.get(f"item:{{name}}:{0}")\n'

_TS_CLIENT = (
    "import Redis from 'ioredis';\n\nexport const jobs = new Redis({{ host: '{0}', socketTimeout: 5000 }});"
    " jobs.on('error', console.error);\n"
)
_TS_WORKER = "import {{ jobs }} from '{0}';\n\nexport async function next() {{\n  return jobs.blpop('jobs', 30);\n}}\n"
_KOTLIN = """\
import io.lettuce.core.RedisClient
import io.lettuce.core.RedisURI
import java.time.Duration

val uri = RedisURI.create("redis://stage").apply { timeout = Duration.ofSeconds(5) }
val redis = RedisClient.create(uri).connect().sync()

fun next() = redis.blpop(10, "cues")
"""

_FINDING = re.compile(r"^(\S.*):(\d+):(\d+): (error|warning|note) (RL\d{3}) [\w-]+$", re.MULTILINE)


def git(folder: Path, *arguments: str) -> str:
    """Output of git in a folder, without the user's own settings."""
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def write(folder: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def repository(folder: Path, files: dict[str, str]) -> Path:
    """A git repository with one commit that holds `files`."""
    write(folder, files)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=All of it")
    return folder


def large_project(folder: Path, *, deep: bool = False) -> Path:
    """A repository of 215 source files in every language of the tool, with findings that need two files each.

    One client is made in `shop/db.py`, and a file far from it waits too long on it; the same in TypeScript. With
    `deep`, paths are so long that no system takes all of them in one command.
    """
    place = "/".join(f"layer_{letter * 235}" for letter in "abc") + "/" if deep else ""
    files = {"shop/__init__.py": "", "shop/db.py": CLIENT, f"{place}workers/slow.py": WORKER, "-dashed.py": WORKER}
    files |= {f"{place}prices/price_{number:03}.py": FILLER.format(number) for number in range(195)}
    files |= {f"{place}readers/read_{number:02}.py": READER.format(number) for number in range(5)}
    for suffix, module in (("ts", "./client"), ("mts", "./client.mjs"), ("cts", "./client.cjs"), ("tsx", "./client")):
        files[f"web/{suffix}/client.{suffix}"] = _TS_CLIENT.format(suffix)
        files[f"web/{suffix}/worker.{suffix}"] = _TS_WORKER.format(module)
    files |= {"stage/Cues.kt": _KOTLIN, "build.gradle.kts": 'plugins { kotlin("jvm") }\n'}
    files |= {"web/types.d.ts": "export type Price = number;\n"}
    return repository(folder, files)


def found_in(text: str) -> list[tuple[str, int, int, str, str]]:
    """Path, line, column, level and code of every finding in a text report, sorted."""
    return sorted(
        (path, int(line), int(column), level, rule) for path, line, column, level, rule in _FINDING.findall(text)
    )
