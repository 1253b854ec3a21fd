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


class Ranged(_Record, frozen=True):
    """A truth value for a range of versions."""

    versions: str
    value: bool


class Renumbered(_Record, frozen=True):
    """A further distribution whose versions have other numbers: from `at` up to the next entry it behaves like
    `version` of the library (``@redis/client`` 1.6 is what ``redis`` 4.7 consists of); "" is the same number from there
    on."""

    distribution: str
    at: str
    version: str = ""


class LibrarySection(_Record, frozen=True):
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
    rides_on: str = ""
    """Library whose version decides the defaults (django-redis rides on redis-py)."""
    blocking_uses_read_timeout: bool = True
    """Whether the client's read timeout also cuts blocking commands (a method's own `read_timeout_cuts` overrides)."""
    blocking_by_version: tuple[Ranged, ...] = ()
    """The same for ranges of versions; the first that fits overrides `blocking_uses_read_timeout`."""
    words: bool = False
    """Whether the arguments of a method that is named after a command are the command's own words, in their order
    (``redis.xread('BLOCK', 0, 'STREAMS', …)``). Lists among them count as if they were written out, a map as its keys
    and values in turn. The first word may complete the command's name: ``script('load', text)`` is SCRIPT LOAD."""
    words_by_version: tuple[Ranged, ...] = ()
    """The same for ranges of versions; the first that fits overrides `words`."""
    callbacks: bool = False
    """Whether a function as last argument of a command receives the reply and is no word of the command."""
    call_options: tuple[str, ...] = ()
    """Methods and functions whose result may stand in front of a method's arguments and sets how it is sent:
    ``client.blPop(client.commandOptions({ isolated: true }), key, 0)``. It does not count as an argument."""
    suffixes: tuple[str, ...] = ()
    """Endings that a method named after a command may have as well, without sending another one: ``hgetallBuffer``,
    ``hScanIterator``. Compared without regard to case and underscores."""
    renumbered: tuple[Renumbered, ...] = ()
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
    "config",
    "batch",
    "other",
]
"""What an object is. `config` holds options and is passed to what it configures (a pool configuration, a builder, the
parameters of one command); `connection` is a borrowed or single connection; `other` only leads on to others."""


class TypeModel(_Record, frozen=True):
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
    """Members of foreign objects that are an object of this type, which somebody made elsewhere: ``fastify.redis``."""
    chains: bool = True
    """For batches: whether queueing a command gives the batch itself, so that calls can be chained."""
    words: bool | None = None
    """Whether the arguments of its methods are the command's words; None: as the library says."""
    blocking_uses_read_timeout: bool | None = None
    """As in the library's section, for commands that run over such an object (the connection factory of a template);
    None: as the library says."""


class Positional(_Record, frozen=True):
    """Index of an option among positional arguments, for a range of versions and a shape of the call."""

    index: int
    versions: str = ""
    shape: tuple[str, ...] = ()
    """The overload: one word for each argument: any, text, number, boolean, duration, unit, object (an object of a
    library or class), function, map, list, none. Empty: any arguments. A call fits when it has as many arguments and
    none of them is known to be something else. A last word ``...`` stands for any further arguments, also for none."""


