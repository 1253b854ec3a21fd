"""Which further files are read: those that a client, or what leads to one, may come to from the files read so far.

A value leaves its file through few doors: a module hands it out under a name, a class of the project that other code
names carries it, it is kept under a name in something outside the project, it is passed to a function elsewhere. The
linker is asked what goes through them, the files behind them are searched by their bytes and read, and the linker goes
on, until nothing new leads out.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from resplint.bind.binder import EXPORTS
from resplint.bind.modules import ModuleTable
from resplint.contracts.findings import Notification, NotificationKind
from resplint.scan.importing import STAGE
from resplint.scan.kept.known_importers import importers
from resplint.scan.kept.sought import Question, Sought, spelling

if TYPE_CHECKING:
    from resplint.scan.request import ScanState
    from resplint.selection.ways_out import WaysOut

MAX_ROUNDS = 30
"""Rounds of reading; each reads what the files of the round before lead to. Most code needs three."""
MAX_FOLLOWED = 200
FOLLOWED_SHARE = 3
"""Files that are read only because something leads to them: at most so many, or so many for each file that names a
client library.
"""
_COMMON = 30
"""A name that stands in more files than this leads to those alone that also name what holds it, as the name of a mere
function always does.
"""
_OF_A_PAGE = re.compile(
    rb"\bdefine\.amd\b|\bwindow\.(?:document|location|jQuery)\b|\$\(document\)"
    rb"|\bdocument\.(?:createElement|getElementById|querySelector|addEventListener|body)\b"
)
"""What stands in the scripts that a page loads: nothing that the server keeps comes to those."""


class Doors:
    """Reads the files that clients come to. `lower` lowers files by their paths, for as long as there is time."""

    def __init__(
        self, state: ScanState, ways: WaysOut, first: Iterable[str], modules: ModuleTable,
        lower: Callable[[list[str]], None],
    ) -> None:  # fmt: skip
        """`first` are the files that are linked already."""
        self._state = state
        self._ways = ways
        self._lower = lower
        self._read: set[str] = set(first)
        """Files that are linked, or were found not to be worth it."""
        self._room = max(MAX_FOLLOWED, FOLLOWED_SHARE * len(self._read))
        self._imported = state.importers = importers(state, modules)
        self._sought = state.sought = state.sought or Sought(frozenset(self._read))

    def follow(self, runtimes: Mapping[str, str]) -> set[str]:
        """Read what there is to read; gives the paths of the files that something comes to. `runtimes` says what runs
        the code of each language.
        """
        for number in range(MAX_ROUNDS + 1):
            wanted = sorted(path for path in self._behind(runtimes) if path not in self._state.failed)
            if not wanted or self._state.deadline.passed(STAGE):
                break
            if number == MAX_ROUNDS:
                self._left_out(len(wanted), f"as clients are made more than {MAX_ROUNDS} imports away")
                break
            if len(wanted) > self._room:
                self._left_out(len(wanted) - self._room, "as there are too many of them")
                wanted = wanted[: self._room]
            self._room -= len(wanted)
            self._read.update(wanted)
            self._sought.rounds.update(dict.fromkeys(wanted, len(self._sought.names)))
            self._lower(wanted)
            self._ways.admit(self._state.facts[path] for path in wanted if path in self._state.facts)
        return self._ways.reached(self._read)

    # -- what leads out ------------------------------------------------------------------------------------------------

    def _behind(self, runtimes: Mapping[str, str]) -> set[str]:
        """Files not read yet behind the doors that were found since the last time. What only calls functions that work
        with clients comes when nothing leads to clients themselves any more, as there may be more of it than is read.
        """
        near = {*self._importing(near=True), *self._naming(runtimes)} - self._read
        return near or self._importing(near=False)

    def _importing(self, near: bool) -> set[str]:
        """Files that import something which carries a client; with `near` a client itself, or what has one."""
        fresh = self._ways.exported(near)
        if not fresh:
            return set()
        self._imported.of(sorted(fresh))
        spelled: dict[str, set[bytes] | None] = {}
        for path, names in fresh.items():
            sought = self._spelled(path, names)
            for importer in self._imported.asked[path]:
                known = spelled.get(importer, set())
                spelled[importer] = None if known is None or sought is None else known | sought
        return {
            path for path in sorted(spelled) if path not in self._read and self._says(path, spelled[path], star=True)
        }

    def _spelled(self, path: str, names: Collection[str]) -> set[bytes] | None:
        """What a file that imports one of the names spells; None when it may call it as it likes."""
        plain = {name.removeprefix(f"{EXPORTS}.") for name in names}
        if not plain.isdisjoint((EXPORTS, "default")):
            return None
        return {os.fsencode(name) for name in plain}

    def _says(self, path: str, names: Collection[bytes] | None, *, star: bool = False) -> bool:
        """Whether one of the names stands in a file, or with `star` an import that spells none."""
        if names is None:
            return True
        data = self._state.peek(path)
        asked = Question(tuple(sorted(names)), star)
        answer = data is not None and asked.of(data)
        self._sought.questions.setdefault(path, []).append((asked, answer))
        return answer

    def _naming(self, runtimes: Mapping[str, str]) -> set[str]:
        """Files that name what is kept under a name in something outside the project."""
        found: set[str] = set()
        holders: dict[tuple[str, str], set[bytes]] = defaultdict(set)
        clients: set[tuple[str, str]] = set()
        for runtime, holder, name, is_client in self._ways.kept():
            if len(name) > 1:
                holders[runtime, name].add(os.fsencode(holder))
                clients.update([(runtime, name)] if is_client else ())
        for (runtime, name), around in sorted(holders.items()):
            matches = spelling(os.fsencode(name))
            languages = frozenset(language for language, one in runtimes.items() if one == runtime)
            those = [
                path
                for path in self._of(languages)
                if (data := self._state.peek(path)) and matches(data) and not _OF_A_PAGE.search(data)
            ]
            self._sought.names.append((os.fsencode(name), languages, frozenset(those)))
            if len(those) > _COMMON or (runtime, name) not in clients:
                those = [path for path in those if self._says(path, around - {b""})]
            found.update(those)
        return found

    def _of(self, languages: Collection[str]) -> Iterable[str]:
        """Files of some languages, but for those that are read."""
        for path, file in self._state.files.items():
            if path not in self._read and file.language in languages:
                yield path

    def _left_out(self, count: int, why: str) -> None:
        files, were = ("files that import", "were") if count > 1 else ("file that imports", "was")
        message = (
            f"{count:,} {files} modules which use Redis {were} not analysed, {why}; findings that depend on how those "
            "modules are called may be missing."
        )
        self._state.notes.append(Notification(NotificationKind.LIMIT, message))
