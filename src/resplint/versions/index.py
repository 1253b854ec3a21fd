"""Looking up versions: from a source file's folder upwards to the nearest manifest that knows the library."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Sequence
from typing import Literal

import msgspec

from resplint.findings import Notification, NotificationKind
from resplint.regular_files import UnreadableFileError, is_inside, read_regular, shown
from resplint.versions.manifests import (
    FORMATS,
    REQUIREMENTS_FOLDER,
    REQUIREMENTS_FOLDER_FORMATS,
    Format,
    Kind,
    format_of,
)
from resplint.versions.ranges import lowest_allowed, newest, sort_key
from resplint.versions.records import (
    GROUP_ORDER,
    BrokenManifestError,
    Parsed,
    Requirement,
    is_development,
    normalised,
)

_INCLUDE_LIMIT = 50
"""How many files one requirement file may draw in, all levels together."""


_REMEDY = "correct it, so that the versions in it are known"


class VersionFact(msgspec.Struct, frozen=True):
    """The version of a distribution that a source file can count on.

    `lowest` is the lowest version allowed (the newest known one if nothing bounds it; None if nothing is
    known); `spec` is the requirement as written, "" if it names no version; `exact` tells a pinned version.
    `manifest_path` is relative to the root ("" for source "none"), `line` is 0 when unknown.
    """

    distribution: str
    lowest: str | None
    spec: str
    exact: bool
    source: Literal["lock", "manifest", "none"]
    manifest_path: str = ""
    line: int = 0


class _Mention(msgspec.Struct, frozen=True):
    """A requirement and the file that holds it."""

    requirement: Requirement
    path: str
    kind: Kind
    ecosystem: str

    @property
    def rank(self) -> tuple[int, bool]:
        """Lower is stronger: what runs before what helps to develop, compiled files before their sources."""
        group = "main" if self.requirement.group == "constraint" else self.requirement.group
        name = posixpath.splitext(posixpath.basename(self.path))[0]
        development = self.kind == "requirements" and is_development(name)
        place = GROUP_ORDER.index("dev" if development else group)
        return place, self.path.endswith(".in")


class VersionIndex:
    """The manifests below one root, read when first needed.

    `read` gives the bytes of a path relative to the root, or None if that fails; `list_names` the names in a
    folder relative to the root ("" is the root itself). By default both read the disk, inside the root.
    """

    def __init__(
        self,
        root: str,
        read: Callable[[str], bytes | None] | None = None,
        list_names: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        self._root = os.path.realpath(root)
        self._read = read
        self._list_names = list_names or self._names_on_disk
        self._folders: dict[str, tuple[_Mention, ...]] = {}
        self._by_name: dict[tuple[str, str, str], tuple[_Mention, ...]] = {}
        self._files: dict[str, Parsed] = {}
        self._notifications: set[Notification] = set()

    @property
    def notifications(self) -> tuple[Notification, ...]:
        """What could not be read so far, sorted."""
        return tuple(sorted(self._notifications, key=Notification.sort_key))

    def lookup(
        self, path: str, distribution: str, known: Sequence[str] = (), *, ecosystem: str = "pypi"
    ) -> VersionFact:
        """The version of `distribution` for the source file `path` (relative to the root, forward slashes).

        `known` are all released versions, in any order: of them the lowest in the range is taken.
        """
        name = normalised(distribution)
        folder = posixpath.dirname(path).strip("/")
        while True:
            mentions = self._mentions_of(folder, name, ecosystem)
            if mentions:
                return _decide(name, mentions, known)
            if not folder:
                return VersionFact(name, newest(known), "", False, "none")
            folder = posixpath.dirname(folder)

    def _mentions_of(self, folder: str, name: str, ecosystem: str) -> tuple[_Mention, ...]:
        key = (folder, name, ecosystem)
        if key not in self._by_name:
            if folder not in self._folders:
                self._folders[folder] = tuple(self._read_folder(folder))
            self._by_name[key] = tuple(
                each
                for each in self._folders[folder]
                if each.requirement.distribution == name and each.ecosystem == ecosystem
            )
        return self._by_name[key]

    def _read_folder(self, folder: str) -> list[_Mention]:
        names = sorted(self._list_names(folder))
        files = [(posixpath.join(folder, name), form) for name in names if (form := format_of(name, FORMATS))]
        if REQUIREMENTS_FOLDER in names:
            inner = posixpath.join(folder, REQUIREMENTS_FOLDER)
            for name in sorted(self._list_names(inner)):
                if form := format_of(name, REQUIREMENTS_FOLDER_FORMATS):
                    files.append((posixpath.join(inner, name), form))
        mentions: dict[tuple[str, Requirement], _Mention] = {}
        for path, form in files:
            for mention in self._read_with_includes(path, form):
                mentions.setdefault((mention.path, mention.requirement), mention)
        return list(mentions.values())

    def _read_with_includes(self, path: str, form: Format) -> list[_Mention]:
        mentions: list[_Mention] = []
        pending = [(path, form.constraint)]
        seen: set[str] = set()
        while pending and len(seen) < _INCLUDE_LIMIT:
            current, constraint = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            parsed = self._parsed(current, form)
            for each in parsed.requirements:
                requirement = msgspec.structs.replace(each, group="constraint") if constraint else each
                mentions.append(_Mention(requirement, current, form.kind, form.ecosystem))
            for include in parsed.includes:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(current), include.path))
                # Addresses and files outside the root are not ours to read.
                if "://" not in include.path and not target.startswith(("../", "/")) and target != "..":
                    pending.append((target, constraint or include.constraint))
        return mentions

    def _parsed(self, path: str, form: Format) -> Parsed:
        if path not in self._files:
            self._files[path] = self._parse(path, form)
        return self._files[path]

    def _parse(self, path: str, form: Format) -> Parsed:
        try:
            data = self._bytes(path, form.limit)
            parsed = form.parser(data)
        except UnreadableFileError as error:
            self._remark(path, 0, f"{error}; {_REMEDY}")
            return Parsed()
        except BrokenManifestError as error:
            self._remark(path, error.line, f"{shown(str(error))}; {_REMEDY}")
            return Parsed()
        if parsed.problems:
            line, problem = parsed.problems[0]
            more = f" (and {len(parsed.problems) - 1:,} more)" if len(parsed.problems) > 1 else ""
            self._remark(path, line, f"{problem}{more}; {_REMEDY}")
        return parsed

    def _bytes(self, path: str, limit: int) -> bytes:
        if self._read is not None:
            data = self._read(path)
            if data is None:
                raise UnreadableFileError("cannot be read")
            if len(data) > limit:
                raise UnreadableFileError(f"is larger than {limit:,} bytes")
            return data
        real = os.path.realpath(os.path.join(self._root, path))
        if not is_inside(real, self._root):
            raise UnreadableFileError("is a link that leads out of the scanned folder")
        return read_regular(real, limit)

    def _names_on_disk(self, folder: str) -> list[str]:
        real = os.path.realpath(os.path.join(self._root, folder))
        if not is_inside(real, self._root):
            return []
        try:
            return os.listdir(real)
        except OSError:
            # That a folder cannot be listed is told by discovery.
            return []

    def _remark(self, path: str, line: int, problem: str) -> None:
        message = f"Manifest not fully read: {problem}."
        self._notifications.add(Notification(NotificationKind.MANIFEST, message, path, line))


def _decide(name: str, mentions: tuple[_Mention, ...], known: Sequence[str]) -> VersionFact:
    """Of all mentions in one folder: a lock first, then what runs, then the lowest version."""
    locked = [each for each in mentions if each.kind == "lock"]
    candidates = _strongest(locked or list(mentions))
    if not locked:
        candidates = _bounded(candidates, [each for each in mentions if each.requirement.group == "constraint"])
    facts = [_fact(name, each, known) for each in candidates]
    return min(facts, key=lambda fact: (*sort_key(fact.lowest), fact.manifest_path, fact.line))


def _strongest(mentions: list[_Mention]) -> list[_Mention]:
    required = [each for each in mentions if each.requirement.group != "constraint"] or mentions
    best = min(each.rank for each in required)
    chosen = [each for each in required if each.rank == best]
    chosen = [each for each in chosen if each.requirement.pep440] or chosen
    # What is deployed is pinned in requirement files; the project's metadata says what would do too.
    deployed = [each for each in chosen if each.kind == "requirements"]
    if deployed and all(each.requirement.exact for each in deployed):
        return deployed
    return chosen


def _bounded(mentions: list[_Mention], constraints: list[_Mention]) -> list[_Mention]:
    """The mentions as a constraint file narrows them; one that pins the version takes their place."""
    exact = [each for each in constraints if each.requirement.exact]
    if exact:
        return exact
    bounds = ",".join(each.requirement.pep440 for each in constraints if each.requirement.pep440)
    if not bounds or "||" in bounds:
        return mentions
    narrowed = []
    for each in mentions:
        requirement = each.requirement
        if "||" not in requirement.pep440:
            both = ",".join(filter(None, (requirement.pep440, bounds)))
            requirement = msgspec.structs.replace(requirement, pep440=both, spec=requirement.spec or bounds)
        narrowed.append(msgspec.structs.replace(each, requirement=requirement))
    return narrowed


def _fact(name: str, mention: _Mention, known: Sequence[str]) -> VersionFact:
    requirement = mention.requirement
    lowest = lowest_allowed(requirement.pep440, known)
    source: Literal["lock", "manifest"] = "lock" if mention.kind == "lock" else "manifest"
    return VersionFact(name, lowest, requirement.spec, requirement.exact, source, mention.path, requirement.line)
