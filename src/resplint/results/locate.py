"""Turn findings (byte offsets) into results (lines, columns, code frames, fingerprints)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from resplint.contracts.errors import InternalError
from resplint.contracts.findings import (
    Edit,
    Finding,
    Fix,
    LocatedEdit,
    LocatedFix,
    LocatedStep,
    Notification,
    NotificationKind,
    Place,
    Region,
    Result,
    SourceLine,
    Step,
)
from resplint.files.editable import EditableText, editable
from resplint.files.source import LineIndex, Undecodable, decode
from resplint.results.fingerprints import (
    CODE_KEY,
    GITHUB_KEY,
    OWN_KEY,
    code_fingerprint,
    line_hashes,
    normalise_code,
    own_fingerprint,
)

_CONTEXT_LINES = 1
_FRAME_LINES = 12
_NOWHERE = Region(1, 1, 1, 1)
_LINE_END = re.compile(r"\r\n|\n|\r")
_UNWRITABLE = re.compile("[\0\ud800-\udfff]")

_Key = tuple[str, str, Region, int]
Remark = Callable[[Notification], None]


class _File:
    """A file as findings need it; everything is empty when it cannot be read any more."""

    def __init__(self, data: bytes | None, language: str) -> None:
        self._raw = data
        self._language = language
        self._hidden: bytes | None = None
        source = Undecodable("vanished") if data is None else decode(data, language)
        self.data = b"" if isinstance(source, Undecodable) else source.data
        self.readable = not isinstance(source, Undecodable)
        self.index = LineIndex(self.data)
        self.shown = self.index
        """The same with asterisks in the place of what must not be shown."""

    def hide(self, places: Iterable[Place]) -> None:
        """Show asterisks in the place of what stands there, but for line ends."""
        self._hidden = without(self.data, places)
        self.shown = LineIndex(self._hidden)

    @cached_property
    def hashes(self) -> list[str]:
        """GitHub's line hashes; empty if the upload action would not read the same text as we do."""
        if self._raw is None or not self.readable:
            return []
        try:
            return line_hashes(self._raw.decode("utf-8"))
        except UnicodeDecodeError:
            return []

    @cached_property
    def editable(self) -> EditableText | None:
        """The text as it is written; None if it cannot be changed without loss."""
        found = editable(self._raw or b"", self._language)
        return None if isinstance(found, Undecodable) else found

    def region(self, start: int, end: int) -> Region:
        return self.index.region(start, end) if self.readable else _NOWHERE

    def code(self, start: int, end: int) -> str:
        return (self._hidden or self.data)[start:end].decode("utf-8", "replace")

    def frame(self, region: Region) -> tuple[SourceLine, ...]:
        if not self.readable:
            return ()
        first = max(1, region.start_line - _CONTEXT_LINES)
        last = min(self.index.line_count, region.end_line + _CONTEXT_LINES)
        if last > region.end_line and last == self.index.line_count and not self.index.line_text(last):
            # What follows the last line end is no line that a reader would miss.
            last -= 1
        last = min(last, first + _FRAME_LINES - 1)
        return tuple(SourceLine(number, self.shown.line_text(number)) for number in range(first, last + 1))


def without(data: bytes, places: Iterable[Place]) -> bytes:
    """A text with asterisks in some places, but for line ends."""
    shown = bytearray(data)
    for place in places:
        hidden = shown[place.start : place.end]
        shown[place.start : place.end] = bytes(one if one in b"\r\n" else ord("*") for one in hidden)
    return bytes(shown)


def _silent(note: Notification) -> None:
    del note


def locate(
    findings: Iterable[Finding],
    read: Callable[[str], bytes | None],
    language_of: Callable[[str], str],
    remark: Remark = _silent,
    secrets: Iterable[Place] = (),
) -> list[Result]:
    """Locate `findings`, sorted by `Result.sort_key`. Code that is shown has asterisks in the places of `secrets`.

    `read` returns the bytes of a file given its path relative to the root, or None if it is gone; it is
    called once a file. `language_of` names the language of a path, which decides how its bytes are decoded.
    Findings of the same rule at the same region are one result, that of the highest level and precision. A fix that
    makes no sense (a bug of the check) is left out and `remark` called; its finding is reported all the same.
    """
    files: dict[str, _File] = {}
    known = list(findings)
    hidden = {*secrets, *(one.place for one in known if one.is_secret)}

    def open_file(path: str) -> _File:
        if path not in files:
            files[path] = _File(read(path), language_of(path))
            if here := [place for place in hidden if place.path == path]:
                files[path].hide(here)
        return files[path]

    chosen: dict[_Key, tuple[Finding, Region]] = {}
    for finding in known:
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
    return [_result(finding, region, open_file, ordinals, remark) for finding, region in ordered]


