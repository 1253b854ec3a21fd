"""Which commands read all elements of a list, set, sorted set or stream: SMEMBERS, ``LRANGE key 0 -1``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from functools import cached_property

from resplint.bind.index import FileIndex
from resplint.bind.values import Const, ExternalObject, Ref, Reply, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.flow.nodes import CallEdge
from resplint.redis.calls.command_options import CommandOptions
from resplint.redis.commands import SCRIPT_CALL
from resplint.redis.usage import CommandSite, Usage
from resplint.text import arguments as calls
from resplint.text.key_templates import Shapes

_FROM = ("start", "min", "first", "begin")
_TO = ("end", "stop", "max", "last", "finish")
"""Keywords of client libraries for the ends of a range."""
_SPELLED = {"inf": "+inf", "infinity": "+inf", "+infinity": "+inf", "+inf": "+inf", "-infinity": "-inf", "-inf": "-inf"}
_CALLERS = 64
_LAST_PLACE = 10**9
"""A place in a collection that none is as long as."""
_LAST_SCORE = 10.0**15
"""A score behind all others: times in microseconds are lower for some years."""
_PLACES = ("0", "-1")
"""From the first place to the last one."""
_SCORES = ("-inf", "+inf")
"""From the lowest score to the highest one."""
_LAST_NUMBER = str(2**31 - 1)
"""What stands for no end where scores are whole numbers."""
_OTHER_ENDS = ("BYSCORE", "BYLEX")
"""Options that make the ends of a range something else than places."""
_ADDING, _CHANGING = "ZADD", "ZINCRBY"
_RANGE = 3
"""A key and the two ends of a range."""


class WholeReads:
    """Looks at the ends of ranges and at limits."""

    def __init__(self, evaluator: Graph, usage: Usage, options: CommandOptions, shapes: Shapes) -> None:
        self._ev = evaluator
        self._usage = usage
        self._options = options
        self._shapes = shapes

    def of(self, site: CommandSite) -> dict[Ref, Ref]:
        """The keys of the collections that a command reads as a whole, however long they are, and where all of it is
        asked for: at the command, or at one of several calls of the function around it.
        """
        model = self._usage.model(site)
        if model is None or not model.whole or site.name == SCRIPT_CALL:
            return {}
        key = (self._usage.key_file(site), self._usage.key(site))
        if () in model.whole:
            return {key: site.ref}
        bounds = [self._options.find(site, one).there for one in model.bounded_by]
        if True in bounds or (None in bounds and not self._has_only_switches(site)):
            return {}
        if self._spans_all(site, model.whole):
            return {key: site.ref}
        asked: dict[Ref, Ref] = {}
        calls = list(self._asked(site, model.whole))
        for call, one, all_of_it in calls:
            if all_of_it:
                asked.setdefault(one, call)
        # Where other callers ask for less, it is not the function that is to change.
        at_calls = len(asked) > 1 or not all(all_of_it for _, _, all_of_it in calls)
        return asked if at_calls else dict.fromkeys(asked, site.ref)

    def asked_at(self, site: CommandSite) -> list[Ref]:
        """The calls that ask a function which reads a range for all of it; [] where that reads all by itself."""
        model = self._usage.model(site)
        if model is None or () in model.whole or self._spans_all(site, model.whole):
            return []
        return list(dict.fromkeys(call for call, _, all_of_it in self._asked(site, model.whole) if all_of_it))

    def _asked(self, site: CommandSite, whole: tuple[tuple[str, ...], ...]) -> Iterator[tuple[Ref, Ref, bool]]:
        """The calls that choose the range which a command reads, the keys of which, and whether they ask for all."""
        shift = self._usage.field_shift(site)
        ends = ((site.file, self._end(site, 1 + shift, _FROM)), (site.file, self._end(site, 2 + shift, _TO)))
        if NONE not in (ends[0][1], ends[1][1]):
            yield from self._asked_from(site.ref, ends, (self._usage.key_file(site), self._usage.key(site)), whole)

    def _asked_from(
        self,
        place: Ref,
        ends: tuple[Ref, ...],
        key: Ref,
        whole: tuple[tuple[str, ...], ...],
        seen: frozenset[Ref] = frozenset(),
    ) -> Iterator[tuple[Ref, Ref, bool]]:
        """The same for the calls of the function around a place, which choose the ends or have callers that do."""
        index = self._ev.store.files[place[0]]
        scope = index.function_of(index.facts.exprs[place[1]].block)
        positions = [self._position(index, scope, one) for one in ends]
        if positions == [None, None]:
            yield place, key, False
        if positions == [None, None] or (index.number, scope) in seen:
            return
        chosen = self._position(index, scope, key)
        for edge in self._ev.callers.of(index.number, scope)[:_CALLERS]:
            given = tuple(
                self._given(edge, index, scope, position) if position is not None else end
                for end, position in zip(ends, positions, strict=True)
            )
            called = self._given(edge, index, scope, chosen) if chosen is not None else key
            if self._is_all(given, whole):
                yield edge.ref, called, True
            elif NONE not in (given[0][1], given[1][1]):
                yield from self._asked_from(edge.ref, given, called, whole, seen | {(index.number, scope)})

    def _position(self, index: FileIndex, scope: int, ref: Ref) -> int | None:
        """The position of the parameter of a function that an expression in it is."""
        if ref[0] != index.number or ref[1] == NONE or index.function_of(index.facts.exprs[ref[1]].block) != scope:
            return None
        return _parameter(index, scope, ref[1])

    def _is_all(self, ends: tuple[Ref, ...], whole: tuple[tuple[str, ...], ...]) -> bool:
        """Whether two ends are constants with nothing before or behind them."""
        texts = [self._texts(*one) for one in ends]
        if any(texts == [{one[0]}, {one[1]}] for one in whole if one):
            return True
        return texts[0] == {"0"} and _PLACES in whole and _are_behind_all(self._ev.values(*ends[1]))

    def _given(self, edge: CallEdge, index: FileIndex, scope: int, position: int) -> Ref:
        """What a call passes for a parameter, or its default."""
        other = self._ev.store.files[edge.file]
        record = index.facts.scopes[scope]
        if not isinstance(other.facts.exprs[edge.call], facts.Call):
            return edge.file, NONE
        found = calls.argument(other, edge.call, record, position, edge.bound)
        return (index.number, record.parameters[position].default) if found is None else (edge.file, found)

    def _has_only_switches(self, site: CommandSite) -> bool:
        """Whether nothing stands behind the range but true or false: ``zrange(key, 0, -1, True)``."""
        call = self._ev.store.expr(site.ref)
        rest = self._usage.positional(site)[_RANGE + self._usage.field_shift(site) :]
        if self._usage.spreads(site) or not isinstance(call, facts.Call):
            return False
        return all(
            isinstance(one, Const) and isinstance(one.value, bool)
            for number in rest
            for one in self._ev.values(site.file, number) or (None,)
        )

    def _spans_all(self, site: CommandSite, whole: tuple[tuple[str, ...], ...]) -> bool:
        shift = self._usage.field_shift(site)
        ends = [self._end(site, 1 + shift, _FROM), self._end(site, 2 + shift, _TO)]
        if ends == [NONE, NONE]:  # the method's own defaults, or what it is there for
            return not site.raw and not self._usage.spreads(site)
        if ends[1] == NONE:
            return self._is_unbounded_object(site, ends[0]) or self._spans_all_as_object(site, ends[0], whole)
        first, last = (self._texts(site.file, one) for one in ends)
        if any((first, last) == ({one[0]}, {one[1]}) for one in whole if one):
            return True
        if _SCORES in whole or _SCORES[::-1] in whole:
            # Scores are counts and times: hardly any is below zero. Some libraries always take the lower end first.
            for low, high in ((first, last), (last, first)):
                if low in ({"0"}, {_SCORES[0]}) and high in ({_SCORES[1]}, {_LAST_NUMBER}):
                    return True
            if self._holds_scores(site, first, last):
                return True
        return first == {"0"} and _PLACES in whole and self._is_behind_all(site, ends[1])

    def of_one_score(self, site: CommandSite) -> bool:
        """Whether a command asks for all elements of a sorted set that have one score, which is a number."""
        shift = self._usage.field_shift(site)
        ends = [self._end(site, 1 + shift, _FROM), self._end(site, 2 + shift, _TO)]
        if NONE in ends or not self._is_by_score(site):
            return False
        first, last = (self._texts(site.file, one) for one in ends)
        return first == last and len(first) == 1 and bool(_numbers(*first))

    def _is_by_score(self, site: CommandSite) -> bool:
        model = self._usage.model(site)
        return model is not None and any(one in model.whole for one in (_SCORES, _SCORES[::-1]))

    def _holds_scores(self, site: CommandSite, first: set[str], last: set[str]) -> bool:
        """Whether all scores that the project gives to members of the sorted set lie between two numbers, or one that
        it gives to all that it adds at a place is both of them:
        ``zrangebyscore(POOL, LOWEST, HIGHEST)`` where ``zadd(POOL, {address: HIGHEST})`` adds.
        """
        ends = sorted(number for one in (first, last) if len(one) == 1 for number in _numbers(*one))
        scores = [given for name in self._names(site) for given in self._scores.get(name, ())]
        if len(ends) != len(_PLACES) or not all(scores):
            return False
        if ends[0] == ends[1]:
            return any(set(given) == {ends[0]} for given in scores)
        return bool(scores) and all(ends[0] <= min(given) and max(given) <= ends[1] for given in scores)

    @cached_property
    def _scores(self) -> dict[str, list[list[float]]]:
        """Identity of a key -> the numbers that each command passes which adds to its sorted set; none where one may
        be any number, as where scores go up.
        """
        table: dict[str, list[list[float]]] = defaultdict(list)
        for site in self._usage.commands:
            if site.command not in (_ADDING, _CHANGING):
                continue
            given = self._numbers_of(site)
            if site.command == _CHANGING and given and max(given) < 0:
                continue  # what goes down leaves at some number
            for name in self._names(site):
                table[name].append(given if site.command == _ADDING else [])
        return table

    def _numbers_of(self, site: CommandSite) -> list[float]:
        """The numbers among the arguments behind the key, and in maps; none unless there are other values beside them,
        or where a value may be a number and something else.
        """
        parts = [(site.file, number) for number in self._usage.positional(site)[1 + self._usage.field_shift(site) :]]
        found: list[float] = []
        others = False
        for ref in parts:
            expr = self._ev.store.expr(ref)
            if isinstance(expr, facts.Collection):
                parts.extend((ref[0], number) for number in (*expr.keys, *expr.items) if number != NONE)
                continue
            values = self._ev.values(*ref)
            given = [one.value for one in values if isinstance(one, Const) and isinstance(one.value, int | float)]
            if given and len(given) < len(values):
                return []
            found += given
            others |= not all(isinstance(one, Const) for one in values)
        return found if others else []

    def _is_behind_all(self, site: CommandSite, number: int) -> bool:
        """Whether the last place that is asked for is as high as it gets, or the size that the collection has."""
        if any(self._options.find(site, one).there for one in _OTHER_ENDS):
            return False
        values = self._ev.values(site.file, number)
        if values and all(isinstance(value, Const) for value in values):
            return _are_behind_all(values)
        expr = self._ev.store.expr((site.file, number))
        if isinstance(expr, facts.Operation) and expr.operator == "-":  # the last place is one less
            values = self._ev.values(site.file, expr.operands[0])
        return any(isinstance(value, Reply) and self._is_size(site, value.ref) for value in values)

    def _is_size(self, site: CommandSite, reply: Ref) -> bool:
        """Whether a reply says how many elements the collection has that a command reads."""
        names = self._names(site)
        return any(
            model is not None and model.counts and names & self._names(one)
            for one in self._usage.by_place.get(reply, ())
            for model in (self._usage.model(one),)
        )

    def _names(self, site: CommandSite) -> set[str]:
        shapes = self._shapes.of(self._usage.key_file(site), self._usage.key(site))
        return {shape.identity for shape in shapes}

    def _spans_all_as_object(self, site: CommandSite, number: int, whole: tuple[tuple[str, ...], ...]) -> bool:
        """Whether an argument is a library's range with ends that hold everything: ``Range.closed("-", "+")``."""
        makers = site.receiver.origin.library.library.range_makers
        for value in self._ev.values(site.file, number) if makers else ():
            ref = value.ref if isinstance(value, ExternalObject) and _is_made_by(value, makers) else None
            call = self._ev.store.expr(ref) if ref is not None else None
            if ref is not None and isinstance(call, facts.Call):
                ends = [self._texts(ref[0], item.value) for item in call.arguments[:2]]
                if any(ends == [{one[0]}, {one[1]}] for one in whole if one):
                    return True
                if len(ends) == len(_PLACES) and all(self._is_open(site, ref[0], one.value) for one in call.arguments):
                    return True
        return False

    def _is_open(self, site: CommandSite, file: int, number: int) -> bool:
        """Whether an end of a library's range leaves nothing out: ``Boundary.unbounded()``."""
        names = site.receiver.origin.library.library.open_ends
        return any(_is_made_by(value, names) for value in self._ev.values(file, number)) if names else False

    def _end(self, site: CommandSite, position: int, names: tuple[str, ...]) -> int:
        for name in names:
            if not site.raw and (found := self._usage.keyword(site, name)) != NONE:
                return found
        return self._usage.argument(site, position)

    def _is_unbounded_object(self, site: CommandSite, number: int) -> bool:
        """Whether an argument is a library's range without ends: ``Range.unbounded()``."""
        names = site.receiver.origin.library.library.whole_ranges
        return any(_is_made_by(value, names) for value in self._ev.values(site.file, number)) if names else False

    def _texts(self, file: int, number: int) -> set[str]:
        """All that an end may be, as the server reads it; other values than constants count as another text."""
        return {_text(value) for value in self._ev.values(file, number)}


