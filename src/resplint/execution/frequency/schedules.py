"""How often jobs run that the code starts by the clock."""

from __future__ import annotations

from resplint.bind.values import Const, External, Ref
from resplint.contracts import facts
from resplint.flow.graph import Graph
from resplint.text import cron

_MS = 0.001


class Schedules:
    """Reads calls and decorators that register jobs."""

    def __init__(self, evaluator: Graph) -> None:
        self._ev = evaluator

    def seconds_between(self, ref: Ref) -> float | None:
        """The least number of seconds between two runs of what is registered at a place: ``add_job(f, minutes=30)``,
        ``setInterval(f, 60000)``, ``schedule("0 * * * *", f)``. None where the code does not say.
        """
        file, number = ref
        call = self._ev.store.expr(ref) if number >= 0 else None
        if not isinstance(call, facts.Call):
            return None
        for read in (self._named, self._waited, self._by_crontab):
            if (found := read(file, call)) is not None:
                return found
        return None

    def _named(self, file: int, call: facts.Call) -> float | None:
        periods = self._ev.roles(file).periods
        given = [item for item in call.arguments if item.name in periods]
        found = 0.0
        for item in given:
            least = self._least(file, item.value)
            if least is None:
                return None
            found += least * periods[item.name]
        return found if given else None

    def _waited(self, file: int, call: facts.Call) -> float | None:
        """The milliseconds behind the function that a timer runs again and again."""
        deferred = self._ev.roles(file).deferred
        for value in self._ev.callee(file, call.callee):
            place = deferred.get(value.dotted) if isinstance(value, External) else None
            if place is not None and place < len(call.arguments):
                least = self._least(file, call.arguments[place].value)
                return least * _MS if least is not None else None
        return None

    def _by_crontab(self, file: int, call: facts.Call) -> float | None:
        for item in call.arguments:
            texts = [one.value if isinstance(one, Const) else None for one in self._ev.values(file, item.value)]
            found = [cron.seconds_between(one) if isinstance(one, str) else None for one in texts]
            if found and None not in found:
                return min(one for one in found if one is not None)
        return None

    def _least(self, file: int, number: int) -> float | None:
        """The smallest number that an expression may stand for."""
        values = [one.value if isinstance(one, Const) else None for one in self._ev.values(file, number)]
        numbers = [float(one) for one in values if isinstance(one, int | float)]
        return min(numbers) if numbers and len(numbers) == len(values) else None
