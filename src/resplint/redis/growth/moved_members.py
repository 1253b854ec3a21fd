"""Members that a batch takes out of some collections and puts into others: ``zrem(old, id)``, ``zadd(new, 1, id)``."""

from __future__ import annotations

from collections.abc import Sequence

from resplint.bind.exit_paths import alike
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.redis.usage import CommandSite, Usage


def any_in(usage: Usage, evaluator: Graph, writes: Sequence[CommandSite]) -> bool:
    """Whether one of the writes of a batch undoes what another one does to the same member of a like collection."""
    taken = [site for site in writes if _couples(usage, site) == "remove" and _structure(usage, site) != "key"]
    given = [site for site in writes if _couples(usage, site) != "remove"]
    return any(
        site.file == other.file
        and _structure(usage, site) == _structure(usage, other)
        and any(alike(evaluator.store.files[site.file], one, two) for one in members for two in put)
        for site in taken
        for members in (_members(usage, evaluator, site),)
        for other in given
        for put in (_members(usage, evaluator, other),)
    )


def _couples(usage: Usage, site: CommandSite) -> str:
    model = usage.model(site)
    return model.couples if model else ""


def _structure(usage: Usage, site: CommandSite) -> str:
    model = usage.model(site)
    return model.structure if model else ""


def _members(usage: Usage, evaluator: Graph, site: CommandSite) -> list[int]:
    """What a command is given beside its key, as far as it is a name or a field."""
    call = evaluator.store.expr(site.ref)
    if not isinstance(call, facts.Call):
        return []
    exprs = evaluator.store.files[site.file].facts.exprs
    numbers = [item.value for item in call.arguments if item.value != usage.key(site)]
    return [number for number in numbers if isinstance(exprs[number], facts.Name | facts.Member)]
