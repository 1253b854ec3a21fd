"""The records that files below ``rules/`` are read into. Unknown keys are refused, so that a typo cannot silently
switch knowledge off.

Names of library things are dotted import paths (``redis.asyncio.Redis``). Version ranges are PEP 440 specifiers; "" is
every version. Durations are in the unit that stands beside them.
"""

from __future__ import annotations

from typing import Literal as OneOf

import msgspec

from resplint.knowledge.records.base_records import Kind, Record, Scalar
from resplint.knowledge.records.batch_records import PipelineModel


class Ranged(Record, frozen=True):
    """A truth value for a range of versions."""

    versions: str
    value: bool


class Renumbered(Record, frozen=True):
    """A further distribution whose versions have other numbers: from `at` up to the next entry it behaves like
    `version` of the library (``@redis/client`` 1.6 is what ``redis`` 4.7 consists of); "" is the same number from there
    on."""

    distribution: str
    at: str
    version: str = ""


class EarlierAdvice(Record, frozen=True):
    """What the methods of an advice are called in other versions of a library."""

    versions: str
    hash_scan: str
    set_scan: str


class Advice(Record, frozen=True):
    """What to do instead, as this library has it: sentences for the help of findings. "" leaves the general one."""

    reuse: str = ""
    """Instead of a client for each operation; what may be shared between threads."""
    reuse_async: str = ""
    """The same for asynchronous clients, where that differs."""
    reuse_connection: str = ""
    """The same where a client is there already that opens the connection: ``{client}`` is what its class is called."""
    full_pool: str = ""
    """What happens to callers when a bounded pool is full, and how they can be made to wait."""
    full_cluster: str = ""
    """The same for the pools of a cluster's client."""
    empty_pool: str = ""
    """What a pool does that lends and gets nothing back, as the end of a sentence, where callers do not wait."""
    give_back: str = ""
    """How what its pools lend is given back in any case."""
    unsubscribe: str = ""
    """How an object that listens to channels is closed in any case."""
    close: str = ""
    """How a client or connection that is made for one use is closed in any case."""
    close_async: str = ""
    """The same for asynchronous clients, where that differs."""
    hash_scan: str = ""
    """The call that reads a hash in portions, as code: ``hscan_iter()``."""
    asynchronous: str = ""
    """What code on an event loop does instead of waiting for a reply."""
    key_scan: str = ""
    """The call that walks the keys of a database in portions, as code: ``scan_iter()``."""
    unlink: str = ""
    """The method that deletes keys and frees their memory in the background, in the place of the one that sends DEL."""
    own_authority: str = ""
    """How to trust a certificate that no public authority has signed, as the end of a sentence: "pass it as
    `ssl_ca_certs`"."""
    set_scan: str = ""
    """The call that reads a set in portions: ``sscan_iter()``."""
    script: str = ""
    """The call that sends a constant script by its hash, as code: ``register_script()``."""
    batch: str = ""
    """What sends many commands in one round trip, with names of code between backticks."""
    earlier: EarlierAdvice | None = None


