"""Answers of a bounded size: lists by pages, texts by parts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

Object = dict[str, Any]

MOST = 100
"""Entries of one page."""
ROOM = 30_000
"""Characters of one answer, beyond which a page ends after the entry that fills it; some assistants refuse more."""
LONGEST = 2_000
"""Characters of one text within an entry."""


def page(items: Sequence[T], shown: Callable[[T], Object], name: str, offset: int, limit: int) -> Object:
    """The entries from `offset` on, at most `limit` and as many as there is room for; `next_offset` is where the next
    page begins, None on the last one.
    """
    entries: list[Object] = []
    start = max(0, offset)
    used = 0
    for item in items[start : start + max(1, min(limit, MOST))]:
        entry = bounded(shown(item))
        used += len(json.dumps(entry, ensure_ascii=False))
        if entries and used > ROOM:
            break
        entries.append(entry)
    end = start + len(entries)
    return {name: entries, "total": len(items), "next_offset": end if end < len(items) else None}


def part(text: str, offset: int, name: str) -> Object:
    """The text from `offset` on, in whole lines as far as they fit."""
    start = max(0, offset)
    end = min(len(text), start + ROOM)
    if end < len(text):
        last = text.rfind("\n", start, end)
        end = last + 1 if last > start else end
    return {name: text[start:end], "next_offset": end if end < len(text) else None}


def bounded(value: Any, most: int = MOST) -> Any:
    """A JSON value whose texts and lists are not too long; what is left out is counted in its place."""
    if isinstance(value, str):
        return value if len(value) <= LONGEST else f"{value[:LONGEST]}… ({len(value) - LONGEST:,} more characters)"
    if isinstance(value, list):
        kept = [bounded(each, most) for each in value[:most]]
        return kept if len(value) <= most else [*kept, {"left_out": len(value) - most}]
    if isinstance(value, dict):
        kept_pairs = {bounded(key): bounded(each, most) for key, each in list(value.items())[:most]}
        return kept_pairs if len(value) <= most else {**kept_pairs, "left_out": len(value) - most}
    return value
