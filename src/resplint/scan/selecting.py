"""Which files name Redis, lowered; and lowering of those that turn out to matter, too."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing

from resplint.bind.modules import ModuleTable
from resplint.knowledge.catalogue import Catalogue
from resplint.scan.importing import STAGE
from resplint.scan.lowering_pool import LoweredFile, lower_all
from resplint.scan.request import ScanRequest, ScanState
from resplint.selection.client_copies import client_copies
from resplint.selection.redis_file_closure import Carriers

_TOO_LATE = "the scan took too long before it came to it: exclude what it is not about, or raise scan-timeout"


def select(state: ScanState, catalogue: Catalogue, request: ScanRequest, first: Sequence[str]) -> set[str]:
    """Lower the files that name Redis, and say which of them have to do with it, as far as names tell."""
    lapped = time.perf_counter()
    selected = lower(state, first, request)
    copies = _leave_copies(state, catalogue)
    modules = state.modules = ModuleTable(state.files.keys() - copies, catalogue.foreign, state.aliases)
    carriers = Carriers(catalogue, state.facts.shown, modules)
    carriers.add(state.facts[path] for path in sorted(selected) if path in state.facts)
    state.lap("lower", lapped)
    return {path for path in selected if path in state.facts and path in carriers.files}


def _leave_copies(state: ScanState, catalogue: Catalogue) -> set[str]:
    """Files that belong to copies of client libraries, which are left out: their methods are what the rules know of
    the library, and imports of them mean the library.
    """
    looks = (state.facts.shown(path) for path in sorted(state.facts))
    copies = client_copies(state.files.keys(), looks, catalogue)
    for path in sorted(copies):
        state.facts.drop(path)
        state.take(LoweredFile(path, None, f"it belongs to a copy of the source of {copies[path]}"))
    return set(copies)


def lower(state: ScanState, paths: Sequence[str], request: ScanRequest, *, put_away: bool = False) -> set[str]:
    """Lower files. Their facts are `put_away` if most of them are likely not to be asked for."""
    tasks = []
    for path in paths:
        if path not in state.facts and path not in state.failed and not state.remember(path):
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
