"""What a reader of the documentation knows of Redisson, Spring Data Redis and Valkey GLIDE, asked of the records."""

from __future__ import annotations

import pytest

from resplint.knowledge.load import load_commands, load_libraries, version_in
from resplint.knowledge.records.client_records import (
    ClientLibrary,
    ConstructorModel,
    MethodModel,
    OptionModel,
    PipelineModel,
    TypeModel,
)

LIBRARIES = ("redisson", "spring-data-redis", "valkey-glide", "valkey-glide-java", "valkey-glide-node")
CORE = "org.springframework.data.redis.core"
CONNECTION = "org.springframework.data.redis.connection"
API = "org.redisson.api"
GLIDE = {"valkey-glide": "glide", "valkey-glide-java": "glide.api.models", "valkey-glide-node": "@valkey/valkey-glide"}
"""Library -> what stands before the names of its batches."""


def library(name: str) -> ClientLibrary:
    """A library by name."""
    return load_libraries()[name]


def type_of(name: str, path: str) -> TypeModel:
    """The type that a path means."""
    (found,) = (model for model in library(name).type if path in (model.name, *model.also))
    return found


def line(name: str, path: str) -> list[str]:
    """A type and those that it extends, nearest first."""
    found = [type_of(name, path).name]
    for each in found:
        found += [base for base in type_of(name, each).extends if base not in found]
    return found


def methods(name: str, path: str, method: str) -> list[MethodModel]:
    """The entries for a method of a type, in the order in which they are tried."""
    return [
        model
        for base in line(name, path)
        for model in library(name).method
        if method in model.names and base in model.of
    ]


def shaped(name: str, path: str, method: str, *shape: str) -> MethodModel:
    """The one overload of that shape."""
    (found,) = (model for model in methods(name, path, method) if model.shape == shape)
    return found


def made(name: str, path: str) -> ConstructorModel:
    """The constructor at a path."""
    (found,) = (model for model in library(name).constructor if path in model.names)
    return found


def options(name: str, option_set: str, role: str, version: str) -> dict[str, OptionModel]:
    """Options of a set with a role in one version, by name."""
    return {
        model.name: model
        for model in library(name).option_set[option_set]
        if model.role == role and version_in(version, model.versions)
    }


def batch(name: str, method: str, path: str) -> PipelineModel:
    """How a method of a type starts a batch."""
    (found,) = (model for model in library(name).pipeline if model.method == method and path in model.of)
    return found


# -- the files as such -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_reference_leads_to_a_type(name: str) -> None:
    own = library(name)
    canonical = {model.name for model in own.type}
    known = canonical | {path for model in own.type for path in model.also}
    assert {base for model in own.type for base in model.extends} <= canonical
    assert {path for model in own.method for path in model.of} <= canonical
    assert {path for model in own.pipeline for path in model.of} <= canonical
    assert {model.callback.gives for model in own.method if model.callback} <= known
    sets = {model.ambient_options for model in own.type} | {model.ambient_options for model in own.driver}
    assert sets - {""} <= set(own.option_set)


@pytest.mark.parametrize("name", LIBRARIES)
def test_an_overload_for_any_arguments_comes_last(name: str) -> None:
    seen: set[tuple[str, str]] = set()
    for model in library(name).method:
        for method in model.names:
            for path in model.of or model.on:
                if model.callback is None:
                    assert (method, path) not in seen, f"{method} of {path}: never reached"
                if not model.shape and model.callback is None:
                    seen.add((method, path))


