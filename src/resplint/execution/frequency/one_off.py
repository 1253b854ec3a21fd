"""Work that a program is started for: it does it once, closes its client and ends."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import CollectionValue, External, ExternalObject, LoopValue, Ref, Reply
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.frequency.frequency import Frequency
from resplint.flow.graph import Graph

_Function = tuple[int, int]
_STARTS = ("startup", "main")
"""Roles of functions that run when a program starts."""
_COMPARISONS = ("<", "<=", ">", ">=")


class OneOff:
    """Tells it from work of programs that go on."""

    def __init__(self, evaluator: Graph, frequency: Frequency) -> None:
        self._ev = evaluator
        self._frequency = frequency

    def is_one_off(self, work: Ref, closings: list[Ref]) -> bool:
        """Whether a program does some work once, and one of its callers closes the client behind it: a migration, an
        export.
        """
        if not closings or self._frequency.code(*work).kind != "once":
            return False
        functions, sites = self._around(work)
        if any(self._goes_on(*one) for one in functions):
            return False
        return any(place in functions for closing in closings for place in self._closes(closing, sites))

    def is_only_at_start(self, work: Ref, beside: bool = False) -> bool:
        """Whether nothing leads to some work but the statements of a module and a program's main and start-up
        functions, none of which goes on by a loop: what a script does, and what a server reads before it serves;
        with `beside` also what such code has run beside itself: ``task = asyncio.create_task(publish())``.
        """
        pending = [work]
        seen: set[_Function] = set()
        while pending:
            ref = pending.pop()
            if self._may_go_on(*ref, beside):
                return False
            file, scope = place = (ref[0], self._function(*ref))
            if place in seen:
                continue
            seen.add(place)
            if self._goes_on(file, scope) or self._is_rerun(file):
                return False
            record = self._ev.store.files[file].facts.scopes[scope]
            role = self._frequency.roles.of(file, scope)
            if record.kind in ("module", "class") or (role is not None and role.name in _STARTS):
                continue
            if beside and role is not None and role.name == "submitted" and role.ref[1] > NONE:
                pending.append(role.ref)
                continue
            sites = self._callers(file, scope)
            if role is not None or not sites or self._ev.callers.escapes(file, scope):
                return False
            pending += sites
        return True

    def _callers(self, file: int, scope: int) -> list[Ref]:
        index = self._ev.store.files[file]
        if index.facts.scopes[scope].is_constructor and (owner := index.class_of(scope)) != NONE:
            return [site.ref for site in self._ev.callers.of_class(file, owner)]
        return [site.ref for site in self._ev.callers.of(file, scope)]

    def _is_rerun(self, file: int) -> bool:
        """Whether the statements of a file run again and again, as those of a page of Streamlit do."""
        packages = self._ev.roles(file).rerun_files
        modules = (one.module for one in self._ev.store.files[file].facts.imports) if packages else ()
        return any(module == one or module.startswith(f"{one}.") for module in modules for one in packages)

    def _may_go_on(self, file: int, number: int, through_data: bool) -> bool:
        """Whether a loop around an expression may have no end: any but those over what the code lists; with
        `through_data` also but those that compare, and those over what is known to be data.
        """
        index = self._ev.store.files[file]
        for one in index.enclosing_blocks(index.facts.exprs[number].block):
            block = index.facts.blocks[one]
            if through_data and block.head != NONE and self._ends_itself(index, block):
                continue
            if block.kind == "while":
                return True
            if block.kind in ("for", "comprehension") and block.head != NONE:
                values = self._ev.values(file, block.head)
                if not values or not all(isinstance(value, CollectionValue) for value in values):
                    return True
        return False

    def _ends_itself(self, index: FileIndex, block: facts.Block) -> bool:
        """Whether a loop comes to an end: ``while time.time() < end``, a part of a list, what a map or a reply holds,
        so many numbers.
        """
        head = index.facts.exprs[block.head]
        if block.kind == "while":
            return isinstance(head, facts.Operation) and head.operator in _COMPARISONS
        if block.kind not in ("for", "comprehension"):
            return False
        values = self._ev.values(index.number, block.head)
        if isinstance(head, facts.Index):
            return True
        if values and all(isinstance(one, CollectionValue | Reply | LoopValue) for one in values):
            return True
        callee = index.facts.exprs[head.callee] if isinstance(head, facts.Call) else None
        roles = self._ev.roles(index.number)
        if isinstance(callee, facts.Member):
            return callee.name in roles.words.map_views
        return isinstance(callee, facts.Name) and callee.name in roles.counters

    def is_script(self, made: Ref, closings: list[Ref]) -> bool:
        """Whether a file makes a client once, and closes it or ends the program when its statements are done."""
        if self._frequency.code(*made).kind != "once":
            return False
        index = self._ev.store.files[made[0]]
        ends = [ref for ref in closings if ref[0] == made[0]]
        ends += [(made[0], number) for number in index.calls if self._ends_program(index, number)]
        return any(self._follows(index, self._function(*ref), ()) for ref in ends)

    def _ends_program(self, index: FileIndex, number: int) -> bool:
        """Whether a call ends the program whatever its function finds, and not because something failed: one behind a
        condition is for another use of the program, ``--help`` for instance.
        """
        call = index.facts.exprs[number]
        exits = self._ev.roles(index.number).words.program_exits
        if not exits or not isinstance(call, facts.Call) or len(call.arguments) > 1:
            return False
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member) or all(one.rpartition(".")[2] != callee.name for one in exits):
            return False
        blocks = index.facts.blocks
        home = index.function_of(call.block)
        around = [blocks[one] for one in index.enclosing_blocks(call.block) if index.function_of(one) == home]
        status = [index.facts.exprs[item.value] for item in call.arguments]
        if any(one.kind in ("if", "else") for one in around) or any(
            not isinstance(one, facts.Literal) or one.value != 0 for one in status
        ):
            return False
        values = self._ev.callee(index.number, call.callee)
        return any(isinstance(one, External | ExternalObject) and one.dotted in exits for one in values)

    def _follows(self, index: FileIndex, scope: int, seen: tuple[int, ...]) -> bool:
        """Whether a function runs when the statements of its file do, or behind what they begin: as a callback that
        nothing but a call there takes, or called from there.
        """
        if index.facts.scopes[scope].kind == "module":
            return True
        if scope in seen or self._frequency.roles.of(index.number, scope) is not None:
            return False
        place = index.argument_of.get(index.function_expr.get(scope, NONE))
        if place is not None:
            return self._follows(index, self._function(index.number, place[0]), (*seen, scope))
        sites = self._ev.callers.of(index.number, scope)
        return bool(sites) and all(
            site.file == index.number and self._follows(index, self._function(*site.ref), (*seen, scope))
            for site in sites
        )

    def _around(self, work: Ref) -> tuple[set[_Function], set[Ref]]:
        """The functions that lead to some work, and where they call each other."""
        first = (work[0], self._function(*work))
        functions, pending = {first}, [first]
        sites: set[Ref] = set()
        while pending:
            for site in self._ev.callers.of(*pending.pop()):
                sites.add(site.ref)
                place = (site.file, self._function(*site.ref))
                if place not in functions:
                    functions.add(place)
                    pending.append(place)
        return functions, sites

    def _closes(self, closing: Ref, sites: set[Ref]) -> Iterator[_Function]:
        """The functions that close a client, themselves or by a method of its owner (``store.close()``), or behind one
        of some calls: ``main().finally(() => …)``.
        """
        index = self._ev.store.files[closing[0]]
        scope = self._function(*closing)
        yield index.number, scope
        for site in self._ev.callers.of(index.number, scope):  # a store of the project closes its client
            yield site.file, self._function(*site.ref)
        place = index.argument_of.get(index.function_expr.get(scope, NONE))
        call = index.facts.exprs[place[0]] if place is not None else None
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        if isinstance(callee, facts.Member) and self._has_call(index, callee.object, sites):
            yield index.number, index.function_of(callee.block)

    def _has_call(self, index: FileIndex, number: int, sites: set[Ref]) -> bool:
        area = index.facts.exprs[number]
        calls = [index.facts.exprs[call] for file, call in sites if file == index.number]
        return any(area.start <= call.start and call.end <= area.end for call in calls)

    def _goes_on(self, file: int, scope: int) -> bool:
        """Whether a function has a loop that nothing but the end of the program ends."""
        index = self._ev.store.files[file]
        for number, block in enumerate(index.facts.blocks):
            if block.kind == "while" and index.function_of(number) == scope:
                head = index.facts.exprs[block.head] if block.head != NONE else None
                if head is None or (isinstance(head, facts.Literal) and bool(head.value)):
                    return True
        return False

    def _function(self, file: int, number: int) -> int:
        index = self._ev.store.files[file]
        return index.function_of(index.facts.exprs[number].block)
