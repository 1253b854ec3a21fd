"""What a scan is about: its files, and which of them it reports on."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from resplint.config.loading import Config, load_nested, with_nested
from resplint.contracts.errors import UserError
from resplint.contracts.findings import Notification
from resplint.discovery.discover import Discovery, Scope, SourceFile, discover, find_root, holds_source
from resplint.discovery.other_languages import SUFFIXES
from resplint.files.regular_files import shown
from resplint.knowledge.book import LANGUAGE_TITLES
from resplint.languages import EXTENSIONS, LANGUAGES
from resplint.scan.other_languages import mentions, remarks
from resplint.scan.request import STDIN_NAME, ScanRequest, ScanState, standard_input

if TYPE_CHECKING:
    from resplint.discovery.ignore_decisions import IgnoreDecisionCache
    from resplint.scan.kept.recall import Recall

_NAMED = 3
_HINT = " Name a file or folder with source code."


@dataclass(frozen=True)
class Survey:
    """The files of a scan by their paths relative to the root, and remarks on what was left out.

    `reported` are those that the request asks about (None: all). `others` are files of languages that are not analysed,
    among what the request asks about.
    """

    root: Path
    files: dict[str, SourceFile]
    overlay: Mapping[str, bytes]
    skipped: tuple[Notification, ...]
    reported: frozenset[str] | None
    others: tuple[SourceFile, ...] = ()
    config: Config | None = None

    def asks_about(self, path: str) -> bool:
        """Whether the request wants to hear of a file; always true of what concerns no single file ("")."""
        return self.reported is None or not path or path in self.reported

    def state(self, request: ScanRequest) -> ScanState:
        """The state of a scan that begins."""
        return ScanState(
            self.root, self.config or request.config, self.files, overlay=self.overlay, memory=request.memory
        )


def survey(request: ScanRequest, recall: Recall | None = None) -> Survey:
    """Find the files. Raises `UserError` for arguments that cannot be used."""
    paths = [path for path in request.paths if path != STDIN_NAME]
    root = request.root or (find_root(paths) if paths else Path.cwd())
    verdicts = recall.verdicts(root) if recall is not None else None
    nested: dict[str, Config] = {}
    wanted = _found(request, root, paths, verdicts, nested)
    found = _found(request, root, [str(root)], verdicts, nested) if request.whole_project else wanted
    config = with_nested(request.config, nested)
    if request.demands_source and STDIN_NAME not in request.paths and not wanted.files:
        _demand_source(paths, wanted)
    files = {file.path: file for file in found.files}
    overlay = {path: data for path, data in request.overlay.items() if path in files}
    for path in overlay:
        files[path] = msgspec.structs.replace(files[path], stamp=b"")  # what is on disk says nothing
    reported = {file.path for file in wanted.files} & set(files)
    piped = standard_input(request, root)
    if piped is not None:
        file, data = piped
        files[file.path] = file
        overlay[file.path] = request.overlay.get(file.path, data)
        reported.add(file.path)
    if not request.whole_project:
        return Survey(root, files, overlay, found.skipped, None, wanted.others, config)
    # A file that was named and skipped is remarked on even where the walk over the project would not.
    skipped = {note.path for note in wanted.skipped}
    return Survey(
        root, files, overlay, (*found.skipped, *wanted.skipped), frozenset(reported | skipped), wanted.others, config
    )


def with_folders(config: Config, root: Path) -> Config:
    """The configuration with those of all folders below `root`, as a scan of it finds them. Raises `UserError`."""
    if config.explicit:
        return config
    return survey(ScanRequest([str(root)], config, root=root)).config or config


def _demand_source(paths: Sequence[str], found: Discovery) -> None:
    """Raise `UserError` if there is no source file below some paths, not even one that is left out."""
    if holds_source(paths, EXTENSIONS):
        return
    named = ", ".join(shown(path) for path in paths[:_NAMED]) + (" …" if len(paths) > _NAMED else "")
    titles = [LANGUAGE_TITLES[name] for name in LANGUAGES if name in LANGUAGE_TITLES]
    said = [*remarks(mentions(found.others, None)), *found.skipped]
    other = "".join(f" {remark.message}" for remark in said[:_NAMED])
    raise UserError(f"{named}: no source file of a language that resplint reads ({', '.join(titles)}).{other or _HINT}")


def _found(
    request: ScanRequest, root: Path, paths: Sequence[str], verdicts: IgnoreDecisionCache | None,
    nested: dict[str, Config],
) -> Discovery:  # fmt: skip
    """The files below some paths; configurations of folders on the way are put into `nested`."""
    config = request.config
    top = os.path.realpath(root)

    def scope(place: str, names: Collection[str] | None) -> Scope | None:
        own = nested.get(place) or load_nested(top, place, names, config)
        if own is None:
            return None
        nested[place] = own
        return Scope(own.exclude, own.include_tests)

    unsaved = {path: len(request.overlay[path]) for path in sorted(request.overlay)}
    if not paths:
        return Discovery((), ())
    others = SUFFIXES if request.names_others or request.demands_source else {}
    return discover(
        paths, root, exclude=config.exclude, exclude_prefix=config.prefix, include_tests=config.include_tests,
        max_file_size=config.max_file_size, extensions=EXTENSIONS, others=others,
        scopes=None if config.explicit else scope, verdicts=verdicts, unsaved=unsaved,
    )  # fmt: skip
