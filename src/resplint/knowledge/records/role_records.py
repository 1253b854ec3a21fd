"""The records that the files of a language are read into (``rules/<language>/profile.toml``, ``frameworks/*.toml`` and
``library/*.toml``): facts about the language, what it calls things that every language has, and names of frameworks and
libraries that carry a meaning.
"""

from __future__ import annotations

from typing import Literal as OneOf

import msgspec

from resplint.knowledge.records.base_records import Record
from resplint.knowledge.records.library_records import Row


class LoopModel(Record, frozen=True):
    """What makes a program run functions on an event loop: it depends on one of the distributions `having`, and on none
    of those `lacking`.
    """

    ecosystem: str
    having: tuple[str, ...]
    lacking: tuple[str, ...] = ()


class RolePattern(Record, frozen=True):
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
    """Methods that have the role in classes derived from `bases`, or functions that have it under `decorators`; empty:
    all."""
    starters: tuple[str, ...] = ()
    """Methods of `bases` that have `methods` run, at once and on another thread: ``start()``."""
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
    """Declared types of the variables that hold a function, or of what returns it, which give it the role."""
    parameter_types: tuple[str, ...] = ()
    """Declared types of a parameter that give the role to a function."""
    parameter_decorators: tuple[str, ...] = ()
    """Decorators of parameters that say: it receives what a client of the service sent."""
    parameter_entries: tuple[str, ...] = ()
    """Entries that only one kind of object has: a parameter that is asked for one of them gives the role to its
    function (``environ["PATH_INFO"]``)."""
    fields: tuple[str, ...] = ()
    """Fields of a class whose value lists functions with the role, beside fields of all names in `beside`."""
    calls: tuple[str, ...] = ()
    """Calls that a function with this role makes itself, such as reading the command line."""
    exports: tuple[str, ...] = ()
    """Exported functions that have the role, by the name under which they are exported, in files that match `paths`.
    "default" is also what stands for the module as a whole (``module.exports = f``)."""
    paths: tuple[str, ...] = ()
    """Patterns as in a `.gitignore` of files to which `exports` is limited; empty: any file."""
    first_parameter: tuple[str, ...] = ()
    """Names that the first parameter of such a function must have; empty: any."""
    event_loop: bool = False
    """Whether such a function runs on the thread of an event loop, where nothing may wait."""
    loop: LoopModel | None = None
    """In which programs it does so although the function itself does not say it. A setting may move it."""
    may_move: bool = False
    """Whether a setting that stands elsewhere may have it run on threads of its own."""
    by_hand: bool = False
    """Whether somebody starts such a function for one piece of work: a command of a command line, a migration."""


class RetryDecorator(Record, frozen=True):
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
    errors_aliases: tuple[str, ...] = ()
    """Further names of `errors_parameter`."""
    needs_errors: bool = False
    """Whether nothing is tried again unless errors are named."""
    attempts_parameter: str = ""
    """Number of all attempts, the first included; 1 does not retry."""
    retries_parameter: str = ""
    """Number of further attempts; 0 does not retry."""
    default_retries: int | None = None
    """Number of further attempts where nothing is said; None: no limit."""
    attempts_options: str = ""
    """Argument that may be a map with the numbers of attempts in it."""
    limits: tuple[str, ...] = ()
    """Functions that make what `attempts_parameter` takes, from the number of all attempts."""


class RetryFunction(Record, frozen=True):
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
    policies: dict[str, str] = msgspec.field(default_factory=dict)
    """What `policy` may be, a text or the last name of a member -> growth, as in `Roles.waits`. A function there is
    judged like one in `delay`."""
    random: str = ""
    """Entry that adds jitter: true, a number above 0, or a text other than "none"."""
    retries: str = ""
    """Number of further attempts, as a number or the entry of that name; 0 does not retry."""
    attempts: str = ""
    """Number of all attempts, the first included; 1 does not retry."""
    on_object: bool = False
    """Whether the object that it is a method of says how to wait, with names below `Roles.waits`: a policy, or what it
    was built from (``RetryTemplate.builder().fixedBackoff(500).build().execute(f)``). Then `retries` and `attempts` are
    methods of its builder, and `growth` holds only where the object is seen being made."""
    policy_index: int = -1
    """Positional index of such an object among the arguments (``retryWhen(Retry.fixedDelay(3, pause))``)."""
    of_reply: bool = False
    """Whether `names` are methods of what Redis work returns, which do that work again."""
    retries_index: int = -1
    """Positional index of the number of further attempts: of the call that says how to wait, else of this one."""
    source: str = ""


