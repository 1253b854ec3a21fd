"""Writing a baseline so that people can review it and git can merge it: one line an entry, sorted."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import msgspec

from resplint.baseline.records import HEADER, SCANNED, VERSION, Entry


def render(entries: Iterable[Entry], scanned: Sequence[str] = ()) -> bytes:
    """The file as UTF-8."""
    lines = [_line({HEADER: VERSION, SCANNED: list(scanned)} if scanned else {HEADER: VERSION})]
    for entry in sorted(entries, key=Entry.identity):
        lines.append(_line(msgspec.to_builtins(entry)))
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def _line(fields: dict[str, object]) -> str:
    text = json.dumps(fields, ensure_ascii=False)
    # A review shows the file as it is: what would steer a terminal or turn its text round is spelt out.
    return text if text.isprintable() else json.dumps(fields)
