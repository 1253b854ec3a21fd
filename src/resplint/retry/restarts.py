"""Calls that have a function run again which they stand in: itself, its object or a new one like it on a thread of its
own, or by way of a constructor or a helper of its class.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.index import FileIndex
from resplint.bind.values import ClassValue, Const, External, FunctionValue, Instance, LibraryObject, Ref, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.roles import RoleTable
from resplint.flow.graph import Graph

_BACKGROUND = ("submitted", "thread", "task")
"""Roles of functions that somebody else runs soon."""
_STEPS = 3
"""Functions on the way from a call to the one that it stands in."""
_COMPARED = frozenset({"<", "<=", ">", ">=", "==", "!=", "===", "!=="})


@dataclass(frozen=True, slots=True)
class Restart:
    """`call` has the function run again, after the `pause` that it asks for, if any."""

    call: facts.Call
    number: int
    pause: int = NONE


class Restarts:
    """Finds them in a stretch of code."""

    def __init__(self, evaluator: Graph, roles: RoleTable) -> None:
        self._ev = evaluator
        self._roles = roles

    def within(self, index: FileIndex, area: facts.Block, scopes: list[int]) -> Restart | None:
        """The call in a block that has one of the functions around it run again, the same as before."""
        goals = {(index.number, scope) for scope in scopes}
        queued = self._puts_back(index, area)
        for number, call in index.calls_in(area.start, area.end):
            if self._leads_to(index, number, call, goals, queued):
                return Restart(call, number, self._pause(index, number, call))
        return None

    def _leads_to(self, index: FileIndex, number: int, call: facts.Call, goals: set[Ref], queued: bool) -> bool:
        """Whether a call comes to a function again; not by way of one that takes the next item out of a queue, unless
        what failed was `queued` again.
        """
        level = self._run_by(index, number, call)
        seen = set[Ref]()
        for _ in range(_STEPS):
            if not goals.isdisjoint(level):
                return True
            seen.update(level)
            level = [
                further
                for one in level
                if one[0] == index.number and self._is_beside(index, one[1], goals)
                if queued or not self._takes_next(*one)
                for further in self._run_in(*one)
                if further not in seen
            ]
        return False

    def _puts_back(self, index: FileIndex, area: facts.Block) -> bool:
        """Whether a stretch of code puts something into a collection: ``waiting.push(job)``."""
        words = self._ev.roles(index.number).words
        names = {*words.list_adders, *words.adders, *words.prependers, *words.queuers}
        callees = (index.facts.exprs[call.callee] for _, call in index.calls_in(area.start, area.end))
        return any(isinstance(callee, facts.Member) and callee.name in names for callee in callees)

    def _takes_next(self, file: int, scope: int) -> bool:
        """Whether a function takes an item out of a collection, by a name: ``const next = waiting.shift()``."""
        index = self._ev.store.files[file]
        takers = self._ev.roles(file).words.takers
        body = index.facts.blocks[index.facts.scopes[scope].block]
        for number, call in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and callee.name in takers and number in index.bound_to:
                return True
        return False

    def _is_beside(self, index: FileIndex, scope: int, goals: set[Ref]) -> bool:
        """Whether a function belongs to the class of others, or stands side by side with them."""
        return any(index.class_of(scope) == index.class_of(one) for _, one in goals)

    def _run_in(self, file: int, scope: int) -> Iterator[Ref]:
        """What a function runs, whatever it has counted."""
        index = self._ev.store.files[file]
        body = index.facts.blocks[index.facts.scopes[scope].block]
        for number, call in index.calls_in(body.start, body.end):
            if not any(self._counts(index, one) for one in index.enclosing_blocks(call.block)):
                yield from self._run_by(index, number, call)

    def _counts(self, index: FileIndex, number: int) -> bool:
        """Whether a block runs only as long as a comparison allows."""
        block = index.facts.blocks[number]
        if block.kind not in ("if", "else"):
            return False
        heads = [index.facts.blocks[one].head for one in index.clauses.get(("if", block.group), ())]
        tests = [index.facts.exprs[head] for head in heads if head != NONE]
        return any(isinstance(one, facts.Operation) and one.operator in _COMPARED for one in tests)

    def _run_by(self, index: FileIndex, number: int, call: facts.Call) -> list[Ref]:
        """The functions that a call runs, at once or on a thread."""
        if index.is_passed_on(call):
            return []
        found: list[Ref] = []
        for value in self._ev.callee(index.number, call.callee):
            if isinstance(value, FunctionValue):
                if self._ev.edges.calls.takes(value, index.number, call):
                    found.append((value.file, value.scope))
            elif isinstance(value, ClassValue) and self._hands_itself(index, call):
                makers = self._ev.classes.constructors(value.file, value.scope)
                found += [(one.file, one.scope) for one in makers]
        role = self._roles.handed_role(index.number, number)
        if role is not None and role.name in _BACKGROUND:
            for item in call.arguments:
                found += self._functions(index, item.value)
        return found + self._started(index, call)

    def _functions(self, index: FileIndex, number: int) -> list[Ref]:
        """The functions that an argument stands for: itself, or those that run an object like the one around."""
        made = index.facts.exprs[number]
        if isinstance(made, facts.Call) and not self._hands_itself(index, made):
            return []
        found: list[Ref] = []
        for value in self._ev.objects(index.number, number):
            if isinstance(value, FunctionValue):
                found.append((value.file, value.scope))
            elif (owner := _class(value)) is not None:
                names = self._ev.roles(index.number).words.function_methods
                found += [one for name in names for one in self._methods(owner, name)]
        return found

    def _started(self, index: FileIndex, call: facts.Call) -> list[Ref]:
        """What runs when an object is started whose base knows how: ``new Listener(host).start()``."""
        callee = index.facts.exprs[call.callee]
        patterns = [one for one in self._roles.patterns(index.number) if one.starters]
        if not isinstance(callee, facts.Member) or not any(callee.name in one.starters for one in patterns):
            return []
        made = index.facts.exprs[callee.object]
        if isinstance(made, facts.Call) and not self._hands_itself(index, made):
            return []
        found: list[Ref] = []
        for value in self._ev.objects(index.number, callee.object):
            owner = _class(value)
            if owner is None or self._methods(owner, callee.name):
                continue
            bases = [one.dotted for one in self._ev.classes.line(*owner) if isinstance(one, External)]
            for pattern in patterns:
                if callee.name in pattern.starters and any(base in pattern.bases for base in bases):
                    found += [one for name in pattern.methods for one in self._methods(owner, name)]
        return found

    def _methods(self, owner: Ref, name: str) -> list[Ref]:
        return [(one.file, one.scope) for one in self._ev.classes.methods(*owner, name)]

    def _hands_itself(self, index: FileIndex, made: facts.Call) -> bool:
        """Whether a new object is made of constants and of what the object around has or the function was given: it is
        no other piece of work.
        """
        return all(self._is_own(index, item.value) for item in made.arguments)

    def _is_own(self, index: FileIndex, number: int) -> bool:
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Member):
            return isinstance(index.facts.exprs[expr.object], facts.Name)
        if isinstance(expr, facts.Name):
            owner = index.owner(expr.name, index.scope_of(expr.block))
            return not [one for one in index.bindings.get((owner, expr.name), ()) if one.kind in ("for", "augment")]
        return isinstance(expr, facts.Literal | facts.Function)

    def _pause(self, index: FileIndex, number: int, call: facts.Call) -> int:
        """The argument that says how long to wait first: a number beside what is run."""
        if self._roles.handed_role(index.number, number) is None:
            return NONE
        for item in call.arguments[1:]:
            values = self._ev.values(index.number, item.value)
            if values and all(isinstance(one, Const) and one.type in ("int", "float") for one in values):
                return item.value
        return NONE


def _class(value: Value) -> Ref | None:
    """The class of the project that an object is of."""
    if isinstance(value, LibraryObject):
        return value.subclass
    return (value.file, value.scope) if isinstance(value, Instance) else None
