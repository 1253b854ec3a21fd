"""What reports are made of: records of plain text, whatever tool wrote the SARIF file.

All texts are safe to print: control characters have a visible form. They are *not* escaped for HTML or CSV; the forms
do that.
"""

from __future__ import annotations

import enum

import msgspec

LEVELS = ("error", "warning", "note", "none")
"""Worst first. `none` is what SARIF calls results that are no problems."""


class State(enum.Enum):
    """Whether a finding is there to be acted on, and since when."""

    OPEN = "open"
    """Nothing is known about the past."""
    NEW = "new"
    """Not in the baseline."""
    KNOWN = "known"
    """In the baseline, and not suppressed for it."""
    ACCEPTED = "baseline"
    """Suppressed because it is in the baseline."""
    SUPPRESSED = "suppressed"
    """Suppressed by a comment or elsewhere."""

    @property
    def is_open(self) -> bool:
        """Whether somebody should look at it."""
        return self not in (State.ACCEPTED, State.SUPPRESSED)


class Spot(msgspec.Struct, frozen=True):
    """A place in a file. Lines and columns count from 1, 0 is unknown; columns are in the file's own unit."""

    path: str = ""
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    @property
    def label(self) -> str:
        """`app/queue.py:12:5`, as far as it is known."""
        numbers = (self.line, self.column) if self.line else ()
        return ":".join([self.path, *(str(number) for number in numbers if number)])

    @property
    def folder(self) -> str:
        """The folder of the file; `.` for the root."""
        return self.path.rpartition("/")[0] or "."


class Line(msgspec.Struct, frozen=True):
    """A line of code; `marks` are the stretches (start and end index, end exclusive) that are meant."""

    number: int
    text: str
    marks: tuple[tuple[int, int], ...] = ()


class Part(msgspec.Struct, frozen=True):
    """A piece of a message: text, and where it leads to (an `https:` or `http:` address), if anywhere."""

    text: str
    href: str = ""


class Step(msgspec.Struct, frozen=True):
    """A station of the trail, or a related place."""

    message: tuple[Part, ...]
    spot: Spot
    lines: tuple[Line, ...] = ()


class DiffRow(msgspec.Struct, frozen=True):
    """A line of a diff: `sign` is "+", "-" or " "; `number` is that of the old file for what was there, else 0."""

    sign: str
    text: str
    number: int = 0


class FileDiff(msgspec.Struct, frozen=True):
    """What a fix changes in one file."""

    path: str
    rows: tuple[DiffRow, ...]


class Remedy(msgspec.Struct, frozen=True):
    """A fix that the tool offers."""

    title: str
    diffs: tuple[FileDiff, ...]


class Rule(msgspec.Struct, frozen=True):
    """A rule of a tool. `key` tells rules of several tools apart."""

    key: str
    id: str
    name: str = ""
    title: str = ""
    summary: str = ""
    help_markdown: str = ""
    help_text: str = ""
    uri: str = ""


class Change(msgspec.Struct, frozen=True):
    """Who changed a line last, on which day (`2026-01-31`, UTC), and in which commit."""

    author: str
    day: str
    commit: str


class Issue(msgspec.Struct, frozen=True):
    """A finding. `headline` is the first sentence of its message, `rest` what follows.

    `anchor` is the same in every report as long as the finding has the same fingerprint. `rank` orders findings of one
    level, from 0 to 100, -1 if nothing is known. `further_trails` counts the code flows beside the one that is shown.
    `changed` is None unless it was asked for and is known.
    """

    anchor: str
    source: str
    tool: str
    rule: Rule
    level: str
    state: State
    headline: tuple[Part, ...]
    rest: tuple[Part, ...]
    message: str
    spot: Spot
    symbol: str = ""
    precision: str = ""
    rank: float = -1.0
    lines: tuple[Line, ...] = ()
    steps: tuple[Step, ...] = ()
    further_trails: int = 0
    related: tuple[Step, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    suppression: str = ""
    justification: str = ""
    fingerprint: str = ""
    changed: Change | None = None

    def sort_key(self) -> tuple[object, ...]:
        """Worst first, then by place."""
        spot = self.spot
        return (LEVELS.index(self.level), -self.rank, spot.path, spot.line, spot.column, self.rule.key, self.message)


class Notice(msgspec.Struct, frozen=True):
    """What a tool said about its own work: files that it could not read, limits that it reached."""

    level: str
    kind: str
    message: str
    spot: Spot
    source: str
    tool: str


class Source(msgspec.Struct, frozen=True):
    """A run of a tool that the report covers."""

    label: str
    file: str
    tool: str
    version: str
    findings: int
    """Those that are open."""


class Point(msgspec.Struct, frozen=True):
    """Open findings at one time, by level in the order of `LEVELS`. `stamp` is in UTC: `20260131T090000Z`."""

    stamp: str
    counts: tuple[int, ...]


class Trend(msgspec.Struct, frozen=True):
    """How the number of findings in one series of files went, oldest first."""

    series: str
    points: tuple[Point, ...]


class Collection(msgspec.Struct, frozen=True):
    """Everything that a report shows. `gone` counts results of the baseline that are no longer there."""

    issues: tuple[Issue, ...]
    notices: tuple[Notice, ...]
    sources: tuple[Source, ...]
    trends: tuple[Trend, ...] = ()
    gone: int = 0

    @property
    def open(self) -> tuple[Issue, ...]:
        """What should be looked at, worst first."""
        return tuple(issue for issue in self.issues if issue.state.is_open)

    @property
    def closed(self) -> tuple[Issue, ...]:
        """What was suppressed, worst first."""
        return tuple(issue for issue in self.issues if not issue.state.is_open)
