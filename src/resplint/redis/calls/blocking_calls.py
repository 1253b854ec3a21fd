"""Calls that hold their thread until the server has answered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.values import LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import LibrarySection
from resplint.redis.usage import CommandSite, Usage


@dataclass(frozen=True, slots=True)
class BlockingCall:
    """Such a call; `what` names the command, or what sends a batch."""

    ref: Ref
    what: str
    receiver: LibraryObject


class BlockingCalls:
    """Finds them among the commands and batches of the project."""

    def __init__(self, evaluator: Graph, usage: Usage) -> None:
        self._ev = evaluator
        self._usage = usage

    def all(self) -> Iterator[BlockingCall]:
        """Commands of clients that wait, replies that are waited for, batches that are sent; by place."""
        for ref, sites in self._usage.by_place.items():
            seen = [site for site in sites if _is_made(site.receiver)] or sites
            if seen and all(self._waits(site) for site in seen) and not self._is_awaited(ref):
                yield BlockingCall(ref, seen[0].command, seen[0].receiver)
        for batch in self._usage.batches:
            if not batch.object.is_async:
                for ref in batch.executed:
                    if not self._is_awaited(ref):
                        yield BlockingCall(ref, "A batch", batch.object)
        yield from self._listening()

    def _listening(self) -> Iterator[BlockingCall]:
        """Calls that wait for what others publish: ``pubsub.listen()``."""
        for ref in self._ev.touching():
            values = [self._ev.flow.values[token] for token in self._ev.edges.calls.sites.get(ref, ())]
            methods = [one for one in values if isinstance(one, LibraryMethod)]
            if methods and not self._is_awaited(ref) and all(_listens(one) for one in methods):
                yield BlockingCall(ref, f"`{methods[0].name}()`", methods[0].object)

    def _waits(self, site: CommandSite) -> bool:
        section = site.receiver.origin.library.library
        if site.receiver.kind == "pipeline" or not site.command:
            return False
        if site.receiver.is_async or (section.async_suffix and site.name.endswith(section.async_suffix)):
            return self._is_waited_for(site.ref, section)
        return True

    def _is_waited_for(self, ref: Ref, library: LibrarySection) -> bool:
        """Whether the reply is waited for where it is asked for: ``commands.get(key).get()``. What takes the longest
        time as an argument is another function without one: a coroutine's ``commands.get(key).await()`` suspends.
        """
        index = self._ev.store.files[ref[0]]
        parent = index.parents.get(ref[1])
        member = index.facts.exprs[parent] if parent is not None else None
        call = index.facts.exprs[index.call_of[parent]] if parent is not None and parent in index.call_of else None
        if not isinstance(member, facts.Member) or not isinstance(call, facts.Call):
            return False
        return member.name in library.waiting or (member.name in library.waiting_at_most and bool(call.arguments))

    def _is_awaited(self, ref: Ref) -> bool:
        """Whether the call, or one that it is handed to, is awaited, so that its client is no waiting one after all."""
        index = self._ev.store.files[ref[0]]
        call = index.facts.exprs[ref[1]]
        place = index.argument_of.get(ref[1])
        outer = index.facts.exprs[place[0]] if place is not None else None
        return any(isinstance(one, facts.Call) and one.awaited for one in (call, outer))


def _listens(method: LibraryMethod) -> bool:
    return method.name in method.object.origin.library.library.listens and not method.object.is_async


def _is_made(value: LibraryObject) -> bool:
    """Whether the client was seen being made: it counts where another one is merely declared, as types may be wrong."""
    current = value
    while current.parent is not None:
        current = current.parent
    return current.made is not None
