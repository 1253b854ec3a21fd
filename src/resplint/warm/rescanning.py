"""Scans of what files would be if fixes were applied."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from resplint.contracts.findings import Report
from resplint.fixing import Source
from resplint.scan import FactsMemory, ScanRequest


class Rescanner:
    """Scans a request again and again; only files that changed in between are parsed anew."""

    def __init__(self, request: ScanRequest, analyse: Callable[[ScanRequest], Report]) -> None:
        self._memory = request.memory or FactsMemory()
        self._request = replace(request, memory=self._memory, cache=None)
        self._analyse = analyse

    def scan(self, overlay: Mapping[str, bytes]) -> Report:
        """The report when `overlay` (by path relative to the root) counts instead of what is on disk."""
        return self._analyse(replace(self._request, overlay=overlay))

    def source(self, path: str) -> Source | None:
        """What the newest `scan` took for the content of a file; None if it did not analyse it."""
        kept = self._memory.newest(path)
        if kept is None or kept[1].facts is None:
            return None
        return Source(kept[0], kept[1].facts.language)
