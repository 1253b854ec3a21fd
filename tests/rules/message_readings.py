"""The table of messages that a reader paraphrased: `benchmarks/MESSAGES.md`.

``python -m tests.rules.message_readings RL202 RL402`` draws findings of rules from the fixtures, for more rows.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from resplint.contracts.findings import Result
from tests.rules.fixture_cases import FIXTURES, Case, all_cases, run_case

TABLE = Path(__file__).parents[2] / "benchmarks" / "MESSAGES.md"
SEED, EACH = 14, 3


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


def drawn(rules: Collection[str], seed: int = SEED, each: int = EACH) -> list[tuple[Case, Result]]:
    """Findings of some rules in the fixtures, so many of each rule or all there are."""
    by_rule: dict[str, list[tuple[Case, Result]]] = {rule: [] for rule in sorted(rules)}
    for case in all_cases():
        for result in run_case(case)[1]:
            if result.rule in by_rule:
                by_rule[result.rule].append((case, result))
    chance = random.Random(seed)
    return [one for found in by_rule.values() for one in chance.sample(found, min(each, len(found)))]


def place_of(case: Case, result: Result) -> str:
    """Where a finding of a fixture is, below the folder of fixtures."""
    return f"{(case.root / result.path).relative_to(FIXTURES)}:{result.region.start_line}"


if __name__ == "__main__":
    for case, result in drawn(sys.argv[1:]):
        print(f"| {result.rule} | `{place_of(case, result)}` | {result.message} | {result.help} | |")
