"""Why an object that a chain of calls makes again and again is no waste: no shared one could stand in for it."""

from __future__ import annotations

from resplint.bind.values import Ref
from resplint.contracts import facts
from resplint.execution.call_paths import Chain
from resplint.execution.escape.escape_analysis import Keeper
from resplint.execution.escape.local_objects import LocalObjects
from resplint.execution.frequency.addresses import Addresses
from resplint.execution.frequency.conditions import Conditions
from resplint.execution.loops.loops import Loops
from resplint.execution.roles import SUBMITTED, RoleTable
from resplint.flow.graph import Graph


class Excuses:
    """Judges chains of calls from what makes an object to what repeats it."""

    def __init__(self, evaluator: Graph, roles: RoleTable, keeper: Keeper) -> None:
        self._ev = evaluator
        self._roles = roles
        self._keeper = keeper
        self._local = LocalObjects(evaluator)
        self._loops = Loops(evaluator)
        self._conditions = Conditions(evaluator)
        self.addresses = Addresses(evaluator, roles)

    def hold(self, chain: Chain, certain: bool) -> bool:
        """Whether the chain cannot run as it stands, connects to another place each time, or makes one object for each
        batch. `certain` is false where nobody sees the callers of its last function.
        """
        return self.excluding(chain) is not None or self.addresses.vary(chain, certain) or self._one_per_batch(chain)

    def excluding(self, chain: Chain) -> Ref | None:
        """The call because of which a chain cannot run as it stands."""
        call = self._conditions.excluding(chain)
        return call.site.ref if call is not None else None

    def _one_per_batch(self, chain: Chain) -> bool:
        """Whether a loop, or what submits work, calls a function that goes through a batch of data with the object."""
        last = chain.calls[-1].site.ref if chain.calls else chain.made
        looped = chain.origin is not None and self._loops.is_data(chain.origin)
        if looped and chain.origin is not None and self._turns(chain.origin):
            return False
        if not looped and not self._is_submitted(last):
            return False
        for file, number in (chain.made, *(call.site.ref for call in chain.calls)):
            kept = self._keeper.of(file, number)
            if not kept.returned:
                inside = not looped or (file, number) != last
                return inside and self._local.serves_batch(self._ev.store.files[file], kept)
        return False

    def _is_submitted(self, ref: Ref) -> bool:
        index = self._ev.store.files[ref[0]]
        role = self._roles.of(ref[0], index.function_of(index.facts.exprs[ref[1]].block))
        return role is not None and role.name == SUBMITTED

    def _turns(self, head: Ref) -> bool:
        """Whether a loop goes on until somebody stops the program: it does the same again, and has no batches."""
        expr = self._ev.store.expr(head)
        index = self._ev.store.files[head[0]]
        return index.heads.get(head[1]) == "while" and isinstance(expr, facts.Literal) and bool(expr.value)
