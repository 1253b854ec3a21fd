"""Hashes to which code adds a field only where they have none: a user's one token, which a new log-in gets again."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from resplint.bind.index import FileIndex, parts
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.growth.hashes import FieldWrite, Hashes
from resplint.redis.usage import CommandSite, Usage

_LEAVING = ("return", "raise", "continue", "break")
_LOOPS = ("for", "while")
_ASKS = ("EXISTS",)


class FilledWhenEmpty:
    """Looks at what a function has asked of a hash before it adds a field."""

    def __init__(self, evaluator: Graph, usage: Usage, hashes: Hashes) -> None:
        self._ev = evaluator
        self._usage = usage
        self._hashes = hashes

    def is_one(self, write: FieldWrite) -> bool:
        """Whether a write adds one field, and its function has gone away before where the hash has any."""
        site = write.site
        index = self._ev.store.files[site.file]
        call = index.facts.exprs[site.call]
        around = index.enclosing_blocks(call.block, index.function_of(call.block))
        if any(index.facts.blocks[one].kind in _LOOPS for one in around):
            return False
        asked = self._asked.get((site.file, index.function_of(call.block), write.shape.name), ())
        return any(
            block.kind == "if"
            and block.parent in around
            and block.end <= call.start
            and any(jump.kind in _LEAVING for jump in index.jumps_in_block.get(number, ()))
            and any(self._asks_for_any(index, block.head, one) for one in asked)
            for number, block in enumerate(index.facts.blocks if asked else ())
        )

    @cached_property
    def _asked(self) -> dict[tuple[int, int, str], list[CommandSite]]:
        """File, function and template of a key -> commands that show whether there is anything under it."""
        table: dict[tuple[int, int, str], list[CommandSite]] = defaultdict(list)
        for site in self._usage.commands:
            model = self._usage.model(site)
            if model is None or not (model.whole_hash or model.counts or site.command in _ASKS):
                continue
            index = self._ev.store.files[site.file]
            function = index.function_of(index.facts.exprs[site.call].block)
            for shape in self._hashes.in_each_way(site.ref, (self._usage.key_file(site), self._usage.key(site))):
                table[site.file, function, shape.name].append(site)
        return table

    def _asks_for_any(self, index: FileIndex, head: int, asked: CommandSite) -> bool:
        """Whether a condition asks for no more of a reply than whether there is something in it: ``!map.isEmpty()``,
        ``isNotEmpty(map)``, ``len(map) > 0``.
        """
        names = {one.name for one in index.bound_to.get(asked.call, ()) if not one.path}
        uses = [
            number
            for number in (parts(index.facts.exprs, head) if head != NONE else ())
            if number == asked.call
            or (isinstance(expr := index.facts.exprs[number], facts.Name) and expr.name in names)
        ]
        return bool(uses) and all(self._is_about_all(index, number, head) for number in uses)

    def _is_about_all(self, index: FileIndex, number: int, head: int) -> bool:
        """Whether an expression is not asked for one of its entries."""
        around = index.parents.get(number, NONE) if number != head else NONE
        expr = index.facts.exprs[around] if around != NONE else None
        match expr:
            case facts.Member():
                call = index.facts.exprs[index.call_of.get(around, NONE)] if around in index.call_of else None
                return not isinstance(call, facts.Call) or not call.arguments
            case facts.Call():
                return len(expr.arguments) == 1
            case facts.Operation():
                return expr.operator not in ("in", "not in")
            case facts.Index():
                return False
            case _:
                return True
