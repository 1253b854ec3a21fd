"""Facts of files from earlier runs, by path and content: where one file has changed, only that one is parsed again."""

from __future__ import annotations

import msgspec

from resplint.cache import Store
from resplint.contracts.facts import FileFacts
from resplint.scan.kept.recalled import joined
from resplint.scan.lowering_pool import LoweredFile


class _Lowered(msgspec.Struct, frozen=True, array_like=True):
    """Facts of a file, or the reason why there are none."""

    facts: FileFacts | None
    reason: str


_decoder = msgspec.msgpack.Decoder(_Lowered)


class Archive:
    """Facts in the cache. `identity` stands for tool and rules."""

    def __init__(self, store: Store, identity: bytes) -> None:
        self._store = store
        self._identity = identity

    def get(self, path: str, language: str, digest: bytes) -> LoweredFile | None:
        """What `put` was given for a file of this path, language and content."""
        entry = self._store.get("facts", self._key(path, language, digest))
        if entry is None:
            return None
        try:
            lowered = _decoder.decode(entry)
        except (msgspec.MsgspecError, ValueError):
            return None
        return LoweredFile(path, lowered.facts, lowered.reason)

    def put(self, language: str, digest: bytes, lowered: LoweredFile) -> None:
        """Keep the facts of a file, unless another attempt may come to others."""
        if not lowered.settled or lowered.crashed:
            return
        try:
            entry = msgspec.msgpack.encode(_Lowered(lowered.facts, lowered.reason))
        except ValueError:  # a name that is no Unicode
            return
        self._store.put("facts", self._key(lowered.path, language, digest), entry)

    def _key(self, path: str, language: str, digest: bytes) -> bytes:
        return joined(self._identity, path.encode("utf-8", "surrogatepass"), language.encode(), digest)
