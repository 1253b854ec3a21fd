"""Functions of the project that pass a command on: ``brpoplpush(a, b, t) { this.client.brpoplpush(a, b, t); }``, or
``def call(self, name, *args): return getattr(self._client, name)(*args)``, or
``def call(send, *args): return send(*args)``.

What is known of the command and its arguments stands where such a function is called, so its calls are the command's
sites.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, FunctionValue, Instance, LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.text import arguments as calls


@dataclass(frozen=True, slots=True)
class ByName:
    """How a function calls the method of a client that it is given, or whose name it is given: the calls, as it may
    try again, the position of the parameter that is the method or its name, and the parameters that it passes in their
    order.
    """

    inner: tuple[Ref, ...]
    position: int
    names: tuple[str, ...]
    is_method: bool
    elsewhere: bool
    """Whether something else runs the calls, which may have a thread of its own."""


class Forwarding:
    """Tells which methods pass a command on, and with which of their parameters."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self._inner: dict[tuple[int, int], tuple[Ref, tuple[str, ...]] | None] = {}
        self._rest: dict[tuple[int, int], tuple[Ref, tuple[str, ...]] | None] = {}
        self._by_name: dict[tuple[int, int], ByName | None] = {}

    def inner(self, function: FunctionValue) -> tuple[Ref, tuple[str, ...]] | None:
        """The call in a method that sends the command the method is named after, or in any function that sends one with
        the rest of its arguments, and the parameters that it passes in their order; None when the function does more
        than that, or something else.
        """
        key = (function.file, function.scope)
        if key not in self._rest:
            self._rest[key] = self._find_rest(*key)
        if not isinstance(function.owner, Instance):
            return self._rest[key]
        if key not in self._inner:
            self._inner[key] = self._find(*key) or self._rest[key]
        return self._inner[key]

    def _find_rest(self, file: int, scope: int) -> tuple[Ref, tuple[str, ...]] | None:
        """The same for a function whose one command takes all that it is called with, behind which it may ask for the
        reply: ``(...args) => new Promise((resolve, reject) => client.lrange(...args, done(resolve, reject)))``.
        """
        index = self._ev.store.files[file]
        record = index.facts.scopes[scope]
        own = {item.name for item in record.parameters}
        rest = {item.name for item in record.parameters if item.kind == "*"}
        if not rest or record.kind != "function":
            return None
        body = index.facts.blocks[record.block]
        sent: dict[int, tuple[facts.Call, list[LibraryMethod]]] = {}
        for number, call in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and self._ev.catalogue.command_name(callee.name):
                methods = [one for one in self._ev.called(file, call.callee) if isinstance(one, LibraryMethod)]
                if methods:
                    sent[number] = (call, methods)
        if len(sent) != 1:
            return None
        ((number, (call, methods)),) = sent.items()
        around = [index.facts.blocks[one] for one in index.enclosing_blocks(call.block)]
        if any(one.kind in ("for", "while") and one.start >= body.start for one in around):
            return None  # tried again, or sent for each of many
        names = self._own_names(index, self._without_callback(index, call, methods), own)
        return ((file, number), names) if names and rest & {*names} else None

    def _without_callback(
        self, index: FileIndex, call: facts.Call, methods: list[LibraryMethod]
    ) -> tuple[facts.Argument, ...]:
        """The arguments of a call without the function behind them that is called with the reply."""
        if len(call.arguments) > 1 and all(one.object.origin.library.library.callbacks for one in methods):
            last = call.arguments[-1]
            values = self._ev.values(index.number, last.value)
            written = isinstance(index.facts.exprs[last.value], facts.Function)
            if not last.name and (written or any(isinstance(one, FunctionValue) for one in values)):
                return call.arguments[:-1]
        return call.arguments

    def _find(self, file: int, scope: int) -> tuple[Ref, tuple[str, ...]] | None:
        index = self._ev.store.files[file]
        record = index.facts.scopes[scope]
        command = self._ev.catalogue.command_name(record.name)
        if not command or not record.parameters:
            return None
        own = {item.name: item.kind for item in record.parameters}
        body = index.facts.blocks[record.block]
        for number, call in index.calls_in(body.start, body.end):
            callee = index.facts.exprs[call.callee]
            arguments: tuple[facts.Argument, ...] | None = call.arguments
            if not isinstance(callee, facts.Member) or self._ev.catalogue.command_name(callee.name) != command:
                arguments = self._behind_name(file, number, call, command)
            if arguments is None:
                continue
            names = self._own_names(index, arguments, {*own})
            return ((file, number), names) if names and not self._expires(index, callee, body, command) else None
        return None

    def _expires(self, index: FileIndex, callee: facts.Expr, body: facts.Block, command: str) -> bool:
        """Whether a method gives a key a time to live through the same variable that it sends another command by."""
        holder = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
        for _, call in index.calls_in(body.start, body.end):
            other = index.facts.exprs[call.callee]
            base = index.facts.exprs[other.object] if isinstance(other, facts.Member) else None
            if not isinstance(other, facts.Member) or not isinstance(base, facts.Name):
                continue
            name = self._ev.catalogue.command_name(other.name)
            if name and name != command and self._ev.catalogue.command(name).couples == "expire":
                return isinstance(holder, facts.Name) and holder.name == base.name
        return False

    def _own_names(
        self, index: FileIndex, arguments: tuple[facts.Argument, ...], own: set[str]
    ) -> tuple[str, ...] | None:
        """The parameters that a call passes in their order; None when it passes something else."""
        names = []
        for item in arguments:
            expr = index.facts.exprs[item.value]
            if item.name not in ("", "*", "**") or not isinstance(expr, facts.Name) or expr.name not in own:
                return None
            if item.name != "**":
                names.append(expr.name)
        return tuple(names)

    def _behind_name(self, file: int, number: int, call: facts.Call, command: str) -> tuple[facts.Argument, ...] | None:
        """The arguments of a command that a call passes by its name: ``self._call("hget", key, field)``."""
        for value in self._ev.called(file, call.callee):
            if isinstance(value, FunctionValue) and (passing := self.by_name(value)) is not None:
                methods = self.methods(value, passing, file, number)
                sent = list({self._ev.catalogue.command_name(one.name) for one in methods})
                name = self._given(value, passing, file, number)
                if sent == [command] and name is not None:
                    return tuple(item for item in call.arguments if item.value != name)
        return None

    def by_name(self, function: FunctionValue) -> ByName | None:
        """How a function calls the method of a client that it is given, itself or by its name; None when it does not,
        or changes what it is given on the way.
        """
        key = (function.file, function.scope)
        if key not in self._by_name:
            self._by_name[key] = self._find_by_name(*key)
        return self._by_name[key]

    def _find_by_name(self, file: int, scope: int) -> ByName | None:
        index = self._ev.store.files[file]
        record = index.facts.scopes[scope]
        if not record.parameters or record.kind != "function":
            return None
        body = index.facts.blocks[record.block]
        own = {item.name for item in record.parameters}
        is_named = bool(record.name) or scope in index.name_of_function
        found: list[tuple[int, int, tuple[str, ...], bool, bool]] = []
        for number, call in index.calls_in(body.start, body.end):
            position = self._sought(index, scope, call.callee) if is_named else None
            if position is None:
                continue
            called = [one for one in self._ev.called(file, call.callee) if isinstance(one, LibraryMethod)]
            arguments = self._without_callback(index, call, called) if called else call.arguments
            names = self._own_names(index, arguments, own - {record.parameters[position].name})
            if names is None:
                return None
            is_method = self._called_parameter(index, call.callee) is not None
            found.append((number, position, names, is_method, index.function_of(call.block) != scope))
        if not found or len({one[1:] for one in found}) > 1:
            return None
        return ByName(tuple((file, one[0]) for one in found), *found[0][1:])

    def _sought(self, index: FileIndex, scope: int, callee: int) -> int | None:
        """The position of the parameter that a function calls, or under whose name it looks up what it calls."""
        expr: facts.Expr | None = index.facts.exprs[callee]
        names = self._ev.binder.names(index.number)
        if isinstance(expr, facts.Name):
            found = names.at(callee)
            if (given := self._called_parameter(index, callee)) is not None:
                is_own = found[0].scope == scope and not index.facts.scopes[scope].parameters[given].kind
                return given if is_own else None
            if len(found) != 1 or found[0].kind != "assign" or found[0].scope != scope:
                return None
            binding = index.facts.bindings[found[0].number]
            expr = index.facts.exprs[binding.value] if binding.value != NONE and not binding.path else None
        if isinstance(expr, facts.Call) and len(expr.arguments) > 1:
            getter = self._ev.roles(index.number).words.getter
            key = expr.arguments[1].value if self._ev.binder.dotted(index.number, expr.callee) in getter else NONE
        else:
            key = expr.key if isinstance(expr, facts.Index) else NONE
        if key == NONE or not isinstance(index.facts.exprs[key], facts.Name):
            return None
        found = names.at(key)
        is_own = len(found) == 1 and found[0].kind == "parameter" and found[0].scope == scope
        position = found[0].number if is_own else NONE
        return position if is_own and not index.facts.scopes[scope].parameters[position].kind else None

    def _called_parameter(self, index: FileIndex, callee: int) -> int | None:
        """The position of the parameter that is called; None for what is none, or is set anew."""
        if not isinstance(index.facts.exprs[callee], facts.Name):
            return None
        found = self._ev.binder.names(index.number).at(callee)
        return found[0].number if len(found) == 1 and found[0].kind == "parameter" else None

    def _given(self, function: FunctionValue, passing: ByName, file: int, number: int) -> int | None:
        """The expression that such a call passes as the method or its name; None where it is not known."""
        record = self._ev.store.files[function.file].facts.scopes[function.scope]
        found = calls.argument(self._ev.store.files[file], number, record, passing.position, self._bound(record))
        return None if found == NONE else found

    def methods(self, function: FunctionValue, passing: ByName, file: int, number: int) -> list[LibraryMethod]:
        """The methods that a call of such a function passes or names; none where it is not known what they all are."""
        given = self._given(function, passing, file, number)
        if given is None:
            return []
        if passing.is_method:
            carried = [one for one in self._ev.carried(file, given) if isinstance(one, LibraryMethod)]
            return [one for one in carried if one.object.is_async or not passing.elsewhere]
        values = self._ev.values(file, given)
        texts = [one.value for one in values if isinstance(one, Const) and isinstance(one.value, str)]
        owners: dict[LibraryObject, None] = {}
        for inner in passing.inner if len(texts) == len(values) else ():
            call = self._ev.store.expr(inner)
            called = self._ev.called(inner[0], call.callee) if isinstance(call, facts.Call) else ()
            owners.update((one.object, None) for one in called if isinstance(one, LibraryMethod))
        kept = [one for one in owners if one.is_async or not passing.elsewhere]
        return [LibraryMethod(one, name) for one in kept for name in texts]

    def _bound(self, record: facts.Scope) -> int:
        return 1 if record.receiver and record.parameters[0].name == record.receiver else 0

    def words(self, function: FunctionValue, names: tuple[str, ...], file: int, number: int) -> tuple[int, ...]:
        """The arguments of a call of such a method, in the order in which it passes them on."""
        index = self._ev.store.files[file]
        call = index.facts.exprs[number]
        record = self._ev.store.files[function.file].facts.scopes[function.scope]
        assert isinstance(call, facts.Call)
        bound = self._bound(record)
        found: list[int] = []
        for name in names:
            position = next(place for place, item in enumerate(record.parameters) if item.name == name)
            if record.parameters[position].kind == "*":
                before = itertools.takewhile(lambda item: item.name != "*", call.arguments)
                found += [item.value for item in before if not item.name][position - bound :]
                break
            given = calls.argument(index, number, record, position, bound)
            if given is None or given == NONE:
                break
            found.append(given)
        return tuple(found)
