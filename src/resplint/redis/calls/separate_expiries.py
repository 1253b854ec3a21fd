"""Keys that one command creates and a later one gives a life time to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from resplint.bind.index import FileIndex, parts
from resplint.bind.same_code import owner, reads_same
from resplint.bind.values import FunctionValue, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.calls.command_options import CommandOptions
from resplint.redis.usage import CommandSite, Usage
from resplint.text import arguments as calls
from resplint.text import fresh_values, text_forms
from resplint.text.key_templates import Shapes

ABSENT, COUNTER, VALUE = "absent", "counter", "value"
"""What creates a key: a write that is for the first one only (a lock), an increment, any other write."""
_LIVES = ("EX", "PX", "EXAT", "PXAT", "KEEPTTL")
_WITH_LIFE = ("SETEX", "PSETEX")
_ASK_LIFE = ("TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME")
_BRANCHES = ("if", "else")
_ROUNDING = ("/", "//", "%", "-")
"""Operators that make a part of a point in time, or the time that is left until one."""
_CALLERS = 40
"""Callers of one helper that are looked at."""


@dataclass(frozen=True, slots=True)
class Step:
    """A command where it is sent, or the call of a helper that sends it; `key` is an expression of the same file."""

    site: CommandSite
    file: int
    call: int
    key: int

    @property
    def ref(self) -> Ref:
        return (self.file, self.call)


@dataclass(frozen=True, slots=True)
class SeparateExpiry:
    """A key without a life time for as long as it takes from one command to the other."""

    kind: str
    created: Step
    expires: Step
    always: bool
    """Whether the life time is set each time, and not only when the reply says that the key is new."""
    anew: bool = False
    """Whether each time puts off the end of one key: neither key nor life time follow the clock, and nothing asks about
    the key before."""


class SeparateExpiries:
    """Finds pairs of commands on one key, in the order of the code of a function."""

    def __init__(self, evaluator: Graph, usage: Usage, options: CommandOptions, shapes: Shapes) -> None:
        self._ev = evaluator
        self._usage = usage
        self._options = options
        self._shapes = shapes

    def all(self) -> list[SeparateExpiry]:
        """The pairs, by place."""
        queued = {site.ref for batch in self._usage.batches for site in batch.queued}
        created: dict[int, list[tuple[str, Step]]] = defaultdict(list)
        expiring: dict[int, list[Step]] = defaultdict(list)
        for ref, sites in self._usage.by_place.items():
            site = sites[0]
            if ref in queued or any(one.is_queued for one in sites):
                continue
            if kind := self._creates(site):
                for step in self._steps(site, through_helpers=kind != VALUE):
                    created[step.file].append((kind, step))
            elif self._expires(site) or self._writes_anew(site):
                for step in self._steps(site, through_helpers=True):
                    expiring[step.file].append(step)
        found = [
            pair
            for file, steps in expiring.items()
            for step in steps
            for pair in self._nearest(self._ev.store.files[file], created.get(file, []), step)
        ]
        found.sort(key=lambda pair: (pair.expires.file, self._ev.store.expr(pair.expires.ref).start))
        once = {pair.created.ref: pair for pair in reversed(found)}
        return sorted(once.values(), key=lambda pair: pair.created.ref)

    # -- what commands do ----------------------------------------------------------------------------------------------

    def _creates(self, site: CommandSite) -> str:
        model = self._usage.model(site)
        if model is None or model.access != "write" or model.several_keys:
            return ""
        if any(option in model.options for option in _LIVES):
            if any(self._options.find(site, one).there is not False for one in _LIVES if one in model.options):
                return ""
            if "NX" not in model.options:
                return ""
            return ABSENT if self._options.find(site, "NX").there else VALUE
        if model.structure == "string":
            return ABSENT if model.if_absent else COUNTER if model.couples == "counter" else ""
        return VALUE if model.hash_write else ""

    def _expires(self, site: CommandSite) -> bool:
        """Whether a command sets a life time, whatever the key has."""
        model = self._usage.model(site)
        if model is None or model.couples != "expire" or model.structure != "key" or "GT" not in model.options:
            return False
        return self._options.find(site, "NX").there is not True

    def _writes_anew(self, site: CommandSite) -> bool:
        """Whether a command writes a value over the one that is there, with a life time: ``SETEX``, ``SET … EX``."""
        model = self._usage.model(site)
        if model is None or model.structure != "string" or model.couples or model.several_keys:
            return False
        if site.command in _WITH_LIFE:
            return True
        given = [one for one in _LIVES if one in model.options and one != "KEEPTTL"]
        return (
            site.command == "SET"
            and any(self._options.find(site, one).there for one in given)
            and self._options.find(site, "NX").there is False
        )

    # -- where they stand ----------------------------------------------------------------------------------------------

    def _steps(self, site: CommandSite, through_helpers: bool) -> Iterator[Step]:
        """The command itself, and calls of a helper that sends it for the key that it is passed."""
        key = self._usage.key(site)
        if key == NONE or self._usage.key_file(site) != site.file:
            return
        yield Step(site, site.file, site.call, key)
        index = self._ev.store.files[site.file]
        expr = index.facts.exprs[key]
        scope = index.function_of(index.facts.exprs[site.call].block)
        record = index.facts.scopes[scope]
        position = index.parameters.get((scope, expr.name)) if isinstance(expr, facts.Name) else None
        if not through_helpers or record.kind != "function" or position is None:
            return
        for edge in self._ev.callers.of(site.file, scope)[:_CALLERS]:
            other = self._ev.store.files[edge.file]
            if isinstance(other.facts.exprs[edge.call], facts.Call):
                given = calls.argument(other, edge.call, record, position, edge.bound)
                if given is not None and given != NONE:
                    yield Step(site, edge.file, edge.call, given)

    def _nearest(self, index: FileIndex, created: list[tuple[str, Step]], expires: Step) -> Iterator[SeparateExpiry]:
        """The last command in front of one that sets a life time which creates the same key; of each branch, if there
        are several.
        """
        end = index.facts.exprs[expires.call].start
        before = [
            (kind, step)
            for kind, step in created
            if index.facts.exprs[step.call].start < end
            and (kind == ABSENT or self._expires(expires.site))
            and self._leads_to(index, step, expires)
        ]
        chosen: list[facts.Expr] = []
        for kind, step in sorted(before, key=lambda one: (index.facts.exprs[one[1].call].start, one[1].call))[::-1]:
            call = index.facts.exprs[step.call]
            if all(self._excludes(index, call, other) for other in chosen):
                chosen.append(call)
                asked = self._asked(index, step, expires)
                if kind != COUNTER or asked.isdisjoint(_ASK_LIFE):  # each call repairs a key that has none
                    yield SeparateExpiry(
                        kind, step, expires, not asked, not asked and self._goes_on(index, step, expires)
                    )

    def _goes_on(self, index: FileIndex, step: Step, expires: Step) -> bool:
        """Whether each call certainly begins the life time of one key anew."""
        call = index.facts.exprs[expires.call]
        lives = (
            [one.value for one in call.arguments if one.value != expires.key] if isinstance(call, facts.Call) else []
        )
        return not self._is_asked_about(index, step) and not any(
            self._may_follow_clock(index, one) for one in (step.key, *lives)
        )

    def _is_asked_about(self, index: FileIndex, step: Step) -> bool:
        """Whether a condition around a command is about its key: ``if (counters.get(key) == null)``."""
        blocks = index.facts.blocks
        around = [blocks[one] for one in index.enclosing_blocks(index.facts.exprs[step.call].block, 0)]
        heads = [
            blocks[number].head
            for block in around
            if block.kind in _BRANCHES
            for number in index.clauses.get(("if", block.group), ())
        ]
        asked = [one for head in heads for one, _ in fresh_values.walk(self._ev, index.number, head)]
        return any(self._is_same_key(index, step.key, one) for one in asked)

    def _may_follow_clock(self, index: FileIndex, number: int) -> bool:
        """Whether an expression is made of the time, or of what functions of the project or numbers of a caller may
        make of it: ``f"orders:{today}"``, ``seconds_to_midnight()``, ``now / 60``.
        """
        if fresh_values.named(self._ev, index.number, number) == fresh_values.NOW:
            return True
        parts = [one for _, one in fresh_values.walk(self._ev, index.number, number)]
        callees = [one.callee for one in parts if isinstance(one, facts.Call)]
        return any(isinstance(one, facts.Operation) and one.operator in _ROUNDING for one in parts) or any(
            isinstance(value, FunctionValue) for one in callees for value in self._ev.callee(index.number, one)
        )

    def _leads_to(self, index: FileIndex, step: Step, expires: Step) -> bool:
        """Whether code comes from one command to the other, for the same key on the same server."""
        first, second = index.facts.exprs[step.call], index.facts.exprs[expires.call]
        if step.call == expires.call or not index.within(second.block, index.function_of(first.block)):
            return False
        if not self._is_same_server(step.site.receiver, expires.site.receiver):
            return False
        return not self._excludes(index, first, second) and self._is_same_key(index, step.key, expires.key)

    def _is_same_server(self, one: LibraryObject, other: LibraryObject) -> bool:
        return one.origin.library is other.origin.library

    def _excludes(self, index: FileIndex, first: facts.Expr, second: facts.Expr) -> bool:
        """Whether two places stand in branches of one decision, or the first one's way ends before the second."""
        blocks = index.facts.blocks
        inner, outer = index.enclosing_blocks(first.block, 0), index.enclosing_blocks(second.block, 0)
        shared = set(inner) & set(outer)
        mine = {
            blocks[one].group for one in inner if one not in shared and blocks[one].kind in ("if", "else", "except")
        }
        theirs = {blocks[one].group for one in outer if one not in shared and blocks[one].kind in ("if", "else")}
        if mine & theirs:
            return True
        left = [one for one in inner if one not in shared]
        return any(
            jump.kind in ("return", "raise", "continue", "break") and self._block_at(index, jump) in left
            for jump in index.by_place.jumps.between(first.start, second.start)
        )

    def _block_at(self, index: FileIndex, jump: facts.Jump) -> int:
        """The innermost block in which a jump stands; out of a lambda that runs on the spot it leaves the function
        around.
        """
        blocks = index.facts.blocks
        around = blocks[jump.block]
        inside = [
            one
            for one in index.blocks_in(around.start, jump.start)
            if blocks[one].start <= jump.start < blocks[one].end
        ]
        return max(inside, key=lambda one: blocks[one].start, default=jump.block)

    # -- keys ----------------------------------------------------------------------------------------------------------

    def _is_same_key(self, index: FileIndex, one: int, other: int) -> bool:
        one, other = (text_forms.text_of(self._ev, index, number) for number in (one, other))
        if reads_same(index, one, other):
            return True
        shapes = {shape.identity for shape in self._shapes.of(index.number, one) if shape.known}
        others = {shape.identity for shape in self._shapes.of(index.number, other) if shape.known}
        return len(shapes) == 1 and shapes == others

    # -- conditions ----------------------------------------------------------------------------------------------------

    def _asked(self, index: FileIndex, step: Step, expires: Step) -> set[str]:
        """Commands whose replies decide whether the second command is sent; "" where a callback of the first does."""
        first = set(index.enclosing_blocks(index.facts.exprs[step.call].block, 0))
        around = index.enclosing_blocks(index.facts.exprs[expires.call].block, 0)
        own = {binding.name for binding in self._bound(index, step.call)}
        conditions = [
            block for one in around if one not in first and (block := index.facts.blocks[one]).kind in _BRANCHES
        ]
        found: set[str] = set()
        for block in conditions:
            for number in index.clauses.get(("if", block.group), ()):
                head = index.facts.blocks[number].head
                for part in parts(index.facts.exprs, head) if head != NONE else ():
                    found |= self._said_by(index, part, step, own)
        inner = index.function_of(index.facts.exprs[expires.call].block)
        if conditions and inner != index.function_of(index.facts.exprs[step.call].block):
            found.add("")
        return found

    def _said_by(self, index: FileIndex, part: int, step: Step, own: set[str]) -> set[str]:
        """Commands that a part of a condition has the reply of."""
        expr = index.facts.exprs[part]
        if part == step.call or (isinstance(expr, facts.Name) and expr.name in own):
            return {step.site.command}
        values = [part]
        if isinstance(expr, facts.Name):
            bound = index.bindings.get((owner(index, part), expr.name), ())
            values = [
                one for binding in bound if binding.value != NONE for one in parts(index.facts.exprs, binding.value)
            ]
        sent = [site for one in values for site in self._usage.by_place.get((index.number, one), ())]
        return {site.command for site in sent}

    def _bound(self, index: FileIndex, call: int) -> list[facts.Binding]:
        """Variables that get a reply, also behind a cast or a comparison."""
        number, found = call, list(index.bound_to.get(call, ()))
        while (holder := index.parents.get(number, NONE)) != NONE and not found:
            found = list(index.bound_to.get(holder, ()))
            number = holder
        return found
