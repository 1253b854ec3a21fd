"""RL404: a key is created by one command and gets its life time from another one."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.separate_expiries import ABSENT, COUNTER, VALUE, SeparateExpiry

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
    made, expires = pair.created.site.command, pair.expires.site.command
    line = project.spot(pair.expires.ref).rpartition(":")[2]
    helper = (
        "" if pair.expires.ref == pair.expires.site.ref else f", called as `{project.callee_name(pair.expires.ref)}()`"
    )
    apart = f"{made} creates the key, and {expires} (line {line}{helper}) gives it a life time in a step of its own."
    if pair.kind == ABSENT:
        cost = "If the process ends or the connection breaks in between, the key stays, and nobody can take it again."
    elif pair.kind == COUNTER and pair.always:
        cost = "If the process ends in between, the counter stays; and each call begins its time anew."
    elif pair.kind == COUNTER:
        cost = "If the process ends or the connection breaks in between, the counter is never reset."
    else:
        cost = "If the process ends in between, the key stays without one."
    level = Level.NOTE if pair.kind == VALUE or (pair.kind == COUNTER and pair.always) else Level.WARNING
    trail = (
        project.step(pair.expires.ref, f"{expires} gives the key a life time"),
        project.step(pair.created.ref, f"{made} creates it"),
    )
    place, symbol = project.place(pair.created.ref), project.symbol(pair.created.ref)
    remedy = project.merged(pair)
    message = f"{apart} {cost}"
    return Finding(
        RULE, level, Precision.VERY_HIGH, message, place, trail, symbol, remedy=remedy, help=_help(pair),
    )  # fmt: skip


def _help(pair: SeparateExpiry) -> str:
    if pair.kind == ABSENT:
        return "Send one SET with NX and EX (or PX): it takes the key and sets its life time in one step."
    if pair.kind == COUNTER:
        return (
            "Create the counter with its life time first (SET with value 0, EX and NX), or send both commands in one "
            "MULTI/EXEC or Lua script."
        )
    if pair.created.site.command == "SET":
        return "Give the life time to SET itself, with EX or PX."
    return "Send both commands in one MULTI/EXEC."
