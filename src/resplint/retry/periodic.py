"""Work by the clock: functions that have themselves run again whether they succeed or fail."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import FunctionValue
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.retry.delays.delays import is_number


class Periodic:
    """Compares how a function has itself run again after a failure with how it does otherwise."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def goes_on(self, index: FileIndex, handler: int, call: facts.Call) -> bool:
        """Whether a handler hands the function that it stands in to a helper which runs it later, as the guarded
        statements do, and no sooner: ``later(2000, () => tick())`` beside ``later(5000, () => tick())``.
        """
        helper, amount = self._later(index, call)
        tried = next(iter(index.clauses.get(("try", index.facts.blocks[handler].group), ())), NONE)
        if helper is None or tried == NONE:
            return False
        block = index.facts.blocks[tried]
        others = [
            amount
            for function, amount in (self._later(index, one) for one in self._calls_of_same(index, call, block))
            if function == helper
        ]
        return bool(others) and amount >= min(others)

    def _calls_of_same(self, index: FileIndex, call: facts.Call, block: facts.Block) -> Iterator[facts.Call]:
        """Calls in a block of the function that a call is of."""
        functions = self._ev.callee(index.number, call.callee)
        for _, other in index.calls_in(block.start, block.end):
            if self._ev.callee(index.number, other.callee) == functions:
                yield other

    def _later(self, index: FileIndex, call: facts.Call) -> tuple[FunctionValue | None, float]:
        """The helper that is handed a function in which a call stands, and the number that it is handed, too."""
        place = index.argument_of.get(index.function_expr.get(index.function_of(call.block), NONE))
        around = index.facts.exprs[place[0]] if place is not None else None
        if not isinstance(around, facts.Call):
            return None, 0
        values = self._ev.callee(index.number, around.callee)
        helper = values[0] if len(values) == 1 and isinstance(values[0], FunctionValue) else None
        given = [one for item in around.arguments for one in self._ev.values(index.number, item.value)]
        numbers = [one.value for one in given if is_number(one) and isinstance(one.value, int | float)]
        return helper, max(map(float, numbers), default=0)
