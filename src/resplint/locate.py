"""Turn findings (byte offsets) into results (lines, columns, code frames, fingerprints)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from resplint.findings import Finding, LocatedStep, Region, Result, SourceLine, Step
from resplint.fingerprints import (
    CODE_KEY,
    GITHUB_KEY,
    OWN_KEY,
    code_fingerprint,
    line_hashes,
    normalise_code,
    own_fingerprint,
)
from resplint.source import LineIndex, Undecodable, decode

_CONTEXT_LINES = 1
_FRAME_LINES = 12
_NOWHERE = Region(1, 1, 1, 1)

_Key = tuple[str, str, Region, int]


class _File:
    """A file as findings need it; everything is empty when it cannot be read any more."""

    def __init__(self, data: bytes | None, language: str) -> None:
        self._raw = data
        source = Undecodable("vanished") if data is None else decode(data, language)
        self.data = b"" if isinstance(source, Undecodable) else source.data
        self.readable = not isinstance(source, Undecodable)
        self.index = LineIndex(self.data)

    @cached_property
    def hashes(self) -> list[str]:
        """GitHub's line hashes; empty if the upload action would not read the same text as we do."""
        if self._raw is None or not self.readable:
            return []
        try:
            return line_hashes(self._raw.decode("utf-8"))
        except UnicodeDecodeError:
            return []

    def region(self, start: int, end: int) -> Region:
        return self.index.region(start, end) if self.readable else _NOWHERE

    def code(self, start: int, end: int) -> str:
        return self.data[start:end].decode("utf-8", "replace")

    def frame(self, region: Region) -> tuple[SourceLine, ...]:
        if not self.readable:
            return ()
        first = max(1, region.start_line - _CONTEXT_LINES)
        last = min(self.index.line_count, region.end_line + _CONTEXT_LINES)
        if last > region.end_line and last == self.index.line_count and not self.index.line_text(last):
            # What follows the last line end is no line that a reader would miss.
            last -= 1
        last = min(last, first + _FRAME_LINES - 1)
        return tuple(SourceLine(number, self.index.line_text(number)) for number in range(first, last + 1))


def locate(
    findings: Iterable[Finding], read: Callable[[str], bytes | None], language_of: Callable[[str], str]
) -> list[Result]:
    """Locate `findings`, sorted by `Result.sort_key`.

    `read` returns the bytes of a file given its path relative to the root, or None if it is gone; it is
    called once a file. `language_of` names the language of a path, which decides how its bytes are decoded.
    Findings of the same rule at the same region are one result, that of the highest level and precision.
    """
    files: dict[str, _File] = {}

    def open_file(path: str) -> _File:
        if path not in files:
            files[path] = _File(read(path), language_of(path))
        return files[path]

    chosen: dict[_Key, tuple[Finding, Region]] = {}
    for finding in findings:
        place = finding.place
        file = open_file(place.path)
        region = file.region(place.start, place.end)
        # In a file that is gone all regions are alike, so there the offsets must tell findings apart.
        key = (finding.rule, place.path, region, 0 if file.readable else place.start)
        rival = chosen.get(key)
        if rival is None or _preference(finding) < _preference(rival[0]):
            chosen[key] = (finding, region)
    ordered = sorted(chosen.values(), key=lambda pair: (pair[0].place.path, pair[1], pair[0].rule, pair[0].message))
    ordinals: dict[tuple[str, ...], int] = {}
    return [_result(finding, region, open_file, ordinals) for finding, region in ordered]


def _preference(finding: Finding) -> tuple[object, ...]:
    """Smaller is better; total, so that the order in which findings arrive does not matter."""
    trail = tuple((step.place, step.message) for step in finding.trail)
    return (-finding.level.rank, -finding.precision.rank, finding.message, finding.symbol, trail)


def _result(
    finding: Finding, region: Region, open_file: Callable[[str], _File], ordinals: dict[tuple[str, ...], int]
) -> Result:
    place = finding.place
    file = open_file(place.path)
    code = normalise_code(file.code(place.start, place.end))
    same = (finding.rule, place.path, finding.symbol, code)
    ordinal = ordinals.get(same, 0)
    ordinals[same] = ordinal + 1
    fingerprints = {OWN_KEY: own_fingerprint(*same, ordinal), CODE_KEY: code_fingerprint(finding.rule, code)}
    if file.hashes:
        fingerprints[GITHUB_KEY] = file.hashes[region.start_line - 1]
    return Result(
        rule=finding.rule,
        level=finding.level,
        precision=finding.precision,
        message=finding.message,
        path=place.path,
        region=region,
        symbol=finding.symbol,
        frame=file.frame(region),
        trail=tuple(_located_step(step, open_file(step.place.path)) for step in finding.trail),
        fingerprints=fingerprints,
    )


def _located_step(step: Step, file: _File) -> LocatedStep:
    region = file.region(step.place.start, step.place.end)
    snippet = file.index.line_text(region.start_line) if file.readable else ""
    return LocatedStep(step.place.path, region, step.message, snippet)
