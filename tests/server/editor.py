"""An editor for tests: it starts the real server, keeps documents, and applies the edits that it is given."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from lsprotocol.converters import get_converter
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

COMMAND = [str(Path(sys.executable).with_name("resplint")), "server"]
TIMEOUT_S = 30.0
LINE = re.compile(r"(.*?)(\r\n|\n|\r|$)", re.DOTALL)
WIDTHS = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}

VS_CODE: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {
        "workspaceFolders": True,
        "workspaceEdit": {"documentChanges": True},
        "didChangeWatchedFiles": {"dynamicRegistration": True},
    },
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "publishDiagnostics": {
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "dataSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "source"]}},
            "isPreferredSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit"]},
        },
    },
}
"""What a capable editor declares, as JSON."""
PLAIN: dict[str, Any] = {
    "textDocument": {
        "hover": {"contentFormat": ["plaintext"]},
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    },
}
"""What an editor declares that can do little."""


def with_pull(capabilities: dict[str, Any]) -> dict[str, Any]:
    """The capabilities of an editor that also pulls diagnostics."""
    workspace = {**capabilities["workspace"], "diagnostics": {"refreshSupport": True}}
    documents = {**capabilities["textDocument"], "diagnostic": {"relatedInformation": True, "dataSupport": True}}
    return {**capabilities, "workspace": workspace, "textDocument": documents}


def with_encodings(capabilities: dict[str, Any], *encodings: str) -> dict[str, Any]:
    """The capabilities of an editor that prefers these position encodings, in this order."""
    return {**capabilities, "general": {"positionEncodings": list(encodings)}}


class Editor:
    """Documents by path, and what the server said about them."""

    def __init__(self, client: LanguageClient, published: Mapping[str, types.PublishDiagnosticsParams]) -> None:
        self.client = client
        self.texts: dict[Path, str] = {}
        self.registered: list[types.Registration] = []
        self.refreshed = 0
        self.encoding = "utf-16"
        self.result: types.InitializeResult | None = None
        self._published = published
        self._versions: dict[Path, int] = {}

    @classmethod
    async def start(
        cls,
        *folders: Path,
        capabilities: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
        command: Sequence[str] = COMMAND,
    ) -> Editor:
        """Start a server and open folders."""
        published: dict[str, types.PublishDiagnosticsParams] = {}
        client = await ClientServerConfig(
            server_command=list(command), client_factory=lambda: _client(published), server_env=dict(os.environ)
        ).start()
        assert isinstance(client, LanguageClient)
        editor = cls(client, published)
        client.editor = editor  # type: ignore[attr-defined]
        declared = get_converter().structure(dict(capabilities or VS_CODE), types.ClientCapabilities)
        editor.result = await client.initialize_session(
            types.InitializeParams(
                capabilities=declared,
                workspace_folders=[_folder(each) for each in folders],
                initialization_options=options,
            )
        )
        encoding = editor.result.capabilities.position_encoding
        editor.encoding = str(getattr(encoding, "value", encoding))
        return editor

    async def stop(self) -> int | None:
        """End the session; the exit code of the server."""
        await asyncio.wait_for(self.client.shutdown_session(), TIMEOUT_S)
        server = self.client._server
        await self.client.stop()  # type: ignore[no-untyped-call]
        return server.returncode if server is not None else None

    # -- documents ---------------------------------------------------------------------------------------------------

    def open(self, path: Path, text: str | None = None) -> None:
        """Open a file, with another text than on disk if one is given."""
        self.texts[path] = path.read_bytes().decode("utf-8") if text is None else text
        self._versions[path] = 1
        item = types.TextDocumentItem(
            uri=path.as_uri(), language_id=path.suffix.strip("."), version=1, text=self.texts[path]
        )
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, path: Path, text: str) -> None:
        self.texts[path] = text
        self._versions[path] += 1
        document = types.VersionedTextDocumentIdentifier(uri=path.as_uri(), version=self._versions[path])
        change = types.TextDocumentContentChangeWholeDocument(text=text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))

    def save(self, path: Path) -> None:
        path.write_bytes(self.texts[path].encode("utf-8"))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier(path)))

    def close(self, path: Path) -> None:
        del self.texts[path]
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(identifier(path)))

    def tell_changed(self, path: Path, kind: types.FileChangeType = types.FileChangeType.Changed) -> None:
        """Tell the server that a file changed on disk."""
        event = types.FileEvent(uri=path.as_uri(), type=kind)
        self.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    def set_folders(self, added: Sequence[Path] = (), removed: Sequence[Path] = ()) -> None:
        event = types.WorkspaceFoldersChangeEvent(
            added=[_folder(each) for each in added], removed=[_folder(each) for each in removed]
        )
        self.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))

    # -- what the server says ----------------------------------------------------------------------------------------

    def shown(self, path: Path) -> list[types.Diagnostic]:
        """The diagnostics that are shown for a file."""
        params = self._published.get(path.as_uri())
        return list(params.diagnostics) if params is not None else []

    def codes(self, path: Path) -> list[object]:
        return [each.code for each in self.shown(path)]

    async def until(self, check: Callable[[], object]) -> None:
        """Wait until something is the case."""
        deadline = asyncio.get_running_loop().time() + TIMEOUT_S
        while not check():
            assert asyncio.get_running_loop().time() < deadline, "the server did not say it in time"
            await asyncio.sleep(0.01)

    async def settled(self, path: Path) -> list[types.Diagnostic]:
        """The diagnostics of a document as it is now."""

        def is_current() -> bool:
            params = self._published.get(path.as_uri())
            return params is not None and params.version == self._versions[path]

        await self.until(is_current)
        return self.shown(path)

    async def until_codes(self, path: Path, codes: Sequence[str]) -> None:
        """Wait until just these rules are shown for a file."""
        await self.until(lambda: self.codes(path) == list(codes))

    def covered(self, path: Path, place: types.Range) -> str:
        """What a range covers in a document, counted in the encoding that was agreed on."""
        start, end = self._offset(self.texts[path], place.start), self._offset(self.texts[path], place.end)
        return self.texts[path][start:end]

    # -- edits -------------------------------------------------------------------------------------------------------

    async def actions(
        self,
        path: Path,
        place: types.Range,
        only: Sequence[str] | None = None,
        about: Sequence[types.Diagnostic] = (),
    ) -> dict[str, types.CodeAction]:
        """The actions for a range and for diagnostics, by title."""
        context = types.CodeActionContext(diagnostics=about, only=only)
        params = types.CodeActionParams(identifier(path), place, context)
        found = await self.client.text_document_code_action_async(params) or []
        return {each.title: each for each in found if isinstance(each, types.CodeAction)}

    async def choose(self, action: types.CodeAction) -> None:
        """Resolve an action if that is needed, and apply its edit."""
        if action.edit is None:
            action = await self.client.code_action_resolve_async(action)
        assert action.edit is not None
        for uri, edits in _by_uri(action.edit).items():
            path = next(each for each in self.texts if each.as_uri() == uri)
            self.change(path, self.edited(path, edits))

    def edited(self, path: Path, edits: Sequence[types.TextEdit]) -> str:
        text = self.texts[path]
        places = [
            (self._offset(text, each.range.start), self._offset(text, each.range.end), each.new_text) for each in edits
        ]
        for start, end, new in sorted(places, reverse=True):
            text = text[:start] + new + text[end:]
        return text

    def _offset(self, text: str, position: types.Position) -> int:
        lines = [found.group() for found in LINE.finditer(text)]
        line = lines[position.line] if position.line < len(lines) else ""
        head = line.encode(CODECS[self.encoding])[: position.character * WIDTHS[self.encoding]]
        return sum(map(len, lines[: position.line])) + len(head.decode(CODECS[self.encoding]))


def identifier(path: Path) -> types.TextDocumentIdentifier:
    return types.TextDocumentIdentifier(path.as_uri())


def place_of(text: str, word: str) -> types.Range:
    """The empty range at the begin of a word in an ASCII text."""
    before = text[: text.index(word)]
    at = types.Position(before.count("\n"), len(before) - before.rfind("\n") - 1)
    return types.Range(at, at)


def _by_uri(edit: types.WorkspaceEdit) -> dict[str, list[types.TextEdit]]:
    if edit.document_changes is None:
        return {uri: list(edits) for uri, edits in (edit.changes or {}).items()}
    found = {}
    for change in edit.document_changes:
        assert isinstance(change, types.TextDocumentEdit)
        found[change.text_document.uri] = [each for each in change.edits if isinstance(each, types.TextEdit)]
    return found


def _folder(path: Path) -> types.WorkspaceFolder:
    return types.WorkspaceFolder(uri=path.as_uri(), name=path.name)


def _client(published: dict[str, types.PublishDiagnosticsParams]) -> LanguageClient:
    def publish(client: LanguageClient, params: types.PublishDiagnosticsParams) -> None:
        published[params.uri] = params

    def register(client: LanguageClient, params: types.RegistrationParams) -> None:
        client.editor.registered += params.registrations  # type: ignore[attr-defined]

    def refresh(client: LanguageClient, params: None) -> None:
        client.editor.refreshed += 1  # type: ignore[attr-defined]

    client = LanguageClient(converter_factory=get_converter)
    features = {
        **DEFAULT_CLIENT_FEATURES,
        types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: publish,
        types.CLIENT_REGISTER_CAPABILITY: register,
        types.WORKSPACE_DIAGNOSTIC_REFRESH: refresh,
    }
    register_lsp_features(client, features)
    return client
