"""What a scan knows between linking and judging."""

from __future__ import annotations

from dataclasses import dataclass

from resplint.application import SettingsIndex
from resplint.contracts.findings import Notification, NotificationKind, Place
from resplint.files.source import DecodedSource, decode
from resplint.model.project import Project
from resplint.results.locate import without
from resplint.scan.assumed_versions import AssumedVersions
from resplint.scan.request import ScanState
from resplint.scan.survey import Survey


@dataclass(frozen=True)
class LinkedScan:
    """What a scan knows when its files are linked, before any rule has judged them.

    `selected` are the files that were analysed.
    """

    found: Survey
    state: ScanState
    project: Project
    selected: frozenset[str]
    versions: AssumedVersions
    settings: SettingsIndex

    @property
    def remarks(self) -> tuple[Notification, ...]:
        """What was not read, or not understood, so far: rules ask for settings and versions that nobody read before."""
        return (*self.found.skipped, *self.versions.notifications, *self.settings.notifications, *self._cut)

    @property
    def _cut(self) -> list[Notification]:
        """The stages that the scan's time was too short for."""
        said = (
            "took too long and was cut short (scan-timeout, rule-timeout); findings that depend on it may be missing, "
            "or have a low precision: exclude what the scan is not about, or raise the limit."
        )
        return [Notification(NotificationKind.LIMIT, f"{stage} {said}") for stage in sorted(self.state.deadline.cut)]

    def code(self, place: Place) -> str:
        """What stands at a place of a source file, with asterisks for passwords; "" when the file is gone."""
        data = self.state.read(place.path)
        file = self.state.files.get(place.path)
        source = decode(data, file.language) if data is not None and file is not None else None
        if not isinstance(source, DecodedSource):
            return ""
        secret = [one for one in self.project.secret_places if one.path == place.path]
        return without(source.data, secret)[place.start : place.end].decode("utf-8", "replace")
