"""What the arguments along a chain of calls rule out: to those who pass a client, ``client or Redis()`` makes none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal as OneOf
from typing import NamedTuple

from resplint.bind.exit_paths import path
from resplint.bind.index import FileIndex
from resplint.bind.values import (
    ClassValue,
    Const,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Ref,
    Reply,
    Value,
    Values,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.call_paths import Call, Chain, Chains
from resplint.flow.graph import Graph

_LEAVING = ("return", "raise", "continue", "break")
_EQUAL, _UNEQUAL = ("is", "==", "==="), ("is not", "!=", "!==")


class Known(NamedTuple):
    """What is known of a parameter, or of a field of the object: it `is` a constant or `not` one, or it is something,
    or something that counts as false.
    """

    kind: OneOf["is", "not", "true", "false"]
    value: object = None

    @property
    def truth(self) -> bool | None:
        """What it comes to as a condition."""
        if self.kind == "is":
            return bool(self.value)
        return None if self.kind == "not" else self.kind == "true"

    def equals(self, constant: object) -> bool | None:
        """Whether it is a constant."""
        if self.kind == "is":
            return _same(self.value, constant)
        if self.kind == "not":
            return False if _same(self.value, constant) else None
        return False if bool(constant) is not (self.kind == "true") else None


Facts = dict[str, Known]
"""What is known by the name of a parameter, or of a field with a dot in front."""


class Conditions:
    """Asks whether a chain of calls can be run as it stands."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self._chains = Chains(evaluator)

    def excluding(self, chain: Chain) -> Call | None:
        """The call of a chain that passes what keeps the next one, or the object from being made."""
        known: Facts = {}
        below = [chain.made, *(call.site.ref for call in chain.calls)]
        for position in reversed(range(len(chain.calls))):
            known = self._received(chain.calls[position], known)
            file, number = below[position]
            index = self._ev.store.files[file]
            if known and not self._runs(index, number, chain.calls[position].scope, known):
                return chain.calls[position]
        return None

    def rules_out(self, way: Sequence[Ref]) -> bool:
        """Whether calls, the outermost first, never lead to the last place of a way as they stand."""
        return len(way) > 1 and self.excluding(self._chains.of(way[-1], tuple(way[-2::-1]))) is not None

    def _received(self, call: Call, above: Facts) -> Facts:
        """What a function knows of its parameters, and of its object, when one call runs it."""
        index = self._ev.store.files[call.site.file]
        above = {**self._held(index, call.site.call), **above}
        record = self._ev.store.files[call.file].facts.scopes[call.scope]
        found = self._of_same_object(index, call, above)
        for position, parameter in enumerate(record.parameters):
            if parameter.kind in ("*", "**") or position < call.site.bound:
                continue
            given = self._chains.arguments(call, position)
            if len(given) == 1:
                term = self._term(index, given[0])
                known = above.get(term) if term else None
                known = known or _known(self._passed(call.site.file, given[0]))
            else:
                default = parameter.default
                known = _known(self._ev.values(call.file, default)) if not given and default != NONE else None
            if known is not None and not self._assigned(call, parameter.name, known):
                found[parameter.name] = known
        return found

    def _passed(self, file: int, number: int) -> Values:
        """What an argument may be. Where it is called for, and the function tests for nothing before it returns it,
        nothing is what there was before the first call. A call that makes an object answers nothing else.
        """
        values = self._ev.values(file, number)
        made = {one.made for one in values if isinstance(one, LibraryObject)}
        values = tuple(one for one in values if not (isinstance(one, Reply) and one.ref in made))
        expr = self._ev.store.files[file].facts.exprs[number]
        if not isinstance(expr, facts.Call) or not any(isinstance(one, Const) and one.value is None for one in values):
            return values
        called = [one for one in self._ev.callee(file, expr.callee) if isinstance(one, FunctionValue)]
        if not called or not all(self._tests_for_nothing(one.file, one.scope) for one in called):
            return values
        return tuple(one for one in values if not (isinstance(one, Const) and one.value is None))

    def _tests_for_nothing(self, file: int, scope: int) -> bool:
        """Whether whatever a function returns was tested before: ``if client is None: client = make()``."""
        index = self._ev.store.files[file]
        returned = [one for one in index.jumps.get(scope, ()) if one.kind == "return"]
        tests = [
            (index.facts.blocks[number].head, index.facts.blocks[number].at)
            for number in index.blocks_in(*self._extent(index, scope))
            if index.facts.blocks[number].kind == "if" and index.facts.blocks[number].head != NONE
        ]
        return bool(returned) and all(
            one.value != NONE
            and bool(written := path(index, one.value))
            and any(at < one.start and path(index, self._tested(index, head)) == written for head, at in tests)
            for one in returned
        )

    def _extent(self, index: FileIndex, scope: int) -> tuple[int, int]:
        block = index.facts.blocks[index.facts.scopes[scope].block]
        return block.start, block.end

    def _tested(self, index: FileIndex, head: int) -> int:
        """What a condition tests for nothing; the condition itself where it tests for nothing else."""
        expr = index.facts.exprs[head]
        if isinstance(expr, facts.Operation) and expr.operator in ("not", "!") and expr.operands:
            return expr.operands[0]
        if isinstance(expr, facts.Operation) and expr.operator in (*_EQUAL, *_UNEQUAL):
            nothing = [one for one in expr.operands if (known := self._constant(index, one)) and known.value is None]
            rest = [one for one in expr.operands if one not in nothing]
            return rest[0] if nothing and rest else head
        return head

    def _of_same_object(self, index: FileIndex, call: Call, above: Facts) -> Facts:
        """What holds of fields also holds in a method that is called on the same object."""
        expr = index.facts.exprs[call.site.call]
        callee = index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) else None
        own = isinstance(callee, facts.Member) and self._is_receiver(index, callee.object)
        other = self._ev.store.files[call.file]
        bare = isinstance(callee, facts.Name) and other.class_of(call.scope) != NONE
        if self._makes(call.file, call.scope) or not (own or bare):
            return {}
        return {term: known for term, known in above.items() if term.startswith(".")}

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

    def _runs(self, index: FileIndex, number: int, scope: int, known: Facts) -> bool:
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

    def _left_before(self, index: FileIndex, number: int, around: list[int], known: Facts) -> bool:
        """``if client is not None: return client.get(key)`` in front of it."""
        start = index.facts.exprs[number].start
        for jump in index.jumps.get(index.function_of(index.facts.exprs[number].block), ()):
            block = index.facts.blocks[jump.block]
            if jump.kind not in _LEAVING or jump.start >= start or jump.block in around or block.kind != "if":
                continue
            if block.parent in around and self._outcome(index, block.head, known) is True:
                return True
        return False

    def _chosen(self, index: FileIndex, number: int, known: Facts) -> bool:
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
                if stops and any(self._is_something(index, one, known) for one in before):
                    return False
            number, parent = parent, index.parents.get(parent)
        return True

    def _is_something(self, index: FileIndex, number: int, known: Facts) -> bool:
        """Whether what an object is made in place of was tested for nothing before it was passed."""
        fact = known.get(self._term(index, number))
        return fact is not None and fact.kind == "not" and fact.value is None

    def _is_option(self, index: FileIndex, expr: facts.Choice, number: int, known: Facts) -> bool:
        if expr.condition == NONE:
            before = expr.options[: expr.options.index(number)] if number in expr.options else ()
            return not any(self._outcome(index, one, known) is True for one in before)
        outcome = self._outcome(index, expr.condition, known)
        place = expr.options.index(number) if number in expr.options else -1
        return not ((outcome is True and place == 1) or (outcome is False and place == 0))

    def _outcome(self, index: FileIndex, number: int, known: Facts) -> bool | None:
        """What a condition comes to, as far as known parameters decide it."""
        if number == NONE:
            return None
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Name | facts.Member):
            fact = known.get(self._term(index, number))
            return fact.truth if fact is not None else None
        if not isinstance(expr, facts.Operation):
            return None
        if expr.operator in ("not", "!") and expr.operands:
            inner = self._outcome(index, expr.operands[0], known)
            return None if inner is None else not inner
        if expr.operator in ("and", "&&", "or", "||"):
            decisive = expr.operator in ("or", "||")
            outcomes = [self._outcome(index, one, known) for one in expr.operands]
            if decisive in outcomes:
                return decisive
            return None if None in outcomes else not decisive
        return self._compared(index, expr, known)

    def _compared(self, index: FileIndex, expr: facts.Operation, known: Facts) -> bool | None:
        """`x is None`, `self.mode != "cluster"`."""
        comparison = self._comparison(index, expr)
        fact = known.get(self._term(index, comparison[0])) if comparison is not None else None
        equal = fact.equals(comparison[1]) if fact is not None and comparison is not None else None
        return None if equal is None else equal is (expr.operator in _EQUAL)

    def _comparison(self, index: FileIndex, expr: facts.Operation) -> tuple[int, object] | None:
        """Which name or field is compared with which constant."""
        if len(expr.operands) != 2 or expr.operator not in (*_EQUAL, *_UNEQUAL):
            return None
        for term, other in (expr.operands, reversed(expr.operands)):
            constant = self._constant(index, other)
            if constant is not None and self._term(index, term):
                return term, constant.value
        return None

    def _constant(self, index: FileIndex, number: int) -> Known | None:
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Name) and expr.name in self._ev.roles(index.number).words.nothing_names:
            return Known("is")
        if isinstance(expr, facts.Literal) and expr.type == "none":
            return Known("is")
        values = self._ev.values(index.number, number)
        return Known("is", values[0].value) if len(values) == 1 and isinstance(values[0], Const) else None

    # -- what conditions say -------------------------------------------------------------------------------------------

    def _held(self, index: FileIndex, number: int) -> Facts:
        """What the conditions around an expression, and those in front of it under which the function is left, say."""
        block = index.facts.exprs[number].block
        around = index.enclosing_blocks(block)
        blocks = index.facts.blocks
        said: list[tuple[int, bool]] = []
        for one in around:
            if blocks[one].kind == "if":
                said.append((blocks[one].head, True))
            if blocks[one].kind == "else":
                said += [(blocks[other].head, False) for other in index.clauses.get(("if", blocks[one].group), ())]
        for jump in index.jumps.get(index.function_of(block), ()):
            left = blocks[jump.block]
            before = jump.kind in _LEAVING and jump.start < index.facts.exprs[number].start
            if before and left.kind == "if" and jump.block not in around and left.parent in around:
                said.append((left.head, False))
        found: Facts = {}
        for head, holds in said:
            self._says(index, head, holds, found)
        return found

    def _says(self, index: FileIndex, head: int, holds: bool, found: Facts) -> None:
        pending = [(head, holds)]
        while pending:
            number, holds = pending.pop()
            expr = index.facts.exprs[number] if number != NONE else None
            if isinstance(expr, facts.Name | facts.Member):
                self._note(index, number, Known("true" if holds else "false"), found)
            elif isinstance(expr, facts.Operation) and expr.operator in ("not", "!"):
                pending += [(one, not holds) for one in expr.operands]
            elif isinstance(expr, facts.Operation) and expr.operator in (("and", "&&") if holds else ("or", "||")):
                pending += [(one, holds) for one in expr.operands]
            elif isinstance(expr, facts.Operation) and (comparison := self._comparison(index, expr)) is not None:
                equal = holds is (expr.operator in _EQUAL)
                self._note(index, comparison[0], Known("is" if equal else "not", comparison[1]), found)

    def _note(self, index: FileIndex, number: int, known: Known, found: Facts) -> None:
        """Enter what is known, if it still holds at any later place of the function."""
        expr = index.facts.exprs[number]
        scope = index.function_of(expr.block)
        term = self._term(index, number)
        if term.startswith("."):
            lasts = not self._makes(index.number, scope)
        else:
            lasts = len(index.bindings.get((scope, term), ())) + ((scope, term) in index.parameters) == 1
        if term and lasts:
            found.setdefault(term, known)

    def _makes(self, file: int, scope: int) -> bool:
        """Whether a function runs when an object is made."""
        record = self._ev.store.files[file].facts.scopes[scope]
        return record.is_constructor or record.name in self._ev.roles(file).words.constructing

    # -- what conditions are about -------------------------------------------------------------------------------------

    def _term(self, index: FileIndex, number: int) -> str:
        """The name of a parameter or local name; of a field that only the making of the object sets, with a dot in
        front; "" for anything else.
        """
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Name):
            owner = index.field_owner(expr.name, expr.block)
            return expr.name if owner == 0 else f".{expr.name}" if self._lasts(index, expr.name) else ""
        if isinstance(expr, facts.Member) and self._is_receiver(index, expr.object) and self._lasts(index, expr.name):
            return f".{expr.name}"
        return ""

    def _is_receiver(self, index: FileIndex, number: int) -> bool:
        expr = index.facts.exprs[number]
        scope = index.function_of(expr.block)
        while scope != NONE and not index.facts.scopes[scope].receiver:
            scope = index.facts.scopes[scope].parent
        return scope != NONE and isinstance(expr, facts.Name) and expr.name == index.facts.scopes[scope].receiver

    def _lasts(self, index: FileIndex, name: str) -> bool:
        """Whether nothing but constructors of the file gives a field of this name another value."""
        writes = index.writes_by_name.get(name, ())
        return all(self._makes(index.number, index.function_of(write.block)) for write in writes)


def _is_name(index: FileIndex, number: int, name: str) -> bool:
    expr = index.facts.exprs[number]
    return isinstance(expr, facts.Name) and expr.name == name


def _same(left: object, right: object) -> bool:
    return type(left) is type(right) and left == right


def _known(values: Values) -> Known | None:
    """What all values of an argument have in common."""
    kinds = {_kind(value) for value in values}
    if len(kinds) == 1:
        return next(iter(kinds))
    truths = {kind.truth if kind is not None else None for kind in kinds}
    return None if len(truths) != 1 or None in truths else Known("true" if truths.pop() else "false")


def _kind(value: Value) -> Known | None:
    if isinstance(value, Const):
        return Known("is", value.value)
    is_object = isinstance(value, LibraryObject | LibraryMethod | Instance | FunctionValue | ClassValue)
    return Known("true") if is_object else None
