"""The report for code scanning: SARIF 2.1.0 as GitHub, and any other reader of the standard, wants it.

GitHub rejects a whole file for one absolute path, empty text or list that is too long; so what cannot be
right is left out and what is too long is cut here. The file holds no time, no host and no path outside the
scan, and is the same for the same report.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from resplint.contracts.findings import Notification, NotificationKind, Report, Result
from resplint.output.escape import inert_json
from resplint.output.options import OutputOptions
from resplint.output.sarif_limits import (
    MAX_BYTES,
    MAX_COMPRESSED,
    MAX_NOTIFICATIONS,
    MAX_RESULTS,
    Cuts,
    limit,
)
from resplint.output.sarif_places import ROOT, artifact
from resplint.output.sarif_results import encoded, manner_of, rule_reference
from resplint.output.sarif_tool import driver
from resplint.output.selection import grouped, worst_first
from resplint.output.words import count

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_NOTIFICATION_LEVELS = {
    NotificationKind.SKIPPED: "warning",
    NotificationKind.UNSUPPORTED: "warning",
    NotificationKind.PARTIAL: "warning",
    NotificationKind.LIMIT: "warning",
    NotificationKind.MANIFEST: "note",
    NotificationKind.NOT_FIXED: "warning",
    NotificationKind.UNUSED_SUPPRESSION: "note",
    NotificationKind.UNUSED_BASELINE: "note",
    NotificationKind.LAPSED_BASELINE: "warning",
    NotificationKind.INTERNAL_ERROR: "error",
}
_NO_RESULTS = '"results": []'
_SPARE = 0.95

_Object = dict[str, Any]


def render(report: Report, options: OutputOptions) -> bytes:
    """The report as ASCII JSON, worst results first so that limits spare them; `options` change nothing."""
    del options
    results = worst_first(report.results)[:MAX_RESULTS]
    return _render(report, results, quoting=True) or _render(report, results, quoting=False) or b""


def _render(report: Report, results: Sequence[Result], *, quoting: bool) -> bytes | None:
    """The file; None if it would be too large. Without quoted code it holds as many results as keep it small enough."""
    cuts = Cuts()
    rules = sorted(report.rules, key=lambda rule: rule.code)
    indexes = {rule.code: index for index, rule in enumerate(rules)}
    described = driver(rules, cuts)
    manner = msgspec.structs.replace(manner_of(report.results, indexes), quoting=quoting)
    texts = encoded(results, manner, cuts)
    said = [(each.sort_key(), _notification(each, indexes, cuts)) for each in _capped(report.notifications)]
    cut = cuts.notifications()
    while True:
        remarks = [*cut, *_left_out(len(report.results), len(texts), len(results), quoting=quoting)]
        said_now = [*said, *((each.sort_key(), _notification(each, indexes, cuts)) for each in remarks)]
        notifications = [notification for _, notification in sorted(said_now, key=lambda pair: pair[0])]
        data = _log(described, notifications, texts)
        size = _compressed(data)
        fits = size <= MAX_COMPRESSED
        if quoting and not (fits and len(texts) == len(results)):
            return None
        if fits or not texts:
            return data
        texts = texts[: int(len(texts) * _SPARE * MAX_COMPRESSED / size)]


def _compressed(data: bytes) -> int:
    """At least the size of `data` after gzip as the upload packs it, which tries harder."""
    return len(data) if len(data) <= MAX_COMPRESSED else len(gzip.compress(data, 1))


def _left_out(total: int, kept: int, chosen: int, *, quoting: bool) -> list[Notification]:
    remarks = []
    if kept < chosen:
        why = f"a file for code scanning may have no more than 10 MB compressed and {MAX_BYTES // 10**6} MB in all"
    else:
        why = f"code scanning shows no more than {MAX_RESULTS:,} of a run"
    if kept < total:
        remarks.append(
            limit(f"{total - kept:,} of {count(total, 'result')} were left out, the least severe ones: {why}.")
        )
    if not quoting:
        remarks.append(limit("Code was left out, as the file would have been too large for code scanning."))
    return remarks


def _log(described: _Object, notifications: Sequence[_Object], results: Sequence[str]) -> bytes:
    run = {
        "tool": {"driver": described},
        "automationDetails": {"id": "resplint/"},
        "columnKind": "utf16CodeUnits",
        # Without a value: where the root lies is known to whoever reads the file, and the writer's path is
        # private.
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the scanned tree."}}},
        "invocations": [
            {
                # True even if some files failed: GitHub takes false for an analysis without result.
                "executionSuccessful": True,
                "toolExecutionNotifications": notifications,
            }
        ],
        "results": [],
    }
    log = json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, allow_nan=False)
    if results:
        # Results are text already, for their size decides how many there are.
        before, _, behind = log.rpartition(_NO_RESULTS)
        listed = ",\n    ".join(results)
        log = f'{before}"results": [\n    {listed}\n   ]{behind}'
    return (inert_json(log) + "\n").encode("ascii")


def _capped(notifications: Sequence[Notification]) -> Sequence[Notification]:
    if len(notifications) <= MAX_NOTIFICATIONS:
        return notifications
    left = len(notifications) - MAX_NOTIFICATIONS + 1
    most_important = [each for _, group in grouped(notifications) for each in group][: MAX_NOTIFICATIONS - 1]
    return [*most_important, limit(f"{left:,} notifications were left out, the least important ones.")]


def _notification(notification: Notification, indexes: Mapping[str, int], cuts: Cuts) -> _Object:
    kind = notification.kind
    built: _Object = {
        "descriptor": {"id": kind.value},
        "level": _NOTIFICATION_LEVELS[kind],
        "message": {"text": cuts.sentence(notification.message or "No details are known")},
    }
    if notification.path:
        physical: _Object = {"artifactLocation": artifact(notification.path)}
        if notification.line:
            physical["region"] = {"startLine": notification.line}
        built["locations"] = [{"physicalLocation": physical}]
    if notification.rule:
        built["associatedRule"] = rule_reference(notification.rule, indexes, "id", "index")
    return built
