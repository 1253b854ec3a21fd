"""Who imports whom, where an earlier run has found it out for files that are still the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from resplint.scan.importing import Importers
from resplint.scan.kept.import_answers import Answers, ImporterTable

if TYPE_CHECKING:
    from resplint.bind.modules import ModuleTable
    from resplint.scan.request import ScanState


class KnownImporters:
    """The importers of files. Those whose content has changed are searched; of the others the answers are known, or
    they are searched when that is not so.

    `asked` holds every answer that was given.
    """

    def __init__(self, state: ScanState, answers: Answers, table: ModuleTable) -> None:
        self.asked: dict[str, set[str]] = {}
        self._state = state
        self._answers = answers
        self._table = table
        self._changed = Importers(state, state.aliases, sorted(answers.changed), table)
        self._others: Importers | None = None

    def of(self, paths: Collection[str]) -> set[str]:
        """Files that may import one of the files at `paths`."""
        self._changed.of(paths)
        known, changed = self._answers.asked, self._answers.changed
        unknown = [path for path in paths if path not in known]
        others = self._searched(unknown) if unknown else {}
        for path in paths:
            same = others[path] if path in others else set(known[path]) - changed
            self.asked[path] = self._changed.asked[path] | same
        return set().union(*(self.asked[path] for path in paths))

    def _searched(self, paths: Collection[str]) -> Mapping[str, set[str]]:
        if self._others is None:
            same = [path for path in self._state.files if path not in self._answers.changed]
            self._others = Importers(self._state, self._state.aliases, same, self._table)
        self._others.of(paths)
        return {path: self._others.asked[path] for path in paths}


def importers(state: ScanState, table: ModuleTable) -> ImporterTable:
    """Those of the files of a scan; `table` has all of them by name."""
    answers = state.answers
    if answers is None or answers.aliases != state.aliases:
        return Importers(state, state.aliases, state.files, table)
    return KnownImporters(state, answers, table)
