"""Code Quality for GitLab: what a merge request shows as new, fixed and present.

The form knows findings of files and nothing else. So what a reader must know of a file (that it was not analysed, say)
is an entry too; what concerns no file has no place here and is in the log.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from resplint.contracts.findings import Level, Notification, NotificationKind, Report, Result
from resplint.output.escape import escape, inert_json
from resplint.output.json import exact_path
from resplint.output.options import OutputOptions
from resplint.output.selection import HEADINGS, Standing, listed, standing, worst_first
from resplint.results.fingerprints import OWN_KEY

_SEVERITIES = {Level.ERROR: "major", Level.WARNING: "minor", Level.NOTE: "info"}

_Object = dict[str, Any]


def render(report: Report, options: OutputOptions) -> bytes:
    """Open results, worst first, and remarks on files, as ASCII JSON without a byte-order mark."""
    names = {rule.code: rule.name for rule in report.rules}
    fingerprints = _Fingerprints()
    entries = [
        _finding(result, names.get(result.rule, ""), fingerprints)
        for result in worst_first(report.results)
        if standing(result) is Standing.OPEN
    ]
    entries += [_notification(each, fingerprints) for each in listed(report, options) if each.path]
    return (inert_json(json.dumps(entries, indent=1, ensure_ascii=True)) + "\n").encode("ascii")


class _Fingerprints:
    """Values that are unique within the report: GitLab shows only one of two entries that have the same."""

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def value(self, *parts: str) -> str:
        """A value made of `parts` and of how often they came before; a lone part is its own value at first."""
        joined = json.dumps(parts)
        ordinal = self._seen[joined] = self._seen.get(joined, -1) + 1
        if len(parts) == 1 and not ordinal:
            return parts[0]
        return hashlib.sha256(f"{joined}{ordinal}".encode()).hexdigest()[:32]


def _finding(result: Result, name: str, fingerprints: _Fingerprints) -> _Object:
    own = result.fingerprints.get(OWN_KEY)
    identity = (own,) if own else ("finding", result.rule, result.path, result.symbol)
    rule = f"{result.rule} {name}".rstrip()
    return {
        "description": f"{escape(rule)}: {escape(result.text)}",
        "check_name": escape(result.rule),
        "fingerprint": fingerprints.value(*identity),
        "severity": _SEVERITIES[result.level],
        "location": {
            "path": exact_path(result.path),
            "lines": {"begin": result.region.start_line, "end": result.region.end_line},
        },
    }


def _notification(notification: Notification, fingerprints: _Fingerprints) -> _Object:
    heading, _ = HEADINGS[notification.kind]
    kind = notification.kind
    severity = "major" if kind is NotificationKind.INTERNAL_ERROR else "info"
    return {
        "description": f"{heading}: {escape(notification.message)}",
        "check_name": kind.value,
        # Not the message: a number in it may change with the file.
        "fingerprint": fingerprints.value("notification", kind.value, notification.path, notification.rule),
        "severity": severity,
        "location": {"path": exact_path(notification.path), "lines": {"begin": notification.line or 1}},
    }
