"""A scanner for tests: rules are searches in the text, everything behind them is real (locating, lowering, proving)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from resplint.contracts.findings import (
    Edit,
    Finding,
    Fix,
    FixSafety,
    Level,
    Notification,
    Place,
    Precision,
    Report,
)
from resplint.files.source import DecodedSource, decode
from resplint.fixing import Source
from resplint.languages import EXTENSIONS
from resplint.results.locate import locate

Found = re.Match[bytes]
Edits = Callable[[str, bytes, Found], list[Edit]]


@dataclass(frozen=True)
class Rule:
    """Reports every match of `pattern` in the normalised text; `edits` says how to fix it."""

    code: str
    pattern: bytes
    edits: Edits
    safety: FixSafety = FixSafety.SAFE
    level: Level = Level.WARNING
    message: Callable[[Found], str] = lambda found: "Wrong."
    title: Callable[[Found], str] = lambda found: "Put it right"

    def findings(self, path: str, data: bytes) -> Iterator[Finding]:
        for found in re.finditer(self.pattern, data):
            fix = Fix(self.title(found), self.safety, tuple(self.edits(path, data, found)))
            place = Place(path, found.start(), found.end())
            yield Finding(self.code, self.level, Precision.HIGH, self.message(found), place, fix=fix)


def replacing(new: str, group: int = 0) -> Edits:
    """Replace a group of the match."""
    return lambda path, data, found: [Edit(Place(path, *found.span(group)), new)]


def inserting(new: str, group: int = 0) -> Edits:
    """Insert before a group of the match."""
    return lambda path, data, found: [Edit(Place(path, found.start(group), found.start(group)), new)]


@dataclass
class StubScanner:
    """Scans `files`, or the folder `root` if given."""

    rules: list[Rule]
    files: dict[str, bytes] = field(default_factory=dict)
    root: Path | None = None
    change: Callable[[Report], Report] = lambda report: report
    scans: int = 0
    seen: dict[str, bytes] = field(default_factory=dict)

    def scan(self, overlay: Mapping[str, bytes]) -> Report:
        self.scans += 1
        files = dict(self.files)
        if self.root is not None:
            paths = [path for path in self.root.rglob("*") if path.is_file()]
            files.update({path.relative_to(self.root).as_posix(): path.read_bytes() for path in paths})
        self.seen = {**files, **overlay}
        notes: list[Notification] = []
        found = [one for path in sorted(self.seen) for rule in self.rules for one in self._findings(rule, path)]
        results = locate(found, self.seen.get, language_of, notes.append)
        return self.change(Report(tuple(results), tuple(notes), ()))

    def _findings(self, rule: Rule, path: str) -> Iterator[Finding]:
        source = decode(self.seen[path], language_of(path))
        return rule.findings(path, source.data) if isinstance(source, DecodedSource) else iter(())

    def source(self, path: str) -> Source | None:
        data = self.seen.get(path)
        return None if data is None else Source(data, language_of(path))


def language_of(path: str) -> str:
    return EXTENSIONS.get(Path(path).suffix, "settings")
