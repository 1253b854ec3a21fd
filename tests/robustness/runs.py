"""Scans of what a test makes, and what they gave. Most go through the command line in this process, so that they also
see the exit code and the printed report.
"""

from __future__ import annotations

import json
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from resplint.cli import app
from resplint.config.loading import Config
from resplint.contracts.findings import Report
from resplint.knowledge.load import load_book
from resplint.scan import ScanRequest, scan

SECONDS = 10.0
"""Processor time that one hostile file may take: unlike time on the wall, it does not depend on what else runs."""

FINDING = """\
import redis

queue = redis.Redis(socket_timeout=5)


def take():
    return queue.blpop("jobs", timeout=30)
"""
"""One finding, RL104 in line 7: the wait is longer than the client's time limit."""
FINDING_LINE = 7

CLIENT_MODULE = "import redis\n\nclient = redis.Redis(socket_timeout=5)\n"
USE = '\n\ndef take():\n    return client.blpop("jobs", timeout=30)\n'

ORDINARY = "".join(f"def step_{number}(value):\n    return value + {number}\n\n\n" for number in range(120))
"""Code as people write it, long enough that no heuristic takes the file for machine output."""


@dataclass(frozen=True)
class Sample:
    """A file with one finding, RL104. `declaration` declares a text in the language, `filler` defines a function."""

    file: str
    code: str
    line: int
    declaration: str
    filler: str

    @property
    def culprit(self) -> str:
        """The code that the finding is about."""
        found = re.search(r"queue\.blpop\([^)]*\)", self.code)
        assert found
        return found[0]

    def padded(self) -> str:
        """Its code below functions that keep it from looking like machine output."""
        return self.code + "".join(self.filler.replace("#", str(number)) for number in range(160))


_JVM = "package shop{end}\n\nimport redis.clients.jedis.Jedis{end}\n\nclass Worker {{\n"
_NODE = "\nconst queue = new Redis({ commandTimeout: 5000 }); queue.on('error', console.error);\n\n"
SAMPLES = {
    "python": Sample("module.py", FINDING, 7, 'text = "%s"; ', "\n\ndef f#(x):\n    return x + #\n"),
    "java": Sample(
        "Worker.java",
        _JVM.format(end=";") + '    private final Jedis queue = new Jedis("localhost", 6379);\n\n    String take() {\n'
        '        return queue.blpop(0, "jobs").get(1);\n    }\n}\n',
        9,
        'String text = "%s"; ',
        "\nclass C# {\n    int f(int x) {\n        return x + #;\n    }\n}\n",
    ),
    "kotlin": Sample(
        "Worker.kt",
        _JVM.format(end="") + '    private val queue = Jedis("localhost", 6379)\n\n    fun take(): String {\n'
        '        return queue.blpop(0, "jobs")[1]\n    }\n}\n',
        9,
        'val text = "%s"; ',
        "\nfun f#(x: Int): Int {\n    return x + #\n}\n",
    ),
    "javascript": Sample(
        "queue.js",
        f'const Redis = require("ioredis");\n{_NODE}async function take() {{\n  return queue.blpop("jobs", 30);\n}}\n',
        6,
        'const text = "%s"; ',
        "\nfunction f#(x) {\n  return x + #;\n}\n",
    ),
    "typescript": Sample(
        "queue.ts",
        f'import Redis from "ioredis";\n{_NODE}async function take() {{\n  return queue.blpop("jobs", 30);\n}}\n',
        6,
        'const text = "%s"; ',
        "\nfunction f#(x: number) {\n  return x + #;\n}\n",
    ),
}
"""By language."""


@dataclass
class Outcome:
    """What one run of the command gave."""

    exit_code: int
    document: dict[str, Any]
    seconds: float
    elapsed: float

    @property
    def findings(self) -> list[tuple[str, str, int]]:
        return [(result["path"], result["rule"], result["region"]["start_line"]) for result in self.document["results"]]

    def remarks(self, path: str) -> list[tuple[str, str]]:
        return [(note["kind"], note["message"]) for note in self.document["notifications"] if note["path"] == path]

    @property
    def limits(self) -> list[str]:
        """What the report says was not looked at to the end."""
        return [note["message"] for note in self.document["notifications"] if note["kind"] == "limit"]


def processor_time() -> float:
    """Seconds that this process and those it has waited for spent computing."""
    return sum(os.times()[:4])


def run(*paths: Path, options: tuple[str, ...] = ()) -> Outcome:
    """`resplint scan PATHS`; the exit code must be one of the documented ones and nothing may be raised."""
    started, clock = processor_time(), time.perf_counter()
    arguments = ["scan", *map(str, paths), "--format", "json", "--jobs", "1", *options]
    result = CliRunner().invoke(app.cli, arguments)
    seconds, elapsed = processor_time() - started, time.perf_counter() - clock
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in (0, 1, 2, 3)
    assert "Traceback" not in result.stderr
    assert result.exit_code != 2, result.stderr
    return Outcome(result.exit_code, json.loads(result.stdout), seconds, elapsed)


def scan_bytes(folder: Path, data: bytes | str, name: str = "module.py") -> Outcome:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return run(folder)


def scan_report(*paths: Path, root: Path, **changes: Any) -> Report:
    """A scan through the interface of Python, for tests that step in while it runs."""
    rules = {code: info.name for code, info in load_book().items()}
    request = {key: changes.pop(key) for key in ("progress", "memory") if key in changes}
    config = Config(**{"rules": rules, "jobs": 1, **changes})
    return scan(ScanRequest([str(path) for path in paths], config, root=root, **request))


def write_files(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
