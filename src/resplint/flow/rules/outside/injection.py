"""What a container of dependencies hands out under a token: ``{ provide: CACHE, useFactory: () => new Redis() }`` to
``@Inject(CACHE) cache: any``.
"""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex
from resplint.bind.values import FunctionValue, LibraryObject
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow, Token
from resplint.flow.nodes import Node

_PROVIDER = "provider"
_QUOTE = "'"
"""What the text of a token stands in."""


class Injection:
    """From what is provided to the parameters and fields that ask for it and are declared as nothing that is known."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._provides: dict[Node, tuple[str, ...]] = {}
        """What stands for all that is provided under a token -> the decorators that ask for it."""
        self._asks: dict[int, list[tuple[str, Node]]] = {}

    def returned(self, file: int, scope: int) -> None:
        """A function that is written in a provider returns something."""
        index = self._flow.store.files[file]
        number = index.function_expr.get(scope, NONE)
        if number != NONE and (target := self._target(index, number)) is not None:
            self._flow.edges.calls.results(FunctionValue(file, scope), target, None)

    def held(self, file: int, number: int, node: Node) -> None:
        """An entry of an object literal holds something."""
        flow = self._flow
        target = self._target(flow.store.files[file], number)
        if target is None or isinstance(flow.store.expr((file, number)), facts.Function):
            return
        provided = target

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, FunctionValue):
                flow.edges.calls.results(value, provided, None)
            else:
                flow.add(provided, token, node)

        flow.each(node, consume)

    def _target(self, index: FileIndex, number: int) -> Node | None:
        """What stands for all that is provided under the token of the object literal that an entry is of."""
        holder = index.parents.get(number, NONE)
        expr = index.facts.exprs[holder] if holder != NONE else None
        if not isinstance(expr, facts.Collection) or expr.kind != "map":
            return None
        entries: dict[str, int] = {}
        for key, item in zip(expr.keys, expr.items, strict=False):
            name = index.facts.exprs[key] if key != NONE else None
            if isinstance(name, facts.Literal):
                entries[str(name.value)] = item
        for pattern in self._flow.binder.roles(index.number).role:
            if pattern.role == _PROVIDER and len(pattern.beside) == 1 and pattern.beside[0] in entries:
                if any(entries.get(key) == number for key in pattern.keys):
                    token = _token(index, entries[pattern.beside[0]])
                    return self._provided(index.number, token) if token else None
        return None

    def kept(self) -> set[tuple[str, str, str, bool]]:
        """(runtime, name of a decorator that asks for it, name of the token, True) of the clients that are provided so
        far.
        """
        return {
            (str(node[1]), holder, str(node[2]).strip(_QUOTE), True)
            for node, holders in self._provides.items()
            if any(isinstance(self._flow.values[token], LibraryObject) for token in self._flow.held.get(node, ()))
            for holder in holders
        }

    def enter(self, index: FileIndex) -> None:
        """A further file may ask for what is provided."""
        if self._provides:
            style = self._flow.binder.runtime(index.number)
            for token, wanting in self._asking(index):
                if (node := nodes.injected(style, token)) in self._provides:
                    self._flow.copy(node, wanting)

    def _provided(self, file: int, token: str) -> Node:
        """What stands for all that is provided under a token."""
        flow = self._flow
        style = flow.binder.runtime(file)
        node = nodes.injected(style, token)
        if node not in self._provides:
            self._provides[node] = self._decorators(file)
            for index in flow.store.named_among:
                if flow.binder.runtime(index.number) == style:
                    for asked, wanting in self._asking(index):
                        if asked == token:
                            flow.copy(node, wanting)
        return node

    def _decorators(self, file: int) -> tuple[str, ...]:
        """The last names of the decorators that ask for something."""
        return tuple(sorted({one.rpartition(".")[2] for one in self._flow.binder.roles(file).injected}))

    def _asking(self, index: FileIndex) -> list[tuple[str, Node]]:
        """The tokens that the decorators of a file name, and what has the decorator."""
        known = self._asks.get(index.number)
        if known is None:
            names = self._decorators(index.number)
            known = [
                one for name in names for number in index.by_name.get(name, ()) for one in self._asked_by(index, number)
            ]
            self._asks[index.number] = known
        return known

    def _asked_by(self, index: FileIndex, number: int) -> Iterator[tuple[str, Node]]:
        """The token that a decorator names, and what has the decorator."""
        flow = self._flow
        place = index.call_of.get(number)
        call = index.facts.exprs[place] if place is not None else None
        if place is None or not isinstance(call, facts.Call) or len(call.arguments) != 1:
            return
        if flow.binder.dotted(index.number, call.callee) not in flow.binder.roles(index.number).injected:
            return
        token = _token(index, call.arguments[0].value)
        if not token:
            return
        for scope, record in enumerate(index.facts.scopes):
            for position, item in enumerate(record.parameters):
                if place in item.decorators and not self._is_declared(index, item.annotation):
                    yield token, nodes.parameter(index.number, scope, position)
        for at, binding in enumerate(index.facts.bindings):
            if place in binding.decorators and not self._is_declared(index, binding.annotation):
                yield token, nodes.binding(index.number, at)

    def _is_declared(self, index: FileIndex, annotation: int) -> bool:
        """Whether something is declared as a type of a library."""
        if annotation == NONE:
            return False
        dotted = self._flow.binder.dotted(index.number, annotation)
        return bool(dotted) and self._flow.catalogue.type(dotted) is not None


def _token(index: FileIndex, number: int) -> str:
    """What tells a token from others: a text, or the last name of a constant."""
    expr = index.facts.exprs[number]
    if isinstance(expr, facts.Literal):
        return f"{_QUOTE}{expr.value}{_QUOTE}" if isinstance(expr.value, str) else ""
    return expr.name if isinstance(expr, facts.Name | facts.Member) else ""
