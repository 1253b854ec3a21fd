"""Sentences that several formats say: the counts of a scan in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from resplint.contracts.findings import FixSafety, Level, Report, Result
from resplint.output.options import OutputOptions
from resplint.output.selection import INCOMPLETE, Selection, listed


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun, in the plural where it needs it: "1 file", "4,012 files"."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def levels(results: Iterable[Result]) -> str:
    """How many results there are of each level: "1 error, 3 warnings"; empty without results."""
    found = Counter(result.level for result in results)
    return ", ".join(count(found[level], level.value) for level in reversed(Level) if found[level])


def found(report: Report, selection: Selection) -> str:
    """What was found, such as "2 findings (1 error, 1 warning) in 2 files"; never "none" if not all was looked at."""
    shown = selection.shown
    if shown:
        files = len({result.path for result in shown})
        return f"{count(len(shown), 'finding')} ({levels(shown)}) in {count(files, 'file')}"
    if any(notification.kind in INCOMPLETE for notification in report.notifications):
        return "No findings in what could be analysed"
    return "No findings"


def searched(report: Report) -> str:
    """How much was searched: "14 of 4,012 files use Redis, 32 were analysed"."""
    if not report.files_discovered:
        return "there was no source file to search"
    use = "uses" if report.files_using == 1 else "use"
    using = f"{report.files_using:,} of {count(report.files_discovered, 'file')} {use} Redis"
    more = report.files_analysed - report.files_using
    return f"{using}, {report.files_analysed:,} were analysed" if more > 0 else using


def not_shown(report: Report, selection: Selection, options: OutputOptions) -> list[str]:
    """One clause for each group of results that is not listed; not escaped."""
    clauses = []
    if hidden := selection.hidden_notes:
        clauses.append(f"{count(hidden, 'note')} {_are(hidden)} hidden; --level note shows {_them(hidden)}")
    if report.compared is not None:
        number = report.compared.left_out
        were = "was" if number == 1 else "were"
        clauses.append(f"{count(number, 'finding')} {were} there before the change since {report.compared.ref}")
    if known := selection.known:
        clauses.append(f"{count(known, 'finding')} {_are(known)} in the baseline")
    if suppressed := selection.suppressed:
        clauses.append(f"{count(suppressed, 'finding')} {_are(suppressed)} suppressed")
    if limits := len(report.notifications) - len(listed(report, options)):
        met = "limit of the analysis was" if limits == 1 else "limits of the analysis were"
        clauses.append(f"{limits:,} {met} met; --verbose shows {_them(limits)}")
    return clauses


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _them(number: int) -> str:
    return "it" if number == 1 else "them"


APPLIED_BY = {FixSafety.SAFE: "--fix", FixSafety.UNSAFE: "--unsafe-fixes"}
"""The option that applies a fix; there is none for those that are shown only."""
