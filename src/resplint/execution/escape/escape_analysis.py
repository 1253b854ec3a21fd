"""What becomes of a value where it is made: stored, returned, handed on, or dropped at the end of the function."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from resplint.bind.index import FileIndex, children
from resplint.bind.values import Instance, LibraryObject, Module, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.escape.closure_escape import Captures
from resplint.execution.roles import RoleTable
from resplint.flow.graph import Graph


@dataclass(slots=True)
class Keeping:
    """How one value is kept, made in the block `home`. Several may hold: stored in a field and returned, say."""

    home: int
    module: list[facts.Binding | facts.Write] = field(default_factory=list)
    """Names of the module (or a class) that it is bound to."""
    members: list[facts.Write] = field(default_factory=list)
    """Fields and elements that it is stored in."""
    names: list[facts.Binding] = field(default_factory=list)
    """Local names."""
    derived: list[facts.Binding] = field(default_factory=list)
    """Local names of what it handed out and what speaks over it: ``connection.sync()``."""
    returned_by: int = NONE
    """The function that returns it: its own, or one around a lambda that is left by the `return` (NONE: none)."""
    handed_over: list[Ref] = field(default_factory=list)
    """Calls that receive it."""

    @property
    def returned(self) -> bool:
        """Whether a function gives it to its caller."""
        return self.returned_by != NONE

    @property
    def only_local(self) -> bool:
        """Whether the function drops it when it ends."""
        return not (self.module or self.members or self.returned or self.handed_over)


class Keeper:
    """Follows values through names of one function."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self._captures = Captures(evaluator, roles)
        self._flags_set: dict[int, dict[int, set[str]]] = {}
        """File -> block -> names that it sets to true or false."""

    def of(self, file: int, expr: int) -> Keeping:
        """How the value of an expression is kept."""
        index = self._ev.store.files[file]
        found = Keeping(index.facts.exprs[expr].block)
        pending = [expr]
        over: list[int] = []
        seen: set[int] = set()
        while pending:
            number = pending.pop()
            if number not in seen:
                seen.add(number)
                self._follow(index, number, found, pending)
                over += self._derived(index, number, ("connection", "pubsub"))
        self._follow_connections(index, over, found, seen)
        return found

    def stays(self, file: int, expr: int, returned: bool = False) -> bool:
        """Whether nothing but the function itself uses a value: no call gets it, and no function inside; `returned`:
        it, or who calls it.
        """
        index = self._ev.store.files[file]
        kept = self.of(file, expr)
        numbers = [expr, *(number for binding in kept.names for number in self._uses(index, binding))]
        function = index.function_of(index.facts.exprs[expr].block)
        only_local = kept.only_local or (returned and not (kept.module or kept.members or kept.handed_over))
        return only_local and not any(
            number in index.argument_of or index.function_of(index.facts.exprs[number].block) != function
            for number in numbers
        )

    def _follow_connections(self, index: FileIndex, pending: list[int], found: Keeping, seen: set[int]) -> None:
        """What speaks over the value (``connection.sync()``) keeps it where it is kept itself; to hand it to a call
        does not.
        """
        other = Keeping(found.home)
        while pending:
            number = pending.pop()
            if number not in seen:
                seen.add(number)
                self._follow(index, number, other, pending)
                pending += self._derived(index, number, ("connection", "pubsub"))
        found.module += other.module
        found.members += other.members
        found.derived += other.names
        if other.returned:
            found.returned_by = other.returned_by

    def _follow(self, index: FileIndex, number: int, found: Keeping, pending: list[int]) -> None:
        for binding in index.bound_to.get(number, ()):
            scope = index.facts.scopes[binding.scope]
            if scope.kind in ("module", "class"):
                found.module.append(binding)
            elif binding.name:
                found.names.append(binding)
                uses = self._uses(index, binding)
                pending.extend(uses)
                self._captured(index, binding, uses, found, pending)
        for write in index.written_to.get(number, ()):
            self._stored(index, write, found)
        function = index.returned_by(number)
        if function != NONE and index.within(found.home, function):  # not one inside, which only gives on what there is
            found.returned_by = function
        if number in index.argument_of:
            call = index.argument_of[number][0]
            if self._binds(index, call):
                pass  # `client.get.bind(client)` stays where it is
            elif (promise := self._settled(index, call)) != NONE:
                pending.append(promise)
            elif (store := self._put(index, call, number)) is not None:
                found.members.append(store)
            elif any(isinstance(value, LibraryObject | Instance) for value in self._ev.objects(index.number, call)):
                # A pool goes into its client, a client into a wrapper: what becomes of the outer becomes of the inner.
                pending.append(call)
            else:
                found.handed_over.append((index.number, call))
                self._stored_with(index, call, found)
        pending += self._derived(index, number, ("client", "cluster", "script"))
        parent = index.parents.get(number)
        if parent is not None and isinstance(
            index.facts.exprs[parent], facts.Choice | facts.Collection | facts.Operation
        ):
            pending.append(parent)

    def _put(self, index: FileIndex, number: int, value: int) -> facts.Write | None:
        """`clients.set(host, client)`, `pools.put(host, pool)`: an element of a collection."""
        call = index.facts.exprs[number]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        words = self._ev.roles(index.number).words
        if not isinstance(call, facts.Call) or not isinstance(callee, facts.Member):
            return None
        if callee.name not in (*words.map_setters, *words.list_adders):
            return None
        if any(isinstance(one, LibraryObject | Instance) for one in self._ev.objects(index.number, callee.object)):
            return None
        return facts.Write(call.callee, value, call.block, "assign")

    def _settled(self, index: FileIndex, number: int) -> int:
        """The promise that a call settles with its argument: ``new Promise((resolve) => … resolve(client))``; NONE for
        another call.
        """
        call = index.facts.exprs[number]
        if not isinstance(call, facts.Call) or not isinstance(index.facts.exprs[call.callee], facts.Name):
            return NONE
        for one in self._ev.binder.names(index.number).at(call.callee):
            if one.kind == "parameter" and not one.number:
                place = index.argument_of.get(index.function_expr.get(one.scope, NONE))
                outer = index.facts.exprs[place[0]] if place is not None else None
                promises = self._ev.edges.foreign.library(index.number).promises
                if isinstance(outer, facts.Call) and self._ev.binder.dotted(index.number, outer.callee) in promises:
                    return place[0] if place is not None else NONE
        return NONE

    def _binds(self, index: FileIndex, number: int) -> bool:
        call = index.facts.exprs[number]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        names = self._ev.roles(index.number).words.bound_function_methods
        return isinstance(callee, facts.Member) and callee.name in names

    def _captured(
        self, index: FileIndex, binding: facts.Binding, uses: list[int], found: Keeping, pending: list[int]
    ) -> None:
        """What becomes of it by way of functions and classes inside that use it."""
        captured = self._captures.of(index, binding, uses)
        if captured.returned_by != NONE:
            found.returned_by = captured.returned_by
        found.module += captured.module
        found.handed_over += captured.handed_over
        for store in captured.stores:
            self._stored(index, store, found)
        pending.extend(captured.objects)

    def _derived(self, index: FileIndex, number: int, kinds: tuple[str, ...]) -> list[int]:
        """The call that makes another object of this one (`sentinel.master_for(…)`), if it is of one of the kinds: they
        live together.
        """
        parent = index.parents.get(number)
        member = index.facts.exprs[parent] if parent is not None else None
        if not isinstance(member, facts.Member) or parent not in index.call_of:
            return []
        call = index.call_of[parent]
        values = self._ev.carried(index.number, call)
        return [call] if any(isinstance(value, LibraryObject) and value.kind in kinds for value in values) else []

    def _stored_with(self, index: FileIndex, call: int, found: Keeping) -> None:
        """What an unknown call makes of the value is stored where it outlives the function."""
        for binding in index.bound_to.get(call, ()):
            if index.facts.scopes[binding.scope].kind in ("module", "class"):
                found.module.append(binding)
        for write in index.written_to.get(call, ()):
            self._stored(index, write, found)

    def _stored(self, index: FileIndex, write: facts.Write, found: Keeping) -> None:
        target = index.facts.exprs[write.target]
        if isinstance(target, facts.Member) and any(
            isinstance(value, Module) for value in self._ev.values(index.number, target.object)
        ):
            found.module.append(write)
        else:
            found.members.append(write)

    def _uses(self, index: FileIndex, binding: facts.Binding) -> list[int]:
        """Where a local name is read in its function: also in functions inside that have no such name of their own."""
        return [
            number
            for number in index.by_name.get(binding.name, ())
            if isinstance(index.facts.exprs[number], facts.Name) and self._sees(index, number, binding.scope)
        ]

    def _sees(self, index: FileIndex, number: int, scope: int) -> bool:
        expr = index.facts.exprs[number]
        name = expr.name if isinstance(expr, facts.Name) else ""
        current = index.scope_of(expr.block)
        while current not in (scope, NONE):
            record = index.facts.scopes[current]
            hides = record.kind != "class" or record.is_open
            if hides and ((current, name) in index.parameters or (current, name) in index.bindings):
                return False
            current = record.parent
        return current == scope

    # -- guards --------------------------------------------------------------------------------------------------------

    def guarded(self, file: int, write: facts.Binding | facts.Write) -> bool:
        """Whether a store happens only when nothing is stored there yet (``if _client is None``, ``if host not in
        pools``).
        """
        index = self._ev.store.files[file]
        name = write.name if isinstance(write, facts.Binding) else index.target_name(write.target)
        holder = "" if isinstance(write, facts.Binding) else self._holder(index, write)
        names = {text for text in (name, holder) if text}
        start = write.start if isinstance(write, facts.Binding) else index.facts.exprs[write.target].start
        blocks = index.facts.blocks
        for number in index.enclosing_blocks(write.block):
            block = blocks[number]
            if block.kind == "if" and block.head != NONE and self._mentions(index, block.head, names):
                return True
            if block.kind == "if" and block.head != NONE and (flags := self._flags(index, number)):
                if self._mentions(index, block.head, flags):
                    return True
            if block.kind in ("else", "except") and self._group_mentions(index, block, names):
                return True
        return self._left_early(index, write.block, start, names)

    def flagged(self, file: int, block: int) -> bool:
        """Whether a block runs only while a flag is not set, which it sets: ``if not self.ready: …`` and
        ``self.ready = True``, or ``if self.ready: return`` before that.
        """
        index = self._ev.store.files[file]
        blocks = index.facts.blocks
        for number in index.enclosing_blocks(block, index.function_of(block)):
            flags = self._flags(index, number)
            head = blocks[number].head
            if flags and blocks[number].kind == "if" and head != NONE and self._mentions(index, head, flags):
                return True
            if flags and self._left_early(index, block, blocks[block].end, flags):
                return True
        return False

    def _flags(self, index: FileIndex, block: int) -> set[str]:
        """What a block sets to true or false: ``if not self.ready: …; self.ready = True``."""
        table = self._flags_set.get(index.number)
        if table is None:
            table = self._flags_set[index.number] = defaultdict(set)
            stores = [(one.block, one.value, index.target_name(one.target) or "") for one in index.facts.writes]
            stores += [(one.block, one.value, one.name) for one in index.facts.bindings]
            for around, value, name in stores:
                expr = index.facts.exprs[value] if value != NONE else None
                if name and isinstance(expr, facts.Literal) and expr.type == "bool":
                    table[around].add(name)
        return table.get(block, set())

    def _holder(self, index: FileIndex, write: facts.Write) -> str:
        target = index.facts.exprs[write.target]
        setters = self._ev.roles(index.number).words
        is_setter = isinstance(target, facts.Member) and target.name in (*setters.map_setters, *setters.list_adders)
        if isinstance(target, facts.Index) or (is_setter and isinstance(target, facts.Member)):
            inner = index.facts.exprs[target.object]
            return inner.name if isinstance(inner, facts.Name | facts.Member) else ""
        return ""

    def _group_mentions(self, index: FileIndex, block: facts.Block, names: set[str]) -> bool:
        """The other branches of the same statement look at it: ``if client: … else: client = …``, ``try: pools[h]``."""
        for other in index.facts.blocks:
            if other.group != block.group or other is block:
                continue
            if other.head != NONE and self._mentions(index, other.head, names):
                return True
            if other.kind == "try" and any(
                other.start <= index.facts.exprs[number].start < other.end
                for name in names
                for number in index.by_name.get(name, ())
            ):
                return True
        return False

    def _left_early(self, index: FileIndex, block: int, start: int, names: set[str]) -> bool:
        """``if _client is not None: return _client`` before the store."""
        scope = index.function_of(block)
        for jump in index.jumps.get(scope, ()):
            if jump.kind != "return" or jump.start > start:
                continue
            for number in index.enclosing_blocks(jump.block):
                head = index.facts.blocks[number].head
                if index.facts.blocks[number].kind == "if" and head != NONE and self._mentions(index, head, names):
                    return True
        return False

    def _mentions(self, index: FileIndex, expr: int, names: set[str]) -> bool:
        pending, steps = [expr], 0
        local: set[str] = set()
        while pending and steps < 200:
            number = pending.pop()
            steps += 1
            found = index.facts.exprs[number]
            if isinstance(found, facts.Name | facts.Member) and found.name in names:
                return True
            if isinstance(found, facts.Literal) and found.value in names:
                return True
            if isinstance(found, facts.Name):
                local.add(found.name)
            pending.extend(children(found))
        return self._read_from(index, local, names, index.facts.exprs[expr].block)

    def _read_from(self, index: FileIndex, local: set[str], names: set[str], block: int) -> bool:
        """``client = _pools.get(host)`` … ``if client is None``: the condition tests what was read from the store."""
        scope = index.function_of(block)
        for name in local:
            for binding in index.bindings.get((scope, name), ()):
                if binding.value == NONE:
                    continue
                expr = index.facts.exprs[binding.value]
                if isinstance(expr, facts.Call):
                    expr = index.facts.exprs[expr.callee]
                inner = getattr(expr, "object", NONE)
                inner_name = getattr(index.facts.exprs[inner], "name", "") if inner != NONE else ""
                if getattr(expr, "name", "") in names or inner_name in names:
                    return True
        return False
