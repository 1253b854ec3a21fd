"""Classes of the project as those see them who ask about objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from resplint.bind.values import ClassValue, External, FunctionValue, Ref, Value

if TYPE_CHECKING:
    from resplint.flow.graph import Graph


class Classes:
    """Bases, subclasses, methods and constructors."""

    is_cut = False

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def line(self, file: int, scope: int) -> tuple[ClassValue | External, ...]:
        """The class and its bases, nearest first: classes of the project and externals."""
        return self._graph.binder.line(file, scope)

    def subclasses(self, file: int, scope: int) -> list[tuple[int, int]]:
        """Classes of the selected files derived from this one, directly or not."""
        store = self._graph.store
        return [one for one in self._graph.binder.subclasses(file, scope) if store.is_judged(one[0])]

    def instance(self, file: int, scope: int, made: Ref | None) -> Value:
        """An object of a class; one whose class derives from a library's is that library's object."""
        return self._graph.edges.objects.of_class(file, scope, made)

    def is_enumeration(self, file: int, scope: int) -> bool:
        """Whether a class is an enumeration: its objects are as many as the code has."""
        return self._graph.edges.members.is_enumeration(file, scope)

    def methods(self, file: int, scope: int, name: str) -> list[FunctionValue]:
        """The overloads of a method, looked for in the class and its bases."""
        return self._graph.binder.methods(file, scope, name)

    def method(self, file: int, scope: int, name: str) -> FunctionValue | None:
        """A method by name, looked for in the class and its bases."""
        return next(iter(self.methods(file, scope, name)), None)

    def constructors(self, file: int, scope: int) -> list[FunctionValue]:
        """Methods that run when an object of the class is made: its own, else those of the nearest base with any."""
        return self._graph.binder.constructors(file, scope)
