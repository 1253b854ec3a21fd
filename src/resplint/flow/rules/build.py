"""From facts to edges: which rules a node has. Asked for a node when the first token reaches it, so that the work is
proportional to what flows.
"""

from __future__ import annotations

from collections.abc import Callable

from resplint.bind.narrowing import under_condition
from resplint.bind.values import CollectionValue, LibraryObject
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow, Token
from resplint.flow.demand import PASSING, Demand
from resplint.flow.nodes import Node
from resplint.flow.rules.annotations import Annotations
from resplint.flow.rules.calls import Calls
from resplint.flow.rules.data import Data
from resplint.flow.rules.declared import Declared
from resplint.flow.rules.foreign import Foreign
from resplint.flow.rules.heap import Heap
from resplint.flow.rules.keys import Keys
from resplint.flow.rules.members import Members
from resplint.flow.rules.names import NameEdges
from resplint.flow.rules.objects import Objects
from resplint.flow.rules.outside.injection import Injection
from resplint.flow.rules.outside.missing_makers import MissingMakers
from resplint.flow.rules.outside.named import NamedHeap
from resplint.flow.rules.outside.outside_clients import OutsideClients
from resplint.flow.rules.pools import Pools
from resplint.flow.rules.tables import FileTables


class Edges:
    """The rules of every kind of node."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        flow.edges = self
        self._tables: dict[int, FileTables] = {}
        self.objects = Objects(flow)
        self.heap = Heap(flow)
        self.declared = Declared(flow.binder)
        self.names = NameEdges(flow)
        self.keys = Keys(flow)
        self.members = Members(flow)
        self.named = NamedHeap(flow)
        self.outside_clients = OutsideClients(flow)
        self.missing_makers = MissingMakers(flow)
        self.calls = Calls(flow)
        self.foreign = Foreign(flow)
        self.pools = Pools(flow)
        self.annotations = Annotations(flow)
        self.data = Data(flow)
        self.injection = Injection(flow)
        self.demand = Demand(flow)
        self.questions = Demand(flow, data=True)
        self.demands = (self.demand, self.questions)

    def tables(self, file: int) -> FileTables:
        """Who consumes the expressions of a file."""
        known = self._tables.get(file)
        if known is None:
            known = self._tables[file] = FileTables(self.flow.binder.names(file))
        return known

    def expand(self, node: Node) -> None:
        """Give a node its consumers."""
        kind = node[0]
        if kind == nodes.EXPRESSION:
            self._expression(node[1], node[2], node)
        elif kind == nodes.BINDING:
            record = self.flow.store.files[node[1]].facts.bindings[node[2]]
            self.names.to_uses(node[1], record.scope, record.name, node)
        elif kind == nodes.PARAMETER:
            _, file, scope, position = node
            item = self.flow.store.files[file].facts.scopes[scope].parameters[position]
            self.names.to_uses(file, scope, item.name, node)
            self.members.implicit(node)
        elif kind == nodes.IMPORT:
            brought = self.flow.store.files[node[1]].facts.imports[node[2]]
            self.names.to_uses(node[1], brought.scope, brought.alias, node)
        elif kind == nodes.DEFINITION:
            scope = self.flow.store.files[node[1]].facts.scopes[node[2]]
            if scope.name and scope.parent != NONE:
                self.names.to_uses(node[1], scope.parent, scope.name, node)
            self.calls.decorated(node)
        elif kind == nodes.EXPORT:
            self.names.exported(node)
        elif kind == nodes.SHARED:
            self.names.shared(node)
        elif kind == nodes.FIELD:
            self.members.field_uses(node)
        elif kind == nodes.ELEMENT:
            self.flow.once(node, lambda: self.members.holds_something((node[1], node[2])))
        elif kind == nodes.RECEIVER:
            self.members.receiver_uses(node)
        elif kind == nodes.RETURN:
            self.flow.once(node, lambda: self.demand.returned(node[1], node[2]))
            self.flow.once(node, lambda: self.injection.returned(node[1], node[2]))

    # -- expressions ---------------------------------------------------------------------------------------------------

    def _expression(self, file: int, number: int, node: Node) -> None:
        tables = self.tables(file)
        for one in tables.bindings.get(number, ()):
            self._bound(file, one, node)
        for write in tables.writes.get(number, ()):
            self._written(file, write, node)
        for jump in tables.jumps.get(number, ()):
            self._returned(file, number, jump, node)
        for holder in tables.holders.get(number, ()):
            self._held(file, number, holder, node)
        if number in tables.defaults:
            scope, position = tables.defaults[number]
            self._filtered(node, nodes.parameter(file, scope, position), self._always_counts)
        for scope in tables.receives.get(number, ()):
            self.flow.copy(node, nodes.receiver(file, scope))
        for scope in tables.based.get(number, ()):
            self.members.derived(file, scope, node)
        for alias in tables.aliases.get(number, ()):
            self.annotations.alias(file, alias, number, node)
        for scope in tables.decorated.get(number, ()):
            self.calls.decorator(file, number, scope, node)
        for annotation in tables.types.get(number, ()):
            self.annotations.mentions(file, annotation, number, node)

    def _always_counts(self, token: Token) -> bool:
        """Whether a default flows although calls may pass something else: no data, no empty collection."""
        value = self.flow.values[token]
        if isinstance(value, CollectionValue) and value.ref[1] >= 0:
            expr = self.flow.store.expr(value.ref)
            return not isinstance(expr, facts.Collection) or bool(expr.items)
        return self.flow.is_object(token)

    def _bound(self, file: int, number: int, node: Node) -> None:
        binding = self.flow.store.files[file].facts.bindings[number]
        target = nodes.binding(file, number)
        if binding.kind == "except":
            return
        if binding.kind == "for":
            self._looped(file, binding.value, binding.path, node, target)
        elif binding.path:
            self.members.unpack(node, binding.path, target)
        elif binding.kind == "with":
            self.calls.entered(file, node, target)
        elif (taken := self._pattern_of(file, number)) is not None:
            self.members.default_of_pattern(file, taken, node, target)
        else:
            self.flow.copy(node, target)

    def _pattern_of(self, file: int, number: int) -> facts.Binding | None:
        """The part of a pattern whose default a binding is: ``{ maximum = 100 }``; None for any other binding."""
        index = self.flow.store.files[file]
        binding = index.facts.bindings[number]
        if binding.path or binding.kind != "assign":
            return None
        others = index.bindings[binding.scope, binding.name]
        if len(others) < 2:
            return None
        place = (binding.start, binding.end)
        return next((one for one in others if one.path and (one.start, one.end) == place), None)

    def _looped(self, file: int, iterable: int, path: tuple[int | str, ...], node: Node, target: Node) -> None:
        """The target of a loop: elements of a collection, what a generator yields."""
        flow = self.flow
        generates = isinstance(flow.store.files[file].facts.exprs[iterable], facts.Call)

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, CollectionValue):
                view, rest = value.view, path
                if view == "items" and rest:
                    if rest[0] == 0:
                        self._keys(value, target)
                        return
                    rest = rest[1:]
                elif view == "keys" or (not view and self.members.is_map(value)):
                    self._keys(value, target)
                    return
                source = nodes.element(value.ref, nodes.ANY)
                for demand in self.demands:
                    if demand.wants(target):
                        demand.elements(value)
                if rest:
                    self.members.unpack(source, rest, target)
                else:
                    flow.copy(source, target)
            elif (generates and not path and not isinstance(value, LibraryObject)) or (
                generates and not path and isinstance(value, LibraryObject) and self.calls.is_generated(file, iterable)
            ):
                flow.add(target, token, node)

        flow.each(node, consume)

    def _keys(self, value: CollectionValue, target: Node) -> None:
        """A loop over a map runs over its keys."""
        expr = self.flow.store.expr(value.ref) if value.ref[1] >= 0 else None
        if isinstance(expr, facts.Collection):
            for key in expr.keys:
                if key != NONE:
                    if self.questions.wants(target):
                        self.questions.expression(value.ref[0], key)
                    self.flow.copy(nodes.expression(value.ref[0], key), target)

    def _written(self, file: int, write: facts.Write, node: Node) -> None:
        """`target.name = value`, `target[key] = value`."""
        expr = self.flow.store.files[file].facts.exprs[write.target]
        source = node
        if write.path:
            source = nodes.expression(file, -2 - write.target)
            self.members.unpack(node, write.path, source)
        if isinstance(expr, facts.Member):
            self.members.store(file, expr.object, expr.name, source)
        elif isinstance(expr, facts.Index):
            self.members.store_at(file, expr.object, expr.key, source)

    def _returned(self, file: int, number: int, jump: facts.Jump, node: Node) -> None:
        index = self.flow.store.files[file]
        scope = index.scope_of(jump.block)
        target = index.function_of(jump.block)
        if index.facts.scopes[scope].kind == "comprehension" and index.facts.scopes[scope].parent != NONE:
            self.flow.copy(node, nodes.returned(file, scope))
            if jump not in index.jumps[target]:
                return
        record = index.facts.scopes[target]
        if jump.kind != ("yield" if record.is_generator else "return"):
            return
        if self.calls.own_parameter(file, target, number) >= 0:
            self.flow.once(node, lambda: self.demand.returned(file, target))
            return  # each call gives what it was passed itself
        self.flow.copy(node, nodes.returned(file, target))

    def _held(self, file: int, number: int, holder: int, node: Node) -> None:
        flow = self.flow
        expr = flow.store.files[file].facts.exprs[holder]
        target = nodes.expression(file, holder)
        match expr:
            case facts.Member():
                self.members.load_each(node, expr.name, target, file, holder)
            case facts.Call():
                if expr.callee == number:
                    self.calls.called(file, holder, expr, node)
                for position, item in enumerate(expr.arguments):
                    if item.value == number:
                        self.calls.passed(file, holder, expr, position, node)
            case facts.Index():
                if expr.object == number:
                    self.members.load_at(file, expr, node, target)
            case facts.Operation():
                if expr.operator in PASSING:
                    if number == expr.operands[-1]:
                        flow.copy(node, target)
                    else:
                        self._filtered(node, target, lambda token: self.data.passes(expr.operator, token))
                elif expr.operator in ("+", "|"):
                    self._joined(node, target)
            case facts.Choice():
                if expr.condition != NONE and expr.options[0] == number and number not in expr.options[1:]:
                    index = flow.store.files[file]
                    self._filtered(
                        node, target,
                        lambda token: under_condition(index, (flow.values[token],), expr) == (flow.values[token],),
                    )  # fmt: skip
                elif number in expr.options:
                    flow.copy(node, target)
            case facts.Collection():
                self.members.collected(file, holder, expr, number, node)

    def _filtered(self, node: Node, target: Node, keeps: Callable[[Token], bool]) -> None:
        """What a condition leaves of a value."""
        flow = self.flow
        flow.came(target, node)
        flow.edge(node, target, lambda token: token if keeps(token) else None)

    def _joined(self, node: Node, target: Node) -> None:
        """Lists that are put together."""

        def consume(token: Token) -> None:
            if isinstance(self.flow.values[token], CollectionValue):
                self.flow.add(target, token, node)

        self.flow.each(node, consume)
