"""Where clients of the shop are made."""

import redis

# ok: SHOP006
# ok: SHOP007
# ok: SHOP008
_client = redis.Redis(host="redis", socket_timeout=2)


def client() -> redis.Redis:
    return _client
