"""Flags after which code does not run again: ``if self.running: return`` and ``self.running = True``."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph


class StartFlags:
    """Looks at what a function tests before it goes on, and what it sets then."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def holder(self, index: FileIndex, expr: int) -> str:
        """Where a flag is kept that lets a function come to an expression only once: in its "object" or in the
        "module"; "" if there is none.
        """
        function = index.function_of(index.facts.exprs[expr].block)
        for head, wanted in self._conditions(index, expr, function):
            for number, needed in self._tests(index, head, wanted):
                found = self._set_for_good(index, number, function, not needed)
                if found := found or self._tested_and_set(index, number, function):
                    return found
        return ""

    def ends(self, index: FileIndex, expr: int, started: Ref) -> bool:
        """Whether what comes to an expression ends the timer that runs it: ``clearInterval(timer)``."""
        if started[0] != index.number or started[1] < 0:
            return False
        function = index.function_of(index.facts.exprs[expr].block)
        around = index.enclosing_blocks(index.facts.exprs[expr].block, function)
        timers = {one.name for one in index.bound_to.get(started[1], ())}
        timers |= {index.target_name(one.target) or "" for one in index.written_to.get(started[1], ())}
        for name in self._ev.roles(index.number).words.timer_enders:
            for callee in index.by_name.get(name, ()):
                call = index.facts.exprs[index.call_of[callee]] if callee in index.call_of else None
                if isinstance(call, facts.Call) and call.block in around:
                    given = [index.facts.exprs[item.value] for item in call.arguments]
                    if any(isinstance(one, facts.Name | facts.Member) and one.name in timers for one in given):
                        return True
        return False

    def _conditions(self, index: FileIndex, expr: int, function: int) -> Iterator[tuple[int, bool]]:
        """Conditions that decide whether a function comes to an expression, and what they have to come to for that."""
        blocks = index.facts.blocks
        around = index.enclosing_blocks(index.facts.exprs[expr].block, function)
        for number in around:
            if blocks[number].kind == "if" and blocks[number].head != NONE:
                yield blocks[number].head, True
        for jump in index.jumps.get(function, ()):
            block = blocks[jump.block]
            if jump.kind not in ("return", "raise") or jump.start > index.facts.exprs[expr].start:
                continue
            if block.kind == "if" and block.head != NONE and block.parent in around:
                yield block.head, False

    def _tests(self, index: FileIndex, head: int, wanted: bool) -> Iterator[tuple[int, bool]]:
        """The parts of a condition that each have to come to something for the whole to do so."""
        pending = [(head, wanted)]
        while pending:
            number, needed = pending.pop()
            expr = index.facts.exprs[number]
            operator = expr.operator if isinstance(expr, facts.Operation) else ""
            if isinstance(expr, facts.Operation) and operator == "not":
                pending.append((expr.operands[0], not needed))
            elif isinstance(expr, facts.Operation) and operator in (("and", "&&") if needed else ("or", "||")):
                pending += [(one, needed) for one in expr.operands]
            else:
                yield number, needed

    def _set_for_good(self, index: FileIndex, number: int, function: int, value: bool) -> str:
        """Where a flag is kept to which the function gives this value and no other."""
        flag = index.facts.exprs[number]
        holder = self._kept_in(index, number, function)
        if not holder or not isinstance(flag, facts.Name | facts.Member):
            return ""
        given = [one.value for one in index.writes_by_name.get(flag.name, ()) if index.within(one.block, function)]
        given += [
            one.value for one in index.facts.bindings if one.name == flag.name and index.within(one.block, function)
        ]
        literals = [index.facts.exprs[one] if one != NONE else None for one in given]
        same = all(isinstance(one, facts.Literal) and one.value is value for one in literals)
        return holder if literals and same else ""

    def _tested_and_set(self, index: FileIndex, number: int, function: int) -> str:
        """The same for a flag that a condition sets itself: ``if (!started.compareAndSet(false, true)) return``."""
        call = index.facts.exprs[number]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        if not isinstance(callee, facts.Member) or callee.name not in self._ev.roles(index.number).words.test_and_sets:
            return ""
        flag = index.facts.exprs[callee.object]
        if not isinstance(flag, facts.Name | facts.Member):
            return ""
        for other in index.by_name.get(flag.name, ()):
            member = index.facts.exprs[index.parents[other]] if other in index.parents else None
            changed = isinstance(member, facts.Member) and index.parents[other] in index.call_of
            if changed and member is not callee and index.within(index.facts.exprs[other].block, function):
                return ""
        return self._kept_in(index, callee.object, function)

    def _kept_in(self, index: FileIndex, number: int, function: int) -> str:
        """Whether an expression is a field of the object whose method a function is, or a name of the module."""
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Member):
            held = index.facts.exprs[expr.object]
            receiver = index.facts.scopes[function].receiver
            return "object" if isinstance(held, facts.Name) and held.name == receiver != "" else ""
        if not isinstance(expr, facts.Name):
            return ""
        owner = index.owner(expr.name, index.scope_of(expr.block))
        if owner in (NONE, function):
            return ""
        if index.facts.scopes[owner].kind == "class":
            return "object" if index.facts.scopes[owner].is_open else ""
        return "module" if index.facts.scopes[owner].kind == "module" else ""
