"""The report for code scanning: SARIF 2.1.0 as GitHub, and any other reader of the standard, wants it.

GitHub rejects a whole file for one absolute path, empty text or list that is too long; so what cannot be
right is left out and what is too long is cut here. The file holds no time, no host and no path outside the
scan, and is the same for the same report.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from resplint.findings import (
    LocatedStep,
    Notification,
    NotificationKind,
    Region,
    Report,
    Result,
    SourceLine,
)
from resplint.output.escape import escape
from resplint.output.options import OutputOptions
from resplint.output.sarif_code import context_region, step_context
from resplint.output.sarif_tool import clip, driver, sentence
from resplint.output.uri import path_uri

MAX_RESULTS = 5000
"""GitHub shows no more of a run."""
MAX_STEPS = 100
MAX_MESSAGE = 1000
MAX_SNIPPET = 1000

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT = "%SRCROOT%"
_NOTIFICATION_LEVELS = {
    NotificationKind.SKIPPED: "warning",
    NotificationKind.PARTIAL: "warning",
    NotificationKind.LIMIT: "warning",
    NotificationKind.NOT_FIXED: "warning",
    NotificationKind.MANIFEST: "note",
    NotificationKind.UNUSED_SUPPRESSION: "note",
    NotificationKind.UNUSED_BASELINE: "note",
    NotificationKind.LAPSED_BASELINE: "warning",
    NotificationKind.INTERNAL_ERROR: "error",
}

_Object = dict[str, Any]


def render(report: Report, options: OutputOptions) -> bytes:
    """The report as ASCII JSON, worst results first so that the cap spares them; `options` change nothing."""
    del options
    rules = sorted(report.rules, key=lambda rule: rule.code)
    indexes = {rule.code: index for index, rule in enumerate(rules)}
    results = sorted(report.results, key=_severity)
    notifications = list(report.notifications)
    if len(results) > MAX_RESULTS:
        notifications.append(_limit(len(results)))
        results = results[:MAX_RESULTS]
    suppressing = any(result.suppression is not None for result in results)
    run = {
        "tool": {"driver": driver(rules)},
        "automationDetails": {"id": "resplint/"},
        "columnKind": "utf16CodeUnits",
        # Without a value: where the root lies is known to whoever reads the file, and the writer's path is
        # private.
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the scanned tree."}}},
        "invocations": [
            {
                # True even if some files failed: GitHub takes false for an analysis that told nothing.
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    _notification(notification, indexes)
                    for notification in sorted(notifications, key=Notification.sort_key)
                ],
            }
        ],
        "results": [_result(result, indexes, suppressing=suppressing) for result in results],
    }
    log = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return (json.dumps(log, indent=1, ensure_ascii=True, allow_nan=False) + "\n").encode("ascii")


def _severity(result: Result) -> tuple[object, ...]:
    return (result.suppression is not None, -result.level.rank, -result.precision.rank, *result.sort_key())


def _limit(number: int) -> Notification:
    left_out = number - MAX_RESULTS
    message = (
        f"{left_out:,} of {number:,} results were left out, the least severe ones: "
        f"code scanning shows no more than {MAX_RESULTS:,} of a run."
    )
    return Notification(NotificationKind.LIMIT, message)


def _result(result: Result, indexes: Mapping[str, int], *, suppressing: bool) -> _Object:
    physical = _physical(result.path, result.region, _snippet(result))
    context = context_region(result.region, result.frame)
    if context is not None:
        physical["contextRegion"] = context
    location: _Object = {"physicalLocation": physical}
    if result.symbol:
        location["logicalLocations"] = [{"fullyQualifiedName": escape(result.symbol)}]
    built: _Object = {
        **_rule_reference(result.rule, indexes, "ruleId", "ruleIndex"),
        "level": result.level.value,
        "message": {"text": sentence(result.message, MAX_MESSAGE)},
        "locations": [location],
        "partialFingerprints": dict(sorted(result.fingerprints.items())),
        "properties": {"precision": result.precision.value},
    }
    if result.baseline is not None:
        built["baselineState"] = result.baseline.value
    if result.trail:
        built["codeFlows"] = [{"threadFlows": [{"locations": _flow(result.trail)}]}]
    if suppressing:
        # The standard wants the property on all results of a run or on none.
        built["suppressions"] = [] if result.suppression is None else [_suppression(result)]
    return built


def _rule_reference(rule: str, indexes: Mapping[str, int], id_key: str, index_key: str) -> _Object:
    reference: _Object = {id_key: escape(rule)}
    if rule in indexes:
        reference[index_key] = indexes[rule]
    return reference


def _suppression(result: Result) -> _Object:
    assert result.suppression is not None
    justification = clip(escape(result.suppression.justification), MAX_MESSAGE)
    return {"kind": result.suppression.kind} | ({"justification": justification} if justification else {})


def _flow(trail: Sequence[LocatedStep]) -> list[_Object]:
    # Where it began and where it ended tell more than the middle.
    kept = trail if len(trail) <= MAX_STEPS else (*trail[: MAX_STEPS - 1], trail[-1])
    return [
        {
            "location": {
                "physicalLocation": _physical(step.path, step.region) | step_context(step),
                "message": {"text": sentence(step.message or "The trail passes here", MAX_MESSAGE)},
            }
        }
        for step in kept
    ]


def _physical(path: str, region: Region, snippet: str = "") -> _Object:
    where: _Object = {
        "startLine": region.start_line,
        "startColumn": region.start_column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }
    if snippet:
        where["snippet"] = {"text": snippet}
    return {"artifactLocation": _artifact(path), "region": where}


def _artifact(path: str) -> _Object:
    return {"uri": path_uri(path), "uriBaseId": _ROOT}


def _snippet(result: Result) -> str:
    """The code of the region, control characters made visible; empty if it is long or partly unknown."""
    region = result.region
    wanted = range(region.start_line, region.end_line + 1)
    lines = [line for line in result.frame if line.number in wanted]
    if len(lines) != len(wanted) or sum(len(line.text) for line in lines) > MAX_SNIPPET:
        return ""
    return "\n".join(escape(_part(line, region), keep_tabs=True) for line in lines)


def _part(line: SourceLine, region: Region) -> str:
    units = line.text.encode("utf-16-le", "surrogatepass")
    start = 2 * (region.start_column - 1) if line.number == region.start_line else 0
    end = 2 * (region.end_column - 1) if line.number == region.end_line else len(units)
    return units[start:end].decode("utf-16-le", "replace")


def _notification(notification: Notification, indexes: Mapping[str, int]) -> _Object:
    kind = notification.kind
    built: _Object = {
        "descriptor": {"id": kind.value},
        "level": _NOTIFICATION_LEVELS[kind],
        "message": {"text": sentence(notification.message or "No details are known", MAX_MESSAGE)},
    }
    if notification.path:
        physical: _Object = {"artifactLocation": _artifact(notification.path)}
        if notification.line:
            physical["region"] = {"startLine": notification.line}
        built["locations"] = [{"physicalLocation": physical}]
    if notification.rule:
        built["associatedRule"] = _rule_reference(notification.rule, indexes, "id", "index")
    return built
