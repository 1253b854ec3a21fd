"""What `object.name` stands for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import calls, declared, elements
from resplint.link.values import (
    ClassValue,
    CollectionMethod,
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
    Reply,
    Text,
    Unknown,
    Value,
    Values,
    merge,
)

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator


def member(ev: Evaluator, objects: Values, name: str, ref: Ref) -> Values:
    """Values of `name` on each of the objects."""
    return merge([_member(ev, value, name, ref) for value in objects])


def _member(ev: Evaluator, value: Value, name: str, ref: Ref) -> Values:
    match value:
        case External(dotted=dotted):
            return _of_external(ev, dotted, name, ref)
        case Module():
            return of_module(ev, value, name)
        case ClassValue(file=file, scope=scope):
            return _of_class(ev, file, scope, name, None, ref)
        case Instance(file=file, scope=scope):
            return _of_class(ev, file, scope, name, value, ref)
        case LibraryObject(subclass=subclass):
            if subclass is not None and (own := _of_class(ev, *subclass, name, value, ref, True)):
                return own
            known = _written(ev, name, value) or read_as_field(ev, value, name, ref) or _extension(ev, value, name, ref)
            return known or (LibraryMethod(value, name),)
        case ExternalObject(dotted=dotted):
            written = stored_elsewhere(ev, name, ref)
            return written or (ExternalObject(f"{dotted}.{name}"),)
        case FunctionValue():
            if name in ev.roles(value.file).words.function_methods:
                return (value,)  # calling the method calls the function
            return _written(ev, name, value) or _of_decorated(ev, value, name)
        case Unknown():
            return stored_elsewhere(ev, name, ref) or (Unknown(),)
        case ParameterValue() | LoopValue() | Reply():
            return stored_elsewhere(ev, name, ref) or (value,)  # a part of data is data
        case Const(type="str" | "bytes") | Text():
            return (value,)  # a method of text; calling it gives text
        case Const():
            return _unit(ev, value, name, ref)
        case CollectionValue():
            return elements.entry(ev, value, name) or (CollectionMethod(value, name),)
    return (Unknown(),)


def _extension(ev: Evaluator, value: LibraryObject, name: str, ref: Ref) -> Values:
    """`pool.batch { … }` of a function that the project adds to a library's type."""
    if not ev.roles(ref[0]).words.bean_getters or ref[1] == NONE or ev.catalogue.may_send(name):
        return ()
    index = ev.store.files[ref[0]]
    expr = ev.store.expr(ref)
    found = []
    for one in ev.name(index, name, expr.block, expr.start):
        if isinstance(one, FunctionValue):
            parameters = ev.store.files[one.file].facts.scopes[one.scope].parameters
            if parameters and parameters[0].name == "this":
                found.append(FunctionValue(one.file, one.scope, value))
    return tuple(found)


def read_as_field(ev: Evaluator, value: LibraryObject, name: str, ref: Ref) -> Values:
    """`pool.resource` for `pool.getResource()`, where a language reads getters like fields."""
    if not ev.roles(ref[0]).words.bean_getters:
        return ()
    version = ev.version(value, ref[0]).version
    getters = (f"{prefix}{name[:1].upper()}{name[1:]}" for prefix in ev.roles(ref[0]).words.reader_prefixes)
    method = next((one for getter in getters if (one := ev.catalogue.method_of(value.origin, getter, version))), None)
    if method is None or not method.returns or (known := ev.catalogue.type(method.returns)) is None:
        return ()
    made = ref if ref[1] != NONE else None
    return (LibraryObject(declared.origin(ev, value.origin.library, known[1], None, method), made, value),)


def _of_external(ev: Evaluator, dotted: str, name: str, ref: Ref) -> Values:
    roles = ev.roles(ref[0])
    if name == roles.words.default_export and name:
        return (External(dotted),)  # the main thing of a package is the package
    path = f"{dotted}.{name}"
    if path in roles.constants:
        return (Const(roles.constants[path], "float", ref),)
    return (External(path),)


def _unit(ev: Evaluator, value: Const, name: str, ref: Ref) -> Values:
    """`5.seconds`: a number with a unit."""
    seconds = ev.roles(ref[0]).duration_members.get(name)
    if seconds is None or not isinstance(value.value, int | float) or isinstance(value.value, bool):
        return ()
    return (Const(value.value * seconds, "duration", ref),)


def _of_decorated(ev: Evaluator, value: FunctionValue, name: str) -> Values:
    """A member of a function that a decorator has turned into an object (a command group, a task)."""
    marks = [mark.dotted for mark in calls.decorators(ev, value) if isinstance(mark, External | ExternalObject)]
    return tuple(ExternalObject(f"{dotted.replace('()', '')}.{name}") for dotted in marks) or (Unknown(),)