def _parameter(index: FileIndex, scope: int, number: int) -> int | None:
    """The position of the parameter that an expression is."""
    expr = index.facts.exprs[number] if number != NONE else None
    return index.parameters.get((scope, expr.name)) if isinstance(expr, facts.Name) else None


def _are_behind_all(values: Collection[Value]) -> bool:
    """Whether an expression is always a place in a collection that none is as long as."""
    given = [value.value for value in values if isinstance(value, Const)]
    return 0 < len(given) == len(values) and all(isinstance(one, int | float) and one >= _LAST_PLACE for one in given)


def _text(value: Value) -> str:
    if not isinstance(value, Const) or isinstance(value.value, bool) or value.value is None:
        return ""
    if isinstance(value.value, int | float) and abs(value.value) >= _LAST_SCORE:
        return "+inf" if value.value > 0 else "-inf"
    text = value.value.decode() if isinstance(value.value, bytes) else str(value.value)
    return _SPELLED.get(text.strip().lower(), text.strip().removesuffix(".0"))


def _numbers(text: str) -> list[float]:
    """The number that a text is, if it is one."""
    try:
        return [float(text)]
    except ValueError:
        return []


def _is_made_by(value: Value, names: Collection[str]) -> bool:
    """Whether an object is what one of some functions gives, of whose names an import of a whole package shows less."""
    made = value.dotted.removesuffix("()") if isinstance(value, ExternalObject) else ""
    return any(name == made or name.endswith(f".{made}") for name in names) if "." in made else False
