"""Writing a baseline so that people can review it and git can merge it: one line an entry, sorted."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from resplint.baseline.records import HEADER, VERSION, Entry


def render(entries: Iterable[Entry]) -> bytes:
    """The file as UTF-8."""
    lines = [json.dumps({HEADER: VERSION})]
    for entry in sorted(entries, key=Entry.identity):
        fields = msgspec.to_builtins(entry)
        text = json.dumps(fields, ensure_ascii=False)
        # A review shows the file as it is: what would steer a terminal or turn its text round is spelt out.
        lines.append(text if text.isprintable() else json.dumps(fields))
    return "".join(f"{line}\n" for line in lines).encode("utf-8")
