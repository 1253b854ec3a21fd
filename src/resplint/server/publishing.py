"""Bringing diagnostics to the editor: pushed when a scan is done, or handed out when it pulls them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence

from lsprotocol import types

from resplint.contracts.findings import NotificationKind
from resplint.server.client import Client, Options
from resplint.server.diagnostics import Diagnostics, of_mistake
from resplint.server.documents import Document, Documents
from resplint.server.locations import Locations
from resplint.server.places import uri_of
from resplint.server.projects import OpenProject, Projects

Send = Callable[[types.PublishDiagnosticsParams], None]


class Publisher:
    """Knows what the editor has, and sends it what is different."""

    def __init__(
        self,
        client: Client,
        options: Options,
        projects: Projects,
        documents: Documents,
        locations: Locations,
        diagnostics: Diagnostics,
        send: Send,
    ) -> None:
        self._client = client
        self._whole_workspace = options.diagnostics == "workspace"
        self._projects = projects
        self._documents = documents
        self._locations = locations
        self._diagnostics = diagnostics
        self._send = send

    # -- pushed ------------------------------------------------------------------------------------------------------

    def push(self, project: OpenProject) -> None:
        """Publish what the last scan of a project found, as far as it is still true."""
        wanted: dict[str, tuple[int | None, list[types.Diagnostic]]] = {}
        stale: set[str] = set()
        if not self._client.pulls and project.scanned is not None:
            for document in self._documents:
                if self._projects.of(document) is project:
                    if self._is_current(project, document):
                        items = self._diagnostics.of_file(project, project.relative(document.path))
                        wanted[document.uri] = (document.version, items)
                    else:
                        stale.add(document.uri)
            for path in self._closed_paths(project) if self._whole_workspace else ():
                wanted[project.uri_of(path)] = (None, self._diagnostics.of_file(project, path))
        if project.scanned is not None and project.scanned.mistake is not None and project.scanned.mistake.file:
            mistake = project.scanned.mistake
            wanted[self._config_uri(mistake.file)] = (None, [of_mistake(str(mistake), mistake.line)])
        for uri in [each for each in project.published if each not in wanted and each not in stale]:
            self._tell(project, uri, None)
        for uri, state in wanted.items():
            if project.published.get(uri) != state:
                self._tell(project, uri, state)

    def withdraw(self, project: OpenProject, uri: str | None = None) -> None:
        """Clear what was published about a document, or about the whole project."""
        for each in [uri] if uri is not None else list(project.published):
            if each in project.published:
                self._tell(project, each, None)

    def _tell(self, project: OpenProject, uri: str, state: tuple[int | None, list[types.Diagnostic]] | None) -> None:
        if state is None:
            del project.published[uri]
        else:
            project.published[uri] = state
        version, items = state or (None, [])
        self._send(types.PublishDiagnosticsParams(uri, items, version))

    def _is_current(self, project: OpenProject, document: Document) -> bool:
        """Whether a document is what the last scan saw."""
        if project.scanned is None:
            return False
        seen = project.scanned.documents.get(project.relative(document.path))
        return seen is not None and seen.text == document.text

    def _closed_paths(self, project: OpenProject) -> list[str]:
        """Files with findings that the project answers for and that are not open."""
        if project.scanned is None:
            return []
        paths = set(project.scanned.results)
        notes = project.scanned.report.notifications
        paths.update(note.path for note in notes if note.kind is NotificationKind.UNUSED_SUPPRESSION and note.path)
        return [
            path
            for path in sorted(paths)
            if self._projects.owns(project, project.absolute(path)) and self._locations.document(project, path) is None
        ]

    def _config_uri(self, file: str) -> str:
        around = [project for project in self._projects if project.only is None and project.holds(file)]
        return around[0].uri_of(around[0].relative(file)) if around else uri_of(file)

    # -- pulled ------------------------------------------------------------------------------------------------------

    def of_document(
        self, project: OpenProject, document: Document, known: str | None
    ) -> types.DocumentDiagnosticReport:
        """The answer to a pull for one document; `known` is the identity of what the editor has."""
        items = self._diagnostics.of_file(project, project.relative(document.path))
        identity = _identity(items)
        if identity == known:
            return types.RelatedUnchangedDocumentDiagnosticReport(identity)
        return types.RelatedFullDocumentDiagnosticReport(items, result_id=identity)

    def of_workspace(self, known: Mapping[str, str]) -> types.WorkspaceDiagnosticReport:
        """The answer to a pull for everything; `known` has the identity of what the editor has, by URI."""
        found: dict[str, tuple[int | None, list[types.Diagnostic]]] = {}
        for project in self._projects:
            for path in self._closed_paths(project):
                found[project.uri_of(path)] = (None, self._diagnostics.of_file(project, path))
        for document in self._documents:
            project = self._projects.of(document)
            items = self._diagnostics.of_file(project, project.relative(document.path))
            found[document.uri] = (document.version, items)
        reports: list[types.WorkspaceDocumentDiagnosticReport] = []
        for uri, (version, items) in sorted(found.items()):
            identity = _identity(items)
            if identity == known.get(uri):
                reports.append(
                    types.WorkspaceUnchangedDocumentDiagnosticReport(uri=uri, result_id=identity, version=version)
                )
            else:
                reports.append(_full(uri, items, version))
        gone = sorted(set(known) - set(found))
        reports += [_full(uri, [], None) for uri in gone]
        return types.WorkspaceDiagnosticReport(reports)


def _full(
    uri: str, items: Sequence[types.Diagnostic], version: int | None
) -> types.WorkspaceFullDocumentDiagnosticReport:
    return types.WorkspaceFullDocumentDiagnosticReport(
        uri=uri, items=items, version=version, result_id=_identity(items)
    )


def _identity(items: Sequence[types.Diagnostic]) -> str:
    return hashlib.sha256(repr(items).encode("utf-8", "surrogatepass")).hexdigest()[:16]
