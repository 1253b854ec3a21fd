"""Functions that a collection calls for each of its elements are loops: ``items.forEach(item => …)``.

Their scopes become comprehensions over the collection, so that everything that asks for loops sees them.
"""

from __future__ import annotations

import msgspec

from resplint.contracts import facts
from resplint.contracts.facts import FileFacts


def as_loops(
    file: FileFacts,
    names: frozenset[str],
    repeaters: frozenset[str] = frozenset(),
    unwrappers: frozenset[str] = frozenset(),
) -> FileFacts:
    """The file with the functions that methods of these names receive turned into comprehensions.

    What functions called `repeaters` receive becomes a loop that the code around leaves with its own ``return``. A
    chain of calls on which one of the `unwrappers` is called is no loop, for only what holds one element at most has
    those methods.
    """
    if not names and not repeaters:
        return file
    heads: dict[int, int] = {}
    repeated: set[int] = set()
    single = _on_single(file, names, unwrappers) if unwrappers else frozenset()
    for number, expr in enumerate(file.exprs):
        if not isinstance(expr, facts.Call) or number in single:
            continue
        callee = file.exprs[expr.callee]
        repeats = isinstance(callee, facts.Name) and callee.name in repeaters
        if not repeats and (not isinstance(callee, facts.Member) or callee.name not in names):
            continue
        for item in expr.arguments:
            function = file.exprs[item.value]
            if isinstance(function, facts.Function) and file.scopes[function.scope].kind == "function":
                heads[function.scope] = callee.object if isinstance(callee, facts.Member) else number
                repeated |= {function.scope} if repeats else set()
    if not heads:
        return file
    scopes = list(file.scopes)
    blocks = list(file.blocks)
    for number, head in heads.items():
        scope = scopes[number]
        kind: facts.BlockKind = "for" if number in repeated else "comprehension"
        scopes[number] = msgspec.structs.replace(scope, kind="comprehension")
        blocks[scope.block] = msgspec.structs.replace(blocks[scope.block], kind=kind, head=head)
    return msgspec.structs.replace(file, scopes=tuple(scopes), blocks=tuple(blocks))


def _on_single(file: FileFacts, names: frozenset[str], unwrappers: frozenset[str]) -> frozenset[int]:
    """Calls of methods of these names in ``value.map(…).filter(…).orElse(…)``."""
    found: set[int] = set()
    for expr in file.exprs:
        callee = file.exprs[expr.callee] if isinstance(expr, facts.Call) else None
        if not isinstance(callee, facts.Member) or callee.name not in unwrappers:
            continue
        number = callee.object
        while isinstance(call := file.exprs[number], facts.Call):
            method = file.exprs[call.callee]
            if not isinstance(method, facts.Member) or method.name not in names:
                break
            found.add(number)
            number = method.object
    return frozenset(found)
