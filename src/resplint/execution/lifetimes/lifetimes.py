"""What code takes and has to give back: connections that a pool lends, and clients that it opens for one use.

Who gets such a thing owes that it is given back. A function that returns it hands the duty on to its callers; one that
stores it in a field or hands it to an object has somebody else to do it. For all others the ways out are looked at.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import replace
from functools import cached_property

from resplint.bind.exit_paths import mentions
from resplint.bind.index import FileIndex, parts
from resplint.bind.values import (
    LibraryObject,
    Ref,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.escape.escape_analysis import Keeping
from resplint.execution.frequency.frequency import Frequency
from resplint.execution.frequency.run_sites import Runs
from resplint.execution.lifetimes.dropped import Dropped
from resplint.execution.lifetimes.exit_states import Exit
from resplint.execution.lifetimes.fates import Fate, Taken
from resplint.execution.lifetimes.fields import field_of, own_field
from resplint.execution.lifetimes.following import Following, Walks, is_managed
from resplint.execution.lifetimes.giving_back import GivingBack
from resplint.execution.lifetimes.held_by_objects import HeldByObjects
from resplint.execution.lifetimes.unseen_lenders import declared, unseen_loans
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import ClientLibrary
from resplint.redis.options.options import Options
from resplint.redis.usage import Usage

_HANDS = 4
"""How far a thing is followed through the functions that return it, or that it is handed to."""
_OPENED = ("client", "cluster", "connection", "pool")


class Lifetimes:
    """Answers for everything that is taken in the selected files."""

    def __init__(self, graph: Graph, usage: Usage, options: Options, frequency: Frequency) -> None:
        self._graph = graph
        self._usage = usage
        self._options = options
        self._frequency = frequency
        self._walks = Walks(graph)
        self._back = GivingBack(graph)
        self._dropped = Dropped(graph, self._back, frequency.keeper)
        self._objects = HeldByObjects(graph, usage, frequency, self._back, self._walks)

    @cached_property
    def fates(self) -> list[Fate]:
        """What becomes of each thing that is taken, by place."""
        found: dict[Ref, Fate] = {}
        for taken in [*self._lent(), *self._opened()]:
            for fate in self._fates(taken, 0, found):
                found.setdefault(fate.taken.ref, fate)
        return list(found.values())

    def is_to_given_address(self, fate: Fate) -> bool:
        """Whether a client goes to an address that the callers of its function say, nobody knows how often, and is
        never closed: one of each address stays open. A function that writes others may leave it to them.
        """
        if fate.gives or fate.taken.through or fate.runs.kind != "unknown":
            return False
        index = self._graph.store.files[fate.taken.ref[0]]
        call = index.facts.exprs[fate.taken.ref[1]]
        scope = index.function_of(call.block)
        if any(one.parent == scope for one in index.facts.scopes):
            return False
        given = [item.value for item in call.arguments] if isinstance(call, facts.Call) else []
        named = [index.facts.exprs[part] for one in given for part in parts(index.facts.exprs, one)]
        return any(isinstance(one, facts.Name) and (scope, one.name) in index.parameters for one in named)

    # -- what is taken -------------------------------------------------------------------------------------------------

    def _lent(self) -> Iterator[Taken]:
        graph = self._graph
        graph.solve()
        found: dict[Ref, tuple[LibraryObject, ClientLibrary]] = {}
        for ref in graph.flow.object_places:
            if graph.store.is_judged(ref[0]) and ref[1] >= 0:
                for value in graph.carried(*ref):
                    if isinstance(value, LibraryObject) and value.made == ref and self._lends(value):
                        found.setdefault(ref, (value, (value.parent or value).origin.library))
        pools = {pool.made: held for pool, held in self._usage.making.pools_of_anything}
        for ref, methods in graph.sites:
            if ref in found or not graph.store.is_judged(ref[0]):
                continue
            for method in methods:
                models = graph.catalogue.overloads(method.object.origin, method.name)
                if any(model.lends or model.returns_element for model in models):
                    known = [one for one in graph.carried(*ref) if isinstance(one, LibraryObject)]
                    held = known[0] if known else pools.get(method.object.made)
                    if held is not None and held.kind in _OPENED:
                        found.setdefault(ref, (held, method.object.origin.library))
        for ref, held in (*unseen_loans(graph, self._back), *self._lent_by_own_pools()):
            found.setdefault(ref, (held, held.origin.library))
        for ref in sorted(found, key=lambda one: (one[0], graph.store.expr(one).start)):
            yield Taken(ref, found[ref][0], True, ref, found[ref][1])

    def _lent_by_own_pools(self) -> Iterator[tuple[Ref, LibraryObject]]:
        """Calls of functions that lend from a pool of the project's own, with what they give."""
        for lender in self._back.pools.lenders():
            for site in self._graph.callers.of(*lender):
                if not self._graph.store.is_judged(site.file):
                    continue
                values = [
                    *self._graph.carried(*site.ref),
                    declared(self._graph, self._graph.store.files[site.file], site.ref[1]),
                ]
                held = [one for one in values if isinstance(one, LibraryObject) and one.kind in _OPENED]
                if held:
                    yield site.ref, held[0]

    def _lends(self, value: LibraryObject) -> bool:
        method = value.origin.method
        return method is not None and (method.lends or method.returns_element)

    def _opened(self) -> Iterator[Taken]:
        for value in self._usage.made:
            constructor, method = value.origin.constructor, value.origin.method
            own = constructor.own_pool if constructor is not None else bool(method and method.own_pool)
            shared = constructor is not None and constructor.shared
            if value.made is None or value.kind not in _OPENED or value.origin.factory is not None or shared:
                continue
            if own and not value.origin.type.closes_itself and self._back.all_ends(value.origin.library):
                if not self._lends(value) and not self._options.shares_pool(value):
                    yield Taken(value.made, value, False, value.made, value.origin.library)

    # -- what becomes of it --------------------------------------------------------------------------------------------

    def _fates(self, taken: Taken, depth: int, known: Container[Ref]) -> Iterator[Fate]:
        index = self._graph.store.files[taken.ref[0]]
        expr = index.facts.exprs[taken.ref[1]]
        kept = self._frequency.keeper.of(*taken.ref)
        handing = self._hands_out(index, taken, kept)
        if handing != NONE:
            for fate in self._of_callers(index, taken, handing, depth, known):
                if fate.taken.ref == taken.ref or self._is_taken_up(fate.taken.through[-1]):
                    yield fate
            return
        if taken.lent and (fields := self._fields(index, taken, kept)):
            yield self._fate(index, taken, kept, fields)
            return
        if taken.lent and (runs := self._left_in_objects(index, taken, kept)) is not None:
            yield Fate(taken, (Exit("end", expr.end),), runs=runs)
            return
        if taken.lent and (lost := self._lost_in_field(index, taken, kept)) is not None:
            yield lost
            return
        if not taken.lent and (ways := self._dropped.exits(index, taken.ref[1], kept, taken.value.origin.library)):
            yield Fate(taken, tuple(ways), runs=self._frequency.code(*taken.ref))
            return
        if not taken.lent and (fields := self._overwritten(index, taken, kept)):
            yield self._fate(index, taken, kept, fields)
            return
        if not taken.lent and (left := list(self._objects.fates(index, taken, kept))):
            yield from left
            return
        excuse = self._excused(index, taken, kept)
        if excuse:
            yield Fate(taken, excuse=excuse)
        elif kept.returned and self._gives_back_itself(index, taken, kept):
            yield self._fate(index, taken, replace(kept, returned_by=NONE))
        elif taken.lent and kept.returned and self._is_given_back_here(index, taken, kept):
            yield Fate(taken, excuse="The function that returns it has given it back before.")
        elif kept.returned and not self._hidden(index, taken, kept):
            if not taken.lent and self._for_each_request(index, kept.returned_by):
                yield Fate(taken, (Exit("return", expr.end),), runs=self._runs(index, taken))
            yield from self._of_callers(index, taken, kept.returned_by, depth, known)
        elif taken.ref not in known:
            yield self._fate(index, taken, kept)

    def _gives_back_itself(self, index: FileIndex, taken: Taken, kept: Keeping) -> bool:
        """Whether a generator hands a connection out and gives it back when it goes on."""
        home = index.function_of(index.facts.exprs[taken.ref[1]].block)
        if not index.facts.scopes[home].is_generator or kept.returned_by != home:
            return False
        following = Following(self._graph, self._back, index, taken, kept)
        following.run()
        return bool(following.taking.given)

    def _is_given_back_here(self, index: FileIndex, taken: Taken, kept: Keeping) -> bool:
        """Whether a function that returns a connection gives it back in any case first, in ``finally``."""
        following = Following(self._graph, self._back, index, taken, kept)
        following.run()
        home, names = index.function_of(index.facts.exprs[taken.ref[1]].block), following.taking.names
        for number in following.taking.given:
            for one in index.enclosing_blocks(index.facts.exprs[number].block, home):
                head = index.facts.blocks[one].head
                if index.facts.blocks[one].kind == "if" and not any(mentions(index, head, name) for name in names):
                    return False  # what else decides whether the caller still has it
        exits = self._walks.exits(index, following.taking) if following.taking.given else None
        return exits is not None and not any(one.way in ("return", "end") for one in exits)

    def _fields(self, index: FileIndex, taken: Taken, kept: Keeping) -> frozenset[str]:
        """The fields of the object that hold it as long as one call of a method lasts: it gives it back itself, and no
        method does that only takes it over.
        """
        fields = frozenset(own_field(index, write.target) for write in kept.members)
        home = index.function_of(index.facts.exprs[taken.ref[1]].block)
        owner = index.class_of(home)
        if not fields or "" in fields or kept.module or kept.returned or owner == NONE:
            return frozenset()
        following = Following(self._graph, self._back, index, taken, kept, fields)
        following.run(index.facts.scopes[owner].block)
        giving = {index.function_of(index.facts.exprs[one].block) for one in following.taking.given}
        taking = {
            index.function_of(write.block) for write in index.facts.writes if own_field(index, write.target) in fields
        }
        return fields if home in giving and giving <= taking and not following.passed else frozenset()

    def _overwritten(self, index: FileIndex, taken: Taken, kept: Keeping) -> frozenset[str]:
        """The field into which a method puts a new client at each call, and closes it itself unless something fails."""
        fields = frozenset(own_field(index, write.target) for write in kept.members)
        home = index.function_of(index.facts.exprs[taken.ref[1]].block)
        if not fields or "" in fields or kept.module or kept.returned or index.facts.scopes[home].is_constructor:
            return frozenset()
        if any(self._frequency.keeper.guarded(index.number, write) for write in kept.members):
            return frozenset()
        following = Following(self._graph, self._back, index, taken, kept, fields)
        following.run()
        if following.passed or following.registered or not following.taking.given:
            return frozenset()
        exits = self._walks.exits(index, following.taking)
        return fields if exits and all(one.way == "raise" for one in exits) else frozenset()

    def _left_in_objects(self, index: FileIndex, taken: Taken, kept: Keeping) -> Runs | None:
        """How often a function makes an object for itself that holds one in a field, and neither gives it back nor lets
        anybody else have it; None where there is no such object.
        """
        home = index.function_of(index.facts.exprs[taken.ref[1]].block)
        owner = index.class_of(home)
        fields = {own_field(index, write.target) for write in kept.members}
        if not fields or "" in fields or owner == NONE or not index.facts.scopes[home].is_constructor:
            return None
        if kept.module or kept.returned or kept.handed_over or self._graph.classes.subclasses(index.number, owner):
            return None
        if self._frequency.roles.is_singleton(index.number, owner):
            return None
        made: set[tuple[int, int]] = set()
        for site in self._graph.callers.of_class(index.number, owner):
            if not self._frequency.keeper.of(*site.ref).only_local:
                continue
            runs = self._frequency.code(*site.ref)
            other = self._graph.store.files[site.file]
            place = (site.file, other.function_of(other.facts.exprs[site.call].block))
            if runs.kind == "operation" or place in made:  # a function that makes two drops the first one
                if any(self._leaves_object(index, owner, field, taken) for field in fields):
                    return None
                return runs.after(site.ref, f"a new `{index.facts.scopes[owner].name}` is made")
            made.add(place)
        return None

    def _leaves_object(self, index: FileIndex, owner: int, field: str, taken: Taken) -> bool:
        """Whether code somewhere closes what is in a field, or takes it out of there."""
        graph = self._graph
        for file, number in graph.store.named(field):
            other = graph.store.files[file]
            expr = other.facts.exprs[number]
            if isinstance(expr, facts.Name) or own_field(other, number):
                if file != index.number or not own_field(other, number) or not other.within(expr.block, owner):
                    continue  # of another class, or a local variable
            if number in other.argument_of or other.bound_to.get(number) or number in other.jump_with:
                return True
            holder = other.parents.get(number)
            member = other.facts.exprs[holder] if holder is not None else None
            if isinstance(member, facts.Member) and self._back.ends(taken.library, member.name):
                return True
        return False

    def _lost_in_field(self, index: FileIndex, taken: Taken, kept: Keeping) -> Fate | None:
        """The fate of what goes into a field again and again and is lost there: nobody closes what is in the field, or
        it takes the place of one that is found to be broken. None for anything else.
        """
        names = {index.target_name(write.target) or "" for write in kept.members}
        if not names or "" in names or kept.module:
            return None
        following = Following(self._graph, self._back, index, taken, kept, frozenset(names))
        following.run()
        if following.taking.given or following.passed:
            return None
        replacing = [write for write in kept.members if self._replaces_broken(index, taken, write)]
        if replacing:
            exits = tuple(Exit("replaced", index.facts.exprs[write.target].start) for write in replacing)
            return Fate(taken, exits, runs=self._frequency.code(*taken.ref), listens=following.listens)
        if kept.returned or any(self._frequency.keeper.guarded(index.number, write) for write in kept.members):
            return None
        runs = self._frequency.code(*taken.ref)
        if runs.kind != "operation" or not runs.certain or any(self._is_taken_out(one, taken) for one in names):
            return None
        parent = taken.value.parent.made if taken.value.parent is not None else None
        if parent is not None and self._usage.closed_at(parent) and self._frequency.made_at(*parent).kind != "once":
            return None
        return Fate(taken, (Exit("end", index.facts.exprs[taken.ref[1]].end),), runs=runs, listens=following.listens)

    def _replaces_broken(self, index: FileIndex, taken: Taken, write: facts.Write) -> bool:
        """Whether a store in a field depends on what is there: ``if (!jedis.isConnected()) jedis = …``."""
        name, exprs = own_field(index, write.target), index.facts.exprs
        home = index.function_of(write.block)
        blocks = [index.facts.blocks[one] for one in index.enclosing_blocks(write.block, home)]
        heads = [one.head for one in blocks if one.kind == "if" and one.head != NONE]
        body = index.facts.blocks[index.facts.scopes[home].block]
        heads += [
            one.condition
            for one in exprs
            if isinstance(one, facts.Choice)
            and body.start <= one.start < body.end
            and one.condition != NONE
            and any(taken.ref[1] in parts(exprs, option) for option in one.options)
        ]
        asked = [exprs[part] for head in heads for part in parts(exprs, head)]
        callees = [exprs[one.callee] for one in asked if isinstance(one, facts.Call)]
        return bool(name) and any(
            isinstance(one, facts.Member) and own_field(index, one.object) == name for one in callees
        )

    def _is_taken_out(self, field: str, taken: Taken) -> bool:
        """Whether code somewhere closes what is in a field of this name, or takes it out of there."""
        for file, number in self._graph.store.named(field):
            index = self._graph.store.files[file]
            if not isinstance(index.facts.exprs[number], facts.Member) and not own_field(index, number):
                continue  # a local variable
            if number in index.jump_with or index.bound_to.get(number) or index.written_to.get(number):
                return True
            if number in index.argument_of:
                call = index.facts.exprs[index.argument_of[number][0]]
                assert isinstance(call, facts.Call)
                if self._back.handed(index, call, number, taken.value.origin.library) != "uses":
                    return True
            holder = index.parents.get(number)
            member = index.facts.exprs[holder] if holder is not None else None
            if isinstance(member, facts.Member) and self._back.ends(taken.value.origin.library, member.name):
                return True
        return False

    def _for_each_request(self, index: FileIndex, scope: int) -> bool:
        """Whether a framework calls a function for each request and only takes what it returns, so that nobody closes
        it: a generator would go on behind its ``yield``.
        """
        role = self._frequency.roles.of(index.number, scope)
        return role is not None and role.name == "provider_per_request" and not index.facts.scopes[scope].is_generator

    def _hands_out(self, index: FileIndex, taken: Taken, kept: Keeping) -> int:
        """The method that borrows at each call, puts it into a field and returns what is in there; NONE where a check
        stands before that, or other methods give back what is in the field.
        """
        home = index.function_of(index.facts.exprs[taken.ref[1]].block)
        owner = index.class_of(home)
        stores = [*kept.members, *kept.module]
        if not taken.lent or kept.returned or owner == NONE or not stores:
            return NONE
        fields = frozenset(field_of(index, owner, one) for one in stores)
        if "" in fields or any(self._frequency.keeper.guarded(index.number, one) for one in stores):
            return NONE
        values = [jump.value for jump in index.jumps.get(home, ()) if jump.kind == "return" and jump.value != NONE]
        values = [one for one in values if getattr(index.facts.exprs[one], "type", "") != "none"]
        if not values or not all(own_field(index, one) in fields for one in values):
            return NONE
        following = Following(self._graph, self._back, index, taken, kept, fields)
        following.run(index.facts.scopes[owner].block)
        giving = {index.function_of(index.facts.exprs[one].block) for one in following.taking.given}
        return home if giving <= {home} and not following.passed else NONE

    def _is_taken_up(self, call: Ref) -> bool:
        """Whether the code around a call does something with what it returns."""
        index, number = self._graph.store.files[call[0]], call[1]
        if index.bound_to.get(number) or index.written_to.get(number) or number in index.argument_of:
            return True
        return index.parents.get(number) is not None or number in index.jump_with

    def _of_callers(
        self, index: FileIndex, taken: Taken, scope: int, depth: int, known: Container[Ref]
    ) -> Iterator[Fate]:
        yield Fate(taken, excuse="It is returned, so that it is up to the caller to give it back.")
        if depth >= _HANDS or self._frequency.roles.memoised(index.number, scope):
            return
        handed = self._handed_back(index, scope)
        if handed:
            for ran, call in handed:
                if call not in taken.through:
                    through = (*taken.through, ran, call)
                    yield from self._fates(replace(taken, ref=call, through=through), depth + 1, known)
            return
        callers = self._graph.callers
        for ref in (*(site.ref for site in callers.of(index.number, scope)), *callers.reads(index.number, scope)):
            if ref in taken.through or not self._graph.store.is_judged(ref[0]):
                continue
            values = self._graph.carried(*ref)
            if any(isinstance(one, LibraryObject) and one.origin.type is taken.value.origin.type for one in values):
                through = (*taken.through, ref)
                yield from self._fates(replace(taken, ref=ref, through=through), depth + 1, known)

    def _handed_back(self, index: FileIndex, scope: int) -> list[tuple[Ref, Ref]]:
        """Where a function runs another one that is written in its call, and returns what that gives, with that call:
        ``traced(() -> pool.borrowObject())`` has the connection, no other call of ``traced`` has. An overload that
        drops what is given is not meant.
        """
        found = []
        for handing in self._graph.callers.handings(index.number, scope):
            kept = self._frequency.keeper.of(*handing.site.ref)
            if (
                kept.returned
                and kept.returned_by == handing.taker.scope
                and self._graph.store.is_judged(handing.call[0])
            ):
                found.append((handing.site.ref, handing.call))
        return found

    def _hidden(self, index: FileIndex, taken: Taken, kept: Keeping) -> bool:
        """Whether a function returns what speaks over a connection, and not the connection: ``connect().sync()``."""
        returned = [
            one
            for jump in index.jumps.get(kept.returned_by, ())
            if jump.value != NONE
            for one in self._graph.carried(index.number, jump.value)
            if isinstance(one, LibraryObject)
        ]
        return bool(returned) and not any(one.origin.type is taken.value.origin.type for one in returned)

    def _excused(self, index: FileIndex, taken: Taken, kept: Keeping) -> str:
        expr = index.facts.exprs[taken.ref[1]]
        scope = index.facts.scopes[index.function_of(expr.block)]
        if scope.kind == "module":
            return "It is kept as long as the program runs."
        if scope.kind == "class" or kept.module or kept.members:
            return "It is kept in a field or a variable of the module, whose owner closes it."
        home = index.function_of(expr.block)
        if any(one.scope != home and index.within(index.facts.scopes[home].block, one.scope) for one in kept.names):
            return "It is kept in a variable of the function around, which may close it."
        if is_managed(index, taken.ref[1], kept, taken.library.library.closing_cursors):
            return "A statement that manages it closes it when it is left."
        if any(self._is_closed_by_mark(index, name) for name in kept.names):
            return "An annotation has it closed at the end of the block that declares it."
        return ""

    def _is_closed_by_mark(self, index: FileIndex, binding: facts.Binding) -> bool:
        """Whether an annotation of a local name has what it holds closed when its block is left."""
        marks = self._graph.roles(index.number).words.closing_marks
        named = [index.facts.exprs[one] for one in binding.decorators if marks]
        numbers = [
            one.callee if isinstance(one, facts.Call) else number
            for number, one in zip(binding.decorators, named, strict=False)
        ]
        return any(self._graph.binder.dotted(index.number, number) in marks for number in numbers)

    def _fate(self, index: FileIndex, taken: Taken, kept: Keeping, fields: frozenset[str] = frozenset()) -> Fate:
        if kept.returned and taken.value.made is not None and self._usage.closed_at(taken.value.made):
            return Fate(taken, excuse="It is closed by way of what the function returns.")
        following = Following(self._graph, self._back, index, taken, kept, fields)
        following.run()
        if following.passed:
            return Fate(taken, excuse=following.passed)
        runs = self._runs(index, taken)
        if fields and not taken.lent:
            runs = self._frequency.unseen_calls(*taken.ref, "opens it and closes it again")
        if following.listens and not taken.lent and runs.kind == "once":
            runs = self._frequency.code(*taken.ref)  # one for each stream lives as long as that
        again = runs.kind == "operation" and runs.certain
        if following.registered and (following.taking.given or not again):  # what only uses it does not close it later
            return Fate(taken, excuse="A function that is registered to be called later uses it.")
        exits = self._walks.exits(index, following.taking)
        if exits is None:
            return Fate(taken, excuse="A function inside closes it, and nobody knows when it is called.")
        gives = tuple((index.number, one) for one in sorted(following.taking.given))
        if not exits:
            return Fate(taken, (), gives, listens=following.listens)
        expr = index.facts.exprs[taken.ref[1]]
        role = self._frequency.roles.of(index.number, index.function_of(expr.block))
        whole = role is not None and role.name == "main" and runs.kind == "once"
        uses = tuple((index.number, one) for one in sorted(following.taking.uses))
        return Fate(taken, tuple(exits), gives, runs=runs, with_program=whole, listens=following.listens, uses=uses)

    def _runs(self, index: FileIndex, taken: Taken) -> Runs:
        runs = Runs("once") if taken.lent else self._frequency.made_at(*taken.ref)
        if taken.lent or (runs.kind == "once" and _is_in_generator(index, taken)):
            return self._frequency.code(*taken.ref)  # a generator has one as long as somebody takes its values
        return runs


def _is_in_generator(index: FileIndex, taken: Taken) -> bool:
    return index.facts.scopes[index.function_of(index.facts.exprs[taken.ref[1]].block)].is_generator
