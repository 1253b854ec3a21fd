"""How many attempts code makes: what counts them, and where it gives up."""

from __future__ import annotations

from math import isfinite

from resplint.bind.exit_paths import mentions
from resplint.bind.index import FileIndex
from resplint.bind.values import Const, External, LibraryMethod, ParameterValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.retry.work_item_progress import picks
from resplint.text import arguments as calls

_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_NEGATED = {"<": ">=", ">": "<=", "<=": ">", ">=": "<", "==": "!=", "!=": "=="}
_ENDS = 2
"""Arguments of a range that ends with the last of them."""
_FEW = 2


class Attempts:
    """Reads counters of loops and of recursive functions."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    # -- loops ---------------------------------------------------------------------------------------------------------

    def counts(self, index: FileIndex, loop: facts.Block) -> bool:
        """Whether what a loop runs over is a count of attempts: not data, nor a list of delays."""
        head = index.facts.exprs[loop.head] if loop.head != NONE else None
        names = self._ev.roles(index.number).counters
        if not isinstance(head, facts.Call):
            return isinstance(head, facts.Operation) and head.operator in names and not self._is_size(index, head)
        return any(
            isinstance(value, External) and value.dotted in names
            for value in self._ev.callee(index.number, head.callee)
        ) or self._infix(index, head)

    def _is_size(self, index: FileIndex, head: facts.Operation) -> bool:
        """``0 until items.size``."""
        sizes = self._ev.roles(index.number).words.sizes
        return any(
            isinstance(last := index.facts.exprs[operand], facts.Member) and last.name in sizes
            for operand in head.operands
        )

    def _infix(self, index: FileIndex, head: facts.Call) -> bool:
        """``1 until attempts``: a method of a number."""
        callee = index.facts.exprs[head.callee]
        return isinstance(callee, facts.Member) and callee.name in self._ev.roles(index.number).counters

    def names_turn(self, index: FileIndex, loop: facts.Block, work: Ref) -> bool:
        """Whether a command names the turn of its loop: ``client.hget(f"shard:{n}", field)`` for n in a range asks for
        something else each time.
        """
        call = index.facts.exprs[work[1]] if work[0] == index.number else None
        if not isinstance(call, facts.Call):
            return False
        if not any(isinstance(value, LibraryMethod) for value in self._ev.carried(index.number, call.callee)):
            return False
        counters = {one.name for one in index.facts.bindings if one.kind == "for" and one.value == loop.head != NONE}
        named = {
            one.name
            for one in index.facts.bindings
            if loop.start <= one.start < call.start
            and one.value != NONE
            and any(mentions(index, one.value, name) for name in counters)
        }
        return any(mentions(index, item.value, name) for item in call.arguments for name in counters | named)

    def is_counted(self, index: FileIndex, loop: facts.Block) -> bool:
        """Whether every turn of a loop under a condition moves the counter that the condition tests."""
        found = self._condition(index, loop.head)
        if found is None:
            return False
        blocks = index.facts.blocks
        return any(self._steps(index, one) and blocks[one.block] == loop for one in self._bindings(index, found[0]))

    def steps_back(self, index: FileIndex, handler: facts.Block, loop: facts.Block) -> bool:
        """Whether a handler moves the counter of a loop back, so that the next turn is at the same piece of work."""
        found = self._condition(index, loop.head) if self.is_counted(index, loop) else None
        return found is not None and any(
            self._steps(index, one) and handler.start <= one.start < handler.end
            for one in self._bindings(index, found[0])
        )

    def walks_data(self, index: FileIndex, loop: facts.Block, tried: facts.Block) -> bool:
        """Whether the counter of a loop is the place of an element in data."""
        found = self._condition(index, loop.head)
        if found is None:
            return False
        name, _, bound = found
        limit = index.facts.exprs[bound]
        if isinstance(limit, facts.Call):
            limit = index.facts.exprs[limit.callee]
        if isinstance(limit, facts.Member) and limit.name in self._ev.roles(index.number).words.sizes:
            return True
        return picks(self._ev, index, name.name, tried) or self._works_on_picked(index, loop, name.name, tried)

    def _works_on_picked(self, index: FileIndex, loop: facts.Block, counter: str, tried: facts.Block) -> bool:
        """Whether guarded statements work on what a turn has picked by its counter before: ``String host = hosts[i]``,
        ``connect(host.trim())``.
        """
        names: list[str] = []
        for binding in index.facts.bindings:
            value = index.facts.exprs[binding.value] if binding.value != NONE else None
            if value is not None and loop.start <= binding.start < tried.start:
                if picks(self._ev, index, counter, value) or any(mentions(index, binding.value, one) for one in names):
                    names.append(binding.name)
        return any(index.names_between(one, tried.start, tried.end) for one in names)

    def few(self, index: FileIndex, loop: facts.Block) -> bool:
        """Whether a loop makes one further attempt at most: ``for _ in range(2)``, ``i < 2``."""
        turns = self.turns(index, loop)
        return turns is not None and turns <= _FEW

    def turns(self, index: FileIndex, loop: facts.Block) -> float | None:
        """How many turns a counted loop makes at most; None when that is not known."""
        if loop.kind == "while":
            found = self._condition(index, loop.head)
            if found is None:
                return None
            name, operator, bound = found
            starts, limits = self._starts(index, name, loop.start), self._numbers(index, bound)
            if not starts or not limits:
                return None
            return max(_turns(operator, start, limit) for start in starts for limit in limits)
        head = index.facts.exprs[loop.head] if loop.head != NONE else None
        if isinstance(head, facts.Call):
            return self._turns_of_call(index, head)
        if isinstance(head, facts.Operation) and len(head.operands) == 2:
            first, last = (self._numbers(index, one) for one in head.operands)
            return self._span(first, last, head.operator not in self._ev.roles(index.number).words.open_ranges)
        return None

    def _span(self, first: list[float], last: list[float], inclusive: bool) -> float | None:
        return abs(max(last) - min(first)) + inclusive if first and last else None

    def _turns_of_call(self, index: FileIndex, head: facts.Call) -> float | None:
        callee = index.facts.exprs[head.callee]
        if isinstance(callee, facts.Member) and len(head.arguments) == 1 and self._infix(index, head):
            first, last = self._numbers(index, callee.object), self._numbers(index, head.arguments[0].value)
            return self._span(first, last, callee.name not in self._ev.roles(index.number).words.open_ranges)
        numbers = []
        values = [item.value for item in head.arguments]
        if values and isinstance(index.facts.exprs[values[-1]], facts.Function):
            values.pop()  # repeat(2) { … }
        if not 1 <= len(values) <= 3:
            return None
        for at, value in enumerate(values, 1):
            found = set(self._numbers(index, value))
            if found and at == len(values) <= _ENDS:
                found = {max(found)}
            if len(found) != 1 or not all(isfinite(one) for one in found):
                return None
            numbers.append(int(found.pop()))
        if len(numbers) == 3 and numbers[2] == 0:
            return None
        turns = range(*numbers)  # whose len() is an error above that of a list
        return float(max(0, (turns.stop - turns.start + turns.step - (1 if turns.step > 0 else -1)) // turns.step))

    # -- giving up -----------------------------------------------------------------------------------------------------

    def gives_up_soon(self, index: FileIndex, handler: int, around: facts.Block) -> bool:
        """Whether a handler leaves for good after a single further attempt: ``if retried: raise`` … ``retried = True``,
        ``if (++failures > 1) throw``.
        """
        for jump in self._leaving(index, handler):
            further = self._further(index, jump, around)
            if self._guarded_by_flag(index, jump, around) or (further is not None and further <= 1):
                return True
        return False

    def at_most(self, index: FileIndex, handler: int, around: facts.Block, loop: bool) -> float | None:
        """How many attempts are made at most, by the loop or by the handler that leaves; None when that is not
        known.
        """
        found = [self._further(index, jump, around) for jump in self._leaving(index, handler)]
        known = [one + 1 for one in found if one is not None]
        turns = self.turns(index, around) if loop else None
        return min([*known, *([turns] if turns is not None else [])], default=None)

    def _leaving(self, index: FileIndex, handler: int) -> list[facts.Jump]:
        block = index.facts.blocks[handler]
        return [
            jump
            for jump in index.jumps[index.function_of(handler)]
            if jump.kind in ("raise", "return", "break") and block.start <= jump.start < block.end
        ]

    def _guard(self, index: FileIndex, jump: facts.Jump) -> tuple[int, bool]:
        """(condition, whether it holds) where a jump is taken."""
        guard = index.facts.blocks[jump.block]
        if guard.kind == "if":
            return guard.head, True
        if guard.kind == "else":
            for number in index.clauses.get(("if", guard.group), ()):
                return index.facts.blocks[number].head, False
        return NONE, True

    def _guarded_by_flag(self, index: FileIndex, jump: facts.Jump, around: facts.Block) -> bool:
        condition, holds = self._guard(index, jump)
        flag = index.facts.exprs[condition] if condition != NONE else None
        if isinstance(flag, facts.Operation) and flag.operator == "not":
            flag, holds = index.facts.exprs[flag.operands[0]], not holds
        return isinstance(flag, facts.Name) and any(
            around.start <= binding.start < around.end and self._is(index, binding.value, holds)
            for binding in self._bindings(index, flag)
        )

    def _further(self, index: FileIndex, jump: facts.Jump, around: facts.Block) -> float | None:
        """Further attempts before a jump is taken: `if (attempt >= 2) throw e`, counted from 0 or 1."""
        condition, holds = self._guard(index, jump)
        found = self._condition(index, condition)
        if found is None:
            return None
        name, operator, bound = found
        operator = operator if holds else _NEGATED[operator]
        if operator not in (">", ">=", "=="):
            return None
        starts, limits = self._starts(index, name, around.start), self._numbers(index, bound)
        steps = [one for one in self._bindings(index, name) if self._steps(index, one)]
        if not starts or not limits or not steps:
            return None
        test = index.facts.exprs[condition]
        block = index.facts.blocks
        before = any(
            one.start < test.end and block[one.block] != around and not self._comes_after(index, one, name)
            for one in steps
        )
        return max(limits) - min(starts) - before + (operator == ">")

    # -- recursion -----------------------------------------------------------------------------------------------------

    def once_more(self, index: FileIndex, scope: int, call: facts.Call, area: facts.Block) -> bool:
        """Whether a function that calls itself does so once: it passes a truth value on that it tests, or counts to
        one.
        """
        for position, parameter in enumerate(index.facts.scopes[scope].parameters):
            number = calls.argument(index, index.call_number(call), index.facts.scopes[scope], position, 0)
            if number is None:
                continue
            values = self._ev.values(index.number, number)
            if values and all(isinstance(one, Const) and one.type == "bool" for one in values):
                if self._tested(index, parameter.name, scope):
                    return True
            if self._counts_to_one(index, scope, parameter, number):
                return True
        return False

    def _tested(self, index: FileIndex, name: str, scope: int) -> bool:
        for number in index.by_name.get(name, ()):
            use = index.facts.exprs[number]
            if index.within(use.block, scope) and self._is_condition(index, number):
                return True
        return False

    def _is_condition(self, index: FileIndex, number: int) -> bool:
        for _ in range(6):
            if number in self._heads(index):
                return True
            if number not in index.parents:
                return False
            number = index.parents[number]
        return False

    def _heads(self, index: FileIndex) -> set[int]:
        return {block.head for block in index.facts.blocks if block.kind == "if" and block.head != NONE}

    def _counts_to_one(self, index: FileIndex, scope: int, parameter: facts.Parameter, passed: int) -> bool:
        """``connect(attempt + 1)`` where `attempt` begins at 0 and is tested against 1."""
        step = index.facts.exprs[passed]
        if not isinstance(step, facts.Operation) or step.operator not in ("+", "-"):
            return False
        if not mentions(index, passed, parameter.name):
            return False
        begins = self._begins(index, scope, parameter, passed)
        for head in self._heads(index):
            found = self._condition(index, head)
            if found is None or found[0].name != parameter.name or not index.within(found[0].block, scope):
                continue
            limits = self._numbers(index, found[2])
            if limits and begins and max(abs(limit - begin) for limit in limits for begin in begins) <= 1:
                return not (found[1] in (">", "<=") and step.operator == "+" and max(limits) - min(begins) == 1)
        return False

    def of_recursion(self, index: FileIndex, scope: int, call: facts.Call) -> float | None:
        """How many attempts a function makes that calls itself and counts: ``connect(attempt + 1)`` where `attempt`
        begins at 0 and is tested against 5; None when that is not known.
        """
        found = list[float]()
        for position, parameter in enumerate(index.facts.scopes[scope].parameters):
            number = calls.argument(index, index.call_number(call), index.facts.scopes[scope], position, 0)
            step = index.facts.exprs[number] if number is not None else None
            if number is None or not isinstance(step, facts.Operation) or step.operator not in ("+", "-"):
                continue
            if not mentions(index, number, parameter.name):
                continue
            begins = self._begins(index, scope, parameter, number)
            for head in self._heads(index):
                test = self._condition(index, head)
                if test is not None and test[0].name == parameter.name and index.within(test[0].block, scope):
                    limits = self._numbers(index, test[2])
                    found += [abs(limit - begin) + 1 for limit in limits for begin in begins]
        return max(found, default=None)

    def _begins(self, index: FileIndex, scope: int, parameter: facts.Parameter, passed: int) -> list[float]:
        """What a counting parameter begins with: its default, or what others pass."""
        found = self._numbers(index, parameter.default)
        position = index.parameters[scope, parameter.name]
        for site in self._ev.callers.of(index.number, scope):
            other = self._ev.store.files[site.file]
            number = calls.argument(other, site.call, index.facts.scopes[scope], position, 0)
            if number is not None and not (site.file == index.number and number == passed):
                found += self._numbers(other, number)
        return found

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _condition(self, index: FileIndex, head: int) -> tuple[facts.Name, str, int] | None:
        """(counter, operator, bound) of a comparison, the counter on the left; of the first one in a conjunction."""
        pending = [head] if head != NONE else []
        while pending:
            test = index.facts.exprs[pending.pop(0)]
            if not isinstance(test, facts.Operation):
                continue
            if test.operator in ("and", "&&"):
                pending.extend(test.operands)
            elif test.operator in _NEGATED and len(test.operands) == 2:
                left, right = test.operands
                name, other = self._counter(index, left), self._counter(index, right)
                if isinstance(name, facts.Name) and self._moves(index, name):
                    return name, test.operator, right
                if isinstance(other, facts.Name) and self._moves(index, other):
                    return other, _MIRRORED.get(test.operator, test.operator), left
        return None

    def _counter(self, index: FileIndex, number: int) -> facts.Expr:
        """What is compared: the name in ``tries++``, any other expression itself."""
        expr = index.facts.exprs[number]
        parts = expr.options if isinstance(expr, facts.Choice) else ()
        if isinstance(expr, facts.Operation) and expr.operator in ("+", "-"):
            parts = expr.operands
        inner = index.facts.exprs[parts[0]] if parts else None
        steps = self._bindings(index, inner) if isinstance(inner, facts.Name) else ()
        moved = [index.facts.exprs[one.value] for one in steps if one.kind == "augment" and one.value != NONE]
        in_place = any((one.start, one.end) == (expr.start, expr.end) for one in moved)
        return inner if inner is not None and in_place else expr

    def _moves(self, index: FileIndex, name: facts.Name) -> bool:
        """Whether a name is a counter: moved in place, or a parameter of a function that calls itself."""
        found = self._bindings(index, name)
        return any(one.kind == "for" or self._steps(index, one) for one in found) or self._owner(index, name)[1]

    def _steps(self, index: FileIndex, binding: facts.Binding) -> bool:
        """Whether a name gets its own value moved by something: ``tries += 1``, ``tries = tries + 1``."""
        value = index.facts.exprs[binding.value] if binding.value != NONE else None
        if binding.kind == "augment" or not isinstance(value, facts.Operation) or value.operator not in ("+", "-"):
            return binding.kind == "augment"
        operands = [index.facts.exprs[one] for one in value.operands]
        return any(isinstance(one, facts.Name) and one.name == binding.name for one in operands)

    def _comes_after(self, index: FileIndex, step: facts.Binding, name: facts.Name) -> bool:
        """Whether a comparison takes a counter as it was before its own step: ``tries++ >= limit``."""
        moved = index.facts.exprs[step.value] if step.value != NONE else name
        return moved.start == name.start and moved.end > name.end

    def _owner(self, index: FileIndex, name: facts.Name) -> tuple[int, bool]:
        """(scope that owns a name, whether the name is a parameter there)."""
        owner = index.owner(name.name, index.scope_of(name.block))
        return owner, (owner, name.name) in index.parameters

    def _bindings(self, index: FileIndex, name: facts.Name) -> list[facts.Binding]:
        return index.bindings.get((self._owner(index, name)[0], name.name), [])

    def _starts(self, index: FileIndex, name: facts.Name, before: int) -> list[float]:
        """What a counter begins with; [] when that is not known."""
        scope, is_parameter = self._owner(index, name)
        if is_parameter:
            values = self._ev.parameter(index.number, scope, index.parameters[scope, name.name])
            found = [one.value for one in values if isinstance(one, Const) and isinstance(one.value, int | float)]
            return [float(one) for one in found] if len(found) == len(values) else []
        numbers: list[float] = []
        for binding in self._bindings(index, name):
            if binding.kind == "for":
                return [0.0]  # `for attempt in range(3)`, tested in the handler
            if binding.kind == "assign" and binding.value != NONE and binding.start < before:
                one = self._numbers(index, binding.value)
                if not one:
                    return []
                numbers += one
        return numbers

    def _numbers(self, index: FileIndex, expr: int) -> list[float]:
        """All values of an expression when they are numbers; what callers outside the project may pass beside a
        default adds none.
        """
        record = index.facts.exprs[expr] if expr != NONE else None
        if isinstance(record, facts.Operation) and record.operator in ("+", "-") and len(record.operands) == 2:
            first, second = (self._numbers(index, one) for one in record.operands)
            sign = 1 if record.operator == "+" else -1
            return [one + sign * other for one in first for other in second]
        values = self._ev.values(index.number, expr) if expr != NONE else ()
        if any(isinstance(value, Const) for value in values):
            values = tuple(value for value in values if not isinstance(value, ParameterValue))
        found = [
            float(value.value)
            for value in values
            if isinstance(value, Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool)
        ]
        return found if len(found) == len(values) else []

    def _is(self, index: FileIndex, expr: int, truth: bool) -> bool:
        values = self._ev.values(index.number, expr)
        return any(isinstance(value, Const) and value.value is truth for value in values)


def _turns(operator: str, start: float, limit: float) -> float:
    """Turns of a loop that counts by one."""
    distance = limit - start if operator in ("<", "<=", "!=") else start - limit
    return abs(distance) + (operator in ("<=", ">="))
