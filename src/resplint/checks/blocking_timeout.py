"""RL104: a blocking command may wait at least as long as the client's read timeout, or for ever."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.findings import Finding, Level, Precision, Step
from resplint.link.arguments import Option
from resplint.link.project import Project
from resplint.link.usage import CommandSite
from resplint.link.values import Ref
from resplint.link.waits import Timeout, Wait

RULE = "RL104"


def check(project: Project) -> Iterator[Finding]:
    """Report waits that outlast the client's read timeout, and waits without end."""
    seen: set[Ref] = set()
    for site in project.commands:
        if site.ref in seen or site.receiver.kind == "pipeline":
            continue
        wait = project.waits.longest(site)
        if wait is None:
            continue
        timeout = project.waits.cut_by(site)
        if wait.seconds == 0 or (timeout is not None and timeout.seconds <= wait.seconds):
            seen.add(site.ref)
            yield _finding(project, site, wait, timeout)


def _finding(project: Project, site: CommandSite, wait: Wait, timeout: Timeout | None) -> Finding:
    trail: list[Step] = []
    made = site.receiver.made
    if made is not None:
        trail.append(project.step(made, "the client is made here"))
    if timeout is not None and timeout.option.ref is not None:
        trail.append(
            project.step(timeout.option.ref, f"its '{_name(timeout.option)}' is set to {_seconds(timeout.seconds)}")
        )
    if wait.ref is not None:
        trail.append(project.step(wait.ref, f"the wait is {_seconds(wait.seconds) if wait.seconds else 'without end'}"))
    trail.append(project.step(site.ref, f"{site.command} blocks here"))
    level = Level.ERROR if timeout is not None else Level.WARNING
    message = _message(project, site, wait, timeout)
    return Finding(
        RULE, level, Precision.HIGH, message, project.place(site.ref), tuple(trail), project.symbol(site.ref)
    )


def _name(option: Option) -> str:
    return option.model.name if option.model else "timeout"


def _seconds(seconds: float) -> str:
    return f"{seconds:g} s"


def _message(project: Project, site: CommandSite, wait: Wait, timeout: Timeout | None) -> str:
    how_long = f"up to {_seconds(wait.seconds)}" if wait.seconds else "for ever"
    if timeout is None:
        return (
            f"'{site.command}' may block for ever, and the client has no read timeout that is known. A connection "
            "that died unnoticed "
            "is never given up: block for a few seconds at a time in a loop."
        )
    option = timeout.option
    if option.ref is not None:
        source = f"set in {project.spot(option.ref)}"
    elif option.given:
        source = "as the configuration says"
    else:
        source = f"the default of {project.options.version(site.receiver, site.file).phrase()}"
    return (
        f"'{site.command}' may block {how_long}, but this client's '{_name(option)}' is {_seconds(timeout.seconds)} "
        f"({source}). The "
        "client gives up first and raises a timeout while the server goes on waiting: keep the wait below the "
        "timeout, or use a "
        "client of its own with a longer one."
    )