class OptionModel(_Record, frozen=True):
    """An option of a constructor in a range of versions.

    `role` is the client-independent name that checks ask for: read_timeout, connect_timeout, pool_max, pool,
    single_connection, retry, retry_on_timeout, retry_on_error, backoff, retries. Where several options of a set share a
    role, those that are given count. retry_delay is the delay before the library connects again: a number, or a
    function that is called with the attempt's number (or an object with it) and returns one; its `default` is the
    growth, as in `Roles.waits`. blocking_limit bounds blocking commands that have no end of their own. blocking_timeout
    is the read timeout that holds instead while a blocking command waits; 0 is none. `default` is what holds when the
    option is absent; "none" is not set, "unbounded" no limit.
    """

    name: str
    role: str = ""
    unit: str = ""
    """Unit of a plain number ("s", "ms", "connections", …). A duration object brings its own."""
    setters: tuple[str, ...] = ()
    """Methods that set it, on the object itself or on a `config` object that goes into it; their first argument is the
    value (a second one may be its unit). A property of the same name without "set" counts too (``config.maxTotal =
    8``)."""
    settings: tuple[str, ...] = ()
    """Keys of the application's settings that set it for `ambient` objects (``spring.data.redis.timeout``)."""
    settings_unit: str = ""
    """Unit of a plain number there, if it differs."""
    default: Scalar = "none"
    none_means: Scalar = "none"
    """What an explicit null becomes."""
    negative_means: Scalar = "none"
    """What a number below zero becomes ("unbounded" for ``setMaxTotal(-1)``); "none": nothing special."""
    versions: str = ""
    positional: tuple[Positional, ...] = ()
    advice: str = ""
    """What to write instead of a delay that does not grow, for the message."""
    source: str = ""


class ConstructorModel(_Record, frozen=True):
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
    versions: str = ""
    shared: bool = False
    """Whether the library itself hands out one long-lived object (a settings-driven accessor)."""
    settings: str = ""
    """Name of the settings mapping that configures what is returned."""
    alias_index: int = -1
    """Positional index of the alias that selects an entry of that mapping."""
    script_path: str = ""
    """Where Lua text stands in an object literal among the arguments: names joined by dots, ``*`` for any name
    (``scripts.*.lua``)."""
    script_index: int = -1
    """Positional index of Lua text that the new object carries and sends later, -1 when there is none."""
    script_parameter: str = "script"
    opaque: bool = False
    """Whether options come from a place that is not looked into (a file), so that no default can be assumed."""
    source: str = ""


class WaitModel(_Record, frozen=True):
    """How long a blocking method may wait. A `default` of "none" does not block, 0 is for ever, "required" has no
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
    """What an explicit null does: "none" does not block, 0 waits for ever."""
    whole: bool = False
    """Whether the method sends whole units only and cuts the rest off: half a second becomes 0, which is for ever."""


class CallbackModel(_Record, frozen=True):
    """A function that a method calls: `gives` is the type of the object that it hands to parameter `parameter` of the
    function at positional index `index` (or of the one method of the object there). With `batch` everything that is
    sent through that object goes out in one pipeline."""

    gives: str
    index: int = 0
    parameter: int = 0
    batch: bool = False
    names: tuple[str, ...] = ()
    """Methods of the object at `index` that are called, where it is not a function (``doInRedis``)."""


class MethodModel(_Record, frozen=True):
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
    read_timeout_cuts: bool | None = None
    """Whether the client's read timeout cuts this blocking method; None: as the library says."""
    callback: CallbackModel | None = None
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
    raw_index: int = -1
    """Positional index of the command's name for methods that send any command, -1 otherwise. The words may also stand
    in a list there (``sendCommand(['GET', key])``), or those after the name in one."""
    client_index: int = -1
    """Positional index of the client or pipeline that runs it instead of the receiver, -1 when it takes none."""
    client_parameter: str = ""
    returns: str = ""
    """Type of the object it returns, "" for a reply."""
    returns_element: bool = False
    """Whether it hands out one of the objects that a pool holds: what the function gives that the pool was made with,
    or what its type argument says (``GenericObjectPool<Jedis>``). `returns` is what holds when neither can be told."""
    on: tuple[Kind, ...] = ("client", "cluster", "pipeline")
    own_pool: bool = False
    """Whether the object it returns makes a pool of its own."""
    options: str = ""
    mapping: bool = False
    """Whether these options stand in an object literal, as in `ConstructorModel`; what it does not name is as for the
    receiver."""
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
    execute_plain: tuple[str, ...] = ()
    """Methods that send the batch without a transaction, whatever it was started as (``execAsPipeline``)."""
    plain_index: int = -1
    """Positional index of an argument of `execute` that does the same when it is true (``exec(true)``)."""
    modal: bool = False
    """Whether the call switches its own receiver: commands sent through it afterwards are queued until `execute`."""
    modal_parameter: str = ""
    """Entry of an object literal among the arguments that makes the call modal when it is false (``multi({ pipeline:
    false })``)."""
    watch_client: bool = False
    """Whether `watch` are methods of the object that starts the batch, called before it does."""
    data_index: int = -1
    """Positional index of a list of commands as data: ``multi([['get', key], …])``."""
    of: tuple[str, ...] = ()
    """Types it is a method of; empty: of every type whose kind is in `on`."""
    shape: tuple[str, ...] = ()
    constructors: tuple[str, ...] = ()
    """Constructors that make the batch without a client (``new Batch(true)``): their arguments say what it is, and a
    method of `execute` that is given the batch sends it (``client.exec(batch)``)."""
    setters: tuple[str, ...] = ()
    """Methods of a `config` object among the arguments whose argument says whether it is a transaction."""
    transaction_values: tuple[str, ...] = ()
    """Names of the constants that make it one, where it is no truth value (``ExecutionMode.IN_MEMORY_ATOMIC``)."""
    advice: str = ""
    """What to write instead of a transaction, for the message: ``pipelined()``, ``execAsPipeline()``. Empty: set
    `parameter` to false."""
    versions: str = ""
    source: str = ""


