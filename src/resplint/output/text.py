"""The report for people: every finding with its code and the trail that led to it, then a summary.

Without colour the output is the same on every terminal and in every pipe; with colour, messages are wrapped
and long source lines cropped to the terminal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from resplint.findings import (
    FixSafety,
    Level,
    LocatedStep,
    Notification,
    NotificationKind,
    Region,
    Report,
    Result,
    SourceLine,
)
from resplint.output.escape import escape
from resplint.output.frame import Mark, frame
from resplint.output.options import OutputOptions
from resplint.output.page import Page, cells, wrap

_LISTED = 20
_NARROWEST = 40

_APPLIED_BY = {FixSafety.SAFE: "--fix", FixSafety.UNSAFE: "--unsafe-fixes"}
_HEADINGS = {
    NotificationKind.INTERNAL_ERROR: ("Internal errors, results are incomplete", "error"),
    NotificationKind.SKIPPED: ("Not analysed", "warning"),
    NotificationKind.PARTIAL: ("Analysed in part", "warning"),
    NotificationKind.LIMIT: ("Left out", "warning"),
    NotificationKind.NOT_FIXED: ("Not fixed", "warning"),
    NotificationKind.MANIFEST: ("Manifests or settings not read, versions and options may be less exact", "note"),
    NotificationKind.LAPSED_BASELINE: ("Entries of the baseline that no longer hold", "warning"),
    NotificationKind.UNUSED_BASELINE: ("Entries of the baseline without a finding", "note"),
    NotificationKind.UNUSED_SUPPRESSION: ("Suppressions without effect", "note"),
}
_INCOMPLETE = {
    NotificationKind.INTERNAL_ERROR,
    NotificationKind.SKIPPED,
    NotificationKind.PARTIAL,
    NotificationKind.LIMIT,
}


def render(report: Report, options: OutputOptions) -> bytes:
    """The report as UTF-8 text; of suppressed results and, unless asked for, of notes only the number."""
    width = max(_NARROWEST, options.width) if options.color and options.width else None
    names = {rule.code: rule.name for rule in report.rules}
    open_results = [result for result in report.results if result.suppression is None]
    shown = [r for r in open_results if options.show_notes or r.level is not Level.NOTE]
    page = Page()
    for result in shown:
        _finding(page, result, names.get(result.rule, ""), width)
        page.add()
    _summary(page, report, shown, len(open_results) - len(shown), len(report.results) - len(open_results))
    _notifications(page, report.notifications)
    if options.statistics:
        _statistics(page, report, open_results, names)
    return page.render(color=options.color)


def _finding(page: Page, result: Result, name: str, width: int | None) -> None:
    level = result.level.value
    title = f"{level} {escape(result.rule)}"
    where = _where(result.path, result.region.start_line, result.region.start_column)
    page.add((f"{where}: ", "strong"), (title, level), (f" {escape(name)}" if name else "", "strong"))
    for line in wrap(escape(result.message), width and width - 2):
        page.add((f"  {line}", ""))
    numbers = [line.number for line in result.frame]
    numbers += [step.region.start_line for step in result.trail if step.snippet]
    gutter = len(str(max(numbers, default=1)))
    if result.frame:
        frame(page, result.frame, result.region, Mark("^", level), gutter, width)
    if result.trail:
        page.add((" " * gutter + " |", "gutter"))
    for position, step in enumerate(result.trail, 1):
        _step(page, position, step, gutter, width)
    if result.fix is not None and result.fix.safety in _APPLIED_BY:
        hint = f"fix available ({_APPLIED_BY[result.fix.safety]}): {escape(result.fix.title)}"
        first, *rest = wrap(hint, width and width - gutter - 3)
        page.add((" " * gutter + " = ", "gutter"), (first, "good"))
        for line in rest:
            page.add((" " * gutter + f"   {line}", "good"))


def _step(page: Page, position: int, step: LocatedStep, gutter: int, width: int | None) -> None:
    indent = " " * gutter
    where = _where(step.path, step.region.start_line, step.region.start_column)
    text = f"{position}. {where}: {escape(step.message)}"
    first, *rest = wrap(text, width and width - gutter - 6)
    page.add((indent + " = ", "gutter"), (first, "trail"))
    for line in rest:
        page.add((f"{indent}      {line}", "trail"))
    if step.snippet:
        line_of_step = SourceLine(step.region.start_line, step.snippet)
        frame(page, (line_of_step,), _first_line(step), Mark("-", "trail"), gutter, width)


def _first_line(step: LocatedStep) -> Region:
    """A step shows one line only; the rest of its region stays unmarked."""
    region = step.region
    if region.end_line == region.start_line:
        return region
    end = len(step.snippet.encode("utf-16-le", "surrogatepass")) // 2 + 1
    return Region(region.start_line, region.start_column, region.start_line, end)


def shown_path(path: str) -> str:
    """A path as a report line may begin with it: never so that a CI runner takes it for one of its commands."""
    shown = escape(path)
    return f"./{shown}" if shown.startswith(("::", "##[")) else shown


def _where(path: str, line: int, column: int) -> str:
    return f"{shown_path(path)}:{line}:{column}"


def _summary(page: Page, report: Report, shown: Sequence[Result], hidden: int, suppressed: int) -> None:
    searched = (
        f"; {report.files_analysed:,} of {_count(report.files_discovered, 'file')} "
        f"{'use' if report.files_analysed != 1 else 'uses'} Redis"
    )
    if shown:
        levels = Counter(result.level for result in shown)
        parts = [_count(levels[level], level.value) for level in reversed(Level) if levels[level]]
        files = len({result.path for result in shown})
        style = max((result.level for result in shown), key=lambda level: level.rank).value
        found = f"{_count(len(shown), 'finding')} ({', '.join(parts)}) in {_count(files, 'file')}"
    elif any(notification.kind in _INCOMPLETE for notification in report.notifications):
        found, style = "No findings in what could be analysed", "warning"
    else:
        found, style = "No findings", "good"
    page.add((found, style), (searched, ""))
    if hidden:
        verb = "is" if hidden == 1 else "are"
        pronoun = "it" if hidden == 1 else "them"
        page.add((f"{_count(hidden, 'note')} {verb} hidden; --level note shows {pronoun}", "faint"))
    if report.compared is not None:
        number = report.compared.left_out
        ref = escape(report.compared.ref)
        verb = "was" if number == 1 else "were"
        page.add((f"{_count(number, 'finding')} {verb} there before the change since {ref}", "faint"))
    if suppressed:
        page.add((f"{_count(suppressed, 'finding')} {'is' if suppressed == 1 else 'are'} suppressed", "faint"))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _notifications(page: Page, notifications: Sequence[Notification]) -> None:
    for kind, (heading, style) in _HEADINGS.items():
        of_kind = [notification for notification in notifications if notification.kind is kind]
        if not of_kind:
            continue
        page.add()
        page.add((f"{heading} ({len(of_kind):,}):", style))
        for notification in of_kind[:_LISTED]:
            place = escape(notification.path) + (f":{notification.line}" if notification.line else "")
            message = escape(notification.message)
            page.add((f"  {place}: ", "strong") if notification.path else ("  ", ""), (message, ""))
        if len(of_kind) > _LISTED:
            page.add((f"  and {len(of_kind) - _LISTED:,} more", "faint"))


def _statistics(page: Page, report: Report, results: Sequence[Result], names: Mapping[str, str]) -> None:
    by_rule = Counter((result.rule, result.level) for result in results)
    rows = [
        (f"{escape(rule)} {escape(names.get(rule, ''))}".rstrip(), level.value, f"{number:,}")
        for (rule, level), number in sorted(by_rule.items(), key=lambda item: (item[0][0], -item[0][1].rank))
    ]
    rows.append(("files found", "", f"{report.files_discovered:,}"))
    rows.append(("files analysed", "", f"{report.files_analysed:,}"))
    rows += [(escape(key), "", _number(value)) for key, value in sorted(report.statistics.items())]
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    page.add()
    page.add(("Statistics:", "strong"))
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