class LibrarySection(Record, frozen=True):
    """The library itself. `imports` are the modules or packages whose mention selects a file: top-level modules
    (``redis``), packages of a JVM library (``redis.clients.jedis``) or of npm (``@redis/client``).
    """

    name: str
    languages: tuple[str, ...]
    """Languages in which code uses it, by the names of `rules/<language>`."""
    ecosystem: str
    distributions: tuple[str, ...]
    imports: tuple[str, ...]
    versions: tuple[str, ...]
    """Known versions, oldest first; the last is what is assumed when a project says nothing."""
    markers: tuple[str, ...] = ()
    """Further texts whose mention selects a file: accessors that reach a client without naming the library."""
    inherits: str = ""
    """Library whose methods, pipelines, scripts and returned objects hold here too."""
    version_owner: str = ""
    """Library whose version decides the defaults (django-redis rides on redis-py)."""
    blocking_uses_read_timeout: bool = True
    """Whether the client's read timeout also cuts blocking commands (a method's own `read_timeout_cuts` overrides)."""
    blocking_by_version: tuple[Ranged, ...] = ()
    """The same for ranges of versions; the first that fits overrides `blocking_uses_read_timeout`."""
    words: bool = False
    """Whether the arguments of a method that is named after a command are the command's own words, in their order
    (``redis.xread('BLOCK', 0, 'STREAMS', …)``). Lists among them count as if they were written out, a map as its keys
    and values in turn. The first word may complete the command's name: ``script('load', text)`` is SCRIPT LOAD."""
    async_suffix: str = ""
    """What the names of methods end with that do not wait for the reply, on objects whose other methods do."""
    waiting_suffix: str = ""
    """What the names of methods end with that wait for the reply themselves, on objects whose other methods do not."""
    waiting: tuple[str, ...] = ()
    """Methods of a reply that comes later which wait for it: ``future.get()``."""
    waiting_at_most: tuple[str, ...] = ()
    """The same, of methods that get the longest time as an argument: ``future.await(2, TimeUnit.SECONDS)``."""
    words_by_version: tuple[Ranged, ...] = ()
    """The same for ranges of versions; the first that fits overrides `words`."""
    callbacks: bool = False
    """Whether a function as last argument of a command receives the reply and is no word of the command."""
    call_options: tuple[str, ...] = ()
    """Methods and functions whose result may stand in front of a method's arguments and sets how it is sent:
    ``client.blPop(client.commandOptions({ isolated: true }), key, 0)``. It does not count as an argument."""
    password_makers: tuple[str, ...] = ()
    """Functions that make what the library takes as a password of a text: ``RedisPassword.of``."""
    whole_ranges: tuple[str, ...] = ()
    """Calls that give a range without ends: ``Range.unbounded()``."""
    range_makers: tuple[str, ...] = ()
    """Calls that give a range from one end to another: ``Range.closed("-", "+")``."""
    namespaces: tuple[str, ...] = ()
    """Members of its objects under which the commands of a module stand, whose names begin like them:
    ``client.json.get`` sends JSON.GET."""
    open_ends: tuple[str, ...] = ()
    """Calls that give an end of such a range that leaves nothing out: ``Range.Boundary.unbounded()``."""
    keyed_records: tuple[str, ...] = ()
    """Methods that take the key first of an entry that carries it: ``StreamRecords.newRecord().in(key).ofMap(fields)``,
    ``MapRecord.create(key, fields)``."""
    suffixes: tuple[str, ...] = ()
    """Endings that a method named after a command may have as well, without sending another one: ``hgetallBuffer``,
    ``hScanIterator``. Compared without regard to case and underscores."""
    databases: tuple[str, ...] = ()
    """Options and setters that only choose a database of a server. A server has few: one client for each would do."""
    opens: tuple[str, ...] = ()
    """Methods that connect an object which was made before, and that `closes` take the connection from again."""
    opens_after: tuple[str, ...] = ()
    """Events of a client behind which `opens` connects it again. Behind the others of a lost connection it refuses, as
    long as the client connects again by itself."""
    reopens: tuple[str, ...] = ()
    """Methods that connect an object anew, also one that has been closed."""
    closes: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    """Further methods that close an object for good, or give it back to the pool that lent it: ``shutdown``."""
    closing_cursors: tuple[str, ...] = ()
    """Methods whose result closes the connection that they are called on when it is closed itself: ``scan``."""
    dedicated: tuple[str, ...] = ()
    """Methods for which a connection that shares its socket with others (`lends_shared`) takes one of its own."""
    takes_back: tuple[str, ...] = ()
    """Methods of a pool that are handed what it has lent: ``returnResource``, ``release``."""
    commands: str = ""
    """The type with the commands, which stands for classes outside the project whose methods have the same names: for
    those whose path has the library's name in it, which then selects a file, too."""
    stand_in: str = ""
    """The type that stands for clients which nobody is seen to make: parameters that nobody fills, what a module of the
    project's own gives that is not there."""
    async_stand_in: str = ""
    """The same, where their replies are awaited."""
    is_lower_case: bool = False
    """Whether methods have the names of commands in lower case only."""
    fast_parser: str = ""
    """Distribution, and optional part of the library, with a parser in C that the library uses by itself where it is
    installed."""
    brings: tuple[str, ...] = ()
    """Distributions that are installed with it in any case: such a parser of the library that it rides on."""
    listens: tuple[str, ...] = ()
    """Methods that come back only once the subscription or the connection has ended: ``jedis.subscribe``."""
    states: tuple[str, ...] = ()
    """Members of a client that connects again by itself which say whether it has a connection, with the texts that they
    are then: ``client.isReady``, ``client.status === "ready"``.
    """
    failures: tuple[str, ...] = ()
    """Events after which such a client goes on connecting."""
    rejects: bool = False
    """Whether such a client goes on connecting after what waits for it has failed."""
    locking: tuple[str, ...] = ()
    """Methods of its locks that ask the server and come back with the answer: ``lock.tryLock()``."""
    titles: tuple[str, ...] = ()
    """Options and setters that only say who connects."""
    key_parameters: tuple[str, ...] = ()
    """Names under which its methods may be passed the key."""
    creating: tuple[str, ...] = ()
    """Methods and entries of the factories that its pools are given, which make an object."""
    creating_calls_back: bool = False
    """Whether such a function may hand the object to its first parameter instead of giving it back, as the last
    argument: ``callback(null, client)``."""
    renumbered: tuple[Renumbered, ...] = ()
    pool_bound: int = 0
    """Connections that a fix bounds its pools at: the default of its newest version where that is a sensible bound; 0:
    there is no such fix."""
    title: str = ""
    advice: Advice = Advice()


