"""What a call gives, what a parameter receives, and who calls whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import (
    callbacks,
    declared,
    durations,
    elements,
    injected,
    members,
    overloads,
    pooled,
    readers,
    receivers,
)
from resplint.link.values import (
    ClassValue,
    CollectionMethod,
    Const,
    EnumValues,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    ParameterValue,
    Ref,
    Reply,
    Text,
    Unknown,
    Value,
    Values,
    merge,
)

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex


# -- calling ----------------------------------------------------------------------------------------------------------


def call(ev: Evaluator, ref: Ref, expr: facts.Call) -> Values:
    """Values of a call expression."""
    if (bound := callbacks.bound_function(ev, ref, expr)) is not None:
        return bound
    groups = [_call(ev, value, ref, expr) for value in overload(ev, ev.values(ref[0], expr.callee), ref[0], expr)]
    values = merge(groups)
    callee = ev.store.files[ref[0]].facts.exprs[expr.callee]
    if isinstance(callee, facts.Member) and all(isinstance(value, Unknown | ExternalObject) for value in values):
        unknown = all(isinstance(value, Unknown) for value in values)
        if unknown and callee.name in ev.roles(ref[0]).text_functions:
            return (Text(ref),)
        # An object of a class with a foreign base may have any method, as far as can be told.
        if not expr.arguments and (found := readers.read(ev, ref, callee)):
            return found
    return values or (Unknown(),)


def overload(ev: Evaluator, values: Values, file: int, expr: facts.Call) -> Values:
    """Of several functions of one name, those that take such arguments as are given; all if none does."""
    functions = [value for value in values if isinstance(value, FunctionValue)]
    if len(functions) < 2:
        return values
    fitting = [value for value in functions if fits(ev, value, expr)]
    if len(fitting) > 1:
        fitting = overloads.taking(ev, fitting, file, expr) or fitting
    if not fitting:
        return values
    return tuple(value for value in values if not isinstance(value, FunctionValue) or value in fitting)


def fits(ev: Evaluator, function: FunctionValue, expr: facts.Call) -> bool:
    """Whether a function can take the arguments of a call."""
    most, needed, collects = ev.store.files[function.file].arity(function.scope)
    if collects or any(item.name in ("*", "**") for item in expr.arguments):
        return True
    return needed <= len(expr.arguments) <= most


def _call(ev: Evaluator, value: Value, ref: Ref, expr: facts.Call) -> Values:
    match value:
        case External(dotted=dotted):
            return _call_external(ev, dotted, ref, expr)
        case ClassValue(file=file, scope=scope):
            return (ev.classes.instance(file, scope, ref),)
        case FunctionValue():
            return _call_function(ev, value, ref, expr)
        case LibraryMethod():
            return (_call_method(ev, value, ref, expr),)
        case LibraryObject() if value.kind == "script":
            return (Reply(ref),)
        case Instance(file=file, scope=scope):
            words = ev.roles(file).words
            method = ev.classes.method(file, scope, words.call) if words.call else None
            return result(ev, FunctionValue(method.file, method.scope, value), ref) if method else (Unknown(),)
        case ExternalObject(dotted=dotted):
            return ev.learned(dotted, ref) or (ExternalObject(f"{dotted}()", ref),)
        case EnumValues():
            return (value,)
        case Const() | Text():
            return (Text(ref),)
        case Reply():
            return (value,)
        case CollectionMethod():
            return elements.method_result(ev, value, ref, expr)
    return (Unknown(),)


def _call_external(ev: Evaluator, dotted: str, ref: Ref, expr: facts.Call) -> Values:
    known = ev.catalogue.constructor(dotted)
    if known is not None:
        library, constructor = known
        owner, type_ = ev.catalogue.type(constructor.makes) or (library, None)
        if type_ is not None:
            return (LibraryObject(declared.origin(ev, owner, type_, constructor), ref),)
    if ev.catalogue.factories and (configured := ev.configured(dotted)) is not None:
        return (LibraryObject(configured, ref),)
    roles = ev.roles(ref[0])
    position = roles.pass_through.get(dotted)
    if position is not None:
        if len(expr.arguments) > position:
            return ev.values(ref[0], expr.arguments[position].value)
        return (Unknown(),)
    if dotted in roles.injectors and expr.arguments:
        made = [_call(ev, value, ref, expr) for value in ev.values(ref[0], expr.arguments[0].value)]
        return merge([tuple(value for value in group if not isinstance(value, Unknown)) for group in made])
    if dotted in roles.words.getter and len(expr.arguments) >= 2:
        return _getattr(ev, ref, expr)
    if dotted and dotted == roles.words.base:
        index = ev.store.files[ref[0]]
        around = index.class_of(index.function_of(expr.block))
        return receivers.base(ev, index, around) if around != NONE else (Unknown(),)
    if dotted in roles.conversions and expr.arguments:
        return converted(ev, roles.conversions[dotted], ref, expr)
    if dotted in roles.durations and expr.arguments:
        return durations.made(ev, roles.durations[dotted], ref, expr)
    if dotted in roles.text_functions and dotted not in roles.text_builders and "." in dotted:
        return (Text(ref),)
    if dotted in roles.lazy and expr.arguments:
        return lazily(ev, ref, expr)
    return (ExternalObject(f"{dotted}()", ref),)


def lazily(ev: Evaluator, ref: Ref, expr: facts.Call) -> Values:
    """`by lazy { … }`: what the function gives that is run at the first use."""
    groups = [
        result(ev, value, None)
        for item in expr.arguments
        for value in ev.values(ref[0], item.value)
        if isinstance(value, FunctionValue)
    ]
    return merge(groups) or (Unknown(),)


def converted(ev: Evaluator, kind: str, ref: Ref, expr: facts.Call) -> Values:
    """`int(os.environ.get("X", "30"))`: a number where the argument, or its default, is one.

    `kind` is "number" or "text".
    """
    values = ev.values(ref[0], expr.arguments[0].value)
    groups: list[Values] = []
    for value in values:
        if isinstance(value, ExternalObject):
            groups.append(configured_default(ev, value))
        else:
            groups.append((value,))
    converted_values: list[Value] = []
    for value in merge(groups):
        if kind == "text" or not isinstance(value, Const):
            converted_values.append(value if isinstance(value, Const) else Text(ref) if kind == "text" else value)
            continue
        try:
            number = float(value.value) if isinstance(value.value, str | int | float) else None
        except ValueError:
            number = None
        if number is not None:
            converted_values.append(Const(int(number) if number.is_integer() else number, "float", value.ref))
    return tuple(converted_values) or (ExternalObject(f"{kind}()", ref),)


def configured_default(ev: Evaluator, value: ExternalObject) -> Values:
    """The default that a configuration look-up falls back to: ``os.environ.get("X", "30")``."""
    roles = ev.roles(value.ref[0]) if value.ref else None
    dotted = value.dotted.removesuffix("()")
    if (
        roles is None
        or value.ref is None
        or not any(dotted == name or dotted.startswith(name + ".") for name in roles.configuration)
    ):
        return (value,)
    expr = ev.store.expr(value.ref)
    if not isinstance(expr, facts.Call):
        return (value,)
    named = [item.value for item in expr.arguments if item.name and item.name == roles.words.default_argument]
    positional = [item.value for item in expr.arguments if not item.name]
    chosen = named[0] if named else positional[1] if len(positional) > 1 else NONE
    return ev.values(value.ref[0], chosen) or (value,)


def _getattr(ev: Evaluator, ref: Ref, expr: facts.Call) -> Values:
    names = ev.values(ref[0], expr.arguments[1].value)
    groups = [
        members.member(ev, ev.values(ref[0], expr.arguments[0].value), name.value, ref)
        for name in names
        if isinstance(name, Const) and isinstance(name.value, str)
    ]
    if len(expr.arguments) > 2:
        groups.append(ev.values(ref[0], expr.arguments[2].value))
    return merge(groups) or (Unknown(),)


def _call_method(ev: Evaluator, value: LibraryMethod, ref: Ref, expr: facts.Call) -> Value:
    owner = value.object
    library = owner.origin.library
    version = ev.version(owner, ref[0]).version
    pipeline = ev.catalogue.pipeline(owner.origin, value.name, version)
    if pipeline is not None and pipeline.modal:
        return Reply(ref)  # the receiver queues from here on
    if pipeline is not None and (known := ev.catalogue.type(pipeline.makes)):
        return LibraryObject(declared.origin(ev, library, known[1]), ref, owner)
    method = overloads.choose(ev, ev.catalogue.overloads(owner.origin, value.name, version), ref[0], expr)
    if method is not None and method.returns_element and (held := pooled.held(ev, owner)):
        return held[0]
    if method is not None and method.returns and (known := ev.catalogue.type(method.returns)):
        return LibraryObject(declared.origin(ev, library, known[1], None, method), ref, owner)
    if method is not None and method.gives:
        return ExternalObject(method.gives, ref)
    if owner.kind == "pipeline" and owner.origin.type.chains and method is not None and method.command:
        return owner  # queued: the pipeline itself comes back
    if owner.kind == "script" and method is None:
        return Unknown()  # an accessor of the object; nothing is sent
    if (
        value.name in ev.roles(ref[0]).words.entering
        or (method is not None and method.fluent)
        or owner.kind == "config"
    ):
        return owner
    return Reply(ref)


def _call_function(ev: Evaluator, value: FunctionValue, ref: Ref | None, expr: facts.Call | None) -> Values:
    configured = ev.factory(value)
    if configured is not None and ref is not None:
        return (LibraryObject(configured, ref),)
    return result(ev, value, ref)


def result(ev: Evaluator, function: FunctionValue, ref: Ref | None) -> Values:
    """What a function returns (or yields), whoever calls it."""
    index = ev.store.files[function.file]
    record = index.facts.scopes[function.scope]
    wanted = "yield" if record.is_generator else "return"
    groups = []
    for jump in index.jumps.get(function.scope, ()):
        if jump.kind == wanted and jump.value != NONE:
            given = _own_parameter(ev, function, jump.value, ref) if ref is not None else None
            groups.append(ev.values(*given) if given is not None else ev.values(function.file, jump.value))
    values = merge(groups)
    owner = function.owner
    if isinstance(owner, LibraryObject | Instance):  # `return self` keeps what is known of the receiver
        values = tuple(owner if _same_class(value, owner) else value for value in values)
    if record.returns != NONE and not any(isinstance(value, LibraryObject | Instance) for value in values):
        promised = declared.typed(ev, function.file, record.returns)
        objects = tuple(value for value in promised if isinstance(value, LibraryObject | Instance))
        values = merge([values, objects])
    return values or (Unknown(),)


def _own_parameter(ev: Evaluator, function: FunctionValue, value: int, ref: Ref) -> Ref | None:
    """`return default` gives a caller what that caller passed, not what all callers pass."""
    index = ev.store.files[function.file]
    name = index.facts.exprs[value]
    if not isinstance(name, facts.Name):
        return None
    position = index.parameters.get((function.scope, name.name))
    call = ev.store.expr(ref)
    if position is None or (function.scope, name.name) in index.bindings or not isinstance(call, facts.Call):
        return None
    record = index.facts.scopes[function.scope]
    bound = 1 if index.class_of(function.scope) != NONE and function.owner is not None else 0
    number = argument(ev.store.files[ref[0]], ref[1], record, position, bound)
    if number is None:
        default = record.parameters[position].default
        return (function.file, default) if default != NONE else None
    return (ref[0], number) if number != NONE else None


def _same_class(value: Value, owner: Value) -> bool:
    if isinstance(value, Instance) and isinstance(owner, Instance):
        return value.made is None and (value.file, value.scope) == (owner.file, owner.scope)
    if isinstance(value, LibraryObject) and isinstance(owner, LibraryObject):
        return value.made is None and value.subclass is not None and value.subclass == owner.subclass
    return False


def is_property(ev: Evaluator, function: FunctionValue) -> bool:
    """Whether a method is read like a field."""
    if ev.store.files[function.file].facts.scopes[function.scope].is_accessor:
        return True
    roles = ev.roles(function.file)
    names = {*roles.properties, *roles.memoised_per_object}
    for value in decorators(ev, function):
        line = ev.classes.line(value.file, value.scope) if isinstance(value, ClassValue) else (value,)
        if any(isinstance(one, External) and one.dotted in names for one in line):
            return True
    return False


def decorators(ev: Evaluator, function: FunctionValue) -> list[Value]:
    """Values of a function's decorators; of a decorator that is called, those of what is called."""
    index = ev.store.files[function.file]
    found: list[Value] = []
    for number in index.facts.scopes[function.scope].decorators:
        expr = index.facts.exprs[number]
        found.extend(ev.values(function.file, expr.callee if isinstance(expr, facts.Call) else number))
    return found


