"""Facts that are kept from one scan of a process to the next."""

from __future__ import annotations

import hashlib

from resplint.lowering_pool import LoweredFile


class FactsMemory:
    """Facts by path and content, those of the newest content of each path."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[bytes, LoweredFile]] = {}

    def get(self, path: str, data: bytes) -> LoweredFile | None:
        """What `put` was given for this path and content, None if its content is another one by now."""
        kept = self._kept.get(path)
        return kept[1] if kept is not None and kept[0] == _digest(data) else None

    def put(self, path: str, data: bytes, lowered: LoweredFile) -> None:
        """Keep the facts of a file. Those of a crash are not kept: it may have been for want of memory."""
        if not lowered.crashed:
            self._kept[path] = (_digest(data), lowered)


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
