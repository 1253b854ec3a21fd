"""The part of a SARIF file that describes the tool and its rules, the same in every run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from resplint.findings import Level, RuleInfo
from resplint.output.about import INFORMATION_URI, NAME, VERSION, rule_uri
from resplint.output.escape import escape

MAX_TAGS = 10
MAX_DESCRIPTION = 1024

_PROBLEM_SEVERITIES = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}
_PRERELEASE = re.compile(r"^(\d+\.\d+\.\d+)[.]?((?:a|b|rc|dev|post)\d+)$")
_ELLIPSIS = "..."


def driver(rules: Sequence[RuleInfo]) -> dict[str, Any]:
    """`tool.driver` with a descriptor for each of `rules`, in their order."""
    return {
        "name": NAME,
        "version": VERSION,
        "semanticVersion": _PRERELEASE.sub(r"\1-\2", VERSION),
        "informationUri": INFORMATION_URI,
        "rules": [_descriptor(rule) for rule in rules],
    }


def _descriptor(rule: RuleInfo) -> dict[str, Any]:
    title = rule.title or rule.name
    summary = rule.summary or title
    return {
        "id": escape(rule.code),
        "name": escape(rule.name),
        "shortDescription": {"text": sentence(title, MAX_DESCRIPTION)},
        "fullDescription": {"text": sentence(summary, MAX_DESCRIPTION)},
        "help": {"text": _help_text(rule) or sentence(summary, MAX_DESCRIPTION)}
        | ({"markdown": _paragraphs(rule.help_markdown)} if rule.help_markdown.strip() else {}),
        "helpUri": rule_uri(rule),
        "defaultConfiguration": {"level": rule.level.value},
        "properties": {
            "tags": [escape(tag) for tag in rule.tags[:MAX_TAGS]],
            "precision": rule.precision.value,
            "problem.severity": _PROBLEM_SEVERITIES[rule.level],
        },
    }


def _help_text(rule: RuleInfo) -> str:
    parts = [f"{heading}\n\n{body.strip()}" for heading, body in rule.sections.items() if body.strip()]
    return _paragraphs("\n\n".join(parts))


def _paragraphs(text: str) -> str:
    """Text of several lines, all else than line ends and tabs made visible."""
    return "\n".join(escape(line, keep_tabs=True) for line in text.strip().splitlines())


def sentence(text: str, limit: int) -> str:
    """`text` as one safe line of at most `limit` characters that ends with a period; never empty."""
    safe = clip(escape(text.strip()), limit)
    if safe.endswith("."):
        return safe
    shorter = clip(safe, limit - 1)
    return shorter if shorter.endswith(".") else f"{shorter}."


def clip(text: str, limit: int) -> str:
    """`text`, or as much of it as fits into `limit` characters together with an ellipsis."""
    return text if len(text) <= limit else text[: limit - len(_ELLIPSIS)].rstrip() + _ELLIPSIS
