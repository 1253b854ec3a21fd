"""What a deprecated command becomes, where that is mechanical."""

from __future__ import annotations

from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.contracts.remedy import CallInstead, Given, Remedy
from resplint.flow.graph import Graph
from resplint.knowledge.records.client_records import GivenModel, ReplacementModel
from resplint.redis.usage import CommandSite


def remedy(ev: Graph, site: CommandSite, model: ReplacementModel) -> Remedy | None:
    """The call of what took the place of a command; None where its arguments cannot be distinguished."""
    call = ev.store.expr(site.ref)
    if site.method.raw_index >= 0 or not model.method or not isinstance(call, facts.Call):
        return None
    if any(item.name for item in call.arguments) or model.count not in (-1, len(call.arguments)):
        return None
    numbers = [item.value for item in call.arguments]
    given = tuple(_given(site.file, numbers, one) for one in model.arguments) if model.arguments else None
    return Remedy(f"Call `{model.method}` instead", (CallInstead(site.ref, model.method, given),), safe=model.equal)


def renamed(call: Ref, method: str) -> Remedy:
    """Another method with the same arguments, which does the same."""
    return Remedy(f"Call `{method}` instead", (CallInstead(call, method),), safe=True)


def _given(file: int, numbers: list[int], model: GivenModel) -> Given:
    kept = (file, numbers[model.index]) if model.index >= 0 else None
    return Given(model.name, model.value, kept)
