"""`resplint clients`: every client of a project, how it is configured and who uses it."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from resplint.cli.app import cli

SHOP = {
    "requirements.txt": "redis==5.0.8\n",
    "shop/__init__.py": "",
    "shop/clients.py": """
import os
import redis
from redis.backoff import ExponentialBackoff
from redis.retry import Retry

POOL = redis.ConnectionPool(host="cache", max_connections=20, socket_timeout=2.5)
cache = redis.Redis(connection_pool=POOL)
jobs = redis.Redis(
    host="jobs",
    socket_timeout=float(os.environ["JOBS_TIMEOUT"]),
    retry=Retry(ExponentialBackoff(cap=8), 5),
)


def fresh():
    return redis.Redis()
""",
    "shop/basket.py": """
from shop.clients import cache, jobs


def add(basket, item):
    cache.hset(basket, item, 1)
    cache.expire(basket, 3600)
    with cache.pipeline(transaction=False) as pipe:
        pipe.hgetall(basket)
        pipe.hlen(basket)
        pipe.execute()


def work():
    return jobs.blpop("orders", timeout=5)
""",
    "shop/views.py": """
from flask import Flask
from shop.clients import fresh

app = Flask(__name__)


@app.get("/stock/<sku>")
def stock(sku):
    return fresh().get(sku)
""",
}


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["clients", *map(str, arguments)])


def inventory(root: Path) -> dict[str, Any]:
    result = run(root, "--format", "json")
    assert result.exit_code == 0, result.output
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def clients(root: Path) -> dict[str, Any]:
    """The clients by the line they are made on ("" for those that are provided)."""
    return {
        f"{one['place']['path']}:{one['place']['line']}" if one["place"] else "": one
        for one in inventory(root)["clients"]
    }


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("shop"), SHOP)


def test_every_client_is_listed_where_it_is_made(shop: Path) -> None:
    found = clients(shop)
    assert list(found) == ["shop/clients.py:7", "shop/clients.py:8", "shop/clients.py:9", "shop/clients.py:17"]
    assert [one["kind"] for one in found.values()] == ["pool", "client", "client", "client"]
    assert {one["library"]["version"] for one in found.values()} == {"5.0.8"}
    assert found["shop/clients.py:7"]["library"]["phrase"] == "redis-py 5.0.8 (pinned in requirements.txt)"


def test_bounds_timeouts_and_retries_say_where_they_come_from(shop: Path) -> None:
    found = clients(shop)
    here = {"path": "shop/clients.py", "line": 7}
    assert found["shop/clients.py:7"]["pool"] == [
        {"option": "max_connections", "text": "20", "value": 20, "origin": "code", "place": here}
    ]
    assert found["shop/clients.py:7"]["timeouts"][0]["text"] == "2.5 s"
    assert found["shop/clients.py:7"]["timeouts"][0]["value"] == 2.5
    jobs = found["shop/clients.py:9"]
    assert jobs["pool"][0] | {"place": None} == {
        "option": "max_connections", "text": "unlimited", "value": None, "origin": "default", "place": None,
    }  # fmt: skip
    assert jobs["timeouts"][0]["text"] == 'float(os.environ["JOBS_TIMEOUT"])'
    assert jobs["timeouts"][0]["value"] is None
    assert jobs["retry"][0]["text"] == "Retry(ExponentialBackoff(cap=8), 5)"
    assert jobs["retry"][0]["place"] == {"path": "shop/clients.py", "line": 12}


@pytest.mark.parametrize(
    ("version", "made", "expected"),
    [
        ("5.0.8", "redis.Redis()", ["none"]),
        ("6.4.0", "redis.Redis()", ["Retry(ExponentialWithJitterBackoff(base=1, cap=10), 3)"]),
        ("8.1.0", "redis.Redis()", ["Retry(ExponentialWithJitterBackoff(base=0.01, cap=1), 10)"]),
        ("8.1.0", "redis.RedisCluster(host='a')", ["10 attempts without delay"]),
        # A pool does not retry in any version; what from_url and its like do depends on more than the model knows.
        ("8.1.0", "redis.Redis(connection_pool=redis.ConnectionPool())", ["none"]),
        ("8.1.0", "redis.from_url('redis://a')", []),
    ],
)
def test_retries_are_those_of_the_version(tmp_path: Path, version: str, made: str, expected: list[str]) -> None:
    write(tmp_path, {"requirements.txt": f"redis=={version}\n", "app.py": f"import redis\n\nclient = {made}\n"})
    found = [one for one in inventory(tmp_path)["clients"] if one["kind"] != "pool"]
    assert [each["text"] for one in found for each in one["retry"]] == expected


def test_a_shared_pool_is_shown_on_both_sides(shop: Path) -> None:
    found = clients(shop)
    assert found["shop/clients.py:8"]["shares"] == {"path": "shop/clients.py", "line": 7}
    assert found["shop/clients.py:8"]["pool"] == []
    assert found["shop/clients.py:8"]["timeouts"][0]["text"] == "2.5 s"
    assert found["shop/clients.py:7"]["shared_by"] == [{"path": "shop/clients.py", "line": 8}]


def test_call_sites_are_counted_by_command_and_file(shop: Path) -> None:
    found = clients(shop)
    cache = found["shop/clients.py:8"]
    assert cache["call_sites"] == 4
    assert cache["commands"] == {"EXPIRE": 1, "HGETALL": 1, "HLEN": 1, "HSET": 1}
    assert cache["users"] == [{"path": "shop/basket.py", "call_sites": 4, "symbols": ["add"]}]
    assert found["shop/clients.py:9"]["commands"] == {"BLPOP": 1}
    assert inventory(shop)["counts"] == {"call_sites": 6, "files": 2}


def places(entry: dict[str, Any]) -> list[tuple[str, int, int, str | None, str]]:
    """The sites of a client as (path, line, column, command, grade)."""
    return [(one["path"], one["line"], one["column"], one["command"], one["grade"]) for one in entry["sites"]]


def test_every_call_site_is_listed_at_the_name_of_what_is_called(shop: Path) -> None:
    found = clients(shop)
    assert places(found["shop/clients.py:8"]) == [
        ("shop/basket.py", 6, 11, "HSET", "exact"),
        ("shop/basket.py", 7, 11, "EXPIRE", "exact"),
        ("shop/basket.py", 8, 16, None, "exact"),  # the pipeline is made here
        ("shop/basket.py", 9, 14, "HGETALL", "exact"),
        ("shop/basket.py", 10, 14, "HLEN", "exact"),
    ]
    assert places(found["shop/clients.py:17"]) == [("shop/views.py", 10, 20, "GET", "exact")]
    assert found["shop/clients.py:7"]["sites"] == []


def test_the_calls_of_a_chain_have_places_of_their_own(tmp_path: Path) -> None:
    code = """import Redis from "ioredis";