# -- parameters -------------------------------------------------------------------------------------------------------


def parameter(ev: Evaluator, file: int, scope: int, position: int) -> Values:
    """What a parameter may hold: what its callers pass, its default, or what its type says."""
    index = ev.store.files[file]
    record = index.facts.scopes[scope]
    item = record.parameters[position]
    if record.receiver and item.name == record.receiver and record.belongs:
        return receivers.of(ev, index, scope)
    if item.kind in ("*", "**"):
        return (ParameterValue(file, scope, position),)
    if item.decorators and (filled := injected.setting(ev, index, item.decorators)):
        return filled
    groups, omitted = [], False
    sites = ev.callers.of(file, scope)
    for site in sites:
        number = argument(ev.store.files[site.file], site.call, record, position, site.bound)
        if number is None:
            omitted = True
        else:
            groups.append(ev.values(site.file, number) or (Unknown(),))
    if (omitted or not sites) and item.default != NONE:
        groups.append(ev.values(file, item.default))
    given = callbacks.given(ev, file, scope, position) if not sites else ()
    groups.append(given)
    values = merge(groups)
    if item.annotation != NONE and not any(isinstance(value, LibraryObject) for value in values):
        objects = declared.typed(ev, file, item.annotation)
        if any(declared.is_a(ev, value, objects) for value in values):
            objects = ()
        values = merge([values, tuple(v for v in objects if not isinstance(v, Const))])
    if (not sites and not given) or ev.callers.escapes(file, scope):
        values = merge([values, (ParameterValue(file, scope, position),)])
    return values


