"""One line a finding, for scripts and editors: place, rule and message; then what else a reader must know."""

from __future__ import annotations

from resplint.contracts.findings import Report
from resplint.output.escape import escape
from resplint.output.finding import shown_place
from resplint.output.options import OutputOptions
from resplint.output.page import Page
from resplint.output.selection import HEADINGS, grouped, listed_in_terminal, select
from resplint.output.words import found, not_shown, searched


def render(report: Report, options: OutputOptions) -> bytes:
    """The lines as UTF-8, never wrapped; settled results and, unless asked for, notes are only counted."""
    selection = select(report, options)
    page = Page()
    for result in selection.shown:
        where = shown_place(result.path, result.region)
        title = (f"{escape(result.rule)} ", result.level.value)
        page.add((f"{where}: ", "strong"), title, (escape(result.message), ""))
    if options.quiet is None:
        page.add((f"{found(report, selection)}; {searched(report)}", ""))
        for clause in not_shown(report, selection, options):
            page.add((escape(clause), "faint"))
    for kind, of_kind in grouped(listed_in_terminal(report, options)):
        heading, level = HEADINGS[kind]
        for each in of_kind:
            # The place comes last, so that nobody takes it for that of a finding.
            where = f" ({escape(each.path)}{f', line {each.line}' if each.line else ''})" if each.path else ""
            said = each.message.removeprefix(f"{heading}: ")
            page.add((f"{heading}: ", level.value), (f"{escape(said)}{where}", ""))
    return page.render(color=options.color)
