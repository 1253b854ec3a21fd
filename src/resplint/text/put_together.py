"""Texts that calls put together, in parts: builders, lists that are joined, placeholders that are filled."""

from __future__ import annotations

import re

from resplint.bind.index import FileIndex
from resplint.bind.values import CollectionValue, Const, External, ExternalObject, FunctionValue, Ref
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph

Pieces = list[str | Ref]
"""Text that stands in the code, and expressions."""
_PRINTED = re.compile(r"%[sdi]")


def pieces(ev: Graph, file: int, number: int) -> Pieces | None:
    """The parts of the text that a call gives, in their order; None where that is not known."""
    call = ev.store.expr((file, number))
    callee = ev.store.expr((file, call.callee)) if isinstance(call, facts.Call) else None
    if not isinstance(call, facts.Call) or any(item.name for item in call.arguments):
        return None
    given = [item.value for item in call.arguments]
    if isinstance(callee, facts.Name):
        return _in_lambda(ev, file, call)
    if not isinstance(callee, facts.Member):
        return None
    words = ev.roles(file).words
    if callee.name in words.text_joiners:
        return _joined(ev, file, callee, given)
    if callee.name == "concat":
        return [(file, callee.object), *((file, one) for one in given)] if _is_text(ev, file, callee.object) else None
    if callee.name in words.text_fillers:
        return _filled(ev, file, callee.object, given)
    if callee.name in words.text_replacers:
        return _replaced(ev, file, callee.object, given)
    if callee.name == words.text_method and not given:
        return built(ev, file, callee.object)
    return None


def built(ev: Graph, file: int, number: int) -> Pieces | None:
    """What was appended to a builder, one after the other: ``new StringBuilder("a").append(b)``."""
    index = ev.store.files[file]
    found: Pieces = []
    while True:
        number, added = _chain(ev, index, number)
        if added is None:
            return None
        found = [*((file, one) for one in added), *found]
        expr = index.facts.exprs[number]
        if isinstance(expr, facts.Call):
            begins = _begins(ev, file, expr)
            return None if begins is None else [*begins, *found]
        kept = _kept(ev, index, number) if isinstance(expr, facts.Name) else None
        if kept is None:
            return None
        number, later = kept
        found = [*later, *found]


def _begins(ev: Graph, file: int, call: facts.Call) -> Pieces | None:
    """What a builder that is made here begins with."""
    makers = ev.roles(file).text_builders
    values = ev.values(file, call.callee)
    if not any(isinstance(one, External) and one.dotted in makers for one in values):
        return None
    texts = [item.value for item in call.arguments]
    constants = [one for text in texts for one in ev.values(file, text) if isinstance(one, Const)]
    if any(isinstance(one.value, int) for one in constants):  # how much room it has
        return []
    return [(file, one) for one in texts]


def _kept(ev: Graph, index: FileIndex, number: int) -> tuple[int, Pieces] | None:
    """What makes the builder that a variable holds, and what was appended afterwards, if all in one block."""
    definitions = ev.binder.names(index.number).at(number)
    if len(definitions) != 1 or definitions[0].kind != "assign":
        return None
    binding = index.facts.bindings[definitions[0].number]
    maker = index.facts.exprs[binding.value] if binding.value != NONE and not binding.path else None
    end = index.facts.exprs[number].start
    if not isinstance(maker, facts.Call) or maker.end > end:
        return None
    appenders = ev.roles(index.number).words.text_appenders
    found: Pieces = []
    for one, call in index.calls_in(maker.end, end):
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member) or callee.name not in appenders:
            continue
        if one in _inner_calls(ev, index, call, end):
            continue
        root, added = _chain(ev, index, one)
        expr = index.facts.exprs[root]
        if not isinstance(expr, facts.Name) or ev.binder.names(index.number).at(root) != definitions:
            continue
        if call.block != maker.block or added is None:
            return None
        found += [(index.number, each) for each in added]
    return binding.value, found


def _inner_calls(ev: Graph, index: FileIndex, call: facts.Call, end: int) -> set[int]:
    """The call itself, if another one is made on what it gives: ``s.append(a).append(b)``."""
    number = index.call_of.get(call.callee, NONE)
    for one, outer in index.calls_in(call.start, end):
        callee = index.facts.exprs[outer.callee]
        if one != number and isinstance(callee, facts.Member) and callee.object == number:
            return {number} if callee.name in ev.roles(index.number).words.text_appenders else set()
    return set()


def _chain(ev: Graph, index: FileIndex, number: int) -> tuple[int, list[int] | None]:
    """What a chain of appending calls begins with, and what they append; None for calls that take more."""
    appenders = ev.roles(index.number).words.text_appenders
    added: list[int] = []
    while isinstance(call := index.facts.exprs[number], facts.Call):
        callee = index.facts.exprs[call.callee]
        if not isinstance(callee, facts.Member) or callee.name not in appenders:
            return number, added[::-1]
        if len(call.arguments) != 1:
            return number, None
        added.append(call.arguments[0].value)
        number = callee.object
    return number, added[::-1]


