"""Calls that a loop over data makes once for each element: there, or in a helper that the loop calls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from resplint.bind.index import FileIndex, children, parts
from resplint.bind.values import (
    CollectionValue,
    External,
    ExternalObject,
    FunctionValue,
    LibraryMethod,
    LibraryObject,
    Ref,
    Reply,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.frequency.conditions import Conditions
from resplint.execution.loops.awaiting import Awaiting
from resplint.execution.loops.later_turns import LaterTurns
from resplint.execution.loops.loop_elements import LoopElements, Variable
from resplint.execution.loops.picked_elements import PickedElements
from resplint.execution.loops.turn_ends import TurnEnds
from resplint.execution.roles import PER_OPERATION, SUBMITTED, RoleTable
from resplint.flow.callers import CallSite
from resplint.flow.graph import Graph
from resplint.text import arguments as calls

_DEPTH = 4
"""How many helpers may lie between a loop and the call: behind more of them, one element means a lot of work."""
_CALLERS = 40
"""Callers of one function that are looked at."""
_CLIENTS = ("client", "cluster", "connection")
_SHOWN = 12
"""Loops that one call is reported for."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What has to differ from turn to turn for a call to belong to the element, and what must not.

    `exprs` are expressions of the call's file, `outer` variables of functions around it. `same` is what the call is
    made on: where that differs as well, each element has a server of its own. `keys` are what the key is made of, as
    far as it is known; with `key_outer` as variables of functions around.
    """

    exprs: tuple[int, ...]
    outer: frozenset[Variable] = frozenset()
    same: tuple[int, ...] = ()
    on_object: bool = False
    """Whether the object of the method around the call has what it is made on."""
    keys: tuple[int, ...] | None = None
    key_outer: frozenset[Variable] = frozenset()
    changes: bool = False
    """Whether the call changes something, so that it must not be made for elements that a loop does not come to."""


@dataclass(frozen=True, slots=True)
class ElementCall:
    """A loop and the call in it; `path` leads from there to the call that was asked about (which is its last one)."""

    file: int
    loop: int
    """Its block; NONE where a collection calls a function that is named: ``names.forEach(this::remove)``."""
    head: int
    """What it runs over, or its condition."""
    path: tuple[Ref, ...]
    few: bool
    """Whether it runs over a handful that the code writes out."""
    slow: bool
    """Whether each turn also waits for another server."""
    at_once: bool = False
    """Whether no turn waits for the call of the one before: the calls are made all at once."""
    picked: bool = False
    """Whether only elements that a test finds equal to one value come to the call."""
    same_key: bool = False
    """Whether the calls of all elements take the same key."""

    @property
    def call(self) -> Ref:
        return self.path[0]


def ways_of_calling(ev: Graph, index: FileIndex, call: facts.Call, ways: Collection[str]) -> list[str]:
    """Those of the ways in which a function of a library calls the one that it is passed for each element:
    ``_.each(names, remove)``, ``async.eachSeries(names, remove)``.
    """
    callee = index.facts.exprs[call.callee]
    rows = ev.roles(index.number).library.get(callee.name, ()) if isinstance(callee, facts.Member | facts.Name) else ()
    rows = tuple(row for row in rows if row.function and row.calls in ways)
    values = ev.callee(index.number, call.callee) if rows and call.arguments else ()
    named = {one.dotted for one in values if isinstance(one, External | ExternalObject)}
    return [row.calls for row in rows if row.function in named]


class ElementCalls:
    """Finds loops around calls, over the callers of the functions in which they stand."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self._roles = roles
        self._awaiting = Awaiting(evaluator)
        self._conditions = Conditions(evaluator)
        self.elements = LoopElements(evaluator)
        self._later = LaterTurns(evaluator, self.elements)
        self._ends = TurnEnds()
        self._picked = PickedElements(evaluator, self.elements)
        self._paced: dict[tuple[int, int], bool] = {}
        self._turns: dict[tuple[int, int], tuple[int | None, bool]] = {}
        self._edges: dict[tuple[int, int], list[CallSite]] = {}
        self._lasts: dict[str, tuple[set[str], set[str]]] = {}

    def of(self, ref: Ref, wanted: Wanted, is_async: bool) -> list[ElementCall]:
        """The loops that make a call for each of their elements: those that wait for it before they go on, and those
        that make all of the calls at once.
        """
        found: dict[tuple[int, int], ElementCall] = {}
        pending: list[tuple[Ref, Wanted, bool, tuple[Ref, ...]]] = [(ref, wanted, is_async, (ref,))]
        seen: set[Ref] = {ref}
        by_callback: set[Ref] = set()  # calls that are over when a function which they are given is called
        while pending and len(found) < _SHOWN:
            place, needed, promised, path = pending.pop(0)
            index = self._ev.store.files[place[0]]
            for one in (
                *self._handed_over(index, place[1], needed, promised, path),
                *self._made_for_each(index, place[1], needed, path),
            ):
                found.setdefault((one.file, one.head), one)
            waiting = self._awaiting.waiting(index, place[1]) if promised else place[1]
            calls_back = forgotten = False
            loop: ElementCall | None = None
            if waiting == NONE or place in by_callback:
                handed_back = place not in by_callback and self._awaiting.is_handed_back(index, place[1])
                calls_back = not handed_back and self._later.calls_back(index, place[1])
                forgotten = not handed_back and not calls_back
            elif not self._repeats(index, place[1], waiting):
                loop = self._loop(index, place[1], needed, path)
            aside = forgotten and len(path) > 1 and place[1] not in index.jump_with  # a helper that nobody waits for
            if loop is None and promised and not aside:
                loop = self._at_once(index, place[1], waiting, needed, path)
            promised = promised and (waiting == NONE or place in by_callback)
            if loop is not None and any(self._is_run_elsewhere(*link) for link in pairwise(path)):
                continue
            if loop is not None:
                picked = self._picked.picks(index, loop.loop, place[1])
                loop = replace(loop, picked=picked, same_key=self._has_same_key(index, loop.loop, needed))
                found.setdefault((loop.file, loop.head), loop)
                if not loop.few and not picked:
                    continue
            if len(path) > 1 and any(
                self._has_servers(index, one, needed) for one in self.elements.around(index, place[1])
            ):
                continue
            if len(path) <= _DEPTH and not forgotten:
                for site, further, waits in self._callers(index, place[1], needed, promised):
                    if site.ref not in seen and not self._conditions.rules_out((site.ref, *path)):
                        seen.add(site.ref)
                        by_callback |= {site.ref} if calls_back else set()
                        pending.append((site.ref, further, waits, (site.ref, *path)))
        return list(found.values())

    def _has_same_key(self, index: FileIndex, loop: int, wanted: Wanted) -> bool:
        """Whether the key is known, and no turn of a loop changes it."""
        return (
            wanted.keys is not None
            and not wanted.key_outer & self.elements.varying(index, loop)
            and not any(self.elements.depends(index, loop, one) for one in wanted.keys)
        )

    def counted(self, ref: Ref, key: int, is_async: bool) -> ElementCall | None:
        """The loop over data around a call that takes the same key at each turn, and waits for it."""
        index = self._ev.store.files[ref[0]]
        waiting = self._awaiting.waiting(index, ref[1]) if is_async else ref[1]
        if waiting == NONE or self._repeats(index, ref[1], waiting):
            return None
        for number in self.elements.around(index, ref[1]):
            if not self.elements.varying(index, number) or self.elements.depends(index, number, key):
                continue
            if self._runs_at_once(index, number) or self.elements.handful(index, number) is not None:
                return None
            if not self._is_excused(index, number, ref[1], changes=False):
                head = index.facts.blocks[number].head
                return ElementCall(ref[0], number, head, (ref,), few=False, slow=self._asks_others(index, number))
        return None

    # -- loops ---------------------------------------------------------------------------------------------------------

    def _loop(self, index: FileIndex, call: int, wanted: Wanted, path: tuple[Ref, ...]) -> ElementCall | None:
        """The innermost loop over data that makes the call for its element, else the innermost one over a handful."""
        handful: ElementCall | None = None
        for number in self.elements.around(index, call):
            if self._runs_at_once(index, number):
                return handful
            if not self._belongs(index, number, wanted) or self._is_excused(index, number, call, wanted.changes):
                continue
            key = (index.number, number)
            if key not in self._turns:
                self._turns[key] = self.elements.handful(index, number), self._asks_others(index, number)
            turns, slow = self._turns[key]
            head = index.facts.blocks[number].head
            one = ElementCall(index.number, number, head, path, turns is not None, slow)
            if turns is None:
                return one
            handful = handful or (one if turns > 1 else None)
        return handful

    def _at_once(
        self, index: FileIndex, call: int, waiting: int, wanted: Wanted, path: tuple[Ref, ...]
    ) -> ElementCall | None:
        """The innermost loop over data that makes the call for its element, and does not wait before it goes on."""
        awaited = index.facts.exprs[waiting] if waiting != NONE else None
        for number in self.elements.around(index, call):
            block = index.facts.blocks[number]
            together = awaited is None or (awaited.start < block.start and block.end <= awaited.end)
            if not together and not self._runs_at_once(index, number):
                return None
            if not self._belongs(index, number, wanted) or self._is_excused(index, number, call, wanted.changes):
                continue
            if self.elements.handful(index, number) is not None:
                return None
            slow = self._asks_others(index, number)
            return ElementCall(index.number, number, block.head, path, few=False, slow=slow, at_once=True)
        return None

    def _repeats(self, index: FileIndex, call: int, waiting: int) -> bool:
        """Whether a loop makes a call many times before its code waits for all of them: ``await gather(*(get(id) for id
        in ids))``.
        """
        around = index.facts.exprs[waiting]
        loops = (index.facts.blocks[number] for number in self.elements.around(index, call))
        return any(around.start < loop.start and loop.end <= around.end for loop in loops)

    def _runs_at_once(self, index: FileIndex, loop: int) -> bool:
        """Whether the function that a collection calls for each element goes on before it is done, as asynchronous
        ones do.
        """
        scope = index.facts.scopes[index.facts.blocks[loop].scope]
        return scope.kind == "comprehension" and scope.block == loop and scope.is_async and bool(scope.parameters)

    def _belongs(self, index: FileIndex, loop: int, wanted: Wanted) -> bool:
        """Whether what is wanted differs at each turn."""
        if self._has_servers(index, loop, wanted):
            return False
        if wanted.outer & self.elements.varying(index, loop):
            return True
        return any(self.elements.depends(index, loop, one) for one in wanted.exprs)

    def _has_servers(self, index: FileIndex, loop: int, wanted: Wanted) -> bool:
        """Whether each element of a loop has a server of its own."""
        return any(
            self.elements.depends(index, loop, one) and not self._is_either(index, loop, one) for one in wanted.same
        )

    def _is_either(self, index: FileIndex, loop: int, number: int) -> bool:
        """Whether a name stands for one of two things that stay the same: ``first if at_home else second``."""
        if not isinstance(index.facts.exprs[number], facts.Name):
            return False
        definitions = self._ev.binder.names(index.number).at(number)
        bound = [index.facts.bindings[one.number] for one in definitions if one.kind == "assign"]
        values = [index.facts.exprs[one.value] for one in bound if one.value != NONE and not one.path]
        return bool(values) and all(
            len(values) == len(definitions)
            and isinstance(value, facts.Choice)
            and value.condition != NONE
            and not any(self.elements.depends(index, loop, option) for option in value.options)
            for value in values
        )

    def _is_excused(self, index: FileIndex, loop: int, call: int, changes: bool) -> bool:
        """Whether the elements come one after the other, or what a turn finds out decides whether there is a next."""
        key = (index.number, loop)
        if key not in self._paced:
            self._paced[key] = self._pauses(index, loop) or self._is_fed(index, loop) or self._is_streamed(index, loop)
        if self._paced[key] or self._follows_failure(index, loop, call) or self._finds_one(index, loop, call):
            return True
        if self._ends.is_last(index, loop, call) or self._ends.is_now_and_then(index, loop, call):
            return True
        head = index.facts.blocks[loop].head
        listed = not changes and any(isinstance(one, Reply) for one in self._ev.values(index.number, head))
        if not listed and self._ends.decides(index, loop, call):
            return True  # of what Redis lists, any number is looked through
        return changes and self._ends_early(index, loop, call)

    def _is_fed(self, index: FileIndex, loop: int) -> bool:
        """Whether each element comes when somebody hands it in: messages, results of other threads."""
        dotted = self._ev.roles(index.number).takes_work
        names, _ = self._last_names(index)
        pending = [index.facts.blocks[loop].head]
        while pending:
            expr = index.facts.exprs[pending.pop()]
            if isinstance(expr, facts.Name):
                bound = index.bindings.get((index.owner(expr.name, index.scope_of(expr.block)), expr.name), ())
                calls_bound = (index.facts.exprs[one.value] for one in bound if one.value != NONE)
                found = [one for one in calls_bound if isinstance(one, facts.Call)]
            else:
                found = [expr] if isinstance(expr, facts.Call) else []
            for call in found:
                callee = index.facts.exprs[call.callee]
                if getattr(callee, "name", "") in names and self._is_one_of(index, call, dotted):
                    return True
                if self._listens(index, call):
                    return True
                if call is expr:  # ``enumerate(as_completed(jobs))``
                    pending += [item.value for item in call.arguments]
        return False

    def _is_streamed(self, index: FileIndex, loop: int, depth: int = 0) -> bool:
        """Whether a loop waits for each of its elements, which do not come from Redis: pieces of an answer as they are
        written, lines as they are sent. A generator of the project hands on what it waits for itself.
        """
        block = index.facts.blocks[loop]
        if not block.waits or depth > _DEPTH:
            return False
        expr = index.facts.exprs[block.head]
        pending = [block.head]
        if isinstance(expr, facts.Name):
            bound = index.bindings.get((index.owner(expr.name, index.scope_of(expr.block)), expr.name), ())
            pending += [one.value for one in bound if one.value != NONE]
        for number in pending:
            call = index.facts.exprs[number]
            values = self._ev.callee(index.number, call.callee) if isinstance(call, facts.Call) else ()
            functions = [one for one in values if isinstance(one, FunctionValue)]
            if functions and all(self._hands_on(one, depth) for one in functions):
                continue
            if functions or any(isinstance(one, LibraryMethod) for one in values):
                return False
            if any(self._is_there_at_once(one, depth) for one in self._ev.values(index.number, number)):
                return False
        return True

    def _is_there_at_once(self, value: Value, depth: int) -> bool:
        """Whether a value is a reply or a collection, and not something that a generator hands on."""
        if not isinstance(value, CollectionValue):
            return isinstance(value, Reply)
        index = self._ev.store.files[value.ref[0]]
        scope = index.function_of(index.facts.exprs[value.ref[1]].block)
        return index.jump_with.get(value.ref[1]) is None or not self._hands_on(
            FunctionValue(index.number, scope), depth
        )

    def _hands_on(self, function: FunctionValue, depth: int) -> bool:
        """Whether a generator gives elements in a loop that waits for each of its own, which do not come from Redis."""
        index = self._ev.store.files[function.file]
        record = index.facts.scopes[function.scope]
        given = [one for one in index.jumps.get(function.scope, ()) if one.kind == "yield"]
        return record.is_generator and any(
            index.facts.blocks[loop].kind == "for" and self._is_streamed(index, loop, depth + 1)
            for one in given
            for loop in index.enclosing_blocks(one.block)
        )

    def _listens(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a call gives messages as they are published: ``pubsub.listen()``."""
        return any(
            isinstance(one, LibraryMethod)
            and (
                one.name in one.object.origin.library.library.listens
                or self._ev.catalogue.command(self._ev.catalogue.command_name(one.name)).replies == "stream"
            )
            for one in self._ev.callee(index.number, call.callee)
        )

    def _is_one_of(self, index: FileIndex, call: facts.Call, names: Collection[str]) -> bool:
        """Whether a call is of a function outside the project that has one of the names."""
        values = self._ev.callee(index.number, call.callee)
        outside = (one.dotted.replace("()", "") for one in values if isinstance(one, External | ExternalObject))
        return any(one in names for one in outside)

    def _last_names(self, index: FileIndex) -> tuple[set[str], set[str]]:
        """Last parts of the names of calls that wait for work, and of those that pause."""
        language = index.facts.language
        if language not in self._lasts:
            roles = self._ev.roles(index.number)
            work, delays = ({one.rpartition(".")[2] for one in names} for names in (roles.takes_work, roles.delays))
            self._lasts[language] = (work, delays)
        return self._lasts[language]

    def _pauses(self, index: FileIndex, loop: int) -> bool:
        """Whether a turn pauses on purpose."""
        block, roles = index.facts.blocks[loop], self._ev.roles(index.number)
        for _, call in index.calls_in(block.start, block.end):
            callee = index.facts.exprs[call.callee]
            name = callee.name if isinstance(callee, facts.Member | facts.Name) else ""
            if name.lower() in roles.words.pausing:
                return True
            if name in self._last_names(index)[1] and self._is_one_of(index, call, roles.delays):
                return True
        return False

    def _follows_failure(self, index: FileIndex, loop: int, call: int) -> bool:
        """Whether a call is made because something failed."""
        around = index.enclosing_blocks(index.facts.exprs[call].block)
        return any(index.facts.blocks[one].kind == "except" for one in around[: around.index(loop)])

    def _finds_one(self, index: FileIndex, loop: int, call: int) -> bool:
        """Whether a call is made for the element that a test picks out, and only what it gives last is used behind the
        loop: ``if "token".equals(cookie.getName()): user = store.user(cookie.getValue())``.
        """
        block = index.facts.blocks[loop]
        chain = index.enclosing_blocks(index.facts.exprs[call].block)
        tests = [index.facts.blocks[one] for one in chain[: chain.index(loop)] if index.facts.blocks[one].kind == "if"]
        picked = any(test.head != NONE and self.elements.depends(index, loop, test.head) for test in tests)
        return picked and any(
            one.kind == "assign"
            and not one.path
            and any(other.start < block.start for other in index.bindings.get((one.scope, one.name), ()))
            and not index.names_between(one.name, block.start, block.end)
            for one in index.bound_to.get(call, ())
        )

    def _ends_early(self, index: FileIndex, loop: int, call: int) -> bool:
        """Whether a turn leaves the loop for what it has found out: the first element that will do is searched for."""
        block = index.facts.blocks[loop]
        start = index.facts.exprs[call].start
        return any(
            jump.kind in ("return", "break") and jump.start >= start - 8 and self._leaves(index, jump.block, loop)
            for jump in index.by_place.jumps.between(block.start, block.end)
        )

    def _leaves(self, index: FileIndex, inner: int, loop: int) -> bool:
        """Whether a jump in a block leaves this very loop, and not one in it; not from a handler of errors."""
        chain = index.enclosing_blocks(inner)
        if loop not in chain:
            return index.contains(inner, loop)  # out of a lambda that runs on the spot
        between = [index.facts.blocks[one] for one in chain[: chain.index(loop)]]
        scope = index.facts.scopes[index.facts.blocks[loop].scope]
        own = scope.kind == "comprehension" and scope.block == loop  # its ``return`` ends a turn
        return not own and not any(one.kind in ("for", "while", "comprehension", "except") for one in between)

    def _asks_others(self, index: FileIndex, loop: int) -> bool:
        """Whether a turn calls another server, too."""
        roots = self._ev.roles(index.number).fallible
        block = index.facts.blocks[loop]
        for _, call in index.calls_in(block.start, block.end) if roots else ():
            for value in self._ev.callee(index.number, call.callee):
                if isinstance(value, External | ExternalObject):
                    if any(value.dotted == root or value.dotted.startswith((f"{root}.", f"{root}(")) for root in roots):
                        return True
        return False

    def _handed_over(
        self, index: FileIndex, call: int, wanted: Wanted, promised: bool, path: tuple[Ref, ...]
    ) -> Iterator[ElementCall]:
        """Collections that call the function around a call for each element, ``names.forEach(this::remove)``, and
        functions that do so in turn: ``async.eachSeries(names, remove)``.
        """
        scope = index.function_of(index.facts.exprs[call].block)
        if index.facts.scopes[scope].kind != "function" or not self._given(index, scope, wanted.exprs).parameters:
            return
        written = index.function_expr.get(scope)
        handed = self._ev.callers.handed_out(index.number, scope)
        for file, number in [*handed, *([(index.number, written)] if written is not None else [])]:
            other = self._ev.store.files[file]
            place = other.argument_of.get(number)
            if place is None:
                continue
            head, at_once = self._passed_through(other, number, place[0], promised)
            if head != NONE:
                way = ((file, place[0]), *path)
                few = self.elements.few(other, head) is not None
                if not (few and at_once):
                    yield ElementCall(file, NONE, head, way, few=few, slow=False, at_once=at_once)

    def _made_for_each(
        self, index: FileIndex, call: int, wanted: Wanted, path: tuple[Ref, ...]
    ) -> Iterator[ElementCall]:
        """Loops that make the function around a call for each element, to be run in turn behind them."""
        scope = index.function_of(index.facts.exprs[call].block)
        for loop in self._later.around(index, scope, call):
            given = self._given(index, scope, wanted.exprs).outer | wanted.outer
            same = self._given(index, scope, wanted.same).outer
            varying, written = self.elements.varying(index, loop), index.function_expr[scope]
            if not given & varying or same & varying or self._is_excused(index, loop, written, wanted.changes):
                continue
            turns = self.elements.handful(index, loop)
            if turns is None or turns > 1:
                yield ElementCall(
                    index.number, loop, index.facts.blocks[loop].head, path, turns is not None, slow=False
                )

    def _passed_through(self, index: FileIndex, function: int, taker: int, promised: bool) -> tuple[int, bool]:
        """The data for whose elements a call runs the function that it is passed, and whether it does so all at once;
        NONE if it does not.
        """
        call = index.facts.exprs[taker]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        if not isinstance(call, facts.Call) or not isinstance(callee, facts.Member | facts.Name):
            return NONE, False
        roles = self._ev.roles(index.number)
        if isinstance(callee, facts.Member) and callee.name in roles.words.element_callbacks:
            return callee.object, promised
        found = ways_of_calling(self._ev, index, call, ("each", "in turn") if promised else ("in turn",))
        others = [item.value for item in call.arguments if item.value != function]
        data = next((one for one in others if not isinstance(index.facts.exprs[one], facts.Function)), NONE)
        if data == NONE:  # ``names.stream().collect(toMap(…, function))``
            taken = index.argument_of.get(taker)
            outer = index.facts.exprs[taken[0]] if taken is not None else None
            around = index.facts.exprs[outer.callee] if isinstance(outer, facts.Call) else None
            data = around.object if isinstance(around, facts.Member) else NONE
        return (data, "in turn" not in found) if found else (NONE, False)

    # -- callers -------------------------------------------------------------------------------------------------------

    def _callers(
        self, index: FileIndex, call: int, wanted: Wanted, promised: bool
    ) -> Iterator[tuple[CallSite, Wanted, bool]]:
        """Calls of the function around a call, with what has to differ there."""
        scope = index.function_of(index.facts.exprs[call].block)
        record = index.facts.scopes[scope]
        if record.kind != "function":
            return
        later = record.is_async and not self._ev.roles(index.number).words.calls_suspend
        given = self._given(index, scope, wanted.exprs)
        same = self._given(index, scope, wanted.same)
        same.receiver = same.receiver or wanted.on_object
        self._take_outer(index, scope, wanted.outer, given)
        number = index.function_expr.get(scope, NONE)
        place = index.argument_of.get(number)
        taker = place[0] if place is not None and given.outer else NONE
        key = self._key(index, scope, call, wanted)
        running = self._running(index, taker, scope) if taker != NONE else set()
        if running and self._is_given_apart(index, taker, number, given.outer):
            taker = NONE
        for site in self._calls_of(index.number, scope):
            further = self._at(site, record, given, same, key, index.number, wanted.changes)
            # What runs the functions of many callers has the variables of this one only where it is handed over.
            if further.exprs or (further.outer and site.ref not in running):
                yield site, further, promised or later
        if taker != NONE and (running or self._runs_there(index, taker)):
            keys = None if key is None or key.parameters or key.receiver else ()
            key_outer = frozenset(key.outer) if key is not None else frozenset[Variable]()
            outer = Wanted((), frozenset(given.outer), (), False, keys, key_outer, wanted.changes)
            yield CallSite(index.number, taker, 0), outer, promised or later

    def _is_run_elsewhere(self, call: Ref, inner: Ref) -> bool:
        """Whether the function around a call runs for requests, messages or tasks, in a thread or a test: what looks
        like a call of it only hands it over.
        """
        index, other = self._ev.store.files[inner[0]], self._ev.store.files[call[0]]
        scope = index.function_of(index.facts.exprs[inner[1]].block)
        expr = other.facts.exprs[call[1]]
        callee = other.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
        if index.facts.scopes[scope].name == getattr(callee, "name", ""):
            return False
        role = self._roles.of(inner[0], scope)
        return role is not None and role.name in (*PER_OPERATION, SUBMITTED, "thread", "test")

    def _calls_of(self, file: int, scope: int) -> list[CallSite]:
        if (file, scope) not in self._edges:
            self._edges[file, scope] = self._ev.callers.of(file, scope)[:_CALLERS]
        return self._edges[file, scope]

    def _take_outer(self, index: FileIndex, scope: int, outer: frozenset[Variable], given: _Given) -> None:
        """Adds variables of functions around to what is wanted: those of this very function are made of what it is
        given.
        """
        own = [one for one in sorted(outer) if one[0] == scope]
        given.outer |= outer.difference(own)
        given.parameters.update(index.parameters[one] for one in own if one in index.parameters)
        values = tuple(item.value for one in own for item in index.bindings.get(one, ()) if item.value != NONE)
        made_of = self._given(index, scope, values)
        given.outer |= made_of.outer
        given.parameters |= made_of.parameters

    def _runs_there(self, index: FileIndex, call: int) -> bool:
        """Whether a call runs a function that is written in its arguments on the spot: a method of a client library
        that hands a connection to it, one that runs a lambda on an object, or one that waits until it is done.
        """
        expr = index.facts.exprs[call]
        callee = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
        name = callee.name if isinstance(callee, facts.Member | facts.Name) else ""
        words = self._ev.roles(index.number).words
        return (
            name in words.scope_functions
            or name in words.run_to_the_end
            or (index.number, call) in self._ev.edges.calls.sites
        )

    def _is_given_apart(self, index: FileIndex, taker: int, function: int, outer: set[Variable]) -> bool:
        """Whether a call that runs a function is also given what the function takes from around it, so that it has
        work of its own to do for each: ``with_lock(id, () => client.get(id))``.
        """
        expr = index.facts.exprs[taker]
        others = (
            [item.value for item in expr.arguments if item.value != function] if isinstance(expr, facts.Call) else []
        )
        values = [item.value for one in outer for item in index.bindings.get(one, ())]
        return not self._variables(index, others).isdisjoint(outer | self._variables(index, values))

    def _variables(self, index: FileIndex, exprs: list[int]) -> set[Variable]:
        """The variables of functions that expressions are made of, and those that these were made of."""
        found: set[Variable] = set()
        pending, seen = list(exprs), set(exprs)
        while pending:
            number = pending.pop()
            if number == NONE:
                continue
            more = list(children(index.facts.exprs[number]))
            if isinstance(index.facts.exprs[number], facts.Name):
                variable = self.elements.variable(index, number)
                if variable[0] in (NONE, 0):
                    continue
                found.add(variable)
                more = [item.value for item in index.bindings.get(variable, ())]
            pending += [one for one in more if one not in seen]
            seen.update(more)
        return found

    def _running(self, index: FileIndex, taker: int, scope: int) -> set[Ref]:
        """The calls of a function in the function of the project that it is written in the arguments of, and that is
        done when they are: ``with_retry(() => client.get(key))``.
        """
        expr = index.facts.exprs[taker]
        values = self._ev.callee(index.number, expr.callee) if isinstance(expr, facts.Call) else ()
        called = {(one.file, one.scope) for one in values if isinstance(one, FunctionValue)}
        found: set[Ref] = set()
        for site in self._calls_of(index.number, scope) if called else ():
            other = self._ev.store.files[site.file]
            if (site.file, other.function_of(other.facts.exprs[site.call].block)) not in called:
                continue
            if (
                not index.facts.scopes[scope].is_async
                or self._awaiting.waiting(other, site.call) != NONE
                or self._awaiting.is_handed_back(other, site.call)
            ):
                found.add(site.ref)
        return found

    def _key(self, index: FileIndex, scope: int, call: int, wanted: Wanted) -> _Given | None:
        """What the key is made of outside of the function around a call; None if it is not known, or the function goes
        through several.
        """
        if wanted.keys is None or any(
            not self._has_same_key(index, loop, wanted) for loop in self.elements.around(index, call)
        ):
            return None
        found = self._given(index, scope, wanted.keys)
        self._take_outer(index, scope, wanted.key_outer, found)
        return found

    def _at(
        self,
        site: CallSite,
        record: facts.Scope,
        given: _Given,
        same: _Given,
        key: _Given | None,
        file: int,
        changes: bool,
    ) -> Wanted:
        other = self._ev.store.files[site.file]
        exprs = self._arguments(other, site, record, given)
        outer = frozenset(given.outer) if site.file == file else frozenset[Variable]()
        spoken_to = self._arguments(other, site, record, replace(same, receiver=False))
        on_object = same.receiver and self._is_on_same_object(other, site)
        if same.receiver and not on_object:
            spoken_to += self._clients_of_receiver(other, site)
        keys = None if key is None else tuple(self._arguments(other, site, record, key))
        key_outer = frozenset(key.outer) if key is not None and site.file == file else frozenset[Variable]()
        return Wanted(tuple(exprs), outer, tuple(spoken_to), on_object, keys, key_outer, changes)

    def _is_on_same_object(self, index: FileIndex, site: CallSite) -> bool:
        """Whether a method calls another one of its object: ``this.clear(name)``, ``clear(name)``."""
        expr = index.facts.exprs[site.call]
        callee = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
        held = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
        scope = index.facts.scopes[index.function_of(expr.block)]
        return isinstance(callee, facts.Name) or (isinstance(held, facts.Name) and held.name == scope.receiver)

    def _clients_of_receiver(self, index: FileIndex, site: CallSite) -> list[int]:
        """The clients in what a method is called on: ``Berths(connection_to(pier)).clear()``, also behind a name."""
        expr = index.facts.exprs[site.call]
        callee = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
        if not isinstance(callee, facts.Member):
            return []
        made = self._ev.binder.names(index.number).only_value(callee.object)
        return [
            one
            for one in parts(index.facts.exprs, made)
            if any(
                isinstance(value, LibraryObject) and value.kind in _CLIENTS
                for value in self._ev.carried(index.number, one)
            )
        ]

    def _arguments(self, index: FileIndex, site: CallSite, record: facts.Scope, given: _Given) -> list[int]:
        """What a call gives for parameters; for the receiver, what it is called on."""
        expr = index.facts.exprs[site.call]
        if not isinstance(expr, facts.Call):
            return []
        found = []
        for position in sorted(given.parameters):
            kind = record.parameters[position].kind
            if kind in ("*", "**"):
                found += [item.value for item in expr.arguments if bool(item.name) == (kind == "**")]
                continue
            number = calls.argument(index, site.call, record, position, site.bound)
            if number is not None and number != NONE:
                found.append(number)
            elif number == NONE:
                found += [item.value for item in expr.arguments if item.name in ("*", "**")]
        callee = index.facts.exprs[expr.callee]
        if given.receiver and isinstance(callee, facts.Member):
            found.append(callee.object)
        return found

    def _given(self, index: FileIndex, scope: int, exprs: tuple[int, ...]) -> _Given:
        """What expressions of a function are made of: its parameters, its receiver, variables of functions around."""
        found = _Given(set(), set(), False)
        pending, seen = list(exprs), set(exprs)
        while pending:
            number = pending.pop()
            expr = index.facts.exprs[number]
            more: list[int] = list(children(expr))
            if isinstance(expr, facts.Name):
                more = self._named(index, scope, number, expr, found)
            pending += [one for one in more if one not in seen and one != NONE]
            seen.update(more)
        return found

    def _named(self, index: FileIndex, scope: int, number: int, expr: facts.Name, found: _Given) -> list[int]:
        """Notes what a name of a function is; the expressions that it is made of, if it is a variable."""
        owner, name = self.elements.variable(index, number)
        record = index.facts.scopes[scope]
        if name == record.receiver or (owner != NONE and index.facts.scopes[owner].kind == "class"):
            found.receiver = True
            return []
        if owner == scope and (owner, name) in index.parameters:
            found.parameters.add(index.parameters[owner, name])
            return []
        if owner in (NONE, 0):
            return []
        if not index.within(index.facts.scopes[owner].block, scope):
            found.outer.add((owner, name))
            return []
        values = [one.value for one in index.bindings.get((owner, name), ())]
        if (owner, name) in index.parameters:  # of a function that is written in place
            place = index.argument_of.get(index.function_expr.get(owner, NONE))
            values += [place[0]] if place is not None else []
            block = index.facts.blocks[index.facts.scopes[owner].block]
            values += [block.head]
        return values


@dataclass(slots=True)
class _Given:
    parameters: set[int]
    outer: set[Variable]
    receiver: bool