class Switch(Record, frozen=True):
    """What a loop may ask an object to learn whether it goes on, and how others change the answer. The methods belong
    together: one of them alone says nothing, nor do two of different objects.
    """

    asked: tuple[str, ...]
    """Methods that give the answer, without arguments."""
    on: tuple[str, ...] = ()
    """Methods that make it true."""
    off: tuple[str, ...] = ()
    """Methods that make it false."""
    stores: tuple[str, ...] = ()
    """Methods that make it what their first argument is."""
    shared: tuple[str, ...] = ()
    """Import paths, with ``()`` behind what is called, that stand for one object wherever they are written: the thread
    that code runs in."""


class Words(Record, frozen=True):
    """What a language calls things that every language has."""

    coroutines: OneOf["", "loop", "dispatcher"] = ""
    """What runs functions that are marked as asynchronous: an event loop, or threads that whoever starts them chooses;
    "" where that makes no difference."""
    waiting_threads: tuple[str, ...] = ()
    """Import paths of what says, where coroutines are started, that threads run them which may wait."""
    runtime: str = ""
    """What runs the language's code: languages that share it call each other's code (``jvm``)."""
    resolver: OneOf["dotted", "package", "path"] = "dotted"
    """How an import says where things come from: by the dotted name of a file, by a package that files say they belong
    to, or by a path."""
    owned_roots: bool = True
    """Whether the first part of a module's name says whose it is, as ``django`` does and ``com`` does not."""
    standard_mark: str = ""
    """What may stand in front of the names of modules that come with the language: ``node:``."""
    implicit_package: bool = False
    declaring: tuple[str, ...] = ()
    """Words before the name of what a file declares, where files of a package may declare what they like: ``object``;
    empty where a file is called after its class.
    """
    """Whether the files of a package see each other's names without importing them."""
    star_names: OneOf["module", "package", "exports"] = "module"
    """What an import of all names brings in: all names of a file, those of a package, or what a file hands out."""
    explicit_exports: bool = False
    """Whether a file hands out what it exports and nothing else, under names of its own or as one thing, which whoever
    imports it calls as he likes."""
    hands_on_modules: bool = False
    """Whether modules and objects that hold clients are commonly handed to functions of files in which no name tells
    it: ``register(app, services)``."""
    arity_checked: bool = True
    """Whether calls must have as many arguments as the function has parameters."""
    separate_method_names: bool = False
    """Whether methods and variables may have the same name, and a call means the method."""
    map_members: bool = False
    """Whether the entries of a map that is written out are its members: ``{ client }.client``."""
    nothing: str = "null"
    """What the absence of a value is called."""
    fails_on_nothing: tuple[str, ...] = ()
    """Operators that fail where nothing is an operand: ``-`` in Python, and not in JavaScript."""
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
    program_module: str = ""
    """Name that the module has with which a program begins: ``__main__``."""
    coroutine_runners: tuple[str, ...] = ()
    """Calls that run a coroutine and wait until it has ended: ``asyncio.run``."""
    class_of_object: str = ""
    """Member that holds an object's class."""
    calls_for_class: bool = False
    """Whether that is a method: ``getClass()``."""
    root_class: str = ""
    """The class that all others are derived from, where code writes it out: ``object``."""
    class_literals: tuple[str, ...] = ()
    """Members of a class that stand for it as a value: ``Store.class``."""
    class_name: tuple[str, ...] = ()
    """Members of a class that hold its name."""
    common_name: tuple[str, ...] = ()
    """Those of them that objects of all kinds have: ``user.name``."""
    class_types: tuple[str, ...] = ()
    """Types of classes themselves: ``type[Job]``, ``Class<Job>``."""
    base: str = ""
    """Function that gives the object as one of its base class (``super()``)."""
    getter: tuple[str, ...] = ()
    """Functions that read the member named by their second argument: ``getattr``."""
    default_argument: str = ""
    """Name of the argument that is the default of a setting which is looked up."""
    default_export: str = ""
    """Name under which a module hands out its main thing."""
    coroutine_builders: tuple[str, ...] = ()
    """Functions that run a lambda as a part of the coroutine around them, on its threads: ``coroutineScope``."""
    calls_suspend: bool = False
    """Whether a call of an asynchronous function waits for it without a word such as ``await``."""
    run_to_the_end: tuple[str, ...] = ()
    """Functions that run a lambda, and come back only when it is done: ``withContext``."""
    scope_functions: dict[str, str] = msgspec.field(default_factory=dict)
    """Functions that run a lambda on an object: what their call gives ("object" or "result")."""
    closers: tuple[str, ...] = ()
    """Those of them that close the object when the lambda has run: ``use``."""
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
    unwrappers: tuple[str, ...] = ()
    """Methods that only what holds one element at most has, such as ``orElse``: what it maps and filters is no loop."""
    rejection_handlers: tuple[str, ...] = ()
    rejections_beside: tuple[str, ...] = ()
    """Methods of a promise whose second function runs when it is rejected: ``then``."""
    """Methods of promises whose function runs when they failed: ``catch``."""
    listeners: tuple[str, ...] = ()
    """Methods that register a function for an event: ``on``, ``once``."""
    listeners_once: tuple[str, ...] = ()
    """Those of them whose function is called a single time: ``once``."""
    unlisteners: tuple[str, ...] = ()
    """Methods that take such functions away again, or count them: ``off``, ``removeListener``."""
    process_members: tuple[str, ...] = ()
    """Members that by convention hold what is the same for every request: ``request.app``."""
    function_keepers: tuple[str, ...] = ()
    """Further methods and functions that keep a function to call it time and again: ``setInterval``, ``subscribe``."""
    prependers: tuple[str, ...] = ()
    """Methods that put their argument in front of a list: ``unshift``."""
    advancers: tuple[str, ...] = ()
    """Methods and functions that give the next element of an iterator: ``next``."""
    steppers: tuple[str, ...] = ()
    """Methods that move on to the next row or match, and tell whether there is one: ``next`` of a result set."""
    type_tests: tuple[str, ...] = ()
    """Functions that tell whether their first argument is of the type that is their second: ``isinstance``."""
    takers: tuple[str, ...] = ()
    """Methods that take an element out of a collection: ``popleft``, ``shift``."""
    queue_takers: tuple[str, ...] = ()
    """Further methods that take an element out of a queue, and may wait for one: ``take``, ``get``."""
    logger_getters: tuple[str, ...] = ()
    """Members that give a logger by convention: ``getLogger``, ``logger``, ``log``."""
    log_methods: tuple[str, ...] = ()
    """Methods of loggers that write a line: ``info``, ``warn``."""
    reorderers: tuple[str, ...] = ()
    """Methods of lists after which an element may stand in another place: ``unshift``, ``splice``, ``sort``."""
    failure_events: tuple[str, ...] = ()
    """Events that say a connection failed: ``error``, ``end``, ``close``."""
    timer_enders: tuple[str, ...] = ()
    """Functions after which a timer does not run what it was handed any more: ``clearInterval``."""
    closing_events: tuple[str, ...] = ()
    """Events that say somebody outside has gone: ``close``, ``disconnect``."""
    list_adders: tuple[str, ...] = ()
    """Methods of lists that add their arguments as elements: ``push``, ``append``, ``add``."""
    gatherers: tuple[str, ...] = ()
    """Functions that put all that an iterator gives into one collection: ``list``, ``Array.from``."""
    gathering_methods: tuple[str, ...] = ()
    """Methods of iterators and streams that do so: ``toList``."""
    sizes: tuple[str, ...] = ()
    """Members that give the number of elements: ``length``, ``size``."""
    size_functions: tuple[str, ...] = ()
    """Functions that give the number of elements of what they are passed: ``len``."""
    cutters: dict[str, int] = msgspec.field(default_factory=dict)
    """Methods of sequences that give a part of them -> the number of arguments with which they name its end:
    ``subList`` = 2, ``limit`` = 1."""
    element_keepers: tuple[str, ...] = ()
    """Methods of collections and streams that give at most one element for each of theirs: ``map``, ``filter``,
    ``stream``."""
    equality_methods: tuple[str, ...] = ()
    """Methods that say whether two things are the same: ``equals``."""
    exhausted: tuple[str, ...] = ()
    """Methods that tell whether there is anything left: ``isEmpty``, ``hasNext``."""
    empty: tuple[str, ...] = ()
    """Functions and methods that tell whether there is nothing in something: ``isEmpty``."""
    open_ranges: tuple[str, ...] = ()
    """Operators and methods of numbers that make a range without its end: ``..<``, ``until``."""
    adders: tuple[str, ...] = ()
    """Further methods that put one element into a collection: ``add`` of a set, ``push`` of a stack."""
    queuers: tuple[str, ...] = ()
    """Further methods that put elements into a collection or queue, in front or behind: ``put``, ``offer``,
    ``appendleft``."""
    text_adders: tuple[str, ...] = ()
    """Further methods of builders and lists whose arguments become part of the text made of them: ``insert``."""
    text_appenders: tuple[str, ...] = ()
    """Methods of builders that put a text behind what is there, and give the builder: ``append``."""
    text_fillers: tuple[str, ...] = ()
    """Methods that put their arguments in place of ``%s`` and the like in a text: ``formatted``."""
    text_replacers: tuple[str, ...] = ()
    """Methods of texts that put their second argument in place of the first: ``replaceAll``."""
    text_joiners: dict[str, str] = msgspec.field(default_factory=dict)
    """Methods of lists that join their elements -> what stands between them where no argument says it:
    ``joinToString`` = ", "."""
    lookups: tuple[str, ...] = ()
    """Methods of maps, sequences and settings that give what stands under a key: ``get``, ``getOrDefault``. Their
    arguments are a key and a default."""
    element_getters: tuple[str, ...] = ()
    """Methods of sequences that give the element at a place: ``at``, ``elementAt``."""
    map_defaults: tuple[str, ...] = ()
    """Methods of maps that store their second argument under the first if nothing is there, and give what is there
    then: ``setdefault``."""
    map_mergers: tuple[str, ...] = ()
    """Methods of maps that take over the entries of their arguments: ``update``."""
    map_views: dict[str, OneOf["keys", "values", "items"]] = msgspec.field(default_factory=dict)
    """Methods of collections that give a view of them -> of what: ``keySet`` = "keys", ``entries`` = "items"."""
    map_elements: OneOf["keys", "items"] = "items"
    """What a loop over a map itself goes through."""
    entry_loops: tuple[str, ...] = ()
    """Methods of maps that call what they are passed with the key and the value of each entry: ``forEach``."""
    entry_keys: tuple[str, ...] = ()
    """Members of an entry of a map that give its key: ``getKey``, ``key``."""
    test_and_sets: tuple[str, ...] = ()
    """Methods that set a flag and tell whether it was set before: ``compareAndSet``."""
    flatteners: tuple[str, ...] = ()
    """Methods of lists of lists that give the elements of these in a row: ``flat``."""
    map_keepers: tuple[str, ...] = ()
    """Methods of maps that give one with the same keys, or some of them: ``mapValues``."""
    record_members: tuple[str, ...] = ()
    """Members of objects that give a map of their fields: ``__dict__``, ``model_dump``."""
    any_member: tuple[str, ...] = ()
    """How a type declares that its objects have members of any name: ``[]`` for ``{ [id: string]: Order }``."""
    map_class: str = ""
    """Class whose call makes a map of another one and of named arguments: ``dict``."""
    copiers: tuple[str, ...] = ()
    """Methods of collections that give one with the same elements: ``copy``."""
    membership: tuple[str, ...] = ()
    """Methods that tell whether a collection has an element, or where: ``includes``, ``indexOf``."""
    map_setters: tuple[str, ...] = ()
    """Methods of maps that store their second argument under the first: ``put``, ``set``."""
    name_setters: tuple[str, ...] = ()
    """Further methods of objects outside the project that keep their second argument under the first, a name:
    ``decorate``, ``setAttribute``."""
    type_getters: tuple[str, ...] = ()
    """Methods of containers that give the object of the class that they are passed: ``injector.get(Store)``."""
    name_getters: tuple[str, ...] = ()
    """Further methods of such objects that give what is kept under a name: ``getAttribute``."""
    global_objects: tuple[str, ...] = ()
    """Names of the global object, whose members are read by their bare names, too: ``globalThis``."""
    text_method: str = ""
    """The method that says what an object is as a text, where it is joined to one: ``toString``."""
    member_names: tuple[str, ...] = ()
    """What gives the name of a member of an enumeration: ``name``, ``toString`` where its class says nothing else."""
    lone_bases: tuple[str, ...] = ()
    """Modules whose classes are derived from for what they can do: nobody hands out their objects by a name."""
    nothing_names: tuple[str, ...] = ()
    """Names that stand for the absence of a value, too: ``undefined``."""
    program_exits: tuple[str, ...] = ()
    """Functions that end the program: ``process.exit``."""
    never_types: tuple[str, ...] = ()
    """Types that functions have which never return: ``NoReturn``."""
    type_wrappers: tuple[str, ...] = ()
    """Generic types whose values are, sooner or later, those of the types in them: ``Optional[Redis]``."""
    type_results: tuple[str, ...] = ()
    """Generic types whose values are what the function in them gives: ``ReturnType<typeof connect>``."""
    type_streams: tuple[str, ...] = ()
    """Generic types whose elements are of the first type in them: ``Iterator[Redis]``."""
    annotators: tuple[str, ...] = ()
    """Generic types whose further arguments are no types, but say where a value comes from: ``Annotated``."""
    type_kinds: dict[str, OneOf["number", "text", "boolean", "duration", "unit"]] = msgspec.field(default_factory=dict)
    """Last names of declared types -> what their values are, in the words of overloads' shapes."""
    error_endings: tuple[str, ...] = ()
    """What the names of classes end with that are errors by convention."""
    joining: tuple[str, ...] = ()
    """Methods of futures and promises that wait for the value: ``get``, ``join``."""
    pausing: tuple[str, ...] = ()
    """What stands, in any case of letters, in the names of functions that wait by convention: ``sleep``."""
    reader_prefixes: tuple[str, ...] = ()
    """What the names of methods begin with that read a property: ``get`` in ``getClient``."""
    writer_prefix: str = ""
    """What the names of methods begin with that set one: ``set``."""
    closing_marks: tuple[str, ...] = ()
    """Marks of a local name that have what it holds closed when its block is left."""
    closing_functions: tuple[str, ...] = ()
    """Functions outside the project that close what they are handed."""
    reader_marks: tuple[str, ...] = ()
    """Marks of a class or field for which the compiler makes methods that read it: ``getClient()`` for ``client``."""
    thenables: tuple[str, ...] = ()
    """Methods that hand the value of a promise to a function."""


