"""How often code runs: once in the life of a process, or once per operation, request, message or turn of a loop.

`made_at` answers for an object: how often is a *new* one made at this expression? It follows what becomes of the object
(see `keeping`), and for a factory goes on to its callers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from resplint.bind.exit_paths import mentions
from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryObject,
    Ref,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.call_paths import Chains
from resplint.execution.escape.escape_analysis import Keeper, Keeping
from resplint.execution.escape.kept_elsewhere import KeptElsewhere
from resplint.execution.escape.local_objects import LocalObjects
from resplint.execution.frequency.demonstrations import Demonstrations
from resplint.execution.frequency.exemptions import Excuses
from resplint.execution.frequency.higher_order_calls import Handed
from resplint.execution.frequency.makers import Makers
from resplint.execution.frequency.run_sites import Answers, Runs
from resplint.execution.frequency.singletons import Memoising
from resplint.execution.frequency.start_flags import StartFlags
from resplint.execution.lifetimes.giving_back import GivingBack
from resplint.execution.loops.loop_elements import LoopElements
from resplint.execution.loops.loops import Loops
from resplint.execution.loops.turns import Turns
from resplint.execution.roles import ONCE, PER_OPERATION, SUBMITTED, Role, RoleTable
from resplint.flow.callers import CallSite
from resplint.flow.graph import Graph
from resplint.text import arguments as calls

MAX_DEPTH = 8
_SEVERAL = 2
"""Methods that connect anew before they send something, at least: a single one may be the start of an object."""
_TRIALS = 6
"""Callers that may be excused before an answer is given up."""
_NEAR = 2
"""How far up the callers a loop counts: far away it is more likely the structure of a program than its data."""
_EACH_TURN = "every iteration of a loop"
_ONCE, _UNKNOWN = Runs("once"), Runs("unknown")


class Frequency:
    """Answers for functions and for objects."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self.roles = roles
        self.keeper = Keeper(evaluator, roles)
        self._local = LocalObjects(evaluator)
        self._loops = Loops(evaluator)
        self._turns = Turns(evaluator, self._loops)
        self._elements = LoopElements(evaluator)
        self._chains = Chains(evaluator)
        self._exemptions = Excuses(evaluator, roles, self.keeper)
        self._handed = Handed(evaluator, self)
        self._memoising = Memoising(evaluator, self.keeper, self._handed)
        self._flags = StartFlags(evaluator)
        self._demonstrations = Demonstrations(evaluator, roles)
        self._makers = Makers(evaluator, roles)
        self._kept_elsewhere = KeptElsewhere(evaluator)
        self._giving_back = GivingBack(evaluator)
        self._left_out: set[Ref] = set()
        self._functions: dict[tuple[int, int], Runs] = {}
        self._answers = Answers()
        self._depth = 0

    # -- functions -----------------------------------------------------------------------------------------------------

    def function(self, file: int, scope: int) -> Runs:
        """How often a function runs."""
        key = (file, scope)
        known = self._functions.get(key)
        if known is not None:
            return known
        if self._depth > MAX_DEPTH or self._answers.known("function", key, self._depth):
            return _UNKNOWN
        if not self._depth:
            self._answers.forget()
        self._functions[key] = _UNKNOWN  # what recursion sees
        self._depth += 1
        try:
            result = self._function(file, scope)
        finally:
            self._depth -= 1
        if result.kind == "unknown" and self._depth:
            del self._functions[key]  # may be due to the depth; ask again from elsewhere
            self._answers.keep("function", key, self._depth, _UNKNOWN)
        else:
            self._functions[key] = result
        return result

    def _function(self, file: int, scope: int) -> Runs:
        index = self._ev.store.files[file]
        record = index.facts.scopes[scope]
        if record.kind in ("module", "class"):
            return _ONCE
        if self._constructs(file, record) and (owner := index.class_of(scope)) != NONE:
            return self.objects(file, owner)
        role = self.roles.of(file, scope)
        if role is not None and role.name == SUBMITTED and self.code(*role.ref).kind == "once":
            return _ONCE
        if role is not None and role.name in (*PER_OPERATION, SUBMITTED):
            place = role.ref if role.ref[1] != NONE else self._definition(index, scope)
            names = (record.name, *index.callable_names(scope))
            name = next((one for one in names if one not in ("", "default", "exports")), "")
            message = f"{_called(name)} {_does(role.name)} ({role.by})"
            why = f"every call of the {_noun(role.name)} `{name}`" if name else f"every call of a {_noun(role.name)}"
            return Runs("operation", why, ((place, message),))
        if role is not None and role.name in ONCE:
            return self._started(index, scope, role) if role.name == "thread" else _ONCE
        if self._memoised(file, scope) == "process":
            return _ONCE
        runs = self._by_callers(file, scope, record.name)
        return runs if runs.kind != "unknown" else self._around(index, scope)

    def _around(self, index: FileIndex, scope: int) -> Runs:
        """A function written in place as an argument runs at least as often as the code that hands it over; as often,
        if it is run on the spot.
        """
        if (outer := self._run_by(index, scope)) != scope:
            return self.function(index.number, outer)
        number = index.function_expr.get(scope)
        place = index.argument_of.get(number) if number is not None else None
        if place is None:
            return _UNKNOWN
        runs = self.code(index.number, place[0])
        return runs if runs.kind == "operation" else _UNKNOWN

    def _started(self, index: FileIndex, scope: int, role: Role) -> Runs:
        """How often a function runs that is all that a thread does: once in the life of its thread, which each request
        may start anew. A thread that goes on in a loop is no errand of one request.
        """
        body = index.facts.blocks[index.facts.scopes[scope].block]
        blocks = (index.facts.blocks[one] for one in index.blocks_in(body.start, body.end))
        if any(one.kind == "while" for one in blocks):
            return _ONCE
        owner = index.class_of(scope)
        if role.ref[1] >= 0:
            runs = self.code(*role.ref)
        elif owner != NONE:
            runs = self.objects(index.number, owner)
        else:
            return _ONCE
        return runs if runs.kind == "operation" and runs.certain and runs.why != _EACH_TURN else _ONCE

    def _constructs(self, file: int, record: facts.Scope) -> bool:
        """Whether a function runs when an object of its class is made."""
        return record.is_constructor or record.name in self._ev.roles(file).words.constructing

    def _memoised(self, file: int, scope: int) -> str:
        """ "process", "object" or "": for how long the first result of a function is kept."""
        return self.roles.memoised(file, scope) or ("process" if self._memoising.decorated(file, scope) else "")

    def _by_callers(self, file: int, scope: int, name: str) -> Runs:
        if self._is_unused(self._ev.store.files[file], scope):
            return _ONCE
        answers = []
        handings = {one.site.ref: one for one in self._ev.callers.handings(file, scope)}
        for site in self._callers(file, scope):
            runs = self._handed.calls(handings[site.ref]) if site.ref in handings else self.code(site.file, site.call)
            if runs.kind == "operation":
                return runs.after(site.ref, f"call of {_called(name)}")
            answers.append(runs)
        if answers and all(runs.kind == "once" for runs in answers) and not self._ev.callers.escapes(file, scope):
            return _ONCE
        return _UNKNOWN

    def _is_unused(self, index: FileIndex, scope: int) -> bool:
        """Whether a function that stands in another one is named nowhere, so that nothing can call it."""
        record = index.facts.scopes[scope]
        if not record.name or record.decorators or scope in index.function_expr or index.by_name.get(record.name):
            return False
        return record.kind == "function" and index.facts.scopes[record.parent].kind in ("function", "comprehension")

    def _callers(self, file: int, scope: int) -> list[CallSite]:
        return [site for site in self._telling(file, scope) if site.ref not in self._left_out]

    def _telling(self, file: int, scope: int) -> list[CallSite]:
        """The calls of a function that tell how often it runs."""
        sites = self._ev.callers.of(file, scope)
        return [] if sites and self._demonstrations.are_all(file, scope, sites) else sites

    def code(self, file: int, expr: int) -> Runs:
        """How often an expression is evaluated, loops over data included."""
        index = self._ev.store.files[file]
        scope = index.function_of(index.facts.exprs[expr].block)
        return self.looped(file, expr) or self._behind_flag(index, expr) or self.function(file, scope)

    def on_one_object(self, file: int, expr: int) -> Runs:
        """How often a method is called on the same object: a loop through the objects calls it once on each."""
        index = self._ev.store.files[file]
        call = index.facts.exprs[expr]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        for loop in self._elements.around(index, expr) if isinstance(callee, facts.Member) else ():
            if isinstance(callee, facts.Member) and self._elements.depends(index, loop, callee.object):
                return self.function(file, index.function_of(call.block))
        return self.code(file, expr)

    def _behind_flag(self, index: FileIndex, expr: int) -> Runs | None:
        """The answer for an expression that is evaluated while a flag is not set, which its function sets for good."""
        holder = self._flags.holder(index, expr)
        if holder == "object" and (owner := index.class_of(index.function_of(index.facts.exprs[expr].block))) != NONE:
            return self.objects(index.number, owner)
        if holder == "module":
            return _ONCE
        role = self.roles.of(index.number, index.function_of(index.facts.exprs[expr].block))
        if role is not None and self._flags.ends(index, expr, role.ref):
            return self.code(*role.ref)
        return None

    def looped(self, file: int, expr: int) -> Runs | None:
        """The answer for an expression that a loop of its function repeats for each of some data; None if none does."""
        index = self._ev.store.files[file]
        loop = self._loops.repeating(index, expr, served=self._depth > 1) if self._depth <= _NEAR else None
        if loop is None:
            return None
        return Runs("operation", _EACH_TURN, (((file, loop), "the loop"),))

    def objects(self, file: int, scope: int) -> Runs:
        """How often objects of a class are made."""
        return next(self._makings(file, scope))

    def _makings(self, file: int, scope: int) -> Iterator[Runs]:
        """How often objects of a class are made: an answer for each operation that makes them, then what else is
        known.
        """
        if self._ev.store.files[file].facts.scopes[scope].is_single or self._memoising.made_once(file, scope):
            yield _ONCE
            return
        answers = []
        for site in self._ev.callers.of_class(file, scope):
            if site.ref in self._left_out:
                continue
            runs = self.made_at(site.file, site.call)
            name = self._ev.store.files[file].facts.scopes[scope].name
            if runs.kind == "operation" and runs.certain:
                yield runs.after(site.ref, f"a new `{name}` is made")
            answers.append(runs)
        if self.roles.is_singleton(file, scope) or (answers and all(runs.kind == "once" for runs in answers)):
            yield _ONCE  # a framework makes one for all, which does not keep code from making others
            return
        yield self._made_for_request(file, scope) or (_UNKNOWN if answers else self._made_by_framework(file, scope))

    def _made_for_request(self, file: int, scope: int) -> Runs | None:
        """The answer for objects that are given what comes with one request when they are made."""
        role = self.roles.takes_request(file, scope)
        if role is None:
            return None
        index = self._ev.store.files[file]
        name = index.facts.scopes[scope].name
        step = (self._definition(index, scope), f"a new `{name}` is given a request (it asks for {role.by})")
        return Runs("operation", f"every request that makes a `{name}`", (step,))

    def _made_by_framework(self, file: int, scope: int) -> Runs:
        """Objects that a framework makes, one each time that it runs them."""
        bases = self._ev.roles(file).made_per_run
        line = self._ev.classes.line(file, scope) if bases else ()
        base = next((one.dotted for one in line if isinstance(one, External) and one.dotted in bases), "")
        if not base:
            return _UNKNOWN
        index = self._ev.store.files[file]
        name = index.facts.scopes[scope].name
        step = (self._definition(index, scope), f"a new `{name}` is made for each run (`{base}`)")
        return Runs("operation", f"every run of `{name}`", (step,))

    # -- objects -------------------------------------------------------------------------------------------------------

    def made_at(self, file: int, expr: int) -> Runs:
        """How often a new object comes out of an expression that makes one (or calls a factory that does)."""
        if self._depth > MAX_DEPTH:
            return _UNKNOWN
        if not self._depth:
            self._answers.forget()
        runs = self._deeper(file, expr)
        if self._depth or runs.kind != "operation":
            return runs
        found = self._unexcused(file, expr, runs, inner=False)
        return found if found.kind == "operation" else self._unexcused(file, expr, runs, inner=True)

    def _unexcused(self, file: int, expr: int, runs: Runs, inner: bool) -> Runs:
        """The answer without calls that are excused: the outermost one of a chain is left out, or (`inner`) the one
        that rules out what it calls.
        """
        known = self._functions
        try:
            for _ in range(_TRIALS):
                chain = self._chains.of((file, expr), tuple(ref for ref, _ in runs.steps))
                if runs.kind != "operation" or not self._exemptions.hold(chain, runs.certain):
                    return runs
                if not chain.calls:
                    return _UNKNOWN
                excluding = self._exemptions.excluding(chain) if inner else None
                self._left_out.add(excluding or chain.calls[-1].site.ref)  # other callers may be none to excuse
                self._functions = {}
                self._answers.forget()
                runs = self._deeper(file, expr)
        finally:
            self._functions = known
            self._left_out.clear()
        return _UNKNOWN

    def _deeper(self, file: int, expr: int) -> Runs:
        if (known := self._answers.known("object", (file, expr), self._depth)) is not None:
            return known
        self._depth += 1
        try:
            runs = self._made_at(file, expr)
        finally:
            self._depth -= 1
        return self._answers.keep("object", (file, expr), self._depth, runs)

    def _made_at(self, file: int, expr: int) -> Runs:
        index = self._ev.store.files[file]
        scope = index.function_of(index.facts.exprs[expr].block)
        if index.facts.scopes[scope].kind == "module":
            return _ONCE
        if index.facts.scopes[scope].kind == "class":
            return self._of_field(index, scope, expr)
        kept = self.keeper.of(file, expr)
        if kept.module:
            return self._stored_in_module(index, scope, kept, expr)
        if kept.members:
            return self._stored_in_members(index, scope, kept, expr)
        if (around := self._handed.closure(file, expr, kept)) != NONE:
            return self.function(file, around)
        memo = self._memoised(file, scope)
        if memo == "process":
            return _ONCE
        if memo == "object" and (owner := index.class_of(scope)) != NONE:
            return self.objects(file, owner)
        if self._kept_elsewhere.only_missing(index, kept):
            return _ONCE
        if kept.returned:
            return self._returned(index, kept.returned_by)
        if self._local.outlives(index, scope, kept, expr):
            return _ONCE
        loop = self._loops.repeating(index, expr, self._depth > 1, lambda: self._exemptions.addresses.loops(file, expr))
        handed_over = bool(kept.handed_over) and not self._only_closed_by(index, kept, expr)
        if loop is not None and (not handed_over or self._is_closed(index, kept, expr)):
            return Runs("operation", _EACH_TURN, (((file, loop), "the loop"),))
        if (flagged := self._behind_flag(index, expr)) is not None:
            return flagged
        runs = self.function(file, scope)
        if runs.kind != "operation" and (not handed_over or self._is_only_used(index, kept, expr)):
            if (turn := self._turn(index, scope, _NEAR)) is not None:
                return turn
        if runs.kind != "unknown" or handed_over:
            return runs
        return self._dropped_by_helper(index, scope, kept, expr)

    def _turn(self, index: FileIndex, scope: int, reach: int) -> Runs | None:
        """The answer for what a function makes and drops that an endless loop calls for one item after the other,
        itself or by way of another function.
        """
        sites = self._callers(index.number, scope)
        found = self._turns.calling(index.number, scope, sites)
        called = f"call of {_called(index.facts.scopes[scope].name)}"
        if found is not None:
            loop, site = found
            return Runs("operation", _EACH_TURN, ((loop, "the loop"),)).after(site.ref, called)
        for site in sites if reach > 1 else ():
            other = self._ev.store.files[site.file]
            caller = other.function_of(other.facts.exprs[site.call].block)
            if other.facts.scopes[caller].kind == "function" and self.roles.of(site.file, caller) is None:
                if (runs := self._turn(other, caller, reach - 1)) is not None:
                    return runs.after(site.ref, called)
        return None

    def _is_only_used(self, index: FileIndex, kept: Keeping, expr: int) -> bool:
        """Whether all that get a client handed only work with it."""
        made = [one for one in self._ev.values(index.number, expr) if isinstance(one, LibraryObject)]
        return bool(made) and all(
            self._giving_back.handed(index, call, item.value, made[0].origin.library) == "uses"
            for _, number in kept.handed_over
            if isinstance(call := index.facts.exprs[number], facts.Call)
            for item in call.arguments
            if self._is_one(index, item.value, kept, expr)
        )

    def _is_one(self, index: FileIndex, number: int, kept: Keeping, expr: int) -> bool:
        names = {binding.name for binding in kept.names}
        return number == expr or getattr(index.facts.exprs[number], "name", "") in names

    def _only_closed_by(self, index: FileIndex, kept: Keeping, expr: int) -> bool:
        """Whether all that get a client handed do no more than close it: ``closeQuietly(jedis)``."""
        made = [one for one in self._ev.values(index.number, expr) if isinstance(one, LibraryObject)]
        for _, number in kept.handed_over:
            call = index.facts.exprs[number]
            assert isinstance(call, facts.Call)
            given = [item.value for item in call.arguments if self._is_one(index, item.value, kept, expr)]
            if not given or not all(
                self._giving_back.only_ends(index, call, one, value.origin.library) for one in given for value in made
            ):
                return False
        return bool(made)

    def _is_closed(self, index: FileIndex, kept: Keeping, expr: int) -> bool:
        """Whether a client is closed in the block that makes it, so that nobody it was handed to has it any longer."""
        home = index.facts.blocks[kept.home]
        closing = {
            name
            for value in self._ev.values(index.number, expr)
            if isinstance(value, LibraryObject)
            for name in value.origin.library.library.closes
        }
        names = {binding.name for binding in kept.names}
        for _, call in index.calls_in(index.facts.exprs[expr].end, home.end) if closing else ():
            callee = index.facts.exprs[call.callee]
            holder = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
            if isinstance(callee, facts.Member) and callee.name in closing and isinstance(holder, facts.Name):
                if holder.name in names and index.function_of(call.block) == index.function_of(kept.home):
                    return True
        return False

    def _of_field(self, index: FileIndex, scope: int, expr: int) -> Runs:
        """A field's initial value is made with each object of the class, that of a static field once."""
        own = any(binding.belongs == "object" for binding in index.bound_to.get(expr, ()))
        return self.objects(index.number, scope) if own else _ONCE

    def _stored_in_module(self, index: FileIndex, scope: int, kept: Keeping, expr: int) -> Runs:
        if any(self.keeper.guarded(index.number, store) for store in kept.module):
            return _ONCE
        role = self.roles.of(index.number, scope)
        if role is not None:
            return self.function(index.number, scope)
        own = [store for store in kept.module if index.function_of(store.block) == scope]
        return self._replaced(index, scope, expr, own) or _ONCE

    def _stored_in_members(self, index: FileIndex, scope: int, kept: Keeping, expr: int) -> Runs:
        file = index.number
        guarded = any(self.keeper.guarded(file, write) for write in kept.members)
        own = [write for write in kept.members if index.function_of(write.block) == scope]
        for write in own:  # a function inside only hands on what this one has made
            target = index.facts.exprs[write.target]
            inner = getattr(target, "object", NONE)
            for value in self._ev.values(file, inner):
                if isinstance(value, Instance):
                    if guarded and self._is_static(value, getattr(target, "name", "")):
                        return _ONCE  # however many objects are made
                    if self._only_first(index, write, value):
                        continue
                    for runs in self._makings(value.file, value.scope):
                        if runs.kind == "operation" and (
                            self._constructs(file, index.facts.scopes[scope]) or self._makers.call(file, scope, runs)
                        ):
                            return runs
                    if self._constructs(file, index.facts.scopes[scope]) and not guarded:
                        if (brief := self._made_for_given(value)) is not None:
                            return brief
                elif isinstance(value, External | ExternalObject) and self._request_scoped(index, value):
                    step = (
                        (index.number, write.target),
                        f"kept in `{value.dotted}`, which lives for one request",
                    )
                    return Runs("operation", "every request", (step,))
        record = index.facts.scopes[scope]
        if guarded or self._constructs(index.number, record) or self.roles.memoised(index.number, scope):
            return _ONCE
        role = self.roles.of(index.number, scope)
        elements = all(self._is_element(index, write) for write in kept.members)
        if role is not None and role.name in PER_OPERATION and not elements:
            return self.function(index.number, scope)
        if elements:
            return _ONCE
        return self._replaced(index, scope, expr, own) or self._renewed(index, scope, expr, own)

    def _made_for_given(self, made: Instance) -> Runs | None:
        """The answer for objects that a helper makes for what it was given, asks once and drops: ``with
        Lock(booking.day): …``.
        """
        for site in self._ev.callers.of_class(made.file, made.scope):
            index = self._ev.store.files[site.file]
            scope = index.function_of(index.facts.exprs[site.call].block)
            if index.facts.scopes[scope].kind != "function" or self._constructs(site.file, index.facts.scopes[scope]):
                continue
            if site.ref in self._left_out or self.roles.of(site.file, scope) is not None:
                continue
            if not self.keeper.stays(site.file, site.call) or not self._local.made_for_given(index, scope, site.call):
                continue
            if self.code(site.file, site.call).kind == "unknown":
                name = self._ev.store.files[made.file].facts.scopes[made.scope].name
                runs = self._every_call(index, scope, f"makes a `{name}` for what it is given, and drops it")
                if runs.kind == "operation":
                    return runs.after(site.ref, f"a new `{name}` is made")
        return None

    def _replaced(
        self, index: FileIndex, scope: int, expr: int, stores: Sequence[facts.Binding | facts.Write]
    ) -> Runs | None:
        """The answer for a function that stores a new client on each call and gives it (or a connection of it) to its
        caller, or sends what it was asked for at once: the field shares nothing.
        """
        starts = [(one.block, self._place(index, one)) for one in stores]
        if not starts or not all(self._local.always_runs(index, block, scope, start) for block, start in starts):
            return None
        start = min(start for _, start in starts)
        made = [expr, *self._local.derived(index, scope, expr)]
        kept = [self.keeper.of(index.number, one) for one in made]
        stored = {self._stored_name(index, one) for one in stores}
        if any(one.kind != "assign" or mentions(index, one.value, name) for one in stores for name in stored):
            return None  # what is there already is kept
        given = [one for one in index.jumps.get(scope, ()) if one.kind == "return" and one.value != NONE]
        given = [one for one in given if getattr(index.facts.exprs[one.value], "name", "") in stored]
        if given or any(one.returned_by == scope for one in kept):
            runs = self._returned(index, scope)
            return runs if runs.kind == "operation" else None
        names = set(stored)
        for one in kept:
            names.update(name.name for name in (*one.names, *one.derived))
            names.update(self._stored_name(index, store) for store in (*one.module, *one.members))
        if not self._local.sends_given(index, scope, start, names - {""}, expr):
            return None
        runs = self.function(index.number, scope)
        if runs.kind == "unknown":
            runs = self._every_call(index, scope, "makes a client and sends a command")
        return runs if runs.kind == "operation" else None

    def _place(self, index: FileIndex, store: facts.Binding | facts.Write) -> int:
        return store.start if isinstance(store, facts.Binding) else index.facts.exprs[store.target].start

    def _stored_name(self, index: FileIndex, store: facts.Binding | facts.Write) -> str:
        return store.name if isinstance(store, facts.Binding) else index.target_name(store.target) or ""

    def _renewed(self, index: FileIndex, scope: int, expr: int, writes: list[facts.Write]) -> Runs:
        """A method that stores a new client in its object whenever another method, one of several, is about to send a
        command: ``await self._connect()`` before ``await self._redis.publish(…)``.
        """
        owner = index.class_of(scope)
        starts = [(write.block, index.facts.exprs[write.target].start) for write in writes]
        if not all(self._local.always_runs(index, block, scope, start) for block, start in starts):
            return _ONCE
        names = {name for write in writes if (name := index.target_name(write.target))}
        users: dict[int, CallSite] = {}
        for site in self._callers(index.number, scope) if owner != NONE else ():
            user = index.function_of(index.facts.exprs[site.call].block) if site.file == index.number else NONE
            if (
                user != NONE
                and index.class_of(user) == owner
                and self._local.sends_behind(index, user, site.call, names, expr)
            ):
                users.setdefault(user, site)
        runs = [(self.function(index.number, user), user) for user in users]
        busy = [(one, user) for one, user in runs if one.kind != "once"]
        few = len(users) < _SEVERAL and not any(
            one.kind == "operation"
            or self._local.sends_given(index, user, index.facts.exprs[site.call].end, names, expr)
            for (one, user), site in zip(runs, users.values(), strict=True)
        )
        if few or not busy:
            return _ONCE
        known, user = next(((one, user) for one, user in busy if one.kind == "operation"), busy[0])
        step = (users[user].ref, f"call of `{index.facts.scopes[scope].name}`, which makes a new one")
        if known.kind == "operation":
            return known.after(*step)
        return Runs("operation", f"every call of `{index.facts.scopes[user].name}`", (step,), certain=False)

    def _is_static(self, owner: Instance, name: str) -> bool:
        """Whether a field that code writes by its bare name is one for all objects of a class, or of a base of it."""
        for one in self._ev.classes.line(owner.file, owner.scope):
            if not isinstance(one, ClassValue):
                continue
            index = self._ev.store.files[one.file]
            if not index.facts.scopes[one.scope].is_open:
                return False
            if declared := index.bindings.get((one.scope, name)):
                return all(binding.belongs == "class" for binding in declared)
        return False

    def _only_first(self, index: FileIndex, write: facts.Write, owner: Instance) -> bool:
        """Whether a field of the only object of a class is set when the class is called for the first time."""
        only = self._memoising.is_only_one(owner.file, owner.scope)
        return only and not self._memoising.is_set_again(index, write)

    def _is_element(self, index: FileIndex, write: facts.Write) -> bool:
        """Whether a store is one of many in a collection."""
        words = self._ev.roles(index.number).words
        target = index.facts.exprs[write.target]
        return isinstance(target, facts.Index) or (
            isinstance(target, facts.Member) and target.name in (*words.map_setters, *words.list_adders)
        )

    def _request_scoped(self, index: FileIndex, value: External | ExternalObject) -> bool:
        scoped = self._ev.roles(index.number).request_scoped
        return value.dotted.replace("()", "") in scoped

    def _returned(self, index: FileIndex, scope: int) -> Runs:
        """A factory: as often as one of its callers wants a new object."""
        file = index.number
        name = index.facts.scopes[scope].name
        role = self.roles.of(file, scope)
        if role is not None:
            return self.function(file, scope)
        if calls.is_property(self._ev, FunctionValue(file, scope)):
            return self._property(index, scope, name)
        if (handed := self._handed.back(index, scope)) is not None:
            return handed
        if (known := self._answers.known("factory", (file, scope), self._depth)) is not None:
            return known
        answers = []
        for site in self._callers(file, scope):
            runs = self.made_at(site.file, site.call)
            if runs.kind == "operation":
                return runs.after(site.ref, f"call of {_called(name)}, which makes a new one")
            answers.append(runs)
        runs = _ONCE if answers and all(runs.kind == "once" for runs in answers) else _UNKNOWN
        return self._answers.keep("factory", (file, scope), self._depth, runs)

    def _property(self, index: FileIndex, scope: int, name: str) -> Runs:
        """A property that makes a new object at every access: one operation each."""
        owner = index.class_of(scope)
        for reference in self._ev.store.named(name):
            expr = self._ev.store.expr(reference)
            if isinstance(expr, facts.Name) and self._reads_member(index, owner, reference):
                runs = self.made_at(*reference)
                if runs.kind == "operation":
                    return runs.after(reference, f"access to the property `{name}`, which makes a new one")
            if not isinstance(expr, facts.Member):
                continue
            for value in self._ev.values(reference[0], expr.object):
                family = [(index.number, owner), *self._ev.classes.subclasses(index.number, owner)]
                if isinstance(value, Instance) and (value.file, value.scope) in family:
                    runs = self.made_at(*reference)
                    if runs.kind == "operation":
                        return runs.after(reference, f"access to the property `{name}`, which makes a new one")
        return _UNKNOWN

    def _reads_member(self, index: FileIndex, owner: int, reference: Ref) -> bool:
        """Whether a bare name stands in a class whose code sees members by their bare names."""
        if reference[0] != index.number or not index.facts.scopes[owner].is_open:
            return False
        return index.within(index.facts.exprs[reference[1]].block, owner)

    # -- local objects ----------------------------------------------------------------------------------------------

    def connected_at(self, file: int, expr: int, taken: bool = False) -> Runs:
        """How often a call connects or closes a client that other code made. `taken`: its function asks for the client
        itself, so that it is no step of something that its callers do with it.
        """
        index = self._ev.store.files[file]
        scope = index.function_of(index.facts.exprs[expr].block)
        runs = self.code(file, expr)
        if runs.kind != "unknown" or index.facts.scopes[scope].kind != "function":
            return runs
        sites = self._ev.callers.of(file, scope)
        if (
            not taken and sites and all(site.file == file for site in sites)
        ):  # a step of something, which may happen once
            return runs
        return self._every_call(index, scope, "uses a shared client and closes it")

    def _dropped_by_helper(self, index: FileIndex, scope: int, kept: Keeping, expr: int) -> Runs:
        """A helper that makes a client, sends a command or two and drops it is as frequent as its (unseen) callers."""
        if not self._local.sends(index, kept, expr):
            return _UNKNOWN
        return self._every_call(index, scope, "makes a client, uses it and drops it when it returns")

    def dropped_by_helper(self, file: int, expr: int) -> Runs:
        """How often a function whose callers nobody sees makes an object for what it is given, and drops it."""
        index = self._ev.store.files[file]
        scope = index.function_of(index.facts.exprs[expr].block)
        kept = self.keeper.of(file, expr)
        if not kept.only_local or not index.own_parameters(scope) or self._local.outlives(index, scope, kept, expr):
            return _UNKNOWN
        return self.unseen_calls(file, expr, "makes it and drops it when it returns")

    def unseen_calls(self, file: int, expr: int, does: str) -> Runs:
        """How often an expression is evaluated; once per call, where nobody sees the callers of its function."""
        index = self._ev.store.files[file]
        scope = index.function_of(index.facts.exprs[expr].block)
        runs = self.code(file, expr)
        if runs.kind != "unknown" or index.facts.scopes[scope].kind != "function" or self.roles.of(file, scope):
            return runs
        return self._every_call(index, scope, does)

    def _every_call(self, index: FileIndex, scope: int, does: str) -> Runs:
        """A helper, as frequent as its callers: nobody sees them, or how often they run."""
        inner, scope = scope, self._run_by(index, scope)
        file, record = index.number, index.facts.scopes[scope]
        if scope != inner and (record.kind != "function" or self.function(file, scope).kind != "unknown"):
            return _UNKNOWN
        name = record.name or self._bound_name(index, scope)
        if self._is_dead(index, scope):
            return _UNKNOWN
        if (sites := self._telling(file, scope)) or not name:
            # Its callers are known but not how often they run: they are helpers themselves.
            if not sites or not any(self._is_helper(site) for site in sites):
                return _UNKNOWN
        place = self._definition(index, scope)
        what = f"`{name}`" if name not in ("exports", "default") else "this exported function"
        step = (place, f"{what} {does}")
        called = bool(sites) or not record.name or self._may_be_called(index, scope)
        return Runs("operation", f"every call of {what}", (step,), certain=False, called=called)

    def _may_be_called(self, index: FileIndex, scope: int) -> bool:
        """Whether somebody who is not seen may call a function: a framework, who gets it handed, who knows a base of
        its class, or others that it works for with what they give it.
        """
        record = index.facts.scopes[scope]
        owner = index.class_of(scope)
        given = [use for one in index.own_parameters(scope) for use in index.by_name.get(one.name, ())]
        if any(index.within(index.facts.exprs[use].block, scope) for use in given):
            return True
        words = self._ev.roles(index.number).words
        bases = self._ev.classes.line(index.number, owner)[1:] if owner != NONE else ()
        if record.decorators or any(not isinstance(one, External) or one.dotted != words.root_class for one in bases):
            return True
        if words.explicit_exports and any(
            one.name.startswith("exports") for one in index.facts.bindings if one.scope == 0
        ):
            return True
        return self._ev.callers.escapes(index.number, scope)

    def _is_dead(self, index: FileIndex, scope: int) -> bool:
        """Whether only code of its class may name a function, and none does; a framework may run a decorated one."""
        record = index.facts.scopes[scope]
        return record.is_private and not record.decorators and not index.by_name.get(record.name)

    def _run_by(self, index: FileIndex, scope: int) -> int:
        """The function around a lambda that it runs on the spot: ``run { … }``, ``(() => { … })()``."""
        while True:
            number = index.function_expr.get(scope)
            if number is None or index.facts.scopes[scope].name:
                break
            place = index.argument_of.get(number)
            call = index.facts.exprs[place[0]] if place is not None else None
            callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
            runs = getattr(callee, "name", "") in self._ev.roles(index.number).words.scope_functions
            if number not in index.call_of and not runs:
                break
            scope = index.function_of(index.facts.exprs[number].block)
        return scope

    def _bound_name(self, index: FileIndex, scope: int) -> str:
        """The name of the module under which a function written in place is known, or that of the entry that it is in
        an object of the module.
        """
        number = index.function_expr.get(scope, NONE)
        holder = index.parents.get(number, NONE)
        entry = holder != NONE and isinstance(index.facts.exprs[holder], facts.Collection)
        bound = index.bound_to.get(holder if entry else number, ())
        name = next((one.name.removeprefix("exports.") for one in bound if one.scope == 0), "")
        return index.name_of_function.get(scope, "") if name and entry else name

    def _is_helper(self, site: CallSite) -> bool:
        """Whether a call stands in a function of which only is known that it is no constructor."""
        index = self._ev.store.files[site.file]
        record = index.facts.scopes[index.function_of(index.facts.exprs[site.call].block)]
        if record.kind != "function" or self._constructs(site.file, record):
            return False
        return self.code(site.file, site.call).kind == "unknown"

    def _definition(self, index: FileIndex, scope: int) -> Ref:
        """An expression near the start of a function, to point at (its first decorator or call)."""
        record = index.facts.scopes[scope]
        if record.decorators:
            return (index.number, record.decorators[0])
        return (index.number, -2 - scope)


def _called(name: str) -> str:
    return f"`{name}`" if name else "the function"


def _does(role: str) -> str:
    return {
        "handler": "handles requests",
        "message": "handles messages",
        "provider_per_request": "runs per request",
    }.get(role, "runs once per task")


def _noun(role: str) -> str:
    return {"handler": "request handler", "task": "task", SUBMITTED: "task", "message": "message handler"}.get(
        role, "per-request provider"
    )
