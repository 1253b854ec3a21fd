"""Python's manifests and lock files: all that stand in a folder, with the files they include."""

from __future__ import annotations

import posixpath

import msgspec

from resplint.versions.files import Format, ManifestFiles, within
from resplint.versions.manifests import (
    FORMATS,
    REQUIREMENTS_FOLDER,
    REQUIREMENTS_FOLDER_FORMATS,
    format_of,
)
from resplint.versions.records import Mention, Parsed, Requirement

_INCLUDE_LIMIT = 50
"""How many files one requirement file may draw in, all levels together."""


class PypiManifests:
    """What the manifests of each folder say about distributions of the Python Package Index."""

    def __init__(self, files: ManifestFiles) -> None:
        self._files = files
        self._folders: dict[str, tuple[Mention, ...]] = {}

    def mentions(self, folder: str, name: str) -> list[Mention]:
        """What the files of this folder say about a distribution."""
        if folder not in self._folders:
            self._folders[folder] = tuple(self._read_folder(folder))
        return [each for each in self._folders[folder] if each.requirement.distribution == name]

    def _read_folder(self, folder: str) -> list[Mention]:
        names = self._files.names(folder)
        files = [(posixpath.join(folder, name), form) for name in names if (form := format_of(name, FORMATS))]
        if REQUIREMENTS_FOLDER in names:
            inner = posixpath.join(folder, REQUIREMENTS_FOLDER)
            for name in self._files.names(inner):
                if form := format_of(name, REQUIREMENTS_FOLDER_FORMATS):
                    files.append((posixpath.join(inner, name), form))
        mentions: dict[tuple[str, Requirement], Mention] = {}
        for path, form in files:
            for mention in self._read_with_includes(path, form):
                mentions.setdefault((mention.path, mention.requirement), mention)
        return list(mentions.values())

    def _read_with_includes(self, path: str, form: Format[Parsed]) -> list[Mention]:
        mentions: list[Mention] = []
        pending = [(path, form.constraint)]
        seen: set[str] = set()
        while pending and len(seen) < _INCLUDE_LIMIT:
            current, constraint = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            parsed = self._files.document(current, form) or Parsed()
            for each in parsed.requirements:
                requirement = msgspec.structs.replace(each, group="constraint") if constraint else each
                mentions.append(Mention(requirement, current, form.kind))
            for include in parsed.includes:
                # Addresses and files outside the root are not ours to read.
                target = within(posixpath.dirname(current), include.path)
                if target is not None:
                    pending.append((target or ".", constraint or include.constraint))
        return mentions
