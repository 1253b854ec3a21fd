"""Clients that connect again by themselves and lose their place to another one, or to nothing, while they still do."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import FunctionValue
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.escape.escape_analysis import Keeper, Keeping
from resplint.execution.lifetimes.exit_states import Exit
from resplint.execution.lifetimes.fields import own_field
from resplint.execution.lifetimes.giving_back import GivingBack
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import ClientLibrary

_Store = facts.Binding | facts.Write


class Dropped:
    """Answers for what goes into fields and into names of a module or of a function around."""

    def __init__(self, graph: Graph, back: GivingBack, keeper: Keeper) -> None:
        self._graph = graph
        self._back = back
        self._keeper = keeper

    def exits(self, index: FileIndex, made: int, kept: Keeping, library: ClientLibrary) -> list[Exit]:
        """Where the place of a client is filled anew, or emptied, though the client goes on connecting."""
        own = library.library.states
        answers = self._answers(index, made)
        if not own or (answers and all(answers)):
            return []
        found: list[Exit] = []
        for store in (*kept.members, *kept.module):
            place = self._place(index, store)
            if not place[1]:
                continue
            if not self._is_closed(index, store, place, library) and self._is_renewed(index, store, place, library):
                found.append(Exit("renewed", self._start(index, store)))
            for other in () if any(answers) else self._emptied(index, place):
                if self._after_failure(index, made, other, place, library):
                    found.append(Exit("dropped", self._start(index, other)))
        return found

    def _is_renewed(self, index: FileIndex, store: _Store, place: tuple[int, str], library: ClientLibrary) -> bool:
        """Whether a place is filled because what is in there has no connection now, or has had an error."""
        own = library.library.states
        if self._listened_to(index, store, place, library):
            return True
        if any(self._asks_state(index, head, place, own) for head in self._conditions(index, store)):
            return True
        scope = index.function_of(store.block)
        if self._keeper.guarded(index.number, store):
            return False
        sites = [one for one in self._graph.callers.of(index.number, scope) if one.file == index.number]
        return any(
            self._asks_state(index, head, place, own)
            for one in sites
            for head in self._deciding(index, index.facts.exprs[one.call].block, index.facts.exprs[one.call].start)
        )

    def _listened_to(self, index: FileIndex, store: _Store, place: tuple[int, str], library: ClientLibrary) -> bool:
        """Whether a store stands in a function that hears of the failures of what is in the place."""
        exprs, scope = index.facts.exprs, index.function_of(store.block)
        number = index.function_expr.get(scope, NONE)
        call = exprs[index.argument_of[number][0]] if number in index.argument_of else None
        callee = exprs[call.callee] if isinstance(call, facts.Call) else None
        if not isinstance(call, facts.Call) or not isinstance(callee, facts.Member):
            return False
        first = exprs[call.arguments[0].value]
        if callee.name not in self._graph.roles(index.number).words.listeners or not isinstance(first, facts.Literal):
            return False
        return first.value in library.library.failures and self._stands_for(index, callee.object, place)

    def _stands_for(self, index: FileIndex, number: int, place: tuple[int, str]) -> bool:
        """Whether an expression is what a place has got: the place itself, or a name whose value goes there."""
        if self._is_it(index, number, place):
            return True
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Call) and isinstance(inner := index.facts.exprs[expr.callee], facts.Member):
            return self._stands_for(index, inner.object, place)  # client.on(…).on(…)
        return isinstance(expr, facts.Name) and any(
            self._place(index, store) == place
            for use in index.by_name.get(expr.name, ())
            for store in (*index.written_to.get(use, ()), *index.bound_to.get(use, ()))
        )

    def _place(self, index: FileIndex, store: _Store) -> tuple[int, str]:
        """A scope and a name in it; of a field NONE and the name."""
        if isinstance(store, facts.Binding):
            is_field = index.facts.scopes[store.scope].kind == "class"
            return (NONE if is_field else store.scope), store.name
        return NONE, own_field(index, store.target)

    def _start(self, index: FileIndex, store: _Store) -> int:
        return store.start if isinstance(store, facts.Binding) else index.facts.exprs[store.target].start

    def _is_it(self, index: FileIndex, number: int, place: tuple[int, str]) -> bool:
        """Whether an expression reads what is in a place."""
        scope, name = place
        if scope == NONE:
            return own_field(index, number) == name
        expr = index.facts.exprs[number]
        return isinstance(expr, facts.Name) and index.owner(name, index.scope_of(expr.block)) == scope

    def _is_closed(self, index: FileIndex, store: _Store, place: tuple[int, str], library: ClientLibrary) -> bool:
        """Whether a function that fills a place closes what has been there, or hands it to somebody who may."""
        scope = index.function_of(store.block)
        body = index.facts.blocks[index.facts.scopes[scope].block]
        return self._closes(index, body.start, self._start(index, store), place, library)

    def _closes(self, index: FileIndex, start: int, end: int, place: tuple[int, str], library: ClientLibrary) -> bool:
        """Whether code between two offsets, or a function of the same file that it calls, closes what is in a place, or
        hands it to somebody who may.
        """
        waiting, seen = [(start, end)], set[int]()
        while waiting:
            for _, call in index.calls_in(*waiting.pop()):
                for value in self._graph.callee(index.number, call.callee):
                    if isinstance(value, FunctionValue) and value.file == index.number and value.scope not in seen:
                        seen.add(value.scope)
                        body = index.facts.blocks[index.facts.scopes[value.scope].block]
                        waiting.append((body.start, body.end))
                callee = index.facts.exprs[call.callee]
                if isinstance(callee, facts.Member) and self._is_it(index, callee.object, place):
                    if self._back.ends(library, callee.name):
                        return True
                for item in call.arguments:
                    if self._is_it(index, item.value, place):
                        if self._back.handed(index, call, item.value, library) != "uses":
                            return True
        return False

    def _conditions(self, index: FileIndex, store: _Store) -> Iterator[int]:
        """What decides whether a place is filled."""
        return self._deciding(index, store.block, self._start(index, store))

    def _deciding(self, index: FileIndex, inner: int, start: int) -> Iterator[int]:
        """The conditions around a place in the code, and those of returns before it."""
        blocks, scope = index.facts.blocks, index.function_of(inner)
        around = index.enclosing_blocks(inner, scope)
        groups = {blocks[one].group for one in around if blocks[one].kind in ("if", "else")}
        while scope not in (0, NONE) and index.facts.scopes[scope].kind == "function":
            body = blocks[index.facts.scopes[scope].block]
            for number in index.blocks_in(body.start, start):
                block = blocks[number]
                if block.kind != "if" or block.head == NONE:
                    continue
                leaves = any(one.kind == "return" for one in index.jumps_in_block.get(number, ()))
                if block.group in groups or (leaves and block.end <= start and block.scope == scope):
                    yield block.head
            scope = index.facts.scopes[scope].parent

    def _asks_state(self, index: FileIndex, head: int, place: tuple[int, str], own: tuple[str, ...]) -> bool:
        """Whether a condition asks if what is in a place has its connection: ``client.isReady``."""
        exprs = index.facts.exprs
        for part in parts(exprs, head):
            member = exprs[part]
            if not isinstance(member, facts.Member) or member.name not in own:
                continue
            if self._is_it(index, member.object, place):
                outer = exprs[index.parents[part]] if part in index.parents else None
                beside = [exprs[one] for one in outer.operands] if isinstance(outer, facts.Operation) else []
                texts = [one.value for one in beside if isinstance(one, facts.Literal) and one.type == "str"]
                if all(one in own for one in texts):
                    return True
        return False

    def _emptied(self, index: FileIndex, place: tuple[int, str]) -> Iterator[_Store]:
        """Where nothing is put into a place."""
        stores: list[_Store] = [one for one in index.facts.bindings if one.name == place[1] and one.kind == "assign"]
        stores += index.facts.writes
        for store in stores:
            value = index.facts.exprs[store.value] if store.value != NONE else None
            if isinstance(value, facts.Literal) and value.type == "none" and self._place(index, store) == place:
                if index.facts.scopes[index.function_of(store.block)].kind == "function":
                    yield store

    def _after_failure(
        self, index: FileIndex, made: int, store: _Store, place: tuple[int, str], library: ClientLibrary
    ) -> bool:
        """Whether a place is emptied because something failed: in a handler of the statements that fill it, or of the
        client's errors, and the client is not closed there.
        """
        blocks, exprs = index.facts.blocks, index.facts.exprs
        scope = index.function_of(store.block)
        if self._listened_to(index, store, place, library):
            body = blocks[index.facts.scopes[scope].block]
            return not self._closes(index, body.start, body.end, place, library)
        if not library.library.rejects or index.function_of(exprs[made].block) != scope:
            return False
        tries = {blocks[one].group for one in index.enclosing_blocks(exprs[made].block, scope)}
        for one in index.enclosing_blocks(store.block, scope):
            block = blocks[one]
            if block.kind == "except" and block.group in tries:
                return not self._closes(index, block.start, block.end, place, library)
        return False

    def _answers(self, index: FileIndex, made: int) -> list[bool]:
        """What functions among a client's settings return: whether that says not to connect again."""
        exprs, call = index.facts.exprs, index.facts.exprs[made]
        found = []
        for block in index.blocks_in(call.start, call.end):
            for jump in index.jumps_in_block.get(block, ()):
                value = exprs[jump.value] if jump.kind == "return" and jump.value != NONE else None
                for one in value.options if isinstance(value, facts.Choice) else (jump.value,):
                    literal = exprs[one] if value is not None else None
                    none = isinstance(literal, facts.Literal) and (literal.type == "none" or literal.value is False)
                    found.append(none)
        return found
