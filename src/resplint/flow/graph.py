"""The solved value-flow graph, and the questions that are put to it.

A question demands an expression, lets the graph become complete again, and reads what the expression's node holds. What
rests on the absence of something (a parameter without callers, an expression of which nothing is known) is decided
only when nothing else changes any more.
"""

from __future__ import annotations

import gc
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import product, zip_longest

from resplint.bind.binder import Binder
from resplint.bind.declared_types import DeclaredTypes
from resplint.bind.files import Store
from resplint.bind.index import FileIndex
from resplint.bind.modules import dotted_path
from resplint.bind.values import (
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
    Many,
    Module,
    Origin,
    Outside,
    ParameterValue,
    Ref,
    Unknown,
    Value,
    Values,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow import nodes
from resplint.flow.callers import Callers
from resplint.flow.classes import Classes
from resplint.flow.contexts import Contexts, Frames
from resplint.flow.core import Flow
from resplint.flow.limits import CLIENTS, COMBINATIONS, CONSTANTS, MAX_CONSTANTS
from resplint.flow.nodes import CallEdge, Node
from resplint.flow.outside import Spelling
from resplint.flow.receivers import Receivers
from resplint.flow.rules.build import Edges
from resplint.flow.rules.outside.named import is_by_name
from resplint.flow.rules.outside.usage_types import TypesByUsage
from resplint.flow.strata import Strata
from resplint.knowledge.catalogue import Catalogue
from resplint.knowledge.client_versions import AssumedVersion, Versions
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.role_records import Roles


class Graph:
    """The value flow of a project."""

    def __init__(self, store: Store, catalogue: Catalogue, versions: Versions) -> None:
        self.store = store
        self.catalogue = catalogue
        self.versions = versions
        self.binder = Binder(store, catalogue)
        self.flow = Flow(self.binder, catalogue)
        self.flow.version = lambda value, file, name: self.version(value, file, name).version
        self.flow.factory = self.factory
        self.flow.configured = self.configured
        self.edges = Edges(self.flow)
        self.types = DeclaredTypes(self.binder)
        self.strata = Strata(self.flow)
        self.spelling = Spelling(self.flow)
        self.usage = TypesByUsage(self)
        self.contexts = Contexts(self)
        self.receivers = Receivers(self)
        self._frames: Frames = ()
        self.callers = Callers(self)
        self.classes = Classes(self)
        self.is_cut = False
        self.grows = False
        """Whether further files may be read: then nothing is concluded from how things are used."""
        self._answers: dict[Ref, tuple[int, Values]] = {}
        self._binding_numbers: dict[int, dict[int, int]] = {}
        self._seeded = 0
        self._judged: set[tuple[int, int, int]] = set()
        self._solved = False
        self._dealt = False
        self._unfilled: list[tuple[int, int, int]] = []
        """Parameters that calls may fill by what they spread, of which nothing is known."""
        self._touching: tuple[tuple[int, ...], list[Ref], dict[int, list[int]]] = ((), [], {})

    @property
    def application(self) -> Callable[[str, str], Sequence[str | None]]:
        """What the application's settings say to a file about a key: a text for each profile, None for one that is
        not known; set by the project.
        """
        return self.flow.application

    @application.setter
    def application(self, given: Callable[[str, str], Sequence[str | None]]) -> None:
        self.flow.application = given

    def roles(self, file: int) -> Roles:
        """Names of a file's language and its frameworks that carry a meaning."""
        return self.catalogue.roles[self.store.files[file].facts.language]

    def version(self, value: LibraryObject, file: int, method: str = "") -> AssumedVersion:
        """The version to assume for an object, and for a call of a method of it: by the file that makes it, else by the
        file that uses it. Where the project leaves a choice, it is the newest that has what the code calls.
        """
        library = self.catalogue.libraries.get(value.origin.library.library.version_owner, value.origin.library)
        where = value.made[0] if value.made is not None else file
        assumed = self.versions(library, self.store.files[where].facts.path)
        constructor, origin = value.origin.constructor, value.origin
        if method and self.catalogue.is_limited(origin.library, method):
            assumed = assumed.narrowed(lambda version: self.catalogue.has(origin, method, version))
        if constructor is None:
            return assumed
        if constructor.arities:
            given = self._given(value)
            assumed = assumed.narrowed(
                lambda version: all(
                    given <= one.most for one in constructor.arities if version_in(version, one.versions)
                )
            )
        assumed = assumed.narrowed(lambda version: version_in(version, constructor.versions))
        if version_in(assumed.version, constructor.versions):
            return assumed
        # The call does not exist in that version, so another one is in use: the newest that has it.
        fitting = [one for one in library.library.versions if version_in(one, constructor.versions)]
        return AssumedVersion(assumed.library, fitting[-1], "none") if fitting else assumed

    def _given(self, value: LibraryObject) -> int:
        """How many positional arguments the call that makes an object has."""
        made = self.store.expr(value.made) if value.made is not None else None
        return sum(not item.name for item in made.arguments) if isinstance(made, facts.Call) else 0

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
                    return self.flow.origin(owner[0], owner[1], known[1], factory=factory)
        return None

    # -- solving -------------------------------------------------------------------------------------------------------

    def solve(self) -> None:
        """Follow every Redis object to wherever it goes."""
        if not self._solved:
            self._solved = True
            was_on = gc.isenabled()
            gc.disable()  # nothing here is garbage before the end, and looking for some takes half of the time
            try:
                self.settle()  # what rests on absence may bring clients to further places: the keys of open parameters
                while not self.grows and not self.flow.waiting and self.usage.round():
                    self._dealt = False
                    self.settle()
            finally:
                self._solved = not self.flow.waiting  # it goes on when there is time again
                if was_on:
                    gc.enable()

    def admit(self, files: Iterable[facts.FileFacts]) -> None:
        """Take in further files, so that clients are followed into them."""
        before = {index.number for index in self.store.named_among}
        self.store.admit(files)
        self.binder.forget()
        self.types.forget()
        for index in self.store.named_among:
            if index.number not in before:
                for demand in self.edges.demands:
                    demand.enter(index)
                self.edges.members.enter(index)
                self.edges.injection.enter(index)
        self._solved = self._dealt = False

    def all_is_read(self) -> bool:
        """Conclude what rests on it that no further files are known to come. Returns whether that gave clients."""
        self.grows = self._solved = False
        self.solve()
        return self.usage.gave

    def stands(self) -> bool:
        """Whether what rests on the absence of something still does, now that all files are there."""
        self.solve()
        return self.edges.named.stands() and self.usage.stands()

    def _complete(self) -> None:
        """Propagate until nothing changes, taking in files that were loaded on the way."""
        store = self.store
        while True:
            self.edges.names.enter_files()
            if self._seeded < len(store.loaded):
                while self._seeded < len(store.loaded):
                    self.edges.names.libraries(store.loaded[self._seeded].number)
                    if self.edges.demand.everything:
                        self.edges.demand.each(store.loaded[self._seeded].number)
                    self._seeded += 1
                self.edges.objects.enter_subclasses()
            self.flow.run()
            if self.flow.waiting:  # the time is up
                return
            if self._seeded == len(store.loaded):
                if self.edges.keys.close():
                    continue
                # Questions bring no further Redis objects: what is kept by name is dealt out before the first of them.
                if self._dealt or not self.edges.named.round():
                    self._dealt = True
                    return

    def settle(self) -> None:
        """Complete the graph, and decide what rests on absence."""
        self.solve()
        demand = self.edges.questions
        empty: list[tuple[int, int]] = []
        asked: dict[tuple[int, int], None] = {}
        while True:
            self._complete()
            if self.flow.waiting:
                return
            if self._open_parameters():
                continue
            asked.update(dict.fromkeys(demand.fresh))
            empty = [ref for ref in (*empty, *demand.fresh) if nodes.expression(*ref) not in self.flow.held]
            demand.fresh.clear()
            if not empty:
                return
            for ref in self.strata.lowest(empty, asked):
                for value in self._otherwise(ref):
                    self.flow.put(nodes.expression(*ref), value)

    def _open_parameters(self) -> bool:
        """Parameters of functions that somebody outside may call, too."""
        demand = self.edges.questions
        changed = False
        waiting, demand.fresh_parameters = demand.fresh_parameters, []
        for key in waiting:
            node = nodes.parameter(*key)
            self.flow.each_place(key[:2], partial(self._is_open, key))
            sites = [
                site for site in self.edges.calls.callers.get((key[0], key[1]), ())
                if site.file == key[0] or not self.store.only_shows(site.file) or self.store.only_shows(key[0])
            ]  # fmt: skip
            if not sites and node not in self.flow.handed:
                self.flow.put(node, ParameterValue(*key))
                default = self.store.files[key[0]].facts.scopes[key[1]].parameters[key[2]].default
                if default != NONE:
                    self.flow.copy(nodes.expression(key[0], default), node)
                changed = True
            elif node not in self.flow.held and any(self._spreads(site) for site in sites):
                self._unfilled.append(key)
        return changed or self.flow.waiting or self._unfilled_parameters()

    def _unfilled_parameters(self) -> bool:
        """Nothing is known of a parameter in what its calls spread, ``Worker(**settings)``: they may leave it out."""
        unfilled, self._unfilled = self._unfilled, []
        changed = False
        for key in unfilled:
            default = self.store.files[key[0]].facts.scopes[key[1]].parameters[key[2]].default
            node = nodes.parameter(*key)
            if default != NONE and node not in self.flow.held:
                self.flow.put(node, Unknown())
                self.flow.copy(nodes.expression(key[0], default), node)
                changed = True
        return changed

    def _spreads(self, site: CallEdge) -> bool:
        """Whether a call spreads a collection among its arguments."""
        expr = self.store.expr(site.ref)
        return isinstance(expr, facts.Call) and any(item.name in ("*", "**") for item in expr.arguments)

    def _is_open(self, key: tuple[int, int, int], place: Node) -> None:
        """A function is handed out at a place: somebody who is not seen may call it."""
        if self.callers.is_handed_out(key[0], key[1], place):
            self.flow.put(nodes.parameter(*key), ParameterValue(*key))

    def _otherwise(self, ref: Ref) -> Values:
        """What an expression stands for of which nothing came to be known."""
        expr = self.store.expr(ref)
        if isinstance(expr, facts.Member):
            found: dict[Value, None] = {}
            for value in self.flow.at(nodes.expression(ref[0], expr.object)):
                found.update(dict.fromkeys(self.edges.data.of_base(value, expr.name)))
            if found:
                return tuple(found)
        index = self.store.files[ref[0]]
        for binding in index.bound_to.get(ref[1], ()):
            if binding.annotation != NONE and not binding.path and binding.kind == "assign":
                outside = self.binder.dotted(ref[0], binding.annotation)
                if "." in outside and self.catalogue.type(outside) is None:
                    return (ExternalObject(outside),)
        return (Unknown(),)

    # -- the question --------------------------------------------------------------------------------------------------

    @contextmanager
    def under(self, frames: Frames) -> Iterator[None]:
        """Answers for code that runs under certain calls, in methods of certain objects."""
        before = self._frames
        self._frames = tuple(dict.fromkeys((*frames, *before)))
        try:
            yield
        finally:
            self._frames = before

    def calls(self, file: int, scope: int) -> list[CallEdge]:
        """The calls of a function: those of the context, where there is one that says something of it."""
        every = self.callers.of(file, scope)
        return self.calls_here(file, scope) or every

    def calls_here(self, file: int, scope: int) -> list[CallEdge]:
        """The calls of a function that the context makes; none where it says nothing of the function."""
        return self.contexts.edges(file, scope, self._frames) if self._frames else []

    def values(self, file: int, expr: int) -> Values:
        """All values that an expression may have, as far as is known."""
        if self._frames and expr != NONE:
            return self.contexts.values(file, expr, self._frames)
        return self.merged(file, expr)

    def told_apart(self, file: int, expr: int) -> Values:
        """All values that an expression may have, where what a function gives back is what the very call that stands
        there passed: ``password: setting("PASSWORD", "")``, not the default of another setting.
        """
        return self.contexts.values(file, expr, self._frames) if expr != NONE else ()

    def merged(self, file: int, expr: int) -> Values:
        """All values that an expression may have, whoever calls the functions around it."""
        if expr == NONE:
            return ()
        ref = (file, expr)
        node = nodes.expression(file, expr)
        if not self.edges.questions.wants(node):
            self.edges.questions.begin(node)
            self.edges.questions.expression(file, expr)
            self.settle()
        known = self._answers.get(ref)
        if known is None or known[0] != self.flow.steps:
            if self.flow.waiting:  # the time is up
                return self._answer(node) or (Unknown(),)
            self._tell_apart(node)
            known = self._answers[ref] = (self.flow.steps, self._answer(node))
        return known[1]

    def kinds(self, file: int, expr: int) -> Values:
        """The same for who asks of which class objects are, and not which call made them: that is cheaper."""
        if self._frames or expr == NONE:
            return self.values(file, expr)
        node = nodes.expression(file, expr)
        if not self.edges.questions.wants(node):
            self.edges.questions.begin(node)
            self.edges.questions.expression(file, expr)
            self.settle()
        return self._answer(node)

    def _tell_apart(self, node: Node) -> None:
        """Who asks for objects asks where they were made."""
        classes = {(one.file, one.scope) for one in self.flow.at(node) if isinstance(one, Instance) and one.exact}
        for key in sorted(classes):
            self.edges.objects.tell_apart(*key)
        if classes and self.flow.waiting:
            self.settle()

    def _answer(self, node: Node) -> Values:
        return self.answer(self.flow.at(node))

    def answer(self, values: Iterable[Value]) -> Values:
        """Values as an answer: sorted, without what is only declared beside what was seen, not too many."""
        values = tuple(values)
        if not values or (len(values) == 1 and type(values[0]) in _PLAIN):
            return values  # most answers are of one function, class or module
        self._notice(values)
        found = [one for value in self.flow.bounds.kept(values) for one in self._presentable(value)]
        derived = {_type(one) for one in found if isinstance(one, LibraryObject | LibraryMethod) and not _is_bare(one)}
        found = [
            one for one in found
            if not isinstance(one, LibraryObject | LibraryMethod) or not _is_bare(one) or _type(one) not in derived
        ]  # fmt: skip
        seen = {
            _kind(one) for one in found if isinstance(one, LibraryObject | LibraryMethod) and _is_made(_object(one))
        }
        if seen:  # a batch that was seen being made says nothing of a client that was not
            found = [
                one for one in found
                if not isinstance(one, LibraryObject | LibraryMethod)
                or _kind(one) not in seen or _is_made(_object(one))
            ]  # fmt: skip
        instances = [one for one in found if isinstance(one, Instance) and one.exact]
        if instances:
            apart = {(one.file, one.scope) for one in instances if one.made is not None}
            found = [
                one for one in found
                if not isinstance(one, Instance) or one.made is not None
                or (one.exact and (one.file, one.scope) not in apart)
                or (not one.exact and not any(
                    (one.file, one.scope) in self.binder.project_line(other.file, other.scope) for other in instances
                ))
            ]  # fmt: skip
        found = self._apart(found)
        found = [one for one in found if not self._is_replaced(one)]
        owned: dict[tuple[int, int], int] = {}
        for one in found:
            if isinstance(one, FunctionValue):
                owned[one.file, one.scope] = max(owned.get((one.file, one.scope), 0), _known_of(one.owner))
        found = [
            one for one in found
            if not isinstance(one, FunctionValue) or _known_of(one.owner) == owned[one.file, one.scope]
        ]  # fmt: skip
        found = list(dict.fromkeys(found))
        if len(found) > 1:
            found.sort(key=self._order)
        if len(found) > MAX_VALUES:
            found = self._few(_distinct(found))
        return tuple(found)

    def _notice(self, values: Values) -> None:
        """Notice that there are more constants than are looked at."""
        for one in values:
            if isinstance(one, Many):
                if one.ref in self.flow.limits.uncombined:
                    assert one.ref is not None
                    self.flow.limits.met(COMBINATIONS, one.ref[0])
                elif one.ref is None and len(values) > MAX_CONSTANTS:
                    files = [each.ref[0] for each in values if isinstance(each, Const)]
                    if len(files) >= MAX_CONSTANTS:
                        self.flow.limits.met(CONSTANTS, min(files))

    def _few(self, found: list[Value]) -> list[Value]:
        """The first of many values: so many objects of libraries, constants and others."""
        clients = [one for one in found if isinstance(one, LibraryObject | LibraryMethod)]
        constants = [one for one in found if isinstance(one, Const)]
        others = [one for one in found if not isinstance(one, LibraryObject | LibraryMethod | Const)]
        if len(clients) > MAX_VALUES:
            self.flow.limits.met(CLIENTS)
        kept = {*_in_turns(clients)[:MAX_VALUES], *constants[:MAX_CONSTANTS], *others[:MAX_VALUES]}
        return [one for one in found if one in kept]

    def _apart(self, values: list[Value]) -> list[Value]:
        """Objects distinguished by how they left their maker, unless they are too many."""
        objects = [one for one in values if isinstance(one, LibraryObject | LibraryMethod) and _via(one)]
        if not objects:
            return values
        if len(objects) > MAX_VALUES:
            return list(dict.fromkeys(_merged(one) for one in values))
        apart = {_merged(one) for one in objects}
        return [
            one for one in values
            if one not in apart and (not isinstance(one, LibraryObject | LibraryMethod) or self._is_kept(one))
        ]  # fmt: skip

    def _is_kept(self, given: LibraryObject | LibraryMethod) -> bool:
        """Whether an object that was made in a constructor was made for the object that it is read from."""
        value = given.object if isinstance(given, LibraryMethod) else given
        owner = next((one for one in value.via if isinstance(one, Instance) and one.made is not None), None)
        if owner is None or value.made is None:
            return True
        index = self.store.files[value.made[0]]
        around = index.function_of(self.store.expr(value.made).block)
        makers = index.constructors.get(index.class_of(around), ())
        if around not in makers:
            return True
        return bool(self.contexts.edges(value.made[0], around, (owner,)))

    def _is_replaced(self, value: Value) -> bool:
        """Whether the project has stored something else under the name of a library object's method."""
        if not isinstance(value, LibraryMethod):
            return False
        stored = self.flow.held.get(nodes.of_object(self.flow.token(value.object), value.name), ())
        return bool(stored) and self.flow.token(value) not in stored

    def _presentable(self, value: Value) -> list[Value]:
        """A value as those see it who ask: collections only as far as they are written out."""
        if isinstance(value, Outside):
            return self.spelling.objects(value)
        if isinstance(value, Const) and value.through:
            return [replace(value, through=frozenset())]
        if isinstance(value, Many):
            return [Unknown()]
        if isinstance(value, CollectionValue):
            if value.ref[1] < 0 or not isinstance(self.store.expr(value.ref), facts.Collection):
                return []
            return [CollectionValue(value.ref) if value.view == "keys" else value]
        return [value]

    def _order(self, value: Value) -> tuple[object, ...]:
        """Where a value comes from, for the order of answers."""
        kind = _KINDS.get(type(value), 9)
        ref: Ref | None = getattr(value, "ref", None) or getattr(value, "made", None)
        if isinstance(value, LibraryMethod):
            ref = value.object.made
        if ref is not None:
            start = self.store.expr(ref).start if ref[1] >= 0 else ref[1]
            return (kind, 0, ref[0], start, ref[1], str(getattr(value, "dotted", "") or getattr(value, "name", "")))
        if isinstance(value, FunctionValue | ClassValue | Instance | ParameterValue):
            return (kind, 1, value.file, value.scope, 0, "")
        if isinstance(value, Module):
            return (kind, 1, value.file, 0, 0, value.dotted)
        return (kind, 2, 0, 0, 0, str(getattr(value, "dotted", "")))

    def bound(self, index: FileIndex, binding: facts.Binding | facts.Write) -> Values:
        """Values that a binding or write gives to its target."""
        file = index.number
        if isinstance(binding, facts.Write):
            values = self.values(file, binding.value)
            if binding.path:
                target = nodes.expression(file, -2 - binding.target)
                self.edges.questions.begin(target)
                self.edges.questions.want(target)
                self.settle()
                return self.answer(self.flow.at(target)) or (Unknown(),)
            return values
        number = self._binding_number(file, binding)
        self.edges.questions.begin(nodes.binding(file, number))
        self.edges.questions.definition(file, binding.kind, binding.scope, number)
        if binding.value != NONE:
            self.edges.questions.expression(file, binding.value)
        self.settle()
        return self.answer(self.flow.at(nodes.binding(file, number)))

    def _binding_number(self, file: int, binding: facts.Binding) -> int:
        known = self._binding_numbers.get(file)
        if known is None:
            known = self._binding_numbers[file] = {
                id(one): number for number, one in enumerate(self.store.files[file].facts.bindings)
            }
        return known[id(binding)]

    def is_abstract(self, function: FunctionValue) -> bool:
        """Whether a function has no body of its own."""
        return self.edges.members.is_abstract(function)

    def name(self, index: FileIndex, name: str, block: int, start: int) -> Values:
        """Values of a bare name used at a place."""
        file = index.number
        return tuple(self.binder.bare(file, name, block, start))

    def returns(self, function: FunctionValue) -> Values:
        """What a function returns (or yields), whoever calls it."""
        key = (function.file, function.scope)
        self.edges.demand.function(*key)
        self.edges.questions.begin(nodes.returned(*key))
        self.edges.questions.result(*key)
        own = self.edges.calls.handed_back(*key)
        for position in own.values():
            self.edges.questions.parameter(*key, position)
        self.settle()
        values = self.flow.at(nodes.returned(*key))
        for position in own.values():
            values += self.flow.at(nodes.parameter(*key, position))
        owner = function.owner
        if isinstance(owner, Instance | LibraryObject):
            kept = self.edges.calls.kept
            values = [self.flow.values[kept(self.flow.token(value), owner)] for value in values]
        return self.answer(values) or (Unknown(),)

    def parameter(self, file: int, scope: int, position: int) -> Values:
        """What a parameter may hold: what its callers pass, its default, or what its type says."""
        record = self.store.files[file].facts.scopes[scope]
        item = record.parameters[position]
        self.edges.questions.parameter(file, scope, position)
        self.settle()
        if record.receiver and item.name == record.receiver and record.belongs:
            return self.answer(self.flow.at(nodes.receiver(file, scope)))
        return self.answer(self.flow.at(nodes.parameter(file, scope, position)))

    # -- what is known of Redis ----------------------------------------------------------------------------------------

    @property
    def sites(self) -> Iterable[tuple[Ref, list[LibraryMethod]]]:
        """Calls of methods of library objects."""
        self.solve()
        for ref in sorted(self.edges.calls.sites):
            values = [self.flow.values[token] for token in self.edges.calls.sites[ref]]
            yield ref, [value for value in values if isinstance(value, LibraryMethod)]

    def is_by_name(self, ref: Ref) -> bool:
        """Whether the object that a call is made on was traced by a name alone."""
        expr = self.store.expr(ref)
        return bool(self.edges.named.kept()) and is_by_name(
            self.flow, (ref[0], expr.callee) if isinstance(expr, facts.Call) and expr.callee != NONE else ref
        )

    def carried(self, file: int, expr: int) -> Values:
        """What an expression stands for, of what Redis objects are and ride on. Asks for nothing further."""
        self.solve()
        held = self.flow.held.get(nodes.expression(file, expr))
        if not held:
            return ()
        return self.answer([self.flow.values[token] for token in held if self.flow.is_relevant(token)])

    def pooled(self, pool: Ref) -> Values:
        """What a pool holds that is made at a call, of what Redis objects are."""
        self.solve()
        held = self.flow.held.get(self.edges.pools.held(pool), ())
        return self.answer([self.flow.values[token] for token in held if self.flow.is_relevant(token)])

    def collected(self, file: int, expr: int) -> Values:
        """What an expression's collections hold, of what Redis objects are and ride on: the clients of
        ``Arrays.asList(first, second)``.
        """
        found = [one for one in self.values(file, expr) if isinstance(one, CollectionValue | ExternalObject)]
        refs = [one.ref for one in found if one.ref is not None]
        places = [nodes.element(ref, key) for ref in refs for key in ("?", nodes.ANY)]
        for one in found:  # what is put in where it is made
            call = self.store.expr(one.ref) if one.ref is not None and one.ref[1] >= 0 else None
            if isinstance(one, ExternalObject) and one.ref is not None and isinstance(call, facts.Call):
                if one.dotted.removesuffix("()") in self.roles(one.ref[0]).collection_makers:
                    places += [nodes.expression(one.ref[0], item.value) for item in call.arguments]
        held = dict.fromkeys(token for place in places for token in self.flow.held.get(place, ()))
        return self.answer([self.flow.values[token] for token in held if self.flow.is_relevant(token)])

    def called(self, file: int, callee: int) -> Values:
        """What a call calls, of what Redis objects are and ride on; objects apart by the code around the call."""
        return self.receivers.apart(file, callee, self.carried(file, callee))

    def callee(self, file: int, expr: int) -> Values:
        """What a call is of: what leads to Redis, else what names and declared types say, else whatever flows there.
        Names are looked at first, as most calls have nothing to do with Redis.
        """
        if self._frames:
            return self.values(file, expr)
        return self.named_callee(file, expr) or self.merged(file, expr)

    def named_callee(self, file: int, expr: int) -> Values:
        """What a call is of, as far as it leads to Redis or names and declared types say. Asks for nothing further."""
        found: Values = self.carried(file, expr) or self.binder.static(file, expr)
        if not found:
            typed = self.types.methods(file, expr)
            written = [one for one in typed if isinstance(one, External) or not self.is_abstract(one)]
            found = tuple(self._of_type(one) if isinstance(one, External) else one for one in written or typed)
        return found

    def _of_type(self, method: External) -> Value:
        """A method of an object of a type outside the project; of a type that needs no import nothing is known."""
        is_known = method.dotted.count(".") > 1 or "(" in method.dotted
        return ExternalObject(method.dotted) if is_known else Unknown()

    def objects(self, file: int, expr: int) -> Values:
        """What an expression stands for, of objects, functions and collections: without data, which is cheaper."""
        if self._frames:
            return tuple(value for value in self.values(file, expr) if self.flow.is_object(self.flow.token(value)))
        if expr == NONE:
            return ()
        node = nodes.expression(file, expr)
        if not self.edges.demand.wants(node):
            self.edges.demand.expression(file, expr)
            self.settle()
        return self.answer(
            [self.flow.values[token] for token in self.flow.held.get(node, ()) if self.flow.is_object(token)]
        )

    def makers(self) -> list[Ref]:
        """The calls of the selected files that make an object of a library, in the order of the project."""
        self.solve()
        return self._in_order(set(self.flow.object_places))

    def places(self, made: Ref) -> list[Ref]:
        """The expressions that stand for what a call makes."""
        self.solve()
        return sorted((node[1], node[2]) for node in self.flow.object_places.get(made, ()) if node[2] >= 0)

    def touching(self) -> list[Ref]:
        """The calls of the selected files that do Redis work: methods of library objects, functions of the project that
        do such work or are handed some that does, and what makes objects.
        """
        return self._touching_calls()[0]

    def touches(self, file: int, start: int, end: int) -> bool:
        """Whether a call between two offsets of a file does Redis work, runs a function that it was handed, or hands a
        method of a library's object on: ``to_thread(client.blpop, queue)``.
        """
        starts = self._touching_calls()[1].get(file, [])
        at = bisect_left(starts, start)
        if at < len(starts) and starts[at] < end:
            return True
        index = self.store.files[file]
        words = self.roles(file).words
        for _, call in index.calls_in(start, end):
            callee = index.facts.exprs[call.callee]
            if isinstance(callee, facts.Member) and callee.name in words.function_methods:
                callee = index.facts.exprs[callee.object]
            if isinstance(callee, facts.Name) and index.owner(callee.name, index.scope_of(callee.block)) != NONE:
                return True
            for item in call.arguments:
                given = index.facts.exprs[item.value]
                if isinstance(given, facts.Member) and self.catalogue.may_send(given.name):
                    if any(isinstance(one, LibraryMethod) for one in self.carried(file, item.value)):
                        return True
        return False

    def _touching_calls(self) -> tuple[list[Ref], dict[int, list[int]]]:
        self.solve()
        calls = self.edges.calls
        key = (len(calls.sites), len(calls.working), len(self.flow.object_places), len(self.store.files))
        if self._touching[0] != key:
            found = {*calls.sites, *self.flow.object_places}
            for function in calls.working:
                found.update(edge.ref for edge in calls.callers.get(function, ()))
                for node in self.flow.where.get(function, ()):
                    if node[0] == nodes.EXPRESSION:
                        place = self.store.files[node[1]].argument_of.get(node[2])
                        if place is not None:
                            found.add((node[1], place[0]))
            table: dict[int, list[int]] = defaultdict(list)
            for file, number in found:
                if number >= 0:
                    table[file].append(self.store.files[file].facts.exprs[number].start)
            self._touching = (key, self._in_order(found), {file: sorted(starts) for file, starts in table.items()})
        return self._touching[1], self._touching[2]

    def _in_order(self, refs: set[Ref]) -> list[Ref]:
        store, files = self.store, self.store.files
        among = [
            ref
            for ref in refs
            if store.is_judged(ref[0]) and ref[1] >= 0 and isinstance(files[ref[0]].facts.exprs[ref[1]], facts.Call)
        ]
        return sorted(among, key=lambda ref: (ref[0], files[ref[0]].facts.exprs[ref[1]].end, ref[1]))

    def works(self, file: int, scope: int) -> bool:
        """Whether a function does Redis work, itself or through what it calls."""
        self.solve()
        return (file, scope) in self.edges.calls.working

    def path(self, node: Node, value: Value | None = None) -> list[Node]:
        """A shortest way from where a node's tokens begin to the node; with `value` one that this value takes."""
        before: dict[Node, Node | None] = {node: None}
        waiting = deque([node])
        while waiting:
            current = waiting.popleft()
            sources = sorted(self.flow.sources(current), key=str)
            if value is not None:
                sources = [one for one in sources if any(_is_same(value, other) for other in self.flow.at(one))]
            if not sources:
                found = [current]
                following = before[current]
                while following is not None:
                    found.append(following)
                    following = before[following]
                return found
            for source in sources:
                if source not in before:
                    before[source] = current
                    waiting.append(source)
        return [node]


_PLAIN = frozenset({FunctionValue, ClassValue, Instance, Module, External, Unknown})
"""Kinds of values of which one alone is an answer as it is."""
_KINDS: dict[type, int] = {
    LibraryObject: 0, LibraryMethod: 0, Const: 1, CollectionValue: 1, FunctionValue: 1, ClassValue: 1, Instance: 1,
    Module: 1, ExternalObject: 2,
}  # fmt: skip


def _via(value: LibraryObject | LibraryMethod) -> Frames:
    """How an object, or what it comes from, left its maker."""
    current: LibraryObject | None = value.object if isinstance(value, LibraryMethod) else value
    while current is not None and not current.via:
        current = current.parent
    return current.via if current is not None else ()


def _merged(value: Value) -> Value:
    """An object whichever way it left its maker."""
    if isinstance(value, LibraryMethod):
        inner = _merged(value.object)
        return LibraryMethod(inner, value.name) if isinstance(inner, LibraryObject) else value
    if isinstance(value, LibraryObject) and _via(value):
        parent = _merged(value.parent) if value.parent is not None else None
        return replace(value, via=(), parent=parent if isinstance(parent, LibraryObject) else None)
    return value


def _distinct(values: list[Value]) -> list[Value]:
    """Without constants that spell the same as one before them."""
    found: dict[object, Value] = {}
    for value in values:
        found.setdefault((value.type, value.value) if isinstance(value, Const) else value, value)
    return list(found.values())


def _is_same(value: Value, other: Value) -> bool:
    """Whether two values are one, but for what is known of its way out of the function that makes it."""
    if isinstance(value, LibraryObject) and isinstance(other, LibraryObject) and value.made is not None:
        return value.made == other.made and value.origin is other.origin
    return value == other


def _is_bare(value: LibraryObject | LibraryMethod) -> bool:
    """Whether nothing but its declared type is known of an object."""
    one = value.object if isinstance(value, LibraryMethod) else value
    return one.made is None and one.parent is None and one.subclass is None and one.origin.callback is None


def _object(value: LibraryObject | LibraryMethod) -> LibraryObject:
    return value.object if isinstance(value, LibraryMethod) else value


def _kind(value: LibraryObject | LibraryMethod) -> tuple[bool, str]:
    """Whether a value is a method, and the kind of its object; a cluster is a client, too."""
    kind = _object(value).kind
    return isinstance(value, LibraryMethod), "client" if kind == "cluster" else kind


def _in_turns(values: list[LibraryObject | LibraryMethod]) -> list[LibraryObject | LibraryMethod]:
    """The same values, so that the first ones of every kind come before the others."""
    groups: dict[tuple[bool, str], list[LibraryObject | LibraryMethod]] = {}
    for value in values:
        groups.setdefault(_kind(value), []).append(value)
    return [value for row in zip_longest(*groups.values()) for value in row if value is not None]


def _type(value: LibraryObject | LibraryMethod) -> tuple[int, str]:
    """The type of an object, or of the object that a method belongs to, and the method's name."""
    if isinstance(value, LibraryMethod):
        return id(value.object.origin.type), value.name
    return id(value.origin.type), ""


def _known_of(value: Value | None) -> int:
    """How much is known of an object: 2 where it was made, 1 that it was, 0 its type at most."""
    if isinstance(value, Instance | LibraryObject) and value.made is not None:
        return 2
    return 1 if isinstance(value, Instance) and value.exact else 0


def _is_made(value: LibraryObject) -> bool:
    """Whether an object was seen being made, itself or what it comes from."""
    current: LibraryObject | None = value
    while current is not None:
        if current.made is not None and current.parent is None:
            return True
        if current.subclass is not None:
            return True
        if current.origin.callback is not None:
            return True
        current = current.parent
    return False
