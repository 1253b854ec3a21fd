"""Commands that claim an element of a loop: the reply says whether there is anything to do for it."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.exit_paths import mentions
from resplint.bind.index import FileIndex
from resplint.bind.values import FunctionValue
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.calls.command_options import CommandOptions
from resplint.redis.usage import CommandSite, Usage

_JUMPS = ("continue", "break", "return", "raise")


class Claims:
    """Tells claims from other commands, and finds the code that runs for what was claimed."""

    def __init__(self, evaluator: Graph, usage: Usage, options: CommandOptions) -> None:
        self._ev = evaluator
        self._usage = usage
        self._options = options

    def takes_if_absent(self, site: CommandSite) -> bool:
        """Whether a command takes a key only if nobody has it."""
        model = self._usage.model(site)
        if model is None or model.structure != "string":
            return False
        return model.if_absent or ("NX" in model.options and self._options.find(site, "NX").there is True)

    def covers(self, claim: CommandSite, loop: int) -> list[tuple[int, int]]:
        """The stretches of a loop that run only for what a command has claimed, with the claim itself; none if the
        command claims nothing, or its reply brings no further work.
        """
        if not self.takes_if_absent(claim) and not self._says_how_many(claim):
            return []
        index = self._ev.store.files[claim.file]
        call = index.facts.exprs[claim.call]
        found = [
            (start, end)
            for start, end in self._governed(index, claim.call, loop)
            if self._works(index, claim, start, end)
        ]
        return [(call.start, call.end), *found] if found else []

    def _says_how_many(self, site: CommandSite) -> bool:
        """Whether a command takes something away, and replies how many there were."""
        model = self._usage.model(site)
        return model is not None and model.couples == "remove" and bool(model.batch_items or model.batch_keys)

    def _governed(self, index: FileIndex, number: int, loop: int) -> Iterator[tuple[int, int]]:
        """Stretches inside a loop that a test of what a call gives decides on."""
        area, call = index.facts.blocks[loop], index.facts.exprs[number]
        names = {one.name for one in index.bound_to.get(number, ())}
        for one in index.blocks_in(call.start, area.end):
            block = index.facts.blocks[one]
            if block.kind != "if" or block.head == NONE or not index.contains(loop, one):
                continue
            head = index.facts.exprs[block.head]
            asked = head.start <= call.start and call.end <= head.end
            if not asked and not any(mentions(index, block.head, name) for name in names):
                continue
            yield block.start, block.end
            if any(jump.kind in _JUMPS for jump in index.by_place.jumps.between(block.start, block.end)):
                yield block.end, index.facts.blocks[block.parent].end

    def _works(self, index: FileIndex, claim: CommandSite, start: int, end: int) -> bool:
        """Whether a stretch waits for something, sends a command, or calls a function of the project."""
        return any(
            call.awaited
            or (index.number, number) in self._usage.by_place
            or any(isinstance(one, FunctionValue) for one in self._ev.callee(index.number, call.callee))
            for number, call in index.calls_in(start, end)
            if number != claim.call
        )
