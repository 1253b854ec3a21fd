"""How often a function runs that is handed to one of the project, and what becomes of what it gives there.

``this.traced('drop', () => …)`` calls what it is handed once for each call of its own, and only this call of it counts:
other callers hand over other functions. ``once('prices', () => …)`` keeps what it is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from resplint.bind.index import FileIndex
from resplint.bind.values import FunctionValue
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.escape.escape_analysis import Keeper, Keeping
from resplint.execution.frequency.run_sites import Runs
from resplint.execution.roles import RoleTable
from resplint.flow.callers import CallbackPass

if TYPE_CHECKING:
    from resplint.flow.graph import Graph


class Frequencies(Protocol):
    """How often code runs and objects are made, for which functions are handed over is one part of the answer."""

    roles: RoleTable
    keeper: Keeper

    def function(self, file: int, scope: int) -> Runs: ...
    def code(self, file: int, expr: int) -> Runs: ...
    def looped(self, file: int, expr: int) -> Runs | None: ...
    def made_at(self, file: int, expr: int) -> Runs: ...


class Handed:
    """Answers for functions that stand in the arguments of a call of the project."""

    def __init__(self, evaluator: Graph, frequency: Frequencies) -> None:
        self._ev = evaluator
        self._frequency = frequency

    def calls(self, handing: CallbackPass) -> Runs:
        """How often a function runs that is handed over, as far as its taker calls it."""
        runs, through = self._within(handing, ())
        if runs is not None:
            return runs
        runs = self._frequency.code(*handing.call)
        if runs.kind == "once" and not through:
            return Runs("unknown")
        name = self._ev.store.files[handing.taker.file].facts.scopes[handing.taker.scope].name
        return runs.after(handing.call, f"call of `{name}`") if runs.kind == "operation" else runs

    def _within(self, handing: CallbackPass, outer: tuple[CallbackPass, ...]) -> tuple[Runs | None, bool]:
        """What repeats the call inside the taker (None: nothing does, it runs once for each call of the taker), and
        whether all code between them is known.
        """
        taker, site = handing.taker, handing.site
        index = self._ev.store.files[site.file]
        number, known = site.call, True
        while True:
            if (runs := self._frequency.looped(site.file, number)) is not None:
                return runs, True
            inner = index.function_of(index.facts.exprs[number].block)
            if inner == taker.scope:
                return None, known
            written = index.function_expr.get(inner)
            roles = self._frequency.roles
            if written is None or roles.of(site.file, inner) is not None or roles.memoised(site.file, inner):
                break
            if written not in index.call_of and written not in index.argument_of:
                break
            further = [one for one in self._ev.callers.handings(site.file, inner) if one not in outer]
            for one in further:
                runs, through = self._within(one, (*outer, handing))
                if runs is not None:
                    return runs, True
                known = known and through
            known = known and (bool(further) or written in index.call_of)
            number = written
        return self._frequency.code(site.file, site.call), False

    # -- what comes out ------------------------------------------------------------------------------------------------

    def back(self, index: FileIndex, scope: int) -> Runs | None:
        """How often a new object comes out of a function that is handed to one of the project: out of that very call,
        if it is not kept there. None for other functions.
        """
        number = index.function_expr.get(scope)
        place = index.argument_of.get(number) if number is not None else None
        call = index.facts.exprs[place[0]] if place is not None else None
        if place is None or not isinstance(call, facts.Call):
            return None
        if not any(isinstance(value, FunctionValue) for value in self._ev.objects(index.number, call.callee)):
            return None
        for handing in self._ev.callers.handings(index.number, scope):
            if (runs := self._kept(handing)) is not None:
                return runs
        return self._frequency.made_at(index.number, place[0])

    def _kept(self, handing: CallbackPass) -> Runs | None:
        """How often the taker makes a new object where it keeps those that it is given; None where it does not."""
        site, taker = handing.site, handing.taker
        if self._frequency.roles.memoised(taker.file, taker.scope) == "process":
            return Runs("once")
        kept = self._frequency.keeper.of(site.file, site.call)
        if kept.module or kept.members:
            return self._frequency.made_at(site.file, site.call)
        if kept.returned and kept.returned_by != taker.scope:  # kept.computeIfAbsent(name, key -> make.get())
            runs = self._frequency.function(site.file, kept.returned_by)
            return runs if runs.kind == "once" else None
        if self.closure(site.file, site.call, kept) == taker.scope:
            return self._frequency.code(*handing.call)
        return None

    def closure(self, file: int, expr: int, kept: Keeping) -> int:
        """The function around the one that makes an object in whose local name it is kept, once there is none:
        ``let client; return () => client ??= connect()``. NONE where it is not.
        """
        index = self._ev.store.files[file]
        block = index.facts.exprs[expr].block
        own = index.function_of(block)
        for binding in kept.names:
            around = binding.scope
            outside = around != own and index.facts.scopes[around].kind == "function" and index.within(block, around)
            if outside and self._frequency.keeper.guarded(file, binding):
                return around
        return NONE
