"""RL104: a blocking command may wait at least as long as the client's read timeout, or forever."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision, Step
from resplint.model.project import Project
from resplint.redis.calls.waits import Timeout, Wait
from resplint.redis.options.said import SettingValue
from resplint.redis.options.timeouts import format_duration
from resplint.redis.usage import CommandSite

RULE = "RL104"
_AS_GOOD_AS_FOREVER = 7 * 24 * 3600
"""Seconds from which on a wait is no bound: nobody waits a week for a connection to be found dead."""


def check(project: Project) -> Iterator[Finding]:
    """Report waits that outlast the client's read timeout, and waits without end."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other commands that block are fine."""
    for sites in project.usage.by_place.values():
        decisions = [one for site in sites if (one := _judged(project, site)) is not None]
        found = list(findings(decisions))
        if found:
            yield max(found, key=lambda finding: finding.level.rank)
        else:
            yield from dict.fromkeys(one for one in decisions if isinstance(one, Silence))


def _maker(value: LibraryObject) -> Ref | None:
    """The call that made the client or connection, not one that gave a view of it (``redis.opsForList()``)."""
    current: LibraryObject | None = value
    while current is not None:
        method = current.origin.method
        if method is None or method.own_pool:
            return current.made
        current = current.parent
    return None


def _judged(project: Project, site: CommandSite) -> Decision | None:
    """The decision about a command; None for one that never blocks."""
    place = project.place(site.ref)
    wait = project.waits.longest(site)
    if wait is None:
        blocks = site.method.wait is not None
        reason = f"How long {site.command} waits here is not known, or it does not wait at all."
        return Silence(RULE, place, reason) if blocks else None
    if site.receiver.kind == "pipeline":
        return Silence(RULE, place, f"{site.command} does not block in a pipeline.")
    timeout = project.waits.cut_by(site)
    if 0 < wait.seconds < _AS_GOOD_AS_FOREVER and timeout is None:
        reason = f"{site.command} waits {format_duration(wait.seconds)}, and no timeout is known to end it."
        return Silence(RULE, place, reason)
    if timeout is not None and wait.seconds and timeout.seconds > wait.seconds:
        waits, ends = format_duration(wait.seconds), format_duration(timeout.seconds)
        reason = f"{site.command} waits {waits}, `{_name(timeout)}` is {ends}."
        return Silence(RULE, place, reason)
    return _finding(project, site, wait, timeout)


def _finding(project: Project, site: CommandSite, wait: Wait, timeout: Timeout | None) -> Finding:
    trail: list[Step] = []
    made = _maker(site.receiver)
    if made is not None:
        trail.append(project.step(made, "the client"))
    if timeout is not None:
        text = f"`{_name(timeout)}` is {format_duration(timeout.seconds)}"
        if timeout.option.ref is not None:
            trail.append(project.step(timeout.option.ref, text))
        elif (said := timeout.said) is not None:
            trail.append(Step(said.place, text))
    if wait.ref is not None:
        where = _said_at(project, wait.ref, wait.spelled)
        trail.append(project.step(where, f"the wait: {_in_words(wait) if wait.seconds else '0, which is forever'}"))
    trail.append(project.step(site.ref, f"{site.command} waits"))
    level = Level.WARNING if timeout is None else Level.ERROR
    if timeout is not None and _rests_on_version(project, site, timeout):
        level = Level.NOTE if wait.seconds else Level.WARNING  # older versions would wait forever
    if timeout is None and _nobody_waits(project, site):
        level = Level.NOTE
    message, help_ = _message(project, site, wait, timeout), _help(timeout)
    fix = project.shorter_waits.remedy(site, wait, timeout) if timeout is not None else None
    place, symbol = project.place(site.ref), project.symbol(site.ref)
    return Finding(RULE, level, Precision.HIGH, message, place, tuple(trail), symbol, remedy=fix, help=help_)


