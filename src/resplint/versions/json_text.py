"""JSON with lines."""

from __future__ import annotations

import re

import msgspec

from resplint.versions.records import BrokenManifestError, decoded

_TOKEN = re.compile(r'"((?:[^"\\\n]|\\.)*)"(\s*:)?|([{}\[\]])|\n')
_AT = re.compile(r"\(byte (\d+)\)")
_LINE_KEY = re.compile(r'^([ \t]*)"((?:[^"\\\n]|\\.)*)"\s*:\s*\{', re.MULTILINE)


def parse_json(data: bytes) -> tuple[dict[str, object], str]:
    """The object in a file and its text. Raises `BrokenManifestError`."""
    text = decoded(data)
    if conflict := re.search(r"^<{7} ", text, re.MULTILINE):
        raise BrokenManifestError("has an unresolved merge conflict", text.count("\n", 0, conflict.start()) + 1)
    encoded = text.encode("utf-8", "replace")
    try:
        document = msgspec.json.decode(encoded)
    except (msgspec.DecodeError, RecursionError) as error:
        at = _AT.search(str(error))
        line = encoded.count(b"\n", 0, int(at[1])) + 1 if at else 0
        raise BrokenManifestError("is not valid JSON", line) from error
    if not isinstance(document, dict):
        raise BrokenManifestError("is not a JSON object", 1)
    return document, text


def key_lines(text: str) -> dict[tuple[str, str], int]:
    """The line of every key in the objects that the outermost object holds, by both names."""
    lines: dict[tuple[str, str], int] = {}
    depth, line, outer = 0, 1, ""
    for match in _TOKEN.finditer(text):
        if match[3]:
            depth += 1 if match[3] in "{[" else -1
        elif match[0] == "\n":
            line += 1
        elif match[2]:
            if depth == 1:
                outer = match[1]
            elif depth == 2:
                lines.setdefault((outer, match[1]), line)
            line += match[2].count("\n")
    return lines


def object_lines(text: str) -> dict[str, int]:
    """The line on which an object of this key starts in machine-written JSON; of several the outermost's."""
    lines: dict[str, tuple[int, int]] = {}
    last, number = 0, 1
    for match in _LINE_KEY.finditer(text):
        number += text.count("\n", last, match.start())
        last = match.start()
        found = (len(match[1]), number)
        lines[match[2]] = min(found, lines.get(match[2], found))
    return {name: line for name, (_, line) in lines.items()}
