"""RL205: code on an event loop waits for Redis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from resplint.contracts.decisions import Decision, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.execution.event_loops import OnLoop
from resplint.model.project import Project
from resplint.redis.calls.blocking_calls import BlockingCall

RULE = "RL205"
_SHOWN = 4
"""Further commands of the function that a trail shows."""


def check(project: Project) -> Iterator[Finding]:
    """Report functions on an event loop that wait for replies of Redis."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """One finding for each function that waits: at its first command, those last that other rules are about."""
    by_function: defaultdict[tuple[int, int], dict[tuple[int, int], BlockingCall]] = defaultdict(dict)
    for call in project.blocking_calls.all():
        by_function[call.ref[0], project.event_loops.function(call.ref)].setdefault(call.ref, call)
    for found in by_function.values():
        calls = sorted(found.values(), key=lambda one: (_is_heavy(project, one), project.place(one.ref).start))
        if loops := project.event_loops.all(calls[0].ref):
            yield _finding(project, calls, loops)


def _is_heavy(project: Project, call: BlockingCall) -> bool:
    """Whether a command holds up the whole server, which other rules are about."""
    model = project.catalogue.commands.get(call.what)
    return model is not None and (model.whole_database or bool(model.danger))


def _finding(project: Project, calls: list[BlockingCall], loops: tuple[OnLoop, ...]) -> Finding:
    first, others = calls[0], calls[1:]
    loop = next((one for one in loops if one.certain), loops[0])
    more = f" (and {len(others)} more blocking {'calls' if others[1:] else 'call'} in this function)" if others else ""
    runs = f" that runs `{loop.name}`" if loop.name else ""
    message = (
        f"{first.what}{more} blocks the event loop{runs} until Redis replies. Nothing else that the loop serves goes "
        "on meanwhile."
    )
    level = Level.ERROR if loop.certain else Level.WARNING
    precision = Precision.VERY_HIGH if loop.certain else Precision.LOW if loop.alone else Precision.HIGH
    trail = [*project.steps(loop.way)]
    trail += [project.step(one.ref, f"{one.what} is waited for here") for one in (*others[:_SHOWN], first)]
    trail += [project.step(ref, "and here") for ref in loop.calls[1:]]
    trail += [
        project.step(ref, f"`{one.name}` waits for it, too")
        for one in loops
        if one.name and one is not loop
        for ref in one.calls
    ]
    instead = project.catalogue.advice(first.receiver.origin.library).asynchronous
    help_ = instead or "Use an asynchronous client, or leave the waiting to another thread."
    return Finding(
        RULE, level, precision, message, project.place(first.ref), tuple(dict.fromkeys(trail)),
        project.symbol(first.ref), help=help_,
    )  # fmt: skip
