"""Prints how often the findings of each class were right in code that nobody had seen, as a table of Markdown.

A class is a rule and the precision that its findings carry. What deserves a note is counted as right: the finding is
true, its level is not. `benchmarks/strangers/PRECISION.md` holds the table:

    .venv/bin/python tools/measured_precision.py > benchmarks/strangers/PRECISION.md
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from hashlib import sha256
from math import sqrt
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STRANGERS = Path(__file__).parents[1] / "benchmarks" / "strangers"
GRADES = (("very-high", 0.97), ("high", 0.90), ("medium", 0.75), ("low", 0.0))
ENOUGH = 20
"""Findings that must have been read for a grade above medium."""
ALWAYS = 5
"""Findings of a rule that count in a round from one repository, however few there are in others."""
HEAD = """\
# How often findings are right

Each class of findings, that is a rule and the precision that its findings carry, with what was read of it in all
rounds of [repositories nobody had seen](README.md). What deserves a note at most counts as right here. Findings in one
repository often have one cause: of a rule, at most a quarter of what was read in a round counts from one repository
(five at least), in the order of SHA-256 of path and line. Very high means right in 97 of 100 or more, high in 90,
medium in 75; a class of which fewer than 20 findings were read is medium at most, and low only if even the upper end of
the 95 % interval of its share is below 75 %. Findings of low precision are left out of reports unless `min-precision`
asks for them.

| Rule | Precision | Read | Right | A note would be right | Wrong | Share |
|---|---|---:|---:|---:|---:|---:|
"""

Class = tuple[str, str]


def tallies() -> dict[Class, Counter[str]]:
    """Verdicts of each class, by rule and today's precision; those that nobody could decide are left out."""
    known = tomllib.loads((STRANGERS / "grades.toml").read_text("utf-8"))
    rounds: list[str] = known["rounds"]
    found: dict[Class, Counter[str]] = defaultdict(Counter)
    for number, name in enumerate(rounds):
        now = {
            (each["rule"], recorded, level): each["now"]
            for each in known["class"]
            if number <= rounds.index(each["until"])
            for recorded in each["recorded"]
            for level in ([each["level"]] if "level" in each else ("error", "warning", "note"))
        }
        for one in _counted(STRANGERS / name):
            recorded = one["precision"]
            found[one["rule"], now.get((one["rule"], recorded, one["level"]), recorded)][one["verdict"]] += 1
    return dict(found)


def _counted(folder: Path) -> list[dict[str, Any]]:
    """The verdicts of a round that count: those that somebody could decide, and not too many from one repository."""
    read = [
        json.loads(line) for path in sorted(folder.glob("*verdicts*.jsonl")) for line in path.open(encoding="utf-8")
    ]
    decided = [one for one in read if one["verdict"] != "unclear"]
    of_rule = Counter(one["rule"] for one in decided)
    taken: Counter[tuple[str, str]] = Counter()
    found = []
    for one in sorted(decided, key=lambda one: sha256(f"{one['path']}:{one['line']}".encode()).digest()):
        place = one["rule"], one["repository"]
        taken[place] += 1
        if taken[place] <= max(ALWAYS, of_rule[one["rule"]] // 4):
            found.append(one)
    return found


def share(verdicts: Counter[str]) -> float:
    """The share of the findings read that is not wrong."""
    return 1 - verdicts["wrong"] / sum(verdicts.values())


def grade(verdicts: Counter[str]) -> str:
    """The precision that verdicts give."""
    read = sum(verdicts.values())
    if read >= ENOUGH:
        return next(name for name, least in GRADES if share(verdicts) >= least)
    return "medium" if _at_most(share(verdicts), read) >= dict(GRADES)["medium"] else "low"


def _at_most(share: float, read: int) -> float:
    """The upper end of the 95 % interval (Wilson's) of a share of so many findings."""
    z = 1.96
    half = z * sqrt(share * (1 - share) / read + z * z / 4 / read / read)
    return (share + z * z / 2 / read + half) / (1 + z * z / read)


def page() -> str:
    """The table and what it says."""
    order = [name for name, _ in GRADES]
    classes = sorted(tallies().items(), key=lambda item: (item[0][0], order.index(item[0][1])))
    rows = [
        (*name, sum(of.values()), of["right"], of["level"], of["wrong"], f"{share(of):.1%}") for name, of in classes
    ]
    return HEAD + "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)


if __name__ == "__main__":
    sys.stdout.write(page())
