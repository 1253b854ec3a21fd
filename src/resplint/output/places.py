"""Paths of a report as its readers name them: relative to the repository, or to the current folder."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

import msgspec

from resplint.contracts.findings import LocatedFix, Report, Result
from resplint.output.options import Here

Record = TypeVar("Record", bound=msgspec.Struct)

_LINE, _BEFORE = re.compile(r":\d"), re.compile(r"^|[\s(`'\"]")
"""What follows a path in a place that a message names, and what stands before it."""
_CODE = frozenset({"code", "subject", "symbol", "command"})
"""Fields that hold pieces of the code."""


def in_repository(report: Report, prefix: str) -> Report:
    """`report` with paths relative to the repository in which the root of the scan is the folder `prefix`."""
    return _moved(report, lambda path: prefix + path) if prefix else report


def seen_from(report: Report, here: Here | None) -> Report:
    """`report` with paths relative to the current folder, where that is known."""
    place = from_here(here)
    return _moved(report, place) if place is not None else report


def records_seen_from(records: Sequence[Record], here: Here | None) -> tuple[Record, ...]:
    """Records of any kind with their fields `path`, and places in their texts, relative to the current folder.

    Code is left as it is.
    """
    place = from_here(here)
    if place is None:
        return tuple(records)
    known = frozenset(_paths(tuple(records)))
    moved: tuple[Record, ...] = _rebuilt(tuple(records), "", place, partial(_moved_places, place=place, known=known))
    return moved


def _paths(value: Any, field: str = "") -> Iterator[str]:
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from _paths(getattr(value, name), name)
    elif isinstance(value, tuple):
        for one in value:
            yield from _paths(one)
    elif field == "path":
        yield value


def _rebuilt(value: Any, field: str, path: Callable[[str], str], text: Callable[[str], str]) -> Any:
    """A value with what `path` makes of each field of that name, and `text` of texts."""
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
        return type(value)(**{name: _rebuilt(getattr(value, name), name, path, text) for name in names})
    if isinstance(value, tuple):
        return tuple(_rebuilt(one, field, path, text) for one in value)
    if isinstance(value, str) and field not in _CODE:
        return path(value) if field == "path" else text(value)
    return value


def from_here(here: Here | None) -> Callable[[str], str] | None:
    """What makes a path below the root one from the current folder; None where paths are left as they are."""
    if here is None or here.way == ".":
        return None
    if here.inside:
        return lambda path: posixpath.relpath(f"/{path}", f"/{here.inside}")
    return lambda path: f"{here.way}/{path}"


def _moved(report: Report, place: Callable[[str], str]) -> Report:
    """`report` with what `place` makes of every path."""
    known = frozenset(report.analysed)
    return msgspec.structs.replace(
        report,
        results=tuple(_moved_result(result, place, known) for result in report.results),
        notifications=tuple(
            msgspec.structs.replace(each, path=place(each.path)) if each.path else each for each in report.notifications
        ),
    )


def _moved_result(result: Result, place: Callable[[str], str], known: frozenset[str]) -> Result:
    said = partial(_moved_places, place=place, known=known | {result.path, *(step.path for step in result.trail)})
    return msgspec.structs.replace(
        result,
        path=place(result.path),
        message=said(result.message),
        help=said(result.help),
        trail=tuple(
            msgspec.structs.replace(step, path=place(step.path), message=said(step.message)) for step in result.trail
        ),
        fix=_moved_fix(result.fix, place),
    )


def _moved_places(text: str, place: Callable[[str], str], known: Collection[str]) -> str:
    """A sentence with what `place` makes of the `known` paths in places that it names, as in "at app/db.py:12"."""
    parts: list[str] = []
    done = 0
    for line in _LINE.finditer(text):
        starts = (word.end() for word in _BEFORE.finditer(text, done, line.start()))
        start = next((each for each in starts if text[each : line.start()] in known), None)
        if start is not None:
            parts += text[done:start], place(text[start : line.start()])
            done = line.start()
    return "".join([*parts, text[done:]])


def _moved_fix(fix: LocatedFix | None, place: Callable[[str], str]) -> LocatedFix | None:
    if fix is None:
        return None
    edits = tuple(msgspec.structs.replace(edit, path=place(edit.path)) for edit in fix.edits)
    return msgspec.structs.replace(fix, edits=edits)
