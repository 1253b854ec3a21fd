"""Questions about a linked project: its clients, and what a line means."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import TypeVar

from resplint import inventory
from resplint.config.loading import Config
from resplint.contracts.decisions import Decision
from resplint.contracts.errors import UserError
from resplint.discovery.discover import stamped_time
from resplint.files.project_files import Look, noting, still_seen
from resplint.inventory import why
from resplint.inventory.records import Explanation, Inventory
from resplint.scan import ScanRequest, link, rule_book
from resplint.scan.analysis import decisions
from resplint.scan.linked import LinkedScan
from resplint.scan.survey import survey

T = TypeVar("T")

_SETTLED_NS = 2_000_000_000
"""A file that changed less than this before it was read may have changed again without another stamp."""


def inventory_of(request: ScanRequest) -> Inventory:
    """The clients of a project as it is now. Raises what linking raises."""
    linked = link(request)
    with closing(linked.state.on_demand):
        return inventory.collect(linked.project, linked.code)


def demand_analysed(linked: LinkedScan, path: str) -> None:
    """Raise `UserError` with the reason if a file was not analysed."""
    if path in linked.state.facts and path in linked.selected:
        return
    notes = [*linked.found.skipped, *linked.state.notes]
    said = next((note.message for note in notes if note.path == path), "")
    if not said and path not in linked.state.files:
        said = "Not analysed: it is excluded or test code (--include-tests looks at test code, too)."
    elif not said:
        said = "Not analysed: it names no client library, and no client of this project was traced to it."
    raise UserError(f"{path}: {said}")


@dataclass
class _Kept:
    """A linked project, and what it rests on: the configuration, files by their stamps, and looks at other files."""

    linked: LinkedScan
    config: Config
    stamps: dict[str, bytes]
    looks: dict[tuple[str, str, int], Look] = field(default_factory=dict)
    decided: list[Decision] | None = None
    clients: Inventory | None = None


class LinkedProject:
    """The answers about one project, which stays linked from one question to the next while no file changes."""

    def __init__(self) -> None:
        self._kept: _Kept | None = None

    def clients(self, request: ScanRequest) -> Inventory:
        """The clients of the project."""

        def collect(kept: _Kept) -> Inventory:
            if kept.clients is None:
                kept.clients = inventory.collect(kept.linked.project, kept.linked.code)
            return kept.clients

        return self._asked(request, collect)

    def why(self, request: ScanRequest, path: str, line: int, column: int | None) -> tuple[Explanation, ...]:
        """What stands at a place and what the rules decided about it. Raises `UserError` if there is nothing."""

        def explain(kept: _Kept) -> tuple[Explanation, ...]:
            linked = kept.linked
            demand_analysed(linked, path)
            if kept.decided is None:
                config = linked.state.config
                kept.decided = decisions(linked, rule_book(config), config)
            return why.explain(linked.project, linked.code, kept.decided, path, line, column)

        return self._asked(request, explain)

    def forget(self) -> None:
        """Free the memory; the next question links the project anew."""
        self._kept = None

    def _asked(self, request: ScanRequest, answer: Callable[[_Kept], T]) -> T:
        with noting() as looks:
            kept = self._valid(request)
            if kept is None:
                self._kept = None  # before there is another one: they are large
                kept = self._fresh(request)
            with closing(kept.linked.state.on_demand):
                answered = answer(kept)
            kept.looks.update(looks)
        return answered

    def _fresh(self, request: ScanRequest) -> _Kept:
        began_ns = time.time_ns()
        linked = link(request)
        stamps = {path: file.stamp for path, file in linked.found.files.items()}
        kept = _Kept(linked, request.config, stamps)
        if all(stamp and stamped_time(stamp) < began_ns - _SETTLED_NS for stamp in stamps.values()):
            self._kept = kept
        return kept

    def _valid(self, request: ScanRequest) -> _Kept | None:
        kept = self._kept
        # Once its time is over, a project that is asked more answers only in part.
        if kept is None or kept.config != request.config or not kept.linked.state.deadline.left:
            return None
        found = survey(request)
        same = kept.stamps == {path: file.stamp for path, file in found.files.items()}
        same &= (found.config or request.config) == kept.linked.state.config
        return kept if same and still_seen(os.path.realpath(found.root), kept.looks.values()) else None
