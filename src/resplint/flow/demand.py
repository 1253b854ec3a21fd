"""Demand: which functions, classes, objects and collections are worth following, asked backwards.

Library objects are always followed. Everything else only when something that is followed meets it: it is stored in it,
passed to it, returned by it. Demand goes back over names, parameters, results and loads to where such values begin,
and seeds them there; from there they flow like any other token.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import partial

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
    CollectionValue,
    Const,
    EnumValues,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    LoopValue,
    Module,
    ParameterValue,
    Ref,
    Text,
    Unknown,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow
from resplint.flow.limits import ASKED, MAX_ASKED
from resplint.flow.nodes import CallEdge, Node

PASSING = frozenset({"or", "and", "||", "&&", "??", "?:", "!!"})
"""Operators that give one of their operands."""
_MOST_NAMED = 12
"""Calls of members of one name that are asked for because they may be calls of a function that is asked for."""


class Demand:
    """What was asked for, once each. There are two of them: one for what Redis objects ride on, which seeds functions,
    classes, their objects and collections; and one for questions, with `data`, which seeds constants and the like, too.
    """

    def __init__(self, flow: Flow, data: bool = False) -> None:
        self._flow = flow
        self._data = data
        self._asked: set[Node] = set()
        self._parameters: set[tuple[int, int, int]] = set()
        self._fields: set[tuple[int, int, str]] = set()
        self._stored: set[tuple[object, str]] = set()
        self._fields_by_name: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
        self._stored_by_name: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._packaged: set[tuple[str, str]] = set()
        """(package, name) of what any file of the package may hand out."""
        self._exports: set[tuple[int, str]] = set()
        self._functions: set[tuple[int, int]] = set()
        self._results: set[tuple[int, int]] = set()
        self._collections: set[tuple[Ref, str | int]] = set()
        self._bindings: set[tuple[int, int]] = set()
        self._imports: set[tuple[int, int]] = set()
        self.fresh: list[tuple[int, int]] = []
        """Expressions that were asked for since the graph was last complete."""
        self.fresh_parameters: list[tuple[int, int, int]] = []
        self._work: list[Node] = []
        self._others: set[Node] = set()
        self._called: set[tuple[int, int]] = set()
        """Functions whose callers are asked for."""
        self._sought: set[tuple[str, str]] = set()
        """(runtime, name) of calls that were asked for by name."""
        self._running = False
        self._room = MAX_ASKED
        """How many more expressions the present question may ask for."""
        self._closed: set[Node] = set()
        """What questions have not asked for, as they had asked for too much already."""
        self._waiting: dict[Node, _Waiting] = {}
        self.everything = False
        """Seed all that there is: for a test that says demand loses nothing."""

    def wants(self, node: Node) -> bool:
        """Whether somebody asked what a node holds."""
        kind = node[0]
        if kind == nodes.EXPRESSION:
            return node in self._asked or node in self._others
        if kind == nodes.IMPORT:
            return node[1:] in self._imports
        if kind == nodes.BINDING:
            return node[1:] in self._bindings
        if kind == nodes.PARAMETER:
            return node[1:] in self._parameters
        if kind == nodes.RETURN:
            return node[1:] in self._results
        if kind == nodes.EXPORT:
            return node[1:] in self._exports
        if kind == nodes.FIELD:
            return node[1:] in self._fields
        return node in self._others

    def fed(self, source: Node, target: Node) -> None:
        """A node turns out to feed another one: who asks for the one asks for the other."""
        if self.wants(target):
            self.want(source)

    def _back(self, node: Node) -> None:
        """A node is asked for: so is what feeds it."""
        self._flow.want(node, self._data)
        for source in tuple(self._flow.feeders.get(node, ())):
            self.want(source)

    def begin(self, node: Node) -> None:
        """A question begins: it may ask for so many expressions."""
        self._room = MAX_ASKED
        self._closed.discard(node)

    def _close(self, node: Node) -> None:
        """A question has asked for as many expressions as it may: nothing is known of this one."""
        self._closed.add(node)
        self._flow.put(node, Unknown())
        self._flow.limits.met(ASKED)

    def want(self, node: Node) -> None:
        """Somebody wants to know what a node holds."""
        if not self.wants(node):
            self._work.append(node)
            self._drain()

    def _wanted(self, node: Node) -> None:
        kind = node[0]
        if kind == nodes.EXPRESSION and node[2] >= 0:
            self._one(node[1], node[2])
        elif kind == nodes.PARAMETER:
            self.parameter(*node[1:])
        elif kind == nodes.RETURN:
            self.result(*node[1:])
        elif kind == nodes.EXPORT:
            self.export(*node[1:])
        elif kind == nodes.FIELD:
            self.field(*node[1:])
        elif kind == nodes.IMPORT:
            self._import(*node[1:])
        elif kind == nodes.BINDING:
            record = self._flow.store.files[node[1]].facts.bindings[node[2]]
            self.definition(node[1], record.kind, record.scope, node[2])
        elif kind == nodes.DEFINITION:
            self._others.add(node)
            self.definition(node[1], kind, 0, node[2])
            self._back(node)
        elif node not in self._others:
            self._others.add(node)
            if kind == nodes.ELEMENT:
                self.elements(CollectionValue(node[1:3]), node[3])
            self._back(node)

    def is_wanted_parameter(self, file: int, scope: int, position: int) -> bool:
        """Whether somebody asked what a parameter holds."""
        return (file, scope, position) in self._parameters

    # -- expressions ---------------------------------------------------------------------------------------------------

    def expression(self, file: int, number: int) -> None:
        """Somebody wants to know what an expression stands for."""
        self._work.append(nodes.expression(file, number))
        self._drain()

    def _drain(self) -> None:
        if self._running:
            return
        self._running = True
        try:
            while self._work:
                node = self._work.pop()
                if self._room > 0:
                    self._wanted(node)
                elif node not in self._closed and not self.wants(node):
                    self._close(node)
        finally:
            self._running = False

    def each(self, file: int) -> None:
        """Ask for every expression of a file."""
        self._each(file, range(len(self._flow.store.files[file].facts.exprs)))

    def _each(self, file: int, numbers: Iterable[int]) -> None:
        for number in numbers:
            self.expression(file, number)

    def _one(self, file: int, number: int) -> None:
        if number < 0:
            return
        node = nodes.expression(file, number)
        if node in self._asked:
            return
        self._asked.add(node)
        self._back(node)
        flow = self._flow
        expr = flow.store.files[file].facts.exprs[number]
        if self._data:
            self._room -= 1
            self.fresh.append((file, number))
        for binding in flow.store.files[file].bound_to.get(number, ()):
            if not binding.name and binding.annotation != NONE:  # a cast
                self._annotation(file, binding.annotation)
        match expr:
            case facts.Literal() if self._data:
                flow.put(node, Const(expr.value, expr.type, (file, number)))
            case facts.Template() if self._data:
                self._each(file, [part for part in expr.parts if isinstance(part, int)])
                flow.edges.data.template(file, number, expr)
            case facts.Name():
                self._name(file, number, expr)
            case facts.Member():
                self.expression(file, expr.object)
                self._loaded(node, nodes.expression(file, expr.object), expr.name, file, number)
            case facts.Call():
                self._call(file, number, expr)
            case facts.Index():
                self.expression(file, expr.object)
                if self._data:
                    self.expression(file, expr.key)
                flow.each(nodes.expression(file, expr.object), lambda token: self._element(token, file, number))
            case facts.Choice():
                self._each(file, expr.options)
            case facts.Operation():
                if self._data or expr.operator in PASSING:
                    self._each(file, expr.operands)
                if self._data and expr.operator not in PASSING:
                    flow.edges.data.operation(file, number, expr)
            case facts.Collection():
                flow.put(node, CollectionValue((file, number)))
            case facts.Function():
                record = flow.store.files[file].facts.scopes[expr.scope]
                if record.kind == "class":
                    self.type(file, expr.scope)
                else:
                    self.function(file, expr.scope)
            case _ if self._data:
                flow.put(node, Unknown())

    def _element(self, token: int, file: int = NONE, number: int = NONE) -> None:
        value = self._flow.values[token]
        if isinstance(value, CollectionValue):
            self.elements(value)
        elif number != NONE and self._data:
            if isinstance(value, Instance) and ((file, token), "") not in self._stored:
                self._stored.add(((file, token), ""))
                self._stored_at(token, file)
            for one in self._flow.edges.data.element(token, file, number):
                self._flow.put(nodes.expression(file, number), one)

    def elements(self, value: CollectionValue, key: str | int = nodes.ANY) -> None:
        """Somebody wants to know what a collection holds under a key (`nodes.ANY`: under any)."""
        if value.ref[1] < 0 or (value.ref, key) in self._collections or (value.ref, nodes.ANY) in self._collections:
            return
        self._collections.add((value.ref, key))
        expr = self._flow.store.expr(value.ref)
        if isinstance(expr, facts.Collection):
            exprs = self._flow.store.files[value.ref[0]].facts.exprs
            for position, item in enumerate(expr.items):
                written = exprs[expr.keys[position]] if expr.keys and expr.keys[position] != NONE else None
                if key == nodes.ANY or not isinstance(written, facts.Literal) or written.value == key:
                    self.expression(value.ref[0], item)
        if self._data and (value.ref, "") not in self._collections:
            self._collections.add((value.ref, ""))
            self._stored_at(self._flow.token(value), value.ref[0])

    def _stored_at(self, wanted: int, file: int) -> None:
        """What one file stores in a collection, or in an object that is used like one, under a key."""
        index = self._flow.store.files[file]
        for write in index.facts.writes:
            target = index.facts.exprs[write.target]
            if isinstance(target, facts.Index | facts.Member) and write.value != NONE:
                self.expression(file, target.object)
                self._when(nodes.expression(file, target.object), wanted, (file, write.value))

    def _when(self, node: Node, token: int, asked: tuple[int, int]) -> None:
        """Ask for an expression once a node holds a token."""
        waiting = self._waiting.get(node)
        if waiting is None:
            waiting = self._waiting[node] = _Waiting(self)
            self._flow.each(node, waiting.consume)
        waiting.ask(token, asked)

    def _loaded(self, node: Node, base: Node, name: str, file: int, number: int) -> None:
        """What objects at `base` have under a name is asked for, too."""
        flow = self._flow

        def consume(token: int) -> None:
            value = flow.values[token]
            if isinstance(value, Module) and value.file != NONE:
                self.export(value.file, flow.binder.local(value.file, name))
            elif isinstance(value, CollectionValue):
                self.elements(value, name)
                self._stored_in(token, name, value.ref[0])
            elif isinstance(value, Instance | ClassValue):
                self.field(value.file, value.scope, name)
            elif isinstance(value, LibraryObject) and value.subclass is not None:
                self.field(*value.subclass, name)
            elif isinstance(value, FunctionValue) and not self._data:
                self._stored_in(token, name, value.file)
            elif isinstance(value, LibraryObject | FunctionValue):
                if self._data:
                    self._stored_in(token, name)
            for one in () if not self._data else flow.edges.data.member(token, name, file, number):
                flow.put(node, one)

        flow.each(base, consume)

    def _name(self, file: int, number: int, expr: facts.Name) -> None:
        flow = self._flow
        names = flow.binder.names(file)
        found = names.at(number)
        for one in found:
            self.definition(file, one.kind, one.scope, one.number)
        index = flow.store.files[file]
        inherited = False
        for scope in names.enclosing(expr.block):
            record = index.facts.scopes[scope]
            if record.receiver and (expr.name in (record.receiver, "super")):
                self._receiver(file, scope)
                return
            if record.kind == "class" and record.is_open and not found:
                inherited = inherited or self._is_member(file, scope, expr.name)
                self.field(file, scope, expr.name)
                for method in flow.binder.methods(file, scope, expr.name):
                    self.function(method.file, method.scope)
            if record.receiver_value != NONE and not found:
                self.expression(file, record.receiver_value)
        if not found:
            values = flow.binder.bare(file, expr.name, expr.block, expr.start)
            constant = flow.binder.roles(file).constants.get(expr.name)  # Infinity
            for value in values:
                self._static(value)
                if self._data and isinstance(value, External) and constant is None and not inherited:
                    flow.put(nodes.expression(file, number), value)
            if self._data and constant is not None:
                flow.put(nodes.expression(file, number), Const(constant, "float", (file, NONE)))
            if flow.binder.words(file).implicit_package:
                self._package(file, expr.name)
            if flow.binder.words(file).star_names == "module":
                for scope in names.enclosing(expr.block):
                    if scope in index.stars:
                        self._taken_over(file, scope, flow.binder.local(file, expr.name))
            if flow.binder.words(file).star_names == "package":
                for scope in names.enclosing(expr.block):
                    for item in index.stars.get(scope, ()):
                        self._of_star(file, number, item.module, expr.name)

    def _is_member(self, file: int, scope: int, name: str) -> bool:
        """Whether a class or a base of it has a member of a name."""
        for other, number in self._flow.binder.project_line(file, scope):
            index = self._flow.store.files[other]
            if (number, name) in index.bindings or (number, name) in index.definitions:
                return True
        return False

    def _package(self, file: int, name: str) -> None:
        """Functions and variables of a package need no import."""
        flow = self._flow
        self._of_package(flow.store.files[file].facts.package, name)

    def _of_package(self, package: str, name: str) -> None:
        if (package, name) not in self._packaged:
            self._packaged.add((package, name))
            for other in self._flow.store.in_package(package):
                self.export(other.number, name)

    def _of_star(self, file: int, number: int, package: str, name: str) -> None:
        """Variables of a package or class all of whose names are imported."""
        flow = self._flow
        target = nodes.expression(file, number)
        for other, scope in flow.binder.variables(file, package, name):
            if scope == 0:
                self.export(other, name)
            else:
                self.type(other, scope)
                self.field(other, scope, name)
                flow.edges.members.of_class(other, scope, name, ClassValue(other, scope), target, target)

    def _static(self, value: object) -> None:
        if isinstance(value, FunctionValue):
            self.function(value.file, value.scope)
        elif isinstance(value, ClassValue):
            self.type(value.file, value.scope)
        if isinstance(value, FunctionValue | ClassValue):
            record = self._flow.store.files[value.file].facts.scopes[value.scope]
            if record.parent == 0 and record.name:
                self.export(value.file, record.name)

    def _receiver(self, file: int, scope: int) -> None:
        flow = self._flow
        index = flow.store.files[file]
        record = index.facts.scopes[scope]
        if record.receiver_value != NONE:
            self.expression(file, record.receiver_value)
            return
        owner = scope if record.kind == "class" else index.class_of(scope)
        if owner != NONE:
            flow.edges.objects.activate(file, owner)
            return
        number = index.function_expr.get(scope)
        parent = index.parents.get(number) if number is not None else None
        if parent is not None and isinstance(index.facts.exprs[parent], facts.Collection):
            value = CollectionValue((file, parent))
            flow.put(nodes.receiver(file, scope), value)
            flow.put(nodes.expression(file, parent), value)
        elif record.parameters and record.parameters[0].name == "this":
            self.parameter(file, scope, 0)

    # -- definitions ---------------------------------------------------------------------------------------------------

    def definition(self, file: int, kind: str, scope: int, number: int) -> None:
        flow = self._flow
        record = flow.store.files[file].facts
        if kind == "definition":
            if record.scopes[number].kind == "class":
                self.type(file, number)
            else:
                self.function(file, number)
        elif kind == "parameter":
            self.parameter(file, scope, number)
        elif kind == "import":
            self._import(file, number)
        else:
            binding = record.bindings[number]
            if (file, number) in self._bindings:
                return
            self._bindings.add((file, number))
            self._back(nodes.binding(file, number))
            if record.scopes[binding.scope].kind == "class":
                self.field(file, binding.scope, binding.name)
            if binding.kind == "except":
                if self._data:
                    flow.put(nodes.binding(file, number), Unknown())
                return
            if binding.value != NONE:
                self.expression(file, binding.value)
                if binding.path or binding.kind == "for":
                    flow.each(nodes.expression(file, binding.value), self._element)
                if binding.kind == "for" and self._data:
                    flow.each(nodes.expression(file, binding.value), lambda token: self._looped(token, file, number))
            elif binding.decorators and self._data:
                flow.edges.data.setting(file, binding.decorators, nodes.binding(file, number))
            if binding.annotation != NONE:
                known = nodes.binding(file, number) if binding.value == NONE else None
                self._annotation(file, binding.annotation, known)

    def _looped(self, token: int, file: int, number: int) -> None:
        flow = self._flow
        binding = flow.store.files[file].facts.bindings[number]
        target = nodes.binding(file, number)
        for one in flow.edges.data.looped(token, file, binding.value):
            flow.put(target, one)
        value = flow.values[token]
        if isinstance(value, EnumValues):
            self.constants_of(value.file, value.scope, target)

    def constants_of(self, file: int, scope: int, target: Node) -> None:
        """The objects that an enumeration consists of flow to a node."""
        flow = self._flow
        index = flow.store.files[file]
        for one in index.facts.bindings:
            if one.scope == scope and one.value != NONE and one.kind == "assign":
                self.expression(file, one.value)
                flow.copy(nodes.expression(file, one.value), target)

    def _annotation(self, file: int, annotation: int, target: Node | None = None) -> None:
        """Classes that a type names are followed, so that what is declared as one is known."""
        pending = [annotation]
        exprs = self._flow.store.files[file].facts.exprs
        while pending:
            number = pending.pop()
            expr = exprs[number]
            if isinstance(expr, facts.Name | facts.Member):
                for value in self._flow.binder.static(file, number):
                    self._static(value)
                    if isinstance(value, ClassValue):
                        self._flow.put(nodes.expression(file, number), value)
                    if self._data and isinstance(value, External) and target is not None and "." in value.dotted:
                        if self._flow.catalogue.type(value.dotted) is None and self._is_type(file, annotation, number):
                            self._flow.put(target, ExternalObject(value.dotted))
            elif isinstance(expr, facts.Operation):
                pending += expr.operands
            elif isinstance(expr, facts.Index):
                pending += [expr.object, expr.key]
            elif isinstance(expr, facts.Collection):
                pending += expr.items

    def _is_type(self, file: int, annotation: int, number: int) -> bool:
        """Whether a name is the type that an annotation says, not an argument of one, nor what says how it is given."""
        exprs = self._flow.store.files[file].facts.exprs
        wrappers = self._flow.binder.roles(file).words.type_wrappers
        pending = [annotation]
        while pending:
            current = pending.pop()
            expr = exprs[current]
            if isinstance(expr, facts.Index):
                wraps = getattr(exprs[expr.object], "name", "") in wrappers
                pending.append(expr.key if wraps else expr.object)
            elif isinstance(expr, facts.Operation):
                pending += expr.operands
            elif isinstance(expr, facts.Collection):
                pending += expr.items
            elif current == number:
                return True
        return False

    def parameter(self, file: int, scope: int, position: int) -> None:
        """Somebody wants to know what a function receives: its calls are found, and their arguments asked for."""
        key = (file, scope, position)
        if key in self._parameters:
            return
        self._parameters.add(key)
        self._back(nodes.parameter(*key))
        flow = self._flow
        index = flow.store.files[file]
        record = index.facts.scopes[scope]
        item = record.parameters[position]
        if record.receiver and item.name == record.receiver and record.belongs:
            self._receiver(file, scope)
            return
        if self._data:
            self.fresh_parameters.append(key)
            self._callers(file, scope)
        if self._data and item.kind in ("*", "**"):
            flow.put(nodes.parameter(*key), ParameterValue(*key))
        if self._data and item.decorators:
            flow.edges.data.setting(file, item.decorators, nodes.parameter(*key))
        self._given(file, scope, position)
        if item.annotation != NONE:
            self._annotation(file, item.annotation, nodes.parameter(*key))
        if item.default != NONE:
            self.expression(file, item.default)
        self.function(file, scope)
        owner = index.class_of(scope)
        flow.relevance.seek_callers(file, scope, (file, owner) if owner != NONE else None)
        for edge in tuple(flow.edges.calls.callers.get((file, scope), ())):
            call = flow.store.expr(edge.ref)
            assert isinstance(call, facts.Call)
            for argument, at in flow.edges.calls.placed(edge, call, record):
                if at in (position, NONE):
                    self.expression(edge.file, argument.value)

    def _callers(self, file: int, scope: int) -> None:
        """Whatever may call a function is asked for: what it is passed to, and calls of the names it is kept under."""
        if (file, scope) in self._called:
            return
        self._called.add((file, scope))
        flow = self._flow
        name = flow.store.files[file].facts.scopes[scope].name
        if name:
            self._called_by_name(file, name)
        flow.each_place((file, scope), partial(self._placed, file, scope))

    def _placed(self, file: int, scope: int, node: Node) -> None:
        """A function whose callers are asked for stands at a node."""
        store = self._flow.store
        kind = node[0]
        if kind == nodes.EXPRESSION and node[2] >= 0:
            place = store.files[node[1]].argument_of.get(node[2])
            call = store.files[node[1]].facts.exprs[place[0]] if place is not None else None
            if isinstance(call, facts.Call):
                self.expression(node[1], call.callee)
        elif kind == nodes.PARAMETER:
            annotation = store.files[node[1]].facts.scopes[node[2]].parameters[node[3]].annotation
            if annotation != NONE:
                self._annotation(node[1], annotation)
        elif kind == nodes.ELEMENT and node[2] >= 0:
            self._flow.relevance.seek_holders(CollectionValue((node[1], node[2])))
            self.expression(node[1], node[2])
            if isinstance(node[3], str) and node[3] not in (nodes.ANY, "?"):
                self._called_by_name(file, node[3])
        elif kind in (nodes.EXPORT, nodes.FIELD):
            if kind == nodes.FIELD and (file, store.files[file].facts.scopes[scope].parent) != node[1:3]:
                self._flow.relevance.seek_holders(ClassValue(node[1], node[2]))
            self._called_by_name(file, node[-1].removeprefix("exports."))

    def _called_by_name(self, file: int, name: str) -> None:
        """Calls of a member of a name may be calls of a function, unless they are too many to ask for."""
        flow = self._flow
        if (flow.binder.runtime(file), name) in self._sought:
            return
        self._sought.add((flow.binder.runtime(file), name))
        found = [
            (other, number)
            for other, number in flow.store.named(name)
            if number in flow.store.files[other].call_of
            and isinstance(flow.store.files[other].facts.exprs[number], facts.Member)
            and flow.binder.runtime(other) == flow.binder.runtime(file)
        ]
        if len(found) <= _MOST_NAMED:
            for other, number in found:
                self.expression(other, number)

    def _given(self, file: int, scope: int, position: int) -> None:
        """What a promise or a collection hands to a function that is written where it is passed."""
        flow = self._flow
        index = flow.store.files[file]
        number = index.function_expr.get(scope)
        place = index.argument_of.get(number) if number is not None else None
        if place is None:
            return
        call = index.facts.exprs[place[0]]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        if not isinstance(call, facts.Call):
            return
        words = flow.binder.roles(file).words
        target = nodes.parameter(file, scope, position)
        flow.edges.foreign.given(file, place[0], call, place[1], position)
        if not isinstance(callee, facts.Member):
            return
        if position == 0 and (callee.name in words.thenables or callee.name in words.scope_functions):
            flow.handed.add(target)
            self.expression(file, callee.object)
            flow.copy(nodes.expression(file, callee.object), target)
        elif callee.name in words.folds and position == 0:
            if len(call.arguments) > 1:
                flow.handed.add(target)
                self.expression(file, call.arguments[1].value)
                flow.copy(nodes.expression(file, call.arguments[1].value), target)
        elif callee.name in words.element_callbacks and position == (1 if callee.name in words.folds else 0):
            self._element_of(file, callee.object, target)

    def _element_of(self, file: int, data: int, target: Node) -> None:
        """Something outside hands the elements of a collection to the parameter `target`."""
        flow = self._flow
        flow.handed.add(target)
        self.expression(file, data)

        def consume(token: int) -> None:
            value = flow.values[token]
            if isinstance(value, CollectionValue):
                flow.edges.members.read(value, nodes.ANY, target)
                self.elements(value)
            elif isinstance(value, EnumValues):
                self.constants_of(value.file, value.scope, target)
            elif self._data and flow.edges.data.looped(token, file, data):
                flow.put(target, LoopValue((file, data)))

        flow.each(nodes.expression(file, data), consume)

    def _import(self, file: int, number: int) -> None:
        flow = self._flow
        if (file, number) in self._imports:
            return
        self._imports.add((file, number))
        self._back(nodes.imported(file, number))
        item = flow.store.files[file].facts.imports[number]
        for value in flow.binder.imported(file, item) if self._data else ():
            if isinstance(value, External):
                flow.put(nodes.imported(file, number), flow.edges.objects.outside(value.dotted))
        words = flow.binder.words(file)
        if words.resolver == "package":
            for value in flow.binder.imported(file, item):
                self._static(value)
            package, _, last = item.module.rpartition(".")
            for value in flow.binder.in_package(file, package, last):
                if isinstance(value, ClassValue):
                    self.type(value.file, value.scope)
                    self.field(value.file, value.scope, item.name)
                    target = nodes.imported(file, number)
                    flow.edges.members.of_class(value.file, value.scope, item.name, value, target, target)
            self._of_package(item.module, item.name)
            for other in flow.binder.declaring(file, item.module, item.name):
                self.export(other.number, item.name)
            return
        module = flow.binder.module(file, item)
        if not isinstance(module, Module) or module.file == NONE:
            return
        if words.explicit_exports:
            if item.name in ("", "default"):
                self.export(module.file, "exports")
                for value in flow.binder.imported(file, item):
                    if isinstance(value, Module):
                        flow.put(nodes.imported(file, number), value)
            if item.name:
                self.export(module.file, f"exports.{item.name}")
        elif item.name:
            self.export(module.file, item.name)
            if not flow.binder.names(module.file).definitions(0, item.name):
                for value in flow.binder.imported(file, item):
                    if isinstance(value, Module) and value.file != NONE:
                        flow.put(nodes.imported(file, number), value)
        else:
            flow.put(nodes.imported(file, number), module)

    def export(self, file: int, name: str) -> None:
        """Somebody wants to know what a module hands out under a name."""
        if (file, name) in self._exports:
            return
        self._exports.add((file, name))
        self._back(nodes.export(file, name))
        flow = self._flow
        names = flow.binder.names(file)
        found = names.definitions(0, name)
        for one in found:
            self.definition(file, one.kind, one.scope, one.number)
        if not found and name.startswith("exports."):
            self.export(file, "exports")
        if not found:
            self._taken_over(file, 0, name)

    def _taken_over(self, file: int, scope: int, name: str) -> None:
        """A name is asked for that an import of all names may bring in."""
        binder = self._flow.binder
        group = binder.reexports.group(file)
        others: Iterable[int] = binder.taken(file, scope)[0]
        if scope == 0 and len(group.members) > 1:
            node = nodes.shared(group.number, name.removeprefix("exports."))
            if node in self._others:
                return
            self._others.add(node)
            self._back(node)
            names = (name, "exports") if name.startswith("exports.") else (name,)
            others = [*(one for each in names for one in group.defining(each, binder.names)), *group.beyond]
        for other in others:
            if (other, name) not in self._exports and self._has(other, name):
                self.export(other, name)

    def _has(self, file: int, name: str) -> bool:
        """Whether a module hands out a name, or something as a whole, or takes it over from one that does."""
        providers = self._flow.binder.reexports.providers
        names = (name, "exports") if name.startswith("exports.") else (name,)
        return any(providers(file, each)[0] for each in names)

    # -- functions, classes, fields ------------------------------------------------------------------------------------

    def function(self, file: int, scope: int) -> None:
        """A function is followed from where it is defined."""
        key = (file, scope)
        if key in self._functions:
            return
        self._functions.add(key)
        flow = self._flow
        index = flow.store.files[file]
        record = index.facts.scopes[scope]
        owner = index.class_of(scope)
        if owner != NONE:
            flow.edges.objects.activate(file, owner)
        flow.edges.names.seed_definition(file, scope)
        number = index.function_expr.get(scope)
        parent = index.parents.get(number) if number is not None else None
        if parent is not None and isinstance(index.facts.exprs[parent], facts.Collection) and record.receiver:
            flow.put(nodes.receiver(file, scope), CollectionValue((file, parent)))

    def type(self, file: int, scope: int) -> None:
        """A class is followed from where it is defined."""
        self._flow.edges.objects.activate(file, scope)

    def field(self, file: int, scope: int, name: str) -> None:
        """Somebody wants to know what a field of a class holds: what the class, its bases and subclasses store there
        is asked for.
        """
        key = (file, scope, name)
        if key in self._fields:
            return
        self._fields.add(key)
        self._back(nodes.field(*key))
        flow = self._flow
        family = {*flow.binder.project_line(file, scope), *flow.binder.subclasses(file, scope)}
        for owner in sorted(family):
            filled = flow.edges.members.filled(owner, name)
            if filled is not None and flow.edges.members.is_written_out(owner, *filled):
                flow.edges.objects.tell_apart(*owner)
            for one in flow.binder.names(owner[0]).definitions(owner[1], name):
                if one.kind != "definition" or flow.store.files[owner[0]].facts.scopes[one.number].kind == "class":
                    self.definition(owner[0], one.kind, one.scope, one.number)
                elif flow.store.files[owner[0]].facts.scopes[one.number].kind == "class":
                    self.type(owner[0], one.number)
            if self._data and flow.edges.calls.is_declared(*owner, name):
                for maker in (owner, *flow.binder.subclasses(*owner)):
                    if not flow.binder.constructors(*maker):
                        self.type(*maker)
                        flow.relevance.seek_makers(*maker)
        self._fields_by_name[name].append(key)
        for other, write in flow.store.writes(name):
            self._field_written(key, family, other, write)

    def _field_written(
        self, key: tuple[int, int, str], family: set[tuple[int, int]], other: int, write: facts.Write
    ) -> None:
        """A store in a member of the name of a field that is asked for."""
        flow = self._flow
        if flow.binder.runtime(other) != flow.binder.runtime(key[0]):
            return
        target = flow.store.files[other].facts.exprs[write.target]
        if not isinstance(target, facts.Member | facts.Index):
            return
        owner_class = self._class_of_receiver(other, target.object)
        if owner_class is None:
            if self._data or self._is_named(other, target.object, family):
                self._elsewhere(other, write, target.object, family)
        elif (other, owner_class) in family:
            self.expression(other, target.object)  # stores are followed from what the receiver stands for
            self._written(other, write)

    def enter(self, index: FileIndex) -> None:
        """Take in a file that was read since: what it stores under names, and what it hands out in its package."""
        flow = self._flow
        for name, writes in index.writes_by_name.items():
            for key in tuple(self._fields_by_name.get(name, ())):
                file, scope, _ = key
                family = {*flow.binder.project_line(file, scope), *flow.binder.subclasses(file, scope)}
                for write in writes:
                    self._field_written(key, family, index.number, write)
            for token, only in tuple(self._stored_by_name.get(name, ())):
                for write in writes:
                    self._member_written(token, only, index.number, write)
        runtime = flow.binder.runtime(index.number)
        for sought in [one for one in self._sought if one[0] == runtime and one[1] in index.by_name]:
            self._sought.discard(sought)
            self._called_by_name(index.number, sought[1])
        for package, name in tuple(self._packaged):
            if index.facts.package == package:
                self.export(index.number, name)

    def _written(self, file: int, write: facts.Write) -> None:
        if write.value != NONE:
            self.expression(file, write.value)
        if write.annotation != NONE:
            self._annotation(file, write.annotation)

    def _class_of_receiver(self, file: int, number: int) -> int | None:
        """The class whose object a bare name is in its methods; None for any other expression."""
        names = self._flow.binder.names(file)
        expr = names.index.facts.exprs[number]
        if not isinstance(expr, facts.Name):
            return None
        for scope in names.enclosing(expr.block):
            record = names.index.facts.scopes[scope]
            if record.receiver and record.receiver == expr.name:
                owner = scope if record.kind == "class" else names.index.class_of(scope)
                return owner if owner != NONE else None
        return None

    def _is_named(self, file: int, number: int, family: set[tuple[int, int]]) -> bool:
        """Whether an expression is the name of one of some classes, in the file that the class stands in."""
        record = self._flow.store.files[file].facts
        if all(file != other for other, _ in family) or not isinstance(record.exprs[number], facts.Name):
            return False
        for one in self._flow.binder.names(file).at(number):
            scope = one.number if one.kind == "definition" else NONE
            if one.kind not in ("definition", "parameter", "import") and record.bindings[one.number].value != NONE:
                value = record.exprs[record.bindings[one.number].value]
                scope = value.scope if isinstance(value, facts.Function) else NONE
            if (file, scope) in family:
                return True
        return False

    def _elsewhere(self, file: int, write: facts.Write, base: int, family: set[tuple[int, int]]) -> None:
        """A field that is written from outside of its class."""
        flow = self._flow
        self.expression(file, base)

        def consume(token: int) -> None:
            value = flow.values[token]
            if isinstance(value, Instance | ClassValue) and (value.file, value.scope) in family:
                self._written(file, write)

        flow.each(nodes.expression(file, base), consume)

    def _stored_in(self, token: int, name: str, only: int = NONE) -> None:
        """What is stored in a member of an object of a library, of a function, or of an object written out."""
        if (token, name) in self._stored:
            return
        self._stored.add((token, name))
        self._stored_by_name[name].append((token, only))
        for file, write in self._flow.store.writes(name):
            self._member_written(token, only, file, write)

    def _member_written(self, token: int, only: int, file: int, write: facts.Write) -> None:
        target = self._flow.store.files[file].facts.exprs[write.target]
        if only in (NONE, file) and isinstance(target, facts.Member | facts.Index) and write.value != NONE:
            self.expression(file, target.object)
            self._when(nodes.expression(file, target.object), token, (file, write.value))

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _bare_object(self, file: int, number: int, expr: facts.Call) -> None:
        """A method that makes the objects of its class gets one from that of the base: ``super().__new__(cls)``."""
        index = self._flow.store.files[file]
        callee = index.facts.exprs[expr.callee]
        record = index.facts.scopes[index.function_of(expr.block)]
        if not isinstance(callee, facts.Member) or callee.name != record.name or not record.is_constructor:
            return
        given = index.facts.exprs[expr.arguments[0].value] if expr.arguments else None
        if record.belongs == "class" and isinstance(given, facts.Name) and given.name == record.receiver:
            made = self._flow.edges.objects.typed(file, record.parent)
            self._flow.put(nodes.expression(file, number), made)

    def _call(self, file: int, number: int, expr: facts.Call) -> None:
        flow = self._flow
        if self._data and self._gives_text(file, expr):
            flow.put(nodes.expression(file, number), Text((file, number)))
            return
        self._bare_object(file, number, expr)
        self.expression(file, expr.callee)
        callee = nodes.expression(file, expr.callee)

        def consume(token: int) -> None:
            value = flow.values[token]
            if isinstance(value, FunctionValue):
                self.result(value.file, value.scope)
                for argument in self._handed_back(value, file, number, expr):
                    self.expression(file, argument.value)
            elif not self._data:
                return
            elif isinstance(value, LibraryMethod):
                flow.edges.calls.call(file, number, expr, token, callee)
            else:
                flow.edges.data.call(token, file, number, expr)

        flow.each(callee, consume)
        flow.edges.foreign.wanted(file, number, expr, self)

    def _gives_text(self, file: int, expr: facts.Call) -> bool:
        """Whether a call is a method of text, called on what a function receives: ``name.trim().toLowerCase()``. What
        comes of it is text, whoever calls the function; only who asks for the text itself looks further.
        """
        binder = self._flow.binder
        record = self._flow.store.files[file].facts
        functions, others = binder.roles(file).text_functions, self._flow.edges.foreign.collection_methods(file)
        while True:
            callee = record.exprs[expr.callee]
            if not isinstance(callee, facts.Member) or callee.name not in functions or callee.name in others:
                return False
            if binder.is_method(callee.name):
                return False
            base = record.exprs[callee.object]
            if isinstance(base, facts.Name):
                found = binder.names(file).at(callee.object)
                return bool(found) and all(one.kind == "parameter" for one in found)
            if not isinstance(base, facts.Call):
                return False
            expr = base

    def _handed_back(self, function: FunctionValue, file: int, number: int, expr: facts.Call) -> list[facts.Argument]:
        """The arguments that a function returns as they are."""
        flow = self._flow
        own = flow.edges.calls.handed_back(function.file, function.scope)
        if not own:
            return []
        record = flow.store.files[function.file].facts.scopes[function.scope]
        bound = flow.edges.calls.bound(function, record)
        placed = flow.edges.calls.placed(CallEdge(file, number, bound), expr, record)
        for position in own.values():
            default = record.parameters[position].default
            if default != NONE and all(at != position for _, at in placed):
                self.expression(function.file, default)
        return [argument for argument, at in placed if at in own.values()]

    def result(self, file: int, scope: int) -> None:
        """Somebody wants to know what a function returns."""
        key = (file, scope)
        if key in self._results:
            return
        self._results.add(key)
        self._back(nodes.returned(*key))
        flow = self._flow
        index = flow.store.files[file]
        record = index.facts.scopes[scope]
        for jump in index.jumps.get(scope, ()):
            if jump.kind in ("return", "yield") and jump.value != NONE:
                self.expression(file, jump.value)
        if record.returns != NONE:
            self._annotation(file, record.returns)

    def returned(self, file: int, scope: int) -> None:
        """A function returns something that is followed: the function is followed, too."""
        index = self._flow.store.files[file]
        if index.facts.scopes[scope].kind == "function" or scope in index.function_expr:
            self._flow.relevance.of_function(file, scope)
            self.function(file, scope)
        record = index.facts.scopes[scope]
        if record.is_constructor and record.belongs == "class":  # it decides what a call of its class gives
            self._flow.edges.objects.lead(file, record.parent)
            self.type(file, record.parent)


class _Waiting:
    """What is asked for once a node holds certain tokens. Collections that are stored into are many, and so are the
    tokens: each is looked up, not compared with every one that is waited for.
    """

    __slots__ = ("_asked", "_came", "_demand")

    def __init__(self, demand: Demand) -> None:
        self._demand = demand
        self._asked: dict[int, list[tuple[int, int]]] = {}
        self._came: set[int] = set()

    def ask(self, token: int, asked: tuple[int, int]) -> None:
        """Ask for an expression once the node has a token, which may be now."""
        self._asked.setdefault(token, []).append(asked)
        if token in self._came:
            self._demand.expression(*asked)

    def consume(self, token: int) -> None:
        """The node has a token."""
        self._came.add(token)
        for asked in tuple(self._asked.get(token, ())):
            self._demand.expression(*asked)
