"""Delays that clients are configured with: a number, a policy object, or a function of the attempt's number."""

from __future__ import annotations

from collections.abc import Iterator

from resplint import facts
from resplint.facts import NONE
from resplint.link.arguments import Option
from resplint.link.delays import Delays
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex, children
from resplint.link.making import Making
from resplint.link.options import Options
from resplint.link.retry_policies import Retry
from resplint.link.values import (
    ClassValue,
    Const,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Ref,
)

_ROLES = ("retry_delay", "backoff")
_MAX_PARTS = 200


class Strategies:
    """Finds them on the clients that the project makes."""

    def __init__(self, evaluator: Evaluator, making: Making, options: Options) -> None:
        self._ev = evaluator
        self._making = making
        self._options = options
        self._delays = Delays(evaluator)

    def all(self) -> Iterator[Retry]:
        """Every delay that code sets, once for each place."""
        seen: set[Ref] = set()
        for value in self._making.made:
            for option in self._options.every(value, _ROLES):
                if option.model is None or not (option.model.setters or option.model.role == _ROLES[0]):
                    continue  # a policy object that is judged where it is made
                if option.given and option.ref is not None and option.ref not in seen:
                    seen.add(option.ref)
                    if retry := self._judge(option, value):
                        yield retry

    def setting(self, index: FileIndex, number: int) -> Retry | None:
        """A call that fixes the delay of a client, whatever its argument is (``setRetryInterval(1500)``)."""
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member) or not self._ev.catalogue.fixes_delay(callee.name):
            return None
        for value in self._ev.values(index.number, call.callee):
            if isinstance(value, LibraryMethod):
                version = self._ev.version(value.object, index.number).version
                model = self._ev.catalogue.method_of(value.object.origin, value.name, version)
                if model is not None and model.retry_delay:
                    place = (index.number, call.start, call.end)
                    scope = index.function_of(call.block)
                    return Retry("policy", model.retry_delay, False, place, value.name, scope)
        return None

    def _judge(self, option: Option, client: LibraryObject) -> Retry | None:
        assert option.ref is not None
        assert option.model is not None
        found = [one for value in option.values if (one := self._growth(value, option.ref))]
        if not found or len(found) < len([v for v in option.values if not isinstance(v, Const) or v.value]):
            return None
        kinds = {kind for kind, _ in found}
        growth = next(kind for kind in ("none", "constant", "exponential") if kind in kinds)
        index = self._ev.store.files[option.ref[0]]
        expr = index.facts.exprs[option.ref[1]]
        steps = ((client.made, "the client is made here"),) if client.made else ()
        name = option.model.name.rsplit(".", 1)[-1]
        place = (index.number, expr.start, expr.end)
        return Retry("policy", growth, all(j for _, j in found), place, name, index.function_of(expr.block), steps)

    def _growth(self, value: object, ref: Ref) -> tuple[str, bool] | None:
        """(growth, jitter) of a delay, None when nothing is known or nothing is tried again."""
        if isinstance(value, Const):
            number = value.value
            if isinstance(number, bool) or not isinstance(number, int | float):
                return None
            return ("constant" if number else "none", False)
        if isinstance(value, FunctionValue):
            return self.of_function(value)
        dotted = ""
        if isinstance(value, ExternalObject):
            dotted = value.dotted.removesuffix("()")
        elif isinstance(value, LibraryObject) and value.made is not None:
            dotted = value.origin.type.name
            if value.origin.constructor is not None:
                dotted = value.origin.constructor.names[0]
        if known := self._ev.catalogue.retry(dotted):
            return (known.growth, known.jitter)
        if isinstance(value, Instance | ClassValue):
            return None
        return None

    # -- functions of the attempt --------------------------------------------------------------------------------------

    def of_function(self, function: FunctionValue) -> tuple[str, bool] | None:
        """Growth and jitter of the delays that a function returns; None when it never retries or cannot be told."""
        index = self._ev.store.files[function.file]
        found: list[tuple[str, bool]] = []
        for jump in index.jumps.get(function.scope, ()):
            if jump.kind == "return" and jump.value != NONE:
                for part in self._branches(index, jump.value):
                    if one := self._returned(index, function.scope, part):
                        found.append(one)
        if not found:
            return None
        if any(kind == "exponential" for kind, _ in found):
            growing = [jitter for kind, jitter in found if kind == "exponential"]
            return ("exponential", any(growing))
        return found[0]

    def _branches(self, index: FileIndex, expr: int) -> list[int]:
        """The options of `attempt > 5 ? null : 1000`."""
        pending = [expr]
        found: list[int] = []
        while pending and len(found) < _MAX_PARTS:
            number = pending.pop()
            record = index.facts.exprs[number]
            if isinstance(record, facts.Choice):
                pending.extend(record.options)
            else:
                found.append(number)
        return found

    def _returned(self, index: FileIndex, scope: int, expr: int) -> tuple[str, bool] | None:
        if self._depends(index, scope, expr):
            return ("exponential", self._delays.random(index, expr))
        values = self._ev.values(index.number, expr)
        numbers = [v.value for v in values if isinstance(v, Const) and not isinstance(v.value, bool)]
        plain = [number for number in numbers if isinstance(number, int | float)]
        if plain and len(plain) == len(values):
            return ("constant" if any(plain) else "none", False)
        return None

    def _depends(self, index: FileIndex, scope: int, expr: int) -> bool:
        """Whether a returned number is computed from what the function receives, or from state that it changes."""
        pending, seen = [expr], set[int]()
        while pending and len(seen) < _MAX_PARTS:
            number = pending.pop()
            if number in seen or number == NONE:
                continue
            seen.add(number)
            record = index.facts.exprs[number]
            if isinstance(record, facts.Name):
                if (scope, record.name) in index.parameters:
                    return True
                for binding in index.bindings.get((scope, record.name), ()):
                    pending.append(binding.value)
                if any(one.kind == "augment" for one in self._outer(index, scope, record.name)):
                    return True
                continue
            if isinstance(record, facts.Member) and self._changed(index, record.name):
                return True
            pending.extend(children(record))
        return False

    def _outer(self, index: FileIndex, scope: int, name: str) -> list[facts.Binding]:
        while scope != NONE:
            if found := index.bindings.get((scope, name)):
                return found
            scope = index.facts.scopes[scope].parent
        return []

    def _changed(self, index: FileIndex, name: str) -> bool:
        """A field that the code around counts up."""
        return any(write.kind == "augment" for write in index.writes_by_name.get(name, ()))
