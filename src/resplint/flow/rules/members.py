"""Members and elements: what is stored in them and what reading them gives."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

from resplint.bind.binder import Scoped
from resplint.bind.index import FileIndex, children
from resplint.bind.values import (
    ClassValue,
    CollectionMethod,
    CollectionValue,
    Const,
    EnumValues,
    External,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Module,
    Outside,
    Ref,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow, Token
from resplint.flow.nodes import CallEdge, Node

MAX_PARTS = 16
"""Names in a row in a path outside the project."""
MAX_BARE = 3
"""The same, where patterns take them apart."""
UNKNOWN = "?"
"""Key of what is stored under a key that is not known."""
WHOLE = "*"
"""Name under which a module keeps the objects whose members it hands on: ``export * from './whole'``."""
EXTENDED = "this"
"""Name of the first parameter of a function that extends a type: the object it is called on."""
_BASE = "super"
_TAKES_COMMANDS = ("client", "cluster", "pipeline")


def is_made(owner: Value | None) -> bool:
    """Whether an object was seen being made, so that it is of its class and of no other."""
    if isinstance(owner, Instance):
        return owner.exact
    return isinstance(owner, LibraryObject) and owner.made is not None


def _nothing(token: Token) -> None:
    """What flows by rules alone: the edge only says where from."""


class Members:
    """Loads and stores of members and elements."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._spread: dict[Ref, list[Node]] = defaultdict(list)
        self._reads: dict[Ref, list[tuple[str | int, Node]]] = defaultdict(list)
        self._active: set[Ref] = set()
        self._coded: dict[int, set[int]] = {}
        self._receivers: dict[int, dict[int, list[int]]] = {}
        self._written_out: dict[tuple[int, ...], bool] = {}
        self._filled: dict[tuple[int, int, str], tuple[tuple[int, int], int] | None] = {}
        self._filled_reads: set[tuple[tuple[int, int], Node, Instance]] = set()
        self._fields_read: set[tuple[Node, Node, Instance]] = set()
        self._having: dict[str, set[Scoped]] = defaultdict(set)
        """Name of a field -> the classes that have it."""
        self._readers: dict[tuple[str, Scoped], list[tuple[Value | None, Node]]] = defaultdict(list)
        """Name of a field and a class -> who reads it."""
        self._extended: list[tuple[LibraryObject, str, Node, Node, int, int]] = []
        """Objects of libraries, and members of them that the library does not know."""
        self._asked_fields: set[tuple[Node, Node, str]] = set()
        self._delegations: set[tuple[Node, str, Node]] = set()
        self._looked_up: dict[Scoped, list[int]] = {}
        self._own_members: dict[tuple[int, int, str], bool] = {}

    # -- loads ---------------------------------------------------------------------------------------------------------

    def load_each(self, node: Node, name: str, target: Node, file: int, holder: int) -> None:
        """`object.name` for every object that `node` holds."""
        self._flow.rests(target, node)
        self._flow.each(node, partial(self._load, name, target, node, file, holder))

    def _load(self, name: str, target: Node, source: Node, file: int, holder: int, token: Token) -> None:
        self.load(token, name, target, source, file, holder)

    def load(self, token: Token, name: str, target: Node, source: Node, file: int, holder: int) -> None:
        """`object.name` for one object."""
        flow = self._flow
        value = flow.values[token]
        match value:
            case ClassValue() | External() if name in flow.binder.roles(file).words.class_literals:
                flow.add(target, token, source)
            case Instance():
                if not self.of_class(value.file, value.scope, name, value, target, source) and holder >= 0:
                    self._reader(file, holder, value, name)
                    self._runs_on(file, holder, name)
            case LibraryObject():
                self._of_library(token, value, name, target, source, file, holder)
            case LibraryMethod():
                words = flow.binder.roles(file).words
                if name in words.bound_function_methods or name in words.function_methods:
                    flow.add(target, token, source)
                elif value.name in value.object.origin.library.library.namespaces:
                    flow.put(target, LibraryMethod(value.object, f"{value.name}.{name}"), source)
            case External():
                words = flow.binder.roles(file).words
                dotted = value.dotted if name == words.default_export and name else f"{value.dotted}.{name}"
                if dotted.count(".") > MAX_PARTS:
                    return
                constant = flow.binder.roles(file).constants.get(dotted)
                if constant is not None:
                    flow.put(target, Const(constant, "float", (file, holder)), source)
                elif self._is_written(dotted, file, holder):
                    flow.put(target, flow.edges.objects.outside(dotted), source)
                elif holder >= 0:
                    flow.put(target, Outside((file, holder)), source)
            case Module():
                self._of_module(value, name, target, source)
            case ClassValue():
                if not self.of_class(value.file, value.scope, name, value, target, source) and holder >= 0:
                    self._reader(file, holder, value, name)
            case FunctionValue():
                self._of_function(token, value, name, target, source, file)
            case CollectionValue():
                self._of_collection(value, name, target, source, file)

    def _is_written(self, dotted: str, file: int, holder: int) -> bool:
        """Whether a path outside the project stands as such in the code, or is known of a client library. What came by
        a parameter or field may be stored where it is read from, so that its path would grow without end.
        """
        flow = self._flow
        if flow.catalogue.leads_on(dotted):
            return True
        if holder < 0:
            return dotted.count(".") <= MAX_BARE
        return flow.binder.dotted(file, holder) == dotted

    def _of_library(
        self, token: Token, value: LibraryObject, name: str, target: Node, source: Node, file: int, holder: int
    ) -> None:
        flow = self._flow
        if value.subclass is not None and self.of_class(*value.subclass, name, value, target, source):
            return
        flow.copy(nodes.of_object(token, name), target)
        type_ = value.origin.type
        if type_.members or type_.elements:
            library = value.origin.library.library
            is_method = flow.catalogue.may_send(name) or name in library.opens or name in library.closes
            member = type_.members.get(name) or ("" if is_method else type_.elements)
            if member and (known := flow.catalogue.type(member)):
                flow.put(target, LibraryObject(flow.origin(*known), None, value), source)
                return
        flow.put(target, LibraryMethod(value, name), source)
        words = flow.binder.roles(file).words
        if words.bean_getters:
            self._as_field(value, name, target, source, file, holder)

    def _as_field(self, value: LibraryObject, name: str, target: Node, source: Node, file: int, holder: int) -> None:
        """`pool.resource` for `pool.getResource()`, and functions that extend a type."""
        flow = self._flow
        roles = flow.binder.roles(file)
        getters = (f"{prefix}{name[:1].upper()}{name[1:]}" for prefix in roles.words.reader_prefixes)
        method = next((one for each in getters if (one := flow.catalogue.method_of(value.origin, each))), None)
        if method is not None and method.returns and (known := flow.catalogue.type(method.returns)):
            origin = flow.origin(value.origin.library, known[1], None, method)
            flow.put(target, flow.edges.objects.derived(origin, (file, holder), value), source)
        if not flow.catalogue.may_send(name) and holder >= 0:
            self._extended.append((value, name, target, source, file, holder))
            self._extension(value, name, target, source, file, holder)

    def _extension(self, value: LibraryObject, name: str, target: Node, source: Node, file: int, holder: int) -> None:
        """A function of the project that extends the type of an object."""
        flow = self._flow
        expr = flow.store.files[file].facts.exprs[holder]
        for found in flow.binder.bare(file, name, expr.block, expr.start):
            if isinstance(found, FunctionValue):
                parameters = flow.store.files[found.file].facts.scopes[found.scope].parameters
                if parameters and parameters[0].name == EXTENDED:
                    flow.put(target, FunctionValue(found.file, found.scope, value), source)

    def enter(self, index: FileIndex) -> None:
        """Take in a file that was read since: functions in it may extend the types of objects that were seen before."""
        if any(one.parameters and one.parameters[0].name == EXTENDED for one in index.facts.scopes):
            for seen in tuple(self._extended):
                self._extension(*seen)

    def _of_module(self, value: Module, name: str, target: Node, source: Node) -> None:
        flow = self._flow
        if value.file != NONE:
            local = flow.binder.local(value.file, name)
            flow.copy(nodes.export(value.file, local), target)
            for demand in flow.edges.demands:
                if demand.wants(target):
                    demand.export(value.file, local)
            if flow.binder.words(value.file).explicit_exports:
                whole = nodes.export(value.file, "exports")
                if name == "default":
                    flow.copy(whole, target)
                elif not flow.binder.names(value.file).definitions(0, local):
                    for each in (whole, nodes.export(value.file, flow.binder.local(value.file, WHOLE))):
                        self.load_each(each, name, target, value.file, NONE)
                    for demand in flow.edges.demands:
                        if demand.wants(target):
                            demand.export(value.file, "exports")
                return
        for one in flow.binder.member(value, name) or flow.binder.submodule(value, name):
            if isinstance(one, Module):
                flow.put(target, one, source)

    def _of_function(
        self, token: Token, value: FunctionValue, name: str, target: Node, source: Node, file: int
    ) -> None:
        flow = self._flow
        words = flow.binder.roles(file).words
        if name in words.function_methods or name in words.bound_function_methods:
            flow.add(target, token, source)
        elif (
            not words.bound_function_methods and flow.store.files[value.file].function_expr.get(value.scope) is not None
        ):
            flow.add(target, token, source)  # the one method of a functional interface, whatever it is called
        flow.copy(nodes.of_object(token, name), target)

    def _of_collection(self, value: CollectionValue, name: str, target: Node, source: Node, file: int) -> None:
        flow = self._flow
        words = flow.binder.roles(file).words
        if words.map_members:
            self.read(value, name, target)
            if self._has_entry(value, name):
                return  # its own method, not that of a map: ``{ get: (key) => …, set }``
        if name in flow.edges.foreign.collection_methods(file):
            flow.put(target, CollectionMethod(value, name), source)

    def _has_entry(self, value: CollectionValue, name: str) -> bool:
        """Whether an object is written out with an entry of a name."""
        expr = self._flow.store.expr(value.ref) if value.ref[1] >= 0 else None
        if not isinstance(expr, facts.Collection):
            return False
        exprs = self._flow.store.files[value.ref[0]].facts.exprs
        keys = (exprs[key] for key in expr.keys if key != NONE)
        return any(isinstance(key, facts.Literal) and key.value == name for key in keys)

    def of_class(self, file: int, scope: int, name: str, owner: Value, target: Node, source: Node) -> bool:
        """A member of a class, or of an object of it; whether the class or a base has a method of that name."""
        flow = self._flow
        found = False
        instance = not isinstance(owner, ClassValue)
        words = flow.binder.roles(file).words
        if name == words.class_of_object and instance:
            flow.put(target, ClassValue(file, scope), source)
            return True
        if name in words.class_name and not instance:
            flow.put(target, Const(flow.store.files[file].facts.scopes[scope].name, "str", (file, NONE)), source)
            return True
        if not instance and name in words.enum_lists and self.is_enumeration(file, scope):
            flow.put(target, EnumValues(file, scope), source)
            return True
        above = [(file, scope)]
        self._field((file, scope), name, owner, target)
        for base in flow.binder.project_line(file, scope):
            if base != above[0]:
                above.append(base)
            methods = flow.binder.own_methods(*base, name) if flow.binder.is_method(name) else ()
            for method in methods:
                found = True
                self._method(method, owner, target, source, instance)
            if methods:
                break
        self._inherited(frozenset(above[1:]), name, owner, target)
        if instance and not is_made(owner) and name != flow.binder.roles(file).words.constructor:
            lacking = not found or all(self.is_abstract(one) for one in flow.binder.methods(file, scope, name))
            passed = self._passed_by(target)
            self._inherited(flow.binder.heirs(file, scope) - passed, name, None, target)
            if lacking and flow.binder.is_method(name):
                for sub in flow.binder.subclasses(file, scope):
                    for method in () if sub in passed else flow.binder.own_methods(*sub, name):
                        self._method(method, flow.edges.objects.typed(*sub), target, source, True)
        for demand in flow.edges.demands:
            if demand.wants(target):
                demand.field(file, scope, name)
        if not found and instance:
            self._delegated(file, scope, name, target)
        return found

    def _passed_by(self, target: Node) -> frozenset[Scoped]:
        """The classes that a member of the base is not looked up in: that of ``super.find`` and its heirs."""
        if target[0] != nodes.EXPRESSION:
            return frozenset()
        file, number = target[1:]
        index, binder = self._flow.store.files[file], self._flow.binder
        member = index.facts.exprs[number]
        base = binder.roles(file).words.base
        holder = index.facts.exprs[member.object] if isinstance(member, facts.Member) else None
        if isinstance(holder, facts.Call) and base:
            holder = index.facts.exprs[holder.callee]
        if not isinstance(holder, facts.Name) or holder.name != (base or _BASE):
            return frozenset()
        owner = index.class_of(index.function_of(holder.block))
        return frozenset({(file, owner), *binder.subclasses(file, owner)}) if owner != NONE else frozenset()

    def _inherited(self, classes: frozenset[Scoped], name: str, owner: Value | None, target: Node) -> None:
        """A field that the bases or heirs of a class may have: read from those that have one, now or later."""
        if not classes:
            return
        having = self._having[name]
        for one in sorted(classes):
            self._readers[name, one].append((owner, target))
            if one in having:
                self._field(one, name, owner, target)

    def field_appears(self, node: Node) -> None:
        """A field of a class gets its first value, or the first edge that leads to it."""
        _, file, scope, name = node
        if (file, scope) not in self._having[name]:
            self._having[name].add((file, scope))
            for owner, target in tuple(self._readers.get((name, (file, scope)), ())):
                self._field((file, scope), name, owner, target)

    def _field(self, base: Scoped, name: str, owner: Value | None, target: Node) -> None:
        """A field that a class of an object's family has."""
        flow = self._flow
        source = nodes.field(*base, name)
        if isinstance(owner, Instance) and owner.exact and self.hand_over(base, name, owner, target):
            return
        if not isinstance(owner, Instance) or (not owner.exact and (owner.file, owner.scope) == base):
            flow.copy(source, target)
        elif (source, target, owner) not in self._fields_read:
            self._fields_read.add((source, target, owner))

            def give(token: Token) -> Token | None:
                value = flow.values[token]
                if isinstance(value, FunctionValue) and value.owner == flow.edges.objects.typed(*base):
                    return None
                return flow.edges.heap.kept(token, *base, owner)

            flow.edge(source, target, give)

    def hand_over(self, base: tuple[int, int], name: str, owner: Instance, target: Node) -> bool:
        """A field that is what the constructor was passed: for one object, what the call that made it passes."""
        flow = self._flow
        filled = self.filled(base, name)
        if filled is None:
            return False
        constructor, position = filled
        makers = flow.binder.constructors(owner.file, owner.scope)
        if [(one.file, one.scope) for one in makers] != [constructor]:
            return False
        if owner.made is None:
            source = nodes.parameter(*constructor, position)
            flow.once(source, partial(flow.edges.objects.tell_apart, *base))
            if not self.is_written_out(base, constructor, position):
                flow.edge(source, target, lambda token: None if flow.is_object(token) else token)
            return True
        if (constructor, target, owner) not in self._filled_reads:
            self._filled_reads.add((constructor, target, owner))
            flow.copy(nodes.beside(*base, name), target)
            flow.edges.calls.each_edge(
                *constructor, lambda edge: self._fill(edge, owner, constructor, position, target)
            )
        return True

    def _fill(self, edge: CallEdge, owner: Instance, constructor: tuple[int, int], position: int, target: Node) -> None:
        flow = self._flow
        if edge.ref != owner.made:
            return
        record = flow.store.files[constructor[0]].facts.scopes[constructor[1]]
        call = flow.store.expr(edge.ref)
        assert isinstance(call, facts.Call)
        for argument, at in flow.edges.calls.placed(edge, call, record):
            if at == position:
                flow.copy(nodes.expression(edge.file, argument.value), target)
                return
        flow.copy(nodes.parameter(*constructor, position), target)

    def filled(self, base: tuple[int, int], name: str) -> tuple[tuple[int, int], int] | None:
        """The constructor and the position of the parameter that a field of a class is, going by the class itself."""
        key = (*base, name)
        if key not in self._filled:
            self._filled[key] = self._find_filled(base, name)
        return self._filled[key]

    def is_written_out(self, base: Scoped, constructor: Scoped, position: int) -> bool:
        """Whether some call that makes an object of a class, or of one that derives from it, spells what it passes for
        a parameter of the constructor. Where none does, what is known of the one object is known of all.
        """
        key = (*base, *constructor, position)
        known = self._written_out.get(key)
        if known is None:
            known = self._written_out[key] = any(
                self._spells(index, number, constructor, position)
                for one in (base, *self._flow.binder.subclasses(*base))
                if [(each.file, each.scope) for each in self._flow.binder.constructors(*one)] == [constructor]
                for index in self._flow.store.files.values()
                for number in index.by_name.get(self._flow.store.files[one[0]].facts.scopes[one[1]].name, ())
            )
        return known

    def _spells(self, index: FileIndex, number: int, constructor: Scoped, position: int) -> bool:
        """Whether a call spells what it passes for a parameter, or leaves it to a default that does."""
        call = index.call_of.get(number)
        expr = index.facts.exprs[call] if call is not None else None
        if call is None or not isinstance(expr, facts.Call):
            return False
        record = self._flow.store.files[constructor[0]].facts.scopes[constructor[1]]
        bound = 1 if record.receiver and record.parameters and record.parameters[0].name == record.receiver else 0
        edge = CallEdge(index.number, call, bound)
        given = [one.value for one, at in self._flow.edges.calls.placed(edge, expr, record) if at == position]
        if not given:
            return True
        return any(self._is_spelled(index, one) for one in given)

    def _is_spelled(self, index: FileIndex, number: int) -> bool:
        waiting, seen = [number], {number, NONE}
        while waiting:
            current = waiting.pop()
            expr = index.facts.exprs[current]
            if not isinstance(expr, facts.Name | facts.Call | facts.Index):
                return True
            for one in self._flow.binder.names(index.number).at(current) if isinstance(expr, facts.Name) else ():
                if one.kind == "import":
                    return True
                value = index.facts.bindings[one.number].value if one.kind == "assign" else NONE
                if value not in seen:
                    seen.add(value)
                    waiting.append(value)
        return False

    def _find_filled(self, base: tuple[int, int], name: str) -> tuple[tuple[int, int], int] | None:
        file, scope = base
        index = self._flow.store.files[file]
        values = [one.value for one in index.bindings.get((scope, name), ()) if one.value != NONE]
        for write in index.writes_by_name.get(name, ()):
            target = index.facts.exprs[write.target]
            held = index.facts.exprs[target.object] if isinstance(target, facts.Member) else None
            around = index.class_of(index.function_of(target.block))
            if self._is_receiver(file, held) and around == scope:
                if write.kind != "assign" or write.path:
                    return None
                values.append(write.value)
        if len(values) != 1 or not isinstance(index.facts.exprs[values[0]], facts.Name):
            return None
        found = self._flow.binder.names(file).at(values[0])
        constructors = index.constructors.get(scope, ())
        if len(found) != 1 or found[0].kind != "parameter" or list(constructors) != [found[0].scope]:
            return None
        if index.facts.scopes[found[0].scope].parameters[found[0].number].kind:
            return None
        return (file, found[0].scope), found[0].number

    def _is_filling(self, value: Instance | ClassValue, name: str, source: Node) -> bool:
        """Whether what is stored in a field is what the constructor is passed for it, or its declared type."""
        if source[:2] != (nodes.EXPRESSION, value.file):
            return False
        index = self._flow.store.files[value.file]
        writes = [
            one for one in index.writes_by_name.get(name, ())
            if index.class_of(index.function_of(index.facts.exprs[one.target].block)) == value.scope
        ]  # fmt: skip
        return any(source[2] in (one.value, -2 - one.target) for one in writes)

    def _is_receiver(self, file: int, expr: facts.Expr | None) -> bool:
        """Whether an expression is the object that the code around it runs on, by the name that it has there."""
        if not isinstance(expr, facts.Name):
            return False
        scopes = self._flow.store.files[file].facts.scopes
        return any(scopes[one].receiver == expr.name for one in self._flow.binder.names(file).enclosing(expr.block))

    def getter(self, file: int, scope: int) -> str:
        """The field that a method does nothing but hand out, "" for none."""
        index = self._flow.store.files[file]
        jumps = index.jumps.get(scope, ())
        value = jumps[0].value if len(jumps) == 1 and jumps[0].kind == "return" else NONE
        expr = index.facts.exprs[value] if value != NONE else None
        if isinstance(expr, facts.Member):
            held = index.facts.exprs[expr.object]
            return expr.name if self._is_receiver(file, held) else ""
        if isinstance(expr, facts.Name):
            found = self._flow.binder.names(file).at(value)
            owner = index.class_of(scope)
            return expr.name if found and all(one.scope == owner and one.kind != "parameter" for one in found) else ""
        return ""

    def is_enumeration(self, file: int, scope: int) -> bool:
        """Whether a class is an enumeration: its objects are as many as the code has."""
        names = self._flow.binder.roles(file).enumerations
        return any(isinstance(base, External) and base.dotted in names for base in self._flow.binder.line(file, scope))

    def _reader(self, file: int, holder: int, value: Instance | ClassValue, name: str) -> None:
        """`object.getClient()` where `client` is a marked field: a method that the compiler makes."""
        flow = self._flow
        words = flow.binder.roles(file).words
        prefix = next((one for one in words.reader_prefixes if name.startswith(one)), "")
        field = name[len(prefix) : len(prefix) + 1].lower() + name[len(prefix) + 1 :]
        index = flow.store.files[file]
        call = index.call_of.get(holder)
        found = index.facts.exprs[call] if call is not None else None
        if not prefix or not field or call is None or not isinstance(found, facts.Call) or found.arguments:
            return
        if self._is_marked(value, field):
            target = nodes.expression(file, call)
            self.of_class(value.file, value.scope, field, value, target, nodes.expression(file, holder))
            for demand in flow.edges.demands:
                if demand.wants(target):
                    demand.field(value.file, value.scope, field)

    def _runs_on(self, file: int, holder: int, name: str) -> None:
        """`object.also { … }`: a function that is called on any object runs the one that it is given."""
        index = self._flow.store.files[file]
        number = index.call_of.get(holder)
        call = index.facts.exprs[number] if number is not None else None
        if number is not None and isinstance(call, facts.Call):
            self._flow.edges.foreign.runs_on(file, number, call, name)

    def _is_marked(self, value: Instance | ClassValue, field: str) -> bool:
        """Whether a class (or one that it derives from) has a field with such a mark."""
        flow = self._flow
        for base in flow.binder.project_line(value.file, value.scope):
            marks = flow.binder.roles(base[0]).words.reader_marks
            index = flow.store.files[base[0]]
            for binding in index.bindings.get((base[1], field), ()) if marks else ():
                for number in (*binding.decorators, *index.facts.scopes[base[1]].decorators):
                    expr = index.facts.exprs[number]
                    if flow.binder.dotted(base[0], expr.callee if isinstance(expr, facts.Call) else number) in marks:
                        return True
        return False

    def _method(self, method: FunctionValue, owner: Value, target: Node, source: Node, instance: bool) -> None:
        flow = self._flow
        bound = FunctionValue(method.file, method.scope, owner)
        if instance and flow.edges.calls.is_property(method.file, method.scope):
            flow.edges.calls.results(bound, target, None)
        else:
            flow.put(target, bound, source)

    def is_abstract(self, method: FunctionValue) -> bool:
        """Whether a method has no code of its own: it is declared only, or empty for others to fill in."""
        known = self._coded.get(method.file)
        if known is None:
            known = self._coded[method.file] = self._with_code(method.file)
        return method.scope not in known

    def _with_code(self, file: int) -> set[int]:
        """The scopes of a file with anything in them but types, defaults and explanations."""
        index = self._flow.store.files[file]
        found = {index.facts.blocks[jump.block].scope for jump in index.facts.jumps if jump.kind != "raise"}
        declared = {
            one for scope in index.facts.scopes for item in scope.parameters for one in (item.annotation, item.default)
        }
        declared |= {scope.returns for scope in index.facts.scopes}
        pending = [one for one in declared if one != NONE]
        while pending:
            for one in children(index.facts.exprs[pending.pop()]):
                if one not in declared:
                    declared.add(one)
                    pending.append(one)
        found |= {
            index.facts.blocks[expr.block].scope
            for number, expr in enumerate(index.facts.exprs)
            if number not in declared and not isinstance(expr, facts.Literal)
        }
        return found | {index.facts.blocks[one.block].scope for one in index.facts.bindings}

    def _delegated(self, file: int, scope: int, name: str, target: Node) -> None:
        """A class that passes what it lacks on to what it wraps: ``__getattr__``."""
        flow = self._flow
        words = flow.binder.roles(file).words
        if not words.delegating or name.startswith("__") or self._has_own(file, scope, name):
            return
        for method in flow.binder.methods(file, scope, words.delegating)[:1]:
            for wrapped in self._passed_on(method.file, method.scope):
                delegation = (nodes.expression(method.file, wrapped), name, target)
                if delegation not in self._delegations:  # what wraps its own kind comes back here
                    self._delegations.add(delegation)
                    self.load_each(*delegation, method.file, wrapped)

    def _passed_on(self, file: int, scope: int) -> list[int]:
        """What a method that is asked for any name looks it up in, itself or in a function that it gives instead."""
        known = self._looked_up.get((file, scope))
        if known is None:
            known = self._looked_up[file, scope] = []
            index = self._flow.store.files[file]
            getter = self._flow.binder.roles(file).words.getter
            parameters = index.facts.scopes[scope].parameters
            sought = parameters[-1].name if parameters else ""
            for number in index.calls:
                call = index.facts.exprs[number]
                if not isinstance(call, facts.Call) or len(call.arguments) < 2:
                    continue
                key = index.facts.exprs[call.arguments[1].value]
                if not isinstance(key, facts.Name) or key.name != sought:
                    continue
                if scope in self._flow.binder.names(file).enclosing(call.block):
                    if self._flow.binder.dotted(file, call.callee) in getter:
                        known.append(call.arguments[0].value)
        return known

    def _has_own(self, file: int, scope: int, name: str) -> bool:
        """Whether a class or one of its bases sets a member itself, so that nothing asks what it wraps for it."""
        key = (file, scope, name)
        if key not in self._own_members:
            line = [
                (self._flow.store.files[one], around) for one, around in self._flow.binder.project_line(file, scope)
            ]
            self._own_members[key] = any(
                (around, name) in index.bindings
                or any(self._is_own(index, around, write.target) for write in index.writes_by_name.get(name, ()))
                for index, around in line
            )
        return self._own_members[key]

    def _is_own(self, index: FileIndex, around: int, target: int) -> bool:
        """``self.target`` in a method of a class."""
        expr = index.facts.exprs[target]
        owner = index.facts.exprs[expr.object] if isinstance(expr, facts.Member) else None
        method = index.function_of(expr.block)
        if not isinstance(owner, facts.Name) or method == NONE or index.class_of(method) != around:
            return False
        return owner.name == index.facts.scopes[method].receiver

    # -- stores --------------------------------------------------------------------------------------------------------

    def store(self, file: int, base: int, name: str, source: Node) -> None:
        """`base.name = source`."""
        flow = self._flow
        asked = (nodes.expression(file, base), source, name)
        if asked in self._asked_fields:
            return
        self._asked_fields.add(asked)
        flow.once(source, lambda: self._demand_base(file, base, name, source))
        flow.each(nodes.expression(file, base), lambda token: self._store(token, name, source))

    def _demand_base(self, file: int, base: int, name: str, source: Node) -> None:
        self._flow.edges.named.stores[file, base, name, source] = None
        self._flow.edges.demand.expression(file, base)

    def _store(self, token: Token, name: str, source: Node) -> None:
        flow = self._flow
        value = flow.values[token]
        match value:
            case Instance() | ClassValue():
                flow.copy(source, nodes.field(value.file, value.scope, name))
                if self.filled((value.file, value.scope), name) and not self._is_filling(value, name, source):
                    flow.copy(source, nodes.beside(value.file, value.scope, name))
            case LibraryObject(subclass=subclass):
                if subclass is not None:
                    flow.copy(source, nodes.field(*subclass, name))
                else:
                    flow.copy(source, nodes.of_object(token, name))
            case Module() if value.file != NONE:
                flow.copy(source, nodes.export(value.file, flow.binder.local(value.file, name)))
            case FunctionValue():
                flow.copy(source, nodes.of_object(token, name))
                flow.once(source, lambda: flow.relevance.of_value(value))
            case CollectionValue():
                self.put(value.ref, name, source)

    def store_at(self, file: int, base: int, key: int, source: Node) -> None:
        """`base[key] = source`."""
        flow = self._flow
        flow.once(source, lambda: flow.edges.demand.expression(file, base))
        place = self._key_parameter(file, key)
        if place is None:
            flow.edges.keys.each(file, key, lambda name: self._keyed(file, base, name, source))
            return
        scope, position = place
        flow.edges.keys.each(file, key, lambda name: self._keyed(file, base, name, source) if name == UNKNOWN else None)
        flow.edges.calls.each_edge(file, scope, lambda edge: self._stored_by(edge, file, scope, position, base, source))

    def _keyed(self, file: int, base: int, name: str | int, source: Node) -> None:
        """`base["name"] = source`."""
        flow = self._flow
        if isinstance(name, str) and name != UNKNOWN:
            flow.edges.named.stores[file, base, name, source] = None

        def into(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, CollectionValue):
                self.put(value.ref, name, source)
            elif isinstance(name, str) and name != UNKNOWN:
                self._store(token, name, source)

        flow.each(nodes.expression(file, base), into)

    def _key_parameter(self, file: int, key: int) -> tuple[int, int] | None:
        """The function and the position of its parameter that a key is; None where it is something else."""
        if key == NONE or not isinstance(self._flow.store.files[file].facts.exprs[key], facts.Name):
            return None
        found = self._flow.binder.names(file).at(key)
        if len(found) != 1 or found[0].kind != "parameter":
            return None
        return found[0].scope, found[0].number

    def _stored_by(self, edge: CallEdge, file: int, scope: int, position: int, base: int, source: Node) -> None:
        """A call says under which name a function stores something: it is what the function has under this call."""
        flow = self._flow
        record = flow.store.files[file].facts.scopes[scope]
        call = flow.store.expr(edge.ref)
        assert isinstance(call, facts.Call)
        given = {at: argument.value for argument, at in flow.edges.calls.placed(edge, call, record)}
        if position not in given:
            return
        target = nodes.under(source, edge.ref)
        passed = self._key_parameter(file, source[2]) if source[0] == nodes.EXPRESSION and source[2] >= 0 else None
        if passed is not None and passed[0] == scope and passed[1] in given:
            flow.copy(nodes.expression(edge.file, given[passed[1]]), target)
        else:
            flow.edge(source, target, lambda token: flow.edges.heap.left(token, file, scope, edge, None))
        flow.edges.keys.each(edge.file, given[position], lambda name: self._keyed(file, base, name, target))

    # -- elements ------------------------------------------------------------------------------------------------------

    def is_map(self, value: CollectionValue) -> bool:
        """Whether a collection is a map, so that looping over it gives keys."""
        if value.ref[1] < 0:
            return True
        expr = self._flow.store.expr(value.ref)
        return isinstance(expr, facts.Collection) and expr.kind == "map"

    def collected(self, file: int, holder: int, expr: facts.Collection, number: int, node: Node) -> None:
        """An element of a collection that is written out."""
        flow = self._flow
        ref = (file, holder)
        flow.once(node, lambda: self._begun(file, holder, expr, node))
        if expr.keys:
            flow.edges.injection.held(file, number, node)
        written = flow.store.files[file].facts.exprs[number]
        if isinstance(written, facts.Function) and self._flow.store.files[file].facts.scopes[written.scope].is_accessor:
            node = nodes.returned(file, written.scope)
            for demand in flow.edges.demands:
                if demand.wants(nodes.expression(file, number)):
                    demand.result(file, written.scope)
        for position, item in enumerate(expr.items):
            if item != number:
                continue
            if expr.keys:
                key = expr.keys[position]
                if key == NONE:
                    self.spread(ref, node)
                else:
                    flow.edges.keys.each(file, key, lambda name: self.put(ref, name, node))
            else:
                self.put(ref, UNKNOWN if expr.generated else position, node)

    def _begun(self, file: int, holder: int, expr: facts.Collection, node: Node) -> None:
        """A collection that is written out holds something: so does the receiver of the methods written into it."""
        flow = self._flow
        value = CollectionValue((file, holder))
        flow.relevance.of_collection(value.ref)
        flow.put(nodes.expression(file, holder), value, node)
        index = flow.store.files[file]
        for item in expr.items:
            function = index.facts.exprs[item]
            if isinstance(function, facts.Function) and index.facts.scopes[function.scope].receiver:
                flow.put(nodes.receiver(file, function.scope), value, node)

    def put(self, ref: Ref, key: str | int, source: Node) -> None:
        """A collection gets an element."""
        flow = self._flow
        flow.copy(source, nodes.element(ref, key))
        flow.copy(nodes.element(ref, key), nodes.element(ref, nodes.ANY))

    def holds_something(self, ref: Ref) -> None:
        """An element of a collection leads to Redis: so does ``this`` in functions that are written into it."""
        self._flow.relevance.of_collection(ref)
        if ref[1] < 0:
            return
        expr = self._flow.store.expr(ref)
        if not isinstance(expr, facts.Collection) or ref in self._active:
            return
        self._active.add(ref)
        index = self._flow.store.files[ref[0]]
        for item in expr.items:
            function = index.facts.exprs[item]
            if isinstance(function, facts.Function) and index.facts.scopes[function.scope].receiver:
                self._flow.put(nodes.receiver(ref[0], function.scope), CollectionValue(ref))

    def spread(self, ref: Ref, source: Node) -> None:
        """A collection takes over the elements of others."""
        self._spread[ref].append(source)
        for key, target in tuple(self._reads[ref]):
            if not self._replaces(CollectionValue(ref), key):
                self._read_spread(source, key, target)

    def _replaces(self, value: CollectionValue, key: str | int) -> bool:
        """Whether a map has an entry of its own behind everything that it spreads."""
        expr = self._flow.store.expr(value.ref) if value.ref[1] >= 0 else None
        if not isinstance(expr, facts.Collection) or NONE not in expr.keys:
            return False
        behind = expr.keys[len(expr.keys) - expr.keys[::-1].index(NONE) :]
        exprs = self._flow.store.files[value.ref[0]].facts.exprs
        return any(isinstance(one := exprs[number], facts.Literal) and one.value == key for number in behind)

    def read(self, value: CollectionValue, key: str | int, target: Node) -> None:
        """What a collection holds under a key (`nodes.ANY`: under any)."""
        flow = self._flow
        if (key, target) in self._reads[value.ref]:
            return
        self._reads[value.ref].append((key, target))
        flow.copy(nodes.element(value.ref, key), target)
        if key != nodes.ANY:
            flow.copy(nodes.element(value.ref, UNKNOWN), target)
        if not self._replaces(value, key):
            for source in tuple(self._spread[value.ref]):
                self._read_spread(source, key, target)
        for demand in flow.edges.demands:
            if demand.wants(target):
                demand.elements(value, key)

    def _read_spread(self, source: Node, key: str | int, target: Node) -> None:
        flow = self._flow

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, CollectionValue):
                self.read(value, key, target)
            elif isinstance(value, Instance | Module) and isinstance(key, str) and key != nodes.ANY:
                self.load(token, key, target, source, source[1], NONE)

        flow.each(source, consume)

    def load_at(self, file: int, expr: facts.Index, node: Node, target: Node) -> None:
        """`object[key]`."""
        flow = self._flow

        def keyed(key: str | int) -> None:
            flow.each(node, lambda token: self._at(token, key, file, node, target))

        flow.edges.keys.each(file, expr.key, keyed)

    def _at(self, token: Token, key: str | int, file: int, node: Node, target: Node) -> None:
        flow = self._flow
        value = flow.values[token]
        match value:
            case CollectionValue():
                self.read(value, nodes.ANY if key == UNKNOWN else key, target)
            case External():
                if flow.catalogue.type(value.dotted) or flow.catalogue.constructor(value.dotted):
                    flow.add(target, token, node)
            case LibraryObject() | Instance() | ClassValue() | Module():
                if isinstance(key, str):
                    self.named(token, key, target, node, file)

    def named(self, token: Token, key: str, target: Node, source: Node, file: int) -> None:
        """`object[key]` and `getattr(object, key)`; of a client, some method where the key is not known."""
        value = self._flow.values[token]
        if key != UNKNOWN:
            self.load(token, key, target, source, file, NONE)
        elif isinstance(value, LibraryObject) and value.kind in _TAKES_COMMANDS and value.origin.type.speaks:
            self._flow.put(target, LibraryMethod(value, UNKNOWN), source)

    def unpack(self, source: Node, path: tuple[int | str, ...], target: Node) -> None:
        """What a pattern takes out of a value: elements by position, members or elements by name."""
        flow = self._flow
        file = source[1]
        current = source
        for position, step in enumerate(path):
            following = target if position == len(path) - 1 else ("unpacked", file, source, step, position)
            self._take(current, step, following, file)
            current = following
        flow.edge(source, target, _nothing)

    def default_of_pattern(self, file: int, taken: facts.Binding, node: Node, target: Node) -> None:
        """The default in a pattern counts where what is taken apart may lack the key."""
        flow = self._flow
        flow.edge(node, target, lambda token: token if flow.is_object(token) else None)
        source = nodes.expression(file, taken.value)
        if len(taken.path) > 1:
            inner = ("unpacked", file, source, taken.path[:-1], "default")
            self.unpack(source, taken.path[:-1], inner)
            source = inner

        def consume(token: Token) -> None:
            value = flow.values[token]
            declared = isinstance(value, Instance) and not value.exact
            if not declared and (not isinstance(value, CollectionValue) or self._lacks(value, taken.path[-1])):
                flow.copy(node, target)

        flow.each(source, consume)

    def _lacks(self, value: CollectionValue, step: int | str) -> bool:
        """Whether an object written out may not have a key."""
        expr = self._flow.store.expr(value.ref) if value.ref[1] >= 0 else None
        if not isinstance(expr, facts.Collection) or not isinstance(step, str) or expr.kind != "map":
            return True
        exprs = self._flow.store.files[value.ref[0]].facts.exprs
        names = [getattr(exprs[key], "value", None) for key in expr.keys if key != NONE]
        return step not in names and NONE not in expr.keys

    def _take(self, source: Node, step: int | str, target: Node, file: int) -> None:
        flow = self._flow

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, CollectionValue):
                self.read(value, step, target)
            elif isinstance(step, str):
                self.load(token, step, target, source, file, NONE)
            for one in flow.edges.data.taken_apart(token, step):
                flow.put(target, one, source)

        flow.each(source, consume)

    # -- fields and receivers under their bare names -------------------------------------------------------------------

    def field_uses(self, node: Node) -> None:
        """A field of a class carries something: the class is active, and bare uses of the field are reached."""
        _, file, scope, name = node
        flow = self._flow
        flow.once(node, lambda: flow.edges.objects.lead(file, scope))
        flow.once(node, lambda: flow.edges.named.fields.append(node))
        flow.edges.names.static_members(file, scope, name, node)
        owners = [(file, scope), *flow.binder.subclasses(file, scope)]
        for owner in owners:
            if not flow.store.files[owner[0]].facts.scopes[owner[1]].is_open:
                continue
            names = flow.binder.names(owner[0])
            for use, bound in names.owners(name).items():
                block = names.index.facts.exprs[use].block
                around = names.enclosing(block)
                if owner[1] not in around:
                    continue
                inside = around[: around.index(owner[1])]
                if bound == owner[1] or bound == NONE or (bound not in inside and bound not in (owner[1],)):
                    itself = flow.edges.objects.typed(*owner)
                    target = nodes.expression(owner[0], use)
                    self._field((file, scope), name, itself, target)
                    if bound == NONE and owner != (file, scope):
                        flow.each(node, partial(self._inherited_method, name, owner, node, target))

    def _inherited_method(self, name: str, heir: Scoped, node: Node, target: Node, token: Token) -> None:
        """A method of a base under its bare name in the code of a class that inherits it."""
        value = self._flow.values[token]
        if isinstance(value, FunctionValue):
            method = FunctionValue(value.file, value.scope)
            if method in self._flow.binder.methods(*heir, name):
                self._method(method, self._flow.edges.objects.typed(*heir), target, node, instance=True)

    def receiver_uses(self, node: Node) -> None:
        """The receiver of a function under its name: a parameter, or ``this``."""
        _, file, scope = node
        flow = self._flow
        record = flow.store.files[file].facts.scopes[scope]
        if any(item.name == record.receiver for item in record.parameters):
            flow.edges.names.to_uses(file, scope, record.receiver, node)
        for use in self._by_receiver(file).get(scope, ()):
            expr = flow.store.files[file].facts.exprs[use]
            assert isinstance(expr, facts.Name)
            target = nodes.expression(file, use)
            if expr.name == _BASE:
                flow.each(node, partial(self._as_base, target=target, source=node))
            else:
                flow.copy(node, target)
        self.implicit(node)

    def _as_base(self, token: Token, target: Node, source: Node) -> None:
        value = self._flow.values[token]
        key = value.subclass if isinstance(value, LibraryObject) else None
        if isinstance(value, Instance | ClassValue):
            key = (value.file, value.scope)
        if key is not None:
            self.put_base(key, target, source)

    def put_base(self, key: tuple[int, int], target: Node, source: Node) -> None:
        """An object of a class, seen as one of its bases."""
        flow = self._flow
        for one in flow.binder.line(*key)[1:]:
            if isinstance(one, ClassValue):
                flow.put(target, flow.edges.objects.typed(one.file, one.scope), source)
            elif (made := flow.edges.objects.of_type(one.dotted)) is not None:
                flow.put(target, made, source)

    def _by_receiver(self, file: int) -> dict[int, list[int]]:
        """Scope -> the uses of ``this`` (and of ``super`` where it is a name) that mean its receiver."""
        known = self._receivers.get(file)
        if known is None:
            known = defaultdict(list)
            names = self._flow.binder.names(file)
            scopes = names.index.facts.scopes
            spelled = {record.receiver for record in scopes if record.receiver}
            spelled = {
                one for one in spelled if not any(item.name == one for record in scopes for item in record.parameters)
            } | {"this"}
            base = () if self._flow.binder.roles(file).words.base else (_BASE,)
            outer = [name for name in names.by_name if name.startswith("this@")]
            for name in (*spelled, *base, *outer):
                for use in names.by_name.get(name, ()):
                    for scope in names.enclosing(names.index.facts.exprs[use].block):
                        record = scopes[scope]
                        meant = record.receiver in spelled if name == _BASE else record.receiver == name
                        if name.startswith("this@"):
                            meant = record.kind == "class" and record.name == name.removeprefix("this@")
                        if meant and not (name == "this" and record.parameters and record.parameters[0].name == "this"):
                            known[scope].append(use)
                            break
            self._receivers[file] = known
        return known

    def derived(self, file: int, scope: int, node: Node) -> None:
        """A class derives from a library's type: its objects are such objects, and its code sees their methods."""
        flow = self._flow
        record = flow.store.files[file].facts.scopes[scope]

        def consume(token: Token) -> None:
            value = flow.values[token]
            known = flow.catalogue.type(value.dotted) if isinstance(value, External) else None
            if known is None:
                return
            flow.edges.objects.lead(file, scope)
            if not record.is_open:
                return
            names = flow.binder.names(file)
            itself = flow.token(flow.edges.objects.typed(file, scope))
            for name in names.by_name:
                if flow.catalogue.knows_method(known, name):
                    for use in names.free(name):
                        if scope in names.enclosing(names.index.facts.exprs[use].block):
                            self.load(itself, name, nodes.expression(file, use), node, file, NONE)

        flow.each(node, consume)

    def implicit(self, node: Node) -> None:
        """Bare names that are members of the object that code runs on: ``client.apply { get(key) }``."""
        _, file, scope, *rest = node
        flow = self._flow
        record = flow.store.files[file].facts.scopes[scope]
        if rest:
            if record.parameters[rest[0]].name != EXTENDED:
                return
        elif record.receiver_value == NONE:
            return
        flow.each(node, lambda token: self._implicit(token, file, scope, node))

    def _implicit(self, token: Token, file: int, scope: int, node: Node) -> None:
        flow = self._flow
        value = flow.values[token]
        names = flow.binder.names(file)
        for name, uses in names.by_name.items():
            if isinstance(value, LibraryObject):
                known = (value.origin.library, value.origin.type)
                if not (flow.catalogue.knows_method(known, name) or flow.catalogue.pipeline(value.origin, name, "")):
                    continue
            elif not isinstance(value, Instance) or name == "this":
                continue
            for use in uses:
                around = names.enclosing(names.index.facts.exprs[use].block)
                owner = names.owners(name)[use]
                if scope in around and (owner == NONE or owner not in around[: around.index(scope) + 1]):
                    self.load(token, name, nodes.expression(file, use), node, file, NONE)
