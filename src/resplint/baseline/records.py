"""What a baseline holds."""

from __future__ import annotations

import datetime
import os
import posixpath
from collections.abc import Mapping
from typing import Annotated

import msgspec

from resplint.contracts.findings import Level, Precision

HEADER = "resplint-baseline"
"""The key that marks the file's first line; its value is the version of the form."""
SCANNED = "scanned"
"""The key beside it, for what was scanned."""
VERSION = 1

_Filled = Annotated[str, msgspec.Meta(min_length=1)]


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, gc=False):
    """One accepted finding; the fields stand in this order in the file.

    `path` is relative to the folder of the file, with forward slashes. `symbol` is the enclosing definition, `code` an
    excerpt for people. `level` is the gravest one that is accepted. `fingerprint` is ``resplint/code/v1`` of the
    finding; `nth` counts from 1 the findings of a file that agree in rule, symbol and fingerprint. `expires` is the
    last day on which the entry holds (UTC).
    """

    path: _Filled
    rule: _Filled
    symbol: str
    code: str
    level: Level
    precision: Precision
    fingerprint: _Filled
    nth: Annotated[int, msgspec.Meta(ge=1)] = 1
    reason: str = ""
    expires: datetime.date | None = None

    def identity(self) -> tuple[str, str, str, str, int]:
        """What no two entries of a file share, and the order in which they stand: by path, then by rule."""
        return (self.path, self.rule, self.symbol, self.fingerprint, self.nth)


class Baseline(msgspec.Struct, frozen=True):
    """The entries of a file, sorted, each identity once; `lines` are the lines on which they stand, by identity.

    `file` is its absolute path. `scanned` are the files and folders (relative to its folder, which is ".") that were
    analysed together when it was written: whoever sees less may not find the same.
    """

    file: str
    entries: tuple[Entry, ...] = ()
    scanned: tuple[str, ...] = ()
    lines: Mapping[tuple[str, str, str, str, int], int] = {}

    @property
    def folder(self) -> str:
        """The folder that the paths of entries are relative to."""
        return folder_of(self.file)


def folder_of(file: str) -> str:
    """The folder that the paths in a baseline are relative to, resolved; the file itself may be a link."""
    return os.path.realpath(os.path.dirname(os.path.abspath(file)))


class Translation:
    """Between paths relative to the folder of a baseline and paths relative to the root of a scan; a baseline serves
    scans of any folder.
    """

    def __init__(self, folder: str, root: str) -> None:
        self._down = _relative(root, folder)
        self._up = _relative(folder, root)
        self.changes = bool(self._down or self._up)
        """Whether the two differ at all."""

    def to_root(self, path: str) -> str:
        """A path of an entry as the scan names it; it begins with ``../`` if it lies outside the root."""
        return _translated(path, self._down, self._up)

    def to_folder(self, path: str) -> str:
        """A path of a result as the baseline names it."""
        return _translated(path, self._up, self._down)


def _relative(path: str, start: str) -> str:
    """The way from `start` to `path`, both absolute, with a slash at its end; "" if they are the same."""
    way = os.path.relpath(path, start).replace(os.sep, "/")
    return "" if way == "." else way + "/"


def _translated(path: str, inward: str, outward: str) -> str:
    """`path` seen from a folder that lies `inward` from where it is relative to; `outward` is the way back."""
    if inward and path.startswith(inward):
        return path[len(inward) :]
    return posixpath.normpath(outward + path) if outward else path
