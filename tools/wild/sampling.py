"""Chooses findings to be read: by rule and level, few of one package, the same ones for the same seed."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from wild.records import Row

PER_PACKAGE = 2
"""How many findings of one rule in one package are read at most: they tend to be right or wrong together."""


def sample(rows: Sequence[Row], number: int, seed: int, done: Collection[tuple[str, str]] = ()) -> list[Row]:
    """`number` findings, as evenly over rules as there are enough, and over the levels within a rule. Those in `done`
    have been read: they count as chosen and are not chosen again.
    """
    generator = random.Random(seed)
    strata: defaultdict[str, defaultdict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in sorted(rows, key=lambda row: row.key):
        strata[row.rule][row.level].append(row)
    for levels in strata.values():
        for group in levels.values():
            generator.shuffle(group)
    taken = Counter((row.package, row.rule) for row in rows if row.key in done)
    per_rule = Counter(row.rule for row in rows if row.key in done)
    read = set(done)
    chosen: list[Row] = []
    while len(chosen) < number:
        for rule in sorted(strata, key=lambda rule: (per_rule[rule], rule)):
            found = _next(strata[rule], taken, read)
            if found is not None:
                break
        else:
            break
        read.add(found.key)
        chosen.append(found)
        per_rule[found.rule] += 1
        taken[found.package, found.rule] += 1
    return sorted(chosen, key=lambda row: (row.rule, row.package, row.path, row.line))


def _next(
    levels: Mapping[str, list[Row]], taken: Mapping[tuple[str, str], int], read: Collection[tuple[str, str]]
) -> Row | None:
    """One of the level of which the least were read."""
    counts = {level: sum(row.key in read for row in group) for level, group in levels.items()}
    for level in sorted(levels, key=lambda level: (counts[level], level)):
        for row in levels[level]:
            if row.key not in read and taken[row.package, row.rule] < PER_PACKAGE:
                return row
    return None
