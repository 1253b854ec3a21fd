"""Under which condition code sets an option at all."""

from __future__ import annotations

from resplint.bind.exit_paths import path
from resplint.bind.narrowing import narrowed
from resplint.bind.values import Const
from resplint.flow.graph import Graph
from resplint.redis.options.arguments import Option


def set_only_if(ev: Graph, option: Option) -> str:
    """What must be given before code sets an option that is unbounded by default, as it is written: ``settings.limit``
    of ``if settings.limit is not None: kwargs["max_connections"] = settings.limit``; "" where it is set in any case.
    """
    if option.ref is None or option.model is None or option.model.default != "unbounded":
        return ""
    index, expr, nothing = ev.store.files[option.ref[0]], ev.store.expr(option.ref), Const(None, "none", option.ref)
    said = path(index, option.ref[1])
    return said if said and narrowed(index, (nothing,), said, expr.block, expr.start) != (nothing,) else ""