const redis = new Redis();

export async function close(lot) {
  await redis
    .multi()
    .hset("lot:" + lot, "open", "0").zrem("lots", lot)
    .exec();
  /* \N{PUBLIC ADDRESS LOUDSPEAKER} */ await redis.publish("lots", lot);
}
"""
    (entry,) = inventory(write(tmp_path, {"lots.mjs": code}))["clients"]
    assert places(entry) == [
        ("lots.mjs", 7, 6, "MULTI", "exact"),
        ("lots.mjs", 8, 6, "HSET", "exact"),
        ("lots.mjs", 8, 38, "ZREM", "exact"),
        ("lots.mjs", 9, 6, None, "exact"),
        ("lots.mjs", 10, 24, "PUBLISH", "exact"),  # the loudspeaker is two code units
    ]


def test_what_is_known_by_its_type_alone_is_marked(tmp_path: Path) -> None:
    code = """
import redis


class Ledger:
    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def book(self, account: str, amount: int) -> None:
        self.store.incrby(account, amount)


class Vault(redis.Redis):
    def seal(self) -> None:
        self.set("sealed", 1)
"""
    found = inventory(write(tmp_path, {"ledger.py": code}))["clients"]
    assert [one["place"] for one in found] == [None]
    assert places(found[0]) == [
        ("ledger.py", 10, 20, "INCRBY", "declared"),
        ("ledger.py", 15, 14, "SET", "declared"),
    ]


def test_a_call_that_may_go_to_either_client_is_listed_under_both(tmp_path: Path) -> None:
    code = """
import os

import redis

main = redis.Redis(host="main")
spare = redis.Redis(host="spare")
store = main if os.environ.get("MAIN") else spare
store.get("greeting")
"""
    found = clients(write(tmp_path, {"either.py": code}))
    assert [places(one) for one in found.values()] == [[("either.py", 9, 7, "GET", "exact")]] * 2


def test_how_often_a_client_is_made(shop: Path) -> None:
    found = clients(shop)
    assert found["shop/clients.py:9"]["made"]["kind"] == "once"
    assert found["shop/clients.py:17"]["made"] == {
        "kind": "operation",
        "why": "every call of the request handler `stock`",
    }


def test_the_text_shows_the_same(shop: Path) -> None:
    lines = [line.strip() for line in run(shop).stdout.splitlines()]
    assert "shop/clients.py:7  redis.ConnectionPool  (pool)" in lines
    assert "pool      max_connections 20" in lines
    assert "shared by shop/clients.py:8" in lines
    assert "pool      that of shop/clients.py:7" in lines
    assert "retry     retry Retry(ExponentialBackoff(cap=8), 5) (line 12)" in lines
    assert "used by   4 call sites: EXPIRE 1, HGETALL 1, HLEN 1, HSET 1" in lines
    assert "made      again and again: every call of the request handler `stock` (in fresh)" in lines
    assert lines[-1] == "4 clients made here; 6 call sites in 2 files"


def test_what_a_framework_provides_is_listed_with_its_settings(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "src/main/resources/application.properties": "spring.data.redis.timeout=1500ms\n",
            "src/main/java/quay/Berths.java": """
