"""Functions of libraries that call their argument again until it succeeds: ``retry(() => client.get(key), { retries: 3
})``.
"""

from __future__ import annotations

from collections.abc import Callable

from resplint import facts
from resplint.knowledge.role_records import RetryFunction
from resplint.link.elements import item as element
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex
from resplint.link.retry_policies import Retry
from resplint.link.retry_work import Work
from resplint.link.strategies import Strategies
from resplint.link.values import CollectionValue, Const, External, ExternalObject, FunctionValue, Values


class Retriers:
    """Finds them."""

    def __init__(self, evaluator: Evaluator, strategies: Strategies, work: Work) -> None:
        self._ev = evaluator
        self._strategies = strategies
        self._touches_redis = work.touches

    def retry(self, index: FileIndex, number: int) -> Retry | None:
        """The retry that a call does, if its callee is such a function and what it runs does Redis work."""
        models = self._ev.roles(index.number).retry_function
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        if not models or not call.arguments:
            return None
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Name | facts.Member):
            return None
        for value in self._ev.values(index.number, call.callee):
            if isinstance(value, External | ExternalObject):
                dotted = value.dotted.replace("()", "")
                model = next((one for one in models if dotted in one.names), None)
                if model is not None and self._does_redis_work(index, call):
                    return self._judge(index, call, model, dotted)
        return None

    def _does_redis_work(self, index: FileIndex, call: facts.Call) -> bool:
        return any(
            isinstance(value, FunctionValue) and self._touches_redis(value.file, value.scope)
            for item in call.arguments
            for value in self._ev.values(index.number, item.value)
        )

    def _judge(self, index: FileIndex, call: facts.Call, model: RetryFunction, dotted: str) -> Retry | None:
        growth, jitter = model.growth, model.jitter
        entry = self._entries(index, call)
        retries = self._numbers(entry(model.retries))
        if retries and all(number <= 1 for number in retries):
            return None
        if factors := self._numbers(entry(model.factor)):
            growth = "exponential" if any(factor > 1 for factor in factors) else "constant"
        for value in entry(model.policy) or entry(model.delay):
            if isinstance(value, FunctionValue) and (known := self._strategies.of_function(value)):
                growth, jitter = known  # type: ignore[assignment]
            name = str(value.value) if isinstance(value, Const) else getattr(value, "dotted", "").rsplit(".", 1)[-1]
            if name in model.policies:
                growth = model.policies[name].split("+")[0]  # type: ignore[assignment]
                jitter = "jitter" in model.policies[name]
        for value in entry(model.random):
            jitter = isinstance(value, Const) and bool(value.value) and value.value != "none"
        place = (index.number, call.start, call.end)
        return Retry("policy", growth, jitter, place, dotted.rsplit(".", 1)[-1], index.function_of(call.block))

    def _entries(self, index: FileIndex, call: facts.Call) -> Callable[[str], Values]:
        """Looks an entry of the object literals among the arguments up by its name."""
        maps = [
            value
            for item in call.arguments
            for value in self._ev.values(index.number, item.value)
            if isinstance(value, CollectionValue) and self._is_map(value)
        ]

        def entry(name: str) -> Values:
            for one in maps if name else ():
                if found := element(self._ev, one, name):
                    return found
            return ()

        return entry

    def _is_map(self, value: CollectionValue) -> bool:
        expr = self._ev.store.expr(value.ref)
        return isinstance(expr, facts.Collection) and expr.kind == "map"

    def _numbers(self, values: Values) -> list[float]:
        return [
            float(value.value)
            for value in values
            if isinstance(value, Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool)
        ]
