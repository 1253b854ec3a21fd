"""Remedies of findings, spelled as fixes of the files they are in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from resplint.contracts.findings import Finding, Notification, NotificationKind
from resplint.files.source import Undecodable, decode
from resplint.model.project import Project
from resplint.scan.request import ScanState

if TYPE_CHECKING:
    from resplint.spelling import Speller


def with_fixes(state: ScanState, project: Project, findings: Sequence[Finding]) -> list[Finding]:
    """The findings, each with its fix where its remedy can be written down."""
    if not any(finding.remedy is not None for finding in findings):
        return list(findings)
    from resplint.spelling import Speller  # noqa: PLC0415 - most scans need none

    def read(path: str) -> bytes | None:
        data = state.read(path)
        source = decode(data, state.files[path].language) if data is not None else None
        return None if source is None or isinstance(source, Undecodable) else source.data

    speller = Speller(project, read)
    return [_fixed(finding, speller, state) for finding in findings]


def _fixed(finding: Finding, speller: Speller, state: ScanState) -> Finding:
    if finding.remedy is None:
        return finding
    try:
        fix = speller.fix(finding.remedy)
        if fix is not None and any(edit.place.path != finding.place.path for edit in fix.edits):
            fix = None  # who asks about one file does not expect another one to change
    except Exception as error:  # a finding must not get lost because its fix fails; it is reported and exits 3
        message = f"{finding.rule}: its remedy cannot be spelled: {type(error).__name__}: {error}."
        note = Notification(NotificationKind.INTERNAL_ERROR, message, finding.place.path, rule=finding.rule)
        state.notes.append(note)
        fix = None
    return msgspec.structs.replace(finding, fix=fix, remedy=None)
