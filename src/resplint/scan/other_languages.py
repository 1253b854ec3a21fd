"""What a scan says about files of languages that are not analysed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from resplint.contracts.findings import Notification, NotificationKind
from resplint.discovery.discover import SourceFile
from resplint.discovery.other_languages import mentions_redis
from resplint.scan.kept.recalled import decoded, encoded, joined

if TYPE_CHECKING:
    from resplint.cache import Store
    from resplint.scan.kept.memory import Entries

_SEARCHED_BYTES = 200_000
"""So much of each file is searched."""
_FEW = 20
"""So few new files are sooner read again than all that is known is written."""


class _Known(msgspec.Struct, frozen=True, array_like=True):
    """The stamps of files, and whether they mention Redis, by path."""

    files: dict[str, tuple[bytes, bool]]


def mentions(files: Sequence[SourceFile], cache: Store | Entries | None) -> list[SourceFile]:
    """Those of some files of one root that mention Redis. `cache` spares reading what has not changed."""
    if not files:
        return []
    key = joined(b"mentions", os.fsencode(files[0].root), str(_SEARCHED_BYTES).encode())
    known: Mapping[str, tuple[bytes, bool]] = {}
    if cache is not None and (entry := decoded(cache.get("mentions", key), _Known)) is not None:
        known = entry.files
    now: dict[str, tuple[bytes, bool]] = {}
    for file in files:
        before = known.get(file.path)
        same = before is not None and before[0] == file.stamp
        now[file.path] = before if same and before else (file.stamp, mentions_redis(file.absolute, _SEARCHED_BYTES))
    fresh = sum(known.get(path) != each for path, each in now.items())
    if cache is not None and fresh >= _FEW and (record := encoded(_Known({**known, **now}))) is not None:
        cache.put("mentions", key, record)
    return [file for file in files if now[file.path][1]]


def by_language(files: Sequence[SourceFile]) -> dict[str, int]:
    """The number of files by language, the most frequent first."""
    counts = Counter(file.language for file in files)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def remarks(files: Sequence[SourceFile]) -> list[Notification]:
    """A remark for each language of files that mention Redis and are not analysed."""
    found = []
    for language, number in by_language(files).items():
        example = next(file.path for file in files if file.language == language)
        what = "file mentions Redis and is" if number == 1 else "files mention Redis and are"
        where = example if number == 1 else f"such as {example}"
        message = f"{number:,} {language} {what} not analysed ({where})."
        found.append(Notification(NotificationKind.UNSUPPORTED, message))
    return found