class RetryModel(_Record, frozen=True):
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


class DriverModel(_Record, frozen=True):
    """What the ambient objects of a library run on in a project that depends on one of `distributions`, or whose
    settings say `name` under one of the keys `settings`. The first that fits holds; none: as the types say.
    """

    name: str
    distributions: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    ambient_options: str = ""
    """Option set instead of the one that the type names."""
    blocking_uses_read_timeout: bool = True
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
    driver: tuple[DriverModel, ...] = ()
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
    """Calls that take a function and later call it in this role; methods of a client library's objects stand behind
    the name of their type (``ioredis.Redis.on``)."""
    bases: tuple[str, ...] = ()
    class_decorators: tuple[str, ...] = ()
    """Decorators of a class whose methods have the role (restricted to `methods` if there are any)."""
    signatures: tuple[str, ...] = ()
    """``name(type, …)`` of a static function with this role, such as ``main(String[])``; ``main()`` without
    parameters."""
    methods: tuple[str, ...] = ()
    """Methods that have the role in classes derived from `bases`; empty: all."""
    events: tuple[str, ...] = ()
    """First arguments with which `registrars` give the role: texts, or dotted names of constants; empty: any."""
    keys: tuple[str, ...] = ()
    """Entries of object literals in a registrar's or decorator's arguments, at any depth, whose functions have the role
    (``run({ eachMessage: f })``); empty: any entry. A function that is an argument itself always has it. A pattern that
    names the entry goes before one that takes any."""
    beside: tuple[str, ...] = ()
    """Keys that tell an object literal wherever it stands, without a registrar: functions under `keys` beside all of
    these have the role (``{ provide: …, useFactory: f }``)."""
    gives: tuple[str, ...] = ()
    """Types of the objects that functions with the role receive, by position; "" for nothing known."""
    fluent: bool = False
    """Whether `registrars` return the object that they are called on (``app.route(p).get(f).post(g)``)."""
    function_types: tuple[str, ...] = ()
    """Declared types of functions, or of the variables that hold them, which give the role."""
    parameter_types: tuple[str, ...] = ()
    """Declared types of a parameter that give the role to a function."""
    parameter_decorators: tuple[str, ...] = ()
    """Decorators of parameters that say: it receives what a client of the service sent."""
    exports: tuple[str, ...] = ()
    """Exported functions that have the role, by the name under which they are exported, in files that match `paths`.
    "default" is also what stands for the module as a whole (``module.exports = f``)."""
    paths: tuple[str, ...] = ()
    """Globs (``**`` for any folders) of files to which `exports` is limited; empty: any file."""
    first_parameter: tuple[str, ...] = ()
    """Names that the first parameter of such a function must have; empty: any."""


