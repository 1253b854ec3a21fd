"""What differs between two runs, finding by finding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import msgspec

from wild.records import Row

_MEANING = ("rule", "level", "precision", "message")


class Change(msgspec.Struct, frozen=True):
    """A finding that says something else than it did."""

    before: Row
    after: Row

    @property
    def words(self) -> str:
        """What differs: `level warning → note`; messages are quoted whole."""
        pairs = [(name, getattr(self.before, name), getattr(self.after, name)) for name in _MEANING]
        return "; ".join(f"{name} {old} → {new}" for name, old, new in pairs if old != new)


class Difference(msgspec.Struct, frozen=True):
    """Findings that are new, gone or changed; `moved` is how many only stand on another line or in another file."""

    new: tuple[Row, ...]
    gone: tuple[Row, ...]
    changed: tuple[Change, ...]
    moved: int

    def __bool__(self) -> bool:
        return bool(self.new or self.gone or self.changed or self.moved)


def compare(before: Sequence[Row], after: Sequence[Row], scanned: Collection[str]) -> Difference:
    """The difference in packages of which both runs have something to say: what was not scanned is not gone."""
    old = {row.key: row for row in before if row.package in scanned}
    now = {row.key: row for row in after}
    pairs = [(old[key], now[key]) for key in sorted(old.keys() & now.keys())]
    changed = [Change(a, b) for a, b in pairs if any(getattr(a, name) != getattr(b, name) for name in _MEANING)]
    same = [(a, b) for a, b in pairs if all(getattr(a, name) == getattr(b, name) for name in _MEANING)]
    return Difference(
        new=tuple(now[key] for key in sorted(now.keys() - old.keys())),
        gone=tuple(old[key] for key in sorted(old.keys() - now.keys())),
        changed=tuple(changed),
        moved=sum((a.path, a.line) != (b.path, b.line) for a, b in same),
    )


def lines(difference: Difference, before: str) -> Iterator[str]:
    """For a reviewer: counts by rule, then each finding. `before` names the run that is compared with."""
    if not difference:
        yield f"No difference from {before}."
        return
    yield f"Difference from {before}:"
    counts = [
        ("new", Counter(row.rule for row in difference.new)),
        ("gone", Counter(row.rule for row in difference.gone)),
        ("changed", Counter(change.after.rule for change in difference.changed)),
    ]
    for rule in sorted({rule for _, count in counts for rule in count}):
        yield f"  {rule}  " + ", ".join(f"{count[rule]} {word}" for word, count in counts if count[rule])
    if difference.moved:
        yield f"  {difference.moved} more stand on another line only"
    for sign, rows in (("+", difference.new), ("-", difference.gone)):
        for row in sorted(rows, key=lambda row: (row.rule, row.package, row.path, row.line)):
            yield f"{sign} {_place(row)} {row.level}, {row.precision}: {row.message}"
    for change in difference.changed:
        yield f"~ {_place(change.after)} {change.words}"


def _place(row: Row) -> str:
    return f"{row.rule} {row.package} {row.path}:{row.line}"