def of_module(ev: Evaluator, module: Module, name: str) -> Values:
    """A name of a module: what the module defines, a submodule, or what others store in it.

    Plain re-exports are followed in a loop, so that a chain of them may be of any length.
    """
    seen: set[tuple[int, str]] = set()
    while module.file != NONE and (module.file, name) not in seen:
        seen.add((module.file, name))
        following = ev.imports.reexported(module, name)
        if following is None:
            return ev.guarded((module.file, name), partial(_module_name, ev, module, name))
        origin, name = following
        if not isinstance(origin, Module):
            return member(ev, (origin,), name, (module.file, NONE))
        module = origin
    return () if module.file != NONE else _module_name(ev, module, name)


def _module_name(ev: Evaluator, module: Module, name: str) -> Values:
    store = ev.store
    if module.file != NONE:
        index = store.files[module.file]
        local = ev.imports.local_name(index, name)
        groups = [defined(ev, module, name)]
        if 0 in index.stars and not ev.definitions(index, 0, local):
            groups.insert(0, ev.imports.stars(index, 0, name))
        if (values := merge(groups)) or local != name:
            return values
        path = store.modules.find(f"{module.dotted}.{name}", index.facts.path)
        _, beside = store.modules.relative(name, 1, index.facts.path)
        path = beside or path
    else:
        path = store.modules.find(f"{module.dotted}.{name}", "")
        if path is None and store.modules.is_folder(f"{module.dotted}.{name}", ""):
            return (Module(NONE, f"{module.dotted}.{name}"),)
    if path and (file := store.by_path(path)) is not None and file.number != module.file:
        return (Module(file.number, f"{module.dotted}.{name}"),)
    return (Unknown(),) if module.file != NONE else (External(f"{module.dotted}.{name}"),)


def defined(ev: Evaluator, module: Module, name: str) -> Values:
    """What a module's file defines as a name, or others store in it."""
    index = ev.store.files[module.file]
    definitions = ev.definitions(index, 0, ev.imports.local_name(index, name))
    return merge([*(one.evaluate() for one in definitions), _written(ev, name, module)])


def _written(ev: Evaluator, name: str, owner: Value) -> Values:
    """What is stored in `owner.name` from outside."""
    return merge([ev.bound(ev.store.files[file], write) for file, write in ev.writes.to_owner(name, owner)])


# -- members of classes and objects -----------------------------------------------------------------------------------


def _class_itself(file: int, scope: int, name: str, owner: Value | None, ev: Evaluator, ref: Ref) -> Values:
    """`self.__class__` and `SomeClass.__name__`: as many as the code has classes."""
    words = ev.roles(file).words
    if name == words.class_of_object and owner is not None:
        return (ClassValue(file, scope),)
    if name in words.class_name and owner is None:
        return (Const(ev.store.files[file].facts.scopes[scope].name, "str", ref),)
    return ()


def _of_class(
    ev: Evaluator, file: int, scope: int, name: str, owner: Value | None, ref: Ref, own_only: bool = False
) -> Values:
    if known := _class_itself(file, scope, name, owner, ev, ref):
        return known
    if owner is None and name in ev.roles(file).words.enum_lists and ev.classes.is_enumeration(file, scope):
        return (EnumValues(file, scope),)
    key = (file, scope, name, owner)
    result = ev.shared(key, lambda: _in_line(ev, file, scope, name, owner))
    if result or own_only:
        return result
    if owner is not None and (delegated := _delegated(ev, file, scope, name, ref)):
        return delegated
    external = next((base for base in ev.classes.line(file, scope) if isinstance(base, External)), None)
    if external is not None and "." in external.dotted:
        dotted = f"{external.dotted}.{name}"
        return (External(dotted),) if owner is None else (ExternalObject(dotted),)
    return (Unknown(),)


def _in_line(ev: Evaluator, file: int, scope: int, name: str, owner: Value | None) -> Values:
    """What a class and its bases say about a name, what is stored under it, and what classes derived from it say where
    they leave it open.
    """
    groups: list[Values] = []
    line = [base for base in ev.classes.line(file, scope) if isinstance(base, ClassValue)]
    for base in line:
        values, is_method = _defined(ev, base, name, owner)
        groups.append(values)
        if is_method:
            break
    groups.append(_stored(ev, name, {(base.file, base.scope) for base in line}))
    declared_only = isinstance(owner, Instance) and owner.made is None
    if declared_only and _abstract(ev, groups):
        for sub in ev.classes.subclasses(file, scope):
            sub_owner = ev.classes.instance(*sub, None)
            groups.append(_defined(ev, ClassValue(*sub), name, sub_owner)[0])
    nothing = all(isinstance(value, Const) and value.value is None for group in groups for value in group)
    # An object of a derived class may have what this one lacks, but for the constructor: `super()` never goes down.
    if nothing and name != ev.roles(file).words.constructor:
        family = set(ev.classes.subclasses(file, scope))
        for sub in sorted(family):
            groups.append(_defined(ev, ClassValue(*sub), name, owner)[0])
        groups.append(_stored(ev, name, family))
    return merge(groups)


