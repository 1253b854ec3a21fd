"""What a function does with an object that it drops when it ends: send a command, or serve with it for a long time."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.exit_paths import mentions
from resplint.bind.index import FileIndex
from resplint.bind.values import Const, FunctionValue, LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.escape.escape_analysis import Keeping
from resplint.flow.graph import Graph
from resplint.knowledge.records.command_records import CommandModel


class LocalObjects:
    """Answers for objects that stay in one function."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def sends(self, index: FileIndex, kept: Keeping, expr: int) -> bool:
        """Whether the function itself sends a command through the object."""
        names = {binding.name for binding in kept.names}
        body = index.facts.blocks[index.facts.scopes[index.function_of(index.facts.exprs[expr].block)].block]
        for _, call in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Name) and self._is_method_of(index, call, expr):
                return True
            if not isinstance(callee, facts.Member):
                continue
            holder = index.facts.exprs[callee.object]
            if callee.object == expr or (isinstance(holder, facts.Name) and holder.name in names):
                if any(isinstance(value, LibraryMethod) for value in self._ev.carried(index.number, call.callee)):
                    if not self._in_loop(index, call, body):
                        return True
        return False

    def sends_behind(self, index: FileIndex, scope: int, call: int, names: set[str], made: int) -> bool:
        """Whether a function always makes a call first, and then sends a command, once, through one of some fields or
        through a connection of what an expression makes.
        """
        first = index.facts.exprs[call]
        if not self.always_runs(index, first.block, scope, first.start):
            return False
        return any(True for _ in self._sent(index, scope, first.end, names, made))

    def sends_given(self, index: FileIndex, scope: int, start: int, names: set[str], made: int = NONE) -> bool:
        """Whether a function sends a command about what it was given, once, through one of some fields or variables, or
        through what an expression makes, behind a place: ``pool.getResource().get(key)``.
        """
        parameters = {one.name for one in index.facts.scopes[scope].parameters}
        return any(
            mentions(index, item.value, name)
            for call in self._sent(index, scope, start, names, made)
            for item in call.arguments
            for name in parameters
        )

    def made_for_given(self, index: FileIndex, scope: int, made: int) -> bool:
        """Whether a function makes an object from what it was given, and calls a method of it once that does not go on
        and on.
        """
        call = index.facts.exprs[made]
        given = {one.name for one in index.facts.scopes[scope].parameters}
        given |= {
            one.name
            for one in index.facts.bindings
            if one.scope == scope and one.value != NONE and any(mentions(index, one.value, name) for name in given)
        }
        if not isinstance(call, facts.Call) or not any(
            mentions(index, item.value, name) for item in call.arguments for name in given
        ):
            return False
        names = {one.name for one in index.bound_to.get(made, ())}
        body = index.facts.blocks[index.facts.scopes[scope].block]
        for _, later in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[later.callee]
            holder = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
            if not isinstance(callee, facts.Member) or self._in_loop(index, later, body):
                continue
            if callee.object == made or (isinstance(holder, facts.Name) and holder.name in names):
                methods = [
                    one for one in self._ev.carried(index.number, later.callee) if isinstance(one, FunctionValue)
                ]
                if methods and not any(self._goes_on(one) for one in methods):
                    return True
        return False

    def _goes_on(self, function: FunctionValue) -> bool:
        """Whether a function has a loop whose number of turns nobody knows."""
        index = self._ev.store.files[function.file]
        block = index.facts.blocks[index.facts.scopes[function.scope].block]
        return any(index.facts.blocks[one].kind == "while" for one in index.blocks_in(block.start, block.end))

    def _sent(
        self, index: FileIndex, scope: int, start: int, names: set[str], made: int = NONE
    ) -> Iterator[facts.Call]:
        """The commands that a function sends once, behind a place, through one of some fields or variables or through
        what an expression makes.
        """
        body = index.facts.blocks[index.facts.scopes[scope].block]
        for _, later in index.calls_in(start, body.end):
            callee = index.facts.exprs[later.callee]
            holder = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
            named = isinstance(holder, facts.Member | facts.Name) and holder.name in names
            if holder is None or self._in_loop(index, later, body):
                continue
            for value in self._ev.carried(index.number, later.callee):
                command = self._command(value.name) if isinstance(value, LibraryMethod) else None
                if command is None or command.access == "none" or not isinstance(value, LibraryMethod):
                    continue
                if named or (made != NONE and _is_of(value.object, (index.number, made))):
                    yield later
                    break

    def derived(self, index: FileIndex, scope: int, expr: int) -> list[int]:
        """The calls of a function that give connections of what an expression of it makes: ``pool.getResource()``."""
        body = index.facts.blocks[index.facts.scopes[scope].block]
        made = (index.number, expr)
        return [
            number
            for number, _ in index.calls_in(index.facts.exprs[expr].end, body.end)
            if any(
                isinstance(value, LibraryObject) and value.made != made and _is_of(value, made)
                for value in self._ev.carried(index.number, number)
            )
        ]

    def always_runs(self, index: FileIndex, block: int, scope: int, start: int) -> bool:
        """Whether a place in a function is reached whenever it is called, unless something fails."""
        blocks = index.facts.blocks
        body = index.facts.scopes[scope].block
        around = index.enclosing_blocks(block, scope)
        if any(one != body and not self._is_entered(index, blocks[one]) for one in around):
            return False
        return not any(
            jump.start < start and jump.kind in ("return", "raise") and index.function_of(jump.block) == scope
            for jump in index.jumps.get(scope, ())
        )

    def _is_entered(self, index: FileIndex, block: facts.Block) -> bool:
        """Whether a block runs whenever the code around it does: ``try``, ``with``, ``if True``."""
        if block.kind != "if" or block.head == NONE:
            return block.kind in ("try", "with")
        values = self._ev.values(index.number, block.head)
        return bool(values) and all(isinstance(value, Const) and bool(value.value) for value in values)

    def _command(self, method: str) -> CommandModel | None:
        return self._ev.catalogue.commands.get(self._ev.catalogue.command_name(method))

    def _is_method_of(self, index: FileIndex, call: facts.Call, expr: int) -> bool:
        """Whether a bare name is a method of the object: ``const get = promisify(client.get).bind(client)``."""
        return any(
            isinstance(value, LibraryMethod) and value.object.made == (index.number, expr)
            for value in self._ev.callee(index.number, call.callee)
        )

    def _in_loop(self, index: FileIndex, call: facts.Call, body: facts.Block) -> bool:
        """Inside a loop of the function: a client that serves a whole batch of data is not made per command."""
        blocks = [index.facts.blocks[number] for number in index.enclosing_blocks(call.block)]
        return any(block.kind in ("for", "while") and block.start >= body.start for block in blocks)

    def outlives(self, index: FileIndex, scope: int, kept: Keeping, expr: int) -> bool:
        """Whether the function serves with the object for a long time: an endless loop, or a subscription, uses it."""
        if self._subscribes(index, scope, kept):
            return True
        start = index.facts.exprs[expr].start
        inside = set(index.enclosing_blocks(index.facts.exprs[expr].block))
        body = index.facts.blocks[index.facts.scopes[scope].block]
        for number in index.blocks_in(start, body.end):
            block = index.facts.blocks[number]
            if block.kind not in ("while", "for") or number in inside:
                continue
            if block.kind == "while" and self._endless(index, block) and not self._left_at_once(index, number):
                return True
            if block.kind == "for" and self._subscription(index, block):
                return True
        return False

    def serves_batch(self, index: FileIndex, kept: Keeping) -> bool:
        """Whether a loop of the function uses the object, so that one of them does the work of many operations."""
        for binding in (*kept.names, *kept.derived):
            for number in index.by_name.get(binding.name, ()):
                use = index.facts.exprs[number]
                around = [index.facts.blocks[one] for one in index.enclosing_blocks(use.block)]
                if index.function_of(use.block) == index.function_of(binding.block) and any(
                    block.kind in ("for", "while") and block.start > binding.start for block in around
                ):
                    return True
        return False

    def _subscribes(self, index: FileIndex, scope: int, kept: Keeping) -> bool:
        """A connection that subscribes to channels of its own lives as long as the stream that it serves."""
        names = {binding.name for binding in (*kept.names, *kept.derived)}
        body = index.facts.blocks[index.facts.scopes[scope].block]
        for _, call in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[call.callee]
            holder = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
            if isinstance(callee, facts.Member) and isinstance(holder, facts.Name) and holder.name in names:
                command = self._ev.catalogue.command(self._ev.catalogue.command_name(callee.name))
                if command.replies == "stream" and not self._shareable(index, call):
                    return True
        return False

    def _shareable(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether every subscriber listens to the same channels, so that one of them could serve all."""
        values = [self._ev.values(index.number, item.value) for item in call.arguments[:1]]
        return bool(values) and bool(values[0]) and all(isinstance(value, Const) for value in values[0])

    def _endless(self, index: FileIndex, block: facts.Block) -> bool:
        values = self._ev.values(index.number, block.head) if block.head != NONE else ()
        head = index.facts.exprs[block.head] if block.head != NONE else None
        # A flag or a method (`not self.stopped`) keeps a service running; a comparison counts down.
        callee = index.facts.exprs[head.callee] if isinstance(head, facts.Call) else None
        if isinstance(callee, facts.Member) and callee.name in self._ev.roles(index.number).words.exhausted:
            return False  # `while (rows.hasNext())` goes through some data
        flag = isinstance(head, facts.Name | facts.Member | facts.Call) or (
            isinstance(head, facts.Operation) and head.operator == "not"
        )
        return flag or any(isinstance(value, Const) and bool(value.value) for value in values)

    def _left_at_once(self, index: FileIndex, loop: int) -> bool:
        """Whether a loop ends with its first turn that does not fail: ``while (true) { try { ping(); break; } … }``."""
        for jump in index.jumps.get(index.function_of(loop), ()):
            if jump.kind in ("break", "return"):
                around = index.enclosing_blocks(jump.block)
                inside = around[: around.index(loop)] if loop in around else None
                if inside is not None and all(index.facts.blocks[one].kind in ("try", "with") for one in inside):
                    return True
        return False

    def _subscription(self, index: FileIndex, block: facts.Block) -> bool:
        head = index.facts.exprs[block.head] if block.head != NONE else None
        if not isinstance(head, facts.Call):
            return False
        return any(
            isinstance(value, LibraryMethod) and value.object.kind == "pubsub"
            for value in self._ev.callee(index.number, head.callee)
        )


def _is_of(value: LibraryObject, made: Ref) -> bool:
    """Whether an object is what a call makes, or a connection of that."""
    return value.made == made or (value.parent is not None and value.parent.made == made)
