"""What earlier runs found, as long as it still holds.

Two kinds of entries of the cache serve a scan. One for each tree says of every file what it looked like (its stamp),
what stands for its content, and what searches told: a file whose stamp is the same is not read at all. One for each
state of a project holds the outcome of a scan. Its key stands for the tool, the rules, the configuration, the names of
all files and the content of those that name Redis; whatever else was read on the way is listed in it and compared.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Collection, Iterable
from typing import TypeVar

import msgspec

from resplint.cache import Store
from resplint.config import Config
from resplint.discover import stamped_time
from resplint.findings import NotificationKind
from resplint.project_files import still_seen
from resplint.scan.outcome import Outcome
from resplint.scan.request import ScanState

_SETTLED_NS = 2_000_000_000
"""A file that changed less than this before a scan began may have changed again without another stamp."""
_WITHOUT_EFFECT = ("jobs", "baseline", "fail_on", "file")
"""Fields of the configuration that an outcome does not depend on."""


class _Row(msgspec.Struct, frozen=True, array_like=True):
    """What is known of one file. `stamp` is empty if it cannot be relied on; `imports` stands for what its imports may
    mean, empty if nobody asked.
    """

    stamp: bytes
    digest: bytes
    matters: bool
    imports: bytes = b""


class _Tree(msgspec.Struct, frozen=True, array_like=True):
    """The files of one root: which `names` were searched for, which names of own modules were `sought` in imports."""

    names: tuple[str, ...]
    sought: tuple[str, ...]
    rows: dict[str, _Row]


class _Kept(msgspec.Struct, frozen=True, array_like=True):
    """An outcome and what it depends on beside its key: the content of files that were read although they do not name
    Redis, and the imports of all files (16 bytes each, sorted by path; empty if nobody asked).
    """

    outcome: Outcome
    contents: dict[str, bytes]
    sought: tuple[str, ...]
    imports: bytes


class Recall:
    """The cache as one scan sees it. `identity` stands for tool and rules."""

    def __init__(self, store: Store, state: ScanState, identity: bytes) -> None:
        self._store = store
        self._state = state
        self._began_ns = time.time_ns()
        factories = msgspec.json.encode(state.config.client_factories, order="deterministic")
        self._base = _joined((identity, factories))
        self._tree_key = _joined((self._base, os.fsencode(state.root)))
        self._tree = self._read_tree()
        self._unchanged: set[str] = set()
        self._key = b""
        state.digest = store.digest

    @property
    def names(self) -> tuple[str, ...]:
        """The names that files were searched for last time; none if there was no such time."""
        return self._tree.names if self._tree is not None else ()

    def unchanged(self, path: str) -> bool | None:
        """Whether a file that is as it was may have to do with Redis; None if it is new or may have changed."""
        row = self._tree.rows.get(path) if self._tree is not None else None
        if row is None or not row.stamp or row.stamp != self._state.files[path].stamp:
            return None
        self._unchanged.add(path)
        self._state.digests[path] = row.digest
        return row.matters

    def same(self, path: str) -> bool | None:
        """Whether a file that was just read, and has the content it had, may have to do with Redis."""
        row = self._tree.rows.get(path) if self._tree is not None else None
        return row.matters if row is not None and self._state.digests.get(path) == row.digest else None

    # -- outcomes ----------------------------------------------------------------------------------------------------

    def find(self, first: Iterable[str]) -> Outcome | None:
        """The outcome of an earlier scan of the same, in which the files `first` named Redis."""
        state = self._state
        files = (part for path, file in sorted(state.files.items()) for part in (_bytes(path), file.language.encode()))
        named = (part for path in first for part in (_bytes(path), state.digests.get(path, b"")))
        listed, content = _joined(files), _joined(named)
        self._key = _joined((self._base, _configured(state.config), listed, content))
        entry = self._store.get("scan", self._key)
        kept = _decoded(entry, _Kept) if entry is not None else None
        return kept.outcome if kept is not None and self._holds(kept) else None

    def keep(self, outcome: Outcome, names: Collection[str], first: Collection[str]) -> None:
        """Keep what a scan found, unless it was disturbed."""
        state = self._state
        if state.disturbed or any(note.kind is NotificationKind.INTERNAL_ERROR for note in outcome.notes):
            return
        sought = tuple(sorted({name for glance in state.glances.values() for name in glance.sought}))
        imports = {path: self._imports(path, sought) for path in sorted(state.files)} if state.follows else {}
        contents = {path: state.digests[path] for path in sorted(state.used.difference(first))}
        kept = _Kept(outcome, contents, sought, b"".join(imports.values()))
        entry = _encoded(kept)
        if entry is not None:
            self._store.put("scan", self._key, entry)
        self.keep_tree(names, sought, imports)
        self._store.sweep()

    def _holds(self, kept: _Kept) -> bool:
        state = self._state
        root = os.path.realpath(state.root)
        return (
            all(still_seen(root, look) for look in kept.outcome.looks)
            and all(self._digest(path) == digest for path, digest in kept.contents.items())
            and (not kept.imports or kept.imports == self._all_imports(kept.sought))
        )

    def _digest(self, path: str) -> bytes | None:
        if path not in self._state.digests and path in self._state.files:
            self._state.peek(path)
        return self._state.digests.get(path)

    def _all_imports(self, sought: tuple[str, ...]) -> bytes:
        return b"".join(self._imports(path, sought) for path in sorted(self._state.files))

    def _imports(self, path: str, sought: tuple[str, ...]) -> bytes:
        """What stands for the imports of a file; blank for one that is gone."""
        from resplint.scan.importing import looked_for_imports  # noqa: PLC0415 - many scans need it for no file

        state, tree = self._state, self._tree
        if path in self._unchanged and tree is not None and tree.sought == sought and tree.rows[path].imports:
            return tree.rows[path].imports
        if not looked_for_imports(state, path, state.files[path].language, frozenset(sought)):
            return bytes(16)
        glance = state.glance(path)
        parts = (*sorted(glance.modules or ()), "", *sorted(glance.mentioned))
        return self._store.digest(_joined(map(_bytes, parts)))

    # -- trees -------------------------------------------------------------------------------------------------------

    def keep_tree(self, names: Collection[str], sought: tuple[str, ...], imports: dict[str, bytes]) -> None:
        """Keep what is known of each file."""
        state = self._state
        rows: dict[str, _Row] = {}
        for path, file in state.files.items():
            digest, matters = state.digests.get(path), state.glance(path).matters
            if digest is None or matters is None:
                continue
            settled = file.stamp and stamped_time(file.stamp) < self._began_ns - _SETTLED_NS
            rows[path] = _Row(file.stamp if settled else b"", digest, matters, imports.get(path, b""))
        entry = _encoded(_Tree(tuple(sorted(names)), sought, rows))
        if entry is not None:
            self._store.put("tree", self._tree_key, entry)

    def _read_tree(self) -> _Tree | None:
        entry = self._store.get("tree", self._tree_key)
        return _decoded(entry, _Tree) if entry is not None else None


def _configured(config: Config) -> bytes:
    fields = {name: value for name, value in msgspec.structs.asdict(config).items() if name not in _WITHOUT_EFFECT}
    return msgspec.json.encode(fields, order="deterministic")


def _joined(parts: Iterable[bytes]) -> bytes:
    """32 bytes that stand for a sequence of byte strings."""
    digest = hashlib.blake2b(digest_size=32)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.digest()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _encoded(record: msgspec.Struct) -> bytes | None:
    """None for names that are no Unicode: what concerns them is found anew each time."""
    try:
        return msgspec.msgpack.encode(record)
    except ValueError:
        return None


_T = TypeVar("_T", bound=msgspec.Struct)


def _decoded(entry: bytes, record: type[_T]) -> _T | None:
    try:
        return msgspec.msgpack.decode(entry, type=record)
    except (msgspec.MsgspecError, ValueError):
        return None
