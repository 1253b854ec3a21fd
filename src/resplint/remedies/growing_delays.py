"""How a delay between attempts is made to grow, where that is mechanical."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, External, FunctionValue, Ref, Value, Values
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.remedy import Change, Given, GrowInstead, MakeInstead, Remedy, ReplaceCode
from resplint.flow.graph import Graph
from resplint.knowledge.ranges import version_in
from resplint.knowledge.records.client_records import GivenModel, InsteadModel, OptionModel, RetryModel
from resplint.redis.options.timeouts import as_number
from resplint.remedies.pool_bounds import written_out

_TITLE = "Let the delay grow, with a random part"
_ELLIPSIS = "…"
_CAP_MS = 5000
_TIMES = 10
"""How far a delay that was constant may grow."""
_LONG_S = 5.0
"""A policy's delay from here on would grow to minutes: what it should become instead is not for a tool to say."""
_SOON_MS = 1000
"""Constant delays up to this grow to 10 s at most, and to no less than they were."""


# -- policies ----------------------------------------------------------------------------------------------------------


def of_policy(ev: Graph, index: FileIndex, at: Ref, value: Value, model: RetryModel) -> Remedy | None:
    """What is made instead of a policy object that stands at `at`; None when it is made elsewhere."""
    call = ev.store.expr(at) if model.instead else None
    if getattr(value, "ref", getattr(value, "made", None)) != at or not isinstance(call, facts.Call):
        return None
    callees = ev.values(at[0], call.callee)
    dotted = callees[0].dotted if len(callees) == 1 and isinstance(callees[0], External) else ""
    instead = _instead(ev, index, model, dotted) if dotted in model.names else None
    if instead is None or instead.name.count(".") != dotted.count("."):
        return None
    given = _given(ev, call, at[0], instead)
    if given is None and instead.arguments is not None:
        return None
    module, _, name = instead.name.rpartition(".")
    return Remedy(_TITLE, (MakeInstead(at, module, name, given),))


def _instead(ev: Graph, index: FileIndex, model: RetryModel, dotted: str) -> InsteadModel | None:
    """The first that exists in the version of the library that has the policy."""
    for library in ev.catalogue.libraries.values():
        speaks = index.facts.language in library.library.languages
        if speaks and any(dotted.startswith(f"{root}.") for root in library.library.imports):
            version = ev.versions(library, index.facts.path).version
            return next((one for one in model.instead if version_in(version, one.versions)), None)
    return None


def _given(ev: Graph, call: facts.Call, file: int, instead: InsteadModel) -> tuple[Given, ...] | None:
    """The arguments of the new policy; None when the old one says them in another way."""
    if instead.arguments is None:
        return None
    found = [_argument(ev, call, file, one) for one in instead.arguments]
    return tuple(one for one in found if one is not None) if None not in found else None


def _argument(ev: Graph, call: facts.Call, file: int, model: GivenModel) -> Given | None:
    if model.value is not None:
        return Given(model.name, model.value)
    if any(item.name in ("*", "**") for item in call.arguments):
        return None
    positional = [item.value for item in call.arguments if not item.name]
    named = [item.value for item in call.arguments if item.name and item.name == model.parameter]
    values = named or positional[model.index : model.index + 1]
    if not values or (model.times > 1 and _is_long(ev.values(file, values[0]))):
        return None
    return Given(model.name, None, (file, values[0]), model.times)


def _is_long(delays: Values) -> bool:
    numbers = [as_number(one.value) for one in delays if isinstance(one, Const)]
    return any(number is not None and number >= _LONG_S for number in numbers)


# -- options -----------------------------------------------------------------------------------------------------------


