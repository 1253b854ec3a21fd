"""Lua texts made constant: the values that they are put together from become keys and arguments of the call."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby

from resplint.bind.index import children
from resplint.contracts import facts
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Edit
from resplint.contracts.remedy import Parameterise
from resplint.flow.graph import Graph
from resplint.knowledge.records.spelling_records import TextStyle
from resplint.spelling import lua
from resplint.spelling.files import NotExpressible, SourceFile
from resplint.spelling.kinds import is_whole, kind_of, may_change
from resplint.spelling.script_calls import Passed, Passing, passing
from resplint.spelling.texts import Woven, weave
from resplint.spelling.tokens import Token, Unit

_PREPARES = re.compile("escape|quote|replace|sanit|safe", re.IGNORECASE)
_UNQUOTABLE = frozenset("\\\n\r\"'`{}$")


@dataclass
class _Values:
    """What the call passes in future, in order and without repetitions."""

    keys: list[str] = field(default_factory=list)
    arguments: list[str] = field(default_factory=list)

    def place(self, code: str, is_key: bool, again: bool) -> int:
        """Position of a value, from 0; `again`: the same code gives the same value."""
        known = self.keys if is_key else self.arguments
        if code not in known or not again:
            known.append(code)
            return len(known) - 1
        return known.index(code)


@dataclass(frozen=True)
class Replaced:
    """A stretch of a script's text, the units of its value, and what stands for it in future: ``tonumber(ARGV[2])``."""

    place: lua.Place
    units: list[Unit]
    name: str


@dataclass(frozen=True)
class Constant:
    """A script's text that becomes constant: how it is put together, and what of it is replaced."""

    text: int
    """The expression that puts it together."""
    woven: Woven
    call: Passing
    values: Passed
    replaced: list[Replaced]
    keeps: bool
    """Whether the call says no more about keys, and every value arrives as the text put it in."""

    @property
    def plain(self) -> str:
        """The text with one `lua.HOLE` for each value."""
        return _plain_text(self.woven)


def parameterise(file: SourceFile, constant: Constant) -> list[Edit]:
    """A constant text, and its values behind it."""
    woven = constant.woven
    edits, regions = list(woven.edits), []
    for one in constant.replaced:
        start, end, spelled = _region(woven, one.place, one.name)
        regions.append((start, end))
        edits.append(file.edit(start, end, spelled))
    edits += _plain(file, woven, regions)
    return [*edits, *constant.call.edits(file, constant.values)]


def constant_of(ev: Graph, file: SourceFile, change: Parameterise) -> Constant:
    """What becomes of a script's text, and of its call."""
    text = _source(file, change)
    woven = weave(file, text)
    holes = {unit.hole for unit in woven.units if unit.hole != NONE}
    if not holes:
        raise NotExpressible("nothing to pass")
    _require_stable(file, change, text, holes)
    if any(_is_prepared(file, hole) for hole in holes):
        raise NotExpressible("a value that is made ready to stand in a text")
    plain, call = _plain_text(woven), passing(file, change)
    found = lua.places(plain, lambda at: _is_number(ev, file, woven.units[at]), _commands(ev))
    if lua.highest(plain, "KEYS") > call.keys or lua.highest(plain, "ARGV") > call.arguments:
        raise NotExpressible("the script looks for more than it is given")
    values, replaced, keeps = _Values(), [], True
    for place in found:
        inside = woven.units[place.inner_start : place.inner_end]
        code = _value(ev, file, inside, call.text_only)
        still = not any(may_change(ev, file, unit.hole) for unit in inside)
        number = (call.keys if place.is_key else call.arguments) + values.place(code, place.is_key, still) + 1
        name = f"{'KEYS' if place.is_key else 'ARGV'}[{number}]"
        replaced.append(Replaced(place, inside, f"tonumber({name})" if place.is_number else name))
        keeps = keeps and still and not place.is_key and _arrives(ev, file, place, inside)
    return Constant(text, woven, call, Passed(values.keys, values.arguments), replaced, keeps)


def _arrives(ev: Graph, file: SourceFile, place: lua.Place, inside: list[Unit]) -> bool:
    """Whether the script gets the very text, or number, that stood in it."""
    holes = [unit for unit in inside if unit.hole != NONE]
    if place.start == place.inner_start and place.is_number:
        return True
    if place.start == place.inner_start:
        # Lua writes other numbers in its own way when it hands them to a command: 0.1 as 0.10000000000000001.
        return all(unit.is_number or is_whole(ev, file, unit.hole) for unit in holes)
    return all(_is_shown(ev, file, unit, alone=len(inside) == 1) for unit in holes)


