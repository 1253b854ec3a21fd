"""What the editor offers to do about findings: apply their fixes, one or all safe ones, or ignore them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from lsprotocol import types

from resplint.contracts.findings import FixSafety, LocatedEdit, Region, Result
from resplint.files.source import encode
from resplint.fixing.changes import changed
from resplint.fixing.ignore_comments import Suppressed
from resplint.fixing.proof import Prover
from resplint.languages import LANGUAGES
from resplint.output.about import NAME
from resplint.output.escape import escape
from resplint.results.fingerprints import OWN_KEY
from resplint.server.client import Client
from resplint.server.diagnostics import Diagnostics
from resplint.server.documents import Document
from resplint.server.locations import Locations
from resplint.server.places import touch
from resplint.server.projects import OpenProject
from resplint.server.scanning import Scanned, language_of

FIX_ALL = "source.fixAll.resplint"
KINDS: tuple[str, ...] = (types.CodeActionKind.QuickFix.value, FIX_ALL)
"""The kinds of actions there are."""

_LINE_END = re.compile(r"\r\n|\n|\r")


class Actions:
    """Makes code actions for one editor. Edits are worked out when an action is chosen, if the editor can ask then."""

    def __init__(self, client: Client, locations: Locations, diagnostics: Diagnostics) -> None:
        self._client = client
        self._locations = locations
        self._diagnostics = diagnostics

    def offered(
        self, project: OpenProject, document: Document, params: types.CodeActionParams
    ) -> list[types.CodeAction]:
        """The actions for a range of a document."""
        if not self._client.takes_actions or project.scanned is None:
            return []
        only = params.context.only
        actions: list[types.CodeAction] = []
        if _wanted(types.CodeActionKind.QuickFix.value, only):
            for result, region in self._locations.results(project, document):
                place = self._locations.positions.range(region, document.content)
                # Editors may ask about the diagnostics of a line while the cursor is elsewhere in it.
                asked = (_is_about(each, result, place) for each in params.context.diagnostics)
                if touch(place, params.range) or any(asked):
                    actions += self._of_result(project, project.scanned, document, result, region)
        if _wanted(FIX_ALL, only) and any(True for _ in self._safe(project, document)):
            title = "Apply all safe fixes of resplint in this file"
            actions.append(self._action(project, document, title, FIX_ALL, {"do": "fix-all"}))
        return [action for action in actions if action.edit is not None or action.data is not None]

    def resolved(self, project: OpenProject, document: Document, action: types.CodeAction) -> types.CodeAction:
        """The action with its edit; without one if the finding is gone."""
        if isinstance(action.data, Mapping):
            action.edit = self._edit(project, document, action.data)
        return action

    def _of_result(
        self, project: OpenProject, scanned: Scanned, document: Document, result: Result, region: Region
    ) -> Iterator[types.CodeAction]:
        diagnostic = self._diagnostics.of_result(project, scanned, result, region)
        about = {"fingerprint": result.fingerprints[OWN_KEY]}
        titles = []
        if result.fix is not None and result.fix.safety is not FixSafety.DISPLAY:
            note = "" if result.fix.safety is FixSafety.SAFE else " (unsafe: may change what the program does)"
            titles.append(("fix", f"{escape(result.fix.title)}{note}", result.fix.safety is FixSafety.SAFE))
        titles.append(("ignore", f"Ignore {result.rule} here", False))
        titles.append(("ignore-file", f"Ignore {result.rule} in this file", False))
        for do, title, preferred in titles:
            kind = types.CodeActionKind.QuickFix.value
            action = self._action(project, document, title, kind, {**about, "do": do})
            action.diagnostics = [diagnostic]
            action.is_preferred = preferred or None if self._client.knows_preferred else None
            yield action

    def _action(
        self, project: OpenProject, document: Document, title: str, kind: str, data: dict[str, str]
    ) -> types.CodeAction:
        data["uri"] = document.uri
        if self._client.resolves_edits:
            return types.CodeAction(title, kind=kind, data=data)
        return types.CodeAction(title, kind=kind, edit=self._edit(project, document, data))

    # -- edits -------------------------------------------------------------------------------------------------------

    def _edit(self, project: OpenProject, document: Document, data: Mapping[str, Any]) -> types.WorkspaceEdit | None:
        if project.scanned is None:
            return None
        if data.get("do") == "fix-all":
            return self._workspace_edit(project, self._together(project, self._safe(project, document)))
        for result, region in self._locations.results(project, document):
            if result.fingerprints[OWN_KEY] == data.get("fingerprint"):
                if data.get("do") == "fix":
                    return self._workspace_edit(project, self._together(project, [self._fixed(project, result) or ()]))
                return self._ignored(project, project.scanned, document, data, result, region)
        return None

    def _ignored(
        self,
        project: OpenProject,
        scanned: Scanned,
        document: Document,
        data: Mapping[str, Any],
        result: Result,
        region: Region,
    ) -> types.WorkspaceEdit | None:
        rules = {**scanned.config.rules, **{code: rule.name for code, rule in scanned.rules.items()}}
        file = Suppressed(document.content, document.language, result.path, rules)
        here = msgspec.structs.replace(result, region=region)
        edit = file.ignore_here(here) if data.get("do") == "ignore" else file.ignore_in_file(here)
        return self._workspace_edit(project, [edit] if edit is not None else [])

    def _safe(self, project: OpenProject, document: Document) -> Iterator[tuple[LocatedEdit, ...]]:
        for result, _ in self._locations.results(project, document):
            if result.fix is not None and result.fix.safety is FixSafety.SAFE:
                edits = self._fixed(project, result)
                if edits is not None:
                    yield edits

    def _fixed(self, project: OpenProject, result: Result) -> tuple[LocatedEdit, ...] | None:
        """The edits of a fix in the texts as they are by now; None if one of them has no place any more."""
        if result.fix is None or project.scanned is None:
            return None
        edits = []
        for edit in result.fix.edits:
            region = self._locations.moved(project, project.scanned, edit.path, edit.region)
            text = self._locations.current(project, project.scanned, edit.path)
            if region is None or text is None:
                return None
            edits.append(LocatedEdit(edit.path, region, text.line_end.join(_LINE_END.split(edit.text))))
        return tuple(edits)

    def _together(self, project: OpenProject, fixes: Iterable[tuple[LocatedEdit, ...]]) -> list[LocatedEdit]:
        """The edits of as many fixes as can be applied at once without harm, the first ones first; the others come up
        again when these are done.
        """
        taken: list[LocatedEdit] = []
        prover = Prover()
        for edits in fixes:
            # Two fixes may need the same import.
            fresh = [edit for edit in edits if edit not in taken]
            if any(_overlap(edit, other) for edit in fresh for other in taken):
                continue
            if all(self._is_sound(project, path, [*taken, *fresh], prover) for path in {edit.path for edit in fresh}):
                taken += fresh
        return taken

    def _is_sound(self, project: OpenProject, path: str, edits: Iterable[LocatedEdit], prover: Prover) -> bool:
        """Whether a file parses after edits as well as before, with all its comments."""
        text = self._locations.current(project, project.scanned, path) if project.scanned is not None else None
        language = language_of(path)
        if text is None or language not in LANGUAGES:
            return False
        changes = text.changes(edit for edit in edits if edit.path == path)
        before, after = (encode(each, language) for each in (text.text, changed(text.text, changes)))
        return not prover.harm(path, language, before, after, changes)

    def _workspace_edit(self, project: OpenProject, edits: Sequence[LocatedEdit]) -> types.WorkspaceEdit | None:
        if not edits or project.scanned is None:
            return None
        by_path: dict[str, list[types.TextEdit]] = {}
        for edit in edits:
            text = self._locations.current(project, project.scanned, edit.path)
            place = self._locations.positions.range(edit.region, text)
            by_path.setdefault(edit.path, []).append(types.TextEdit(place, edit.text))
        if not self._client.versions_edits:
            return types.WorkspaceEdit(changes={self._locations.uri(project, path): by_path[path] for path in by_path})
        changes = []
        for path, inner in by_path.items():
            document = self._locations.document(project, path)
            version = document.version if document is not None else None
            identifier = types.OptionalVersionedTextDocumentIdentifier(
                version=version, uri=self._locations.uri(project, path)
            )
            changes.append(types.TextDocumentEdit(identifier, inner))
        return types.WorkspaceEdit(document_changes=changes)


def _wanted(kind: str, only: Sequence[types.CodeActionKind | str] | None) -> bool:
    """Whether the editor asked for a kind: it may name one of the kinds above, such as "source"."""
    if not only:
        return True
    names = [each.value if isinstance(each, types.CodeActionKind) else each for each in only]
    return any(not name or kind == name or kind.startswith(f"{name}.") for name in names)


def _is_about(diagnostic: types.Diagnostic, result: Result, place: types.Range) -> bool:
    """Whether a diagnostic that the editor sent back is that of a result, which is at `place` by now."""
    if isinstance(diagnostic.data, Mapping):
        return bool(diagnostic.data.get("fingerprint") == result.fingerprints[OWN_KEY])
    # Only the line: some editors count characters in another way in what they send back.
    same_line = diagnostic.range.start.line == place.start.line
    return diagnostic.source == NAME and diagnostic.code == result.rule and same_line


def _overlap(one: LocatedEdit, other: LocatedEdit) -> bool:
    if one.path != other.path:
        return False
    first = (one.region.start_line, one.region.start_column), (one.region.end_line, one.region.end_column)
    second = (other.region.start_line, other.region.start_column), (other.region.end_line, other.region.end_column)
    return first[0] <= second[1] and second[0] <= first[1]