class TypeModel(Record, frozen=True):
    """A class of the library that code holds: the name constructors and annotations refer to."""

    name: str
    kind: Kind
    is_async: bool = False
    also: tuple[str, ...] = ()
    """Other import paths of the same class."""
    extends: tuple[str, ...] = ()
    """Types whose methods it has as well."""
    speaks: bool = True
    """Whether its methods are named after Redis commands (``hgetAll``, ``HGETALL``, ``hget_all``), so that they need no
    entries of their own. Always false in effect for kinds that send nothing."""
    ambient: bool = False
    """Whether an object that only its declared type is known of is configured by the application's settings (what
    Spring Boot injects), so that options are read from there and the library's defaults hold otherwise."""
    ambient_options: str = ""
    """Option set of such an object."""
    objects: tuple[str, ...] = ()
    """Import paths of objects of this type that the library makes by itself: ``import { kv } from '@vercel/kv'``."""
    members: dict[str, str] = msgspec.field(default_factory=dict)
    """Members that code reads from such an object -> the type of the object that each of them is."""
    elements: str = ""
    """Type of the objects that it keeps under names of the user's choice: ``fastify.redis.cache``."""
    closes_itself: bool = False
    """Whether its connections are closed as soon as nobody has the object any longer."""
    left_closed: str = ""
    """Range of versions in which ``close()`` closes all of its connections, as does a statement that manages it when it
    is left (``with cluster:``), and the next command opens new ones; "" if it is never so."""
    lends_shared: str = ""
    """For pools: range of versions in which the connections that it lends share one, so that no pool is smaller by one
    that is not given back; "" if it is never so."""
    chains: bool = True
    """For batches: whether queueing a command gives the batch itself, so that calls can be chained."""
    words: bool | None = None
    """Whether the arguments of its methods are the command's words; None: as the library says."""
    blocking_uses_read_timeout: bool | None = None
    """As in the library's section, for commands that run over such an object (the connection factory of a template);
    None: as the library says."""


class Positional(Record, frozen=True):
    """Index of an option among positional arguments, for a range of versions and a shape of the call."""

    index: int
    versions: str = ""
    shape: tuple[str, ...] = ()
    """The overload: one word for each argument: any, text, number, boolean, duration, unit, object (an object of a
    library or class), function, map, list, none. Empty: any arguments. A call fits when it has as many arguments and
    none of them is known to be something else; `true` fits only what is known to be true. A last word ``...`` stands
    for any further arguments, also for none."""


WHO_AND_WHERE = frozenset({"host", "nodes", "url", "password", "peer_check"})
"""Roles of options that say to which server a client connects, and as whom."""


