"""Which files can matter, lowered round by round."""

from __future__ import annotations

import time
from collections.abc import Sequence

from resplint.findings import Notification, NotificationKind
from resplint.knowledge.catalogue import Catalogue
from resplint.languages import named_modules
from resplint.link.carriers import Carriers
from resplint.link.modules import ModuleTable, dotted_path
from resplint.lowering_pool import lower_all
from resplint.scan.request import ScanRequest, ScanState
from resplint.select import Importers, Selector

MAX_ROUNDS = 4
"""Rounds of selection by imports; each adds the importers of what the round before it found."""
MAX_FOLLOWED = 300
FOLLOWED_SHARE = 3
"""Files that are analysed only because they import others: at most so many, or so many for each file that names a
client library.
"""


def select(state: ScanState, catalogue: Catalogue, request: ScanRequest) -> set[str]:
    """Lower the files that can matter, round by round, and say which they are."""
    lapped = time.perf_counter()
    selector = Selector(catalogue.libraries, catalogue.factories)
    if state.memory is not None:
        state.memory.seek(selector.names)
    first: list[str] = []
    for done, path in enumerate(sorted(state.files)):
        request.progress("searching", done, len(state.files))
        glance = state.glance(path)
        if glance.matters is None and (data := state.read(path)) is not None:
            glance.matters = selector.names_library(data) or _odd(data)
        if glance.matters is None:
            state.failed.add(path)
            state.notes.append(
                Notification(NotificationKind.SKIPPED, "Not analysed: it cannot be read any more.", path)
            )
        elif glance.matters:
            first.append(path)
    state.lap("search", lapped)
    lapped = time.perf_counter()
    selected = _lower(state, first, request)
    modules = ModuleTable(state.files, aliases=state.aliases)
    carriers = Carriers(catalogue, modules)
    frontier = carriers.add(state.facts[path] for path in sorted(selected) if path in state.facts)
    importers = _importers(state, modules) if frontier else None
    for _ in range(MAX_ROUNDS):
        if not frontier or importers is None:
            break
        wanted = [path for path in sorted(importers.of(frontier)) if path not in selected and path not in state.failed]
        room = max(MAX_FOLLOWED, FOLLOWED_SHARE * len(first)) - (len(selected) - len(first))
        if len(wanted) > room:
            _left_out(state, len(wanted) - max(room, 0))
            wanted = wanted[: max(room, 0)]
        selected |= _lower(state, wanted, request)
        # Files of earlier rounds may turn out to carry clients only now that a module between is known.
        waiting = sorted(selected - carriers.files)
        frontier = carriers.add(state.facts[path] for path in waiting if path in state.facts)
    state.lap("lower", lapped)
    return {path for path in selected if path in state.facts and path in carriers.files}


def _left_out(state: ScanState, count: int) -> None:
    message = (
        f"{count:,} files that import modules which use Redis were not analysed, as there are too many of them; "
        "findings that "
        "depend on how they call those modules may be missing."
    )
    state.notes.append(Notification(NotificationKind.LIMIT, message))


def _odd(data: bytes) -> bool:
    """Bytes that a search for names cannot see through: they are decoded, or reported as skipped."""
    return b"\0" in data


def _importers(state: ScanState, table: ModuleTable) -> Importers:
    names = frozenset(prefix.rstrip("/*") for prefix, _ in state.aliases)
    modules: dict[str, set[str]] = {}
    for path, file in state.files.items():
        glance = state.glance(path)
        if path in state.failed or not _looked_for_imports(state, path, file.language, names):
            continue
        modules[path] = set(glance.modules or ())
        for name in sorted(glance.mentioned):
            modules[path] |= _behind(table, name, modules[path], path)
    return Importers(modules)


def _looked_for_imports(state: ScanState, path: str, language: str, names: frozenset[str]) -> bool:
    """Whether the glance at a file knows its imports and which of `names` stand in it (packages of the project, paths
    of its tsconfig); it does unless the file is gone.
    """
    glance = state.glance(path)
    if glance.modules is None or glance.sought != names:
        data = state.read(path)
        if data is None:
            return False
        glance.modules = frozenset(named_modules(data, path, language))
        glance.sought, glance.mentioned = names, frozenset(name for name in names if name.encode() in data)
    return True


def _behind(table: ModuleTable, name: str, found: set[str], importer: str) -> set[str]:
    """The modules that an alias means, for those of a file's imports that begin with it."""
    dotted = name.replace("/", ".")
    behind = set()
    for module in found:
        if module == dotted or module.startswith(dotted + "."):
            path = table.resolve(name + module[len(dotted) :].replace(".", "/"), importer)
            if path is not None:
                behind.add(dotted_path(path))
    return behind


def _lower(state: ScanState, paths: Sequence[str], request: ScanRequest) -> set[str]:
    tasks = [(path, state.files[path].language) for path in paths if path not in state.facts]
    tasks = [task for task in tasks if not state.remember(task[0])]
    for done, lowered in enumerate(lower_all(tasks, state.source, request.config.jobs), 1):
        request.progress("parsing", done, len(tasks))
        state.keep(lowered)
    return set(paths)
