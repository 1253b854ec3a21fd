"""Which code runs on the thread of an event loop, where nothing else runs while it waits."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from resplint.bind.index import FileIndex
from resplint.bind.values import External, ExternalObject, FunctionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.frequency.conditions import Conditions
from resplint.execution.purposes import Purposes
from resplint.execution.roles import Role, RoleTable
from resplint.flow.callers import CallSite
from resplint.flow.graph import Graph
from resplint.knowledge.records.role_records import LoopModel

_Function = tuple[int, int]
_MOST = 100
"""Functions that are looked at on the way up the callers."""
_SEVERAL = 8
"""Functions on an event loop that are looked for above one place."""
_MANY = 2_000
"""The same where a coroutine is all that is looked for."""


@dataclass(frozen=True, slots=True)
class OnLoop:
    """Code runs on an event loop, as the function `name` does, from which the `way` leads to it. `certain` says that
    the loop serves others meanwhile: requests, jobs, messages; `alone` that a program seems to consist of it.
    """

    name: str
    certain: bool
    alone: bool
    way: tuple[tuple[Ref, str], ...]
    calls: tuple[Ref, ...]
    """The calls in the function that lead to the code by the same way; () where the code is its own."""


class EventLoops:
    """Looks for functions that event loops run, from a place up its direct callers."""

    def __init__(
        self, evaluator: Graph, roles: RoleTable, purposes: Purposes, depends: Callable[[str, str, str], bool]
    ) -> None:
        """`depends` says whether the project of a file depends on a distribution of an ecosystem."""
        self._ev = evaluator
        self._depends = depends
        self._roles = roles
        self._purposes = purposes
        self._conditions = Conditions(evaluator)
        self._known: dict[_Function, tuple[OnLoop, ...]] = {}
        self._off_loop: set[_Function] = set()
        """Functions with no coroutine above."""

    def of(self, ref: Ref) -> OnLoop | None:
        """What puts a place on an event loop; None if nothing that is known does, or only a start or a test."""
        return next(iter(self.all(ref)), None)

    def all(self, ref: Ref) -> tuple[OnLoop, ...]:
        """The same for each of several functions that a loop runs and that lead to a place, the nearest first."""
        start = (ref[0], self.function(ref))
        if start not in self._known:
            some = self._ev.store.files[ref[0]].facts.language in self._languages
            found = self._search(*start) if some and self._may_be_on_loop(*start) else ()
            self._known[start] = tuple(islice(found, _SEVERAL))
        return self._known[start]

    def function(self, ref: Ref) -> int:
        """The function that runs a place: not what it runs on the spot for it."""
        index = self._ev.store.files[ref[0]]
        return self._outer(index, index.function_of(index.facts.exprs[ref[1]].block))

    @cached_property
    def _languages(self) -> frozenset[str]:
        """Languages in which some file has code that an event loop runs."""
        found = set()
        for index in self._ev.store.judged:
            roles = self._ev.roles(index.number)
            if index.facts.language not in found and (
                (roles.words.coroutines and any(scope.is_async for scope in index.facts.scopes))
                or any(one.module.startswith(roles.loop_modules) for one in index.facts.imports if roles.loop_modules)
                or any(one.loop is not None and self._has_loop(index.facts.path, one.loop) for one in roles.role)
            ):
                found.add(index.facts.language)
        return frozenset(found)

    def _may_be_on_loop(self, file: int, scope: int) -> bool:
        """Whether a coroutine stands among the callers of a function, or they are too many to look at. To ask for the
        roles of all these functions costs far more, and most code that sends commands has no coroutine above.
        """
        pending, seen = [(file, scope)], {(file, scope)}
        while pending:
            file, scope = pending.pop()
            index = self._ev.store.files[file]
            if index.facts.language in self._by_role or index.facts.scopes[scope].is_async or len(seen) >= _MANY:
                return True
            if index.facts.scopes[scope].kind not in ("module", "class"):
                around = [(site.file, self.function(site.ref)) for site in self._ev.callers.of(file, scope)]
                pending += [one for one in dict.fromkeys(around) if one not in seen and one not in self._off_loop]
                seen.update(around)
        self._off_loop |= seen
        return False

    @cached_property
    def _by_role(self) -> frozenset[str]:
        """Languages in which a function may be run by an event loop for another reason than that it is a coroutine."""
        found = set()
        for index in self._ev.store.files.values():
            roles = self._ev.roles(index.number)
            modules = {part for name in roles.loop_modules for part in _parents(name)}
            if (
                not roles.words.coroutines
                or roles.reactive_types
                or any(
                    one.module in modules or one.module.startswith(roles.loop_modules) for one in index.facts.imports
                )
            ):
                found.add(index.facts.language)
        return frozenset(found)

    def _search(self, file: int, scope: int) -> Iterator[OnLoop]:
        pending: deque[tuple[int, int, tuple[tuple[Ref, str], ...]]] = deque([(file, scope, ())])
        calls: dict[_Function, list[Ref]] = defaultdict(list)
        leading: dict[_Function, _Function] = {}
        """Function -> the one that its calls are of."""
        seen = {(file, scope)}
        while pending and len(seen) < _MOST:
            file, scope, way = pending.popleft()
            index = self._ev.store.files[file]
            if index.facts.scopes[scope].kind in ("module", "class"):
                continue
            role = self._roles.of(file, scope)
            if self._runs_on_loop(index, scope, role):
                if index.facts.scopes[scope].is_async and self._is_moved(file, scope):
                    continue
                found = self._on_loop(file, scope, role, way, calls[file, scope])
                if found is not None:
                    yield found
                continue
            if role is not None and role.name in ("thread", "test"):
                continue
            name = index.qualified_name(scope)
            handed = self._handed(file, scope)
            for site in self._direct(file, scope):
                around = (site.file, self.function(site.ref))
                if handed is not None and around != handed and self._through_parameter(site):
                    around = handed  # of the callers of what runs it, this one gave it this function
                if self._conditions.rules_out([site.ref, *(ref for ref, _ in way)]):
                    continue
                if around not in seen or leading.get(around) == (file, scope):
                    calls[around].append(site.ref)
                    leading[around] = (file, scope)
                if around not in seen:
                    seen.add(around)
                    message = f"`{name}` is called here" if name else "the function is called here"
                    pending.append((*around, ((site.ref, message), *way)))

    def _runs_on_loop(self, index: FileIndex, scope: int, role: Role | None) -> bool:
        words = self._ev.roles(index.number).words
        if words.coroutines and index.facts.scopes[scope].is_async:
            return True
        if role is None or role.pattern is None:
            return False
        if role.pattern.event_loop or (role.name == "handler" and self._returns_promise(index, scope)):
            return True
        return role.pattern.loop is not None and self._has_loop(index.facts.path, role.pattern.loop)

    def _has_loop(self, path: str, loop: LoopModel) -> bool:
        """Whether the program of a file has nothing but an event loop that runs its functions."""
        having, lacking = (
            any(self._depends(path, one, loop.ecosystem) for one in names) for names in (loop.having, loop.lacking)
        )
        return having and not lacking

    def _returns_promise(self, index: FileIndex, scope: int) -> bool:
        """Whether a function is declared to return what an event loop completes later: ``Mono<String>``."""
        annotation = index.facts.scopes[scope].returns
        if annotation == NONE:
            return False
        expr = index.facts.exprs[annotation]
        number = expr.object if isinstance(expr, facts.Index) else annotation
        wanted = self._ev.roles(index.number).reactive_types
        return any(getattr(one, "dotted", "") in wanted for one in self._ev.values(index.number, number))

    def _on_loop(
        self, file: int, scope: int, role: Role | None, way: tuple[tuple[Ref, str], ...], calls: list[Ref]
    ) -> OnLoop | None:
        """None where nothing else runs yet: when a program starts, or in a test."""
        index = self._ev.store.files[file]
        name = index.qualified_name(scope)
        who = f"`{name}`" if name else "the function"
        step: tuple[Ref, str] = ((file, -2 - scope), f"{who} runs on an event loop")
        purposes = self._purposes.of_function(file, scope)
        serving = next((one for one in purposes if one.is_serving), None)
        if purposes and serving is None and not self._goes_on_beside(file, scope):
            return None
        front = serving.way if serving is not None else ()
        callers = self._ev.callers.of(file, scope)
        alone = serving is None and bool(callers) and not any(self._is_in_function(one) for one in callers)
        certain = serving is not None and self._stays(index, scope, role)
        return OnLoop(name, certain, alone, (*front, step, *way), tuple(calls))

    def _goes_on_beside(self, file: int, scope: int) -> bool:
        """Whether a coroutine is a part of a task that goes on beside what starts it: ``create_task(follow())``."""
        pending, seen = [(file, scope)], {(file, scope)}
        while pending and len(seen) < _MOST:
            sites = self._ev.callers.of(*pending.pop())
            if any(self._is_left_running(one) for one in sites):
                return True
            around = {(one.file, self.function(one.ref)) for one in sites} - seen
            pending += [one for one in around if self._ev.store.files[one[0]].facts.scopes[one[1]].is_async]
            seen |= around
        return False

    def _is_left_running(self, site: CallSite) -> bool:
        """Whether what a call gives is handed to what goes on with it later."""
        index = self._ev.store.files[site.file]
        place = index.argument_of.get(site.ref[1])
        call = index.facts.exprs[place[0]] if place is not None else None
        if not isinstance(call, facts.Call) or call.awaited:
            return False
        starting = {name for one in self._ev.roles(site.file).role if one.role == "thread" for name in one.registrars}
        values = self._ev.callee(site.file, call.callee)
        return any(
            one.dotted.replace("()", "") in starting for one in values if isinstance(one, External | ExternalObject)
        )

    def _is_in_function(self, site: CallSite) -> bool:
        """Whether a call is none that a program starts with: ``asyncio.run(main())``."""
        index = self._ev.store.files[site.file]
        return index.facts.scopes[self.function(site.ref)].kind != "module"

    def _stays(self, index: FileIndex, scope: int, role: Role | None) -> bool:
        """Whether nothing can have moved a function to threads of its own."""
        coroutines = self._ev.roles(index.number).words.coroutines
        if coroutines and index.facts.scopes[scope].is_async:
            return coroutines == "loop"
        return role is not None and role.pattern is not None and role.pattern.event_loop and not role.pattern.may_move

    def _direct(self, file: int, scope: int) -> list[CallSite]:
        """Calls of a function itself, not of something that it was handed to (an executor, a thread)."""
        found: list[CallSite] = []
        if any(self._moves(file, one) for one in self._ev.store.files[file].facts.scopes[scope].decorators):
            return found
        for site in self._ev.callers.of(file, scope):
            call = self._ev.store.expr(site.ref)
            index = self._ev.store.files[site.file]
            if isinstance(call, facts.Call) and self._has_threads(index, site.ref[1]):
                continue
            if isinstance(call, facts.Call) and not self._is_wrapped(index, call.callee):
                values = self._ev.called(site.file, call.callee) or self._ev.callee(site.file, call.callee)
                if any(isinstance(one, FunctionValue) and (one.file, one.scope) == (file, scope) for one in values):
                    found.append(site)
        return found

    def _is_wrapped(self, index: FileIndex, callee: int) -> bool:
        """Whether a thread runs what is called: ``sync_to_async(load)()``, or a name or a field for the first half."""
        expr = index.facts.exprs[callee]
        made = [callee]
        if isinstance(expr, facts.Name):
            owner = index.owner(expr.name, index.scope_of(expr.block))
            made = [one.value for one in index.bindings.get((owner, expr.name), ())]
        elif isinstance(expr, facts.Member):
            fields = ((write, index.facts.exprs[write.target]) for write in index.facts.writes)
            made = [write.value for write, field in fields if getattr(field, "name", "") == expr.name]
        calls = [index.facts.exprs[one] if one != NONE else None for one in made]
        return bool(calls) and all(
            isinstance(one, facts.Call) and self._moves(index.number, one.callee) for one in calls
        )

    def _moves(self, file: int, number: int) -> bool:
        """Whether an expression names, or a call of it gives, what has a thread run a function."""
        expr = self._ev.store.files[file].facts.exprs[number]
        wrappers = self._ev.roles(file).thread_wrappers
        if not wrappers:
            return False
        named = expr.callee if isinstance(expr, facts.Call) else number
        return any(isinstance(one, External) and one.dotted in wrappers for one in self._ev.callee(file, named))

    def _is_moved(self, file: int, scope: int) -> bool:
        """Whether all that is known to start a coroutine gives it threads that may wait: ``launch(Dispatchers.IO)``."""
        wanted = self._ev.roles(file).words.waiting_threads
        pending, seen, found = [(file, scope)], {(file, scope)}, False
        while pending and wanted and len(seen) < _MOST:
            file, scope = pending.pop()
            index = self._ev.store.files[file]
            if index.facts.scopes[scope].kind in ("module", "class"):
                return False
            place = index.argument_of.get(index.function_expr.get(scope, NONE))
            if place is not None:
                call = index.facts.exprs[place[0]]
                if self._gives_threads(file, place[0], wanted):
                    found = True
                    continue
                around = [(file, index.function_of(call.block))]
            else:
                around = [(one.file, self._innermost(one.ref)) for one in self._ev.callers.of(file, scope)]
            if not around:
                return False
            pending += [one for one in around if one not in seen]
            seen.update(around)
        return found and not pending

    def _innermost(self, ref: Ref) -> int:
        index = self._ev.store.files[ref[0]]
        return index.function_of(index.facts.exprs[ref[1]].block)

    def _gives_threads(self, file: int, number: int, wanted: tuple[str, ...], depth: int = 0) -> bool:
        """Whether a call, or one that made what it is called on, says that such threads run what it is given."""
        call = self._ev.store.files[file].facts.exprs[number]
        if not isinstance(call, facts.Call) or depth > 1:
            return False
        given = [(file, item.value) for item in call.arguments]
        callee = self._ev.store.files[file].facts.exprs[call.callee] if call.callee != NONE else None
        if isinstance(callee, facts.Member):
            for value in self._ev.values(file, callee.object):
                if isinstance(value, ExternalObject) and value.ref is not None and value.ref[1] >= 0:
                    if self._gives_threads(*value.ref, wanted, depth + 1):
                        return True
        return any(self._names_threads(at, one, wanted) for at, one in given)

    def _names_threads(self, file: int, number: int, wanted: tuple[str, ...]) -> bool:
        expr = self._ev.store.files[file].facts.exprs[number]
        if isinstance(expr, facts.Operation):
            return any(self._names_threads(file, one, wanted) for one in expr.operands)
        return any(getattr(one, "dotted", "").startswith(wanted) for one in self._ev.values(file, number))

    def _handed(self, file: int, scope: int) -> _Function | None:
        """The function around a call that is given this one, or its object, where it is written; None for others."""
        index = self._ev.store.files[file]
        number = index.function_expr.get(scope)
        if number is None and index.facts.scopes[index.facts.scopes[scope].parent].kind == "class":
            written = index.function_expr.get(index.facts.scopes[scope].parent)
            number = index.call_of.get(written) if written is not None else None
        if number is None or number not in index.argument_of:
            return None
        return file, self._outer(index, index.function_of(index.facts.exprs[number].block))

    def _through_parameter(self, site: CallSite) -> bool:
        """Whether a call runs a function that the function around it was given: ``work()``, ``work.apply(client)``."""
        index = self._ev.store.files[site.file]
        call = index.facts.exprs[site.ref[1]]
        number = call.callee if isinstance(call, facts.Call) else NONE
        callee = index.facts.exprs[number] if number != NONE else None
        callee = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else callee
        if not isinstance(callee, facts.Name):
            return False
        scope = index.function_of(callee.block)
        return (scope, callee.name) in index.parameters

    def _outer(self, index: FileIndex, scope: int) -> int:
        """The function around code that it runs on the spot: a comprehension, ``use { … }``, ``forEach { … }``."""
        words = self._ev.roles(index.number).words
        while True:
            record = index.facts.scopes[scope]
            number = index.function_expr.get(scope)
            place = index.argument_of.get(number) if number is not None else None
            call = index.facts.exprs[place[0]] if place is not None else None
            callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) and call.callee != NONE else None
            name = getattr(callee, "name", "")
            if record.kind == "comprehension" and not record.is_generator:
                scope = record.parent
            elif place is not None and self._has_threads(index, place[0]):
                return scope
            elif number is not None and (name in words.scope_functions or name in words.element_callbacks):
                scope = index.function_of(index.facts.exprs[number].block)
            elif place is not None and self._begins_sequence(index, place[0]):
                scope = index.function_of(index.facts.exprs[place[0]].block)
            elif isinstance(call, facts.Call) and (around := self._coroutine_around(index, call, number)) is not None:
                scope = around
            else:
                return scope

    def _begins_sequence(self, index: FileIndex, number: int) -> bool:
        """Whether a call makes what runs its functions once somebody subscribes, as the loop does to what a handler
        returns: ``Mono.create(sink -> …)``.
        """
        call = index.facts.exprs[number]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        wanted = self._ev.roles(index.number).reactive_types
        return (
            bool(wanted)
            and isinstance(callee, facts.Member)
            and self._ev.binder.dotted(index.number, callee.object) in wanted
        )

    def _has_threads(self, index: FileIndex, number: int) -> bool:
        """Whether other threads are chosen in the chain of calls around one: ``….subscribeOn(scheduler)``."""
        choosers, exprs = self._ev.roles(index.number).thread_choosers, index.facts.exprs
        before = number
        while choosers and isinstance(call := exprs[before], facts.Call):
            callee = exprs[call.callee] if call.callee != NONE else None
            if not isinstance(callee, facts.Member):
                break
            if callee.name in choosers:
                return True
            before = callee.object
        while choosers and (member := index.parents.get(number)) is not None and member in index.call_of:
            if getattr(exprs[member], "name", "") in choosers:
                return True
            number = index.call_of[member]
        return False

    def _coroutine_around(self, index: FileIndex, call: facts.Call, given: int | None) -> int | None:
        """The coroutine of which a call makes a function a part: ``async { … }`` in one, with no threads of its own."""
        callee = index.facts.exprs[call.callee]
        if (
            not isinstance(callee, facts.Name)
            or callee.name not in self._ev.roles(index.number).words.coroutine_builders
        ):
            return None
        others = [index.facts.exprs[item.value] for item in call.arguments if item.value != given]
        around = self._outer(index, index.function_of(call.block))
        plain = all(isinstance(one, facts.Literal) for one in others)
        return around if plain and index.facts.scopes[around].is_async else None


def _parents(module: str) -> list[str]:
    """The packages around a module."""
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]
