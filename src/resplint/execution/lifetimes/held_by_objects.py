"""Clients in fields of objects that are made for one operation each, which their makers have to have closed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from resplint.bind.index import FileIndex
from resplint.bind.values import LibraryObject
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.escape.escape_analysis import Keeping
from resplint.execution.frequency.frequency import Frequency
from resplint.execution.frequency.run_sites import Runs
from resplint.execution.lifetimes.exit_states import Exit
from resplint.execution.lifetimes.fates import Fate, Taken
from resplint.execution.lifetimes.fields import own_field
from resplint.execution.lifetimes.following import Following, Walks, is_managed
from resplint.execution.lifetimes.giving_back import GivingBack
from resplint.flow.callers import CallSite
from resplint.flow.graph import Graph
from resplint.redis.usage import Usage


class HeldByObjects:
    """Answers for clients by the fields that they are put into."""

    def __init__(self, graph: Graph, usage: Usage, frequency: Frequency, back: GivingBack, walks: Walks) -> None:
        self._graph = graph
        self._usage = usage
        self._frequency = frequency
        self._back = back
        self._walks = walks

    def fates(self, index: FileIndex, taken: Taken, kept: Keeping) -> Iterator[Fate]:
        """The fates of a client in a field of objects that are made for one operation each: nobody closes it, or not
        on every way out of the function that makes such an object.
        """
        home = index.function_of(index.facts.exprs[taken.ref[1]].block)
        in_class = index.facts.scopes[home].kind == "class"
        owner = home if in_class else index.class_of(home)
        fields = {own_field(index, write.target) for write in kept.members}
        fields |= {one.name for one in kept.module if isinstance(one, facts.Binding) and one.belongs == "object"}
        if owner == NONE or not fields or "" in fields or (kept.module and not in_class):
            return
        runs = self._frequency.made_at(*taken.ref)
        if runs.kind != "operation":
            runs = self._dropped_with_object(index, owner)
        if runs.kind != "operation" or any(self._is_managed(one) for one in fields):
            return
        closing = self._closing_methods(index, owner, taken)
        if closing is None:
            return
        if not closing or not any(self._graph.callers.of(index.number, one) for one in closing):
            sites = self._graph.callers.of_class(index.number, owner) if closing else ()
            if not any(self._runs_by_itself(index, one) for one in closing) and not any(
                self._is_managed_object(one, taken) for one in sites
            ):
                expr = index.facts.exprs[taken.ref[1]]
                yield Fate(taken, (Exit("end", expr.end),), runs=runs, held=True)
            return
        if not in_class and not index.facts.scopes[home].is_constructor:
            return
        names = frozenset(index.facts.scopes[one].name for one in closing)
        for site in self._graph.callers.of_class(index.number, owner):
            yield from self._fate_of_object(site, taken, names)

    def _is_managed_object(self, site: CallSite, taken: Taken) -> bool:
        """Whether a statement or function closes an object that a call makes when it is left."""
        index = self._graph.store.files[site.file]
        kept = self._frequency.keeper.of(*site.ref)
        made = replace(taken, ref=site.ref, through=(*taken.through, site.ref))
        following = Following(self._graph, self._back, index, made, kept)
        following.run()
        return following.closes_behind or is_managed(index, site.call, kept)

    def _fate_of_object(self, site: CallSite, taken: Taken, closers: frozenset[str]) -> Iterator[Fate]:
        """The fate of a client in the function that makes the object which holds it, and nobody else has."""
        index = self._graph.store.files[site.file]
        kept = self._frequency.keeper.of(*site.ref)
        runs = self._frequency.code(*site.ref)
        if runs.kind != "operation" or not runs.certain or not kept.only_local:
            return
        made = replace(taken, ref=site.ref, through=(*taken.through, site.ref))
        if not self._graph.store.is_judged(site.file) or is_managed(index, site.call, kept):
            return
        following = Following(self._graph, self._back, index, made, kept, closers=closers)
        following.run()
        exits = self._walks.exits(index, following.taking)
        if not following.passed and not following.registered and exits:
            gives = tuple((index.number, one) for one in sorted(following.taking.given))
            yield Fate(made, tuple(exits), gives, runs=runs, held=True)

    def _dropped_with_object(self, index: FileIndex, owner: int) -> Runs:
        """How often a function whose callers nobody sees makes an object of a class for what it is given and drops it,
        with the client in its field.
        """
        body = index.facts.blocks[index.facts.scopes[owner].block]
        if any(index.facts.blocks[one].kind == "while" for one in index.blocks_in(body.start, body.end)):
            return Runs("unknown")  # it may serve for a long time
        for site in self._graph.callers.of_class(index.number, owner):
            runs = self._frequency.dropped_by_helper(*site.ref)
            if runs.kind == "operation" and self._graph.store.is_judged(site.file):
                return runs.after(site.ref, f"a new `{index.facts.scopes[owner].name}` is made")
        return Runs("unknown")

    def _closing_methods(self, index: FileIndex, owner: int, taken: Taken) -> set[int] | None:
        """The methods of a class that close a client which it holds, by themselves or by way of each other; None where
        other code does.
        """
        found: set[int] = set()
        pending = [] if taken.value.made is None else list(self._usage.closed_at(taken.value.made))
        body = index.facts.blocks[index.facts.scopes[owner].block]
        library = taken.value.origin.library
        for number, call in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and self._back.ends(library, callee.name):
                held = self._graph.carried(index.number, callee.object)
                if any(isinstance(one, LibraryObject) and one.origin.library is library for one in held):
                    pending.append((index.number, number))
            for item in call.arguments:
                if not own_field(index, item.value):
                    continue
                if self._back.handed(index, call, item.value, library) == "gives":
                    pending.append((index.number, number))
        while pending:
            file, number = pending.pop()
            other = self._graph.store.files[file]
            scope = other.function_of(other.facts.exprs[number].block) if number >= 0 else NONE
            if file != index.number or scope == NONE or index.facts.scopes[scope].parent != owner:
                return None
            if scope not in found:
                found.add(scope)
                pending += [
                    one.ref
                    for one in self._graph.callers.of(file, scope)
                    if one.file == file and self._is_in_class(index, owner, one.call)
                ]
        return found

    def _is_in_class(self, index: FileIndex, owner: int, number: int) -> bool:
        return index.class_of(index.function_of(index.facts.exprs[number].block)) == owner

    def _runs_by_itself(self, index: FileIndex, scope: int) -> bool:
        """Whether a language or a framework calls a method when an object is left: ``__aexit__``, ``onDestroy``."""
        record = index.facts.scopes[scope]
        special = record.name.startswith("__") and record.name.endswith("__")
        return special or bool(record.decorators) or self._frequency.roles.of(index.number, scope) is not None

    def _is_managed(self, field: str) -> bool:
        """Whether a statement that manages it closes what is in a field: ``async with self.client``."""
        for file, number in self._graph.store.named(field):
            index = self._graph.store.files[file]
            if any(one.kind == "with" for one in index.bound_to.get(number, ())):
                return True
            around = index.facts.blocks
            if any(block.kind == "with" and block.head == number for block in around):
                return True
        return False
