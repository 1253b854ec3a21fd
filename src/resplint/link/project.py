"""The linked project: what checks see."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from resplint import facts
from resplint.facts import NONE, FileFacts
from resplint.findings import Place, Step
from resplint.knowledge.catalogue import Catalogue
from resplint.link.evaluate import Evaluator
from resplint.link.frequency import Frequency
from resplint.link.hashes import Hashes
from resplint.link.index import FileIndex
from resplint.link.keys import Shape, Shapes
from resplint.link.modules import Loader
from resplint.link.options import Options
from resplint.link.retries import Retries
from resplint.link.roles import RoleTable
from resplint.link.settings import SettingsEntry
from resplint.link.store import Store
from resplint.link.text import Texts
from resplint.link.usage import Batch, CommandSite, Usage
from resplint.link.values import ClassValue, Const, FunctionValue, LibraryObject, Ref, Values
from resplint.link.versions import Versions


class Project:
    """Facts of the selected files, linked. Questions are answered lazily and once."""

    def __init__(
        self,
        selected: Iterable[FileFacts],
        paths: Iterable[str],
        load: Loader,
        catalogue: Catalogue,
        versions: Versions,
    ) -> None:
        self.store = Store(selected, paths, load, catalogue.foreign)
        self.ev = Evaluator(self.store, catalogue, versions)
        self.catalogue = catalogue
        self.usage = Usage(self.ev)
        self.options = Options(self.ev, versions)
        self.roles = RoleTable(self.ev)
        self.frequency = Frequency(self.ev, self.roles)
        self.texts = Texts(self.ev)
        self.shapes = Shapes(self.ev)
        self.retries = Retries(self.ev, self.roles)
        self.hashes = Hashes(self.ev, self.usage, self.shapes, self.texts)

    @property
    def made(self) -> list[LibraryObject]:
        """Clients, pools, clusters … that the project makes."""
        return self.usage.made

    @property
    def commands(self) -> list[CommandSite]:
        """Commands that the project sends."""
        return self.usage.commands

    @property
    def batches(self) -> list[Batch]:
        """Pipelines that the project starts."""
        return self.usage.batches

    def reached(self) -> set[str]:
        """Paths of files outside the selection that are handed a client or pipeline: they belong to it, too."""
        found: set[str] = set()
        for index in self.store.files[: self.store.selected]:
            for number in index.calls:
                call = index.facts.exprs[number]
                assert isinstance(call, facts.Call)
                if not any(self._is_client(index, item.value) for item in call.arguments):
                    continue
                for value in self.ev.values(index.number, call.callee):
                    if isinstance(value, FunctionValue | ClassValue) and value.file >= self.store.selected:
                        found.add(self.store.files[value.file].facts.path)
        return found

    def _is_client(self, index: FileIndex, expr: int) -> bool:
        found = index.facts.exprs[expr]
        if not isinstance(found, facts.Name | facts.Member | facts.Call):
            return False
        return any(isinstance(value, LibraryObject) for value in self.ev.values(index.number, expr))

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
        return f"self.{expr.name}" if isinstance(expr, facts.Member) else shape.template

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


def as_number(value: object) -> float | None:
    """A constant as a number; text counts when it spells one."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return None
    return None
