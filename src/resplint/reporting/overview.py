"""Figures of a report: how many, of which rules, in which folders."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from resplint.reporting.records import LEVELS, Collection, Issue, Rule

MAX_FOLDERS = 12
MAX_RULES = 8
_SHADES = 5
_LEAST_TOP = 8
# What an error weighs against a warning, a note and the rest, where folders and rules are put in order.
_WEIGHTS = {"error": 100, "warning": 10, "note": 1, "none": 0}


class Figures(msgspec.Struct, frozen=True):
    """The headline: open findings by level, and where the others went."""

    total: int
    levels: tuple[tuple[str, int], ...]
    """Every level that occurs, worst first; the three usual ones always."""
    files: int
    folders: int
    rules: int
    new: int
    known: int
    accepted: int
    suppressed: int
    gone: int


class RuleRow(msgspec.Struct, frozen=True):
    """A rule with its open findings, worst first."""

    rule: Rule
    issues: tuple[Issue, ...]
    levels: tuple[tuple[str, int], ...]

    @property
    def worst(self) -> str:
        return self.levels[0][0]


class Cell(msgspec.Struct, frozen=True):
    """Findings of one column in one folder. `shade` grows with their number: 0 for none, up to 5."""

    count: int
    shade: int
    rule: RuleRow | None
    """None in the column of all other rules."""


class FolderRow(msgspec.Struct, frozen=True):
    """A folder (without those inside it). `folder` is empty in the row of all that have none of their own."""

    folder: str
    label: str
    total: int
    levels: tuple[tuple[str, int], ...]
    cells: tuple[Cell, ...]


class HeatMap(msgspec.Struct, frozen=True):
    """Folders by rules, worst first; what does not fit is added up in a last row and column."""

    columns: tuple[RuleRow, ...]
    has_others: bool
    rows: tuple[FolderRow, ...]


def figures(collection: Collection) -> Figures:
    """Numbers of the headline."""
    found = collection.open
    states = Counter(issue.state.value for issue in collection.issues)
    levels = Counter(issue.level for issue in found)
    return Figures(
        total=len(found),
        levels=tuple((level, levels[level]) for level in LEVELS if levels[level] or level != "none"),
        files=len({(issue.source, issue.spot.path) for issue in found if issue.spot.path}),
        folders=len({(issue.source, issue.spot.folder) for issue in found if issue.spot.path}),
        rules=len({issue.rule.key for issue in found}),
        new=states["new"],
        known=states["known"],
        accepted=states["baseline"],
        suppressed=states["suppressed"],
        gone=collection.gone,
    )


def rule_rows(issues: Sequence[Issue]) -> tuple[RuleRow, ...]:
    """Rules, worst first: by their worst level, then by number."""
    by_rule: dict[str, list[Issue]] = {}
    for issue in issues:
        by_rule.setdefault(issue.rule.key, []).append(issue)
    rows = [RuleRow(each[0].rule, tuple(each), _levels(each)) for each in by_rule.values()]
    return tuple(sorted(rows, key=lambda row: (LEVELS.index(row.worst), -len(row.issues), row.rule.key)))


def heat_map(issues: Sequence[Issue], rules: Sequence[RuleRow], labels: Mapping[str, str]) -> HeatMap:
    """Where the findings are. `labels` says how to call a folder."""
    columns = tuple(rules[:MAX_RULES] if len(rules) > MAX_RULES + 1 else rules)
    by_folder: dict[str, list[Issue]] = {}
    for issue in issues:
        by_folder.setdefault(folder_of(issue), []).append(issue)
    ordered = sorted(by_folder, key=lambda folder: (-_weight(by_folder[folder]), folder))
    shown = ordered if len(ordered) <= MAX_FOLDERS + 1 else ordered[:MAX_FOLDERS]
    groups = [(folder, labels[folder], by_folder[folder]) for folder in shown]
    rest = [issue for folder in ordered[len(shown) :] for issue in by_folder[folder]]
    if rest:
        groups.append(("", f"{len(ordered) - len(shown):,} other folders", rest))
    has_others = len(columns) < len(rules)
    counts = [_counted(found, columns, has_others) for _, _, found in groups]
    # The last row adds up so much that everything else would look pale beside it: it has no shade.
    top = max((count for row in counts[: len(shown)] for count in row), default=0)
    # One finding is pale even where there are no more.
    top = max(top, _LEAST_TOP)
    rows = tuple(
        FolderRow(
            folder,
            label,
            len(found),
            _levels(found),
            tuple(
                Cell(count, _shade(count, top) if folder else 0, columns[position] if position < len(columns) else None)
                for position, count in enumerate(row)
            ),
        )
        for (folder, label, found), row in zip(groups, counts, strict=True)
    )
    return HeatMap(columns, has_others, rows)


def folder_of(issue: Issue) -> str:
    """What folder a finding counts for; folders of several sources are several."""
    return f"{issue.source}\n{issue.spot.folder if issue.spot.path else ''}"


def folder_labels(issues: Iterable[Issue]) -> dict[str, str]:
    """How folders are called: with their source only where there are several."""
    given = {folder_of(issue): issue for issue in issues}
    several = len({issue.source for issue in given.values()}) > 1
    return {
        key: (f"{issue.source}: " if several else "") + (issue.spot.folder if issue.spot.path else "(no file)")
        for key, issue in sorted(given.items())
    }


def _counted(found: Sequence[Issue], columns: Sequence[RuleRow], has_others: bool) -> list[int]:
    counter = Counter(issue.rule.key for issue in found)
    row = [counter[column.rule.key] for column in columns]
    return [*row, len(found) - sum(row)] if has_others else row


def _levels(issues: Iterable[Issue]) -> tuple[tuple[str, int], ...]:
    levels = Counter(issue.level for issue in issues)
    return tuple((level, levels[level]) for level in LEVELS if levels[level])


def _weight(issues: Iterable[Issue]) -> int:
    return sum(_WEIGHTS[issue.level] for issue in issues)


def _shade(count: int, top: int) -> int:
    """From 1 to 5 by the square root, so that single findings can still be distinguished from a handful."""
    return 0 if count == 0 else max(1, round(_SHADES * (count / top) ** 0.5))
