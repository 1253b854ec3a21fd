"""Findings as a table: RFC 4180, UTF-8, a row for each, suppressed ones among them."""

from __future__ import annotations

import csv
import io

from resplint.reporting.records import Collection, Issue

COLUMNS = (
    "source", "tool", "rule", "name", "level", "precision", "state", "suppression", "justification", "path", "line",
    "column", "end_line", "end_column", "symbol", "message", "help", "fingerprint",
    "author", "changed", "commit",
)  # fmt: skip
"""Headings, in order; new ones are only ever added at the end."""

# A spreadsheet takes a cell that begins with one of these for a formula, which may send data away. The wide forms are
# what East Asian editions take for the same.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def render(collection: Collection) -> bytes:
    """The table, worst first; a cell that a spreadsheet would run as a formula begins with an apostrophe."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for issue in collection.issues:
        writer.writerow([_cell(value) for value in _row(issue)])
    return stream.getvalue().encode("utf-8", "backslashreplace")


def _row(issue: Issue) -> tuple[str | int, ...]:
    spot = issue.spot
    return (
        issue.source, issue.tool, issue.rule.id, issue.rule.name, issue.level, issue.precision, issue.state.value,
        issue.suppression, issue.justification, spot.path, spot.line or "", spot.column or "", spot.end_line or "",
        spot.end_column or "", issue.symbol, issue.message, issue.rule.uri, issue.fingerprint,
        *((issue.changed.author, issue.changed.day, issue.changed.commit) if issue.changed else ("", "", "")),
    )  # fmt: skip


def _cell(value: str | int) -> str | int:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
