"""RL301: the text of a Lua script is put together from run-time data."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.scripts import ScriptText
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
        varying = [part for part in parts if part.kind == RUNTIME] or [
            part for part in parts if part.kind == CONFIGURED
        ]
        if varying:
            seen.add(script.call)
            yield _finding(project, script, varying)
        elif every and not parts:
            reason = "The text is handed on as callers give it, and none of them is known."
            yield Silence(RULE, project.place(script.call), reason)
        else:
            yield Silence(RULE, project.place(script.call), f"The text sent to '{script.name}' is always the same.")


def _finding(project: Project, script: ScriptText, varying: list[Part]) -> Finding:
    runtime = varying[0].kind == RUNTIME
    name = script.name
    source = next((part.reason for part in varying if part.reason), "run-time data")
    trail = [
        project.step(part.ref, f"this part of the script is {part.reason or 'run-time data'}") for part in varying[:4]
    ]
    trail.append(project.step(script.call, f"the text is sent to {name} here"))
    if runtime:
        message = (
            f"The Lua text sent to '{name}' contains {source}. Every new text is compiled and kept in the server's "
            "script cache, and "
            "whoever controls the data controls the script: keep the text constant and pass the data as KEYS and ARGV."
        )
    else:
        message = (
            f"The Lua text sent to '{name}' contains {source}, so each configuration is a script of its own. Keep the "
            "text constant "
            "and pass the value as KEYS or ARGV."
        )
    level = Level.ERROR if runtime else Level.NOTE
    place = project.place(script.call)
    symbol, fix = project.symbol(script.call), project.scripts.remedy(script)
    return Finding(RULE, level, Precision.HIGH, message, place, tuple(trail), symbol, remedy=fix)
