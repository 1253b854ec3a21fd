"""The knowledge below ``rules/``: it loads, its references lead somewhere, and mistakes are told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from resplint.contracts.errors import KnowledgeError
from resplint.files.globs import pattern_list
from resplint.knowledge import files
from resplint.knowledge.load import (
    fixtures_dir,
    load_commands,
    load_libraries,
    load_roles,
    rules_dir,
    version_in,
)
from resplint.knowledge.records.batch_records import PipelineModel
from resplint.knowledge.records.client_records import ClientLibrary, MethodModel, OptionModel, WaitModel

LIBRARIES = ("aioredis", "coredis", "django-redis", "redis-py", "redis-py-cluster", "valkey-py")
WORDS_OF_COUPLING = {
    "EXPIRE": "expire",
    "LTRIM": "trim",
    "INCR": "counter",
    "PUBLISH": "publish",
    "ZREM": "remove",
}
ROLES = {"handler", "task", "message", "startup", "main", "test", "provider", "thread", "submitted"}


def option(library: str, constructor: str, role: str, version: str) -> OptionModel | None:
    """The option with a role that a constructor has in one version."""
    model = load_libraries()[library]
    assert version in model.library.versions
    (options,) = {made.options for made in model.constructor if constructor in made.names}
    found = [each for each in model.option_set[options] if each.role == role and version_in(version, each.versions)]
    assert len(found) <= 1, f"{library} {version}: {options} has {role} twice"
    return found[0] if found else None


def method(library: str, name: str, version: str, kind: str = "client") -> MethodModel:
    """The one method of that name in one version."""
    (found,) = (
        each
        for each in load_libraries()[library].method
        if name in each.names and kind in each.on and version_in(version, each.versions)
    )
    return found


def pipeline(library: str, name: str, version: str, kind: str = "client") -> PipelineModel:
    """The one way to start a batch by that name in one version."""
    (found,) = (
        each
        for each in load_libraries()[library].pipeline
        if name == each.method and kind in each.on and version_in(version, each.versions)
    )
    return found


def wait(library: str, name: str, version: str) -> WaitModel:
    """How long a blocking method waits in one version."""
    found = method(library, name, version).wait
    assert found is not None
    return found


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """A copy of the rules that a test may spoil."""
    copy = tmp_path / "rules"
    shutil.copytree(rules_dir(), copy)
    return copy


def spoil(rules: Path, name: str, old: str, new: str) -> None:
    """Replace the first `old` of a file, which must be there."""
    path = rules / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


# -- everything loads --------------------------------------------------------------------------------------


def test_all_libraries_load() -> None:
    assert set(LIBRARIES) <= set(load_libraries())


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_dotted_name_means_one_thing(name: str) -> None:
    library = load_libraries()[name]
    for names in (
        [path for made in library.constructor for path in made.names],
        [path for model in library.type for path in (model.name, *model.also)],
        [path for model in library.retry for path in model.names],
    ):
        assert len(names) == len(set(names))


@pytest.mark.parametrize("name", LIBRARIES)
def test_at_most_one_method_and_pipeline_holds_in_a_version(name: str) -> None:
    library = load_libraries()[name]
    for version in library.library.versions:
        methods = [
            (label, kind, each.of)
            for each in library.method
            if version_in(version, each.versions)
            for label in each.names
            for kind in each.on
        ]
        batches = [
            (each.method, kind) for each in library.pipeline if version_in(version, each.versions) for kind in each.on
        ]
        assert len(methods) == len(set(methods))
        assert len(batches) == len(set(batches))


@pytest.mark.parametrize("name", LIBRARIES)
def test_at_most_one_option_holds_in_a_version(name: str) -> None:
    library = load_libraries()[name]
    for version in library.library.versions:
        for options in library.option_set.values():
            valid = [each for each in options if version_in(version, each.versions)]
            assert len({each.name for each in valid}) == len(valid)
            for each in valid:
                assert sum(version_in(version, at.versions) for at in each.positional) <= 1


@pytest.mark.parametrize("name", LIBRARIES)
def test_names_of_a_library_begin_with_one_of_its_imports(name: str) -> None:
    library = load_libraries()[name]
    for made in library.constructor:
        if not made.settings:  # otherwise a framework may be what is asked
            assert {path.split(".")[0] for path in made.names} <= set(library.library.imports)


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_cited_is_cited_with_package_version_and_place(name: str) -> None:
    library = load_libraries()[name]
    models = (*library.constructor, *library.retry, *library.pipeline)
    for model in models:
        for source in filter(None, model.source.split("; ")):
            assert len(source.split()) == 3, source


@pytest.mark.parametrize("name", LIBRARIES)
def test_the_command_of_every_method_is_known(name: str) -> None:
    library = load_libraries()[name]
    sent = {each.command for each in library.method if each.command}
    assert sent <= set(load_commands())


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_method_that_waits_sends_a_blocking_command(name: str) -> None:
    for each in load_libraries()[name].method:
        if each.command:
            assert bool(load_commands()[each.command].raw_wait) == (each.wait is not None), each.names


# -- what a user would notice ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("library", "constructor", "version", "timeout"),
    [
        ("redis-py", "redis.Redis", "7.4.1", "none"),
        ("redis-py", "redis.Redis", "8.0.1", 5),
        ("redis-py", "redis.asyncio.Redis", "7.4.1", "none"),
        ("redis-py", "redis.asyncio.Redis", "8.1.0", 5),
        ("valkey-py", "valkey.Valkey", "6.0.2", "none"),
        ("valkey-py", "valkey.Valkey", "6.2.0", "none"),
        ("valkey-py", "valkey.Redis", "6.2.0", "none"),
        ("valkey-py", "valkey.from_url", "6.0.2", "none"),
        ("valkey-py", "valkey.from_url", "6.1.0", 5),
        ("valkey-py", "valkey.ConnectionPool", "6.2.0", 5),
        ("valkey-py", "valkey.asyncio.Valkey", "6.2.0", 5),
        ("valkey-py", "valkey.ValkeyCluster", "6.2.0", "none"),
        ("valkey-py", "valkey.ValkeyCluster.from_url", "6.2.0", 5),
        ("valkey-py", "valkey.asyncio.ValkeyCluster", "6.2.0", 5),
        ("aioredis", "aioredis.from_url", "2.0.1", "none"),
        ("coredis", "coredis.Redis", "6.9.0", "none"),
        ("redis-py-cluster", "rediscluster.RedisCluster", "2.1.3", "none"),
    ],
)
def test_read_timeout_when_none_is_set(library: str, constructor: str, version: str, timeout: str | int) -> None:
    found = option(library, constructor, "read_timeout", version)
    assert found is not None
    assert found.default == timeout


def test_aioredis_1_has_no_read_timeout() -> None:
    assert option("aioredis", "aioredis.create_redis_pool", "read_timeout", "1.3.1") is None


@pytest.mark.parametrize(
    ("library", "constructor", "version", "bound"),
    [
        ("redis-py", "redis.ConnectionPool", "7.4.1", "unbounded"),
        ("redis-py", "redis.ConnectionPool", "8.1.0", 100),
        ("redis-py", "redis.BlockingConnectionPool", "5.0.8", 50),
        ("valkey-py", "valkey.Valkey", "6.2.0", "unbounded"),
        ("valkey-py", "valkey.BlockingConnectionPool", "6.2.0", 50),
        ("aioredis", "aioredis.create_redis_pool", "1.3.1", 10),
        ("aioredis", "aioredis.Redis", "2.0.1", "unbounded"),
        ("coredis", "coredis.Redis", "5.6.0", "unbounded"),
        ("coredis", "coredis.Redis", "6.9.0", 64),
        ("coredis", "coredis.RedisCluster", "6.9.0", 32),
        ("redis-py-cluster", "rediscluster.RedisCluster", "2.1.3", "unbounded"),
    ],
)
def test_bound_of_the_pool_when_none_is_set(library: str, constructor: str, version: str, bound: str | int) -> None:
    found = option(library, constructor, "pool_max", version)
    assert found is not None
    assert found.default == bound


def test_one_connection_of_aioredis_1() -> None:
    single = option("aioredis", "aioredis.create_redis", "single_connection", "1.3.1")
    assert single is not None
    assert single.default is True


def test_a_stream_read_of_aioredis_1_blocks_for_ever_and_that_of_2_not_at_all() -> None:
    assert wait("aioredis", "xread", "1.3.1").default == 0
    assert wait("aioredis", "xread", "1.3.1").none_means == "none"
    assert wait("aioredis", "xread", "2.0.1").default == "none"


def test_timeouts_of_aioredis_1_are_keyword_only() -> None:
    assert wait("aioredis", "blpop", "1.3.1").index == -100
    assert wait("aioredis", "blpop", "2.0.1").index == 1


@pytest.mark.parametrize(
    ("library", "name", "version", "kind", "transaction"),
    [
        ("redis-py", "pipeline", "8.1.0", "client", True),
        ("redis-py", "pipeline", "8.1.0", "cluster", False),
        ("valkey-py", "pipeline", "6.2.0", "client", True),
        ("aioredis", "pipeline", "1.3.1", "client", False),
        ("aioredis", "multi_exec", "1.3.1", "client", True),
        ("aioredis", "pipeline", "2.0.1", "client", True),
        ("coredis", "pipeline", "6.9.0", "cluster", False),
        ("redis-py-cluster", "pipeline", "2.1.3", "cluster", False),
    ],
)
def test_transaction_when_nothing_is_said(library: str, name: str, version: str, kind: str, transaction: bool) -> None:
    assert pipeline(library, name, version, kind).transaction_default is transaction


def test_django_redis_hands_out_the_client_of_redis_py() -> None:
    library = load_libraries()["django-redis"]
    (made,) = (each for each in library.constructor if "django_redis.get_redis_connection" in each.names)
    assert (made.makes, made.shared, made.settings, made.alias_index) == ("redis.Redis", True, "CACHES", 0)
    (settings,) = (each for each in library.settings if "django_redis.cache.RedisCache" in each.backends)
    assert settings.keys["SOCKET_TIMEOUT"] == "socket_timeout"
    assert settings.pool_options_key == "CONNECTION_POOL_KWARGS"


# -- inheritance -------------------------------------------------------------------------------------------


def test_a_fork_has_the_methods_of_its_parent_and_its_own_types() -> None:
    assert wait("valkey-py", "blpop", "6.2.0").unit == "s"
    assert method("valkey-py", "eval", "6.2.0").script_index == 0
    assert method("valkey-py", "register_script", "6.2.0").returns == "valkey.commands.core.Script"
    assert pipeline("valkey-py", "pipeline", "6.2.0").makes == "valkey.client.Pipeline"
    library = load_libraries()["valkey-py"]
    assert not any(model.name.startswith("redis.") for model in library.type)
    assert {name.split(".")[0] for model in library.retry for name in model.names} == {"valkey"}


def test_nothing_is_inherited_for_kinds_of_objects_that_a_library_lacks() -> None:
    library = load_libraries()["redis-py-cluster"]
    assert not any("master_for" in each.names for each in library.method)
    assert method("redis-py-cluster", "blpop", "2.1.3", "cluster").command == "BLPOP"


def test_an_inherited_range_of_versions_is_that_of_the_parent(rules: Path) -> None:
    ranged = '[[method]]\nnames = ["old"]\nversions = "<4"\n\n[[method]]\nnames = ["new"]\nversions = ">=8"\n\n'
    spoil(rules, "clients/redis-py.toml", "[[method]]\n", f"{ranged}[[method]]\n")
    names = {name: each for each in load_libraries(rules)["valkey-py"].method for name in each.names}
    assert "old" not in names
    assert names["new"].versions == ""


# -- commands and roles ------------------------------------------------------------------------------------


def test_commands_are_named_in_upper_case() -> None:
    for name in load_commands():
        assert name == name.upper()
        assert name == " ".join(name.split())


def test_spot_checks_of_commands() -> None:
    commands = load_commands()
    assert {name for name, model in commands.items() if model.whole_hash} == {"HGETALL", "HKEYS", "HVALS"}
    assert {name: commands[name].couples for name in WORDS_OF_COUPLING} == WORDS_OF_COUPLING
    assert (commands["HSET"].hash_write, commands["HMSET"].hash_write) == ("pairs", "mapping")
    assert (commands["EVAL"].access, commands["EVAL"].key) == ("write", -1)
    assert commands["EVAL_RO"].access == "read"
    assert commands["BITOP"].key == 1
    assert {name for name, model in commands.items() if model.raw_wait} == {
        *("BLPOP", "BRPOP", "BRPOPLPUSH", "BLMOVE", "BLMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP"),
        *("XREAD", "XREADGROUP", "WAIT", "WAITAOF"),
    }


def test_the_unit_of_a_wait() -> None:
    for name, model in load_commands().items():
        assert (model.raw_wait_unit == "ms") == (name in ("XREAD", "XREADGROUP", "WAIT", "WAITAOF"))


def test_roles_use_known_words() -> None:
    roles = load_roles("python")
    assert {pattern.role for pattern in roles.role} == ROLES
    assert set(roles.delays.values()) <= {"s", "ms"}
    assert {growth.removesuffix("+jitter") for growth in roles.waits.values()} <= {
        *("none", "constant", "exponential"),
    }
    assert set(roles.text_functions.values()) == {"join", "format", "substitute", "same", "dedent"}


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("middleware.ts", True),
        ("web/src/middleware.ts", True),
        ("web/lib/middleware.ts", False),
        ("app/orders/[id]/route.ts", True),
        ("app/route.ts/helper.ts", False),
        ("web/pages/api/orders/size.ts", True),
    ],
)
def test_a_place_that_a_framework_knows_tells_a_handler(path: str, told: bool) -> None:
    patterns = [one.paths for one in load_roles("typescript").role if one.role == "handler" and one.exports]
    assert told == any(pattern_list(paths).verdict(path, folder=False) for paths in patterns if paths)


def test_a_decorator_has_one_role_within_a_language() -> None:
    """But for functions of certain names, which another pattern takes out."""
    seen: dict[tuple[str, str], str] = {}
    for pattern in load_roles("python").role:
        for name in pattern.decorators:
            for method in pattern.methods or ("",):
                assert seen.setdefault((name, method), pattern.role) == pattern.role, name


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("flask.Flask.route", "handler"),
        ("fastapi.APIRouter.post", "handler"),
        ("celery.shared_task", "task"),
        ("celery.signals.worker_process_init.connect", "startup"),
        ("click.command", "main"),
        ("pytest.fixture", "test"),
    ],
)
def test_role_of_a_decorator(name: str, role: str) -> None:
    assert {pattern.role for pattern in load_roles("python").role if name in pattern.decorators} == {role}


# -- mistakes in the files ---------------------------------------------------------------------------------


def told(rules: Path) -> str:
    """The message that loading the spoilt libraries gives."""
    with pytest.raises(KnowledgeError) as caught:
        load_libraries(rules)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_a_misspelt_key_is_told_with_file_and_place(rules: Path) -> None:
    spoil(rules, "clients/coredis.toml", 'role = "read_timeout"', 'roll = "read_timeout"')
    message = told(rules)
    assert str(rules / "clients" / "coredis.toml") in message
    assert "`roll`" in message
    assert "option_set" in message


def test_broken_toml_is_told_with_line_and_column(rules: Path) -> None:
    spoil(rules, "clients/coredis.toml", '[library]\nname = "coredis"', '[library]\nname = coredis"')
    assert ":5:" in told(rules)


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [
        ("coredis", 'makes = "coredis.Redis"', 'makes = "coredis.Reddis"', "'coredis.Reddis'"),
        ("coredis", 'options = "client"', 'options = "clients"', "'clients'"),
        ("coredis", 'returns = "coredis.Redis"', 'returns = "coredis.R"', "'coredis.R'"),
        ("coredis", 'makes = "coredis.pipeline.Pipeline"', 'makes = "x.P"', "'x.P'"),
        ("coredis", 'versions = "<6.0"', 'versions = "before 6"', "'before 6'"),
        ("coredis", '"4.24.0", "5.6.0"', '"5.6.0", "4.24.0"', "oldest first"),
        ("coredis", 'name = "coredis"', 'name = "core"', "the file name says"),
        ("aioredis", 'inherits = "redis-py"', 'inherits = "redispy"', "'redispy'"),
        ("aioredis", 'inherits = "redis-py"', 'inherits = "aioredis"', "circle"),
        ("django-redis", 'version_owner = "redis-py"', 'version_owner = "redispy"', "'redispy'"),
        ("django-redis", 'settings = "CACHES"', 'settings = "CACHE"', "'CACHE'"),
        ("django-redis", "ConnectionPool.from_url", "Pool.from_url", "Pool.from_url"),
    ],
)
def test_a_reference_that_leads_nowhere(rules: Path, file: str, old: str, new: str, expected: str) -> None:
    spoil(rules, f"clients/{file}.toml", old, new)
    message = told(rules)
    assert f"{file}.toml" in message
    assert expected in message


def test_missing_files_are_told(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=r"commands\.toml: cannot be read"):
        load_commands(tmp_path)
    with pytest.raises(KnowledgeError, match=r"profile\.toml: cannot be read"):
        load_roles("cobol", tmp_path)
    with pytest.raises(KnowledgeError, match="no client library"):
        load_libraries(tmp_path)


# -- versions and places -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "specifier", "inside"),
    [
        ("7.4.1", "<8.0.0", True),
        ("8.0.0", "<8.0.0", False),
        ("8.0.0b1", ">=7", True),
        ("8.1.0", "", True),
        ("6.3.2.RELEASE", ">=6,<7", True),
        ("v1.2", ">=1", True),
        ("latest", ">=1", False),
        ("latest", "", True),
    ],
)
def test_version_in(version: str, specifier: str, inside: bool) -> None:
    assert version_in(version, specifier) is inside


def test_the_folders_of_an_installed_wheel_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "src" / "resplint"
    (tmp_path / "rules").mkdir()
    (package / "_fixtures").mkdir(parents=True)
    monkeypatch.setattr(files, "PACKAGE", package)
    rules_dir.cache_clear()
    fixtures_dir.cache_clear()
    try:
        assert rules_dir() == tmp_path / "rules"
        assert fixtures_dir() == package / "_fixtures"
        (tmp_path / "rules").rmdir()
        rules_dir.cache_clear()
        with pytest.raises(KnowledgeError, match="installation is incomplete"):
            rules_dir()
    finally:
        rules_dir.cache_clear()
        fixtures_dir.cache_clear()


def test_libraries_are_plain_records() -> None:
    assert all(isinstance(library, ClientLibrary) for library in load_libraries().values())