class OptionModel(Record, frozen=True):
    """An option of a constructor in a range of versions.

    `role` is the client-independent name that checks ask for: read_timeout, connect_timeout, pool_max, pool_min, pool,
    single_connection, retry, retry_on_timeout, retry_on_error, backoff, retries. Where several options of a set share a
    role, those that are given count. retry_delay is the delay before the library connects again: a number, or a
    function that is called with the attempt's number (or an object with it) and returns one; its `default` is the
    growth, as in `Roles.waits`. blocking_limit bounds blocking commands that have no end of their own. blocking_timeout
    is the read timeout that holds instead while a blocking command waits; 0 is none. `default` is what holds when the
    option is absent; "none" is not set, "unbounded" no limit, "" not known.
    """

    name: str
    role: str = ""
    unit: str = ""
    """Unit of a plain number ("s", "ms", "connections", …). A duration object brings its own."""
    setters: tuple[str, ...] = ()
    """Methods that set it, on the object itself or on a `config` object that goes into it; their first argument is the
    value (a second one may be its unit). A property of the same name without "set" counts too (``config.maxTotal =
    8``)."""
    argument: int = 0
    """Index of the value among the arguments of those methods: 1 for ``withAuthentication(user, password)``."""
    settings: tuple[str, ...] = ()
    """Keys of the application's settings that set it for `ambient` objects (``spring.data.redis.timeout``)."""
    settings_unit: str = ""
    """Unit of a plain number there, if it differs."""
    default: Scalar = "none"
    none_means: Scalar = "none"
    """What an explicit null becomes."""
    negative_means: Scalar = "none"
    """What a number below zero becomes ("unbounded" for ``setMaxTotal(-1)``); "none": nothing special."""
    zero_means: Scalar = "none"
    """What 0 becomes, where it is no number like others ("unbounded" for ``max_connections or 2**31``, and for timeouts
    where 0 is none)."""
    versions: str = ""
    positional: tuple[Positional, ...] = ()
    place: int = -1
    """Positional index of the object literal that holds it, where a call takes several; -1: any of them."""
    advice: str = ""
    """What to write instead of a delay that does not grow, for the message; where it holds no "…", a fix writes it."""
    caution: str = ""
    """What else has to be set with it, as it does more than its role says: the end of a sentence that advises it."""
    attempt: str = ""
    """For delays that a function computes: the member of its parameter that is the attempt's number; empty: the
    parameter itself."""
    takes_errors: bool = False
    """Whether errors of the connection go to what it says, and not to listeners."""
    off: tuple[str, ...] = ()
    """For what makes a connection safe: values that switch it off, as texts (``false``, ``ssl.CERT_NONE``)."""
    endless: bool = False
    """For a delay: whether the client itself never stops to connect again, and commands wait for it meanwhile."""
    source: str = ""


class PlugModel(Record, frozen=True):
    """How a plugin is handed to a framework: ``fastify.register(fastifyRedis, { host })``. `method` is called with the
    plugin, then options, and keeps what the plugin makes under `member`; `ready` is the entry of the options that holds
    an object which is kept instead."""

    method: str
    member: str
    ready: str = ""


class Arity(Record, frozen=True):
    """How many positional arguments a call takes at most, in a range of versions."""

    most: int
    versions: str = ""


class ConstructorModel(Record, frozen=True):
    """A call that makes something. `options` names an option set."""

    names: tuple[str, ...]
    makes: str
    """Name of the type that the call returns."""
    shape: tuple[str, ...] = ()
    """The overload it is, as in `Positional.shape`; empty: any arguments."""
    options: str = ""
    mapping: bool = False
    """Whether options stand in an object literal among the positional arguments, under their names; a name with dots
    is a path into nested ones (``socket.reconnectStrategy``)."""
    keywords_only: bool = False
    """Whether positional arguments are no options (the URL of ``from_url``)."""
    own_pool: bool = False
    """Whether the call makes a pool (or connection) of its own when no pool is passed."""
    connects: bool = False
    """Whether the call opens a connection before it returns."""
    unheard: OneOf["", "throws", "prints"] = ""
    """What becomes of an `error` of its connection that no listener takes: it is thrown, which ends the process, or
    printed."""
    versions: str = ""
    arities: tuple[Arity, ...] = ()
    bound_key: int = -1
    """Positional index of the key to which the new object is bound; -1 when it is bound to none."""
    shared: bool = False
    """Whether the library itself hands out one long-lived object (a settings-driven accessor)."""
    settings: str = ""
    """Name of the settings mapping that configures what is returned."""
    alias_index: int = -1
    """Positional index of the alias that selects an entry of that mapping."""
    alias_parameter: str = "alias"
    script_path: str = ""
    """Where Lua text stands in an object literal among the arguments: names joined by dots, ``*`` for any name
    (``scripts.*.lua``)."""
    script_index: int = -1
    """Positional index of Lua text that the new object carries and sends later, -1 when there is none."""
    script_parameter: str = "script"
    plugs: PlugModel | None = None
    """Set for a function that is handed to something that calls it and keeps what it makes."""
    opaque: bool = False
    """Whether options come from a place that is not looked into (a file), so that no default can be assumed."""
    source: str = ""


