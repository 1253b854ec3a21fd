"""What a call of a method runs on, as far as the code around the call decides it: the decorators of the functions that
it stands in, and the classes whose objects it may belong to.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from resplint.bind.values import Frame, FunctionValue, Instance, LibraryMethod, LibraryObject, Values
from resplint.contracts import facts
from resplint.contracts.facts import NONE

if TYPE_CHECKING:
    from resplint.bind.binder import Scoped
    from resplint.bind.index import FileIndex
    from resplint.flow.graph import Graph


class Receivers:
    """Takes apart what the graph knows of a callee."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def apart(self, file: int, number: int, values: Values) -> Values:
        """The values of a callee, without what the decorators around it rule out; objects that differ by the class that
        the code runs in, once for each class.
        """
        if not any(isinstance(one, LibraryMethod) for one in values):
            return values
        index = self._graph.store.files[file]
        expr = index.facts.exprs[number]
        if not isinstance(expr, facts.Member):
            return values
        around = self._graph.binder.names(file).enclosing(expr.block)
        scopes = index.facts.scopes
        decorators = [one for scope in around for one in scopes[scope].decorators if scopes[scope].kind == "function"]
        frames = [(file, one) for one in decorators if self._is_own(file, index.facts.exprs[one])]
        if frames and not self._is_shared(index, expr):
            values = self._decorated(file, expr, tuple(frames), values)
        owner = next((one for one in around if scopes[one].kind == "class"), NONE)
        if owner == NONE:
            return values
        position = around.index(owner)
        method = scopes[around[position - 1]].name if position else ""
        found: dict[object, None] = {}
        for value in values:
            variants = self._variants((file, owner), method, value.object) if isinstance(value, LibraryMethod) else ()
            for frame in variants:
                assert isinstance(value, LibraryMethod)
                found[LibraryMethod(_within(value.object, frame), value.name)] = None
            if not variants:
                found[value] = None
        return tuple(found)  # type: ignore[arg-type]

    def _is_own(self, file: int, decorator: facts.Expr) -> bool:
        """Whether a decorator is what a function of the project gives."""
        if not isinstance(decorator, facts.Call):
            return False
        return any(isinstance(one, FunctionValue) for one in self._graph.carried(file, decorator.callee))

    def _is_shared(self, index: FileIndex, expr: facts.Expr) -> bool:
        """Whether a chain of members begins at a name of the module, which is the same whoever calls the function."""
        while isinstance(expr, facts.Member):
            expr = index.facts.exprs[expr.object]
        if not isinstance(expr, facts.Name):
            return False
        owner = index.owner(expr.name, index.scope_of(expr.block))
        return owner == 0 or (owner == NONE and (0, expr.name) in index.imports)

    def _decorated(self, file: int, expr: facts.Member, frames: tuple[Frame, ...], values: Values) -> Values:
        """Without the objects that other uses of the same decorator hand over."""
        every = self._graph.merged(file, expr.object)
        kept = self._graph.contexts.values(file, expr.object, frames)
        gone = set(every).difference(kept)
        return tuple(one for one in values if not isinstance(one, LibraryMethod) or one.object not in gone)

    def _variants(self, owner: Scoped, method: str, value: LibraryObject) -> list[Instance]:
        """The classes that a method runs in, where the object that it uses is configured by what they override."""
        graph = self._graph
        root = value
        while root.parent is not None:
            root = root.parent
        subclasses = graph.binder.subclasses(*owner)
        if root.made is None or not subclasses or any(isinstance(one, Instance) for one in root.via):
            return []
        line = graph.binder.project_line(*owner)
        if not any(one[:2] in line and one[2] == NONE for one in graph.edges.heap.needs(root)):
            return []
        running = [
            owner,
            *(one for one in subclasses if graph.binder.methods(*one, method) == graph.binder.methods(*owner, method)),
        ]
        made = [one for one in running if graph.edges.calls.makers.get(one)]
        return [Instance(*one, None) for one in made or running]


def _within(value: LibraryObject, frame: Frame) -> LibraryObject:
    """An object that belongs to an object of a class."""
    if value.parent is None:
        return replace(value, via=(*value.via, frame))
    return replace(value, parent=_within(value.parent, frame))
