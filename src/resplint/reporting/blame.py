"""Who changed the lines of findings last, as far as a repository tells in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from resplint.reporting.records import Change, Collection, Issue, Notice, Spot

SECONDS = 20.0
"""What all files together may take."""

Asked = Callable[[str, Sequence[int], float], Mapping[int, Change]]
"""The last changes of lines of a file, within some seconds. Raises `TimeoutError`."""


def with_changes(collection: Collection, asked: Asked, seconds: float = SECONDS) -> Collection:
    """The collection with the last change of each finding's line; open findings come first, and a notice says how many
    there was no time for.
    """
    files: dict[str, list[Issue]] = {}
    for issue in (*collection.open, *collection.closed):
        if issue.spot.line:
            files.setdefault(issue.spot.path, []).append(issue)
    deadline = time.monotonic() + seconds
    known: dict[str, Change] = {}
    unasked = 0
    for path, issues in files.items():
        left = deadline - time.monotonic()
        try:
            found = asked(path, [issue.spot.line for issue in issues], left) if left > 0 else None
        except TimeoutError:
            found = None
        if found is None:
            unasked += len(issues)
            continue
        known |= {issue.anchor: found[issue.spot.line] for issue in issues if issue.spot.line in found}
    dated = tuple(msgspec.structs.replace(each, changed=known.get(each.anchor)) for each in collection.issues)
    notices = collection.notices
    if unasked:
        message = f"There was no time to ask git about the lines of {unasked:,} findings: it took {seconds:g} s."
        notices = (*notices, Notice("note", "limit", message, Spot(), "", "resplint"))
    return msgspec.structs.replace(collection, issues=dated, notices=notices)