class Roles(Record, frozen=True):
    """What is known of a language, its frameworks and its library. A file may begin with ``prefix``, a name or several:
    names in it that begin with a dot or slash stand behind each of them.
    """

    inherits: str = ""
    """Language whose roles hold here, too: lists and tables are joined, the own ones first."""
    role: tuple[RolePattern, ...] = ()
    """In the order in which they are tried."""
    words: Words = Words()
    memoised: tuple[str, ...] = ()
    """Decorators after which a function runs once (per arguments)."""
    memoised_per_object: tuple[str, ...] = ()
    delays: dict[str, str] = msgspec.field(default_factory=dict)
    """Call that sleeps -> unit of its first argument ("s" or "ms")."""
    deferred: dict[str, int] = msgspec.field(default_factory=dict)
    """Calls that run a function later -> positional index of the delay, -1 for none; the function is their first
    argument (``setTimeout(connect, 5000)``)."""
    conversions: dict[str, str] = msgspec.field(default_factory=dict)
    """Functions that turn their argument into a number or a text: "number" or "text"."""
    merges: tuple[str, ...] = ()
    """Calls that give a map with the entries of all their arguments, in which later ones win (``Object.assign``)."""
    fluent: tuple[str, ...] = ()
    """Methods of foreign objects that return the object itself."""
    written_lists: tuple[str, ...] = ()
    """Calls that make a list of what they are passed, one element for each argument."""
    collection_makers: tuple[str, ...] = ()
    """Calls that make an empty collection or copy one."""
    holders: tuple[str, ...] = ()
    """Further calls whose object holds what its methods put into it and give back: ``AtomicReference``,
    ``ContextVar``."""
    constants: dict[str, float] = msgspec.field(default_factory=dict)
    """Numbers that the language has names for: ``Integer.MAX_VALUE``."""
    map_makers: dict[str, str] = msgspec.field(default_factory=dict)
    """Calls that make a map of their arguments -> how: "pairs" (key, value, key, value …), "tuples", "entries" (a list
    of pairs) or "keyed": the first argument gives the key of each element that is collected."""
    record_makers: tuple[str, ...] = ()
    """Functions that give a map of the fields of an object: ``dataclasses.asdict``."""
    durations: dict[str, float] = msgspec.field(default_factory=dict)
    """Calls that make a duration from a number -> seconds of one unit (``java.time.Duration.ofMillis`` = 0.001)."""
    duration_members: dict[str, float] = msgspec.field(default_factory=dict)
    """Members of a number that make it a duration -> seconds of one unit (``5.seconds``)."""
    units: dict[str, float] = msgspec.field(default_factory=dict)
    """Names of units of time -> seconds (``java.util.concurrent.TimeUnit.SECONDS`` = 1)."""
    lazy: tuple[str, ...] = ()
    """Calls that run their function argument once, at the first use, and keep the result (``by lazy``)."""
    injected: tuple[str, ...] = ()
    """Decorators of fields, parameters and constructors whose values the framework provides."""
    plain_decorators: tuple[str, ...] = ()
    """Decorators of functions that no framework runs for having them: ``@Override``."""
    rerun_files: tuple[str, ...] = ()
    """Packages that run the file that imports them anew each time that somebody does something."""
    singletons: tuple[str, ...] = ()
    """Decorators of classes of which the framework makes one object."""
    settings_values: tuple[str, ...] = ()
    """Decorators of fields and parameters that fill in a setting: ``@Value("${redis.timeout:2000}")``."""
    switch: tuple[Switch, ...] = ()
    retry_decorator: tuple[RetryDecorator, ...] = ()
    retry_function: tuple[RetryFunction, ...] = ()
    waits: dict[str, str] = msgspec.field(default_factory=dict)
    """Wait policy of a retrying decorator -> growth, with "+jitter" when it has one."""
    network_errors: tuple[str, ...] = ()
    """Errors of the language that a lost connection raises."""
    broad_errors: tuple[str, ...] = ()
    """Errors that catch everything, a lost connection among it."""
    file_text: tuple[str, ...] = ()
    """Calls that return the text of a file or resource."""
    configuration: tuple[str, ...] = ()
    """Calls and objects that return configuration, fixed for the life of the process."""
    text_functions: dict[str, str] = msgspec.field(default_factory=dict)
    """Function or method on text -> what it does: join, format, substitute, same, dedent, concat (the text and all
    arguments in turn). A method "join" of a list joins its elements with the argument."""
    text_forms: dict[str, str] = msgspec.field(default_factory=dict)
    """Function or method that gives a text in another form, such as its bytes -> where the text stands: "object" or
    "argument"."""
    text_builders: tuple[str, ...] = ()
    """Constructors of objects that text is appended to (``StringBuilder``)."""
    harmless: tuple[str, ...] = ()
    """Beginnings of calls that do not fail for want of a connection: logging, clocks, arithmetic, local files."""
    fallible: tuple[str, ...] = ()
    """Beginnings of calls that talk to another server, and fail when it cannot be reached: ``fetch``, ``requests``."""
    never_returns: tuple[str, ...] = ()
    """Calls that end the process, the request or the thread: ``sys.exit``, ``flask.abort``."""
    periods: dict[str, float] = msgspec.field(default_factory=dict)
    """Named arguments of what registers a job that say how often it runs -> seconds of one unit (``minutes`` = 60)."""
    identity_members: tuple[str, ...] = ()
    """Members that by convention hold the identity of a record."""
    copiers: tuple[str, ...] = ()
    """Functions that give a collection with an element for each of their first argument's: ``sorted(names)``."""
    counters: tuple[str, ...] = ()
    """Calls that give a loop its count: what runs over them tries again, it does not walk over data."""
    random: tuple[str, ...] = ()
    """Calls that return a random number: jitter."""
    thread_wrappers: tuple[str, ...] = ()
    """Functions that wrap a function so that a thread runs it when the result is called: ``sync_to_async(load)()``."""
    takes_work: tuple[str, ...] = ()
    """Calls that wait until somebody hands in the next piece of work: local queues, what a person types."""
    stream_handlers: tuple[str, ...] = ()
    """Decorators and registrars of functions that run once for each connection from outside which lasts, and methods of
    base classes: ``@app.websocket``, ``WebSocketHandler.open``."""
    forked_tasks: tuple[str, ...] = ()
    """Decorators and registrars of tasks that a worker runs each in a process of its own, which ends with it: ``@job``
    of RQ."""
    properties: tuple[str, ...] = ()
    """Decorators after which a method is read like a field."""
    pass_through: dict[str, int] = msgspec.field(default_factory=dict)
    """Calls whose value is that of one of their arguments -> its position (casts, awaits, timeouts around awaits)."""
    enumerations: tuple[str, ...] = ()
    """Base classes of enumerations: their members are as many as the code has."""
    deployment: tuple[str, ...] = ()
    """Calls that name a host, process or thread: as many as machines run the code."""
    identifiers: tuple[str, ...] = ()
    """Beginnings of calls that make a new identifier."""
    clock: tuple[str, ...] = ()
    """Beginnings of calls that give a point in time."""
    clock_parts: tuple[str, ...] = ()
    """Members of a point in time with few values that come again: ``hour``, ``getDay``."""
    clock_members: tuple[str, ...] = ()
    """Those of `clock_parts` that nothing but a point in time has: ``message.sent_at.hour``."""
    clock_codes: tuple[str, ...] = ()
    """What stands for such parts in the formats of `clock_formatters`: ``%H``."""
    clock_formatters: tuple[str, ...] = ()
    """Methods that write a point in time out by a format: ``strftime``."""
    request_scoped: tuple[str, ...] = ()
    """Objects that live for one request: what is kept in them is made anew for each."""
    loop_modules: tuple[str, ...] = ()
    """Modules whose import says that a file may have functions with a role on an event loop."""
    reactive_types: tuple[str, ...] = ()
    """Declared types of what a handler returns that an event loop completes: ``Mono``."""
    thread_choosers: tuple[str, ...] = ()
    """Methods of `reactive_types` that have other threads do what stands before or behind them: ``subscribeOn``."""
    made_per_run: tuple[str, ...] = ()
    """Base classes of what a framework makes anew each time that it runs it: ``org.quartz.Job``."""
    built_on: dict[str, str] = msgspec.field(default_factory=dict)
    """Packages whose objects are those of another one: ``fastapi`` hands out requests and states of ``starlette``."""
    handed_by_name: tuple[str, ...] = ()
    """Packages that hand what they were given under a name to the parameter of that name of functions that they run:
    ``dispatcher["redis"] = client``, ``async def handler(message, redis)``."""
    settings_classes: tuple[str, ...] = ()
    """Decorators of classes whose fields a framework fills from settings; their argument is how the keys begin."""
    property_files: tuple[str, ...] = ()
    """Calls that return what a file of properties says about the key that is their first argument."""
    setting_calls: tuple[str, ...] = ()
    """Calls that return what the settings of the application say about the key that is their first argument."""
    bean_files: tuple[str, ...] = ()
    """Suffixes of files that describe objects which a framework makes: ``<bean class="…">``."""
    blocking_users: tuple[str, ...] = ()
    """Classes and functions that wait for work with the client that they are handed: ``bullmq.Worker``."""
    deaf_users: tuple[str, ...] = ()
    """Packages that never listen to the errors of a client that they are handed: ``connect-redis``."""
    request_data: tuple[str, ...] = ()
    """Objects that carry what a client of the service sent."""
    injectors: tuple[str, ...] = ()
    """Calls whose first argument is a function that the framework calls for each request."""
    library: dict[str, tuple[Row, ...]] = msgspec.field(default_factory=dict)
    """Last name of foreign methods and functions -> which values they carry where. Files write them as ``rows``; what
    `pass_through`, `memoised` and `lazy` say is among them."""
