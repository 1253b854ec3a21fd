"""Functions of libraries that call their argument again until it succeeds: ``retry(() => client.get(key), { retries: 3
})``.
"""

from __future__ import annotations

from collections.abc import Callable

from resplint.bind.index import FileIndex
from resplint.bind.values import CollectionValue, Const, External, ExternalObject, FunctionValue, Ref, Values
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.records.role_records import RetryFunction
from resplint.retry.delays.policies import Retry
from resplint.retry.delays.strategies import Strategies
from resplint.retry.delays.waits import WaitReader, Waits, chain_names
from resplint.retry.work import Work
from resplint.text.collections import item as element


class Retriers:
    """Finds them."""

    def __init__(self, evaluator: Graph, strategies: Strategies, work: Work) -> None:
        self._ev = evaluator
        self._strategies = strategies
        self._work = work
        self._asks_redis_first = work.comes_first
        self._waits = WaitReader(evaluator)
        self._imported: set[str] = set()
        self._imported_of = -1
        """Number of files whose imports these are: more are loaded as questions need them."""
        self._possible: dict[str, tuple[RetryFunction, ...]] = {}
        self._called: dict[str, frozenset[str]] = {}
        """Language -> the names under which the project may call such a function."""

    def retry(self, index: FileIndex, number: int) -> Retry | None:
        """The retry that a call does, if its callee is such a function and what it runs does Redis work."""
        models = self._models(index)
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if not models or not isinstance(callee, facts.Name | facts.Member):
            return None
        for model in models:
            if model.of_reply and isinstance(callee, facts.Member) and callee.name in model.names:
                receiver = index.facts.exprs[callee.object]
                if any(isinstance(value, FunctionValue) for value in self._ev.callee(index.number, call.callee)):
                    return None  # a method of the project that has the same name
                if self._work.fails_first(index, receiver.start, receiver.end):
                    if self._work.within(index, receiver.start, receiver.end) is not None:
                        return self._waiting(index, call, model, callee.name)
                return None
        if callee.name not in self._called[index.facts.language]:
            return None
        if not self._ev.touches(index.number, call.start, call.end):
            return None
        for value in self._ev.callee(index.number, call.callee):
            if isinstance(value, External | ExternalObject):
                names = chain_names(value.dotted)
                known = next((one for one in models if not one.of_reply and set(names) & set(one.names)), None)
                if known is not None and self._does_redis_work(index, call, number):
                    if known.on_object or known.policy_index >= 0:
                        return self._waiting(index, call, known, callee.name)
                    return self._judge(index, call, known, names[0])
        return None

    def _does_redis_work(self, index: FileIndex, call: facts.Call, number: int) -> bool:
        """Whether a function among the arguments does, or the one that the call decorates."""
        if any(
            isinstance(value, FunctionValue) and self._asks_redis_first(value.file, value.scope)
            for item in call.arguments
            for value in self._ev.objects(index.number, item.value)
        ):
            return True
        decorated = [n for n, scope in enumerate(index.facts.scopes) if number in scope.decorators]
        return any(self._asks_redis_first(index.number, scope) for scope in decorated)

    def _models(self, index: FileIndex) -> tuple[RetryFunction, ...]:
        """The functions of a file's language that the project may call, going by what its files import."""
        store, roles = self._ev.store, self._ev.roles(index.number)
        if self._imported_of != len(store.files):
            self._imported_of = len(store.files)
            self._imported = {item.module for one in store.loaded for item in one.facts.imports}
            self._possible.clear()
        language = index.facts.language
        if language not in self._possible:
            models = self._possible[language] = tuple(
                model
                for model in roles.retry_function
                if model.of_reply or any(self._may_come_in(name) for name in model.names)
            )
            names = {name for model in models for name in model.names}
            known = {alias for name in names for alias in store.aliases(name.rsplit(".", 1)[-1])}
            whole = {item.alias for one in store.loaded for item in one.facts.imports if item.module in names}
            self._called[language] = frozenset(known | whole)
        return self._possible[language]

    def _may_come_in(self, name: str) -> bool:
        """Whether some file imports the module of a dotted name, one around it, or the name itself."""
        parts = name.split(".")
        return any(".".join(parts[:count]) in self._imported for count in range(1, len(parts) + 1))

    def _waiting(self, index: FileIndex, call: facts.Call, model: RetryFunction, name: str) -> Retry | None:
        """A retry whose delay an object says."""
        callee = index.facts.exprs[call.callee]
        positional = [item.value for item in call.arguments if not item.name]
        expr = NONE
        if model.on_object and isinstance(callee, facts.Member):
            expr = callee.object
        elif len(positional) > model.policy_index >= 0:
            expr = positional[model.policy_index]
        waits = self._waits.read((index.number, expr)) if expr != NONE else Waits()
        further = [count for one in (model.retries,) for count in waits.numbers.get(one, [])]
        further += [count - 1 for count in waits.numbers.get(model.attempts, [])]
        if model.retries_index >= 0:
            further += self._count_at(waits.said or (index.number, index.call_number(call)), model.retries_index)
        if further and all(0 <= count <= 1 for count in further):
            return None
        growth: str = waits.growth or model.growth
        if not waits.growth and expr != NONE and (waits.made is None or waits.functions):
            return None  # nothing is known of the object
        said = waits.said if waits.said is not None and self._ev.store.is_judged(waits.said[0]) else None
        ref = said or (index.number, index.call_number(call))
        other = self._ev.store.files[ref[0]]
        place = (ref[0], other.facts.exprs[ref[1]].start, other.facts.exprs[ref[1]].end)
        scope = other.function_of(other.facts.exprs[ref[1]].block)
        work = self._work.within(index, call.start, call.end) or (index.number, index.call_number(call))
        return Retry("policy", growth, waits.jitter, place, name, scope, work=work)

    def _count_at(self, ref: Ref, position: int) -> list[float]:
        call = self._ev.store.expr(ref)
        positional = [item.value for item in call.arguments if not item.name] if isinstance(call, facts.Call) else []
        return self._numbers(self._ev.values(ref[0], positional[position])) if position < len(positional) else []

    def _judge(self, index: FileIndex, call: facts.Call, model: RetryFunction, dotted: str) -> Retry | None:
        growth, jitter = model.growth, model.jitter
        entry = self._entries(index, call)
        further = self._numbers(entry(model.retries)) + [n - 1 for n in self._numbers(entry(model.attempts))]
        if further and all(number <= 1 for number in further):
            return None
        if factors := self._numbers(entry(model.factor)):
            growth = "exponential" if any(factor > 1 for factor in factors) else "constant"
        for value in entry(model.policy) or entry(model.delay):
            if isinstance(value, FunctionValue) and (known := self._strategies.of_function(value)):
                growth, jitter = known  # type: ignore[assignment]
            if model.delay and isinstance(value, Const) and value.value == 0 and growth == "constant":
                growth = "none"
            elif model.delay and self._numbers((value,)) and growth == "none":
                growth = "constant"
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
            for value in self._ev.objects(index.number, item.value)
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
