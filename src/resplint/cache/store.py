"""Reading and writing entries, and keeping their number and size within bounds."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterable, Mapping

import msgspec

from resplint.cache.folders import entries_folder, installation_secret, prepare
from resplint.cache.sealing import OVERHEAD, Seal

MAX_BYTES = 500_000_000
"""Of all entries together; those that were not used for longest go first."""
MAX_ENTRIES = 50_000
MAX_ENTRY_BYTES = 200_000_000
_MAX_AGE_S = 60 * 86_400
_ABANDONED_S = 3_600
_TOUCH_AFTER_S = 3_600
"""Reading an entry counts as a use, but is noted no more often than this."""
_AHEAD_S = 86_400
_TEMPORARY = ".new"


class Usage(msgspec.Struct, frozen=True):
    """How much a cache holds: `size` in bytes."""

    folder: str
    entries: int
    size: int


class Store:
    """The entries of one cache, whose `folder` (absolute) exists and is ours alone. Nothing here raises `OSError`."""

    def __init__(self, folder: str, secret: bytes) -> None:
        self.folder = folder
        self._seal = Seal(secret)
        self.digest = self._seal.digest
        """16 bytes that stand for others, different ones in every installation."""

    def get(self, kind: str, key: bytes) -> bytes | None:
        """What `put` was given for this kind and key, None if it is not there or cannot be relied on."""
        path = self._path(kind, key)
        entry = _content(path)
        content = self._seal.opened(kind, key, entry) if entry is not None else None
        if content is not None:
            _note_use(path)
        return content

    def put(self, kind: str, key: bytes, content: bytes) -> bool:
        """Keep `content`; False if that was not possible. `kind` is a word in lower case letters."""
        if len(content) > MAX_ENTRY_BYTES - OVERHEAD:
            return False
        return self._write(self._path(kind, key), self._seal.sealed(kind, key, content))

    def sweep(self, max_bytes: int = MAX_BYTES, max_entries: int = MAX_ENTRIES) -> None:
        """Remove what was abandoned or not used for a long time, and the oldest entries beyond the bounds."""
        now = time.time()
        kept: list[tuple[float, int, str]] = []
        for path, status in self._files():
            age = now - status.st_mtime
            abandoned = path.endswith(_TEMPORARY) and not -_ABANDONED_S < age < _ABANDONED_S
            # A time stamp from the future says nothing about use; it may stem from another machine or a wrong clock.
            if abandoned or age > _MAX_AGE_S or age < -_AHEAD_S:
                _remove(path)
            else:
                kept.append((status.st_mtime, status.st_size, path))
        size, number = sum(each[1] for each in kept), len(kept)
        for _, freed, path in sorted(kept):
            if size <= max_bytes and number <= max_entries:
                break
            _remove(path)
            size, number = size - freed, number - 1

    def clear(self) -> Usage:
        """Remove every entry, and say what there was."""
        before = self.usage()
        for path, _ in self._files():
            _remove(path)
        return before

    def usage(self) -> Usage:
        """How much there is."""
        sizes = [status.st_size for _, status in self._files()]
        return Usage(self.folder, len(sizes), sum(sizes))

    def _path(self, kind: str, key: bytes) -> str:
        return os.path.join(self.folder, self._seal.name(kind, key))

    def _files(self) -> list[tuple[str, os.stat_result]]:
        found = []
        try:
            with os.scandir(self.folder) as listing:
                for entry in listing:
                    with contextlib.suppress(OSError):
                        # Entries are named kind-digest; the marks of the folder are not.
                        if "-" in entry.name and not entry.is_dir(follow_symlinks=False):
                            found.append((entry.path, entry.stat(follow_symlinks=False)))
        except OSError:
            return []
        return found

    def _write(self, path: str, entry: Iterable[bytes]) -> bool:
        temporary = os.path.join(self.folder, f"new-{os.urandom(8).hex()}{_TEMPORARY}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(temporary, flags, 0o600)
            try:
                # Not synced to the disk: what a power failure leaves incomplete shows in its seal.
                with os.fdopen(descriptor, "wb") as file:
                    file.writelines(entry)
                os.replace(temporary, path)
            except BaseException:
                _remove(temporary)
                raise
        except OSError:
            return False
        return True


def open_store(given: str | None, environment: Mapping[str, str]) -> Store:
    """The cache in the folder `given`, or that of the environment, or the user's. Raises `UnusableCacheError`."""
    folder = entries_folder(given, environment)
    prepare(folder)
    return Store(folder, installation_secret(environment))


def _content(path: str) -> bytes | None:
    """The bytes of a regular file of ours that is not a link; None if there is none."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_ENTRY_BYTES:
                return None
            return file.read(MAX_ENTRY_BYTES)
    except (OSError, MemoryError):
        return None


def _note_use(path: str) -> None:
    with contextlib.suppress(OSError):
        if abs(time.time() - os.stat(path).st_mtime) > _TOUCH_AFTER_S:
            os.utime(path)


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)
