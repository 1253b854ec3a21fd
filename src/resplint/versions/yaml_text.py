"""YAML as far as manifests need it: mappings and lists of texts, without aliases, to a limited depth."""

from __future__ import annotations

from typing import Any

import yaml

from resplint.files.yaml_events import events
from resplint.versions.records import BrokenManifestError, decoded

_DEPTH_LIMIT = 20


def parse_yaml(data: bytes) -> dict[str, Any]:
    """The mapping in a file; all scalars are texts. Raises `BrokenManifestError`."""
    text = decoded(data).encode("utf-8", "replace").decode("utf-8")
    holders: list[_Holder] = []
    result: object = None
    for event in events(text, BrokenManifestError):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise BrokenManifestError("uses aliases, which are not read", line)
        if isinstance(event, yaml.DocumentEndEvent):
            break
        if isinstance(event, (yaml.MappingStartEvent, yaml.SequenceStartEvent)):
            holder = _Holder(isinstance(event, yaml.MappingStartEvent))
            _add(holders, holder.value)
            holders.append(holder)
            if len(holders) > _DEPTH_LIMIT:
                raise BrokenManifestError("is nested too deeply", line)
            result = result if len(holders) > 1 else holder.value
        elif isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
            holders.pop()
        elif isinstance(event, yaml.ScalarEvent):
            _add(holders, event.value)
    return result if isinstance(result, dict) else {}


class _Holder:
    """A mapping or list that is being filled; `key` is the one that waits for its value."""

    __slots__ = ("key", "value")

    def __init__(self, is_mapping: bool) -> None:
        self.value: dict[str, Any] | list[Any] = {} if is_mapping else []
        self.key: str | None = None


def _add(holders: list[_Holder], value: object) -> None:
    if not holders:
        return
    holder = holders[-1]
    if isinstance(holder.value, list):
        holder.value.append(value)
    elif holder.key is None:
        # Keys that are no texts are nothing that anybody asks for.
        holder.key = value if isinstance(value, str) else ""
    else:
        holder.value[holder.key] = value
        holder.key = None
