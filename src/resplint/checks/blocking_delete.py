"""RL405: a collection that grows is deleted with DEL, which frees its memory while all clients wait."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.contracts import facts
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.growth.deleted_keys import Freed
from resplint.redis.growth.gathering import EACH
from resplint.redis.usage import CommandSite

RULE = "RL405"
_DELETES = "DEL"
_SINCE = "4.0.0"
"""The release of the server that brought UNLINK."""
_TITLES = {"list": "list", "set": "set", "zset": "sorted set", "stream": "stream", "geo": "sorted set", "hash": "hash"}


def check(project: Project) -> Iterator[Finding]:
    """Report DEL of collections to which writers add an element for each item of data."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other deletions are fine."""
    seen = set()
    for site in project.commands:
        if site.command == _DELETES and site.ref not in seen:
            server = project.server_version(site.ref)
            if server and not project.deprecations.is_since(server, _SINCE):
                yield Silence(RULE, project.place(site.ref), f"Redis {server} has no UNLINK.")
                continue
            freed = project.deleted_keys.of(site)
            if freed is not None:
                seen.add(site.ref)
                yield _finding(project, site, freed)
            else:
                yield Silence(
                    RULE, project.place(site.ref), "No writer of this key adds an element for each item of data."
                )


def _finding(project: Project, site: CommandSite, freed: Freed) -> Finding:
    write = freed.writes[0]
    model = project.usage.model(write.site)
    title = _TITLES.get(model.structure if model is not None else "", "collection")
    key = project.key_text(write.shape).replace("{}", "{…}")
    named = project.store.expr(write.field)
    of = f" of `{named.name}`" if isinstance(named, facts.Name | facts.Member) else ""
    each = freed.how == EACH
    gains = "item that belongs to it" if each else "item of data"
    message = (
        f"DEL frees {'a' if each else 'the'} {title} `{key}` element by element while all other clients wait; it gains "
        f"one for each {gains} ({write.site.command}{of} at {project.spot(write.site.ref)})."
    )
    trail = (
        project.step(write.field, f"an element that is data, added by {write.site.command}"),
        project.step(site.ref, "DEL frees all of them"),
    )
    unlink = project.catalogue.advice(site.receiver.origin.library).unlink
    help_ = (
        f"Use UNLINK{f' (`{unlink}()`)' if unlink else ''}: it takes the key away at once and frees the memory in "
        "another thread (Redis 4 and later)."
    )
    place, symbol = project.place(site.ref), project.symbol(site.ref)
    remedy = project.deleted_keys.remedy(site, is_known=bool(project.server_version(site.ref)))
    return Finding(RULE, Level.NOTE, Precision.LOW, message, place, trail, symbol, remedy=remedy, help=help_)
