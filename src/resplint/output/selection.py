"""Which results a format lists, the same for all formats: what is to be done first, what is settled last."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

import msgspec

from resplint.contracts.findings import BaselineState, Level, Notification, NotificationKind, Report, Result
from resplint.output.options import OutputOptions


class Standing(enum.Enum):
    """What a reader has to do about a result."""

    OPEN = "open"
    """Act on it."""
    KNOWN = "known"
    """Nothing now: the baseline has it."""
    SUPPRESSED = "suppressed"
    """Nothing: somebody decided so."""


def standing(result: Result) -> Standing:
    """The standing of one result; a comment in the source outweighs the baseline."""
    if result.suppression is not None and result.suppression.kind == "inSource":
        return Standing.SUPPRESSED
    if result.baseline is BaselineState.UNCHANGED:
        return Standing.KNOWN
    return Standing.OPEN if result.suppression is None else Standing.SUPPRESSED


def is_open(result: Result) -> bool:
    """Whether somebody has to act on a result."""
    return standing(result) is Standing.OPEN


class Selection(msgspec.Struct, frozen=True):
    """The results that a format for people lists, in the order of the report, and how many it does not."""

    shown: tuple[Result, ...]
    hidden_notes: int
    known: int
    suppressed: int


def select(report: Report, options: OutputOptions) -> Selection:
    """What a person should see: open results, notes among them only on request."""
    by_standing: dict[Standing, list[Result]] = {each: [] for each in Standing}
    for result in report.results:
        by_standing[standing(result)].append(result)
    open_results = by_standing[Standing.OPEN]
    shown = tuple(r for r in open_results if options.show_notes or r.level is not Level.NOTE)
    return Selection(
        shown,
        len(open_results) - len(shown),
        len(by_standing[Standing.KNOWN]),
        len(by_standing[Standing.SUPPRESSED]),
    )


def worst_first(results: Iterable[Result]) -> list[Result]:
    """Open results first, then by level and precision, then in the order of every report."""
    return sorted(
        results,
        key=lambda result: (
            standing(result) is not Standing.OPEN,
            -result.level.rank,
            -result.precision.rank,
            *result.sort_key(),
        ),
    )


HEADINGS = {
    NotificationKind.INTERNAL_ERROR: ("Internal errors, results are incomplete", Level.ERROR),
    NotificationKind.SKIPPED: ("Not analysed", Level.WARNING),
    NotificationKind.UNSUPPORTED: ("Languages that are not supported", Level.NOTE),
    NotificationKind.PARTIAL: ("Analysed in part", Level.WARNING),
    NotificationKind.LIMIT: ("Left out", Level.WARNING),
    NotificationKind.NOT_FIXED: ("Not fixed", Level.WARNING),
    NotificationKind.MANIFEST: ("Manifests or settings not read, versions and options may be less exact", Level.NOTE),
    NotificationKind.LAPSED_BASELINE: ("Entries of the baseline that no longer hold", Level.WARNING),
    NotificationKind.UNUSED_BASELINE: (
        "Entries of the baseline without a finding (resplint baseline --prune removes them)",
        Level.NOTE,
    ),
    NotificationKind.UNUSED_SUPPRESSION: ("Suppressions without effect", Level.NOTE),
}
"""What each kind of notification is called, most important first, and how much it matters."""

INCOMPLETE = frozenset(
    {
        NotificationKind.INTERNAL_ERROR, NotificationKind.SKIPPED, NotificationKind.UNSUPPORTED,
        NotificationKind.PARTIAL, NotificationKind.LIMIT,
    }
)  # fmt: skip
"""Kinds that mean that there may be findings which were not found or are not shown."""


def listed(report: Report, options: OutputOptions) -> list[Notification]:
    """The notifications that formats for people list: limits of the analysis, which nobody can change for a single
    change of the code, only on request.
    """
    return [
        each
        for each in report.notifications
        if each.kind is not NotificationKind.LIMIT or options.show_limits or options.statistics
    ]


def listed_in_terminal(report: Report, options: OutputOptions) -> list[Notification]:
    """Those that formats for terminals list, which may be quiet."""
    return [each for each in listed(report, options) if options.quiet is None or each.kind in options.quiet]


def grouped(notifications: Sequence[Notification]) -> list[tuple[NotificationKind, list[Notification]]]:
    """Notifications by kind, most important kind first; kinds without any are left out."""
    groups = [(kind, [each for each in notifications if each.kind is kind]) for kind in HEADINGS]
    return [(kind, of_kind) for kind, of_kind in groups if of_kind]
