"""Point 9: what is nested 200,000 times, in the languages that `test_bad_input` does not try, in time and memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

DEPTH = 200_000
SECONDS = 10.0
"""Processor time; the promise is 5 s on a machine that has nothing else to do."""
MEMORY_KB = 500_000

FINDINGS = {
    ".java": """import redis.clients.jedis.Jedis;

class Queue {
  void drop(String[] keys) {
    for (String key : keys) {
      try (Jedis jedis = new Jedis("localhost", 6379)) {
        jedis.del(key);
      }
    }
  }
}
""",
    ".kt": """import redis.clients.jedis.Jedis

class Queue {
  fun drop(keys: List<String>) {
    for (key in keys) {
      Jedis("localhost", 6379).use { it.del(key) }
    }
  }
}
""",
    ".js": """const Redis = require('ioredis');

async function take(queue) {
  const redis = new Redis();
  return redis.get(queue);
}
module.exports = { take };
""",
    ".ts": """import Redis from 'ioredis';

export async function take(queue: string): Promise<string | null> {
  const redis = new Redis();
  return redis.get(queue);
}
""",
}
JVM = ("class Deep { Object deep() { return ", "; } }")
SHAPES = {
    "brackets": lambda depth: "(" * depth + "1" + ")" * depth,
    "calls": lambda depth: "f(" * depth + "1" + ")" * depth,
    "members": lambda depth: "a" + ".b" * depth,
    "sums": lambda depth: '"a"' + ' + "a"' * depth,
    "blocks": lambda depth: "{" * depth + "}" * depth,
    "otherwise": lambda depth: "if (a) {}" + " else if (a) {}" * depth,
}
AROUND = {
    ".java": {"": JVM, "statement": ("class Deep { void deep(boolean a) { ", " } }")},
    ".kt": {"": ("val deep = ", "\n"), "statement": ("fun deep(a: Boolean) { ", " }\n")},
    ".js": {"": ("const deep = ", ";\n"), "statement": ("function deep(a) { ", " }\n")},
    ".ts": {"": ("const deep = ", ";\n"), "statement": ("function deep(a: boolean) { ", " }\n")},
}
MEASURED = """\
import re, resource, runpy, sys
sys.argv = ["resplint", *sys.argv[1:]]
try:
    runpy.run_module("resplint", run_name="__main__")
finally:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    own = int(re.search(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())[1])
    peak = max(own, used[1].ru_maxrss)
    sys.stderr.write(f"\\n{sum(one.ru_utime + one.ru_stime for one in used)} {peak}")
"""
"""A resplint that closes with the processor time it took, and its peak in memory in KB (of one process).

What a process says of its own peak is never below that of the process which started it; the kernel's file is.
"""


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("suffix", FINDINGS)
def test_9_depth(suffix: str, shape: str, tmp_path: Path) -> None:
    """The scan ends in time; the deep file is analysed, in part perhaps, or its name is on the list; others are."""
    before, behind = AROUND[suffix]["statement" if shape in ("blocks", "otherwise") else ""]
    (tmp_path / f"deep{suffix}").write_text(f"{FINDINGS[suffix]}\n{before}{SHAPES[shape](DEPTH)}{behind}")
    (tmp_path / f"plain{suffix}").write_text(FINDINGS[suffix])
    (tmp_path / "resplint.toml").write_text("include-minified = true\n")  # what is on one line would not be parsed
    command = [sys.executable, "-c", MEASURED, "scan", str(tmp_path), "--no-cache", "--format", "json"]
    command += ["--max-file-size", "5000000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ}, check=False)
    assert done.returncode == 1, done.stderr
    document = json.loads(done.stdout)
    assert f"plain{suffix}" in {result["path"] for result in document["results"]}
    told = {note["path"] for note in document["notifications"]}
    assert f"deep{suffix}" in told | {result["path"] for result in document["results"]}
    assert "internal-error" not in {note["kind"] for note in document["notifications"]}
    seconds, memory = done.stderr.rsplit("\n", 1)[1].split()
    assert float(seconds) <= SECONDS
    assert int(memory) <= MEMORY_KB
