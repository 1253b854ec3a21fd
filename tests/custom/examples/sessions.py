# versions: redis-py=5.0.8
"""Sessions of the shop."""

import json
import time

import redis
from flask import Flask, request

from locks import acquire
from redis_factory import client

app = Flask(__name__)
store = client()

# expect: SHOP006
# expect: SHOP007
# expect: SHOP008
other = redis.Redis(host="redis", db=3)

# expect: one-factory
# ok: SHOP006
pool = redis.ConnectionPool(host="redis", socket_timeout=2)
# expect: SHOP007
# ok: SHOP006
pooled = redis.Redis(connection_pool=pool)


class Commands:
    """A thin layer over the client."""

    def __init__(self, redis_client: redis.Redis) -> None:
        self._redis = redis_client

    def run(self, *words):
        return self._redis.execute_command(*words)

    def named(self, name, *words):
        started = time.monotonic()
        try:
            return self.run(name, *words)
        finally:
            print(name, time.monotonic() - started)


commands = Commands(store)


def online():
    # expect: SHOP001
    listed = store.keys("shop:session:*")
    # expect: SHOP001
    listed += commands.run("KEYS", "shop:session:*")
    # expect: SHOP001
    listed += commands.named("keys", "shop:session:*")
    # expect: SHOP001
    listed += store.eval("return redis.call('KEYS', ARGV[1])", 0, "shop:session:*")
    # ok: SHOP001
    # traced: SCAN
    listed += store.scan(match="shop:session:*")[1]
    # ok: SHOP001
    listed += store.eval("-- redis.call('KEYS', '*')\nreturn redis.call('SMEMBERS', KEYS[1])", 1, "shop:sessions")
    return listed


def forget_all():
    # expect: SHOP002 error
    store.flushdb()
    # expect: SHOP002
    commands.run("FLUSHALL")


def begin(session_id: str, user: dict, seconds: int, **options):
    body = json.dumps(user)
    # expect: SHOP004
    store.set(f"shop:session:{session_id}", body)
    # expect: SHOP004
    store.set(f"shop:session:{session_id}", body, ex=None)
    # ok: SHOP004
    store.set(f"shop:session:{session_id}", body, ex=seconds)
    # ok: SHOP004
    store.set(f"shop:session:{session_id}", body, seconds)
    # ok: SHOP004
    store.set(f"shop:session:{session_id}", body, **options)
    # ok: SHOP004
    commands.run("SET", f"shop:session:{session_id}", body, "EX", 60)
    # expect: SHOP004
    commands.run("SET", f"shop:session:{session_id}", body)


def begin_in_two_steps(session_id: str, body: str):
    batch = store.pipeline(transaction=False)
    # ok: SHOP004
    # traced: SET
    batch.set(f"shop:session:{session_id}", body)
    batch.expire(f"shop:session:{session_id}", 60)
    batch.execute()


def lock(session_id: str, key: str):
    # expect: SHOP003
    store.setnx(f"shop:lock:{session_id}", 1)
    # expect: SHOP005
    store.delete(f"lock:{session_id}")
    # ok: SHOP005
    store.delete(key)
    # ok: SHOP005
    store.delete(f"shop:lock:{session_id}")
    # expect: SHOP012
    with store.lock(f"shop:lock:{session_id}"):
        pass
    with acquire(f"shop:lock:{session_id}"):
        pass


@app.get("/next")
def next_job():
    return waited(int(request.args["seconds"]))


def waited(seconds: int):
    # expect: SHOP009
    return store.blpop("shop:jobs", timeout=seconds)


def work():
    while True:
        # ok: SHOP009
        # traced: BLPOP
        job = store.blpop("shop:jobs", timeout=1)
        if job:
            # expect: SHOP010
            store.xadd("shop:done", {"job": job[1]})
            # ok: SHOP010
            store.xadd("shop:done", {"job": job[1]}, maxlen=10_000)


def tune():
    # expect: SHOP011
    store.config_set("maxmemory-policy", "allkeys-lru")


async def hold(store: redis.asyncio.Redis, session_id: str):
    # expect: SHOP012
    async with store.lock(f"shop:lock:{session_id}", timeout=3):
        return session_id
