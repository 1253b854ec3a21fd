"""One editor's session: what is open, what was found, and what happens when something changes."""

from __future__ import annotations

import asyncio
import os
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from lsprotocol import types
from pygls.workspace import PositionCodec

from resplint.config.loading import Config
from resplint.contracts.findings import NotificationKind
from resplint.files.regular_files import UnreadableFileError, read_regular
from resplint.knowledge.load import load_book
from resplint.output.escape import escape
from resplint.server.actions import Actions
from resplint.server.client import Client, Options
from resplint.server.diagnostics import Diagnostics
from resplint.server.documents import Document, Documents
from resplint.server.hover import hover
from resplint.server.locations import Locations
from resplint.server.places import Positions, path_of
from resplint.server.projects import OpenProject, Projects
from resplint.server.publishing import Publisher
from resplint.server.scanning import Job, OutdatedScanError, Scanned
from resplint.server.scheduling import TYPING_PAUSE_S, Scheduler, interruption
from resplint.server.status import failed, idle, inventory_object, scanning
from resplint.server.watching import matters
from resplint.warm.scanning import LoadConfig
from resplint.warm.threads import WorkThread

FIX_ALL_WAIT_S = 1.5
"""How long "fix all" may wait for a scan of what was typed last; editors give up soon after when they save."""
_REMARKS = {
    NotificationKind.INTERNAL_ERROR: types.MessageType.Error,
    NotificationKind.LIMIT: types.MessageType.Warning,
    NotificationKind.MANIFEST: types.MessageType.Warning,
}


class Editor(Protocol):
    """What a session tells the editor."""

    def publish(self, params: types.PublishDiagnosticsParams) -> None: ...
    def refresh(self) -> None: ...
    def log(self, message: str, kind: types.MessageType) -> None: ...
    def show(self, message: str, kind: types.MessageType) -> None: ...
    def status(self, message: Mapping[str, object]) -> None:
        """What a folder is at; only for an editor that asked for it."""

    def working(self, project: OpenProject) -> Callable[[], None]:
        """A first scan began; returns what to call when it is over."""


