"""Which files to analyse.

Folders are walked without recursion; what git ignores, folders of installed packages, tests, compiled copies and
backups stay out. Every file comes once, at its resolved path. Whatever looks like source code but cannot be taken is
listed with its reason; what a documented default or the configuration leaves out is not.
"""

from __future__ import annotations

import hashlib
import os
import stat
import struct
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec

from resplint.contracts.errors import UserError
from resplint.contracts.findings import Notification, NotificationKind
from resplint.discovery.backup_copies import backup_copies
from resplint.discovery.compiled_copies import compiled_copies
from resplint.discovery.gitignore import IgnoreFiles, Layers, is_ignored
from resplint.discovery.ignore_decisions import IgnoreDecisionCache
from resplint.discovery.other_languages import SUFFIXES, language_by_suffix
from resplint.discovery.test_file_detection import TEST_FOLDERS, holds_tests, is_test_name
from resplint.files.globs import PatternList, pattern_list
from resplint.files.near_paths import hint_at
from resplint.files.regular_files import is_inside, kind_of, reason_of, shown

SKIPPED_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", "node_modules", ".venv", "__pycache__", ".tox", ".nox",
        ".mypy_cache", "site-packages", ".eggs", "dist-packages",
    }
)  # fmt: skip
"""Folders never entered, whatever the configuration says (unless given as an argument)."""

_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
"""How the names of files end that say what others hold: they have no code of their own."""

_VIRTUAL_ENVIRONMENT_MARK = "pyvenv.cfg"
_MANY_ENTRIES = 100_000
_STAMP = struct.Struct("<qqqQ")
_MAX_NUMBER = 2**64 - 1
_READABLE_BY_ALL = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH


class SourceFile(msgspec.Struct, frozen=True, order=True, gc=False):
    """A file to analyse: `path` relative to the folder `root` (absolute, resolved) with forward slashes.

    Bytes of a name that are not UTF-8 appear as surrogate escapes (see `os.fsdecode`). `stamp` is what `stamp_of` makes
    of the file's status, empty if it is on no disk. A tree may have a hundred thousand of these.
    """

    path: str
    root: str
    language: str
    stamp: bytes = b""

    @property
    def absolute(self) -> str:
        """Where the file is, resolved."""
        return os.path.join(self.root, self.path if os.sep == "/" else self.path.replace("/", os.sep))

    @property
    def size(self) -> int:
        """Bytes; 0 if it is on no disk."""
        return int(_STAMP.unpack(self.stamp)[2]) if self.stamp else 0


def stamp_of(status: os.stat_result) -> bytes:
    """What is different once a file has changed: the times of its last changes (ns), its size (bytes), its number.

    A file that changes twice within the resolution of the clock may keep its stamp.
    """
    return _STAMP.pack(status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino & _MAX_NUMBER)


def stamped_time(stamp: bytes) -> int:
    """When a file with this stamp was changed last, in ns since the epoch."""
    modified, changed, _, _ = _STAMP.unpack(stamp)
    return int(max(modified, changed))


class Scope(msgspec.Struct, frozen=True):
    """What holds in a folder and below it: git-ignore patterns of what to leave out, and whether tests are taken."""

    exclude: tuple[str, ...]
    include_tests: bool


Scopes = Callable[[str, "Collection[str] | None"], "Scope | None"]
"""Whether something else holds in a folder and below it than above: from its path relative to the root and the names of
its entries (None: not known).
"""


class _Rules(msgspec.Struct, frozen=True):
    """What holds where the walk is; `mark` stands for the patterns."""

    excluded: PatternList
    include_tests: bool
    mark: bytes = b""


class Discovery(msgspec.Struct, frozen=True):
    """The files of a scan and those left out with a reason, both sorted by path. `others` are files of languages that
    are not analysed, as far as they were asked for.
    """

    files: tuple[SourceFile, ...]
    skipped: tuple[Notification, ...]
    others: tuple[SourceFile, ...] = ()


