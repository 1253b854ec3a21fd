"""What role a function plays: request handler, task, start-up hook, program entry, test … — from decorators, by the
calls it is handed to and by the classes it belongs to, never by its name alone."""

from __future__ import annotations

from dataclasses import dataclass

from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
    Const,
    External,
    ExternalObject,
    FunctionValue,
    LibraryMethod,
    LibraryObject,
    Ref,
    Value,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution import exported
from resplint.flow.graph import Graph
from resplint.knowledge.records.role_records import RolePattern
from resplint.text import arguments as calls

PER_OPERATION = ("handler", "task", "message", "provider_per_request")
SUBMITTED = "submitted"
"""A function that runs in the background as often as it is handed over."""
ONCE = ("startup", "main", "test", "provider", "thread")


@dataclass(frozen=True, slots=True)
class Role:
    """A role and the expression that gives it (NONE: the definition itself)."""

    name: str
    ref: Ref
    by: str
    pattern: RolePattern | None = None


class RoleTable:
    """Roles of the project's functions."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self._known: dict[tuple[int, int], Role | None] = {}
        self._by_name: dict[tuple[str, str], dict[str, RolePattern]] = {}
        self._by_registrar: dict[str, dict[str, list[RolePattern]]] = {}
        self._entries: dict[int, dict[int, dict[RolePattern, str]]] = {}

    def of(self, file: int, scope: int) -> Role | None:
        """The role of a function, None when it has none of its own."""
        key = (file, scope)
        if key not in self._known:
            self._known[key] = None
            role = self._by_decorator(file, scope) or self._by_class(file, scope) or self._by_use(file, scope)
            if role is None or role.name in ("message", "handler"):  # what it listens to may come at the start alone
                shape = self._by_shape(file, scope)
                role = shape if role is None or (shape is not None and shape.name == "startup") else role
            self._known[key] = role
        return self._known[key]

    def memoised(self, file: int, scope: int) -> str:
        """ "process", "object" or "": for how long the first result of a function is kept."""
        roles = self._ev.roles(file)
        for value in calls.decorators(self._ev, FunctionValue(file, scope)):
            paths = [_path(value)]
            if isinstance(value, ClassValue):  # a project's own decorator, derived from a known one
                paths = [_path(base) for base in self._ev.classes.line(value.file, value.scope)]
            if any(_is(dotted, roles.memoised) for dotted in paths):
                return "process"
            if any(_is(dotted, roles.memoised_per_object) for dotted in paths):
                return "object"
        return ""

    def retry_decorators(self, file: int, scope: int) -> list[int]:
        """Decorator expressions that retry the function."""
        index = self._ev.store.files[file]
        names = {name for decorator in self._ev.roles(file).retry_decorator for name in decorator.names}
        found = []
        for number in index.facts.scopes[scope].decorators:
            expr = index.facts.exprs[number]
            callee = expr.callee if isinstance(expr, facts.Call) else number
            if any(_path(value) in names for value in self._ev.callee(file, callee)):
                found.append(number)
        return found

    # -- where roles come from -----------------------------------------------------------------------------------------

    def _names(self, file: int, field: str) -> dict[str, RolePattern]:
        """Dotted name -> pattern, for the decorators or registrars of a file's language."""
        language = self._ev.store.files[file].facts.language
        key = (language, field)
        if key not in self._by_name:
            table: dict[str, RolePattern] = {}
            for pattern in self._ev.roles(file).role:
                if field == "decorators" and pattern.methods:
                    continue  # for functions of these names only
                for name in getattr(pattern, field):
                    table.setdefault(name, pattern)
            self._by_name[key] = table
        return self._by_name[key]

    def _by_decorator(self, file: int, scope: int) -> Role | None:
        index = self._ev.store.files[file]
        names = self._names(file, "decorators")
        for number in index.facts.scopes[scope].decorators:
            expr = index.facts.exprs[number]
            callee = expr.callee if isinstance(expr, facts.Call) else number
            for value in self._ev.values(file, callee):
                if pattern := self._by_name_of_decorated(file, scope, _path(value)) or names.get(_path(value)):
                    return Role(pattern.role, (file, number), _path(value), pattern)
        return None

    def _by_name_of_decorated(self, file: int, scope: int, decorator: str) -> RolePattern | None:
        """The pattern whose role a decorator gives to functions of some names only: ``@bot.event`` to ``on_ready``."""
        name = self._ev.store.files[file].facts.scopes[scope].name
        patterns = (one for one in self._ev.roles(file).role if name in one.methods)
        return next((one for one in patterns if decorator in one.decorators), None)

    def _by_class(self, file: int, scope: int) -> Role | None:
        index = self._ev.store.files[file]
        owner = index.class_of(scope)
        if owner == NONE:
            return None
        name = index.facts.scopes[scope].name
        line = self._ev.classes.line(file, owner)
        bases = [value.dotted for value in line if isinstance(value, External)]
        marks = [mark for one in line if isinstance(one, ClassValue) for mark in self.marks(one.file, one.scope)]
        for pattern in self._ev.roles(file).role:
            if pattern.methods and name not in pattern.methods:
                continue
            by = next((one for one in bases if _is(one, pattern.bases)), "")
            by = by or next((one for one in marks if _is(one, pattern.class_decorators)), "")
            if by:
                return Role(pattern.role, (file, NONE), by, pattern)
        return None

    def marks(self, file: int, scope: int) -> list[str]:
        """Import paths of the decorators of a function or class."""
        index = self._ev.store.files[file]
        found = []
        for number in index.facts.scopes[scope].decorators:
            expr = index.facts.exprs[number]
            callee = expr.callee if isinstance(expr, facts.Call) else number
            found += [_path(value) for value in self._ev.values(file, callee)]
        return found

    def is_singleton(self, file: int, scope: int) -> bool:
        """Whether there is one object of a class: the language says so, or the framework makes one."""
        if self._ev.store.files[file].facts.scopes[scope].is_single:
            return True
        names = self._ev.roles(file).singletons
        return any(mark in names for mark in self.marks(file, scope))

    def _by_shape(self, file: int, scope: int) -> Role | None:
        """A role known by name and parameters (a program's entry), by declared types, or by what a function calls."""
        index = self._ev.store.files[file]
        record = index.facts.scopes[scope]
        types = self._declared_as(index, scope)
        for pattern in self._ev.roles(file).role:
            if by := next((path for path in types if path in pattern.function_types), ""):
                return Role(pattern.role, (file, NONE), by, pattern)
            if pattern.exports and exported.has_place(index, scope, pattern):
                return Role(pattern.role, (file, NONE), "exported from this file", pattern)
            if pattern.signatures and record.belongs != "object" and self._has_signature(record, pattern):
                return Role(pattern.role, (file, NONE), record.name, pattern)
            if pattern.parameter_types or pattern.parameter_decorators:
                for item in record.parameters:
                    if by := self._parameter_says(file, item, pattern):
                        return Role(pattern.role, (file, NONE), by, pattern)
            if pattern.parameter_entries and (by := self._asked_entries(index).get(scope, {}).get(pattern, "")):
                return Role(pattern.role, (file, NONE), by, pattern)
            if pattern.calls and (by := self._calls_itself(index, scope, pattern)):
                return Role(pattern.role, (file, NONE), by, pattern)
        return None

    def _declared_as(self, index: FileIndex, scope: int) -> list[str]:
        """Import paths of the types of the variables that hold a function, ``const show: RequestHandler = …``, and of
        what a function is declared to return that returns it.
        """
        number = index.function_expr.get(scope)
        if number is None:
            return []
        annotations = [one.annotation for one in index.bound_to.get(number, ())]
        if (around := index.returned_by(number)) != NONE:
            annotations.append(index.facts.scopes[around].returns)
        return [path for one in annotations if one != NONE for path in self._types(index.number, one)]

    def _types(self, file: int, annotation: int) -> list[str]:
        """Import paths of what a declared type names; type arguments do not count."""
        expr = self._ev.store.files[file].facts.exprs[annotation]
        values = self._ev.values(file, expr.object if isinstance(expr, facts.Index) else annotation)
        return [path for value in values if (path := _path(value))]

    def _calls_itself(self, index: FileIndex, scope: int, pattern: RolePattern) -> str:
        """The call by which a function shows its role, "" if it makes none."""
        for name in sorted({dotted.rsplit(".", 1)[-1] for dotted in pattern.calls}):
            for number in index.by_name.get(name, ()):
                if number in index.call_of and index.function_of(index.facts.exprs[number].block) == scope:
                    values = self._ev.values(index.number, number)
                    if by := next((path for value in values if (path := _path(value)) in pattern.calls), ""):
                        return by
        return ""

    def _has_signature(self, record: facts.Scope, pattern: RolePattern) -> bool:
        count = {
            len([part for part in inner.split(",") if part.strip()])
            for text in pattern.signatures
            for name, _, inner in [text.rstrip(")").partition("(")]
            if name == record.name
        }
        return len(record.parameters) in count

    def _parameter_says(self, file: int, item: facts.Parameter, pattern: RolePattern) -> str:
        exprs = self._ev.store.files[file].facts.exprs
        for number in item.decorators:
            expr = exprs[number]
            values = self._ev.values(file, expr.callee if isinstance(expr, facts.Call) else number)
            if by := next((path for value in values if (path := _path(value)) in pattern.parameter_decorators), ""):
                return by
        if item.annotation == NONE or not pattern.parameter_types:
            return ""
        return next((path for path in self._types(file, item.annotation) if path in pattern.parameter_types), "")

    def takes_request(self, file: int, scope: int) -> Role | None:
        """The role that a constructor of a class has as it is given what comes with one operation."""
        index = self._ev.store.files[file]
        for one in index.constructors.get(scope, ()):
            for pattern, by in self._asked_entries(index).get(one, {}).items():
                if pattern.role in PER_OPERATION:
                    return Role(pattern.role, (file, NONE), by, pattern)
        return None

    def _asked_entries(self, index: FileIndex) -> dict[int, dict[RolePattern, str]]:
        """Function -> the patterns whose entries one of its parameters is asked for, and the entry: at once, or where
        its object keeps the parameter.
        """
        if index.number not in self._entries:
            found: dict[int, dict[RolePattern, str]] = {}
            patterns = [one for one in self._ev.roles(index.number).role if one.parameter_entries]
            for number, expr in enumerate(index.facts.exprs) if patterns else ():
                if not isinstance(expr, facts.Literal) or not isinstance(expr.value, str):
                    continue
                for pattern in (one for one in patterns if expr.value in one.parameter_entries):
                    for scope in self._given(index, self._asked(index, number)):
                        found.setdefault(scope, {}).setdefault(pattern, f'["{expr.value}"]')
            self._entries[index.number] = found
        return self._entries[index.number]

    def _asked(self, index: FileIndex, key: int) -> int:
        """The object that is asked for an entry, NONE if a text is no key: ``environ[key]``, ``environ.get(key)``."""
        place = index.argument_of.get(key)
        if place is None:
            holder = index.facts.exprs[index.parents[key]] if key in index.parents else None
            return holder.object if isinstance(holder, facts.Index) and holder.key == key else NONE
        call = index.facts.exprs[place[0]]
        callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
        lookups = self._ev.roles(index.number).words.lookups
        return callee.object if isinstance(callee, facts.Member) and callee.name in lookups else NONE

    def _given(self, index: FileIndex, number: int) -> list[int]:
        """The functions whose parameter an expression is, or keeps: ``environ``, ``self.environ``."""
        expr = index.facts.exprs[number] if number != NONE else None
        if isinstance(expr, facts.Name):
            owner = index.owner(expr.name, index.scope_of(expr.block))
            return [owner] if (owner, expr.name) in index.parameters else []
        base = index.facts.exprs[expr.object] if isinstance(expr, facts.Member) else None
        if not isinstance(expr, facts.Member) or not isinstance(base, facts.Name):
            return []
        around = index.function_of(expr.block)
        if index.facts.scopes[around].receiver != base.name or index.class_of(around) == NONE:
            return []
        return [
            scope
            for write in index.writes_by_name.get(expr.name, ())
            if index.class_of(index.function_of(write.block)) == index.class_of(around) and write.value != NONE
            if isinstance(index.facts.exprs[write.value], facts.Name)
            for scope in self._given(index, write.value)
        ]

    def _by_use(self, file: int, scope: int) -> Role | None:
        """The role that a call gives which the function (or its class, as ``View.as_view()``) is handed to."""
        index = self._ev.store.files[file]
        number = index.function_expr.get(scope)
        if number is not None and (role := self._handed(index, number)):
            return role
        if role := self._made_by_call(index, scope) or self._by_object(index, scope):
            return role
        name = index.facts.scopes[scope].name or self._bound_name(index, number)
        if not name:
            return None
        for alias in sorted(self._ev.store.aliases(name)):
            for reference in self._ev.store.named(alias):
                other = self._ev.store.files[reference[0]]
                if other.argument_of.get(reference[1]) is None and reference[1] not in other.parents:
                    continue
                if self._is_function(reference, file, scope) and (role := self._handed(other, reference[1])):
                    return role
        return None

    def _made_by_call(self, index: FileIndex, scope: int) -> Role | None:
        """The role of a function that another one returns: ``app.get('/boats', showing('boats'))``."""
        maker = index.facts.scopes[scope].parent
        if maker == NONE or index.facts.scopes[maker].kind in ("module", "class"):
            return None
        for site in self._ev.callers.of(index.number, maker):
            other = self._ev.store.files[site.file]
            if other.argument_of.get(site.call) is None and site.call not in other.parents:
                continue
            if self._is_function(site.ref, index.number, scope) and (role := self._handed(other, site.call)):
                return role
        return None

    def _by_object(self, index: FileIndex, scope: int) -> Role | None:
        """The role of the method by which an object is run, where each of its class is handed to somebody who does so
        now and again, or where the one place that makes one hands it to somebody who runs it once; the first of those
        places at which an object hands over itself.
        """
        owner, record = index.class_of(scope), index.facts.scopes[scope]
        if owner == NONE or record.name not in self._ev.roles(index.number).words.function_methods:
            return None
        own = [
            role
            for number in index.by_name.get(record.receiver, ()) if record.receiver
            if index.class_of(index.function_of(index.facts.exprs[number].block)) == owner
            and (role := self._handed(index, number)) is not None
        ]  # fmt: skip
        made = self._ev.callers.of_class(index.number, owner)
        given = [self._handed_object(self._ev.store.files[site.file], site.call) for site in made]
        found = [one for one in (*own, *given) if one is not None and one.name in ("task", SUBMITTED)]
        if not found or (not own and len(found) != len(given)):
            return None
        ticking = next((one for one in found if one.name == "task"), None)
        return ticking or (found[0] if own or len(found) == 1 else None)

    def _handed_object(self, index: FileIndex, made: int) -> Role | None:
        """The role that the call gives which receives a new object, at once or by the name of a variable."""
        if role := self._handed(index, made):
            return role
        for binding in index.bound_to.get(made, ()):
            for number in index.by_name.get(binding.name, ()):
                name = index.facts.exprs[number]
                same = index.owner(binding.name, index.scope_of(name.block)) == binding.scope
                if same and (role := self._handed(index, number)):
                    return role
        return None

    def _bound_name(self, index: FileIndex, number: int | None) -> str:
        """The name that a function written in place is bound to or stored under."""
        if number is None:
            return ""
        names = [binding.name for binding in index.bound_to.get(number, ())]
        names += [index.target_name(write.target) or "" for write in index.written_to.get(number, ())]
        holder = index.facts.exprs[index.parents[number]] if number in index.parents else None
        if isinstance(holder, facts.Collection):
            names.append(self._key_of(index, holder, number))
        return next(iter(names), "")

    def _handed(self, index: FileIndex, number: int) -> Role | None:
        """The role that the call gives which receives an expression, itself or in an object written out."""
        key = ""
        while True:
            place = index.argument_of.get(number)
            if place is not None:
                role = self._registered(index.number, place[0], key)
                call = index.facts.exprs[place[0]]
                if role is not None or not isinstance(call, facts.Call) or not self._wraps(index, call):
                    return role
                number = place[0]  # app.get('/', wrap(async (req, res) => …))
                continue
            parent = index.parents.get(number)
            holder = index.facts.exprs[parent] if parent is not None else None
            if parent is None or not isinstance(holder, facts.Collection | facts.Member):
                return None
            if isinstance(holder, facts.Collection):
                key = key or self._key_of(index, holder, number)
                if role := self._listed(index, parent):
                    return role
            elif parent not in index.call_of:
                return None  # service.method.name
            number = index.call_of.get(parent, parent)

    def _listed(self, index: FileIndex, number: int) -> Role | None:
        """The role of the functions in a list that a class has as a field, as a framework reads it."""
        for binding in index.bound_to.get(number, ()):
            if index.facts.scopes[binding.scope].kind != "class":
                continue
            for pattern in self._ev.roles(index.number).role:
                if binding.name in pattern.fields and all(
                    (binding.scope, name) in index.bindings for name in pattern.beside
                ):
                    return Role(pattern.role, (index.number, number), binding.name, pattern)
        return None

    def _wraps(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a call may give its function argument back in other clothes: nothing is known of it."""
        values = self._ev.callee(index.number, call.callee)
        return not any(isinstance(value, LibraryMethod | LibraryObject | ClassValue) for value in values)

    def _key_of(self, index: FileIndex, holder: facts.Collection, number: int) -> str:
        for key, item in zip(holder.keys, holder.items, strict=False):
            literal = index.facts.exprs[key] if item == number and key != NONE else None
            if isinstance(literal, facts.Literal):
                return str(literal.value)
        return ""

    def _is_function(self, reference: Ref, file: int, scope: int) -> bool:
        return any(
            isinstance(value, FunctionValue) and (value.file, value.scope) == (file, scope)
            for value in self._ev.objects(*reference)
        )

    def handed_role(self, file: int, call: int) -> Role | None:
        """The role that a call gives the functions that it is handed."""
        return self._registered(file, call)

    def _registered(self, file: int, call: int, key: str = "") -> Role | None:
        """The role that a call gives its function argument, which may stand under `key` in an object."""
        expr = self._ev.store.expr((file, call))
        assert isinstance(expr, facts.Call)
        for value in self._ev.callee(file, expr.callee):
            dotted = _path(value)
            for pattern in self._registrars(file).get(dotted, ()):
                if (not key or not pattern.keys or key in pattern.keys) and self._event_fits(file, expr, pattern):
                    return Role(pattern.role, (file, call), dotted, pattern)
            if dotted in self._ev.roles(file).injectors:
                return Role("provider_per_request", (file, call), dotted)
        return None

    def _registrars(self, file: int) -> dict[str, list[RolePattern]]:
        language = self._ev.store.files[file].facts.language
        if language not in self._by_registrar:
            table: dict[str, list[RolePattern]] = {}
            for pattern in self._ev.roles(file).role:
                for name in pattern.registrars:
                    table.setdefault(name, []).append(pattern)
            self._by_registrar[language] = table
        return self._by_registrar[language]

    def _event_fits(self, file: int, call: facts.Call, pattern: RolePattern) -> bool:
        """``server.on('request', …)``."""
        if not pattern.events:
            return True
        values = self._ev.values(file, call.arguments[0].value) if call.arguments else ()
        return any(isinstance(value, Const) and value.value in pattern.events for value in values)

    def patterns(self, file: int) -> tuple[RolePattern, ...]:
        """All patterns of a file's language."""
        return self._ev.roles(file).role


def _path(value: Value) -> str:
    """Import path of an external thing; members of an instance are written as members of its class."""
    if isinstance(value, External | ExternalObject):
        return value.dotted.replace("()", "")
    if isinstance(value, LibraryMethod):
        return f"{value.object.origin.type.name}.{value.name}"
    return ""


def _is(dotted: str, patterns: tuple[str, ...]) -> bool:
    return bool(dotted) and dotted in patterns