class RetryDecorator(_Record, frozen=True):
    """A decorator that retries a function, and how it says its delay."""

    names: tuple[str, ...]
    wait_parameter: str = ""
    wait_index: int = -1
    default_growth: OneOf["none", "constant", "exponential"] = "none"
    errors_parameter: str = ""
    errors_index: int = -1
    growth_parameter: str = ""
    """Named argument of the decorator, or of the call that is its wait, which is the factor of growth."""
    jitter_parameter: str = ""


class RetryFunction(_Record, frozen=True):
    """A function (or decorator) that calls its first function argument again until it succeeds. How the delay between
    attempts grows is said by entries of an object literal among the arguments; `growth` and `jitter` hold without them.
    """

    names: tuple[str, ...]
    growth: OneOf["none", "constant", "exponential"]
    jitter: bool = False
    factor: str = ""
    """Number by which the delay is multiplied: up to 1 is constant, more exponential."""
    delay: str = ""
    """The delay itself: 0 is none; a function of the attempt's number is judged like one."""
    policy: str = ""
    policies: dict[str, str] = {}
    """What `policy` may be, a text or the last name of a member -> growth, as in `Roles.waits`. A function there is
    judged like one in `delay`."""
    random: str = ""
    """Entry that adds jitter: true, a number above 0, or a text other than "none"."""
    retries: str = ""
    """Number of further attempts, as a number or the entry of that name; 0 does not retry."""
    attempts: str = ""
    """Number of all attempts, the first included; 1 does not retry."""
    source: str = ""


class Words(_Record, frozen=True):
    """What a language calls things that every language has."""

    modules: OneOf["dotted", "package", "path"] = "dotted"
    """How modules are named: by dotted names, by packages whose files see each other, or by paths."""
    constructor: str = ""
    """Name of the method that makes an object ready, as the facts call it."""
    constructing: tuple[str, ...] = ()
    """All methods that run when an object is made."""
    entering: tuple[str, ...] = ()
    """Methods that give the value of a managed resource."""
    call: str = ""
    """Method that runs when an object is called like a function."""
    function_methods: tuple[str, ...] = ()
    """Methods of function objects that call them: ``apply``, ``get``, ``accept``, ``invoke``."""
    bound_function_methods: tuple[str, ...] = ()
    """Methods of function objects that give the same function, bound to something: ``bind``."""
    delegating: str = ""
    """Method that is asked for members which an object lacks."""
    class_of_object: str = ""
    """Member that holds an object's class."""
    class_name: tuple[str, ...] = ()
    """Members of a class that hold its name."""
    base: str = ""
    """Function that gives the object as one of its base class (``super()``)."""
    getter: tuple[str, ...] = ()
    """Functions that read the member named by their second argument: ``getattr``."""
    global_objects: tuple[str, ...] = ()
    """Names of the object whose members are global variables: ``globalThis``."""
    default_export: str = ""
    """Name under which a module hands out its main thing."""
    scope_functions: dict[str, str] = {}
    """Functions that run a lambda on an object: what their call gives ("object" or "result")."""
    element_callbacks: tuple[str, ...] = ()
    """Methods of collections that call a function for each element."""
    folds: tuple[str, ...] = ()
    """Methods of collections whose function gets the result so far first, which begins as the second argument."""
    enum_lists: tuple[str, ...] = ()
    """Members of an enumeration that list its constants: ``values``, ``entries``."""
    bean_getters: bool = False
    """Whether getters are read like fields: ``pool.resource`` for ``pool.getResource()``."""
    repeaters: tuple[str, ...] = ()
    """Functions that call their last argument a number of times, and which it leaves with its ``return``."""
    rejection_handlers: tuple[str, ...] = ()
    """Methods of promises whose function runs when they failed: ``catch``."""
    listeners: tuple[str, ...] = ()
    """Methods that register a function for an event: ``on``, ``once``."""
    failure_events: tuple[str, ...] = ()
    """Events that say a connection failed: ``error``, ``end``, ``close``."""
    list_adders: tuple[str, ...] = ()
    """Methods of lists that add their arguments as elements: ``push``, ``append``, ``add``."""
    map_setters: tuple[str, ...] = ()
    """Methods of maps that store their second argument under the first: ``put``, ``set``."""
    thenables: tuple[str, ...] = ()
    """Methods that hand the value of a promise to a function."""


