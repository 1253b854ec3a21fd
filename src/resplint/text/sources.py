"""Where the data comes from that an expression is made of: parameters of functions, and elements of loops.

What a program knows before it gets any request, such as settings, is no source. So is the key under which something
is looked up: ``CONNECTIONS[name]["url"]`` stands in `CONNECTIONS`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from resplint.bind.exit_paths import receiver
from resplint.bind.index import FileIndex, children
from resplint.bind.values import CollectionValue, LoopValue, Reply
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.text.texts import CONFIGURED, CONSTANT, REQUESTED, Texts


@dataclass(slots=True)
class Sources:
    """`parameters` are (scope, position), `loops` the blocks of the loops over whose elements they run."""

    parameters: set[tuple[int, int]] = field(default_factory=set)
    loops: set[int] = field(default_factory=set)
    requested: bool = False
    """Whether some of it is known to come from a request."""


class SourceFinder:
    """Follows expressions back through the names of one file."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self._texts = Texts(evaluator)

    def of(self, index: FileIndex, exprs: Iterable[int], without: frozenset[str] = frozenset()) -> Sources:
        """What some expressions of one file are made of, but for what members and setters `without` put in later."""
        found = Sources()
        pending = [number for number in exprs if number != NONE]
        seen: set[int] = set()
        while pending:
            number = pending.pop()
            if number not in seen:
                seen.add(number)
                pending += self._behind(index, number, found, without)
        return found

    def _behind(self, index: FileIndex, number: int, found: Sources, without: frozenset[str]) -> list[int]:
        """What stands behind one expression; parameters and loops are noted."""
        if self._of_process(index, number):
            return []
        expr = index.facts.exprs[number]
        match expr:
            case facts.Name():
                return [] if self._is_fixed(index, number, found) else self._behind_name(index, expr, found, without)
            case facts.Member():
                return [] if self._is_fixed(index, number, found) else self._behind_member(index, expr)
            case facts.Index(object=inner, key=key):
                found.loops |= self._elements(index, key)
                return [inner]
            case facts.Call():
                return [] if self._is_fixed(index, number, found) else self._behind_call(index, expr)
            case facts.Collection(items=items):
                return [item for item in items if item != NONE]
        return [child for child in children(expr) if child != NONE]

    def _of_process(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is reached through what is the same for every request: ``request.app.state.url``. What
        a call gave or a request carries is not: ``(await request.json()).server``.
        """
        members = self._ev.roles(index.number).words.process_members
        found = False
        while True:
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Call):
                if found and (expr.awaited or self._is_requested(index, number)):
                    return False
                number = expr.callee
            elif isinstance(expr, facts.Member | facts.Index):
                if isinstance(expr, facts.Member) and expr.name in members and self._is_held(index, expr.object):
                    found = True
                elif found and isinstance(expr, facts.Index):
                    return False
                number = expr.object
            else:
                break
        return found

    def _is_requested(self, index: FileIndex, number: int) -> bool:
        return any(part.reason == REQUESTED for part in self._texts.parts(index.number, number))

    def _is_held(self, index: FileIndex, number: int) -> bool:
        """Whether a member belongs to what a name or the own object holds, and not to some part of it."""
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Member):
            holder = index.facts.exprs[expr.object]
            return isinstance(holder, facts.Name) and holder.name == receiver(index, index.function_of(expr.block))
        if isinstance(expr, facts.Name) and self._is_data(index, number):
            return False
        return isinstance(expr, facts.Name | facts.Call)

    def _is_data(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is an element of the data or a reply, which has a configuration of its own."""
        expr = index.facts.exprs[number]
        owner = index.owner(expr.name, index.scope_of(expr.block)) if isinstance(expr, facts.Name) else NONE
        record = index.facts.scopes[owner] if owner != NONE else None
        if record is not None and record.kind == "comprehension":
            return True  # of a function that is called for each element
        return any(isinstance(value, LoopValue | Reply) for value in self._ev.values(index.number, number))

    def is_fixed(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is the same for the life of the process: a constant but null, or something that is
        set.
        """
        expr = index.facts.exprs[number] if number != NONE else None
        is_null = isinstance(expr, facts.Literal) and expr.value is None
        return expr is not None and not is_null and self._is_fixed(index, number, Sources())

    def _is_fixed(self, index: FileIndex, number: int, found: Sources) -> bool:
        """Whether an expression is the same for the life of the process; what comes from a request is noted."""
        if any(isinstance(value, CollectionValue) for value in self._ev.values(index.number, number)):
            return False  # entries may be added
        parts = self._texts.parts(index.number, number)
        found.requested = found.requested or any(part.reason == REQUESTED for part in parts)
        return bool(parts) and all(part.kind in (CONSTANT, CONFIGURED) for part in parts)

    def _behind_name(self, index: FileIndex, expr: facts.Name, found: Sources, without: frozenset[str]) -> list[int]:
        scope = index.owner(expr.name, index.scope_of(expr.block))
        record = index.facts.scopes[scope] if scope != NONE else None
        if record is None or record.kind == "module" or (record.kind == "class" and not record.is_open):
            return []
        bindings = index.bindings.get((scope, expr.name), [])
        values = [one.value for one in bindings if one.value != NONE]
        if record.kind == "class":
            return [*values, *self._given(index, expr.name, scope)]
        if (scope, expr.name) in index.parameters:
            if index.facts.blocks[record.block].kind == "body":
                found.parameters.add((scope, index.parameters[scope, expr.name]))
            else:
                found.loops.add(record.block)  # of a function that is called for each element
                values.append(index.facts.blocks[record.block].head)
        found.loops |= {one.block for one in bindings if one.kind == "for"}
        return [value for value in (*values, *self._put_in(index, expr.name, scope, without)) if value != NONE]

    def _elements(self, index: FileIndex, number: int) -> set[int]:
        """The loop whose elements a key is: ``for name in SHOPS: connect(SHOPS[name])`` looks up another each time."""
        expr = index.facts.exprs[number] if number != NONE else None
        scope = index.scope_of(expr.block) if isinstance(expr, facts.Name) else NONE
        while isinstance(expr, facts.Name) and scope > 0:
            record = index.facts.scopes[scope]
            bindings = index.bindings.get((scope, expr.name), [])
            if (scope, expr.name) in index.parameters and index.facts.blocks[record.block].kind != "body":
                return {record.block}  # of a function that is called for each element
            if bindings or (scope, expr.name) in index.parameters:
                return {one.block for one in bindings if one.kind == "for"}
            scope = record.parent
        return set()

    def _put_in(self, index: FileIndex, name: str, scope: int, without: frozenset[str]) -> list[int]:
        """What is put into a named object later: ``options.host = …``, ``options.update(…)``."""
        behind: list[int] = []
        plain = {*self._ev.roles(index.number).words.lookups, *without}
        for number in index.by_name.get(name, ()):
            use = index.facts.exprs[number]
            parent = index.parents.get(number)
            holder = index.facts.exprs[parent] if parent is not None else None
            if not isinstance(use, facts.Name) or not index.within(use.block, scope):
                continue
            if number in index.argument_of and index.argument_of[number][1] == 0:
                behind += self._merged(index, index.argument_of[number][0])
            if parent is None or not isinstance(holder, facts.Member | facts.Index):
                continue
            if index.target_name(parent) not in without:
                behind += [write.value for write in index.writes_to.get(parent, ())]
            if isinstance(holder, facts.Member) and parent in index.call_of:
                call = index.facts.exprs[index.call_of[parent]]
                updates = isinstance(call, facts.Call) and holder.name not in plain
                behind += [item.value for item in call.arguments] if updates and isinstance(call, facts.Call) else []
        return behind

    def _merged(self, index: FileIndex, number: int) -> list[int]:
        """``Object.assign(options, { host })``: what is put into the first argument."""
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        merges = self._ev.roles(index.number).merges
        values = self._ev.values(index.number, call.callee)
        if not any(getattr(value, "dotted", "") in merges for value in values):
            return []
        return [item.value for item in call.arguments[1:]]

    def _behind_member(self, index: FileIndex, expr: facts.Member) -> list[int]:
        """The object of a member, or for a field of the own object what constructors give it."""
        holder = index.facts.exprs[expr.object]
        function = index.function_of(expr.block)
        if not isinstance(holder, facts.Name) or holder.name != receiver(index, function):
            return [expr.object]
        return self._given(index, expr.name, index.class_of(function))

    def _given(self, index: FileIndex, name: str, owner: int) -> list[int]:
        """What constructors of a class store in a field."""
        makers = index.constructors.get(owner, [])
        return [write.value for write in index.writes_by_name.get(name, ()) if index.function_of(write.block) in makers]

    def _behind_call(self, index: FileIndex, expr: facts.Call) -> list[int]:
        callee = index.facts.exprs[expr.callee]
        arguments = [item.value for item in expr.arguments]
        if isinstance(callee, facts.Member):
            looks_up = callee.name in self._ev.roles(index.number).words.lookups
            return [callee.object] if looks_up else [callee.object, *arguments]
        return arguments