def _is_shown(ev: Graph, file: SourceFile, unit: Unit, alone: bool) -> bool:
    """Whether the text of a value is the one that the hole showed."""
    kind = kind_of(ev, file, unit.hole)
    if unit.is_number or kind == "number":
        return True
    spelling = file.spelling
    if kind == "text":
        named = isinstance(file.facts.exprs[unit.hole], facts.Name | facts.Member)
        return not (alone and named and spelling.text_may_be_null)
    if not unit.is_text:
        return True  # it is put in as before: by a hole, or what stands for one
    return alone if spelling.percent else bool(spelling.text_joint)


def _plain_text(woven: Woven) -> str:
    return "".join(lua.HOLE if unit.hole != NONE else unit.char for unit in woven.units)


def _commands(ev: Graph) -> Callable[[str], lua.Command | None]:
    def command(name: str) -> lua.Command | None:
        known = ev.catalogue.commands.get(name)
        return lua.Command(known.key, known.several_keys) if known is not None else None

    return command


def _is_number(ev: Graph, file: SourceFile, unit: Unit) -> bool:
    return unit.is_number or kind_of(ev, file, unit.hole) == "number"


# -- where the text is put together ------------------------------------------------------------------------------------


def _source(file: SourceFile, change: Parameterise) -> int:
    """The expression that puts the text together: the argument itself, or what a local name was bound to for it."""
    expr = change.text[1]
    record = file.facts.exprs[expr]
    if not isinstance(record, facts.Name):
        return expr
    index = file.index
    scope = index.scope_of(record.block)
    bindings = index.bindings.get((scope, record.name), [])
    same = [one for one in file.facts.exprs if isinstance(one, facts.Name) and one.name == record.name]
    here = [one for one in same if index.scope_of(one.block) == scope]
    if len(bindings) != 1 or len(here) != 1 or (scope, record.name) in index.parameters or not scope:
        raise NotExpressible("a text that is used elsewhere, too")
    binding = bindings[0]
    if binding.kind != "assign" or binding.path or binding.value == NONE or binding.start > record.start:
        raise NotExpressible("a text that is put together in another way")
    if any(index.within(one.block, scope) for one in same if one not in here):
        raise NotExpressible("a text that is used elsewhere, too")
    if not index.contains(binding.block, record.block):
        raise NotExpressible("a text that not every way leads to")
    return binding.value


def _is_prepared(file: SourceFile, hole: int) -> bool:
    """Whether characters of a value were replaced, perhaps because the text needs that: an argument must have none of
    it.
    """
    pending, seen = [hole], set[int]()
    while pending:
        number = pending.pop()
        if number in seen or number == NONE:
            continue
        seen.add(number)
        record = file.facts.exprs[number]
        if isinstance(record, facts.Name | facts.Member) and _PREPARES.search(record.name):
            return True
        if isinstance(record, facts.Name):
            scope = file.index.scope_of(record.block)
            pending += [one.value for one in file.index.bindings.get((scope, record.name), ())]
        pending += children(record)
    return False


def _require_stable(file: SourceFile, change: Parameterise, text: int, holes: set[int]) -> None:
    """Values that are computed where the text is must be the same where the call is."""
    call, made = file.facts.exprs[change.call[1]], file.facts.exprs[text]
    if call.start <= made.start < call.end:
        return
    index = file.index
    scope = index.function_of(made.block)
    if index.function_of(call.block) != scope:
        raise NotExpressible("a text of another function")
    pending = list(holes)
    while pending:
        record = file.facts.exprs[pending.pop()]
        if isinstance(record, facts.Call | facts.Function | facts.Opaque):
            raise NotExpressible("a value that is computed")
        if isinstance(record, facts.Name):
            changes = [
                one for one in index.facts.bindings if one.name == record.name and index.within(one.block, scope)
            ]
            if any(made.start < one.start < call.end for one in changes):
                raise NotExpressible("a value that changes")
        if isinstance(record, facts.Member) and any(
            made.start < file.facts.exprs[one.target].start < call.end
            for one in index.writes_by_name.get(record.name, ())
        ):
            raise NotExpressible("a value that changes")
        pending += children(record)


# -- values ------------------------------------------------------------------------------------------------------------


def _value(ev: Graph, file: SourceFile, units: list[Unit], text_only: bool) -> str:
    """Code of what a whole text, or a number, becomes as an argument."""
    if len(units) == 1 and units[0].hole != NONE and (alone := _alone(ev, file, units[0], text_only)):
        return alone
    if any(unit.hole == NONE and unit.char in _UNQUOTABLE for unit in units):
        raise NotExpressible("text that needs escapes")
    style = next((one for one in file.spelling.text if one.hole is not None), None)
    if style is None:
        return _with_joints(ev, file, units)
    codes = [_shown(ev, file, unit) for unit in units if unit.hole != NONE]
    single = (one for one in style.quotes if len(one) == 1)
    quotes = next((one for one in single if not any(one in code for code in codes)), "")
    if not quotes or any("\\" in code or code.startswith("{") for code in codes):
        raise NotExpressible("quotes in a hole")
    pieces = [unit.char if unit.hole == NONE else _filled(ev, file, style, units, at) for at, unit in enumerate(units)]
    return f"{style.prefixes[0]}{quotes}{''.join(pieces)}{quotes}"


