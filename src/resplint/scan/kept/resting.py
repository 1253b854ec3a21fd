"""What an outcome rests on, read from the linked project when all has been said about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from resplint.contracts import facts as records
from resplint.contracts.facts import NONE
from resplint.contracts.findings import Finding
from resplint.files.source import DecodedSource, decode
from resplint.scan.kept.basis import WORD, Basis, Stretch, Unlocated, digest, plain, words_of
from resplint.scan.kept.statements import is_text
from resplint.scan.linked import LinkedScan


def basis_of(scan: LinkedScan, findings: Iterable[Finding]) -> Basis:
    """What the findings of a linked project rest on."""
    loaded = scan.project.store.loaded
    found = tuple(_unlocated(scan, finding) for finding in findings)
    edits = (edit for one in found if one.fix is not None for edit in one.fix.edits)
    several = {plain(word) for edit in edits for word in WORD.findall(edit.text)}
    words: set[str] = set()
    for index in loaded:
        own = set(map(plain, words_of(index.facts)))
        several |= words & own
        words |= own
        several.update(map(plain, WORD.findall(index.facts.path)))
    return Basis(
        found,
        frozenset(index.facts.path for index in loaded),
        {index.facts.path: unread for index in loaded if (unread := tuple(_unread(scan, index.number)))},
        frozenset(words | several),
        frozenset(words - several),
    )


def _unlocated(scan: LinkedScan, one: Finding) -> Unlocated:
    stretch = _stretch(scan, one) if one.fix is not None else None
    return Unlocated(
        one.rule, one.level, one.precision, one.message, one.place, one.trail, one.symbol, one.help, one.fix, stretch,
        one.is_secret,
    )  # fmt: skip


def _stretch(scan: LinkedScan, finding: Finding) -> Stretch | None:
    """The lines around a finding and the edits of its fix, with the functions that they are in."""
    assert finding.fix is not None
    path = finding.place.path
    index = scan.project.store.by_path(path) if path in scan.state.files else None
    data = scan.state.read(path) if index is not None else None
    source = decode(data, scan.state.files[path].language) if data is not None else None
    if index is None or not isinstance(source, DecodedSource):
        return None
    places = [finding.place, *(edit.place for edit in finding.fix.edits)]
    start, end = min(place.start for place in places), max(place.end for place in places)
    around = [one for one in index.facts.scopes if one.kind == "function" and one.start < end and start < one.end]
    start = min([start, *(one.start for one in around)])
    end = max([end, *(one.end for one in around)])
    lines = index.facts.line_starts
    first, last = max(0, index.facts.line(start) - 2), index.facts.line(end) + 1
    start, end = lines[first], lines[last] if last < len(lines) else len(source.data)
    return Stretch(start, end, digest(source.data[start:end]))


def _unread(scan: LinkedScan, file: int) -> Iterator[int]:
    """Calls of a file that nothing is known of and nobody asked for, nor for the texts that they are given."""
    project = scan.project
    index = project.store.files[file]
    exprs = index.facts.exprs
    for number in index.calls:
        call = exprs[number]
        assert isinstance(call, records.Call)
        texts = [one.value for one in call.arguments if one.value != NONE and _is_text(exprs[one.value])]
        if texts and not any(project.was_asked(file, one) for one in (number, *texts)):
            if not project.is_object(file, call.callee):
                yield number


def _is_text(expr: records.Expr) -> bool:
    if isinstance(expr, records.Template):
        return is_text("".join([part if isinstance(part, str) else "…" for part in expr.parts]))
    return isinstance(expr, records.Literal) and is_text(expr.value)
