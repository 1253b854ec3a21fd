"""What an expression stands for, from where, and what the rules decided about it: the answers of `resplint why`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence

from resplint.bind.values import LibraryMethod, LibraryObject, Ref, Value
from resplint.contracts import facts
from resplint.contracts.decisions import Decision
from resplint.contracts.errors import UserError
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Finding, Place
from resplint.inventory import collect
from resplint.inventory.meanings import in_words
from resplint.inventory.records import ClientEntry, Decided, Explanation, Meaning, Spot
from resplint.inventory.settings import Code
from resplint.inventory.sites import root_of
from resplint.inventory.ways import Ways
from resplint.model.project import Project
from resplint.redis.usage import CommandSite

_MOST = 8
"""Explanations of one line."""


class Asked:
    """A place in a linked project: a line, and perhaps a column, both from 1."""

    def __init__(self, project: Project, code: Code, path: str, line: int, column: int | None) -> None:
        self._project = project
        index = project.store.by_path(path)
        assert index is not None
        self._index = index
        self._text = code(Place(path, 0, sys.maxsize)).encode("utf-8", "replace")
        self._line, self._column = line, column

    def expressions(self) -> list[int]:
        """The expressions that are meant. Raises `UserError` when none stands there."""
        starts = self._index.facts.line_starts
        if not 1 <= self._line <= len(starts):
            raise UserError(f"{self._index.facts.path} has {len(starts):,} lines, so there is no line {self._line:,}.")
        start = starts[self._line - 1]
        found = self._on(start) if self._column is None else self._at(start)
        if not found:
            where = f"{self._line}" if self._column is None else f"{self._line}:{self._column}"
            raise UserError(f"No expression begins at {self._index.facts.path}:{where}.")
        return found

    def _at(self, start: int) -> list[int]:
        """The call of a command that begins at the column, else the smallest expression around it."""
        assert self._column is not None
        end = self._text.find(b"\n", start)
        line = self._text[start : end if end >= 0 else len(self._text)].decode("utf-8", "replace")
        offset = start + len(line[: self._column - 1].encode("utf-8", "replace"))
        exprs = self._index.facts.exprs
        calls = [number for number in self._calls() if exprs[number].start == offset]
        if calls:
            return [min(calls, key=lambda number: exprs[number].end)]
        around = [number for number, one in enumerate(exprs) if one.start <= offset < one.end]
        return [min(around, key=lambda number: exprs[number].end - exprs[number].start)] if around else []

    def _on(self, start: int) -> list[int]:
        """The calls of commands on the line, else what makes clients there, else the largest expression."""
        facts_ = self._index.facts
        calls = [number for number in self._calls() if facts_.line(self._name_at(number)) == self._line]
        if calls:
            return sorted(calls, key=lambda number: facts_.exprs[number].start)[:_MOST]
        there = [number for number, one in enumerate(facts_.exprs) if facts_.line(one.start) == self._line]
        made = {value.made for value in self._project.made}
        made_here = [number for number in there if (self._index.number, number) in made]
        if made_here:
            return made_here[:_MOST]
        return sorted(there, key=lambda number: (facts_.exprs[number].start, -facts_.exprs[number].end))[:1]

    def _calls(self) -> list[int]:
        return [number for file, number in self._project.usage.by_place if file == self._index.number]

    def _name_at(self, number: int) -> int:
        """Where the name of what is called stands, in a chain of calls over several lines."""
        expr = self._index.facts.exprs[number]
        callee = self._index.facts.exprs[expr.callee] if isinstance(expr, facts.Call) and expr.callee != NONE else expr
        return callee.end - len(callee.name.encode()) if isinstance(callee, facts.Member) else callee.start


def explain(
    project: Project, code: Code, decisions: Iterable[Decision], path: str, line: int, column: int | None
) -> tuple[Explanation, ...]:
    """What the expressions at a place stand for. Raises `UserError` when none stands there."""
    asked = Asked(project, code, path, line, column)
    index = project.store.by_path(path)
    assert index is not None
    answers = _Answers(project, code, list(decisions))
    return tuple(answers.of((index.number, number)) for number in asked.expressions())


class _Answers:
    def __init__(self, project: Project, code: Code, decisions: Sequence[Decision]) -> None:
        self._project = project
        self._code = code
        self._decisions = decisions
        self._ways = Ways(project, code)
        self._clients = collect(project, code).clients

    def of(self, ref: Ref) -> Explanation:
        project = self._project
        sites = project.usage.by_place.get(ref, [])
        expr = project.store.expr(ref)
        callee = project.store.expr((ref[0], expr.callee)) if isinstance(expr, facts.Call) else None
        of_receiver = bool(sites) and isinstance(callee, facts.Member)
        subject = (ref[0], callee.object) if of_receiver and isinstance(callee, facts.Member) else ref
        values = [site.receiver for site in sites] if sites else list(project.values(*ref))
        values = list(dict.fromkeys(values))
        place = project.place(ref)
        return Explanation(
            spot=Spot(place.path, self._line(place)),
            code=self._code(place),
            symbol=project.symbol(ref),
            command=" or ".join(dict.fromkeys(site.command or "a command decided at run time" for site in sites)),
            subject=self._code(project.place(subject)),
            meanings=tuple(dict.fromkeys(self._meaning(subject, value) for value in values)),
            clients=tuple(one for one in self._clients if any(self._is_behind(one, value) for value in values)),
            rules=self._decided(ref, sites, values),
        )

    def _meaning(self, subject: Ref, value: Value) -> Meaning:
        return Meaning(in_words(self._project, value), self._ways.to(subject, value))

    def _is_behind(self, client: ClientEntry, value: Value) -> bool:
        """Whether a client of the inventory is the one behind a value."""
        if isinstance(value, LibraryMethod):
            value = value.object
        if not isinstance(value, LibraryObject):
            return False
        places = [self._project.place(made) for made in self._makers(value)]
        if places:
            lines = {(place.path, self._line(place)) for place in places}
            return client.spot is not None and (client.spot.path, client.spot.line) in lines
        return client.spot is None and client.type == root_of(value).origin.type.name

    def _makers(self, value: LibraryObject) -> list[Ref]:
        """The calls that made an object, what it comes from, and the pool that it shares."""
        found: list[Ref] = []
        current: LibraryObject | None = value
        while current is not None:
            pool = self._project.options.pool_of(current)
            found += [one.made for one in (current, pool) if one is not None and one.made is not None]
            current = current.parent
        return found

    def _line(self, place: Place) -> int:
        index = self._project.store.by_path(place.path)
        return index.facts.line(place.start) if index is not None else 1

    # -- rules ---------------------------------------------------------------------------------------------------------

    def _decided(self, ref: Ref, sites: Sequence[CommandSite], values: Sequence[Value]) -> tuple[Decided, ...]:
        """What the rules decided here, about the clients behind it, the batch it goes into and what tries it again."""
        project = self._project
        refs = {ref}
        for value in values:
            if isinstance(value, LibraryObject):
                refs.update(self._makers(value))
        for batch in project.batches:
            if any(site.ref == ref for site in batch.queued):
                refs.add(batch.made)
        places = {project.place(one) for one in refs}
        found = []
        for one in self._decisions:
            if one.place in places or (sites and self._repeats(ref, one)):
                reported = isinstance(one, Finding)
                text = one.message if isinstance(one, Finding) else one.reason
                precision = one.precision.value if isinstance(one, Finding) else ""
                spot = Spot(one.place.path, self._line(one.place))
                found.append(Decided(one.rule, reported, text, spot, precision))
        return tuple(sorted(dict.fromkeys(found), key=lambda one: (one.rule, one.spot, one.text)))

    def _repeats(self, ref: Ref, decision: Decision) -> bool:
        """Whether a decision is about something around a call, in the same function."""
        place = self._project.place(ref)
        return decision.place.path == place.path and decision.place.start <= place.start < decision.place.end
