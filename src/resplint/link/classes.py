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

_CLASS_DEPTH = 12


class ClassTable:
    """Classes of the project: their bases, and the objects made of them."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._lines: dict[tuple[int, int], tuple[Value, ...]] = {}
        self._subclasses: dict[tuple[int, int], list[tuple[int, int]]] | None = None
        self.origins: dict[tuple[int, ...], Origin] = {}

    def line(self, file: int, scope: int) -> tuple[Value, ...]:
        """The class and its bases, nearest first: classes of the project and externals."""
        key = (file, scope)
        if key not in self._lines:
            self._lines[key] = (ClassValue(file, scope),)  # what a cyclic hierarchy sees
            line: list[Value] = [ClassValue(file, scope)]
            for base in self._ev.store.files[file].facts.scopes[scope].bases:
                expr = self._ev.store.files[file].facts.exprs[base]
                # `class View(GenericAPIView[Any])`: the parameter of a generic base does not matter here
                base_expr = expr.object if isinstance(expr, facts.Index) else base
                for value in self._ev.values(file, base_expr):
                    if isinstance(value, ClassValue) and len(line) < _CLASS_DEPTH:
                        line.extend(one for one in self.line(value.file, value.scope) if one not in line)
                    elif isinstance(value, External):
                        line.append(value)
            self._lines[key] = tuple(line)
        return self._lines[key]

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
