"""Locks of the shop."""

from contextlib import contextmanager

from redis_factory import client


@contextmanager
def acquire(name: str):
    # ok: SHOP012
    with client().lock(name, timeout=10) as held:
        yield held
