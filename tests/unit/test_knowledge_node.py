"""What resplint knows of node-redis, of ioredis and of the frameworks of JavaScript."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from resplint.knowledge.load import load_commands, load_libraries, load_roles, version_in
from resplint.knowledge.records.client_records import (
    ClientLibrary,
    ConstructorModel,
    MethodModel,
    OptionModel,
    PipelineModel,
    TypeModel,
)
from resplint.knowledge.records.role_records import RetryFunction, RolePattern

NODE = ("ioredis", "node-redis")


def library(name: str) -> ClientLibrary:
    """A library by its name."""
    return load_libraries()[name]


def constructor(name: str, dotted: str) -> ConstructorModel:
    """The constructor at an import path."""
    (found,) = (each for each in library(name).constructor if dotted in each.names)
    return found


def type_of(name: str, dotted: str) -> TypeModel:
    """The type at an import path."""
    (found,) = (each for each in library(name).type if dotted in (each.name, *each.also))
    return found


def options(name: str, dotted: str, role: str, version: str) -> dict[str, OptionModel]:
    """The options with a role that a constructor has in one version, by name."""
    assert version in library(name).library.versions
    models = library(name).option_set[constructor(name, dotted).options]
    return {each.name: each for each in models if each.role == role and version_in(version, each.versions)}


def methods(name: str, label: str, version: str, of: str = "") -> list[MethodModel]:
    """The entries for a method in one version, of one type or of all."""
    return [
        each
        for each in library(name).method
        if label in each.names and version_in(version, each.versions) and (not of or of in each.of or not each.of)
    ]


def pipeline(name: str, label: str, version: str) -> PipelineModel:
    """The one way to start a batch by that name in one version."""
    (found,) = (each for each in library(name).pipeline if label == each.method and version_in(version, each.versions))
    return found


def words(name: str, version: str) -> bool:
    """Whether methods take the command's words in one version."""
    section = library(name).library
    return next((one.value for one in section.words_by_version if version_in(version, one.versions)), section.words)


def patterns(**wanted: str) -> Iterator[RolePattern]:
    """The patterns of JavaScript that hold a name in each of the given fields."""
    for pattern in load_roles("javascript").role:
        if all(name in getattr(pattern, field) for field, name in wanted.items()):
            yield pattern


def roles(**wanted: str) -> set[str]:
    """The roles that such patterns give."""
    return {pattern.role for pattern in patterns(**wanted)}


def retry_function(name: str) -> RetryFunction:
    """The retrying function of that name."""
    (found,) = (each for each in load_roles("typescript").retry_function if name in each.names)
    return found


# -- everything is in order --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NODE)
def test_it_is_a_library_of_npm_for_both_languages(name: str) -> None:
    section = library(name).library
    assert section.languages == ("javascript", "typescript")
    assert section.ecosystem == "npm"


@pytest.mark.parametrize("name", NODE)
def test_a_dotted_name_means_one_thing(name: str) -> None:
    made = [path for each in library(name).constructor for path in each.names]
    types = [path for each in library(name).type for path in (each.name, *each.also)]
    assert len(made) == len(set(made))
    assert len(types) == len(set(types))


def test_no_name_is_also_one_of_a_python_library() -> None:
    mine = {path for name in NODE for each in library(name).type for path in (each.name, *each.also)}
    mine |= {path for name in NODE for each in library(name).constructor for path in each.names}
    for other in load_libraries().values():
        if "python" in other.library.languages:
            assert not mine & {path for each in other.type for path in (each.name, *each.also)}
            assert not mine & {path for each in other.constructor for path in each.names}


@pytest.mark.parametrize("name", NODE)
def test_names_begin_with_an_import_of_the_library(name: str) -> None:
    imports = library(name).library.imports
    for each in library(name).constructor:
        for path in each.names:
            assert any(path == module or path.startswith((f"{module}.", f"{module}/")) for module in imports), path


@pytest.mark.parametrize("name", NODE)
def test_every_entry_cites_package_version_and_place(name: str) -> None:
    loaded = library(name)
    sources = [one.source for models in loaded.option_set.values() for one in models]
    sources += [one.source for one in loaded.constructor]
    sources += [one.source for one in loaded.method]
    sources += [one.source for one in loaded.pipeline]
    for source in sources:
        assert source
        assert all(len(part.split()) == 3 for part in source.split("; ")), source


