"""In which order it is decided that nothing is known of an expression: first where this depends on no other expression
that is still undecided, and all at once where some depend on each other.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from resplint.bind.values import FunctionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow
from resplint.flow.nodes import Node


class Strata:
    """Orders undecided expressions by what they depend on."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    def lowest(self, undecided: Collection[Ref], among: Collection[Ref]) -> list[Ref]:
        """The undecided expressions that depend on no others, except on those that depend on them; dependencies are
        followed through the expressions in `among`.
        """
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
                        component = []
                        while not component or component[-1] != node:
                            component.append(stack.pop())
                            inside.discard(component[-1])
                        members = set(component)
                        yield component, {one for each in component for one in inputs[each]} - members

    def _inputs(self, node: Node) -> Iterator[Node]:
        """The nodes that a node's values directly come from, or may come from."""
        flow = self._flow
        yield from flow.feeders.get(node, ())
        kind, file, *rest = node
        if kind == nodes.EXPRESSION and rest[0] >= 0:
            yield from self._of_expression(file, rest[0])
        elif kind == nodes.BINDING:
            value = flow.store.files[file].facts.bindings[rest[0]].value
            if value != NONE:
                yield nodes.expression(file, value)
        elif kind == nodes.RETURN:
            for jump in flow.store.files[file].jumps.get(rest[0], ()):
                if jump.value != NONE:
                    yield nodes.expression(file, jump.value)

    def _of_expression(self, file: int, number: int) -> Iterator[Node]:
        flow = self._flow
        expr = flow.store.files[file].facts.exprs[number]
        match expr:
            case facts.Member() | facts.Index():
                yield nodes.expression(file, expr.object)
                if isinstance(expr, facts.Index):
                    yield nodes.expression(file, expr.key)
            case facts.Call():
                yield nodes.expression(file, expr.callee)
                for argument in expr.arguments:
                    yield nodes.expression(file, argument.value)
                for value in flow.at(nodes.expression(file, expr.callee)):
                    if isinstance(value, FunctionValue):
                        yield nodes.returned(value.file, value.scope)
            case facts.Operation(operands=parts) | facts.Choice(options=parts):
                yield from (nodes.expression(file, part) for part in parts)
            case facts.Template():
                yield from (nodes.expression(file, part) for part in expr.parts if isinstance(part, int))
            case facts.Name():
                for one in flow.binder.names(file).at(number):
                    yield flow.edges.names.node(file, one)


def _counts(node: Node, fresh: set[Node]) -> bool:
    """Whether something undecided may stand behind a node: behind expressions that were asked for earlier there is
    nothing left.
    """
    return node[0] != nodes.EXPRESSION or node in fresh
