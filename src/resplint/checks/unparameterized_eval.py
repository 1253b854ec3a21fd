"""RL301: the text of a Lua script is put together from run-time data."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.facts import NONE
from resplint.findings import Finding, Level, Precision
from resplint.link.project import Project
from resplint.link.text import CONFIGURED, RUNTIME, Part
from resplint.link.usage import CommandSite
from resplint.link.values import ParameterValue, Ref

RULE = "RL301"
_CARRIERS = ("EVAL", "EVAL_RO", "SCRIPT LOAD", "FUNCTION LOAD")


def check(project: Project) -> Iterator[Finding]:
    """Report script texts that vary from call to call; those that vary from process to process are notes."""
    seen: set[Ref] = set()
    for site in project.commands:
        number = _text(project, site)
        if number == NONE or site.ref in seen:
            continue
        if _passed_through(project, site.file, number):
            continue
        parts = project.texts.parts(site.file, number)
        varying = [part for part in parts if part.kind == RUNTIME] or [
            part for part in parts if part.kind == CONFIGURED
        ]
        if varying:
            seen.add(site.ref)
            yield _finding(project, site, varying)


def _text(project: Project, site: CommandSite) -> int:
    """Expression of the Lua text, NONE when the command carries none."""
    if site.raw and site.command in _CARRIERS:
        return project.usage.argument(site, 0)
    if site.raw or site.method.script_index < 0:
        return NONE
    return project.usage.argument(site, site.method.script_index, site.method.script_parameter)


def _passed_through(project: Project, file: int, number: int) -> bool:
    """A thin wrapper hands on a whole text that its callers (none of them known) give it: nothing is put together
    here.
    """
    values = project.values(file, number)
    return bool(values) and all(isinstance(value, ParameterValue) for value in values)


def _finding(project: Project, site: CommandSite, varying: list[Part]) -> Finding:
    runtime = varying[0].kind == RUNTIME
    name = site.command or "SCRIPT LOAD"
    source = next((part.reason for part in varying if part.reason), "run-time data")
    trail = [
        project.step(part.ref, f"this part of the script is {part.reason or 'run-time data'}") for part in varying[:4]
    ]
    trail.append(project.step(site.ref, f"the text is sent to {name} here"))
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
    place = project.place(site.ref)
    return Finding(RULE, level, Precision.HIGH, message, place, tuple(trail), project.symbol(site.ref))
