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

    `selected` files resplint parsed; `looked_at` and `findings` are by tool, the latter by anti-pattern. `stages` holds
    the processor time of each stage of the cold scans, `parsing` that of bare parsing without the start of its process.
    """

    group: Group
    selected: int
    looked_at: dict[str, int]
    findings: dict[str, dict[str, int]]
    samples: dict[str, list[Sample]]
    stages: list[dict[str, float]] = []
    parsing: list[float] = []


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


class Application(msgspec.Struct, frozen=True):
    """The runs on a repository at a commit; `hook` and `editor` (edit to diagnostics, one sample for each round) where
    the list names a file to edit. `linking` is the most that linking and judging should cost, as a multiple of bare
    parsing.
    """

    contest: Contest
    commit: str
    linking: float | None = None
    hook: Hook | None = None
    editor: list[Sample] = []


class Applications(msgspec.Struct, frozen=True):
    """A run over the repositories, of a date, a commit and a machine of its own; `memory` are large generated trees."""

    date: str
    commit: str
    machine: Machine
    rounds: int
    trees: list[Application]
    memory: list[Size]


class RuleCost(msgspec.Struct, frozen=True):
    """CPU seconds of linking, judging and locating in cold scans of a repository at a commit, one for each round: with
    the rules that every contestant runs (`timed`), and with those that run by default.
    """

    name: str
    commit: str
    timed: list[float]
    default: list[float]


class RuleCosts(msgspec.Struct, frozen=True):
    """A run over the repositories with both sets of rules, of a date, a commit and a machine of its own."""

    date: str
    commit: str
    machine: Machine
    rounds: int
    trees: list[RuleCost]


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
    applications: Applications | None = None
    rules: RuleCosts | None = None


def load(path: Path) -> Results:
    return msgspec.json.decode(path.read_bytes(), type=Results)


def save(results: Results, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(results), indent=1) + b"\n")