def _shown(ev: Graph, file: SourceFile, unit: Unit) -> str:
    """Code of what a hole shows."""
    code = _code(file, unit.hole)
    if unit.is_number and file.spelling.as_whole and not is_whole(ev, file, unit.hole):
        return file.spelling.as_whole.format(value=code)
    return code


def _alone(ev: Graph, file: SourceFile, unit: Unit, text_only: bool) -> str:
    """A value without text around it; "" when only a text with a hole shows it as it was."""
    kind = kind_of(ev, file, unit.hole)
    code = _code(file, unit.hole)
    if unit.is_number and file.spelling.as_whole:
        return _shown(ev, file, unit)
    if kind == "text" or (kind == "number" and not text_only):
        return code
    if not unit.is_text and not file.spelling.as_shown:
        return ""
    record = file.facts.exprs[unit.hole]
    if file.spelling.as_text.startswith("{value}") and not isinstance(
        record, facts.Name | facts.Member | facts.Call | facts.Index
    ):
        code = f"({code})"
    return file.spelling.as_text.format(value=code)


def _filled(ev: Graph, file: SourceFile, style: TextStyle, units: list[Unit], at: int) -> str:
    """A hole in text; a name alone is written shorter where no letter follows."""
    code = _shown(ev, file, units[at])
    following = units[at + 1].char if at + 1 < len(units) else ""
    if style.bare_hole and isinstance(file.facts.exprs[units[at].hole], facts.Name):
        if not (following.isalnum() or following in ("_", "[", ".")) or not following:
            return f"{style.bare_hole}{code}"
    opening, closing = style.hole or ("", "")
    return f"{opening}{code}{closing}"


def _with_joints(ev: Graph, file: SourceFile, units: list[Unit]) -> str:
    """``"lot:" + lot``."""
    if not file.spelling.text_joint:
        raise NotExpressible("text with holes is not known in this language")
    found: list[str] = [] if units[0].hole == NONE else ['""']
    for is_text, group in groupby(units, key=lambda unit: unit.hole == NONE):
        if is_text:
            found.append(f'"{"".join(unit.char for unit in group)}"')
            continue
        for unit in group:
            simple = isinstance(file.facts.exprs[unit.hole], facts.Name | facts.Member | facts.Call | facts.Index)
            code = _shown(ev, file, unit)
            found.append(code if simple else f"({code})")
    return file.spelling.text_joint.join(found)


def _code(file: SourceFile, expr: int) -> str:
    code = file.code(expr)
    record = file.facts.exprs[expr]
    if isinstance(record, facts.Function | facts.Opaque) or "\n" in code or file.spelling.line_comment in code:
        raise NotExpressible("code that does not fit into a line")
    return code


# -- the text ----------------------------------------------------------------------------------------------------------


def _region(woven: Woven, place: lua.Place, name: str) -> tuple[int, int, str]:
    """Where a stretch stands in the source, and what takes its place there."""
    units = woven.units[place.start : place.end]
    first, last = units[0], units[-1]
    before, after = "", ""
    start_token, end_token = first.token, last.token
    if start_token is None:
        start_token = woven.units[place.start - 1].token if place.start else None
        if start_token is None:
            raise NotExpressible("a text that begins with a value")
    if end_token is None:
        end_token = woven.units[place.end].token if place.end < len(woven.units) else None
        if end_token is None:
            after = start_token.quotes
    if end_token is not None and end_token is not start_token and not _alike(start_token, end_token):
        raise NotExpressible("texts in different quotes")
    return first.start, last.end, f"{before}{name}{after}"


def _alike(one: Token, other: Token) -> bool:
    return (one.quotes, one.prefix.lower(), one.style) == (other.quotes, other.prefix.lower(), other.style)


def _plain(file: SourceFile, woven: Woven, regions: list[tuple[int, int]]) -> list[Edit]:
    """Edits that turn what is left of texts with holes into plain ones."""

    def outside(start: int, end: int) -> bool:
        return not any(start < last and first < end for first, last in regions)

    edits = [_halved(file, *pair) for pair in woven.doubled if outside(*pair)]
    for token in woven.tokens:
        if not token.holes or token.style.plain_prefix is None:
            continue
        if outside(token.start, token.inner):
            edits.append(file.edit(token.start, token.start + len(token.prefix), token.style.plain_prefix))
        edits += [_halved(file, *pair) for pair in token.doubled if outside(*pair)]
    return edits


def _halved(file: SourceFile, start: int, end: int) -> Edit:
    return file.edit(start + (end - start) // 2, end, "")