@pytest.mark.parametrize("name", NODE)
def test_one_entry_holds_for_a_method_in_a_version(name: str) -> None:
    loaded = library(name)
    for version in loaded.library.versions:
        valid = [each for each in loaded.method if version_in(version, each.versions)]
        found = [(label, of) for each in valid for label in each.names for of in (each.of or each.on)]
        assert len(found) == len(set(found))
        batches = [each.method for each in loaded.pipeline if version_in(version, each.versions)]
        assert len(batches) == len(set(batches))


@pytest.mark.parametrize("name", NODE)
def test_what_a_method_sends_is_known_and_blocks_when_it_says_so(name: str) -> None:
    for each in library(name).method:
        if each.command:
            assert bool(load_commands()[each.command].raw_wait) == (each.wait is not None), each.names


@pytest.mark.parametrize("name", NODE)
def test_types_that_are_given_or_named_exist(name: str) -> None:
    types = {path for each in library(name).type for path in (each.name, *each.also)}
    for each in library(name).method:
        assert set(each.of) <= types
        assert each.callback is None or each.callback.gives in types
    for pattern in load_roles("javascript").role:
        for registrar in pattern.registrars:
            root, _, rest = registrar.partition(".")
            if root in ("ioredis", "redis") and rest.count("."):
                assert any(registrar.rsplit(".", 1)[0] == model.name for one in NODE for model in library(one).type), (
                    registrar
                )


# -- node-redis --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "expected"), [("0.12.1", True), ("3.1.2", True), ("4.0.0", False), ("6.3.1", False)]
)
def test_arguments_of_node_redis_are_words_up_to_3(version: str, expected: bool) -> None:
    assert words("node-redis", version) is expected


@pytest.mark.parametrize("root", ["redis", "@redis/client", "@node-redis/client"])
def test_create_client_opens_a_connection_of_its_own(root: str) -> None:
    made = constructor("node-redis", f"{root}.createClient")
    assert made.own_pool
    assert made.mapping
    assert made.makes == "redis.RedisClientType"


def test_the_class_of_3_is_the_client() -> None:
    assert type_of("node-redis", "redis.RedisClient") is type_of("node-redis", "redis.RedisClientType")


@pytest.mark.parametrize(
    ("version", "names", "growth"),
    [
        ("2.4.2", [], ""),
        ("3.1.2", ["retry_strategy"], "exponential"),
        ("4.7.1", ["socket.reconnectStrategy"], "exponential"),
        ("5.12.1", ["socket.reconnectStrategy"], "exponential+jitter"),
    ],
)
def test_reconnecting_of_node_redis(version: str, names: list[str], growth: str) -> None:
    found = options("node-redis", "redis.createClient", "retry_delay", version)
    assert list(found) == names
    assert all(one.default == growth for one in found.values())


@pytest.mark.parametrize(("version", "known"), [("4.7.1", False), ("5.0.1", False), ("5.1.0", True), ("6.3.1", True)])
def test_only_the_socket_timeout_of_5_1_cuts_commands(version: str, known: bool) -> None:
    assert bool(options("node-redis", "redis.createClient", "read_timeout", version)) is known
    for one in options("node-redis", "redis.createClient", "read_timeout", version).values():
        assert (one.name, one.default, one.unit) == ("socket.socketTimeout", "none", "ms")
    assert library("node-redis").library.blocking_uses_read_timeout


def test_the_queue_timeout_of_6_is_no_read_timeout() -> None:
    every = [one.name for models in library("node-redis").option_set.values() for one in models]
    assert not [name for name in every if "commandOptions" in name]


def test_a_pool_of_node_redis_is_bounded() -> None:
    assert options("node-redis", "redis.createClientPool", "pool_max", "6.3.1")["maximum"].default == 100
    assert not version_in("4.7.1", constructor("node-redis", "redis.createClientPool").versions)


@pytest.mark.parametrize(
    ("label", "command", "index", "unit"),
    [
        ("blPop", "BLPOP", 1, "s"),
        ("BRPOP", "BRPOP", 1, "s"),
        ("blMove", "BLMOVE", 4, "s"),
        ("brPopLPush", "BRPOPLPUSH", 2, "s"),
        ("blmPop", "BLMPOP", 0, "s"),
        ("bzPopMin", "BZPOPMIN", 1, "s"),
        ("wait", "WAIT", 1, "ms"),
    ],
)
def test_where_typed_blocking_commands_say_how_long(label: str, command: str, index: int, unit: str) -> None:
    (found,) = methods("node-redis", label, "5.12.1")
    assert found.wait is not None
    assert (found.command, found.wait.index, found.wait.unit) == (command, index, unit)
    assert found.wait.default == "required"


