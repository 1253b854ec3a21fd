"""SonarQube's generic format for issues of other analysers, in the form that SonarQube 10.3 and later read.

An issue has no severity of its own there: its rule has. So a rule whose findings have several levels is listed once for
each of them, and the entry for a level that is not the rule's own has that level in its name ("RL102-note").
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from resplint.contracts.findings import Level, Region, Report, Result, RuleInfo
from resplint.output.about import NAME, rule_uri
from resplint.output.escape import escape, inert_json
from resplint.output.json import exact_path
from resplint.output.options import OutputOptions
from resplint.output.selection import Standing, standing, worst_first

_IMPACTS = {Level.ERROR: "HIGH", Level.WARNING: "MEDIUM", Level.NOTE: "LOW"}
_SEVERITIES = {Level.ERROR: "CRITICAL", Level.WARNING: "MAJOR", Level.NOTE: "MINOR"}

_Object = dict[str, Any]


class _Nature(msgspec.Struct, frozen=True):
    """What SonarQube calls the defect: the quality that suffers, the attribute that the code lacks, the older type."""

    quality: str
    attribute: str
    type: str


_NATURES = {
    "security": _Nature("SECURITY", "TRUSTWORTHY", "VULNERABILITY"),
    "reliability": _Nature("RELIABILITY", "COMPLETE", "BUG"),
    # SonarQube counts the level of performance as reliability.
    "performance": _Nature("RELIABILITY", "EFFICIENT", "CODE_SMELL"),
}
_OTHER = _Nature("MAINTAINABILITY", "CONVENTIONAL", "CODE_SMELL")


def render(report: Report, options: OutputOptions) -> bytes:
    """Open results, worst first, and the rules that they are of, as ASCII JSON."""
    del options
    known = {rule.code: rule for rule in report.rules}
    results = [result for result in worst_first(report.results) if standing(result) is Standing.OPEN]
    entries = {_id(result, known): (result.rule, result.level) for result in results}
    document = {
        "rules": [_rule(each, known.get(code), code, level) for each, (code, level) in sorted(entries.items())],
        "issues": [_issue(result, _id(result, known)) for result in results],
    }
    return (inert_json(json.dumps(document, indent=1, ensure_ascii=True)) + "\n").encode("ascii")


def _id(result: Result, known: dict[str, RuleInfo]) -> str:
    rule = known.get(result.rule)
    code = escape(result.rule)
    return code if rule is None or rule.level is result.level else f"{code}-{result.level.value}"


def _rule(entry: str, rule: RuleInfo | None, code: str, level: Level) -> _Object:
    tags = rule.tags if rule is not None else ()
    nature = next((found for tag, found in _NATURES.items() if tag in tags), _OTHER)
    return {
        "id": entry,
        "name": escape(rule.title if rule is not None else code) or entry,
        "description": f"{escape(rule.summary)} {rule_uri(rule)}" if rule is not None else escape(code),
        "engineId": NAME,
        "cleanCodeAttribute": nature.attribute,
        "impacts": [{"softwareQuality": nature.quality, "severity": _IMPACTS[level]}],
        # For servers that show types and severities instead of qualities ("standard experience").
        "type": nature.type,
        "severity": _SEVERITIES[level],
    }


def _issue(result: Result, entry: str) -> _Object:
    issue: _Object = {"ruleId": entry, "primaryLocation": _location(result.path, result.region, result.text)}
    if result.trail:
        issue["secondaryLocations"] = [_location(step.path, step.region, step.message) for step in result.trail]
    return issue


def _location(path: str, region: Region, message: str) -> _Object:
    return {"message": escape(message), "filePath": exact_path(path), "textRange": _range(region)}


def _range(region: Region) -> _Object:
    """Lines from 1, columns from 0; without columns where nothing lies between them, which SonarQube refuses."""
    start = (region.start_line, region.start_column)
    end = (region.end_line, region.end_column)
    if start >= end:
        return {"startLine": region.start_line}
    return {
        "startLine": region.start_line,
        "endLine": region.end_line,
        "startColumn": region.start_column - 1,
        "endColumn": region.end_column - 1,
    }
