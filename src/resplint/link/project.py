"""The linked project: what checks see."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from resplint import facts
from resplint.facts import NONE, FileFacts
from resplint.findings import Place, Step
from resplint.knowledge.catalogue import Catalogue
from resplint.link.application import Application, Nothing, Surroundings
from resplint.link.bursts import Bursts
from resplint.link.callers import MAX_CANDIDATES
from resplint.link.classes import MAX_LINE
from resplint.link.evaluate import MAX_DEPTH, Evaluator
from resplint.link.frequency import Frequency
from resplint.link.hashes import Hashes
from resplint.link.index import FileIndex
from resplint.link.keys import Shape, Shapes
from resplint.link.modules import Loader, ModuleTable
from resplint.link.options import Options
from resplint.link.retries import Retries
from resplint.link.roles import RoleTable
from resplint.link.scripts import Scripts
from resplint.link.settings import SettingsEntry
from resplint.link.shorter_waits import ShorterWaits
from resplint.link.store import Store
from resplint.link.strategies import Strategies
from resplint.link.text import Texts
from resplint.link.timeouts import as_number
from resplint.link.usage import Batch, CommandSite, Usage
from resplint.link.values import (
    MAX_VALUES,
    ClassValue,
    CollectionValue,
    Const,
    FunctionValue,
    Instance,
    LibraryObject,
    Module,
    Ref,
    Value,
    Values,
)
from resplint.link.versions import Versions
from resplint.link.waits import Waits

_REEXPORTS = 8
_LITERALS, _ITEMS = 2, 20
"""Depth and width to which object literals are searched for clients."""


class Project:
    """Facts of the selected files, linked. Questions are answered lazily and once."""

    def __init__(
        self,
        selected: Iterable[FileFacts],
        modules: ModuleTable,
        load: Loader,
        catalogue: Catalogue,
        versions: Versions,
        surroundings: Surroundings | None = None,
    ) -> None:
        words = {name: roles.words for name, roles in catalogue.roles.items()}
        callbacks = {
            name: (frozenset(one.element_callbacks), frozenset(one.repeaters), frozenset(one.unwrappers))
            for name, one in words.items()
        }
        self.store = Store(selected, modules, load, callbacks)
        self.ev = Evaluator(self.store, catalogue, versions)
        self.catalogue = catalogue
        around = surroundings or Nothing()
        self.ev.application = lambda path, key: [one.text for one in around.settings(path, key)]
        self.usage = Usage(self.ev)
        self.options = Options(self.ev, versions)
        self.options.ambient.application = Application(around)
        self.options.ambient.made = lambda: self.usage.made
        self.roles = RoleTable(self.ev)
        self.waits = Waits(self.ev, self.usage, self.options)
        self.shorter_waits = ShorterWaits(self.ev, self.usage, self.options)
        self.scripts = Scripts(self.ev, self.usage, self.options)
        self.frequency = Frequency(self.ev, self.roles)
        self.bursts = Bursts(self.ev, self.usage, self.frequency)
        self.texts = Texts(self.ev)
        self.shapes = Shapes(self.ev)
        self.retries = Retries(self.ev, self.roles, Strategies(self.ev, self.usage.making, self.options))
        self.hashes = Hashes(self.ev, self.usage, self.shapes, self.texts)

    @property
    def made(self) -> list[LibraryObject]:
        """Clients, pools, clusters … that the project makes."""
        return self.usage.made

    @property
    def pools_of_anything(self) -> list[tuple[LibraryObject, LibraryObject]]:
        """General pools that the project fills with clients or connections, each with one that it holds."""
        return self.usage.making.pools_of_anything

    @property
    def commands(self) -> list[CommandSite]:
        """Commands that the project sends."""
        return self.usage.commands

    @property
    def batches(self) -> list[Batch]:
        """Pipelines that the project starts."""
        return self.usage.batches

    @property
    def limits(self) -> list[str]:
        """What was not looked at to the end, in sentences."""
        told = []
        if self.ev.is_cut:
            told.append(f"Some values come from more than {MAX_DEPTH} steps away and were not followed to their origin")
        if self.ev.callers.is_cut:
            told.append(f"Of more than {MAX_CANDIDATES:,} calls by the same name not all were looked at")
        if self.ev.classes.is_cut:
            told.append(f"Of more than {MAX_LINE} classes that a class derives from not all were looked at")
        if self.ev.is_crowded:
            told.append(f"Some expressions may stand for {MAX_VALUES} clients or more, and no more were looked at")
        return [f"{each}; findings that depend on them may be missing." for each in told]

    def reached(self) -> set[str]:
        """Paths of files outside the selection that are handed a client or pipeline: they belong to it, too.

        Only calls of names that a file imports from outside the selection are looked at, as evaluating every argument
        of a large project would cost more than all else.
        """
        found: set[str] = set()
        inside = {index.facts.path for index in self.store.files[: self.store.selected]}
        for index in self.store.files[: self.store.selected]:
            outside = self._imported_from_outside(index, inside)
            for number in index.calls if outside else ():
                call = index.facts.exprs[number]
                assert isinstance(call, facts.Call)
                path = outside.get(self._root_name(index, call.callee))
                if path is not None and any(self._is_client(index, item.value) for item in call.arguments):
                    found |= {path, *self._defined_in(index, call)}
        return found - inside

    def _imported_from_outside(self, index: FileIndex, inside: set[str]) -> dict[str, str]:
        """Imported name -> the file outside the selection that it comes from."""
        found = {}
        for item in index.facts.imports:
            module, path = item.module, ""
            if self.ev.roles(index.number).words.modules == "path":
                origin = self.store.modules.resolve(module, index.facts.path) or ""
                if origin and origin not in inside:
                    found[item.alias] = origin
                continue
            if item.level:
                module, path = self.store.modules.relative(item.module, item.level, index.facts.path)
            elif not self.catalogue.is_library(module):
                path = self.store.modules.find(module, index.facts.path) or ""
            inner = self.store.modules.find(f"{module}.{item.name}", index.facts.path) if item.name else None
            origin = inner or self._behind(path, item.name)
            if origin and origin not in inside:
                found[item.alias] = origin
        return found

    def _behind(self, path: str, name: str) -> str:
        """The file from which a module has a name, behind plain re-exports."""
        for _ in range(_REEXPORTS):
            index = self.store.by_path(path) if path and name else None
            items = index.imports.get((0, name), []) if index else []
            if index is None or len(items) != 1 or not items[0].name:
                break
            if items[0].level:
                _, origin = self.store.modules.relative(items[0].module, items[0].level, path)
            else:
                origin = self.store.modules.find(items[0].module, path) or ""
            if not origin:
                break
            path, name = origin, items[0].name
        return path

    def _root_name(self, index: FileIndex, expr: int) -> str:
        """`helper` of `helper(…)` and `helpers` of `helpers.queue(…)`."""
        found = index.facts.exprs[expr]
        if isinstance(found, facts.Member):
            found = index.facts.exprs[found.object]
        return found.name if isinstance(found, facts.Name) else ""

    def _defined_in(self, index: FileIndex, call: facts.Call) -> set[str]:
        """Files that define what is called (behind re-exports)."""
        values = self.ev.values(index.number, call.callee)
        return {
            self.store.files[value.file].facts.path for value in values if isinstance(value, FunctionValue | ClassValue)
        }

    def _is_client(self, index: FileIndex, expr: int) -> bool:
        found = index.facts.exprs[expr]
        if not isinstance(found, facts.Name | facts.Member | facts.Call | facts.Collection):
            return False
        return any(self._carries(value, 0) for value in self.ev.values(index.number, expr))

    def _carries(self, value: Value, depth: int) -> bool:
        """Whether a value is a client or holds one: a module of the selection, an object made of one of its classes, an
        object literal.
        """
        if isinstance(value, LibraryObject):
            return True
        if isinstance(value, Module | Instance):
            style = self.ev.roles(value.file).words.modules if value.file != NONE else ""
            return style == "path" and value.file < self.store.selected
        if isinstance(value, CollectionValue) and depth < _LITERALS:
            collection = self.store.expr(value.ref)
            items = collection.items[:_ITEMS] if isinstance(collection, facts.Collection) else ()
            return any(self._carries(one, depth + 1) for item in items for one in self.ev.values(value.ref[0], item))
        return False

    @cached_property
    def settings_entries(self) -> list[SettingsEntry]:
        """Clients that a framework makes from settings."""
        return self.options.settings.entries

    def values(self, file: int, expr: int) -> Values:
        """What an expression may stand for."""
        return self.ev.values(file, expr)

    def numbers(self, file: int, expr: int) -> list[float] | None:
        """All values of an expression as numbers (text that spells one included); None when one of them is none."""
        found = []
        for value in self.values(file, expr):
            number = as_number(value.value) if isinstance(value, Const) else None
            if number is None:
                return None
            found.append(number)
        return found or None

    # -- places --------------------------------------------------------------------------------------------------------

    def index(self, ref: Ref) -> FileIndex:
        """The file of a reference."""
        return self.store.files[ref[0]]

    def place(self, ref: Ref) -> Place:
        """Where a reference stands. A negative expression below NONE names a scope: its definition's first line."""
        index = self.index(ref)
        if ref[1] < NONE:
            scope = index.facts.scopes[-2 - ref[1]]
            return self.first_line(index, scope.start)
        if ref[1] == NONE:
            return Place(index.facts.path, 0, 0)
        expr = index.facts.exprs[ref[1]]
        return Place(index.facts.path, expr.start, expr.end)

    def first_line(self, index: FileIndex, start: int) -> Place:
        """From an offset to the end of its line."""
        line = index.facts.line(start)
        ends = index.facts.line_starts
        end = ends[line] - 1 if line < len(ends) else start + 1
        return Place(index.facts.path, start, max(start, end))

    def spot(self, ref: Ref) -> str:
        """`path:line` of a reference, for messages."""
        place = self.place(ref)
        return f"{place.path}:{self.index(ref).facts.line(place.start)}"

    def symbol(self, ref: Ref) -> str:
        """Qualified name of the definition around a reference."""
        if ref[1] < 0:
            return ""
        index = self.index(ref)
        return index.qualified_name(index.function_of(index.facts.exprs[ref[1]].block))

    def step(self, ref: Ref, message: str) -> Step:
        """One step of a trail."""
        return Step(self.place(ref), message)

    def key_text(self, shape: Shape) -> str:
        """A key as a message shows it: its template, or the field that holds it."""
        if not shape.of_object:
            return shape.template
        file, number = shape.holes[0]
        expr = self.store.files[file].facts.exprs[number]
        if isinstance(expr, facts.Member):
            return f"self.{expr.name}"
        return expr.name if isinstance(expr, facts.Name) else shape.template

    def callee_name(self, ref: Ref) -> str:
        """Name of what a call calls, as written: `Redis`, `redis.Redis.from_url`."""
        expr = self.store.expr(ref)
        number = expr.callee if isinstance(expr, facts.Call) else ref[1]
        names: list[str] = []
        while number != NONE and len(names) < 6:
            found = self.store.files[ref[0]].facts.exprs[number]
            if isinstance(found, facts.Member):
                names.append(found.name)
                number = found.object
            else:
                names.append(found.name if isinstance(found, facts.Name) else "…")
                break
        return ".".join(reversed(names))
