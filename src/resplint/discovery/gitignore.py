"""Which files git ignores unless it tracks them, from `.gitignore` files and `.git/info/exclude`.

A user's global ignore file is left out on purpose: two people who scan the same tree get the same result.
"""

from __future__ import annotations

import hashlib
import os

import msgspec

from resplint.contracts.findings import Notification, NotificationKind
from resplint.discovery.tracked import TrackedFiles
from resplint.files.globs import Pattern, PatternList, affordable, parse_pattern
from resplint.files.regular_files import UnreadableFileError, is_inside, read_regular, shown

_SIZE_LIMIT = 1_000_000


class Layer(msgspec.Struct, frozen=True):
    """The patterns of one ignore file; `base` is the absolute folder they are relative to, and `mark` (16 bytes) stands
    for both.
    """

    base: str
    patterns: PatternList
    mark: bytes


Layers = tuple[Layer, ...]
"""Ignore files that apply in a folder, the innermost first."""


def enclosing_repository(folder: str) -> str | None:
    """The nearest folder at or above `folder` (absolute) that holds `.git`, if any."""
    while True:
        if os.path.lexists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


class IgnoreFiles:
    """Reads ignore files between the repository (or, outside one, `root`) and the folders below it."""

    def __init__(self, root: str) -> None:
        self._top = enclosing_repository(root) or root
        self._notifications: list[Notification] = []
        self.tracked = TrackedFiles(self._top)
        self._root = root
        self._above: dict[str, Layers] = {}

    @property
    def notifications(self) -> tuple[Notification, ...]:
        """What was left out of ignore files, each remark once."""
        if not self.tracked.problem:
            return tuple(self._notifications)
        message = f"The index of git {self.tracked.problem}, so all that ignore files name was left out."
        return (*self._notifications, Notification(NotificationKind.LIMIT, message, ""))

    def layers(self, folder: str) -> Layers:
        """All layers that apply to the entries of `folder`, absolute and inside the root."""
        chain = [folder]
        while chain[-1] != self._top and chain[-1] not in self._above and is_inside(chain[-1], self._top):
            chain.append(os.path.dirname(chain[-1]))
        layers: Layers = ()
        for each in reversed(chain):
            if each not in self._above:
                outer = self._excluded_by_repository() if each == self._top else layers
                self._above[each] = self.extended(outer, each)
            layers = self._above[each]
        return layers

    def extended(self, layers: Layers, folder: str) -> Layers:
        """`layers` with the `.gitignore` of `folder` in front, if there is one."""
        return self._with_file(layers, folder, os.path.join(folder, ".gitignore"))

    def _excluded_by_repository(self) -> Layers:
        return self._with_file((), self._top, os.path.join(self._top, ".git", "info", "exclude"))

    def _with_file(self, layers: Layers, base: str, path: str) -> Layers:
        # Git itself does not follow an ignore file that is a link.
        if os.path.islink(path):
            return layers
        try:
            data = read_regular(path, _SIZE_LIMIT)
        except UnreadableFileError as error:
            if os.path.lexists(path):
                self._remark(path, f"The ignore file {error}, so it was left out.")
            return layers
        patterns = _patterns(data.decode("utf-8-sig", "surrogateescape"))
        if (number := affordable(patterns)) < len(patterns):
            self._remark(path, f"The ignore file has too many patterns with wildcards; {number:,} were taken.")
            patterns = patterns[:number]
        mark = hashlib.blake2b(os.fsencode(base) + b"\0" + data, digest_size=16).digest()
        return (Layer(base, PatternList(patterns), mark), *layers) if patterns else layers

    def _remark(self, path: str, message: str) -> None:
        name = os.path.relpath(path, self._root).replace(os.sep, "/")
        place, text = ("", f"{shown(name)}: {message}") if name.startswith("../") else (name, message)
        self._notifications.append(Notification(NotificationKind.LIMIT, text, place))


def is_ignored(layers: Layers, path: str, *, folder: bool) -> bool:
    """Whether the absolute `path` is ignored; the innermost file that says anything about it decides."""
    for layer in layers:
        relative = path[len(layer.base.rstrip(os.sep)) + 1 :]
        if os.sep != "/":
            relative = relative.replace(os.sep, "/")
        verdict = layer.patterns.verdict(relative, folder=folder)
        if verdict is not None:
            return verdict
    return False


def _patterns(text: str) -> list[Pattern]:
    patterns = []
    for line in text.split("\n"):
        try:
            pattern = parse_pattern(line)
        except ValueError:
            # Git passes over a line it cannot read; so do we.
            continue
        if pattern is not None:
            patterns.append(pattern)
    return patterns
