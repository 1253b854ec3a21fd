"""Books on loan, through a class that hands commands on."""

import redis
import redis.asyncio as aioredis
from redis.cluster import RedisCluster

# expect: SHOP006
library = redis.Redis(host="loans", ssl=False)
# expect: SHOP005
readers = aioredis.from_url("rediss://readers/3")
branches = RedisCluster(host="branches")
# ok: SHOP005
default = redis.Redis.from_url("redis://loans/0")
# expect: SHOP005
named = redis.Redis(host="loans", db=2)


class Shelf:
    def __init__(self, client):
        self.client = client

    def run(self, *words):
        return self.client.execute_command(*words)

    def send(self, name, *words):
        return self.client.execute_command(name, *words)


shelf = Shelf(library)


def through_the_wrapper(isbn, reader):
    # expect: SHOP001
    for loan in shelf.run("KEYS", "loan:*"):
        shelf.send("DEL", loan)
    # expect: SHOP002 error
    shelf.send("FLUSHALL")
    # expect: SHOP003
    shelf.run("SETNX", f"loan:{isbn}", reader)
    # expect: SHOP004
    shelf.run("SET", f"loan:{isbn}", reader)
    # expect: SHOP004
    shelf.send("set", f"loan:{isbn}", reader)
    # ok: SHOP004
    shelf.run("SET", f"loan:{isbn}", reader, "EX", 86400)
    # ok: SHOP004
    shelf.send("SET", f"loan:{isbn}", reader, "px", 5000)


def as_words(isbn, reader):
    # expect: SHOP001
    library.execute_command("KEYS", "loan:*")
    # expect: SHOP002 error
    library.execute_command("flushall")
    # expect: SHOP003
    branches.execute_command("SETNX", f"loan:{isbn}", reader)
    # expect: SHOP004
    library.execute_command("SET", f"loan:{isbn}", reader)
    # ok: SHOP004
    library.execute_command("SET", f"loan:{isbn}", reader, "EX", 86400)


def in_scripts(isbn, reader):
    # expect: SHOP001
    library.eval("return redis.call('KEYS', ARGV[1])", 0, "loan:*")
    # expect: SHOP002 error
    library.eval("redis.call('FLUSHALL')", 0)
    # expect: SHOP003
    library.eval("return redis.call('SETNX', KEYS[1], ARGV[1])", 1, f"loan:{isbn}", reader)
    # expect: SHOP004
    library.eval("redis.call('SET', KEYS[1], ARGV[1])", 1, f"loan:{isbn}", reader)
    # ok: SHOP004
    library.eval("redis.call('SET', KEYS[1], ARGV[1], 'EX', 60)", 1, f"loan:{isbn}", reader)
    # expect: SHOP004
    lend = library.register_script("local call = redis.call\ncall('SET', KEYS[1], ARGV[1])")
    lend(keys=[f"loan:{isbn}"], args=[reader])


def written_out(isbn, reader, days, first_come, **options):
    # expect: SHOP001
    library.keys("loan:*")
    # expect: SHOP002 error
    library.flushall()
    # expect: SHOP003
    library.setnx(f"loan:{isbn}", reader)
    # expect: SHOP004
    library.set(f"loan:{isbn}", reader)
    # expect: SHOP004
    library.set(f"loan:{isbn}", reader, None)
    # ok: SHOP004
    library.set(f"loan:{isbn}", reader, days)
    # ok: SHOP004
    library.set(f"loan:{isbn}", reader, None, 5000)
    # ok: SHOP004
    library.set(f"loan:{isbn}", reader, **options)
    # expect: SHOP007
    library.set(f"loan:{isbn}", reader, ex=days, nx=True)
    # ok: SHOP007
    library.set(f"loan:{isbn}", reader, ex=days, nx=first_come)
    # ok: SHOP007
    library.set(f"loan:{isbn}", reader, ex=days, nx=False)
    with library.pipeline() as batch:
        # ok: SHOP004
        batch.set(f"due:{isbn}", days)
        batch.expire(f"due:{isbn}", days)
        # expect: SHOP004
        batch.set(f"by:{isbn}", reader)
        batch.execute()


async def from_a_coroutine(reader):
    # expect: SHOP001
    await readers.keys("reader:*")
    # expect: SHOP004
    await readers.set(f"reader:{reader}", 1)
    # expect: SHOP008
    await readers.xadd("readers", {"id": reader})
    # ok: SHOP008
    await readers.xadd("readers", {"id": reader}, "*", 1000)
