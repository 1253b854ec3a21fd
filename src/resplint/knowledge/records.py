"""The records that files below ``rules/`` are read into. Unknown keys are refused, so that a typo cannot silently
switch knowledge off.

Names of library things are dotted import paths (``redis.asyncio.Redis``). Version ranges are PEP 440 specifiers; "" is
every version. Durations are in the unit that stands beside them.
"""

from __future__ import annotations

from typing import Literal as OneOf

import msgspec

from resplint.findings import Level, Precision

Scalar = str | int | float | bool


class _Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class LibrarySection(_Record, frozen=True):
    """The library itself. `imports` are the top-level modules whose mention selects a file."""

    name: str
    language: str
    ecosystem: str
    distributions: tuple[str, ...]
    imports: tuple[str, ...]
    versions: tuple[str, ...]
    """Known versions, oldest first; the last is what is assumed when a project says nothing."""
    markers: tuple[str, ...] = ()
    """Further texts whose mention selects a file: accessors that reach a client without naming the library."""
    inherits: str = ""
    """Library whose methods, pipelines, scripts and returned objects hold here too."""
    rides_on: str = ""
    """Library whose version decides the defaults (django-redis rides on redis-py)."""
    blocking_uses_read_timeout: bool = True
    """Whether the client's read timeout also cuts blocking commands."""
    title: str = ""


Kind = OneOf[
    "client",
    "cluster",
    "pool",
    "sentinel",
    "pipeline",
    "pubsub",
    "script",
    "lock",
    "connection",
    "retry",
    "backoff",
    "other",
]


class TypeModel(_Record, frozen=True):
    """A class of the library that code holds: the name constructors and annotations refer to."""

    name: str
    kind: Kind
    is_async: bool = False
    also: tuple[str, ...] = ()
    """Other import paths of the same class."""


class Positional(_Record, frozen=True):
    """Index of an option among positional arguments, for a range of versions."""

    index: int
    versions: str = ""


class OptionModel(_Record, frozen=True):
    """An option of a constructor in a range of versions.

    `role` is the client-independent name that checks ask for: read_timeout, connect_timeout, pool_max, pool,
    single_connection, retry, retry_on_timeout, retry_on_error, backoff, retries. `default` is what holds when the
    option is absent; "none" is not set, "unbounded" no limit.
    """

    name: str
    role: str = ""
    unit: str = ""
    default: Scalar = "none"
    none_means: Scalar = "none"
    """What an explicit null becomes."""
    versions: str = ""
    positional: tuple[Positional, ...] = ()
    source: str = ""


class ConstructorModel(_Record, frozen=True):
    """A call that makes something. `options` names an option set."""

    names: tuple[str, ...]
    makes: str
    """Name of the type that the call returns."""
    options: str = ""
    keywords_only: bool = False
    """Whether positional arguments are no options (the URL of ``from_url``)."""
    own_pool: bool = False
    """Whether the call makes a pool (or connection) of its own when no pool is passed."""
    connects: bool = False
    """Whether the call opens a connection before it returns."""
    versions: str = ""
    shared: bool = False
    """Whether the library itself hands out one long-lived object (a settings-driven accessor)."""
    settings: str = ""
    """Name of the settings mapping that configures what is returned."""
    alias_index: int = -1
    """Positional index of the alias that selects an entry of that mapping."""
    source: str = ""


class WaitModel(_Record, frozen=True):
    """How long a blocking method may wait. A `default` of "none" does not block, 0 is for ever, "required" has no
    default.
    """

    parameter: str
    unit: OneOf["s", "ms"]
    index: int = -1
    default: Scalar = "required"
    none_means: Scalar = "none"
    """What an explicit null does: "none" does not block, 0 waits for ever."""


class MethodModel(_Record, frozen=True):
    """A method of clients and pipelines. `command` is the Redis command it sends ("" for none)."""

    names: tuple[str, ...]
    command: str = ""
    wait: WaitModel | None = None
    script_index: int = -1
    """Positional index of Lua text, -1 when it carries none."""
    script_parameter: str = "script"
    raw_index: int = -1
    """Positional index of the command's name for methods that send any command, -1 otherwise."""
    client_index: int = -1
    """Positional index of the client or pipeline that runs it instead of the receiver, -1 when it takes none."""
    client_parameter: str = ""
    returns: str = ""
    """Type of the object it returns, "" for a reply."""
    on: tuple[Kind, ...] = ("client", "cluster", "pipeline")
    own_pool: bool = False
    """Whether the object it returns makes a pool of its own."""
    options: str = ""
    versions: str = ""
    source: str = ""


class PipelineModel(_Record, frozen=True):
    """How a batch starts and ends. `transaction_default` holds when the parameter is absent."""

    method: str
    on: tuple[Kind, ...]
    makes: str
    parameter: str = ""
    index: int = -1
    transaction_default: bool = True
    execute: tuple[str, ...] = ("execute",)
    watch: tuple[str, ...] = ("watch",)
    begin: tuple[str, ...] = ("multi",)
    discard: tuple[str, ...] = ("reset", "discard")
    versions: str = ""
    source: str = ""


class RetryModel(_Record, frozen=True):
    """A policy object. `growth` says how its delay grows; "policy" is a wrapper whose `backoff_index` argument
    decides.
    """

    names: tuple[str, ...]
    growth: OneOf["none", "constant", "exponential", "policy"]
    jitter: bool = False
    backoff_index: int = -1
    backoff_parameter: str = ""
    retries_index: int = -1
    retries_parameter: str = ""
    source: str = ""


