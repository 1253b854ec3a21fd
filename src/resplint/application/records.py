"""One form for what all settings files say."""

from __future__ import annotations

import re

import msgspec

from resplint.contracts.errors import ResplintError
from resplint.contracts.findings import Place

MAX_ENTRIES = 20_000
"""Settings that are read from one file."""

_IGNORED = re.compile(r"[-_]")


class Entry(msgspec.Struct, frozen=True):
    """One key of one file as written there. `profile` is "" for what always holds; `line` counts from 1."""

    key: str
    text: str
    line: int
    profile: str = ""


class Setting(msgspec.Struct, frozen=True):
    """What one file says about one key: `text` with its placeholders filled, None when they cannot be.

    `key` is spelt as in the file `place.path`, where it stands in line `line`. `profile` as in `Entry`.
    """

    key: str
    text: str | None
    line: int
    place: Place
    profile: str = ""
    refers: bool = False
    """Whether it refers to the environment or to other settings: ``${REDIS_PASSWORD:}``."""


class BeanSetting(Setting, frozen=True):
    """What a property of an object that XML describes is set to: `key` is the property's name, `place` stands in the
    XML file. `profile` is that of the file that a placeholder is filled from, and `origin` what stands there.
    """

    class_name: str = ""
    users: tuple[str, ...] = ()
    """Classes of the objects that are given this one."""
    origin: Setting | None = None


class BrokenSettingsError(ResplintError):
    """A file of settings cannot be read; the message says why, `line` is 0 when unknown."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def canonical(key: str) -> str:
    """A key as relaxed binding compares keys: `maxActive`, `max-active` and `MAX_ACTIVE` are one."""
    return _IGNORED.sub("", key).lower()
