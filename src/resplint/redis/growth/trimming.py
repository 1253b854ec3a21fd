"""Which commands that trim a collection leave it with a bounded number of elements, and which take out what was read,
or what is old.
"""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import parts
from resplint.bind.values import Const, Reply, Text
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.usage import CommandSite, Usage
from resplint.text import fresh_values

BY_PLACE, BY_SCORE = "place", "score"
"""What the ends of a trim are."""
_LAST = "-1"
_LONG = 3_600_000
"""A span of time that is an hour in milliseconds, and long in every other unit."""
_DAY = 86_400
"""A day in seconds."""


class Trimming:
    """Looks at the ends of the range that a command keeps or takes out."""

    def __init__(self, evaluator: Graph, usage: Usage) -> None:
        self._ev = evaluator
        self._usage = usage

    def bounds(self, site: CommandSite) -> bool:
        """Whether a command that trims a collection leaves a number of elements that does not depend on how many
        there were.
        """
        model = self._usage.model(site)
        if model is None:
            return True
        shift = self._usage.field_shift(site)
        first, last = (self._usage.argument(site, place + shift) for place in (1, 2))
        if model.trims_by == BY_PLACE:
            return not (self._is_last(site.file, last) and self._counts_from_front(site.file, first))
        return model.trims_by != BY_SCORE or not self._spares_much(site.file, last)

    def empties(self, site: CommandSite) -> bool:
        """Whether a command that trims a collection leaves nothing of it, as a deletion does: ``LTRIM key 1 0``,
        ``ZREMRANGEBYRANK key 0 -1``.
        """
        model = self._usage.model(site)
        if model is None or not model.empties:
            return False
        shift = self._usage.field_shift(site)
        ends = [self._usage.argument(site, place + shift) for place in (1, 2)]
        given = [self._ev.values(site.file, number) if number != NONE else () for number in ends]
        texts = tuple(str(one[0].value) if len(one) == 1 and isinstance(one[0], Const) else "" for one in given)
        return texts in model.empties

    def _is_last(self, file: int, number: int) -> bool:
        values = self._ev.values(file, number) if number != NONE else ()
        return bool(values) and all(isinstance(one, Const) and str(one.value) == _LAST for one in values)

    def _counts_from_front(self, file: int, number: int) -> bool:
        """Whether the first place that is kept is known to be no distance from the end: ``len(batch)``, 100."""
        if number == NONE:
            return False
        written = self._ev.binder.names(file).only_value(number)
        if any(self._subtracts(file, one) for one in self._parts(file, written)):
            return False
        values = self._ev.values(file, number)
        if any(isinstance(one, Text) or (isinstance(one, Const) and not _is_place(one.value)) for one in values):
            return False
        known = any(isinstance(one, Const) for one in values) or any(self._is_size(one) for one in values)
        return known or self._gives_size(file, written)

    def _is_size(self, value: object) -> bool:
        if not isinstance(value, Reply):
            return False
        models = [self._usage.model(one) for one in self._usage.by_place.get(value.ref, ())]
        return any(model is not None and model.counts for model in models)

    def _gives_size(self, file: int, number: int) -> bool:
        """Whether an expression is the size of something: ``len(batch)``, ``batch.length``, ``batch.size()``."""
        index = self._ev.store.files[file]
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Call):
            callee = index.facts.exprs[expr.callee]
            if isinstance(callee, facts.Name):
                return callee.name in self._ev.roles(file).words.size_functions
            expr = callee
        return isinstance(expr, facts.Member) and expr.name in self._ev.roles(file).words.sizes

    def _spares_much(self, file: int, number: int) -> bool:
        """Whether the highest score that is taken out is the present, or lies long before another one."""
        if number == NONE:
            return False
        expr = self._ev.store.expr((file, self._ev.binder.names(file).only_value(number)))
        if isinstance(expr, facts.Call):
            return not expr.arguments and fresh_values.named(self._ev, file, number) == fresh_values.NOW
        if not isinstance(expr, facts.Operation) or expr.operator != "-":
            return False
        spans = [one.value for one in self._ev.values(file, expr.operands[-1]) if isinstance(one, Const)]
        return bool(spans) and all(_is_long(one) for one in spans)

    def _subtracts(self, file: int, number: int) -> bool:
        expr = self._ev.store.expr((file, number))
        return isinstance(expr, facts.Operation) and expr.operator == "-"

    def _parts(self, file: int, number: int) -> Iterator[int]:
        if number != NONE:
            yield from parts(self._ev.store.files[file].facts.exprs, number)


def _is_place(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_long(value: object) -> bool:
    """Whether a span of time, in seconds or in milliseconds, is more than an hour."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    return value >= _LONG or (value >= _DAY and value % _DAY == 0)
