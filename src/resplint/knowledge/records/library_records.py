"""Rows about foreign functions and methods: which values they carry where.

A row names a method (of the types in `on`, or of anything that is not known to be something else) or a function, and
says with arrows what flows::

    { on = "java.util.Map", method = "put", flow = "arg1 -> this[arg0]" }
    { function = "functools.partial", flow = ["arg0 -> result", "arg1.. -> arg0.param0.."] }
"""

from __future__ import annotations

import re
from typing import Literal as OneOf

import msgspec

from resplint.knowledge.records.base_records import Record

ALL = -1
"""Number of all arguments by position (``arg*``)."""
_REST = 6
"""How many arguments ``arg1..`` stands for."""
_MAX_STEPS = 3

_ROOT = re.compile(
    r"""(?: (?P<root>this|result) | arg:(?P<named>\w+|\*) | arg(?P<every>\*) | (?P<kind>arg|callback)(?P<number>\d{1,2})
    )(?=\W|$)""",
    re.VERBOSE,
)
_STEP = re.compile(
    r"""\[(?:
        (?P<element>) | (?P<entry>\*) | arg(?P<key>\d{1,2}) | (?P<position>\d{1,2}) | '(?P<name>[^'\[\]]+)'
    )\]
    | \.(?:
        param(?P<parameter>\d{1,2}) | param:(?P<alike>\*) | arg(?P<argument>\d{1,2}) | (?P<word>this|result)(?!\w)
    )""",
    re.VERBOSE,
)
_FORMS = "a place begins with this, result, argN, arg*, arg:NAME or callbackN"
_STEPS = "a step is [], [*], [argN], [N], ['NAME'], .paramN, .param:*, .argN, .this or .result"


class Step(Record, frozen=True, array_like=True, gc=False):
    """One step of a place."""

    kind: OneOf["element", "entry", "key", "position", "name", "parameter", "alike", "argument", "receiver", "result"]
    """Of a collection: any element, each one with its key, the one under the key that an argument is, at a position, or
    under a name (of an object without elements: its member). Of a function: a parameter, those named like the
    arguments, the object that it runs on, its result. Of a parameter that is a function: what it is called with.
    """
    number: int = 0
    name: str = ""


class Place(Record, frozen=True, array_like=True, gc=False):
    """Where a value comes from, or goes to."""

    root: OneOf["this", "argument", "named", "result"]
    """The receiver, an argument by position or by name, what the call gives."""
    number: int = 0
    """Which argument; `ALL` of them."""
    name: str = ""
    """Name of the argument; "*" for all that have one."""
    steps: tuple[Step, ...] = ()


class Flow(Record, frozen=True, array_like=True, gc=False):
    """An arrow of a row."""

    source: Place
    target: Place


class Row(Record, frozen=True, array_like=True, gc=False):
    """What is known of one function or method."""

    method: str
    """Last part of its name."""
    on: tuple[str, ...] = ()
    """Types that have the method. Empty: any receiver of which no more is known than that it may be a collection; that
    of a type which has a row of its own is none of these."""
    function: str = ""
    """The whole name of a function or constructor, which is called without a receiver."""
    flows: tuple[Flow, ...] = ()
    calls: OneOf["", "once", "each", "in turn", "listed in turn"] = ""
    """How often it calls the functions that it is given: once in the life of what it gives, once for each element, or
    so that the next one waits for the last, or for one of a few; those of a list that it is given likewise."""


class RowError(ValueError):
    """A row cannot be read."""


class _Written(Record, frozen=True):
    """A row as it is written."""

    on: str | tuple[str, ...] = ()
    method: str | tuple[str, ...] = ()
    function: str | tuple[str, ...] = ()
    flow: str | tuple[str, ...] = ()
    calls: OneOf["", "once", "each", "in turn", "listed in turn"] = ""


def parse_rows(value: object) -> list[Row]:
    """Rows as they are written in a file. Raises `RowError`."""
    if not isinstance(value, list):
        raise RowError("must be a list of tables")
    return [row for number, one in enumerate(value, 1) for row in _rows(one, number)]


def _rows(value: object, number: int) -> list[Row]:
    name = _name_of(value)
    where = f"row {number}{f' ({name})' if name else ''}"
    try:
        written = msgspec.convert(value, _Written, strict=True)
        flows = tuple(flow for text in _listed(written.flow) for flow in parse_flow(text))
    except (msgspec.ValidationError, RowError) as error:
        raise RowError(f"{where}: {error}") from error
    methods, functions = _listed(written.method), _listed(written.function)
    if bool(methods) == bool(functions):
        raise RowError(f"{where}: names a method or a function, and not both")
    if functions and written.on:
        raise RowError(f"{where}: a function has no receiver; its name says where it comes from")
    if not flows and not written.calls:
        raise RowError(f"{where}: says nothing: neither flow nor calls")
    if functions:
        if any(place.root == "this" for flow in flows for place in (flow.source, flow.target)):
            raise RowError(f"{where}: a function has no receiver")
        return [Row(_last(one), (), one, flows, written.calls) for one in functions]
    if dotted := next((one for one in methods if "." in one), ""):
        raise RowError(f"{where}: {dotted}: a method has a bare name; its type stands in on")
    return [Row(one, _listed(written.on), "", flows, written.calls) for one in methods]


