"""Redis work that code tries: whether a stretch of code does any, and whether it is what a broad handler is for."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from resplint.bind.index import FileIndex, children
from resplint.bind.values import (
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    LoopValue,
    ParameterValue,
    Ref,
    Reply,
    Unknown,
    Value,
    Values,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.flow.nodes import CallEdge
from resplint.retry.awaited_runs import AwaitedRuns
from resplint.retry.caught_errors import Errors

REACH = 6
"""Calls on the way from a stretch of code to the work, as many as are followed to find the work at all."""
_Handed = dict[int, tuple[tuple[int, int], ...]]
"""Argument of a call -> the functions that it stands for."""
_Given = dict[str, tuple[tuple[int, int], ...]]
"""Parameter of a function -> the functions that it stands for."""
_DEPTH = 3
_SURVIVED = "survived"
"""What a function asks Redis whose handlers go on after every failure: its callers never see one."""
_REPLIES = ("NOSCRIPT", "BUSYGROUP", "NOGROUP", "WRONGTYPE", "EXECABORT", "MOVED", "ASK ", "CROSSSLOT", "watch")
"""Parts of errors that say something else than that the server cannot be reached: replies, and what a client says of a
race that was lost ("One (or more) of the watched keys has been changed").
"""


class Work:
    """Finds Redis work in functions and in stretches of code."""

    def __init__(self, evaluator: Graph, errors: Errors) -> None:
        self._ev = evaluator
        self._errors = errors
        self._awaited = AwaitedRuns(evaluator)
        self._touches: dict[tuple[int, int], bool] = {}
        self._first: dict[tuple[int, int], str] = {}
        self._known: dict[tuple[int, int], tuple[bool, list[tuple[int, int]]]] = {}
        self._calling: dict[tuple[int, int], frozenset[str]] = {}

    def touches(self, file: int, scope: int) -> bool:
        """Whether a function does Redis work, itself or through functions of the project that it calls."""
        key = (file, scope)
        if key not in self._touches:
            self._touches[key] = self._reaches(key)
        return self._touches[key]

    def comes_first(self, file: int, scope: int) -> bool:
        """Whether a function does Redis work, and talks to no other server before."""
        return self.touches(file, scope) and self._asked_first(FunctionValue(file, scope)) != "other"

    def comes_first_or_alone(self, file: int, scope: int) -> bool:
        """Whether a function does Redis work first, and not only under a condition on the way to a request of another
        server that it always makes: a look into a cache.
        """
        return self.comes_first(file, scope) and not self._always_asks_another(file, scope)

    def _always_asks_another(self, file: int, scope: int) -> bool:
        """Whether a function always asks another server, and Redis before it only under a condition."""
        index = self._ev.store.files[file]
        block = index.facts.blocks[index.facts.scopes[scope].block]
        function = FunctionValue(file, scope)
        for _, call in sorted(index.calls_in(block.start, block.end), key=lambda pair: (pair[1].end, pair[0])):
            if not self._is_in(index, call, function) or not index.runs_with_function(call.block):
                continue
            for value in self._ev.callee(file, call.callee):
                if isinstance(value, External | ExternalObject) and self._asks_others(index, value.dotted):
                    return True
                if self.is_work(value) or (isinstance(value, FunctionValue) and self.touches(value.file, value.scope)):
                    return False
        return False

    def _reaches(self, key: tuple[int, int]) -> bool:
        level, seen = [key], {key}
        for _ in range(REACH):
            below: list[tuple[int, int]] = []
            for one in level:
                work, callees = self._direct(one)
                if work:
                    return True
                below += [callee for callee in callees if callee not in seen]
                seen.update(callees)
            level = below
        return False

    def _direct(self, key: tuple[int, int]) -> tuple[bool, list[tuple[int, int]]]:
        """(whether a function does Redis work itself, the functions that it calls)."""
        if key not in self._known:
            index = self._ev.store.files[key[0]]
            block = index.facts.blocks[index.facts.scopes[key[1]].block]
            calls = index.calls_in(block.start, block.end)
            values = [value for number, call in calls for value in self.run_by(index, number, call)]
            callees = [(value.file, value.scope) for value in values if isinstance(value, FunctionValue)]
            self._known[key] = (any(self.is_work(value) for value in values), callees)
        return self._known[key]

    def within(self, index: FileIndex, start: int, end: int) -> Ref | None:
        """A call between two offsets that does Redis work."""
        for number, call in index.calls_in(start, end):
            for value in self._ev.carried(index.number, call.callee):
                if self.is_work(value):
                    return (index.number, number)
                if isinstance(value, FunctionValue) and self.touches(value.file, value.scope):
                    if self._touches_with(index, number, call, value):
                        return (index.number, number)
        for number, call in index.calls_in(start, end):
            for value in self._awaited.of(index, number, call):
                touches = isinstance(value, FunctionValue) and self.touches(value.file, value.scope)
                if touches or self.is_work(value):
                    return (index.number, number)
        return None

    def sent_instead(self, index: FileIndex, work: Ref | None, tried: facts.Block) -> Ref | None:
        """The first command of guarded statements where their work begins with what sends nothing:
        ``client.pubsub()`` before ``listener.subscribe(name)``.
        """
        call = self._ev.store.expr(work) if work is not None and work[0] == index.number else None
        made = self._ev.carried(index.number, call.callee) if isinstance(call, facts.Call) else ()
        if not any(isinstance(one, LibraryMethod) for one in made) or any(map(self._is_command, made)):
            return work
        sent = (
            (index.number, number)
            for number, other in sorted(index.calls_in(tried.start, tried.end), key=lambda pair: pair[1].start)
            if any(map(self._is_command, self._ev.carried(index.number, other.callee)))
        )
        return next(sent, work)

    def _is_command(self, value: Value) -> bool:
        """Whether a method sends a command, or puts one into a pipeline."""
        if not isinstance(value, LibraryMethod) or not self.is_work(value):
            return False
        method = self._ev.catalogue.method_of(value.object.origin, value.name)
        if method is not None and (method.command or method.raw_index >= 0):
            return True
        return not (method is not None and method.returns) and bool(self._ev.catalogue.command_name(value.name))

    def run_by(self, index: FileIndex, number: int, call: facts.Call) -> Values:
        """What a call runs of what leads to Redis: what it calls, and what it is handed and waits for."""
        return (*self._ev.carried(index.number, call.callee), *self._awaited.of(index, number, call))

    def _touches_with(self, index: FileIndex, number: int, call: facts.Call, function: FunctionValue) -> bool:
        """Whether a function does Redis work when it is called here: what it runs for others does not count where
        this call hands it functions of its own, ``locks.run(key, () -> names.put(key, name))``, ``run(self.measure)``.
        """
        handed = self._functions_handed(index, number, call, function)
        if not handed or any(self.touches(*one) for functions in handed.values() for one in functions):
            return True
        level = [self._entered(index.number, number, call, function, handed)]
        seen = [*level]
        for _ in range(REACH):
            below = [one for entry in level for one in self._run_with(*entry)]
            if None in below:
                return True
            level = []
            for one in below:
                if one is not None and one not in seen:
                    seen.append(one)
                    level.append(one)
        return False

    def _functions_handed(self, index: FileIndex, number: int, call: facts.Call, function: FunctionValue) -> _Handed:
        """The arguments of a call that are functions: those that are written out or known to be some, and those of
        which nothing is known but that the function calls them.
        """
        record = self._ev.store.files[function.file].facts.scopes[function.scope]
        handed: _Handed = {}
        for item in call.arguments:
            expr = index.facts.exprs[item.value]
            if not isinstance(expr, facts.Function | facts.Name | facts.Member):
                continue
            values = self._ev.objects(index.number, item.value)
            known = tuple((value.file, value.scope) for value in values if isinstance(value, FunctionValue))
            if isinstance(expr, facts.Function) or len(known) == len(values) > 0:
                handed[item.value] = known
            elif all(isinstance(one, Unknown | External | ExternalObject) for one in values):
                edge = CallEdge(index.number, number, self._ev.edges.calls.bound(function, record))
                places = {one.value: at for one, at in self._ev.edges.calls.placed(edge, call, record)}
                place = places.get(item.value, NONE)
                if place >= 0 and record.parameters[place].name in self._called_parameters(function):
                    handed[item.value] = ()
        return handed

    def _called_parameters(self, function: FunctionValue) -> frozenset[str]:
        """Names of the parameters that a function calls: ``action()``."""
        key = (function.file, function.scope)
        if key not in self._calling:
            index = self._ev.store.files[function.file]
            record = index.facts.scopes[function.scope]
            block = index.facts.blocks[record.block]
            called = {
                callee.name
                for _, call in index.calls_in(block.start, block.end)
                if isinstance(callee := index.facts.exprs[call.callee], facts.Name)
            }
            self._calling[key] = frozenset(one.name for one in record.parameters if one.name in called)
        return self._calling[key]

    def _entered(
        self, file: int, number: int, call: facts.Call, function: FunctionValue, handed: _Handed
    ) -> tuple[tuple[int, int], _Given]:
        """A function that a call enters, and what its parameters stand for of what is `handed` on."""
        record = self._ev.store.files[function.file].facts.scopes[function.scope]
        edge = CallEdge(file, number, self._ev.edges.calls.bound(function, record))
        placed = self._ev.edges.calls.placed(edge, call, record)
        return (function.file, function.scope), {
            record.parameters[at].name: handed[item.value] for item, at in placed if at >= 0 and item.value in handed
        }

    def _run_with(self, key: tuple[int, int], given: _Given) -> Iterator[tuple[tuple[int, int], _Given] | None]:
        """The functions that a function calls whose parameters stand for what is `given`; None for Redis work that it
        does itself.
        """
        index = self._ev.store.files[key[0]]
        block = index.facts.blocks[index.facts.scopes[key[1]].block]
        for number, call in index.calls_in(block.start, block.end):
            callee = index.facts.exprs[call.callee]
            holder = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else callee
            if isinstance(holder, facts.Name) and holder.name in given and (holder is callee or given[holder.name]):
                yield from ((one, {}) for one in given[holder.name])
                continue
            passed = {
                item.value: given[name.name]
                for item in call.arguments
                if isinstance(name := index.facts.exprs[item.value], facts.Name) and name.name in given
            }
            for value in self._ev.carried(index.number, call.callee):
                if self.is_work(value):
                    yield None
                elif isinstance(value, FunctionValue):
                    yield self._entered(index.number, number, call, value, passed)

    def listens(self, index: FileIndex, start: int, end: int) -> bool:
        """Whether a stretch of code waits for messages for as long as the connection lives."""
        level, seen = self._called(index, start, end), set[Value]()
        for _ in range(REACH):
            methods = [one for one in level if isinstance(one, LibraryMethod)]
            if any(one.name in one.object.origin.library.library.listens for one in methods):
                return True
            functions = [one for one in level if isinstance(one, FunctionValue) and one not in seen]
            seen.update(functions)
            level = [value for one in functions for value in self._called_by(one)]
        return False

    def _called(self, index: FileIndex, start: int, end: int) -> list[Value]:
        return [
            value
            for number, call in index.calls_in(start, end)
            for value in self._ev.carried(index.number, call.callee)
            if not isinstance(value, FunctionValue)
            or (self.touches(value.file, value.scope) and self._touches_with(index, number, call, value))
        ]

    def _called_by(self, function: FunctionValue) -> list[Value]:
        index = self._ev.store.files[function.file]
        block = index.facts.blocks[index.facts.scopes[function.scope].block]
        return self._called(index, block.start, block.end)

    def is_work(self, value: Value) -> bool:
        """Whether a call of something talks to a server."""
        if isinstance(value, LibraryMethod):
            # Options are set on a `config` object without talking to anything.
            listens = value.name in self._listening
            return value.object.kind not in ("lock", "config") and not listens and not self._is_of_any_pool(value)
        return self._makes(value) is True

    def _is_of_any_pool(self, value: LibraryMethod) -> bool:
        """Whether a method takes an object from a pool for objects of any kind, or gives it back."""
        if value.object.kind != "other":
            return False
        method = self._ev.catalogue.method_of(value.object.origin, value.name)
        returned = value.name in value.object.origin.library.library.takes_back
        return returned or (method is not None and method.returns_element)

    def _makes(self, value: Value) -> bool | None:
        """Whether a call that makes a client, or a pool, connects it before it returns; None for other calls. What
        connects later cannot fail for want of a server.
        """
        model = self._ev.catalogue.constructor(value.dotted) if isinstance(value, External) else None
        return model[1].connects if model is not None else None

    def only_prepares(self, index: FileIndex, start: int, end: int) -> bool:
        """Whether all Redis work in a stretch of code is making clients that connect later: none of it can fail for
        want of a server.
        """
        made = 0
        for _, call in index.calls_in(start, end):
            for value in self._ev.carried(index.number, call.callee):
                if self._makes(value) is False:
                    made += 1
                elif self.is_work(value) or (
                    isinstance(value, FunctionValue) and self.touches(value.file, value.scope)
                ):
                    return False
        return made > 0

    def blocks(self, index: FileIndex, start: int, end: int) -> bool:
        """Whether a stretch of code, or a function that it surely calls, sends a command that the server answers only
        when there is something.
        """
        level, seen = [(index, call) for _, call in index.calls_in(start, end)], set[Value]()
        for _ in range(REACH):
            if any(self._waits(*one) for one in level):
                return True
            found = [self._ev.callee(other.number, call.callee) for other, call in level]
            functions = {one[0] for one in found if len(one) == 1 and isinstance(one[0], FunctionValue)} - seen
            seen |= functions
            level = [pair for one in functions if isinstance(one, FunctionValue) for pair in self._calls_of(one)]
        return False

    def _calls_of(self, function: FunctionValue) -> list[tuple[FileIndex, facts.Call]]:
        index = self._ev.store.files[function.file]
        block = index.facts.blocks[index.facts.scopes[function.scope].block]
        return [(index, call) for _, call in index.calls_in(block.start, block.end)]

    def _waits(self, index: FileIndex, call: facts.Call) -> bool:
        named = {item.name for item in call.arguments} | self._words_of(index, call)
        for value in self._ev.callee(index.number, call.callee):
            if not isinstance(value, LibraryMethod):
                continue
            method = self._ev.catalogue.method_of(value.object.origin, value.name)
            wait = method.wait if method is not None else None
            if wait is not None and (wait.default != "none" or wait.parameter in named):
                return True
            command = self._ev.catalogue.commands.get(self._ev.catalogue.command_name(value.name))
            if wait is None and command is not None and command.raw_wait in ("first", "last"):
                return True
            if command is not None and command.raw_wait == "block" and named & {"block", "BLOCK"}:
                return True
        return False

    def _words_of(self, index: FileIndex, call: facts.Call) -> set[str]:
        """Words and names of options that are written out among the arguments of a call."""
        found = set[str]()
        for item in call.arguments:
            expr = index.facts.exprs[item.value]
            written = [expr]
            if isinstance(expr, facts.Collection) and expr.kind == "map":
                written = [index.facts.exprs[key] for key in expr.keys if key != NONE]
            found |= {one.value for one in written if isinstance(one, facts.Literal) and isinstance(one.value, str)}
        return found

    def sends(self, index: FileIndex, number: int, depth: int = 0) -> bool:
        """Whether a call surely sends something to a server, and nothing on the way guards it."""
        call = index.facts.exprs[number]
        values = self._ev.carried(index.number, call.callee) if isinstance(call, facts.Call) else ()
        if isinstance(call, facts.Call):
            values = self._awaited.of(index, number, call) or values
        known = [
            one
            for one in values
            if not isinstance(one, Unknown | ParameterValue)
            and not (isinstance(one, FunctionValue) and self._ev.is_abstract(one))
        ]
        return bool(known) and all(self._surely_sends(one, depth) for one in known)

    def _surely_sends(self, value: Value, depth: int) -> bool:
        if isinstance(value, LibraryMethod):
            method = self._ev.catalogue.method_of(value.object.origin, value.name)
            command = (method.command if method is not None else "") or self._ev.catalogue.command_name(value.name)
            raw = method is not None and method.raw_index >= 0  # what `execute_command("RPUSH", …)` names
            # A pool that has none left to lend connects.
            lends = method is not None and (method.lends or method.returns_element)
            return (bool(command) or raw or lends) and self.is_work(value) and value.object.kind != "pipeline"
        if not isinstance(value, FunctionValue) or depth >= _DEPTH:
            return False
        index = self._ev.store.files[value.file]
        body = index.facts.scopes[value.scope].block
        return any(
            all(self._runs(index, index.facts.blocks[one]) for one in index.enclosing_blocks(call.block))
            and index.function_of(call.block) == value.scope
            and self.sends(index, number, depth + 1)
            for number, call in index.calls_in(index.facts.blocks[body].start, index.facts.blocks[body].end)
        )

    def _runs(self, index: FileIndex, block: facts.Block) -> bool:
        """Whether a block runs once whenever the one around it does, and guards nothing."""
        test = index.facts.exprs[block.head] if block.kind == "if" and block.head != NONE else None
        return block.kind in ("body", "with") or (isinstance(test, facts.Literal) and bool(test.value))

    @cached_property
    def _listening(self) -> frozenset[str]:
        """Methods that only register functions for events, or take them away: nothing is sent."""
        words = [roles.words for roles in self._ev.catalogue.roles.values()]
        return frozenset(name for one in words for name in (*one.listeners, *one.unlisteners))

    # -- what fails first ----------------------------------------------------------------------------------------------

    def fails_first(self, index: FileIndex, start: int, end: int) -> bool:
        """Whether Redis work is the first thing in a stretch that can fail, so that it is what a broad handler is
        for.
        """
        return self._first_failure(index, start, end) is not False

    def sends_first(self, index: FileIndex, start: int, end: int) -> bool:
        """Whether Redis work stands in a stretch, and is the first thing there that can fail."""
        return self._first_failure(index, start, end) is True

    def _first_failure(self, index: FileIndex, start: int, end: int) -> bool | None:
        """True: Redis work; False: something else; None: nothing that can fail."""
        found = sorted(index.calls_in(start, end), key=lambda pair: (pair[1].end, pair[0]))
        for number, call in found:
            values = self._awaited.of(index, number, call) or self._ev.callee(index.number, call.callee)
            if self._gives_logger(index, call):
                continue
            if self._logs(index, call):  # what is written out is looked into
                values = tuple(
                    one for one in values if isinstance(one, FunctionValue) and not self._ev.is_abstract(one)
                )
            elif self._hands_out(index, number) or self._views(index, call):
                values = tuple(one for one in values if self.is_work(one) or isinstance(one, FunctionValue))
            for value in values:
                verdict = self._failure(index, value)
                if verdict is False and self._prepares(index, call, value, found):
                    continue
                if verdict is not None:
                    return verdict
        return None

    def _prepares(self, index: FileIndex, call: facts.Call, value: Value, found: list[tuple[int, facts.Call]]) -> bool:
        """Whether a call gives an argument of Redis work by asking an object that code has at hand:
        ``jedis.sismember(keyOf(task), request.getUrl())``.
        """
        if not self._reads(index, call, value):
            return False
        for _, around in found:
            behind = index.facts.exprs[around.callee].end
            if behind <= call.start and call.end < around.end:
                return any(self.is_work(one) for one in self._ev.callee(index.number, around.callee))
        return False

    def _reads(self, index: FileIndex, call: facts.Call, value: Value) -> bool:
        """Whether a call only reads objects: a method without arguments of one that is nobody's client, or a function
        of the project that does no more.
        """
        if isinstance(value, External | ExternalObject) and self._asks_others(index, value.dotted):
            return False
        if not isinstance(value, FunctionValue):
            return not call.arguments and isinstance(index.facts.exprs[call.callee], facts.Member)
        if self._ev.is_abstract(value):
            return not call.arguments
        other = self._ev.store.files[value.file]
        block = other.facts.blocks[other.facts.scopes[value.scope].block]
        return all(
            self._failure(other, one) is None or (not isinstance(one, FunctionValue) and self._reads(other, inner, one))
            for _, inner in other.calls_in(block.start, block.end)
            for one in self._ev.callee(other.number, inner.callee)
        )

    def _gives_logger(self, index: FileIndex, call: facts.Call) -> bool:
        """`plugin.getLogger()`, whoever wrote it."""
        callee = index.facts.exprs[call.callee]
        names = self._ev.roles(index.number).words.logger_getters
        return not call.arguments and isinstance(callee, facts.Member) and callee.name in names

    def _logs(self, index: FileIndex, call: facts.Call) -> bool:
        """`plugin.getLogger().warn(…)`: a line for the log through a logger of which nothing is known."""
        callee = index.facts.exprs[call.callee]
        words = self._ev.roles(index.number).words
        if not isinstance(callee, facts.Member):
            return False
        if callee.name in words.logger_getters:
            return True
        holder = index.facts.exprs[callee.object]
        inner = index.facts.exprs[holder.callee] if isinstance(holder, facts.Call) else holder
        return callee.name in words.log_methods and getattr(inner, "name", "") in words.logger_getters

    def _views(self, index: FileIndex, call: facts.Call) -> bool:
        """`listeners.keys()`: what stands in a map of which nothing is known."""
        callee = index.facts.exprs[call.callee]
        views = self._ev.roles(index.number).words.map_views
        return not call.arguments and isinstance(callee, facts.Member) and callee.name in views

    def _hands_out(self, index: FileIndex, number: int) -> bool:
        """Whether a call gives an object of a client library, or one of the project without asking for anything:
        ``manager.getPool()``, an accessor that nobody wrote.
        """
        call = index.facts.exprs[number]
        kinds = LibraryObject if isinstance(call, facts.Call) and call.arguments else LibraryObject | Instance
        return any(isinstance(value, kinds) for value in self._ev.carried(index.number, number))

    def _failure(self, index: FileIndex, value: Value) -> bool | None:
        if self.is_work(value):
            return True
        if isinstance(value, LibraryMethod):
            return False if value.object.kind == "lock" else None
        if isinstance(value, FunctionValue):
            return self._function_fails(value)
        if self._makes(value) is False:
            return None
        if isinstance(value, External | ExternalObject) and self._may_fail(index, value.dotted):
            return False
        return False if isinstance(value, Unknown | ParameterValue | LoopValue | Reply) else None

    def _function_fails(self, value: FunctionValue) -> bool | None:
        if self.touches(value.file, value.scope):
            if self._asked_first(value) == _SURVIVED:
                return None
            return self.comes_first(value.file, value.scope)
        if self._ev.is_abstract(value):
            return False
        index = self._ev.store.files[value.file]
        block = index.facts.blocks[index.facts.scopes[value.scope].block]
        if self._left_to_others(index, value):
            return False
        return False if self._other_failure(index, block.start, block.end) else None

    def _asked_first(self, function: FunctionValue, depth: int = 0) -> str:
        """Whom a function talks to first: "redis", "other" for another server, "" for nobody that is known, "survived"
        for Redis alone, behind handlers of its own. What comes first fails first, and is what a broad handler around it
        is for.
        """
        key = (function.file, function.scope)
        if key not in self._first:
            self._first[key] = ""  # a function that calls itself asks nobody new
            self._first[key] = self._look_whom(function, depth)
        return self._first[key]

    def _look_whom(self, function: FunctionValue, depth: int) -> str:
        index = self._ev.store.files[function.file]
        block = index.facts.blocks[index.facts.scopes[function.scope].block]
        found = [pair for pair in index.calls_in(block.start, block.end) if self._is_in(index, pair[1], function)]
        survived = ""
        for number, call in sorted(found, key=lambda pair: (pair[1].end, pair[0])):
            kept = self._errors.survived(index, call.block, block)
            run = self._awaited.of(index, number, call)
            for value in run or self._ev.named_callee(index.number, call.callee):
                asked = ""
                if self.is_work(value):
                    asked = "redis"
                elif isinstance(value, External | ExternalObject) and self._asks_others(index, value.dotted):
                    asked = "other"
                elif isinstance(value, FunctionValue) and depth < REACH:
                    asked = self._asked_first(value, depth + 1)
                if asked == _SURVIVED or (asked == "redis" and kept):
                    survived = _SURVIVED
                elif asked:
                    return asked
        return survived

    def _is_in(self, index: FileIndex, call: facts.Call, function: FunctionValue) -> bool:
        return index.function_of(call.block) == function.scope

    def _asks_others(self, index: FileIndex, dotted: str) -> bool:
        plain = dotted.replace("()", "")
        names = self._ev.roles(index.number).fallible
        return any(plain == name or plain.startswith(name + ".") for name in names)

    def _left_to_others(self, index: FileIndex, function: FunctionValue) -> bool:
        """Whether a method is there to be written by somebody else: all it does is ``raise NotImplementedError``."""
        jumps = index.jumps.get(function.scope, ())
        return bool(jumps) and all(jump.kind == "raise" and index.runs_with_function(jump.block) for jump in jumps)

    def _other_failure(self, index: FileIndex, start: int, end: int) -> bool:
        """Whether a function talks to something else that is known to fail."""
        return any(
            isinstance(value, External | ExternalObject)
            and self._makes(value) is None
            and self._may_fail(index, value.dotted)
            for _, call in index.calls_in(start, end)
            for value in self._ev.named_callee(index.number, call.callee)
        )

    def _may_fail(self, index: FileIndex, dotted: str) -> bool:
        """Builtins and logging are no work that a retry is for."""
        plain = dotted.replace("()", "")
        roles = self._ev.roles(index.number)
        if plain in self._call_options or plain.startswith(self._client_packages):
            return False
        if any(plain == name or plain.startswith(name + ".") for name in roles.harmless):
            return False
        return "." in plain or self._asks_others(index, plain)

    @cached_property
    def _call_options(self) -> frozenset[str]:
        """What client libraries name that says how a command is sent: ``commandOptions({ isolated: true })``."""
        libraries = self._ev.catalogue.libraries.values()
        return frozenset(name for one in libraries for name in one.library.call_options)

    @cached_property
    def _client_packages(self) -> tuple[str, ...]:
        """Beginnings of what client libraries have beside their clients, as arguments of commands are made of:
        ``XReadArgs.Builder.count(10)``.
        """
        return tuple(
            name + separator
            for one in self._ev.catalogue.libraries.values()
            if any(type_.kind in ("client", "connection") for type_ in one.type)
            for name in one.library.imports
            for separator in "./"
        )

    # -- guarded work --------------------------------------------------------------------------------------------------

    def guarded(self, index: FileIndex, handler: int) -> facts.Block | None:
        """The statements that a handler guards."""
        statement = index.clauses.get(("try", index.facts.blocks[handler].group), ())
        return index.facts.blocks[statement[0]] if statement else None

    def is_tried(self, index: FileIndex, handler: int) -> bool:
        """Whether a handler is for failures of the Redis work that it guards."""
        block = index.facts.blocks[handler]
        caught = self._errors.caught(index, block)
        tried = self.guarded(index, handler)
        if tried is None or caught not in ("redis", "broad"):
            return False
        if caught == "redis":
            return True
        work = self.within(index, tried.start, tried.end)
        return work is not None and self.fails_first(index, tried.start, tried.end)

    # -- decorators that the project wrote -----------------------------------------------------------------------------

    def decorated(self, index: FileIndex, start: int, end: int, block: int) -> Ref | None:
        """A call between two offsets of what a decorator of the project was put on, when that does Redis work and is
        reached in a way that values do not show (``descriptor.value.apply(this, args)``).
        """
        scope = index.scope_of(block)
        while scope > 0 and not any(self.touches(*one) for one in self._decorated.get((index.number, scope), ())):
            scope = index.facts.scopes[scope].parent
        if scope <= 0:
            return None
        words = self._ev.roles(index.number).words.function_methods
        for number, call in index.calls_in(start, end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and callee.name in words:
                values = self._ev.values(index.number, callee.object)
                if all(isinstance(value, Unknown | ParameterValue) for value in values):
                    return (index.number, number)
        return None

    @cached_property
    def _decorated(self) -> dict[tuple[int, int], list[tuple[int, int]]]:
        """Function of the project -> the functions that it decorates."""
        table: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for index in self._ev.store.judged:
            for scope, record in enumerate(index.facts.scopes):
                for number in record.decorators if record.kind == "function" else ():
                    expr = index.facts.exprs[number]
                    callee = expr.callee if isinstance(expr, facts.Call) else number
                    for value in self._ev.values(index.number, callee):
                        if isinstance(value, FunctionValue):
                            table.setdefault((value.file, value.scope), []).append((index.number, scope))
        return table

    def mentions_conflict(self, index: FileIndex, expr: int) -> bool:
        """Whether a test asks for an error that no connection is to blame for: a lost race, a missing script, an error
        of something else (``if isinstance(error, IntegrityError)``).
        """
        pending, steps = [expr], 0
        others: list[bool] = []
        while pending and steps < 100:
            steps += 1
            number = pending.pop()
            if number == NONE:
                continue
            record = index.facts.exprs[number]
            if isinstance(record, facts.Literal) and isinstance(record.value, str):
                if self._is_refusal(record.value):
                    return True
            elif isinstance(record, facts.Call) and self._helper_asks_for_conflict(index, record):
                return True
            elif isinstance(record, facts.Name | facts.Member):
                if any(
                    isinstance(value, External) and self._errors.kind(index.number, value.dotted) == "conflict"
                    for value in self._ev.values(index.number, number)
                ):
                    return True
            elif (asked := self._type_asked_for(index, record)) != NONE:
                others.append(not self._errors.is_of_redis(index.number, asked))
            pending.extend(children(record))
        return bool(others) and all(others)

    def _is_refusal(self, text: str) -> bool:
        """Whether a text is the beginning of a reply that no connection is to blame for, or names such an error."""
        return any(word in text for word in _REPLIES) or self._errors.kind_of_name(text) == "conflict"

    def _helper_asks_for_conflict(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a test is left to a function of the project which asks for lost races and the like, and for no error
        of a connection: ``def is_conflict(error): return type(error).__name__ == "WatchError"``.
        """
        functions = self._ev.callee(index.number, call.callee)
        return bool(functions) and all(
            isinstance(one, FunctionValue) and self._kinds_named(one) == {"conflict"} for one in functions
        )

    def _kinds_named(self, function: FunctionValue) -> set[str]:
        """Kinds of the errors that a function names, by their types or as texts."""
        file = function.file
        index = self._ev.store.files[file]
        block = index.facts.blocks[index.facts.scopes[function.scope].block]
        kinds = set[str]()
        for number, expr in enumerate(index.facts.exprs):
            if not block.start <= expr.start < block.end:
                continue
            if isinstance(expr, facts.Literal) and isinstance(expr.value, str):
                kinds.add("conflict" if self._is_refusal(expr.value) else self._errors.kind_of_name(expr.value))
            elif isinstance(expr, facts.Name | facts.Member):
                kinds |= {
                    self._errors.kind(file, value.dotted)
                    for value in self._ev.values(file, number)
                    if isinstance(value, External)
                }
        return kinds - {""}

    def _type_asked_for(self, index: FileIndex, test: facts.Expr) -> int:
        """The type that something is compared with: ``error instanceof T``, ``isinstance(error, T)``."""
        if isinstance(test, facts.Operation) and test.operator == "instanceof" and len(test.operands) > 1:
            return test.operands[1]
        if isinstance(test, facts.Call) and len(test.arguments) > 1:
            callee = index.facts.exprs[test.callee]
            if isinstance(callee, facts.Name) and callee.name in self._ev.roles(index.number).words.type_tests:
                return test.arguments[1].value
        return NONE
