"""Whether many callers may want connections of one client at the same time, so that its pool can grow without end."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
    Const,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Ref,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.escape.escape_analysis import Keeping
from resplint.execution.frequency.frequency import Frequency
from resplint.execution.frequency.one_off import OneOff
from resplint.flow.graph import Graph
from resplint.redis.commands import CommandSite
from resplint.redis.usage import Usage


class Bursts:
    """Answers for clients whose calls wait for their replies: each thread needs one connection at a time."""

    def __init__(self, evaluator: Graph, usage: Usage, frequency: Frequency, one_off: OneOff) -> None:
        self._ev = evaluator
        self._usage = usage
        self._frequency = frequency
        self._one_off = one_off
        self._single: dict[Ref, bool] = {}
        self._sent: dict[int, set[int]] = {}

    def ruled_out(self, value: LibraryObject) -> bool:
        """Whether only tests make the client, one function has it for itself, or a program uses it that does one thing
        after the other.
        """
        if value.made is None:
            return False
        if self._in_test(value.made):
            return True
        if value.kind == "pool":
            return False
        if value.origin.type.is_async:
            return self._is_awaited_alone(value.made) or (
                self._in_series(value.made) and self._awaits_in_turn(value.made)
            )
        return self._is_brief(value.made) or self._in_series(value.made)

    def runs_through(self, made: Ref) -> bool:
        """Whether a program makes a client that does its work from its first statement to its last and ends: a script
        that somebody starts. Nothing but its own file uses the client, and no command of it stands in a loop that may
        go on, or in what a server or a framework calls.
        """
        sites = self._sent_by.get(made, [])
        if not sites or not all(site.file == made[0] for site in sites):
            return False
        ends = _everywhere(made, self._runs_in_program) or self._one_off.is_script(made, self._usage.closed_at(made))
        if not ends or not self._is_handed_to_own(made):
            return False
        if self._listens_on(self._ev.store.files[made[0]]):
            return False
        return all(self._one_off.is_only_at_start(ref, beside=True) for ref in (made, *(site.ref for site in sites)))

    def _is_handed_to_own(self, made: Ref) -> bool:
        """Whether only functions of the project receive a client, where it is made and where it is returned to."""
        pending, seen = [made], {made}
        while pending:
            file, number = pending.pop()
            kept = self._frequency.keeper.of(file, number)
            if not all(self._is_own(ref) for ref in kept.handed_over):
                return False
            if kept.members and not self._is_held(file, kept):
                return False
            if kept.returned:
                sites = {site.ref for site in self._ev.callers.of(file, kept.returned_by)} - seen
                seen |= sites
                pending += sites
        return True

    def _listens_on(self, index: FileIndex) -> bool:
        """Whether a loop of a file takes messages for as long as there are any, and nothing else ends it."""
        for number, block in enumerate(index.facts.blocks):
            head = index.facts.exprs[block.head] if block.kind == "for" and block.head != NONE else None
            if not isinstance(head, facts.Call):
                continue
            methods = [one for one in self._ev.callee(index.number, head.callee) if isinstance(one, LibraryMethod)]
            if any(
                one.object.kind == "pubsub" or one.name in one.object.origin.library.library.listens for one in methods
            ):
                leaving = [
                    one.kind for one in index.jumps[index.function_of(number)] if block.start <= one.start < block.end
                ]
                if "break" not in leaving and "return" not in leaving:
                    return True
        return False

    def _runs_in_program(self, ref: Ref) -> bool | list[Ref]:
        """Whether an expression runs because its file is the program, or what leads to it does."""
        file, number = ref
        index = self._ev.store.files[file]
        scope = index.function_of(index.facts.exprs[number].block)
        if index.facts.scopes[scope].kind != "function":
            return self._is_program(index, number)
        calls = self._callers(file, scope)
        return calls if calls and all(one[0] == file for one in calls) else False

    def _in_test(self, ref: Ref) -> bool:
        """Whether a test makes it, or a function beside tests that only they call."""

        def runs_in_test(ref: Ref) -> bool | list[Ref]:
            file, number = ref
            index = self._ev.store.files[file]
            scope = index.function_of(index.facts.exprs[number].block)
            if index.facts.scopes[scope].kind != "function":
                return False
            role = self._frequency.roles.of(file, scope)
            if role is not None:
                return role.name == "test"
            written = index.function_expr.get(scope)
            if written is not None and written in index.argument_of:
                return [(file, written)]
            sites = self._callers(file, scope)
            return sites if all(site[0] == file for site in sites) else False

        return _everywhere(ref, runs_in_test)

    def _is_brief(self, ref: Ref) -> bool:
        """Whether a function has it for itself, be it through a factory that makes one for each of its callers."""

        def keeps(ref: Ref) -> bool | list[Ref]:
            file, number = ref
            index = self._ev.store.files[file]
            scope = index.function_of(index.facts.exprs[number].block)
            if index.facts.scopes[scope].kind != "function":
                return False
            if self._frequency.keeper.stays(file, number):
                return True
            if not self._frequency.keeper.stays(file, number, returned=True):
                return False
            if self._frequency.roles.of(file, scope) is not None or self._frequency.roles.memoised(file, scope):
                return False
            return self._callers(file, scope)

        return _everywhere(ref, keeps)

    def _is_awaited_alone(self, made: Ref) -> bool:
        """Whether one function has an asynchronous client for itself and awaits each command where it stands; a
        subscription has one connection, whoever listens to it.
        """
        file, number = made
        index = self._ev.store.files[file]
        scope = index.function_of(index.facts.exprs[number].block)
        sites = [one for one in self._sent_by[made] if one.command and one.receiver.kind not in ("pubsub", "pipeline")]
        return (
            bool(self._sent_by[made])
            and index.facts.scopes[scope].kind == "function"
            and self._frequency.keeper.stays(file, number)
            and all(
                self._is_awaited(one.ref)
                and one.file == file
                and index.function_of(self._ev.store.expr(one.ref).block) == scope
                for one in sites
            )
        )

    def _callers(self, file: int, scope: int) -> list[Ref]:
        """The calls of a function; none where some may not be seen."""
        return [] if self._ev.callers.escapes(file, scope) else [site.ref for site in self._ev.callers.of(file, scope)]

    # -- programs that do one thing after the other ----------------------------------------------------------------

    def _in_series(self, made: Ref) -> bool:
        """Whether a program makes the client and all that is seen of its use runs in a few threads of that program."""
        file, number = made
        sites = self._sent_by.get(made, [])
        kept = self._frequency.keeper.of(file, number)
        if not sites or not all(self._is_own(ref) for ref in kept.handed_over):
            return False
        if kept.members and not self._is_held(file, kept):
            return False
        starts = self._is_single(made)
        if not starts:  # a module makes it, and a program works with it
            index = self._ev.store.files[file]
            home = index.facts.scopes[index.function_of(index.facts.exprs[number].block)]
            starts = home.kind == "module" and any(self._is_single(site.ref) for site in sites)
        return starts and all(self._is_idle(site.ref) or self._is_single(site.ref) for site in sites)

    def _is_held(self, file: int, kept: Keeping) -> bool:
        """Whether fields hold a client, of objects that the program makes itself and gives to nobody else."""
        index = self._ev.store.files[file]
        owners = set[tuple[int, int]]()
        for write in kept.members:
            target = index.facts.exprs[write.target]
            values = self._ev.values(file, target.object) if isinstance(target, facts.Member) else ()
            objects = [value for value in values if isinstance(value, Instance)]
            if not objects or len(objects) != len(values):
                return False
            owners |= {(value.file, value.scope) for value in objects}
        sites = [site for owner in owners for site in self._ev.callers.of_class(*owner)]
        return bool(sites) and all(self._is_single(site.ref) and self._stays(site.ref) for site in sites)

    def _stays(self, made: Ref) -> bool:
        """Whether an object is kept under names, and only functions of the project receive it."""
        kept = self._frequency.keeper.of(*made)
        return not kept.members and not kept.returned and all(self._is_own(ref) for ref in kept.handed_over)

    def _awaits_in_turn(self, made: Ref) -> bool:
        """Whether each command that an asynchronous client sends is awaited where it stands, and so is each coroutine
        that sends one, up to the program: no task is made of any.
        """
        sites = [site for site in self._sent_by[made] if site.receiver.kind != "pipeline"]
        pending = [made, *(site.ref for site in sites)]
        seen = set[tuple[int, int]]()
        if not all(self._is_awaited(site.ref) for site in sites):
            return False
        while pending:
            file, number = pending.pop()
            index = self._ev.store.files[file]
            scope = index.function_of(index.facts.exprs[number].block)
            if index.facts.scopes[scope].kind != "function" or (file, scope) in seen:
                continue
            seen.add((file, scope))
            calls = [site.ref for site in self._ev.callers.of(file, scope)]
            if index.facts.scopes[scope].is_async and not all(map(self._is_awaited, calls)):
                return False
            pending += calls
        return True

    def _is_awaited(self, ref: Ref) -> bool:
        """Whether code waits for what a call gives: ``await work()``, ``async for entry in work()``,
        ``asyncio.run(work())``.
        """
        file, number = ref
        index = self._ev.store.files[file]
        call = index.facts.exprs[number]
        if (isinstance(call, facts.Call) and call.awaited) or index.heads.get(number) == "for":
            return True
        runner = index.facts.exprs[index.argument_of[number][0]] if number in index.argument_of else None
        names = self._ev.roles(file).words.coroutine_runners
        values = self._ev.callee(file, runner.callee) if isinstance(runner, facts.Call) else ()
        return any(isinstance(one, External | ExternalObject) and one.dotted in names for one in values)

    @cached_property
    def _sent_by(self) -> dict[Ref, list[CommandSite]]:
        """Call that makes a client -> the commands that are sent through it, and through what is made from it."""
        table: dict[Ref, list[CommandSite]] = defaultdict(list)
        for site in self._usage.commands:
            value: LibraryObject | None = site.receiver
            while value is not None:
                if value.made is not None:
                    table[value.made].append(site)
                value = value.parent
        return table

    def _is_idle(self, ref: Ref) -> bool:
        """Whether an expression stands in a function that nothing in the project calls or hands on: no program of the
        project runs it.
        """
        index = self._ev.store.files[ref[0]]
        scope = index.function_of(index.facts.exprs[ref[1]].block)
        record = index.facts.scopes[scope]
        if record.kind != "function" or not record.name or record.decorators:
            return False
        if record.belongs and self._ev.store.named(record.name):
            return False  # it may be that object's
        callers = self._ev.callers
        return (
            not callers.of(ref[0], scope)
            and not callers.escapes(ref[0], scope)
            and (self._frequency.roles.of(ref[0], scope) is None)
        )

    def _is_own(self, ref: Ref) -> bool:
        """Whether a call runs a function of the project and nothing else."""
        call = self._ev.store.expr(ref)
        values = self._ev.values(ref[0], call.callee) if isinstance(call, facts.Call) else ()
        return bool(values) and all(isinstance(value, FunctionValue) for value in values)

    def _is_single(self, ref: Ref) -> bool:
        """Whether an expression runs in one thread of a program, or in one of a few that it starts."""
        known = self._single.get(ref)
        if known is None:
            known = self._single[ref] = _everywhere(ref, self._runs_single)
        return known

    def _runs_single(self, ref: Ref) -> bool | list[Ref]:
        file, number = ref
        index = self._ev.store.files[file]
        scope = index.function_of(index.facts.exprs[number].block)
        if index.facts.scopes[scope].kind != "function":
            return self._is_program(index, number)
        role = self._frequency.roles.of(file, scope)
        if role is not None and role.name == "thread":
            return role.ref[1] > NONE and self._frequency.code(*role.ref).kind == "once"
        if role is not None:
            return role.name in ("main", "test")
        calls = [self._callers(*one) for one in self._called_as(index, scope)]
        return [ref for found in calls for ref in found] if all(calls) else False

    def _called_as(self, index: FileIndex, scope: int) -> list[tuple[int, int]]:
        """The function; if nobody calls it, the methods of base classes that it takes the place of."""
        owner, name = index.class_of(scope), index.facts.scopes[scope].name
        if owner == NONE or self._ev.callers.of(index.number, scope):
            return [(index.number, scope)]
        line = [one for one in self._ev.classes.line(index.number, owner)[1:] if isinstance(one, ClassValue)]
        replaced = [found for one in line if (found := self._ev.classes.method(one.file, one.scope, name)) is not None]
        return list(dict.fromkeys((one.file, one.scope) for one in replaced)) or [(index.number, scope)]

    def _is_program(self, index: FileIndex, number: int) -> bool:
        """Whether code outside of functions runs because its file is the program, and not for being imported: it says
        so, works through data, or never comes to an end.
        """
        name = self._ev.roles(index.number).words.program_module
        blocks = index.facts.blocks
        for one in index.enclosing_blocks(index.facts.exprs[number].block):
            if name and blocks[one].kind == "if" and self._compares(index, blocks[one].head, name):
                return True
        return any(
            block.kind in ("for", "while")
            and index.function_of(position) == 0
            and (self._holds(index, block.head) if block.kind == "while" else self._works(index, block))
            for position, block in enumerate(blocks)
        )

    def _works(self, index: FileIndex, block: facts.Block) -> bool:
        """Whether a loop outside of functions sends commands for its data, itself or in a function of the file: what
        is imported prepares names, and does not work through data.
        """
        for number, call in index.calls_in(block.start, block.end):
            if index.function_of(call.block) != 0:
                continue
            for value in self._ev.callee(index.number, call.callee):
                if isinstance(value, LibraryMethod) and number in self._sending(index):
                    return True
                if isinstance(value, FunctionValue) and value.file == index.number:
                    body = index.facts.blocks[index.facts.scopes[value.scope].block]
                    if any(inner in self._sending(index) for inner, _ in index.calls_in(body.start, body.end)):
                        return True
        return False

    def _sending(self, index: FileIndex) -> set[int]:
        """The calls of a file that send commands."""
        if index.number not in self._sent:
            self._sent[index.number] = {site.call for site in self._usage.commands if site.file == index.number}
        return self._sent[index.number]

    def _compares(self, index: FileIndex, head: int, name: str) -> bool:
        expr = index.facts.exprs[head] if head != NONE else None
        parts = [index.facts.exprs[one] for one in expr.operands] if isinstance(expr, facts.Operation) else []
        return any(isinstance(part, facts.Literal) and part.value == name for part in parts)

    def _holds(self, index: FileIndex, head: int) -> bool:
        values = self._ev.values(index.number, head) if head != NONE else ()
        return bool(values) and all(isinstance(value, Const) and bool(value.value) for value in values)


def _everywhere(ref: Ref, holds: Callable[[Ref], bool | list[Ref]]) -> bool:
    """Whether something holds of an expression, or of all those that lead to it: `holds` says yes, no, or which do."""
    pending, seen, is_settled = [ref], {ref}, False
    while pending:
        said = holds(pending.pop())
        if not said:
            return False
        if said is True:
            is_settled = True
            continue
        fresh = [one for one in said if one not in seen]
        seen.update(fresh)
        pending += fresh
    return is_settled
