"""Objects of retrying libraries that say how long to wait: builders, policies with setters, strategies among their
arguments.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from resplint.bind.values import Const, External, ExternalObject, FunctionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.options.setters import is_setter


@dataclass
class Waits:
    """What such an object says."""

    growth: str = ""
    """none, constant or exponential; "" when nothing is said."""
    jitter: bool = False
    made: Ref | None = None
    """The call that made the object, None when it was not seen."""
    said: Ref | None = None
    """The call that says how the delay grows."""
    numbers: dict[str, list[float]] = field(default_factory=dict)
    """Method of a builder -> the number that it was called with."""
    functions: list[FunctionValue] = field(default_factory=list)


class WaitReader:
    """Reads them with the names below `Roles.waits`."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def read(self, ref: Ref) -> Waits:
        """What the object that an expression stands for says, and those that went into it."""
        found = Waits()
        pending: list[Ref] = [ref]
        seen: set[Ref] = set()
        while pending:
            file, number = pending.pop(0)
            if number == NONE or (file, number) in seen:
                continue
            seen.add((file, number))
            for value in self._ev.values(file, number):
                if isinstance(value, FunctionValue):
                    found.functions.append(value)
                elif isinstance(value, External):
                    self._note(found, self._ev.roles(file).waits.get(value.dotted, ""), (file, number))
                elif isinstance(value, ExternalObject) and value.ref is not None:
                    found.made = found.made or value.ref
                    pending += self._of_call(value.ref, found) + self._set_on(value)
        return found

    def _of_call(self, ref: Ref, found: Waits) -> list[Ref]:
        """Notes what a chain of calls says; gives the arguments on the way."""
        file, number = ref
        index = self._ev.store.files[file]
        further: list[Ref] = []
        while True:
            call = index.facts.exprs[number]
            if not isinstance(call, facts.Call):
                further.append((file, number))
                break
            self._said(found, (file, number), call)
            further += [(file, item.value) for item in call.arguments]
            callee = index.facts.exprs[call.callee]
            if not isinstance(callee, facts.Member):
                break
            number = callee.object
        return further

    def _said(self, found: Waits, ref: Ref, call: facts.Call) -> None:
        waits = self._ev.roles(ref[0]).waits
        constants = [
            one.value
            for item in call.arguments
            for one in self._ev.values(ref[0], item.value)
            if isinstance(one, Const)
        ]
        for value in self._ev.values(ref[0], call.callee):
            if not isinstance(value, External | ExternalObject):
                continue
            names = chain_names(value.dotted)
            numbers = [float(one) for one in constants if isinstance(one, int | float) and not isinstance(one, bool)]
            found.numbers.setdefault(names[0].rsplit(".", 1)[-1], numbers[:1])
            growth = next((waits[name] for name in names if name in waits), "")
            if growth == "exponential" and any(one is True for one in constants):
                growth = "exponential+jitter"  # exponentialBackoff(100, 2, 10_000, true)
            self._note(found, growth, ref)

    def _note(self, found: Waits, growth: str, ref: Ref) -> None:
        kind, _, chance = growth.partition("+")
        found.jitter = found.jitter or chance == "jitter"
        if kind and (not found.growth or kind == "exponential"):
            found.growth, found.said = kind, ref

    def _set_on(self, value: ExternalObject) -> list[Ref]:
        """Arguments of the setters that are called on an object."""
        assert value.ref is not None
        index = self._ev.store.files[value.ref[0]]
        found: list[Ref] = []
        for number in index.calls:
            call = index.facts.exprs[number]
            assert isinstance(call, facts.Call)
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and is_setter(self._ev, index, callee.name) and call.arguments:
                if value in self._ev.values(index.number, callee.object):
                    found += [(index.number, item.value) for item in call.arguments]
        for write in index.facts.writes:
            target = index.facts.exprs[write.target]
            if isinstance(target, facts.Member) and value in self._ev.values(index.number, target.object):
                found.append((index.number, write.value))
        return found


def chain_names(dotted: str) -> list[str]:
    """Names that `dev.failsafe.RetryPolicy.builder().withDelay` may be known by: in full, and as a method of the class
    that the chain began with.
    """
    first, _, rest = dotted.partition("()")
    plain = dotted.replace("()", "")
    last = plain.rsplit(".", 1)[-1]
    if not rest:
        return [plain]
    return [plain, f"{first}.{last}", f"{first.rpartition('.')[0]}.{last}"]
