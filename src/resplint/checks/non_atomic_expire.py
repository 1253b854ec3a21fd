"""RL404: a key is created by one command and gets its life time from another one."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.calls.separate_expiries import ABSENT, COUNTER, VALUE, SeparateExpiry
from resplint.redis.usage import CommandSite

RULE = "RL404"


def check(project: Project) -> Iterator[Finding]:
    """Report keys that stay without a life time when the process ends between two commands."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and for other commands that set a life time that none creates the key apart from them."""
    seen: set[Ref] = set()
    for pair in project.separate_expiries:
        seen |= {pair.created.ref, pair.expires.ref, pair.expires.site.ref}
        yield _finding(project, pair)
    for site in project.commands:
        model = project.usage.model(site)
        if model is not None and model.couples == "expire" and site.ref not in seen:
            seen.add(site.ref)
            yield Silence(RULE, project.place(site.ref), "No command was found in front of it that creates the key.")


def _finding(project: Project, pair: SeparateExpiry) -> Finding:
    made, expires = _sent(project, pair.created.site), _sent(project, pair.expires.site)
    line = project.spot(pair.expires.ref).rpartition(":")[2]
    helper = (
        "" if pair.expires.ref == pair.expires.site.ref else f", called as `{project.callee_name(pair.expires.ref)}()`"
    )
    apart = f"{made} creates the key, and {expires} (line {line}{helper}) sets its expiry in a separate step."
    if pair.kind == ABSENT:
        cost = (
            "If the process ends or the connection breaks in between, the key stays for good, and each later "
            f"{made} of it fails."
        )
    elif pair.kind == COUNTER and pair.anew:
        cost = (
            "Each call starts the time anew, so a busy counter never expires; if the process ends in between, it stays."
        )
    elif pair.kind == COUNTER and pair.always:
        cost = "If the process ends or the connection breaks in between, the key stays without an expiry."
    elif pair.kind == COUNTER:
        cost = "If the process ends or the connection breaks in between, the counter is never reset."
    else:
        cost = "If the process ends or the connection breaks in between, the key never expires."
    level = Level.NOTE if pair.kind == VALUE or (pair.kind == COUNTER and pair.always) else Level.WARNING
    trail = (
        project.step(pair.expires.ref, f"{expires} sets the key's expiry"),
        project.step(pair.created.ref, f"{made} creates it"),
    )
    place, symbol = project.place(pair.created.ref), project.symbol(pair.created.ref)
    remedy = project.merged(pair)
    message = f"{apart} {cost}"
    return Finding(
        RULE, level, Precision.VERY_HIGH, message, place, trail, symbol, remedy=remedy, help=_help(pair, made),
    )  # fmt: skip


def _sent(project: Project, site: CommandSite) -> str:
    """The command as the code names it where that is a form of the one that is sent: INCR of what sends INCRBY."""
    name = project.callee_name(site.ref).rpartition(".")[2].upper()
    own, sent = (project.catalogue.commands.get(one) for one in (name, site.command))
    return name if own is not None and sent is not None and own.couples == sent.couples == "counter" else site.command


def _help(pair: SeparateExpiry, made: str) -> str:
    if pair.kind == ABSENT:
        return "Send one SET with NX and EX (or PX) instead; its reply is OK or nil rather than 1 or 0."
    if pair.kind == COUNTER:
        return (
            f"Send {made} and EXPIRE with NX (Redis 7.0) in one MULTI/EXEC, or do both in a Lua "
            "script, which can look whether the counter is new."
        )
    if pair.created.site.command == "SET":
        return "Give the expiry to SET itself, with EX or PX."
    return "Send both commands in one MULTI/EXEC."
