"""How a pool gets a bound, where that is mechanical."""

from __future__ import annotations

from resplint.bind.values import Const, External, LibraryMethod, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.remedy import Change, Remedy, ReplaceValue, SetOption
from resplint.flow.graph import Graph
from resplint.redis.options.arguments import Option
from resplint.redis.options.options import Options
from resplint.redis.options.timeouts import as_number

_NO_NUMBER = 2**31 - 1
"""What people write for "no bound" where the library wants a number: the largest there is, or more."""


def remedy(ev: Graph, options: Options, value: LibraryObject, option: Option) -> Remedy | None:
    """What bounds the pool that `value` makes or is; `option` says that it has no bound."""
    bound = value.origin.library.library.pool_bound
    wanted = [one for other in options.every(value, ("pool_min",)) for one in other.values]
    if any(isinstance(one, Const) and (as_number(one.value) or 0) > bound for one in wanted):
        return None  # more are to be kept open
    change = _change(ev, value, option, bound) if bound else None
    return Remedy(f"Bound the pool at {bound} connections", (change,)) if change is not None else None


def _change(ev: Graph, value: LibraryObject, option: Option, bound: int) -> Change | None:
    if option.given:
        least = 1 if option.model is not None and option.model.zero_means == "unbounded" else 0
        numbers = [as_number(one.value) for one in option.values if isinstance(one, Const)]
        if any(number is not None and least <= number < _NO_NUMBER for number in numbers):
            return None  # somebody chose it
        written = option.ref is not None and written_out(ev, option.ref)
        return ReplaceValue(option.ref, bound) if option.ref is not None and written else None
    model, constructor = option.model, value.origin.constructor
    if model is None or value.made is None or value.subclass is not None or (constructor and constructor.mapping):
        return None
    call = ev.store.expr(value.made)
    callees = ev.values(value.made[0], call.callee) if isinstance(call, facts.Call) else ()
    known = callees and all(isinstance(one, External | LibraryMethod) for one in callees)
    return SetOption(value.made, model.name, bound) if known and not option.unknown else None


def written_out(ev: Graph, ref: Ref) -> bool:
    """Whether a number (or nothing) is written where it is used, and is not a name that other code may use as well."""
    around = ev.store.expr(ref)
    if isinstance(around, facts.Choice | facts.Call | facts.Template):
        return False
    values = ev.values(*ref)
    if not values or not all(isinstance(value, Const) and not isinstance(value.value, str | bool) for value in values):
        return False
    inside = {ref[1], NONE, *_parts(ev, ref)}  # constants of the language (``Infinity``) are written nowhere
    return all(isinstance(value, Const) and value.ref[0] == ref[0] and value.ref[1] in inside for value in values)


def _parts(ev: Graph, ref: Ref) -> set[int]:
    """The operands of an operation, at any depth."""
    exprs = ev.store.files[ref[0]].facts.exprs
    found: set[int] = set()
    pending = [ref[1]]
    while pending:
        expr = exprs[pending.pop()]
        if isinstance(expr, facts.Operation):
            pending += [one for one in expr.operands if one not in found]
            found.update(expr.operands)
    return found
