"""What messages say of the consequences: only what holds of the code at hand."""

from __future__ import annotations

from pathlib import Path

from tests.rules.fixture_cases import run


def said(folder: Path, name: str, code: str, rule: str) -> list[str]:
    """The messages of one rule about a file."""
    (folder / name).write_text(code, "utf-8")
    report = run(folder, [folder], {}, rule)
    return [one.message for one in sorted(report.results, key=lambda one: one.region.start_line)]


COUNTERS = """\
import datetime

import redis

db = redis.Redis(host="gates", socket_timeout=2)


def seconds_left():
    now = datetime.datetime.now()
    return 86400 - now.hour * 3600


def of_gate(gate):
    key = f"gate:{gate}"
    db.incr(key)
    db.expire(key, 600)


def of_day(gate):
    today = datetime.date.today().isoformat()
    db.incr(f"gate:{gate}:{today}")
    db.expire(f"gate:{gate}:{today}", 600)


def until_midnight(gate):
    db.incr(f"today:{gate}")
    db.expire(f"today:{gate}", seconds_left())


def first_only(gate):
    if db.get(f"first:{gate}") is None:
        db.incr(f"first:{gate}")
        db.expire(f"first:{gate}", 600)


def in_slots(gate, now):
    key = f"gate:{gate}:{now // 60}"
    db.incr(key)
    db.expire(key, 600)
"""


def test_only_a_key_that_goes_on_is_said_never_to_expire(tmp_path: Path) -> None:
    messages = said(tmp_path, "gates.py", COUNTERS, "RL404")
    assert ["never expires" in one for one in messages] == [True, False, False, False, False]
    assert all("stays without an expiry" in one for one in messages[1:])
    assert all(one.startswith("INCR creates the key") for one in messages)


UNUSED = """\
import redis

db = redis.Redis(host="desk", socket_timeout=2)


class Desk:
    def names(self):
        return db.keys("desk:*")

    def clear(self):
        db.delete(*self.names())

    def shelves(self):
        return db.keys("shelf:*")
"""


def test_what_has_callers_is_not_said_to_have_none(tmp_path: Path) -> None:
    first, second = said(tmp_path, "desk.py", UNUSED, "RL402")
    assert "Only functions that nothing in the project calls come to it" in first
    assert "Nothing in the project calls the function yet" in second


SOCKETS = """\
import redis.asyncio as redis
from fastapi import FastAPI, WebSocket

app = FastAPI()
shared = redis.from_url("redis://stands:6379/0", socket_timeout=5)


@app.websocket("/own/{stand}")
async def own(socket: WebSocket, stand: str):
    await socket.accept()
    client = redis.from_url("redis://stands:6379/0", socket_timeout=5)
    channel = client.pubsub()
    await channel.subscribe(stand)
    if stand == "closed":
        return
    async for message in channel.listen():
        await socket.send_text(message["data"])
    await channel.unsubscribe(stand)
    await client.aclose()


@app.websocket("/lent/{stand}")
async def lent(socket: WebSocket, stand: str):
    await socket.accept()
    channel = shared.pubsub()
    await channel.subscribe(stand)
    if stand == "closed":
        return
    async for message in channel.listen():
        await socket.send_text(message["data"])
    await channel.aclose()
"""


def test_what_stays_open_is_named(tmp_path: Path) -> None:
    messages = said(tmp_path, "stands.py", SOCKETS, "RL106")
    assert any("The client that lends it stays open with it" in one for one in messages)
    assert any("opens another one, until its limit" in one for one in messages)


BRANCHES = """\
import redis

db = redis.Redis(host="lots", socket_timeout=2)


def mark(lot, is_open):
    if is_open:
        db.sadd("open:" + lot, lot)
    else:
        db.delete("open:" + lot)


def close_all(lots):
    for lot in lots:
        mark(lot, False)
"""


def test_a_branch_that_a_constant_rules_out_is_not_named(tmp_path: Path) -> None:
    (message,) = said(tmp_path, "lots.py", BRANCHES, "RL202")
    assert message.startswith("DEL is sent in the helper `mark()`")


TUNED = """\
import redis
from flask import Flask

app = Flask(__name__)
db = redis.Redis(host="gates", socket_timeout=2)


@app.post("/tune/<limit>")
def tune(limit):
    db.config_set("maxmemory", limit)
"""


def test_config_set_lasts_until_the_start_where_nothing_is_rewritten(tmp_path: Path) -> None:
    kept = f"{TUNED}    db.config_rewrite()\n"
    assert "until it is started again" in said(tmp_path, "tune.py", TUNED, "RL407")[0]
    assert "started again" not in said(tmp_path, "tune.py", kept, "RL407")[0]


