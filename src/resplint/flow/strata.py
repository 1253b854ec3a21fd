"""In which order it is decided that nothing is known of an expression: first where this depends on no other expression
that is still undecided, and all at once where some depend on each other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from resplint.bind.index import children
from resplint.bind.values import CollectionValue, FunctionValue, Module, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow
from resplint.flow.nodes import Node


class Strata:
    """Orders undecided expressions by what they depend on."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._stores: dict[int, _Stores] = {}
        """File -> what it stores in collections."""
        self._looked_at: set[int] = set()
        """Files whose stores are up to date: nothing flows while an order is sought."""

    def lowest(self, undecided: Collection[Ref], among: Collection[Ref]) -> list[Ref]:
        """The undecided expressions that depend on no others, except on those that depend on them; dependencies are
        followed through the expressions in `among`.
        """
        self._looked_at.clear()
        open_ = {nodes.expression(*ref) for ref in undecided}
        fresh = {nodes.expression(*ref) for ref in among} | open_
        found: list[Ref] = []
        resting: set[Node] = set()  # on something undecided, themselves or through what they depend on
        for component, above in self._components(open_, fresh):
            within = [node for node in component if node in open_]
            if within and resting.isdisjoint(above):
                found += [(node[1], node[2]) for node in within]
            if within or not resting.isdisjoint(above):
                resting.update(component)
        return found

    def _components(self, starts: Iterable[Node], fresh: set[Node]) -> Iterator[tuple[list[Node], set[Node]]]:
        """The strongly connected components of what some nodes depend on, those that others depend on first, each with
        the nodes outside it that it depends on directly.
        """
        number: dict[Node, int] = {}
        low: dict[Node, int] = {}
        stack: list[Node] = []
        inside: set[Node] = set()
        inputs: dict[Node, list[Node]] = {}
        for start in starts:
            if start in number:
                continue
            work: list[tuple[Node, int]] = [(start, 0)]
            while work:
                node, at = work.pop()
                if at == 0:
                    number[node] = low[node] = len(number)
                    stack.append(node)
                    inside.add(node)
                    inputs[node] = [one for one in dict.fromkeys(self._inputs(node)) if _counts(one, fresh)]
                else:
                    child = inputs[node][at - 1]
                    low[node] = min(low[node], low[child]) if child in inside else low[node]
                for position in range(at, len(inputs[node])):
                    following = inputs[node][position]
                    if following not in number:
                        work.append((node, position + 1))
                        work.append((following, 0))
                        break
                    if following in inside:
                        low[node] = min(low[node], number[following])
                else:
                    if low[node] == number[node]:
                        component: list[Node] = []
                        while not component or component[-1] != node:
                            component.append(stack.pop())
                            inside.discard(component[-1])
                        members = set(component)
                        yield component, {one for each in component for one in inputs[each]} - members

    def _inputs(self, node: Node) -> Iterator[Node]:
        """The nodes that a node's values directly come from, or may come from: an edge out of a node that holds nothing
        is not there yet.
        """
        flow = self._flow
        yield from flow.feeders.get(node, ())
        match node:
            case (nodes.EXPRESSION, int(file), int(number)) if number >= 0:
                yield from self._of_expression(file, number)
            case (nodes.BINDING, int(file), int(number)):
                yield nodes.expression(file, flow.store.files[file].facts.bindings[number].value)
            case (nodes.IMPORT, int(file), int(number)):
                item = flow.store.files[file].facts.imports[number]
                module = flow.binder.module(file, item)
                if item.name and isinstance(module, Module) and module.file != NONE:
                    yield nodes.export(module.file, flow.binder.local(module.file, item.name))
            case (nodes.EXPORT, int(file), str(name)):
                yield from self._defined(file, 0, name)
            case (nodes.FIELD, int(file), int(scope), str(name)):
                yield from self._defined(file, scope, name)
                yield from self._written(flow.store.writes(name))
            case (nodes.OF_OBJECT, int(), str(name)):
                yield from self._written(flow.store.writes(name))
            case (nodes.ELEMENT, int(file), int(number), _) if number >= 0:
                record = flow.store.files[file].facts
                expr = record.exprs[number]
                if isinstance(expr, facts.Collection):
                    yield from (nodes.expression(file, item) for item in expr.items)
                yield from self._written(self._stored_in(file, number))
            case (nodes.RETURN, int(file), int(scope)):
                for jump in flow.store.files[file].jumps.get(scope, ()):
                    yield nodes.expression(file, jump.value)

    def _defined(self, file: int, scope: int, name: str) -> Iterator[Node]:
        """What gives a name its value in a scope."""
        for one in self._flow.binder.names(file).definitions(scope, name):
            yield self._flow.edges.names.node(file, one)

    def _stored_in(self, file: int, number: int) -> Iterator[tuple[int, facts.Write]]:
        """The writes that put something into a collection in the file that writes it out."""
        stores = self._stores.get(file)
        if stores is None:
            stores = self._stores[file] = _Stores(self._flow, file)
        if file not in self._looked_at:
            self._looked_at.add(file)
            stores.look()
        return ((file, write) for write in stores.into(number))

    def _written(self, writes: Iterable[tuple[int, facts.Write]]) -> Iterator[Node]:
        """What is stored in members and elements."""
        for file, write in writes:
            yield nodes.expression(file, write.value)

    def _of_expression(self, file: int, number: int) -> Iterator[Node]:
        """What the value of an expression comes from, going by what is written."""
        flow = self._flow
        index = flow.store.files[file]
        expr = index.facts.exprs[number]
        match expr:
            case facts.Call():
                for value in flow.at(nodes.expression(file, expr.callee)):
                    if isinstance(value, FunctionValue):
                        yield nodes.returned(value.file, value.scope)
            case facts.Name():
                found = flow.binder.names(file).at(number)
                yield from (flow.edges.names.node(file, one) for one in found)
                if not found:
                    for scope in flow.binder.names(file).enclosing(expr.block):
                        if index.facts.scopes[scope].is_open:
                            yield nodes.field(file, scope, expr.name)
        yield from (nodes.expression(file, part) for part in children(expr))


def _counts(node: Node, fresh: set[Node]) -> bool:
    """Whether something undecided may stand behind a node: behind expressions that were asked for earlier there is
    nothing left.
    """
    return node[0] != nodes.EXPRESSION or node in fresh


class _Stores:
    """What one file stores in the collections that it writes out. What came to the targets since the last look is all
    that is looked at.
    """

    def __init__(self, flow: Flow, file: int) -> None:
        self._flow = flow
        self._file = file
        record = flow.store.files[file].facts
        self._writes = record.writes
        self._targets: list[tuple[int, Node]] = []
        for position, write in enumerate(record.writes):
            target = record.exprs[write.target]
            if isinstance(target, facts.Index | facts.Member):
                self._targets.append((position, nodes.expression(file, target.object)))
        self._counts = [0] * len(self._targets)
        self._into: dict[int, set[int]] = defaultdict(set)

    def look(self) -> None:
        """Take in what the targets hold by now."""
        held_by, values = self._flow.held, self._flow.values
        for at, (position, node) in enumerate(self._targets):
            held = held_by.get(node)
            if held is None or len(held) == self._counts[at]:
                continue
            for token in islice(held, self._counts[at], None):
                value = values[token]
                if isinstance(value, CollectionValue) and value.ref[0] == self._file:
                    self._into[value.ref[1]].add(position)
            self._counts[at] = len(held)

    def into(self, number: int) -> list[facts.Write]:
        """The writes into the collection that an expression writes out, in the order of the file."""
        return [self._writes[position] for position in sorted(self._into.get(number, ()))]
