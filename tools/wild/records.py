"""What is kept of a run and of its reading: lines of JSON, one object each, sorted, without code of the packages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

Outcome = Literal["right", "wrong", "unclear"]


class WildError(Exception):
    """One line for the user that names the file or package and the remedy."""


class Row(msgspec.Struct, frozen=True):
    """A finding of a run. `package` is `registry:name`, without its version; `line` counts from 1."""

    package: str
    path: str
    line: int
    rule: str
    fingerprint: str
    level: str
    precision: str
    message: str

    @property
    def key(self) -> tuple[str, str]:
        """What stays the same from one run to the next."""
        return self.package, self.fingerprint


class Verdict(msgspec.Struct, frozen=True):
    """What a reader of the code around a finding says: is the statement true, and would the project's maintainer act on
    it? `precision` is the class that the finding had then. `unclear` is what cannot be known from the package alone.
    """

    package: str
    version: str
    path: str
    line: int
    rule: str
    fingerprint: str
    verdict: Outcome
    precision: str
    reason: str

    @property
    def key(self) -> tuple[str, str]:
        """Of the finding it is about."""
        return self.package, self.fingerprint


class Remark(msgspec.Struct, frozen=True):
    """A file or a package about which a run has something to say other than findings."""

    package: str
    path: str
    message: str


class Summary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The figures of a recorded run. `date` is ISO 8601; `commit` that of resplint; `packages` those that were scanned
    by registry; `files` and `lines` were analysed; the rest of the figures are per package or as their names say.
    """

    date: str
    commit: str
    packages: dict[str, int]
    listed: int
    without_redis: int
    files_found: int
    files: int
    lines: int
    missing: tuple[Remark, ...]
    crashes: tuple[Remark, ...]
    partial: tuple[Remark, ...]
    skipped: int
    cpu_ms_per_kloc_median: float
    cpu_s_median: float
    cpu_s_max: float
    cpu_s_total: float
    slowest: str
    peak_mb_median: float
    peak_mb_max: float
    largest: str


_Line = TypeVar("_Line", Row, Verdict)


def read_lines(path: Path, kind: type[_Line]) -> list[_Line]:
    """The records of a file; none if there is no file. Raises `WildError`."""
    decoder = msgspec.json.Decoder(kind)
    found = []
    for number, line in enumerate(path.read_bytes().splitlines() if path.exists() else [], 1):
        try:
            found.append(decoder.decode(line))
        except msgspec.MsgspecError as error:
            raise WildError(f"{path}:{number}: {error}. Restore the file from git or correct the line.") from error
    return found


def write_lines(path: Path, records: Iterable[_Line]) -> None:
    """Replace the file by the records, sorted."""
    encoded = sorted({msgspec.json.encode(each) for each in records}, key=_order)
    path.write_bytes(b"".join(line + b"\n" for line in encoded))


def _order(line: bytes) -> tuple[str, str, int, str, bytes]:
    row = msgspec.json.decode(line)
    return row["package"], row["path"], row["line"], row["rule"], line


def read_summary(path: Path) -> Summary:
    """The figures of the recorded run. Raises `WildError`."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Summary)
    except (OSError, msgspec.MsgspecError) as error:
        raise WildError(f"{path}: {error}. Write it with `make wild RECORD=1`.") from error


def write_summary(path: Path, summary: Summary) -> None:
    """Replace the file."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(summary), indent=2) + b"\n")
