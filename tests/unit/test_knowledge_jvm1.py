"""What a reader of Jedis, Lettuce and Commons Pool would say about them, asked of the records."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from resplint.knowledge.load import load_commands, load_libraries, version_in
from resplint.knowledge.records.client_records import (
    ConstructorModel,
    MethodModel,
    OptionModel,
    PipelineModel,
    TypeModel,
    WaitModel,
)

LIBRARIES = ("jedis", "lettuce", "commons-pool2", "vertx-redis")
JEDIS = "redis.clients.jedis."
LETTUCE = "io.lettuce.core."
SYNC = f"{LETTUCE}api.sync.RedisCommands"
ASYNC = f"{LETTUCE}api.async.RedisAsyncCommands"
NEWEST = {"jedis": "8.0.0", "lettuce": "7.7.0", "commons-pool2": "2.13.1", "vertx-redis": "5.1.1"}


def type_of(library: str, name: str) -> TypeModel:
    """The type at an import path."""
    (found,) = (each for each in load_libraries()[library].type if name in (each.name, *each.also))
    return found


def line(library: str, name: str) -> list[str]:
    """A type and those that it extends, nearest first."""
    names = [type_of(library, name).name]
    for each in names:
        known = {model.name: model for model in load_libraries()[library].type}
        names += [base for base in (known[each].extends if each in known else ()) if base not in names]
    return names


def overloads(library: str, owner: str, name: str, version: str = "") -> list[MethodModel]:
    """The entries for a method of a type, in the order in which they are tried."""
    version = version or NEWEST[library]
    entries = [
        each for each in load_libraries()[library].method if name in each.names and version_in(version, each.versions)
    ]
    return [each for base in line(library, owner) for each in entries if base in each.of]


def method(library: str, owner: str, name: str, version: str = "") -> MethodModel:
    """The last entry for a method: the one for any arguments."""
    found = overloads(library, owner, name, version)[-1]
    assert not found.shape
    return found


def wait(library: str, owner: str, name: str, version: str = "") -> WaitModel:
    """How long a method waits."""
    found = method(library, owner, name, version).wait
    assert found is not None
    return found


def constructor(library: str, name: str) -> ConstructorModel:
    """The constructor at an import path."""
    (found,) = (each for each in load_libraries()[library].constructor if name in each.names)
    return found


def option(library: str, options: str, role: str, version: str = "") -> OptionModel:
    """The option of a set with a role in one version."""
    version = version or NEWEST[library]
    (found,) = (
        each
        for each in load_libraries()[library].option_set[options]
        if each.role == role and version_in(version, each.versions)
    )
    return found


def made(library: str, name: str, role: str, version: str = "") -> OptionModel:
    """The option with a role of what a constructor makes."""
    return option(library, constructor(library, name).options, role, version)


def places(model: OptionModel, *words: str) -> set[int]:
    """Where an option stands in a call whose arguments are of these kinds."""
    return {each.index for each in model.positional if fits(each.shape, words)}


def fits(shape: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether arguments of known kinds have a shape."""
    if shape[-1:] == ("...",):
        shape = shape[:-1]
        words = words[: len(shape)]
    return len(shape) == len(words) and all(word in ("any", other) for word, other in zip(shape, words, strict=True))


def pipelines(library: str, owner: str, name: str, version: str = "") -> list[PipelineModel]:
    """The entries for a method of a type that starts a batch."""
    kind, bases = type_of(library, owner).kind, line(library, owner)
    return [
        each
        for each in load_libraries()[library].pipeline
        if each.method == name
        and version_in(version or NEWEST[library], each.versions)
        and (any(base in each.of for base in bases) if each.of else kind in each.on)
    ]


def pipeline(library: str, owner: str, name: str, version: str = "") -> PipelineModel:
    """The one way in which a method of a type starts a batch."""
    (found,) = pipelines(library, owner, name, version)
    return found


# -- the files fit together --------------------------------------------------------------------------------


def names() -> Iterator[str]:
    """Everything in the three files that is a dotted name of the library."""
    for library in (load_libraries()[each] for each in LIBRARIES):
        roots = tuple(f"{root}." for root in library.library.imports)
        for model in library.type:
            yield from (path for path in (model.name, *model.also) if not path.startswith(roots))
        for made_by in library.constructor:
            yield from (path for path in made_by.names if not path.startswith(roots))


def test_every_name_is_below_a_package_that_selects_files() -> None:
    assert not list(names())