class Session:
    """Everything between the protocol and the scans. To be used from the event loop's thread only."""

    def __init__(
        self, editor: Editor, client: Client, options: Options, codec: PositionCodec, load_config: LoadConfig
    ) -> None:
        self.client = client
        self.options = options
        self.documents = Documents()
        self.projects = Projects(Config(rules={code: info.name for code, info in load_book().items()}))
        self._editor = editor
        self._load_config = load_config
        self._locations = Locations(self.documents, Positions(codec))
        self._diagnostics = Diagnostics(client, self._locations)
        self._actions = Actions(client, self._locations, self._diagnostics)
        self._publisher = Publisher(
            client, options, self.projects, self.documents, self._locations, self._diagnostics, editor.publish
        )
        self._scheduler = Scheduler(self.projects, self._scan)
        self._thread = WorkThread()

    def start(self, folders: Mapping[str, str]) -> None:
        """Begin with the folders of the workspace (name by URI)."""
        self._scheduler.start()
        self.set_folders(folders)

    def stop(self) -> None:
        """Begin no further scan."""
        self._scheduler.stop()

    # -- changes -----------------------------------------------------------------------------------------------------

    def set_folders(self, folders: Mapping[str, str]) -> None:
        """The workspace has these folders now (name by URI)."""
        before = set(self.projects)
        for gone in self.projects.set_folders(folders):
            self._end(gone)
        for document in self.documents:
            self.projects.of(document)
        for project in set(self.projects) - before:
            # A folder of which nothing is open is scanned only for an editor that shows all of it.
            if self.options.diagnostics == "workspace" or any(project.holds(each.path) for each in self.documents):
                self._scheduler.changed(project)

    def opened(self, uri: str, version: int | None, text: str) -> None:
        """A document was opened."""
        document = self.documents.put(uri, version, text)
        if document is None:
            return
        owner = self.projects.of(document)
        for project in self.projects.touched_by(document.path):
            if project.scanned is None or not self._as_on_disk(document) or not self.client.watches_files:
                self._scheduler.changed(project)
            elif project is owner:
                self._rebase(project, document)
                self._publisher.push(project)

    def changed(self, uri: str, version: int | None, text: str) -> None:
        """A document was changed in the editor."""
        if self.documents.get(uri) is None:
            return
        document = self.documents.put(uri, version, text)
        if document is not None:
            self._touch(document, TYPING_PAUSE_S)

    def saved(self, uri: str) -> None:
        """A document was saved. Its text was scanned already, but other files may have been saved with it."""
        document = self.documents.get(uri)
        if document is None:
            return
        for project in self.projects.touched_by(document.path):
            if self.client.watches_files and project.settled == project.generation:
                continue
            if self.client.watches_files:
                self._scheduler.hurry(project)
            else:
                self._scheduler.changed(project)

    def closed(self, uri: str) -> None:
        """A document was closed: what is on disk counts again."""
        document = self.documents.get(uri)
        if document is None:
            return
        owner = self.projects.of(document)
        self.documents.remove(uri)
        self._publisher.withdraw(owner, uri)
        if owner.only is not None:
            self.projects.drop_alone(document.path)
            self._end(owner)
        for project in self.projects.touched_by(document.path):
            if self._as_on_disk(document) and project.scanned is not None:
                self._publisher.push(project)
            else:
                self._scheduler.changed(project)

    def files_changed(self, uris: Mapping[str, types.FileChangeType]) -> None:
        """Files changed on disk."""
        touched: set[OpenProject] = set()
        for uri, change in uris.items():
            path = path_of(uri)
            if path is None:
                continue
            path = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
            # Of an open document its text in the editor counts.
            if change is types.FileChangeType.Changed and self.documents.at(path) is not None:
                continue
            for project in self.projects:
                if path == project.config.baseline or (project.holds(path) and matters(project.relative(path))):
                    touched.add(project)
        for project in touched:
            if project.scanned is not None or project.generation:
                self._scheduler.changed(project, TYPING_PAUSE_S)

    def _touch(self, document: Document, pause_s: float) -> None:
        self.projects.of(document)
        for project in self.projects.touched_by(document.path):
            self._scheduler.changed(project, pause_s)

    def _as_on_disk(self, document: Document) -> bool:
        try:
            return read_regular(document.path, len(document.data)) == document.data
        except UnreadableFileError:
            return False

    def _rebase(self, project: OpenProject, document: Document) -> None:
        """Let the last scan know a document that it read from disk."""
        if project.scanned is not None:
            path = project.relative(document.path)
            project.scanned = replace(project.scanned, documents={**project.scanned.documents, path: document})

    def _end(self, project: OpenProject) -> None:
        self._publisher.withdraw(project)
        project.due_s = None
        project.generation += 1
        project.settle(project.generation)

    # -- questions ---------------------------------------------------------------------------------------------------

    def hover(self, uri: str, position: types.Position) -> types.Hover | None:
        """What is found at a position, by the last scan: nothing waits here."""
        document = self.documents.get(uri)
        if document is None:
            return None
        project = self.projects.of(document)
        return hover(self._locations, project, document, position, markdown=self.client.reads_markdown)

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """The actions for a range of a document."""
        document = self.documents.get(params.text_document.uri)
        if document is None:
            return []
        if params.context.only:
            document = await self._fresh(document)
        return self._actions.offered(self.projects.of(document), document, params)

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit."""
        uri = action.data.get("uri") if isinstance(action.data, Mapping) else None
        document = self.documents.get(uri) if isinstance(uri, str) else None
        if document is None:
            return action
        return self._actions.resolved(self.projects.of(document), document, action)

    async def _fresh(self, document: Document) -> Document:
        """The document as it is when its last change was scanned, or after a short while."""
        project = self.projects.of(document)
        self._scheduler.hurry(project)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(project.until_settled(), FIX_ALL_WAIT_S)
        return self.documents.get(document.uri) or document

    async def document_report(self, uri: str, known: str | None) -> types.DocumentDiagnosticReport:
        """The diagnostics of a document, once they are known; `known` is the identity of what the editor has."""
        document = self.documents.get(uri)
        if document is not None:
            await self.projects.of(document).until_settled()
            document = self.documents.get(uri)
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        return self._publisher.of_document(self.projects.of(document), document, known)

    async def workspace_report(self, known: Mapping[str, str]) -> types.WorkspaceDiagnosticReport:
        """The diagnostics of all files, once they are known; `known` as above, by URI."""
        for project in list(self.projects):
            if not project.generation:
                self._scheduler.changed(project)
            await project.until_settled()
        return self._publisher.of_workspace(known)

    async def clients(self) -> list[Mapping[str, object]]:
        """The clients of each folder as it is when its last change was scanned; of a folder that could not be linked,
        why.
        """
        found = []
        for project in [each for each in self.projects if each.only is None]:
            found.append(await self._clients(project))
        return found

    async def _clients(self, project: OpenProject) -> Mapping[str, object]:
        if not project.generation:
            self._scheduler.changed(project)
        while True:
            await project.until_settled()
            try:
                job = self._job(project, interruption(project, asyncio.get_running_loop().time()))
                return inventory_object(project, await self._thread.run(job.clients))
            except OutdatedScanError:
                continue
            except Exception as error:  # of one folder: the others have their answer
                return {"uri": project.uri, "clients": [], "error": escape(f"{error}")}

    # -- scanning ----------------------------------------------------------------------------------------------------

    async def _scan(self, project: OpenProject) -> None:
        """Scan a project as it is now and tell the editor. Never raises: the server has to go on."""
        loop = asyncio.get_running_loop()
        job = self._job(project, interruption(project, loop.time()))
        done = self._editor.working(project) if project.scanned is None else None
        self._tell(scanning(project))
        try:
            scanned = await self._thread.run(job.run)
        except OutdatedScanError:
            project.outdated_since_s = project.outdated_since_s or loop.time()
            return
        except Exception as error:  # reported, and the next change is scanned again
            lines = traceback.format_exception(type(error), error, error.__traceback__)
            text = "\n".join(escape(line, keep_tabs=True) for line in "".join(lines).splitlines())
            self._editor.log(f"The scan of {escape(project.root)} failed.\n{text}", types.MessageType.Error)
            project.settle(job.generation)
            self._tell(failed(project, error))
            return
        finally:
            if done is not None:
                done()
        project.outdated_since_s = None
        self._take(project, scanned)
        self._tell(idle(project, scanned))

    def _tell(self, message: Mapping[str, object]) -> None:
        if self.client.shows_status:
            self._editor.status(message)

    def _job(self, project: OpenProject, is_outdated: Callable[[], bool]) -> Job:
        if project.only is None:
            documents = {project.relative(each.path): each for each in self.documents if project.holds(each.path)}
        else:
            document = self.documents.at(project.absolute(project.only))
            documents = {project.only: document} if document is not None else {}
        return Job(
            generation=project.generation, root=project.root, documents=documents, memory=project.memory,
            load_config=self._load_config, last_config=project.config,
            explicit_config=os.path.join(project.root, self.options.config) if self.options.config else None,
            only=project.only, level=self.options.level, is_outdated=is_outdated,
        )  # fmt: skip

    def _take(self, project: OpenProject, scanned: Scanned) -> None:
        before = project.scanned
        project.scanned, project.config = scanned, scanned.config
        project.settle(scanned.generation)
        if project not in list(self.projects):  # its folder was closed meanwhile
            return
        for document in self.documents:
            # Opened while the scan read it from disk.
            is_new = project.holds(document.path) and project.relative(document.path) not in scanned.documents
            if is_new and self._as_on_disk(document):
                self._rebase(project, document)
        self._remark(project, scanned)
        self._publisher.push(project)
        if self.client.pulls and (before is None or before.results != scanned.results):
            self._editor.refresh()

    def _remark(self, project: OpenProject, scanned: Scanned) -> None:
        """Tell what a person should know about the scan, each thing once."""
        if scanned.mistake is None:
            project.shown_mistakes = {each for each in project.shown_mistakes if not each.startswith("!")}
        elif f"!{scanned.mistake}" not in project.shown_mistakes:
            project.shown_mistakes = {each for each in project.shown_mistakes if not each.startswith("!")} | {
                f"!{scanned.mistake}"
            }
            self._editor.show(escape(str(scanned.mistake)), types.MessageType.Error)
        for note in scanned.report.notifications:
            if note.kind in _REMARKS:
                place = f"{note.path}:{note.line}: " if note.line else f"{note.path}: " if note.path else ""
                message = escape(place + note.message)
                if message not in project.shown_mistakes:
                    project.shown_mistakes.add(message)
                    self._editor.log(message, _REMARKS[note.kind])