def parse_flow(text: str) -> list[Flow]:
    """The arrows of ``source -> target``: several where ``arg1..`` counts on. Raises `RowError`."""
    source, arrow, target = (part.strip() for part in text.partition("->"))
    if not arrow:
        raise RowError(f"{text!r}: an arrow is written source -> target")
    counted = source.endswith(".."), target.endswith("..")
    if counted[0] != counted[1]:
        raise RowError(f"{text!r}: either both ends count on (..) or none")
    if not counted[0]:
        return [_flow(source, target, text)]
    return [_flow(_moved(source[:-2], by, text), _moved(target[:-2], by, text), text) for by in range(_REST)]


def _moved(place: str, by: int, text: str) -> str:
    """A place with its last number moved on."""
    match = re.search(r"(\d+)(\]?)$", place)
    if match is None:
        raise RowError(f"{text!r}: {place}..: what counts on ends with a number")
    return f"{place[: match.start()]}{int(match[1]) + by}{match[2]}"


def _flow(source: str, target: str, text: str) -> Flow:
    try:
        flow = Flow(_place(source), _place(target))
    except RowError as error:
        raise RowError(f"{text!r}: {error}") from error
    first = flow.source.steps[-1].kind if flow.source.steps else ""
    if flow.source.root == "result" and first not in _OF_FUNCTIONS and flow.target.root != "argument":
        raise RowError(f"{text!r}: the result is no source, but of what functions get")
    if flow.source.root != "result" and first in ("parameter", "alike", "receiver"):
        raise RowError(f"{text!r}: what a function gets flows into it, and not out of it")
    last = flow.target.steps[-1].kind if flow.target.steps else ""
    if flow.target.root != "result" and last in ("result", "argument"):
        raise RowError(f"{text!r}: nothing flows into what a function gives or passes on itself")
    if flow.target.root in ("argument", "named") and not last:
        raise RowError(f"{text!r}: nothing flows into an argument itself")
    if flow.source == flow.target:
        raise RowError(f"{text!r}: both ends are the same")
    return flow


_OF_FUNCTIONS = ("parameter", "alike", "argument", "receiver", "result")


def _place(text: str) -> Place:
    match = _ROOT.match(text)
    if match is None:
        raise RowError(f"{text}: {_FORMS}")
    steps: list[Step] = []
    at = match.end()
    while at < len(text):
        found = _STEP.match(text, at)
        if found is None:
            raise RowError(f"{text}: {text[at:]}: {_STEPS}")
        steps.append(_step(found))
        at = found.end()
    if len(steps) > _MAX_STEPS:
        raise RowError(f"{text}: has more than {_MAX_STEPS} steps")
    if match["kind"] == "callback" and (not steps or steps[0].kind != "result"):
        raise RowError(f"{text}: what is known of a callback is its result: {match[0]}.result")
    for number, step in enumerate(steps):
        if step.kind == "argument" and (not number or steps[number - 1].kind != "parameter"):
            raise RowError(f"{text}: .argN stands behind .paramN, and is what the function calls its parameter with")
    if match["root"]:
        return Place("this" if match["root"] == "this" else "result", 0, "", tuple(steps))
    if match["named"]:
        return Place("named", 0, match["named"], tuple(steps))
    return Place("argument", ALL if match["every"] else int(match["number"]), "", tuple(steps))


def _step(match: re.Match[str]) -> Step:
    kind = match.lastgroup
    value = match[kind] if kind else ""
    match kind:
        case "word":
            return Step("receiver" if value == "this" else "result")
        case "key" | "position" | "parameter" | "argument":
            return Step(kind, int(value))
        case "name":
            return Step("name", 0, value)
        case "alike":
            return Step("alike")
        case "entry":
            return Step("entry")
    return Step("element")


def _listed(value: str | tuple[str, ...]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else value


def _last(name: str) -> str:
    return re.split(r"[./]", name)[-1]


def _name_of(value: object) -> str:
    if not isinstance(value, dict):
        return ""
    name = value.get("method") or value.get("function")
    found = name[0] if isinstance(name, list) and name else name
    return found if isinstance(found, str) else ""
