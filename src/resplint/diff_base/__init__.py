"""Reporting only what a change has brought.

The change is everything that distinguishes the files on disk, uncommitted and untracked ones among them, from the
commit at which a revision and HEAD went separate ways. The files of that commit are written into a temporary folder and
scanned with the same configuration; what is found there too is not new. So it does not matter where the cause of a
finding is: one that came with a deletion in another file, or with another version in a lock file, is reported as well.

Findings are compared as with a baseline (`resplint.baseline.matching`): code that only moved or was renamed is not new,
copied code is. A finding that a comment suppressed before and does not now, or that has become graver, is new. Other
repositories inside the scanned folder (submodules) are left out, for their changes are in commits of their own.
"""

from __future__ import annotations

import dataclasses
import os
import posixpath
from collections.abc import Sequence, Set
from pathlib import Path

import msgspec

from resplint.baseline import match, traces
from resplint.contracts.findings import BaselineState, Comparison, Notification, NotificationKind, Report, Result
from resplint.diff_base.earlier import earlier_files
from resplint.diff_base.git import Repository
from resplint.discovery.gitignore import enclosing_repository
from resplint.files.regular_files import UnreadableFileError, read_regular, shown
from resplint.scan import FactsMemory, ScanRequest, scan
from resplint.scan.standing import Standing
from resplint.scan.survey import survey

__all__ = ["DiffBase"]


class DiffBase:
    """The commit at which HEAD and a revision went separate ways, in the repository around a folder.

    Raises `UserError` if there is no such revision or git cannot be used.
    """

    def __init__(self, root: str | os.PathLike[str], ref: str) -> None:
        self._root = os.path.realpath(root)
        self._ref = ref
        self._repository = Repository.around(self._root)
        self._commit = self._repository.merge_base(ref)
        self._files = self._repository.files(self._commit)
        self._paths = {file.path for file in self._files}
        self._before: dict[bool, Report | None] = {}

    def scan(self, request: ScanRequest) -> Report:
        """The report of a scan of the folder, reduced to what is new. Raises what `resplint.scan.scan` does.

        Of several scans, all must be of the same paths, with the same configuration.
        """
        # Most files are the same at both times: what one scan has read of them serves the other.
        memory = request.memory or FactsMemory()
        request = dataclasses.replace(request, root=Path(self._root), memory=memory, cache=None)
        report = scan(request)
        results, remarks = _own(report.results, self._repository, self._root)
        before = self._report_before(request, results) if results else None
        fresh = _fresh(results, before.results if before else (), self._standing(request))
        if before is not None:
            remarks += self._failures(before, {note.message for note in report.notifications})
        notes = {*(note for note in report.notifications if _still_holds(note, fresh)), *remarks}
        return msgspec.structs.replace(
            report,
            results=tuple(_marked(result) for result in fresh),
            notifications=tuple(sorted(notes, key=Notification.sort_key)),
            compared=Comparison(self._ref, self._commit, len(results) - len(fresh)),
        )

    def _report_before(self, request: ScanRequest, results: Sequence[Result]) -> Report | None:
        """The report on the files as they were; None if none of what is scanned was there."""
        # A file that was not there may have had another name.
        renamed = any(self._in_repository(result.path) not in self._paths for result in results)
        if renamed not in self._before:
            with earlier_files(self._repository, self._files, request) as earlier:
                paths = earlier.paths(with_gone=renamed)
                self._before[renamed] = _scan_before(request, paths, earlier.root) if paths else None
        return self._before[renamed]

    def _in_repository(self, path: str) -> str:
        return os.path.relpath(os.path.join(self._root, path), self._repository.top).replace(os.sep, "/")

    def _failures(self, before: Report, now: Set[str]) -> list[Notification]:
        """What went wrong then, and limits that were met then alone."""
        place = f"At {shown(self._ref)}, so that old findings may look new"
        return [
            msgspec.structs.replace(note, message=f"{place}: {note.message}")
            for note in before.notifications
            if note.kind is NotificationKind.INTERNAL_ERROR
            or (note.kind is NotificationKind.LIMIT and note.message not in now)
        ]

    def _standing(self, request: ScanRequest) -> Standing:
        """What the files define now."""

        def read(path: str) -> bytes | None:
            if path in request.overlay:
                return request.overlay[path]
            try:
                return read_regular(os.path.join(self._root, path), request.config.max_file_size)
            except UnreadableFileError:
                return None

        return Standing(self._root, lambda path: os.path.isfile(os.path.join(self._root, path)), read, {})


def _scan_before(request: ScanRequest, paths: Sequence[str], root: str) -> Report:
    memory = request.memory.for_reading() if request.memory is not None else None
    # The configurations of now count, those of folders among them.
    config = msgspec.structs.replace(survey(request).config or request.config, baseline=None, explicit=True)
    return scan(ScanRequest(paths, config, root=Path(root), memory=memory, progress=request.progress))


def _own(results: Sequence[Result], repository: Repository, root: str) -> tuple[list[Result], list[Notification]]:
    """The results in files of the repository itself, and a remark on each other repository that has some."""
    owners: dict[str, str | None] = {}
    own = []
    others: dict[str, int] = {}
    for result in results:
        folder = posixpath.dirname(result.path)
        if folder not in owners:
            owners[folder] = enclosing_repository(os.path.join(root, folder).rstrip(os.sep))
        owner = owners[folder] or repository.top
        if owner == repository.top:
            own.append(result)
        else:
            name = os.path.relpath(owner, root).replace(os.sep, "/")
            others[name] = others.get(name, 0) + 1
    message = "'{}' is a repository of its own, whose history was not compared: its findings ({:,}) were left out."
    remarks = [
        Notification(NotificationKind.LIMIT, message.format(name, number)) for name, number in sorted(others.items())
    ]
    return own, remarks


def _fresh(results: Sequence[Result], old: Sequence[Result], standing: Standing) -> list[Result]:
    """The results that have no partner in `old`: open ones need one that was open and as grave, those that a comment
    suppresses take what is left.
    """
    known: set[int] = set()
    now, before = traces(results, with_context=True), traces(old, with_context=True)
    remaining = list(range(len(old)))
    for suppressed in (False, True):
        asking = [index for index, result in enumerate(results) if _is_suppressed(result) is suppressed]
        offered = [index for index in remaining if suppressed or old[index].suppression is None]
        pairs = match([before[index] for index in offered], [now[index] for index in asking], standing.moved)
        for mine, theirs in pairs.items():
            result, partner = results[asking[mine]], old[offered[theirs]]
            if suppressed or result.level.rank <= partner.level.rank:
                known.add(asking[mine])
        taken = {offered[theirs] for theirs in pairs.values()}
        remaining = [index for index in remaining if index not in taken]
    return [result for index, result in enumerate(results) if index not in known]


def _is_suppressed(result: Result) -> bool:
    """Whether a comment suppresses it; what a baseline says now, nobody knows of the time before."""
    return result.suppression is not None and result.suppression.kind == "inSource"


def _still_holds(note: Notification, fresh: Sequence[Result]) -> bool:
    """Whether a remark is about what is left: that an entry no longer accepts an old finding is no news."""
    if note.kind is not NotificationKind.LAPSED_BASELINE:
        return True
    return any(result.rule == note.rule and f"'{result.path}'" in note.message for result in fresh)


def _marked(result: Result) -> Result:
    """A result that is new, unless a baseline has the say."""
    return result if result.baseline else msgspec.structs.replace(result, baseline=BaselineState.NEW)
