"""How little of the reply to a whole read its code may need: the number of elements, whether one is there, a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, ExternalObject, Ref, Reply
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.usage import CommandSite

Kind = Literal["number", "membership", "page"]

_SLICE = ":"
_NUMBERS = {"list": "LLEN", "set": "SCARD", "zset": "ZCARD", "stream": "XLEN", "hash": "HLEN"}
_LOOKUPS = {"list": "LPOS (Redis 6.0.6)", "set": "SISMEMBER", "zset": "ZSCORE", "hash": "HEXISTS"}


@dataclass(frozen=True, slots=True)
class PartialUse:
    """What is needed, and the expression that takes it out of the reply."""

    kind: Kind
    ref: Ref

    def consequence(self) -> str:
        """What the code does with the reply, to stand behind "all elements of …, and the code "."""
        if self.kind == "number":
            return "only counts them"
        return "only looks whether one is among them" if self.kind == "membership" else "goes on with a part of them"

    def instead(self, structure: str) -> str:
        """The command that replies with just that, "" if there is none for a structure."""
        return {"number": _NUMBERS, "membership": _LOOKUPS, "page": {}}[self.kind].get(structure, "")


class PartialUses:
    """Follows a reply through local names, copies and views to what the code takes of it."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def of(self, site: CommandSite) -> PartialUse | None:
        """A page, whatever else happens to the reply; the number or a look-up where that is all. Else None."""
        index = self._ev.store.files[site.ref[0]]
        uses = list(self._uses(index, site.ref))
        page = next((use for use in uses if use is not None and use.kind == "page"), None)
        if page is not None or not uses:
            return page
        kinds = {use.kind if use is not None else None for use in uses}
        return uses[0] if len(kinds) == 1 else None

    def _uses(self, index: FileIndex, reply: Ref) -> Iterator[PartialUse | None]:
        """Each use of a reply and of its copies; None for a use that may need all of it."""
        pending, seen = [reply[1]], {reply[1]}
        while pending:
            number = pending.pop()
            bindings = index.bound_to.get(number, ())
            if bindings:
                further = list(self._mentions(index, bindings))
                if not further:
                    yield None
            else:
                use, further = self._use(index, number, reply)
                if not further:
                    yield use
            pending += [one for one in further if one not in seen]
            seen.update(further)

    def _mentions(self, index: FileIndex, bindings: list[facts.Binding]) -> Iterator[int]:
        """Where names stand for what they were bound to; nothing where they hold elements of it."""
        if any(binding.kind != "assign" or binding.path for binding in bindings):
            return
        for binding in bindings:
            function = index.facts.scopes[index.function_of(binding.block)]
            for number in index.names_between(binding.name, function.start, function.end):
                definitions = self._ev.binder.names(index.number).at(number)
                if binding in (index.facts.bindings[one.number] for one in definitions if one.kind == "assign"):
                    yield number

    def _use(self, index: FileIndex, number: int, reply: Ref) -> tuple[PartialUse | None, list[int]]:
        """What the expression around one that holds the reply takes of it, or else those that hold it, too."""
        around = index.parents.get(number, NONE)
        expr = index.facts.exprs[around] if around != NONE else None
        words = self._ev.roles(index.number).words
        match expr:
            case facts.Index() if expr.object == number and self._is_part(index, expr.key):
                return PartialUse("page", (index.number, around)), []
            case facts.Operation(operator="in" | "not in") if expr.operands[-1] == number:
                return PartialUse("membership", (index.number, around)), []
            case facts.Call() if self._is_function(index, expr, words.size_functions):
                return PartialUse("number", (index.number, around)), []
            case facts.Member() if expr.object == number:
                call = index.call_of.get(around, NONE)
                called = index.facts.exprs[call] if call != NONE else None
                at = (index.number, around if call == NONE else call)
                if expr.name in words.sizes:
                    return PartialUse("number", at), []
                if isinstance(called, facts.Call):
                    if expr.name in words.cutters and self._cuts(index, called, words.cutters[expr.name]):
                        return PartialUse("page", at), []
                    if expr.name in words.membership:
                        return PartialUse("membership", at), []
                    return None, [call] if self._holds(index, call, reply) else []
            case facts.Call() if expr.callee != number and (
                self._holds(index, around, reply) or self._is_new_list(index, around)
            ):
                return None, [around]
            case _:
                pass
        return None, []

    def _holds(self, index: FileIndex, number: int, reply: Ref) -> bool:
        """Whether a copy or a view of a reply is what an expression gives."""
        return any(isinstance(one, Reply) and one.ref == reply for one in self._ev.values(index.number, number))

    def _is_new_list(self, index: FileIndex, number: int) -> bool:
        """Whether a call makes a collection of what it is passed: ``new ArrayList<>(reply)``."""
        makers = self._ev.roles(index.number).collection_makers
        made = {
            one.dotted.removesuffix("()")
            for one in self._ev.values(index.number, number)
            if isinstance(one, ExternalObject)
        }
        # Of a name that an import of a whole package brings only the last part is known.
        return any(name in makers or ("." not in name and name in _last_parts(makers)) for name in made)

    def _is_function(self, index: FileIndex, call: facts.Call, names: tuple[str, ...]) -> bool:
        callee = index.facts.exprs[call.callee]
        return isinstance(callee, facts.Name) and callee.name in names

    def _is_part(self, index: FileIndex, key: int) -> bool:
        """Whether a key is a slice that ends before the end, or begins at a place counted from there."""
        expr = index.facts.exprs[key]
        if not isinstance(expr, facts.Operation) or expr.operator != _SLICE or not expr.operands:
            return False
        only = index.facts.exprs[expr.operands[0]]
        return len(expr.operands) > 1 or only.start != expr.start or self._is_negative(index, expr.operands[0])

    def _cuts(self, index: FileIndex, call: facts.Call, arguments: int) -> bool:
        given = [one.value for one in call.arguments]
        return len(given) >= arguments or (len(given) == 1 and self._is_negative(index, given[0]))

    def _is_negative(self, index: FileIndex, number: int) -> bool:
        values = self._ev.values(index.number, number)
        return bool(values) and all(
            isinstance(one, Const) and isinstance(one.value, int | float) and one.value < 0 for one in values
        )


@cache
def _last_parts(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name.rpartition(".")[2] for name in names)
