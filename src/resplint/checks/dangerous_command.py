"""RL407: an application sends a command that concerns all clients of the server."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import Ref
from resplint.contracts.decisions import Decision, Silence, findings
from resplint.contracts.findings import Finding, Level, Precision
from resplint.model.project import Project
from resplint.redis.calls.command_uses import CommandUse

RULE = "RL407"
_CHOSEN = " Whoever asks for it chooses the server, as in a program that administers servers."
_ADMINISTERING = "Let only administrators ask for it, and let it connect as a user of its own (ACL)."


def check(project: Project) -> Iterator[Finding]:
    """Report such commands; where no request, job or message is known that they run for, as a note."""
    return findings(decide(project))


def decide(project: Project) -> Iterator[Decision]:
    """The findings, and why other uses of such commands are fine."""
    seen: set[tuple[Ref, str]] = set()
    for use in project.command_uses.of(name for name, model in project.catalogue.commands.items() if model.danger):
        if (use.ref, use.command) in seen:
            continue
        seen.add((use.ref, use.command))
        if project.purposes.is_test(use.ref):
            yield Silence(RULE, project.place(use.ref), "Only tests run it.")
        elif project.unused.is_dead(use.ref):
            yield Silence(RULE, project.place(use.ref), "Nothing calls the private function that it stands in.")
        else:
            yield _finding(project, use)


def _finding(project: Project, use: CommandUse) -> Finding:
    model = project.catalogue.commands[use.command]
    serving, runs = project.purposes.serving(use.ref), project.frequency.on_one_object(*use.ref)
    by_hand = project.purposes.is_by_hand(use.ref) or (use.site is not None and project.happens_once(use.site))
    chosen = any(project.addresses.chosen(ref) for ref in project.command_uses.makers(use))
    again = not by_hand and not chosen and (serving is not None or runs.kind == "operation")
    callers = serving.way if serving is not None else project.purposes.callers(use.ref)
    often = f", on {runs.why}" if again and runs.kind == "operation" and runs.why else ""
    lasts = model.danger_lasts if not project.command_uses.same_client(use, model.danger_kept_by) else ""
    where = _CHOSEN if chosen else ""
    message = f"{use.command} {model.danger}{lasts}{often}.{where}{_waits(project, use)}"
    trail = (*project.steps((*use.way, *callers)), project.step(use.ref, use.here))
    return Finding(
        RULE, Level.WARNING if again else Level.NOTE, Precision.HIGH, message,
        project.place(use.ref), tuple(dict.fromkeys(trail)), project.symbol(use.ref),
        help=_ADMINISTERING if chosen else model.instead,
    )  # fmt: skip


def _waits(project: Project, use: CommandUse) -> str:
    """What a command costs that could do its work in the background, and is not asked to."""
    known = use.site is not None and "ASYNC" in project.catalogue.commands[use.command].options
    if use.site is None or not known or project.command_options.find(use.site, "ASYNC").there is not False:
        return ""
    return " Without ASYNC no other client is served meanwhile, unless the server frees memory lazily."
