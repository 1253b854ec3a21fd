"""What general pools hold, and whom they lend it to: ``acquire()``, ``acquire((error, client) => …)``."""

from __future__ import annotations

from resplint.bind.values import FunctionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow, Token
from resplint.flow.nodes import Node
from resplint.knowledge.records.client_records import LibrarySection


class Pools:
    """Follows objects from the function that makes them for a pool to those that the pool hands them to."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    def held(self, pool: Ref) -> Node:
        """What a pool holds that is made at a call."""
        return nodes.element(pool, nodes.ANY)

    def made(self, file: int, number: int, expr: facts.Call, library: LibrarySection) -> None:
        """A call makes a pool, and its arguments say how it is filled: by such methods and entries of a factory as
        the library of the pool asks for.
        """
        flow = self._flow
        held, names = self.held((file, number)), library.creating
        makers = [nodes.element((file, number), name) for name in names]

        def filled(token: Token) -> None:
            function = flow.values[token]
            if isinstance(function, FunctionValue):
                flow.edges.calls.results(function, held, None)
                if library.creating_calls_back:
                    self._called_back(function, held)

        for argument in expr.arguments:
            given = nodes.expression(file, argument.value)
            flow.edges.demand.expression(file, argument.value)
            for name, maker in zip(names, makers, strict=True):
                flow.edges.members.load_each(given, name, maker, file, NONE)
        for maker in makers:
            flow.each(maker, filled)

    def _called_back(self, function: FunctionValue, held: Node) -> None:
        """`create: (callback) => callback(null, client)`: what it hands on is what the pool holds."""
        flow = self._flow
        index = flow.store.files[function.file]
        names = flow.binder.names(function.file)
        for item in index.facts.scopes[function.scope].parameters[:1]:
            for number, scope in names.owners(item.name).items():
                call = index.facts.exprs[index.call_of[number]] if number in index.call_of else None
                if scope == function.scope and isinstance(call, facts.Call) and call.arguments:
                    passed = call.arguments[-1].value
                    flow.edges.demand.expression(function.file, passed)
                    flow.copy(nodes.expression(function.file, passed), held)
