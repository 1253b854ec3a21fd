"""Delays that clients are configured with: a number, a policy object, or a function of the attempt's number."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from resplint.bind.index import FileIndex, children
from resplint.bind.values import (
    ClassValue,
    Const,
    External,
    ExternalObject,
    FunctionValue,
    Instance,
    LibraryMethod,
    LibraryObject,
    Ref,
    Value,
    Values,
)
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.remedy import Remedy
from resplint.flow.graph import Graph
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.client_records import ClientLibrary, OptionModel, RetryModel
from resplint.redis.making import Making
from resplint.redis.options.options import Options
from resplint.redis.options.setters import setter_property
from resplint.remedies import growing_delays
from resplint.retry.delays.delays import Delays, is_number
from resplint.retry.delays.policies import Retry

_ROLES = ("retry_delay", "backoff")
_SEVERAL = 2
_RELATIONS = ("<", ">", "<=", ">=")


class Strategies:
    """Finds them on the clients that the project makes."""

    def __init__(self, evaluator: Graph, making: Making, options: Options) -> None:
        self._ev = evaluator
        self._making = making
        self._options = options
        self._delays = Delays(evaluator)

    def all(self) -> Iterator[Retry]:
        """Every delay that code sets, once for each place, and constant ones that clients have by default."""
        seen: set[Ref] = set()
        for value in self._making.made:
            for option in self._options.every(value, _ROLES):
                if option.model is None or option.model.setters or option.model.role != _ROLES[0]:
                    continue  # set by calls, or a policy object: judged where those stand
                if option.given and option.ref is not None and option.ref not in seen:
                    seen.add(option.ref)
                    if retry := self._judge(option.model, option.values, option.ref, value.made, self._endless):
                        yield retry
            yield from self._by_default(value)

    @cached_property
    def _endless(self) -> set[Ref]:
        """Where delays are set that decide nothing but when clients connect again: those go on without end, and no
        request fails after a number of attempts.
        """
        endless: set[Ref] = set()
        others: set[Ref] = set()
        for value in self._making.made:
            for option in self._options.every(value, _ROLES[:1]):
                if option.ref is not None and option.model is not None:
                    counts = not option.model.endless or self._counts(value)
                    (others if counts else endless).add(option.ref)
        return endless - others

    def _counts(self, value: LibraryObject) -> bool:
        """Whether requests of a client fail after a number of its attempts to connect."""
        option = self._options.find(value, "retries")
        if option is None or option.model is None:
            return False
        if not option.given or option.unknown:
            return option.unknown or option.default != "unbounded"
        unbounded = option.model.none_means == "unbounded"
        return not (unbounded and all(isinstance(one, Const) and one.value is None for one in option.values))

    def _by_default(self, value: LibraryObject) -> Iterator[Retry]:
        """A client of a version that waits the same time before each attempt unless it is set."""
        if value.made is None or value.origin.constructor is None:
            return
        if not self._ev.catalogue.uses_setters(value.origin.library.library.name):
            return
        option = self._options.find(value, _ROLES[0])
        if option is None or option.given or option.unknown or option.default != "constant" or option.model is None:
            return
        if any(self._from_outside(source) for source in self._options.sources(value)):
            return
        index = self._ev.store.files[value.made[0]]
        expr = index.facts.exprs[value.made[1]]
        place = (index.number, expr.start, expr.end)
        scope = index.function_of(expr.block)
        yield Retry(
            "default", "constant", False, place, option.model.name, scope, advice=option.model.advice,
            since=self._since(value, index.number),
        )  # fmt: skip

    def _since(self, value: LibraryObject, file: int) -> str:
        """The release from which on delays of a client can grow; "" when the one in use has that."""
        version = self._ev.version(value, file).version
        library = value.origin.library
        models = [one for options in library.option_set.values() for one in options if one.role in _ROLES]
        growing = [one.versions for one in models if one.default == "exponential+jitter"]
        if not version or any(version_in(version, one) for one in growing):
            return ""
        since = next((one.removeprefix(">=") for one in growing if one.startswith(">=")), "")
        return f"{library.library.title or library.library.name} {since}" if since else ""

    def _from_outside(self, source: LibraryObject) -> bool:
        """Whether what configures a client was made elsewhere, or is handed to code that may set anything on it:
        ``customizer.customize(config)``.
        """
        if source.made is None:
            return source.subclass is None
        if source.kind != "config":
            return False
        index = self._ev.store.files[source.made[0]]
        return any(
            source in self._ev.values(index.number, item.value)
            and not any(self._followed(one) for one in self._ev.callee(index.number, call.callee))
            for number in index.calls
            if isinstance(call := index.facts.exprs[number], facts.Call)
            for item in call.arguments
            if isinstance(index.facts.exprs[item.value], facts.Name | facts.Member)
        )

    def _followed(self, callee: Value) -> bool:
        """Whether it is known what a callee does with a configuration: not where somebody else writes the method."""
        if isinstance(callee, FunctionValue):
            return not self._ev.is_abstract(callee)
        return isinstance(callee, LibraryMethod | LibraryObject | ClassValue | External)

    # -- delays that calls set -----------------------------------------------------------------------------------------

    @cached_property
    def _setters(self) -> dict[str, list[tuple[ClientLibrary, OptionModel]]]:
        """Name of a method or property that sets a delay -> what it sets."""
        table: dict[str, list[tuple[ClientLibrary, OptionModel]]] = {}
        for library in self._ev.catalogue.libraries.values():
            for model in (one for options in library.option_set.values() for one in options):
                if model.role in _ROLES:
                    for name in model.setters:
                        names = {name, setter_property(self._ev, library, name)}
                        for each in names:
                            table.setdefault(each, []).append((library, model))
        return table

    def setting(self, index: FileIndex, number: int) -> Retry | None:
        """The delay that a call sets: ``setRetryInterval(1500)``, ``reconnectDelay(Delay.constant(…))``."""
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member | facts.Name) or not call.arguments:
            return None
        fixed = self._ev.catalogue.fixes_delay(callee.name)
        if not fixed and callee.name not in self._setters:
            return None
        for value in self._ev.callee(index.number, call.callee):
            if isinstance(value, LibraryMethod):
                if fixed and (retry := self._fixed(index, call, value)):
                    return retry
                return self._set(index, callee.name, call.arguments[0].value, value.object)
        return None

    def assigned(self, index: FileIndex, write: facts.Write) -> Retry | None:
        """The delay that an assignment to a property sets: ``config.retryInterval = 1500``."""
        target = index.facts.exprs[write.target]
        if not isinstance(target, facts.Member) or target.name not in self._setters or write.value == NONE:
            return None
        for value in self._ev.values(index.number, target.object):
            if isinstance(value, LibraryObject):
                return self._set(index, target.name, write.value, value)
        return None

    def _fixed(self, index: FileIndex, call: facts.Call, value: LibraryMethod) -> Retry | None:
        version = self._ev.version(value.object, index.number).version
        model = self._ev.catalogue.method_of(value.object.origin, value.name, version)
        if model is None or not model.retry_delay:
            return None
        scope = index.function_of(call.block)
        place = (index.number, call.start, call.end)
        since = self._since(value.object, index.number)
        return Retry("policy", model.retry_delay, False, place, value.name, scope, since=since)

    def _set(self, index: FileIndex, name: str, argument: int, owner: LibraryObject) -> Retry | None:
        for library, model in self._setters.get(name, ()):
            if library is owner.origin.library:
                values = self._ev.values(index.number, argument)
                return self._judge(model, values, (index.number, argument), None)
        return None

    # -- how a delay develops ------------------------------------------------------------------------------------------

    def _judge(
        self, model: OptionModel, values: Values, ref: Ref, client: Ref | None, endless: Collection[Ref] = ()
    ) -> Retry | None:
        found = [one for value in values if (one := self._growth(value, ref))]
        if not found or len(found) < len([v for v in values if not isinstance(v, Const) or v.value]):
            return None
        kinds = {kind for kind, _ in found}
        growth = next(kind for kind in ("none", "constant", "exponential") if kind in kinds)
        at = self._place(values, ref)
        index = self._ev.store.files[at[0]]
        expr = index.facts.exprs[at[1]]
        steps: tuple[tuple[Ref, str], ...] = ((client, "the client"),) if client else ()
        if at != ref:
            steps = ((ref, "the delay is set here"),)
        elsewhere = [v for v in values if isinstance(v, FunctionValue) and not self._stands_in(v, index, expr)]
        steps += tuple(((one.file, -2 - one.scope), "computes the delay") for one in elsewhere[:1])
        name = model.name.rsplit(".", 1)[-1]
        jitter = all(random for _, random in found)
        scope = index.function_of(expr.block)
        place = (at[0], expr.start, expr.end)
        fix = self._remedy(model, values, ref, at, ref in endless) if growth != "exponential" else None
        limits = [self._limit(one) if isinstance(one, FunctionValue) else None for one in values]
        known = [one for one in limits if one is not None]
        attempts = max(known) if known and len(known) == len(limits) else None
        return Retry(
            "policy", growth, jitter, place, name, scope, steps, attempts=attempts, advice=model.advice, remedy=fix,
        )  # fmt: skip

    def goes_on(self, value: LibraryObject) -> bool:
        """Whether a client connects again by itself for as long as it takes, as far as is seen."""
        option = self._options.find(value, _ROLES[0])
        if option is None or option.model is None:
            return False
        if not option.given:
            return option.default != "none"
        return not any(
            self._gives_up(one) if isinstance(one, FunctionValue) else isinstance(one, Const) and one.value is False
            for one in option.values
        )

    def _gives_up(self, function: FunctionValue) -> bool:
        """Whether a function of the attempts gives no further delay at some time."""
        index = self._ev.store.files[function.file]
        return any(self._ends(index, jump) for jump in index.jumps.get(function.scope, ()))

    def _limit(self, function: FunctionValue) -> float | None:
        """The number of attempts behind which a function gives no further delay: ``if (times > 5) return null``."""
        index = self._ev.store.files[function.file]
        for jump in index.jumps.get(function.scope, ()):
            guard = index.facts.blocks[jump.block]
            test = index.facts.exprs[guard.head] if guard.kind == "if" and guard.head != NONE else None
            if not isinstance(test, facts.Operation) or test.operator not in (">", ">=") or not self._ends(index, jump):
                continue
            name = index.facts.exprs[test.operands[0]]
            values = self._ev.values(index.number, test.operands[-1])
            numbers = [float(one.value) for one in values if is_number(one) and isinstance(one.value, int | float)]
            if isinstance(name, facts.Name) and (function.scope, name.name) in index.parameters:
                if numbers and len(numbers) == len(values):
                    return max(numbers)
        return None

    def _ends(self, index: FileIndex, jump: facts.Jump) -> bool:
        """Whether a jump ends the attempts: it raises, or gives an error or nothing back."""
        if jump.kind != "return" or jump.value == NONE:
            return jump.kind in ("raise", "return")
        given = index.facts.exprs[jump.value]
        empty = isinstance(given, facts.Literal) and given.type in ("none", "bool") and not given.value
        return empty or self._is_error(index, jump.value)

    def _remedy(self, model: OptionModel, values: Values, ref: Ref, at: Ref, endless: bool) -> Remedy | None:
        """How the delay is made to grow, where that is mechanical."""
        known = self._policy(values[0]) if len(values) == 1 else None
        if known is not None:
            return growing_delays.of_policy(self._ev, self._ev.store.files[at[0]], at, values[0], known)
        return growing_delays.of_option(self._ev, model, values, ref, endless)

    def _stands_in(self, function: FunctionValue, index: FileIndex, expr: facts.Expr) -> bool:
        """Whether a function is written out in an expression."""
        record = self._ev.store.files[function.file].facts.scopes[function.scope]
        return function.file == index.number and expr.start <= record.start < expr.end

    def _place(self, values: Values, ref: Ref) -> Ref:
        """A delay object is judged where it is made."""
        for value in values:
            made = value.ref if isinstance(value, ExternalObject) else getattr(value, "made", None)
            if made is not None and self._ev.store.is_judged(made[0]):
                return made
        return ref

    def _growth(self, value: Value, ref: Ref) -> tuple[str, bool] | None:
        """(growth, jitter) of a delay, None when nothing is known or nothing is tried again."""
        if isinstance(value, Const):
            number = value.value
            if isinstance(number, bool) or not isinstance(number, int | float):
                return None
            return ("constant" if number else "none", False)
        if isinstance(value, FunctionValue):
            return self.of_function(value)
        if known := self._known(value):
            return known
        if isinstance(value, Instance):
            return self._of_object(value)
        return None

    def _known(self, value: Value) -> tuple[str, bool] | None:
        """Growth and jitter of a policy object of a library."""
        known = self._policy(value)
        return (known.growth, known.jitter) if known else None

    def _policy(self, value: Value) -> RetryModel | None:
        """What is known of a policy object of a library."""
        dotted = ""
        if isinstance(value, ExternalObject):
            dotted = value.dotted.removesuffix("()")
        elif isinstance(value, LibraryObject) and value.made is not None:
            dotted = value.origin.type.name
            if value.origin.constructor is not None:
                dotted = value.origin.constructor.names[0]
        return self._ev.catalogue.retry(dotted)

    def _of_object(self, value: Instance) -> tuple[str, bool] | None:
        """The project's own delay object: what its methods return that receive the number of the attempt."""
        found = []
        for owner in self._ev.classes.line(value.file, value.scope):
            if not isinstance(owner, ClassValue):
                continue
            for number, scope in enumerate(self._ev.store.files[owner.file].facts.scopes):
                if scope.kind == "function" and scope.parent == owner.scope and len(scope.parameters) == 1:
                    if not scope.is_constructor and (one := self.of_function(FunctionValue(owner.file, number))):
                        found.append(one)
        return found[0] if len(found) == 1 else None

    # -- functions of the attempt --------------------------------------------------------------------------------------

    def of_function(self, function: FunctionValue) -> tuple[str, bool] | None:
        """Growth and jitter of the delays that a function returns; None when it never retries or is not known."""
        index = self._ev.store.files[function.file]
        found: list[tuple[str, bool]] = []
        parts = list[int]()
        for jump in index.jumps.get(function.scope, ()):
            if jump.kind == "return" and jump.value != NONE:
                for part in self._branches(index, jump.value):
                    if one := self._returned(index, function.scope, part):
                        found.append(one)
                        parts.append(part)
        if not found:
            return None
        if any(kind == "exponential" for kind, _ in found):
            growing = [jitter for kind, jitter in found if kind == "exponential"]
            return ("exponential", any(growing))
        if self._by_steps(index, function, parts):
            return ("exponential", False)
        return next((one for one in found if one[0] != "none"), found[0])

    def _by_steps(self, index: FileIndex, function: FunctionValue, parts: list[int]) -> bool:
        """Whether the number of the attempt chooses between several delays: ``times > 10 ? 15000 : 1000``. An attempt
        that is made at once before the others wait makes no delay grow: ``times > 1 ? 15000 : 0``.
        """
        values = [value.value for part in parts for value in self._ev.values(index.number, part) if is_number(value)]
        if len({value for value in values if value}) < _SEVERAL:
            return False
        body = index.facts.blocks[index.facts.scopes[function.scope].block]
        heads = [index.facts.blocks[one].head for one in index.blocks_in(body.start, body.end)]
        choices = [index.facts.exprs[holder] for part in parts if (holder := index.parents.get(part)) is not None]
        heads += [one.condition for one in choices if isinstance(one, facts.Choice)]
        tests = [index.facts.exprs[head] for head in heads if head != NONE]
        return any(
            isinstance(test, facts.Operation)
            and test.operator in _RELATIONS
            and any(self._depends(index, function.scope, one) for one in test.operands)
            for test in tests
        )

    def _branches(self, index: FileIndex, expr: int) -> list[int]:
        """The options of `attempt > 5 ? null : 1000`."""
        pending = [expr]
        found: list[int] = []
        while pending:
            number = pending.pop()
            record = index.facts.exprs[number]
            if isinstance(record, facts.Choice):
                pending.extend(record.options)
            else:
                found.append(number)
        return found

    def _returned(self, index: FileIndex, scope: int, expr: int) -> tuple[str, bool] | None:
        if self._is_error(index, expr):
            return None
        if self._depends(index, scope, expr):
            return ("exponential", self._delays.random(index, expr))
        values = self._ev.values(index.number, expr)
        for value in values:
            if known := self._known(value):
                return known
        numbers = [v.value for v in values if isinstance(v, Const) and not isinstance(v.value, bool)]
        plain = [number for number in numbers if isinstance(number, int | float)]
        if plain and len(plain) == len(values):
            return ("constant" if any(plain) else "none", False)
        if not any(isinstance(v, Const) and v.value is None for v in values) and self._is_settled(index, scope, expr):
            return ("constant", False)
        return None

    def _is_settled(self, index: FileIndex, scope: int, expr: int) -> bool:
        """Whether a function returns what was there before it and what nobody changes, whatever the number may be: a
        parameter of the function that made it, a setting.
        """
        record = index.facts.exprs[expr]
        while isinstance(record, facts.Member):
            if any(not self._constructs(index, write) for write in index.writes_by_name.get(record.name, ())):
                return False
            if isinstance(index.facts.exprs[record.object], facts.Name) and self._is_own(index, record):
                return True
            record = index.facts.exprs[record.object]
        if not isinstance(record, facts.Name):
            return False
        owner = index.owner(record.name, scope)
        if owner == NONE:
            return bool(index.imports.get((0, record.name)))
        if index.within(index.facts.scopes[owner].block, scope):
            return False
        bound = index.bindings.get((owner, record.name), ())
        if any(one.kind != "assign" or index.scope_of(one.block) != owner for one in bound):
            return False
        return not bound if (owner, record.name) in index.parameters else len(bound) == 1

    def _is_own(self, index: FileIndex, member: facts.Member) -> bool:
        """Whether a member is one of the object whose method the code belongs to."""
        name = index.facts.exprs[member.object]
        if not isinstance(name, facts.Name):
            return False
        scope = index.function_of(name.block)
        while scope != NONE and index.facts.scopes[scope].receiver != name.name:
            scope = index.facts.scopes[scope].parent
        return scope != NONE

    def _constructs(self, index: FileIndex, write: facts.Write) -> bool:
        return write.kind == "assign" and index.facts.scopes[index.function_of(write.block)].is_constructor

    def _is_error(self, index: FileIndex, expr: int) -> bool:
        """``return new Error('out of reach')`` gives up."""
        record = index.facts.exprs[expr]
        if not isinstance(record, facts.Call):
            return False
        callee = index.facts.exprs[record.callee]
        return isinstance(callee, facts.Name | facts.Member) and callee.name.endswith(
            self._ev.roles(index.number).words.error_endings
        )

    def _depends(self, index: FileIndex, scope: int, expr: int) -> bool:
        """Whether a returned number is computed from what the function receives, or from state that it changes."""
        pending, seen = [expr], set[int]()
        while pending:
            number = pending.pop()
            if number in seen or number == NONE:
                continue
            seen.add(number)
            record = index.facts.exprs[number]
            if isinstance(record, facts.Name):
                if (scope, record.name) in index.parameters:
                    return True
                for binding in index.bindings.get((scope, record.name), ()):
                    pending.append(binding.value)
                if any(one.kind == "augment" for one in self._outer(index, scope, record.name)):
                    return True
                continue
            if isinstance(record, facts.Member) and self._changed(index, record.name):
                return True
            pending.extend(children(record))
        return False

    def _outer(self, index: FileIndex, scope: int, name: str) -> list[facts.Binding]:
        return index.bindings.get((index.owner(name, scope), name), [])

    def _changed(self, index: FileIndex, name: str) -> bool:
        """A field that the code around counts up."""
        return any(write.kind == "augment" for write in index.writes_by_name.get(name, ()))
