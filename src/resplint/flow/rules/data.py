"""Values that are not Redis objects: constants, texts, paths outside the project, what callers or settings give.

They begin only where somebody asked, and flow over the same edges as everything else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

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
    LoopValue,
    Many,
    Outside,
    ParameterValue,
    Ref,
    Reply,
    Text,
    Unknown,
    Value,
    Values,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.core import Flow, Token
from resplint.flow.limits import MAX_COMBINATIONS, MAX_OPERATORS
from resplint.flow.nodes import Node
from resplint.flow.rules.operators import EMPTY, computed, joined, spelled
from resplint.flow.settings_text import SETTING, as_constant

Combine = Callable[[tuple[Value, ...]], Values]


class Data:
    """Rules for data, registered where demand comes by."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow

    # -- texts and operators -------------------------------------------------------------------------------------------

    def template(self, file: int, number: int, expr: facts.Template) -> None:
        """A text with holes."""
        holes = [part for part in expr.parts if isinstance(part, int)]
        ref = (file, number)

        def combine(values: tuple[Value, ...]) -> Values:
            constants = spelled(values)
            if constants is None:
                return (Text(ref),)
            given = iter(constants)
            pieces = [part if isinstance(part, str) else next(given) for part in expr.parts]
            return joined(ref, pieces, "str")

        self._combined(file, nodes.expression(file, number), holes, combine, Text(ref))

    def operation(self, file: int, number: int, expr: facts.Operation) -> None:
        """An operator and its operands."""
        ref = (file, number)
        self._combined(
            file, nodes.expression(file, number), list(expr.operands),
            lambda values: computed(ref, expr.operator, values), Unknown(),
        )  # fmt: skip

    def _combined(self, file: int, target: Node, inputs: list[int], combine: Combine, otherwise: Value) -> None:
        flow = self._flow
        ref = (file, target[2])
        held: list[list[Value]] = [[] for _ in inputs]
        if not inputs:
            for value in combine(()):
                flow.put(target, value)
            return
        overflown: list[bool] = []

        def add(position: int, token: Token) -> None:
            if overflown:
                return
            value = flow.values[token]
            if value in held[position]:
                return
            held[position].append(value)
            size = 1
            for group in held:
                size *= len(group)
            if size > MAX_COMBINATIONS or isinstance(value, Many):
                uncombined = flow.limits.uncombined
                if isinstance(value, Many):
                    cut = value.ref in uncombined
                else:
                    cut = all(isinstance(one, Const) for group in held for one in group)
                if cut:
                    uncombined.add(ref)
                overflown.append(True)
                flow.put(target, otherwise)
                flow.put(target, Many(ref))
                return
            through = _through(value)
            if getattr(value, "ref", None) == ref or ref in through or len(through) >= MAX_OPERATORS:
                flow.put(target, otherwise)  # what the operator gave itself: a loop computes no constant
                if len(through) >= MAX_OPERATORS and ref not in through:
                    flow.limits.uncombined.add(ref)
                    flow.put(target, Many(ref))
                return
            groups = [[value] if at == position else group for at, group in enumerate(held)]
            for combination in product(*groups):
                for one in combine(combination):
                    flow.put(target, _computed(one, ref, combination))

        for position, number in enumerate(inputs):
            source = nodes.expression(file, number)
            flow.came(target, source)
            flow.each(source, partial(add, position))

    def passes(self, operator: str, token: Token) -> bool:
        """Whether an operand in front is what ``a or b`` may give: not a constant that it passes over."""
        value = self._flow.values[token]
        return not (isinstance(value, Const) and value.value in EMPTY.get(operator, ()))

    # -- members and elements ------------------------------------------------------------------------------------------

    def member(self, token: Token, name: str, file: int, number: int) -> Values:
        """`value.name` for data."""
        value = self._flow.values[token]
        ref = (file, number)
        match value:
            case ExternalObject() | Outside():
                return (Outside(ref),)
            case Unknown():
                return (value,)
            case ParameterValue() | LoopValue() | Reply():
                return (value,)  # a part of data is data
            case Const(type="str" | "bytes") | Text():
                return (value,)  # a method of text; calling it gives text
            case Const():
                return self._unit(value, name, file, ref)
            case EnumValues():
                return (Unknown(),)
        return ()

    def _unit(self, value: Const, name: str, file: int, ref: Ref) -> Values:
        """`5.seconds`: a number with a unit."""
        seconds = self._flow.binder.roles(file).duration_members.get(name)
        if seconds is None or not isinstance(value.value, int | float) or isinstance(value.value, bool):
            return ()
        return (Const(value.value * seconds, "duration", ref, value.through),)

    def element(self, token: Token, file: int, number: int) -> Values:
        """`value[key]` for data."""
        value = self._flow.values[token]
        match value:
            case External() | ExternalObject() | Outside():
                if isinstance(value, External):
                    catalogue = self._flow.catalogue
                    if catalogue.type(value.dotted) or catalogue.constructor(value.dotted):
                        return (value,)
                return (Outside((file, number)),)
            case Unknown() | Reply() | LoopValue() | ParameterValue():
                return (value,)
        return ()

    def taken_apart(self, token: Token, step: int | str) -> Values:
        """A part of data that a pattern takes out."""
        value = self._flow.values[token]
        if isinstance(value, Reply | LoopValue | ParameterValue):
            return (value,)
        if isinstance(value, ExternalObject | Outside):
            return (value,) if isinstance(step, str) else (Unknown(),)
        if isinstance(value, External):
            return () if isinstance(step, str) else (Unknown(),)
        if isinstance(value, Text | Const) and isinstance(step, str):
            return (value,) if isinstance(value, Text) or value.type in ("str", "bytes") else ()
        if isinstance(value, Unknown | Text | Const):
            return (Unknown(),)
        return ()

    def looped(self, token: Token, file: int, iterable: int) -> Values:
        """What a loop takes out of a value that is no collection written out."""
        value = self._flow.values[token]
        if isinstance(value, CollectionValue) and value.ref[1] >= 0:
            if isinstance(self._flow.store.expr(value.ref), facts.Collection):
                return ()
        if isinstance(value, EnumValues):
            return ()
        return (LoopValue((file, iterable)),)

    # -- calls ---------------------------------------------------------------------------------------------------------

    def call(self, token: Token, file: int, number: int, expr: facts.Call) -> None:
        """What calling data, or something outside the project, gives."""
        flow = self._flow
        value = flow.values[token]
        ref = (file, number)
        target = nodes.expression(file, number)
        match value:
            case External(dotted=dotted):
                self._outside(dotted, ref, expr, target)
            case ExternalObject() | Outside():
                if flow.binder.dotted(file, expr.callee) not in flow.catalogue.borrowed:
                    flow.put(target, Outside(ref))
            case EnumValues() | Reply():
                flow.put(target, value)
            case Const() | Text():
                flow.put(target, Text(ref))
            case Unknown() | ParameterValue() | LoopValue():
                flow.put(target, self._unknown_call(file, expr, ref))
            case Instance():
                words = flow.binder.roles(file).words
                if not words.call or not flow.binder.methods(value.file, value.scope, words.call):
                    flow.put(target, self._unknown_call(file, expr, ref))

    def _unknown_call(self, file: int, expr: facts.Call, ref: Ref) -> Value:
        callee = self._flow.store.files[file].facts.exprs[expr.callee]
        if isinstance(callee, facts.Member) and callee.name in self._flow.binder.roles(file).text_functions:
            return Text(ref)
        return Unknown()

    def _outside(self, dotted: str, ref: Ref, expr: facts.Call, target: Node) -> None:
        """A call of something outside the project."""
        flow = self._flow
        file = ref[0]
        roles = flow.binder.roles(file)
        if flow.catalogue.constructor(dotted) is not None or dotted in _ELSEWHERE:
            return
        if dotted in roles.pass_through:
            position = roles.pass_through[dotted]
            if position >= len(expr.arguments):
                flow.put(target, Unknown())
            else:
                flow.copy(nodes.expression(file, expr.arguments[position].value), target)
            return
        if (dotted in roles.injectors or dotted in roles.lazy) and expr.arguments:
            return
        if dotted in roles.words.getter and len(expr.arguments) >= 2:
            for argument in expr.arguments[2:3]:
                flow.edges.questions.expression(file, argument.value)
                flow.copy(nodes.expression(file, argument.value), target)
            return
        if dotted and dotted == roles.words.base:
            return
        if dotted in roles.conversions and expr.arguments:
            self._converted(roles.conversions[dotted], ref, expr, target)
            return
        if dotted in roles.durations and expr.arguments:
            self._duration(roles.durations[dotted], ref, expr, target)
            return
        if dotted in roles.text_functions and dotted not in roles.text_builders and "." in dotted:
            flow.put(target, Text(ref))
            return
        for path in flow.binder.chains(ref[0]).given(dotted):
            flow.put(target, ExternalObject(path, ref))

    def _duration(self, unit: float, ref: Ref, expr: facts.Call, target: Node) -> None:
        """`Duration.ofMillis(500)`: a constant in seconds of type "duration", where the number is known."""
        flow = self._flow

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool):
                flow.put(target, Const(value.value * unit, "duration", ref, value.through))
            else:
                flow.put(target, ExternalObject("duration()", ref))
            if isinstance(value, Many):
                flow.put(target, Many(ref))

        flow.edges.questions.expression(ref[0], expr.arguments[0].value)
        flow.each(nodes.expression(ref[0], expr.arguments[0].value), consume)

    def _converted(self, kind: str, ref: Ref, expr: facts.Call, target: Node) -> None:
        """`int(os.environ.get("X", "30"))`: a number where the argument, or its default, is one."""
        flow = self._flow

        def convert(value: Value) -> None:
            if isinstance(value, Many):
                flow.put(target, value)
            if kind == "text" or not isinstance(value, Const):
                flow.put(target, value if isinstance(value, Const) else Text(ref) if kind == "text" else value)
                return
            try:
                number = float(value.value) if isinstance(value.value, str | int | float) else None
            except ValueError:
                number = None
            if number is None or math.isnan(number):
                flow.put(target, ExternalObject(f"{kind}()", ref))
            else:
                given = int(number) if number.is_integer() else number
                flow.put(target, Const(given, "float", value.ref, value.through))

        def consume(token: Token) -> None:
            value = flow.values[token]
            default = self.configured_default(value)
            if default is None:
                convert(value)
            else:
                flow.edges.questions.expression(*default)
                flow.each(nodes.expression(*default), lambda one: convert(flow.values[one]))

        flow.edges.questions.expression(ref[0], expr.arguments[0].value)
        flow.each(nodes.expression(ref[0], expr.arguments[0].value), consume)

    def configured_default(self, value: Value) -> Ref | None:
        """The default that a configuration look-up falls back to: ``os.environ.get("X", "30")``."""
        if not isinstance(value, ExternalObject | Outside) or value.ref is None:
            return None
        roles = self._flow.binder.roles(value.ref[0])
        if isinstance(value, Outside):
            call = self._flow.store.expr(value.ref)
            dotted = self._flow.binder.dotted(value.ref[0], call.callee) if isinstance(call, facts.Call) else ""
        else:
            dotted = value.dotted.replace("()", "")
        if not any(dotted == name or dotted.startswith(name + ".") for name in roles.configuration):
            return None
        expr = self._flow.store.expr(value.ref)
        if not isinstance(expr, facts.Call):
            return None
        named = [item.value for item in expr.arguments if item.name and item.name == roles.words.default_argument]
        positional = [item.value for item in expr.arguments if not item.name]
        chosen = named[0] if named else positional[1] if len(positional) > 1 else NONE
        return (value.ref[0], chosen) if chosen != NONE else None

    # -- what a framework fills in -------------------------------------------------------------------------------------

    def setting(self, file: int, decorators: tuple[int, ...], target: Node) -> bool:
        """``@Value("${redis.pool.max:8}") int max``: what the application's settings say, else the default."""
        flow = self._flow
        index = flow.store.files[file]
        names = flow.binder.roles(file).settings_values
        for number in decorators:
            expr = index.facts.exprs[number]
            if not isinstance(expr, facts.Call) or flow.binder.dotted(file, expr.callee) not in names:
                continue
            ref = (file, number)
            by_name = {item.name: item.value for item in expr.arguments}
            keyed = by_name.get("name", NONE)  # @ConfigProperty(name = "a.b", defaultValue = "2s")
            if keyed != NONE:
                self._keyed(file, keyed, by_name.get("defaultValue", NONE), ref, target)
                return True
            for item in expr.arguments:
                self._each_constant(file, item.value, partial(self._filled, file, ref=ref, target=target))
            return True
        return False

    def _each_constant(self, file: int, number: int, consumer: Callable[[str], None]) -> None:
        flow = self._flow
        flow.edges.questions.expression(file, number)

        def consume(token: Token) -> None:
            value = flow.values[token]
            if isinstance(value, Const):
                consumer(str(value.value))

        flow.each(nodes.expression(file, number), consume)

    def _keyed(self, file: int, key: int, default: int, ref: Ref, target: Node) -> None:
        flow = self._flow

        def known(text: str) -> None:
            found = self._settings(file, text, ref)
            for value in found:
                flow.put(target, value)
            if found:
                return
            if default != NONE:
                self._each_constant(file, default, lambda one: flow.put(target, as_constant(one, ref, True)))
            else:
                flow.put(target, ExternalObject(SETTING, ref))

        self._each_constant(file, key, known)

    def _settings(self, file: int, key: str, ref: Ref) -> Values:
        texts = self._flow.application(self._flow.store.files[file].facts.path, key)
        return tuple(
            as_constant(text, ref, True) if text is not None else ExternalObject(SETTING, ref) for text in texts
        )

    def _filled(self, file: int, given: str, ref: Ref, target: Node) -> None:
        """The text of an annotation with its placeholder filled. Spring's is ``${key:default}``."""
        flow = self._flow
        text = given.strip()
        inner = text[2:-1] if text.startswith("${") and text.endswith("}") else ""
        if not inner:
            flow.put(target, ExternalObject(SETTING, ref) if "{" in text else as_constant(text, ref, True))
            return
        key, colon, default = inner.partition(":")
        found = self._settings(file, key.strip(), ref)
        for value in found:
            flow.put(target, value)
        if found:
            return
        if not colon:
            flow.put(target, ExternalObject(SETTING, ref))
        elif "{" in default:
            if len(default) < len(text):
                self._filled(file, default, ref, target)
        else:
            flow.put(target, as_constant(default, ref, True))

    # -- where nothing else is known -----------------------------------------------------------------------------------

    def of_base(self, value: Value, name: str) -> Values:
        """A member that a class of the project may have from a base outside."""
        if isinstance(value, Instance | ClassValue):
            bases = [one for one in self._flow.binder.line(value.file, value.scope) if isinstance(one, External)]
            outside = next((one for one in bases if "." in one.dotted), None)
            if outside is not None:
                dotted = f"{outside.dotted}.{name}"
                return (External(dotted),) if isinstance(value, ClassValue) else (ExternalObject(dotted),)
        if isinstance(value, FunctionValue):
            record = self._flow.store.files[value.file].facts.scopes[value.scope]
            found = []
            for number in record.decorators:
                expr = self._flow.store.files[value.file].facts.exprs[number]
                dotted = self._flow.binder.dotted(value.file, expr.callee if isinstance(expr, facts.Call) else number)
                if dotted:
                    found.append(ExternalObject(f"{dotted}.{name}"))
            if found:
                return tuple(found)
        return (Unknown(),)


def _through(value: Value) -> frozenset[Ref]:
    return value.through if isinstance(value, Const) else frozenset()


def _computed(value: Value, ref: Ref, operands: Sequence[Value]) -> Value:
    """What an operator gives, with the operators that its operands came through."""
    if not isinstance(value, Const):
        return value
    return replace(value, through=frozenset({ref}).union(*map(_through, operands)))


_ELSEWHERE = frozenset({"functools.partial"})
__all__ = ["Data", "LibraryMethod"]
