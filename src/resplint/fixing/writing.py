"""Write fixed files: each as a whole, files that belong together all or none, and none that changed meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path

from resplint.contracts.errors import ResplintError
from resplint.contracts.findings import Notification, NotificationKind
from resplint.files.atomic_files import StagedFile, replace_file
from resplint.files.regular_files import UnreadableFileError, is_inside, read_regular
from resplint.fixing.records import ChangedFile, Plan


class _NotWrittenError(ResplintError):
    """A file stays as it is; the message is a clause that says why."""


def write(plan: Plan, root: Path, *, elsewhere: frozenset[str] = frozenset()) -> tuple[set[str], list[Notification]]:
    """Replace the files of a plan below `root`; returns the paths that were written and remarks about the others.

    Paths that stand `elsewhere` (what came from standard input) count as written. Never raises `OSError`.
    """
    written: set[str] = set()
    notes: list[Notification] = []
    for group in plan.groups():
        files = [file for file in group if file.path not in elsewhere]
        failed = _write_together(files, Path(os.path.realpath(root)))
        if failed is None:
            written.update(file.path for file in group)
            continue
        culprit, reason = failed
        for file in files:
            why = reason if file is culprit else f"a fix changes it together with {culprit.path}"
            notes.append(Notification(NotificationKind.NOT_FIXED, f"Not fixed: {why}.", file.path))
    return written, notes


def _write_together(files: Sequence[ChangedFile], root: Path) -> tuple[ChangedFile, str] | None:
    """Replace files, all or none; the file that prevented it and why, or None."""
    staged: list[tuple[ChangedFile, StagedFile]] = []
    done: list[ChangedFile] = []
    complete = False
    try:
        for file in files:
            current = file
            target = root / file.path
            staged.append((file, StagedFile(target, file.after, _status(target, root, file))))
        for file, new in staged:
            current = file
            # Once more, as late as can be: an editor may have saved while the other files were written.
            _status(root / file.path, root, file)
            new.commit()
            done.append(file)
        complete = True
    except _NotWrittenError as error:
        return current, str(error)
    except OSError as error:
        return current, f"it cannot be written: {(error.strerror or str(error)).lower()}"
    finally:
        if not complete:
            _undo(staged, done, root)
    return None


def _undo(staged: Sequence[tuple[ChangedFile, StagedFile]], done: Sequence[ChangedFile], root: Path) -> None:
    for _, new in staged:
        new.discard()
    for file in done:
        target = root / file.path
        try:
            if read_regular(str(target), len(file.after)) == file.after:
                replace_file(target, file.before, os.stat(target))
        except (OSError, UnreadableFileError):
            # Nothing more can be done; the file is whole, and the final scan tells what is in it.
            continue


def _status(target: Path, root: Path, file: ChangedFile) -> os.stat_result:
    """The status of a file that may be replaced. Raises `_NotWrittenError` and `OSError`."""
    real = os.path.realpath(target)
    if real != str(target) or not is_inside(real, str(root)):
        raise _NotWrittenError("it is reached through a link by now")
    try:
        status = os.stat(target)
        same_size = status.st_size == len(file.before)
        data = read_regular(real, len(file.before)) if same_size else b""
    except FileNotFoundError as error:
        raise _NotWrittenError("it is gone by now") from error
    except UnreadableFileError as error:
        raise _NotWrittenError(f"it {error}") from error
    if data != file.before:
        raise _NotWrittenError("it has changed since it was analysed")
    # By its mode, as root may write everything; and replacing needs no permission of the file itself.
    if not status.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH) or not os.access(target, os.W_OK):
        raise _NotWrittenError("it is read-only")
    if status.st_nlink > 1:
        raise _NotWrittenError("it has other names (hard links), which would keep the old text")
    return status