@pytest.mark.parametrize(("label", "index"), [("xRead", 1), ("XREADGROUP", 3)])
def test_streams_block_only_when_told(label: str, index: int) -> None:
    (found,) = methods("node-redis", label, "4.7.1")
    assert found.wait is not None
    assert found.wait.mapping
    assert (found.wait.parameter, found.wait.index, found.wait.unit, found.wait.default) == (
        "BLOCK",
        index,
        "ms",
        "none",
    )


def test_up_to_3_blocking_commands_are_words() -> None:
    assert not methods("node-redis", "BLPOP", "3.1.2")
    assert load_commands()["BLPOP"].raw_wait == "last"


@pytest.mark.parametrize(
    ("of", "index"),
    [("redis.RedisClientType", 0), ("redis.RedisClusterType", 2), ("redis.RedisSentinelType", 1)],
)
def test_where_send_command_takes_its_words(of: str, index: int) -> None:
    (found,) = methods("node-redis", "sendCommand", "6.3.1", of)
    assert found.raw_index == index


def test_a_script_in_an_object_literal() -> None:
    assert constructor("node-redis", "redis.defineScript").script_path == "SCRIPT"
    assert constructor("node-redis", "redis.createClient").script_path == "scripts.*.SCRIPT"
    assert constructor("ioredis", "ioredis").script_path == "scripts.*.lua"
    (found,) = methods("ioredis", "defineCommand", "5.11.1")
    assert found.script_path == "lua"


def test_a_duplicate_is_another_connection() -> None:
    for name, of in (
        ("node-redis", "redis.RedisClientType"),
        ("ioredis", "ioredis.Redis"),
        ("ioredis", "ioredis.Cluster"),
    ):
        (found,) = methods(name, "duplicate", library(name).library.versions[-1], of)
        assert found.own_pool
        assert found.returns == of


@pytest.mark.parametrize("version", ["0.12.1", "3.1.2", "4.7.1", "6.3.1"])
def test_multi_is_a_transaction_by_default(version: str) -> None:
    assert pipeline("node-redis", "multi", version).transaction_default


def test_batches_without_a_transaction() -> None:
    assert not pipeline("node-redis", "batch", "3.1.2").transaction_default
    assert not pipeline("ioredis", "pipeline", "6.0.0").transaction_default
    modern = pipeline("node-redis", "multi", "5.12.1")
    assert "execAsPipeline" in modern.execute_plain
    assert "execTyped" in modern.execute
    assert modern.plain_index == 0
    assert modern.advice == "`execAsPipeline()`"
    assert pipeline("node-redis", "multi", "3.1.2").advice == "`batch()`"


def test_commands_as_data() -> None:
    assert pipeline("node-redis", "multi", "3.1.2").data_index == 0
    assert pipeline("node-redis", "multi", "4.7.1").data_index == -1
    assert pipeline("ioredis", "pipeline", "5.11.1").data_index == 0


def test_the_numbers_of_the_scoped_package_are_told_apart() -> None:
    found = {(one.distribution, one.at): one.version for one in library("node-redis").library.renumbered}
    assert found["@redis/client", "1.6.0"] == "4.7.0"
    assert found["@redis/client", "5.0.0"] == ""
    assert set(filter(None, found.values())) <= set(library("node-redis").library.versions)


# -- ioredis -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dotted", ["ioredis", "ioredis.Redis", "ioredis.createClient"])
def test_a_client_of_ioredis(dotted: str) -> None:
    made = constructor("ioredis", dotted)
    assert made.own_pool
    assert made.makes == "ioredis.Redis"
    assert type_of("ioredis", "ioredis").kind == "client"


@pytest.mark.parametrize("dotted", ["ioredis.Cluster", "ioredis.Redis.Cluster"])
def test_a_cluster_of_ioredis(dotted: str) -> None:
    assert constructor("ioredis", dotted).makes == "ioredis.Cluster"
    assert "redisOptions.commandTimeout" in options("ioredis", dotted, "read_timeout", "6.0.0")


def test_ioredis_takes_words_and_callbacks() -> None:
    section = library("ioredis").library
    assert section.words
    assert section.callbacks
    assert "Buffer" in section.suffixes


