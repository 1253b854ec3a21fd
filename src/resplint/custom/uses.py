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
from resplint.redis.calls.command_uses import made
from resplint.redis.calls.script_commands import ScriptCommand
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
    for use in project.command_uses.all:
        if fits(use.command, rule.command):
            steps = project.steps(use.way)
            yield Use(use.ref, use.command, use.here, steps, use.receiver, use.site, use.script)


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
                yield Use(ref, method.name, here, project.steps(made(method.object)), method.object)


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


def fits(command: str, patterns: tuple[str, ...]) -> bool:
    """Whether a command is one of those that are named, perhaps with stars."""
    return any(fnmatchcase(command, pattern) for pattern in patterns)
