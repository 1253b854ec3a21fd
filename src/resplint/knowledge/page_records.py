"""The front matter of a page of the rule book."""

from __future__ import annotations

from resplint.contracts.findings import Level, Precision
from resplint.knowledge.base_records import Record


class Page(Record, frozen=True):
    """Front matter of a page of the rule book. `security_severity` ("7.5", on the scale of CVSS) is there if, and only
    if, the rule is tagged `security`.
    """

    code: str
    name: str
    title: str
    summary: str
    level: Level
    precision: Precision
    since: str
    tags: tuple[str, ...]
    references: tuple[str, ...]
    languages: tuple[str, ...]
    security_severity: str = ""
