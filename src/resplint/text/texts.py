"""Where the parts of a text come from: is it the same at every call, per process, or put together from run-time
data?
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from resplint.bind.index import FileIndex, children
from resplint.bind.values import (
    ClassValue,
    CollectionValue,
    Const,
    External,
    ExternalObject,
    FunctionValue,
    LibraryMethod,
    LibraryObject,
    LoopValue,
    ParameterValue,
    Ref,
    Reply,
    Text,
    Unknown,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.flow.limits import MAX_PARTS, PARTS
from resplint.flow.settings_text import SETTING
from resplint.text import arguments as calls
from resplint.text import collections as elements

_MAX_CALLS = 4
_SPLITTERS = frozenset({"split"})
"""Methods that give the parts of a text."""

_NO_BINDINGS = ("parameter", "import", "definition")
"""Kinds of definitions that give a name no value of an expression."""
_EMPTY = (None, "", b"")
"""What a field holds that is still to be filled in."""

Calls = tuple[Ref, ...]
"""Calls whose functions are looked into, outermost first."""


CONSTANT, CONFIGURED, RUNTIME, UNKNOWN = "constant", "configured", "runtime", "unknown"
REQUESTED = "data of the request"
"""The `reason` of parts that a request brings."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a text: `kind` is constant, configured (fixed per process), runtime or unknown; `ref` is where it is
    written.
    """

    kind: str
    ref: Ref
    text: str = ""
    """The text of a constant part."""
    reason: str = ""
    """What a part is that is not constant, in words for a message."""
    is_handed_on: bool = False
    """Whether it is all of the text, at most converted, and comes from callers: nothing is put together here."""


class _Pending(NamedTuple):
    """An expression that is still to be taken apart."""

    ref: Ref
    inside: bool
    """Whether it was met inside another one, so that a function stands for what it returns."""
    whole: bool
    """Whether it is all of the text on its way."""
    entered: Calls


class Texts:
    """Takes texts apart."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def parts(self, file: int, expr: int) -> list[Part]:
        """All parts of the text that an expression stands for, over all of its alternatives."""
        found: list[Part] = []
        seen: set[_Pending] = set()
        pending = [_Pending((file, expr), False, True, ())]
        while pending and len(found) < MAX_PARTS:
            item = pending.pop()
            if item in seen or item.ref[1] == NONE:
                continue
            seen.add(item)
            ref, inside, whole, entered = item
            if (given := self._given(ref, entered)) is not None:
                pending.append(_Pending(given, True, whole, entered[:-1]))
                continue
            built = self._built_from(ref)
            if built is not None:
                found.extend(part for part in built if isinstance(part, Part))
                handed_on = self._handed_on(ref) if whole else 0
                pending.extend(
                    _Pending(part, True, at < handed_on, self._entered(ref, part, entered))
                    for at, part in enumerate(built)
                    if not isinstance(part, Part)
                )
                continue
            values = self._alternatives(ref)
            for value in values:
                if isinstance(value, Text) and value.ref != ref:
                    pending.append(item._replace(ref=value.ref))
                elif isinstance(value, CollectionValue):
                    pending.extend(_Pending(one, True, False, entered) for one in self._elements(value))
                elif isinstance(value, Unknown) and (behind := self._behind_name(ref)):
                    pending.extend(_Pending(one, True, whole, entered) for one in behind)
                elif isinstance(value, FunctionValue) and inside:
                    pending.extend(_Pending(one, True, whole, entered) for one in self._returned(value))
                elif isinstance(value, ExternalObject) and value.ref not in (None, ref) and self._puts_together(value):
                    assert value.ref is not None
                    pending.append(_Pending(value.ref, True, whole, entered))
                else:
                    leaf = self._leaf(value, ref)
                    # An element of the data is what a caller gives only where the whole may be that as well.
                    from_callers = whole and (
                        isinstance(value, ParameterValue)
                        or (isinstance(value, LoopValue) and any(isinstance(one, ParameterValue) for one in values))
                    )
                    found.append(replace(leaf, is_handed_on=True) if from_callers else leaf)
        if pending:
            self._ev.flow.limits.met(PARTS, file)
        return found

    def _handed_on(self, ref: Ref) -> int:
        """How many of the first parts of an expression are each all of its text: those of a choice, what a function
        returns, and what is only converted (``script.getBytes()``).
        """
        expr = self._ev.store.expr(ref)
        if isinstance(expr, facts.Choice):
            return len(expr.options)
        if not isinstance(expr, facts.Call):
            return 0
        functions = self._ev.roles(ref[0]).text_functions
        values = self._ev.values(ref[0], expr.callee)
        if any(isinstance(value, FunctionValue) for value in values):
            return MAX_PARTS
        names = [value.dotted for value in values if isinstance(value, External | ExternalObject)]
        callee = self._ev.store.files[ref[0]].facts.exprs[expr.callee]
        if isinstance(callee, facts.Member):
            names.append(callee.name)
        return 1 if any(functions.get(name) == "same" for name in names) else 0

    # -- which call is looked into -------------------------------------------------------------------------------------

    def _entered(self, ref: Ref, part: Ref, entered: Calls) -> Calls:
        """The calls that are looked into where a part is written which an expression is built from."""
        call = self._ev.store.expr(ref)
        if not isinstance(call, facts.Call) or len(entered) >= _MAX_CALLS:
            return entered
        scope = self._ev.store.files[part[0]].function_of(self._ev.store.expr(part).block)
        called = (
            isinstance(value, FunctionValue) and (value.file, value.scope) == (part[0], scope)
            for value in self._ev.values(ref[0], call.callee)
        )
        return (*entered, ref) if any(called) else entered

    def _given(self, ref: Ref, entered: Calls) -> Ref | None:
        """What the call that is looked into gives a parameter; None for anything else."""
        name = self._ev.store.expr(ref)
        if not entered or not isinstance(name, facts.Name):
            return None
        index = self._ev.store.files[ref[0]]
        scope = index.function_of(name.block)
        position = index.parameters.get((scope, name.name))
        record = index.facts.scopes[scope]
        file, number = entered[-1]
        call = self._ev.store.expr(entered[-1])
        if position is None or (scope, name.name) in index.bindings or not isinstance(call, facts.Call):
            return None
        if not any(
            isinstance(value, FunctionValue) and (value.file, value.scope) == (ref[0], scope)
            for value in self._ev.values(file, call.callee)
        ):
            return None
        bound = 1 if record.belongs and record.parameters[0].name == record.receiver else 0
        given = calls.argument(self._ev.store.files[file], number, record, position, bound)
        if given is None:
            default = record.parameters[position].default
            return (ref[0], default) if default != NONE else None
        return (file, given) if given != NONE else None

    def _behind_name(self, ref: Ref) -> list[Ref]:
        """What a name is bound to at its place that puts text together, although its value is not known: ``ids.map(id
        => …)``. In ``line = line.strip()`` it is what the line was before.
        """
        index = self._ev.store.files[ref[0]]
        if not isinstance(index.facts.exprs[ref[1]], facts.Name):
            return []
        found = self._ev.binder.names(ref[0]).at(ref[1])
        bindings = [index.facts.bindings[one.number] for one in found if one.kind not in _NO_BINDINGS]
        if any(one.operator for one in bindings):  # added to what the name was before
            bindings = index.bindings[bindings[0].scope, bindings[0].name]
        refs = [(ref[0], binding.value) for binding in bindings if binding.value != NONE and not binding.path]
        return [one for one in refs if isinstance(self._ev.store.expr(one), facts.Call) and self._built_from(one)]

    def _alternatives(self, ref: Ref) -> tuple[Value, ...]:
        """Values of an expression; a field that is known to hold a constant, or is known to be one of a class, is not
        also "anything a caller may pass". One that is empty, as a record's fields are before they are filled in, says
        nothing of what the field will hold.
        """
        values = self._ev.values(*ref) or (Unknown(),)
        expr = self._ev.store.expr(ref)
        if not isinstance(expr, facts.Member):
            return values
        if any(isinstance(value, Const) and self._is_said(value) for value in values) or any(
            isinstance(holder, ClassValue) for holder in self._ev.values(ref[0], expr.object)
        ):
            known = [value for value in values if not isinstance(value, ParameterValue | LoopValue | Reply | Unknown)]
            return tuple(known) or (Unknown(),)
        return values

    def _is_said(self, value: Const) -> bool:
        """Whether a constant is what a field holds: not empty, and not what one of the callers passes."""
        return value.value not in _EMPTY and value.ref[1] not in self._ev.store.files[value.ref[0]].argument_of

    def _elements(self, value: CollectionValue) -> list[Ref]:
        collection = self._ev.store.expr(value.ref)
        assert isinstance(collection, facts.Collection)
        file = value.ref[0]
        refs = [(file, number) for number in collection.items]
        refs += [(index.number, write.value) for index, write in elements.stored_items(self._ev, value)]
        return refs + self._appended(value, value.ref[0])

    def _puts_together(self, value: ExternalObject) -> bool:
        """Whether a foreign object is text that is built where its call stands."""
        assert value.ref is not None
        return self._is_builder(value) or (
            isinstance(self._ev.store.expr(value.ref), facts.Call) and self._built_from(value.ref) is not None
        )

    def _is_builder(self, value: ExternalObject) -> bool:
        assert value.ref is not None
        roles = self._ev.roles(value.ref[0])
        return value.dotted.removesuffix("()") in (*roles.text_builders, *roles.collection_makers)

    def _appended(self, value: Value, file: int) -> list[Ref]:
        """What is appended to a list or builder later, in the file that makes it."""
        index = self._ev.store.files[file]
        names = self._adders(index)
        found: list[Ref] = []
        for number in index.calls:
            call = index.facts.exprs[number]
            assert isinstance(call, facts.Call)
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and callee.name in names:
                holder = callee.object
                while isinstance(inner := index.facts.exprs[holder], facts.Call) and isinstance(
                    outer := index.facts.exprs[inner.callee], facts.Member
                ):  # builder.append(a).append(b)
                    holder = outer.object
                if value in self._ev.values(index.number, holder):
                    found.extend((index.number, argument.value) for argument in call.arguments)
        return found

    # -- how an expression builds text ---------------------------------------------------------------------------------

    def _built_from(self, ref: Ref) -> list[Ref | Part] | None:
        """The parts of an expression that puts text together; None when it does not."""
        file = ref[0]
        expr = self._ev.store.expr(ref)
        match expr:
            case facts.Literal(value=value):
                return [Part(CONSTANT, ref, str(value))]
            case facts.Template(parts=parts):
                return [Part(CONSTANT, ref, part) if isinstance(part, str) else (file, part) for part in parts]
            case facts.Operation(operator="+" | "%" | "*", operands=operands):
                return [(file, operand) for operand in operands]
            case facts.Choice(options=options):
                return [(file, option) for option in options]
            case facts.Collection(items=items):
                return [(file, item) for item in items if item != NONE]
            case facts.Index(object=whole) if self._is_taken_apart(file, whole):
                return [(file, whole)]
            case facts.Call():
                return self._from_call(ref, expr)
        return None

    def _is_taken_apart(self, file: int, number: int) -> bool:
        """Whether an expression is what a text was split into: ``line.split(" ")``, or a name for that."""
        for ref in ((file, number), *self._behind_name((file, number))):
            call = self._ev.store.expr(ref)
            callee = self._ev.store.expr((file, call.callee)) if isinstance(call, facts.Call) else None
            if isinstance(callee, facts.Member) and callee.name in _SPLITTERS:
                return True
        return False

    def _from_call(self, ref: Ref, expr: facts.Call) -> list[Ref | Part] | None:
        file = ref[0]
        roles = self._ev.roles(file)
        callee = self._ev.store.files[file].facts.exprs[expr.callee]
        arguments: list[Ref | Part] = [(file, argument.value) for argument in expr.arguments]
        values = self._ev.values(file, expr.callee)
        for value in values:
            if isinstance(value, External | ExternalObject):
                dotted = value.dotted
                if self._is_file(dotted, roles.file_text):
                    return [Part(CONSTANT, ref)]
                if dotted in (*roles.text_builders, *roles.collection_makers):
                    lambdas = self._in_lambda(file, expr)
                    if lambdas:
                        return lambdas  # type: ignore[return-value]
                    return [*arguments, *self._appended(ExternalObject(f"{dotted}()", ref), ref[0])]
                if dotted in roles.text_functions:
                    return arguments
                if self._matches(dotted, roles.configuration):
                    return [Part(CONFIGURED, ref, reason="a setting")]
            if isinstance(value, FunctionValue) and (returned := self._returned(value)):
                return returned  # type: ignore[return-value]
        if isinstance(callee, facts.Member) and callee.name in roles.words.element_callbacks:
            mapped = self._mapped(file, expr)  # ids.map(id => `…`), joined later
            if mapped:
                return mapped  # type: ignore[return-value]
        if isinstance(callee, facts.Member) and callee.name in roles.text_functions:
            holders = self._ev.values(file, callee.object)
            # `str` methods, on anything that is text or may be; a method of a known object is not one.
            known = (FunctionValue, ClassValue, LibraryObject)
            if not any(isinstance(value, known) for value in (*holders, *values)):
                return [(file, callee.object), *arguments]
        return None

    def _mapped(self, file: int, call: facts.Call) -> list[Ref]:
        """What the functions among the arguments of a call give."""
        values = [value for item in call.arguments for value in self._ev.values(file, item.value)]
        return [ref for value in values if isinstance(value, FunctionValue) for ref in self._returned(value)]

    def _in_lambda(self, file: int, call: facts.Call) -> list[Ref]:
        """What a lambda that builds a text appends: ``buildString { append(key) }``."""
        index = self._ev.store.files[file]
        names = self._adders(index)
        found: list[Ref] = []
        for item in call.arguments:
            function = index.facts.exprs[item.value]
            if isinstance(function, facts.Function):
                body = index.facts.blocks[index.facts.scopes[function.scope].block]
                for _, inner in index.calls_in(body.start, body.end):
                    callee = index.facts.exprs[inner.callee]
                    if isinstance(callee, facts.Name | facts.Member) and callee.name in names:
                        found += [(file, argument.value) for argument in inner.arguments]
        return found

    def _adders(self, index: FileIndex) -> tuple[str, ...]:
        words = self._ev.roles(index.number).words
        return (*words.list_adders, *words.text_adders)

    def _returned(self, function: FunctionValue) -> list[Ref]:
        index = self._ev.store.files[function.file]
        return [
            (function.file, jump.value)
            for jump in index.jumps.get(function.scope, ())
            if jump.kind in ("return", "yield") and jump.value != NONE
        ]

    @staticmethod
    def _is_file(dotted: str, patterns: tuple[str, ...]) -> bool:
        plain = dotted.replace("()", "")
        return any(plain == pattern or plain.startswith(pattern + ".") for pattern in patterns)

    @staticmethod
    def _matches(dotted: str, patterns: tuple[str, ...]) -> bool:
        plain = dotted.replace("()", "").replace("[]", "")
        return any(plain == pattern or plain.startswith(pattern + ".") for pattern in patterns)

    # -- leaves --------------------------------------------------------------------------------------------------------

    def _leaf(self, value: Value, ref: Ref) -> Part:
        roles = self._ev.roles(ref[0])
        match value:
            case Const(value=constant):
                return Part(CONSTANT, ref, str(constant))
            case ParameterValue(file=file, scope=scope, index=position):
                parameter = self._ev.store.files[file].facts.scopes[scope].parameters[position]
                if self._is_class(file, parameter.annotation):
                    return Part(CONSTANT, ref)  # there are as many texts as the code has classes
                # One that is taken apart in place has no name of its own.
                named = bool(parameter.name) and "#" not in parameter.name
                return Part(RUNTIME, ref, reason=f"the parameter `{parameter.name}`" if named else "a parameter")
            case LoopValue(ref=data):
                if self._constant_data(data):
                    return Part(CONSTANT, ref)
                read = any(isinstance(one, Reply) for one in self._ev.values(*data))
                return Part(RUNTIME, ref, reason="a reply from Redis" if read else "a loop variable")
            case Reply(ref=call) if self._is_digest(call):
                return Part(CONSTANT, ref)
            case Reply():
                return Part(RUNTIME, ref, reason="a reply from Redis")
            case ExternalObject(dotted=dotted) | External(dotted=dotted):
                if self._is_file(dotted, roles.file_text):
                    return Part(CONSTANT, ref)
                if dotted == SETTING or self._matches(dotted, roles.configuration):
                    return Part(CONFIGURED, ref, reason="a setting")
                if self._matches(dotted, roles.request_data):
                    return Part(RUNTIME, ref, reason=REQUESTED)
        return Part(UNKNOWN, ref)

    def _is_class(self, file: int, annotation: int) -> bool:
        """Whether a declared type says that a class is handed in, not an object: ``type[Job] | None``."""
        words, index = self._ev.roles(file).words, self._ev.store.files[file]
        pending = [annotation] if annotation != NONE else []
        while pending:
            expr = index.facts.exprs[pending.pop()]
            if isinstance(expr, facts.Name | facts.Member) and expr.name in words.class_types:
                return True
            pending.extend(children(expr))
        return False

    def _is_digest(self, call: Ref) -> bool:
        """Whether a reply is that of SCRIPT LOAD: the name of a script, never its text."""
        expr = self._ev.store.expr(call)
        values = self._ev.values(call[0], expr.callee) if isinstance(expr, facts.Call) else ()
        for value in values:
            if isinstance(value, LibraryMethod):
                method = self._ev.catalogue.method_of(value.object.origin, value.name)
                if (method is not None and method.command == "SCRIPT LOAD") or value.name.lower() == "script":
                    return True
        return False

    def _is_of_module(self, file: int, number: int) -> bool:
        """Whether data is a collection that the statements of a module write out, and nothing stores into it later:
        ``SCRIPTS.items()``, ``enumerate(SCRIPTS.values())`` behind ``SCRIPTS = dict(…)``.
        """
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Call):
            callee = index.facts.exprs[expr.callee]
            if isinstance(callee, facts.Member):
                views = callee.name in self._ev.roles(file).words.map_views and not expr.arguments
                return views and self._is_of_module(file, callee.object)
            outside = all(isinstance(one, External) for one in self._ev.callee(file, expr.callee))
            first = expr.arguments[:1]
            return outside and bool(first) and all(self._is_of_module(file, one.value) for one in first)
        if not isinstance(expr, facts.Name):
            return False
        owner = index.owner(expr.name, index.scope_of(expr.block))
        bound = index.bindings.get((owner, expr.name), []) if owner != NONE else []
        if not bound or index.facts.scopes[owner].kind != "module" or len(bound) > 1:
            return False
        stored = [one.block for one in index.facts.writes if self._stores_into(index, one, expr.name)]
        made = index.facts.exprs[bound[0].value] if bound[0].value != NONE else None
        written = isinstance(made, facts.Call) and bool(made.arguments) and all(one.name for one in made.arguments)
        return written and all(index.facts.scopes[index.function_of(block)].kind == "module" for block in stored)

    def _stores_into(self, index: FileIndex, write: facts.Write, name: str) -> bool:
        """Whether a write is one into the collection of a name: ``SCRIPTS["add"] = …``, ``SCRIPTS.update(…)``."""
        target = index.facts.exprs[write.target]
        holder = index.facts.exprs[target.object] if isinstance(target, facts.Member | facts.Index) else None
        return isinstance(holder, facts.Name) and holder.name == name

    def _constant_data(self, data: Ref) -> bool:
        if self._is_of_module(*data):
            return True
        values = self._ev.values(*data)
        if not values or not all(isinstance(value, CollectionValue | ClassValue) for value in values):
            return False
        parts = [part for value in values if isinstance(value, CollectionValue) for part in self.parts(*value.ref)]
        return all(part.kind == CONSTANT for part in parts)
