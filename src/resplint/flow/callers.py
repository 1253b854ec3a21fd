"""Who calls whom, as those see it who ask about functions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from resplint.bind.index import FileIndex
from resplint.bind.values import ClassValue, FunctionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.nodes import CallEdge

if TYPE_CHECKING:
    from resplint.flow.graph import Graph

CallSite = CallEdge


@dataclass(frozen=True, slots=True)
class CallbackPass:
    """A function written in place is handed to one of the project: `call` hands it to `taker`, which calls it at
    `site`.
    """

    site: CallEdge
    taker: FunctionValue
    call: Ref


class Callers:
    """Calls of each function and class of the project."""

    is_cut = False

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._exports: dict[int, set[int]] = {}

    def of(self, file: int, scope: int) -> list[CallEdge]:
        """Calls of a function (for a constructor: of its class)."""
        self._graph.edges.demand.function(file, scope)
        self._graph.settle()
        return self._sorted(self._graph.edges.calls.callers.get((file, scope), ()))

    def reads(self, file: int, scope: int) -> list[Ref]:
        """Expressions that read a method like a field, and so run it."""
        self._graph.edges.demand.function(file, scope)
        self._graph.settle()
        found = self._graph.edges.calls.reads.get((file, scope), ())
        return sorted((node[1], node[2]) for node in found if node[0] == nodes.EXPRESSION and node[2] >= 0)

    def _sorted(self, found: Iterable[CallEdge]) -> list[CallEdge]:
        once = {(edge.file, edge.call): edge for edge in found}
        files = self._graph.store.files
        return sorted(
            once.values(),
            key=lambda edge: (edge.file, files[edge.file].facts.exprs[edge.call].end, edge.call),
        )

    def of_class(self, file: int, scope: int) -> list[CallEdge]:
        """Calls that make an object of a class or of a class derived from it."""
        self._graph.edges.demand.type(file, scope)
        self._graph.settle()
        family = [(file, scope), *self._graph.classes.subclasses(file, scope)]
        return [edge for one in family for edge in self._sorted(self._graph.edges.calls.makers.get(one, ()))]

    def escapes(self, file: int, scope: int) -> bool:
        """Whether the function is also handed around as a value, so that it may have callers nobody sees."""
        self.of(file, scope)
        return self.hands_out(file, scope)

    def hands_out(self, file: int, scope: int) -> bool:
        """Whether some expression that is not called stands for the function, as far as is known now."""
        return any(self.is_handed_out(file, scope, node) for node in self._graph.flow.where.get((file, scope), ()))

    def handed_out(self, file: int, scope: int) -> list[Ref]:
        """Expressions that stand for the function and are not called: ``names.forEach(this::remove)``."""
        self.of(file, scope)
        found = self._graph.flow.where.get((file, scope), ())
        return sorted((node[1], node[2]) for node in found if self.is_handed_out(file, scope, node))

    def is_handed_out(self, file: int, scope: int, node: nodes.Node) -> bool:
        """Whether a node that holds a function is an expression that is not called, so that it goes on from there."""
        if node[0] != nodes.EXPRESSION or node[2] < 0:
            return False
        at, number = node[1], node[2]
        files = self._graph.store.files
        if at == file and number == files[file].function_expr.get(scope):
            return False
        index = files[at]
        expr = index.facts.exprs[number]
        if not isinstance(expr, facts.Name | facts.Member):
            return False
        if number in index.call_of or number in self._exported(index):
            return False
        parent = index.parents.get(number)
        # Not f.call(…), task.delay(…)
        return parent is None or not isinstance(index.facts.exprs[parent], facts.Member) or parent not in index.call_of

    def _exported(self, index: FileIndex) -> set[int]:
        """Names that a module only hands out under a name: importing it is seen where it is imported."""
        if index.number not in self._exports:
            found = {one.value for one in index.facts.bindings if one.scope == 0 and one.name.startswith("exports")}
            for number in list(found):
                expr = index.facts.exprs[number] if number != NONE else None
                if isinstance(expr, facts.Collection):
                    found.update(expr.items)
            self._exports[index.number] = found
        return self._exports[index.number]

    def handings(self, file: int, scope: int) -> list[CallbackPass]:
        """The functions of the project that call a function written in place as an argument of theirs, and where."""
        graph = self._graph
        index = graph.store.files[file]
        number = index.function_expr.get(scope)
        place = index.argument_of.get(number) if number is not None else None
        if number is None or place is None:
            return []
        call = index.facts.exprs[place[0]]
        assert isinstance(call, facts.Call)
        sites = self.of(file, scope)
        found: list[CallbackPass] = []
        for value in graph.values(file, call.callee):
            makers = [value] if isinstance(value, FunctionValue) else []
            if isinstance(value, ClassValue):
                makers = graph.classes.constructors(value.file, value.scope)
            for maker in makers:
                other = graph.store.files[maker.file]
                for site in sites:
                    if site.file == maker.file and other.within(other.facts.exprs[site.call].block, maker.scope):
                        found.append(CallbackPass(site, maker, (file, place[0])))
        return found

    def calls_of_parameter(self, index: FileIndex, scope: int, name: str) -> list[CallEdge]:
        """Calls of a parameter inside its function: ``callback(x)``, ``supplier.get()``."""
        words = self._graph.roles(index.number).words
        found = []
        for number in index.by_name.get(name, ()):
            expr = index.facts.exprs[number]
            if not isinstance(expr, facts.Name) or not index.within(expr.block, scope):
                continue
            parent = index.parents.get(number)
            member = index.facts.exprs[parent] if parent is not None else None
            if number in index.call_of:
                found.append(CallEdge(index.number, index.call_of[number], 0))
            elif parent in index.call_of and isinstance(member, facts.Member) and member.name in words.function_methods:
                found.append(CallEdge(index.number, index.call_of[parent], 0))
        return found
