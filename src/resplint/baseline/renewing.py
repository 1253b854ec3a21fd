"""Bringing a baseline up to date with a scan."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Sequence

import msgspec

from resplint.baseline.accepting import Ground, expired, is_broad, partners
from resplint.baseline.matching import traces
from resplint.baseline.records import Baseline, Entry, Translation
from resplint.contracts.findings import Level, Result
from resplint.results.fingerprints import CODE_KEY

_EXCERPT = 100
"""Most characters of code in an entry."""


class Terms(msgspec.Struct, frozen=True):
    """How to renew: findings below `level` are left alone; `reason` and `expires` are for entries that are added, the
    latter also for those that have expired; with `prune` nothing is added.
    """

    level: Level = Level.NOTE
    reason: str = ""
    expires: datetime.date | None = None
    prune: bool = False


class Renewal(msgspec.Struct, frozen=True):
    """What to write, with paths relative to the folder of the baseline, and what became of which entries: `kept` are
    old ones, of which `lapsed` still have a date that is over, and `unseen` are only kept because the scan saw less
    than the one that wrote them.
    """

    entries: tuple[Entry, ...]
    scanned: tuple[str, ...]
    added: int
    kept: int
    removed: int
    lapsed: int
    unseen: int


def renew(
    results: Sequence[Result], baseline: Baseline, ground: Ground, terms: Terms, today: Callable[[], datetime.date]
) -> Renewal:
    """The baseline that accepts the `results` of a scan (all of them, in the order of a report).

    Entries of files or rules that the scan does not cover stay as they are; those of findings that are still there keep
    their reason and date.
    """
    found = partners(results, baseline, ground)
    translation = Translation(baseline.folder, ground.root)
    partner = {number: index for index, number in found.pairs.items()}
    current = [_entry(result, nth) for result, nth in zip(results, _nths(results), strict=True)]
    kept: list[Entry] = []
    broad = is_broad(baseline, ground)
    unseen = 0
    for number, entry in enumerate(found.entries):
        index = partner.get(number)
        if index is None:
            if not ground.covers(entry, broad=broad) or entry.level.rank < terms.level.rank:
                kept.append(baseline.entries[number])
                unseen += ground.covers(entry, broad=True)
        elif not ground.asks_about(results[index].path):
            kept.append(baseline.entries[number])
        elif results[index].suppression is None:
            kept.append(_renewed(entry, current[index], terms, translation, today))
    added = [
        msgspec.structs.replace(
            entry, path=translation.to_folder(entry.path), reason=terms.reason, expires=terms.expires
        )
        for index, entry in enumerate(current)
        if index not in found.pairs and not terms.prune and _acceptable(results[index], ground, terms)
    ]
    entries = {entry.identity(): entry for entry in (*added, *kept)}
    lapsed = sum(expired(entry, today) for entry in kept)
    removed = len(baseline.entries) - len(kept)
    return Renewal(
        tuple(entries[key] for key in sorted(entries)),
        _scanned(baseline, ground, broad=broad),
        added=len(entries) - len(kept),
        kept=len(kept),
        removed=removed,
        lapsed=lapsed,
        unseen=unseen,
    )


def _scanned(baseline: Baseline, ground: Ground, *, broad: bool) -> tuple[str, ...]:
    """What the baseline says was analysed: all of this scan, and of those before what this one did not see."""
    now = {os.path.relpath(path, baseline.folder).replace(os.sep, "/") for path in ground.scanned}
    before = set() if broad or not baseline.entries else set(baseline.scanned or (".",))
    together = now | before
    return tuple(sorted(each for each in together if not any(_is_below(each, other) for other in together)))


def _is_below(path: str, folder: str) -> bool:
    return path != folder and (path.startswith(folder + "/") or (folder == "." and not path.startswith("../")))


def _acceptable(result: Result, ground: Ground, terms: Terms) -> bool:
    return result.suppression is None and result.level.rank >= terms.level.rank and ground.asks_about(result.path)


def _renewed(
    old: Entry, new: Entry, terms: Terms, translation: Translation, today: Callable[[], datetime.date]
) -> Entry:
    """An entry of a finding that is still there, where it is now."""
    renewed = terms.expires if terms.expires is not None and expired(old, today) else old.expires
    return msgspec.structs.replace(
        new,
        path=translation.to_folder(new.path),
        # What has become graver is accepted only by who accepts new findings.
        level=min(old.level, new.level, key=lambda level: level.rank) if terms.prune else new.level,
        reason=old.reason,
        expires=renewed,
    )


def _nths(results: Sequence[Result]) -> list[int]:
    return [trace.nth for trace in traces(results)]


def _entry(result: Result, nth: int) -> Entry:
    return Entry(
        result.path, result.rule, result.symbol, _excerpt(result), result.level, result.precision,
        result.fingerprints[CODE_KEY], nth,
    )  # fmt: skip


def _excerpt(result: Result) -> str:
    """The begin of the reported code on one line."""
    region = result.region
    parts = []
    for line in result.frame:
        if not region.start_line <= line.number <= region.end_line:
            continue
        units = line.text.encode("utf-16-le", "surrogatepass")
        start = 2 * (region.start_column - 1) if line.number == region.start_line else 0
        end = 2 * (region.end_column - 1) if line.number == region.end_line else len(units)
        parts.append(units[start:end].decode("utf-16-le", "replace"))
    code = " ".join(" ".join(parts).split())
    return code if len(code) <= _EXCERPT else code[: _EXCERPT - 1] + "…"