@pytest.mark.parametrize("library", LIBRARIES)
def test_methods_and_bases_belong_to_types_that_are_there(library: str) -> None:
    known = {path for each in load_libraries().values() for model in each.type for path in (model.name, *model.also)}
    for each in load_libraries()[library].method:
        assert each.of
        assert set(each.of) <= known, each.names
    for model in load_libraries()[library].type:
        assert set(model.extends) <= known, model.name
    for batch in load_libraries()[library].pipeline:
        assert set(batch.of) <= known, batch.method


@pytest.mark.parametrize("library", LIBRARIES)
def test_commands_exist_and_exactly_the_blocking_ones_wait(library: str) -> None:
    for each in load_libraries()[library].method:
        if each.command:
            assert bool(load_commands()[each.command].raw_wait) == (each.wait is not None), each.names


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_entry_for_any_arguments_comes_last(library: str) -> None:
    """An entry without a shape takes every call, and a method whose entries all have one would be lost."""
    for version in load_libraries()[library].library.versions:
        for model in load_libraries()[library].type:
            for name in {name for each in load_libraries()[library].method for name in each.names}:
                shapes = [each.shape for each in overloads(library, model.name, name, version)]
                own = shapes[: shapes.index(()) + 1] if () in shapes else shapes
                assert not shapes or own[-1] == (), (version, model.name, name)


# -- timeouts and bounds when nothing is said ----------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["Jedis", "JedisPool", "JedisPooled", "UnifiedJedis", "JedisCluster", "RedisClient.create"]
)
@pytest.mark.parametrize("version", ["2.9.0", "3.10.0", "8.0.0"])
def test_jedis_reads_for_two_seconds_and_waits_for_ever(name: str, version: str) -> None:
    read = made("jedis", JEDIS + name, "read_timeout", version)
    assert (read.default, read.unit) == (2000, "ms")
    assert made("jedis", JEDIS + name, "blocking_timeout", version).default == 0


@pytest.mark.parametrize(
    "name", ["JedisPool", "JedisPooled", "JedisCluster", "JedisSentinelPool", "ShardedJedisPool", "ConnectionPool"]
)
def test_a_pool_of_jedis_has_eight_connections(name: str) -> None:
    bound = made("jedis", JEDIS + name, "pool_max")
    assert bound.default == 8
    assert bound.negative_means == "unbounded"
    assert {"setMaxTotal", "setMaxActive"} <= set(bound.setters)


def test_a_single_jedis_has_no_pool() -> None:
    assert not any(each.role == "pool_max" for each in load_libraries()["jedis"].option_set["connection"])


@pytest.mark.parametrize("name", ["RedisClient.create", "cluster.RedisClusterClient.create"])
@pytest.mark.parametrize("version", ["4.5.0", "5.0.0", "6.4.2", "6.5.0", "7.7.0"])
def test_lettuce_waits_a_minute_for_a_reply(name: str, version: str) -> None:
    read = made("lettuce", LETTUCE + name, "read_timeout", version)
    assert (read.default, read.unit, read.name) == (60_000, "ms", "timeout")


def test_a_number_in_the_query_of_a_lettuce_url_is_milliseconds() -> None:
    assert made("lettuce", f"{LETTUCE}RedisURI.create", "read_timeout").unit == "ms"


def test_lettuce_has_no_pool_unless_one_is_built() -> None:
    assert not any(each.role == "pool_max" for each in load_libraries()["lettuce"].option_set["client"])
    for name in ("ConnectionPoolSupport.createGenericObjectPool", "AsyncConnectionPoolSupport.createBoundedObjectPool"):
        assert made("lettuce", f"{LETTUCE}support.{name}", "pool_max").default == 8


def test_a_pool_configuration_of_commons_pool_allows_eight_objects() -> None:
    for version in load_libraries()["commons-pool2"].library.versions:
        assert option("commons-pool2", "pool", "pool_max", version).default == 8


def test_a_plain_object_pool_is_no_pool_of_connections() -> None:
    assert type_of("commons-pool2", "org.apache.commons.pool2.impl.GenericObjectPool").kind == "other"
    assert not any(each.own_pool for each in load_libraries()["commons-pool2"].constructor)