def find_root(paths: Sequence[str | os.PathLike[str]]) -> Path:
    """The folder that reported paths are relative to, resolved.

    It is the argument if there is just one and it is a folder; otherwise the nearest common ancestor folder
    of all arguments. Where links and others are named together (`resplint scan *`), a link that leads elsewhere counts
    where it stands. Raises `UserError` if a path does not exist or the paths have nothing in common.
    """
    if not paths:
        raise UserError("No path was given: name at least one file or folder to scan.")
    given = [_existing(path) for path in paths]
    links = [path for path in given if os.path.islink(path)]
    plain = [_folder(os.path.realpath(path)) for path in given if path not in links]
    try:
        if not plain:
            return Path(os.path.commonpath([_folder(os.path.realpath(path)) for path in links]))
        common = os.path.commonpath(plain)
        ends = [os.path.realpath(path) for path in links]
        standing = [os.path.dirname(_standing(path)) for path, end in zip(links, ends, strict=True)]
        kept = [there for there, end in zip(standing, ends, strict=True) if not is_inside(end, common)]
        return Path(os.path.commonpath([common, *kept]))
    except ValueError as error:
        raise UserError("The paths have no folder in common: scan one drive at a time.") from error


def discover(
    paths: Sequence[str | os.PathLike[str]],
    root: str | os.PathLike[str],
    *,
    exclude: Sequence[str] = (),
    exclude_prefix: str = "",
    include_tests: bool = False,
    max_file_size: int = 1_000_000,
    extensions: Mapping[str, str],
    others: Mapping[str, str] = MappingProxyType({}),
    scopes: Scopes | None = None,
    verdicts: IgnoreDecisionCache | None = None,
    unsaved: Mapping[str, int] = MappingProxyType({}),
) -> Discovery:
    """Find the files below `paths` whose suffix (".py", lower case) `extensions` maps to a language, and those for
    which `others` does.

    `exclude` are git-ignore patterns; they see a path as `exclude_prefix` (such as "services/api/") plus the
    path relative to `root`. Files named as arguments are taken although ignored, excluded or tests. `verdicts` know
    what ignore files and these patterns said before, and learn what they say. `unsaved` are files,
    relative to `root`, and their sizes, that are taken as if they were on the disk already. Raises `UserError` for an
    argument that does not exist or lies outside `root`, and for an invalid pattern.
    """
    try:
        excluded = pattern_list(tuple(exclude))
    except ValueError as error:
        raise UserError(f"exclude: not a git-ignore pattern: {shown(str(error))}") from error
    real_root = os.path.realpath(root)
    walker = _Walker(real_root, extensions, include_tests, max_file_size, excluded, exclude_prefix, verdicts)
    walker.others, walker.scopes = others, scopes
    for path in paths:
        walker.take_argument(_existing(path))
    for place, size in unsaved.items():
        walker.take_unsaved(place, size, [os.path.realpath(path) for path in paths])
    return walker.discovery()


