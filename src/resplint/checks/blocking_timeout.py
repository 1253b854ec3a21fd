"""RL104: a blocking command may wait at least as long as the client's read timeout, or for ever."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from resplint import facts
from resplint.facts import NONE
from resplint.findings import Finding, Level, Precision, Step
from resplint.knowledge.records import WaitModel
from resplint.link.options import Option
from resplint.link.project import Project, as_number
from resplint.link.usage import CommandSite
from resplint.link.values import Const, LibraryObject, Ref

RULE = "RL104"
_PER_SECOND = {"s": 1.0, "ms": 1000.0}


@dataclass(frozen=True)
class _Wait:
    """How long a call may block: `seconds` 0 is for ever. `ref` is the expression that says so, if one does."""

    seconds: float
    ref: Ref | None


def check(project: Project) -> Iterator[Finding]:
    """Report waits that outlast the client's read timeout, and waits without end."""
    seen: set[Ref] = set()
    for site in project.commands:
        if site.ref in seen or site.receiver.kind == "pipeline":
            continue
        wait = _longest(project, site)
        if wait is None:
            continue
        timeout = _timeout(project, site.receiver)
        if wait.seconds == 0 or (timeout is not None and timeout[0] <= wait.seconds):
            seen.add(site.ref)
            yield _finding(project, site, wait, timeout)


def _longest(project: Project, site: CommandSite) -> _Wait | None:
    """The longest wait that can be told; for ever is longest. None when the call does not block or nothing is known."""
    waits = [wait for wait in _waits(project, site) if wait.seconds >= 0]
    if not waits:
        return None
    return min(waits, key=lambda wait: (wait.seconds != 0, -wait.seconds))


def _waits(project: Project, site: CommandSite) -> list[_Wait]:
    if site.raw:
        return _raw_waits(project, site)
    model = site.method.wait
    if model is None:
        return []
    number = project.usage.argument(site, model.index, model.parameter)
    if number == NONE:
        if project.usage.spreads(site):
            return []
        return _constant(model, model.default, None)
    found = []
    for value in project.values(site.file, number):
        if isinstance(value, Const):
            given = model.none_means if value.value is None else value.value
            found += _constant(model, given, (site.file, number))
    return found


def _constant(model: WaitModel, value: object, ref: Ref | None) -> list[_Wait]:
    number = as_number(value)
    return [] if number is None else [_Wait(number / _PER_SECOND[model.unit], ref)]


def _raw_waits(project: Project, site: CommandSite) -> list[_Wait]:
    """The wait of a command that is sent as words."""
    model = project.usage.model(site)
    call = project.store.expr(site.ref)
    if model is None or not model.raw_wait or not isinstance(call, facts.Call):
        return []
    words = [item.value for item in call.arguments if not item.name][site.method.raw_index + 1 :]
    if any(item.name == "*" for item in call.arguments) or not words:
        return []
    place = {"last": words[-1], "first": words[0]}.get(model.raw_wait, NONE)
    if model.raw_wait == "block":
        for word, following in pairwise(words):
            texts = [v.value for v in project.values(site.file, word) if isinstance(v, Const)]
            if any(isinstance(text, str) and text.upper() == "BLOCK" for text in texts):
                place = following
    numbers = project.numbers(site.file, place) if place != NONE else None
    return [_Wait(number / _PER_SECOND[model.raw_wait_unit], (site.file, place)) for number in numbers or ()]


def _timeout(project: Project, receiver: LibraryObject) -> tuple[float, Option] | None:
    """The shortest read timeout in seconds that the client applies to blocking commands; None when it has none."""
    if not receiver.origin.library.library.blocking_uses_read_timeout:
        return None
    option = project.options.effective(receiver, "read_timeout")
    if option is None or option.model is None or option.unknown:
        return None
    if option.given:
        numbers = [as_number(v.value) for v in option.values if isinstance(v, Const)]
    else:
        numbers = [as_number(option.default)]
    known = [number for number in numbers if number is not None and number > 0]
    scale = _PER_SECOND.get(option.model.unit, 1.0)
    return (min(known) / scale, option) if known else None


def _finding(project: Project, site: CommandSite, wait: _Wait, timeout: tuple[float, Option] | None) -> Finding:
    trail: list[Step] = []
    made = site.receiver.made
    if made is not None:
        trail.append(project.step(made, "the client is made here"))
    if timeout is not None and timeout[1].ref is not None:
        trail.append(project.step(timeout[1].ref, f"its '{_name(timeout[1])}' is set to {_seconds(timeout[0])}"))
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


def _message(project: Project, site: CommandSite, wait: _Wait, timeout: tuple[float, Option] | None) -> str:
    how_long = f"up to {_seconds(wait.seconds)}" if wait.seconds else "for ever"
    if timeout is None:
        return (
            f"'{site.command}' may block for ever, and the client has no read timeout that is known. A connection "
            "that died unnoticed "
            "is never given up: block for a few seconds at a time in a loop."
        )
    option = timeout[1]
    if option.ref is not None:
        source = f"set in {project.spot(option.ref)}"
    elif option.given:
        source = "as the configuration says"
    else:
        source = f"the default of {project.options.version(site.receiver, site.file).phrase()}"
    return (
        f"'{site.command}' may block {how_long}, but this client's '{_name(option)}' is {_seconds(timeout[0])} "
        f"({source}). The "
        "client gives up first and raises a timeout while the server goes on waiting: keep the wait below the "
        "timeout, or use a "
        "client of its own with a longer one."
    )