# -- where arguments stand ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words", "index"),
    [
        ("Jedis", "text number", None),
        ("Jedis", "text number number", 2),
        ("Jedis", "text number number number", 3),
        ("Jedis", "text number number number number", 3),
        ("Jedis", "text number number boolean", 2),
        ("Jedis", "object number", 1),
        ("Jedis", "object number number", 2),
        ("JedisPool", "object text number", None),
        ("JedisPool", "object text number number", 3),
        ("JedisPool", "object text number number text number text", 3),
        ("JedisPool", "object text number number number text number text", 4),
        ("JedisPool", "text number text text", None),
        ("JedisPooled", "object object number", 2),
        ("JedisCluster", "list number", 1),
        ("JedisCluster", "list number number", 1),
        ("JedisCluster", "object number number number object", 2),
        ("JedisCluster", "list number number number text object", 2),
        ("JedisSentinelPool", "text list object number text", 3),
        ("JedisSentinelPool", "text list object number number text number", 4),
        ("JedisShardInfo", "text number number text", 2),
        ("JedisShardInfo", "text text number number number", 3),
        ("DefaultJedisClientConfig.create", "number number number text", 1),
    ],
)
def test_read_timeout_among_the_arguments_of_jedis(name: str, words: str, index: int | None) -> None:
    found = places(made("jedis", JEDIS + name, "read_timeout"), *words.split())
    assert found == ({index} if index is not None else set())


def test_the_third_timeout_of_a_jedis_is_for_blocking_commands() -> None:
    blocking = made("jedis", f"{JEDIS}Jedis", "blocking_timeout")
    assert places(blocking, "text", "number", "number", "number", "number") == {4}
    assert places(blocking, "text", "number", "number", "number") == set()
    assert blocking.setters == ("blockingSocketTimeoutMillis",)


def test_a_timeout_of_a_lettuce_uri_is_a_duration() -> None:
    read = made("lettuce", f"{LETTUCE}RedisURI", "read_timeout")
    assert places(read, "text", "number", "duration") == {2}
    assert places(read, "text", "number") == set()
    assert {"setTimeout", "withTimeout", "setDefaultTimeout", "fixedTimeout"} == set(read.setters)


# -- what opens connections --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "name", "own"),
    [
        ("jedis", f"{JEDIS}Jedis", True),
        ("jedis", f"{JEDIS}JedisPool", True),
        ("jedis", f"{JEDIS}JedisPooled", True),
        ("jedis", f"{JEDIS}RedisClusterClient.create", True),
        ("jedis", f"{JEDIS}providers.PooledConnectionProvider", True),
        ("jedis", f"{JEDIS}JedisPoolConfig", False),
        ("jedis", f"{JEDIS}RedisClient.builder", False),
        ("jedis", f"{JEDIS}Transaction", False),
        ("lettuce", f"{LETTUCE}RedisClient.create", True),
        ("lettuce", f"{LETTUCE}masterreplica.MasterReplica.connect", True),
        ("lettuce", f"{LETTUCE}RedisURI.create", False),
        ("lettuce", f"{LETTUCE}resource.DefaultClientResources.create", False),
    ],
)
def test_what_makes_connections_of_its_own(library: str, name: str, own: bool) -> None:
    assert constructor(library, name).own_pool is own


def test_borrowing_opens_nothing_and_connecting_does() -> None:
    for owner in ("JedisPool", "JedisSentinelPool", "util.Pool"):
        borrowed = method("jedis", JEDIS + owner, "getResource")
        assert (borrowed.returns, borrowed.own_pool) == (f"{JEDIS}Jedis", False)
    assert method("jedis", f"{JEDIS}RedisClient.Builder", "build").own_pool
    for name in ("connect", "connectPubSub", "connectSentinel"):
        assert method("lettuce", f"{LETTUCE}RedisClient", name).own_pool
    assert not method("lettuce", f"{LETTUCE}support.ConnectionPool", "borrowObject").own_pool
    assert not method("lettuce", f"{LETTUCE}api.StatefulRedisConnection", "sync").own_pool


def test_from_a_lettuce_client_to_its_commands() -> None:
    client = constructor("lettuce", f"{LETTUCE}RedisClient.create").makes
    connection = method("lettuce", client, "connect").returns
    assert type_of("lettuce", connection).kind == "connection"
    for view in ("sync", "async", "reactive", "coroutines"):
        commands = type_of("lettuce", method("lettuce", connection, view).returns)
        assert (commands.kind, commands.speaks, commands.is_async) == ("connection", True, view != "sync")
        assert f"{LETTUCE}api.Commands" in line("lettuce", commands.name)
    assert method("lettuce", client, "connectAsync", "4.5.0").own_pool


def test_only_views_speak() -> None:
    for name in ("RedisClient", "cluster.RedisClusterClient", "api.StatefulRedisConnection"):
        assert not type_of("lettuce", LETTUCE + name).speaks
    assert type_of("lettuce", f"{LETTUCE}api.sync.RedisHashCommands").name == SYNC


