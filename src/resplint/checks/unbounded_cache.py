"""RL413: a framework's cache in Redis keeps its entries without a time to live, or is cleared with KEYS."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.contracts.decisions import Decision, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.caches import Clearing, LastingCache

RULE = "RL413"


def check(project: Project) -> Iterator[Finding]:
    """Report caches whose entries only go when the server's memory is full, and what clears caches with KEYS."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings. Caches whose entries expire are no calls that anybody would ask about."""
    yield from (_finding(project, one) for one in project.caches.lasting())
    yield from (_of_clearing(project, one) for one in project.caches.clearings())


def _finding(project: Project, cache: LastingCache) -> Finding:
    if cache.entry is not None:
        key = cache.entry.model.expiry_key
        subject = f"Entries of the cache `{cache.entry.alias}` never expire: `{key}` is {_null(project, cache)}"
        help_ = f"Set `{key}` to the seconds after which an entry may be computed anew."
        trail = [project.step(cache.entry.key, "the cache"), project.step(cache.ref, f"`{key}` is set here")]
    else:
        assert cache.model is not None
        subject = f"{cache.model.subject} keep their entries without a time to live"
        help_ = f"Say how long an entry may be used: {cache.model.instead}."
        trail = [project.step(cache.ref, "entries of such caches never expire")]
    message = (
        f"{subject}. The cache grows with every key that was ever asked for, until the server evicts keys or refuses "
        "writes, and old entries are served as long."
    )
    place, symbol = project.place(cache.ref), project.symbol(cache.ref)
    return Finding(RULE, Level.NOTE, Precision.MEDIUM, message, place, tuple(trail), symbol, help=help_)


def _of_clearing(project: Project, one: Clearing) -> Finding:
    command = one.model.command
    message = (
        f"This clears a cache in Redis, for which {command} looks at every key of the database, and Redis serves no "
        "other client until it is done. Then all entries are computed anew at once."
    )
    place, symbol = project.place(one.ref), project.symbol(one.ref)
    trail = (project.step(one.ref, f"the entries are found with {command}, and removed"),)
    return Finding(RULE, Level.NOTE, Precision.MEDIUM, message, place, trail, symbol, help=one.model.instead)


def _null(project: Project, cache: LastingCache) -> str:
    return project.ev.roles(cache.ref[0]).words.nothing
