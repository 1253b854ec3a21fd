"""The table of messages that a reader paraphrased: `benchmarks/MESSAGES.md`.

``python -m tests.rules.message_readings`` draws findings of the fixtures for another round.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from resplint.contracts.findings import Result
from tests.rules.fixture_cases import FIXTURES, Case, all_cases, run_case

TABLE = Path(__file__).parents[2] / "benchmarks" / "MESSAGES.md"
SEED, NUMBER = 14, 60


@dataclass(frozen=True)
class Reading:
    """One row: a finding, what it says, and what a reader took it to say."""

    rule: str
    fixture: str
    line: int
    message: str
    help: str
    paraphrase: str


def readings() -> list[Reading]:
    """The rows of the table."""
    rows = []
    for line in TABLE.read_text("utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in line.replace("\\|", "\0").strip("|").split("|")]
        if line.startswith("| RL"):
            rule, place, message, help_, paraphrase = (cell.replace("\0", "|") for cell in cells)
            fixture, _, number = place.strip("`").rpartition(":")
            rows.append(Reading(rule, fixture, int(number), message, help_, paraphrase))
    return rows


def drawn(seed: int = SEED, number: int = NUMBER) -> list[tuple[Case, Result]]:
    """Findings of the fixtures, as evenly over the rules as they divide."""
    by_rule: dict[str, list[tuple[Case, Result]]] = defaultdict(list)
    for case in all_cases():
        for result in run_case(case)[1]:
            by_rule[result.rule].append((case, result))
    chance = random.Random(seed)
    shares = [number // len(by_rule) + (place < number % len(by_rule)) for place in range(len(by_rule))]
    chosen = (chance.sample(by_rule[rule], share) for rule, share in zip(sorted(by_rule), shares, strict=True))
    return [one for part in chosen for one in part]


def place_of(case: Case, result: Result) -> str:
    """Where a finding of a fixture is, below the folder of fixtures."""
    return f"{(case.root / result.path).relative_to(FIXTURES)}:{result.region.start_line}"


if __name__ == "__main__":
    for case, result in drawn():
        print(f"| {result.rule} | `{place_of(case, result)}` | {result.message} | {result.help} | |")
