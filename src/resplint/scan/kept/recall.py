"""What earlier runs found, as long as it still holds.

Two kinds of entries of the cache serve a scan of a tree: one says what ignore files said of its paths, one says of each
file what it looked like (its stamp), what stands for its content, and what searches found. A file whose stamp is the
same is not read at all. A third kind holds the outcome of a scan. Its key stands for the tool, the rules, the
configuration, the names of all files and the content of those that name Redis; whatever else was read on the way is
listed in it and compared.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from resplint.cache import Store
from resplint.config.loading import Config
from resplint.contracts.findings import NotificationKind, RuleInfo
from resplint.discovery.discover import stamped_time
from resplint.discovery.ignore_decisions import IgnoreDecisionCache
from resplint.files.project_files import still_seen
from resplint.knowledge.load import load_commands, load_libraries
from resplint.scan.kept.import_answers import Answers
from resplint.scan.kept.memory import Entries, FactsMemory
from resplint.scan.kept.outcome import Outcome
from resplint.scan.kept.recalled import Imports, Kept, Row, Tree, Walk, decoded, encoded, joined
from resplint.scan.kept.sought import Sought
from resplint.scan.request import Progress, ScanState

if TYPE_CHECKING:
    from resplint.scan.kept.archive import Archive
    from resplint.scan.lowering_pool import LoweredFile

_SETTLED_NS = 2_000_000_000
"""A file that changed less than this before a scan began may have changed again without another stamp."""
_WITHOUT_EFFECT = ("jobs", "baseline", "fail_on", "file", "explicit", "extends", "overrides")
"""Fields of the configuration that an outcome does not depend on."""
_NO_CONTENT = bytes(16)
_MANY = 2_000
"""So many changed files are as well analysed anew."""
_FEW = 20
"""So few changed files are sooner read again than the table of all files is written."""
_FEW_EDITED = 8
"""So many edited files are looked at one by one; more are sooner analysed anew."""
_MAX_OTHERS = 20_000
"""Files that a scan does not see, but the table still knows."""
_MAX_VERDICTS = 100_000
"""So many at most, for they take memory; also those of paths that are gone."""


class Recall:
    """The cache as one scan sees it. `identity` stands for tool and rules."""

    _state: ScanState
    _sought: tuple[str, ...]
    """The names that files are searched for."""

    def __init__(
        self, store: Store | Entries, config: Config, identity: bytes, memory: FactsMemory | None = None
    ) -> None:
        """`memory` has the facts of files if they are not kept in the store."""
        self._store = store
        self._memory = memory
        self._began_ns = time.time_ns()
        self._identity = identity
        self.configure(config)
        self._verdicts = IgnoreDecisionCache({})
        self._walk_key = self._tree_key = self._key = self._names = b""
        self._imports: Imports | None = None

    def configure(self, config: Config) -> None:
        """Take the configuration as it is known once the folders were looked at."""
        self._config = config
        self._base = joined(self._identity, msgspec.json.encode(config.client_factories, order="deterministic"))

    def verdicts(self, root: Path) -> IgnoreDecisionCache:
        """What ignore files said of paths below a root."""
        excluded = msgspec.json.encode((self._config.exclude, self._config.prefix))
        self._walk_key = joined(self._identity, os.fsencode(root), excluded)
        walk = decoded(self._store.get("walk", self._walk_key), Walk)
        self._verdicts = IgnoreDecisionCache(walk.said if walk is not None else {})
        return self._verdicts

    def _begin(self, state: ScanState) -> None:
        """Compare the files of a scan with what is known of them."""
        self._state = state
        self._paths = sorted(state.files)
        self._tree_key = joined(self._base, os.fsencode(state.root))
        self._tree = decoded(self._store.get("tree", self._tree_key), Tree) or Tree((), {})
        files, rows = state.files, self._tree.rows
        self._unchanged = {
            path: row
            for path in self._paths
            if (row := rows.get(path)) and row.stamp and row.stamp == files[path].stamp
        }
        state.digest = self._store.digest
        state.digests.update({path: row.digest for path, row in self._unchanged.items()})

    def searched(self, state: ScanState, progress: Progress) -> list[str]:
        """Paths of the files of a scan that may have to do with Redis, sorted. Those that are as they were are not read
        for that. Everything below is about this scan.
        """
        from resplint.discovery.selector import Selector  # noqa: PLC0415
        from resplint.scan.searching import search  # noqa: PLC0415

        self._begin(state)
        known = self._tree.names
        selector = (
            Selector(known) if known else Selector.of(load_libraries(), self._config.client_factories, load_commands())
        )
        self._sought = tuple(sorted(selector.names))
        return search(state, selector, progress, self._matters)

    def _matters(self, path: str) -> bool | None:
        """Whether a file that has the content it had may have to do with Redis."""
        row = self._tree.rows.get(path)
        return row.matters if row is not None and self._state.digests.get(path) == row.digest else None

    # -- outcomes ----------------------------------------------------------------------------------------------------

    def outcome(
        self, first: Sequence[str], book: Mapping[str, RuleInfo], analyse: Callable[[Sequence[str]], Outcome]
    ) -> Outcome:
        """What comes of a scan in which the files `first` may have to do with Redis: what came of an earlier one, where
        that holds, else what `analyse` says.
        """
        state, started = self._state, time.perf_counter()
        known = self._same(first) or self._edited(first, book)
        if known is not None:
            state.failed.update(known.failed)
            state.partial.update(known.partial)
            state.notes += known.notes
            state.lap("recall", started)
            return known
        if first:
            state.archive, state.answers = self._archive(), self._answers()
        analysed = analyse(first)
        self._keep(analysed, first)
        return analysed

    def _same(self, first: Sequence[str]) -> Outcome | None:
        """The outcome of an earlier scan of the same."""
        state = self._state
        self._names = joined(_bytes("\0".join([f"{path}\0{state.files[path].language}" for path in self._paths])))
        contents = b"".join(state.digests.get(path, b"") for path in first)
        self._key = joined(self._base, _configured(self._config), self._names, _bytes("\0".join(first)), contents)
        kept = decoded(self._store.get("scan", self._key), Kept)
        if kept is None or not self._holds(kept):
            return None
        contents_now = self._all_contents() if kept.all_contents else b""
        if len(_changed(contents_now, kept.all_contents)) >= _FEW:
            # What was compared one by one need not be the next time.
            self._put("scan", self._key, msgspec.structs.replace(kept, all_contents=contents_now))
        self._keep_tree(first)
        return kept.outcome

    def _edited(self, first: Sequence[str], book: Mapping[str, RuleInfo]) -> Outcome | None:
        """The outcome of the last analysis of the same files, if few of them have changed and nothing rests on that."""
        from resplint.scan.kept.basis import Based  # noqa: PLC0415 - a scan of what has not changed has none

        state = self._state
        based = decoded(self._store.get("basis", self._basis_key()), Based)
        if based is None or based.names != self._names or list(based.first) != list(first):
            return None
        changed = [path for path, digest in sorted(based.contents.items()) if self._digest(path) != digest]
        kept = based.kept
        if len(changed) > _FEW_EDITED or not self._holds(kept, but=changed):
            return None
        from resplint.scan.kept.edited import after_edits  # noqa: PLC0415 - it brings facts and lowering along

        archive = state.archive = self._archive()
        before = {path: self._analysed(archive, path, based.contents[path]) for path in changed}
        facts = {path: lowered.facts for path, lowered in before.items() if lowered is not None and lowered.facts}
        known = set(first) | based.basis.linked
        if len(facts) < len(changed) or not known.issuperset(changed) or state.disturbed:
            return None
        with closing(state.on_demand):
            outcome: Outcome | None = kept.outcome
            if changed:
                outcome = after_edits(state, self._config, book, based.basis, kept.outcome, facts, state.facts_now)
        if outcome is None or state.disturbed:
            return None
        contents = {path: self._state.digests[path] for path in kept.contents}
        all_contents = self._all_contents() if kept.all_contents else b""
        fresh = msgspec.structs.replace(kept, outcome=outcome, contents=contents, all_contents=all_contents)
        self._put("scan", self._key, fresh)
        self._keep_tree(first)
        return outcome

    def _analysed(self, archive: Archive | None, path: str, digest: bytes) -> LoweredFile | None:
        """What a file was lowered to for the last analysis, which it had this content for."""
        if archive is not None:
            return archive.get(path, self._state.files[path].language, digest)
        return self._memory.analysed(path, digest) if self._memory is not None else None

    def _archive(self) -> Archive | None:
        """The facts of files, for a scan whose outcome is not known; None where they are remembered."""
        if self._memory is not None or isinstance(self._store, Entries):
            return None
        from resplint.scan.kept.archive import Archive  # noqa: PLC0415 - it brings facts and lowering along

        minified = b"minified" if self._config.include_minified else b""
        return Archive(self._store, joined(self._identity, minified))

    def _answers(self) -> Answers | None:
        """Who imported whom the last time, for a scan of the same files whose outcome is not known."""
        self._imports = decoded(self._store.get("imports", self._imports_key()), Imports)
        if self._imports is None or self._imports.names != self._names:
            self._imports = None
            return None
        changed = _changed(self._all_contents(), self._imports.all_contents)
        if len(changed) > _MANY:
            return None
        paths = frozenset(self._paths[number] for number in changed)
        return Answers(self._imports.aliases, self._imports.asked, paths)

    def _keep(self, outcome: Outcome, first: Sequence[str]) -> None:
        """Keep what a scan found, unless it was disturbed."""
        state = self._state
        if state.disturbed or any(note.kind is NotificationKind.INTERNAL_ERROR for note in outcome.notes):
            return
        asked = state.importers.asked if state.importers is not None else {}
        kept = Kept(
            outcome,
            contents={path: state.digests[path] for path in sorted(state.used.difference(first))},
            aliases=state.aliases,
            all_contents=self._all_contents() if state.importers is not None else b"",
            asked={path: sorted(asked[path]) for path in sorted(asked)},
            sought=state.sought or Sought(),
        )
        # Nobody asks these again, and what is written now takes as much memory as they do.
        state.modules = state.importers = None
        if self._put("scan", self._key, kept):
            if state.basis is not None:
                from resplint.scan.kept.basis import Based  # noqa: PLC0415

                contents = {path: state.digests[path] for path in first if path in state.digests}
                based = Based(self._names, tuple(first), {**contents, **kept.contents}, kept, state.basis)
                self._put("basis", self._basis_key(), based)
                if self._memory is not None:
                    self._memory.settle()
                state.basis = None
            self._keep_imports(kept)
            self._keep_tree(first)
            self._store.sweep()

    def _holds(self, kept: Kept, but: Collection[str] = ()) -> bool:
        return (
            still_seen(os.path.realpath(self._state.root), kept.outcome.looks)
            and all(self._digest(path) == digest for path, digest in kept.contents.items() if path not in but)
            and (not kept.all_contents or self._same_searches(kept))
        )

    def _digest(self, path: str) -> bytes | None:
        if path not in self._state.digests and path in self._state.files:
            self._state.peek(path)
        return self._state.digests.get(path)

    # -- imports -----------------------------------------------------------------------------------------------------

    def _all_contents(self) -> bytes:
        """What stands for the contents of all files, 16 bytes each."""
        return b"".join(self._state.digests.get(path, _NO_CONTENT) for path in self._paths)

    def _same_searches(self, kept: Kept) -> bool:
        """Whether files import what they did, as far as it matters (the same of those files that were asked about), and
        whatever else was searched for in their bytes is found as it was.
        """
        now, then = self._all_contents(), kept.all_contents
        if now == then:
            return True
        changed = [self._paths[number] for number in _changed(now, then)]
        if len(now) != len(then) or len(changed) > _MANY:
            return False
        from resplint.scan.importing import Importers  # noqa: PLC0415 - seldom needed

        for path in changed:
            data = self._state.peek(path)
            language = self._state.files[path].language
            if data is None or not kept.sought.finds_the_same(path, language, data):
                return False
        found = Importers(self._state, kept.aliases, changed)
        found.of(kept.asked)
        return all(found.asked[path] == set(were).intersection(changed) for path, were in kept.asked.items())

    def _basis_key(self) -> bytes:
        return joined(self._tree_key, _configured(self._config), b"basis")

    def _imports_key(self) -> bytes:
        return joined(self._tree_key, _configured(self._config))

    def _keep_imports(self, kept: Kept) -> None:
        """Keep who imports whom, if that is much more than what was known: changed files are searched anyway."""
        then = self._imports
        if not kept.all_contents:
            return
        if then is not None and then.aliases == kept.aliases and kept.asked.keys() <= then.asked.keys():
            if len(_changed(kept.all_contents, then.all_contents)) < _FEW:
                return
        self._put("imports", self._imports_key(), Imports(self._names, kept.aliases, kept.all_contents, kept.asked))

    # -- trees -------------------------------------------------------------------------------------------------------

    def _keep_tree(self, first: Collection[str]) -> None:
        """Keep what is known of each file, if that is much more than what was known. `first` are those that matter."""
        if self._verdicts.added >= _FEW:
            self._put("walk", self._walk_key, Walk(self._verdicts.said(_MAX_VERDICTS)))
        state, tree, names = self._state, self._tree, self._sought
        same = tree.names == names
        matter, known = frozenset(first), self._unchanged if same else {}
        looked = [path for path in self._paths if path not in known]
        fresh = {path: row for path in looked if (row := self._row(path, path in matter)) is not None}
        if same and len(fresh) < _FEW:
            return
        rows = {**known, **fresh} if known else fresh
        # A scan of a part of the tree does not know whether the others are still there.
        others = {path: row for path, row in tree.rows.items() if path not in state.files} if same else {}
        if len(others) <= _MAX_OTHERS:
            rows.update(others)
        self._put("tree", self._tree_key, Tree(names, rows))

    def _put(self, kind: str, key: bytes, record: msgspec.Struct) -> bool:
        entry = encoded(record)
        return entry is not None and self._store.put(kind, key, entry)

    def _row(self, path: str, matters: bool) -> Row | None:
        """What a look at a file found; None if there was none, or it may still be changing."""
        digest, stamp = self._state.digests.get(path), self._state.files[path].stamp
        settled = stamp and stamped_time(stamp) < self._began_ns - _SETTLED_NS
        return Row(stamp, digest, matters) if digest is not None and settled else None


def _changed(now: bytes, then: bytes) -> list[int]:
    """Numbers of the files whose contents differ."""
    if now == then:
        return []
    return [at // 16 for at in range(0, len(now), 16) if now[at : at + 16] != then[at : at + 16]]


def _configured(config: Config) -> bytes:
    nested = {place: _fields(each) for place, each in config.nested.items()}
    return msgspec.json.encode({**_fields(config), "nested": nested}, order="deterministic")


def _fields(config: Config) -> dict[str, object]:
    return {name: value for name, value in msgspec.structs.asdict(config).items() if name not in _WITHOUT_EFFECT}


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
