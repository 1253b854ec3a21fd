"""Calls that few elements of a loop come to, since a test compares each of them with one value."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import ClassValue, Const, EnumValues
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.loops.loop_elements import LoopElements
from resplint.flow.graph import Graph

_JUMPS = ("continue", "return", "break")
_BOTH = {True: ("and", "&&"), False: ("or", "||")}
_SAME, _OTHER = ("==", "is"), ("!=", "is not")


class PickedElements:
    """Looks at the tests in front of a call in a loop."""

    def __init__(self, evaluator: Graph, elements: LoopElements) -> None:
        self._ev = evaluator
        self._elements = elements

    def picks(self, index: FileIndex, loop: int, call: int) -> bool:
        """Whether only elements that equal a variable, or have a part that does, come to a call:
        ``if (berth.id !== wanted) continue``.
        """
        return any(
            self._compares(index, loop, test, way)
            for head, holds in self._tests(index, loop, call)
            for test, way in self._split(index, head, holds)
        )

    def _tests(self, index: FileIndex, loop: int, call: int) -> Iterator[tuple[int, bool]]:
        """Conditions that hold, or do not, where a turn comes to a call."""
        found = index.facts.exprs[call]
        chain = index.enclosing_blocks(found.block)
        around = chain[: chain.index(loop)] if loop in chain else []
        for one in around:
            block = index.facts.blocks[one]
            if block.kind == "if" and block.head != NONE:
                yield block.head, True
        for jump in index.by_place.jumps.between(index.facts.blocks[loop].start, found.start):
            block = index.facts.blocks[jump.block]
            if jump.kind in _JUMPS and block.kind == "if" and block.head != NONE and block.parent in (*around, loop):
                if not block.start <= found.start < block.end:
                    yield block.head, False

    def _split(self, index: FileIndex, head: int, holds: bool) -> Iterator[tuple[int, bool]]:
        """The tests that a condition is made of which all hold, or all do not."""
        pending = [(head, holds)]
        while pending:
            number, holds = pending.pop()
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Operation) and expr.operator == "not":
                pending.append((expr.operands[0], not holds))
            elif isinstance(expr, facts.Operation) and expr.operator in _BOTH[holds]:
                pending += [(one, holds) for one in expr.operands]
            else:
                yield number, holds

    def _compares(self, index: FileIndex, loop: int, number: int, holds: bool) -> bool:
        """Whether a test says that something of the element is the same as a variable."""
        sides = self._sides(index, number, holds)
        varying = [self._elements.depends(index, loop, one) for one in sides]
        if sum(varying) != 1 or not self._is_variable(index, sides[varying.index(False)]):
            return False
        return self._is_read(index, sides[varying.index(True)])

    def _is_read(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is an element or something that it has; what is made of it may be the same for many."""
        while True:
            expr = index.facts.exprs[number]
            match expr:
                case facts.Name():
                    return True
                case facts.Member(object=inner) | facts.Index(object=inner) | facts.Call(callee=inner, arguments=()):
                    number = inner
                case _:
                    return False

    def _sides(self, index: FileIndex, number: int, holds: bool) -> list[int]:
        """The two things of which a test says that they are the same."""
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Operation) and len(expr.operands) == 2:
            return list(expr.operands) if expr.operator in (_SAME if holds else _OTHER) else []
        callee = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
        words = self._ev.roles(index.number).words
        if not holds or not isinstance(expr, facts.Call) or not isinstance(callee, facts.Member):
            return []
        if callee.name not in words.equality_methods:
            return []
        given = [one.value for one in expr.arguments]
        return given if len(given) == 2 else [callee.object, *given]

    def _is_variable(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is something of a function or of an object, and no constant."""
        values = self._ev.values(index.number, number)
        if any(isinstance(one, Const | ClassValue | EnumValues) for one in values):
            return False
        for one in parts(index.facts.exprs, number):
            expr = index.facts.exprs[one]
            if isinstance(expr, facts.Name):
                owner, name = self._elements.variable(index, one)
                if owner > 0 and index.facts.scopes[owner].kind in ("function", "comprehension"):
                    return True
                scope = index.facts.scopes[index.function_of(expr.block)]
                if name and name == scope.receiver:
                    return True
        return False
