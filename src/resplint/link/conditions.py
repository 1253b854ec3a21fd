"""What the arguments along a chain of calls rule out: to those who pass a client, ``client or Redis()`` makes none."""

from __future__ import annotations

from typing import Literal as OneOf

from resplint import facts
from resplint.facts import NONE
from resplint.link.chains import Call, Chain, Chains
from resplint.link.evaluate import Evaluator
from resplint.link.index import FileIndex
from resplint.link.values import (
    ClassValue,
    Const,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Value,
    Values,
)

_LEAVING = ("return", "raise", "continue", "break")
_DEEP = 8
"""How deep conditions are looked into."""
Known = OneOf["nothing", "false", "something"]
"""What is known of a parameter: it is null, another false value, or a true one."""


class Conditions:
    """Asks whether a chain of calls can be run as it stands."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._ev = evaluator
        self._chains = Chains(evaluator)

    def exclude(self, chain: Chain) -> bool:
        """Whether some call of a chain passes what keeps the next one, or the object from being made."""
        known: dict[str, Known] = {}
        below = [chain.made, *(call.site.ref for call in chain.calls)]
        for position in reversed(range(len(chain.calls))):
            known = self._received(chain.calls[position], known)
            file, number = below[position]
            index = self._ev.store.files[file]
            if known and not self._runs(index, number, chain.calls[position].scope, known):
                return True
        return False

    def _received(self, call: Call, above: dict[str, Known]) -> dict[str, Known]:
        """What a function knows of its parameters when one call runs it."""
        record = self._ev.store.files[call.file].facts.scopes[call.scope]
        found: dict[str, Known] = {}
        for position, parameter in enumerate(record.parameters):
            if parameter.kind in ("*", "**") or position < call.site.bound:
                continue
            given = self._chains.arguments(call, position)
            if len(given) == 1:
                expr = self._ev.store.expr((call.site.file, given[0]))
                known = above.get(expr.name) if isinstance(expr, facts.Name) else None
                known = known or _known(self._ev.values(call.site.file, given[0]))
            else:
                default = parameter.default
                known = _known(self._ev.values(call.file, default)) if not given and default != NONE else None
            if known is not None and not self._assigned(call, parameter.name, known):
                found[parameter.name] = known
        return found

    def _assigned(self, call: Call, name: str, known: Known) -> bool:
        """Whether a function gives a parameter another value, other than one in place of nothing."""
        index = self._ev.store.files[call.file]
        return any(
            not self._is_default(index, one.value, name) and self._runs(index, one.value, call.scope, {name: known})
            for one in index.bindings.get((call.scope, name), ())
            if one.value != NONE
        )

    def _is_default(self, index: FileIndex, number: int, name: str) -> bool:
        """``client = client or make()``."""
        expr = index.facts.exprs[number] if number != NONE else None
        if not isinstance(expr, facts.Choice | facts.Operation):
            return False
        parts = expr.options if isinstance(expr, facts.Choice) else expr.operands
        return any(_is_name(index, part, name) for part in parts)

    # -- whether code runs ---------------------------------------------------------------------------------------------

    def _runs(self, index: FileIndex, number: int, scope: int, known: dict[str, Known]) -> bool:
        block = index.facts.exprs[number].block
        if index.function_of(block) != scope:
            return True
        around = index.enclosing_blocks(block)
        blocks = index.facts.blocks
        for one in around:
            if blocks[one].kind == "if" and self._outcome(index, blocks[one].head, known) is False:
                return False
            if blocks[one].kind == "else":
                heads = [blocks[other].head for other in index.clauses.get(("if", blocks[one].group), ())]
                if any(self._outcome(index, head, known) is True for head in heads):
                    return False
        return not self._left_before(index, number, around, known) and self._chosen(index, number, known)

    def _left_before(self, index: FileIndex, number: int, around: list[int], known: dict[str, Known]) -> bool:
        """``if client is not None: return client.get(key)`` in front of it."""
        start = index.facts.exprs[number].start
        for jump in index.jumps.get(index.function_of(index.facts.exprs[number].block), ()):
            block = index.facts.blocks[jump.block]
            if jump.kind not in _LEAVING or jump.start >= start or jump.block in around or block.kind != "if":
                continue
            if block.parent in around and self._outcome(index, block.head, known) is True:
                return True
        return False

    def _chosen(self, index: FileIndex, number: int, known: dict[str, Known]) -> bool:
        """Whether an expression is evaluated as part of a choice: ``client or Redis()``."""
        parent = index.parents.get(number)
        while parent is not None:
            expr = index.facts.exprs[parent]
            if isinstance(expr, facts.Choice) and not self._is_option(index, expr, number, known):
                return False
            if isinstance(expr, facts.Operation) and expr.operator in ("or", "and", "||", "&&", "??"):
                before = expr.operands[: expr.operands.index(number)] if number in expr.operands else ()
                stops = expr.operator not in ("and", "&&")
                if any(self._outcome(index, one, known) is stops for one in before):
                    return False
            number, parent = parent, index.parents.get(parent)
        return True

    def _is_option(self, index: FileIndex, expr: facts.Choice, number: int, known: dict[str, Known]) -> bool:
        if expr.condition == NONE:
            before = expr.options[: expr.options.index(number)] if number in expr.options else ()
            return not any(self._outcome(index, one, known) is True for one in before)
        outcome = self._outcome(index, expr.condition, known)
        place = expr.options.index(number) if number in expr.options else -1
        return not ((outcome is True and place == 1) or (outcome is False and place == 0))

    def _outcome(self, index: FileIndex, number: int, known: dict[str, Known], depth: int = 0) -> bool | None:
        """What a condition comes to, as far as known parameters decide it."""
        if number == NONE or depth > _DEEP:
            return None
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Name):
            return known[expr.name] == "something" if expr.name in known else None
        if not isinstance(expr, facts.Operation):
            return None
        if expr.operator in ("not", "!") and expr.operands:
            inner = self._outcome(index, expr.operands[0], known, depth + 1)
            return None if inner is None else not inner
        if expr.operator in ("and", "&&", "or", "||"):
            decisive = expr.operator in ("or", "||")
            outcomes = [self._outcome(index, one, known, depth + 1) for one in expr.operands]
            if decisive in outcomes:
                return decisive
            return None if None in outcomes else not decisive
        return self._compared(index, expr, known)

    def _compared(self, index: FileIndex, expr: facts.Operation, known: dict[str, Known]) -> bool | None:
        """`x is None`, `x != null`."""
        if len(expr.operands) != 2 or expr.operator not in ("is", "is not", "==", "!=", "===", "!=="):
            return None
        left, right = (index.facts.exprs[one] for one in expr.operands)
        if not isinstance(left, facts.Name) or left.name not in known or not _is_nothing(right):
            return None
        return (known[left.name] == "nothing") is (expr.operator in ("is", "==", "==="))


def _is_name(index: FileIndex, number: int, name: str) -> bool:
    expr = index.facts.exprs[number]
    return isinstance(expr, facts.Name) and expr.name == name


def _is_nothing(expr: facts.Expr) -> bool:
    return (isinstance(expr, facts.Literal) and expr.type == "none") or (
        isinstance(expr, facts.Name) and expr.name == "undefined"
    )


def _known(values: Values) -> Known | None:
    """What all values of an argument have in common."""
    kinds = {_kind(value) for value in values}
    return next(iter(kinds)) if len(kinds) == 1 else None


def _kind(value: Value) -> Known | None:
    if isinstance(value, Const):
        return "nothing" if value.value is None else "something" if value.value else "false"
    return (
        "something"
        if isinstance(value, LibraryObject | LibraryMethod | Instance | FunctionValue | ClassValue)
        else None
    )
