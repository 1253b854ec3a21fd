"""Calls of functions outside the project that carry values on: containers, promises, scope functions, partials."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint.bind.values import (
    ClassValue,
    CollectionMethod,
    CollectionValue,
    External,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow, Token
from resplint.flow.nodes import Node
from resplint.flow.rules.outside.library import Library
from resplint.flow.rules.rows import ForeignRows
from resplint.knowledge.records.client_records import CallbackModel

if TYPE_CHECKING:
    from resplint.flow.demand import Demand


class Foreign:
    """What foreign functions and methods do with what they are given."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._methods: dict[int, frozenset[str]] = {}
        self._libraries: dict[int, Library] = {}
        self._ran: set[tuple[int, int]] = set()
        self._rows = ForeignRows(flow)

    def library(self, file: int) -> Library:
        roles = self._flow.binder.roles(file)
        known = self._libraries.get(id(roles))
        if known is None:
            known = self._libraries[id(roles)] = Library(roles)
        return known

    def given(self, file: int, call: int, expr: facts.Call, place: int, parameter: int) -> None:
        """Somebody asks what a function receives that a call is passed at a place."""
        self._rows.given(file, call, expr, place, parameter)

    def collection_methods(self, file: int) -> frozenset[str]:
        """Methods of collections that carry elements."""
        words = self._flow.binder.roles(file).words
        known = self._methods.get(id(words))
        if known is None:
            lists = (
                words.lookups, words.map_defaults, words.map_views, words.copiers, words.list_adders, words.adders,
                words.queuers, words.map_setters, words.map_mergers, words.takers, words.element_getters,
                words.element_callbacks, words.advancers,
            )  # fmt: skip
            known = self._methods[id(words)] = frozenset().union(*lists)
        return known

    # -- arguments -----------------------------------------------------------------------------------------------------

    def passed(self, file: int, number: int, expr: facts.Call, position: int, node: Node) -> None:
        """An argument of a call carries something: where a function outside takes it."""
        flow = self._flow
        target = nodes.expression(file, number)
        callee = flow.store.files[file].facts.exprs[expr.callee]
        roles = flow.binder.roles(file)
        words = roles.words
        dotted = flow.binder.dotted(file, expr.callee)
        argument = expr.arguments[position]
        if dotted and roles.pass_through.get(dotted) == position:
            flow.copy(node, target)
            return
        if dotted in self.library(file).partials or getattr(callee, "name", "") in self.library(file).partial_methods:
            self._partial(file, number, expr, position, node)
            return
        self._rows.passed(file, number, expr, position)
        if dotted in words.getter and position == 0 and len(expr.arguments) > 1:
            flow.edges.keys.each(
                file, expr.arguments[1].value,
                lambda key: self._getattr(key, node, target, file),
            )  # fmt: skip
            return
        if (dotted in roles.injectors and position == 0) or dotted in roles.lazy:
            self._result_of(node, target)
            return
        if isinstance(callee, facts.Name):
            self._settled(file, callee, expr, position, node)
            if callee.name in words.scope_functions and len(expr.arguments) == 2 and position == 0:
                self._run(file, number, expr, callee.name, node)
        if isinstance(callee, facts.Member) and position >= 0:
            name = callee.name
            written = flow.store.files[file].facts.exprs[argument.value]
            literal = isinstance(written, facts.Member) and written.name in words.class_literals
            if name in words.type_getters and (literal if words.class_literals else position == 0):
                self._of_type(file, argument.value, node, target)
            if name in words.folds and position == 1:
                self._folded(file, number, expr, node)
            elif name in words.map_setters or name in words.map_defaults or name in words.name_setters:
                if position == 1:
                    flow.edges.members.store_at(file, callee.object, expr.arguments[0].value, node)
                    if name in words.map_defaults:
                        flow.copy(node, target)
            elif name in words.list_adders or name in words.adders or name in words.queuers:
                self._added(file, callee.object, argument, node)
            elif name in words.thenables and position == 0:  # it may give something whatever it is called with
                self._run(file, number, expr, name, nodes.expression(file, callee.object))

    def _of_type(self, file: int, number: int, node: Node, target: Node) -> None:
        """`injector.get(Store)`: an object of the class that the argument is."""
        flow = self._flow
        names = flow.binder.names(file)
        expr = flow.store.files[file].facts.exprs[number]
        is_name = isinstance(expr, facts.Name) and any(
            one.kind in ("import", "definition") or one.scope == 0 for one in names.at(number)
        )

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, ClassValue):
                flow.put(target, flow.edges.objects.typed(value.file, value.scope), node)
            elif isinstance(value, External) and (made := flow.edges.objects.of_type(value.dotted)):
                flow.put(target, made, node)
            elif is_name and isinstance(value, LibraryObject) and value.made is None:
                flow.add(target, token, node)  # the alias of a type

        flow.each(node, consume)

    def _folded(self, file: int, number: int, expr: facts.Call, node: Node) -> None:
        """`ids.reduce((batch, id) => batch.get(id), client.pipeline())`."""
        flow = self._flow
        target = nodes.expression(file, number)
        function = expr.arguments[0].value
        flow.edges.demand.expression(file, function)
        flow.copy(node, target)

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, FunctionValue):
                taken = nodes.parameter(value.file, value.scope, 0)
                flow.handed.add(taken)
                flow.copy(node, taken)
                flow.edges.calls.results(value, target, None)
                flow.copy(target, taken)

        flow.each(nodes.expression(file, function), consume)

    def _getattr(self, key: str | int, node: Node, target: Node, file: int) -> None:
        if isinstance(key, str):
            self._flow.each(node, lambda token: self._flow.edges.members.named(token, key, target, node, file))

    def _added(self, file: int, base: int, argument: facts.Argument, node: Node) -> None:
        """`items.append(value)`."""
        flow = self._flow
        flow.edges.demand.expression(file, base)

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, CollectionValue):
                flow.edges.members.put(value.ref, "?", node)

        flow.each(nodes.expression(file, base), consume)

    def _settled(self, file: int, callee: facts.Name, expr: facts.Call, position: int, node: Node) -> None:
        """`new Promise(resolve => resolve(value))`: the promise gives what it is resolved with."""
        flow = self._flow
        if position != 0:
            return
        names = flow.binder.names(file)
        scope, _ = names.owner(callee.name, callee.block)
        index = flow.store.files[file]
        if scope == NONE or index.parameters.get((scope, callee.name)) != 0:
            return
        number = index.function_expr.get(scope)
        place = index.argument_of.get(number) if number is not None else None
        if place is None:
            return
        made = index.facts.exprs[place[0]]
        assert isinstance(made, facts.Call)
        if place[1] == 0 and flow.binder.dotted(file, made.callee) in self.library(file).promises:
            flow.copy(node, nodes.expression(file, place[0]))

    def _partial(self, file: int, number: int, expr: facts.Call, position: int, node: Node) -> None:
        """`partial(f, value)`: f with its first arguments filled in; so does what makes an object of a class later."""
        flow = self._flow
        target = nodes.expression(file, number)
        if position == 0:
            flow.copy(node, target)
            return
        function = expr.arguments[0].value
        flow.edges.demand.expression(file, function)
        argument = expr.arguments[position]

        def consume(token: Token) -> None:
            value = flow.values[token]
            made = isinstance(value, ClassValue)
            for one in flow.binder.constructors(value.file, value.scope) if isinstance(value, ClassValue) else (value,):
                if isinstance(one, FunctionValue):
                    record = flow.store.files[one.file].facts.scopes[one.scope]
                    for at, item in enumerate(record.parameters):
                        if item.name == argument.name if argument.name else at == position - 1 + made:
                            flow.copy(node, nodes.parameter(one.file, one.scope, at))

        flow.each(nodes.expression(file, function), consume)

    def _result_of(self, node: Node, target: Node) -> None:
        flow = self._flow

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, FunctionValue):
                flow.edges.calls.results(value, target, None)
            elif isinstance(value, ClassValue):
                flow.put(target, flow.edges.objects.typed(value.file, value.scope), node)

        flow.each(node, consume)

    # -- calls that somebody asks about --------------------------------------------------------------------------------

    def wanted(self, file: int, number: int, expr: facts.Call, demand: Demand) -> None:
        """Somebody wants to know what a call gives: what it passes through is asked for, too."""
        flow = self._flow
        roles = flow.binder.roles(file)
        words = roles.words
        target = nodes.expression(file, number)
        dotted = flow.binder.dotted(file, expr.callee)
        library = self.library(file)
        if dotted and dotted == words.base and not expr.arguments:
            index = flow.store.files[file]
            around = index.class_of(index.function_of(expr.block))
            if around != NONE:
                flow.edges.objects.activate(file, around)
                flow.edges.members.put_base((file, around), target, nodes.expression(file, expr.callee))
            return
        self._rows.wanted(file, number, expr)
        position = roles.pass_through.get(dotted)
        if position is not None and position < len(expr.arguments):
            demand.expression(file, expr.arguments[position].value)
        name = getattr(flow.store.files[file].facts.exprs[expr.callee], "name", "")
        fills_in = dotted in library.partials or name in library.partial_methods
        if (dotted in roles.injectors or dotted in roles.lazy or fills_in) and expr.arguments:
            demand.expression(file, expr.arguments[0].value)
        if dotted in words.getter and expr.arguments:
            demand.expression(file, expr.arguments[0].value)
        if dotted and library.makes_collection(dotted):
            flow.put(target, CollectionValue((file, number)))
        if dotted in library.promises and expr.arguments:
            self._promise(file, expr, demand)
        callee = flow.store.files[file].facts.exprs[expr.callee]
        if isinstance(callee, facts.Member) and callee.name in words.folds and len(expr.arguments) > 1:
            demand.expression(file, expr.arguments[1].value)  # `rows.reduce((found, row) => …, {})`
            flow.copy(nodes.expression(file, expr.arguments[1].value), target)

    def _promise(self, file: int, expr: facts.Call, demand: Demand) -> None:
        index = self._flow.store.files[file]
        function = index.facts.exprs[expr.arguments[0].value]
        if isinstance(function, facts.Function):
            record = index.facts.scopes[function.scope]
            if record.parameters:
                for number in index.by_name.get(record.parameters[0].name, ()):
                    call = index.call_of.get(number)
                    settled = index.facts.exprs[call] if call is not None else None
                    if isinstance(settled, facts.Call) and settled.arguments:
                        demand.expression(file, settled.arguments[0].value)

    # -- collections ---------------------------------------------------------------------------------------------------

    def collection_call(
        self, file: int, number: int, expr: facts.Call, method: CollectionMethod, target: Node, node: Node
    ) -> None:
        """A method of a collection."""
        flow = self._flow
        words = flow.binder.roles(file).words
        value, name = method.collection, method.name
        view = words.map_views.get(name)
        if view is not None or name in words.copiers:
            flow.put(target, CollectionValue(value.ref, view or value.view), node)
        if name in words.lookups or name in words.map_defaults or name in words.element_getters:
            if expr.arguments:
                flow.edges.keys.each(
                    file, expr.arguments[0].value,
                    lambda key: flow.edges.members.read(value, nodes.ANY if key == "?" else key, target),
                )  # fmt: skip
            for argument in expr.arguments[1:2]:
                flow.copy(nodes.expression(file, argument.value), target)
                for demand in flow.edges.demands:
                    if demand.wants(target):
                        demand.expression(file, argument.value)
        if name in words.takers or name in words.advancers or (name in words.element_getters and not expr.arguments):
            flow.edges.members.read(value, nodes.ANY, target)
        if name in words.element_callbacks:
            self._for_each(file, expr, value, name, target)

    def _for_each(self, file: int, expr: facts.Call, value: CollectionValue, name: str, target: Node) -> None:
        """`items.forEach(item => …)`."""
        flow = self._flow
        words = flow.binder.roles(file).words
        library = self.library(file)
        position = 1 if name in words.folds else 0
        for argument in expr.arguments[:1]:
            self._hand_over(file, argument.value, value, position, target if name in library.mapping else None)
        if name in library.keeping:
            flow.put(target, value)
        elif name in library.choosing:
            flow.edges.members.read(value, nodes.ANY, target)

    def _hand_over(self, file: int, function: int, value: CollectionValue, position: int, mapped: Node | None) -> None:
        """A function gets the elements of a collection at a position; what it gives is in the collection `mapped`."""
        flow = self._flow
        flow.edges.demand.expression(file, function)
        flow.edges.demand.elements(value)

        def consume(token: Token) -> None:
            called = flow.values[token]
            if isinstance(called, FunctionValue):
                record = flow.store.files[called.file].facts.scopes[called.scope]
                bound = flow.edges.calls.bound(called, record)
                if len(record.parameters) > position + bound:
                    read = nodes.parameter(called.file, called.scope, position + bound)
                    flow.handed.add(read)
                    flow.edges.members.read(value, nodes.ANY, read)
                if mapped is not None:
                    ref = (called.file, NONE - 1_000_000 - called.scope)
                    flow.put(mapped, CollectionValue(ref))
                    flow.edges.members.put(ref, "?", nodes.returned(called.file, called.scope))

        flow.each(nodes.expression(file, function), consume)

    # -- functions that run on an object -------------------------------------------------------------------------------

    def runs_on(self, file: int, number: int, expr: facts.Call, name: str) -> bool:
        """Whether a call runs a function on its receiver: ``client.let { … }``, ``promise.then(f)``."""
        words = self._flow.binder.roles(file).words
        if not (name in words.thenables or name in words.scope_functions) or not expr.arguments:
            return False
        callee = self._flow.store.files[file].facts.exprs[expr.callee]
        if not isinstance(callee, facts.Member):
            return False
        self._run(file, number, expr, name, nodes.expression(file, callee.object))
        return True

    def _run(self, file: int, number: int, expr: facts.Call, name: str, source: Node) -> None:
        flow = self._flow
        if (file, number) in self._ran:
            return
        self._ran.add((file, number))
        words = flow.binder.roles(file).words
        target = nodes.expression(file, number)
        gives = words.scope_functions.get(name, "result")
        last = expr.arguments[-1].value if name in words.scope_functions else expr.arguments[0].value
        flow.edges.demand.expression(file, last)
        if gives == "object":
            flow.copy(source, target)

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, FunctionValue):
                record = flow.store.files[value.file].facts.scopes[value.scope]
                bound = flow.edges.calls.bound(value, record)
                if len(record.parameters) > bound and record.parameters[bound].name != "this":
                    flow.handed.add(nodes.parameter(value.file, value.scope, bound))
                    flow.copy(source, nodes.parameter(value.file, value.scope, bound))
                if gives != "object":
                    flow.edges.calls.results(value, target, None)

        flow.each(nodes.expression(file, last), consume)

    # -- callbacks of client libraries ---------------------------------------------------------------------------------

    def callback(self, file: int, number: int, expr: facts.Call, value: LibraryMethod, model: CallbackModel) -> None:
        """A method of a client calls a function with an object of its own."""
        flow = self._flow
        known = flow.catalogue.type(model.gives)
        made = value.object.made
        if (known is None and (model.gives or made is None)) or not 0 <= model.index < len(expr.arguments):
            return
        argument = expr.arguments[model.index].value
        flow.edges.demand.expression(file, argument)

        def consume(token: Token) -> None:
            taker = flow.values[token]
            functions = [taker] if isinstance(taker, FunctionValue) else []
            if isinstance(taker, Instance):
                for name in model.names:
                    functions += flow.binder.methods(taker.file, taker.scope, name)
            for one in functions:
                record = flow.store.files[one.file].facts.scopes[one.scope]
                at = model.parameter + flow.edges.calls.bound(one, record)
                if at < len(record.parameters):
                    taken = nodes.parameter(one.file, one.scope, at)
                    flow.handed.add(taken)
                    if known is not None:
                        origin = flow.origin(*known, None, None, model)
                        flow.put(taken, flow.edges.objects.derived(origin, (file, number), value.object))
                    elif made is not None:
                        flow.copy(flow.edges.pools.held(made), taken)

        flow.each(nodes.expression(file, argument), consume)
