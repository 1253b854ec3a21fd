"""The files of a commit, in a temporary folder, as far as a scan may read them."""

from __future__ import annotations

import contextlib
import os
import posixpath
import tempfile
from collections.abc import Iterator, Sequence

from resplint.contracts.errors import UserError
from resplint.diff_base.git import Repository, TreeFile
from resplint.discovery.discover import SKIPPED_FOLDERS, discover
from resplint.files.regular_files import is_inside
from resplint.languages import EXTENSIONS
from resplint.scan import ScanRequest
from resplint.scan.request import STDIN_NAME

FILE_LIMIT = 10_000_000
"""Larger files are left out, in bytes; no reader of manifests and lock files takes larger ones either."""
SUFFIXES = frozenset(EXTENSIONS) | {
    ".cfg", ".gradle", ".in", ".json", ".kts", ".lock", ".lockfile", ".properties", ".toml", ".txt", ".xml", ".yaml",
    ".yml",
}  # fmt: skip
"""Of sources, manifests, lock files and settings: more than are read, so that none of them is forgotten."""
NAMES = frozenset({"Pipfile"})
"""Files that are needed and have no suffix. Ignore files are not: git ignores nothing that it tracks."""


class Earlier:
    """The files of a commit that a request may be about, in the folder `top` (absolute, resolved).

    `folder` is what the root of the request was called then, relative to the repository: "" or with a slash at its end.
    """

    def __init__(self, request: ScanRequest, top: str, folder: str) -> None:
        self._request = request
        self._root_now = str(request.root)
        self.root = os.path.normpath(os.path.join(top, folder))

    def paths(self, *, with_gone: bool) -> list[str]:
        """What to scan, absolute: what the request names, as far as it was there, and `with_gone` the files that are
        not there any more.
        """
        if not os.path.isdir(self.root):
            return []
        if self._request.whole_project:
            return [self.root]
        paths = [self._then(path) for path in self._named() if is_inside(path, self._root_now)]
        paths = [path for path in paths if os.path.lexists(path)]
        return paths + self._gone() if with_gone and self.root not in paths else paths

    def _named(self) -> list[str]:
        request = self._request
        paths = [path for path in request.paths if path != STDIN_NAME]
        if STDIN_NAME in request.paths:
            paths.append(os.path.join(self._root_now, request.stdin_name))
        return [os.path.realpath(path) for path in paths]

    def _then(self, path: str) -> str:
        """Where a file or folder below the root was."""
        return os.path.normpath(os.path.join(self.root, os.path.relpath(path, self._root_now)))

    def _gone(self) -> list[str]:
        config = self._request.config
        found = discover(
            [self.root], self.root, exclude=config.exclude, exclude_prefix=config.prefix,
            include_tests=config.include_tests, max_file_size=config.max_file_size, extensions=EXTENSIONS,
        )  # fmt: skip
        return [f.absolute for f in found.files if not os.path.lexists(os.path.join(self._root_now, f.path))]


@contextlib.contextmanager
def earlier_files(repository: Repository, files: Sequence[TreeFile], request: ScanRequest) -> Iterator[Earlier]:
    """Those of the files of a commit that the request may be about, in a temporary folder.

    Raises `UserError` if they cannot be read or written.
    """
    root = str(request.root)
    folder = _former_name(_folder(os.path.relpath(root, repository.top)), [file.path for file in files], repository.top)
    try:
        temporary = tempfile.TemporaryDirectory(prefix="resplint-", ignore_cleanup_errors=True)
    except OSError as error:
        raise _unwritable(error) from error
    with temporary as name:
        top = os.path.realpath(name)
        try:
            _write_all(repository, _needed(files, folder, request), top)
        except OSError as error:
            raise _unwritable(error) from error
        yield Earlier(request, top, folder)


def _folder(relative: str) -> str:
    return "" if relative == "." else relative.replace(os.sep, "/") + "/"


def _former_name(folder: str, paths: Sequence[str], repository: str) -> str:
    """What a folder was called in a commit with these paths: if it was not there, the folder that is gone now and of
    which it has most files.
    """
    if any(path.startswith(folder) for path in paths):
        return folder
    standing: dict[str, bool] = {"": True}
    common: dict[str, int] = {}
    for path in paths:
        parts = path.split("/")
        for depth in range(len(parts) - 1, 0, -1):
            former = "/".join(parts[:depth]) + "/"
            if former not in standing:
                standing[former] = os.path.lexists(os.path.join(repository, former.rstrip("/")))
            if standing[former]:
                break
            if os.path.isfile(os.path.join(repository, folder, *parts[depth:])):
                common[former] = common.get(former, 0) + 1
    return min(common, key=lambda former: (-common[former], former), default=folder)


def _needed(files: Sequence[TreeFile], prefix: str, request: ScanRequest) -> list[TreeFile]:
    named = {part for path in request.paths for part in os.path.realpath(path).split(os.sep)}
    skipped = SKIPPED_FOLDERS - named
    found = []
    for file in files:
        folder, name = posixpath.split(file.path)
        if not is_plain(file.path) or skipped.intersection(folder[len(prefix) :].split("/")):
            continue
        inside = file.path.startswith(prefix)
        wanted = name in NAMES or posixpath.splitext(name)[1].lower() in SUFFIXES
        if inside and wanted:
            found.append(file)
    return found


def is_plain(path: str) -> bool:
    """Whether a path of a commit, which may be forged, leads to where it says."""
    if os.sep != "/" and (os.sep in path or ":" in path):
        return False
    return all(part not in ("", ".", "..") and part.lower() != ".git" for part in path.split("/"))


def _write_all(repository: Repository, files: Sequence[TreeFile], top: str) -> None:
    # The folder .git ends the search for ignore files upwards.
    os.makedirs(os.path.join(top, ".git"))
    links: list[tuple[str, bytes]] = []
    names: dict[str, list[TreeFile]] = {}
    for file in files:
        names.setdefault(file.object_id, []).append(file)
    for object_id, data in repository.contents([file.object_id for file in files], FILE_LIMIT):
        for file in names[object_id]:
            target = os.path.join(top, *file.path.split("/"))
            if file.is_link:
                links.append((target, data))
            else:
                _write(target, data)
    # Last of all, so that nothing is ever written through a link.
    for target, data in links:
        _link(target, data)


def _write(path: str, data: bytes) -> None:
    # Two names may be one on this file system ("a.py", "A.py"), or one file and folder in a forged tree: the first
    # stands.
    with contextlib.suppress(FileExistsError, NotADirectoryError, IsADirectoryError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as stream:
            stream.write(data)


def _link(path: str, target: bytes) -> None:
    """Make a link that leads somewhere relative; discovery follows none that leads out of the folder."""
    where = os.fsdecode(target)
    folder = os.path.dirname(path)
    # A forged tree can have a link and something below it: nothing is made through links.
    if not os.path.isabs(where) and "\0" not in where and os.path.realpath(folder) == folder:
        with contextlib.suppress(FileExistsError, NotADirectoryError):
            os.makedirs(folder, exist_ok=True)
            os.symlink(where, path)


def _unwritable(error: OSError) -> UserError:
    reason = error.strerror or str(error)
    return UserError(f"The files to compare with cannot be written to a temporary folder: {reason}; see TMPDIR.")
