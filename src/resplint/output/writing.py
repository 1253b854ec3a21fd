"""Write a report so that a reader finds either the old file or the whole new one."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from pathlib import Path

from resplint.errors import UserError
from resplint.output.escape import escape

_STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2, "/dev/fd/1": 1, "/dev/fd/2": 2}


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to `path`, atomically if that is (or will be) a regular file.

    A symbolic link is followed and its target replaced; mode and, where permitted, owner of an existing
    file are kept. Devices and pipes are written directly. Raises UserError naming path and reason, and
    BrokenPipeError if a reader went away.
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
            _replace(Path(os.path.realpath(target)), data, existing)
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


def _replace(target: Path, data: bytes, existing: os.stat_result | None) -> None:
    # In the same directory, since a rename is atomic only within a file system; a short name, since that of
    # the target may already be as long as a name can be.
    temporary = target.with_name(f".resplint-{secrets.token_hex(8)}.tmp")
    # Not tempfile: it creates with mode 0600, where a report should have what the umask allows.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if existing is not None:
            _keep_owner(temporary, existing)
            os.chmod(temporary, stat.S_IMODE(existing.st_mode))
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_directory(target.parent)


def _keep_owner(temporary: Path, existing: os.stat_result) -> None:
    if hasattr(os, "chown"):
        # Only root may give files away; for everybody else the new file is their own.
        with contextlib.suppress(OSError):
            os.chown(temporary, existing.st_uid, existing.st_gid)


def _sync_directory(directory: Path) -> None:
    # The report is complete by now, so that a file system which cannot do this is no error.
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