class _Walker:
    """One discovery under way: collects files and remarks of all arguments."""

    def __init__(
        self,
        root: str,
        extensions: Mapping[str, str],
        include_tests: bool,
        max_file_size: int,
        excluded: PatternList,
        exclude_prefix: str,
        verdicts: IgnoreDecisionCache | None,
    ) -> None:
        self._root = root
        self._cut = len(root.rstrip(os.sep)) + 1
        self._extensions = extensions
        self._rules = _Rules(excluded, include_tests)
        self._outermost = self._rules
        self._scoped: dict[str, _Rules] = {}
        self._limit = max_file_size
        self._exclude_prefix = exclude_prefix
        self._ignores = IgnoreFiles(root)
        self._tracked_in: set[str] = set()
        """Folders that are ignored, but for the files below that git tracks."""
        self._verdicts = verdicts
        self._asked: tuple[Layers, _Rules, dict[str, bool]] | None = None
        self._found: dict[str, SourceFile] = {}
        self._named: set[str] = set()
        self._devices: dict[str, int] = {}
        """Of files by path: the number of the file system, where it is not `_device`."""
        self._device = os.stat(root).st_dev if os.path.exists(root) else 0
        self._skipped: set[Notification] = set()
        self._others: dict[str, SourceFile] = {}
        self.others: Mapping[str, str] = {}
        self.scopes: Scopes | None = None

    def discovery(self) -> Discovery:
        copies = (compiled_copies(self._found) | backup_copies(self._found)) - self._named
        files = [self._found[path] for path in sorted(self._found) if path not in copies]
        if len({_number(file) for file in files}) < len(files):
            files = self._without_links(files)
        remarks = self._skipped.union(self._ignores.notifications)
        others = tuple(self._others[path] for path in sorted(self._others))
        return Discovery(tuple(files), tuple(sorted(remarks, key=Notification.sort_key)), others)

    def _without_links(self, files: Sequence[SourceFile]) -> list[SourceFile]:
        """The files, sorted, without hard links: the first path stands for all."""
        first: dict[tuple[int, bytes], SourceFile] = {}
        for file in files:
            first.setdefault((self._devices.get(file.path, self._device), _number(file)), file)
        return [file for file in files if not any(_number(file)) or self._is_first(first, file)]

    def _is_first(self, first: Mapping[tuple[int, bytes], SourceFile], file: SourceFile) -> bool:
        return first[self._devices.get(file.path, self._device), _number(file)] is file

    def take_argument(self, path: str) -> None:
        real = os.path.realpath(path)
        if not is_inside(real, self._root):
            place = _standing(path)
            if os.path.islink(path) and is_inside(place, self._root):
                self._skip(place, "the link leads out of the scanned folder")
                return
            raise UserError(f"{shown(path)}: lies outside the scanned folder {shown(self._root)}.")
        try:
            status = os.stat(real)
        except OSError as error:
            self._skip(_standing(path), reason_of(error))
            return
        if stat.S_ISDIR(status.st_mode):
            self._walk(real)
            return
        language = self._language(os.path.basename(real)) or self._language(os.path.basename(path))
        if language is None:
            other = language_by_suffix(os.path.basename(real), SUFFIXES)
            self._skip(real, f"{other} is not supported" if other else "no supported language has this suffix")
        else:
            self._rules_in(os.path.dirname(real))
            self._named.add(self._relative(real))
            self._take_file(real, self._relative(real), language, status)

    @property
    def _include_tests(self) -> bool:
        return self._rules.include_tests

    @property
    def _excluded(self) -> PatternList:
        return self._rules.excluded

    def _rules_in(self, folder: str, names: Collection[str] | None = None) -> _Rules:
        """What holds in a folder."""
        if self.scopes is None or not is_inside(folder, self._root):
            return self._rules
        place = self._relative(folder) if folder != self._root else ""
        known = self._scoped.get(place)
        if known is not None:
            return known
        above = self._rules_in(os.path.dirname(folder)) if place else self._outermost
        scope = self.scopes(place, names)
        rules = above
        if scope is not None:
            mark = hashlib.blake2b("\0".join(scope.exclude).encode("utf-8", "replace"), digest_size=16).digest()
            rules = _Rules(pattern_list(scope.exclude), scope.include_tests, mark)
        self._scoped[place] = rules
        return rules

    def take_unsaved(self, place: str, size: int, starts: Sequence[str]) -> None:
        """Take a file that is not there yet, if a walk from one of the folders `starts` would come to it."""
        path = os.path.normpath(os.path.join(self._root, place))
        name = os.path.basename(path)
        language = self._language(name)
        start = next((each for each in starts if is_inside(path, each)), None)
        if language is None or start is None or os.path.lexists(path):
            return
        if (self._include_tests or not is_test_name(name, language)) and self._is_wanted_below(path, start, False):
            if size > self._limit:
                self._skip(path, self._over_limit(size))
            else:
                self._found[place] = SourceFile(place, self._root, language)

    def _walk(self, start: str) -> None:
        layers = self._ignores.layers(start)
        above = self._ignores.layers(os.path.dirname(start)) if start != self._root else ()
        if is_ignored(above, start, folder=True):
            # Named although ignored: only ignore files inside it have a say.
            layers = tuple(layer for layer in layers if is_inside(layer.base, start))
        seen: set[str] = set()
        stack: list[tuple[str, Layers]] = [(start, layers)]
        while stack:
            folder, layers = stack.pop()
            if folder in seen:
                continue
            seen.add(folder)
            stack.extend(self._enter(folder, layers, start))

    def _enter(self, folder: str, layers: Layers, start: str) -> Iterable[tuple[str, Layers]]:
        """Take the files of one folder and return the folders to enter next."""
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError as error:
            self._skip(folder, reason_of(error))
            return ()
        names = {entry.name for entry in entries}
        if self.scopes is not None:
            self._rules = self._rules_in(folder, names)
        if folder != start:
            if _VIRTUAL_ENVIRONMENT_MARK in names:
                return ()
            if ".gitignore" in names:
                layers = self._ignores.extended(layers, folder)
        inner: list[tuple[str, Layers]] = []
        helps_tests = folder != start and not self._include_tests and holds_tests(names)
        for entry in entries:
            try:
                if entry.is_symlink():
                    inner.extend(self._follow(entry.path, start))
                elif entry.is_dir(follow_symlinks=False):
                    if self._is_wanted_folder(entry.path, entry.name, layers):
                        inner.append((entry.path, layers))
                elif not (helps_tests and entry.name.endswith(".py")):
                    self._consider(entry, layers)
            except OSError as error:
                # The file went away, or its permissions changed, between listing and looking.
                self._skip(entry.path, reason_of(error))
        return inner

    def _consider(self, entry: os.DirEntry[str], layers: Layers) -> None:
        language = self._language(entry.name)
        other = language_by_suffix(entry.name, self.others) if language is None else None
        known = language or other
        if known is None or (not self._include_tests and is_test_name(entry.name, known)):
            return
        place = self._relative(entry.path)
        if self._is_left_out(entry.path, place, layers):
            return
        status = entry.stat(follow_symlinks=False)
        if language is not None:
            self._take_file(entry.path, place, language, status)
        elif stat.S_ISREG(status.st_mode):
            self._others[place] = SourceFile(place, self._root, known, stamp_of(status))

    def _is_wanted_folder(self, path: str, name: str, layers: Layers) -> bool:
        if name in SKIPPED_FOLDERS or (name in TEST_FOLDERS and not self._include_tests):
            return False
        if self._is_left_out(path, f"{self._relative(path)}/", layers):
            return False
        if self._language(name) is not None and not self._holds_sources(path):
            self._skip(path, "a folder with the name of a source file")
            return False
        return True

    def _holds_sources(self, path: str) -> bool:
        """Whether a folder has source files or further folders, whatever it is called: some are named `src.ts`."""
        try:
            with os.scandir(path) as entries:
                return any(self._language(entry.name) is not None or entry.is_dir() for entry in entries)
        except OSError:
            return True  # entering it tells why not

    def _follow(self, link: str, start: str) -> Iterable[tuple[str, Layers]]:
        """Take what a link leads to, at its resolved path; a folder is returned to be entered."""
        language = self._language(os.path.basename(link))
        suffixed = "." in os.path.basename(link)[1:]
        try:
            status = os.stat(link)
        except OSError as error:
            # A link without suffix may have been meant for a folder of sources; one to an image matters not.
            if language is not None or not suffixed:
                self._skip(link, reason_of(error))
            return ()
        real = os.path.realpath(link)
        is_folder = stat.S_ISDIR(status.st_mode)
        language = self._language(os.path.basename(real)) or language
        if not is_inside(real, self._root):
            if is_folder or language is not None:
                self._skip(link, "the link leads out of the scanned folder")
            return ()
        if not self._is_wanted_below(real, start, is_folder):
            return ()
        if is_folder:
            return ((real, self._ignores.layers(os.path.dirname(real))),) if real != start else ()
        if language is not None and (self._include_tests or not is_test_name(os.path.basename(real), language)):
            self._take_file(real, self._relative(real), language, status)
        return ()

    def _is_wanted_below(self, real: str, start: str, is_folder: bool) -> bool:
        """Whether a walk from `start` (from the root, if outside it) would come to `real` without links."""
        base = start if is_inside(real, start) else self._root
        current = base
        parts = [part for part in real[len(base) :].split(os.sep) if part]
        for number, name in enumerate(parts, 1):
            layers = self._ignores.layers(current)
            current = os.path.join(current, name)
            if number == len(parts) and not is_folder:
                return not self._is_left_out(current, self._relative(current), layers)
            if not self._is_wanted_folder(current, name, layers):
                return False
        return True

    def _is_left_out(self, path: str, place: str, layers: Layers) -> bool:
        """Whether patterns leave out a path, which is called `place` seen from the root; that of a folder ends in /.
        Git ignores nothing that it tracks.
        """
        folder = place.endswith("/")
        name = place.rstrip("/")
        if name.rpartition("/")[0] not in self._tracked_in and not self._fits_a_pattern(path, place, layers):
            return False
        if not layers or not self._ignores.tracked.holds(path, folder=folder):
            return True
        if self._excluded.verdict(self._exclude_prefix + name, folder=folder):
            return True
        if folder:
            self._tracked_in.add(name)
        return False

    def _fits_a_pattern(self, path: str, place: str, layers: Layers) -> bool:
        if not layers and not self._excluded:
            return False
        if self._verdicts is None:
            return self._is_left_out_by(path, place, layers)
        # Entries of one folder come one after the other, and have the same layers.
        if self._asked is None or self._asked[0] is not layers or self._asked[1] is not self._rules:
            marks = b"".join(layer.mark for layer in layers) + self._rules.mark
            self._asked = layers, self._rules, self._verdicts.of(marks)
        known = self._asked[2]
        verdict = known.get(place)
        if verdict is None:
            verdict = known[place] = self._is_left_out_by(path, place, layers)
        return verdict

    def _is_left_out_by(self, path: str, place: str, layers: Layers) -> bool:
        folder = place.endswith("/")
        if layers and is_ignored(layers, path, folder=folder):
            return True
        return bool(self._excluded.verdict(self._exclude_prefix + place.rstrip("/"), folder=folder))

    def _take_file(self, path: str, place: str, language: str, status: os.stat_result) -> None:
        reason = ""
        if not stat.S_ISREG(status.st_mode):
            reason = f"{kind_of(status.st_mode)}, not a regular file"
        elif status.st_size > self._limit:
            reason = self._over_limit(status.st_size)
        elif status.st_mode & _READABLE_BY_ALL != _READABLE_BY_ALL and not os.access(path, os.R_OK):
            reason = "permission denied"
        if reason:
            self._skip(path, reason)
            return
        self._found[place] = SourceFile(place, self._root, language, stamp_of(status))
        if status.st_dev != self._device:
            self._devices[place] = status.st_dev

    def _over_limit(self, size: int) -> str:
        return f"its {size:,} bytes are over the limit of {self._limit:,} (max-file-size)"

    def _language(self, name: str) -> str | None:
        language = language_by_suffix(name, self._extensions)
        return None if language is None or name.endswith(_DECLARATIONS) else language

    def _relative(self, path: str) -> str:
        relative = path[self._cut :]
        return relative if os.sep == "/" else relative.replace(os.sep, "/")

    def _skip(self, path: str, reason: str) -> None:
        message = f"Not analysed: {reason}."
        self._skipped.add(Notification(NotificationKind.SKIPPED, message, self._relative(path)))


