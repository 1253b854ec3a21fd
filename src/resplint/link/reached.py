"""Which files outside the selection are handed clients by files in it."""

from __future__ import annotations

from resplint import facts
from resplint.facts import NONE, FileFacts
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex
from resplint.link.values import (
    ClassValue,
    CollectionValue,
    FunctionValue,
    Instance,
    LibraryObject,
    Module,
    Value,
)

_REEXPORTS = 8
_LITERALS, _ITEMS = 2, 20
"""Depth and width to which object literals are searched for clients."""
_CARRIES = facts.Name | facts.Member | facts.Call | facts.Collection


class Reached:
    """Looks at the calls of names that a selected file imports from outside the selection: evaluating every argument of
    a large project would cost more than all else. For the same reason it is looked up only for calls with an argument
    that may be a client where such a name comes from.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._store = evaluator.store
        self._selected = self._store.files[: self._store.selected]
        self._inside = {index.facts.path for index in self._selected}
        self._leads_out: dict[tuple[int, str], bool] = {}

    def paths(self) -> set[str]:
        """Paths of the files outside that are handed a client or pipeline."""
        found: set[str] = set()
        for index in self._selected:
            imported = {item.alias: item for item in index.facts.imports}
            for number in index.calls:
                call = index.facts.exprs[number]
                assert isinstance(call, facts.Call)
                item = imported.get(_root_name(index.facts, call.callee))
                given = [item.value for item in call.arguments if isinstance(index.facts.exprs[item.value], _CARRIES)]
                if item is None or not given or not self._may_lead_out(index, item):
                    continue
                if any(self._is_client(index, expr) for expr in given):
                    origin = self._origin(index, item)
                    if origin and origin not in self._inside:
                        found |= {origin, *self._defined_in(index, call)}
        return found - self._inside

    def _may_lead_out(self, index: FileIndex, item: facts.Import) -> bool:
        """Whether an import may come from a file outside, as far as can be told without reading further files."""
        key = (index.number, item.alias)
        if key not in self._leads_out:
            origin = self._origin(index, item, load=False)
            self._leads_out[key] = bool(origin) and origin not in self._inside
        return self._leads_out[key]

    def _origin(self, index: FileIndex, item: facts.Import, *, load: bool = True) -> str:
        """The file that an import comes from; "" when it is not one of the project."""
        modules, here = self._store.modules, index.facts.path
        module, path = item.module, ""
        if self._ev.roles(index.number).words.resolver == "path":
            return modules.resolve(module, here) or ""
        if item.level:
            module, path = modules.relative(item.module, item.level, here)
        elif not self._ev.catalogue.is_library(module):
            path = modules.find(module, here) or ""
        inner = modules.find(f"{module}.{item.name}", here) if item.name else None
        return inner or self._behind(path, item.name, load)

    def _behind(self, path: str, name: str, load: bool) -> str:
        """The file from which a module has a name, behind plain re-exports; without `load`, those of files that have
        been read.
        """
        for _ in range(_REEXPORTS):
            index = self._store.by_path(path) if path and name and (load or self._store.has(path)) else None
            items = index.imports.get((0, name), []) if index else []
            if len(items) != 1 or not items[0].name:
                break
            if items[0].level:
                _, origin = self._store.modules.relative(items[0].module, items[0].level, path)
            else:
                origin = self._store.modules.find(items[0].module, path) or ""
            if not origin:
                break
            path, name = origin, items[0].name
        return path

    def _defined_in(self, index: FileIndex, call: facts.Call) -> set[str]:
        """Files that define what is called (behind re-exports)."""
        values = self._ev.values(index.number, call.callee)
        return {
            self._store.files[value.file].facts.path
            for value in values
            if isinstance(value, FunctionValue | ClassValue)
        }

    def _is_client(self, index: FileIndex, expr: int) -> bool:
        return any(self._carries(value, 0) for value in self._ev.values(index.number, expr))

    def _carries(self, value: Value, depth: int) -> bool:
        """Whether a value is a client or holds one: a module of the selection, an object made of one of its classes, an
        object literal.
        """
        if isinstance(value, LibraryObject):
            return True
        if isinstance(value, Module | Instance):
            here = NONE != value.file < self._store.selected
            return here and self._ev.roles(value.file).words.hands_on_modules
        if isinstance(value, CollectionValue) and depth < _LITERALS:
            collection = self._store.expr(value.ref)
            items = collection.items[:_ITEMS] if isinstance(collection, facts.Collection) else ()
            return any(self._carries(one, depth + 1) for item in items for one in self._ev.values(value.ref[0], item))
        return False


def _root_name(file: FileFacts, expr: int) -> str:
    """`helper` of `helper(…)` and `helpers` of `helpers.queue(…)`."""
    found = file.exprs[expr]
    if isinstance(found, facts.Member):
        found = file.exprs[found.object]
    return found.name if isinstance(found, facts.Name) else ""
