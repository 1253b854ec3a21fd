"""The files that versions are read from: below one root, each read once, within limits, and never run."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from resplint.contracts.findings import Notification, NotificationKind
from resplint.files.project_files import content_below, names_below
from resplint.files.regular_files import UnreadableFileError, shown
from resplint.versions.records import BrokenManifestError, Document, Kind

T = TypeVar("T", bound=Document)

LOCK_LIMIT = 10_000_000
MANIFEST_LIMIT = 1_000_000
YAML_LIMIT = 200_000
"""Largest sizes that are read, in bytes. YAML's parser is slow where it is not compiled."""

_REMEDY = "correct it, so that the versions in it are known"


@dataclass(frozen=True, slots=True)
class Format(Generic[T]):
    """One format: `pattern` matches the whole file name; `limit` is the largest size read, in bytes.

    `parser` reads the bytes of one file. It raises `BrokenManifestError`.
    """

    pattern: re.Pattern[str]
    parser: Callable[[bytes], T]
    kind: Kind
    ecosystem: str = "pypi"
    limit: int = MANIFEST_LIMIT
    constraint: bool = False


class ManifestFiles:
    """Names and content of manifests below `root`, and what was wrong with them.

    `read` gives the bytes of a path relative to the root, or None if that fails; `list_names` the names in a
    folder relative to the root ("" is the root itself). By default both read the disk, inside the root. Once
    `is_over` says so, no more files are read.
    """

    def __init__(
        self,
        root: str,
        read: Callable[[str], bytes | None] | None = None,
        list_names: Callable[[str], Sequence[str]] | None = None,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._is_over = is_over
        self._root = os.path.realpath(root)
        self._read = read
        self._list_names = list_names or self._names_on_disk
        self._names: dict[str, tuple[str, ...]] = {}
        self._documents: dict[tuple[str, object], object] = {}
        self._notifications: dict[tuple[str, str], Notification] = {}

    @property
    def notifications(self) -> tuple[Notification, ...]:
        """What could not be read so far, sorted."""
        return tuple(sorted(self._notifications.values(), key=Notification.sort_key))

    def names(self, folder: str) -> tuple[str, ...]:
        """The sorted names in a folder; none if it cannot be listed or lies outside the root."""
        if folder not in self._names:
            self._names[folder] = () if _leads_out(folder) else tuple(sorted(self._list_names(folder)))
        return self._names[folder]

    def has(self, path: str) -> bool:
        """Whether there is something of this name below the root."""
        folder, name = posixpath.split(path)
        return bool(name) and name in self.names(folder)

    def document(self, path: str, form: Format[T]) -> T | None:
        """The content of a file, read once; None if it cannot be read, which the notifications say."""
        key = (path, form.parser)
        if key not in self._documents and self._is_over():
            return None
        if key not in self._documents:
            self._documents[key] = self._parse(path, form)
        return cast("T | None", self._documents[key])

    def text(self, path: str) -> bytes | None:
        """The bytes of a file that was read, or can be; None for any other."""
        try:
            return self._bytes(path, LOCK_LIMIT)
        except UnreadableFileError:
            return None

    def remark(self, path: str, line: int, problem: str) -> None:
        """Tell that something in a file could not be read."""
        message = f"Manifest not fully read: {shown(problem)}; {_REMEDY}."
        # One place is enough to find the others.
        self._notifications.setdefault((path, message), Notification(NotificationKind.MANIFEST, message, path, line))

    def _parse(self, path: str, form: Format[T]) -> T | None:
        try:
            parsed = form.parser(self._bytes(path, form.limit))
        except UnreadableFileError as error:
            self.remark(path, 0, str(error))
            return None
        except BrokenManifestError as error:
            self.remark(path, error.line, str(error))
            return None
        if parsed.problems:
            line, problem = parsed.problems[0]
            more = f" (and {len(parsed.problems) - 1:,} more)" if len(parsed.problems) > 1 else ""
            self.remark(path, line, f"{problem}{more}")
        return parsed

    def _bytes(self, path: str, limit: int) -> bytes:
        if self._read is not None:
            data = self._read(path)
            if data is None:
                raise UnreadableFileError("cannot be read")
            if len(data) > limit:
                raise UnreadableFileError(f"is larger than {limit:,} bytes")
            return data
        return content_below(self._root, path, limit)

    def _names_on_disk(self, folder: str) -> list[str]:
        return names_below(self._root, folder)


def within(folder: str, path: str) -> str | None:
    """`path` as seen from `folder`, relative to the root; None if it leads out of the root or is an address."""
    if "://" in path or "\0" in path or path.startswith("/"):
        return None
    joined = posixpath.normpath(posixpath.join(folder, path))
    if _leads_out(joined):
        return None
    return "" if joined == "." else joined


def upwards(folder: str) -> list[str]:
    """The folder and all above it, up to the root ("")."""
    found = [folder]
    while folder:
        folder = posixpath.dirname(folder)
        found.append(folder)
    return found


def _leads_out(path: str) -> bool:
    return path == ".." or path.startswith(("../", "/"))