package quay;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Service;

@Service
public class Berths {
    private final StringRedisTemplate template;

    public Berths(StringRedisTemplate template) {
        this.template = template;
    }

    public String ship(String berth) {
        return template.opsForValue().get("berth:" + berth);
    }
}
""",
        },
    )
    (provided,) = inventory(root)["clients"]
    assert provided["place"] is None
    assert provided["name"] == "RedisTemplate"
    assert provided["commands"] == {"GET": 1}
    (timeout,) = [one for one in provided["timeouts"] if one["origin"] == "settings"]
    assert (timeout["option"], timeout["text"]) == ("spring.data.redis.timeout", "1.5 s")
    assert timeout["place"] == {"path": "src/main/resources/application.properties", "line": 1}
    assert run(root).stdout.endswith("0 clients made here, 1 provided from outside; 1 call site in 1 file\n")


def test_settings_of_django_are_clients_too(tmp_path: Path) -> None:
    root = write(
        tmp_path,
        {
            "site/settings.py": """
CACHES = {
    "default": {
        "BACKEND": "django_redis.cache.RedisCache",
        "LOCATION": "redis://cache/0",
        "OPTIONS": {"CONNECTION_POOL_KWARGS": {"max_connections": 30}},
    }
}
"""
        },
    )
    (entry,) = inventory(root)["clients"]
    assert entry["name"] == "CACHES[default]"
    assert entry["place"] == {"path": "site/settings.py", "line": 3}
    assert [(one["option"], one["text"]) for one in entry["pool"]] == [("max_connections", "30")]


def test_an_overload_that_declared_types_decide(tmp_path: Path) -> None:
    """`new Jedis(settings.host(), settings.port(), settings.patience())`: the third argument is the timeout."""
    root = write(
        tmp_path,
        {
            "Links.java": """
import redis.clients.jedis.Jedis;

class Settings {
    String host() { return System.getenv("HOST"); }
    int port() { return 6379; }
    int patience() { return 800; }
}

class Links {
    private final Jedis jedis;

    Links(Settings settings) {
        this.jedis = new Jedis(settings.host(), settings.port(), settings.patience());
    }
}
"""
        },
    )
    (entry,) = inventory(root)["clients"]
    assert ("socketTimeoutMillis", "800 ms") in [(one["option"], one["text"]) for one in entry["timeouts"]]


def test_a_project_without_redis_has_none(tmp_path: Path) -> None:
    write(tmp_path, {"app.py": "print('hello')\n"})
    assert run(tmp_path).stdout == "No Redis clients found\n"
    assert inventory(tmp_path)["clients"] == []


def test_names_and_code_cannot_forge_output(tmp_path: Path) -> None:
    hostile = "::error::x\n\x1b[2J\u202e.py"
    write(
        tmp_path,
        {hostile: 'import redis\nc = redis.Redis(socket_timeout=int("\\x1b[31m" "\x1b]0;owned\x07"))\nc.get("a")\n'},
    )
    for form in ("text", "json"):
        shown = run(tmp_path, "--format", form).stdout
        assert not [char for char in shown if unicodedata.category(char) in ("Cc", "Cf") and char != "\n"], form
        assert not [line for line in shown.splitlines() if line.startswith("::")], form


def test_it_can_be_written_to_a_file(shop: Path, tmp_path: Path) -> None:
    target = tmp_path / "clients.json"
    result = run(shop, "--format", "json", "--output", target)
    assert (result.exit_code, result.stdout) == (0, "")
    assert len(json.loads(target.read_text(encoding="utf-8"))["clients"]) == 4


def test_a_folder_that_is_not_there_is_the_users_to_mend(tmp_path: Path) -> None:
    result = run(tmp_path / "absent")
    assert result.exit_code == 2
    assert "absent" in result.output


def test_runs_agree_to_the_byte(shop: Path) -> None:
    one, two = run(shop, "--format", "json", "--jobs", "1"), run(shop, "--format", "json", "--jobs", "2")
    assert one.stdout == two.stdout


def test_a_sentinel_of_asyncio_hands_out_clients_of_asyncio(tmp_path: Path) -> None:
    code = """
from redis.asyncio.sentinel import Sentinel

sentinel = Sentinel([("watch", 26379)], socket_timeout=1)
master = sentinel.master_for("carts", max_connections=50)


async def lines(cart):
    return await master.hgetall(cart)
"""
    made = inventory(write(tmp_path, {"requirements.txt": "redis==7.1.1\n", "carts.py": code}))["clients"]
    assert [(one["kind"], one["async"], one["call_sites"]) for one in made] == [
        ("sentinel", True, 0),
        ("client", True, 1),
    ]
