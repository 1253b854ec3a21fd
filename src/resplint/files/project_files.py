"""Looking at the files around a project's sources: manifests, lock files, settings, aliases of modules.

All of it goes through the three functions here, so that it can be noted what an analysis looked at, also in vain, and
asked later whether it would see the same again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Literal

import msgspec

from resplint.files.regular_files import UnreadableFileError, is_inside, read_regular

LookKind = Literal["content", "names", "presence"]


class Look(msgspec.Struct, frozen=True, array_like=True):
    """A look at a file or folder below a root. `limit` is the largest size read, in bytes; `seen` stands for what there
    was to see.
    """

    kind: LookKind
    path: str
    limit: int
    seen: bytes


_noted: ContextVar[dict[tuple[str, str, int], Look] | None] = ContextVar("_noted", default=None)


@contextlib.contextmanager
def noting() -> Iterator[dict[tuple[str, str, int], Look]]:
    """Collects what is looked at meanwhile, by kind, path and limit."""
    looks: dict[tuple[str, str, int], Look] = {}
    token = _noted.set(looks)
    try:
        yield looks
    finally:
        _noted.reset(token)


def still_seen(root: str, looks: Iterable[Look]) -> bool:
    """Whether looks at the same places below the real path `root` show the same."""
    return all(_seen(root, look) == look.seen for look in looks)


def _seen(root: str, look: Look) -> bytes:
    if look.kind == "presence":
        return _presence(root, look.path)
    if look.kind == "names":
        return _digest_of_names(_names(root, look.path))
    try:
        return _digest(b"+", _content(root, look.path, look.limit))
    except UnreadableFileError as error:
        return _digest_of_failure(str(error))


def content_below(root: str, path: str, limit: int) -> bytes:
    """The content of a regular file of at most `limit` bytes, at a path relative to the real path `root`.

    Raises `UnreadableFileError` as `read_regular` does, and for a link that leads out of the root.
    """
    try:
        data = _content(root, path, limit)
    except UnreadableFileError as error:
        reason = str(error)
        _note("content", path, limit, lambda: _digest_of_failure(reason))
        raise
    _note("content", path, limit, lambda: _digest(b"+", data))
    return data


def names_below(root: str, folder: str) -> list[str]:
    """The names in a folder below a root, in any order; none if it cannot be listed or lies elsewhere."""
    names = _names(root, folder)
    _note("names", folder, 0, lambda: _digest_of_names(names))
    return names


def is_below(root: str, path: str) -> bool:
    """Whether there is a file or folder at a path below a root."""
    seen = _presence(root, path)
    _note("presence", path, 0, lambda: seen)
    return seen == b"+"


def _note(kind: LookKind, path: str, limit: int, seen: Callable[[], bytes]) -> None:
    looks = _noted.get()
    if looks is not None and (kind, path, limit) not in looks:
        looks[kind, path, limit] = Look(kind, path, limit, seen())


def _content(root: str, path: str, limit: int) -> bytes:
    real = os.path.realpath(os.path.join(root, path))
    if not is_inside(real, root):
        raise UnreadableFileError("is a link that leads out of the scanned folder")
    return read_regular(real, limit)


def _names(root: str, folder: str) -> list[str]:
    real = os.path.realpath(os.path.join(root, folder))
    if not is_inside(real, root):
        return []
    try:
        return os.listdir(real)
    except OSError:
        # That a folder cannot be listed is reported by discovery.
        return []


def _presence(root: str, path: str) -> bytes:
    # Not os.path.exists, which takes three times as long where there is nothing, as is usual.
    return b"+" if os.access(f"{root}{os.sep}{path}", os.F_OK) else b"-"


def _digest(mark: bytes, data: bytes) -> bytes:
    return mark + hashlib.blake2b(data, digest_size=16).digest()


def _digest_of_failure(reason: str) -> bytes:
    return _digest(b"-", reason.encode("utf-8", "surrogateescape"))


def _digest_of_names(names: list[str]) -> bytes:
    return _digest(b"+", "\0".join(sorted(names)).encode("utf-8", "surrogateescape"))
