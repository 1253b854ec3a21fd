"""Classes of the project: their bases, their methods, and the objects made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint import facts
from resplint.link import declared
from resplint.link.values import (
    ClassValue,
    External,
    FunctionValue,
    Instance,
    LibraryObject,
    Origin,
    Ref,
    Value,
)

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator

MAX_LINE = 100
"""A class and its bases; those that are further away do not count. People write less than twenty."""


class ClassTable:
    """Classes of the project: their bases, and the objects made of them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._lines: dict[tuple[int, int], tuple[Value, ...]] = {}
        self._bases: dict[tuple[int, int], tuple[Value, ...]] = {}
        self.is_cut = False
        """Whether some class has more bases than were looked at."""
        self._subclasses: dict[tuple[int, int], list[tuple[int, int]]] | None = None
        self.origins: dict[tuple[int, ...], Origin] = {}

    def line(self, file: int, scope: int) -> tuple[Value, ...]:
        """The class and its bases, nearest first: classes of the project and externals, at most `MAX_LINE`."""
        key = (file, scope)
        known = self._lines.get(key)
        if known is None:
            self._lines[key] = (ClassValue(file, scope),)  # what a question in a circle sees
            line: dict[Value, None] = {}
            waiting: list[Value] = [ClassValue(file, scope)]
            while waiting and len(line) < MAX_LINE:
                value = waiting.pop()
                if value not in line:
                    line[value] = None
                    if isinstance(value, ClassValue):
                        waiting.extend(reversed(self._bases_of(value.file, value.scope)))
            self.is_cut = self.is_cut or bool(waiting)
            known = self._lines[key] = tuple(line)
        return known

    def _bases_of(self, file: int, scope: int) -> tuple[Value, ...]:
        key = (file, scope)
        known = self._bases.get(key)
        if known is None:
            self._bases[key] = ()  # likewise
            index = self._ev.store.files[file]
            found: list[Value] = []
            for base in index.facts.scopes[scope].bases:
                expr = index.facts.exprs[base]
                # `class View(GenericAPIView[Any])`: the parameter of a generic base does not matter here
                values = self._ev.values(file, expr.object if isinstance(expr, facts.Index) else base)
                found += [value for value in values if isinstance(value, ClassValue | External)]
            known = self._bases[key] = tuple(found)
        return known

    def subclasses(self, file: int, scope: int) -> list[tuple[int, int]]:
        """Classes of the selected files derived from this one, directly or not."""
        if self._subclasses is None:
            self._subclasses = {}
            for index in self._ev.store.files[: self._ev.store.selected]:
                for number, record in enumerate(index.facts.scopes):
                    if record.kind == "class" and record.bases:
                        for base in self.line(index.number, number)[1:]:
                            if isinstance(base, ClassValue):
                                self._subclasses.setdefault((base.file, base.scope), []).append((index.number, number))
        return self._subclasses.get((file, scope), [])

    def instance(self, file: int, scope: int, made: Ref | None) -> Value:
        """An object of a class; one whose class derives from a library's is that library's object."""
        for base in self.line(file, scope)[1:]:
            if isinstance(base, External) and (known := self._ev.catalogue.type(base.dotted)):
                constructor = self._ev.catalogue.constructor(base.dotted)
                origin = declared.origin(self._ev, *known, constructor[1] if constructor else None)
                return LibraryObject(origin, made, None, (file, scope))
        return Instance(file, scope, made)

    def is_enumeration(self, file: int, scope: int) -> bool:
        """Whether a class is an enumeration: its objects are as many as the code has."""
        names = self._ev.roles(file).enumerations
        return any(isinstance(base, External) and base.dotted in names for base in self.line(file, scope))

    def declares(self, file: int, scope: int, name: str) -> bool:
        """Whether the body of a class, or of a base that the project has, holds a member of a name."""
        for base in self.line(file, scope):
            if isinstance(base, ClassValue):
                index, key = self._ev.store.files[base.file], (base.scope, name)
                if key in index.definitions or key in index.bindings:
                    return True
        return False

    def methods(self, file: int, scope: int, name: str) -> list[FunctionValue]:
        """The overloads of a method, looked for in the class and its bases."""
        for base in self.line(file, scope):
            if isinstance(base, ClassValue):
                index = self._ev.store.files[base.file]
                numbers = index.definitions.get((base.scope, name), ())
                found = [
                    FunctionValue(base.file, number)
                    for number in numbers
                    if index.facts.scopes[number].kind == "function"
                ]
                if found:
                    return found
        return []

    def method(self, file: int, scope: int, name: str) -> FunctionValue | None:
        """A method by name, looked for in the class and its bases."""
        return next(iter(self.methods(file, scope, name)), None)

    def constructors(self, file: int, scope: int) -> list[FunctionValue]:
        """Methods that run when an object of the class is made: its own, else those of the nearest base with any."""
        for base in self.line(file, scope):
            if isinstance(base, ClassValue):
                scopes = self._ev.store.files[base.file].constructors.get(base.scope, ())
                if scopes:
                    return [FunctionValue(base.file, number) for number in scopes]
        return []
