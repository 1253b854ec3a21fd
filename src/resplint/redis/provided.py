"""What a framework provides by type: the objects that provider methods (beans) of the project make."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import External, ExternalObject, FunctionValue, LibraryObject, Values
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.knowledge.records.role_records import RolePattern
from resplint.text import arguments as calls

_PROVIDER = "provider"


class Provided:
    """Looks up what stands behind an object of which only the declared type is known."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    @cached_property
    def _table(self) -> dict[str, list[tuple[str, LibraryObject]]]:
        """Library -> (name of the provider, what it makes)."""
        table: dict[str, list[tuple[str, LibraryObject]]] = defaultdict(list)
        for index in self._ev.store.judged:
            names = self._decorators(index)
            for number, scope in enumerate(index.facts.scopes) if names else ():
                if scope.kind == "function" and scope.decorators and self._provides(index, number, names):
                    self._enter(table, scope.name, calls.result(self._ev, FunctionValue(index.number, number)))
            for pattern in self._ev.roles(index.number).role:
                if pattern.role == _PROVIDER and pattern.beside:
                    self._written_out(table, index, pattern)
        return table

    def _enter(self, table: dict[str, list[tuple[str, LibraryObject]]], name: str, values: Values) -> None:
        for value in values:
            if isinstance(value, LibraryObject) and value.made is not None:
                if (name, value) not in (known := table[value.origin.library.library.name]):
                    known.append((name, value))

    def _written_out(
        self, table: dict[str, list[tuple[str, LibraryObject]]], index: FileIndex, pattern: RolePattern
    ) -> None:
        """Providers as object literals: ``{ provide: REDIS, useFactory: () => new Redis() }``."""
        for expr in index.facts.exprs:
            if not isinstance(expr, facts.Collection) or expr.kind != "map":
                continue
            keys = [index.facts.exprs[key] if key != NONE else None for key in expr.keys]
            entries = {
                str(key.value): item
                for key, item in zip(keys, expr.items, strict=False)
                if isinstance(key, facts.Literal)
            }
            if not all(name in entries for name in pattern.beside):
                continue
            name = name_of(index, entries[pattern.beside[0]])
            for item in (entries[key] for key in pattern.keys if key in entries):
                for value in self._ev.values(index.number, item):
                    given = calls.result(self._ev, value) if isinstance(value, FunctionValue) else (value,)
                    self._enter(table, name, given)

    def _decorators(self, index: FileIndex) -> set[str]:
        patterns = self._ev.roles(index.number).role
        return {name for pattern in patterns if pattern.role == _PROVIDER for name in pattern.decorators}

    def _provides(self, index: FileIndex, scope: int, names: set[str]) -> bool:
        marks = calls.decorators(self._ev, FunctionValue(index.number, scope))
        return any(isinstance(one, External | ExternalObject) and one.dotted in names for one in marks)

    def of(self, value: LibraryObject, name: str = "", file: int = NONE) -> list[LibraryObject]:
        """What the project provides for an object that was not seen being made: the one that is provided under
        `name`, else all of a fitting type; those in the module of `file` go before others.
        """
        if value.made is not None or value.subclass is not None:
            return []
        fitting = [pair for pair in self._table.get(value.origin.library.library.name, ()) if self.fits(pair[1], value)]
        if file != NONE:
            module = self._module(file)
            fitting = [pair for pair in fitting if pair[1].made and self._module(pair[1].made[0]) == module] or fitting
        named = [one for provider, one in fitting if name and provider == name]
        return named or list(dict.fromkeys(one for _, one in fitting))

    def _module(self, file: int) -> str:
        return module_of(self._ev.store.files[file].facts.path)

    def fits(self, made: LibraryObject, wanted: LibraryObject) -> bool:
        """Whether an object may stand where another type is declared."""
        library = made.origin.library.library.name
        return wanted.origin.type.name in self._ev.catalogue.line(
            library, made.origin.type
        ) or made.origin.type.name in self._ev.catalogue.line(library, wanted.origin.type)


def module_of(path: str) -> str:
    """The folder of the build module that a source file belongs to, "" where the layout does not tell."""
    head, main, _ = path.partition("src/main/")
    return head if main else ""


def name_of(index: FileIndex, number: int) -> str:
    """The last name of an expression: `factory` of `this.factory`."""
    expr = index.facts.exprs[number] if number != NONE else None
    name = getattr(expr, "name", "")
    return name if isinstance(name, str) else ""
