"""How many elements data has at most, where a limit in the code or the keys of an enumeration say so."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import ClassValue, Const
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph

FEW = 16
"""Turns that a loop has at most, for them to be a handful."""
_SLICE = ":"
_DEPTH = 8
"""Methods behind each other that are looked through."""


class FewElements:
    """Answers for expressions that a loop may run over."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def at(self, index: FileIndex, number: int) -> int | None:
        """The few elements that an expression has at most; None where nothing says that they are few."""
        views = False
        for _ in range(_DEPTH):
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Name) and views and self._is_by_enumeration(index, number):
                return FEW
            if isinstance(expr, facts.Name):
                number = self._ev.binder.names(index.number).only_value(number)
                expr = index.facts.exprs[number]
            if isinstance(expr, facts.Index):
                return self._sliced(index, expr)
            if isinstance(expr, facts.Member) and expr.name in self._ev.roles(index.number).words.map_views:
                number, views = expr.object, True
                continue
            if not isinstance(expr, facts.Call):
                return None
            callee = index.facts.exprs[expr.callee]
            if self.is_copied(index, expr):
                number, views = expr.arguments[0].value, True
                continue
            if not isinstance(callee, facts.Member):
                return None
            words = self._ev.roles(index.number).words
            given = [one.value for one in expr.arguments]
            if callee.name in words.cutters and given:
                few = self._between(index, given, to_the_end=len(given) < words.cutters[callee.name] > 1)
                if few is not None:
                    return few
            elif callee.name in words.map_views:
                views = True
            elif callee.name not in words.element_keepers:
                return None
            number = callee.object
        return None

    def is_copied(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a call gives a collection with an element for each of its first argument's: ``new Set([2, 3])``."""
        callee = index.facts.exprs[call.callee]
        name = callee.name if isinstance(callee, facts.Name | facts.Member) else ""
        names = self._ev.roles(index.number).copiers
        if not call.arguments or not any(one.rpartition(".")[2] == name for one in names):
            return False
        return self._ev.binder.dotted(index.number, call.callee) in names

    def _sliced(self, index: FileIndex, expr: facts.Index) -> int | None:
        key = index.facts.exprs[expr.key]
        if not isinstance(key, facts.Operation) or key.operator != _SLICE or not key.operands:
            return None
        to_the_end = len(key.operands) == 1 and index.facts.exprs[key.operands[0]].start == key.start
        return self._between(index, list(key.operands), to_the_end=to_the_end)

    def _between(self, index: FileIndex, ends: list[int], *, to_the_end: bool) -> int | None:
        """The few elements between two ends, or from the start to one; `to_the_end` from one to the end."""
        numbers = [self.number(index.number, one) for one in ends[:2]]
        known = [one for one in numbers if one is not None]
        if not known or len(known) < len(numbers):
            return None
        if to_the_end:
            return within_few(-known[0])
        first, last = known if len(known) > 1 else (0, known[0])
        return within_few(last - first) if (first < 0) == (last < 0) else None

    def number(self, file: int, number: int) -> int | None:
        """The whole number that an expression stands for; the largest one where it may be several."""
        values = self._ev.values(file, number)
        found = [one.value for one in values if isinstance(one, Const) and isinstance(one.value, int)]
        return max(found) if found and len(found) == len(values) else None

    def _is_by_enumeration(self, index: FileIndex, number: int) -> bool:
        """Whether a name is declared to be a map or set whose keys are constants of an enumeration."""
        expr = index.facts.exprs[number]
        assert isinstance(expr, facts.Name)
        variable = index.owner(expr.name, index.scope_of(expr.block)), expr.name
        found = [one.annotation for one in index.bindings.get(variable, ()) if one.kind == "assign" and not one.path]
        if variable in index.parameters:
            found.append(index.facts.scopes[variable[0]].parameters[index.parameters[variable]].annotation)
        declared = [one for one in found if one != NONE]
        return bool(declared) and all(self._names_enumeration(index, one) for one in declared)

    def _names_enumeration(self, index: FileIndex, annotation: int) -> bool:
        expr = index.facts.exprs[annotation]
        if not isinstance(expr, facts.Index):
            return False
        keys = index.facts.exprs[expr.key]
        first = keys.items[0] if isinstance(keys, facts.Collection) and keys.items else expr.key
        return any(
            isinstance(one, ClassValue) and self._ev.classes.is_enumeration(one.file, one.scope)
            for one in self._ev.binder.static(index.number, first)
        )


def within_few(number: int) -> int | None:
    """A number of elements, if they are a handful."""
    return number if 0 < number <= FEW else None
