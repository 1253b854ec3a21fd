"""What was measured: the contents of `results.json`, from which everything else is written."""

from __future__ import annotations

from pathlib import Path

import msgspec

from speed.corpus import Group
from speed.process import Sample


class Machine(msgspec.Struct, frozen=True):
    """Where it was measured; `memory_gb` in 1e9 bytes, `load` is that of the last minute before the start."""

    processors: int
    memory_gb: float
    system: str
    python: str
    load: float


class Contest(msgspec.Struct, frozen=True):
    """The runs on one group: by contestant one sample for each round.

    `selected` files resplint parsed; `looked_at` and `findings` are by tool, the latter by anti-pattern.
    """

    group: Group
    selected: int
    looked_at: dict[str, int]
    findings: dict[str, dict[str, int]]
    samples: dict[str, list[Sample]]


class Hook(msgspec.Struct, frozen=True):
    """One file in a hook, in a warm project: by case one sample for each round; `files` in the project."""

    files: int
    samples: dict[str, list[Sample]]


class Size(msgspec.Struct, frozen=True):
    """Scans of a generated tree of `files` files and `size` bytes, `naming` of which name Redis."""

    files: int
    size: int
    naming: int
    cold: list[Sample]
    warm: list[Sample]


class Results(msgspec.Struct, frozen=True):
    """All of a run. `date` is an ISO date, `commit` what was measured."""

    date: str
    commit: str
    machine: Machine
    versions: dict[str, str]
    rounds: int
    contests: list[Contest]
    hook: Hook | None = None
    growth: list[Size] = []


def load(path: Path) -> Results:
    return msgspec.json.decode(path.read_bytes(), type=Results)


def save(results: Results, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
