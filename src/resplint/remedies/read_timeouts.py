"""How a client gets a read timeout, where that is mechanical."""

from __future__ import annotations

from resplint.bind.values import External, LibraryMethod, LibraryObject
from resplint.contracts import facts
from resplint.contracts.remedy import Change, Remedy, ReplaceValue, SetOption
from resplint.flow.graph import Graph
from resplint.redis.options.arguments import Option
from resplint.redis.options.timeouts import PER_SECOND
from resplint.remedies.pool_bounds import written_out

SECONDS = 5
"""What a fix writes: the default of redis-py from 8.0 on."""


def remedy(ev: Graph, value: LibraryObject, option: Option) -> Remedy | None:
    """What gives the client that `value` is a read timeout; `option` says that it has none."""
    change = _change(ev, value, option)
    return Remedy(f"Wait {SECONDS} seconds for a reply at most", (change,)) if change is not None else None


def _change(ev: Graph, value: LibraryObject, option: Option) -> Change | None:
    model, constructor = option.model, value.origin.constructor
    if model is None or option.said or model.caution:
        return None
    number = int(SECONDS * PER_SECOND.get(model.unit, 1.0))
    if option.given:
        return ReplaceValue(option.ref, number) if option.ref is not None and written_out(ev, option.ref) else None
    if value.made is None or value.subclass is not None or constructor is None or constructor.mapping or option.unknown:
        return None
    call = ev.store.expr(value.made)
    callees = ev.values(value.made[0], call.callee) if isinstance(call, facts.Call) else ()
    known = callees and all(isinstance(one, External | LibraryMethod) for one in callees)
    return SetOption(value.made, model.name, number) if known else None
