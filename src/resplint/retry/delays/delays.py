"""Pauses between attempts: whether they grow, and whether chance spreads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeGuard

from resplint.bind.exit_paths import mentions, own_path
from resplint.bind.index import FileIndex, children, parts
from resplint.bind.values import Const, External, ExternalObject, FunctionValue, Instance, ParameterValue, Ref, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.flow.nodes import CallEdge
from resplint.retry.delays.delay_series import CONSTANT, UNKNOWN, Series

_SEVERAL = 2


class Delay:
    """What is known of the pause of one retrying loop."""

    def __init__(self) -> None:
        self.calls: list[Ref] = []
        self.grows = False
        self.jitter = False
        self.amounts: list[tuple[int, int, int]] = []
        """File, block and amount of each pause."""
        self.unknown = False
        """Whether code that cannot be seen seems to wait."""
        self.follows_ticks = False
        """Whether turns that succeed pause, too."""
        self.between: Ref | None = None
        """The call of a helper that these pauses stand between, where the loop is that of a caller."""


class Delays:
    """Finds pauses in a stretch of code and says how they develop from turn to turn."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator
        self._series = Series(evaluator)

    def within(self, index: FileIndex, start: int, end: int, loop: facts.Block | None) -> Delay:
        """Pauses between two offsets, those in called functions of the project included."""
        found = Delay()
        self._collect(index, start, end, loop, found, 0)
        if loop is not None and not found.grows:
            found.grows = self._by_branch(index, found, loop)
        return found

    def _by_branch(self, index: FileIndex, found: Delay, loop: facts.Block) -> bool:
        """``if failures > 5: sleep(30) else: sleep(1)``: whether a test of what changes chooses between amounts."""
        here = [(block, amount) for file, block, amount in found.amounts if file == index.number]
        amounts = {value.value for _, one in here for value in self._ev.values(index.number, one) if is_number(value)}
        if len(amounts) < _SEVERAL or len({amount for _, amount in here}) < _SEVERAL:
            return False
        heads = {head for block, _ in here for head in self._tests(index, block, loop)}
        return any(self._changes(index, head, loop) for head in heads)

    def _tests(self, index: FileIndex, block: int, loop: facts.Block) -> list[int]:
        """Conditions inside a loop that decide whether a block runs."""
        found: list[int] = []
        for number in index.enclosing_blocks(block):
            record = index.facts.blocks[number]
            if record == loop:
                break
            if record.kind in ("if", "else"):
                found += [index.facts.blocks[one].head for one in index.clauses.get(("if", record.group), ())]
        return [head for head in found if head != NONE]

    def _collect(
        self, index: FileIndex, start: int, end: int, loop: facts.Block | None, found: Delay, depth: int
    ) -> None:
        for number, call in index.calls_in(start, end):
            for value in self._ev.callee(index.number, call.callee):
                if isinstance(value, External | ExternalObject):
                    place = self._amount_at(index, call, value.dotted.replace("()", ""))
                    if place is not None:
                        found.calls.append((index.number, number))
                        self._judge(index, call, place, loop, found)
                    elif self._is_called_a_pause(index, value.dotted.replace("()", "").rpartition(".")[2]):
                        found.unknown = found.unknown or not self._only_asks(index, number, call)
                elif isinstance(value, FunctionValue) and depth < 2:
                    self._in_function(index, value, call, loop, found, depth)

    def _is_called_a_pause(self, index: FileIndex, name: str) -> bool:
        """Whether the name of a function of an unknown library says that it waits, though not for how long; one that
        sets a delay does not.
        """
        words = self._ev.roles(index.number).words
        if words.writer_prefix and name.startswith(words.writer_prefix):
            return False
        return any(word in name.lower() for word in words.pausing)

    def _only_asks(self, index: FileIndex, number: int, call: facts.Call) -> bool:
        """Whether a call takes nothing and is there for what it gives: ``task.getDelay() > left``."""
        if call.arguments or call.awaited:
            return False
        return number in index.parents or number in index.argument_of or number in index.bound_to

    def _in_function(
        self,
        index: FileIndex,
        value: FunctionValue,
        call: facts.Call,
        loop: facts.Block | None,
        found: Delay,
        depth: int,
    ) -> None:
        if value.file == index.number and index.within(call.block, value.scope):
            return  # the function that tries again calls itself
        other = self._ev.store.files[value.file]
        scope = other.facts.scopes[value.scope]
        before, waits = len(found.calls), len(found.amounts)
        block = other.facts.blocks[scope.block]
        grows = found.grows
        self._collect(other, block.start, block.end, None, found, depth + 1)
        if len(found.calls) == before and loop is not None and self._takes_growing(index, call, loop):
            found.calls.append((index.number, index.call_number(call)))
            found.grows = True
        elif len(found.calls) > before:
            found.calls.insert(before, (index.number, index.call_number(call)))
            # The pause is a parameter, or state of an object: it grows when what is passed changes from turn to turn.
            around = loop or index.facts.blocks[index.facts.scopes[index.function_of(call.block)].block]
            amounts = found.amounts[waits:]
            passed = self._given(index, call, value, amounts)
            said = any(self._said_by_error(index, one) for one in passed)
            if not grows and not found.grows:
                tested = self._given(index, call, value, amounts, tests=True) if len(amounts) >= _SEVERAL else []
                found.grows = said or any(self._changes(index, one, around) for one in [*passed, *tested])
            found.jitter = found.jitter or said or any(self._random(index, one, set()) for one in passed)

    def _given(
        self,
        index: FileIndex,
        call: facts.Call,
        function: FunctionValue,
        amounts: Sequence[tuple[int, int, int]],
        tests: bool = False,
    ) -> list[int]:
        """What a call passes for the parameters that the pauses of a function come from, or, with `tests`, that decide
        between them; everything where the function hands them on.
        """
        other = self._ev.store.files[function.file]
        record = other.facts.scopes[function.scope]
        if any(file != other.number or not other.within(block, function.scope) for file, block, _ in amounts):
            return [item.value for item in call.arguments]
        asked = [amount for _, _, amount in amounts]
        if tests:
            asked = [
                head for _, block, _ in amounts for head in self._tests(other, block, other.facts.blocks[record.block])
            ]
        names = self._parameters_in(other, function.scope, asked)
        bound = self._ev.edges.calls.bound(function, record) or self._is_of_own_object(index, call, record)
        edge = CallEdge(index.number, index.call_number(call), bound)
        placed = self._ev.edges.calls.placed(edge, call, record)
        return [item.value for item, at in placed if at == NONE or record.parameters[at].name in names]

    def _is_of_own_object(self, index: FileIndex, call: facts.Call, method: facts.Scope) -> bool:
        """Whether a call is of a method of the object that its own function belongs to: ``self.wait(pause)``."""
        callee = index.facts.exprs[call.callee]
        holder = index.facts.exprs[callee.object] if isinstance(callee, facts.Member) else None
        receives = bool(method.receiver and method.parameters) and method.parameters[0].name == method.receiver
        return receives and isinstance(holder, facts.Name) and holder.name == method.receiver

    def _parameters_in(self, index: FileIndex, scope: int, exprs: Sequence[int]) -> set[str]:
        """The parameters of a function that some of its expressions come from, through its variables."""
        found: set[str] = set()
        pending, seen = list(exprs), set[int]()
        while pending:
            number = pending.pop()
            if number in seen or number == NONE:
                continue
            seen.add(number)
            expr = index.facts.exprs[number]
            if isinstance(expr, facts.Name):
                owner = index.owner(expr.name, index.scope_of(expr.block))
                if (owner, expr.name) in index.parameters:
                    found.add(expr.name)
                pending += [one.value for one in index.bindings.get((owner, expr.name), ())]
            pending += children(expr)
        return found

    def _takes_growing(self, index: FileIndex, call: facts.Call, loop: facts.Block) -> bool:
        """Whether a helper whose pause cannot be seen is handed an amount that every turn multiplies: ``await
        sleep_or_stop(stopped, pause)`` beside ``pause = min(pause * 2, 30)``.
        """
        for item in call.arguments:
            name = index.facts.exprs[item.value]
            if not isinstance(name, facts.Name):
                continue
            owner = index.owner(name.name, index.scope_of(name.block))
            for binding in index.bindings.get((owner, name.name), ()):
                if loop.start <= binding.start < loop.end and self._multiplies(index, binding, name.name):
                    return True
        return False

    def _multiplies(self, index: FileIndex, binding: facts.Binding, name: str) -> bool:
        """Whether a name gets a multiple of itself: ``pause *= 2``, ``pause = min(pause * 2, 30)``."""
        if binding.kind == "augment":
            return binding.operator.startswith("*")
        return binding.value != NONE and any(
            isinstance(product := index.facts.exprs[number], facts.Operation)
            and product.operator == "*"
            and mentions(index, number, name)
            for number in parts(index.facts.exprs, binding.value)
        )

    def _amount_at(self, index: FileIndex, call: facts.Call, dotted: str) -> int | None:
        """Position of the amount in a call that sleeps, or that lets something run later; None for what does neither,
        or lets it run at once: ``process.nextTick``.
        """
        roles = self._ev.roles(index.number)
        names = [dotted] if "." in dotted else [dotted, *self._inherited(index, call.block, dotted)]
        if any(name in roles.delays for name in names):
            return 0
        place = roles.deferred.get(dotted, NONE)
        return place if place >= 0 else None

    def _inherited(self, index: FileIndex, block: int, name: str) -> Iterator[str]:
        """What a bare name means as a member of the classes around it that have bases outside: ``sleep(1000)`` in a
        class that extends ``Thread``.
        """
        for scope in self._ev.binder.names(index.number).enclosing(block):
            if index.facts.scopes[scope].kind == "class":
                line = self._ev.binder.line(index.number, scope)
                yield from (f"{one.dotted}.{name}" for one in line if isinstance(one, External))

    def _judge(self, index: FileIndex, call: facts.Call, place: int, loop: facts.Block | None, found: Delay) -> None:
        around = loop or index.facts.blocks[index.facts.scopes[index.function_of(call.block)].block]
        if len(call.arguments) <= place:
            place = 0  # promisify(setTimeout)(1000)
        amounts = [call.arguments[place].value] if call.arguments else self._limits(index, call, around)
        for amount in amounts:
            said = self._said_by_error(index, amount)
            found.grows = found.grows or said or self._changes(index, amount, around)
            found.jitter = found.jitter or said or self._random(index, amount, set())
        found.amounts += [(index.number, call.block, amount) for amount in amounts]

    def _said_by_error(self, index: FileIndex, expr: int) -> bool:
        """Whether an amount is read from what was caught: ``sleep(error.retry_after)``. Whoever refused the work says
        how long to wait.
        """
        pending, seen = [expr], set[int]()
        while pending:
            number = pending.pop()
            if number in seen or number == NONE:
                continue
            seen.add(number)
            found = index.facts.exprs[number]
            if isinstance(found, facts.Name):
                bound = index.bindings.get((index.owner(found.name, index.scope_of(found.block)), found.name), ())
                if any(one.kind == "except" for one in bound):
                    return True
                if len(bound) == 1:
                    pending.append(bound[0].value)
            pending.extend(children(found))
        return False

    def _limits(self, index: FileIndex, call: facts.Call, around: facts.Block) -> list[int]:
        """What limits a wait that has no limit of its own: ``wait_for(stopped.wait(), timeout=pause)``,
        ``async with timeout(pause)``.
        """
        number = index.call_number(call)
        place = index.argument_of.get(number)
        outer = index.facts.exprs[place[0]] if place is not None else None
        if isinstance(outer, facts.Call):
            return [item.value for item in outer.arguments if item.value != number]
        heads = [index.facts.blocks[one] for one in index.enclosing_blocks(call.block)]
        inside = [one.head for one in heads if one.kind == "with" and around.start <= one.start < around.end]
        return [head for head in inside if head != NONE]

    def changes(self, index: FileIndex, expr: int, scope: int) -> bool:
        """Whether an amount develops from run to run of a function."""
        return self._changes(index, expr, index.facts.blocks[index.facts.scopes[scope].block])

    def random(self, index: FileIndex, expr: int) -> bool:
        """Whether chance plays a part in an amount."""
        return self._random(index, expr, set())

    # -- does it change? -----------------------------------------------------------------------------------------------

    def _changes(self, index: FileIndex, expr: int, loop: facts.Block) -> bool:
        """Whether an expression's value develops from turn to turn: a counter, or a variable that the loop updates."""
        pending, seen = [expr], set[int]()
        while pending:
            number = pending.pop()
            if number in seen:
                continue
            seen.add(number)
            found = index.facts.exprs[number]
            if isinstance(found, facts.Name):
                if self._name_changes(index, found, loop, pending):
                    return True
            elif isinstance(found, facts.Member):
                if self._field_changes(index, found.name):
                    return True
                if isinstance(index.facts.exprs[found.object], facts.Member):
                    continue  # `this.settings.interval`: settings that are completed make no interval grow
            elif isinstance(found, facts.Call):
                kind = self._series.kind(index, found, loop)
                if kind == CONSTANT:
                    continue
                if kind or self._stateful(index, number, found, loop) or self._unwritten(index, found):
                    return True
                if self._gives_changing(index, found) or self._stored_anew(index, found):
                    return True
            pending.extend(children(found))
        return False

    def _stored_anew(self, index: FileIndex, asked: facts.Call) -> bool:
        """Whether what an object holds and gives is stored in it anew, reckoned from what it gave: ``hold.set(min(2 *
        hold.get(), 30_000))``.
        """
        getter = index.facts.exprs[asked.callee]
        holder = own_path(index, getter.object) if isinstance(getter, facts.Member) and not asked.arguments else ""
        if not isinstance(getter, facts.Member) or not holder:
            return False
        switches = self._ev.roles(index.number).switch
        setters = {one for switch in switches if getter.name in switch.asked for one in switch.stores}
        asking, stored = set[int](), list[int]()
        for number in index.calls if setters else ():
            call = index.facts.exprs[number]
            callee = index.facts.exprs[call.callee] if isinstance(call, facts.Call) else None
            if isinstance(call, facts.Call) and isinstance(callee, facts.Member):
                if callee.name in {getter.name, *setters} and own_path(index, callee.object) == holder:
                    stored += [item.value for item in call.arguments]
                    if not call.arguments:
                        asking.add(number)
        names = {one.name for number in asking for one in index.bound_to.get(number, ())}
        return any(
            not asking.isdisjoint(parts(index.facts.exprs, one)) or any(mentions(index, one, name) for name in names)
            for one in stored
        )

    def _name_changes(self, index: FileIndex, name: facts.Name, loop: facts.Block, pending: list[int]) -> bool:
        owner = index.owner(name.name, index.scope_of(name.block))
        if owner != NONE and index.facts.scopes[owner].kind == "class" and index.facts.scopes[owner].is_open:
            return self._field_changes(index, name.name)
        for binding in index.bindings.get((owner, name.name), ()):
            inside = loop.start <= binding.start < loop.end
            if binding.kind == "for":
                if self._counter(index, binding):
                    return True
            elif binding.kind == "augment":
                if inside:
                    return True
            elif inside and binding.value != NONE:
                if mentions(index, binding.value, name.name):
                    return True
                pending.append(binding.value)
        if self._by_steps(index, index.bindings.get((owner, name.name), ()), loop):
            pending += [
                head
                for binding in index.bindings.get((owner, name.name), ())
                if loop.start <= binding.start < loop.end
                for head in self._tests(index, binding.block, loop)
            ]
        return self._is_parameter_of_recursion(index, name)

    def _by_steps(self, index: FileIndex, bindings: Sequence[facts.Binding], loop: facts.Block) -> bool:
        """Whether a name gets one of several numbers in a loop: ``pause = 1``, ``if attempt > 3: pause = 10``."""
        values = [value for one in bindings for value in self._ev.values(index.number, one.value)]
        numbers = {value.value for value in values if is_number(value)}
        return len(numbers) >= _SEVERAL and any(loop.start <= one.start < loop.end for one in bindings)

    def _is_parameter_of_recursion(self, index: FileIndex, name: facts.Name) -> bool:
        """`def connect(attempt=0): … connect(attempt + 1)`."""
        scope = index.owner(name.name, index.scope_of(name.block))
        position = index.parameters.get((scope, name.name))
        if position is None:
            return False
        for site in self._ev.callers.of(index.number, scope):
            if site.file != index.number or not index.within(index.facts.exprs[site.call].block, scope):
                continue
            call = index.facts.exprs[site.call]
            assert isinstance(call, facts.Call)
            for item in call.arguments:
                if isinstance(index.facts.exprs[item.value], facts.Operation) and mentions(
                    index, item.value, name.name
                ):
                    return True
        return False

    def _counter(self, index: FileIndex, binding: facts.Binding) -> bool:
        head = index.facts.exprs[binding.value] if binding.value != NONE else None
        if not isinstance(head, facts.Call):
            return False
        values = self._ev.callee(index.number, head.callee)
        return any(
            isinstance(value, External) and value.dotted in self._ev.roles(index.number).counters for value in values
        )

    def _field_changes(self, index: FileIndex, name: str) -> bool:
        """`self.delay`, or a bare `delay`, that the code around updates from its own value."""
        for write in index.writes_by_name.get(name, ()):
            if write.kind == "augment" and write.operator not in ("|=",):
                return True
            if write.value != NONE and self._mentions_field(index, write.value, name):
                return True
        return False

    def _mentions_field(self, index: FileIndex, expr: int, name: str) -> bool:
        """Whether a field's own value goes into what is stored in it; a parameter of the same name is not the field."""
        for number in parts(index.facts.exprs, expr):
            found = index.facts.exprs[number]
            if isinstance(found, facts.Member) and found.name == name:
                return True
            if isinstance(found, facts.Name) and found.name == name:
                if self._is_field(index, index.owner(found.name, index.scope_of(found.block))):
                    return True
        return False

    def _is_field(self, index: FileIndex, owner: int) -> bool:
        """Whether a bare name that belongs to a scope is a field: the members of some classes are seen in them."""
        return owner != NONE and index.facts.scopes[owner].kind == "class" and index.facts.scopes[owner].is_open

    def _stateful(self, index: FileIndex, number: int, call: facts.Call, loop: facts.Block) -> bool:
        """A method of a project's object that updates a field from itself (a back-off object), or a generator."""
        for value in (*self._ev.callee(index.number, call.callee), *self._written(index, call)):
            if isinstance(value, FunctionValue):
                other = self._ev.store.files[value.file]
                scope = other.facts.scopes[value.scope]
                if scope.is_generator:
                    return True
                for write in other.facts.writes:
                    name = other.target_name(write.target) or ""
                    if other.function_of(write.block) != value.scope:
                        continue
                    if write.kind == "augment" or (
                        write.value != NONE and self._mentions_field(other, write.value, name)
                    ):
                        return True
        return False

    def _gives_changing(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether a function of the project reckons what it gives from a field that counts: ``return 2 **
        self.failures``.
        """
        for value in self._ev.callee(index.number, call.callee):
            if not isinstance(value, FunctionValue):
                continue
            other = self._ev.store.files[value.file]
            pending = [one.value for one in other.jumps.get(value.scope, ()) if one.kind == "return"]
            seen = {NONE}
            while pending:
                number = pending.pop()
                if number in seen:
                    continue
                seen.add(number)
                found = other.facts.exprs[number]
                if isinstance(found, facts.Member) and self._field_changes(other, found.name):
                    return True
                if isinstance(found, facts.Name):
                    owner = other.owner(found.name, other.scope_of(found.block))
                    if self._is_field(other, owner) and self._field_changes(other, found.name):
                        return True
                    pending += [
                        one.value for one in other.bindings.get((owner, found.name), ()) if owner == value.scope
                    ]
                pending += children(found)
        return False

    def _written(self, index: FileIndex, call: facts.Call) -> list[FunctionValue]:
        """What stands in the classes of the project for the methods without a body that a call may be of."""
        found: dict[FunctionValue, None] = {}
        for value in self._ev.callee(index.number, call.callee):
            if isinstance(value, FunctionValue) and self._ev.is_abstract(value):
                other = self._ev.store.files[value.file]
                owner = other.class_of(value.scope)
                name = other.facts.scopes[value.scope].name
                callee = index.facts.exprs[call.callee]
                made = self._ev.values(index.number, callee.object) if isinstance(callee, facts.Member) else ()
                classes = [(one.file, one.scope) for one in made if isinstance(one, Instance) and one.exact]
                for one in classes or (self._ev.classes.subclasses(value.file, owner) if owner != NONE else ()):
                    methods = self._ev.classes.methods(*one, name)
                    found.update(dict.fromkeys(each for each in methods if not self._ev.is_abstract(each)))
        return list(found)

    def _unwritten(self, index: FileIndex, call: facts.Call) -> bool:
        """Whether nobody is seen to say what a call gives: it is of a method that others write, or of a function that
        was handed in. That may be another amount each time; what is called like a field is a setting.
        """
        prefixes = self._ev.roles(index.number).words.reader_prefixes
        if getattr(index.facts.exprs[call.callee], "name", "").startswith(prefixes):
            return False
        values = self._ev.callee(index.number, call.callee)
        handed = isinstance(index.facts.exprs[call.callee], facts.Name)
        left = [
            (isinstance(one, FunctionValue) and self._ev.is_abstract(one))
            or (handed and isinstance(one, ParameterValue))
            for one in values
        ]
        return bool(left) and all(left) and not self._written(index, call)

    # -- is there chance in it? ----------------------------------------------------------------------------------------

    def _random(self, index: FileIndex, expr: int, seen: set[Ref]) -> bool:
        pending = [(index.number, expr)]
        while pending:
            ref = pending.pop()
            if ref in seen or ref[1] == NONE:
                continue
            seen.add(ref)
            here = self._ev.store.files[ref[0]]
            found = here.facts.exprs[ref[1]]
            if isinstance(found, facts.Call):
                if self._series.kind(here, found, None) == UNKNOWN or self._unwritten(here, found):
                    return True  # what it holds may have been spread
                for value in (*self._ev.values(ref[0], found.callee), *self._written(here, found)):
                    if isinstance(value, External | ExternalObject):
                        if value.dotted.replace("()", "") in self._ev.roles(ref[0]).random:
                            return True
                    elif isinstance(value, FunctionValue):
                        other = self._ev.store.files[value.file]
                        pending.extend((value.file, jump.value) for jump in other.jumps.get(value.scope, ()))
            elif isinstance(found, facts.Name):
                owner = here.owner(found.name, here.scope_of(found.block))
                pending.extend((ref[0], binding.value) for binding in here.bindings.get((owner, found.name), ()))
            pending.extend((ref[0], child) for child in children(found))
        return False


def is_number(value: Value) -> TypeGuard[Const]:
    """Whether a value is a number that is known."""
    return isinstance(value, Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool)
