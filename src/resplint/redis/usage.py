"""What the project does with its clients: the objects it makes, the commands it sends, the batches it fills."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from resplint.bind.values import LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.knowledge.records.command_records import CommandModel
from resplint.redis.batches import Batch, Batches, control_names
from resplint.redis.commands import Commands, CommandSite
from resplint.redis.making import Making

__all__ = ["Batch", "CommandSite", "Usage"]


class Usage:
    """Questions about the selected files, each answered once."""

    def __init__(self, evaluator: Graph) -> None:
        self._graph = evaluator
        self.making = Making(evaluator)
        self._commands = Commands(evaluator, self.making, control_names(evaluator))
        self._batches = Batches(evaluator, self._commands)
        self.argument = self._commands.argument
        self.keyword = self._commands.keyword
        self.positional = self._commands.positional
        self.spreads = self._commands.spreads
        self.key = self._commands.key
        self.key_file = self._commands.key_file
        self.field_shift = self._commands.field_shift

    @cached_property
    def made(self) -> list[LibraryObject]:
        """Every client, cluster, pool, … that the selected files make, by place; not in code that never runs."""
        return [one for one in self.making.made if one.made is None or not self._never_runs(one.made)]

    def _never_runs(self, ref: Ref) -> bool:
        return ref[1] >= 0 and self._graph.store.files[ref[0]].never_runs(ref[1])

    @cached_property
    def commands(self) -> list[CommandSite]:
        """Every command that the selected files send, by place."""
        started = any(self._batches.started)  # finds those that are written as data
        found = [*self._commands.all, *self._batches.data] if started else self._commands.all
        return [site for site in found if not self._never_runs(site.ref)]

    @cached_property
    def with_unsent(self) -> list[CommandSite]:
        """Every command that the selected files send, and those that they write as data and put where nobody is seen to
        send them: ``commands.push(['hset', KEY, id, text])``, if the project sends others like them.
        """
        commands = self.commands
        sent = {site.ref for site in commands}
        receiver = next((site.receiver for site in self._batches.data), None)
        found: list[CommandSite] = []
        for index in self._graph.store.judged if receiver is not None else ():
            for number, expr in enumerate(index.facts.exprs):
                if not isinstance(expr, facts.Collection) or (index.number, number) in sent or receiver is None:
                    continue
                place = index.argument_of.get(number)
                if place is not None and (index.number, place[0]) in sent:
                    continue  # it is the words of a command
                site = self._commands.written_out(index.number, number, receiver)
                if site is not None and not self._never_runs(site.ref):
                    found.append(site)
        return [*commands, *found]

    @property
    def batches(self) -> list[Batch]:
        """Every pipeline that the selected files start, with what they queue on it."""
        return self._batches.all

    @cached_property
    def _by_maker(self) -> dict[Ref, list[CommandSite]]:
        table: dict[Ref, list[CommandSite]] = defaultdict(list)
        for site in self.commands:
            if site.receiver.made is not None:
                table[site.receiver.made].append(site)
        return table

    def sent_through(self, made: Ref) -> list[CommandSite]:
        """Commands that are sent through what a call makes."""
        return self._by_maker.get(made, [])

    @cached_property
    def _by_origin(self) -> dict[Ref, list[CommandSite]]:
        table: dict[Ref, list[CommandSite]] = defaultdict(list)
        for site in self.commands:
            parent = site.receiver.parent
            for made in dict.fromkeys((site.receiver.made, parent.made if parent is not None else None)):
                if made is not None:
                    table[made].append(site)
        return table

    def sent_from(self, made: Ref) -> list[CommandSite]:
        """Commands that are sent through what a call makes, or through what that gives in turn: a subscription."""
        return self._by_origin.get(made, [])

    @cached_property
    def _closings(self) -> dict[Ref, list[Ref]]:
        table: dict[Ref, list[Ref]] = defaultdict(list)
        for ref, tokens in self._graph.edges.calls.sites.items():
            for method in (self._graph.flow.values[token] for token in tokens):
                if isinstance(method, LibraryMethod) and method.object.made is not None:
                    library = method.object.origin.library.library
                    if method.name in library.closes or method.name in library.releases:
                        table[method.object.made].append(ref)
        return table

    def closed_at(self, made: Ref) -> list[Ref]:
        """Calls that close what a call makes."""
        return self._closings.get(made, [])

    @cached_property
    def by_place(self) -> dict[Ref, list[CommandSite]]:
        """The commands of each call site: several where its receiver may be several objects. Those that were seen
        being made leave no room for one of which only the type is known.
        """
        places: dict[Ref, list[CommandSite]] = defaultdict(list)
        for site in self.commands:
            places[site.ref].append(site)
        return {ref: [site for site in sites if _was_made(site.receiver)] or sites for ref, sites in places.items()}

    def model(self, site: CommandSite) -> CommandModel | None:
        """What is known of a site's command."""
        return self._commands.model(site)


def _was_made(value: LibraryObject) -> bool:
    while value.parent is not None:
        value = value.parent
    return value.made is not None or value.subclass is not None
