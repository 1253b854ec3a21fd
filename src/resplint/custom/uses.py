"""What a project does that a rule of a user's own may forbid: commands that it sends, methods that it calls, clients
that it makes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from resplint.bind.values import LibraryMethod, LibraryObject, Ref
from resplint.contracts.findings import Step
from resplint.contracts.forbidding import Forbidden
from resplint.model.project import Project
from resplint.redis.script_commands import ScriptCommand
from resplint.redis.usage import CommandSite


@dataclass(frozen=True, slots=True)
class Use:
    """One of them, at the call `ref`. `steps` lead to it, and `here` says what happens there."""

    ref: Ref
    what: str
    here: str
    steps: tuple[Step, ...] = ()
    object: LibraryObject | None = None
    site: CommandSite | None = None
    """The command, where its arguments are known."""
    script: ScriptCommand | None = None


def of(project: Project, rule: Forbidden) -> Iterator[Use]:
    """What a rule is about, whether its conditions hold or not."""
    if rule.command:
        yield from _commands(project, rule)
    elif rule.method:
        yield from _methods(project, rule)
    else:
        yield from _made(project, rule)


def _commands(project: Project, rule: Forbidden) -> Iterator[Use]:
    named = [one for one in project.named_commands if fits(one.site.command, rule.command)]
    sent_elsewhere = {one.through[-1] for one in project.named_commands}
    for ref, sites in project.usage.by_place.items():
        for site in sites:
            closes = site.name in site.receiver.origin.library.library.closes
            if ref not in sent_elsewhere and not closes and fits(site.command, rule.command):
                yield Use(
                    ref,
                    site.command,
                    _sent(site.command, site.receiver),
                    _maker(project, site.receiver),
                    site.receiver,
                    site,
                )
    for one in named:
        steps = [*_maker(project, one.site.receiver)]
        steps += [project.step(ref, "the name of the command is handed on here") for ref in one.through[:-1]]
        steps.append(project.step(one.through[-1], "the command that is named is sent here"))
        known = one.site if one.whole else None
        here = f"{one.site.command} is named here"
        yield Use(one.site.ref, one.site.command, here, tuple(steps), one.site.receiver, known)
    for script in project.script_commands:
        if fits(script.command, rule.command):
            line = f"{script.command} is called in line {script.line} of this script"
            sender = script.script.site
            steps = [*(_maker(project, sender.receiver) if sender is not None else ())]
            steps.append(project.step(script.text, line))
            receiver = sender.receiver if sender is not None else None
            yield Use(
                script.script.call,
                script.command,
                "the script is passed on here",
                tuple(steps),
                receiver,
                script=script,
            )


def _sent(command: str, receiver: LibraryObject) -> str:
    return f"{command} is {'queued' if receiver.kind == 'pipeline' else 'sent'} here"


def _methods(project: Project, rule: Forbidden) -> Iterator[Use]:
    lasts = {name.rsplit(".", 1)[-1] for name in rule.method}
    for ref in project.ev.touching():
        for token in project.ev.edges.calls.sites.get(ref, ()):
            method = project.ev.flow.values[token]
            if not isinstance(method, LibraryMethod) or method.name not in lasts:
                continue
            origin = method.object.origin
            line = project.catalogue.line(origin.library.library.name, origin.type)
            owners = {*line, *origin.type.also}
            if any(name == method.name or name.rpartition(".")[0] in owners for name in _named(rule, method.name)):
                here = f"'{method.name}' of '{origin.type.name}' is called here"
                yield Use(ref, method.name, here, _maker(project, method.object), method.object)


def _named(rule: Forbidden, method: str) -> list[str]:
    return [name for name in rule.method if name.rsplit(".", 1)[-1] == method]


def _made(project: Project, rule: Forbidden) -> Iterator[Use]:
    for value in project.made:
        if value.made is not None and _has_own(value) and is_named(value, rule.make):
            yield Use(value.made, value.kind, f"a {value.kind} is made here", (), value)


def _has_own(value: LibraryObject) -> bool:
    """Whether an object has connections of its own, and is none that a pool lends or a view of a client."""
    return value.origin.method is None or value.origin.method.own_pool


def is_named(value: LibraryObject, names: Sequence[str]) -> bool:
    """Whether one of the names is the kind, the type or the constructor of an object."""
    origin = value.origin
    own = (value.kind, origin.type.name, *origin.type.also, *(origin.constructor.names if origin.constructor else ()))
    return any(name in own for name in names)


def _maker(project: Project, value: LibraryObject) -> tuple[Step, ...]:
    """The step to the call that made a client, not to one that gave a view of it."""
    current: LibraryObject | None = value
    while current is not None:
        method = current.origin.method
        if current.made is not None and (method is None or method.own_pool):
            return (project.step(current.made, f"the {current.kind} is made here"),)
        current = current.parent
    return ()


def fits(command: str, patterns: tuple[str, ...]) -> bool:
    """Whether a command is one of those that are named, perhaps with stars."""
    return any(fnmatchcase(command, pattern) for pattern in patterns)