# -- waits -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "owner", "name", "index", "unit"),
    [
        ("jedis", f"{JEDIS}Jedis", "blpop", 0, "s"),
        ("jedis", f"{JEDIS}JedisPooled", "brpop", 0, "s"),
        ("jedis", f"{JEDIS}Jedis", "brpoplpush", 2, "s"),
        ("jedis", f"{JEDIS}JedisCluster", "blmove", 4, "s"),
        ("jedis", f"{JEDIS}RedisClient", "bzpopmin", 0, "s"),
        ("jedis", f"{JEDIS}Jedis", "waitReplicas", -1, "ms"),
        ("jedis", f"{JEDIS}Jedis", "waitAOF", -1, "ms"),
        ("lettuce", SYNC, "blpop", 0, "s"),
        ("lettuce", ASYNC, "brpoplpush", 0, "s"),
        ("lettuce", SYNC, "blmove", 3, "s"),
        ("lettuce", SYNC, "bzmpop", 0, "s"),
        ("lettuce", SYNC, "waitForReplication", 1, "ms"),
    ],
)
def test_where_a_wait_stands_and_what_it_counts(library: str, owner: str, name: str, index: int, unit: str) -> None:
    found = wait(library, owner, name)
    assert (found.index, found.unit, found.default) == (index, unit, "required")


def test_a_stream_is_read_at_once_unless_its_parameters_say_block() -> None:
    for library, owner, name in [
        ("jedis", f"{JEDIS}Jedis", "xread"),
        ("jedis", f"{JEDIS}JedisPooled", "xreadGroup"),
        ("lettuce", SYNC, "xreadgroup"),
    ]:
        found = wait(library, owner, name)
        assert (found.setters, found.unit, found.default) == (("block",), "ms", "none")


def test_the_texts_of_an_old_blpop_end_with_the_wait() -> None:
    texts, numbers = overloads("jedis", f"{JEDIS}Jedis", "blpop", "3.10.0")
    assert texts.shape == ("text", "...")
    assert texts.wait is not None
    assert (texts.wait.index, numbers.key) == (-1, 1)
    assert len(overloads("jedis", f"{JEDIS}Jedis", "blpop", "4.0.0")) == 1


def test_the_socket_timeout_of_jedis_cuts_wait_and_plain_words_only() -> None:
    assert not load_libraries()["jedis"].library.blocking_uses_read_timeout
    cut = {name for each in load_libraries()["jedis"].method if each.read_timeout_cuts for name in each.names}
    assert cut == {"waitReplicas", "waitAOF", "sendCommand", "executeCommand"}


@pytest.mark.parametrize("name", ["blpop", "brpoplpush", "bzpopmax", "xread", "waitForReplication"])
def test_the_asynchronous_commands_of_lettuce_time_out_from_6_5_on(name: str) -> None:
    assert load_libraries()["lettuce"].library.blocking_uses_read_timeout
    for owner in (ASYNC, f"{LETTUCE}api.reactive.RedisReactiveCommands"):
        assert overloads("lettuce", owner, name, "6.4.2")[0].read_timeout_cuts is False
        assert overloads("lettuce", owner, name, "6.5.0")[0].read_timeout_cuts is None
    assert overloads("lettuce", SYNC, name, "6.4.2")[0].read_timeout_cuts is None


# -- commands ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "owner", "name", "command"),
    [
        ("jedis", f"{JEDIS}Jedis", "eval", "EVAL"),
        ("jedis", f"{JEDIS}JedisPooled", "evalReadonly", "EVAL_RO"),
        ("jedis", f"{JEDIS}Pipeline", "eval", "EVAL"),
        ("jedis", f"{JEDIS}JedisCluster", "scriptLoad", "SCRIPT LOAD"),
        ("jedis", f"{JEDIS}UnifiedJedis", "functionLoadReplace", "FUNCTION LOAD"),
        ("lettuce", SYNC, "eval", "EVAL"),
        ("lettuce", ASYNC, "evalReadOnly", "EVAL_RO"),
        ("lettuce", SYNC, "scriptLoad", "SCRIPT LOAD"),
    ],
)
def test_lua_stands_first(library: str, owner: str, name: str, command: str) -> None:
    found = method(library, owner, name)
    assert (found.command, found.script_index) == (command, 0)


def test_commands_as_words() -> None:
    sampled, plain = overloads("jedis", f"{JEDIS}UnifiedJedis", "sendCommand")
    assert fits(sampled.shape, ("text", "object", "text", "text"))
    assert not fits(sampled.shape, ("object", "text"))
    assert (sampled.raw_index, plain.raw_index) == (1, 0)
    assert method("lettuce", SYNC, "dispatch").raw_index == 0


