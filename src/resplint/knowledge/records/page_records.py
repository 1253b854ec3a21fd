"""The front matter of a page of the rule book."""

from __future__ import annotations

from resplint.contracts.findings import Level, Precision, Status
from resplint.knowledge.records.base_records import Record


class Page(Record, frozen=True):
    """Front matter of a page of the rule book. `security_severity` ("7.5", on the scale of CVSS) is there if, and only
    if, the rule is tagged `security`. `yields_to` names, by their codes, rules whose finding at the same call leaves no
    need for one of this rule, unless that is above the level `yields_up_to`.
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
    status: Status = Status.DEFAULT
    yields_to: tuple[str, ...] = ()
    yields_up_to: Level = Level.ERROR
