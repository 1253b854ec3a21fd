"""What manifests say, in one form for all formats."""

from __future__ import annotations

import posixpath
import re
from typing import Literal, Protocol

import msgspec

from resplint.contracts.errors import ResplintError

_SEPARATORS = re.compile(r"[-_.]+")

Kind = Literal["lock", "requirements", "project"]
"""What a file is: exact versions as they were chosen, what is deployed, or what the project's metadata asks for."""

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
    `line` counts from 1 and is 0 when unknown; `managed_by` names the platform that decided the version, if the project
    did not ("Spring Boot 3.2.0").
    """

    distribution: str
    spec: str
    pep440: str
    exact: bool
    line: int
    group: Group = "main"
    managed_by: str = ""
    extras: tuple[str, ...] = ()
    """Optional parts that are asked for, normalised: ``redis[hiredis]``."""


class Mention(msgspec.Struct, frozen=True):
    """A requirement and the file that holds it."""

    requirement: Requirement
    path: str
    kind: Kind

    @property
    def rank(self) -> tuple[int, bool]:
        """Lower is stronger: what runs before what helps to develop, compiled files before their sources."""
        group = "main" if self.requirement.group == "constraint" else self.requirement.group
        name = posixpath.splitext(posixpath.basename(self.path))[0]
        development = self.kind == "requirements" and is_development(name)
        place = GROUP_ORDER.index("dev" if development else group)
        return place, self.path.endswith(".in")


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


class Document(Protocol):
    """What is known of one file of any format."""

    @property
    def problems(self) -> tuple[tuple[int, str], ...]:
        """Line and reason of what could not be read."""


class BrokenManifestError(ResplintError):
    """A manifest cannot be read as a whole; the message says why, `line` is 0 when unknown."""

    def __init__(self, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.line = line


def normalised(name: str) -> str:
    """A distribution's name as PEP 503 compares names (`packaging.utils` brings logging and processes along)."""
    return _SEPARATORS.sub("-", name).lower()


def is_development(name: str) -> bool:
    """Whether the name of a group or a file says that it is only for developing the project."""
    words = normalised(name).replace(".", "-").split("-")
    return not _DEVELOPMENT.isdisjoint(words)


def decoded(data: bytes) -> str:
    """Text of a manifest: UTF-8, UTF-16 with a mark (as PowerShell writes it), or whatever the bytes are."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "surrogateescape")