@pytest.mark.parametrize(
    ("version", "names"),
    [
        ("4.24.6", set()),
        ("4.25.0", {"commandTimeout"}),
        ("5.3.2", {"commandTimeout"}),
        ("5.4.0", {"commandTimeout", "socketTimeout"}),
    ],
)
def test_what_cuts_commands_of_ioredis_and_is_off_by_default(version: str, names: set[str]) -> None:
    found = options("ioredis", "ioredis", "read_timeout", version)
    assert set(found) == names
    assert all(one.default == "none" for one in found.values())
    assert library("ioredis").library.blocking_uses_read_timeout


@pytest.mark.parametrize(
    ("version", "growth"), [("4.28.5", "exponential"), ("5.11.1", "exponential"), ("6.0.0", "exponential+jitter")]
)
def test_reconnecting_of_ioredis(version: str, growth: str) -> None:
    assert options("ioredis", "ioredis", "retry_delay", version)["retryStrategy"].default == growth


def test_multi_of_ioredis_may_switch_the_client() -> None:
    found = pipeline("ioredis", "multi", "5.11.1")
    assert found.transaction_default
    assert found.modal_parameter == "pipeline"
    assert found.advice == "`pipeline()`"


@pytest.mark.parametrize("label", ["call", "callBuffer", "send_command"])
def test_any_command_by_its_words(label: str) -> None:
    (found,) = methods("ioredis", label, "6.0.0")
    assert found.raw_index == 0


def test_a_service_hands_out_a_client_that_it_did_not_make_now() -> None:
    (found,) = methods("ioredis", "getOrThrow", "5.11.1", "nestjs-redis.RedisService")
    assert type_of("ioredis", "@liaoliaots/nestjs-redis.RedisService").kind == "other"
    assert found.returns == "ioredis.Redis"
    assert not found.own_pool


# -- roles -------------------------------------------------------------------------------------------------


def test_typescript_has_the_roles_of_javascript() -> None:
    assert load_roles("typescript") == load_roles("javascript") or load_roles("typescript").inherits == "javascript"
    assert load_roles("typescript").role == load_roles("javascript").role
    assert load_roles("typescript").words.constructor == "constructor"


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("express.get", "handler"),
        ("express.Router.post", "handler"),
        ("express.Router.route.put", "handler"),
        ("fastify.get", "handler"),
        ("fastify.FastifyInstance.route", "handler"),
        ("koa.use", "handler"),
        ("@koa/router.get", "handler"),
        ("@hapi/hapi.server.route", "handler"),
        ("http.createServer", "handler"),
        ("node:http.createServer", "handler"),
        ("bull.process", "task"),
        ("bullmq.Worker", "task"),
        ("node-cron.schedule", "task"),
        ("kafkajs.Kafka.consumer.run", "message"),
        ("amqplib.connect.createChannel.consume", "message"),
        ("socket.io.Server.on", "message"),
        ("fastify.register", "startup"),
        ("express.listen", "startup"),
        ("describe", "test"),
        ("beforeEach", "test"),
        ("vitest.it", "test"),
        ("node:test", "test"),
    ],
)
def test_who_is_handed_a_function_gives_it_a_role(name: str, role: str) -> None:
    assert roles(registrars=name) == {role}


def test_the_hook_or_event_decides() -> None:
    assert roles(registrars="fastify.addHook", events="onRequest") == {"handler"}
    assert roles(registrars="fastify.addHook", events="onClose") == {"startup"}
    assert roles(registrars="process.on", events="SIGTERM") == {"startup"}
    assert roles(registrars="ioredis.Redis.on", events="message") == {"message"}
    assert not roles(registrars="ioredis.Redis.on", events="error")


def test_functions_in_object_literals() -> None:
    assert roles(registrars="kafkajs.Kafka.consumer.run", keys="eachMessage") == {"message"}
    assert roles(registrars="fastify.route", keys="preHandler") == {"handler"}
    assert roles(beside="provide", keys="useFactory") == {"provider"}


def test_exported_functions_count_where_a_framework_looks_for_them() -> None:
    (route,) = (one for one in patterns(exports="GET") if "**/app/**/route.ts" in one.paths)
    assert route.role == "handler"
    (function,) = patterns(exports="handler", first_parameter="event")
    assert (function.role, function.paths) == ("handler", ())
    for pattern in load_roles("javascript").role:
        assert not pattern.exports or pattern.paths or pattern.first_parameter


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("@nestjs/common.Get", "handler"),
        ("@nestjs/graphql.Mutation", "handler"),
        ("@nestjs/microservices.EventPattern", "message"),
        ("@nestjs/websockets.SubscribeMessage", "message"),
        ("@nestjs/schedule.Cron", "task"),
        ("@nestjs/bull.Process", "task"),
    ],
)
def test_decorators_of_nest(name: str, role: str) -> None:
    assert roles(decorators=name) == {role}


