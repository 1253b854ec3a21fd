"""Places of a project's scan in the editor, also when a document changed since."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types

from resplint.contracts.findings import Region, Result
from resplint.server.documents import Document, Documents
from resplint.server.places import Positions
from resplint.server.projects import OpenProject
from resplint.server.scanning import Scanned
from resplint.server.texts import LineMap, Text


class Locations:
    """URIs and ranges of what scans name by path and region."""

    def __init__(self, documents: Documents, positions: Positions) -> None:
        self._documents = documents
        self.positions = positions

    def uri(self, project: OpenProject, path: str) -> str:
        """The URI of a file, as the editor spelt it if the file is open."""
        document = self._documents.at(project.absolute(path))
        return document.uri if document is not None else project.uri_of(path)

    def document(self, project: OpenProject, path: str) -> Document | None:
        """The open document of a file."""
        return self._documents.at(project.absolute(path))

    def location(self, project: OpenProject, scanned: Scanned, path: str, region: Region) -> types.Location:
        """A region of a file as it was scanned."""
        return types.Location(self.uri(project, path), self.positions.range(region, scanned.texts.get(path)))

    def current(self, project: OpenProject, scanned: Scanned, path: str) -> Text | None:
        """The text of a file as it is by now; of one that is not open, as it was scanned."""
        document = self.document(project, path)
        return document.content if document is not None else scanned.texts.get(path)

    def moved(self, project: OpenProject, scanned: Scanned, path: str, region: Region) -> Region | None:
        """Where a region of a scanned file is by now; None if it was changed, or if that is not known."""
        old, new = scanned.texts.get(path), self.current(project, scanned, path)
        if old is None or new is None:
            return None
        return region if old is new or old.lines == new.lines else LineMap(old.lines, new.lines).region(region)

    def results(self, project: OpenProject, document: Document) -> Iterator[tuple[Result, Region]]:
        """What the last scan found in a document, where it is by now."""
        scanned = project.scanned
        if scanned is None:
            return
        path = project.relative(document.path)
        for result in scanned.results.get(path, ()):
            region = self.moved(project, scanned, path, result.region)
            if region is not None:
                yield result, region