@pytest.mark.parametrize("name", LIBRARIES)
def test_commands_are_known_and_those_that_wait_block(name: str) -> None:
    for model in library(name).method:
        if model.command:
            assert bool(load_commands()[model.command].raw_wait) == (model.wait is not None), model.names


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_cited_is_cited_with_package_version_and_place(name: str) -> None:
    own = library(name)
    cited = [model.source for model in own.constructor] + [model.source for model in own.method]
    cited += [model.source for model in own.pipeline] + [model.source for model in own.retry]
    cited += [model.source for group in own.option_set.values() for model in group]
    cited += [model.source for model in own.driver]
    for source in filter(None, cited):
        assert all(len(part.split()) == 3 and ":" in part for part in source.split("; ")), source
    assert all(model.source for group in own.option_set.values() for model in group)


@pytest.mark.parametrize("name", LIBRARIES)
def test_names_lie_in_what_is_imported(name: str) -> None:
    own = library(name)
    paths = [path for model in own.constructor for path in model.names if "scripting.support" not in path]
    assert all(path.startswith(tuple(f"{root}." for root in own.library.imports)) for path in paths)


# -- Redisson ----------------------------------------------------------------------------------------------------------


def test_redisson_connects_at_once_and_never_cuts_a_blocking_command() -> None:
    create = made("redisson", "org.redisson.Redisson.create")
    assert (create.own_pool, create.connects) == (True, True)
    assert library("redisson").library.blocking_uses_read_timeout is False
    assert options("redisson", "client", "read_timeout", "4.7.0")["timeout"].default == 3000


@pytest.mark.parametrize(("version", "size"), [("3.0.0", 250), ("3.2.4", 64), ("4.7.0", 64)])
def test_pool_of_redisson_is_bounded(version: str, size: int) -> None:
    found = options("redisson", "client", "pool_max", version)
    assert {model.default for model in found.values()} == {size}


def test_retries_of_redisson_pause_for_a_constant_time_before_348_and_with_jitter_since() -> None:
    assert options("redisson", "client", "retry_delay", "3.47.0")["retryInterval"].default == "constant"
    assert options("redisson", "client", "retry_delay", "3.48.0") == {}
    assert options("redisson", "client", "backoff", "3.47.0") == {}
    assert {model.default for model in options("redisson", "client", "backoff", "3.48.0").values()} == {
        "exponential+jitter"
    }
    assert [model.default for model in options("redisson", "client", "retries", "3.47.0").values()] == [3]
    assert [model.default for model in options("redisson", "client", "retries", "3.48.0").values()] == [4]
    (interval,) = methods("redisson", "org.redisson.config.SingleServerConfig", "setRetryInterval")
    assert interval.retry_delay == "constant"


def test_delays_of_redisson() -> None:
    growth = {path.rsplit(".", 1)[1]: model for model in library("redisson").retry for path in model.names}
    assert growth["ConstantDelay"].growth == "constant"
    assert all(growth[name].jitter for name in ("EqualJitterDelay", "FullJitterDelay", "DecorrelatedJitterDelay"))


def test_a_configuration_from_a_file_is_opaque() -> None:
    assert made("redisson", "org.redisson.config.Config.fromYAML").opaque
    assert not made("redisson", "org.redisson.config.Config").opaque


@pytest.mark.parametrize(
    ("method", "command"),
    [
        ("readAllMap", "HGETALL"),
        ("readAllEntrySetAsync", "HGETALL"),
        ("readAllKeySet", "HKEYS"),
        ("readAllValues", "HVALS"),
        ("entrySet", "HSCAN"),
        ("keySet", "HSCAN"),
        ("putAll", "HMSET"),
        ("get", "HGET"),
        ("expire", "EXPIRE"),
    ],
)
def test_maps_of_redisson(method: str, command: str) -> None:
    (found,) = methods("redisson", f"{API}.RMapCache", method)
    assert (found.command, found.key) == (command, -1)


def test_a_map_is_bound_to_its_name_and_its_writes_name_one_field() -> None:
    (getter,) = methods("redisson", "org.redisson.Redisson", "getMap")
    assert (getter.returns, getter.bound_key) == (f"{API}.RMap", 0)
    (put,) = methods("redisson", f"{API}.RMap", "fastPut")
    assert (put.command, put.hash_write) == ("HSET", "field")


