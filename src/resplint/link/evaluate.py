"""What an expression stands for, names above all.

`Evaluator.values(file, expr)` is the one question of this stage. Answers are memoised; depth is bounded, and chains of
calls such as ``pipe.get(a).get(b)…`` are walked from the inside out, so that their length is never depth of the Python
stack. An answer that was cut by a cycle is not remembered for the expressions inside the cycle, only for the one that
was asked, so that the order of questions does not change the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from resplint import facts
from resplint.facts import NONE
from resplint.knowledge.catalogue import Catalogue
from resplint.knowledge.ranges import version_in
from resplint.knowledge.role_records import Roles
from resplint.link import calls, declared, elements, injected, members, operators, packages, receivers
from resplint.link.callers import CallerTable
from resplint.link.classes import ClassTable
from resplint.link.imports import Imports
from resplint.link.index import FileIndex
from resplint.link.learned import LearnedTable
from resplint.link.modules import dotted_path
from resplint.link.narrowing import narrowed, under_condition
from resplint.link.reaching import Definition, reaching
from resplint.link.store import Store
from resplint.link.values import (
    MAX_VALUES,
    ClassValue,
    CollectionValue,
    Const,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Origin,
    Ref,
    Unknown,
    Value,
    Values,
    are_crowded,
    merge,
)
from resplint.link.versions import AssumedVersion, Versions
from resplint.link.writes import WriteTable
from resplint.time_limits import Deadline

MAX_DEPTH = 100
"""Nested questions; beyond it the answer is unknown, and depends on which question came first. Code that people write
stays below 80.
"""
_PARTIAL_TRIES = 10
"""How often an answer that a cycle cut is asked for again before it is kept as it is."""
_STAGE = "Following values to their origin"
Shared = tuple[int, int, str, Value | int | None]
"""File, scope and name of a member of a class and the object that has it, or of a definition and its number."""
_HANGING = frozenset({facts.Call, facts.Member, facts.Index})
"""Expressions that stand for something only through another one."""
_CALLABLE = (FunctionValue, ClassValue, LibraryMethod, External)


class Evaluator:
    """Resolves expressions of a `Store` with the knowledge of a `Catalogue`."""

    def __init__(self, store: Store, catalogue: Catalogue, versions: Versions) -> None:
        self.store = store
        self.catalogue = catalogue
        self.versions = versions
        self._memo: dict[Ref, Values] = {}
        self._active: dict[Ref, int] = {}
        self._low = 1 << 30
        self.quoted: set[Ref] = set()
        """Forward references that are being looked up."""
        self._learned = LearnedTable(self)
        self._partial: dict[Ref, int] = {}
        self._names: set[tuple[int, str]] = set()
        self._names_cut = False
        self._module_names: dict[tuple[int, str], Values] = {}
        self._in_circles: dict[tuple[int, str], tuple[int, Values]] = {}  # number of tries, latest answer
        self.is_cut = False
        """Whether some answer is unknown only because it was too far away."""
        self._kept_cut: list[Ref] = []
        """Questions whose answers were kept although a cycle had cut them each time."""
        self.is_crowded = False
        """Whether some expression may stand for more objects of libraries than are kept."""
        self._shared: dict[Shared, Values] = {}
        self._definitions: dict[tuple[int, int, str], list[Definition]] = {}
        self.deadline = Deadline()
        self.callers = CallerTable(self)
        self.classes = ClassTable(self)
        self.writes = WriteTable(self)
        self.imports = Imports(self)
        self.application: Callable[[str, str], Sequence[str | None]] = lambda path, key: ()
        """What the application's settings say about a key: a text for each profile, None for an unknown one."""
        self.package_names: dict[tuple[str, str], Values] = {}

    def roles(self, file: int) -> Roles:
        """Names of a file's language and its frameworks that carry a meaning."""
        return self.catalogue.roles[self.store.files[file].facts.language]

    def version(self, value: LibraryObject, file: int) -> AssumedVersion:
        """The version to assume for an object: by the file that makes it, else by the file that uses it."""
        library = self.catalogue.libraries.get(value.origin.library.library.rides_on, value.origin.library)
        where = value.made[0] if value.made is not None else file
        assumed = self.versions(library, self.store.files[where].facts.path)
        constructor = value.origin.constructor
        if constructor is None or version_in(assumed.version, constructor.versions):
            return assumed
        # The call does not exist in that version, so another one is in use: the newest that has it.
        fitting = [one for one in library.library.versions if version_in(one, constructor.versions)]
        return AssumedVersion(assumed.library, fitting[-1], "none") if fitting else assumed

    def learned(self, dotted: str, ref: Ref) -> Values:
        """What a foreign call gives, as declarations elsewhere say; () when none does."""
        known = self._learned.result(dotted)
        return (replace(known, made=ref),) if known is not None else ()

    def factory(self, function: FunctionValue) -> Origin | None:
        """What the user's configuration says that a function returns."""
        if not self.catalogue.factories:
            return None
        index = self.store.files[function.file]
        places = filter(None, (dotted_path(index.facts.path), index.facts.package))
        names = product(places, index.callable_names(function.scope))
        found = (self.configured(f"{place}.{name}") for place, name in names)
        return next((made for made in found if made is not None), None)

    def configured(self, name: str) -> Origin | None:
        """What the user's configuration says that the callable with this dotted name returns."""
        for dotted, factory in self.catalogue.factories.items():
            known = self.catalogue.constructor(factory.constructor)
            if known is not None and (name == dotted or name.endswith("." + dotted)):
                owner = self.catalogue.type(known[1].makes)
                if owner is not None:
                    key = (id(owner[0]), id(owner[1]), id(factory), -1)
                    made = Origin(owner[0], owner[1], known[1], None, factory)
                    return self.classes.origins.setdefault(key, made)
        return None

    # -- the question --------------------------------------------------------------------------------------------------

    def values(self, file: int, expr: int) -> Values:
        """All values that an expression may have, as far as can be told."""
        if expr == NONE:
            return ()
        ref = (file, expr)
        known = self._memo.get(ref)
        if known is not None:
            return known
        if type(self.store.files[file].facts.exprs[expr]) not in _HANGING:
            return self._one(ref)
        chain = self._chain(ref)
        result: Values = ()
        for link in reversed(chain):
            result = self._one(link)
        return result

    @property
    def depth(self) -> int:
        """Number of expressions whose question waits for another one."""
        return len(self._active)

    def cut(self, depth: int) -> None:
        """Say that an answer is missing which only the question at this depth will have: what is asked within it is not
        settled.
        """
        self._low = min(self._low, depth - 1)

    def is_settled(self, file: int, expr: int) -> bool:
        """Whether the answer to this question was found and will not change."""
        return (file, expr) in self._memo

    def is_incomplete(self) -> bool:
        """Whether an answer that a cycle cut was kept, and the same question finds more objects of libraries now that
        all others were asked. What was kept stays, as conclusions were drawn from it.
        """
        assert not self._active
        kept = {ref: self._memo.pop(ref) for ref in self._kept_cut}
        self._partial.clear()
        found = {ref: self.values(*ref) for ref in kept}
        self._memo.update(kept)
        self._kept_cut = list(kept)
        gained = (one for ref, values in kept.items() for one in found[ref] if one not in values)
        return any(isinstance(one, LibraryObject | LibraryMethod) for one in gained)

    def _chain(self, ref: Ref) -> list[Ref]:
        """The expression and the receivers it hangs on, outermost first, down to one that is known or no chain."""
        chain = [ref]
        exprs = self.store.files[ref[0]].facts.exprs
        number = ref[1]
        while True:
            expr = exprs[number]
            if isinstance(expr, facts.Call):
                number = expr.callee
            elif isinstance(expr, facts.Member | facts.Index):
                number = expr.object
            else:
                return chain
            if number == NONE or (ref[0], number) in self._memo or (ref[0], number) in self._active:
                return chain
            chain.append((ref[0], number))

    def _one(self, ref: Ref) -> Values:
        known = self._memo.get(ref)
        if known is not None:
            return known
        position = self._active.get(ref)
        if position is not None:
            self._low = min(self._low, position)
            return ()
        if len(self._active) >= MAX_DEPTH:
            self._low = 0
            self.is_cut = True
            return (Unknown(),)
        position = len(self._active)
        if not position:
            self.deadline.begin_turn()
        if self.deadline.spent(_STAGE):
            self._low = 0
            return (Unknown(),)
        self._active[ref] = position
        outer_low, self._low = self._low, 1 << 30
        try:
            result = self._evaluate(ref)
        finally:
            del self._active[ref]
            if not position:
                self.deadline.end_turn()
        if len(result) >= MAX_VALUES and not self.is_crowded:
            self.is_crowded = are_crowded(result)
        complete = self._low >= position
        if not complete:
            tries = self._partial[ref] = self._partial.get(ref, 0) + 1
        if complete or position == 0 or tries >= _PARTIAL_TRIES:
            self._memo[ref] = result
            if not complete and position:
                self._kept_cut.append(ref)
        self._low = min(outer_low, self._low) if not complete else outer_low
        return result

    def _evaluate(self, ref: Ref) -> Values:
        file, number = ref
        index = self.store.files[file]
        expr = index.facts.exprs[number]
        match expr:
            case facts.Literal():
                return (Const(expr.value, expr.type, ref),)
            case facts.Template():
                return operators.template(self, ref, expr)
            case facts.Name():
                called = number in index.call_of and self.roles(file).words.separate_method_names
                return self.name(index, expr.name, expr.block, expr.start, called)
            case facts.Member():
                return members.member(self, self.values(file, expr.object), expr.name, ref)
            case facts.Call():
                return calls.call(self, ref, expr)
            case facts.Index():
                return elements.element(self, ref, expr)
            case facts.Operation():
                return operators.operation(self, ref, expr)
            case facts.Collection():
                return (CollectionValue(ref),)
            case facts.Choice():
                groups = [self.values(file, option) for option in expr.options]
                if expr.condition != NONE and groups:
                    groups[0] = under_condition(index, groups[0], expr)
                return merge(groups)
            case facts.Function():
                if index.facts.scopes[expr.scope].kind == "class":
                    return (ClassValue(file, expr.scope),)
                return (FunctionValue(file, expr.scope),)
        return (Unknown(),)

    # -- names ---------------------------------------------------------------------------------------------------------

    def name(self, index: FileIndex, name: str, block: int, start: int, called: bool = False) -> Values:
        """Values of a bare name used at `start` in `block`; a name found nowhere is a builtin of the language.

        `called` is set where methods have names of their own: a variable of the same name is not what is called.
        """
        first = scope = index.scope_of(block)
        scopes = index.facts.scopes
        crossed = False
        while scope != NONE:
            record = scopes[scope]
            if record.kind == "class" and record.is_open:
                if inner := members.of_open_class(self, index.number, scope, name, block):
                    return narrowed(index, inner, name, block, start)
            elif record.kind != "class" or scope == first:
                found = self.definitions(index, scope, name)
                if found:
                    if not crossed:
                        found = reaching(index, found, block, start)
                    values = merge([definition.evaluate() for definition in found])
                    if called and not any(isinstance(value, _CALLABLE) for value in values):
                        scope = record.parent
                        continue
                    return narrowed(index, values, name, block, start)
                if scope in index.stars and (values := self.imports.stars(index, scope, name)):
                    return values
            if (itself := receivers.named(self, index, scope, name)) is not None:
                return itself
            if (record.receiver_value != NONE or (scope, receivers.EXTENDED) in index.parameters) and (
                member := receivers.implicit(self, index, scope, name)
            ):
                return member
            crossed = crossed or record.kind != "comprehension"
            scope = record.parent
        if self.roles(index.number).words.implicit_package and "." not in name:
            if values := packages.lookup(self, index.facts.package, name, index):
                return values
        number = self.roles(index.number).constants.get(name)  # Infinity
        return (External(name),) if number is None else (Const(number, "float", (index.number, NONE)),)

    def definitions(self, index: FileIndex, scope: int, name: str) -> list[Definition]:
        """Everything in one scope that gives `name` a value."""
        place = (index.number, scope, name)
        known = self._definitions.get(place)
        if known is None:
            known = self._definitions[place] = [
                replace(one, evaluate=partial(self.shared, (*place, at), one.evaluate))
                for at, one in enumerate(self._defined(index, scope, name))
            ]
        return known

    def _defined(self, index: FileIndex, scope: int, name: str) -> list[Definition]:
        found: list[Definition] = []
        key = (scope, name)
        position = index.parameters.get(key)
        if position is not None:
            owner = index.facts.scopes[scope]
            found.append(
                Definition(
                    owner.start, owner.block, "parameter", lambda: calls.parameter(self, index.number, scope, position)
                )
            )
        apart = {(one.start, one.end) for one in index.bindings.get(key, ()) if one.path}
        for binding in index.bindings.get(key, ()):
            # A name has its new value only behind the statement: not yet in `name = f(name)`.
            given = index.facts.exprs[binding.value] if binding.value != NONE and binding.kind != "for" else None
            if isinstance(given, facts.Name) and given.name.startswith("#"):
                given = None  # a part of a parameter, which has its value from the start
            start = max(binding.end, given.end) if given is not None else binding.start
            found.append(Definition(start, binding.block, binding.kind, self._binding(index, binding, apart)))
        for item in index.imports.get(key, ()):
            found.append(Definition(item.start, item.block, "import", self._import(index, item)))
        for number in index.definitions.get(key, ()):
            record = index.facts.scopes[number]
            value = (
                FunctionValue(index.number, number) if record.kind == "function" else ClassValue(index.number, number)
            )
            found.append(Definition(record.start, record.defined_in, "definition", lambda value=value: (value,)))  # type: ignore[misc]
        return found

    def _binding(self, index: FileIndex, binding: facts.Binding, apart: set[tuple[int, int]]) -> Callable[[], Values]:
        is_default = (binding.start, binding.end) in apart
        given = partial(elements.is_overridden, self, index, binding) if is_default else bool
        return lambda: () if given() else self.bound(index, binding)

    def _import(self, index: FileIndex, item: facts.Import) -> Callable[[], Values]:
        return lambda: self.imports.imported(index, item)

    def bound(self, index: FileIndex, binding: facts.Binding | facts.Write) -> Values:
        """Values that a binding or write gives to its target."""
        values = self.values(index.number, binding.value)
        if binding.kind == "except":
            return (Unknown(),)
        if binding.kind == "for":
            return elements.elements_of_loop(self, index.number, binding, values)
        if binding.kind == "with":
            values = elements.entered(self, values)
        if binding.value == NONE and isinstance(binding, facts.Binding) and binding.decorators:
            values = injected.setting(self, index, binding.decorators)
        if binding.path:
            values = elements.unpacked(self, index.number, binding, values)
        if binding.annotation != NONE and all(isinstance(value, Unknown | ExternalObject) for value in values):
            typed = declared.typed(self, index.number, binding.annotation)
            if typed and (any(isinstance(value, LibraryObject | Instance) for value in typed) or not values):
                return typed
            return values if any(isinstance(value, ExternalObject) for value in values) else typed or values
        return values

    def is_abstract(self, function: FunctionValue) -> bool:
        """Whether a function has no body of its own."""
        file = self.store.files[function.file].facts
        block = file.blocks[file.scopes[function.scope].block]
        return block.end - block.start <= 1

    def shared(self, key: Shared, evaluate: Callable[[], Values]) -> Values:
        """An answer that many expressions share; kept unless it was cut by a question that is still being answered."""
        known = self._shared.get(key)
        if known is not None:
            return known
        outer_low, self._low = self._low, 1 << 30
        outer_cut, self._names_cut = self._names_cut, False
        values = evaluate()
        if self._low == 1 << 30 and not self._names_cut:
            self._shared[key] = values
        self._low = min(outer_low, self._low)
        self._names_cut = self._names_cut or outer_cut
        return values

    def guarded(self, key: tuple[int, str], evaluate: Callable[[], Values]) -> Values:
        """Evaluate a name of a module once at a time: modules import each other in circles."""
        known = self._module_names.get(key)
        if known is not None:
            return known
        if key in self._names or len(self._names) >= MAX_DEPTH:
            self._names_cut = True
            self.is_cut = self.is_cut or len(self._names) >= MAX_DEPTH
            return ()
        tries, values = self._in_circles.get(key, (0, ()))
        if tries >= _PARTIAL_TRIES or self.deadline.spent(_STAGE):
            self._names_cut = True
            return values
        self._names.add(key)
        outer_cut, self._names_cut = self._names_cut, False
        low, self._low = self._low, 1 << 30
        try:
            values = evaluate()
        finally:
            self._names.discard(key)
        if (not self._names_cut or not self._names) and self._low == 1 << 30:
            self._module_names[key] = values
        elif self._names:
            self._in_circles[key] = (tries + 1, values)
        if not self._names:
            self._in_circles.clear()
        self._names_cut = self._names_cut or outer_cut
        self._low = min(low, self._low)
        return values
