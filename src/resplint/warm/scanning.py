"""Scans of one folder, one after the other: each parses only what changed, and one of what did not change remembers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec

from resplint.config.loading import Config
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Report
from resplint.scan import FactsMemory, ScanRequest, scan
from resplint.scan.request import Progress

LoadConfig = Callable[[Path, "str | None"], Config]
"""The configuration for a root and an explicit file. Raises `UserError`."""


def repeated(
    root: str,
    config: Config,
    memory: FactsMemory,
    progress: Progress,
    *,
    overlay: Mapping[str, bytes] = MappingProxyType({}),
    paths: Sequence[str] = (),
) -> ScanRequest:
    """The request for a scan of a folder (or of `paths` in it, as parts of it) that knows what those before it did.

    `overlay` are texts that count instead of what is on disk, by path relative to the root.
    """
    # A second process would inherit our pipes, and forking a process that has threads can hang.
    config = config.with_overrides(jobs=1)
    return ScanRequest(
        list(paths) or [root], config, root=Path(root), whole_project=bool(paths), overlay=overlay, memory=memory,
        cache=memory.entries, progress=progress,
    )  # fmt: skip


def report_of(request: ScanRequest) -> tuple[Report, UserError | None]:
    """What a scan finds, and what is wrong with its baseline: one that cannot be read, such as in the middle of a
    merge, hides nothing. Raises what a scan raises.
    """
    try:
        return scan(request), None
    except UserError as error:
        if not request.config.baseline:
            raise
        config = msgspec.structs.replace(request.config, baseline=None)
        return scan(replace(request, config=config)), error
