"""Which clients, pools and connections the project makes."""

from __future__ import annotations

from functools import cached_property

from resplint import facts
from resplint.facts import NONE
from resplint.link import pooled
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex, children
from resplint.link.values import LibraryObject, Ref

_MAKES = ("client", "cluster", "pool", "sentinel", "connection")


class Making:
    """Finds the calls that make something, in the selected files."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.ev = evaluator

    @property
    def _files(self) -> list[FileIndex]:
        return self.ev.store.files[: self.ev.store.selected]

    @cached_property
    def made(self) -> list[LibraryObject]:
        """Every client, cluster, pool, … that the selected files make, by place."""
        found: dict[tuple[Ref, str], LibraryObject] = {}
        for index in self._files:
            for number in index.calls:
                if not self._may_make(index, number):
                    continue
                for value in self.ev.values(index.number, number):
                    if (
                        isinstance(value, LibraryObject)
                        and value.made == (index.number, number)
                        and value.kind in _MAKES
                    ):
                        found.setdefault(((index.number, number), value.origin.type.name), value)
        return list(found.values())

    @cached_property
    def pools_of_anything(self) -> list[tuple[LibraryObject, LibraryObject]]:
        """(pool, what it holds) of general pools that the selected files fill with objects of a client library."""
        types = {
            method_type
            for library in self.ev.catalogue.libraries.values()
            for method in library.method
            if method.returns_element and not method.returns
            for method_type in method.of
        }
        names = {
            name.rsplit(".", 1)[-1]
            for library in self.ev.catalogue.libraries.values()
            for constructor in library.constructor
            if constructor.makes in types
            for name in constructor.names
        }
        found: list[tuple[LibraryObject, LibraryObject]] = []
        for index in self._files:
            for number in index.calls:
                call = index.facts.exprs[number]
                callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
                if not isinstance(callee, facts.Name | facts.Member) or callee.name not in names:
                    continue
                for value in self.ev.values(index.number, number):
                    if isinstance(value, LibraryObject) and value.origin.type.name in types:
                        found += [(value, held) for held in pooled.held(self.ev, value)[:1]]
        return found

    def _may_make(self, index: FileIndex, number: int) -> bool:
        """Whether the callee can be a constructor, going by what names constructors have here: cheap test before the
        real one.
        """
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Name | facts.Member):
            return callee.name in self._making_names
        return True

    @cached_property
    def _making_names(self) -> set[str]:
        """Every name under which the project may call a constructor: its own, aliases, derived classes, variables that
        hold it.
        """
        names = {"cls", *self.maker_names}
        names.update(factory.rsplit(".", 1)[-1] for factory in self.ev.catalogue.factories)
        types = {
            name
            for library in self.ev.catalogue.libraries.values()
            for one in library.type
            for name in (one.name, *one.also)
        }
        names.update(name.rsplit(".", 1)[-1] for name in types)
        grown = True
        while grown:
            before = len(names)
            for index in self._files:
                self._collect_names(index, names)
            grown = len(names) > before
        return names

    def _collect_names(self, index: FileIndex, names: set[str]) -> None:
        file = index.facts
        names.update(item.alias for item in file.imports if item.name in names)
        names.update(item.alias for item in file.imports if self.ev.catalogue.constructor(item.module) is not None)
        for scope in file.scopes:
            if scope.kind == "class" and any(self._mentions(index, base, names) for base in scope.bases):
                names.add(scope.name)
            names.update(item.name for item in scope.parameters if self._mentions(index, item.default, names))
        names.update(
            one.name for one in file.bindings if one.name not in names and self._mentions(index, one.value, names)
        )
        for write in file.writes:
            if self._mentions(index, write.value, names):
                names.add(index.target_name(write.target) or "")

    def _mentions(self, index: FileIndex, expr: int, names: set[str]) -> bool:
        """Whether an expression is one of the names, or a choice between some (but not a call of one)."""
        pending = [expr]
        while pending:
            number = pending.pop()
            found = index.facts.exprs[number] if number != NONE else None
            if isinstance(found, facts.Name | facts.Member):
                if found.name in names:
                    return True
            elif isinstance(found, facts.Choice | facts.Collection):
                pending.extend(children(found))
        return False

    @cached_property
    def maker_names(self) -> set[str]:
        """Last names of everything that makes an object of a library."""
        names: set[str] = set()
        for library in self.ev.catalogue.libraries.values():
            for constructor in library.constructor:
                names.update(name.rsplit(".", 1)[-1] for name in constructor.names)
            names.update(name for method in library.method if method.returns for name in method.names)
        return names
