"""What an argument or a parameter is by what is written: literals, declared types, what a call makes.

Nothing here asks what flows where, so that a choice that rests on it never has to be taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from resplint.bind.binder import Binder
from resplint.bind.values import ClassValue, External
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.knowledge.records.client_records import CallbackModel, MethodModel

REST = "..."
"""Last word of a shape with any further arguments."""
_OF_LITERAL = {"str": "text", "bytes": "text", "int": "number", "float": "number", "bool": "boolean"}
_OTHER = "object"
TRUE = "true"
"""The word of a shape for an argument that is written, or known, to be true."""
_OBJECTS = frozenset({_OTHER, "map", "list", "function", "duration", "unit"})


def fits(call: facts.Call, shape: Sequence[str], may_be: Callable[[int, str], bool]) -> bool:
    """Whether a call may have a shape: as many arguments, each of which may be what its word says."""
    if not shape:
        return True
    positional = [item.value for item in call.arguments if not item.name]
    if any(item.name == "*" for item in call.arguments):
        return True
    if shape[-1] == REST:
        shape = shape[:-1]
        positional = positional[: len(shape)] if len(positional) >= len(shape) else []
    return len(positional) == len(shape) and all(
        word == "any" or may_be(number, word) for word, number in zip(shape, positional, strict=True)
    )


class Declared:
    """Words for types, as shapes of constructors use them: text, number, boolean, map, list, object; "" for unknown."""

    def __init__(self, binder: Binder) -> None:
        self._binder = binder

    def argument(self, file: int, number: int) -> str:
        """The word for an argument."""
        index = self._binder.store.files[file]
        expr = index.facts.exprs[number]
        match expr:
            case facts.Literal():
                return _OF_LITERAL.get(expr.type, "")
            case facts.Template():
                return "text"
            case facts.Name():
                words = {self._definition(file, one) for one in self._binder.names(file).at(number)}
                return words.pop() if len(words) == 1 else ""
            case facts.Call():
                made = self._binder.static(file, expr.callee)
                durations = self._binder.roles(file).durations
                if made and all(isinstance(one, External) and one.dotted in durations for one in made):
                    return "duration"
                known = len(made) == 1 and (
                    isinstance(made[0], ClassValue)
                    or (
                        isinstance(made[0], External) and self._binder.catalogue.constructor(made[0].dotted) is not None
                    )
                )
                return _OTHER if known else ""
            case facts.Operation(operator="+"):
                return "text" if any(self.argument(file, one) == "text" for one in expr.operands) else ""
        return ""

    def _definition(self, file: int, one) -> str:  # type: ignore[no-untyped-def]
        record = self._binder.store.files[file].facts
        if one.kind == "parameter":
            return self.type(file, record.scopes[one.scope].parameters[one.number].annotation)
        if one.kind in ("import", "definition"):
            return ""
        return self.type(file, record.bindings[one.number].annotation)

    def type(self, file: int, annotation: int) -> str:
        """The word for a declared type."""
        expr = self._binder.store.files[file].facts.exprs[annotation] if annotation != NONE else None
        if isinstance(expr, facts.Index):
            return self.type(file, expr.object) or ""
        if not isinstance(expr, facts.Name | facts.Member):
            return ""
        if word := self._binder.roles(file).words.type_kinds.get(expr.name, ""):
            return word
        for one in self._binder.static(file, annotation):
            if isinstance(one, ClassValue):
                return _OTHER
            if isinstance(one, External) and self._binder.catalogue.type(one.dotted) is not None:
                return _OTHER
        return ""

    def written(self, file: int, number: int) -> str:
        """The name of the type that a variable is declared with, as it is written; "" where there is none."""
        index = self._binder.store.files[file]
        if not isinstance(index.facts.exprs[number], facts.Name):
            return ""
        names = set()
        for one in self._binder.names(file).at(number):
            if one.kind in ("import", "definition"):
                return ""
            if one.kind == "parameter":
                annotation = index.facts.scopes[one.scope].parameters[one.number].annotation
            else:
                annotation = index.facts.bindings[one.number].annotation
            names.add(self.spelled(file, annotation))
        return names.pop() if len(names) == 1 else ""

    def spelled(self, file: int, annotation: int) -> str:
        """The name of a declared type without its package and its parameters."""
        exprs = self._binder.store.files[file].facts.exprs
        while annotation != NONE and isinstance(expr := exprs[annotation], facts.Index):
            annotation = expr.object
        found = exprs[annotation] if annotation != NONE else None
        return found.name if isinstance(found, facts.Name | facts.Member) else ""

    def may_be(self, file: int, number: int, word: str) -> bool:
        """Whether an argument may be what a word says; "true" is what is written so."""
        if word == TRUE:
            expr = self._binder.store.files[file].facts.exprs[number]
            return isinstance(expr, facts.Literal) and expr.value is True
        known = self.argument(file, number)
        if not known or word in ("", "any", known):
            return True
        return {known, word} <= _OBJECTS

    def overload(self, models: Sequence[MethodModel], file: int, call: facts.Call) -> MethodModel | None:
        """The first of a library's overloads that a call may take, as it is written; None when there is none."""
        return next((one for one in models if fits(call, one.shape, partial(self.may_be, file))), None)

    def callbacks(self, models: Sequence[MethodModel], file: int, call: facts.Call) -> list[CallbackModel]:
        """What a call may mean by a function that it is passed: any of a library's overloads, but for those that take
        what is written as true, which exclude the others or are excluded.
        """
        found = [one for one in models if one.callback is not None]
        sure = [one for one in found if TRUE in one.shape]
        fitting = [one for one in sure if fits(call, one.shape, partial(self.may_be, file))]
        chosen = fitting or [one for one in found if one not in sure]
        return [one.callback for one in chosen if one.callback is not None]
