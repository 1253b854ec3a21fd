"""RL411: a command or a method of a client library is deprecated."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.contracts.remedy import Remedy
from resplint.knowledge.records.client_records import ReplacementModel
from resplint.model.project import Project
from resplint.redis.calls.command_uses import CommandUse
from resplint.redis.calls.deprecations import GivenUp

RULE = "RL411"


def check(project: Project) -> Iterator[Finding]:
    """Report methods that a library gives up as warnings, deprecated commands as notes."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other uses of deprecated commands are fine."""
    seen: set[Ref] = set()
    for one in project.deprecations.methods():
        if one.ref not in seen:
            seen.add(one.ref)
            yield _of_library(project, one)
    for use in project.command_uses.of(name for name, model in project.catalogue.commands.items() if model.deprecated):
        ref = _place(use)
        if ref not in seen:
            seen.add(ref)
            yield _of_server(project, use, ref)


def _of_library(project: Project, one: GivenUp) -> Finding:
    site = next((site for site in project.usage.by_place.get(one.ref, ()) if site.name == one.method.name), None)
    known = project.deprecations.replacement(site, one.ref[0]) if site is not None else None
    code = one.model.instead or (known.code if known is not None else "")
    certain = one.version.is_named
    name, after = f"`{one.method.name}`", f"since {one.version.library} {one.model.since}"
    has = "the project has" if certain else "assumed here is"
    if one.model.removed:
        message = f"{name} is gone {after}: the call fails with it ({has} {one.version.phrase()})."
    else:
        message = f"{name} is deprecated {after}; {has} {one.version.phrase()}. A later release may remove it."
    successor = project.successor(site, known) if site is not None and known is not None else None
    remedy = _certain(successor, project.server_version(one.ref))
    if one.model.method:
        remedy = project.renamed(one.ref, one.model.method)
    return Finding(
        RULE, Level.WARNING if certain else Level.NOTE, Precision.HIGH, message,
        project.place(one.ref), (project.step(one.ref, f"{name} is called here"),), project.symbol(one.ref),
        remedy=remedy, help=f"Call `{code}` instead.{_besides(known)}" if code else "",
    )  # fmt: skip


def _place(use: CommandUse) -> Ref:
    """Where a command is chosen: not at the calls of a function of the project that bears its name."""
    return use.ref if use.site is None or use.site.inner is None else use.site.inner


def _of_server(project: Project, use: CommandUse, ref: Ref) -> Decision:
    model, place = project.catalogue.commands[use.command], project.place(ref)
    server = project.server_version(ref)
    if server and not project.deprecations.is_since(server, model.deprecated):
        return Silence(RULE, place, f"{use.command} is not deprecated in Redis {server} yet.")
    code, besides, remedy = "", "", None
    if use.site is not None and not project.deprecations.is_named(use.site):
        if not project.deprecations.is_named_after(use.site):
            return Silence(RULE, place, f"The library chooses {use.command} for `{use.site.name}`.")
        known = project.deprecations.replacement(use.site, ref[0])
        if known is None:
            return Silence(RULE, place, f"The library has nothing instead of `{use.site.name}` that is known.")
        code, besides = f": `{known.code}`", _besides(known)
        remedy = project.successor(use.site, known) if ref == use.ref else None
    message = f"{use.command} is deprecated since Redis {model.deprecated} in favour of {model.successor}."
    trail = (*project.steps(use.way), project.step(ref, use.here))
    return Finding(
        RULE, Level.NOTE, Precision.HIGH, message, place, tuple(dict.fromkeys(trail)), project.symbol(ref),
        remedy=_certain(remedy, server), help=f"Use {model.successor}{code}.{besides}",
    )  # fmt: skip


def _besides(known: ReplacementModel | None) -> str:
    return f" {known.besides}" if known is not None and known.besides else ""


def _certain(remedy: Remedy | None, server: str) -> Remedy | None:
    """A fix only where the server is known to have what it uses."""
    return remedy if server else None