def test_objects_of_nest_live_as_long_as_the_process() -> None:
    assert "@nestjs/common.Injectable" in load_roles("typescript").singletons
    assert roles(class_decorators="@nestjs/common.Injectable", methods="onModuleInit") == {"startup"}
    assert roles(bases="@nestjs/common.CanActivate", methods="canActivate") == {"handler"}


def test_what_a_handler_receives_comes_from_outside() -> None:
    known = {*load_roles("javascript").request_data, *load_roles("javascript").request_scoped}
    (express,) = patterns(registrars="express.get")
    assert express.gives[0] == "express.Request"
    assert express.gives[0] in load_roles("javascript").request_data
    for pattern in load_roles("javascript").role:
        if pattern.role == "handler":
            assert {one for one in pattern.gives if one} <= {*known, "net.Socket"}, pattern.gives


# -- tables ------------------------------------------------------------------------------------------------


def test_words_of_the_language() -> None:
    found = load_roles("javascript").words
    assert found.resolver == "path"
    assert found.explicit_exports
    assert not found.arity_checked
    assert found.default_export == "default"
    assert found.base == ""
    assert {"call", "apply"} == set(found.function_methods)
    assert {"forEach", "map", "filter", "reduce"} <= set(found.element_callbacks)
    assert "then" in found.thenables


def test_time_and_chance() -> None:
    found = load_roles("javascript")
    assert found.deferred["setTimeout"] == 1
    assert found.delays["timers/promises.setTimeout"] == "ms"
    assert found.delays["node:timers/promises.setTimeout"] == "ms"
    assert "setTimeout" not in found.delays
    assert "Math.random" in found.random
    assert "lodash.once" in found.memoised
    assert "process.env" in found.configuration
    assert "node:fs/promises.readFile" in found.file_text


@pytest.mark.parametrize(
    ("name", "growth", "jitter"),
    [
        ("async-retry", "exponential", True),
        ("p-retry", "exponential", False),
        ("promise-retry", "exponential", False),
        ("ts-retry-promise.retry", "constant", False),
        ("exponential-backoff.backOff", "exponential", False),
        ("async.retry", "none", False),
    ],
)
def test_functions_that_retry(name: str, growth: str, jitter: bool) -> None:
    found = retry_function(name)
    assert (found.growth, found.jitter) == (growth, jitter)
    assert found.retries or found.attempts


# -- Upstash, and what frameworks make --------------------------------------------------------------------------------


def test_a_client_of_upstash_opens_nothing_and_its_batches_are_transactions_or_not() -> None:
    made = constructor("upstash-node", "@upstash/redis.Redis.fromEnv")
    assert (made.makes, made.own_pool, made.connects) == ("@upstash/redis.Redis", False, False)
    assert constructor("upstash-node", "@vercel/kv.createClient") is made
    assert type_of("upstash-node", "@vercel/kv.VercelKV").objects == ("@vercel/kv.kv",)
    newest = library("upstash-node").library.versions[-1]
    assert not pipeline("upstash-node", "pipeline", newest).transaction_default
    assert pipeline("upstash-node", "multi", newest).transaction_default
    (backoff,) = options("upstash-node", "@upstash/redis.Redis", "retry_delay", newest).values()
    assert (backoff.name, backoff.default, backoff.unit) == ("retry.backoff", "exponential", "ms")


def test_the_plugin_of_fastify_keeps_its_client_on_the_server() -> None:
    plugin = constructor("ioredis", "@fastify/redis")
    assert plugin.plugs is not None
    assert (plugin.plugs.method, plugin.plugs.member, plugin.plugs.ready) == ("register", "redis", "client")
    assert type_of("ioredis", plugin.makes).elements == "ioredis.Redis"


def test_the_client_of_bun_is_one_connection_that_is_also_there_by_itself() -> None:
    made = constructor("bun", "bun.RedisClient")
    assert (made.makes, made.own_pool) == ("bun.RedisClient", True)
    assert type_of("bun", "Bun.RedisClient").objects == ("bun.redis", "Bun.redis")
