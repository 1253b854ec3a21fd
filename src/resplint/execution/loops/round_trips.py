"""Commands that a loop over data sends one by one, so that each element costs a round trip."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal as OneOf

from resplint.bind.index import FileIndex
from resplint.bind.values import CollectionValue, Const, FunctionValue, LibraryObject, Ref, Reply
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.loops.claims import Claims
from resplint.execution.loops.element_calls import ElementCall, ElementCalls, Wanted
from resplint.execution.loops.few_elements import FewElements, within_few
from resplint.execution.roles import RoleTable
from resplint.flow.graph import Graph
from resplint.knowledge.records.command_records import CommandModel
from resplint.redis.calls.command_options import CommandOptions
from resplint.redis.usage import Batch, CommandSite, Usage

_OVERWRITTEN = ("string", "key", "json")
"""Data types of which a write takes the place of the last one under the same key."""
_FIELD, _VALUE = 1, 2
_DEPTH = 3
"""Functions in each other that are looked into for what they wait for."""
_COUNT, _BY_SCORE, _PLACES = "COUNT", "BYSCORE", ("0", "-1")
_SEVERAL = ("list", "map", "...")


@dataclass(frozen=True, slots=True)
class Sent:
    """What a loop sends for each element: a command, or a whole batch."""

    site: CommandSite
    within: ElementCall
    batch: Batch | None = None
    same_key: bool = False
    """Whether all elements go to one key."""
    queued: bool = False
    """Whether some callers queue the command on a batch."""
    acknowledges: bool = False
    """Whether the command says that the work on one message is done."""
    takes_next: bool = False
    """Whether the command takes the next element out of a collection."""


@dataclass(frozen=True, slots=True)
class RoundTrips:
    """All that one loop sends, in the order of the code: one by one, or (see `at_once`) without waiting in between."""

    file: int
    head: int
    """What the loop runs over, or its condition."""
    sent: tuple[Sent, ...]
    pace: OneOf["", "shared", "other"]
    """Whether each turn of the loop waits for other work, too ("shared"), or something else than the commands sets the
    pace altogether: another server, a lock for each element, messages as they are done with."""

    @property
    def at_once(self) -> bool:
        """Whether no turn waits for the reply that the one before gets."""
        return self.sent[0].within.at_once


class LoopedCommands:
    """Finds loops that send commands one by one."""

    def __init__(self, evaluator: Graph, usage: Usage, roles: RoleTable, options: CommandOptions) -> None:
        self._ev = evaluator
        self._usage = usage
        self._calls = ElementCalls(evaluator, roles)
        self._claims = Claims(evaluator, usage, options)
        self._options = options
        self._few = FewElements(evaluator)

    def all(self) -> list[RoundTrips]:
        """The loops, by place."""
        table: dict[tuple[int, int], list[Sent]] = defaultdict(list)
        for sent in (*self._single(), *self._batches()):
            table[sent.within.file, sent.within.head].append(sent)
        found = [one for place, sents in table.items() if (one := self._loop(*place, self._unclaimed(sents)))]
        return sorted(found, key=lambda one: (one.file, self._order(one.sent[0])))

    def _loop(self, file: int, head: int, sents: list[Sent]) -> RoundTrips | None:
        """What a loop sends one by one: no acknowledgements of messages behind the work on each. Else what it sends all
        at once, if a turn does nothing else and one command could do what all of these do.
        """
        one_by_one = [sent for sent in sents if not sent.within.at_once]
        together = not one_by_one
        sents = one_by_one or [sent for sent in sents if self._is_one_command(sent)]
        pace = self._pace(file, head, sents) if sents else ""
        if together and pace:
            return None
        if pace == "shared" and (done := [sent for sent in sents if sent.acknowledges]):
            sents, pace = [sent for sent in sents if sent not in done], "other"
        if sents and not together and self._lists_few(file, head):
            sents = [replace(sent, within=replace(sent.within, few=True)) for sent in sents]
        return RoundTrips(file, head, tuple(sorted(sents, key=self._order)), pace) if sents else None

    def _lists_few(self, file: int, head: int) -> bool:
        """Whether a loop runs over a reply that the command's own words keep to a few elements."""
        replies = [one for one in self._ev.values(file, head) if isinstance(one, Reply)]
        sites = [site for one in replies for site in self._usage.by_place.get(one.ref, ())]
        return bool(sites) and all(self._asks_for_few(site) for site in sites)

    def _asks_for_few(self, site: CommandSite) -> bool:
        model = self._usage.model(site)
        if model is None:
            return False
        if _COUNT in model.bounded_by:
            given = self._options.find(site, _COUNT).values
            numbers = [one.value for one in given if isinstance(one, Const) and isinstance(one.value, int)]
            return 0 < len(numbers) == len(given) and within_few(max(numbers)) is not None
        ends = self._usage.positional(site)[1 - (site.method.key == -1) :]
        if _PLACES not in model.whole or len(ends) < len(_PLACES):
            return False
        first, last = (self._few.number(site.file, one) for one in ends[:2])
        if first is None or last is None or (first < 0) != (last < 0):
            return False
        return within_few(last - first + 1) is not None and not self._options.find(site, _BY_SCORE).there

    def _order(self, sent: Sent) -> tuple[int, ...]:
        call, path = self._ev.store.expr(sent.within.call), sent.within.path
        return (call.end, path[0][1], sum(self._is_conditional(ref) for ref in path[1:]), len(path), *sent.site.ref)

    def _is_conditional(self, ref: Ref) -> bool:
        """Whether the function around a call comes to it under a condition only."""
        index = self._ev.store.files[ref[0]]
        call = index.facts.exprs[ref[1]]
        return bool(self._conditions(index, index.facts.scopes[index.function_of(call.block)].block, call))

    def _unclaimed(self, sents: list[Sent]) -> list[Sent]:
        """What is sent for each element, and not to claim it or for those that were claimed: the reply says whether
        there is anything to do, so that the commands cannot be collected.
        """
        here = [sent for sent in sents if len(sent.within.path) == 1 and sent.within.loop != NONE]
        covered = [
            (sent.site.file, *stretch) for sent in here for stretch in self._claims.covers(sent.site, sent.within.loop)
        ]
        return [sent for sent in sents if not self._is_within(sent, covered)]

    def _is_within(self, sent: Sent, stretches: list[tuple[int, int, int]]) -> bool:
        call = self._ev.store.expr(sent.within.call)
        return any(
            file == sent.within.file and start <= call.start and call.end <= end for file, start, end in stretches
        )

    def _is_one_command(self, sent: Sent) -> bool:
        """Whether one command could do exactly what a command does for each element."""
        model = self._usage.model(sent.site)
        if model is None or sent.batch is not None or sent.queued:
            return False
        if sent.site.receiver.kind == "cluster" and not sent.same_key:
            return False  # keys of several slots
        if sent.same_key and len(sent.within.path) > 1:
            return False  # the helper is there for more than to add an element
        for file, number in sent.within.path[:-1]:
            call = self._ev.store.expr((file, number))
            values = self._ev.callee(file, call.callee) if isinstance(call, facts.Call) else ()
            if sum(isinstance(one, FunctionValue) for one in values) > 1:
                return False  # one of several functions, of which others may do something else
        whole = model.batch_items if sent.same_key else model.batch_keys
        return whole == sent.site.command or (bool(whole) and model.access == "read")

    # -- what else a turn does -----------------------------------------------------------------------------------------

    def _pace(self, file: int, head: int, sents: list[Sent]) -> OneOf["", "shared", "other"]:
        if any(self._locks(sent) for sent in sents) or self._comes_in_time(file, head):
            return "other"
        slow = [sent for sent in sents if sent.within.slow]
        if any(len(sent.within.path) > 1 or sent.takes_next for sent in slow) or self._blocks(
            file, sents[0].within.loop
        ):
            return "other"
        ours = {ref for sent in sents for ref in sent.within.path}
        loops: dict[tuple[int, int], set[int]] = defaultdict(set)
        helpers: dict[tuple[int, int], set[int]] = defaultdict(set)
        for sent in sents:
            if sent.within.loop != NONE:
                loops[sent.within.file, sent.within.loop].add(sent.within.call[1])
            for ref in sent.within.path[1:]:
                index = self._ev.store.files[ref[0]]
                scope = index.function_of(index.facts.exprs[ref[1]].block)
                helpers[ref[0], index.facts.scopes[scope].block].add(ref[1])
        if any(self._walks(sent) for sent in sents) or self._waits_in(helpers, ours, in_turn=False):
            return "other"
        blocked = any(not sent.site.receiver.origin.type.is_async for sent in slow)
        return "shared" if blocked or self._waits_in(loops, ours, in_turn=True) else ""

    def _blocks(self, file: int, loop: int) -> bool:
        """Whether a turn sends a command that the server answers only when there is something."""
        index = self._ev.store.files[file]
        block = index.facts.blocks[loop] if loop != NONE else None
        calls = index.calls_in(block.start, block.end) if block is not None else ()
        return any(
            site.method.wait is not None or model.raw_wait
            for number, _ in calls
            for site in self._usage.by_place.get((file, number), ())
            if (model := self._usage.model(site)) is not None
        )

    def _waits_in(self, areas: dict[tuple[int, int], set[int]], ours: set[Ref], in_turn: bool) -> bool:
        return any(
            self._waits_for_others(self._ev.store.files[file], area, own, ours, in_turn)
            for (file, area), own in areas.items()
        )

    def _walks(self, sent: Sent) -> bool:
        """Whether the helper that a loop calls comes back to the loop: it walks through a graph or tree."""
        index = self._ev.store.files[sent.within.file]
        loop = self._function(sent.within.call)
        if len(sent.within.path) == 1 or index.facts.scopes[loop[1]].kind != "function":
            return False
        helpers = {self._function(ref) for ref in sent.within.path[1:]}
        return any(self._function(site.ref) in helpers for site in self._ev.callers.of(*loop))

    def _function(self, ref: Ref) -> tuple[int, int]:
        index = self._ev.store.files[ref[0]]
        return ref[0], index.function_of(index.facts.exprs[ref[1]].block)

    def _waits_for_others(self, index: FileIndex, area: int, own: set[int], ours: set[Ref], in_turn: bool) -> bool:
        """Whether a block waits for anything but commands, what sends them for the element, and clients, each time that
        it comes to its `own` calls; of a turn of the loop (`in_turn`), also in a helper.
        """
        block = index.facts.blocks[area]
        head = index.facts.exprs[block.head] if block.head != NONE else None
        inside = index.calls_in(block.start, block.end)
        known = [
            call
            for number, call in inside
            if (index.number, number) in ours or (index.number, number) in self._usage.by_place
        ]
        if head is not None:
            known += [call for _, call in inside if head.start <= call.start and call.end <= head.end]
        return any(
            call.awaited
            and not any(call.start <= one.start and one.end <= call.end for one in known)
            and all(self._comes_along(index, area, call, index.facts.exprs[one], in_turn) for one in own)
            and (not self._works(index, number, call) or (in_turn and self._waits_inside(index, call)))
            for number, call in inside
        )

    def _waits_inside(self, index: FileIndex, call: facts.Call, depth: int = 0) -> bool:
        """Whether a function that a call runs, and that works with a client, waits for something else in any case."""
        functions = [one for one in self._ev.callee(index.number, call.callee) if isinstance(one, FunctionValue)]
        return depth < _DEPTH and bool(functions) and all(self._waits_anyway(one, depth) for one in functions)

    def _waits_anyway(self, function: FunctionValue, depth: int) -> bool:
        index = self._ev.store.files[function.file]
        area = index.facts.scopes[function.scope].block
        block = index.facts.blocks[area]
        leaves = [one for one in index.jumps.get(function.scope, ()) if one.kind == "return" and one.block != area]
        return any(
            inner.awaited
            and index.function_of(inner.block) == function.scope
            and (index.number, number) not in self._usage.by_place
            and not self._conditions(index, area, inner)
            and not any(one.start < inner.start and not self._is_of_nothing(index, one) for one in leaves)
            and (not self._works(index, number, inner) or self._waits_inside(index, inner, depth + 1))
            for number, inner in index.calls_in(block.start, block.end)
        )

    def _is_of_nothing(self, index: FileIndex, jump: facts.Jump) -> bool:
        """Whether a jump is for what is not there, or not as it should be: ``if (!order) continue``."""
        block = index.facts.blocks[jump.block]
        head = index.facts.exprs[block.head] if block.kind == "if" and block.head != NONE else None
        if not isinstance(head, facts.Operation):
            return False
        if head.operator in ("or", "||"):
            pending = list(head.operands)
            return all(self._denies(index, one) for one in pending)
        return self._denies(index, block.head)

    def _denies(self, index: FileIndex, number: int) -> bool:
        expr = index.facts.exprs[number]
        if not isinstance(expr, facts.Operation):
            return False
        nothing = self._ev.roles(index.number).words.nothing_names
        parts = [index.facts.exprs[one] for one in expr.operands]
        return expr.operator == "not" or (
            expr.operator in ("==", "is")
            and any(
                (isinstance(one, facts.Literal) and one.type == "none")
                or (isinstance(one, facts.Name) and one.name in nothing)
                for one in parts
            )
        )

    def _comes_along(self, index: FileIndex, area: int, call: facts.Call, own: facts.Expr, in_turn: bool) -> bool:
        """Whether a block that comes to its own call comes to another one, too: no condition stands around the latter
        alone, and no jump under a condition between them leaves the turn, as one does for what a cache has; of a turn
        (`in_turn`), one may leave it for what is not there.
        """
        around = self._conditions(index, area, own)
        if self._conditions(index, area, call) - around:
            return False
        return not any(
            own.end <= jump.start <= call.start
            and jump.kind in ("continue", "return", "break")
            and not index.contains(jump.block, call.block)
            and not (in_turn and self._is_of_nothing(index, jump))
            for jump in index.by_place.jumps.between(own.end, call.start)
        )

    def _conditions(self, index: FileIndex, area: int, expr: facts.Expr) -> set[int]:
        """The blocks around an expression inside another block that run under a condition."""
        chain = index.enclosing_blocks(expr.block)
        inner = chain[: chain.index(area)] if area in chain else chain
        return {one for one in inner if index.facts.blocks[one].kind in ("if", "else", "except")}

    def _works(self, index: FileIndex, number: int, call: facts.Call) -> bool:
        """Whether a call gives a client, or runs a function that works with one."""
        if any(isinstance(one, LibraryObject) for one in self._ev.carried(index.number, number)):
            return True
        functions = [one for one in self._ev.callee(index.number, call.callee) if isinstance(one, FunctionValue)]
        return any(self._ev.works(one.file, one.scope) for one in functions)

    def _comes_in_time(self, file: int, head: int) -> bool:
        """Whether an asynchronous generator of the project gives the elements as they come."""
        call = self._ev.store.expr((file, head))
        functions = self._ev.callee(file, call.callee) if isinstance(call, facts.Call) else ()
        records = [
            self._ev.store.files[one.file].facts.scopes[one.scope]
            for one in functions
            if isinstance(one, FunctionValue)
        ]
        return any(one.is_async and one.is_generator for one in records)

    def _locks(self, sent: Sent) -> bool:
        """Whether a helper takes a key only if nobody has it."""
        return len(sent.within.path) > 1 and self._claims.takes_if_absent(sent.site)

    # -- single commands -----------------------------------------------------------------------------------------------

    def _single(self) -> Iterator[Sent]:
        queued = {site.ref for batch in self._usage.batches for site in batch.queued}
        for ref, sites in self._usage.by_place.items():
            site = sites[0]
            model = self._usage.model(site)
            alone = [one for one in sites if not one.is_queued]
            if ref in queued or model is None or not alone:
                continue
            if not self._can_be_batched(site, model):
                continue
            wanted = self._wanted(site, model)
            if not wanted.exprs:
                continue
            key = self._usage.key(site) if self._usage.key_file(site) == site.file else NONE
            promised = self._gives_promise(site)
            if model.count_since and key != NONE and len(self._usage.positional(site)) == 1 - (site.method.key == -1):
                within = self._calls.counted(ref, key, promised)
                if within is not None:
                    yield Sent(alone[0], within, same_key=True, takes_next=True)
            for within in self._calls.of(ref, wanted, promised):
                same_key = within.same_key and self._usage.key_file(site) == site.file
                if not self._is_whole(site, model, same_key and len(within.path) == 1):
                    queues = len(alone) < len(sites)
                    yield Sent(alone[0], within, None, same_key, queues, acknowledges=model.acknowledges)

    def _gives_promise(self, site: CommandSite) -> bool:
        """Whether code goes on before the reply of a command is there, unless it waits for it."""
        section = site.receiver.origin.library.library
        waits = bool(section.waiting_suffix) and site.name.endswith(section.waiting_suffix)
        return site.receiver.origin.type.is_async and not waits

    def _can_be_batched(self, site: CommandSite, model: CommandModel) -> bool:
        """Whether several of a command may be sent at once: it reads or writes data, and does not block."""
        if model.access == "none" or model.replies in ("page", "stream") or model.structure == "keyspace":
            return False
        return site.method.wait is None and not model.raw_wait

    def _wanted(self, site: CommandSite, model: CommandModel) -> Wanted:
        """What makes a command one of the element: its key, what it adds, or the field that it writes."""
        index = self._ev.store.files[site.file]
        key = self._usage.key(site) if self._usage.key_file(site) == site.file else NONE
        given = self._given(index, site)
        if model.structure in _OVERWRITTEN and not model.several_keys:
            exprs = [key]
        elif model.structure == "bitmap":
            exprs = [key, *self._fields(index, site, given)[:1]]  # the key and the bit
        elif model.structure == "hash" and site.command != "HMGET":
            exprs = [key, *self._fields(index, site, given)]
        else:
            exprs = [key, *given]
        exprs = list(dict.fromkeys(one for one in exprs if one != NONE))
        keys = (key,) if key != NONE else None
        return Wanted(tuple(exprs), same=self._spoken_to(index, site), keys=keys, changes=model.access == "write")

    def _given(self, index: FileIndex, site: CommandSite) -> list[int]:
        call = index.facts.exprs[site.call]
        if site.words is not None or not isinstance(call, facts.Call):
            return self._usage.positional(site)
        return [item.value for item in call.arguments]

    def _fields(self, index: FileIndex, site: CommandSite, given: list[int]) -> list[int]:
        """The arguments that name fields; those of a map that is written out are its keys."""
        behind = given[_FIELD + self._usage.field_shift(site) :]
        fields: list[int] = []
        for number in behind[:1] if len(behind) == _VALUE else behind:
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Collection) and expr.kind == "map" and not expr.generated:
                fields += expr.keys
            else:
                fields.append(number)
        return fields

    def _spoken_to(self, index: FileIndex, site: CommandSite) -> tuple[int, ...]:
        """The client that a command is sent through: the name at the beginning of ``client.strings().get``. An object
        that is bound to a key differs with the key.
        """
        call = index.facts.exprs[site.call]
        number = call.callee if isinstance(call, facts.Call) and site.method.key != -1 else NONE
        while number != NONE:
            expr = index.facts.exprs[number]
            match expr:
                case facts.Member(object=inner):
                    number = inner
                case facts.Call(callee=callee):
                    number = callee
                case facts.Name():
                    return (number,)
                case facts.Index(object=inner, key=key):
                    return (inner, key)
                case _:
                    return ()
        return ()

    # -- what is several already ---------------------------------------------------------------------------------------

    def _is_whole(self, site: CommandSite, model: CommandModel, same_key: bool) -> bool:
        """Whether each turn sends a command for several at once: the loop goes through blocks of the data."""
        several = site.command in (model.batch_keys, model.batch_items)
        if not several:
            return False
        index = self._ev.store.files[site.file]
        given = self._given(index, site)
        if site.command == model.batch_keys:
            return site.command in ("MGET", "MSET") or any(self._is_several(index, site, one) for one in given)
        return same_key and any(self._is_several(index, site, one) for one in given)

    def _is_several(self, index: FileIndex, site: CommandSite, number: int) -> bool:
        """Whether an argument stands for any number of elements."""
        call = index.facts.exprs[site.call]
        spread = isinstance(call, facts.Call) and any(
            one.name in ("*", "**") and one.value == number for one in call.arguments
        )
        if spread:
            return True
        if isinstance(expr := index.facts.exprs[number], facts.Collection):
            return self._calls.elements.size(CollectionValue((index.number, number))) is None
        if any(word in _SEVERAL for word in site.method.shape):
            return True
        pending = [number]
        if isinstance(expr, facts.Name):
            owner = index.owner(expr.name, index.scope_of(expr.block))
            pending += [one.value for one in index.bindings.get((owner, expr.name), ())]
        parts = [index.facts.exprs[one] for one in pending if one != NONE]
        if any(isinstance(one, facts.Index) and isinstance(index.facts.exprs[one.key], facts.Opaque) for one in parts):
            return True  # a slice
        values = self._ev.values(index.number, number)
        return any(isinstance(one, CollectionValue) and self._calls.elements.size(one) is None for one in values)

    # -- batches -------------------------------------------------------------------------------------------------------

    def _batches(self) -> Iterator[Sent]:
        """Batches that are made, filled and sent anew for each element."""
        for batch in self._usage.batches:
            index = self._ev.store.files[batch.made[0]]
            function = index.function_of(index.facts.exprs[batch.made[1]].block)
            own = [
                site
                for site in batch.queued
                if site.file == index.number and index.function_of(index.facts.exprs[site.call].block) == function
            ]
            if not own or len(own) < len(batch.queued) or len(set(batch.executed)) != 1 or batch.unseen:
                continue
            if batch.controls & {*batch.model.watch} or batch.executed[0][0] != index.number:
                continue
            if any(self._calls.elements.around(index, site.call) for site in own if self._repeats(index, batch, site)):
                continue
            exprs = [
                one for site in own if (model := self._usage.model(site)) for one in self._wanted(site, model).exprs
            ]
            wanted = Wanted(tuple(dict.fromkeys(exprs)), same=self._spoken_to_by(index, batch), changes=True)
            for within in self._calls.of(batch.executed[0], wanted, batch.object.origin.type.is_async):
                if index.number != within.file or len(within.path) > 1 or self._is_in(index, batch, within.loop):
                    yield Sent(own[0], within, batch)

    def _repeats(self, index: FileIndex, batch: Batch, site: CommandSite) -> bool:
        """Whether a loop inside the life of a batch queues a command again and again."""
        return any(not self._is_in(index, batch, loop) for loop in self._calls.elements.around(index, site.call))

    def _is_in(self, index: FileIndex, batch: Batch, loop: int) -> bool:
        block, made = index.facts.blocks[loop], index.facts.exprs[batch.made[1]]
        return block.start <= made.start < block.end

    def _spoken_to_by(self, index: FileIndex, batch: Batch) -> tuple[int, ...]:
        call = index.facts.exprs[batch.made[1]]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        return (callee.object,) if isinstance(callee, facts.Member) else ()
