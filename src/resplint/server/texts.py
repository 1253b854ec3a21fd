"""Texts as editors count them: lines, columns, edits, and where a line went when the text changed."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from resplint.contracts.findings import Region
from resplint.fixing.texts import Text

__all__ = ["LineMap", "Text"]


class LineMap:
    """Where regions of an older text are in a newer one: what was written in one go is one stretch of other lines."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        shorter = min(len(old), len(new))
        self._same_above = next((at for at in range(shorter) if old[at] != new[at]), shorter)
        rest = shorter - self._same_above
        self._same_below = next((at for at in range(rest) if old[-1 - at] != new[-1 - at]), rest)
        self._old_lines = len(old)
        self._moved_lines = len(new) - len(old)

    def region(self, region: Region) -> Region | None:
        """The region in the newer text; None if a line of it is another one by now."""
        if region.end_line <= self._same_above:
            return region
        if region.start_line <= self._old_lines - self._same_below:
            return None
        return msgspec.structs.replace(
            region, start_line=region.start_line + self._moved_lines, end_line=region.end_line + self._moved_lines
        )