def _abstract(ev: Evaluator, groups: list[Values]) -> bool:
    """Whether all that a class says about a method is that those who implement it have it."""
    found = [value for group in groups for value in group]
    return bool(found) and all(isinstance(value, FunctionValue) and ev.is_abstract(value) for value in found)


def _delegated(ev: Evaluator, file: int, scope: int, name: str, ref: Ref) -> Values:
    """A class that passes what it lacks on to what it wraps: ``def __getattr__(self, name): return
    getattr(self._client, name)``.
    """
    if name.startswith("__"):
        return ()
    words = ev.roles(file).words
    method = ev.classes.method(file, scope, words.delegating) if words.delegating else None
    if method is None:
        return ()
    index = ev.store.files[method.file]
    groups = []
    for jump in index.jumps.get(method.scope, ()):
        call = index.facts.exprs[jump.value] if jump.kind == "return" and jump.value != NONE else None
        if isinstance(call, facts.Call) and len(call.arguments) >= 2:
            if any(External(reader) in ev.values(method.file, call.callee) for reader in words.getter):
                groups.append(member(ev, ev.values(method.file, call.arguments[0].value), name, ref))
    return tuple(value for value in merge(groups) if not isinstance(value, Unknown))


def _defined(ev: Evaluator, base: ClassValue, name: str, owner: Value | None) -> tuple[Values, bool]:
    """What the body of one class says about a name, and whether that is a method (which hides the bases')."""
    index = ev.store.files[base.file]
    groups: list[Values] = []
    is_method = False
    for definition in ev.definitions(index, base.scope, name):
        values = definition.evaluate()
        if definition.kind != "definition":
            groups.append(values or _field(ev, base, name))
            continue
        for value in values:
            if isinstance(value, FunctionValue):
                bound = FunctionValue(value.file, value.scope, owner or base)
                is_method = True
                if owner is not None and calls.is_property(ev, value):
                    groups.append(calls.result(ev, bound, None))
                else:
                    groups.append((bound,))
            else:
                groups.append((value,))
    return merge(groups), is_method


def of_open_class(ev: Evaluator, file: int, scope: int, name: str, block: int) -> Values:
    """Values of a bare name that may be a member of the class around; () when neither it nor a base has one."""
    index = ev.store.files[file]
    for base in ev.classes.line(file, scope):
        if isinstance(base, ClassValue):
            other = ev.store.files[base.file]
            key = (base.scope, name)
            if key in other.definitions or key in other.bindings:
                inside = index.function_of(block)
                static = index.facts.scopes[inside].belongs == "class" and index.class_of(inside) == scope
                owner = None if static else ev.classes.instance(file, scope, None)
                return _of_class(ev, file, scope, name, owner, (file, NONE))
        elif (
            isinstance(base, External)
            and (known := ev.catalogue.type(base.dotted))
            and ev.catalogue.knows_method(known, name)
        ):
            return member(ev, (ev.classes.instance(file, scope, None),), name, (file, NONE))
    return ()


def _field(ev: Evaluator, base: ClassValue, name: str) -> Values:
    """A field declared in the class body without a value: what the constructor calls give it, else its type."""
    index = ev.store.files[base.file]
    given = calls.field_arguments(ev, base, name)
    if given:
        return given
    for binding in index.bindings.get((base.scope, name), ()):
        if binding.annotation != NONE:
            return declared.typed(ev, base.file, binding.annotation)
    return ()


def _stored(ev: Evaluator, name: str, family: set[tuple[int, int]]) -> Values:
    """What is stored in the member `name` of objects of these classes."""
    return merge([ev.bound(ev.store.files[file], write) for file, write in ev.writes.to_classes(name, family)])


def stored_elsewhere(ev: Evaluator, name: str, ref: Ref) -> Values:
    """A member of an object that is not ours (``request.app.state.redis``): what the project stores under the same two
    last names (``app.state.redis = …``) in an object that is not ours either."""
    if ref[1] == NONE:
        return ()
    use = ev.store.expr(ref)
    if not isinstance(use, facts.Member | facts.Index):
        return ()
    holder = _last_name(ev, ref[0], use.object)
    if not holder:
        return ()
    placed = ev.writes.beside(name, holder, type(use), ev.roles(ref[0]).words.runtime)
    bound = [ev.bound(ev.store.files[file], write) for file, write in placed]
    return merge([tuple(one for one in group if isinstance(one, LibraryObject | Instance)) for group in bound])


def _last_name(ev: Evaluator, file: int, expr: int) -> str:
    found = ev.store.files[file].facts.exprs[expr]
    return found.name if isinstance(found, facts.Name | facts.Member) else ""
