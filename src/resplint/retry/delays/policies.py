"""Retry policies and retrying decorators: objects that say how often and after which pause work is tried again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, External, ExternalObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.remedy import Remedy
from resplint.execution.roles import RoleTable
from resplint.flow.graph import Graph
from resplint.knowledge.records.role_records import RetryDecorator
from resplint.remedies import growing_delays
from resplint.retry.caught_errors import Errors
from resplint.retry.escaping_failures import EscapingFailures
from resplint.retry.work import Work


@dataclass(frozen=True, slots=True)
class Retry:
    """One way in which Redis work is retried.

    `kind` is loop, tick (a loop that pauses at every turn, failed or not), recursion, decorator, policy,
    or default (what a client does without a setting); `growth` none, constant or exponential (any growth). `place`
    is (file, start, end).
    """

    kind: str
    growth: str
    jitter: bool
    place: tuple[int, int, int]
    subject: str
    scope: int
    """The function (or other scope) around it."""
    steps: tuple[tuple[Ref, str], ...] = ()
    work: Ref | None = None
    """The call that is tried again."""
    pauses: tuple[Ref, ...] = ()
    """The calls that wait before the next attempt."""
    awaits: bool = False
    """Whether a loop does no more than wait until the server can be reached."""
    asks: bool = False
    """Whether that is all it does, and it asks for a sign of life for it (PING) over clients that are there already."""
    opens: tuple[Ref, ...] = ()
    """Where clients are made that a loop opens, and that by themselves try until they are connected, after growing
    delays.
    """
    attempts: float | None = None
    """How many attempts a loop or a function makes at most, where that is known."""
    advice: str = ""
    """What to write instead, where that is known."""
    remedy: Remedy | None = None
    since: str = ""
    """The first release of the client whose delays can grow, where the one in use cannot let them: "Redisson 3.48.0".
    """


class Policies:
    """Finds them."""

    def __init__(
        self, evaluator: Graph, roles: RoleTable, errors: Errors, work: Work, escaping: EscapingFailures
    ) -> None:
        self._ev = evaluator
        self._roles = roles
        self._errors = errors
        self._work = work
        self._escaping = escaping

    def policy(self, index: FileIndex, number: int) -> Retry | None:
        """The policy that a call makes, if it makes one."""
        call = index.facts.exprs[number]
        assert isinstance(call, facts.Call)
        callee = index.facts.exprs[call.callee]
        if isinstance(callee, facts.Name | facts.Member) and callee.name not in self._names:
            return None
        for value in self._ev.carried(index.number, call.callee):
            model = self._ev.catalogue.retry(value.dotted) if isinstance(value, External) else None
            if model is None or model.growth != "policy":
                continue
            backoff = _argument(call, model.backoff_parameter, model.backoff_index)
            retries = _argument(call, model.retries_parameter, model.retries_index)
            counts = [v.value for v in self._ev.values(index.number, retries) if isinstance(v, Const)]
            if counts and all(isinstance(count, int) and 0 <= count <= 1 for count in counts):
                continue
            for one in self._ev.values(index.number, backoff):
                dotted = one.dotted.removesuffix("()") if isinstance(one, ExternalObject) else ""
                known = self._ev.catalogue.retry(dotted)
                if known is not None:
                    step = (
                        (index.number, backoff),
                        f"the delay between attempts: `{dotted.rsplit('.', 1)[-1]}`",
                    )
                    place = (index.number, call.start, call.end)
                    name = dotted.rsplit(".", 1)[-1]
                    scope = index.function_of(call.block)
                    fix = growing_delays.of_policy(self._ev, index, (index.number, backoff), one, known)
                    return Retry("policy", known.growth, known.jitter, place, name, scope, (step,), remedy=fix)
        return None

    @cached_property
    def _names(self) -> frozenset[str]:
        """Names that the project may have for the policies of libraries."""
        return frozenset(name for one in self._ev.catalogue.retry_names for name in self._ev.store.aliases(one))

    def decorators(self, index: FileIndex, scope: int) -> list[Retry]:
        """Retrying decorators of a function that does Redis work."""
        found = []
        for number in self._roles.retry_decorators(index.number, scope):
            retry = self._decorator(index, scope, number)
            if retry is not None:
                found.append(retry)
        return found

    def _decorator(self, index: FileIndex, scope: int, number: int) -> Retry | None:
        roles = self._ev.roles(index.number)
        expr = index.facts.exprs[number]
        call = expr if isinstance(expr, facts.Call) else facts.Call(expr.start, expr.end, expr.block, number, ())
        values = self._ev.callee(index.number, call.callee)
        names = {value.dotted.replace("()", "") for value in values if isinstance(value, External | ExternalObject)}
        model = next((one for one in roles.retry_decorator if names & set(one.names)), None)
        attempts = self._attempts(index, call, model) if model is not None else None
        if model is None or (attempts is not None and attempts <= 2):
            return None
        errors = self._error_kinds(index, call, model)
        if (errors or model.needs_errors) and "redis" not in errors and "broad" not in errors:
            return None
        body = index.facts.blocks[index.facts.scopes[scope].block]
        if not self._is_tried("redis" in errors, index.number, scope) or not self._escaping.reach(index, body):
            return None
        wait = _argument(call, model.wait_parameter, model.wait_index)
        if wait == NONE and any(item.name in ("*", "**") for item in call.arguments):
            return None  # the policy may be in what is spread
        growth = self._growth(index, wait) if wait != NONE else model.default_growth
        if model.growth_parameter:
            growth = self._by_factor(index, call, wait, model)
        if growth is None:
            return None
        step = ((index.number, -2 - scope), f"retried: `{index.facts.scopes[scope].name}`")
        place = (index.number, expr.start, expr.end)
        return Retry(
            "decorator", growth.split("+")[0], "+jitter" in growth, place, "the decorator", scope, (step,),
            attempts=attempts,
        )  # fmt: skip

    def _is_tried(self, names_redis: bool, file: int, scope: int) -> bool:
        """Whether a decorator is for failures of Redis: it names its errors, or Redis is what the function needs."""
        return self._work.comes_first(file, scope) if names_redis else self._work.comes_first_or_alone(file, scope)

    def _by_factor(self, index: FileIndex, call: facts.Call, wait: int, model: RetryDecorator) -> str:
        """``@Backoff(delay = 500, multiplier = 2, random = true)``: a factor above 1 grows."""
        inner = index.facts.exprs[wait] if wait != NONE else call
        holder = inner if isinstance(inner, facts.Call) else call
        factor = _argument(holder, model.growth_parameter, -1)
        numbers = [v.value for v in self._ev.values(index.number, factor) if isinstance(v, Const)]
        if not any(isinstance(number, int | float) and number > 1 for number in numbers):
            return model.default_growth
        jitter = _argument(holder, model.jitter_parameter, -1) if model.jitter_parameter else NONE
        random = any(isinstance(v, Const) and v.value for v in self._ev.values(index.number, jitter))
        return "exponential+jitter" if random else "exponential"

    def _growth(self, index: FileIndex, wait: int) -> str | None:
        """Growth of a wait policy; of a sum of policies, that of the one which grows."""
        expr = index.facts.exprs[wait]
        parts = expr.operands if isinstance(expr, facts.Operation) else (wait,)
        growths = []
        for part in parts:
            for value in self._ev.values(index.number, part):
                if isinstance(value, External | ExternalObject):
                    growths.append(self._ev.roles(index.number).waits.get(value.dotted.replace("()", "")))
        known = [growth for growth in growths if growth]
        if not known or len(known) < len(growths):
            return None
        jitter = "+jitter" if any("jitter" in growth for growth in known) or len(parts) > 1 else ""
        grows = any(growth.startswith("exponential") for growth in known)
        return ("exponential" + jitter) if grows else known[0]

    def _attempts(self, index: FileIndex, call: facts.Call, model: RetryDecorator) -> int | None:
        """How many attempts the decorator makes at most, the first included; None when it does not say."""
        nested = _argument(call, model.attempts_options, -1) if model.attempts_options else NONE
        options = index.facts.exprs[nested] if nested != NONE else None
        unsaid = True
        for name, first in ((model.attempts_parameter, 0), (model.retries_parameter, 1)):
            number = _argument(call, name, -1) if name else NONE
            if number == NONE and name and isinstance(options, facts.Collection):
                number = _entry(index, options, name)
            if number == NONE:
                continue
            unsaid = False
            found = [self._whole(index, one) for one in self._limits(index, number, model)]
            counts = [one for one in found if one is not None]
            if counts and (len(counts) == len(found) or model.limits):
                return max(counts) + first
        known = model.default_retries if unsaid and (nested == NONE or isinstance(options, facts.Collection)) else None
        return known + 1 if known is not None else None

    def _limits(self, index: FileIndex, number: int, model: RetryDecorator) -> list[int]:
        """What says the number of attempts: an argument itself, or those of the functions that it is made with, of
        which the first that is reached ends all: ``stop_after_attempt(5) | stop_after_delay(30)``.
        """
        if not model.limits:
            return [number]
        expr = index.facts.exprs[number]
        parts = expr.operands if isinstance(expr, facts.Operation) and expr.operator == "|" else (number,)
        calls = [call for one in parts if isinstance(call := index.facts.exprs[one], facts.Call)]
        return [
            call.arguments[0].value
            for call in calls
            if call.arguments
            and any(
                isinstance(value, External) and value.dotted in model.limits
                for value in self._ev.callee(index.number, call.callee)
            )
        ]

    def _whole(self, index: FileIndex, number: int) -> int | None:
        """The largest number that an expression may be; None unless all of them are known."""
        values = self._ev.values(index.number, number)
        whole = [
            one.value for one in values if isinstance(one, Const) and isinstance(one.value, int) and one.value >= 0
        ]
        return max(whole) if whole and len(whole) == len(values) else None

    def _error_kinds(self, index: FileIndex, call: facts.Call, model: RetryDecorator) -> set[str]:
        """Kinds of the errors that the decorator retries; nothing when it says nothing about them."""
        number = _argument(call, model.errors_parameter, model.errors_index)
        for alias in model.errors_aliases if number == NONE else ():
            number = _argument(call, alias, -1) if number == NONE else number
        if number == NONE:
            return set()
        expr = index.facts.exprs[number]
        targets = [item.value for item in expr.arguments] if isinstance(expr, facts.Call) else [number]
        return {
            self._errors.kind(index.number, dotted)
            for target in targets
            for dotted in self._errors.types(index.number, target)
        }


def _argument(call: facts.Call, parameter: str, position: int) -> int:
    positional = [item.value for item in call.arguments if not item.name]
    for item in call.arguments:
        if parameter and item.name == parameter:
            return item.value
    return positional[position] if 0 <= position < len(positional) else NONE


def _entry(index: FileIndex, options: facts.Collection, name: str) -> int:
    """The value of an entry of a map that is written out."""
    for key, value in zip(options.keys, options.items, strict=False):
        written = index.facts.exprs[key] if key != NONE else None
        if isinstance(written, facts.Literal) and written.value == name:
            return value
    return NONE
