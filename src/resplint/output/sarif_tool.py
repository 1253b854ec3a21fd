"""The part of a SARIF file that describes the tool and its rules, the same in every run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from resplint.contracts.findings import Level, RuleInfo
from resplint.output.about import INFORMATION_URI, NAME, VERSION, rule_uri
from resplint.output.escape import escape
from resplint.output.sarif_limits import MAX_DESCRIPTION, Cuts

_PROBLEM_SEVERITIES = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}
_PRERELEASE = re.compile(r"^(\d+\.\d+\.\d+)[.]?((?:a|b|rc|dev|post)\d+)$")


def driver(rules: Sequence[RuleInfo], cuts: Cuts) -> dict[str, Any]:
    """`tool.driver` with a descriptor for each of `rules`, in their order."""
    return {
        "name": NAME,
        "version": VERSION,
        "semanticVersion": _PRERELEASE.sub(r"\1-\2", VERSION),
        "informationUri": INFORMATION_URI,
        "rules": [_descriptor(rule, cuts) for rule in rules],
    }


def _descriptor(rule: RuleInfo, cuts: Cuts) -> dict[str, Any]:
    title = rule.title or rule.name
    summary = rule.summary or title
    return {
        "id": escape(rule.code),
        "name": escape(rule.name),
        "shortDescription": {"text": cuts.sentence(title, MAX_DESCRIPTION)},
        "fullDescription": {"text": cuts.sentence(summary, MAX_DESCRIPTION)},
        "help": {"text": _help_text(rule) or cuts.sentence(summary, MAX_DESCRIPTION)}
        | ({"markdown": _paragraphs(rule.help_markdown)} if rule.help_markdown.strip() else {}),
        "helpUri": rule_uri(rule),
        "defaultConfiguration": {"level": rule.level.value},
        "properties": {
            "tags": cuts.tags(rule.tags),
            "precision": rule.precision.value,
            "problem.severity": _PROBLEM_SEVERITIES[rule.level],
        }
        # GitHub ranks alerts of rules that are tagged security by this, and shows those without it as of none.
        | ({"security-severity": rule.security_severity} if rule.security_severity else {}),
    }


def _help_text(rule: RuleInfo) -> str:
    parts = [f"{heading}\n\n{body.strip()}" for heading, body in rule.sections.items() if body.strip()]
    return _paragraphs("\n\n".join(parts))


def _paragraphs(text: str) -> str:
    """Text of several lines, all else than line ends and tabs made visible."""
    return "\n".join(escape(line, keep_tabs=True) for line in text.strip().splitlines())
