"""What a scan comes to before it is asked about single files: all that has to be kept to answer again."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from resplint.contracts.findings import Notification, Result
from resplint.files.project_files import Look


class Outcome(msgspec.Struct, frozen=True):
    """Results and remarks on all files of a scan, sorted; paths of the files that were analysed, of those of them that
    use Redis themselves, of those that could not be analysed, and that were in part; what was looked at beside source
    files; and how many lines were analysed.
    """

    results: tuple[Result, ...]
    notes: tuple[Notification, ...]
    analysed: tuple[str, ...]
    using: tuple[str, ...]
    failed: tuple[str, ...]
    partial: tuple[str, ...]
    looks: tuple[Look, ...]
    lines: int


def nothing_found(notes: Collection[Notification], failed: Collection[str]) -> Outcome:
    """The outcome of a scan none of whose files names a client library. `failed` are paths of files that could not be
    read.
    """
    return Outcome((), tuple(sorted(notes, key=Notification.sort_key)), (), (), tuple(sorted(failed)), (), (), 0)
