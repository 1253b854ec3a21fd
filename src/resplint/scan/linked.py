"""What a scan knows between linking and judging."""

from __future__ import annotations

from dataclasses import dataclass

from resplint.application import SettingsIndex
from resplint.findings import Notification, Place
from resplint.link.project import Project
from resplint.scan.request import ScanState
from resplint.source import DecodedSource, decode


@dataclass(frozen=True)
class LinkedScan:
    """What a scan knows when its files are linked, before any rule has judged them.

    `selected` are the files that were analysed; `reported` are those that the request asks about (None: all).
    """

    state: ScanState
    project: Project
    selected: frozenset[str]
    reported: frozenset[str] | None
    settings: SettingsIndex
    remarks: tuple[Notification, ...]

    def asks_about(self, path: str) -> bool:
        """Whether the request wants to hear of a file; always true of what concerns no single file ("")."""
        return self.reported is None or not path or path in self.reported

    def code(self, place: Place) -> str:
        """What stands at a place of a source file; "" when the file is gone."""
        data = self.state.read(place.path)
        file = self.state.files.get(place.path)
        source = decode(data, file.language) if data is not None and file is not None else None
        if not isinstance(source, DecodedSource):
            return ""
        return source.data[place.start : place.end].decode("utf-8", "replace")