class Roles(_Record, frozen=True):
    """``rules/<language>/roles.toml``: names of the language and its frameworks that give code a meaning."""

    inherits: str = ""
    """Language whose roles hold here, too: lists and tables are joined, the own ones first."""
    role: tuple[RolePattern, ...] = ()
    words: Words = Words()
    memoised: tuple[str, ...] = ()
    """Decorators after which a function runs once (per arguments)."""
    memoised_per_object: tuple[str, ...] = ()
    delays: dict[str, str] = {}
    """Call that sleeps -> unit of its first argument ("s" or "ms")."""
    deferred: dict[str, int] = {}
    """Calls that run a function later -> positional index of the delay, -1 for none; the function is their first
    argument (``setTimeout(connect, 5000)``)."""
    conversions: dict[str, str] = {}
    """Functions that turn their argument into a number or a text: "number" or "text"."""
    merges: tuple[str, ...] = ()
    """Calls that give a map with the entries of all their arguments, in which later ones win (``Object.assign``)."""
    element_functions: dict[str, int] = {}
    """Functions that call a function for each element of their first argument -> positional index of that function
    (``pMap(items, f)``)."""
    fluent: tuple[str, ...] = ()
    """Methods of foreign objects that return the object itself."""
    collection_makers: tuple[str, ...] = ()
    """Calls that make an empty collection or copy one."""
    constants: dict[str, float] = {}
    """Numbers that the language has names for: ``Integer.MAX_VALUE``."""
    map_makers: dict[str, str] = {}
    """Calls that make a map of their arguments -> how: "pairs" (key, value, key, value …) or "tuples"."""
    durations: dict[str, float] = {}
    """Calls that make a duration from a number -> seconds of one unit (``java.time.Duration.ofMillis`` = 0.001)."""
    duration_members: dict[str, float] = {}
    """Members of a number that make it a duration -> seconds of one unit (``5.seconds``)."""
    units: dict[str, float] = {}
    """Names of units of time -> seconds (``java.util.concurrent.TimeUnit.SECONDS`` = 1)."""
    lazy: tuple[str, ...] = ()
    """Calls that run their function argument once, at the first use, and keep the result (``by lazy``)."""
    injected: tuple[str, ...] = ()
    """Decorators of fields, parameters and constructors whose values the framework provides."""
    singletons: tuple[str, ...] = ()
    """Decorators of classes of which the framework makes one object."""
    settings_values: tuple[str, ...] = ()
    """Decorators of fields and parameters that fill in a setting: ``@Value("${redis.timeout:2000}")``."""
    retry_decorator: tuple[RetryDecorator, ...] = ()
    retry_function: tuple[RetryFunction, ...] = ()
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
    """Function or method on text -> what it does: join, format, substitute, same, dedent, concat (the text and all
    arguments in turn). A method "join" of a list joins its elements with the argument."""
    text_builders: tuple[str, ...] = ()
    """Constructors of objects that text is appended to (``StringBuilder``)."""
    harmless: tuple[str, ...] = ()
    """Beginnings of calls that do not fail for want of a connection: logging, clocks, arithmetic."""
    fallible: tuple[str, ...] = ()
    """Calls by a bare name that talk to something else and fail for want of a connection: ``fetch``."""
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
