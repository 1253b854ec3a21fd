"""What a scan comes to before it is asked about single files: all that has to be kept to answer again."""

from __future__ import annotations

import msgspec

from resplint.findings import Notification, Result
from resplint.project_files import Look


class Outcome(msgspec.Struct, frozen=True):
    """Results and remarks on all files of a scan, sorted; paths of the files that were analysed, that could not be, and
    that were in part; and what was looked at beside source files.
    """

    results: tuple[Result, ...]
    notes: tuple[Notification, ...]
    analysed: tuple[str, ...]
    failed: tuple[str, ...]
    partial: tuple[str, ...]
    looks: tuple[Look, ...]
