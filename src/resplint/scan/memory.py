"""Facts that are kept from one scan of a process to the next."""

from __future__ import annotations

from resplint.lowering_pool import LoweredFile


class FactsMemory:
    """Facts by path and content, those of the newest content of each path."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[bytes, LoweredFile]] = {}

    def get(self, path: str, data: bytes) -> LoweredFile | None:
        """What `put` was given for this path and content, None if its content is another one by now."""
        kept = self._kept.get(path)
        return kept[1] if kept is not None and kept[0] == data else None

    def newest(self, path: str) -> tuple[bytes, LoweredFile] | None:
        """The content of a file that was analysed last and what it was lowered to."""
        return self._kept.get(path)

    def for_reading(self) -> FactsMemory:
        """A memory that knows what this one does now and keeps what it learns to itself."""
        other = FactsMemory()
        other._kept = dict(self._kept)
        return other

    def put(self, path: str, data: bytes, lowered: LoweredFile) -> None:
        """Keep the facts of a file. Those of a crash are not kept: it may have been for want of memory."""
        if not lowered.crashed:
            self._kept[path] = (data, lowered)
