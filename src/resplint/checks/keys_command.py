"""RL402: KEYS, or SCAN for one request, looks at every key of the database."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.execution.purposes import MESSAGE, REQUEST, Purpose
from resplint.model.project import Project
from resplint.redis.calls.command_uses import CommandUse

RULE = "RL402"
_WILD = "*?["
_HOLE = "{}"
_WALK = "SCAN"
_PER_CALL = (REQUEST, MESSAGE)
_KEEP = "Keep the names that a request looks for in a set or sorted set that is written together with the keys."


def check(project: Project) -> Iterator[Finding]:
    """Report KEYS, as a note where nothing runs it again and again, and note SCAN that gathers names for a request."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other uses of KEYS are fine."""
    seen: set[Ref] = set()
    walking = (name for name, model in project.catalogue.commands.items() if model.whole_database)
    for use in project.command_uses.of(walking):
        if use.ref in seen:
            continue
        seen.add(use.ref)
        if project.purposes.is_test(use.ref):
            yield Silence(RULE, project.place(use.ref), "Only tests run it.")
        else:
            yield _finding(project, use)
    yield from _drained(project, seen)


def _drained(project: Project, seen: set[Ref]) -> Iterator[Finding]:
    """Walks with SCAN that gather all names for one request."""
    for use in project.command_uses.of([_WALK]):
        gathered = None if use.ref in seen or use.site is None else project.drained_scans.gathered_at(use.site)
        if gathered is None:  # of most: what a place runs for is far more to find out
            continue
        serving = project.purposes.serving(use.ref)
        if serving is None or serving.what not in _PER_CALL or _is_done_once(project, use.ref):
            continue
        seen.add(use.ref)
        often = (
            f"every call of the {serving.what} handler `{serving.name}`" if serving.name else f"every {serving.what}"
        )
        message = (
            f"SCAN walks the whole database on {often}, in many round trips, and all that it finds is gathered. Other "
            "clients are served in between, but it takes longer than KEYS, and longer with every key of the database."
        )
        trail = (*project.steps(serving.way), project.step(gathered, "what it finds is gathered here"))
        trail = (*trail, project.step(use.ref, use.here))
        yield Finding(
            RULE, Level.NOTE, Precision.VERY_HIGH, message, project.place(use.ref), tuple(dict.fromkeys(trail)),
            project.symbol(use.ref), help=_KEEP,
        )  # fmt: skip


def _is_done_once(project: Project, ref: Ref) -> bool:
    """Whether the function around a place runs once in the life of the program: behind ``if (!started)``."""
    index = project.index(ref)
    return project.frequency.function(ref[0], index.function_of(index.facts.exprs[ref[1]].block)).kind == "once"


def _finding(project: Project, use: CommandUse) -> Finding:
    serving = project.purposes.serving(use.ref)
    seldom = _seldom(project, use)
    pattern = _pattern(project, use)
    callers = serving.way if serving is not None else project.purposes.callers(use.ref)
    trail = (*project.steps((*use.way, *callers)), project.step(use.ref, use.here))
    message = f"{_message(project, use, serving, pattern)} {seldom}".rstrip()
    return Finding(
        RULE, Level.NOTE if seldom else Level.WARNING, Precision.VERY_HIGH, message, project.place(use.ref),
        tuple(dict.fromkeys(trail)), project.symbol(use.ref), help=_help(project, use, pattern),
    )  # fmt: skip


def _seldom(project: Project, use: CommandUse) -> str:
    """What says that nothing runs the command again and again, "" where something may."""
    if project.purposes.is_by_hand(use.ref) or (use.site is not None and project.is_one_off(use.site)):
        return "That also holds for a command that somebody runs by hand."
    if project.one_off.is_only_at_start(use.ref):
        several = len(project.purposes.callers(use.ref)) > 1
        when = "when it starts or ends" if several else "once"
        return f"The program does it {when}, which also holds up those that are running."
    if project.unused.has(use.ref):
        if project.purposes.callers(use.ref):
            return "Only functions that nothing in the project calls come to it; whoever calls one holds up all others."
        return "Nothing in the project calls the function yet; whoever does so holds up all other clients."
    return ""


def _pattern(project: Project, use: CommandUse) -> str:
    """The pattern as its reader would write it, "" if it is not known."""
    if use.script is not None:
        words = use.script.words
        return (words[0] or "") if words else ""
    number = project.usage.argument(use.site, 0) if use.site is not None else -1
    shapes = project.shapes.of(use.ref[0], number) if number >= 0 else ()
    varying = [one for one in shapes if _HOLE in one.template]  # with a default that is known, that is one of its texts
    template = (varying or shapes)[0].template if len(varying or shapes) == 1 else ""
    return template if template.replace(_HOLE, "") else ""


def _message(project: Project, use: CommandUse, serving: Purpose | None, pattern: str) -> str:
    what = f"KEYS {pattern.replace(_HOLE, '{…}')}" if pattern else "KEYS"
    who = f"The Lua script calls `{what}`, which" if use.script is not None else f"`{what}`"
    runs = project.frequency.code(*use.ref)
    often = f" on {runs.why}" if serving is not None and runs.kind == "operation" and runs.why else ""
    return f"{who} looks at every key of the database{often}, and Redis serves no other client until it is done."


def _help(project: Project, use: CommandUse, pattern: str) -> str:
    if pattern and not any(sign in pattern for sign in _WILD) and _HOLE not in pattern:
        return "This pattern has no wildcard: ask for the one key with EXISTS."
    if use.script is not None:
        return "Find the keys outside of the script with SCAN, or keep their names in a set, and pass them as KEYS."
    serving = project.purposes.serving(use.ref) is not None
    walk = project.catalogue.advice(use.library).key_scan if use.library is not None else ""
    scan = f"SCAN{f' (`{walk}`)' if walk else ''}"
    if serving:
        return (
            "Keep the names that you look for in a set that is written together with the keys. "
            f"{scan} lets other clients be served in between, but looks at every key as well."
        )
    return f"Walk the keys in portions with {scan}, or keep the names that you look for in a set."
