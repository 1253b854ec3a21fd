"""Who calls whom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from resplint import facts
from resplint.facts import NONE
from resplint.link import calls
from resplint.link.values import ClassValue, External, FunctionValue, Instance, LibraryObject, Ref

if TYPE_CHECKING:
    from resplint.link.evaluate import Evaluator
    from resplint.link.index import FileIndex

MAX_CANDIDATES = 1_500
"""Calls by one name that are looked at to find a function's callers."""
_INIT = ("__init__", "__new__", "__post_init__")


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call of a function of the project. `bound` is 1 when the first parameter is filled by the receiver."""

    file: int
    call: int
    bound: int

    @property
    def ref(self) -> Ref:
        """The call expression."""
        return (self.file, self.call)


class CallerTable:
    """Calls of each function and class of the project, found by name and then confirmed by value."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._sites: dict[tuple[int, int], list[CallSite]] = {}
        self._escapes: dict[tuple[int, int], bool] = {}

    def of(self, file: int, scope: int) -> list[CallSite]:
        """Calls of a function (for a constructor: of its class)."""
        key = (file, scope)
        if key not in self._sites:
            self._sites[key] = []  # what a recursive question sees
            self._escapes[key] = False
            self._sites[key] = self._find(file, scope)
        return self._sites[key]

    def of_class(self, file: int, scope: int) -> list[CallSite]:
        """Calls that make an object of a class or of a class derived from it."""
        key = (file, scope)
        if key not in self._sites:
            self._sites[key] = []
            family = [key, *self._ev.classes.subclasses(file, scope)]
            self._sites[key] = [site for one in family for site in self._calls_of_class(*one)]
        return self._sites[key]

    def escapes(self, file: int, scope: int) -> bool:
        """Whether the function is also handed around as a value, so that it may have callers nobody sees."""
        self.of(file, scope)
        return self._escapes.get((file, scope), False)

    def _find(self, file: int, scope: int) -> list[CallSite]:
        index = self._ev.store.files[file]
        record = index.facts.scopes[scope]
        owner = index.class_of(scope)
        if record.name in _INIT and owner != NONE:
            sites = []
            for one in [(file, owner), *self._ev.classes.subclasses(file, owner)]:
                method = self._ev.classes.method(*one, record.name)
                if method is not None and (method.file, method.scope) == (file, scope):
                    sites.extend(self._calls_of_class(*one))
            return sites + self._by_name(record.name, file, scope)
        name = record.name or self._bound_name(index, scope)
        return self._by_name(name, file, scope) if name else []

    def _bound_name(self, index: FileIndex, scope: int) -> str:
        """The name that a function written in place is bound to."""
        for binding in index.facts.bindings:
            expr = index.facts.exprs[binding.value] if binding.value != NONE else None
            if isinstance(expr, facts.Function) and expr.scope == scope:
                return binding.name
        return ""

    def _calls_of_class(self, file: int, scope: int) -> list[CallSite]:
        name = self._ev.store.files[file].facts.scopes[scope].name
        found = []
        for reference in self._references(name, extra=("cls",)):
            index = self._ev.store.files[reference[0]]
            number = index.call_of.get(reference[1])
            if number is not None and ClassValue(file, scope) in self._ev.values(*reference):
                found.append(CallSite(reference[0], number, 1))
        return found

    def _by_name(self, name: str, file: int, scope: int) -> list[CallSite]:
        found = []
        for reference in self._references(name):
            for value in self._ev.values(*reference):
                if isinstance(value, FunctionValue) and (value.file, value.scope) == (file, scope):
                    index = self._ev.store.files[reference[0]]
                    number = index.call_of.get(reference[1])
                    if number is None:
                        self._escapes[file, scope] = True
                    else:
                        bound = (
                            1 if isinstance(value.owner, Instance | LibraryObject) or self._is_classmethod(value) else 0
                        )
                        found.append(CallSite(reference[0], number, bound))
                    break
        return found

    def _is_classmethod(self, value: FunctionValue) -> bool:
        marks = calls.decorators(self._ev, value)
        return External("classmethod") in marks

    def _references(self, name: str, extra: tuple[str, ...] = ()) -> list[Ref]:
        names = sorted(self._ev.store.aliases(name) | set(extra))
        return [reference for one in names for reference in self._ev.store.named(one)][:MAX_CANDIDATES]
