"""Every place where the project has a command sent: through a method that is called or handed over, as words, by a name
that a function is given, or in a Lua script.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from resplint.bind.values import External, LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import ClientLibrary
from resplint.redis.calls.named_commands import NamedCommands
from resplint.redis.calls.script_commands import ScriptCommand, ScriptCommands
from resplint.redis.usage import CommandSite, Usage

Way = tuple[tuple[Ref, str], ...]
"""Places, each with what happens there, in the order in which a reader should visit them."""


@dataclass(frozen=True, slots=True)
class CommandUse:
    """A command at the call `ref`, where it is named. `way` leads to it, and `here` says what happens there."""

    ref: Ref
    command: str
    here: str
    way: Way
    library: ClientLibrary | None
    receiver: LibraryObject | None = None
    site: CommandSite | None = None
    """The command, where its arguments are known."""
    script: ScriptCommand | None = None


class CommandUses:
    """Finds them, by command."""

    def __init__(self, evaluator: Graph, usage: Usage, named: NamedCommands, scripts: ScriptCommands) -> None:
        self._ev = evaluator
        self._usage = usage
        self._named_commands = named
        self._script_commands = scripts

    @property
    def all(self) -> Iterator[CommandUse]:
        """Every use, those of one command side by side."""
        return (use for uses in self._by_command.values() for use in uses)

    def of(self, commands: Iterable[str]) -> list[CommandUse]:
        """The uses of some commands, by the server's names for them."""
        return [use for command in commands for use in self._by_command.get(command, ())]

    def same_client(self, use: CommandUse, command: str) -> bool:
        """Whether a client that is made where this one is sends another command."""
        makers = self.makers(use)
        return any(not makers.isdisjoint(self.makers(one)) for one in self.of([command]))

    def makers(self, use: CommandUse) -> frozenset[Ref]:
        """The call that makes the client of a command, as far as it is known."""
        return frozenset(ref for ref, _ in made(use.receiver)) if use.receiver is not None else frozenset()

    @cached_property
    def _by_command(self) -> dict[str, list[CommandUse]]:
        table: dict[str, list[CommandUse]] = defaultdict(list)
        for use in self._found():
            table[use.command].append(use)
        return table

    def _found(self) -> Iterator[CommandUse]:
        named = self._named_commands.all()
        yield from self._sent({one.through[-1] for one in named})
        for one in named:
            handed = [(ref, "the name of the command is handed on here") for ref in one.through[:-1]]
            way = (*made(one.site.receiver), *handed, (one.through[-1], "the command that is named is sent here"))
            here, known = f"{one.site.command} is named here", one.site if one.whole else None
            receiver = one.site.receiver
            yield CommandUse(one.site.ref, one.site.command, here, way, receiver.origin.library, receiver, known)
        for script in self._script_commands.all():
            yield _of_script(script)
        yield from self._of_frameworks()
        yield from self._handed()

    def _sent(self, elsewhere: set[Ref]) -> Iterator[CommandUse]:
        for ref, sites in self._usage.by_place.items():
            for site in sites:
                library = site.receiver.origin.library
                if ref not in elsewhere and site.name not in library.library.closes:
                    here = f"{site.command} is {'queued' if site.receiver.kind == 'pipeline' else 'sent'} here"
                    yield CommandUse(ref, site.command, here, made(site.receiver), library, site.receiver, site)

    def _handed(self) -> Iterator[CommandUse]:
        """Methods that are handed to something that calls them: ``asyncio.to_thread(client.keys, pattern)``."""
        for index in self._ev.store.judged:
            for number, place in index.argument_of.items():
                expr = index.facts.exprs[number]
                if not isinstance(expr, facts.Member) or not self._ev.catalogue.may_send(expr.name):
                    continue
                methods = [one for one in self._ev.carried(index.number, number) if isinstance(one, LibraryMethod)]
                given = self._ev.carried(index.number, place[0]) if methods else ()
                if (index.number, place[0]) in self._usage.by_place:
                    continue  # what takes it is known to call it with the other arguments
                if methods and not any(isinstance(one, LibraryMethod) for one in given):  # it may be wrapped only
                    yield from self._of_method(methods[0], (index.number, place[0]))

    def _of_method(self, method: LibraryMethod, call: Ref) -> Iterator[CommandUse]:
        library, version = method.object.origin.library, self._ev.version(method.object, call[0]).version
        models = self._ev.catalogue.overloads(method.object.origin, method.name, version)
        command = next((one.command for one in models), "")
        if command and method.name not in library.library.closes:
            here = f"the method that sends {command} is handed over here"
            yield CommandUse(call, command, here, made(method.object), library, method.object)

    def _of_frameworks(self) -> Iterator[CommandUse]:
        """Commands that a framework sends over a client of its own: ``cache.keys(…)`` of Django."""
        senders = self._ev.catalogue.senders
        lasts = {name.rpartition(".")[2] for name in senders}
        for index in self._ev.store.judged:
            for number in (number for last in lasts for number in index.by_name.get(last, ())):
                if number not in index.call_of:
                    continue
                for value in self._ev.named_callee(index.number, number):
                    library, command = senders.get(value.dotted, _NONE) if isinstance(value, External) else _NONE
                    if library is not None and index.facts.language in library.library.languages:
                        here = f"{command} is sent here"
                        yield CommandUse((index.number, index.call_of[number]), command, here, (), library)


_NONE: tuple[None, str] = (None, "")


def _of_script(script: ScriptCommand) -> CommandUse:
    receiver = script.script.site.receiver if script.script.site is not None else None
    line = f"{script.command} is called in line {script.line} of this script"
    way = (*(made(receiver) if receiver is not None else ()), (script.text, line))
    here, library = "the script is passed on here", receiver.origin.library if receiver is not None else None
    return CommandUse(script.script.call, script.command, here, way, library, receiver, script=script)


def made(value: LibraryObject) -> Way:
    """The step to the call that made a client, not to one that gave a view of it."""
    current: LibraryObject | None = value
    while current is not None:
        method = current.origin.method
        if current.made is not None and (method is None or method.own_pool):
            return ((current.made, f"the {current.kind} is made here"),)
        current = current.parent
    return ()
