"""YAML files of settings: nested keys become dotted ones, each document may be for a profile.

Documents are built from events, not by a constructor, so that depth and the growth by aliases stay within bounds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml

from resplint.application.properties import PROFILE_KEYS
from resplint.application.records import MAX_ENTRIES, BrokenSettingsError, Entry, canonical
from resplint.files.yaml_events import events

_DEPTH_LIMIT = 30
_MAX_KEY = 1_000
_FILTERED = re.compile(r"(?m)(?<=[:\-] )[ ]*(@[\w.\-]+@)(?=\s*(?:#.*)?$)")
"""`version: @project.version@`: filled in by the build, and no YAML before that."""
_MERGE = "<<"


class _Node:
    """A scalar (`text`), or a mapping or list (`items`: key, line of the key, value)."""

    __slots__ = ("is_mapping", "items", "key", "line", "text")

    def __init__(self, line: int, text: str | None = None, is_mapping: bool = False) -> None:
        self.line = line
        self.text = text
        self.is_mapping = is_mapping
        self.items: list[tuple[str, int, _Node]] = []
        self.key: tuple[str, int] | None = None


def parse_yaml_settings(text: str) -> list[Entry]:
    """The entries of all documents of a file. Raises `BrokenSettingsError`."""
    found: list[Entry] = []
    for root in _documents(_FILTERED.sub(r'"\1"', text)):
        entries = _flat(root, MAX_ENTRIES - len(found))
        profile = ",".join(one.text for one in entries if canonical(re.sub(r"\[\d+\]", "", one.key)) in PROFILE_KEYS)
        found += [Entry(one.key, one.text, one.line, profile) for one in entries]
    return found


def _documents(text: str) -> Iterator[_Node]:
    stack: list[_Node] = []
    anchors: dict[str, _Node] = {}
    for event in events(text, BrokenSettingsError):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            stack, anchors = [], {}
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            node = _Node(line, is_mapping=isinstance(event, yaml.MappingStartEvent))
            _keep(stack, anchors, node, event.anchor)
            stack.append(node)
            if len(stack) > _DEPTH_LIMIT:
                raise BrokenSettingsError("is nested too deeply", line)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            last = stack.pop()
            if not stack:
                yield last
        elif isinstance(event, yaml.ScalarEvent):
            _keep(stack, anchors, _Node(line, event.value), event.anchor)
        elif isinstance(event, yaml.AliasEvent):
            _keep(stack, anchors, anchors.get(event.anchor or "") or _Node(line, ""), None)


def _keep(stack: list[_Node], anchors: dict[str, _Node], node: _Node, anchor: str | None) -> None:
    """Add a node to the one that is open."""
    if anchor:
        anchors[anchor] = node
    if not stack:
        return
    holder = stack[-1]
    if not holder.is_mapping:
        holder.items.append((f"[{len(holder.items)}]", node.line, node))
    elif holder.key is None:
        holder.key = (node.text or "", node.line)
    else:
        holder.items.append((*holder.key, node))
        holder.key = None


def _flat(root: _Node, room: int) -> list[Entry]:
    """Dotted keys of a document, at most `room` of them. What an alias adds counts where it is used."""
    found: list[Entry] = []
    merged: list[Entry] = []
    pending: list[tuple[str, int, _Node, bool, int]] = [("", root.line, root, False, 0)]
    steps = 0
    while pending and len(found) + len(merged) < room and steps < 4 * MAX_ENTRIES:
        steps += 1
        prefix, line, node, is_merged, depth = pending.pop()
        if node.text is not None:
            (merged if is_merged else found).append(Entry(prefix, node.text, line))
            continue
        for key, at, inner in reversed(node.items) if depth < _DEPTH_LIMIT else ():
            if len(prefix) + len(key) > _MAX_KEY:
                continue
            if key == _MERGE:
                parts = [inner] if inner.is_mapping else [part for _, _, part in inner.items]
                pending.extend((prefix, at, part, True, depth + 1) for part in parts)
            else:
                pending.append((_joined(prefix, key), at, inner, is_merged, depth + 1))
    own = {one.key for one in found}
    return found + [one for one in merged if one.key not in own]


def _joined(prefix: str, key: str) -> str:
    return f"{prefix}{key}" if key.startswith("[") or not prefix else f"{prefix}.{key}"
