"""What expressions stand for in one context: under certain calls of the functions around them, in methods of certain
objects.

The graph has one answer for an expression, whoever calls the function that it stands in. Where that answer names
several values, those that the calls of a context give are picked out here.
"""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from resplint.bind.binder import EXPORTS
from resplint.bind.reaching import Definition
from resplint.bind.values import (
    ClassValue,
    CollectionValue,
    Const,
    ExternalObject,
    Frame,
    FunctionValue,
    Instance,
    Module,
    ParameterValue,
    Text,
    Unknown,
    Value,
    Values,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.bounds import MOST
from resplint.flow.demand import PASSING
from resplint.flow.nodes import CallEdge
from resplint.flow.rules.operators import EMPTY, computed, joined, spelled

if TYPE_CHECKING:
    from resplint.flow.graph import Graph

Frames = tuple[Frame, ...]
_DEPTH = 12
"""Expressions in a row that are followed."""
_CHAIN = 3
"""Calls between a function and the one that a context enters."""
_MOST = 64
_BOTH = 2
"""Options of a choice with a condition, and sides of a comparison."""
_COMPARING = {"==": True, "===": True, "is": True, "!=": False, "!==": False, "is not": False}
"""Operators that are true if both sides are the same, or are not."""


class Contexts:
    """Evaluates expressions in contexts, on the solved graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._known: dict[tuple[int, int, Frames], tuple[int, Values]] = {}

    def values(self, file: int, number: int, frames: Frames, depth: int = 0) -> Values:
        """The values of an expression in a context."""
        merged = self._graph.merged(file, number)
        if number == NONE or depth > _DEPTH or isinstance(
            self._graph.store.files[file].facts.exprs[number], facts.Literal | facts.Collection | facts.Function
        ):  # fmt: skip
            return merged
        key = (file, number, frames)
        known = self._known.get(key)
        if known is not None and known[0] == self._graph.flow.steps:
            return known[1]
        self._known[key] = (self._graph.flow.steps, merged)  # for what asks for itself
        found = self._narrow(file, number, frames, depth)
        kept = self._kept(merged, found) if found else merged
        found = kept or tuple(dict.fromkeys(found or ()))
        self._known[key] = (self._graph.flow.steps, found)
        return found

    def _kept(self, merged: Values, found: Values) -> Values:
        """Those values in a context that are also among those of all: all of a kind of data of which there are too many
        to know them all.
        """
        kept = [one for one in merged if one in found]
        if not kept:
            return ()
        count: dict[type, int] = Counter(map(type, merged))
        cut = Unknown in count
        return (*kept, *(
            one for one in dict.fromkeys(found)
            if one not in kept and type(one) in MOST and (cut or count[type(one)] >= MOST[type(one)])
        ))  # fmt: skip

    def _narrow(self, file: int, number: int, frames: Frames, depth: int) -> Values | None:
        """The values in a context; None when it says nothing of the expression."""
        expr = self._graph.store.files[file].facts.exprs[number]
        match expr:
            case facts.Name():
                return self._name(file, number, expr, frames, depth)
            case facts.Member():
                return self._member(file, expr, frames, depth)
            case facts.Call():
                return self._call(file, number, expr, frames, depth)
            case facts.Choice():
                options = self._taken_options(file, expr, frames, depth)
                return self._union([self.values(file, one, frames, depth + 1) for one in options])
            case facts.Operation():
                return self._operation(file, number, expr, frames, depth)
            case facts.Template():
                return self._template(file, number, expr, frames, depth)
        return None

    def _taken_options(self, file: int, expr: facts.Choice, frames: Frames, depth: int) -> tuple[int, ...]:
        """The parts of a choice that a context comes to: ``if (shared == true) … else …`` where a call passes no
        `shared` and it is false by default.
        """
        holds = self._holds(file, expr.condition, frames, depth) if len(expr.options) == _BOTH else None
        return expr.options if holds is None else expr.options[:1] if holds else expr.options[1:]

    def _holds(self, file: int, condition: int, frames: Frames, depth: int) -> bool | None:
        """Whether a comparison with a constant, or a mere name, is true in a context; None where that is not known."""
        exprs = self._graph.store.files[file].facts.exprs
        expr = exprs[condition] if condition != NONE else None
        if isinstance(expr, facts.Name):
            sides, same = [condition], True
        elif isinstance(expr, facts.Operation) and expr.operator in _COMPARING and len(expr.operands) == _BOTH:
            sides, same = [*expr.operands], _COMPARING[expr.operator]
            if not any(isinstance(exprs[one], facts.Literal) for one in sides):
                return None
        else:
            return None
        given: list[object] = []
        for one in sides:
            values = self.values(file, one, frames, depth + 1)
            constants = list(dict.fromkeys((value.type, value.value) for value in values if isinstance(value, Const)))
            if len(constants) != 1 or not all(isinstance(value, Const) for value in values):
                return None
            given += constants
        if len(given) == _BOTH:
            return (given[0] == given[1]) == same
        return bool(constants[0][1]) if isinstance(constants[0][1], bool) else None

    def _union(self, groups: list[Values]) -> Values:
        return tuple(dict.fromkeys(value for group in groups for value in group))

    # -- names ---------------------------------------------------------------------------------------------------------

    def _name(self, file: int, number: int, expr: facts.Name, frames: Frames, depth: int) -> Values | None:
        graph = self._graph
        found = graph.binder.names(file).at(number)
        if not found:
            return self._field_around(file, expr, frames, depth)
        groups: list[Values] = []
        for one in found:
            values = self._definition(file, one, expr, frames, depth)
            if values is None:
                return None
            groups.append(values)
        return self._union(groups)

    def _definition(self, file: int, one: Definition, expr: facts.Name, frames: Frames, depth: int) -> Values | None:
        record = self._graph.store.files[file].facts
        if one.scope and record.scopes[one.scope].kind == "class":
            return self._field_around(file, expr, frames, depth)
        if one.kind == "parameter":
            return self.parameter(file, one.scope, one.number, frames, depth)
        if one.kind == "import":
            return self._imported(file, one, expr, frames, depth)
        if one.kind == "definition":
            return None
        binding = record.bindings[one.number]
        if binding.value == NONE or binding.kind != "assign":
            return None
        if binding.path:
            return self._taken(file, binding, frames, depth)
        return self.values(file, binding.value, frames, depth + 1)

    def _imported(self, file: int, one: Definition, expr: facts.Name, frames: Frames, depth: int) -> Values | None:
        """What another module keeps under the name that an import takes from it."""
        graph = self._graph
        item = graph.store.files[file].facts.imports[one.number]
        module = graph.binder.module(file, item) if item.name not in ("", "*") else None
        if not isinstance(module, Module) or module.file == NONE:
            return None
        return self._of_module(module, item.name, expr, frames, depth)

    def _of_module(self, module: Module, name: str, expr: facts.Name, frames: Frames, depth: int) -> Values | None:
        """What a module keeps under a name that is bound in it."""
        binder = self._graph.binder
        kept = f"{EXPORTS}.{name}" if binder.words(module.file).explicit_exports else name
        groups = []
        for one in binder.names(module.file).definitions(0, kept) if depth < _DEPTH else ():
            values = self._definition(module.file, one, expr, frames, depth + 1) if one.kind == "assign" else None
            if values is None:
                return None
            groups.append(values)
        return self._union(groups) if groups else None

    def _taken(self, file: int, binding: facts.Binding, frames: Frames, depth: int) -> Values | None:
        """What a pattern takes out of an object that is written out."""
        if len(binding.path) != 1 or not isinstance(binding.path[0], str):
            return None
        groups = []
        for value in self.values(file, binding.value, frames, depth + 1):
            found = self._item(value, binding.path[0], frames, depth)
            if found is None:
                return None
            groups.append(found)
        return self._union(groups)

    def _item(self, value: Value, key: str, frames: Frames, depth: int) -> Values | None:
        if not isinstance(value, CollectionValue) or value.ref[1] < 0:
            return None
        exprs = self._graph.store.files[value.ref[0]].facts.exprs
        collection = exprs[value.ref[1]]
        if not isinstance(collection, facts.Collection):
            return None
        for at, item in reversed([*zip(collection.keys, collection.items, strict=False)]):
            if at == NONE:  # entries of another object may replace those that stand before them
                return None
            written = exprs[at]
            if isinstance(written, facts.Literal) and written.value == key:
                return self.values(value.ref[0], item, frames, depth + 1)
        return None

    def parameter(self, file: int, scope: int, position: int, frames: Frames, depth: int = 0) -> Values | None:
        """What the calls of a context pass for a parameter."""
        edges = self.edges(file, scope, frames)
        if not edges:
            return None
        record = self._graph.store.files[file].facts.scopes[scope]
        if record.parameters[position].kind:
            return self._collected(file, scope, position, edges, frames, depth)
        groups = []
        for edge in edges:
            call = self._graph.store.expr(edge.ref)
            assert isinstance(call, facts.Call)
            placed = self._graph.edges.calls.placed(edge, call, record)
            spread = next((place for place, (_, at) in enumerate(placed) if at == NONE), len(placed))
            given = next((item.value for item, at in placed[:spread] if at == position), NONE)
            if given != NONE:
                groups.append(self.values(edge.file, given, frames, depth + 1))
            elif spread < len(placed):
                return None
            elif record.parameters[position].default != NONE:
                groups.append(self.values(file, record.parameters[position].default, frames, depth + 1))
            else:
                return None
        return self._union(groups)

    def _collected(
        self, file: int, scope: int, position: int, edges: list[CallEdge], frames: Frames, depth: int
    ) -> Values:
        """What calls put into a parameter that takes the rest: what they spread, and what they name themselves."""
        kind = self._graph.store.files[file].facts.scopes[scope].parameters[position].kind
        groups: list[Values] = [(ParameterValue(file, scope, position),)]
        for edge in edges:
            call = self._graph.store.expr(edge.ref)
            assert isinstance(call, facts.Call)
            given = [one.value for one in call.arguments if one.name == kind]
            groups += [self.values(edge.file, one, frames, depth + 1) for one in given]
        return self._union(groups)

    def edges(self, file: int, scope: int, frames: Frames, chain: int = 0) -> list[CallEdge]:
        """The calls of a function that a context makes; none when it says nothing of the function."""
        edges = self._graph.edges.calls.callers.get((file, scope), {})
        refs = {one.made if isinstance(one, Instance) else one for one in frames}
        own = [edge for edge in edges if edge.ref in refs]
        typed = [one for one in frames if isinstance(one, Instance) and one.made is None]
        if own or chain >= _CHAIN:
            return own
        found = []
        for edge in edges:
            index = self._graph.store.files[edge.file]
            around = index.function_of(index.facts.exprs[edge.call].block)
            if not around or (edge.file, around) == (file, scope):
                continue
            makes = any(
                FunctionValue(edge.file, around) in self._graph.binder.constructors(one.file, one.scope)
                for one in typed
            )
            if makes or any(
                self.edges(edge.file, one, frames, chain + 1) for one in self._functions_around(edge.file, around)
            ):
                found.append(edge)
        return found

    def _functions_around(self, file: int, scope: int) -> list[int]:
        """A function and those that it is written in: it sees what they were called with."""
        scopes = self._graph.store.files[file].facts.scopes
        found = []
        while scope > 0:
            if scopes[scope].kind == "function":
                found.append(scope)
            scope = scopes[scope].parent
        return found

    # -- members of the receiver ---------------------------------------------------------------------------------------

    def _object(self, file: int, block: int, frames: Frames) -> Instance | None:
        """The object of a context that code in a class runs on."""
        index = self._graph.store.files[file]
        owner = index.class_of(index.function_of(block))
        if owner == NONE:
            owner = next(
                (
                    one
                    for one in self._graph.binder.names(file).enclosing(block)
                    if index.facts.scopes[one].kind == "class"
                ),
                NONE,
            )
        for one in frames:
            if isinstance(one, Instance) and (file, owner) in self._graph.binder.project_line(one.file, one.scope):
                return one
        return None

    def _field_around(self, file: int, expr: facts.Name, frames: Frames, depth: int) -> Values | None:
        """A member of the receiver under its bare name."""
        instance = self._object(file, expr.block, frames)
        return self._field(instance, expr.name, frames, depth) if instance is not None else None

    def _member(self, file: int, expr: facts.Member, frames: Frames, depth: int) -> Values | None:
        base = self._graph.store.files[file].facts.exprs[expr.object]
        if isinstance(base, facts.Name) and self._is_receiver(file, base):
            instance = self._object(file, base.block, frames)
            return self._field(instance, expr.name, frames, depth) if instance is not None else None
        groups = []
        holders = self.values(file, expr.object, frames, depth + 1)
        if any(isinstance(one, CollectionValue) for one in holders):  # a type is declared, and callers give objects
            holders = tuple(one for one in holders if not isinstance(one, Instance) or one.made is not None)
        for value in holders:
            if isinstance(value, Module) and isinstance(base, facts.Name) and value.file != NONE:
                found = self._of_module(value, expr.name, base, frames, depth)
            else:
                found = self._item(value, expr.name, frames, depth)
            if found is None:
                return None
            groups.append(found)
        return self._union(groups)

    def _is_receiver(self, file: int, expr: facts.Name) -> bool:
        scopes = self._graph.store.files[file].facts.scopes
        return any(scopes[one].receiver == expr.name for one in self._graph.binder.names(file).enclosing(expr.block))

    def _field(self, instance: Instance, name: str, frames: Frames, depth: int) -> Values | None:
        graph = self._graph
        line = graph.binder.project_line(instance.file, instance.scope)
        for method in graph.binder.methods(instance.file, instance.scope, name)[:1]:
            if graph.edges.calls.is_property(method.file, method.scope):
                return self._returns(method, frames, depth)
            return None
        written = []
        for file, write in graph.store.writes(name):
            index = graph.store.files[file]
            target = index.facts.exprs[write.target]
            base = index.facts.exprs[target.object] if isinstance(target, facts.Member) else None
            if not isinstance(base, facts.Name) or not self._is_receiver(file, base):
                continue
            if (file, index.class_of(index.function_of(base.block))) in line:
                if write.value == NONE or write.path:
                    return None
                written.append(self.values(file, write.value, frames, depth + 1))
        if written:
            return self._union(written)
        for file, scope in line:
            index = graph.store.files[file]
            position = index.parameters.get((scope, name))
            if position is not None:
                return self.parameter(file, scope, position, frames, depth)
            bindings = [one for one in index.bindings.get((scope, name), ()) if one.value != NONE]
            if bindings:
                return self._union([self.values(file, one.value, frames, depth + 1) for one in bindings])
        return None

    # -- calls and operators -------------------------------------------------------------------------------------------

    def _returns(self, function: FunctionValue, frames: Frames, depth: int) -> Values | None:
        groups = [
            self.values(function.file, jump.value, frames, depth + 1)
            for jump in self._graph.store.files[function.file].jumps.get(function.scope, ())
            if jump.kind == "return" and jump.value != NONE
        ]
        return self._union(groups) if groups else None

    def _call(self, file: int, number: int, expr: facts.Call, frames: Frames, depth: int) -> Values | None:
        graph = self._graph
        callee = graph.store.files[file].facts.exprs[expr.callee]
        if isinstance(callee, facts.Member | facts.Name):
            base = graph.store.files[file].facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
            if base is None or (isinstance(base, facts.Name) and self._is_receiver(file, base)):
                instance = self._object(file, (base or callee).block, frames)
                if instance is not None:
                    methods = graph.binder.methods(instance.file, instance.scope, callee.name)
                    if len(methods) == 1:
                        return self._returns(methods[0], (*frames, (file, number)), depth)
        roles = graph.roles(file)
        dotted = graph.binder.dotted(file, expr.callee)
        if dotted in roles.durations and expr.arguments:
            return self._measured(file, number, expr, roles.durations[dotted], frames, depth)
        functions = graph.merged(file, expr.callee)
        if len(functions) > 1:
            functions = self.values(file, expr.callee, frames, depth + 1)
        if len(functions) == 1 and isinstance(functions[0], FunctionValue):
            return self._returns(functions[0], (*frames, (file, number)), depth)
        if len(functions) == 1 and isinstance(functions[0], ClassValue):
            return (Instance(functions[0].file, functions[0].scope, (file, number)),)
        return None

    def _measured(
        self, file: int, number: int, expr: facts.Call, unit: float, frames: Frames, depth: int
    ) -> Values | None:
        found: list[Value] = []
        for value in self.values(file, expr.arguments[0].value, frames, depth + 1):
            if isinstance(value, Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool):
                found.append(Const(value.value * unit, "duration", (file, number)))
            else:
                found.append(ExternalObject("duration()", (file, number)))
        return tuple(found)

    def _template(self, file: int, number: int, expr: facts.Template, frames: Frames, depth: int) -> Values | None:
        """A text with holes; with one that is no constant, the text that it is for all calls."""
        holes = [self.values(file, one, frames, depth + 1) for one in expr.parts if isinstance(one, int)]
        if not 0 < prod(map(len, holes)) <= _MOST:
            return None
        found: list[Value] = []
        for filled in product(*holes):
            constants = spelled(filled)
            if constants is None:
                found.append(Text((file, number)))
                continue
            given = iter(constants)
            found += joined((file, number), [one if isinstance(one, str) else next(given) for one in expr.parts], "str")
        return tuple(dict.fromkeys(found))

    def _operation(self, file: int, number: int, expr: facts.Operation, frames: Frames, depth: int) -> Values | None:
        groups = [self.values(file, one, frames, depth + 1) for one in expr.operands]
        if expr.operator in PASSING:
            empty = EMPTY.get(expr.operator)
            found: list[Value] = []
            for group in groups:
                last = group is groups[-1]
                found += [one for one in group if last or not (isinstance(one, Const) and one.value in (empty or ()))]
                if (
                    empty is not None
                    and group
                    and all(isinstance(one, Const) and one.value not in empty for one in group)
                ):
                    break  # what stands behind does not count
            return tuple(found)
        size = 1
        for group in groups:
            size *= len(group)
        if not 0 < size <= _MOST:
            return None
        return self._union([computed((file, number), expr.operator, one) for one in product(*groups)])
