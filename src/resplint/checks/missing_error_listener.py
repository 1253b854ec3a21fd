"""RL111: nobody listens to the errors of a client whose library throws or prints them then."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import LibraryObject, Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project

RULE = "RL111"


def check(project: Project) -> Iterator[Finding]:
    """Report clients without a listener for `error`."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and who listens to the errors of other clients."""
    for value in project.made:
        constructor, method = value.origin.constructor, value.origin.method
        unheard = constructor.unheard if constructor is not None else method.unheard if method is not None else ""
        if value.made is None or not unheard or value.subclass is not None or value.origin.factory is not None:
            continue
        place = project.place(value.made)
        heard = project.error_listeners.heard_at(value.made)
        retries = project.options.find(value, "retry_delay")
        if heard:
            yield Silence(RULE, place, f"{project.spot(heard[0])} listens to its errors.")
        elif retries is not None and retries.given and retries.model is not None and retries.model.takes_errors:
            yield Silence(RULE, place, f"`{retries.model.name}` gets the errors of its connection.")
        elif project.bursts.runs_through(value.made):
            yield Silence(RULE, place, "A program makes it that does one piece of work and ends.")
        else:
            yield _finding(project, value, value.made, unheard == "throws")


def _finding(project: Project, value: LibraryObject, made: Ref, throws: bool) -> Finding:
    name = f"`{project.callee_name(made)}`"
    if throws:
        message = (
            f"{name} makes a client without a listener for `error`. When the connection is lost, Node.js throws the "
            "event that has no listener as an uncaught exception, and the process ends."
        )
    else:
        message = (
            f"{name} makes a client without a listener for `error`: when the connection is lost, the library prints "
            "`Unhandled error event` to the console, and your log and alerts know nothing."
        )
    handed = project.handed_out.may_listen(made)
    trail = [project.step(ref, "handed to code outside the project") for ref in handed[:2]]
    trail.append(project.step(made, "the client"))
    copy = value.origin.method is not None and value.parent is not None
    listening = '`client.on("error", (error) => log.error(error))`'
    help_ = f"Listen before it connects: {listening}. The client then connects again by itself."
    if copy:
        help_ = f"A copy has no listeners of the client that it was made from. {help_}"
    precision = Precision.LOW if handed else Precision.HIGH
    ends = project.one_off.is_script(made, project.usage.closed_at(made))
    level = Level.WARNING if throws and not ends else Level.NOTE
    place, symbol = project.place(made), project.symbol(made)
    return Finding(RULE, level, precision, message, place, tuple(trail), symbol, help=help_)