def holds_source(paths: Sequence[str | os.PathLike[str]], extensions: Mapping[str, str]) -> bool:
    """Whether there is any source file at or below `paths`, tests and what is ignored or excluded among them; True if
    it would take long to tell.
    """
    looked = 0
    for path in paths:
        if language_by_suffix(os.path.basename(path), extensions):
            return True
        for _, folders, names in os.walk(path):
            folders[:] = [] if _VIRTUAL_ENVIRONMENT_MARK in names else sorted(set(folders) - SKIPPED_FOLDERS)
            if any(language_by_suffix(name, extensions) for name in names):
                return True
            looked += len(names) + len(folders)
            if looked > _MANY_ENTRIES:
                return True
    return False


def _existing(path: str | os.PathLike[str]) -> str:
    """The absolute form of an argument; a broken link exists. Raises `UserError` if nothing is there."""
    text = os.fspath(path)
    try:
        # Joined, not normalised: after a link, ".." is the parent of where the link leads. The current folder may be
        # gone, which matters to relative paths alone.
        absolute = (text if os.path.isabs(text) else os.path.join(os.getcwd(), text)).rstrip(os.sep) or os.sep
        os.lstat(absolute)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        remedy = "give an existing file or folder."
        if isinstance(error, FileNotFoundError):
            reason, remedy = "no such file or folder", hint_at(text) or remedy
        raise UserError(f"{shown(text)}: {reason}; {remedy}") from error
    return absolute


def _folder(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path)


def _standing(path: str) -> str:
    """Where a path itself stands: links above it are resolved, the last part is not followed."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))


def _number(file: SourceFile) -> bytes:
    """What stands for the number of a file within its file system."""
    return file.stamp[-8:]
