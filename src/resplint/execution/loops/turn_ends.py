"""Loops in which what a call gives decides whether there is another turn, and calls that few of the turns make."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex, parts
from resplint.contracts import facts
from resplint.contracts.facts import NONE

_CONDITIONS = ("if", "else", "case")
_LOOPS = ("for", "while", "comprehension")
_LIMITS = frozenset({"<", "<=", ">", ">="})


class TurnEnds:
    """Looks at the conditions inside a loop."""

    def decides(self, index: FileIndex, loop: int, call: int) -> bool:
        """Whether a turn leaves the loop for what a call has given, so that the next elements are not asked for: the
        first one that will do is searched for (``if reply: return reply``), or limits are checked one by one.
        """
        scope = index.facts.scopes[index.facts.blocks[loop].scope]
        if scope.kind == "comprehension" and scope.block == loop:  # a jump in it ends a turn
            return False
        block, begins = index.facts.blocks[loop], index.facts.exprs[call].start
        names = self._made_of(index, loop, call)
        passed = False
        for jump in index.by_place.jumps.between(block.start, block.end):
            chain = index.enclosing_blocks(jump.block)
            if loop not in chain or index.function_of(jump.block) != index.function_of(loop):
                continue
            between = [index.facts.blocks[one] for one in chain[: chain.index(loop)]]
            if any(one.kind in (*_LOOPS, "except") for one in between):
                continue
            apart = [one for one in between if one.kind in _CONDITIONS and not one.start <= begins < one.end]
            tests = [head for one in apart for head in self._tests(index, one)]
            asked = [head for head in tests if self._is_about(index, head, call, names)]
            if jump.start < begins and not asked:
                continue  # it is over before the call
            if jump.kind == "continue":
                passed = passed or bool(asked)
            elif jump.kind in ("return", "break"):
                if asked or (passed and not tests):
                    return True
            elif jump.kind == "raise" and any(self._compares(index, head) for head in asked):
                return True
        return False

    def is_last(self, index: FileIndex, loop: int, call: int) -> bool:
        """Whether a turn that comes to a call is the last one, whatever the call gives: it leaves the loop."""
        found = index.facts.exprs[call]
        chain = index.enclosing_blocks(found.block)
        around = chain[: chain.index(loop)] if loop in chain else []
        if any(index.facts.blocks[one].kind in (*_LOOPS, "except") for one in around):
            return False
        jumps = index.by_place.jumps.between(found.start, index.facts.blocks[loop].end)
        first = next((one for one in jumps if one.block in (*around, loop)), None)
        return (
            first is not None
            and first.kind in ("return", "break", "raise")
            and first.block in around
            and not any(one.kind == "continue" and one.start < first.start for one in jumps)
        )

    def is_now_and_then(self, index: FileIndex, loop: int, call: int) -> bool:
        """Whether a call is made at every so many turns only: ``if count % 100 == 0: client.rpush(log, text)``."""
        chain = index.enclosing_blocks(index.facts.exprs[call].block)
        for one in chain[: chain.index(loop)] if loop in chain else ():
            block = index.facts.blocks[one]
            if block.kind in _LOOPS:
                return False
            if block.kind == "if" and block.head != NONE:
                for number in parts(index.facts.exprs, block.head):
                    test = index.facts.exprs[number]
                    if isinstance(test, facts.Operation) and test.operator == "%" and len(test.operands) == 2:
                        return isinstance(index.facts.exprs[test.operands[0]], facts.Name)
        return False

    def _tests(self, index: FileIndex, block: facts.Block) -> Iterator[int]:
        """The condition of a branch, and those of the branches in front of it."""
        if block.head != NONE:
            yield block.head
        for one in index.facts.blocks:
            if one.group == block.group and one.kind == "if" and one.start < block.start and one.head != NONE:
                yield one.head

    def _made_of(self, index: FileIndex, loop: int, call: int) -> set[str]:
        """Names of what holds what a call gives, or what is made of it in the same turn."""
        block = index.facts.blocks[loop]
        names: set[str] = set()
        bindings = [one for one in index.by_place.bindings.between(block.start, block.end) if one.value != NONE]
        grows = True
        while grows:
            grows = False
            for one in bindings:
                if one.name not in names and self._is_about(index, one.value, call, names):
                    names.add(one.name)
                    grows = True
        return names

    def _is_about(self, index: FileIndex, number: int, call: int, names: set[str]) -> bool:
        return any(
            one == call or (isinstance(expr := index.facts.exprs[one], facts.Name) and expr.name in names)
            for one in parts(index.facts.exprs, number)
        )

    def _compares(self, index: FileIndex, head: int) -> bool:
        return any(
            isinstance(expr := index.facts.exprs[one], facts.Operation) and expr.operator in _LIMITS
            for one in parts(index.facts.exprs, head)
        )
