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
            place = self._place(ref, seen[0])
            if self._is_awaited(place):
                continue
            waiting = [site for site in seen if self._waits(site)]
            if waiting and (len(waiting) == len(seen) or self._is_taken_for_reply(place)):
                yield BlockingCall(place, waiting[0].command, waiting[0].receiver)
        for batch in self._usage.batches:
            if not batch.object.is_async:
                for ref in batch.executed:
                    if not self._is_awaited(ref):
                        yield BlockingCall(ref, "A batch", batch.object)
        yield from self._listening()

    def _place(self, ref: Ref, site: CommandSite) -> Ref:
        """Where a command waits: what calls a coroutine that passes the command on awaits that, not the reply."""
        if site.inner is None:
            return ref
        index = self._ev.store.files[site.inner[0]]
        scope = index.function_of(index.facts.exprs[site.inner[1]].block)
        return site.inner if index.facts.scopes[scope].is_async else ref

    def _is_taken_for_reply(self, ref: Ref) -> bool:
        """Whether a coroutine drops what a call gives, or hands it on for the reply, and awaits neither: a client that
        waits is meant, whatever else a derived class may have.
        """
        index = self._ev.store.files[ref[0]]
        scope = index.function_of(index.facts.exprs[ref[1]].block)
        if not index.facts.scopes[scope].is_async or ref[1] in index.argument_of or ref[1] in index.jump_with:
            return False
        bindings = index.bound_to.get(ref[1], ())
        uses = [use for one in bindings for use in index.by_name.get(one.name, ())]
        if any(binding.name == one.name for one in bindings for use in uses for binding in index.bound_to.get(use, ())):
            return False  # `reply = await reply`
        heads = {one.head for one in index.facts.blocks}
        if any(index.argument_of[use][0] in heads for use in uses if use in index.argument_of):
            return False  # `if isawaitable(reply): await reply`
        return not bindings or any(use in index.argument_of and not self._is_awaited((ref[0], use)) for use in uses)

    def _listening(self) -> Iterator[BlockingCall]:
        """Calls that wait for what others publish, ``pubsub.listen()``, or for a lock."""
        for ref in self._ev.touching():
            values = [self._ev.flow.values[token] for token in self._ev.edges.calls.sites.get(ref, ())]
            methods = [one for one in values if isinstance(one, LibraryMethod)]
            methods = [one for one in methods if one.object.made is not None] or methods
            if methods and not self._is_awaited(ref) and all(_listens(one) or _locks(one) for one in methods):
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


def _locks(method: LibraryMethod) -> bool:
    """Whether a method of a lock that a client in sight gives asks the server, and waits for it."""
    held = method.object
    known = held.kind == "lock" and held.made is not None and not held.is_async
    return known and method.name in held.origin.library.library.locking


def _is_made(value: LibraryObject) -> bool:
    """Whether the client was seen being made: it counts where another one is merely declared, as types may be wrong."""
    current = value
    while current.parent is not None:
        current = current.parent
    return current.made is not None