def test_only_a_poll_with_a_time_waits_and_take_waits_for_ever() -> None:
    poll = shaped("redisson", f"{API}.RBlockingQueue", "poll", "number", "unit")
    assert poll.wait is not None
    assert (poll.command, poll.wait.index, poll.wait.unit_index) == ("BLPOP", 0, 1)
    assert shaped("redisson", f"{API}.RBlockingQueue", "poll").command == "LPOP"
    (take,) = methods("redisson", f"{API}.RBlockingDeque", "take")
    assert take.wait is not None
    assert take.wait.default == 0
    assert methods("redisson", f"{API}.RTransferQueue", "take") == []


def test_batches_of_redisson_are_no_transactions() -> None:
    found = batch("redisson", "createBatch", f"{API}.RedissonClient")
    assert (found.transaction_default, found.setters) == (False, ("executionMode",))


def test_the_text_of_a_script_of_redisson_stands_behind_mode_and_key() -> None:
    first, second, rest = methods("redisson", f"{API}.RScript", "eval")
    assert (first.script_index, second.script_index, rest.script_index) == (1, 2, 1)
    assert second.shape[0] == "text"
    (load,) = methods("redisson", f"{API}.RFunction", "load")
    assert (load.command, load.script_index) == ("FUNCTION LOAD", 1)


# -- Spring Data Redis ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option_set", "role", "default"),
    [
        ("lettuce", "read_timeout", 60000),
        ("jedis", "read_timeout", 2000),
        ("ambient", "read_timeout", 60000),
        ("ambient_jedis", "read_timeout", 2000),
        ("ambient", "pool_max", 8),
        ("ambient_jedis", "pool_max", 8),
    ],
)
def test_defaults_of_the_drivers(option_set: str, role: str, default: int) -> None:
    (found,) = options("spring-data-redis", option_set, role, "4.1.1").values()
    assert found.default == default


def test_settings_of_both_generations_of_boot_are_read() -> None:
    (timeout,) = options("spring-data-redis", "ambient", "read_timeout", "2.7.18").values()
    assert timeout.settings == ("spring.redis.timeout",)
    (later,) = options("spring-data-redis", "ambient", "read_timeout", "3.5.0").values()
    assert later.settings == ("spring.data.redis.timeout",)
    assert (timeout.unit, timeout.settings_unit) == ("ms", "")
    (pool,) = options("spring-data-redis", "ambient", "pool_max", "3.5.0").values()
    assert pool.negative_means == "unbounded"


def test_only_lettuce_cuts_blocking_commands() -> None:
    name = "spring-data-redis"
    assert library(name).library.blocking_uses_read_timeout
    assert type_of(name, f"{CONNECTION}.lettuce.LettuceConnectionFactory").blocking_uses_read_timeout is None
    assert type_of(name, f"{CONNECTION}.jedis.JedisConnectionFactory").blocking_uses_read_timeout is False
    drivers = {model.name: model.blocking_uses_read_timeout for model in library(name).driver}
    assert drivers == {"redisson": False, "jedis": False}


def test_a_factory_opens_connections_and_a_template_borrows_them() -> None:
    name = "spring-data-redis"
    assert made(name, f"{CONNECTION}.lettuce.LettuceConnectionFactory").own_pool
    template = made(name, f"{CORE}.StringRedisTemplate")
    assert not template.own_pool
    factory = options(name, template.options, "pool", "4.1.1")["connectionFactory"]
    assert (factory.positional[0].index, factory.setters) == (0, ("setConnectionFactory",))


@pytest.mark.parametrize(
    ("shape", "command"),
    [(("any", "number", "unit"), "BLPOP"), (("any", "duration"), "BLPOP"), ((), "LPOP")],
)
def test_a_pop_waits_when_it_has_a_time_not_a_count(shape: tuple[str, ...], command: str) -> None:
    assert shaped("spring-data-redis", f"{CORE}.ListOperations", "leftPop", *shape).command == command


