"""Names and texts that somebody made up to steer terminals, forge lines and break tables; resplint as a process."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

from click.testing import CliRunner, Result

from resplint.cli.app import cli

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "resplint")
FINDING = """\
import redis

queue = redis.Redis(socket_timeout=5)


def take():
    return queue.blpop("jobs", timeout=30)
"""
"""One finding, RL104 in line 7."""
FINDING_LINE = 7

JEDIS = """\
package shop;

import redis.clients.jedis.Jedis;

class Worker {
    private final Jedis jedis = new Jedis("localhost", 6379);

    String pop() {
        return jedis.blpop(0, "jobs").get(1);
    }
}
"""
SPRING = """\
package shop;

import java.time.Duration;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

@Component
class Claims {
    @Autowired
    private StringRedisTemplate redis;

    String next() {
        return redis.opsForList().leftPop("claims", Duration.ofSeconds(5));
    }
}
"""
"""RL104 in line 14 where settings files give the client less than five seconds."""
IOREDIS = "import Redis from 'ioredis';\nconst c = new Redis({ commandTimeout: 5000 });\nawait c.blpop('jobs', 30);\n"


NAMES: tuple[bytes, ...] = (
    b"line\n::error::forged.py", b"\n.py", b"::error file=x::forged.py", b"\r::warning::forged.py", b"tab\there.py",
    b"\x1b]0;forged\x07.py", b"\x1b[31mred.py", b"\x01\x02\x08.py", b"del\x7f.py", b"c1 \xc2\x9b31m.py",
    b"nel\xc2\x85::error::forged.py", "bidi \u202egpj.py".encode(), "isolate \u2066x\u2069.py".encode(),
    "line separator \u2028::error::forged.py".encode(), b"50%25%0A::error::forged.py", b"a:b,c;d.py",
    b"\"quotes'`$(touch forged)`.py", b"-rf.py", b"--format=json.py", b" leading.py", b"trailing .py", b".hidden.py",
    b"\xff\xfe not UTF-8.py", b"\xed\xa0\x80 surrogate.py", b"n" * 252 + b".py", "\u00e9 composed.py".encode(),
    "e\u0301 composed.py".encode(), b"NUL.py", b"con.py", b"back\\slash.py", b"##[error]forged.py",
    b"##vso[task.setvariable variable=x]forged.py", b"##teamcity[forged].py", b"<script>alert(1)<_script>.py",
    b"<_details>.py", b"[link](http:forged).py", b"![image](forged).py", b"*bold*_it_|cell|.py", b"&amp;&#10;.py",
    b"=HYPERLINK(1).py", b"@octocat #1 GH-2.py", b"{{ x }}${{ secrets }}{% y %}.py", b"]]>-->.py",
    b"[[ATTACHMENT|x]].py",
)  # fmt: skip
"""Names of files that a file system takes; each makes a difference to some reader."""
TEXTS = tuple(dict.fromkeys(os.fsdecode(name) for name in NAMES))

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that nobody may print as they are; of the others below a space, tabs stay in code."""
FORGED = re.compile(r"^\s*::|##\[|##vso\[|##teamcity\[", re.MULTILINE)
"""What a runner of GitHub, Azure or TeamCity takes for a command in its log."""


def plant(folder: Path, text: str = FINDING, names: tuple[bytes, ...] = NAMES) -> None:
    """A file of `text` under each of the names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        with open(os.path.join(os.fsencode(folder), name), "wb") as file:
            file.write(text.encode())


def several_languages(folder: Path) -> set[str]:
    """A finding in three languages, whose versions are looked for in all project files, and a client of settings."""
    texts = {"module.py": FINDING, "Worker.java": JEDIS, "worker.ts": IOREDIS}
    for name, text in {**texts, "Claims.java": SPRING}.items():
        (folder / name).write_text(text)
    return set(texts)


def demand_harmless(data: bytes | str, what: str) -> str:
    """The text of an output, which must hold no raw control character and no forged command."""
    text = data.decode("utf-8", "strict") if isinstance(data, bytes) else data
    assert RAW.findall(text) == [], what
    assert FORGED.findall(text) == [], what
    return text


def run_here(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    """`resplint …` in this process; nothing but an exit may be raised."""
    result = CliRunner().invoke(cli, [os.fspath(each) for each in arguments], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "internal error" not in result.stderr, result.stderr
    return result


def environment(**changes: str) -> dict[str, str]:
    """The environment of the tests, with this checkout to import from and a cache of nobody else."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "src"), **changes}


def run(
    *arguments: str | Path,
    cwd: Path | None = None,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
    stdout: IO[bytes] | int = subprocess.PIPE,
    stderr: IO[bytes] | int = subprocess.PIPE,
    before: Callable[[], object] | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """`resplint …` as a process of its own."""
    return subprocess.run(
        [*COMMAND, *(os.fspath(each) for each in arguments)], cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr,
        preexec_fn=before, env=env or environment(), timeout=120, check=False,
    )  # fmt: skip


def as_nobody(work: Callable[[], Any]) -> Any:
    """What `work` gives in a child process whose user is not the superuser; what it raises as text."""
    import pickle

    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65_534)
                os.setuid(65_534)
            done = work()
        except BaseException as error:
            done = f"{type(error).__name__}: {error}"
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(pickle.dumps(done))
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        data = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(data)