class WaitModel(Record, frozen=True):
    """How long a blocking method may wait. A `default` of "none" does not block, 0 is forever, "required" has no
    default.

    The wait is the keyword argument `parameter`, or the positional one at `index` (negative ones count from the end),
    or the entry `parameter` of an object literal among the arguments, or what one of `setters` says on a `config`
    object among the arguments (``XReadParams.xReadParams().block(0)``).
    """

    parameter: str
    unit: OneOf["s", "ms"]
    index: int = -100
    unit_index: int = -100
    """Positional index of the argument that names the unit (``TimeUnit.SECONDS``)."""
    setters: tuple[str, ...] = ()
    mapping: bool = False
    """Whether `parameter` is an entry of an object literal among the arguments."""
    default: Scalar = "required"
    none_means: Scalar = "none"
    """What an explicit null does: "none" does not block, 0 waits forever."""
    whole: bool = False
    """Whether the method sends whole units only and cuts the rest off: half a second becomes 0, which is forever."""


class CallbackModel(Record, frozen=True):
    """A function that a method calls: `gives` is the type of the object that it hands to parameter `parameter` of the
    function at positional index `index` (or of the one method of the object there); "" is what a pool holds. With
    `batch` everything that is sent through that object goes out in one pipeline."""

    gives: str = ""
    index: int = 0
    parameter: int = 0
    batch: bool = False
    names: tuple[str, ...] = ()
    """Methods of the object at `index` that are called, where it is not a function (``doInRedis``)."""


class ScriptValues(Record, frozen=True):
    """How a call takes the keys and arguments of a script: side by side behind their number
    (``eval(text, 1, key, argument)``), or as lists in an object (``eval(text, { keys, arguments })``).
    """

    entries: tuple[str, ...] = ()
    """Entries of that object for keys and for arguments; empty: side by side."""
    text_only: bool = False
    """Whether they must be texts."""


class MethodModel(Record, frozen=True):
    """A method of clients and pipelines. `command` is the Redis command it sends ("" for none)."""

    names: tuple[str, ...]
    command: str = ""
    of: tuple[str, ...] = ()
    """Types it is a method of; empty: of every type whose kind is in `on`."""
    shape: tuple[str, ...] = ()
    """The overload it is, as in `Positional.shape`; empty: any arguments."""
    key: int = -100
    """Positional index of the key where it differs from the command's; -1: it takes none, as the object is bound to a
    key (`bound_key`)."""
    bound_key: int = -1
    """For methods that return an object bound to a key (``boundHashOps(key)``, ``getMap(name)``): the positional index
    of that key."""
    hash_write: OneOf["", "pairs", "mapping", "field"] = ""
    """How this method names the fields that it writes, where that differs from the command's own way
    (``CommandModel.hash_write``). Fields, or the mapping, stand right behind the key: first on a bound object."""
    mapping_parameter: str = "mapping"
    """Keyword argument that is a map of fields and values, where the command takes one."""
    element: int = -100
    """Positional index of the element that it adds to a collection, where that differs from the command's own."""
    read_timeout_cuts: bool | None = None
    """Whether the client's read timeout cuts this blocking method; None: as the library says."""
    callback: CallbackModel | None = None
    says: tuple[str, ...] = ()
    """Options of the command that it always sends."""
    fluent: bool = False
    """Whether it returns the object itself."""
    retry_delay: OneOf["", "constant", "exponential"] = ""
    """Set for methods that fix the delay between the library's own retries or reconnects, whatever their argument."""
    wait: WaitModel | None = None
    script_index: int = -1
    """Positional index of Lua text, -1 when it carries none."""
    script_parameter: str = "script"
    script_path: str = ""
    """As in `ConstructorModel`: ``defineCommand(name, { lua })``."""
    script_values: ScriptValues | None = None
    """How keys and arguments of the script follow its text; None: in another way than these. Commands that are sent as
    words have them side by side."""
    raw_index: int = -1
    """Positional index of the command's name for methods that send any command, -1 otherwise. The words may also stand
    in a list there (``sendCommand(['GET', key])``), or those after the name in one."""
    client_index: int = -1
    """Positional index of the client or pipeline that runs it instead of the receiver, -1 when it takes none."""
    client_parameter: str = ""
    returns: str = ""
    """Type of the object it returns, "" for a reply."""
    several: bool = False
    """Whether it returns a list of such objects: ``cluster.nodes()``."""
    gives: str = ""
    """Import path of what it returns that sends nothing: ``getKeySerializer()``."""
    returns_element: bool = False
    """Whether it hands out one of the objects that a pool holds: what the function gives that the pool was made with,
    or what its type argument says (``GenericObjectPool<Jedis>``). `returns` is what holds when neither is known."""
    on: tuple[Kind, ...] = ("client", "cluster", "pipeline")
    lends: bool = False
    """Whether it hands out a connection of a pool, which lacks it until it is given back (as those do that
    `returns_element`)."""
    own_pool: bool = False
    """Whether the object it returns makes a pool of its own."""
    unheard: OneOf["", "throws", "prints"] = ""
    """As in `ConstructorModel`, for the object it returns."""
    options: str = ""
    mapping: bool = False
    """Whether these options stand in an object literal, as in `ConstructorModel`; what it does not name is as for the
    receiver."""
    versions: str = ""
    source: str = ""


