"""Addresses that are put together in the code, with a password among their parts: ``f"redis://:{password}@{host}"``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from resplint.bind.values import Const, Ref, Value
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.flow.graph import Graph
from resplint.text import put_together

_BEFORE = re.compile(r"(rediss?|valkeys?|redis-socket|redis-sentinel)://[^/@:]*:")
_HOLE = "\0"
_PRINTED = re.compile(r"%(?:\((\w+)\))?[sd]")
_BRACES = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True, slots=True)
class Composed:
    """The password of such an address, as values of the expression that stands there, and its host likewise, or as it
    is written.
    """

    passwords: tuple[Value, ...]
    hosts: tuple[Value, ...]
    host: str


def composed(ev: Graph, ref: Ref) -> Composed | None:
    """The parts of an address that is put together at `ref`; None for any other text."""
    pieces = _pieces(ev, ref)
    text = "".join(one if isinstance(one, str) else _HOLE for one in pieces)
    found = _BEFORE.match(text)
    end = found.end() if found is not None else NONE
    if end == NONE or text[end : end + 2] != f"{_HOLE}@":
        return None
    holes = [one for one in pieces if not isinstance(one, str)]
    place = text[:end].count(_HOLE)
    rest = text[end + 2 :]
    host = re.split(r"[:/?]", rest, maxsplit=1)[0]
    hosts = ev.values(*holes[place + 1]) if host == _HOLE else ()
    return Composed(ev.values(*holes[place]), hosts, "" if _HOLE in host else host)


def _pieces(ev: Graph, ref: Ref) -> put_together.Pieces:
    """The text at `ref` in its order: what is written out, and the expressions between."""
    expr = ev.store.expr(ref)
    file = ref[0]
    match expr:
        case facts.Literal(value=str(text)):
            return [text]
        case facts.Template(parts=parts):
            return [one if isinstance(one, str) else (file, one) for one in parts]
        case facts.Operation(operator="+", operands=operands):
            written = [(ev.store.expr((file, one)), one) for one in operands]
            is_whole = (facts.Literal, facts.Template)
            return [
                piece
                for one, number in written
                for piece in (_pieces(ev, (file, number)) if isinstance(one, is_whole) else [(file, number)])
            ]
        case facts.Operation(operator="%", operands=(left, right)):
            return _printed(ev, file, left, right)
        case facts.Call(callee=callee, arguments=arguments):
            member = ev.store.expr((file, callee))
            if isinstance(member, facts.Member) and member.name == "format":
                return _formatted(ev, file, member.object, arguments)
            return put_together.pieces(ev, *ref) or []
    return []


def _printed(ev: Graph, file: int, left: int, right: int) -> put_together.Pieces:
    """``"redis://:%s@%s" % (password, host)``, ``"redis://:%(password)s@…" % parts``."""
    given = ev.store.expr((file, right))
    numbers = given.items if isinstance(given, facts.Collection) else (right,)
    named: dict[object, int] = {}
    if isinstance(given, facts.Collection) and given.kind == "map":
        keys = [ev.store.expr((file, one)) if one != NONE else None for one in given.keys]
        named = {key.value: item for key, item in zip(keys, given.items, strict=True) if isinstance(key, facts.Literal)}
    return _filled(ev, file, left, _PRINTED, numbers, named)


def _formatted(ev: Graph, file: int, left: int, arguments: tuple[facts.Argument, ...]) -> put_together.Pieces:
    """``"redis://:{}@{host}".format(password, host=host)``."""
    numbers = tuple(item.value for item in arguments if not item.name)
    return _filled(ev, file, left, _BRACES, numbers, {item.name: item.value for item in arguments if item.name})


def _filled(
    ev: Graph, file: int, left: int, holes: re.Pattern[str], numbers: tuple[int, ...], named: dict[object, int]
) -> put_together.Pieces:
    """A text with placeholders, each replaced by what fills it; () where that is not known."""
    values = ev.values(file, left)
    text = values[0].value if len(values) == 1 and isinstance(values[0], Const) else None
    if not isinstance(text, str):
        return []
    found: put_together.Pieces = []
    at = 0
    for place, hole in enumerate(holes.finditer(text)):
        name = hole.group(1) or ""
        position = int(name) if name.isdecimal() else place
        number = named.get(name) if name and not name.isdecimal() else None
        if number is None and (name == "" or name.isdecimal()) and position < len(numbers):
            number = numbers[position]
        if number is None:
            return []
        found += [text[at : hole.start()], (file, number)]
        at = hole.end()
    return [*found, text[at:]]
