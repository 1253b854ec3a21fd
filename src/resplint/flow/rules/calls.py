"""Calls: of functions and classes of the project, of constructors and methods of client libraries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from functools import partial

from resplint.bind.values import (
    ClassValue,
    CollectionMethod,
    CollectionValue,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Ref,
    Reply,
    Unknown,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow, Token
from resplint.flow.nodes import CallEdge, Node
from resplint.flow.rules.members import is_made

Scoped = tuple[int, int]


class Calls:
    """Call edges, found as tokens of functions reach callees."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self.callers: dict[Scoped, dict[CallEdge, None]] = defaultdict(dict)
        self.sites: dict[Ref, dict[Token, None]] = defaultdict(dict)
        """Call -> the methods of library objects that it calls."""
        self.reads: dict[Scoped, dict[Node, None]] = defaultdict(dict)
        """Method that is read like a field -> where it is read."""
        self._properties: dict[Scoped, bool] = {}
        self._own: dict[Scoped, dict[int, int]] = {}
        self.makers: dict[Scoped, dict[CallEdge, None]] = defaultdict(dict)
        """Class -> the calls that make an object of it."""
        self._edge_consumers: dict[Scoped, list[Callable[[CallEdge], None]]] = defaultdict(list)
        self._left: set[tuple[Node, Node]] = set()
        self.working: set[Scoped] = set()
        """Functions that do Redis work, themselves or through what they call."""
        self.handling: set[Scoped] = set()
        """Functions that do Redis work themselves, or in a function that is written in them."""

    # -- a callee is known ---------------------------------------------------------------------------------------------

    def called(self, file: int, number: int, expr: facts.Call, node: Node) -> None:
        """A call whose callee carries something."""
        self._flow.each(node, partial(self._call, file, number, expr, node))

    def _call(self, file: int, number: int, expr: facts.Call, node: Node, token: Token) -> None:
        self.call(file, number, expr, token, node)

    def call(self, file: int, number: int, expr: facts.Call, token: Token, node: Node) -> None:
        flow = self._flow
        value = flow.values[token]
        target = nodes.expression(file, number)
        callee = flow.store.files[file].facts.exprs[expr.callee]
        words = flow.binder.roles(file).words
        name = callee.name if isinstance(callee, facts.Member) else ""
        if isinstance(value, FunctionValue | LibraryMethod) and name in words.bound_function_methods:
            if not isinstance(value, LibraryMethod) or value.name != name:
                flow.add(target, token, node)
                return
        if isinstance(value, LibraryMethod) and value.name == name:
            if flow.edges.foreign.runs_on(file, number, expr, name):
                return
        match value:
            case FunctionValue():
                skipped = 1 if words.bound_function_methods and name == "call" else 0
                self.connect(file, number, expr, value, target, skipped)
            case ClassValue() if words.calls_for_class and name == words.class_of_object:
                flow.add(target, token, node)
            case ClassValue():
                self._construct(file, number, expr, value, target, node)
            case External():
                self._external(file, number, expr, value, target, node)
            case LibraryMethod():
                self._library(file, number, expr, token, value, target, node)
            case LibraryObject(kind="script"):
                self.sites[file, number][token] = None
                self._handles(file, expr.block)
            case Instance():
                if words.call:
                    for method in flow.binder.methods(value.file, value.scope, words.call)[:1]:
                        self.connect(file, number, expr, FunctionValue(method.file, method.scope, value), target)
            case CollectionMethod():
                flow.edges.foreign.collection_call(file, number, expr, value, target, node)

    def connect(
        self, file: int, number: int, expr: facts.Call, function: FunctionValue, target: Node | None, skipped: int = 0
    ) -> None:
        """A call of a function of the project: arguments to parameters, results to the call."""
        flow = self._flow
        if not self.takes(function, file, expr, skipped):
            return
        index = flow.store.files[function.file]
        record = index.facts.scopes[function.scope]
        bound = self.bound(function, record)
        edge = CallEdge(file, number, bound, skipped)
        key = (function.file, function.scope)
        if edge not in self.callers[key]:
            self.callers[key][edge] = None
            self._pass(edge, expr, function, record)
            for consumer in tuple(self._edge_consumers.get(key, ())):
                consumer(edge)
            if key in self.working:
                self.works(file, expr.block)
        if isinstance(function.owner, CollectionValue):
            flow.put(nodes.receiver(*key), function.owner)
        if record.parameters and record.parameters[0].name == "this" and isinstance(function.owner, LibraryObject):
            flow.put(nodes.parameter(*key, 0), function.owner)
        configured = flow.factory(function)
        if configured is not None and target is not None:
            flow.put(target, LibraryObject(configured, (file, number)))
        elif target is not None:
            self.results(function, target, edge)

    def each_edge(self, file: int, scope: int, consumer: Callable[[CallEdge], None]) -> None:
        """Call `consumer` with every call of a function, now or later."""
        self._edge_consumers[file, scope].append(consumer)
        for edge in tuple(self.callers.get((file, scope), ())):
            consumer(edge)

    def bound(self, function: FunctionValue, record: facts.Scope) -> int:
        first = record.parameters[0].name if record.parameters else ""
        if first == "this" and record.receiver == "this" and not record.belongs:
            return 1 if isinstance(function.owner, LibraryObject | Instance) else 0
        if not record.receiver or first != record.receiver:
            return 0
        return 1 if isinstance(function.owner, Instance | LibraryObject) or record.belongs == "class" else 0

    def takes(self, function: FunctionValue, file: int, expr: facts.Call, skipped: int = 0) -> bool:
        """Whether a function takes so many arguments of such types, in languages that insist."""
        flow = self._flow
        index = flow.store.files[function.file]
        record = index.facts.scopes[function.scope]
        if not flow.binder.words(function.file).arity_checked:
            return True
        others = [one for one in index.definitions.get((record.parent, record.name), ()) if one != function.scope]
        if not others:
            return True
        most, needed, collects = flow.store.files[function.file].arity(function.scope)
        if collects or any(item.name in ("*", "**") for item in expr.arguments):
            return True
        if record.parameters and record.parameters[0].name == "this":
            most, needed = most - 1, needed - 1
        if not needed <= len(expr.arguments) - skipped <= most:
            return False
        bound = 1 if record.parameters and record.parameters[0].name in ("this", record.receiver) else 0
        declared = flow.edges.declared
        for place, item in enumerate(expr.arguments[skipped:], bound):
            if item.name or place >= len(record.parameters) or record.parameters[place].kind:
                continue
            annotation = record.parameters[place].annotation
            word = declared.type(function.file, annotation)
            if word and not declared.may_be(file, item.value, word):
                return False
            said, wanted = declared.written(file, item.value), declared.spelled(function.file, annotation)
            if said and wanted and said != wanted:
                alike = [index.facts.scopes[one].parameters for one in others]
                if any(
                    len(one) == len(record.parameters)
                    and declared.spelled(function.file, one[place].annotation) == said
                    for one in alike
                ):
                    return False  # of an overload that takes exactly this
        return True

    def _pass(self, edge: CallEdge, expr: facts.Call, function: FunctionValue, record: facts.Scope) -> None:
        flow = self._flow
        key = (function.file, function.scope)
        flow.edges.keys.called(edge, *key, record, expr)
        self._omitted(edge, expr, key, record)
        for argument, position in self.placed(edge, expr, record):
            source = nodes.expression(edge.file, argument.value)
            if position < 0:
                self._spread(edge, argument, key, record)
                continue
            kind = record.parameters[position].kind
            target = nodes.parameter(*key, position)
            if kind == "**":
                ref = (key[0], -10 - key[1])
                flow.edges.members.put(ref, argument.name, source)
                flow.put(target, CollectionValue(ref))
            elif kind == "*":
                ref = (key[0], -100_000 - key[1])
                flow.edges.members.put(ref, "?", source)
                flow.put(target, CollectionValue(ref))
            else:
                flow.copy(source, target)
                for demand in flow.edges.demands:
                    if demand.is_wanted_parameter(*key, position):
                        demand.expression(edge.file, argument.value)

    def _omitted(self, edge: CallEdge, expr: facts.Call, key: Scoped, record: facts.Scope) -> None:
        """Parameters that a call leaves out have their defaults."""
        if any(item.name in ("*", "**") for item in expr.arguments):
            return
        given = {position for _, position in self.placed(edge, expr, record)}
        for position, item in enumerate(record.parameters):
            if item.default != NONE and position not in given:
                self._flow.copy(nodes.expression(key[0], item.default), nodes.parameter(*key, position))

    def placed(self, edge: CallEdge, expr: facts.Call, record: facts.Scope) -> list[tuple[facts.Argument, int]]:
        """(argument, position of the parameter it fills) of a call; position NONE where it is spread."""
        found = []
        place = edge.bound - edge.skipped
        collects = next((at for at, item in enumerate(record.parameters) if item.kind == "*"), NONE)
        rest = next((at for at, item in enumerate(record.parameters) if item.kind == "**"), NONE)
        names = {item.name: at for at, item in enumerate(record.parameters)}
        for argument in expr.arguments:
            if argument.name in ("*", "**"):
                found.append((argument, NONE))
                continue
            if argument.name:
                at = names.get(argument.name, rest)
                if at != NONE:
                    found.append((argument, at))
                continue
            if place >= 0:
                last = len(record.parameters) - 1
                if collects != NONE and place >= collects:
                    found.append((argument, collects))
                elif place < last and argument is expr.arguments[-1] and self._is_behind(edge.file, expr, argument):
                    found.append((argument, last))
                elif place < len(record.parameters) and record.parameters[place].kind in ("",):
                    found.append((argument, place))
            place += 1
        return found

    def _is_behind(self, file: int, expr: facts.Call, argument: facts.Argument) -> bool:
        """Whether an argument is a function behind the brackets, which is the last one whatever is left out:
        `attempt { client.ping() }`.
        """
        value = self._flow.store.files[file].facts.exprs[argument.value]
        return isinstance(value, facts.Function) and (expr.close == NONE or value.start > expr.close)

    def _spread(self, edge: CallEdge, argument: facts.Argument, key: Scoped, record: facts.Scope) -> None:
        """`f(*values)`, `f(**values)`."""
        flow = self._flow
        source = nodes.expression(edge.file, argument.value)

        def consume(token: Token) -> None:
            value = flow.values[token]
            if not isinstance(value, CollectionValue):
                return
            for position, item in enumerate(record.parameters):
                if position >= edge.bound and not item.kind:
                    wanted = item.name if argument.name == "**" else position - edge.bound
                    flow.edges.members.read(value, wanted, nodes.parameter(*key, position))
                elif item.kind == argument.name:
                    flow.put(nodes.parameter(*key, position), value)

        flow.each(source, consume)

    def results(self, function: FunctionValue, target: Node, edge: CallEdge | None) -> None:
        """What a function returns flows to `target`; of a parameter that it hands back, what this call passed."""
        flow = self._flow
        key = (function.file, function.scope)
        source = nodes.returned(*key)
        owner = function.owner

        if edge is None and self.is_property(*key):
            self.reads[key][target] = None

        def left(token: Token) -> Token:
            return token if edge is None else flow.edges.heap.left(token, *key, edge, owner)

        for demand in flow.edges.demands:
            if demand.wants(target):
                demand.result(*key)
        if isinstance(owner, Instance) and owner.exact and self._handed_out(function, owner, target):
            return
        if isinstance(owner, Instance | LibraryObject) and is_made(owner):
            flow.edge(source, target, lambda token: left(self.kept(token, owner)))
        elif edge is not None and (source, target) not in self._left:
            self._left.add((source, target))
            flow.edge(source, target, left)
        elif edge is None:
            flow.copy(source, target)
        own = self.handed_back(*key)
        if own and edge is not None:
            expr = flow.store.expr(edge.ref)
            assert isinstance(expr, facts.Call)
            record = flow.store.files[key[0]].facts.scopes[key[1]]
            given = {position: argument.value for argument, position in self.placed(edge, expr, record)}
            for position in own.values():
                if position in given:
                    flow.copy(nodes.expression(edge.file, given[position]), target)
                    for demand in flow.edges.demands:
                        if demand.wants(target):
                            demand.expression(edge.file, given[position])
                else:
                    default = record.parameters[position].default
                    if default != NONE:
                        flow.copy(nodes.expression(key[0], default), target)

    def kept(self, token: Token, owner: Instance | LibraryObject) -> Token:
        """`return self` keeps what is known of the receiver."""
        value = self._flow.values[token]
        if isinstance(value, Instance) and isinstance(owner, Instance):
            same = value.made is None and (value.file, value.scope) == (owner.file, owner.scope)
        elif isinstance(value, LibraryObject) and isinstance(owner, LibraryObject):
            same = value.made is None and value.subclass is not None and value.subclass == owner.subclass
        else:
            same = False
        return self._flow.token(owner) if same else token

    def _handed_out(self, function: FunctionValue, owner: Instance, target: Node) -> bool:
        """A getter of a field that is what the object was made with."""
        members = self._flow.edges.members
        field = members.getter(function.file, function.scope)
        around = self._flow.store.files[function.file].class_of(function.scope)
        if not field or members.filled((function.file, around), field) is None:
            return False
        return members.hand_over((function.file, around), field, owner, target)

    def own_parameter(self, file: int, scope: int, number: int) -> int:
        """Position of the parameter that a returned expression is or passes through, unless the function sets it anew;
        NONE for none.
        """
        return self.handed_back(file, scope).get(number, NONE)

    def handed_back(self, file: int, scope: int) -> dict[int, int]:
        key = (file, scope)
        known = self._own.get(key)
        if known is None:
            known = self._own[key] = {}
            index = self._flow.store.files[file]
            for jump in index.jumps.get(scope, ()):
                expr = self._passed_through(file, jump.value) if jump.kind == "return" and jump.value != NONE else None
                if isinstance(expr, facts.Name) and (scope, expr.name) not in index.bindings:
                    position = index.parameters.get((scope, expr.name))
                    record = index.facts.scopes[scope]
                    if position is not None and not (record.receiver and expr.name == record.receiver):
                        if not record.parameters[position].kind:
                            known[jump.value] = position
        return known

    def _passed_through(self, file: int, number: int) -> facts.Expr:
        """What an expression is once calls that give back an argument are taken away (`new Proxy(client, {})`)."""
        binder = self._flow.binder
        exprs = self._flow.store.files[file].facts.exprs
        expr = exprs[number]
        while isinstance(expr, facts.Call):
            position = binder.roles(file).pass_through.get(binder.dotted(file, expr.callee))
            if position is None or position >= len(expr.arguments):
                break
            expr = exprs[expr.arguments[position].value]
        return expr

    def _construct(self, file: int, number: int, expr: facts.Call, value: ClassValue, target: Node, node: Node) -> None:
        flow = self._flow
        made = flow.edges.objects.of_class(value.file, value.scope, (file, number))
        if isinstance(made, Instance):
            flow.put(target, Instance(value.file, value.scope, None, True), node)
            flow.edges.objects.each_apart(value.file, value.scope, partial(flow.put, target, made, node))
        else:
            flow.put(target, made, node)
        constructors = flow.binder.constructors(value.file, value.scope)
        bound = 1
        if constructors:
            first = constructors[0]
            record = flow.store.files[first.file].facts.scopes[first.scope]
            bound = 1 if record.receiver and record.parameters and record.parameters[0].name == record.receiver else 0
        self.makers[value.file, value.scope][CallEdge(file, number, bound)] = None
        for one in constructors:
            self.connect(file, number, expr, FunctionValue(one.file, one.scope, made), None)
            if isinstance(made, Instance):
                self._instead(one, CallEdge(file, number, bound), target)
        if not constructors:
            self._fields(file, expr, value)

    def _instead(self, constructor: FunctionValue, edge: CallEdge, target: Node) -> None:
        """A class whose `__new__` gives a client of a library, and no object of its own."""
        flow = self._flow
        key = (constructor.file, constructor.scope)
        source = nodes.returned(*key)
        if flow.store.files[key[0]].facts.scopes[key[1]].belongs != "class" or (source, target) in self._left:
            return
        self._left.add((source, target))

        def give(token: Token) -> Token | None:
            is_client = isinstance(flow.values[token], LibraryObject)
            return flow.edges.heap.left(token, *key, edge, None) if is_client else None

        for demand in flow.edges.demands:
            if demand.wants(target):
                demand.result(*key)
        flow.edge(source, target, give)

    def _fields(self, file: int, expr: facts.Call, owner: ClassValue) -> None:
        """Fields that a class only declares get what its calls pass (dataclasses, models)."""
        flow = self._flow
        for key in flow.binder.project_line(owner.file, owner.scope):
            declared = self._declared(*key)
            place = 0
            for argument in expr.arguments:
                name = argument.name
                if not name:
                    name = declared[place] if place < len(declared) else ""
                    place += 1
                if name in declared:
                    flow.copy(nodes.expression(file, argument.value), nodes.field(*key, name))

    def _declared(self, file: int, scope: int) -> list[str]:
        """The fields that the body of a class declares with a type, in the order in which calls fill them."""
        index = self._flow.store.files[file]
        return [
            one.name
            for one in index.facts.bindings
            if one.scope == scope and one.annotation != NONE and index.scope_of(one.block) == scope
        ]

    def is_declared(self, file: int, scope: int, name: str) -> bool:
        """Whether the body of a class declares a field with a type, which a call that makes an object may fill."""
        index = self._flow.store.files[file]
        return any(
            one.annotation != NONE and index.scope_of(one.block) == scope
            for one in index.bindings.get((scope, name), ())
        )

    def _external(self, file: int, number: int, expr: facts.Call, value: External, target: Node, node: Node) -> None:
        flow = self._flow
        known = flow.catalogue.constructor(value.dotted)
        if known is None:
            configured = flow.configured(value.dotted) if flow.catalogue.factories else None
            if configured is not None:
                flow.put(target, LibraryObject(configured, (file, number)), node)
            return
        library, constructor = known
        owner, type_ = flow.catalogue.type(constructor.makes) or (library, None)
        if type_ is not None:
            flow.put(target, LibraryObject(flow.origin(owner, type_, constructor), (file, number)), node)
            self._handles(file, expr.block)
            if type_.name in flow.catalogue.pools_of_anything:
                flow.edges.pools.made(file, number, expr, owner.library)

    # -- methods of library objects ------------------------------------------------------------------------------------

    def _library(
        self, file: int, number: int, expr: facts.Call, token: Token, value: LibraryMethod, target: Node, node: Node
    ) -> None:
        flow = self._flow
        owner = value.object
        library = owner.origin.library
        version = flow.version(owner, file, value.name)
        self.sites[file, number][token] = None
        pipeline = flow.catalogue.pipeline(owner.origin, value.name, version)
        wanted = flow.edges.questions.wants(target)
        if pipeline is not None and pipeline.modal:
            if wanted:
                flow.put(target, Reply((file, number)))
            return
        self._handles(file, expr.block)
        if pipeline is not None and (known := flow.catalogue.type(pipeline.makes)):
            flow.put(target, flow.edges.objects.derived(flow.origin(library, known[1]), (file, number), owner), node)
            return
        models = flow.catalogue.overloads(owner.origin, value.name, version)
        method = flow.edges.declared.overload(models, file, expr) if len(models) > 1 else next(iter(models), None)
        for callback in flow.edges.declared.callbacks(models, file, expr):
            flow.edges.foreign.callback(file, number, expr, value, callback)
        if method is not None and method.returns_element and owner.made is not None:
            flow.copy(flow.edges.pools.held(owner.made), target)
        if method is not None and method.returns and (known := flow.catalogue.type(method.returns)):
            made = flow.edges.objects.derived(flow.origin(library, known[1], None, method), (file, number), owner)
            if method.several:
                self._list(file, number, made, target, node)
            else:
                flow.put(target, made, node)
        elif method is not None and method.gives:
            if wanted:
                flow.put(target, ExternalObject(method.gives, (file, number)))
        elif owner.kind == "pipeline" and flow.catalogue.executes(owner.origin, value.name):
            if wanted:
                flow.put(target, Reply((file, number)))
        elif owner.kind == "pipeline" and owner.origin.type.chains and method is not None and method.command:
            flow.put(target, owner, node)
        elif owner.kind == "script" and method is None:
            if wanted:
                flow.put(target, Unknown())
        elif (
            value.name in flow.binder.roles(file).words.entering
            or (method is not None and method.fluent)
            or owner.kind == "config"
        ):
            flow.put(target, owner, node)
        elif wanted:
            flow.put(target, Reply((file, number)))

    def _list(self, file: int, number: int, made: Value, target: Node, node: Node) -> None:
        """A call that returns a list of objects of a client library."""
        ref = (file, number)
        self._flow.put(nodes.element(ref, "?"), made, node)
        self._flow.copy(nodes.element(ref, "?"), nodes.element(ref, nodes.ANY))
        self._flow.put(target, CollectionValue(ref), node)

    # -- arguments, decorators, resources ------------------------------------------------------------------------------

    def passed(self, file: int, number: int, expr: facts.Call, position: int, node: Node) -> None:
        """An argument carries something: what it is passed to is worth knowing."""
        flow = self._flow

        def carries() -> None:
            flow.edges.demand.expression(file, expr.callee)
            flow.edges.foreign.passed(file, number, expr, position, node)
            callee = flow.store.files[file].facts.exprs[expr.callee]
            if position == 0 and isinstance(callee, facts.Member) and callee.name in flow.catalogue.plugging:
                flow.each(node, lambda token: self._plug(file, number, expr, callee, token))

        flow.once(node, carries)

    def _plug(self, file: int, number: int, expr: facts.Call, callee: facts.Member, token: Token) -> None:
        """`server.register(plugin, { host })`: what the plugin makes is kept under a name."""
        flow = self._flow
        value = flow.values[token]
        known = flow.catalogue.constructor(value.dotted) if isinstance(value, External) else None
        plugs = known[1].plugs if known is not None else None
        if known is None or plugs is None or plugs.method != callee.name:
            return
        ready = self._entry(file, expr, plugs.ready)
        if ready != NONE:
            flow.edges.demand.expression(file, ready)
            flow.edges.members.store(file, callee.object, plugs.member, nodes.expression(file, ready))
            return
        type_ = flow.catalogue.type(known[1].makes)
        if type_ is not None:
            source = nodes.plugged(file, number)
            flow.put(source, LibraryObject(flow.origin(*type_, known[1]), (file, number)))
            flow.edges.members.store(file, callee.object, plugs.member, source)

    def _entry(self, file: int, expr: facts.Call, name: str) -> int:
        """The value under a name in an object literal among the arguments; NONE when there is none."""
        exprs = self._flow.store.files[file].facts.exprs
        for argument in expr.arguments:
            written = exprs[argument.value]
            if isinstance(written, facts.Collection):
                for key, item in zip(written.keys, written.items, strict=False):
                    literal = exprs[key] if key != NONE else None
                    if isinstance(literal, facts.Literal) and literal.value == name:
                        return item
        return NONE

    def decorator(self, file: int, number: int, scope: int, node: Node) -> None:
        """A decorator carries something: it is called with the function that it decorates."""
        flow = self._flow

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, FunctionValue):
                key = (value.file, value.scope)
                record = flow.store.files[key[0]].facts.scopes[key[1]]
                bound = self.bound(value, record)
                if len(record.parameters) > bound:
                    flow.put(nodes.parameter(*key, bound), FunctionValue(file, scope))
                    flow.copy(nodes.returned(*key), nodes.definition(file, scope))

        flow.each(node, consume)

    def decorated(self, node: Node) -> None:
        """A function or class that is followed: so are its decorators."""
        _, file, scope = node
        for number in self._flow.store.files[file].facts.scopes[scope].decorators:
            self._flow.once(node, partial(self._flow.edges.demand.expression, file, number))

    def entered(self, file: int, node: Node, target: Node) -> None:
        """`with value as target`."""
        flow = self._flow
        entering = flow.binder.roles(file).words.entering

        def consume(token: Token) -> None:
            value = flow.values[token]
            key = (value.file, value.scope) if isinstance(value, Instance) else None
            methods = [one for name in entering for one in (flow.binder.methods(*key, name) if key else ())]
            for method in methods:
                self.results(FunctionValue(method.file, method.scope, value), target, None)
            if not methods:
                flow.add(target, token, node)

        flow.each(node, consume)

    def is_generated(self, file: int, number: int) -> bool:
        """Whether a call is one of a generator of the project."""
        expr = self._flow.store.files[file].facts.exprs[number]
        assert isinstance(expr, facts.Call)
        return any(
            isinstance(value, FunctionValue)
            and self._flow.store.files[value.file].facts.scopes[value.scope].is_generator
            for value in self._flow.at(nodes.expression(file, expr.callee))
        )

    def is_property(self, file: int, scope: int) -> bool:
        """Whether a method is read like a field."""
        key = (file, scope)
        known = self._properties.get(key)
        if known is None:
            record = self._flow.store.files[file].facts.scopes[scope]
            known = record.is_accessor
            if not known and record.decorators:
                roles = self._flow.binder.roles(file)
                names = {*roles.properties, *roles.memoised_per_object}
                known = any(name in names for name in self._decorator_names(file, record))
            self._properties[key] = known
        return known

    def _decorator_names(self, file: int, record: facts.Scope) -> list[str]:
        found = []
        for number in record.decorators:
            expr = self._flow.store.files[file].facts.exprs[number]
            for one in self._flow.binder.static(file, expr.callee if isinstance(expr, facts.Call) else number):
                values: tuple[Value, ...] = (one,)
                if isinstance(one, ClassValue):
                    values = self._flow.binder.line(one.file, one.scope)
                found += [value.dotted for value in values if isinstance(value, External)]
        return found

    # -- who does Redis work -------------------------------------------------------------------------------------------

    def _handles(self, file: int, block: int) -> None:
        """The function around a block works with a client itself."""
        scopes = self._flow.store.files[file].facts.scopes
        for one in self._flow.binder.names(file).enclosing(block):
            if scopes[one].kind == "function" and (file, one) not in self.handling:
                self.handling.add((file, one))
                self._flow.relevance.handles_client(file, one)
        self.works(file, block)

    def works(self, file: int, block: int) -> None:
        """The function around a block does Redis work, and so do those that call it."""
        flow = self._flow
        index = flow.store.files[file]
        waiting = [(file, index.function_of(block))]
        while waiting:
            key = waiting.pop()
            if key in self.working:
                continue
            self.working.add(key)
            record = flow.store.files[key[0]].facts.scopes[key[1]]
            if record.kind == "function":
                flow.relevance.of_function(*key)
                flow.edges.demand.function(*key)
                owner = flow.store.files[key[0]].class_of(key[1])
                if owner != NONE:
                    flow.edges.objects.lead(key[0], owner)
                if record.parent != NONE and not record.name:  # a function written in place works for the one around it
                    around = flow.store.files[key[0]].facts.scopes[record.parent]
                    if around.kind in ("function", "comprehension"):
                        waiting.append((key[0], flow.store.files[key[0]].function_of(around.block)))
            for edge in tuple(self.callers.get(key, ())):
                call = flow.store.expr(edge.ref)
                waiting.append((edge.file, flow.store.files[edge.file].function_of(call.block)))