def of_option(ev: Graph, model: OptionModel, values: Values, ref: Ref, endless: bool) -> Remedy | None:
    """What a constant delay becomes that an option sets: a number, or a function of the attempt.

    It is safe where nothing but the moment of the next attempt depends on a delay that is short: the client is
    `endless`, as long as the function never gives up.
    """
    if not model.advice or _ELLIPSIS in model.advice or len(values) != 1 or model.setters:
        return None
    (value,) = values
    if isinstance(value, Const):
        change: Change | None = ReplaceCode(ref, model.advice) if written_out(ev, ref) else None
        safe = endless and _is_short(values)
    else:
        change = _of_function(ev, model, value, ref) if isinstance(value, FunctionValue) else None
        safe = endless and isinstance(value, FunctionValue) and _is_short(_always(ev, value))
    return Remedy(_TITLE, (change,), safe) if change is not None else None


def _is_short(delays: Values) -> bool:
    numbers = [as_number(one.value) if isinstance(one, Const) else None for one in delays]
    return bool(numbers) and all(number is not None and 0 <= number <= _SOON_MS for number in numbers)


def _always(ev: Graph, function: FunctionValue) -> Values:
    """What a function gives in any case; nothing when it depends on something, as for one that gives up."""
    index = ev.store.files[function.file]
    jumps = index.jumps.get(function.scope, ())
    if len(jumps) != 1 or jumps[0].kind != "return" or jumps[0].value == NONE:
        return ()
    body = index.facts.scopes[function.scope].block
    return ev.values(index.number, jumps[0].value) if jumps[0].block == body else ()


def _of_function(ev: Graph, model: OptionModel, value: FunctionValue, ref: Ref) -> Change | None:
    index = ev.store.files[value.file]
    function = index.facts.exprs[ref[1]]
    if value.file != ref[0] or not isinstance(function, facts.Function) or function.scope != value.scope:
        return None  # it is written elsewhere, where other code may use it
    returned = [jump.value for jump in index.jumps.get(value.scope, ()) if jump.kind == "return"]
    if len(returned) == 1 and _says_nothing_else(index, function, returned[0]) and not _named(index, ref[1]):
        return ReplaceCode(ref, model.advice)
    delays = [(one, number) for one in returned if (number := _delay(ev, index, one)) is not None]
    attempt = _attempt(index, value.scope, model)
    if len(delays) != 1 or not attempt:
        return None
    at, delay_ms = delays[0]
    delay_ms = delay_ms or 50
    return GrowInstead((index.number, at), attempt, delay_ms, max(_CAP_MS, delay_ms * _TIMES))


def _says_nothing_else(index: FileIndex, function: facts.Function, returned: int) -> bool:
    """Whether a function does nothing but return something constant that has no name."""
    inner = index.facts.exprs[returned] if returned != NONE else None
    if isinstance(inner, facts.Choice | facts.Name | facts.Member) or inner is None:
        return False
    body = index.facts.blocks[index.facts.scopes[function.scope].block]
    return not any(
        body.start <= one.start < body.end and not inner.start <= one.start < inner.end for one in index.facts.exprs
    )


def _named(index: FileIndex, expr: int) -> bool:
    """Whether a function is written as a method, ``{ strategy(times) { … } }``, so that it holds its own name."""
    holder = index.facts.exprs[index.parents.get(expr, NONE)] if expr in index.parents else None
    if not isinstance(holder, facts.Collection) or not holder.keys:
        return False
    key = holder.keys[holder.items.index(expr)]
    return key != NONE and index.facts.exprs[key].start >= index.facts.exprs[expr].start


def _delay(ev: Graph, index: FileIndex, expr: int) -> int | None:
    """A constant number of milliseconds that is returned as it is written."""
    if expr == NONE or isinstance(index.facts.exprs[expr], facts.Choice):
        return None
    numbers = [as_number(one.value) if isinstance(one, Const) else None for one in ev.values(index.number, expr)]
    if len(numbers) != 1 or numbers[0] is None or numbers[0] < 0 or not numbers[0].is_integer():
        return None
    return int(numbers[0]) if written_out(ev, (index.number, expr)) else None


def _attempt(index: FileIndex, scope: int, model: OptionModel) -> str:
    """The number of the attempt as the function knows it."""
    parameters = index.facts.scopes[scope].parameters
    if not parameters or parameters[0].kind or parameters[0].name.startswith("#"):
        return ""
    name = parameters[0].name
    return f"{name}.{model.attempt}" if model.attempt else name
