"""Findings: the contract between checks and output formats.

A check yields `Finding` records whose places are byte offsets into the normalised UTF-8 text of a file. After judging,
every finding is *located*: offsets become lines and UTF-16 columns, and the lines around it are read for the code
frame. The outputs see only the located records of this module.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

import msgspec

from resplint.contracts.errors import InternalError
from resplint.contracts.remedy import Remedy


class Level(enum.Enum):
    """How much a finding matters: `error` practically always a bug, `warning` costs at scale, `note` advice."""

    NOTE = "note"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """Position in the order note < warning < error."""
        return _LEVEL_RANK[self]


_LEVEL_RANK = {Level.NOTE: 0, Level.WARNING: 1, Level.ERROR: 2}


class Precision(enum.Enum):
    """How often a finding of this class is right."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    VERY_HIGH = "very-high"

    @property
    def rank(self) -> int:
        """Position in the order low < medium < high < very-high."""
        return _PRECISION_RANK[self]


_PRECISION_RANK = {Precision.LOW: 0, Precision.MEDIUM: 1, Precision.HIGH: 2, Precision.VERY_HIGH: 3}


class Status(enum.Enum):
    """Whether a rule runs unless somebody says otherwise: `default` rules do. A `preview` is new, and too few of its
    findings have been read to know how often it is right; `off` is what was read and is wrong too often.
    """

    DEFAULT = "default"
    PREVIEW = "preview"
    OFF = "off"


class Place(msgspec.Struct, frozen=True, order=True):
    """A stretch of one file: `start` and `end` are byte offsets into its normalised UTF-8 text, end exclusive.

    `path` is relative to the scan's root, with forward slashes.
    """

    path: str
    start: int
    end: int


class Step(msgspec.Struct, frozen=True):
    """One step of a finding's trail, in the order in which a reader should visit them; the last one is the finding."""

    place: Place
    message: str


class FixSafety(enum.Enum):
    """Whether a fix may be applied without a look at it.

    `SAFE` keeps what the program does but for the defect; `UNSAFE` may change it (atomicity, round trips, limits) and
    needs the user's word; `DISPLAY` is only ever shown.
    """

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


class Edit(msgspec.Struct, frozen=True, order=True):
    """Text that takes the place of what stands at `place` (an empty place: it is inserted there)."""

    place: Place
    text: str


class Fix(msgspec.Struct, frozen=True):
    """A mechanical remedy: all `edits` or none. `title` says what it does ("Send the batch without MULTI/EXEC")."""

    title: str
    safety: FixSafety
    edits: tuple[Edit, ...]


class Finding(msgspec.Struct, frozen=True):
    """What a check reports.

    `message` is plain text that says what is wrong and what comes of it; its first sentence stands alone. `help` says
    in a sentence or two what to do instead, or is empty. In both, names of code stand between backticks. `symbol` is
    the qualified name of the enclosing definition (empty at module level) and goes into the fingerprint, as the line
    number does not. Where the way out is mechanical, a check gives a `remedy`; once that is spelled in the language of
    the file, it is the `fix`.
    """

    rule: str
    level: Level
    precision: Precision
    message: str
    place: Place
    trail: tuple[Step, ...] = ()
    symbol: str = ""
    fix: Fix | None = None
    remedy: Remedy | None = None
    help: str = ""
    is_secret: bool = False
    """Whether what stands at `place` must not be shown: a password."""

    def __post_init__(self) -> None:
        if not self.message.endswith("."):
            raise InternalError(f"{self.rule}: a message must end with a period: {self.message!r}")
        if self.help and not self.help.endswith("."):
            raise InternalError(f"{self.rule}: its help must end with a period: {self.help!r}")
        if self.place.end < self.place.start or self.place.start < 0:
            raise InternalError(f"{self.rule}: a finding needs a place, not {self.place!r}")


class Region(msgspec.Struct, frozen=True, order=True):
    """Lines and columns count from 1; columns are UTF-16 code units; the end column is exclusive."""

    start_line: int
    start_column: int
    end_line: int
    end_column: int


class LocatedStep(msgspec.Struct, frozen=True):
    """A step of the trail with its region; `snippet` is the source line it stands on, unescaped."""

    path: str
    region: Region
    message: str
    snippet: str = ""


class SourceLine(msgspec.Struct, frozen=True):
    """One line of source without its line end, exactly as in the file (outputs must escape it)."""

    number: int
    text: str


class Suppression(msgspec.Struct, frozen=True):
    """Why a result is not to be acted on: `kind` is "inSource" or "external"; `justification` may be empty."""

    kind: str
    justification: str = ""


class LocatedEdit(msgspec.Struct, frozen=True, order=True):
    """Text that takes the place of a region of a file (an empty region: it is inserted there)."""

    path: str
    region: Region
    text: str


