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
MAX_NAMES = 4
"""Names that a collection may go by, one after the other."""
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
            default = self._flow.store.files[place[0]].facts.scopes[place[1]].parameters[place[2]].default
            if default != NONE:
                self._follow((place[0], default), self._cells[place], place)
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
        elif isinstance(expr, facts.Index):
            sources = self._at(file, expr.object, expr.key)
        elif isinstance(expr, facts.Call):
            sources = self._looked_up(file, expr)
        if sources:
            for source in sources:
                self._follow(source, cell, place)
        else:
            cell.add(UNKNOWN)

    def _of_definitions(self, file: int, found: Sequence[Definition], loops: bool = True) -> list[_Place] | None:
        """The places that definitions get their values from, in whatever module; None where one may be anything."""
        sources: list[_Place] = []
        waiting = [(file, one) for one in found]
        seen = set(waiting)
        while waiting:
            at, one = waiting.pop(0)
            if one.kind == "import":
                further = [each for each in self._of_import(at, one) if each not in seen]
                given: list[_Place] | None = [] if further else None
                seen.update(further)
                waiting = [*further, *waiting]
            else:
                given = self._of_definition(at, one, loops)
            if given is None:
                return None
            sources += given
        return sources

    def _of_import(self, file: int, one: Definition) -> list[tuple[int, Definition]]:
        """What an import brings in: the definitions in the module that it names, with their file."""
        flow = self._flow
        brought = flow.store.files[file].facts.imports[one.number]
        module = flow.binder.module(file, brought) if flow.binder.words(file).resolver != "package" else None
        if not isinstance(module, Module) or module.file in (NONE, file) or not brought.name:
            return []
        found = flow.binder.names(module.file).definitions(0, flow.binder.local(module.file, brought.name))
        return [(module.file, each) for each in found]

    def _of_definition(self, file: int, one: Definition, loops: bool) -> list[_Place] | None:
        bindings = self._flow.store.files[file].facts.bindings
        if one.kind == "parameter":
            return [(file, one.scope, one.number)]
        value = bindings[one.number].value if one.kind in ("assign", "for") else NONE
        if one.kind == "assign" and not bindings[one.number].path:
            return [(file, value)] if value != NONE else None
        if one.kind == "for" and value != NONE and loops:
            return self._inside(file, value, "", bindings[one.number].path)
        return None

    def _looked_up(self, file: int, expr: facts.Call) -> list[_Place] | None:
        """`COMMANDS.get(kind, other)`: the values of a map that is written out, or the other one."""
        callee = self._flow.store.files[file].facts.exprs[expr.callee]
        if not isinstance(callee, facts.Member) or callee.name not in self._flow.binder.words(file).lookups:
            return None
        if len(expr.arguments) not in (1, 2) or any(item.name for item in expr.arguments):
            return None
        found = self._at(file, callee.object, expr.arguments[0].value)
        return found and [*found, *((file, item.value) for item in expr.arguments[1:])]

    def _at(self, file: int, holder: int, key: int) -> list[_Place] | None:
        """What a map that is written out has under a key; any of its values where the key is not constant."""
        place = self._written(file, holder)
        found = self._inside(file, holder, "values", ())
        exprs = self._flow.store.files[file].facts.exprs
        sought = exprs[key] if key != NONE else None
        if place is None or not found or not isinstance(sought, facts.Literal):
            return found
        expr = self._flow.store.expr(place)
        assert isinstance(expr, facts.Collection)
        written = [self._flow.store.expr((place[0], one)) for one in expr.keys]
        if not all(isinstance(one, facts.Literal) for one in written):
            return found
        pairs = zip(written, found, strict=True)
        return [one for each, one in pairs if isinstance(each, facts.Literal) and each.value == sought.value]

    def _inside(self, file: int, number: int, view: str, path: tuple[int | str, ...]) -> list[_Place] | None:
        """The elements of a collection that is written out, or what `path` takes out of each; with a `view` those of a
        map. None where other elements may be among them.
        """
        flow = self._flow
        expr = flow.store.files[file].facts.exprs[number]
        if isinstance(expr, facts.Call) and not expr.arguments and not view:
            callee = flow.store.files[file].facts.exprs[expr.callee]
            view = flow.binder.words(file).map_views.get(callee.name, "") if isinstance(callee, facts.Member) else ""
            if not view or not isinstance(callee, facts.Member):
                return None
            number = callee.object
        place = self._written(file, number)
        if place is None:
            return None
        expr = flow.store.expr(place)
        if not isinstance(expr, facts.Collection) or expr.generated or expr.spreads or NONE in expr.keys:
            return None
        if (expr.kind == "map") != bool(view or (not path and expr.keys)):
            return None
        return self._taken(place[0], expr, view, path)

    def _written(self, file: int, number: int) -> tuple[int, int] | None:
        """Where the one collection is written out that an expression stands for and that nobody changes."""
        for _ in range(MAX_NAMES):
            expr = self._flow.store.files[file].facts.exprs[number]
            sources: Sequence[_Place] | None = None
            if isinstance(expr, facts.Name):
                sources = self._of_definitions(file, self._flow.binder.names(file).at(number), loops=False)
            elif isinstance(expr, facts.Member):
                sources = self._of_member(file, expr)
            else:
                return file, number
            if not sources or len(sources) != 1 or len(sources[0]) != 2 or self._is_changed(file, expr.name):
                return None
            file, number = sources[0]
        return None

    def _taken(self, file: int, expr: facts.Collection, view: str, path: tuple[int | str, ...]) -> list[_Place] | None:
        """What a view of a collection has, or what `path` takes out of each element; None where that is not known."""
        if view == "items":
            if path not in ((0,), (1,)):
                return None
            return [(file, one) for one in (expr.items if path == (1,) else expr.keys)]
        elements = expr.keys if expr.kind == "map" and view != "values" else expr.items
        exprs = self._flow.store.files[file].facts.exprs
        for step in path:
            inner = [one for number in elements if isinstance(one := exprs[number], facts.Collection)]
            if not isinstance(step, int) or len(inner) < len(elements):
                return None
            if any(one.keys or one.generated or one.spreads or not -1 < step < len(one.items) for one in inner):
                return None
            elements = tuple(one.items[step] for one in inner)
        return [(file, one) for one in elements]

    def _is_changed(self, file: int, name: str) -> bool:
        """Whether a file may put something into a collection of that name: it calls a method of it that is none of
        those that only look, or stores under a key.
        """
        flow = self._flow
        index = flow.store.files[file]
        words = flow.binder.words(file)
        looks = {*words.lookups, *words.map_views, *words.copiers}
        for use in flow.binder.names(file).by_name.get(name, ()):
            parent = index.parents.get(use)
            expr = index.facts.exprs[parent] if parent is not None else None
            if isinstance(expr, facts.Member) and parent in index.call_of and expr.name not in looks:
                return True
            if isinstance(expr, facts.Index) and any(write.target == parent for write in index.facts.writes):
                return True
        return False

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
        cell = self._cells[place]
        placed = self._flow.edges.calls.placed(edge, call, record)
        given = [argument for argument, at in placed if at == place[2]]
        for argument in given:
            self._follow((edge.file, argument.value), cell, place)
        if given:
            return
        default = record.parameters[place[2]].default
        if default != NONE:
            self._follow((place[0], default), cell, place)
        if any(at == NONE for _, at in placed):
            cell.add(UNKNOWN)
