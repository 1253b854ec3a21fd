"""What foreign functions carry where, as the rows of their language say."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.values import ClassValue, CollectionValue, FunctionValue
from resplint.contracts import facts
from resplint.flow import nodes
from resplint.flow.core import Flow, Token
from resplint.flow.nodes import Node
from resplint.knowledge.records import library_records
from resplint.knowledge.records.library_records import ALL, Row, Step

_ELEMENTS = ("element", "entry", "key", "position", "name")
_INNER = 1 << 40
"""What numbers of collections inside the results of calls begin below."""


class ForeignRows:
    """Carries values through calls of functions that are known by name only."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._done: set[tuple[int, int, library_records.Flow, int]] = set()

    def passed(self, file: int, number: int, expr: facts.Call, position: int) -> None:
        """An argument of a call carries something: it goes where the rows of the function send it."""
        for row in self._rows(file, expr):
            for one in row.flows:
                if position in self._places(expr, one.source):
                    self._carry(file, number, expr, one, position)

    def wanted(self, file: int, number: int, expr: facts.Call) -> None:
        """Somebody asks what a call gives: so they ask for what it is made of."""
        for row in self._rows(file, expr):
            for one in row.flows:
                if one.target.root == "result":
                    for position in self._places(expr, one.source):
                        self._carry(file, number, expr, one, position)

    def given(self, file: int, number: int, expr: facts.Call, place: int, parameter: int) -> None:
        """Somebody asks what a function receives that a call is passed at a place."""
        for row in self._rows(file, expr):
            for one in row.flows:
                steps = one.target.steps
                takes = steps and (steps[0].kind == "alike" or steps[0] == Step("parameter", parameter))
                if takes and place in self._places(expr, one.target):
                    for position in self._places(expr, one.source):
                        self._carry(file, number, expr, one, position)

    # -- what is said of a call ----------------------------------------------------------------------------------------

    def _rows(self, file: int, expr: facts.Call) -> Iterator[Row]:
        """The rows about what a call calls: functions by their whole name, and methods that objects of no certain type
        have and that hand something to a function. What calls a function once remembers what it gave, which is known
        elsewhere.
        """
        binder = self._flow.binder
        callee = self._flow.store.files[file].facts.exprs[expr.callee]
        if not isinstance(callee, facts.Member | facts.Name):
            return
        rows = binder.roles(file).library.get(callee.name, ())
        dotted = binder.dotted(file, expr.callee) if any(row.function for row in rows) else ""
        for row in rows:
            if row.calls == "once" or row.on:  # a name alone does not say that the receiver is of the type
                continue
            if row.function:
                if row.function == dotted:
                    yield row
            elif isinstance(callee, facts.Member) and self._hands_over(row):
                yield row

    def _hands_over(self, row: Row) -> bool:
        return any(
            one.source.root in ("argument", "named") and one.target.root in ("argument", "named") for one in row.flows
        )

    def _places(self, expr: facts.Call, place: library_records.Place) -> list[int]:
        """The arguments of a call that a place of a row stands for."""
        named = [at for at, item in enumerate(expr.arguments) if item.name and item.name not in ("*", "**")]
        if place.root == "named":
            return [at for at in named if place.name in ("*", expr.arguments[at].name)]
        if place.root != "argument":
            return []
        given = [at for at in range(len(expr.arguments)) if at not in named]
        if place.number == ALL:
            return given
        return given[place.number : place.number + 1]

    # -- arrows --------------------------------------------------------------------------------------------------------

    def _carry(self, file: int, number: int, expr: facts.Call, one: library_records.Flow, position: int) -> None:
        key = (file, number, one, position)
        if key in self._done:
            return
        self._done.add(key)
        flow, steps = self._flow, one.source.steps
        argument = nodes.expression(file, expr.arguments[position].value)
        whole = bool(steps) and steps[-1].kind == "entry"
        source = self._taken(file, number, argument, steps[:-1] if whole else steps, (number, position, one))
        if source is None:
            return
        if one.target.root == "result":
            self._into(nodes.expression(file, number), (file, number), one.target.steps, source, 0)
            flow.edges.demand.expression(file, expr.arguments[position].value)
            return
        name = expr.arguments[position].name
        for at in self._places(expr, one.target):
            target = expr.arguments[at].value
            flow.edges.demand.expression(file, target)
            if one.target.steps and one.target.steps[0].kind in ("parameter", "alike"):
                self._to_parameter(nodes.expression(file, target), one.target.steps, name, source)
            elif one.target.steps and one.target.steps[0].kind in _ELEMENTS:
                self._into_collections(nodes.expression(file, target), one.target.steps, source)

    def _taken(
        self, file: int, number: int, node: Node, steps: tuple[Step, ...], key: tuple[object, ...]
    ) -> Node | None:
        """The node of what steps take out of a node's values; None where that cannot be said."""
        flow = self._flow
        for depth, step in enumerate(steps):
            if step.kind not in _ELEMENTS and step.kind != "result":
                return None
            taken: Node = ("carried", file, *key, depth)
            flow.rests(taken, node)
            flow.each(node, lambda token, step=step, taken=taken: self._take(file, number, token, step, taken))  # type: ignore[misc]
            node = taken
        return node

    def _take(self, file: int, number: int, token: Token, step: Step, taken: Node) -> None:
        flow = self._flow
        value = flow.values[token]
        if step.kind == "result":
            if isinstance(value, FunctionValue):
                flow.edges.calls.results(value, taken, None)
        elif isinstance(value, CollectionValue):
            if step.kind == "key":
                expr = flow.store.files[file].facts.exprs[number]
                if isinstance(expr, facts.Call) and step.number < len(expr.arguments):
                    flow.edges.keys.each(
                        file, expr.arguments[step.number].value,
                        lambda found: flow.edges.members.read(value, nodes.ANY if found == "?" else found, taken),
                    )  # fmt: skip
                return
            if step.kind == "element" and self._is_record(value):
                return  # its members have nothing in common
            flow.edges.demand.elements(value)
            flow.edges.members.read(value, _key(step, nodes.ANY), taken)

    def _is_record(self, value: CollectionValue) -> bool:
        """Whether a map is written out with its names, as options are, and not filled with data."""
        expr = self._flow.store.expr(value.ref) if value.ref[1] >= 0 and not value.view else None
        return isinstance(expr, facts.Collection) and expr.kind == "map" and bool(expr.keys)

    def _into(self, target: Node, ref: tuple[int, int], steps: tuple[Step, ...], source: Node, depth: int) -> None:
        """What a call gives is the source, or a collection with it."""
        flow = self._flow
        if not steps:
            flow.copy(source, target)
        elif steps[0].kind in _ELEMENTS:
            flow.put(target, CollectionValue(ref))
            if steps[0].kind == "entry":
                flow.edges.members.spread(ref, source)
            elif len(steps) == 1:
                flow.edges.members.put(ref, _key(steps[0], "?"), source)
            else:
                inner = (ref[0], -_INNER - 8 * ref[1] - depth)
                element: Node = ("inner", *inner)
                self._into(element, inner, steps[1:], source, depth + 1)
                flow.edges.members.put(ref, _key(steps[0], "?"), element)

    def _into_collections(self, target: Node, steps: tuple[Step, ...], source: Node) -> None:
        def consume(token: Token) -> None:
            value = self._flow.values[token]
            if isinstance(value, CollectionValue) and len(steps) == 1:
                if steps[0].kind == "entry":
                    self._flow.edges.members.spread(value.ref, source)
                else:
                    self._flow.edges.members.put(value.ref, _key(steps[0], "?"), source)

        self._flow.each(target, consume)

    def _to_parameter(self, target: Node, steps: tuple[Step, ...], name: str, source: Node) -> None:
        """A function receives the source: at a position, or under the name of the argument."""
        flow = self._flow

        def consume(token: Token) -> None:
            value = flow.values[token]
            made = isinstance(value, ClassValue)
            for one in flow.binder.constructors(value.file, value.scope) if isinstance(value, ClassValue) else (value,):
                if not isinstance(one, FunctionValue) or len(steps) > 1:
                    continue
                record = flow.store.files[one.file].facts.scopes[one.scope]
                bound = int(made) or flow.edges.calls.bound(one, record)
                for at, item in enumerate(record.parameters):
                    if item.name == name if steps[0].kind == "alike" else at == steps[0].number + bound:
                        taken = nodes.parameter(one.file, one.scope, at)
                        flow.handed.add(taken)
                        flow.copy(source, taken)

        flow.each(target, consume)


def _key(step: Step, unknown: str) -> str | int:
    return step.number if step.kind == "position" else step.name if step.kind == "name" else unknown
