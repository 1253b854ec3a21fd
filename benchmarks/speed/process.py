"""One command as a whole process: how long it takes, what it costs, how large it gets."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

TIMEOUT_S = 900


class Sample(msgspec.Struct, frozen=True):
    """One run: seconds by the clock, seconds of processor time of the process and its children, and the peak of
    resident memory in MB (1e6 bytes) of the largest one of them.
    """

    wall_s: float
    cpu_s: float
    peak_mb: float


class Run(msgspec.Struct, frozen=True):
    """A run with what it printed."""

    sample: Sample
    exit_code: int
    output: bytes
    errors: bytes


class BenchError(Exception):
    """One line that says what is wrong and what to do, for the user."""


def run(command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, fine: Sequence[int] = (0,)) -> Run:
    """Run a command with `env` on top of a small environment; another exit code than a `fine` one is an error.

    What it prints goes to files, so that reading it costs nothing meanwhile. The peak is never below that of this
    process, from which it is forked (some 30 MB).
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        started = time.perf_counter()
        try:
            process = subprocess.Popen(
                command, cwd=cwd, env=_environment(env or {}), stdin=subprocess.DEVNULL, stdout=output, stderr=errors
            )
        except OSError as error:
            raise BenchError(f"{command[0]} cannot be run: {error}") from error
        limit = threading.Timer(TIMEOUT_S, process.kill)
        limit.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        finally:
            limit.cancel()
        wall_s = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        done = Run(
            Sample(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _MAXRSS_BYTES / 1e6),
            process.returncode,
            output.read(),
            errors.read(),
        )
    if done.exit_code not in fine:
        said = done.errors.decode("utf-8", "replace").strip().splitlines()[-5:]
        raise BenchError(f"{' '.join(command)} ended with {done.exit_code}: {' | '.join(said)}")
    return done


_MAXRSS_BYTES = 1 if os.uname().sysname == "Darwin" else 1024


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    """What commands may see of this process's environment, so that a setting of the user changes no figure."""
    kept = ("PATH", "HOME", "TMPDIR", "PYTHONPATH", "SSL_CERT_FILE")
    return {"LC_ALL": "C.UTF-8", **{name: os.environ[name] for name in kept if name in os.environ}, **extra}
