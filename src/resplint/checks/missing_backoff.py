"""RL103: Redis work is retried without a growing delay."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Place, Precision
from resplint.model.project import Project
from resplint.retry.delays.policies import Retry

RULE = "RL103"


def check(project: Project) -> Iterator[Finding]:
    """Report retries at once or after a constant delay; growth without jitter and slower ticks are notes."""
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
    level = Level.NOTE if growing or retry.kind in ("default", "tick") else Level.WARNING
    trail = tuple(project.step(ref, text) for ref, text in retry.steps)
    symbol = index.qualified_name(retry.scope)
    precision = Precision.HIGH if retry.kind == "policy" else Precision.MEDIUM
    return Finding(RULE, level, precision, _message(retry), place, trail, symbol, remedy=retry.remedy)


def _message(retry: Retry) -> str:
    how = {
        "loop": "This loop tries Redis work again",
        "tick": "This loop pauses at every turn and does Redis work again",
        "recursion": "This handler calls its own function to try Redis work again",
        "decorator": "This decorator tries Redis work again",
        "policy": f"The retry policy '{retry.subject}' tries Redis work again",
        "default": f"This client leaves '{retry.subject}' at its default and tries again",
    }[retry.kind]
    remedy = f", such as `{retry.advice}`." if retry.advice else "."
    if retry.growth == "exponential":
        return (
            f"{how} after a growing delay without jitter. Clients that failed together come back together: add a "
            f"random part to the delay{remedy}"
        )
    pause = "at once" if retry.growth == "none" else "after a delay that never grows"
    if retry.since:
        return (
            f"{how} {pause}. While the server is down or starting, every process hammers it in step. No delay of this "
            f"release can grow; those of {retry.since} and later do by default, with a random part: upgrade, and leave "
            "the default as it is."
        )
    return (
        f"{how} {pause}. While the server is down or starting, every process hammers it in step: let the delay double "
        f"from attempt to attempt up to a cap, with a random part{remedy}"
    )
