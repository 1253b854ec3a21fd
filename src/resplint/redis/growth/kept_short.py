"""Collections that code keeps short by counting: it takes elements out when there are too many, or adds no more."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import NamedTuple

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import Const, Ref, Reply
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.growth.key_ways import KeyWays
from resplint.redis.usage import CommandSite, Usage
from resplint.text.key_templates import Shapes

_MORE, _LESS = (">", ">="), ("<", "<=")
_LEAVING = ("return", "raise", "continue", "break")


class _Use(NamedTuple):
    """A place where a command is sent: itself, or a call of a function that passes the key to it."""

    site: CommandSite
    file: int
    call: int
    names: frozenset[str]


class KeptShort:
    """Looks at what code does after it has asked for the size of a collection: ``if client.scard(key) > limit: …``."""

    def __init__(self, evaluator: Graph, usage: Usage, shapes: Shapes, ways: KeyWays) -> None:
        self._ev = evaluator
        self._usage = usage
        self._shapes = shapes
        self._ways = ways

    def is_asked_before(self, site: CommandSite) -> bool:
        """Whether a command is only sent where a collection has less elements than some number."""
        return any(
            size.names & use.names and self._depends(use, size, takes=False)
            for use in self._uses(site)
            for size in self._sizes.get(self._function(use), ())
        )

    @cached_property
    def _sizes(self) -> dict[tuple[int, int], list[_Use]]:
        """Function -> where it asks for the size of a collection."""
        sizes: dict[tuple[int, int], list[_Use]] = {}
        for site in self._usage.with_unsent:
            model = self._usage.model(site)
            if model is not None and model.counts:
                for use in self._uses(site):
                    sizes.setdefault(self._function(use), []).append(use)
        return sizes

    def places(self) -> Iterator[tuple[str, Ref]]:
        """Templates of the keys of such collections, each with the command that depends on the size."""
        sizes = self._sizes
        for site in self._usage.with_unsent if sizes else ():
            model = self._usage.model(site)
            if model is None or model.structure == "key":
                continue
            if not (model.couples == "remove" or model.element >= 0 or model.hash_write):
                continue
            for use in self._uses(site):
                for size in sizes.get(self._function(use), ()):
                    shared = size.names & use.names
                    if shared and self._depends(use, size, takes=model.couples == "remove"):
                        yield from ((name, site.ref) for name in sorted(shared))

    def _uses(self, site: CommandSite) -> Iterator[_Use]:
        key = (self._usage.key_file(site), self._usage.key(site))
        names = self._names(key)
        yield _Use(site, site.file, site.call, names)
        passed = list(self._ways.calls(site.ref, key))
        for (file, call), frames in passed:
            if isinstance(self._ev.store.expr((file, call)), facts.Call):
                with self._ev.under(frames):
                    yield _Use(site, file, call, self._names(key))
        if passed or not all(shape.fixed for shape in self._shapes.of(*key)):
            return
        for edge in self._ev.callers.of(*self._around(site.ref)):  # whoever calls it uses this key
            if isinstance(self._ev.store.expr(edge.ref), facts.Call):
                yield _Use(site, edge.file, edge.call, names)

    def _function(self, use: _Use) -> tuple[int, int]:
        return self._around((use.file, use.call))

    def _around(self, call: Ref) -> tuple[int, int]:
        """The function that a call stands in."""
        index = self._ev.store.files[call[0]]
        return call[0], index.function_of(index.facts.exprs[call[1]].block)

    def _names(self, key: Ref) -> frozenset[str]:
        return frozenset(shape.name for shape in self._shapes.of(*key) if shape.known)

    def _depends(self, site: _Use, size: _Use, takes: bool) -> bool:
        """Whether elements are taken out only above a limit of the size, or added or read only below one."""
        index = self._ev.store.files[site.file]
        call = index.facts.exprs[site.call]
        around = index.enclosing_blocks(call.block, index.function_of(call.block))
        heads = [index.facts.blocks[one].head for one in around if index.facts.blocks[one].kind in ("if", "while")]
        if any(self._compares(index, head, size, _MORE if takes else _LESS) for head in heads):
            return True
        if not takes and any(self._compares(index, one, size, _MORE) for one in self._otherwise(index, around)):
            return True
        return not takes and any(
            block.kind == "if"
            and block.parent in around
            and block.end <= call.start
            and any(jump.kind in _LEAVING for jump in index.jumps_in_block.get(number, ()))
            and self._compares(index, block.head, size, _MORE)
            for number, block in enumerate(index.facts.blocks)
            if index.function_of(number) == index.function_of(call.block)
        )

    def _otherwise(self, index: FileIndex, around: Collection[int]) -> Iterator[int]:
        """The conditions that do not hold in blocks."""
        blocks = index.facts.blocks
        groups = {blocks[one].group for one in around if blocks[one].kind == "else"}
        return (one.head for one in blocks if one.kind == "if" and one.group in groups) if groups else iter(())

    def _compares(self, index: FileIndex, head: int, size: _Use, operators: tuple[str, ...]) -> bool:
        """Whether a condition asks that a size is more, or less, than something that is not nothing."""
        for number in parts(index.facts.exprs, head) if head != NONE else ():
            test = index.facts.exprs[number]
            if isinstance(test, facts.Operation) and len(test.operands) == 2 and test.operator in (*_MORE, *_LESS):
                size_side, other = test.operands if test.operator in operators else reversed(test.operands)
                if self._is_size(index, size_side, size):
                    return not self._is_nothing(index, other)
        return False

    def _is_size(self, index: FileIndex, number: int, size: _Use) -> bool:
        if (size.file, size.call) != size.site.ref and not self._hands_back(size):
            return False
        if number == size.call:
            return True
        names = {one.name for one in index.bound_to.get(size.call, ()) if not one.path}
        expr = index.facts.exprs[number]
        if not isinstance(expr, facts.Name):
            return False
        return expr.name in names or self._stands_for(index.number, number, size)

    def _hands_back(self, size: _Use) -> bool:
        """Whether a call gives what the command replies."""
        return self._stands_for(size.file, size.call, size)

    def _stands_for(self, file: int, number: int, size: _Use) -> bool:
        """Whether an expression is what the command replies."""
        return any(isinstance(one, Reply) and one.ref == size.site.ref for one in self._ev.values(file, number))

    def _is_nothing(self, index: FileIndex, number: int) -> bool:
        return any(isinstance(one, Const) and not one.value for one in self._ev.values(index.number, number))
