"""What one function does with something that it takes: what gives it back, what works with it, who else gets it."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.escape.escape_analysis import Keeping
from resplint.execution.lifetimes.exit_states import Exit, ExitStates, Taking
from resplint.execution.lifetimes.fates import Taken
from resplint.execution.lifetimes.fields import own_field
from resplint.execution.lifetimes.giving_back import GivingBack
from resplint.flow.graph import Graph


class Following:
    """What one function does with something that it takes."""

    def __init__(
        self,
        graph: Graph,
        back: GivingBack,
        index: FileIndex,
        taken: Taken,
        kept: Keeping,
        fields: frozenset[str] = frozenset(),
        closers: frozenset[str] = frozenset(),
    ) -> None:
        self._graph = graph
        self._back = back
        self._index = index
        self._taken = taken
        self._kept = kept
        self._fields = fields
        self._closers = closers
        """Methods that close it of the object that holds it, where that is what the function has."""
        self._library = taken.value.origin.library
        self._words = self._graph.roles(index.number).words
        self.listens = taken.value.kind == "pubsub"
        self.passed = ""
        """Why it is somebody else's."""
        self.closes_behind = False
        """Whether a call closes it when the function has run that it is handed to: ``use { … }``."""
        self.registered = False
        """Whether a function inside uses it that is registered to be called later."""
        self.taking = Taking(taken.ref[1], taken.lent)
        self._owned = {(binding.scope, binding.name) for binding in kept.names}
        self._derived = {(binding.scope, binding.name) for binding in kept.derived}

    def run(self, block: int = NONE) -> None:
        """Find what gives it back and what works with it, in its function or in a block."""
        index = self._index
        self._lambda_parameters()
        self.taking.names = {name for _, name in self._owned} | self._fields
        self.taking.replaced = set(self._replacements())
        home = index.function_of(index.facts.exprs[self.taking.taken].block)
        body = index.facts.blocks[index.facts.scopes[home].block if block == NONE else block]
        for number, call in index.calls_in(body.start, body.end):
            if number != self.taking.taken:
                self._call(number, call)
        self.taking.uses -= {one for one in self.taking.uses if self._asks_before_giving(one)}
        outside = [ref for ref in self._kept.handed_over if not self._is_argument(ref)]
        self.registered = bool(outside)

    def _asks_before_giving(self, number: int) -> bool:
        """Whether a call only asks the thing for its state, and what it is asked for gives it back:
        ``if (!connection.isClosed()) connection.close()``.
        """
        index, exprs = self._index, self._index.facts.exprs
        call = exprs[number]
        callee = exprs[call.callee] if isinstance(call, facts.Call) else None
        if not isinstance(callee, facts.Member) or self._graph.catalogue.command_name(callee.name):
            return False
        return any(
            block.kind == "if"
            and block.head != NONE
            and exprs[block.head].start <= call.start
            and call.end <= exprs[block.head].end
            and any(block.start <= exprs[one].start < block.end for one in self.taking.given)
            for block in index.facts.blocks
        )

    def _replacements(self) -> Iterator[int]:
        """What else the function puts under the only name of the thing, and is one of its kind."""
        index = self._index
        home = index.function_of(index.facts.exprs[self.taking.taken].block)
        own = {binding.start for binding in self._kept.names}
        if len(self.taking.names) != 1 or self._fields:
            return
        for scope, name in self._owned:
            for binding in index.bindings_by_name.get(name, ()):
                if binding.kind != "assign" or binding.scope != scope or binding.value == NONE or binding.start in own:
                    continue
                value = index.facts.exprs[binding.value]
                carried = self._graph.carried(index.number, binding.value)
                kinds = [one.origin.type for one in carried if isinstance(one, LibraryObject)]
                alike = bool(kinds) and all(one is self._taken.value.origin.type for one in kinds)
                itself = index.names_between(name, value.start, value.end)
                if alike and not itself and index.function_of(value.block) == home:
                    yield binding.value

    def _lambda_parameters(self) -> None:
        """``pool.resource.let { it.get(key) }``, ``pool.acquire().then(client => …)``."""
        index = self._index
        self._handed_to_callback()
        pending = [self.taking.taken]
        while pending:
            member = index.parents.get(pending.pop())
            expr = index.facts.exprs[member] if member is not None else None
            if member is None or not isinstance(expr, facts.Member) or member not in index.call_of:
                continue
            call = index.facts.exprs[index.call_of[member]]
            assert isinstance(call, facts.Call)
            if expr.name in self._words.closers:
                self.closes_behind = True
                self.passed = "The function that it is handed to runs in a call that closes it afterwards."
            if expr.name not in self._words.scope_functions and expr.name not in self._words.thenables:
                continue
            for item in call.arguments[:1]:
                function = index.facts.exprs[item.value]
                if isinstance(function, facts.Function) and (own := index.own_parameters(function.scope)):
                    self._owned.add((function.scope, own[0].name))
            pending.append(index.call_of[member])

    def _handed_to_callback(self) -> None:
        """``pool.acquire((error, client) => …)``: the error comes first, the connection last."""
        index = self._index
        call = index.facts.exprs[self.taking.taken]
        if not self._taken.lent or self._owned or not isinstance(call, facts.Call):
            return
        for item in call.arguments:
            function = index.facts.exprs[item.value]
            own = index.own_parameters(function.scope) if isinstance(function, facts.Function) else ()
            if isinstance(function, facts.Function) and len(own) > 1:
                self._owned.add((function.scope, own[-1].name))
                self.taking.errors.add(own[0].name)

    def _is_argument(self, ref: Ref) -> bool:
        call = self._index.facts.exprs[ref[1]] if ref[1] >= 0 else None
        return isinstance(call, facts.Call) and any(self._is_it(item.value) for item in call.arguments)

    def _is_it(self, number: int, owned: set[tuple[int, str]] | None = None) -> bool:
        """Whether an expression is the thing."""
        if number == self.taking.taken:
            return owned is None
        if owned is None and self._fields and own_field(self._index, number) in self._fields:
            return True
        expr = self._index.facts.exprs[number]
        if not isinstance(expr, facts.Name):
            return False
        owner = self._index.owner(expr.name, self._index.scope_of(expr.block))
        return (owner, expr.name) in (self._owned if owned is None else owned)

    def _call(self, number: int, call: facts.Call) -> None:
        index = self._index
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Member):
            if self._is_it(callee.object):
                self._method(number, callee.name)
            elif self._ends_other(callee):
                self.taking.given.add(number)
            elif self._leads_here(callee.object):
                self.taking.uses.add(number)
        for item in call.arguments:
            if self._is_it(item.value):
                self._handed(number, call, item.value)
            elif self._is_end(item.value):
                self.taking.given.add(number)

    def _method(self, number: int, name: str) -> None:
        ends = name in self._closers if self._closers else self._back.ends(self._library, name)
        if ends or name in self._words.closers:
            self.taking.given.add(number)
        elif name in self._library.library.listens or self._subscribes(name):
            self.listens = True
            self.taking.uses.add(number)
        elif name not in (*self._words.scope_functions, *self._words.thenables, *self._words.listeners):
            self.taking.uses.add(number)

    def _subscribes(self, name: str) -> bool:
        catalogue = self._graph.catalogue
        command = catalogue.command_name(name)
        return bool(command) and catalogue.command(command).replies == "stream"

    def _handed(self, number: int, call: facts.Call, argument: int) -> None:
        what = self._back.handed(self._index, call, argument, self._library)
        callee = self._index.facts.exprs[call.callee]
        if what == "unknown" and isinstance(callee, facts.Member):
            what = "gives" if self._back.takes_back(self._taken.library, callee.name) else what
        if what == "gives":
            self.taking.given.add(number)
        elif what == "uses":
            self.taking.uses.add(number)
        else:
            self.passed = self.passed or "It is handed to something that may keep it."

    def _is_end(self, number: int) -> bool:
        """``jedis::close`` handed on, to be called later."""
        expr = self._index.facts.exprs[number]
        return isinstance(expr, facts.Member) and self._is_it(expr.object) and self._back.ends(self._library, expr.name)

    def _ends_other(self, callee: facts.Member) -> bool:
        """Whether a call closes what the thing comes from, made in the same function, or the thing by way of what it
        has handed out: ``commands.getStatefulConnection().close()``.
        """
        index = self._index
        if not self._back.ends(self._library, callee.name):
            return False
        values = self._graph.carried(index.number, callee.object)
        parents = self._parents()
        for value in values:
            if isinstance(value, LibraryObject) and value.made is not None:
                if value.made in parents:
                    return True
        holder = index.facts.exprs[callee.object]
        if isinstance(holder, facts.Call | facts.Member) and self._leads_here(callee.object):
            return any(
                isinstance(value, LibraryObject) and value.origin.type is self._taken.value.origin.type
                for value in values
            )
        return False

    def _parents(self) -> set[Ref]:
        """What it comes from, as far as that is made in the same function."""
        found: set[Ref] = set()
        home = self._index.function_of(self._index.facts.exprs[self.taking.taken].block)
        parent = self._taken.value.parent
        while parent is not None:
            if parent.made is not None and parent.made[0] == self._index.number and parent.made[1] >= 0:
                if self._index.function_of(self._index.facts.exprs[parent.made[1]].block) == home:
                    found.add(parent.made)
            parent = parent.parent
        return found

    def _leads_here(self, number: int) -> bool:
        """Whether an expression is something that the thing has handed out: ``jedis.pipelined()``."""
        exprs = self._index.facts.exprs
        while True:
            if self._is_it(number) or self._is_it(number, self._derived):
                return True
            expr = exprs[number]
            if isinstance(expr, facts.Call):
                number = expr.callee
            elif isinstance(expr, facts.Member):
                number = expr.object
            else:
                return False


