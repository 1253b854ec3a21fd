"""The first look at every file: may it have to do with Redis at all?"""

from __future__ import annotations

import time
from collections.abc import Callable

from resplint.contracts.findings import Notification, NotificationKind
from resplint.discovery.selector import Selector
from resplint.files.source import hides_names
from resplint.languages.meant_names import revealed
from resplint.scan.request import Progress, ScanState

_PROGRESS_STEP = 64


def search(
    state: ScanState, selector: Selector, progress: Progress, known: Callable[[str], bool | None] = lambda path: None
) -> list[str]:
    """Paths of the files that name a client library, sorted. Files that cannot be read are remarked on.

    `known` tells what an earlier scan found in a file, if it is still the same for all that is known of it by then.
    """
    started = time.perf_counter()
    if state.memory is not None:
        state.memory.seek(selector.names, state.files.keys(), state.config.include_minified)
    found: list[str] = []
    for done, path in enumerate(sorted(state.files)):
        unread = known(path)
        if unread is not None:
            if unread:
                found.append(path)
            continue
        if not done % _PROGRESS_STEP:
            progress("searching", done, len(state.files))
        glance = state.glance(path)
        if glance.matters is None and (data := state.peek(path)) is not None:
            same = known(path)
            if same is None:
                language = state.files[path].language
                same = selector.names_library(data) or _odd(data, language, selector)
            glance.matters = same
        if glance.matters is None:
            state.disturbed = True
            state.failed.add(path)
            state.notes.append(
                Notification(NotificationKind.SKIPPED, "Not analysed: it cannot be read any more.", path)
            )
        elif glance.matters:
            found.append(path)
    state.lap("search", started)
    return found


def _odd(data: bytes, language: str, selector: Selector) -> bool:
    """Bytes that a search for names cannot see through: they are decoded, or reported as skipped."""
    if b"\0" in data or (language == "python" and hides_names(data)):
        return True
    hidden = revealed(data, language)
    return bool(hidden) and selector.names_library(hidden)
