"""Connections that code outside the project hands out, or a method without a body, and the caller closes itself.

Nobody sees the pool behind ``Jedis jedis = api.connection()``. That a function closes what it got says that it owns it,
so that everybody who calls the same has to close it, on every way out. So does the method's name, where it is one by
which pools of the library lend what the variable is declared to be: ``Jedis jedis = pool.getResource()``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from resplint.bind.index import FileIndex
from resplint.bind.values import External, FunctionValue, LibraryObject, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.execution.lifetimes.giving_back import GivingBack
from resplint.flow.graph import Graph

_Lender = tuple[str, ...]


def unseen_loans(graph: Graph, back: GivingBack) -> Iterator[tuple[Ref, LibraryObject]]:
    """Calls that hand out a connection from where nobody looks, with what they give, if a function that makes such a
    call closes what it gets, or the call is of a method by which pools lend.
    """
    yield from _named_like_a_pools(graph)
    names = sorted({name for one in graph.catalogue.libraries.values() for name in back.all_ends(one)})
    lenders: dict[_Lender, LibraryObject] = {}
    for index in graph.store.judged:
        for member in (one for name in names for one in index.by_name.get(name, ())):
            closing = index.facts.exprs[member]
            if isinstance(closing, facts.Member) and member in index.call_of:
                for ref, held in _loans(graph, back, index, closing):
                    yield ref, held
                    lenders.setdefault(_lender(graph, ref), held)
    for index in graph.store.judged:
        for member in (one for name in sorted({one[-1] for one in lenders}) for one in index.by_name.get(name, ())):
            call = index.call_of.get(member)
            if call is not None and _is_unseen(graph, index, call):
                known = lenders.get(_lender(graph, (index.number, call)))
                if known is not None:
                    yield (index.number, call), known


def _lender(graph: Graph, ref: Ref) -> _Lender:
    """What a call is of: where its name comes from, or the folder in which it means the same, and the name."""
    index, call = graph.store.files[ref[0]], graph.store.expr(ref)
    assert isinstance(call, facts.Call)
    path, exprs = [], index.facts.exprs
    number = call.callee
    expr = exprs[number]
    while isinstance(expr, facts.Member | facts.Call):
        if isinstance(expr, facts.Member):
            path.append(expr.name)
        number = expr.object if isinstance(expr, facts.Member) else expr.callee
        expr = exprs[number]
    path.append(getattr(expr, "name", ""))
    static = graph.binder.static(index.number, number)
    known = [one.dotted if isinstance(one, External) else str(one) for one in static]
    place = "" if known else str(PurePosixPath(index.facts.path).parent)
    return (place, *known, *reversed(path))


def _loans(
    graph: Graph, back: GivingBack, index: FileIndex, closing: facts.Member
) -> Iterator[tuple[Ref, LibraryObject]]:
    if not isinstance(index.facts.exprs[closing.object], facts.Name):
        return
    held = [one for one in graph.carried(index.number, closing.object) if isinstance(one, LibraryObject)]
    if len(held) != 1 or held[0].made is not None:
        return
    if not _is_lent(held[0]) or not back.ends(held[0].origin.library, closing.name):
        return
    home = index.function_of(closing.block)
    for one in graph.binder.names(index.number).at(closing.object):
        if one.kind == "assign" and one.scope == home:
            value = index.facts.bindings[one.number].value
            if value != NONE and _is_unseen(graph, index, value):
                yield (index.number, value), held[0]


def _named_like_a_pools(graph: Graph) -> Iterator[tuple[Ref, LibraryObject]]:
    methods = [one for library in graph.catalogue.libraries.values() for one in library.method]
    names = sorted({name for one in methods if one.lends or one.returns_element for name in one.names})
    for index in graph.store.judged:
        for member in (one for name in names for one in index.by_name.get(name, ())):
            call = index.call_of.get(member)
            if call is not None and _is_unseen(graph, index, call):
                held = declared(graph, index, call)
                if held is not None and _is_lent(held):
                    yield (index.number, call), held


def declared(graph: Graph, index: FileIndex, number: int) -> LibraryObject | None:
    """What the variable is declared to be that an expression is put into."""
    for binding in index.bound_to.get(number, ()):
        for use in index.by_name.get(binding.name, ()):
            if index.owner(binding.name, index.scope_of(index.facts.exprs[use].block)) == binding.scope:
                for value in graph.carried(index.number, use):
                    if isinstance(value, LibraryObject) and value.made is None:
                        return value
    return None


def _is_lent(held: LibraryObject) -> bool:
    """Whether pools of the library lend such objects."""
    type_ = held.origin.type.name
    return any(one.returns == type_ and (one.lends or one.returns_element) for one in held.origin.library.method)


def _is_unseen(graph: Graph, index: FileIndex, number: int) -> bool:
    """Whether an expression calls what the project does not write out."""
    call = index.facts.exprs[number]
    if not isinstance(call, facts.Call):
        return False
    if any(isinstance(one, LibraryObject) and one.made is not None for one in graph.carried(index.number, number)):
        return False
    functions = [one for one in graph.callee(index.number, call.callee) if isinstance(one, FunctionValue)]
    return all(graph.is_abstract(one) for one in functions)
