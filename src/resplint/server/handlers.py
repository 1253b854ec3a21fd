"""The protocol's messages, each handed to the session."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Generator, Mapping
from typing import Any, BinaryIO

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidRequest
from pygls.lsp.server import LanguageServer
from pygls.protocol.language_server import LanguageServerProtocol, lsp_method
from pygls.workspace import PositionCodec

from resplint._version import __version__
from resplint.output.about import NAME
from resplint.output.escape import escape
from resplint.server.actions import KINDS
from resplint.server.client import abilities, read_options
from resplint.server.logs import print_in_lines
from resplint.server.projects import OpenProject
from resplint.server.session import Session
from resplint.server.status import CLIENTS, STATUS
from resplint.server.watching import registration
from resplint.warm.scanning import LoadConfig

LONG_SCAN_S = 1.0
"""A first scan that takes longer shows its progress."""


class Protocol(LanguageServerProtocol):
    """The protocol, in which a session begins once."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        if self._workspace is not None:
            raise JsonRpcInvalidRequest("the session has begun already")
        return (yield from super().lsp_initialize(params))


class Server(LanguageServer):
    """The language server: a session, and the way back to the editor."""

    def __init__(self, load_config: LoadConfig) -> None:
        # Editors and pygls count lines of a changed range differently at form feeds and the like; whole texts are safe.
        kind = types.TextDocumentSyncKind.Full
        super().__init__(NAME, __version__, text_document_sync_kind=kind, protocol_cls=Protocol)
        self.load_config = load_config
        self.asked_to_shut_down = False
        self._session: Session | None = None
        self._tasks: set[asyncio.Future[Any]] = set()

    @property
    def session(self) -> Session:
        """The session; there is one from `initialize` on."""
        assert self._session is not None
        return self._session

    def begin(self, params: types.InitializeParams) -> None:
        """Begin a session with what the editor says about itself."""
        options, problems = read_options(params.initialization_options)
        client = abilities(params.capabilities)
        codec: PositionCodec = self.workspace.position_codec
        self._session = Session(self, client, options, codec, self.load_config)
        for problem in problems:
            self.show(problem, types.MessageType.Warning)

    def folders(self) -> dict[str, str]:
        """Names of the workspace's folders by URI."""
        folders = {folder.uri: folder.name for folder in self.workspace.folders.values()}
        root = self.workspace.root_uri
        return folders or ({root: ""} if root else {})

    def report_server_error(self, error: Exception, source: Any) -> None:
        """A message that could not be handled is no reason to interrupt the user."""
        self.log(f"{type(error).__name__}: {error}", types.MessageType.Error)

    # -- to the editor -----------------------------------------------------------------------------------------------

    def publish(self, params: types.PublishDiagnosticsParams) -> None:
        self.text_document_publish_diagnostics(params)

    def refresh(self) -> None:
        self._later(self.workspace_diagnostic_refresh_async(None))

    def log(self, message: str, kind: types.MessageType) -> None:
        self.window_log_message(types.LogMessageParams(kind, message))

    def show(self, message: str, kind: types.MessageType) -> None:
        self.window_show_message(types.ShowMessageParams(kind, message))

    def status(self, message: Mapping[str, object]) -> None:
        self.protocol.notify(STATUS, message)

    def working(self, project: OpenProject) -> Callable[[], None]:
        """Show that a first scan is under way if it takes long; returns what to call when it is over."""
        if not self.session.client.shows_progress:
            return lambda: None
        over = asyncio.Event()
        self._later(self._progress(project, over))
        return over.set

    async def _progress(self, project: OpenProject, over: asyncio.Event) -> None:
        try:
            await asyncio.wait_for(over.wait(), LONG_SCAN_S)
        except asyncio.TimeoutError:
            token = str(uuid.uuid4())
            name = escape(project.uri.rstrip("/").rsplit("/", 1)[-1])
            await self.work_done_progress.create_async(token)
            self.work_done_progress.begin(token, types.WorkDoneProgressBegin(f"resplint: scanning {name}"))
            await over.wait()
            self.work_done_progress.end(token, types.WorkDoneProgressEnd())

    async def register_watchers(self) -> None:
        """Ask for notice of files that change on disk."""
        await self.client_register_capability_async(types.RegistrationParams([registration()]))

    def _later(self, work: Any) -> None:
        """Do something beside; a failure is logged, as an editor that refuses a request is no reason to stop."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Future[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self.log(f"{type(error).__name__}: {error}", types.MessageType.Warning)


# -- life -----------------------------------------------------------------------------------------------------------


def initialize(ls: Server, params: types.InitializeParams) -> None:
    ls.begin(params)
    if ls.session.client.pulls:
        workspace = ls.session.options.diagnostics != "open"
        options = types.DiagnosticOptions(
            inter_file_dependencies=True, workspace_diagnostics=workspace, identifier=NAME
        )
        ls.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(document_diagnostic)
        if workspace:
            ls.feature(types.WORKSPACE_DIAGNOSTIC)(workspace_diagnostic)


async def initialized(ls: Server, params: types.InitializedParams) -> None:
    ls.session.start(ls.folders())
    if ls.session.client.watches_files:
        await ls.register_watchers()


def shutdown(ls: Server, params: None) -> None:
    ls.asked_to_shut_down = True
    ls.session.stop()


# -- changes --------------------------------------------------------------------------------------------------------


def did_open(ls: Server, params: types.DidOpenTextDocumentParams) -> None:
    document = params.text_document
    ls.session.opened(document.uri, document.version, document.text)


def did_change(ls: Server, params: types.DidChangeTextDocumentParams) -> None:
    document = ls.workspace.get_text_document(params.text_document.uri)
    ls.session.changed(params.text_document.uri, params.text_document.version, document.source)


def did_save(ls: Server, params: types.DidSaveTextDocumentParams) -> None:
    ls.session.saved(params.text_document.uri)


def did_close(ls: Server, params: types.DidCloseTextDocumentParams) -> None:
    ls.session.closed(params.text_document.uri)


def did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    ls.session.files_changed({change.uri: change.type for change in params.changes})


def did_change_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    ls.session.set_folders(ls.folders())


def did_change_configuration(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    """Editors send this unasked; what they have to say came with `initialize`."""


# -- questions ------------------------------------------------------------------------------------------------------


def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    return ls.session.hover(params.text_document.uri, params.position)


async def code_action(ls: Server, params: types.CodeActionParams) -> list[types.CodeAction]:
    return await ls.session.actions(params)


async def resolve_code_action(ls: Server, params: types.CodeAction) -> types.CodeAction:
    return await ls.session.resolve(params)


async def document_diagnostic(ls: Server, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    return await ls.session.document_report(params.text_document.uri, params.previous_result_id)


async def workspace_diagnostic(ls: Server, params: types.WorkspaceDiagnosticParams) -> types.WorkspaceDiagnosticReport:
    return await ls.session.workspace_report({each.uri: each.value for each in params.previous_result_ids})


async def clients(ls: Server, params: Any) -> Mapping[str, object]:
    return {"projects": await ls.session.clients()}


HANDLERS: Mapping[str, tuple[Callable[..., Any], object]] = {
    types.INITIALIZE: (initialize, None),
    types.INITIALIZED: (initialized, None),
    types.SHUTDOWN: (shutdown, None),
    types.TEXT_DOCUMENT_DID_OPEN: (did_open, None),
    types.TEXT_DOCUMENT_DID_CHANGE: (did_change, None),
    types.TEXT_DOCUMENT_DID_SAVE: (did_save, None),
    types.TEXT_DOCUMENT_DID_CLOSE: (did_close, None),
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: (did_change_watched_files, None),
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: (did_change_folders, None),
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: (did_change_configuration, None),
    types.TEXT_DOCUMENT_HOVER: (hover, None),
    types.TEXT_DOCUMENT_CODE_ACTION: (
        code_action,
        types.CodeActionOptions(code_action_kinds=list(KINDS), resolve_provider=True),
    ),
    types.CODE_ACTION_RESOLVE: (resolve_code_action, None),
    CLIENTS: (clients, None),
}


def serve(load_config: LoadConfig, stdin: BinaryIO, stdout: BinaryIO) -> bool:
    """Serve one editor until it ends the session; whether it did so in the order that the protocol wants."""
    print_in_lines()
    server = Server(load_config)
    for name, (handler, options) in HANDLERS.items():
        server.feature(name, options)(handler)
    server.start_io(stdin, stdout)
    return server.asked_to_shut_down
