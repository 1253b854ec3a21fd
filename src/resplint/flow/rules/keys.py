"""Constant keys: under which names and positions ``target[key]`` may store or read.

A small flow of its own, of constants only: each expression and parameter has a cell that keeps what it may be, and
passes on whatever is new to those that follow it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from resplint.bind.reaching import Definition
from resplint.bind.values import ClassValue, Module
from resplint.contracts import facts
from resplint.contracts.facts import NONE

if TYPE_CHECKING:
    from resplint.flow.core import Flow
    from resplint.flow.nodes import CallEdge

Key = str | int
UNKNOWN = "?"
"""The key of which only is known that there may be another one."""
_Place = tuple[int, int] | tuple[int, int, int]
"""An expression: file and number; a parameter: file, function and position."""


@dataclass(slots=True)
class _Cell:
    """What a place may be, and who wants to know."""

    keys: dict[Key, None] = field(default_factory=dict)
    consumers: list[Callable[[Key], None]] = field(default_factory=list)

    def add(self, key: Key) -> None:
        if key not in self.keys:
            self.keys[key] = None
            for consumer in tuple(self.consumers):
                consumer(key)

    def each(self, consumer: Callable[[Key], None]) -> None:
        self.consumers.append(consumer)
        for key in tuple(self.keys):
            consumer(key)


class Keys:
    """The constant keys that expressions may be."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._cells: dict[_Place, _Cell] = {}
        self._followed: set[tuple[_Place, _Place]] = set()
        self._parameters: dict[tuple[int, int], list[int]] = defaultdict(list)
        """Function -> the positions of its parameters that are keys."""
        self._undecided: list[tuple[int, int, int]] = []
        """Parameters of which is not decided yet whether some call fills them."""

    def each(self, file: int, number: int, consumer: Callable[[Key], None]) -> None:
        """Call `consumer` with every constant key that an expression may be; with "?" where it may be another one."""
        if number != NONE:
            self._cell(file, number).each(consumer)

    def called(self, edge: CallEdge, file: int, scope: int, record: facts.Scope, call: facts.Call) -> None:
        """A further call of a function, whose parameters may be keys."""
        for position in tuple(self._parameters.get((file, scope), ())):
            self._passed(edge, (file, scope, position), record, call)

    def close(self) -> bool:
        """Parameters that are keys and that no call fills, now that all is propagated: any key; whether there are
        any.
        """
        undecided, self._undecided = self._undecided, []
        found = [place for place in undecided if not self._flow.edges.calls.callers.get(place[:2])]
        for place in found:
            self._cells[place].add(UNKNOWN)
        return bool(found)

    def _cell(self, file: int, number: int) -> _Cell:
        place = (file, number)
        known = self._cells.get(place)
        if known is None:
            known = self._cells[place] = _Cell()
            self._begin(file, number, known)
        return known

    def _follow(self, source: _Place, cell: _Cell, place: _Place) -> None:
        """Whatever one place may be, another one may be."""
        if (source, place) not in self._followed and source != place:
            self._followed.add((source, place))
            (self._cell(*source) if len(source) == 2 else self._parameter(source)).each(cell.add)

    def _begin(self, file: int, number: int, cell: _Cell) -> None:
        flow = self._flow
        expr = flow.store.files[file].facts.exprs[number]
        place = (file, number)
        if isinstance(expr, facts.Literal):
            if isinstance(expr.value, str | int) and not isinstance(expr.value, bool):
                cell.add(expr.value)
            return
        if isinstance(expr, facts.Choice):
            for one in expr.options:
                self._follow((file, one), cell, place)
            return
        sources: list[_Place] | None = None
        if isinstance(expr, facts.Name):
            sources = self._of_definitions(file, flow.binder.names(file).at(number))
        elif isinstance(expr, facts.Member):
            sources = self._of_member(file, expr)
        if sources:
            for source in sources:
                self._follow(source, cell, place)
        else:
            cell.add(UNKNOWN)

    def _of_definitions(self, file: int, found: Sequence[Definition]) -> list[_Place] | None:
        """The places that definitions get their values from; None where one of them may be anything."""
        sources: list[_Place] = []
        for one in found:
            given = self._of_definition(file, one)
            if given is None:
                return None
            sources += given
        return sources

    def _of_definition(self, file: int, one: Definition) -> list[_Place] | None:
        flow = self._flow
        record = flow.store.files[file].facts
        if one.kind == "assign":
            binding = record.bindings[one.number]
            return [(file, binding.value)] if binding.value != NONE and not binding.path else None
        if one.kind == "parameter":
            return [(file, one.scope, one.number)]
        if one.kind == "import":
            brought = record.imports[one.number]
            module = flow.binder.module(file, brought) if flow.binder.words(file).resolver != "package" else None
            if isinstance(module, Module) and module.file not in (NONE, file) and brought.name:
                found = flow.binder.names(module.file).definitions(0, flow.binder.local(module.file, brought.name))
                return self._of_definitions(module.file, found) or None
        return None

    def _of_member(self, file: int, expr: facts.Member) -> list[_Place]:
        """Values of a constant member: of an enumeration, of a class, of an object written out."""
        found: list[_Place] = []
        flow = self._flow
        for owner in flow.binder.static(file, expr.object):
            if isinstance(owner, ClassValue):
                index = flow.store.files[owner.file]
                for binding in index.bindings.get((owner.scope, expr.name), ()):
                    if binding.value != NONE:
                        found.append((owner.file, binding.value))
            elif isinstance(owner, Module) and owner.file != NONE:
                names = flow.binder.names(owner.file)
                for one in names.definitions(0, flow.binder.local(owner.file, expr.name)):
                    if one.kind == "assign":
                        value = names.index.facts.bindings[one.number].value
                        if value != NONE:
                            found.append((owner.file, value))
        return found

    def _parameter(self, place: tuple[int, int, int]) -> _Cell:
        """The cell of a parameter: what the calls of its function pass."""
        known = self._cells.get(place)
        if known is None:
            known = self._cells[place] = _Cell()
            file, scope, position = place
            self._parameters[file, scope].append(position)
            self._undecided.append((file, scope, position))
            flow = self._flow
            flow.edges.demand.parameter(file, scope, position)
            record = flow.store.files[file].facts.scopes[scope]
            for edge in tuple(flow.edges.calls.callers.get((file, scope), ())):
                call = flow.store.expr(edge.ref)
                assert isinstance(call, facts.Call)
                self._passed(edge, place, record, call)
        return known

    def _passed(self, edge: CallEdge, place: tuple[int, int, int], record: facts.Scope, call: facts.Call) -> None:
        for argument, at in self._flow.edges.calls.placed(edge, call, record):
            if at == place[2]:
                self._follow((edge.file, argument.value), self._cells[place], place)
