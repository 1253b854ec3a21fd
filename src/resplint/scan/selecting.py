"""Which files can matter, lowered round by round."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import closing

from resplint.findings import Notification, NotificationKind
from resplint.knowledge.catalogue import Catalogue
from resplint.link.carriers import Carriers
from resplint.link.modules import ModuleTable
from resplint.lowering_pool import LoweredFile, lower_all
from resplint.scan.importing import STAGE
from resplint.scan.known_importers import importers
from resplint.scan.request import ScanRequest, ScanState

_TOO_LATE = "the scan took too long before it came to it: exclude what it is not about, or raise scan-timeout"
MAX_ROUNDS = 30
"""Rounds of selection by imports; each adds the importers of what the round before it found. Most code needs three."""
MAX_FOLLOWED = 200
FOLLOWED_SHARE = 3
"""Files that are analysed only because they import others: at most so many, or so many for each file that names a
client library.
"""
_EVERYTHING = re.compile(rb"\bimport[ \t]*\*")
"""An import that spells none of the names it brings in."""


def select(state: ScanState, catalogue: Catalogue, request: ScanRequest, first: Sequence[str]) -> set[str]:
    """Lower the files that can matter, round by round, and say which they are. `first` are those that name Redis."""
    lapped = time.perf_counter()
    selected = _lower(state, first, request)
    modules = state.modules = ModuleTable(state.files.keys(), catalogue.foreign, state.aliases)
    carriers = Carriers(catalogue, state.facts.shown, modules)
    frontier = carriers.add(state.facts[path] for path in sorted(selected) if path in state.facts)
    imported = state.importers = importers(state, modules)
    for number in range(MAX_ROUNDS + 1):
        if not frontier or state.deadline.passed(STAGE):
            break
        waiting = [path for path in sorted(imported.of(frontier)) if path not in selected and path not in state.failed]
        wanted = _spelling(state, waiting, frontier, carriers, imported.asked)
        room = max(MAX_FOLLOWED, FOLLOWED_SHARE * len(first)) - (len(selected) - len(first))
        if wanted and number == MAX_ROUNDS:
            _left_out(state, len(wanted), f"as clients are made more than {MAX_ROUNDS} imports away")
            break
        if len(wanted) > room:
            _left_out(state, len(wanted) - max(room, 0), "as there are too many of them")
            wanted = wanted[: max(room, 0)]
        selected |= _lower(state, wanted, request, put_away=True)
        # Files of earlier rounds may turn out to carry clients only now that a module between is known.
        frontier = carriers.add(state.facts.shown(path) for path in wanted if path in state.facts)
    state.facts.pack(sorted(selected - carriers.files))
    state.at_hand.clear()
    state.room = 0
    state.lap("lower", lapped)
    return {path for path in selected if path in state.facts and path in carriers.files}


def _spelling(
    state: ScanState,
    paths: Sequence[str],
    frontier: Sequence[str],
    carriers: Carriers,
    importers_of: Mapping[str, Collection[str]],
) -> list[str]:
    """Those importers of the frontier that may get a client from it, going by the names that stand in them."""
    names: dict[str, set[bytes] | None] = {}
    for origin in frontier:
        handed = carriers.spelled(origin)
        spelled = None if handed is None else {os.fsencode(name) for name in handed}
        for path in importers_of[origin]:
            known = names.get(path, set())
            names[path] = None if known is None or spelled is None else known | spelled
    found = []
    for path in paths:
        sought = names[path]
        data = state.read(path) if sought is not None else None  # what it says now decides what is analysed
        if sought is None or data is None or any(name in data for name in sought) or _EVERYTHING.search(data):
            found.append(path)
    return found


def _left_out(state: ScanState, count: int, why: str) -> None:
    files, were = ("files that import", "were") if count > 1 else ("file that imports", "was")
    message = (
        f"{count:,} {files} modules which use Redis {were} not analysed, {why}; findings that depend on how those "
        "modules are called may be missing."
    )
    state.notes.append(Notification(NotificationKind.LIMIT, message))


def _lower(state: ScanState, paths: Sequence[str], request: ScanRequest, *, put_away: bool = False) -> set[str]:
    """Lower files. Their facts are `put_away` if most of them are likely not to be asked for."""
    tasks = []
    for path in paths:
        if path not in state.facts and not state.remember(path):
            tasks.append((path, state.files[path].language))
        elif put_away:
            state.facts.pack([path])
    config = request.config
    answers = lower_all(
        tasks, state.source, config.jobs, timeout_s=config.file_timeout, include_minified=config.include_minified
    )
    with closing(answers) as lowered:
        for done, one in enumerate(lowered, 1):
            request.progress("parsing", done, len(tasks))
            state.keep(one)
            if put_away:
                state.facts.pack([one.path])
            if done < len(tasks) and state.deadline.passed(STAGE):
                for path, _ in tasks[done:]:
                    state.take(LoweredFile(path, None, _TOO_LATE, settled=False))
                break
    return set(paths)
