"""Declared types: what a type says about the value that is declared with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from resplint.bind.reaching import Definition
from resplint.bind.values import ClassValue, CollectionValue, External, FunctionValue, Instance, LibraryObject, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow, Token
from resplint.flow.nodes import Node

_RESULTS = -3_000_000
"""Where what the functions of types give is held, by the expression that names one."""


class Annotations:
    """From a type's name in an annotation to what is annotated."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self.taking: set[tuple[int, int]] = set()
        """Functions that pass clients to the functions that they are passed, and their classes."""
        self._only: dict[tuple[int, int], tuple[int, tuple[int, int] | None]] = {}
        """Class -> how many files there were when it was looked at, and the one method without a body that it has."""

    def mentions(self, file: int, annotation: int, number: int, node: Node) -> None:
        """An expression inside an annotation carries a class or a library's type."""
        flow = self._flow

        def consume(token: Token) -> None:
            type_ = flow.values[token]
            if self._is_result(file, annotation, number):
                self._results(file, number, type_, given)
            elif (value := self._object(type_)) is not None:
                self._apply(file, annotation, number, value, type_, node)

        def given(value: Value, source: Node) -> None:
            for target in flow.edges.tables(file).annotated[annotation]:
                self._give(file, target, value, source)

        flow.each(node, consume)

    def _is_result(self, file: int, annotation: int, number: int) -> bool:
        """Whether an annotation means what the function gives that an expression in it names."""
        place = self._place(file, annotation, number)
        return place is not None and place[0] == "result"

    def _results(self, file: int, number: int, function: Value, give: Callable[[Value, Node], None]) -> None:
        """`ReturnType<typeof connect>`: the types of what a function returns, or a library's function makes."""
        flow = self._flow
        results = nodes.expression(file, _RESULTS - number)
        if isinstance(function, External):
            found = flow.catalogue.constructor(function.dotted)
            if found is not None and (made := flow.edges.objects.of_type(found[1].makes)) is not None:
                give(made, nodes.expression(file, number))
        elif isinstance(function, FunctionValue):
            flow.edges.calls.results(function, results, None)
            flow.each(results, lambda token: self._of_its_type(flow.values[token], results, give))

    def _of_its_type(self, value: Value, source: Node, give: Callable[[Value, Node], None]) -> None:
        """An object of the same type of which nothing else is known."""
        flow = self._flow
        if isinstance(value, LibraryObject):
            give(LibraryObject(flow.origin(value.origin.library, value.origin.type), None), source)
        elif isinstance(value, Instance):
            give(flow.edges.objects.typed(value.file, value.scope), source)

    def alias(self, file: int, number: int, inner: int, node: Node) -> None:
        """`RedisDep = Annotated[Redis, Depends(get_redis)]`: what is declared as the alias is such an object."""
        flow = self._flow
        value = flow.store.files[file].facts.bindings[number].value

        def consume(token: Token) -> None:
            if inner == value:
                return
            if self._is_result(file, value, inner):
                self._results(file, inner, flow.values[token], given)
                return
            made = self._object(flow.values[token])
            if made is not None and self._place(file, value, inner) == ("itself", 0):
                flow.put(nodes.binding(file, number), made, node)

        def given(value: Value, source: Node) -> None:
            flow.put(nodes.binding(file, number), value, source)

        flow.each(node, consume)

    def _object(self, value: Value) -> Value | None:
        """An object of the class or type that a value is."""
        if isinstance(value, ClassValue):
            return self._flow.edges.objects.typed(value.file, value.scope)
        if isinstance(value, External):
            return self._flow.edges.objects.of_type(value.dotted)
        if isinstance(value, LibraryObject):
            return value  # what is injected: `Annotated[Redis, Depends(get_redis)]`
        return None

    def _apply(self, file: int, annotation: int, number: int, value: Value, type_: Value, node: Node) -> None:
        """Give the value to what is annotated, in the way in which the type stands in the annotation."""
        flow = self._flow
        place = self._place(file, annotation, number)
        if place is None:
            return
        kind, position = place
        for target in flow.edges.tables(file).annotated[annotation]:
            if kind == "function":
                if target[0] == "parameter":
                    self._lambda(file, target[1], target[2], position, value)
            elif kind == "itself":
                self._give(file, target, value, node)
                if isinstance(type_, ClassValue) and target[0] == "parameter":
                    self._functional(file, target[1], target[2], type_)
            elif target[0] == "parameter":
                self._lambda(file, target[1], target[2], position, value)
                self._collection(file, annotation, target, value, node)
            else:
                self._collection(file, annotation, target, value, node)

    def _place(self, file: int, annotation: int, number: int) -> tuple[str, int] | None:
        """How an expression stands in an annotation: as the type ("itself"), as the function whose result is meant, as
        a type argument at a position, or as a parameter of a function's type.
        """
        exprs = self._flow.store.files[file].facts.exprs
        words = self._flow.binder.roles(file).words
        current, kind = annotation, "itself"
        while current != number:
            expr = exprs[current]
            if isinstance(expr, facts.Operation):
                inside = [one for one in expr.operands if self._holds(exprs, one, number)]
                if not inside:
                    return None
                current = inside[0]
                continue
            if not isinstance(expr, facts.Index):
                return None
            if self._holds(exprs, expr.object, number):
                current = expr.object
                continue
            outer = getattr(exprs[expr.object], "name", "")
            key = exprs[expr.key]
            items = key.items if isinstance(key, facts.Collection) else (expr.key,)
            position = next((at for at, one in enumerate(items) if self._holds(exprs, one, number)), NONE)
            if position == NONE:
                return None
            if outer in words.type_wrappers or (outer in words.type_streams and position == 0):
                current = items[position]
                continue
            if outer in words.type_results and position == 0:
                current, kind = items[position], "result"
                continue
            if isinstance(exprs[expr.object], facts.Opaque):
                return ("function", position) if items[position] == number else None
            dotted = self._flow.binder.dotted(file, expr.object)
            if dotted and self._flow.catalogue.type(dotted):
                return None
            return ("argument", position)
        return (kind, 0)

    def _holds(self, exprs: tuple[facts.Expr, ...], outer: int, number: int) -> bool:
        if outer == number:
            return True
        expr = exprs[outer]
        parts: tuple[int, ...] = ()
        if isinstance(expr, facts.Index):
            parts = (expr.object, expr.key)
        elif isinstance(expr, facts.Operation):
            parts = expr.operands
        elif isinstance(expr, facts.Collection):
            parts = expr.items
        return any(self._holds(exprs, one, number) for one in parts)

    def _give(self, file: int, target: tuple[str, int, int], value: Value, node: Node) -> None:
        flow = self._flow
        kind, number, position = target
        record = flow.store.files[file].facts
        if kind == "binding":
            if self._is_made_here(file, record.bindings[number], value):
                return
            if not record.bindings[number].name and record.bindings[number].value != NONE:
                flow.put(nodes.expression(file, record.bindings[number].value), value, node)  # a cast
                return
            flow.put(nodes.binding(file, number), value, node)
            if isinstance(value, LibraryObject) and value.made is None and record.bindings[number].value != NONE:
                self._learn(file, record.bindings[number].value, value)
        elif kind == "parameter":
            flow.put(nodes.parameter(file, number, position), value, node)
        elif kind == "returns":
            if not isinstance(value, Instance) or not self._writes_out(file, number):
                flow.put(nodes.returned(file, number), value, node)
        else:
            write = record.writes[number]
            expr = record.exprs[write.target]
            source = nodes.expression(file, -2 - write.target)
            flow.put(source, value, node)
            if isinstance(expr, facts.Member):
                flow.edges.members.store(file, expr.object, expr.name, source)

    def _is_made_here(self, file: int, binding: facts.Binding, value: Value) -> bool:
        """Whether what is declared as a class of the project is made where it is declared: ``Lane a = new Lane();``,
        ``const limits: Limits = { … }``.
        """
        if not isinstance(value, Instance) or binding.value == NONE or binding.path:
            return False
        expr = self._flow.store.files[file].facts.exprs[binding.value]
        if isinstance(expr, facts.Collection) and expr.kind == "map":
            return True
        made = self._flow.binder.static(file, expr.callee) if isinstance(expr, facts.Call) else ()
        return bool(made) and all(isinstance(one, ClassValue) for one in made)

    def _writes_out(self, file: int, scope: int) -> bool:
        """Whether all that a function returns is written out: ``return { host, port };``."""
        index = self._flow.store.files[file]
        returned = [one.value for one in index.jumps.get(scope, ()) if one.kind == "return" and one.value != NONE]
        given = [index.facts.exprs[one] for one in returned]
        return bool(given) and all(isinstance(one, facts.Collection) and one.kind == "map" for one in given)

    def _learn(self, file: int, number: int, value: LibraryObject) -> None:
        """`Jedis jedis = connector.getClient();` says what every other call of that foreign method gives."""
        flow = self._flow
        path = self._method_outside(file, number)
        if not path:
            return
        for other, member in flow.store.named(path.rsplit(".", 1)[-1]):
            call = flow.store.files[other].call_of.get(member)
            if call is not None and (other, call) != (file, number) and self._method_outside(other, call) == path:
                flow.put(nodes.expression(other, call), replace(value, made=(other, call)))

    def _method_outside(self, file: int, number: int) -> str:
        """The path of the method that a call is of, by the declared type of its object; "" if that is no class outside
        the project.
        """
        flow = self._flow
        exprs = flow.store.files[file].facts.exprs
        call = exprs[number]
        callee = exprs[call.callee] if isinstance(call, facts.Call) else None
        holder = exprs[callee.object] if isinstance(callee, facts.Member) else None
        if not isinstance(callee, facts.Member) or not isinstance(holder, facts.Name):
            return ""
        types = {self._declared(file, one) for one in flow.binder.names(file).at(callee.object)}
        type_ = types.pop() if len(types) == 1 else ""
        return f"{type_}.{callee.name}" if type_ and flow.catalogue.type(type_) is None else ""

    def _declared(self, file: int, one: Definition) -> str:
        """The class outside the project that a definition is declared as, "" for a type with arguments."""
        record = self._flow.store.files[file].facts
        annotation = NONE
        if one.kind == "parameter":
            annotation = record.scopes[one.scope].parameters[one.number].annotation
        elif one.kind not in ("import", "definition"):
            annotation = record.bindings[one.number].annotation
        if annotation == NONE or isinstance(record.exprs[annotation], facts.Index):
            return ""  # what a type with arguments gives depends on these
        dotted = self._flow.binder.dotted(file, annotation)
        return dotted if "." in dotted else ""

    def _collection(self, file: int, annotation: int, target: tuple[str, int, int], value: Value, node: Node) -> None:
        """`List<Jedis> clients`: a collection of which only the type of its elements is known."""
        flow = self._flow
        ref = (file, -2_000_000 - annotation)
        source = nodes.element(ref, "?")
        flow.put(source, value, node)
        flow.copy(source, nodes.element(ref, nodes.ANY))
        self._give(file, target, CollectionValue(ref), node)

    def _lambda(self, file: int, scope: int, position: int, at: int, value: Value) -> None:
        """`Function<Jedis, T> work`: functions that are passed receive such an object."""
        flow = self._flow
        flow.relevance.when(flow.relevance.family(value), lambda: self._takes_work(file, scope, position))
        if isinstance(value, LibraryObject):
            self._takes_client(file, scope)

        def consume(token: Token) -> None:
            function = flow.values[token]
            if isinstance(function, FunctionValue):
                record = flow.store.files[function.file].facts.scopes[function.scope]
                place = at + flow.edges.calls.bound(function, record)
                if place < len(record.parameters) and record.parameters[place].annotation == NONE:
                    flow.handed.add(nodes.parameter(function.file, function.scope, place))
                    flow.put(nodes.parameter(function.file, function.scope, place), value)

        flow.each(nodes.parameter(file, scope, position), consume)

    def _takes_work(self, file: int, scope: int, position: int) -> None:
        """A function hands something that leads to Redis to the functions that it is passed: its callers matter."""
        flow = self._flow
        flow.edges.demand.parameter(file, scope, position)
        flow.relevance.of_function(file, scope)
        owner = flow.store.files[file].class_of(scope)
        if owner != NONE:
            flow.edges.objects.lead(file, owner)

    def _takes_client(self, file: int, scope: int) -> None:
        """A function hands a client to the functions that it is passed: who imports it matters."""
        self.taking.add((file, scope))
        owner = self._flow.store.files[file].class_of(scope)
        if owner != NONE:
            self.taking.add((file, owner))

    def _functional(self, file: int, scope: int, position: int, type_: ClassValue) -> None:
        """`JedisAction<T> action`: functions that are passed receive what the one method of the interface says."""
        flow = self._flow
        only = self._only_method(type_.file, type_.scope)
        if only is None:
            return
        other, method = only

        def takes(token: Token) -> None:
            if isinstance(flow.values[token], LibraryObject):
                self._takes_client(file, scope)

        taken = len(flow.store.files[other].facts.scopes[method].parameters)
        for at in range(taken):
            flow.once(nodes.parameter(other, method, at), lambda: self._takes_work(file, scope, position))
            flow.each(nodes.parameter(other, method, at), takes)

        def consume(token: Token) -> None:
            function = flow.values[token]
            if isinstance(function, FunctionValue):
                record = flow.store.files[function.file].facts.scopes[function.scope]
                for at, item in enumerate(record.parameters[:taken]):  # one of another overload may have more
                    if item.annotation == NONE:
                        flow.handed.add(nodes.parameter(function.file, function.scope, at))
                        flow.copy(
                            nodes.parameter(other, method, at), nodes.parameter(function.file, function.scope, at)
                        )

        flow.each(nodes.parameter(file, scope, position), consume)

    def _only_method(self, file: int, scope: int) -> tuple[int, int] | None:
        """The one method of an interface that has no body; None where it has none or several."""
        flow = self._flow
        read = len(flow.store.files)
        known = self._only.get((file, scope))
        if known is None or known[0] != read:
            found = (
                (owner[0], number)
                for owner in flow.binder.project_line(file, scope)
                for number in flow.binder.functions_in(*owner)
                if flow.edges.members.is_abstract(_function(owner[0], number))
            )
            first, second = next(found, None), next(found, None)
            known = self._only[file, scope] = (read, first if second is None else None)
        return known[1]


def _function(file: int, scope: int) -> FunctionValue:
    return FunctionValue(file, scope)
