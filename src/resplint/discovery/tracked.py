"""Which files git tracks, from the index of the repository: those it does not ignore, whatever ignore files say.

The index is read as a file. No git is started, so that nothing that a repository's configuration names is run.
"""

from __future__ import annotations

import os
from bisect import bisect_left
from functools import cached_property

from resplint.files.regular_files import UnreadableFileError, read_regular

MOST_BYTES = 500_000_000
"""Size of an index, a few millions of files."""
_LINK_LIMIT = 10_000
_LINK = b"gitdir:"
_HEADER = 12
_LENGTHS = (20, 32)
"""Bytes of a hash: SHA-1, SHA-256."""
_STATUS = 40
"""Bytes before the hash of an entry."""
_LONG = 0xFFF
"""What stands for the length of a name that is at least as long."""
_EXTENDED = 0x4000
_COMPRESSED = 4
"""The version from which on names are written down as what differs from the name before."""
_KNOWN = (2, 3, _COMPRESSED)
_SPLIT = b"link"
"""The extension of an index of which another file holds most."""


class TrackedFiles:
    """What git tracks in the work tree `top` (absolute); nothing where that is not known."""

    def __init__(self, top: str) -> None:
        self._top = top
        self.problem = ""
        """Why nothing is known of an index that there is, once somebody has asked."""

    def holds(self, path: str, *, folder: bool) -> bool:
        """Whether git tracks a file, or anything below a folder; `path` is absolute."""
        if not path.startswith(self._top.rstrip(os.sep) + os.sep) or not self._names:
            return False
        relative = path[len(self._top.rstrip(os.sep)) + 1 :]
        name = os.fsencode(relative if os.sep == "/" else relative.replace(os.sep, "/")) + b"/" * folder
        at = bisect_left(self._names, name)
        return at < len(self._names) and (self._names[at].startswith(name) if folder else self._names[at] == name)

    @cached_property
    def _names(self) -> list[bytes]:
        """Paths from the top, sorted as git does."""
        path = ""
        try:
            path = os.path.join(self._folder(), "index")
            data = read_regular(path, MOST_BYTES)
        except UnreadableFileError as error:
            self.problem = str(error) if path and "\0" not in path and os.path.lexists(path) else ""
            return []
        for length in _LENGTHS:
            try:
                return sorted(_entries(data, length))
            except (IndexError, ValueError):
                continue
        self.problem = "has a form that is not known"
        return []

    def _folder(self) -> str:
        """Where git keeps what belongs to the work tree: ``.git``, or what such a file names."""
        path = os.path.join(self._top, ".git")
        if os.path.isdir(path):
            return path
        data = read_regular(path, _LINK_LIMIT)
        if not data.startswith(_LINK):
            raise UnreadableFileError("names no folder")
        return os.path.join(self._top, os.fsdecode(data[len(_LINK) :].strip()))


def _entries(data: bytes, length: int) -> list[bytes]:
    """The names in an index whose hashes have so many bytes. Raises `IndexError` or `ValueError` for anything else."""
    version, count = int.from_bytes(data[4:8], "big"), int.from_bytes(data[8:_HEADER], "big")
    if data[:4] != b"DIRC" or len(data) < _HEADER or version not in _KNOWN:
        raise ValueError(version)
    found: list[bytes] = []
    at, name = _HEADER, b""
    for _ in range(count):
        first = at + _STATUS + length
        flags = data[first] << 8 | data[first + 1]
        start = first + (4 if flags & _EXTENDED else 2)
        if version == _COMPRESSED:
            cut, start = _number(data, start)
            end = data.index(0, start)
            name = name[: len(name) - cut] + data[start:end]
            at = end + 1
        else:
            end = start + (flags & _LONG) if flags & _LONG < _LONG else data.index(0, start)
            name = data[start:end]
            at += (end - at + 8) & ~7
        if data[end] or len(name) < min(flags & _LONG, _LONG) or not name:
            raise ValueError(name)
        found.append(name)
    if data[at : at + len(_SPLIT)] == _SPLIT:
        raise ValueError(_SPLIT)
    return found


def _number(data: bytes, at: int) -> tuple[int, int]:
    """A number of some bytes, of which the last one has no highest bit, and where it ends."""
    value = data[at] & 0x7F
    while data[at] & 0x80:
        at += 1
        value = (value + 1 << 7) | data[at] & 0x7F
    return value, at + 1
