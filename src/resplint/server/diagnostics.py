"""Findings as the editor's diagnostics."""

from __future__ import annotations

from lsprotocol import types

from resplint.contracts.findings import Level, Notification, NotificationKind, Region, Result, RuleInfo
from resplint.output.about import NAME, rule_uri
from resplint.output.escape import escape
from resplint.results.fingerprints import OWN_KEY
from resplint.server.client import Client
from resplint.server.locations import Locations
from resplint.server.projects import OpenProject
from resplint.server.scanning import Scanned

UNUSED = NotificationKind.UNUSED_SUPPRESSION.value
CONFIGURATION = "configuration"

SEVERITIES = {
    Level.ERROR: types.DiagnosticSeverity.Error,
    Level.WARNING: types.DiagnosticSeverity.Warning,
    Level.NOTE: types.DiagnosticSeverity.Information,
}


class Diagnostics:
    """Makes diagnostics for one editor."""

    def __init__(self, client: Client, locations: Locations) -> None:
        self._client = client
        self._locations = locations

    def of_file(self, project: OpenProject, path: str) -> list[types.Diagnostic]:
        """What the last scan found in a file, by its path relative to the root."""
        scanned = project.scanned
        if scanned is None:
            return []
        found = [self.of_result(project, scanned, result) for result in scanned.results.get(path, ())]
        return found + [
            self._unused(scanned, note)
            for note in scanned.report.notifications
            if note.kind is NotificationKind.UNUSED_SUPPRESSION and note.path == path
        ]

    def of_result(
        self, project: OpenProject, scanned: Scanned, result: Result, region: Region | None = None
    ) -> types.Diagnostic:
        """The diagnostic of a result, at a `region` of the document as it is by now if that differs."""
        text = scanned.texts.get(result.path)
        if region is not None:
            text = self._locations.current(project, scanned, result.path)
        rule = scanned.rules.get(result.rule)
        return types.Diagnostic(
            range=self._locations.positions.range(region or result.region, text),
            message=_message(result),
            severity=SEVERITIES[result.level],
            code=result.rule,
            code_description=self._page(rule) if rule is not None else None,
            source=NAME,
            related_information=self._related(project, scanned, result),
            data=_data(result) if self._client.keeps_data else None,
        )

    def _page(self, rule: RuleInfo) -> types.CodeDescription | None:
        return types.CodeDescription(rule_uri(rule)) if self._client.shows_code_pages else None

    def _related(
        self, project: OpenProject, scanned: Scanned, result: Result
    ) -> list[types.DiagnosticRelatedInformation] | None:
        if not self._client.shows_related or not result.steps:
            return None
        return [
            types.DiagnosticRelatedInformation(
                self._locations.location(project, scanned, step.path, step.region), escape(step.message)
            )
            for step in result.steps
        ]

    def _unused(self, scanned: Scanned, note: Notification) -> types.Diagnostic:
        return types.Diagnostic(
            range=self._locations.positions.whole_line(max(note.line, 1), scanned.texts.get(note.path)),
            message=escape(note.message),
            severity=types.DiagnosticSeverity.Information,
            code=UNUSED,
            source=NAME,
            tags=[types.DiagnosticTag.Unnecessary] if self._client.fades else None,
        )


def _message(result: Result) -> str:
    return escape(result.message) + (f"\nhelp: {escape(result.help)}" if result.help else "")


def _data(result: Result) -> dict[str, str]:
    """What finds the result again when the editor asks for fixes of its diagnostic."""
    data = {"fingerprint": result.fingerprints[OWN_KEY]}
    if result.fix is not None:
        data["fix"] = result.fix.safety.value
    return data


def of_mistake(message: str, line: int) -> types.Diagnostic:
    """The diagnostic of a mistake in a configuration file, at a line from 1 (0: unknown)."""
    start = max(line, 1) - 1
    return types.Diagnostic(
        range=types.Range(types.Position(start, 0), types.Position(start + 1, 0)),
        message=escape(message),
        severity=types.DiagnosticSeverity.Error,
        code=CONFIGURATION,
        source=NAME,
    )