def test_a_bound_pop_has_its_time_first() -> None:
    found = shaped("spring-data-redis", f"{CORE}.BoundListOperations", "rightPop", "number", "unit")
    assert found.wait is not None
    assert (found.command, found.key, found.wait.index, found.wait.unit_index) == ("BRPOP", -1, 0, 1)


def test_a_third_number_of_set_is_an_offset() -> None:
    ops = f"{CORE}.ValueOperations"
    assert shaped("spring-data-redis", ops, "set", "any", "any", "duration").command == "SET"
    assert shaped("spring-data-redis", ops, "set", "any", "any", "number").command == "SETRANGE"


@pytest.mark.parametrize(
    ("method", "command"),
    [
        ("entries", "HGETALL"),
        ("keys", "HKEYS"),
        ("values", "HVALS"),
        ("put", "HSET"),
        ("putAll", "HMSET"),
        ("putIfAbsent", "HSETNX"),
    ],
)
def test_hashes_of_spring_with_and_without_a_key(method: str, command: str) -> None:
    (plain,) = methods("spring-data-redis", f"{CORE}.HashOperations", method)
    (bound,) = methods("spring-data-redis", f"{CORE}.BoundHashOperations", method)
    assert (plain.command, bound.command, plain.key, bound.key) == (command, command, -100, -1)
    (returned,) = methods("spring-data-redis", f"{CORE}.RedisOperations", "boundHashOps")
    assert (returned.returns, returned.bound_key) == (f"{CORE}.BoundHashOperations", 0)


def test_keys_of_a_template_and_delete_of_a_reactive_hash() -> None:
    (keys,) = methods("spring-data-redis", f"{CORE}.StringRedisTemplate", "keys")
    assert keys.command == "KEYS"
    assert methods("spring-data-redis", f"{CORE}.ReactiveHashOperations", "delete")[0].command == "DEL"
    assert methods("spring-data-redis", f"{CORE}.HashOperations", "delete")[0].command == "HDEL"


def test_callbacks_get_a_connection_or_the_operations() -> None:
    given = {
        name: (model.callback.gives, model.callback.batch)
        for model in methods("spring-data-redis", f"{CORE}.RedisTemplate", "executePipelined")
        if model.callback
        for name in model.callback.names
    }
    assert given == {"doInRedis": (f"{CONNECTION}.RedisConnection", True), "execute": (f"{CORE}.RedisTemplate", True)}
    found = methods("spring-data-redis", f"{CORE}.RedisTemplate", "execute")[:3]
    assert [one.shape for one in found] == [
        ("function", "boolean", "true"), ("object", "boolean", "true"), ("function", "..."),
    ]  # fmt: skip
    assert [(one.callback.gives, one.callback.batch) for one in found if one.callback is not None] == [
        (f"{CONNECTION}.RedisConnection", batch) for batch in (True, True, False)
    ]
    assert methods("spring-data-redis", f"{CORE}.RedisTemplate", "execute")[-1].command == "EVALSHA"


@pytest.mark.parametrize("path", [f"{CORE}.RedisTemplate", f"{CONNECTION}.RedisConnection"])
def test_multi_switches_its_receiver(path: str) -> None:
    found = batch("spring-data-redis", "multi", path)
    assert (found.modal, found.transaction_default, found.execute, found.watch_client) == (True, True, ("exec",), True)


def test_connections_speak_and_templates_do_not() -> None:
    name = "spring-data-redis"
    assert type_of(name, f"{CONNECTION}.RedisHashCommands").speaks
    assert not type_of(name, f"{CORE}.RedisTemplate").speaks
    (pop,) = methods(name, f"{CONNECTION}.StringRedisConnection", "bLPop")
    assert pop.wait is not None
    assert (pop.key, pop.wait.index, pop.wait.unit) == (1, 0, "s")


