"""The records that `recall` keeps, and their way to bytes and back."""

from __future__ import annotations

import hashlib
from typing import TypeVar

import msgspec

from resplint.discovery.ignore_decisions import MatchCache
from resplint.scan.kept.outcome import Outcome
from resplint.scan.kept.sought import Sought

T = TypeVar("T", bound=msgspec.Struct)


class Row(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What is known of one file. `stamp` is empty if it cannot be relied on; `digest` has 16 bytes."""

    stamp: bytes
    digest: bytes
    matters: bool


class Tree(msgspec.Struct, frozen=True, array_like=True):
    """The files of one root by path, and the `names` that were searched for."""

    names: tuple[str, ...]
    rows: dict[str, Row]


class Walk(msgspec.Struct, frozen=True, array_like=True):
    """What ignore files and the configuration said of the paths below one root, by what stands for their patterns."""

    said: dict[bytes, MatchCache]


class Kept(msgspec.Struct, frozen=True, array_like=True):
    """An outcome and what it depends on beside its key.

    `contents` stand for what was in files that were read although they do not name Redis. `asked` holds what was asked
    about imports: for each file whose importers were looked for, who they were. If anything was, `all_contents` stand
    for what was in all files, sorted by path (16 bytes each), and `sought` is what else files were searched for.
    """

    outcome: Outcome
    contents: dict[str, bytes]
    aliases: tuple[tuple[str, str], ...]
    all_contents: bytes
    asked: dict[str, list[str]]
    sought: Sought


class Imports(msgspec.Struct, frozen=True, array_like=True):
    """Who imports whom in a tree: `aliases`, `asked` and `all_contents` as in `Kept`. `names` stand for the paths and
    languages of all files.
    """

    names: bytes
    aliases: tuple[tuple[str, str], ...]
    all_contents: bytes
    asked: dict[str, list[str]]


def joined(*parts: bytes) -> bytes:
    """32 bytes that stand for a sequence of byte strings."""
    digest = hashlib.blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.digest()


def encoded(record: msgspec.Struct) -> bytes | None:
    """None if it holds names that are no Unicode: what concerns them is found anew each time."""
    try:
        return msgspec.msgpack.encode(record)
    except ValueError:
        return None


def decoded(entry: bytes | None, record: type[T]) -> T | None:
    """None if there is no entry, or one of another form."""
    if entry is None:
        return None
    try:
        return msgspec.msgpack.decode(entry, type=record)
    except (msgspec.MsgspecError, ValueError):
        return None
