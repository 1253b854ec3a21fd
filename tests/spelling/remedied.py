"""Code with its fixes applied, for tests of how remedies are spelled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from resplint.checks import load
from resplint.contracts.findings import Edit, Finding, Fix
from resplint.scan import ScanRequest, link
from resplint.spelling import Speller
from tests.rules.fixture_cases import RULES, config, versions


def findings_of(folder: Path, name: str, text: str, rule: str) -> list[tuple[Finding, Fix | None]]:
    """Findings of one rule in one file, each with its fix."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    linked = link(ScanRequest([str(folder)], config(client_versions=versions(text)), root=folder))
    speller = Speller(linked.project, lambda path: (folder / path).read_bytes())
    found = [finding for finding in load(RULES[rule])(linked.project) if finding.place.path == name]
    return [(finding, speller.fix(finding.remedy) if finding.remedy else None) for finding in found]


def applied(text: str, edits: Sequence[Edit]) -> str:
    """Text with edits made."""
    data = text.encode()
    for edit in sorted(edits, reverse=True):
        data = data[: edit.place.start] + edit.text.encode() + data[edit.place.end :]
    return data.decode()


def fixed(folder: Path, name: str, text: str, rule: str) -> str:
    """Text with the fix of its one finding, which must be gone then; "" when there is no fix."""
    ((_, fix),) = findings_of(folder, name, text, rule)
    if fix is None:
        return ""
    after = applied(text, fix.edits)
    assert findings_of(folder, name, after, rule) == []
    return after
