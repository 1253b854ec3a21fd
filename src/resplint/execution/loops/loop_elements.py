"""What differs from one turn of a loop to the next: its element, and what is made of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import ClassValue, CollectionValue, EnumValues, ExternalObject, FunctionValue, Ref, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.loops.few_elements import FEW, FewElements
from resplint.flow.graph import Graph
from resplint.text import arguments, collections

Variable = tuple[int, str]
"""(the scope that owns it, its name)"""
_LOOPS = ("for", "while", "comprehension")
_DEPTH = 3
"""Copies of copies that are looked through, and callers of callers."""
_CALLERS = 20
"""Callers of one function that are looked at."""


class LoopElements:
    """Answers for loops over data: those that give some variable another element at each turn."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self._few = FewElements(evaluator)
        self._varying: dict[tuple[int, int], frozenset[Variable]] = {}
        self._bound: dict[tuple[int, str], dict[int, list[facts.Binding]]] = {}
        self._asking: dict[tuple[int, int], tuple[bool, frozenset[Variable]]] = {}

    def around(self, index: FileIndex, expr: int) -> Iterator[int]:
        """The loops of its function that repeat an expression, the innermost first."""
        found = index.facts.exprs[expr]
        for number in index.enclosing_blocks(found.block):
            block = index.facts.blocks[number]
            if block.kind in _LOOPS and block.head != NONE:
                head = index.facts.exprs[block.head]
                if not head.start <= found.start < head.end:
                    yield number

    def depends(self, index: FileIndex, loop: int, expr: int) -> bool:
        """Whether an expression has another value at each turn of a loop."""
        varying = self.varying(index, loop)
        return any(
            (isinstance(one := index.facts.exprs[number], facts.Name) and self.variable(index, number) in varying)
            or (isinstance(one, facts.Call) and self._advances(index, loop, one))
            for number in parts(index.facts.exprs, expr)
        )

    def variable(self, index: FileIndex, number: int) -> Variable:
        """The variable that a name stands for."""
        expr = index.facts.exprs[number]
        name = expr.name if isinstance(expr, facts.Name) else ""
        return index.owner(name, index.scope_of(expr.block)), name

    def varying(self, index: FileIndex, loop: int) -> frozenset[Variable]:
        """The variables that a turn of a loop gives new values, through those of its element."""
        key = (index.number, loop)
        if key not in self._varying:
            self._varying[key] = frozenset()  # for loops that are asked about meanwhile
            self._varying[key] = frozenset(self._spread(index, loop, self._elements(index, loop)))
        return self._varying[key]

    def handful(self, index: FileIndex, loop: int) -> int | None:
        """How many turns a loop has that runs over what the code writes out, or counts to a small number; None for
        loops over data.
        """
        block = index.facts.blocks[loop]
        if block.kind == "while":
            return self._counts_to_few(index, block.head)
        return self.few(index, block.head)

    def few(self, index: FileIndex, head: int) -> int | None:
        """How many elements a loop's data has, where the code writes them out, counts to or cuts off at a small number;
        None for other data.
        """
        if (counted := self._counted_out(index, head)) is not None:
            return counted
        return self._most(self._sizes(index, head))

    def size(self, value: Value, depth: int = 0) -> int | None:
        """The number of elements of a collection that all stand in the code."""
        if isinstance(value, EnumValues):
            return FEW
        if isinstance(value, ClassValue):
            return FEW if self._ev.classes.is_enumeration(value.file, value.scope) else None
        if isinstance(value, ExternalObject) and value.ref is not None and depth < _DEPTH:
            return self._most(self._copied_at(*value.ref, depth + 1))
        collection = self._ev.store.expr(value.ref) if isinstance(value, CollectionValue) else None
        if not isinstance(value, CollectionValue) or not isinstance(collection, facts.Collection):
            return None
        index = self._ev.store.files[value.ref[0]]
        if collection.generated and depth < _DEPTH:
            return self._most(self._source(index, collection, depth + 1))
        if collection.spreads:
            only = len(collection.items) == 1 and depth < _DEPTH
            return self._most(self._sizes(index, collection.items[0], depth + 1)) if only else None
        if collection.generated or NONE in collection.keys:
            return None
        if index.facts.scopes[index.function_of(collection.block)].is_generator:
            return None  # one of the elements that it yields
        added = collections.listed(self._ev, value)[len(collection.items) :]
        size = len(collection.items) + len(added)
        if not size or collections.stored_items(self._ev, value):
            return None
        return size if not added or self._all_written(index, value.ref[1], added) else None

    def _most(self, sizes: list[int | None]) -> int | None:
        return None if None in sizes else max((one for one in sizes if one is not None), default=None)

    def _sizes(self, index: FileIndex, number: int, depth: int = 0) -> list[int | None]:
        """Sizes of the collections that a loop may run over, None for one that is data. What is no collection by the
        look of it is not asked about.
        """
        expr = index.facts.exprs[number]
        words = self._ev.roles(index.number).words
        if (few := self._few.at(index, number)) is not None:
            return [few]
        if isinstance(expr, facts.Name):
            variable = self.variable(index, number)
            bound = index.bindings.get(variable, ())
            if variable in index.parameters and not bound and depth < _DEPTH:
                return self._passed(index, variable, depth + 1)
            if variable in index.parameters or any(not self._may_list(index, one) for one in bound):
                return [None]
        if isinstance(expr, facts.Call):
            if self._few.is_copied(index, expr):
                return self._sizes(index, expr.arguments[0].value, depth + 1) if depth < _DEPTH else [None]
            callee = index.facts.exprs[expr.callee]
            name = callee.name if isinstance(callee, facts.Name | facts.Member) else ""
            functions = [one for one in self._ev.callee(index.number, expr.callee) if isinstance(one, FunctionValue)]
            if functions:
                return [size for one in functions for size in self._returned(one)]
            if name not in words.map_views and name not in words.enum_lists:
                return [None]
        return [self.size(value, depth) for value in self._ev.values(index.number, number)]

    def _may_list(self, index: FileIndex, binding: facts.Binding) -> bool:
        """Whether a name is bound to what may be a collection that is written out."""
        expr = index.facts.exprs[binding.value] if binding.value != NONE else None
        if isinstance(expr, facts.Call):
            return self._few.is_copied(index, expr)
        return isinstance(expr, facts.Name | facts.Member | facts.Choice | facts.Opaque) or (
            isinstance(expr, facts.Collection) and (bool(expr.items) or expr.kind == "list")
        )

    def _passed(self, index: FileIndex, parameter: Variable, depth: int) -> list[int | None]:
        """Sizes of the collections that the callers of a function pass for a parameter."""
        record, position = index.facts.scopes[parameter[0]], index.parameters[parameter]
        sites = self._ev.callers.of(index.number, parameter[0]) if not record.parameters[position].kind else []
        found: list[int | None] = []
        for site in sites[:_CALLERS]:
            other = self._ev.store.files[site.file]
            given = isinstance(other.facts.exprs[site.call], facts.Call)
            number = arguments.argument(other, site.call, record, position, site.bound) if given else None
            found += self._sizes(other, number, depth) if number is not None and number != NONE else [None]
        return found if found and len(sites) <= _CALLERS else [None]

    def _returned(self, function: FunctionValue) -> list[int | None]:
        """Sizes of the collections that a function gives back."""
        index = self._ev.store.files[function.file]
        if index.facts.scopes[function.scope].is_generator:
            return [None]
        jumps = [one for one in index.jumps.get(function.scope, ()) if one.kind == "return"]
        return [
            self.size(CollectionValue((function.file, one.value)))
            if one.value != NONE and isinstance(index.facts.exprs[one.value], facts.Collection)
            else None
            for one in jumps
        ] or [None]

    # -- what a turn is given ------------------------------------------------------------------------------------------

    def _elements(self, index: FileIndex, loop: int) -> set[Variable]:
        block = index.facts.blocks[loop]
        if block.kind == "while":
            return self._counters(index, loop) | self._advanced(index, loop)
        scope = index.facts.scopes[block.scope]
        found = {(one.scope, one.name) for one in self._bound_in(index, "for").get(loop, ())}
        found |= self._places(index, loop)
        if scope.kind == "comprehension" and scope.block == loop:
            found |= {(block.scope, one.name) for one in scope.parameters}
        return found

    def _bound_in(self, index: FileIndex, kind: str) -> dict[int, list[facts.Binding]]:
        """Block -> its bindings of a kind."""
        if (index.number, kind) not in self._bound:
            table: dict[int, list[facts.Binding]] = defaultdict(list)
            for one in index.facts.bindings:
                if one.kind == kind:
                    table[one.block].append(one)
            self._bound[index.number, kind] = table
        return self._bound[index.number, kind]

    def _counters(self, index: FileIndex, loop: int) -> set[Variable]:
        """``i`` of ``while i < ids.length``, where the loop counts it."""
        named = parts(index.facts.exprs, index.facts.blocks[loop].head)
        names = {self.variable(index, one) for one in named if isinstance(index.facts.exprs[one], facts.Name)}
        return self._counted(index, loop) & names

    def _counted(self, index: FileIndex, loop: int) -> set[Variable]:
        bound = self._bound_in(index, "augment").items()
        return {(one.scope, one.name) for block, found in bound if index.contains(loop, block) for one in found}

    def _places(self, index: FileIndex, loop: int) -> set[Variable]:
        """``place`` of ``keys[place]``, which a loop over other data counts on beside it."""
        return {
            variable
            for variable in self._counted(index, loop)
            for number in index.by_name.get(variable[1], ())
            if isinstance(holder := index.facts.exprs[index.parents.get(number, number)], facts.Index)
            and holder.key == number
            and index.contains(loop, holder.block)
        }

    def _advanced(self, index: FileIndex, loop: int) -> set[Variable]:
        """``id`` of ``id = ids.next()`` in ``while ids.hasNext()``."""
        block = index.facts.blocks[loop]
        return {
            (one.scope, one.name)
            for one in index.by_place.bindings.between(block.start, block.end)
            if one.value != NONE
            and any(
                isinstance(call := index.facts.exprs[part], facts.Call) and self._advances(index, loop, call)
                for part in parts(index.facts.exprs, one.value)
            )
        }

    def _advances(self, index: FileIndex, loop: int, call: facts.Call) -> bool:
        """Whether a call takes the next element that a condition of a loop has asked for, or reads from the row that
        the condition has gone on to.
        """
        callee = index.facts.exprs[call.callee]
        if index.facts.blocks[loop].kind != "while" or not isinstance(callee, facts.Member):
            return False
        asks, rows = self._asked(index, loop)
        if asks and callee.name in self._ev.roles(index.number).words.advancers:
            return True
        return (
            bool(rows)
            and isinstance(index.facts.exprs[callee.object], facts.Name)
            and (self.variable(index, callee.object) in rows)
        )

    def _asked(self, index: FileIndex, loop: int) -> tuple[bool, frozenset[Variable]]:
        """Whether conditions of a loop ask if there is anything left, and what they move on themselves as they do:
        ``while (rows.next())``.
        """
        key = (index.number, loop)
        if key not in self._asking:
            words = self._ev.roles(index.number).words
            asks, rows = False, set()
            for part in (part for head in self._conditions(index, loop) for part in parts(index.facts.exprs, head)):
                call = index.facts.exprs[part]
                callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else call
                if not isinstance(callee, facts.Member):
                    continue
                asks = asks or callee.name in words.exhausted
                if isinstance(call, facts.Call) and not call.arguments and callee.name in words.steppers:
                    if isinstance(index.facts.exprs[callee.object], facts.Name):
                        rows.add(self.variable(index, callee.object))
            self._asking[key] = asks, frozenset(rows)
        return self._asking[key]

    def _conditions(self, index: FileIndex, loop: int) -> Iterator[int]:
        """The condition of a loop, and those under which its body breaks it off."""
        record = index.facts.blocks[loop]
        yield record.head
        for jump in index.by_place.jumps.between(record.start, record.end):
            block = index.facts.blocks[jump.block]
            if jump.kind == "break" and block.kind == "if" and block.parent == loop:
                yield block.head

    def _spread(self, index: FileIndex, loop: int, found: set[Variable]) -> set[Variable]:
        """The variables, and all that are made of them in a turn."""
        block = index.facts.blocks[loop]
        inside = index.by_place.bindings.between(block.start, block.end) if found else []
        values = [one for one in inside if one.value != NONE]
        grows = bool(found)
        while grows:
            grows = False
            for one in values:
                if (one.scope, one.name) not in found and self._mentions(index, one.value, found):
                    found.add((one.scope, one.name))
                    grows = True
            for variable in self._handed_on(index, block, found):
                if variable not in found:
                    found.add(variable)
                    grows = True
        return found

    def _handed_on(self, index: FileIndex, block: facts.Block, found: set[Variable]) -> Iterator[Variable]:
        """Parameters of functions that are written in place, in calls with what differs: ``name.ifPresent(…)``."""
        for number, call in index.calls_in(block.start, block.end):
            functions = [
                expr.scope
                for item in call.arguments
                if isinstance(expr := index.facts.exprs[item.value], facts.Function)
            ]
            if functions and self._mentions(index, number, found):
                for scope in functions:
                    yield from ((scope, one.name) for one in index.facts.scopes[scope].parameters)

    def _mentions(self, index: FileIndex, expr: int, found: set[Variable]) -> bool:
        return any(
            isinstance(index.facts.exprs[number], facts.Name) and self.variable(index, number) in found
            for number in parts(index.facts.exprs, expr)
        )

    # -- handfuls ------------------------------------------------------------------------------------------------------

    def _counts_to_few(self, index: FileIndex, head: int) -> int | None:
        """The small number that a condition counts to, ``i < 15``, or one of several that must hold."""
        test = index.facts.exprs[head]
        if isinstance(test, facts.Operation) and test.operator in ("and", "&&"):
            return min(
                (few for one in test.operands if (few := self._counts_to_few(index, one)) is not None), default=None
            )
        numbers = list(parts(index.facts.exprs, head))
        limits = [
            one.value
            for number in numbers
            if isinstance(one := index.facts.exprs[number], facts.Literal) and isinstance(one.value, int)
        ]
        counters = [one for one in numbers if isinstance(index.facts.exprs[one], facts.Name)]
        return limits[0] if len(limits) == 1 == len(counters) and 0 < limits[0] <= FEW else None

    def _counted_out(self, index: FileIndex, head: int) -> int | None:
        """The small number that a call counts to which stands for a loop's data: ``range(3)``."""
        call = index.facts.exprs[head]
        names = self._ev.roles(index.number).counters
        if not isinstance(call, facts.Call) or not call.arguments:
            return None
        given = [index.facts.exprs[item.value] for item in call.arguments]
        numbers = [one.value for one in given if isinstance(one, facts.Literal) and isinstance(one.value, int)]
        if len(numbers) < len(given) or self._ev.binder.dotted(index.number, call.callee) not in names:
            return None
        turns = numbers[0] if len(numbers) == 1 else numbers[1] - numbers[0]
        return turns if 0 < turns <= FEW else None

    def _all_written(self, index: FileIndex, number: int, added: list[Ref]) -> bool:
        """Whether all that is added to a collection stands in the code of the function that makes it, outside of its
        loops, and nobody else is handed the collection.
        """
        function = index.function_of(index.facts.exprs[number].block)
        names = [one.name for one in index.bound_to.get(number, ())]
        around = set(self.around(index, number))
        for _, item in added:
            expr = index.facts.exprs[item]
            if index.function_of(expr.block) != function or set(self.around(index, item)) - around:
                return False
            if not isinstance(expr, facts.Literal | facts.Template):
                return False  # perhaps several
        return len(names) == 1 and not self._leaves(index, names[0], function)

    def _leaves(self, index: FileIndex, name: str, function: int) -> bool:
        """Whether a function hands a collection on by its name, or adds several elements at once to it."""
        words = self._ev.roles(index.number).words
        several = {*words.adders, *words.map_setters, *words.queuers, *words.text_adders} - {*words.list_adders}
        for number in index.by_name.get(name, ()):
            if index.function_of(index.facts.exprs[number].block) != function:
                continue
            around = index.facts.exprs[index.parents.get(number, number)]
            if number in index.argument_of or (isinstance(around, facts.Member) and around.name in several):
                return True
        return False

    def _copied_at(self, file: int, number: int, depth: int) -> list[int | None]:
        """Sizes of the collection that a call copies, if it does."""
        index = self._ev.store.files[file]
        call = index.facts.exprs[number]
        if not isinstance(call, facts.Call) or not self._few.is_copied(index, call) or self._grows(index, number):
            return [None]
        return self._sizes(index, number, depth)

    def _grows(self, index: FileIndex, number: int) -> bool:
        """Whether something is added to a collection under the name that it is bound to."""
        words = self._ev.roles(index.number).words
        adders = (*words.list_adders, *words.adders, *words.map_setters)
        return any(
            isinstance(around := index.facts.exprs[index.parents.get(mention, mention)], facts.Member)
            and around.name in adders
            for one in index.bound_to.get(number, ())
            for mention in index.by_name.get(one.name, ())
        )

    def _source(self, index: FileIndex, collection: facts.Collection, depth: int) -> list[int | None]:
        """Sizes of what the only loop of a comprehension runs over."""
        heads = [
            block.head
            for block in index.facts.blocks
            if block.kind == "comprehension" and collection.start <= block.start and block.end <= collection.end
        ]
        return self._sizes(index, heads[0], depth) if len(heads) == 1 and heads[0] != NONE else [None]
