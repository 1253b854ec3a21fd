"""The report for scripts: JSON of a documented, versioned form (``schemas/report-1.1.schema.json``).

Every text that a script may print is free of control characters; only `path` and the `text` of a fix are exact, as JSON
escapes. A name that is not UTF-8 cannot be: there `path` shows the stray bytes as ``\\xff``, and `uri` is exact always.
"""

from __future__ import annotations

import json
import posixpath
from collections import Counter
from typing import Any

from resplint.contracts.findings import Level, LocatedFix, Notification, Region, Report, Result, RuleInfo
from resplint.output.about import NAME, VERSION, rule_uri
from resplint.output.escape import escape, inert_json, is_unicode
from resplint.output.options import OutputOptions
from resplint.output.selection import Standing, select, standing
from resplint.output.uri import path_uri

SCHEMA_VERSION = "1.1"

_Object = dict[str, Any]


def render(report: Report, options: OutputOptions) -> bytes:
    """The report as ASCII JSON; `statistics`, which holds timings, only if asked for."""
    document: _Object = {
        "version": SCHEMA_VERSION,
        "tool": {"name": NAME, "version": VERSION},
        "root": _root(options),
        "counts": _counts(report, options),
        "results": [_result(result) for result in report.results],
        "notifications": [_notification(notification) for notification in report.notifications],
        "rules": [_rule(rule) for rule in sorted(report.rules, key=lambda rule: rule.code)],
    }
    if report.compared is not None:
        compared = report.compared
        document["comparison"] = {
            "ref": escape(compared.ref), "commit": compared.commit, "left_out": compared.left_out,
        }  # fmt: skip
    if options.statistics:
        document["statistics"] = {escape(key): value for key, value in sorted(report.statistics.items())}
    # Not even a consumer that copies strings as they are shall meet a raw control character: hence ASCII.
    text = json.dumps(document, indent=2, ensure_ascii=True, allow_nan=False)
    return (inert_json(text) + "\n").encode("ascii")


def _root(options: OutputOptions) -> str | None:
    """The way from the current folder to the one that paths are relative to; None if that is somewhere else."""
    if options.here is None:
        return None
    up = "/".join(".." for _ in options.prefix.split("/")[:-1])
    return escape(posixpath.normpath(f"{options.here.way}/{up}"))


def _counts(report: Report, options: OutputOptions) -> _Object:
    by_standing = Counter(map(standing, report.results))
    open_results = [result for result in report.results if standing(result) is Standing.OPEN]
    levels = Counter(result.level for result in open_results)
    rules = Counter(result.rule for result in open_results)
    return {
        "files_discovered": report.files_discovered,
        "files_using_redis": report.files_using,
        "files_analysed": report.files_analysed,
        "files_unsupported": dict(report.unsupported),
        "findings": len(open_results),
        "shown": len(select(report, options).shown),
        "suppressed": len(report.results) - len(open_results),
        "unchanged": by_standing[Standing.KNOWN],
        "levels": {level.value: levels[level] for level in reversed(Level)},
        "rules": {escape(rule): rules[rule] for rule in sorted(rules)},
    }


def _result(result: Result) -> _Object:
    return {
        "rule": escape(result.rule),
        "level": result.level.value,
        "precision": result.precision.value,
        "message": escape(result.message),
        "help": escape(result.help),
        **_location(result.path, result.region),
        "symbol": escape(result.symbol),
        "trail": [
            {
                "message": escape(step.message),
                **_location(step.path, step.region),
                "snippet": escape(step.snippet, keep_tabs=True),
            }
            for step in result.trail
        ],
        "fingerprints": dict(sorted(result.fingerprints.items())),
        "baseline": None if result.baseline is None else result.baseline.value,
        "suppression": None
        if result.suppression is None
        else {"kind": result.suppression.kind, "justification": escape(result.suppression.justification)},
        "fix": None if result.fix is None else _fix(result.fix),
    }


def _fix(fix: LocatedFix) -> _Object | None:
    if not all(is_unicode(edit.text) for edit in fix.edits):
        return None
    return {
        "title": escape(fix.title),
        "safety": fix.safety.value,
        # Exact, as it is to be inserted.
        "edits": [{**_location(edit.path, edit.region), "text": edit.text} for edit in fix.edits],
    }


def _location(path: str, region: Region) -> _Object:
    return {
        "path": exact_path(path),
        "uri": path_uri(path),
        "region": {
            "start_line": region.start_line,
            "start_column": region.start_column,
            "end_line": region.end_line,
            "end_column": region.end_column,
        },
    }


def exact_path(path: str) -> str:
    """`path` as it is if it is Unicode (strict JSON parsers refuse anything else), otherwise made visible."""
    return path if is_unicode(path) else escape(path)


def _notification(notification: Notification) -> _Object:
    return {
        "kind": notification.kind.value,
        "message": escape(notification.message),
        "path": exact_path(notification.path) or None,
        "line": notification.line or None,
        "rule": escape(notification.rule) or None,
    }


def _rule(rule: RuleInfo) -> _Object:
    return {
        "code": escape(rule.code),
        "name": escape(rule.name),
        "title": escape(rule.title),
        "summary": escape(rule.summary),
        "level": rule.level.value,
        "precision": rule.precision.value,
        "since": escape(rule.since),
        "tags": [escape(tag) for tag in rule.tags],
        "references": [escape(reference) for reference in rule.references],
        "uri": rule_uri(rule),
    }
