"""RL103: Redis work is retried without a growing delay."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Finding, Level, Place, Precision, Step
from resplint.model.project import Project
from resplint.retry.delays.policies import Retry
from resplint.retry.retried_commands import Retried

RULE = "RL103"
_LOOPS = ("while", "for")
_FEW = 5
"""Attempts up to which a delay that does not grow is worth no more than a note: they are soon over."""


def check(project: Project) -> Iterator[Finding]:
    """Report retries at once or after a constant delay. Growth without jitter, slower ticks, few attempts and waits at
    the start are notes.
    """
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and the retries that are fine."""
    for retry in project.retries.all:
        file, start, end = retry.place
        place = Place(project.store.files[file].facts.path, start, end)
        if retry.growth == "exponential" and retry.jitter:
            yield Silence(RULE, place, "Redis work is tried again after a growing delay with jitter.")
        else:
            yield _finding(project, retry, place)


def _finding(project: Project, retry: Retry, place: Place) -> Finding:
    index = project.store.files[retry.place[0]]
    growing = retry.growth == "exponential"
    few = retry.attempts is not None and retry.attempts <= _FEW
    starts = retry.awaits and project.frequency.function(index.number, retry.scope).kind == "once"
    itself = bool(retry.opens) and all(project.error_listeners.heard_at(made) for made in retry.opens)
    soft = growing or few or starts or retry.asks or itself or retry.kind in ("default", "tick")
    level = Level.NOTE if soft else Level.WARNING
    retried = Retried(project.ev, project.usage)
    symbol = index.qualified_name(retry.scope)
    precision = Precision.VERY_HIGH if retry.kind == "policy" else Precision.MEDIUM
    message, trail = _message(project, retry, retried), tuple(_trail(project, retry, place, retried))
    return Finding(RULE, level, precision, message, place, trail, symbol, remedy=retry.remedy, help=_help(retry))


def _trail(project: Project, retry: Retry, place: Place, retried: Retried) -> Iterator[Step]:
    """The loop, what it tries, the pause, and what lets it go on."""
    index = project.store.files[retry.place[0]]
    loop = _loop(project, retry)
    if loop is not None:
        yield Step(project.first_line(index, loop), "the loop")
    for ref, text in retry.steps:
        yield project.step(ref, text)
    if retry.work is not None:
        command = retried.command(retry.work)
        inside = command is not None and command.ref != retry.work
        sent = f", which sends {command.command} at {project.spot(command.ref)}" if command and inside else ""
        yield project.step(retry.work, f"retried: {retried.name(retry.work)}{sent}")
    for ref in retry.pauses:
        yield project.step(ref, "the pause before the next attempt")
    yield Step(place, _LAST[retry.kind])


_LAST = {
    "loop": "after a failure the loop goes on",
    "tick": "after a failure the loop goes on",
    "recursion": "after a failure it is called again",
    "decorator": "the decorator",
    "policy": "the delay",
    "default": "the client",
}


def _loop(project: Project, retry: Retry) -> int | None:
    """Where the innermost loop around the place of a retry starts."""
    if retry.kind not in ("loop", "tick"):
        return None
    index = project.store.files[retry.place[0]]
    around = [
        block for block in index.facts.blocks if block.kind in _LOOPS and block.start <= retry.place[1] < block.end
    ]
    if not around:
        return None
    inner = max(around, key=lambda block: block.start)
    return inner.at if inner.at != NONE else inner.start


def _message(project: Project, retry: Retry, retried: Retried) -> str:
    how = {
        "loop": "This loop retries",
        "tick": "This polling loop retries",
        "recursion": "This error handler retries",
        "decorator": "This decorator retries",
    }.get(retry.kind, "")
    if how:
        how = f"{how} {retried.in_words(retry)}"
    elif retry.kind == "policy":
        what = f" {retried.in_words(retry)}" if retry.work is not None else ""
        how = f"{retried.policy(retry)} retries{what}"
    else:
        how = f"`{retry.subject}` is left at its default, so this client retries"
    pause = f" ({retried.call_text(retry.pauses[-1])})" if retry.pauses else ""
    if retry.asks and retry.growth != "exponential":
        pace = "again at once" if retry.growth == "none" else f"again after the same delay each time{pause}"
        return f"This loop asks {pace}, until the server answers {retried.in_words(retry)}."
    if retry.growth == "exponential":
        return f"{how} with a growing delay, but without jitter. Clients that lose Redis together come back together."
    if retry.attempts is not None and retry.attempts <= _FEW:
        pace = "immediately" if retry.growth == "none" else "without a growing delay"
        return (
            f"{how} {pace}, in {retry.attempts:.0f} attempts at most. If Redis is away for longer, the work fails; "
            "until then all processes try at the same rate."
        )
    if retry.growth == "none":
        return f"{how} immediately. While Redis is down, whatever runs it retries at full speed."
    delay = "a random delay that does not grow" if retry.jitter else "the same delay each time"
    return f"{how} after {delay}{pause}. While Redis is down or restarting, all processes keep trying at that rate."


def _help(retry: Retry) -> str:
    such_as = f", such as `{retry.advice}`" if retry.advice else ""
    if retry.growth == "exponential":
        return f"Add a random part to the delay{such_as}."
    if retry.since:
        return (
            f"Upgrade to {retry.since} or later and leave the default: it grows and has jitter. In this release no "
            "delay can grow."
        )
    return f"Back off exponentially: double the delay after each failure, up to a cap, and add jitter{such_as}."
