"""Who we are, for formats that name the tool and link to its rules."""

from __future__ import annotations

from resplint._version import RELEASED, __version__
from resplint.contracts.findings import RuleInfo
from resplint.output.uri import path_uri

NAME = "resplint"
VERSION = __version__
INFORMATION_URI = "https://github.com/resplint/resplint"
REF = f"v{VERSION}" if RELEASED else "main"
"""Where this version stands in the repository."""
REQUIREMENT = f"{NAME}=={VERSION}" if RELEASED else f"git+{INFORMATION_URI}"
"""What pip installs it by."""
RULES_URI = f"{INFORMATION_URI}/tree/{REF}/rules/book"
"""The pages of all rules."""


def install(extra: str) -> str:
    """The command that installs an extra."""
    return f"pip install '{NAME}[{extra}]'" if RELEASED else f"pip install '{NAME}[{extra}] @ {REQUIREMENT}'"


def rule_uri(rule: RuleInfo) -> str:
    """Where the page of a rule can be read; for one of the user's own that has none, what such rules are."""
    if rule.url:
        return rule.url
    page = f"rules/book/{path_uri(f'{rule.code}-{rule.name}')}.md" if rule.since else "docs/own-rules.md"
    return f"{INFORMATION_URI}/blob/{REF}/{page}"