def _preference(finding: Finding) -> tuple[object, ...]:
    """Smaller is better; total, so that the order in which findings arrive does not matter."""
    trail = tuple((step.place, step.message) for step in finding.trail)
    fix = finding.fix
    remedy = (1, "", "", ()) if fix is None else (0, fix.title, fix.safety.value, fix.edits)
    return (-finding.level.rank, -finding.precision.rank, finding.message, finding.help, finding.symbol, trail, remedy)


def _result(
    finding: Finding,
    region: Region,
    open_file: Callable[[str], _File],
    ordinals: dict[tuple[str, ...], int],
    remark: Remark,
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
        fix=_fix(finding, region, open_file, remark),
        help=finding.help,
    )


def _located_step(step: Step, file: _File) -> LocatedStep:
    region = file.region(step.place.start, step.place.end)
    snippet = file.shown.line_text(region.start_line) if file.readable else ""
    return LocatedStep(step.place.path, region, step.message, snippet)


# -- fixes ----------------------------------------------------------------------------------------------------------


def _fix(finding: Finding, region: Region, open_file: Callable[[str], _File], remark: Remark) -> LocatedFix | None:
    fix = finding.fix
    if fix is None:
        return None
    try:
        return LocatedFix(fix.title, fix.safety, _edits(fix, open_file))
    except InternalError as error:
        message = f"{finding.rule}: its fix is left out: {error}."
        place = finding.place.path, region.start_line
        remark(Notification(NotificationKind.INTERNAL_ERROR, message, *place, finding.rule))
        return None


def _edits(fix: Fix, open_file: Callable[[str], _File]) -> tuple[LocatedEdit, ...]:
    """The edits of a fix, sorted; those that change nothing are left out. Raises `InternalError`."""
    located: list[LocatedEdit] = []
    before = Place("", 0, 0)
    for edit in _sorted(fix.edits):
        place, file = edit.place, open_file(edit.place.path)
        _demand_place(place, file)
        if place.path == before.path and place.start < before.end:
            raise InternalError(f"two of its edits overlap at byte {place.start} of {place.path}")
        before = place
        region = Region(*file.index.position(place.start), *file.index.position(place.end))
        # Not LineIndex.region, which stops before a line end: an edit may take the line end away as well.
        if _unified(file.code(place.start, place.end)) != _unified(edit.text):
            located.append(LocatedEdit(place.path, region, _with_line_ends(edit.text, region, file)))
    if not located:
        raise InternalError("it changes nothing")
    return tuple(located)


def _sorted(edits: Sequence[Edit]) -> list[Edit]:
    """By place; what is inserted at one place becomes one edit, in the order given."""
    ordered: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: edit.place):
        last = ordered[-1] if ordered else None
        if last is not None and last.place == edit.place and edit.place.start == edit.place.end:
            ordered[-1] = Edit(last.place, last.text + edit.text)
        elif last != edit:
            ordered.append(edit)
    return ordered


def _demand_place(place: Place, file: _File) -> None:
    where = f"{place.start} to {place.end} of {place.path}"
    if not file.readable:
        raise InternalError(f"it edits {place.path}, which cannot be read")
    if not 0 <= place.start <= place.end <= len(file.data):
        raise InternalError(f"an edit reaches outside its file (bytes {where})")
    for offset in (place.start, place.end):
        following = file.data[offset : offset + 1]
        in_character = following and following[0] & 0xC0 == 0x80
        if in_character or (following == b"\n" and file.data[offset - 1 : offset] == b"\r"):
            raise InternalError(f"an edit begins or ends inside a character or line end (bytes {where})")


def _unified(text: str) -> str:
    return _LINE_END.sub("\n", text)


def _with_line_ends(text: str, region: Region, file: _File) -> str:
    """`text` with the line ends that the file has where they go."""
    if _UNWRITABLE.search(text):
        raise InternalError("it would write characters that are no text")
    whole = file.editable
    first, *rest = _unified(text).split("\n")
    parts = [first]
    for number, part in enumerate(rest, region.start_line):
        line = number if number < region.end_line else region.start_line
        parts += (whole.line_end(line) if whole is not None else "\n", part)
    return "".join(parts)