class ErrorsSection(_Record, frozen=True):
    """Exception classes: a lost or slow connection, any failure of the library, an optimistic-lock conflict."""

    connection: tuple[str, ...] = ()
    any: tuple[str, ...] = ()
    conflict: tuple[str, ...] = ()


class SettingsModel(_Record, frozen=True):
    """A settings mapping that configures clients: where an entry's options stand and which option each key sets."""

    name: str
    backend_key: str
    backends: tuple[str, ...]
    options_key: str
    pool_options_key: str = ""
    pool_class_key: str = ""
    makes: str = ""
    pool: str = ""
    """Constructor of the pool when no class is named."""
    keys: dict[str, str] = {}
    """Key below `options_key` -> option of the pool."""
    source: str = ""


class ClientLibrary(_Record, frozen=True):
    """One file of ``rules/clients``."""

    library: LibrarySection
    type: tuple[TypeModel, ...] = ()
    option_set: dict[str, tuple[OptionModel, ...]] = {}
    constructor: tuple[ConstructorModel, ...] = ()
    method: tuple[MethodModel, ...] = ()
    pipeline: tuple[PipelineModel, ...] = ()
    retry: tuple[RetryModel, ...] = ()
    settings: tuple[SettingsModel, ...] = ()
    errors: ErrorsSection = ErrorsSection()


class CommandModel(_Record, frozen=True):
    """A Redis command. `access` is read or write; `key` is the index of its first key among the arguments (-1: none).

    `couples` names the kind of coupling with a neighbour on the same key: "expire" for commands that set a life time,
    "trim" for those that cut a collection, "counter" for increments.
    """

    access: OneOf["read", "write", "none"]
    key: int = 0
    blocking: bool = False
    couples: OneOf["", "expire", "trim", "counter", "publish", "remove"] = ""
    whole_hash: bool = False
    hash_write: OneOf["", "pairs", "mapping", "field"] = ""
    """Where a hash write names its fields: alternating pairs, a mapping, or one field after the key."""
    raw_wait: OneOf["", "first", "last", "block"] = ""
    """Where a blocking command that is sent as words carries its wait: first or last word, or the word after BLOCK."""
    raw_wait_unit: OneOf["s", "ms"] = "s"
    structure: str = ""
    """Data type it works on: string, hash, list, set, zset, stream, key, ..."""


class RolePattern(_Record, frozen=True):
    """Things that give code a role. Dotted names; a member of an instance is written ``flask.Flask.route``."""

    role: str
    decorators: tuple[str, ...] = ()
    registrars: tuple[str, ...] = ()
    """Calls that take a function and later call it in this role."""
    bases: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    """Methods that have the role in classes derived from `bases`; empty: all."""


class RetryDecorator(_Record, frozen=True):
    """A decorator that retries a function, and how it says its delay."""

    names: tuple[str, ...]
    wait_parameter: str = ""
    wait_index: int = -1
    default_growth: OneOf["none", "constant", "exponential"] = "none"
    errors_parameter: str = ""
    errors_index: int = -1


class Roles(_Record, frozen=True):
    """``rules/<language>/roles.toml``: names of the language and its frameworks that give code a meaning."""

    role: tuple[RolePattern, ...]
    memoised: tuple[str, ...]
    """Decorators after which a function runs once (per arguments)."""
    memoised_per_object: tuple[str, ...]
    delays: dict[str, str]
    """Call that sleeps -> unit of its first argument ("s" or "ms")."""
    retry_decorator: tuple[RetryDecorator, ...] = ()
    waits: dict[str, str] = {}
    """Wait policy of a retrying decorator -> growth, with "+jitter" when it has one."""
    network_errors: tuple[str, ...] = ()
    """Errors of the language that a lost connection raises."""
    broad_errors: tuple[str, ...] = ()
    """Errors that catch everything, a lost connection among it."""
    file_text: tuple[str, ...] = ()
    """Calls that return the text of a file or resource."""
    configuration: tuple[str, ...] = ()
    """Calls and objects that return configuration, fixed for the life of the process."""
    text_functions: dict[str, str] = {}
    """Function or method on text -> what it does: join, format, substitute, same, dedent."""
    harmless: tuple[str, ...] = ()
    """Beginnings of calls that do not fail for want of a connection: logging, clocks, arithmetic."""
    identity_members: tuple[str, ...] = ()
    """Members that by convention hold the identity of a record."""
    counters: tuple[str, ...] = ()
    """Calls that give a loop its count: what runs over them tries again, it does not walk over data."""
    random: tuple[str, ...] = ()
    """Calls that return a random number: jitter."""
    properties: tuple[str, ...] = ()
    """Decorators after which a method is read like a field."""
    pass_through: dict[str, int] = {}
    """Calls whose value is that of one of their arguments -> its position (casts, awaits, timeouts around awaits)."""
    enumerations: tuple[str, ...] = ()
    """Base classes of enumerations: their members are as many as the code has."""
    deployment: tuple[str, ...] = ()
    """Calls that name a host, process or thread: as many as machines run the code."""
    identifiers: tuple[str, ...] = ()
    """Beginnings of calls that make a new identifier."""
    clock: tuple[str, ...] = ()
    """Beginnings of calls that give a point in time."""
    request_scoped: tuple[str, ...] = ()
    """Objects that live for one request: what is kept in them is made anew for each."""
    request_data: tuple[str, ...] = ()
    """Objects that carry what a client of the service sent."""
    injectors: tuple[str, ...] = ()
    """Calls whose first argument is a function that the framework calls for each request."""


class Page(_Record, frozen=True):
    """Front matter of a page of the rule book."""

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
