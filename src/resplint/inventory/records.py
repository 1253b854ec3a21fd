"""What the inventory says of one Redis client, in plain records.

Times are in seconds, counts in whatever the option counts. Places are lines (from 1) of files relative to the root of
the scan. Texts come from the scanned code and must be escaped by whoever prints them.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping

import msgspec


class Origin(enum.Enum):
    """Where the value of an option comes from."""

    CODE = "code"
    SETTINGS = "settings"
    """A settings file of the application."""
    CONFIGURATION = "configuration"
    """The configuration of resplint (`client-factories`)."""
    DEFAULT = "default"
    UNKNOWN = "unknown"
    """It may be set in a way that cannot be followed."""


class Spot(msgspec.Struct, frozen=True, order=True):
    """A line of a file."""

    path: str
    line: int


class Setting(msgspec.Struct, frozen=True):
    """One option of one client. `text` is the value as people read it ("5 s", "unlimited", "Retry(…)"); `value` the
    number behind it, None where there is none.
    """

    option: str
    text: str
    origin: Origin
    value: float | None = None
    spot: Spot | None = None


class Version(msgspec.Struct, frozen=True):
    """The version whose defaults hold. `source` is lock, manifest, config or none; `phrase` says why it is assumed."""

    library: str
    number: str
    source: str
    phrase: str


class Made(msgspec.Struct, frozen=True):
    """How often a new one is made: `kind` is once, operation or unknown; `why` says for what."""

    kind: str
    why: str = ""


class User(msgspec.Struct, frozen=True):
    """A file that sends commands through a client: how many call sites, and the functions they stand in."""

    path: str
    call_sites: int
    symbols: tuple[str, ...]


class Grade(enum.Enum):
    """How the object that a call is made on was traced to the client."""

    EXACT = "exact"
    """To the call that makes the client."""
    DECLARED = "declared"
    """To a type that the code declares or derives from; where the client is made is not known."""
    NAME = "name"
    """By a name alone: it was stored under that name in something outside the project, and read so."""


class Site(msgspec.Struct, frozen=True):
    """A call through a client, at the name of what is called; columns count from 1 in UTF-16 code units.

    `command` is what it sends: "?" if it is not known, "" for a call that names no command: it makes a pipeline, a
    view or a script, or sends a batch.
    """

    path: str
    line: int
    column: int
    command: str
    grade: Grade

    def sort_key(self) -> tuple[object, ...]:
        """Order of an inventory: by place."""
        return (self.path, self.line, self.column, self.command, self.grade.value)


class Use(msgspec.Struct, frozen=True):
    """Who sends what through a client. `commands` maps each command to its number of call sites, most first; a call
    site whose command is not known counts under "?". `call_sites` leaves out those of `sites` that name none.
    """

    call_sites: int = 0
    commands: Mapping[str, int] = {}
    users: tuple[User, ...] = ()
    sites: tuple[Site, ...] = ()


class ClientEntry(msgspec.Struct, frozen=True):
    """One client, cluster, pool, … of the project.

    `spot` is where it is made, None for one that a framework or a caller provides. `shares` is where the pool (or
    client) is made whose connections it uses, `shared_by` where those are made that use its own.
    """

    kind: str
    name: str
    type: str
    spot: Spot | None
    symbol: str
    is_async: bool
    version: Version
    made: Made
    pool: tuple[Setting, ...]
    timeouts: tuple[Setting, ...]
    retry: tuple[Setting, ...]
    shares: Spot | None = None
    shared_by: tuple[Spot, ...] = ()
    use: Use = Use()

    def sort_key(self) -> tuple[object, ...]:
        """Order of every inventory: by place; what is provided comes last, by type."""
        return (self.spot is None, self.spot or Spot("", 0), self.type, self.name, self.version.phrase)


class Inventory(msgspec.Struct, frozen=True):
    """The clients of a project, sorted. A call site that may send through several of them counts once in `call_sites`;
    `files` is how many files these stand in.
    """

    clients: tuple[ClientEntry, ...]
    call_sites: int
    files: int


class Step(msgspec.Struct, frozen=True):
    """One place on the way of a value: what happens there ("" when the code says it), and the line of code."""

    spot: Spot
    text: str
    code: str


class Meaning(msgspec.Struct, frozen=True):
    """One thing that an expression may stand for, and its way from where it begins."""

    text: str
    steps: tuple[Step, ...]


class Decided(msgspec.Struct, frozen=True):
    """What a rule decided: the message that it reports, or the reason why it reports nothing.

    `precision` is that of the finding, "" for a rule that reports nothing.
    """

    rule: str
    reported: bool
    text: str
    spot: Spot
    precision: str = ""


class Explanation(msgspec.Struct, frozen=True):
    """What stands at a place. `command` is what it sends, "" for an expression that sends nothing; `subject` is the
    code of what `meanings` are about: the object that a command is sent through, or the expression itself.
    """

    spot: Spot
    code: str
    symbol: str
    command: str
    subject: str
    meanings: tuple[Meaning, ...]
    clients: tuple[ClientEntry, ...]
    rules: tuple[Decided, ...]
