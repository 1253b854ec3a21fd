"""Loops that wait for something again and again, and go on when nothing came."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex, children
from resplint.contracts.facts import (
    NONE,
    Binding,
    Block,
    Call,
    Choice,
    Collection,
    Expr,
    Literal,
    Member,
    Name,
    Operation,
)

_LOOKS = ("not", "is", "is not", "==", "!=", "===", "!==")
_LEAVES = ("return", "raise", "break")


def is_polled(index: FileIndex, call: int) -> bool:
    """Whether a loop makes a call until somebody stops it, and an empty reply only lets it begin its next turn: each
    use of the reply is behind a look at it, and nothing that depends on the reply leaves the loop.
    """
    loop = _loop(index, call)
    if loop == NONE or not _runs_on(index, loop, call):
        return False
    holder = index.parents.get(call, NONE)
    bindings = index.bound_to.get(call, [])
    if holder != NONE and not (bindings and _is_condition(index, holder)):
        return _is_replaced(index, call, holder, index.facts.blocks[loop])
    if len(bindings) != 1 or bindings[0].path or index.written_to.get(call):
        return False
    return _Reply(index, bindings[0], index.facts.blocks[loop], call).is_looked_at()


def _is_condition(index: FileIndex, named: int) -> bool:
    """``if job := client.blpop(…)``, ``if (job := client.blpop(…)) is not None``"""
    around = index.facts.exprs[index.parents[named]] if named in index.parents else None
    if isinstance(around, Operation):
        return around.operator in _LOOKS
    return around is None and index.heads.get(named) == "if"


def _is_replaced(index: FileIndex, call: int, holder: int, loop: Block) -> bool:
    """``for entry in client.xread(…) or []``, ``client.blpop(…) ?: continue``: whether something takes the place of an
    empty reply that only lets the loop go on.
    """
    around = index.facts.exprs[holder]
    match around:
        case Choice(condition=-1, options=parts) | Operation(operator="or", operands=parts):
            pass
        case _:
            return False
    inside = [jump.kind for jump in index.by_place.jumps.between(around.start, around.end)]
    if parts == (call,):
        return inside == ["continue"]
    instead = index.facts.exprs[parts[1]] if len(parts) == 2 and parts[0] == call else None
    if not isinstance(instead, Collection) or instead.items or inside:
        return False
    if index.heads.get(holder) == "for":
        return True
    bindings = index.bound_to.get(holder, [])
    return len(bindings) == 1 and not bindings[0].path and not _Reply(index, bindings[0], loop, holder).leaves()


def _loop(index: FileIndex, call: int) -> int:
    """The block of the loop around a call; NONE when there is none, or one over elements."""
    block = index.facts.exprs[call].block
    for number in index.enclosing_blocks(block, index.function_of(block)):
        kind = index.facts.blocks[number].kind
        if kind in ("for", "while", "comprehension"):
            return number if kind == "while" else NONE
    return NONE


def _runs_on(index: FileIndex, loop: int, call: int) -> bool:
    """Whether a loop has no condition, or a flag for one; whatever is counted or compared might end it."""
    block = index.facts.blocks[loop]
    if block.head == NONE:
        return True
    head, made = index.facts.exprs[block.head], index.facts.exprs[call]
    if head.start <= made.start < head.end:
        return False
    if isinstance(head, Operation) and head.operator == "not" and len(head.operands) == 1:
        head = index.facts.exprs[head.operands[0]]
        if isinstance(head, Call) and not head.arguments:
            return True  # ``while not stopping.is_set()``
    if isinstance(head, Literal):
        return bool(head.value)
    if not isinstance(head, Name):
        return isinstance(head, Member)
    return not any(
        one.name == head.name and one.kind != "assign" and block.start <= one.start < block.end
        for one in index.facts.bindings
    )


class _Reply:
    """A variable that holds a reply within a loop."""

    def __init__(self, index: FileIndex, binding: Binding, loop: Block, value: int) -> None:
        self._index = index
        self._loop = loop
        self._value = value
        self._end = index.facts.exprs[value].end
        function = index.facts.scopes[index.function_of(binding.block)]
        self._named = set(index.names_between(binding.name, function.start, function.end))

    def is_looked_at(self) -> bool:
        """Whether each use is behind a look."""
        return bool(self._named) and not self.leaves() and all(self._is_guarded(one) for one in self._named)

    def _tells(self, expr: int) -> bool:
        """Whether an expression says anything about the variable."""
        pending, seen = [expr], set[int]()
        while pending:
            number = pending.pop()
            if number in self._named or number == self._value:  # ``if job := client.blpop(…)``
                return True
            if number != NONE and number not in seen:
                seen.add(number)
                pending += children(self._index.facts.exprs[number])
        return False

    def _is_guarded(self, mention: int) -> bool:
        expr = self._index.facts.exprs[mention]
        if not self._end <= expr.start < self._loop.end:
            return False
        return self._is_look(mention) or self._depends(expr.block) or self._comes_after_look(expr)

    def _is_look(self, mention: int) -> bool:
        """Whether a mention looks whether there is a reply, or is behind a look in the same expression."""
        exprs, number = self._index.facts.exprs, mention
        if mention in self._index.conditions:
            return True
        while (holder := self._index.parents.get(number, NONE)) != NONE:
            around = exprs[holder]
            match around:
                case Operation(operator=operator) if operator in _LOOKS and number == mention:
                    return True
                case Operation(operator="and" | "or", operands=operands):
                    if number == mention or any(map(self._tells, operands[: operands.index(number)])):
                        return True
                case Choice(condition=condition, options=options):
                    if condition == NONE and options[0] == mention:
                        return True
                    if condition == mention or (condition not in (NONE, number) and self._tells(condition)):
                        return True
            number = holder
        return False

    def _heads(self, block: Block) -> Iterator[int]:
        """The conditions that decide whether a block of an ``if`` runs."""
        for kind in ("if", "else") if block.kind in ("if", "else") else ():
            for number in self._index.clauses.get((kind, block.group), ()):
                if self._index.facts.blocks[number].head != NONE:
                    yield self._index.facts.blocks[number].head

    def _depends(self, block: int) -> bool:
        """Whether a block is inside the loop and runs only after a look at the reply."""
        around = (self._index.facts.blocks[one] for one in self._index.enclosing_blocks(block))
        return any(
            self._loop.start <= one.start < self._loop.end and any(map(self._tells, self._heads(one))) for one in around
        )

    def _comes_after_look(self, expr: Expr) -> bool:
        """``if reply is None: continue`` stands before it."""
        for jump in self._index.by_place.jumps.between(self._end, expr.start):
            block = self._index.facts.blocks[jump.block]
            if jump.kind == "continue":
                if any(map(self._tells, self._heads(block))) and self._index.contains(block.parent, expr.block):
                    return True
        return False

    def leaves(self) -> bool:
        """Whether something that depends on the reply leaves the loop."""
        return any(
            jump.kind in _LEAVES and self._depends(jump.block)
            for jump in self._index.by_place.jumps.between(self._loop.start, self._loop.end)
        )
