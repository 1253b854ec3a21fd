"""Names that a test has shown to be among a few that the code writes out: ``if kind not in KINDS: return``."""

from __future__ import annotations

from resplint.bind.index import FileIndex
from resplint.bind.values import CollectionValue
from resplint.contracts import facts
from resplint.flow.graph import Graph

_LEAVING = ("return", "raise", "continue", "break")


def is_one_of_a_few(graph: Graph, file: int, number: int) -> bool:
    """Whether an expression is a name that only gets to its place when it is an item of a collection written out."""
    index = graph.store.files[file]
    expr = index.facts.exprs[number]
    if not isinstance(expr, facts.Name):
        return False
    owner = index.owner(expr.name, index.scope_of(expr.block))
    around = set(index.enclosing_blocks(expr.block))
    for test in index.membership_tests.get(expr.name, ()):
        place = index.facts.exprs[test]
        if test == number or index.owner(expr.name, index.scope_of(place.block)) != owner:
            continue
        for block, (passes, at) in _tests(graph, index, test).items():
            inside = passes and block in around
            behind = not passes and index.facts.blocks[block].end <= expr.start and _leaves(index, block, around)
            if (inside or behind) and not _bound_between(index, (owner, expr.name), at, expr.start):
                return True
    return False


def _tests(graph: Graph, index: FileIndex, number: int) -> dict[int, tuple[bool, int]]:
    """The branches whose condition compares a name with a collection written out: whether they are entered when it is
    an item, and where the test stands.
    """
    found = {}
    condition = number
    while condition in index.parents and condition not in index.branches:
        condition = index.parents[condition]
    head = index.facts.exprs[condition]
    if not isinstance(head, facts.Operation):
        return {}
    for at in index.branches.get(condition, ()):
        one, wanted = head, True
        if one.operator == "not" and isinstance(inner := index.facts.exprs[one.operands[0]], facts.Operation):
            one, wanted = inner, False
        parts = [one]
        joined = {True: "and", False: "or"}
        for word in joined.values() if wanted else ():
            if one.operator == word:
                parts = [p for n in one.operands if isinstance(p := index.facts.exprs[n], facts.Operation)]
        for part in parts:
            if part.operator in ("in", "not in") and part.operands[0] == number:
                passes = (part.operator == "in") == wanted
                fits = len(parts) == 1 or one.operator == joined[passes]
                if fits and _is_written_out(graph, index.number, part.operands[-1]):
                    found[at] = (passes, head.start)
    return found


def _leaves(index: FileIndex, block: int, around: set[int]) -> bool:
    """Whether a branch beside or around the way to a place always leaves that way."""
    one = index.facts.blocks[block]
    return one.parent in around and any(
        jump.kind in _LEAVING and jump.block == block for jump in index.jumps[index.function_of(block)]
    )


def _bound_between(index: FileIndex, name: tuple[int, str], start: int, end: int) -> bool:
    return any(start < one.start < end for one in index.bindings.get(name, ()))


def _is_written_out(graph: Graph, file: int, number: int) -> bool:
    values = graph.values(file, number)
    written = [graph.store.expr(one.ref) for one in values if isinstance(one, CollectionValue) and one.ref[1] >= 0]
    return len(written) == len(values) > 0 and all(
        isinstance(one, facts.Collection) and one.items and not one.generated for one in written
    )
