"""Collections that code keeps short by counting: it takes elements out when there are too many, or adds no more."""

from __future__ import annotations

from collections.abc import Iterator

from resplint.bind.index import FileIndex, parts
from resplint.bind.values import Const, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.redis.usage import CommandSite, Usage
from resplint.text.key_templates import Shapes

_MORE, _LESS = (">", ">="), ("<", "<=")
_LEAVING = ("return", "raise", "continue", "break")


class KeptShort:
    """Looks at what code does after it has asked for the size of a collection: ``if client.scard(key) > limit: …``."""

    def __init__(self, evaluator: Graph, usage: Usage, shapes: Shapes) -> None:
        self._ev = evaluator
        self._usage = usage
        self._shapes = shapes

    def places(self) -> Iterator[tuple[str, Ref]]:
        """Templates of the keys of such collections, each with the command that depends on the size."""
        sizes: dict[tuple[int, int], list[CommandSite]] = {}
        for site in self._usage.commands:
            model = self._usage.model(site)
            if model is not None and model.counts:
                sizes.setdefault(self._function(site), []).append(site)
        for site in self._usage.commands if sizes else ():
            model = self._usage.model(site)
            if model is None or model.structure == "key" or not (model.couples == "remove" or model.element >= 0):
                continue
            for size in sizes.get(self._function(site), ()):
                shared = self._names(size) & self._names(site)
                if shared and self._depends(site, size, takes=model.couples == "remove"):
                    yield from ((name, site.ref) for name in sorted(shared))

    def _function(self, site: CommandSite) -> tuple[int, int]:
        index = self._ev.store.files[site.file]
        return (site.file, index.function_of(index.facts.exprs[site.call].block))

    def _names(self, site: CommandSite) -> set[str]:
        shapes = self._shapes.of(self._usage.key_file(site), self._usage.key(site))
        return {shape.name for shape in shapes if shape.known}

    def _depends(self, site: CommandSite, size: CommandSite, takes: bool) -> bool:
        """Whether elements are taken out only above a limit of the size, or added only below one."""
        index = self._ev.store.files[site.file]
        call = index.facts.exprs[site.call]
        around = index.enclosing_blocks(call.block, index.function_of(call.block))
        heads = [index.facts.blocks[one].head for one in around if index.facts.blocks[one].kind in ("if", "while")]
        if any(self._compares(index, head, size, _MORE if takes else _LESS) for head in heads):
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

    def _compares(self, index: FileIndex, head: int, size: CommandSite, operators: tuple[str, ...]) -> bool:
        """Whether a condition asks that a size is more, or less, than something that is not nothing."""
        for number in parts(index.facts.exprs, head) if head != NONE else ():
            test = index.facts.exprs[number]
            if isinstance(test, facts.Operation) and len(test.operands) == 2 and test.operator in (*_MORE, *_LESS):
                size_side, other = test.operands if test.operator in operators else reversed(test.operands)
                if self._is_size(index, size_side, size):
                    return not self._is_nothing(index, other)
        return False

    def _is_size(self, index: FileIndex, number: int, size: CommandSite) -> bool:
        if number == size.call:
            return True
        names = {one.name for one in index.bound_to.get(size.call, ()) if not one.path}
        expr = index.facts.exprs[number]
        return isinstance(expr, facts.Name) and expr.name in names

    def _is_nothing(self, index: FileIndex, number: int) -> bool:
        return any(isinstance(one, Const) and not one.value for one in self._ev.values(index.number, number))