def _nobody_waits(project: Project, site: CommandSite) -> bool:
    """Whether a command stands in a method that passes what it is given on to it, and that nothing calls:
    ``return cluster.blpop(0, key)`` for the sake of an interface.
    """
    file, number = site.ref
    index = project.store.files[file]
    call = index.facts.exprs[number]
    if not isinstance(call, facts.Call):
        return False
    scope = index.function_of(call.block)
    given = (index.facts.exprs[item.value] for item in call.arguments)
    passed = any(isinstance(one, facts.Name) and (scope, one.name) in index.parameters for one in given)
    return passed and project.unused.has(site.ref)


def _in_words(wait: Wait) -> str:
    """How long a wait is, in words of a sentence."""
    if not wait.seconds:
        return "forever"
    return format_duration(wait.seconds) if wait.seconds < _AS_GOOD_AS_FOREVER else "practically forever"


def _said_at(project: Project, ref: Ref, spelled: Ref | None) -> Ref:
    """Where a reader sees how long a wait is: at the constant, if that stands on another line than its use."""
    if spelled is None or spelled[1] < 0:
        return ref
    index, other = project.store.files[ref[0]].facts, project.store.files[spelled[0]].facts
    here, there = index.exprs[ref[1]], other.exprs[spelled[1]]
    inside = ref[0] == spelled[0] and index.line(here.start) <= index.line(there.start) <= index.line(here.end)
    return ref if inside else spelled


def _rests_on_version(project: Project, site: CommandSite, timeout: Timeout) -> bool:
    """Whether a timeout is a default that other versions do not have, and nothing says which version is in use: a range
    that allows older ones says no more than none.
    """
    option = timeout.option
    if option.given or option.model is None or timeout.said is not None:
        return False
    if project.options.unbounded_before(site.receiver, option.model, "none"):
        return True
    if project.options.version(site.receiver, site.file).source != "none":
        return False
    return project.options.default_varies(project.options.version_owner(site.receiver.origin.library), option.model)


def _name(timeout: Timeout) -> str:
    if timeout.said is not None:
        return timeout.said.key
    return timeout.option.model.name if timeout.option.model else "timeout"


def _message(project: Project, site: CommandSite, wait: Wait, timeout: Timeout | None) -> str:
    if timeout is None:
        return (
            f"{site.command} waits {_in_words(wait)}, and no read timeout was found that would end it. If the "
            "connection dies unnoticed, this call never returns."
        )
    how_long, ends = _in_words(wait), format_duration(timeout.seconds)
    if 0 < wait.seconds < _AS_GOOD_AS_FOREVER:
        how_long = f"up to {how_long}"
    clause = "and" if timeout.seconds == wait.seconds else "but"
    return (
        f"{site.command} waits {how_long}, {clause} `{_name(timeout)}` is {ends} "
        f"{'as well ' * (clause == 'and')}({_source(project, site, timeout)}). With nothing to read, the client gives "
        f"up after {ends} and raises a timeout error, while the server still waits to answer it."
    )


def _help(timeout: Timeout | None) -> str:
    if timeout is None:
        return "Wait a few seconds at a time, and call it again in a loop."
    return (
        f"Wait less than {format_duration(timeout.seconds)} at a time and call it again in a loop, or use a separate "
        f"client, with a longer `{_name(timeout)}`{_setter(timeout)}, for blocking commands."
    )


def _source(project: Project, site: CommandSite, timeout: Timeout) -> str:
    """Where the timeout comes from."""
    option = timeout.option
    if timeout.said is not None:
        return f"set in {_spot(timeout.said)}"
    if option.ref is not None:
        return f"set in {project.spot(option.ref)}"
    if option.given:
        return "as the configuration says"
    return f"the default of {project.options.version(site.receiver, site.file).phrase()}"


def _spot(said: SettingValue) -> str:
    profile = f" for the profile `{said.profile}`" if said.profile else ""
    return f"{said.place.path}:{said.line}{profile}"


def _setter(timeout: Timeout) -> str:
    """How a longer timeout is set, where that is not by the name of the option."""
    model = timeout.option.model
    if model is None or timeout.said is not None:
        return ""
    if model.setters:
        return f" (`{model.setters[0]}(…)`)" if model.setters[0] != _name(timeout) else ""
    return f" (`{model.settings[0]}`)" if model.settings else ""
