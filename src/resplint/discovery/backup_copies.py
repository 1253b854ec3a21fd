"""Which files are copies that somebody kept of others."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection

_KEPT = re.compile(r"backups?|.+[._-](backups?|bak)|bak|\.history", re.IGNORECASE)
"""Folders that copies of sources are kept in."""


def backup_copies(paths: Collection[str]) -> set[str]:
    """The files among `paths` that stand in a folder of backups, if the sources of most files there stand outside:
    ``tools/backups/2025-09-30/api/server.ts`` beside ``api/server.ts``.
    """
    kept: dict[str, list[tuple[str, int]]] = defaultdict(list)
    live: set[str] = set()
    for path in paths:
        folders = path.split("/")
        at = next((number for number, one in enumerate(folders[:-1]) if _KEPT.fullmatch(one)), None)
        if at is None:
            live.update("/".join(folders[number:]) for number in range(len(folders)))
        else:
            kept["/".join(folders[: at + 1])].append((path, at + 1))
    return {path for files in kept.values() if _are_copies(files, live) for path, _ in files}


def _are_copies(files: Collection[tuple[str, int]], live: Collection[str]) -> bool:
    """Whether most files of a folder of backups end as a live one does, with a folder of it where there are several."""
    found = sum(any(end in live for end in _ends(path.split("/")[below:])) for path, below in files)
    return 2 * found > len(files)


def _ends(parts: list[str]) -> list[str]:
    """The path below a folder of backups, and below the folders of dates or steps in it."""
    return ["/".join(parts[number:]) for number in range(max(1, len(parts) - 1))]
