"""What is kept from one scan of a process to the next."""

from __future__ import annotations

import hashlib
import os
import time
from array import array
from collections.abc import Set
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from resplint.scan.lowering_pool import LoweredFile

Stamp = tuple[int, int, int]
"""What changes when a file on disk does: time of the last change (ns), size (bytes), inode."""

_ENTRIES = 12
"""Entries of each kind: the states between which somebody goes back and forth."""
_SETTLED_NS = 2_000_000_000
"""A file that changed more recently may change again without another time stamp."""


class Glance(msgspec.Struct, gc=False):
    """What searches over the bytes of a file found; None as long as nobody searched.

    `matters`: whether the file may have to do with a client library. `modules`: hashes of those that its imports may
    mean, in this process. `sought`: aliases that may stand in them. `aliased`: the modules that begin with one.
    """

    matters: bool | None = None
    modules: array[int] | None = None
    sought: frozenset[str] = frozenset()
    aliased: tuple[str, ...] = ()


class Entries:
    """What would be kept from one process to the next (`resplint.cache.Store`), for as long as this process lives."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[bytes, bytes]] = {}

    def get(self, kind: str, key: bytes) -> bytes | None:
        """What `put` was given for this kind and key, None if it is not there any more."""
        return self._kept.get(kind, {}).get(key)

    def put(self, kind: str, key: bytes, content: bytes) -> bool:
        """Keep `content`, among the newest of its kind."""
        kept = self._kept.setdefault(kind, {})
        kept.pop(key, None)
        kept[key] = content
        while len(kept) > _ENTRIES:
            del kept[next(iter(kept))]
        return True

    def digest(self, data: bytes) -> bytes:
        """16 bytes that stand for others."""
        return hashlib.blake2b(data, digest_size=16).digest()

    def sweep(self) -> None:
        """Nothing: there are never many."""


class FactsMemory:
    """Facts by path and content, those of the newest content of each path, and glances at files as they are on disk."""

    def __init__(self) -> None:
        self.entries = Entries()
        self._kept: dict[str, tuple[bytes, LoweredFile]] = {}
        self._analysed: dict[str, tuple[bytes, LoweredFile]] = {}
        self._glances: dict[str, tuple[Stamp, Glance]] = {}
        self._sought: object = None
        self._include_minified = False

    def get(self, path: str, data: bytes) -> LoweredFile | None:
        """What `put` was given for this path and content, None if its content is another one by now."""
        kept = self._kept.get(path)
        return kept[1] if kept is not None and kept[0] == data else None

    def newest(self, path: str) -> tuple[bytes, LoweredFile] | None:
        """The content of a file that was analysed last and what it was lowered to."""
        return self._kept.get(path)

    def settle(self) -> None:
        """An analysis has ended: keep the facts that it had."""
        self._analysed = dict(self._kept)

    def analysed(self, path: str, digest: bytes) -> LoweredFile | None:
        """What a file was lowered to for the last analysis that came to its end, if it had this content then."""
        data, lowered = self._analysed.get(path, (b"", None))
        return lowered if self.entries.digest(data) == digest else None

    def for_reading(self) -> FactsMemory:
        """A memory that knows what this one does now and keeps what it learns to itself."""
        other = FactsMemory()
        other._kept = dict(self._kept)
        other._include_minified = self._include_minified
        return other

    def put(self, path: str, data: bytes, lowered: LoweredFile) -> None:
        """Keep the facts of a file, unless another try may come to something else."""
        if lowered.settled:
            self._kept[path] = (data, lowered)

    def seek(self, sought: object, files: Set[str], include_minified: bool) -> None:
        """Begin a scan that searches files for something. Other files are forgotten, lest those that are gone pile up
        for days; so is what searches for something else found, and facts if other files have any now.
        """
        for path in self._kept.keys() - files:
            del self._kept[path]
        for path in self._glances.keys() - files:
            del self._glances[path]
        if include_minified != self._include_minified:
            self._include_minified = include_minified
            self._kept.clear()
            self._analysed.clear()
        if sought != self._sought:
            self._sought = sought
            self._glances.clear()

    def glance(self, path: str, absolute: str) -> Glance:
        """What is known of a file as it is on disk now; a blank one, to be filled in, if it changed."""
        try:
            status = os.stat(absolute)
        except OSError:
            return Glance()
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
        known = self._glances.get(path)
        if known is not None and known[0] == stamp:
            return known[1]
        fresh = Glance()
        if time.time_ns() - status.st_mtime_ns > _SETTLED_NS:
            self._glances[path] = (stamp, fresh)
        return fresh
