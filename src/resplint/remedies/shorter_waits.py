"""How a blocking command is kept below its client's timeout, where that is mechanical."""

from __future__ import annotations

from math import isinf

from resplint.bind.values import External, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.remedy import CallInstead, Change, Remedy, ReplaceValue, SetOption
from resplint.execution.loops.polling import is_polled
from resplint.flow.graph import Graph
from resplint.redis.calls.replies import needs_reply
from resplint.redis.calls.waits import Timeout, Wait
from resplint.redis.options.options import Options
from resplint.redis.options.timeouts import PER_SECOND, format_duration
from resplint.redis.usage import CommandSite, Usage
from resplint.remedies.pool_bounds import written_out

_MARGIN = 1.0
"""Seconds that the reply may take beyond the wait, where the timeout leaves room for them."""


class ShorterWaits:
    """Answers for the commands of a project."""

    def __init__(self, evaluator: Graph, usage: Usage, options: Options) -> None:
        self._ev = evaluator
        self._usage = usage
        self._options = options

    def remedy(self, site: CommandSite, wait: Wait, timeout: Timeout) -> Remedy | None:
        """What makes the command wait for less time than the client does. Code that counts on a reply, as a wait
        without end gives one or an error, is left alone.

        It is safe in a loop that is ready for empty replies and asks again. Elsewhere the code would get less of the
        time that it asked for, and a longer timeout may be what it needs.
        """
        if not wait.seconds and needs_reply(self._ev.store.files[site.file], site.call):
            return None
        counts = self._ev.catalogue.command(site.command).replies == "number"
        safe = bool(wait.seconds) and self._is_own(site, wait) and not counts
        safe = safe and is_polled(self._ev.store.files[site.file], site.call)
        if wait.ref is not None and (found := self._duration(wait.ref, timeout.seconds)) is not None:
            seconds, changes = found
            return _remedy(seconds, safe, *changes)
        unit = self._unit(site)
        count = below(timeout.seconds, unit) if unit else 0
        if not count:
            return None
        if wait.ref is not None:
            change = self._written(wait.ref, count)
            return _remedy(count * unit, safe, change) if change is not None else None
        model = site.method.wait
        if model is None or model.mapping or model.setters or not model.parameter or self._usage.spreads(site):
            return None
        return _remedy(count * unit, safe, SetOption(site.ref, model.parameter, count))

    def _is_own(self, site: CommandSite, wait: Wait) -> bool:
        """Whether the wait is written in the call itself, where no other call takes it from."""
        if wait.ref is None or wait.ref[0] != site.file:
            return False
        call, said = self._ev.store.expr(site.ref), self._ev.store.expr(wait.ref)
        return call.start <= said.start < call.end

    def _unit(self, site: CommandSite) -> float:
        """Seconds of the unit in which the call says its wait, 0 when that is not known."""
        model = site.method.wait
        if model is None:
            command = self._usage.model(site)
            return 1 / PER_SECOND[command.raw_wait_unit] if command is not None else 0
        if model.unit_index > -100:
            number = self._usage.argument(site, model.unit_index)
            if number != NONE:
                return self._options.arguments.unit(site.file, number) or 0
        return 1 / PER_SECOND[model.unit]

    def _written(self, ref: Ref, count: int) -> Change | None:
        """Another number, also where it is spelled as text."""
        literal = self._ev.store.expr(ref)
        if isinstance(literal, facts.Literal) and isinstance(literal.value, str):
            return ReplaceValue(ref, str(count))
        return ReplaceValue(ref, count) if written_out(self._ev, ref) else None

    def _duration(self, ref: Ref, timeout_s: float) -> tuple[float, list[Change]] | None:
        """``Duration.ofMinutes(2)`` becomes ``Duration.ofSeconds(59)``."""
        call = self._ev.store.expr(ref)
        if not isinstance(call, facts.Call) or len(call.arguments) != 1:
            return None
        amount = (ref[0], call.arguments[0].value)
        callees = self._ev.values(ref[0], call.callee)
        dotted = callees[0].dotted if len(callees) == 1 and isinstance(callees[0], External) else ""
        units = self._ev.roles(ref[0]).durations
        if dotted not in units or not written_out(self._ev, amount):
            return None
        owner = dotted.rpartition(".")[0]
        for unit in (units[dotted], 1.0, 0.001):
            name = next((name for name in units if units[name] == unit and name.rpartition(".")[0] == owner), "")
            count = below(timeout_s, unit)
            if name and count:
                return count * unit, [CallInstead(ref, name.rpartition(".")[2]), ReplaceValue(amount, count)]
        return None


def below(timeout_s: float, unit_s: float) -> int:
    """The longest wait in whole units that leaves the reply a second, or half of a short timeout; 0 when there is
    none.
    """
    if isinf(timeout_s):
        return 0
    if unit_s >= _MARGIN:
        count = max(0, int((timeout_s - _MARGIN / 2) / unit_s))
    else:
        wait_s = timeout_s - _MARGIN if timeout_s >= 2 * _MARGIN else timeout_s / 2
        count = int(round(wait_s / unit_s, 6))
    return count if count * unit_s < timeout_s else 0  # a second more or less is nothing to a number of 60 bits


def _remedy(seconds: float, safe: bool, *changes: Change) -> Remedy:
    return Remedy(f"Wait {format_duration(seconds)} at most", changes, safe)
