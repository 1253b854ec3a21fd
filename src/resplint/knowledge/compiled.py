"""Knowledge in a form that is read in milliseconds: its records as msgpack.

Reading the TOML files takes longer than searching a thousand source files. A wheel holds one more file, which is
written when it is built. In a source checkout the first scan writes it beside Python's bytecode, and as with bytecode,
a changed time or size of anything it was made from makes it worthless.
"""

from __future__ import annotations

import os
from functools import cache
from typing import TypeVar

import msgspec

from resplint.knowledge import files

T = TypeVar("T")

_IN_WHEEL = ("_rules", "compiled.msgpack")
_IN_CHECKOUT = ("__pycache__", "rules.msgpack")


class Stamp(msgspec.Struct, frozen=True, array_like=True):
    """State of a file or folder (whose time changes with the names in it): time in ns, size in bytes."""

    path: str
    modified: int
    size: int


class Compiled(msgspec.Struct, frozen=True, array_like=True):
    """The file: what it was made from (nothing in a wheel, which does not change), and records by what they are."""

    stamps: tuple[Stamp, ...]
    sections: dict[str, msgspec.Raw]


def compiled_path() -> tuple[str, bool]:
    """Where the file is, and whether it comes with a wheel."""
    in_wheel = os.path.join(files.PACKAGE, *_IN_WHEEL)
    if os.path.isdir(os.path.dirname(in_wheel)):
        return in_wheel, True
    return os.path.join(files.PACKAGE, *_IN_CHECKOUT), False


def stamp(path: str) -> Stamp:
    """The state of a file or folder now. Raises `OSError`."""
    status = os.stat(path)
    return Stamp(path, status.st_mtime_ns, status.st_size)


@cache
def sections() -> dict[str, msgspec.Raw]:
    """The records by what they are; empty if there is no file, or none that holds."""
    path, in_wheel = compiled_path()
    try:
        with open(path, "rb") as stream:
            compiled = msgspec.msgpack.decode(stream.read(), type=Compiled)
        holds = in_wheel or (compiled.stamps and all(one == stamp(one.path) for one in compiled.stamps))
    except (OSError, ValueError, msgspec.DecodeError):
        return {}
    return compiled.sections if holds else {}


def stored(section: str, record: type[T]) -> T | None:
    """The records of a section; None if they must be read from the rules."""
    raw = sections().get(section)
    if raw is None:
        return None
    try:
        return msgspec.msgpack.decode(raw, type=record)
    except msgspec.DecodeError:
        return None
