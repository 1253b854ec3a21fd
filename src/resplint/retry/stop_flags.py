"""Flags that a handler sets so that the loop around it comes to its end: nothing is tried again then."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.exit_paths import path
from resplint.bind.index import FileIndex
from resplint.bind.values import Const, External, ExternalObject, FunctionValue, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.records.role_records import Switch


class StopFlags:
    """Reads the conditions of loops, and what handlers do about them."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def end(self, index: FileIndex, handler: int, loop: facts.Block) -> bool:
        """Whether a handler always makes the condition of the loop false: ``quit_now = True`` under ``while not
        quit_now``, ``stopped.set()`` under ``while not stopped.is_set()``, ``self.stop()`` where that does it.
        """
        for flag, goes_on in self._tested(index, loop):
            if isinstance(flag, facts.Call):
                if self._switched(index, handler, flag, goes_on):
                    return True
            elif any(self._is(ref, not goes_on) for ref in self._given(index, handler, flag)):
                return True
        return False

    def repeats_on_request(self, index: FileIndex, handler: int, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether each turn begins with what ends the loop, and neither the turn nor what the handler calls takes that
        back, so that only a wish from elsewhere brings another turn: ``again = False`` before the work under ``while
        again``.
        """
        number = index.facts.blocks.index(loop)
        for flag, goes_on in self._tested(index, loop):
            if isinstance(flag, facts.Call):
                continue
            first = [ref for ref in self._given(index, number, flag) if self._stands_before(index, ref, tried)]
            if any(self._is(ref, not goes_on) for ref in first):
                given = self._given_anywhere(index, getattr(flag, "name", ""), loop)
                given += self._given(index, handler, flag)
                return all(self._is(ref, not goes_on) for ref in given)
        return False

    def _stands_before(self, index: FileIndex, ref: Ref, tried: facts.Block) -> bool:
        return ref[0] == index.number and index.facts.exprs[ref[1]].start < tried.start

    def _given_anywhere(self, index: FileIndex, name: str, loop: facts.Block) -> list[Ref]:
        """All that is given a variable or member of a name between the ends of a loop, in whatever branch."""
        written = [one.value for one in index.writes_by_name.get(name, ())]
        written += [one.value for one in index.facts.bindings if one.name == name]
        inside = [one for one in written if one != NONE and loop.start <= index.facts.exprs[one].start < loop.end]
        return [(index.number, one) for one in inside]

    def _tested(self, index: FileIndex, loop: facts.Block) -> Iterator[tuple[facts.Expr, bool]]:
        """What must hold for a further turn: (expression, whether it has to be true)."""
        pending = [loop.head] if loop.kind == "while" and loop.head != NONE else []
        while pending:
            test = index.facts.exprs[pending.pop()]
            if isinstance(test, facts.Operation) and test.operator in ("and", "&&"):
                pending.extend(test.operands)
            elif isinstance(test, facts.Operation) and test.operator == "not":
                yield index.facts.exprs[test.operands[0]], False
            else:
                yield test, True

    def _is(self, ref: Ref, truth: bool) -> bool:
        found = self._ev.values(*ref)
        return bool(found) and all(isinstance(one, Const) and bool(one.value) == truth for one in found)

    def _calls_of(self, index: FileIndex, handler: int) -> list[facts.Call]:
        """Calls that are made whenever a handler runs."""
        block = index.facts.blocks[handler]
        return [call for _, call in index.calls_in(block.start, block.end) if runs_whenever(index, call.block, handler)]

    # -- objects that are asked ----------------------------------------------------------------------------------------

    def _switched(self, index: FileIndex, handler: int, flag: facts.Call, goes_on: bool) -> bool:
        asked = index.facts.exprs[flag.callee]
        if not isinstance(asked, facts.Member):
            return False
        switches = [one for one in self._ev.roles(index.number).switch if asked.name in one.asked]
        for call in self._calls_of(index, handler) if switches else ():
            callee = index.facts.exprs[call.callee]
            if not isinstance(callee, facts.Member):
                continue
            for switch in switches:
                ends = callee.name in (switch.off if goes_on else switch.on)
                if callee.name in switch.stores and call.arguments:
                    ends = self._is((index.number, call.arguments[0].value), not goes_on)
                if ends and self._is_one(index, asked.object, callee.object, switch):
                    return True
        return False

    def _is_one(self, index: FileIndex, asked: int, changed: int, switch: Switch) -> bool:
        """Whether what is asked is what is changed."""
        if path(index, asked) == path(index, changed) != "":
            return True
        return bool(switch.shared) and all(self._may_be(index, one, switch.shared) for one in (asked, changed))

    def _may_be(self, index: FileIndex, number: int, shared: tuple[str, ...]) -> bool:
        """Whether an expression is not known to be anything else than the shared object."""
        values = self._ev.values(index.number, number)
        return not values or any(
            not isinstance(one, External | ExternalObject | LibraryObject) or getattr(one, "dotted", "") in shared
            for one in values
        )

    # -- variables and fields ------------------------------------------------------------------------------------------

    def _given(self, index: FileIndex, handler: int, flag: facts.Expr) -> list[Ref]:
        """What a handler gives a variable, or a member of the same object, itself or by the functions that it calls."""
        name = getattr(flag, "name", "")
        receiver = index.facts.scopes[index.function_of(handler)].receiver
        holder = ""
        if isinstance(flag, facts.Name):
            owner = index.owner(flag.name, index.scope_of(flag.block))
            if owner == NONE or index.facts.scopes[owner].kind != "class":
                blocks = [handler, *(body for other, body in self._called(index, handler) if other is index)]
                bound = index.bindings.get((owner, name), ())
                given = [one for one in bound if one.value != NONE]
                return [
                    (index.number, one.value)
                    for one in given
                    if any(runs_whenever(index, one.block, body) for body in blocks)
                ]
            holder = receiver
        elif isinstance(flag, facts.Member):
            holder = getattr(index.facts.exprs[flag.object], "name", "")
        found = _written(index, name, holder, handler)
        if holder and holder == receiver:
            for other, body in self._called(index, handler, of=receiver):
                found += _written(other, name, other.facts.scopes[other.function_of(body)].receiver, body)
        return found

    def _called(self, index: FileIndex, handler: int, of: str = "") -> list[tuple[FileIndex, int]]:
        """Bodies of the functions that a handler calls: on an object, if one is named."""
        found = []
        for call in self._calls_of(index, handler):
            callee = index.facts.exprs[call.callee]
            holder = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
            if holder is not None and getattr(holder, "name", "") != of:
                continue
            values = self._ev.callee(index.number, call.callee)
            if len(values) == 1 and isinstance(values[0], FunctionValue):
                other = self._ev.store.files[values[0].file]
                found.append((other, other.facts.scopes[values[0].scope].block))
        return found


def _written(index: FileIndex, name: str, holder: str, block: int) -> list[Ref]:
    """What statements right in a block store in a member of an object."""
    return [
        (index.number, write.value)
        for write in (index.writes_by_name.get(name, ()) if holder else ())
        if write.value != NONE and _holder(index, write.target) == holder and runs_whenever(index, write.block, block)
    ]


def runs_whenever(index: FileIndex, inner: int, outer: int) -> bool:
    """Whether what stands in a block runs whenever another block around it does."""
    for number in index.enclosing_blocks(inner):
        if number == outer:
            return True
        block = index.facts.blocks[number]
        test = index.facts.exprs[block.head] if block.kind == "if" and block.head != NONE else None
        if block.kind != "with" and not (isinstance(test, facts.Literal) and test.value):
            return False
    return False


def _holder(index: FileIndex, target: int) -> str:
    """Name of the object whose member a write is to, "" for anything else."""
    member = index.facts.exprs[target]
    found = index.facts.exprs[member.object] if isinstance(member, facts.Member) else None
    return found.name if isinstance(found, facts.Name) else ""
