"""On which ways out of a function something that it took is still held: what is given back must be so on every one.

A function is walked statement by statement, with the set of states that are possible there: not taken yet, held, given
back. Conditions are not evaluated, but for those that ask whether there is anything to give back. What runs in a
function that is written in place and handed to a call runs at that call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from resplint.bind.exit_paths import mentions
from resplint.bind.index import FileIndex
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.knowledge.records.role_records import Words

_BEFORE, _HELD, _GIVEN, _LOST = 1, 2, 4, 8
"""Not taken yet, held, given back, and held although something has failed in the meantime."""

Way = Literal["end", "return", "turn", "replaced", "renewed", "dropped", "raise", "stop"]


@dataclass(frozen=True, slots=True)
class Exit:
    """A way out of a function with something still held: behind its last statement, by a `return` at an offset, when a
    turn of a loop ends, where its only name gets another one, where a field or name from around gets another one or
    nothing, because of an error in the code at an offset, caught or
    not, or as whoever takes the values of a generator stops at one.
    """

    way: Way
    at: int


@dataclass(slots=True)
class Taking:
    """What happens to the thing in one function. Expressions, by their numbers."""

    taken: int
    """Where it is taken."""
    lent: bool = False
    """Whether a pool lends it."""
    given: set[int] = field(default_factory=set)
    """What gives it back, closes it, or hands it to somebody who does."""
    uses: set[int] = field(default_factory=set)
    """Calls that work with it, which may fail."""
    names: set[str] = field(default_factory=set)
    """Names that it has in the function."""
    errors: set[str] = field(default_factory=set)
    """Names of what is there in its place when it could not be taken."""
    replaced: set[int] = field(default_factory=set)
    """What is put in its place, where it has one name: nobody can give it back afterwards."""


@dataclass(slots=True)
class _Outcome:
    """States behind some statements, by how they are left."""

    normal: int = 0
    failed: dict[int, int] = field(default_factory=dict)
    """Offset of what fails -> states."""
    left: dict[int, int] = field(default_factory=dict)
    """Offset of a `return` -> states."""
    broken: int = 0
    repeated: int = 0

    def fail(self, states: int, at: int) -> None:
        if states:
            self.failed[at] = self.failed.get(at, 0) | states

    def leave(self, states: int, at: int) -> None:
        if states:
            self.left[at] = self.left.get(at, 0) | states

    def take_over(self, other: _Outcome) -> None:
        """All ways out of some statements inside, but for the one behind the last of them."""
        for at, states in other.failed.items():
            self.fail(states, at)
        for at, states in other.left.items():
            self.leave(states, at)
        self.broken |= other.broken
        self.repeated |= other.repeated


class ExitStates:
    """Walks functions of one file."""

    def __init__(self, index: FileIndex, words: Words) -> None:
        self._index = index
        self._words = words
        self._children: dict[int, list[int]] = defaultdict(list)
        for number, block in enumerate(index.facts.blocks):
            self._children[block.parent].append(number)

    def exits(self, taking: Taking) -> list[Exit] | None:
        """The ways on which the thing is still held, by place; None where a function that nobody calls on the spot
        gives it back, whichever way that goes.
        """
        index = self._index
        home = index.function_of(index.facts.exprs[taking.taken].block)
        walk = _Walk(index, self._words, self._children, taking)
        later = walk.place_callbacks(home)
        if later == NONE:
            return self._left(walk, home, _BEFORE)
        if not taking.lent or any(not index.within(index.facts.exprs[one].block, later) for one in taking.given):
            return None
        return [one for one in self._left(walk, later, _HELD) if not self._is_done(later, one)] or None

    def _is_done(self, scope: int, one: Exit) -> bool:
        """Whether a function is left where it finds that it has run before: ``if (closed) return; closed = true``."""
        index = self._index
        jump = next((jump for jump in index.jumps.get(scope, ()) if jump.start == one.at), None)
        if jump is None or one.way != "return":
            return False
        stored = {one.name for one in index.facts.bindings if index.within(one.block, scope)}
        stored |= {index.target_name(one.target) or "" for one in index.facts.writes if index.within(one.block, scope)}
        heads = [index.facts.blocks[block].head for block in index.enclosing_blocks(jump.block, scope)]
        return any(mentions(index, head, name) for head in heads if head != NONE for name in stored - {""})

    def _left(self, walk: _Walk, scope: int, states: int) -> list[Exit]:
        """The ways out of a function on which the thing is still held."""
        index = self._index
        body = index.facts.scopes[scope].block
        outcome = walk.block(body, states)
        found = set(walk.turns)
        found.update(Exit("return", at) for at, states in outcome.left.items() if states & _HELD)
        if outcome.normal & _HELD:
            found.add(Exit("end", index.facts.blocks[body].end))
        found.update(Exit("raise", at) for at, states in outcome.failed.items() if states & (_HELD | _LOST))
        if any(states & _LOST for states in (outcome.normal, *outcome.left.values())):
            found.update(Exit("raise", at) for at in walk.failing)
        yields = {jump.start for jump in index.jumps.get(scope, ()) if jump.kind == "yield"}
        found = {Exit("stop", one.at) if one.way == "raise" and one.at in yields else one for one in found}
        return sorted(found, key=lambda one: (one.at, one.way))


class _Walk:
    """One walk over one function."""

    def __init__(self, index: FileIndex, words: Words, children: dict[int, list[int]], taking: Taking) -> None:
        self._index = index
        self._words = words
        self._children = children
        self._taking = taking
        self._loops = 0
        self._last = 0
        """Blocks that always run, around what is looked at."""
        self._callbacks: dict[int, list[int]] = defaultdict(list)
        """Call -> scopes of the functions that it is handed and that have to do with the thing."""
        self._events: dict[int, list[int]] = defaultdict(list)
        """Block -> expressions in it that have to do with the thing."""
        self._outward: set[int] = set()
        self._jumps: dict[int, list[facts.Jump]] = {}
        """Block of a function that runs at a call -> the jumps in it that leave the function around."""
        self.turns: set[Exit] = set()
        self.failing: set[int] = set()
        """Offsets of what may fail while the thing is held."""
        self._guards: dict[str, bool] = {}
        """Conditions under which the thing is taken at all, as they are written -> what they are then."""
        self._around = index.enclosing_blocks(index.facts.exprs[taking.taken].block)
        for around in self._around:
            block = index.facts.blocks[around]
            if block.kind == "if" and block.head != NONE and (spelled := _spelling(index.facts.exprs, block.head)):
                self._guards[spelled] = True
                inner = index.facts.exprs[block.head]
                if isinstance(inner, facts.Operation) and inner.operator in ("not", "!"):
                    self._guards[_spelling(index.facts.exprs, inner.operands[0])] = False
        self._retaken = len(taking.names) == 1 and self._is_taken_in_each_turn()
        """Whether each turn of a loop puts another one in its place."""
        for number in {taking.taken, *taking.given, *taking.uses, *taking.replaced}:
            self._events[index.facts.exprs[number].block].append(number)

    def place_callbacks(self, home: int) -> int:
        """Find the calls at which functions inside run; NONE, or one that gives the thing back and is not among
        these.
        """
        index = self._index
        placed: set[int] = set()
        if home in index.function_expr:
            self._place_jumps(home)
        for number in (self._taking.taken, *self._taking.given, *self._taking.uses):
            scope = index.function_of(index.facts.exprs[number].block)
            while scope not in (home, NONE) and scope not in placed:
                placed.add(scope)
                call = self._run_by(scope)
                if call is None:
                    if number in self._taking.given:
                        return scope
                    break
                self._callbacks[call].append(scope)
                self._place_jumps(scope)
                block = index.facts.exprs[call].block
                if call not in self._events[block]:
                    self._events[block].append(call)
                scope = index.function_of(block)
        return NONE

    def _place_jumps(self, scope: int) -> None:
        """``return`` in a lambda that leaves the function around it stands there all the same."""
        index = self._index
        body = index.facts.blocks[index.facts.scopes[scope].block]
        for jump in index.by_place.jumps.between(body.start, body.end):
            if not index.within(jump.block, scope):
                inside = [
                    one
                    for one in index.blocks_in(body.start, jump.start + 1)
                    if index.facts.blocks[one].end > jump.start
                ]
                self._jumps.setdefault(max(inside, key=lambda one: index.facts.blocks[one].start), []).append(jump)
                self._outward.add(jump.start)

    def _run_by(self, scope: int) -> int | None:
        """The call that runs a function written in place, as far as can be seen."""
        index = self._index
        number = index.function_expr.get(scope)
        if number is None:
            return None
        if number in index.call_of:
            return index.call_of[number]
        place = index.argument_of.get(number)
        return place[0] if place is not None else None

    # -- statements ----------------------------------------------------------------------------------------------------

    def block(self, number: int, states: int) -> _Outcome:
        """The statements of a block, one after the other."""
        out = _Outcome(states)
        for _, _, kind, items in sorted(self._items(number)):
            if not out.normal:
                break
            if kind == "event":
                self._event(items[0], out)
            elif kind == "jump":
                self._jump(number, items[0], out)
            else:
                self._statement([*items], out)
        return out

    def _items(self, number: int) -> Iterator[tuple[int, int, str, tuple[int, ...]]]:
        """What stands directly in a block: (offset at which it is done, order there, kind, numbers)."""
        index = self._index
        for expr in self._events.get(number, ()):
            yield index.facts.exprs[expr].end, 0, "event", (expr,)
        for position, jump in enumerate(self._jumps_in(number)):
            at = index.facts.exprs[jump.value].end if jump.value != NONE else jump.start
            yield at, 1, "jump", (position,)
        groups: dict[int, list[int]] = defaultdict(list)
        scope = index.facts.blocks[number].scope
        for child in self._children.get(number, ()):
            block = index.facts.blocks[child]
            if block.scope == scope or block.kind != "body":
                groups[block.group if block.scope == scope else -1 - child].append(child)
        for blocks in groups.values():
            yield index.facts.blocks[blocks[0]].start, 2, "statement", tuple(blocks)

    def _jumps_in(self, block: int) -> list[facts.Jump]:
        """The jumps that stand directly in a block."""
        if block in self._jumps:
            return self._jumps[block]
        return [jump for jump in self._index.jumps_in_block.get(block, ()) if jump.start not in self._outward]

    def _event(self, number: int, out: _Outcome) -> None:
        taking = self._taking
        start = self._index.facts.exprs[number].start
        if number in taking.replaced or (number == taking.taken and self._retaken):
            self._replaced(out, start)
        if number == taking.taken:
            out.fail(out.normal, start)
            out.normal = _HELD
        elif number in taking.uses and number not in taking.given:
            self._fails(out, start)
        for scope in self._callbacks.get(number, ()):
            self._callback(number, scope, out)
        if number in taking.given:
            out.normal = (out.normal & _BEFORE) | (_GIVEN if out.normal & ~_BEFORE else 0)

    def _replaced(self, out: _Outcome, at: int) -> None:
        """Its name gets another one here: what is still held stays so forever."""
        if out.normal & _HELD:
            self.turns.add(Exit("replaced", at))
        elif out.normal & _LOST:
            self.turns.update(Exit("raise", one) for one in self.failing)
        if out.normal & (_HELD | _LOST):
            out.fail(out.normal, at)
            out.normal = (out.normal & _BEFORE) | _GIVEN

    def _is_taken_in_each_turn(self) -> bool:
        """Whether it is taken in a loop over elements, whose turns all have the next one after them."""
        index = self._index
        for number in self._around:
            block = index.facts.blocks[number]
            if block.kind in ("for", "while", "comprehension"):
                jumps = index.by_place.jumps.between(block.start, block.end)
                return block.kind == "for" and not any(one.kind in ("break", "return") for one in jumps)
        return False

    def _fails(self, out: _Outcome, at: int) -> None:
        """Something that works with the thing may fail here."""
        states = out.normal & ~_BEFORE
        if states & _HELD:
            self.failing.add(at)
            states = (states & ~_HELD) | _LOST
        out.fail(states, at)

    def _callback(self, number: int, scope: int, out: _Outcome) -> None:
        """A function that a call runs: at once, later, or when something fails."""
        inner = self.block(self._index.facts.scopes[scope].block, out.normal)
        ends = inner.normal
        for at, states in inner.left.items():
            if at in self._outward:
                out.leave(states, at)
            else:
                ends |= states
        call = self._index.facts.exprs[number]
        callee = self._index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        name = callee.name if isinstance(callee, facts.Member | facts.Name) else ""
        if name in self._words.scope_functions or name in self._words.element_callbacks:
            for at, states in inner.failed.items():
                out.fail(states, at)
        optional = name in self._words.rejection_handlers or name in self._words.element_callbacks
        optional = optional or (name in self._words.listeners and self._is_own(callee))
        out.normal = ends | (out.normal if optional else 0) or out.normal

    def _is_own(self, callee: facts.Expr | None) -> bool:
        """Whether a method is one of the thing itself: ``client.on("error", …)``."""
        holder = self._index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
        return isinstance(holder, facts.Name) and holder.name in self._taking.names

    def _jump(self, block: int, position: int, out: _Outcome) -> None:
        jump = self._jumps_in(block)[position]
        if jump.kind == "return":
            out.leave(out.normal, jump.start)
        elif jump.kind == "raise":
            out.fail((out.normal & ~_HELD) | (_LOST if out.normal & _HELD else 0), jump.start)
            if out.normal & _HELD:
                self.failing.add(jump.start)
        elif jump.kind == "break":
            out.broken |= out.normal
        elif jump.kind == "continue":
            out.repeated |= out.normal
        if jump.kind == "yield":  # who takes the values may stop there, or raise an error in it
            self._fails(out, jump.start)
        else:
            out.normal = 0

    def _statement(self, blocks: list[int], out: _Outcome) -> None:
        """A statement that has blocks: branches, a loop, guarded statements."""
        kinds = {self._index.facts.blocks[one].kind for one in blocks}
        if kinds & {"except", "finally"}:
            self._guarded(blocks, out)
        elif kinds & {"for", "while", "comprehension"}:
            for number in blocks:
                self._loop(number, out)
        elif "if" in kinds:
            self._branches(blocks, out)
        else:
            for number in blocks:
                inner = self.block(number, out.normal)
                out.normal = inner.normal
                out.take_over(inner)

    def _branches(self, blocks: list[int], out: _Outcome) -> None:
        rest, after = out.normal, 0
        is_switch = self._index.facts.blocks[blocks[0]].head == NONE
        for number in blocks:
            block = self._index.facts.blocks[number]
            asks = block.kind == "if" and block.head != NONE and number not in self._around
            there = self._asks(block.head, number) if asks else None
            if asks and self._last and (there is None or (not there and self._gives(number))):
                there = self._gives_in(number, blocks)
            enters = rest if there is None else rest & ~(_BEFORE if there else _HELD | _LOST)
            if enters:
                inner = self.block(number, enters)
                after |= inner.normal
                if is_switch or not self._loops:
                    after, inner.broken = after | inner.broken, 0
                out.take_over(inner)
            if there is not None:
                rest &= ~(_HELD | _LOST if there else _BEFORE)
            if block.kind == "else":
                rest = 0
        out.normal = after | rest

    def _gives_in(self, number: int, blocks: list[int]) -> bool | None:
        """Which branch of a statement gives the thing back: who does so in what always runs knows when there is
        something to give back, ``if (connected) client.quit()``.
        """
        giving = [one for one in blocks if self._gives(one)]
        return (number in giving) if giving else None

    def _gives(self, number: int) -> bool:
        block, exprs = self._index.facts.blocks[number], self._index.facts.exprs
        return any(block.start <= exprs[one].start < block.end for one in self._taking.given)

    def _asks(self, head: int, block: int) -> bool | None:
        """Whether a condition asks if there is anything to give back (True), or if there is nothing (False)."""
        exprs = self._index.facts.exprs
        expr = exprs[head]
        if (guarded := self._guards.get(_spelling(exprs, head))) is not None:
            return guarded
        if isinstance(expr, facts.Name):
            return False if expr.name in self._taking.errors else True if expr.name in self._taking.names else None
        if isinstance(expr, facts.Member):
            return True if self._asks(expr.object, block) else None
        if isinstance(expr, facts.Call):
            if any(self._asks(item.value, block) for item in expr.arguments):
                return not self._only_leaves(block)
            callee = exprs[expr.callee]
            return self._asks(callee.object, block) if isinstance(callee, facts.Member) else None
        if isinstance(expr, facts.Operation):
            return self._compares(expr, block)
        return None

    def _compares(self, expr: facts.Operation, block: int) -> bool | None:
        exprs = self._index.facts.exprs
        asked = [one for operand in expr.operands if (one := self._asks(operand, block)) is not None]
        if not asked:
            return None
        operands = [exprs[one] for one in expr.operands]
        nothing = any(isinstance(one, facts.Literal) and one.type == "none" for one in operands)
        if expr.operator in ("not", "!") or (nothing and expr.operator in ("==", "===", "is")):
            return not asked[0]
        return asked[0]

    def _only_leaves(self, block: int) -> bool:
        """Whether a branch does nothing about the thing, and leaves."""
        return bool(self._index.jumps_in_block.get(block)) and not self._events.get(block)

    def _loop(self, number: int, out: _Outcome) -> None:
        block = self._index.facts.blocks[number]
        if block.kind == "else":
            inner = self.block(number, out.normal)
            out.normal = inner.normal
            out.take_over(inner)
            return
        self._loops += 1
        before, broken = out.normal, 0
        for _ in range(2):
            inner = self.block(number, before)
            if self._index.facts.scopes[block.scope].block == number:  # a function that is called for each element
                self._end_turn(inner)
            turned = inner.normal | inner.repeated
            if turned & _HELD and self._is_of_turn(block):
                self.turns.add(Exit("turn", self._index.facts.exprs[self._taking.taken].start))
                turned &= ~_HELD
            before |= turned
            broken |= inner.broken
            inner.broken = inner.repeated = 0
            out.take_over(inner)
        self._loops -= 1
        head = self._index.facts.exprs[block.head] if block.head != NONE else None
        endless = block.kind == "while" and (isinstance(head, facts.Literal) and bool(head.value))
        out.normal = broken | (0 if endless else before)

    def _end_turn(self, inner: _Outcome) -> None:
        """Take ``return`` in a function that is called for each element as the end of a turn: `ids.map(id => …)`."""
        for at in [one for one in inner.left if one not in self._outward]:
            inner.repeated |= inner.left.pop(at)

    def _is_of_turn(self, loop: facts.Block) -> bool:
        """Whether a loop takes a new thing in each turn, and has no name for it outside."""
        index = self._index
        if not loop.start <= index.facts.exprs[self._taking.taken].start < loop.end:
            return False
        return not any(
            binding.scope == loop.scope and not loop.start <= binding.start < loop.end
            for name in self._taking.names
            for binding in index.bindings_by_name.get(name, ())
        )

    def _guarded(self, blocks: list[int], out: _Outcome) -> None:
        """``try`` with its handlers, and what always runs behind them."""
        by_kind: dict[str, list[int]] = defaultdict(list)
        for number in blocks:
            by_kind[self._index.facts.blocks[number].kind].append(number)
        handlers, last = by_kind.pop("except", []), by_kind.pop("finally", [])
        otherwise = by_kind.pop("else", [])
        found = _Outcome(out.normal)
        for number in (one for numbers in by_kind.values() for one in numbers):
            inner = self.block(number, found.normal)
            found.normal = inner.normal
            found.take_over(inner)
        if handlers:
            entered = _union(found.failed.values()) | (out.normal & _BEFORE)
            found.failed = {}
            for number in otherwise:
                inner = self.block(number, found.normal)
                found.normal = inner.normal
                found.take_over(inner)
            for number in handlers:
                inner = self.block(number, entered) if entered else _Outcome()
                found.normal |= inner.normal
                found.take_over(inner)
        for number in last:
            found = self._always(number, found)
        out.normal = found.normal
        out.take_over(found)

    def _always(self, number: int, found: _Outcome) -> _Outcome:
        """The ways out of a statement, each through its last block."""
        after = _Outcome()

        def through(states: int) -> int:
            self._last += 1
            inner = self.block(number, states) if states else _Outcome()
            self._last -= 1
            after.take_over(inner)
            return inner.normal

        after.normal = through(found.normal)
        after.broken |= through(found.broken)
        after.repeated |= through(found.repeated)
        for at, states in found.left.items():
            after.leave(through(states), at)
        for at, states in found.failed.items():
            after.fail(through(states), at)
        return after


def _spelling(exprs: Sequence[facts.Expr], number: int) -> str:
    """A condition on names and members as it is written; "" for one with anything else in it."""
    expr = exprs[number]
    if isinstance(expr, facts.Name):
        return expr.name
    if isinstance(expr, facts.Literal):
        return repr(expr.value)
    if isinstance(expr, facts.Member):
        inner = _spelling(exprs, expr.object)
        return f"{inner}.{expr.name}" if inner else ""
    if isinstance(expr, facts.Operation):
        inside = [_spelling(exprs, one) for one in expr.operands]
        return f"({expr.operator} {' '.join(inside)})" if all(inside) else ""
    return ""


def _union(states: Iterable[int]) -> int:
    found = 0
    for one in states:
        found |= one
    return found
