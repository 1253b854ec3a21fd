"""Run by hand when a test environment is set up."""

from redis_factory import client


def reset() -> None:
    # ok: SHOP002
    # traced: FLUSHALL
    client().flushall()
    # ok: SHOP011
    client().config_set("appendonly", "no")