def test_hashing_a_script_is_not_the_command_digest() -> None:
    assert method("lettuce", SYNC, "digest").command == ""
    assert method("lettuce", SYNC, "digestKey").command == "DIGEST"


def test_a_whole_hash_may_go_into_a_channel() -> None:
    channel, plain = overloads("lettuce", SYNC, "hgetall")
    assert (channel.command, channel.key, plain.command, plain.key) == ("HGETALL", 1, "HGETALL", -100)


# -- transactions ------------------------------------------------------------------------------------------


def test_pipelined_is_no_transaction_and_multi_is_one() -> None:
    for owner in ("Jedis", "JedisPooled", "RedisClient", "JedisCluster"):
        assert not pipeline("jedis", JEDIS + owner, "pipelined").transaction_default
    for owner in ("Jedis", "JedisPooled", "RedisClient"):
        multi = pipeline("jedis", JEDIS + owner, "multi")
        assert (multi.transaction_default, multi.execute[0], multi.advice) == (True, "exec", "`pipelined()`")
    assert not pipelines("jedis", f"{JEDIS}JedisCluster", "multi")


def test_keys_are_watched_on_the_jedis_but_on_the_transaction_of_a_pooled_client() -> None:
    assert pipeline("jedis", f"{JEDIS}Jedis", "multi").watch_client
    assert not pipeline("jedis", f"{JEDIS}JedisPooled", "multi").watch_client
    assert pipeline("jedis", f"{JEDIS}JedisPooled", "transaction").index == 0
    assert not pipelines("jedis", f"{JEDIS}JedisPooled", "transaction", "5.1.0")


def test_multi_of_lettuce_switches_its_connection() -> None:
    for owner in (SYNC, ASYNC):
        multi = pipeline("lettuce", owner, "multi")
        assert (multi.modal, multi.execute, multi.discard, multi.watch) == (True, ("exec",), ("discard",), ("watch",))
        assert not multi.begin
    assert not pipelines("lettuce", f"{LETTUCE}cluster.api.sync.RedisAdvancedClusterCommands", "multi")


# -- delays and errors -------------------------------------------------------------------------------------


def test_growth_of_the_delays_that_lettuce_offers() -> None:
    growth = {
        name.rsplit(".", 1)[-1]: (each.growth, each.jitter)
        for each in load_libraries()["lettuce"].retry
        for name in each.names
    }
    assert growth == {
        "constant": ("constant", False),
        "exponential": ("exponential", False),
        "fullJitter": ("exponential", True),
        "equalJitter": ("exponential", True),
        "decorrelatedJitter": ("exponential", True),
    }
    reconnect = made("lettuce", f"{LETTUCE}resource.DefaultClientResources.builder", "retry_delay")
    assert (reconnect.default, reconnect.setters) == ("exponential", ("reconnectDelay",))


def test_a_cluster_of_jedis_tries_five_times() -> None:
    attempts = made("jedis", f"{JEDIS}JedisCluster", "retries")
    assert attempts.default == 5
    assert places(attempts, "list", "number", "number") == {2}
    assert places(attempts, "list", "object", "number", "duration", "object") == {2}


def test_errors_of_a_lost_connection() -> None:
    jedis, lettuce = load_libraries()["jedis"].errors, load_libraries()["lettuce"].errors
    assert f"{JEDIS}exceptions.JedisConnectionException" in jedis.connection
    assert jedis.any == (f"{JEDIS}exceptions.JedisException",)
    assert f"{LETTUCE}RedisConnectionException" in lettuce.connection
    assert f"{LETTUCE}RedisCommandTimeoutException" in lettuce.unready
    assert f"{LETTUCE}RedisException" in lettuce.any


def test_a_client_of_vertx_has_a_pool_of_six_and_speaks_words() -> None:
    pool = made("vertx-redis", "io.vertx.redis.client.Redis.createClient", "pool_max")
    assert (pool.default, pool.setters) == (6, ("setMaxPoolSize",))
    section = load_libraries()["vertx-redis"].library
    assert (section.words, section.callbacks) == (True, True)
    api = type_of("vertx-redis", "io.vertx.mutiny.redis.client.RedisAPI")
    assert (api.name, api.is_async, api.speaks) == ("io.vertx.redis.client.RedisAPI", True, True)
    assert not type_of("vertx-redis", "io.vertx.redis.client.Redis").speaks