def test_scripts_of_spring_carry_text_where_they_are_made() -> None:
    for path in (f"{CORE}.script.DefaultRedisScript", f"{CORE}.script.RedisScript.of"):
        assert made("spring-data-redis", path).script_index == 0
    (setter,) = methods("spring-data-redis", f"{CORE}.script.DefaultRedisScript", "setScriptText")
    assert setter.script_index == 0


def test_stream_reads_and_listeners_say_how_long_a_poll_lasts() -> None:
    name = "spring-data-redis"
    read = shaped(name, f"{CORE}.StreamOperations", "read")
    assert read.wait is not None
    assert (read.wait.setters, read.wait.default) == (("block",), "none")
    (receive,) = methods(name, "org.springframework.data.redis.stream.StreamMessageListenerContainer", "receive")
    assert receive.wait is not None
    assert (receive.wait.setters, receive.wait.default, receive.wait.unit) == (("pollTimeout",), 2000, "ms")


def test_a_listener_container_comes_back_every_five_seconds() -> None:
    container = "org.springframework.data.redis.listener.RedisMessageListenerContainer"
    assert options("spring-data-redis", "listener", "backoff", "4.1.1")["recoveryBackoff"].default == "constant"
    (setter,) = methods("spring-data-redis", container, "setRecoveryInterval")
    assert setter.retry_delay == "constant"


# -- Valkey GLIDE -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GLIDE)
def test_glide_waits_a_quarter_of_a_second_but_as_long_as_a_blocking_command_asks(name: str) -> None:
    own = library(name)
    (timeout,) = options(name, "client", "read_timeout", own.library.versions[-1]).values()
    assert (timeout.default, timeout.unit, own.library.blocking_uses_read_timeout) == (250, "ms", False)
    (backoff,) = options(name, "client", "backoff", own.library.versions[-1]).values()
    assert backoff.default == "exponential+jitter"


@pytest.mark.parametrize("name", GLIDE)
def test_a_batch_of_glide_says_at_its_construction_whether_it_is_atomic(name: str) -> None:
    by_constructor = {path: model for model in library(name).pipeline for path in model.constructors}
    found = by_constructor[f"{GLIDE[name]}.ClusterBatch"]
    assert (found.index, found.execute) == (0, ("exec",))
    old = by_constructor[f"{GLIDE[name]}.Transaction"]
    assert (old.index, old.transaction_default) == (-1, True)
    assert made(name, f"{GLIDE[name]}.Script").script_index == 0


@pytest.mark.parametrize("name", GLIDE)
def test_arguments_of_glide(name: str) -> None:
    found = {method: model for model in library(name).method for method in model.names}
    waits = {command: found[command].wait for command in ("blpop", "blmove", "blmpop", "bzmpop", "wait")}
    places = {command: model.index for command, model in waits.items() if model is not None}
    count_before_time = -1 if name == "valkey-glide-java" else 2
    assert places == {"blpop": 1, "blmove": 4, "blmpop": count_before_time, "bzmpop": 2, "wait": 1}
    assert found["hset"].hash_write == "mapping"
    raw = {model.raw_index for model in library(name).method if {"customCommand", "custom_command"} & set(model.names)}
    assert raw == {0}


def test_get_of_the_future_that_gives_a_client() -> None:
    get, future = methods("valkey-glide-java", "glide.api.GlideClient", "get")
    assert (get.shape, get.command) == (("any",), "GET")
    assert (future.shape, future.command, future.fluent) == ((), "", True)


@pytest.mark.parametrize(("version", "timeout"), [("2.1.1", 250), ("2.2.10", 2000)])
def test_connect_timeout_of_glide_for_python(version: str, timeout: int) -> None:
    (found,) = options("valkey-glide", "advanced", "connect_timeout", version).values()
    assert found.default == timeout