class GivenModel(Record, frozen=True):
    """One argument of a policy that takes the place of another one: `value`, or what the old one's argument says,
    perhaps several times as long.
    """

    name: str = ""
    """Empty: by position."""
    value: bool | int | float | str | None = None
    parameter: str = ""
    index: int = -1
    times: int = 1


class InsteadModel(Record, frozen=True):
    """The policy to use instead in a range of versions. Without `arguments` it takes those of the old one."""

    name: str
    arguments: tuple[GivenModel, ...] | None = None
    versions: str = ""
    source: str = ""


class RetryModel(Record, frozen=True):
    """A policy object. `growth` says how its delay grows; "policy" is a wrapper whose `backoff_index` argument
    decides.
    """

    names: tuple[str, ...]
    growth: OneOf["none", "constant", "exponential", "policy"]
    jitter: bool = False
    versions: str = ""
    library: str = ""
    subject: str = ""
    """How a message names it, where the name of the call is no help."""
    backoff_index: int = -1
    backoff_parameter: str = ""
    retries_index: int = -1
    retries_parameter: str = ""
    instead: tuple[InsteadModel, ...] = ()
    """What a fix puts in its place; the first that exists in the version in use."""
    source: str = ""


class ErrorsSection(Record, frozen=True):
    """Exception classes."""

    connection: tuple[str, ...] = ()
    """What is raised when a server cannot be reached, and classes that this is derived from."""
    unready: tuple[str, ...] = ()
    """What is raised when there is a server, or a client, that cannot serve now: slow, loading, without a master, with
    all connections of the pool in use. Who catches only these has not caught a lost connection."""
    any: tuple[str, ...] = ()
    """Any failure of the library, a lost connection among it."""
    conflict: tuple[str, ...] = ()
    """A conflict of optimistic locking."""


class CacheModel(Record, frozen=True):
    """What makes a framework's cache whose entries never expire unless one of the methods `expires` is called on it."""

    names: tuple[str, ...]
    expires: tuple[str, ...]
    subject: str
    """How a message names it."""
    instead: str
    """What gives the entries a time to live, as the end of a sentence: "call `entryTtl`"."""
    settings: tuple[str, ...] = ()
    """Settings that say the time to live of entries."""
    source: str = ""


class CacheClearModel(Record, frozen=True):
    """What removes all entries of a framework's cache, and how it finds them."""

    command: str
    """What finds the entries where nothing else is said."""
    instead: str
    """What has them found otherwise, as a sentence."""
    marks: dict[str, str] = msgspec.field(default_factory=dict)
    """Decorator -> its argument that says all entries are meant."""
    methods: tuple[str, ...] = ()
    """Paths of methods, without brackets."""
    stores: tuple[str, ...] = ()
    """Beginnings of what a project imports whose caches are in Redis."""
    in_portions: tuple[str, ...] = ()
    """Names that stand in a project which has such keys found in portions."""
    source: str = ""


