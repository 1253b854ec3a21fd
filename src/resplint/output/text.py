"""The report for people: every finding with its code and the trail that led to it, then a summary.

Without colour the output is the same on every terminal and in every pipe; with colour, messages are wrapped
and long source lines cropped to the terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from resplint.contracts.findings import FixSafety, Notification, Report
from resplint.output.about import RULES_URI, rule_uri
from resplint.output.escape import escape
from resplint.output.finding import add_finding
from resplint.output.options import OutputOptions
from resplint.output.page import Page, cells
from resplint.output.selection import (
    HEADINGS,
    INCOMPLETE,
    Selection,
    Standing,
    grouped,
    listed_in_terminal,
    select,
    standing,
)
from resplint.output.words import found, not_shown, searched

_LISTED = 20
_NARROWEST = 40


def render(report: Report, options: OutputOptions) -> bytes:
    """The report as UTF-8 text; of settled results and, unless asked for, of notes only the number."""
    width = max(_NARROWEST, options.width) if options.color and options.width else None
    names = {rule.code: rule.name for rule in report.rules}
    selection = select(report, options)
    page = Page()
    for result in selection.shown:
        add_finding(page, result, names.get(result.rule, ""), width)
        page.add()
    if options.quiet is None:
        _summary(page, report, selection, options)
    _notifications(page, listed_in_terminal(report, options))
    if options.statistics:
        _statistics(page, report, names)
    if selection.shown and options.quiet is None:
        _pages(page, selection, report)
    return page.render(color=options.color)


def _summary(page: Page, report: Report, selection: Selection, options: OutputOptions) -> None:
    if selection.shown:
        style = max((result.level for result in selection.shown), key=lambda level: level.rank).value
    else:
        incomplete = any(notification.kind in INCOMPLETE for notification in report.notifications)
        style = "warning" if incomplete else "good"
    page.add((found(report, selection), style), (f"; {searched(report)}", ""))
    for clause in not_shown(report, selection, options):
        page.add((escape(clause), "faint"))


def _pages(page: Page, selection: Selection, report: Report) -> None:
    """The last line: where the rules are explained."""
    pages = {rule.code: rule_uri(rule) for rule in report.rules}
    first, *others = sorted({result.rule for result in selection.shown})
    command = f"resplint explain {escape(first)}" + (f" (or {', '.join(map(escape, others))})" if others else "")
    uri = RULES_URI if others else pages.get(first, RULES_URI)
    page.add()
    page.add((f"Why, and what to do: {command}, or {uri}", "faint"))


def _notifications(page: Page, notifications: Sequence[Notification]) -> None:
    for kind, of_kind in grouped(notifications):
        heading, level = HEADINGS[kind]
        page.add()
        page.add((f"{heading} ({len(of_kind):,}):", level.value))
        for notification in of_kind[:_LISTED]:
            place = escape(notification.path) + (f":{notification.line}" if notification.line else "")
            message = escape(notification.message)
            page.add((f"  {place}: ", "strong") if notification.path else ("  ", ""), (message, ""))
        if len(of_kind) > _LISTED:
            page.add((f"  and {len(of_kind) - _LISTED:,} more", "faint"))


def _statistics(page: Page, report: Report, names: Mapping[str, str]) -> None:
    open_results = [result for result in report.results if standing(result) is Standing.OPEN]
    by_rule = Counter((result.rule, result.level) for result in open_results)
    fixable = {(r.rule, r.level) for r in open_results if r.fix is not None and r.fix.safety is not FixSafety.DISPLAY}
    rows = [
        (
            f"{escape(rule)} {'[*] ' * ((rule, level) in fixable)}{escape(names.get(rule, ''))}".rstrip(),
            level.value,
            f"{number:,}",
        )
        # The most frequent first, as other linters have it.
        for (rule, level), number in sorted(by_rule.items(), key=lambda i: (-i[1], i[0][0], -i[0][1].rank))
    ]
    rows.append(("files found", "", f"{report.files_discovered:,}"))
    rows.append(("files that use Redis", "", f"{report.files_using:,}"))
    rows.append(("files analysed", "", f"{report.files_analysed:,}"))
    rows += [(escape(key), "", _number(value)) for key, value in sorted(report.statistics.items())]
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    page.add()
    page.add(
        ("Statistics:", "strong"), (" ([*]: some can be fixed by --fix or --unsafe-fixes)" if fixable else "", "faint")
    )
    for label, level, number in rows:
        page.add(
            (f"  {_padded(label, widths[0])}  ", ""),
            (_padded(level, widths[1]), level),
            (f"  {' ' * (widths[2] - len(number))}{number}", ""),
        )


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cells(text))


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:,.3f}"
