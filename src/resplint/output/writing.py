"""Write a report so that a reader finds either the old file or the whole new one."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from resplint.contracts.errors import UserError
from resplint.files.atomic_files import replace_file
from resplint.output.escape import escape

_STREAMS = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2, "/dev/fd/1": 1, "/dev/fd/2": 2}


def is_stream(path: str) -> bool:
    """Whether the name stands for standard output or error."""
    return path in _STREAMS


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path`, atomically if that is (or will be) a regular file.

    A symbolic link is followed and its target replaced; mode and, where permitted, owner of an existing
    file are kept. Devices and pipes are written directly; "-" is standard output. Raises UserError naming path
    and reason, and BrokenPipeError if a reader went away.
    """
    target = os.fspath(path)
    try:
        if target in _STREAMS:
            _write_stream(_STREAMS[target], data)
            return
        try:
            existing = os.stat(target)
        except FileNotFoundError:
            existing = None
        if existing is not None and not stat.S_ISREG(existing.st_mode):
            _write_directly(target, data)
        else:
            replace_file(Path(os.path.realpath(target)), data, existing)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:
        # ValueError: a NUL in the path.
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"Cannot write '{escape(target)}': {escape(reason)}.") from error


def _write_stream(descriptor: int, data: bytes) -> None:
    # Opening /dev/stdout anew would truncate a file that the shell redirected to, and lose what was printed
    # before.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(data)


def _write_directly(target: str, data: bytes) -> None:
    with open(target, "wb") as file:
        file.write(data)