def argument(index: FileIndex, number: int, record: facts.Scope, position: int, bound: int) -> int | None:
    """The argument of a call that fills a parameter: its expression, None when omitted, NONE when it cannot be told."""
    expr = index.facts.exprs[number]
    assert isinstance(expr, facts.Call)
    name = record.parameters[position].name
    wanted = position - bound
    place = 0
    for item in expr.arguments:
        if item.name == name:
            return item.value
        if item.name == "*":
            return NONE
        if not item.name:
            if place == wanted and record.parameters[position].kind != "kw":
                return item.value
            place += 1
    return NONE if any(item.name == "**" for item in expr.arguments) else None


def field_arguments(ev: Evaluator, owner: ClassValue, name: str) -> Values:
    """What the calls of a class give a field that its body only declares (dataclasses, models)."""
    if ev.classes.constructors(owner.file, owner.scope):
        return ()
    index = ev.store.files[owner.file]
    declared = [
        binding.name
        for binding in index.facts.bindings
        if binding.scope == owner.scope and binding.annotation != NONE and index.scope_of(binding.block) == owner.scope
    ]
    position = declared.index(name) if name in declared else -1
    groups = []
    for site in ev.callers.of_class(owner.file, owner.scope):
        expr = ev.store.expr(site.ref)
        assert isinstance(expr, facts.Call)
        positional = [item.value for item in expr.arguments if not item.name]
        named = [item.value for item in expr.arguments if item.name == name]
        if named:
            groups.append(ev.values(site.file, named[0]))
        elif 0 <= position < len(positional):
            groups.append(ev.values(site.file, positional[position]))
    return merge(groups)
