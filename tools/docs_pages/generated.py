"""Every generated file, by its path in the repository."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from docs_pages.config_schema import config_schema, known_names

FOLDERS: tuple[str, ...] = ()
"""Folders that hold generated files alone: what else is in them is left over."""


@cache
def files() -> dict[str, str]:
    """The text of every generated file."""
    schema = json.dumps(config_schema(known_names()), indent=2, ensure_ascii=False)
    return {"schemas/config.schema.json": schema + "\n"}


def stale(root: Path) -> list[str]:
    """Files in `FOLDERS` that are generated no more."""
    present = [path.relative_to(root).as_posix() for folder in FOLDERS for path in sorted((root / folder).glob("*"))]
    return [path for path in present if path not in files()]
