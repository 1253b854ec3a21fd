"""Methods of the project that pass a command on: ``brpoplpush(a, b, t) { this.client.brpoplpush(a, b, t); }``.

What is known of the arguments stands where such a method is called, so its calls are the command's sites.
"""

from __future__ import annotations

from resplint.bind.values import FunctionValue, Instance, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.text import arguments as calls


class Forwarding:
    """Tells which methods pass a command on, and with which of their parameters."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self._inner: dict[tuple[int, int], tuple[Ref, tuple[str, ...]] | None] = {}

    def inner(self, function: FunctionValue) -> tuple[Ref, tuple[str, ...]] | None:
        """The call in a method that sends the command the method is named after, and the parameters that it passes in
        their order; None when the method does more than that, or something else.
        """
        if not isinstance(function.owner, Instance):
            return None
        key = (function.file, function.scope)
        if key not in self._inner:
            self._inner[key] = self._find(*key)
        return self._inner[key]

    def _find(self, file: int, scope: int) -> tuple[Ref, tuple[str, ...]] | None:
        index = self._ev.store.files[file]
        record = index.facts.scopes[scope]
        command = self._ev.catalogue.command_name(record.name)
        if not command or not record.parameters:
            return None
        own = {item.name: item.kind for item in record.parameters}
        body = index.facts.blocks[record.block]
        for number, call in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[call.callee]
            if not isinstance(callee, facts.Member) or self._ev.catalogue.command_name(callee.name) != command:
                continue
            names = []
            for item in call.arguments:
                expr = index.facts.exprs[item.value]
                if item.name not in ("", "*") or not isinstance(expr, facts.Name) or expr.name not in own:
                    return None
                names.append(expr.name)
            return ((file, number), tuple(names)) if names else None
        return None

    def words(self, function: FunctionValue, names: tuple[str, ...], file: int, number: int) -> tuple[int, ...]:
        """The arguments of a call of such a method, in the order in which it passes them on."""
        index = self._ev.store.files[file]
        call = index.facts.exprs[number]
        record = self._ev.store.files[function.file].facts.scopes[function.scope]
        assert isinstance(call, facts.Call)
        bound = 1 if record.receiver and record.parameters[0].name == record.receiver else 0
        found: list[int] = []
        for name in names:
            position = next(place for place, item in enumerate(record.parameters) if item.name == name)
            if record.parameters[position].kind == "*":
                positional = [item.value for item in call.arguments if not item.name]
                found += positional[position - bound :]
                break
            given = calls.argument(index, number, record, position, bound)
            if given is None or given == NONE:
                break
            found.append(given)
        return tuple(found)