WINNERS = """\
// versions: jedis=7.4.0
package com.lumen.games;

import java.util.List;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.resps.Tuple;

public class Winners {

    private final RedisClient redis = RedisClient.create("redis", 6379);

    public List<String> from(double low, double high) {
        return redis.zrangeByScore("winners", low, high);
    }

    public List<Tuple> page(double low, double high, int offset) {
        return redis.zrevrangeByScoreWithScores("winners", high, low, offset, 20);
    }
}
"""


def test_help_names_the_overload_that_fits_the_deprecated_one(tmp_path: Path) -> None:
    (tmp_path / "Winners.java").write_text(WINNERS, "utf-8")
    report = run(tmp_path, [tmp_path], {"jedis": "7.4.0"}, "RL411")
    plain, page = (one.help for one in sorted(report.results, key=lambda one: one.region.start_line))
    assert "`zrange(key, ZRangeParams.zrangeByScoreParams(low, high))`" in plain
    assert "`new ZRangeParams(Protocol.Keyword.BYSCORE, low, high)`" in plain
    assert "`zrangeWithScores(key, ZRangeParams.zrangeByScoreParams(high, low).rev().limit(offset, count))`" in page


HARBOUR = """\
import time

import redis

db = redis.Redis(host="harbour", socket_timeout=2)


def enter(ship):
    db.sadd("ships", ship)
    db.incr("entries")


def announce(ship):
    if ship:
        enter(ship)
        db.publish("entries", ship)


def keep_announcing(ship):
    while True:
        try:
            announce(ship)
            return
        except redis.ConnectionError:
            pass


def wait_for_server():
    while True:
        try:
            db.ping()
            return
        except redis.ConnectionError:
            time.sleep(3)
"""


def test_retries_name_the_command_that_is_sent_first(tmp_path: Path) -> None:
    again, waits = said(tmp_path, "harbour.py", HARBOUR, "RL103")
    assert again.startswith("This loop retries `announce()` (SADD) immediately.")
    assert waits == (
        "This loop asks again after the same delay each time (`time.sleep(3)`), until the server answers PING."
    )


BERTHS = """\
import redis

db = redis.Redis(host="marina", socket_timeout=2)


def key(side):
    return f"marina:berths:{side}"


def moor(side, boat, berth):
    db.hset(key(side), boat, berth)


def cast_off(side, boat):
    db.hdel(key(side), boat)


def sides():
    for side in ("east", "west"):
        yield db.hgetall(f"marina:berths:{side}")


def arrive(boat):
    moor("east", boat, 1)
    moor("west", boat, 2)


def pay(boat, sum_):
    db.hset("marina:paid", boat, sum_)


def paid():
    return db.hgetall("marina:paid")
"""


def test_the_reply_is_without_limit_only_where_no_field_is_removed(tmp_path: Path) -> None:
    berths, paid = said(tmp_path, "marina.py", BERTHS, "RL401")
    assert "the hash `marina:berths:{…}`" in berths
    assert "grows with the items there are at a time (HDEL at marina.py:15)" in berths
    assert "the hash `marina:paid`" in paid
    assert "grows without limit" in paid


FERRY = """\
package com.lumen.ferry

import io.lettuce.core.RedisClient
import io.lettuce.core.cluster.RedisClusterClient

class Ferry(private val client: RedisClusterClient) {
    fun board(car: String) {
        client.connect().use { it.sync().sadd("cars", car) }
    }
}

fun onCar(ferry: Ferry, cars: List<String>) {
    for (car in cars) ferry.board(car)
}

fun leave(cars: List<String>) {
    for (car in cars) {
        RedisClient.create("redis://ferry").connect().use { it.sync().srem("cars", car) }
    }
}
"""


def test_a_connection_of_a_client_that_is_there_is_no_new_client(tmp_path: Path) -> None:
    (tmp_path / "Ferry.kt").write_text(FERRY, "utf-8")
    report = run(tmp_path, [tmp_path], {"lettuce": "6.5.0"}, "RL101")
    board, *leaves = sorted(report.results, key=lambda one: one.region.start_line)
    assert board.message.startswith("`client.connect` makes a new connection on every iteration of a loop.")
    assert "connection of the `RedisClusterClient`" in (board.help or "")
    assert all(" makes a new client " in one.message for one in leaves)
    assert leaves


VISITS = """\
import redis

db = redis.Redis(host="visits", socket_timeout=2)


def members(cards):
    pipe = db.pipeline()
    for card in cards:
        pipe.hgetall(f"card:{card}")
    for card, fields in zip(cards, pipe.execute()):
        if not fields:
            pipe.srem("cards", card)
    pipe.execute()


def forget(cards):
    pipe = db.pipeline()
    for card in cards:
        pipe.srem("cards", card)
    pipe.execute()
"""


def test_a_pipeline_that_reads_first_is_said_to(tmp_path: Path) -> None:
    first, only = said(tmp_path, "visits.py", VISITS, "RL201")
    assert "only reads before it is sent for the first time, and then writes what does not depend" in first
    assert "reads" not in only