class LocatedFix(msgspec.Struct, frozen=True):
    """A fix with its regions; `edits` are sorted and do not overlap."""

    title: str
    safety: FixSafety
    edits: tuple[LocatedEdit, ...]


class BaselineState(enum.Enum):
    """How a result relates to the baseline it was compared with."""

    NEW = "new"
    UNCHANGED = "unchanged"


class Result(msgspec.Struct, frozen=True):
    """A located finding, ready for any output format. `baseline` is None when there was nothing to compare with."""

    rule: str
    level: Level
    precision: Precision
    message: str
    path: str
    region: Region
    symbol: str
    frame: tuple[SourceLine, ...]
    trail: tuple[LocatedStep, ...]
    fingerprints: Mapping[str, str]
    suppression: Suppression | None = None
    baseline: BaselineState | None = None
    fix: LocatedFix | None = None
    help: str = ""

    @property
    def steps(self) -> tuple[LocatedStep, ...]:
        """The trail without the finding itself, which people see anyway."""
        return tuple(step for step in self.trail if (step.path, step.region) != (self.path, self.region))

    @property
    def text(self) -> str:
        """Message and help, for formats that have one text for both."""
        return f"{self.message} {self.help}" if self.help else self.message

    def sort_key(self) -> tuple[object, ...]:
        """Order of every report: by path, place, rule, message."""
        return (self.path, self.region, self.rule, self.message)


class NotificationKind(enum.Enum):
    """What happened to a file (or to the scan) that a reader must know."""

    SKIPPED = "skipped"
    """The file was not analysed at all."""
    UNSUPPORTED = "unsupported"
    """There are files that mention Redis in a language that is not analysed."""
    PARTIAL = "partial"
    """The file was analysed as far as possible."""
    UNUSED_SUPPRESSION = "unused-suppression"
    UNUSED_BASELINE = "unused-baseline"
    """An entry of the baseline whose finding is gone."""
    LAPSED_BASELINE = "lapsed-baseline"
    """An entry of the baseline that no longer holds, although its finding is still there: it has expired, or the
    finding has become graver."""
    LIMIT = "limit"
    """Something was left out because a cap was reached."""
    INTERNAL_ERROR = "internal-error"
    """resplint failed on a file or in a rule; its results are incomplete."""
    NOT_FIXED = "not-fixed"
    """A fix was asked for and could not be applied to this file."""
    MANIFEST = "manifest"
    """A manifest, lock file or file of the application's settings could not be read, so versions and options may be
    less exact."""


class Notification(msgspec.Struct, frozen=True):
    """A remark about the scan. `path` is empty when it concerns no single file; `line` is 0 when unknown."""

    kind: NotificationKind
    message: str
    path: str = ""
    line: int = 0
    rule: str = ""

    def sort_key(self) -> tuple[object, ...]:
        """Order of every report."""
        return (self.path, self.line, self.kind.value, self.rule, self.message)


class RuleInfo(msgspec.Struct, frozen=True):
    """One rule of the book as the outputs need it. `sections` maps a heading to its Markdown; `security_severity` is a
    number on the scale of CVSS ("7.5"), empty for rules that have nothing to do with security.
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
    sections: Mapping[str, str]
    help_markdown: str
    security_severity: str = ""
    url: str = ""
    """Where its page is, for a rule of the user's own."""
    status: Status = Status.DEFAULT
    yields_to: tuple[str, ...] = ()
    """Codes of rules whose finding at the same call says enough, unless it is a lesser note: this one is left out."""
    yields_up_to: Level = Level.ERROR
    """The highest level at which a finding is left out for another rule's."""


class Comparison(msgspec.Struct, frozen=True):
    """What a report was reduced to the news of: `ref` as the user named it, `commit` the one compared with, and how
    many results were left out because they were there before.
    """

    ref: str
    commit: str
    left_out: int


class Report(msgspec.Struct, frozen=True):
    """Everything one scan found. `results` and `notifications` are sorted; `rules` holds every rule that was switched
    on. `files_using` is how many files name a client library or use a client; more may have had to be analysed.
    `unsupported` is how many files mention Redis in other languages, by language. `compared` is None unless only what
    is new since a commit was asked for. `analysed` are the files that messages may name.
    """

    results: tuple[Result, ...]
    notifications: tuple[Notification, ...]
    rules: tuple[RuleInfo, ...]
    files_discovered: int = 0
    files_analysed: int = 0
    files_using: int = 0
    unsupported: Mapping[str, int] = {}
    root_name: str = ""
    statistics: Mapping[str, float] = {}
    compared: Comparison | None = None
    analysed: tuple[str, ...] = ()
