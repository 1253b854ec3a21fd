"""What manifests say, in one form for all formats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec
from packaging.utils import canonicalize_name

from resplint.errors import ResplintError

Group = Literal["main", "extra", "dev", "constraint"]
"""Why a distribution is named: needed to run, optional, for development; or only bounded, not needed."""

GROUP_ORDER: tuple[Group, ...] = ("main", "extra", "dev")

_DEVELOPMENT = frozenset(
    {
        "dev", "develop", "development", "test", "tests", "testing", "doc", "docs", "lint", "linting", "ci",
        "build", "local", "typing", "types", "qa", "style", "benchmark", "benchmarks", "examples",
    }
)  # fmt: skip


class Requirement(msgspec.Struct, frozen=True):
    """One requirement of a manifest, or one entry of a lock file.

    `distribution` is normalised; `spec` is as written (">=4.5,<6", "^5.2", "" for any version); `pep440` says
    the same in PEP 440's terms, with "||" between alternatives; `exact` means that only one version will do;
    `line` counts from 1 and is 0 when unknown.
    """

    distribution: str
    spec: str
    pep440: str
    exact: bool
    line: int
    group: Group = "main"


class Include(msgspec.Struct, frozen=True):
    """Another file of the same format that a manifest reads in; `path` is relative to the manifest."""

    path: str
    constraint: bool
    line: int


class Parsed(msgspec.Struct, frozen=True):
    """What one file says. `problems` are (line, what could not be read)."""

    requirements: tuple[Requirement, ...] = ()
    includes: tuple[Include, ...] = ()
    problems: tuple[tuple[int, str], ...] = ()


class BrokenManifestError(ResplintError):
    """A manifest cannot be read as a whole; the message says why, `line` is 0 when unknown."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


Parser = Callable[[bytes], Parsed]
"""Reads the bytes of one manifest. Raises `BrokenManifestError`."""


def normalised(name: str) -> str:
    """A distribution's name as PEP 503 compares names."""
    return str(canonicalize_name(name))


def is_development(name: str) -> bool:
    """Whether the name of a group or a file says that it is only for developing the project."""
    words = normalised(name).replace(".", "-").split("-")
    return not _DEVELOPMENT.isdisjoint(words)


def decoded(data: bytes) -> str:
    """Text of a manifest: UTF-8, UTF-16 with a mark (as PowerShell writes it), or whatever the bytes are."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "surrogateescape")
