"""Replace files so that a reader finds either the old one or the whole new one."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path


class StagedFile:
    """New content for a file, complete on disk beside it, and not yet in its place.

    Either `commit` or `discard` must follow. Everything raises `OSError` when the file system refuses.
    """

    def __init__(self, target: Path, data: bytes, existing: os.stat_result | None) -> None:
        """Write `data` beside `target`, with the mode and, where permitted, the owner of the `existing` file."""
        self._target = target
        # In the same directory, since a rename is atomic only within a file system; a short name, since that of
        # the target may already be as long as a name can be.
        self._temporary = target.with_name(f".resplint-{os.urandom(8).hex()}.tmp")
        # Not tempfile: it creates with mode 0600, where a new file should have what the umask allows.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        descriptor = os.open(self._temporary, flags, 0o666)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if existing is not None:
                _keep_owner(self._temporary, existing)
                os.chmod(self._temporary, stat.S_IMODE(existing.st_mode))
        except BaseException:
            self.discard()
            raise

    def commit(self) -> None:
        """Put the new content in its place."""
        os.replace(self._temporary, self._target)
        _sync_directory(self._target.parent)

    def discard(self) -> None:
        """Remove what was written; without effect after `commit`."""
        with contextlib.suppress(OSError):
            os.unlink(self._temporary)


def replace_file(target: Path, data: bytes, existing: os.stat_result | None) -> None:
    """Replace (or make) one file. Raises `OSError`; the old content is then still there."""
    staged = StagedFile(target, data, existing)
    try:
        staged.commit()
    except BaseException:
        staged.discard()
        raise


def _keep_owner(temporary: Path, existing: os.stat_result) -> None:
    if hasattr(os, "chown"):
        # Only root may give files away; for everybody else the new file is their own.
        with contextlib.suppress(OSError):
            os.chown(temporary, existing.st_uid, existing.st_gid)


def _sync_directory(directory: Path) -> None:
    # The file is complete by now, so that a file system which cannot do this is no error.
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