def _in_lambda(ev: Graph, file: int, call: facts.Call) -> Pieces | None:
    """What a lambda appends that builds a text: ``buildString { append(key) }``."""
    index = ev.store.files[file]
    makers = ev.roles(file).text_builders
    if not any(isinstance(one, External) and one.dotted in makers for one in ev.values(file, call.callee)):
        return None
    function = index.facts.exprs[call.arguments[-1].value] if call.arguments else None
    if not isinstance(function, facts.Function):
        return None
    number = index.facts.scopes[function.scope].block
    body = index.facts.blocks[number]
    found: Pieces = []
    for _, inner in index.calls_in(body.start, body.end):
        callee = index.facts.exprs[inner.callee]
        if isinstance(callee, facts.Name) and callee.name in ev.roles(file).words.text_appenders:
            if inner.block != number or len(inner.arguments) != 1:
                return None
            found.append((file, inner.arguments[0].value))
    return found or None


def _joined(ev: Graph, file: int, callee: facts.Member, given: list[int]) -> Pieces | None:
    """``["a", b].join(":")``, ``listOf("a", b).joinToString(":")``, ``String.join(":", "a", b)``."""
    holders = ev.values(file, callee.object)
    if any(isinstance(one, External) for one in holders):
        between, items = _text(ev, file, given[0]) if given else None, [(file, one) for one in given[1:]]
        if len(items) == 1:
            items = _listed(ev, *items[0]) or []
    else:
        between = _text(ev, file, given[0]) if given else ev.roles(file).words.text_joiners[callee.name]
        items = _listed(ev, file, callee.object) or []
    if between is None or not items:
        return None
    found: Pieces = [items[0]]
    for one in items[1:]:
        found += [between, one]
    return found


def _listed(ev: Graph, file: int, number: int) -> list[Ref] | None:
    """The elements of a list that is written out in one place."""
    expr = ev.store.expr((file, number))
    if isinstance(expr, facts.Call):
        makers = ev.roles(file).collection_makers
        values = ev.values(file, expr.callee)
        if not any(isinstance(one, External) and one.dotted in makers for one in values):
            return None
        return None if any(item.name for item in expr.arguments) else [(file, item.value) for item in expr.arguments]
    if isinstance(expr, facts.Name):
        values = ev.values(file, number)
        lists = [one for one in values if isinstance(one, CollectionValue)]
        if len(values) != 1 or not lists or lists[0].ref == (file, number):
            return None
        return _listed(ev, *lists[0].ref)
    if not isinstance(expr, facts.Collection) or expr.kind == "map" or expr.generated or expr.spreads:
        return None
    return [(file, one) for one in expr.items]


def _filled(ev: Graph, file: int, template: int, given: list[int]) -> Pieces | None:
    """``"user:%s".formatted(id)``; None for a text with other placeholders than these."""
    text = _text(ev, file, template)
    if text is None or "{" in text:
        return None
    parts = _PRINTED.split(text)
    if len(parts) != len(given) + 1 or len(parts) == 1:
        return None
    found: Pieces = [parts[0]]
    for one, behind in zip(given, parts[1:], strict=True):
        found += [(file, one), behind]
    return found


def _replaced(ev: Graph, file: int, template: int, given: list[int]) -> Pieces | None:
    """``"user:{id}".replace("{id}", id)``, several times perhaps."""
    replaced = [given]
    while (text := _text(ev, file, template)) is None:
        call = ev.store.expr((file, template))
        callee = ev.store.expr((file, call.callee)) if isinstance(call, facts.Call) else None
        if not isinstance(call, facts.Call) or not isinstance(callee, facts.Member):
            return None
        if callee.name not in ev.roles(file).words.text_replacers:
            return None
        replaced.append([item.value for item in call.arguments])
        template = callee.object
    found: Pieces = [text]
    for arguments in reversed(replaced):
        sought = _text(ev, file, arguments[0]) if len(arguments) > 1 else None
        before, found = found, []
        for one in before if sought else ():
            parts: Pieces = [*one.split(sought)] if isinstance(one, str) else [one]
            for at, part in enumerate(parts):
                found += [(file, arguments[1]), part] if at else [part]
        if len(found) <= len(before):
            return None
    return found


def _text(ev: Graph, file: int, number: int) -> str | None:
    """The one text that an expression always is."""
    values = ev.values(file, number)
    value = values[0] if len(values) == 1 else None
    return value.value if isinstance(value, Const) and isinstance(value.value, str) else None


def _is_text(ev: Graph, file: int, number: int) -> bool:
    """Whether an expression is no list."""
    values = ev.values(file, number)
    return not any(isinstance(one, CollectionValue | FunctionValue | External | ExternalObject) for one in values)
