"""RL301: the text of a Lua script is put together from run-time data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from resplint.bind.values import Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.calls.scripts import ScriptText
from resplint.text.texts import CONFIGURED, RUNTIME, Part

RULE = "RL301"


def check(project: Project) -> Iterator[Finding]:
    """Report script texts that vary from call to call; those that vary from process to process are notes."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other scripts are fine."""
    seen: set[Ref] = set()
    for script in project.scripts.all():
        if script.call in seen:
            continue
        # A thin wrapper hands on a whole text that its callers (none of them known) give it.
        every = project.texts.parts(*script.text)
        parts = [part for part in every if not part.is_handed_on]
        fresh = [replace(part, reason=why) for part in parts if (why := project.scripts.fresh_part(part))]
        varying = (
            [part for part in parts if part.kind == RUNTIME]
            or fresh
            or [part for part in parts if part.kind == CONFIGURED]
        )
        if varying:
            seen.add(script.call)
            yield _finding(project, script, varying)
        elif every and not parts:
            reason = "The text is handed on as callers give it, and none of them is known."
            yield Silence(RULE, project.place(script.call), reason)
        else:
            yield Silence(RULE, project.place(script.call), f"The text sent to '{script.name}' is always the same.")


def _finding(project: Project, script: ScriptText, varying: list[Part]) -> Finding:
    kind = varying[0].kind
    name = script.name if script.name.isupper() else f"`{script.name}`"
    source = next((part.reason for part in varying if part.reason), "run-time data")
    shown = list({part.ref: part for part in reversed(varying)}.values())[::-1][:4]
    trail = [project.step(part.ref, f"part of the script: {part.reason or 'run-time data'}") for part in shown]
    trail.append(project.step(script.call, f"passed to {name}"))
    if kind == RUNTIME:
        message = (
            f"The Lua script passed to {name} contains {source}. Redis compiles and caches a new script for every "
            "value, and whoever controls the value can inject Lua."
        )
    elif kind != CONFIGURED:
        message = (
            f"The Lua script passed to {name} contains {source}. Redis compiles and caches a new script each time."
        )
    else:
        message = (
            f"The Lua script passed to {name} contains {source}, so that Redis compiles and caches one script for each "
            "configuration."
        )
    level = Level.NOTE if kind == CONFIGURED else Level.ERROR
    place = project.place(script.call)
    symbol, fix = project.symbol(script.call), project.scripts.remedy(script)
    help_ = _help(project, script)
    precision = Precision.LOW if kind == CONFIGURED else Precision.MEDIUM
    return Finding(RULE, level, precision, message, place, tuple(trail), symbol, remedy=fix, help=help_)


def _help(project: Project, script: ScriptText) -> str:
    advice = project.catalogue.advice(script.site.receiver.origin.library).script if script.site is not None else ""
    by_hash = f" `{advice}` then sends it by its hash." if advice else ""
    return f"Keep the script constant, and pass what varies as KEYS or ARGV.{by_hash}"
