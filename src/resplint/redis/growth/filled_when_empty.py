"""Collections that code fills only where they have nothing: a user's one token, which a new log-in gets again; a copy
of a table, which is made when there is none.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import Const, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.growth.hashes import FieldWrite, Hashes
from resplint.redis.usage import Usage
from resplint.text.key_templates import Shape

_LEAVING = ("return", "raise", "continue", "break")
_LOOPS = ("for", "while")
_ASKS = ("EXISTS",)
_SAME = ("==", "===", "is")
_COMPARED = (">", ">=", "<", "<=")


class FilledWhenEmpty:
    """Looks at what a function has asked of a hash before it adds a field."""

    def __init__(self, evaluator: Graph, usage: Usage, hashes: Hashes) -> None:
        self._ev = evaluator
        self._usage = usage
        self._hashes = hashes

    def is_one(self, write: FieldWrite) -> bool:
        """Whether a write adds one field, and its function has gone away before where the hash has any."""
        index, around = self._around(write.site.ref)
        in_loop = any(index.facts.blocks[one].kind in _LOOPS for one in around)
        return not in_loop and self._leaves_before(write, write.site.ref)

    def is_whole(self, write: FieldWrite) -> bool:
        """Whether a function writes what it needs of a collection where there is nothing in it: it has gone away before
        otherwise, or stands in a branch for that.
        """
        return any(self._leaves_before(write, one) or self._is_in_branch(write, one) for one in write.places)

    def _around(self, place: Ref) -> tuple[FileIndex, list[int]]:
        """The file of a call, and the blocks around it in its function."""
        index = self._ev.store.files[place[0]]
        block = index.facts.exprs[place[1]].block
        return index, list(index.enclosing_blocks(block, index.function_of(block)))

    def _before(self, write: FieldWrite, place: Ref) -> list[int]:
        """The calls in the function around a place that show whether there is anything under the key of a write."""
        index = self._ev.store.files[place[0]]
        function = index.function_of(index.facts.exprs[place[1]].block)
        return self._asked.get((place[0], function, write.shape.name), [])

    def _is_in_branch(self, write: FieldWrite, place: Ref) -> bool:
        index, around = self._around(place)
        heads = [index.facts.blocks[one].head for one in around if index.facts.blocks[one].kind == "if"]
        return any(self._asks_for_none(index, head, one) for head in heads for one in self._before(write, place))

    def _leaves_before(self, write: FieldWrite, place: Ref) -> bool:
        """Whether a function has gone away before a write where there is anything under its key."""
        asked = self._before(write, place)
        index, around = self._around(place)
        start = index.facts.exprs[place[1]].start
        return any(
            block.kind == "if"
            and block.parent in around
            and block.end <= start
            and any(jump.kind in _LEAVING for jump in index.jumps_in_block.get(number, ()))
            and any(
                self._asks_for_any(index, block.head, one) and not self._asks_for_none(index, block.head, one)
                for one in asked
            )
            for number, block in enumerate(index.facts.blocks if asked else ())
        )

    @cached_property
    def _asked(self) -> dict[tuple[int, int, str], list[int]]:
        """File, function and template of a key -> calls that show whether there is anything under it."""
        table: dict[tuple[int, int, str], list[int]] = defaultdict(list)
        for site in self._usage.commands:
            model = self._usage.model(site)
            if model is None or not (model.whole_hash or model.whole or model.counts or site.command in _ASKS):
                continue
            key = (self._usage.key_file(site), self._usage.key(site))
            for shape in self._hashes.in_each_way(site.ref, key):
                self._note(table, site.ref, shape)
            for place, (_, shapes) in self._hashes.choices(site.ref, key).items():
                for shape in shapes if place != site.ref else ():
                    self._note(table, place, shape)
        return table

    def _note(self, table: dict[tuple[int, int, str], list[int]], place: Ref, shape: Shape) -> None:
        index = self._ev.store.files[place[0]]
        call = index.facts.exprs[place[1]]
        if isinstance(call, facts.Call):
            table[place[0], index.function_of(call.block), shape.name].append(place[1])

    def _asks_for_any(self, index: FileIndex, head: int, asked: int) -> bool:
        """Whether a condition asks for no more of a reply than whether there is something in it: ``!map.isEmpty()``,
        ``isNotEmpty(map)``, ``len(map) > 0``.
        """
        names = {one.name for one in index.bound_to.get(asked, ()) if not one.path}
        inside = list(parts(index.facts.exprs, head)) if head != NONE else []
        if any(self._is_about_size(index, number) for number in inside):
            return False
        uses = [
            number
            for number in inside
            if number == asked or (isinstance(expr := index.facts.exprs[number], facts.Name) and expr.name in names)
        ]
        return bool(uses) and all(self._is_about_all(index, number, head) for number in uses)

    def _is_about_size(self, index: FileIndex, number: int) -> bool:
        """Whether an expression compares with a number that says more than whether there is anything: ``> LIMIT``."""
        test = index.facts.exprs[number]
        if not isinstance(test, facts.Operation) or test.operator not in _COMPARED:
            return False
        sides = [one for side in test.operands for one in self._ev.values(index.number, side)]
        return not any(isinstance(one, Const) and one.value in (0, 1, -1) for one in sides)

    def _asks_for_none(self, index: FileIndex, head: int, asked: int) -> bool:
        """Whether a condition only holds where a reply has nothing in it: ``not map``, ``map.isEmpty()``, ``len(map) ==
        0``.
        """
        if head == NONE or not self._asks_for_any(index, head, asked):
            return False
        test = index.facts.exprs[head]
        if isinstance(test, facts.Operation) and test.operator == "or":
            return all(self._says_none(index, one) for one in test.operands)
        return self._says_none(index, head)

    def _says_none(self, index: FileIndex, number: int) -> bool:
        test = index.facts.exprs[number]
        match test:
            case facts.Operation(operator="not"):
                inner = index.facts.exprs[test.operands[0]]
                return not (isinstance(inner, facts.Call) and self._says_empty(index, inner))
            case facts.Operation():
                return test.operator in _SAME and any(
                    isinstance(one, Const) and not one.value
                    for side in test.operands
                    for one in self._ev.values(index.number, side)
                )
            case facts.Call():
                return self._says_empty(index, test)
            case _:
                return False

    def _says_empty(self, index: FileIndex, call: facts.Call) -> bool:
        callee = index.facts.exprs[call.callee]
        names = self._ev.roles(index.number).words.empty
        return isinstance(callee, facts.Name | facts.Member) and callee.name in names

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