class Walks:
    """Answers about the ways out of functions of all files."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._states: dict[int, ExitStates] = {}

    def exits(self, index: FileIndex, taking: Taking) -> list[Exit] | None:
        """The ways on which the thing is still held; None where nobody knows when a function gives it back."""
        states = self._states.get(index.number)
        if states is None:
            states = self._states[index.number] = ExitStates(index, self._graph.roles(index.number).words)
        return states.exits(taking)


def is_managed(index: FileIndex, taken: int, kept: Keeping, cursors: tuple[str, ...] = ()) -> bool:
    """Whether a statement closes a thing when it is left: ``with``, ``try (…)``, also by way of what one of the methods
    `cursors` gives: ``try (var keys = connection.scan(…))``.
    """
    named = {number for name in kept.names for number in index.by_name.get(name.name, ())}
    for number in {taken, *(one for one in named if _is_named(index, one, kept))}:
        for held in (number, *_cursors(index, number, cursors)):
            if any(binding.kind == "with" for binding in index.bound_to.get(held, ())):
                return True
    around = (index.facts.blocks[one] for one in index.enclosing_blocks(index.facts.exprs[taken].block))
    return any(block.kind == "with" and block.head == taken for block in around)


def _cursors(index: FileIndex, number: int, methods: tuple[str, ...]) -> Iterator[int]:
    """What some methods give that are called on an expression, or on what it gives: ``taken.keyCommands().scan()``."""
    while (member := index.parents.get(number)) is not None and member in index.call_of:
        callee, number = index.facts.exprs[member], index.call_of[member]
        if isinstance(callee, facts.Member) and callee.name in methods:
            yield number


def _is_named(index: FileIndex, number: int, kept: Keeping) -> bool:
    expr = index.facts.exprs[number]
    if not isinstance(expr, facts.Name):
        return False
    owner = index.owner(expr.name, index.scope_of(expr.block))
    return any((owner, expr.name) == (one.scope, one.name) for one in kept.names)
