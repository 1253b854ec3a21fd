"""Loops that end once a helper gives nothing, as it does when it has survived a failure."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph

_SAME, _OTHER = ("==", "===", "is"), ("!=", "!==", "is not")


class EmptyHanded:
    """Tells whether a loop is left with what its work gives after a failure: ``if (item == null) break;``."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def ends(self, helper: tuple[FileIndex, int], index: FileIndex, call: int, loop: facts.Block) -> bool:
        """Whether a handler of a helper leads to nothing, and a loop that calls the helper ends on that."""
        names = {one.name for one in index.bound_to.get(call, ()) if not one.path}
        if not names or not (self._leaves(index, names, loop) or self._fails_on_nothing(index, names, call, loop)):
            return False
        return self.gives_nothing(*helper)

    def fails(self, index: FileIndex, call: int, area: facts.Block) -> bool:
        """Whether an area fails if a call in it gives nothing: ``items = read()``, then ``items.size()``."""
        names = {one.name for one in index.bound_to.get(call, ()) if not one.path}
        return bool(names) and self._fails_on_nothing(index, names, call, area)

    def may_give_nothing(self, index: FileIndex, handler: int) -> bool:
        """Whether a function gives nothing in or behind a handler, at least sometimes."""
        block = index.facts.blocks[handler]
        jumps = [one for one in index.jumps[index.function_of(handler)] if one.kind == "return"]
        behind = [one.value for one in jumps if one.start >= block.start]
        return not behind or any(self._is_nothing(index, one) for one in behind)

    def pauses(self, index: FileIndex, call: int, loop: facts.Block, pauses: list[Ref]) -> list[int]:
        """Those of the pauses of a loop that a turn comes to in which a helper gave nothing: not those of handlers of
        other failures, nor those that go with a reply.
        """
        names = self._names(index, call)
        here = [number for file, number in pauses if file == index.number]
        return [one for one in here if one == call or self._comes_to(index, one, call, loop, names)]

    def _names(self, index: FileIndex, call: int) -> set[str]:
        """Names for what a call gives, those for what something around it hands on: ``await wait_for(take(), 1)``."""
        number, names = call, set[str]()
        while number != NONE and not names:
            names = {one.name for one in index.bound_to.get(number, ()) if not one.path}
            place = index.argument_of.get(number)
            number = place[0] if place is not None else NONE
        return names

    def _comes_to(self, index: FileIndex, pause: int, call: int, loop: facts.Block, names: set[str]) -> bool:
        """Whether a turn comes to a pause, as far as is known, when a call gives nothing."""
        blocks = index.facts.blocks
        place = index.facts.exprs[pause]
        for number in index.enclosing_blocks(place.block):
            block = blocks[number]
            if block == loop:
                break
            if block.kind == "except" or self._says(index, number, call, names) == "something":
                return False
        else:
            return False
        behind = index.facts.exprs[call].end
        return not any(
            jump.kind == "continue"
            and behind <= jump.start < place.start
            and self._says(index, jump.block, call, names) == "nothing"
            for jump in index.by_place.jumps.between(loop.start, loop.end)
        )

    def _says(self, index: FileIndex, number: int, call: int, names: set[str]) -> str:
        """ "something" or "nothing": what a call gave where a block runs; "" where that does not matter."""
        block = index.facts.blocks[number]
        heads = [block.head] if block.kind == "if" else []
        if block.kind == "else":
            heads = [index.facts.blocks[one].head for one in index.clauses.get(("if", block.group), ())]
        for head in heads:
            if head != NONE and (given := self._asks_for(index, head, call, names)):
                return given if block.kind == "if" else {"something": "nothing", "nothing": "something"}[given]
        return ""

    def _asks_for(self, index: FileIndex, head: int, call: int, names: set[str]) -> str:
        test = index.facts.exprs[head]
        if self._is_of_nothing(index, head, names):
            return "nothing"
        if head == call or self._is_one(index, head, names):
            return "something"
        if isinstance(test, facts.Operation) and test.operator in _OTHER and len(test.operands) == 2:
            if any(self._is_nothing(index, one) for one in test.operands):
                return "something" if any(self._is_one(index, one, names) for one in test.operands) else ""
        return ""

    def _leaves(self, index: FileIndex, names: set[str], loop: facts.Block) -> bool:
        for jump in index.by_place.jumps.between(loop.start, loop.end):
            guard = index.facts.blocks[jump.block]
            if jump.kind not in ("break", "return") or guard.kind != "if" or guard.head == NONE:
                continue
            if index.facts.blocks[guard.parent] == loop or self._is_guarded(index, guard, loop):
                if self._is_of_nothing(index, guard.head, names):
                    return True
        return False

    def _fails_on_nothing(self, index: FileIndex, names: set[str], call: int, loop: facts.Block) -> bool:
        """Whether the first thing that each turn does with what it got fails if that is nothing, and no handler of the
        loop sees it: ``for (String item : items)``, ``items.size()``, ``total - done`` where nothing is no number.
        """
        after = index.facts.exprs[call].end
        uses = sorted(number for name in names for number in index.names_between(name, after, loop.end))
        first = min(uses, key=lambda number: index.facts.exprs[number].start, default=NONE)
        if first == NONE or not self._runs_every_turn(index, index.facts.exprs[first].block, loop):
            return False
        if any(block.kind == "for" and block.head == first for block in index.facts.blocks):
            return True
        parent = index.parents.get(first, NONE)
        holder = index.facts.exprs[parent] if parent != NONE else None
        if isinstance(holder, facts.Operation):
            return holder.operator in self._ev.roles(index.number).words.fails_on_nothing
        if not isinstance(holder, facts.Member) or holder.object != first:
            return False
        return holder.end - index.facts.exprs[first].end == len(f".{holder.name}")  # and not `items?.length`

    def _runs_every_turn(self, index: FileIndex, number: int, loop: facts.Block) -> bool:
        """Whether a block is that of a loop, or one in it that runs whatever happens and handles no failure."""
        for block in (index.facts.blocks[one] for one in index.enclosing_blocks(number)):
            if block == loop:
                return True
            if block.kind != "with":
                return False
        return False

    def _is_guarded(self, index: FileIndex, block: facts.Block, loop: facts.Block) -> bool:
        """Whether a block stands in guarded statements of the loop itself."""
        parent = index.facts.blocks[block.parent]
        return parent.kind == "try" and index.facts.blocks[parent.parent] == loop

    def _is_of_nothing(self, index: FileIndex, head: int, names: set[str]) -> bool:
        """``item == null``, ``not item``, ``StringUtils.isEmpty(item)``."""
        test = index.facts.exprs[head]
        if isinstance(test, facts.Operation) and test.operator == "not":
            return self._is_one(index, test.operands[0], names)
        if isinstance(test, facts.Operation) and test.operator in _SAME and len(test.operands) == 2:
            sides = test.operands
            nothing = any(self._is_nothing(index, one) for one in sides)
            return nothing and any(self._is_one(index, one, names) for one in sides)
        if isinstance(test, facts.Call) and len(test.arguments) == 1:
            callee = index.facts.exprs[test.callee]
            ends = self._ev.roles(index.number).words.exhausted
            named = isinstance(callee, facts.Name | facts.Member) and callee.name in ends
            return named and self._is_one(index, test.arguments[0].value, names)
        return False

    def _is_one(self, index: FileIndex, number: int, names: set[str]) -> bool:
        expr = index.facts.exprs[number]
        return isinstance(expr, facts.Name) and expr.name in names

    def _is_nothing(self, index: FileIndex, number: int) -> bool:
        expr = index.facts.exprs[number] if number != NONE else None
        return expr is None or (isinstance(expr, facts.Literal) and not expr.value and expr.type in ("none", "bool"))

    def gives_nothing(self, index: FileIndex, handler: int) -> bool:
        """Whether a function gives nothing once a handler has run: there, or by what a name had before."""
        block = index.facts.blocks[handler]
        scope = index.function_of(handler)
        returns = [jump for jump in index.jumps[scope] if jump.kind == "return" and jump.start >= block.start]
        return all(self._is_nothing(index, one.value) or self._had_nothing(index, one, block) for one in returns)

    def _had_nothing(self, index: FileIndex, jump: facts.Jump, handler: facts.Block) -> bool:
        """Whether a function returns a name that starts with nothing and that the handler leaves as it is."""
        expr = index.facts.exprs[jump.value]
        if jump.start < handler.end or not isinstance(expr, facts.Name):
            return False
        bindings = index.bindings.get((index.owner(expr.name, index.scope_of(expr.block)), expr.name), [])
        if any(handler.start <= one.start < handler.end for one in bindings):
            return False
        first = min(bindings, key=lambda one: one.start, default=None)
        return first is not None and first.value != NONE and self._is_nothing(index, first.value)
