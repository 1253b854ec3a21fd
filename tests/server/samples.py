"""Files of a small project: clients, and those who use them from other files."""

from __future__ import annotations

CLIENTS = (
    "import redis\n\nclient = redis.Redis(socket_timeout=5)\n",
    "import redis\n\nclient = redis.Redis(socket_timeout=7)\n",
    "import redis\n\nclient = redis.Redis(socket_timeout=60)\n",
    "client = None\n",
)
USERS = (
    "from db1 import client\n\n\ndef work():\n    return client.blpop('jobs', timeout=30)\n",
    "from db2 import client\n\n\ndef work():\n    return client.blpop('jobs', timeout=30)\n",
    "import db1, db2\n\ndb1.client.blpop('a', timeout=40)\ndb2.client.blpop('b', timeout=40)\n",
)