class SettingsModel(Record, frozen=True):
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
    expiry_key: str = ""
    """Key of an entry under which null says that nothing expires."""
    keys: dict[str, str] = msgspec.field(default_factory=dict)
    """Key below `options_key` -> option of the pool."""
    source: str = ""


class DriverModel(Record, frozen=True):
    """What the ambient objects of a library run on in a project that depends on one of `distributions`, or whose
    settings say `name` under one of the keys `settings`. The first that fits holds; none: as the types say.
    """

    name: str
    distributions: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    ambient_options: str = ""
    """Option set instead of the one that the type names."""
    blocking_uses_read_timeout: bool = True
    lends_shared: bool = False
    """Whether connections that the ambient objects lend share one, as `lends_shared` of a type has it."""
    source: str = ""


class SenderModel(Record, frozen=True):
    """Functions, or methods of objects of a framework, that send a command over a client which code never sees."""

    names: tuple[str, ...]
    command: str
    source: str = ""


class ReplacementModel(Record, frozen=True):
    """How a library writes what the server has instead of deprecated commands. A fix calls `method` with `arguments`
    where a call has `count` of them, all by position; `equal` says that the reply is the same then.
    """

    commands: tuple[str, ...]
    code: str
    """As code: ``set(key, value, ex=seconds)``."""
    names: tuple[str, ...] = ()
    """Methods that it stands in for; empty: all that send one of the commands."""
    given: int = -1
    """The number of arguments of the calls that it stands in for; -1: any."""
    besides: str = ""
    """What a reader has to know besides, in sentences."""
    versions: str = ""
    method: str = ""
    count: int = -1
    arguments: tuple[GivenModel, ...] = ()
    equal: bool = False
    source: str = ""


class MergedArgument(Record, frozen=True):
    """An argument that a write gets besides: `value`, or the one at index `life` of the command that sets the time."""

    name: str = ""
    """Empty: by position."""
    value: bool | int | float | str | None = None
    life: int = -1


class MergedWriteModel(Record, frozen=True):
    """How a library gives a write of `commands` the life time that one of `expiring` would set behind it. A fix calls
    `method` (empty: the same) with the write's own arguments, `count` by position, and with `more` behind them. `equal`
    says that the reply is the same then, `true_alike` that it is as true in a condition.
    """

    commands: tuple[str, ...]
    expiring: tuple[str, ...]
    count: int
    life_count: int
    more: tuple[MergedArgument, ...]
    method: str = ""
    equal: bool = False
    true_alike: bool = False
    versions: str = ""
    source: str = ""


class DeprecatedModel(Record, frozen=True):
    """Methods that a library gives up: `removed` ones are gone. `instead` is what it has for them as code; empty for
    those that are named after a command: what replaces it.
    """

    names: tuple[str, ...]
    versions: str
    since: str
    """The first of these versions, as a message says it."""
    of: tuple[str, ...] = ()
    """Types whose methods they are; empty: all."""
    instead: str = ""
    method: str = ""
    """The method that does the same with the same arguments, for a fix."""
    removed: bool = False
    source: str = ""


class ClientLibrary(Record, frozen=True):
    """One file of ``rules/clients``."""

    library: LibrarySection
    type: tuple[TypeModel, ...] = ()
    option_set: dict[str, tuple[OptionModel, ...]] = msgspec.field(default_factory=dict)
    option: tuple[OptionModel, ...] = ()
    """Options that every option set has besides."""
    constructor: tuple[ConstructorModel, ...] = ()
    method: tuple[MethodModel, ...] = ()
    pipeline: tuple[PipelineModel, ...] = ()
    retry: tuple[RetryModel, ...] = ()
    settings: tuple[SettingsModel, ...] = ()
    sender: tuple[SenderModel, ...] = ()
    cache: tuple[CacheModel, ...] = ()
    cache_clear: tuple[CacheClearModel, ...] = ()
    replacement: tuple[ReplacementModel, ...] = ()
    merged_write: tuple[MergedWriteModel, ...] = ()
    deprecated: tuple[DeprecatedModel, ...] = ()
    driver: tuple[DriverModel, ...] = ()
    errors: ErrorsSection = ErrorsSection()
