"""How a loop that tries Redis work comes to its end: with success, or with what the work found."""

from __future__ import annotations

from resplint.bind.index import FileIndex, children
from resplint.bind.values import Const, External, FunctionValue, LibraryMethod, LibraryObject, Ref, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.retry.work import Work

_LEAVING = ("return", "break", "raise")


class Exits:
    """Judges the ways out of a loop."""

    def __init__(self, evaluator: Graph, work: Work) -> None:
        self._ev = evaluator
        self._work = work

    def around(self, index: FileIndex, number: int) -> facts.Block | None:
        """The nearest loop around a block, within its function."""
        for outer in index.enclosing_blocks(number)[1:]:
            if index.facts.blocks[outer].kind in ("for", "while"):
                return index.facts.blocks[outer]
        return None

    def leaves_on_success(self, index: FileIndex, tried: facts.Block, loop: facts.Block, work: Ref | None) -> bool:
        """Whether the loop can end once the work is done."""
        if any(True for _ in self._after_work(index, tried, loop, work)):
            return True
        return loop.kind == "while" and bool(self._cleared(index, tried, loop))

    def success_is_enough(self, index: FileIndex, tried: facts.Block, loop: facts.Block, work: Ref | None) -> bool:
        """Whether the loop ends whenever the work does not fail, whatever it found: a look at the state of something
        (``if all_done(): break``) goes on after success as well.
        """
        jumps = self._after_work(index, tried, loop, work)
        if any(self._always(index, self._place(index, jump, loop), tried) for jump in jumps):
            return True
        blocks = self._cleared(index, tried, loop) if loop.kind == "while" else []
        return any(block == NONE or self._always(index, block, tried) for block in blocks)

    def follow(self, index: FileIndex, handler: int, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether a turn that survives a failure always leaves the loop behind its handler: ``except: pass`` before a
        ``return`` of the same branch.
        """
        jumps = index.jumps[index.function_of(handler)]
        start = max(
            index.facts.blocks[one].end
            for kind in ("try", "except", "else", "finally")
            for one in index.clauses.get((kind, tried.group), ())
        )
        block = index.facts.blocks[handler]
        if any(block.start <= one.start < block.end and one.kind != "yield" for one in jumps):
            return False
        for number in index.enclosing_blocks(tried.parent):
            around = index.facts.blocks[number]
            behind = [one for one in jumps if start <= one.start < around.end and one.kind != "yield"]
            leaving = [one for one in behind if one.block == number and one.kind in _LEAVING]
            if leaving:
                first = min(one.start for one in leaving)
                return not any(one.kind == "continue" and one.start < first for one in behind)
            if around == loop or around.kind not in ("if", "else", "with", "try"):
                return False
        return False

    def awaits_server(self, index: FileIndex, tried: facts.Block, loop: facts.Block, work: Ref | None) -> bool:
        """Whether a loop does no more than wait until the server can be reached: it connects, or asks for a sign of
        life, and ends.
        """
        return self.success_is_enough(index, tried, loop, work) and self._only_connects(index, tried, deep=True)

    def only_asks(self, index: FileIndex, tried: facts.Block, loop: facts.Block, work: Ref | None) -> bool:
        """Whether a loop does no more than ask for a sign of life until there is one, over clients that it got."""
        if not self.success_is_enough(index, tried, loop, work):
            return False
        asked = False
        for _, call in index.calls_in(loop.start, loop.end):
            for value in self._ev.callee(index.number, call.callee):
                if isinstance(value, LibraryMethod) and self._work.is_work(value):
                    if not self._asks_connection(value, deep=False):
                        return False
                    asked = True
                elif isinstance(value, External):
                    if self._asks_connection(value, deep=False):
                        return False
                elif isinstance(value, FunctionValue) and self._work.touches(value.file, value.scope):
                    return False
        return asked

    def _only_connects(self, index: FileIndex, area: facts.Block, deep: bool) -> bool:
        asked = list[bool]()
        for number, call in index.calls_in(area.start, area.end):
            for value in self._ev.callee(index.number, call.callee):
                if isinstance(value, LibraryMethod) and self._work.is_work(value):
                    opens = value.name in value.object.origin.library.library.opens
                    asked.append(
                        opens or self._asks_connection(value, deep=False) or self._drops_reply(index, number, value)
                    )
                elif isinstance(value, External) and self._work.is_work(value):
                    asked.append(True)
                elif isinstance(value, FunctionValue) and self._work.touches(value.file, value.scope):
                    other = self._ev.store.files[value.file]
                    body = other.facts.blocks[other.facts.scopes[value.scope].block]
                    asked.append(deep and self._only_connects(other, body, deep=False))
        return bool(asked) and all(asked)

    def _drops_reply(self, index: FileIndex, number: int, method: LibraryMethod) -> bool:
        """Whether nobody looks at what a command reads, so that it only matters that there was a reply."""
        if self._ev.catalogue.command(self._ev.catalogue.command_name(method.name)).access != "read":
            return False
        used = number in index.parents or number in index.argument_of or number in index.bound_to
        return not used and number not in index.written_to and index.returned_by(number) == NONE

    def _after_work(
        self, index: FileIndex, tried: facts.Block, loop: facts.Block, work: Ref | None
    ) -> list[facts.Jump]:
        """Jumps out of the loop behind the work."""
        clauses = [index.facts.blocks[other] for other in index.clauses.get(("else", tried.group), ())]
        found = []
        goes_round = self._goes_round(index, tried, loop)
        for jump in self._jumps(index, tried, loop):
            if jump.kind not in ("return", "break"):
                continue
            if work is not None and not self._comes_after(index, jump, work):
                continue  # `if self.stopped: break` in front of the work
            if any(region.start <= jump.start < region.end for region in (tried, *clauses)):
                if jump.kind == "return" or self._leaves(index, jump, loop):
                    found.append(jump)
            elif tried.end <= jump.start < loop.end and not goes_round and self._ends_turn(index, jump, loop):
                found.append(jump)
        return found

    def _goes_round(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether the branch that guarded statements stand in always begins the next turn behind them."""
        inside = index.enclosing_blocks(tried.parent)
        blocks = [index.facts.blocks[one] for one in inside]
        return loop in blocks and any(
            jump.kind == "continue" and jump.start >= tried.end
            for number in inside[: blocks.index(loop)]
            for jump in index.jumps_in_block.get(number, ())
        )

    def _jumps(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> list[facts.Jump]:
        """Jumps inside a loop that leave the function it stands in, or one around that: out of a lambda too."""
        scope, found = index.scope_of(tried.parent), list[facts.Jump]()
        while scope != NONE:
            if index.facts.blocks[index.facts.scopes[scope].block] != loop:
                found += [jump for jump in index.jumps[scope] if loop.start <= jump.start < loop.end]
            scope = index.facts.scopes[scope].parent
        return found

    def _leaves(self, index: FileIndex, jump: facts.Jump, loop: facts.Block) -> bool:
        """Whether a ``break`` is one of this loop, not of one inside it."""
        inner = self._place(index, jump, loop)
        here = index.facts.blocks[inner]
        return (here if here.kind in ("for", "while") else self.around(index, inner)) in (loop, None)

    def _place(self, index: FileIndex, jump: facts.Jump, loop: facts.Block) -> int:
        """The innermost block that a jump is written in; one out of a lambda belongs to the function around."""
        for number in reversed(index.blocks_in(loop.start, jump.start + 1)):
            if index.facts.blocks[number].end > jump.start:
                return number
        return jump.block

    def _ends_turn(self, index: FileIndex, jump: facts.Jump, loop: facts.Block) -> bool:
        """Whether a jump stands in the loop itself. The value of a repeated lambda is no jump out of the loop."""
        if index.facts.blocks[self._place(index, jump, loop)] != loop:
            return False
        return not (jump.kind == "return" and index.facts.scopes[loop.scope].kind == "comprehension")

    def _comes_after(self, index: FileIndex, jump: facts.Jump, work: Ref) -> bool:
        """Whether a jump stands behind the work, or around it (`return client.get(…)`)."""
        call = index.facts.exprs[work[1]]
        value = index.facts.exprs[jump.value] if jump.value != NONE else None
        return jump.start >= call.start or (value is not None and value.start <= call.start <= value.end)

    def _cleared(self, index: FileIndex, tried: facts.Block, loop: facts.Block) -> list[int]:
        """Blocks in which the condition of a loop is changed: `while not connected: try: …; connected = True`; NONE
        stands for a condition that does the work itself, `while (!isAlive(client))`, or holds no longer unless the work
        fails.
        """
        head = index.facts.exprs[loop.head] if loop.head != NONE else None
        if head is not None and self._work.within(index, head.start, head.end) is not None:
            return [NONE]
        tests = self._conjuncts(index, loop.head)
        if any(self._ends_unless_caught(index, number, tried, loop) for number in tests):
            return [NONE]
        found = list[int]()
        for number in tests:
            inner = index.facts.exprs[number]
            if isinstance(inner, facts.Operation) and inner.operator == "not":
                inner = index.facts.exprs[inner.operands[0]]
            if isinstance(inner, facts.Operation) and inner.operands:
                inner = index.facts.exprs[inner.operands[0]]
            if name := getattr(inner, "name", ""):
                found += [
                    one.block
                    for one in index.facts.bindings
                    if one.name == name
                    and tried.start <= one.start < tried.end
                    and (len(tests) == 1 or one.kind != "augment")
                ]
        return found

    def _ends_unless_caught(self, index: FileIndex, test: int, tried: facts.Block, loop: facts.Block) -> bool:
        """Whether each turn sets a flag that ends the loop in front of the work, and only handlers of its errors take
        that back: ``failed = False`` before ``except: failed = True`` under ``while failed``.
        """
        flag, goes_on = index.facts.exprs[test], True
        if isinstance(flag, facts.Operation) and flag.operator in ("not", "!"):
            flag, goes_on = index.facts.exprs[flag.operands[0]], False
        if not isinstance(flag, facts.Name):
            return False
        handlers = [index.facts.blocks[one] for one in index.clauses.get(("except", tried.group), ())]
        first, caught = False, False
        for one in index.bindings.get((index.owner(flag.name, index.scope_of(flag.block)), flag.name), ()):
            if not loop.start <= one.start < loop.end or one.value == loop.head:
                continue
            if any(block.start <= one.start < block.end for block in handlers):
                caught = True
            elif one.start > tried.start or not self._is(index, one, not goes_on):
                return False
            else:
                first = first or index.facts.blocks[one.block] == loop
        return first and caught

    def _is(self, index: FileIndex, binding: facts.Binding, truth: bool) -> bool:
        """Whether a variable is given a constant of a truth value."""
        found = self._ev.values(index.number, binding.value) if binding.value != NONE else ()
        return bool(found) and all(isinstance(one, Const) and bool(one.value) == truth for one in found)

    def _conjuncts(self, index: FileIndex, head: int) -> list[int]:
        """Tests that all have to hold for a further turn: the two of ``!done && tries < limit``."""
        pending, found = [head] if head != NONE else [], list[int]()
        while pending:
            number = pending.pop()
            test = index.facts.exprs[number]
            if isinstance(test, facts.Operation) and test.operator in ("and", "&&"):
                pending.extend(reversed(test.operands))
            else:
                found.append(number)
        return found

    # -- does it depend on what the work found? ------------------------------------------------------------------------

    def _always(self, index: FileIndex, block: int, tried: facts.Block) -> bool:
        """Whether a block inside the guarded statements runs whenever the server can be reached."""
        for number in index.enclosing_blocks(block):
            record = index.facts.blocks[number]
            if record == tried or (record.kind == "else" and record.group == tried.group):
                return True
            if record.kind in ("if", "else") and not self._every_branch_leaves(index, record):
                heads = [index.facts.blocks[one].head for one in index.clauses.get(("if", record.group), ())]
                if not any(head != NONE and self._asks(index, head, tried) for head in heads):
                    return False
            if record.kind == "except":
                return False
        return True

    def _every_branch_leaves(self, index: FileIndex, branch: facts.Block) -> bool:
        branches = [
            index.facts.blocks[number]
            for kind in ("if", "else")
            for number in index.clauses.get((kind, branch.group), ())
        ]
        return any(one.kind == "else" for one in branches) and all(
            any(jump.kind in _LEAVING for jump in index.by_place.jumps.between(one.start, one.end)) for one in branches
        )

    def _asks(self, index: FileIndex, head: int, tried: facts.Block) -> bool:
        """Whether a condition is about the connection: ``if client.ping():``, ``if connected`` after
        ``connected = connect()``, ``if client is not None``.
        """
        test = index.facts.exprs[head]
        stretches = [(test.start, test.end)]
        for number, name in self._names(index, head):
            if any(isinstance(value, LibraryObject) for value in self._ev.carried(index.number, number)):
                return True
            for binding in index.bindings.get((index.scope_of(name.block), name.name), ()):
                if tried.start <= binding.start < tried.end and binding.value != NONE:
                    value = index.facts.exprs[binding.value]
                    stretches.append((value.start, value.end))
        return any(
            self._asks_connection(value, deep=True)
            for start, end in stretches
            for _, call in index.calls_in(start, end)
            for value in self._ev.callee(index.number, call.callee)
        )

    def _names(self, index: FileIndex, expr: int) -> list[tuple[int, facts.Name | facts.Member]]:
        """Names that a condition looks at, not those of what it calls."""
        pending, found = [expr], list[tuple[int, facts.Name | facts.Member]]()
        while pending:
            number = pending.pop()
            part = index.facts.exprs[number]
            if isinstance(part, facts.Name | facts.Member):
                found.append((number, part))
            if not isinstance(part, facts.Call | facts.Member):
                pending.extend(children(part))
        return found

    def _asks_connection(self, value: Value, deep: bool) -> bool:
        if isinstance(value, LibraryMethod):
            method = self._ev.catalogue.method_of(value.object.origin, value.name)
            command = (method.command if method is not None else "") or value.name
            return self._ev.catalogue.command(command.upper()).replies == "life"
        if isinstance(value, External):
            return self._ev.catalogue.constructor(value.dotted) is not None
        if isinstance(value, FunctionValue) and deep:
            index = self._ev.store.files[value.file]
            body = index.facts.blocks[index.facts.scopes[value.scope].block]
            return any(
                self._asks_connection(one, deep=False)
                for _, call in index.calls_in(body.start, body.end)
                for one in self._ev.callee(value.file, call.callee)
            )
        return False
