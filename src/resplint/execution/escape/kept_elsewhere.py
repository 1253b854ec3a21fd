"""Whether a client is made only where the project's own store of them has none, and goes into it."""

from __future__ import annotations

from resplint.bind.exit_paths import mentions
from resplint.bind.index import FileIndex
from resplint.bind.values import FunctionValue
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.escape.escape_analysis import Keeping
from resplint.flow.graph import Graph

_WAYS = 2
"""Functions that what is put into a store goes through: one that takes it, and one that this calls."""
_UNEQUAL = ("!=", "!==", "is not")


class KeptElsewhere:
    """Answers for values as they are kept by the function that makes them."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def only_missing(self, index: FileIndex, kept: Keeping) -> bool:
        """Whether a value is made in place of what a call gave nothing for, and is handed to a function of the project
        that stores it: ``client = cache.find(host); if (client == null) { client = connect(host);
        cache.add(host, client); }``.
        """
        for binding in kept.names if kept.handed_over else ():
            function = index.function_of(binding.block)
            for number in index.enclosing_blocks(binding.block, function):
                block = index.facts.blocks[number]
                if block.kind == "if" and self._tests(index, block, binding):
                    if any(self._stores(index, one) for one in self._within(index, kept, block)):
                        return True
        return False

    def _within(self, index: FileIndex, kept: Keeping, block: facts.Block) -> list[int]:
        """Calls inside a block that receive a value."""
        calls = [number for file, number in kept.handed_over if file == index.number]
        return [one for one in calls if block.start <= index.facts.exprs[one].start < block.end]

    def _tests(self, index: FileIndex, block: facts.Block, binding: facts.Binding) -> bool:
        """Whether a branch is taken when a name has got nothing from a call in front of it."""
        test = index.facts.exprs[block.head] if block.head != NONE else None
        if test is None or (isinstance(test, facts.Operation) and test.operator in _UNEQUAL):
            return False
        if isinstance(test, facts.Name) or not mentions(index, block.head, binding.name):
            return False
        return any(
            one.start < test.start and one.value != NONE and self._asks(index, one.value)
            for one in index.bindings.get((binding.scope, binding.name), ())
        )

    def _asks(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is what a call gives, or a member of that."""
        expr = index.facts.exprs[number]
        while isinstance(expr, facts.Member):
            expr = index.facts.exprs[expr.object]
        return isinstance(expr, facts.Call)

    def _stores(self, index: FileIndex, number: int) -> bool:
        call = index.facts.exprs[number]
        return isinstance(call, facts.Call) and any(
            isinstance(value, FunctionValue) and self._keeps(value, 1)
            for value in self._ev.callee(index.number, call.callee)
        )

    def _keeps(self, function: FunctionValue, way: int) -> bool:
        """Whether a function puts one of its parameters into a field or a collection."""
        index = self._ev.store.files[function.file]
        names = {one.name for one in index.own_parameters(function.scope)}
        body = index.facts.blocks[index.facts.scopes[function.scope].block]
        words = self._ev.roles(index.number).words
        adders = (*words.map_setters, *words.list_adders)
        for write in index.facts.writes:
            target = index.facts.exprs[write.target]
            if body.start <= target.start < body.end and self._is_one(index, write.value, names):
                return True
        for _, call in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[call.callee]
            if not any(self._is_one(index, item.value, names) for item in call.arguments):
                continue
            called = self._ev.callee(index.number, call.callee)
            functions = [value for value in called if isinstance(value, FunctionValue)]
            if not functions and isinstance(callee, facts.Member) and callee.name in adders:
                return True
            if way < _WAYS and any(self._keeps(value, way + 1) for value in functions):
                return True
        return False

    def _is_one(self, index: FileIndex, number: int, names: set[str]) -> bool:
        return number != NONE and any(mentions(index, number, name) for name in names)
