"""Who we are, for formats that name the tool and link to its rules."""

from __future__ import annotations

from resplint._version import __version__
from resplint.contracts.findings import RuleInfo
from resplint.output.uri import path_uri

NAME = "resplint"
VERSION = __version__
INFORMATION_URI = "https://github.com/resplint/resplint"
RULES_URI = f"{INFORMATION_URI}/tree/v{VERSION}/rules/book"
"""The pages of all rules."""


def rule_uri(rule: RuleInfo) -> str:
    """Where the page of a rule can be read."""
    return f"{INFORMATION_URI}/blob/v{VERSION}/rules/book/{path_uri(f'{rule.code}-{rule.name}')}.md"
