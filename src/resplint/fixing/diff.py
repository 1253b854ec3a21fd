"""What fixing would change, as a unified diff."""

from __future__ import annotations

import codecs
import difflib
import re
from collections.abc import Callable, Iterator, Sequence

from resplint.files.source import Undecodable, decode
from resplint.fixing.records import ChangedFile, Plan

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_CONTEXT_LINES = 3
_NO_END = "\\ No newline at end of file"
_REACH_LINES = 100
_SURE_LINES = 3

_Opcode = tuple[str, int, int, int, int]


def unified_diff(plan: Plan, escape: Callable[[str], str]) -> list[str]:
    """Lines of a diff from `a/…` to `b/…` with three lines of context, files in order, each line without its end.

    Every line is shown through `escape`. A CR before the line end is kept, so that `git apply` takes the diff of a
    file with such ends (if it is UTF-8).
    """
    return [line for file in plan.files for line in _of_file(file, escape)]


def _of_file(file: ChangedFile, escape: Callable[[str], str]) -> Iterator[str]:
    before, after = (_LINE.findall(_text(data, file.language)) for data in (file.before, file.after))
    name = escape(file.path)
    yield f"--- a/{name}"
    yield f"+++ b/{name}"
    for group in _Comparison(before, after).get_grouped_opcodes(_CONTEXT_LINES):
        (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
        yield f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@"
        for tag, start, end, new_start, new_end in group:
            if tag == "equal":
                yield from (shown for line in before[start:end] for shown in _line(" ", line, escape))
                continue
            yield from (shown for line in before[start:end] for shown in _line("-", line, escape))
            yield from (shown for line in after[new_start:new_end] for shown in _line("+", line, escape))


class _Comparison(difflib.SequenceMatcher[str]):
    """Compares texts that differ in a few places: the library's own search takes quadratic time over long ones, so it
    gets only what lies between the places where both run on alike.
    """

    def __init__(self, before: Sequence[str], after: Sequence[str]) -> None:
        super().__init__(None, before, after, autojunk=False)
        self._both = before, after

    def get_opcodes(self) -> list[_Opcode]:  # type: ignore[override]
        return list(_opcodes(*self._both))


def _opcodes(before: Sequence[str], after: Sequence[str]) -> Iterator[_Opcode]:
    i = j = 0
    while i < len(before) or j < len(after):
        start, new_start = i, j
        while i < len(before) and j < len(after) and before[i] == after[j]:
            i, j = i + 1, j + 1
        if i > start:
            yield "equal", start, i, new_start, j
        old, new = _differing(before, after, i, j)
        local = difflib.SequenceMatcher(None, before[i : i + old], after[j : j + new], autojunk=False)
        for tag, i1, i2, j1, j2 in local.get_opcodes():
            yield tag, i + i1, i + i2, j + j1, j + j2
        i, j = i + old, j + new


def _differing(before: Sequence[str], after: Sequence[str], i: int, j: int) -> tuple[int, int]:
    """How many lines of both differ from `i` and `j` on, until some lines are alike again."""
    for both in range(_REACH_LINES):
        for old in range(both + 1):
            at, new_at = i + old, j + both - old
            rest = before[at : at + _SURE_LINES]
            if rest == after[new_at : new_at + _SURE_LINES] and (at < len(before) or new_at == len(after)):
                return old, both - old
    return len(before) - i, len(after) - j


def _range(start: int, end: int) -> str:
    length = end - start
    return str(start + 1) if length == 1 else f"{start + 1 if length else start},{length}"


def _line(mark: str, line: str, escape: Callable[[str], str]) -> Iterator[str]:
    body = line.rstrip("\r\n")
    end = line[len(body) :]
    yield mark + escape(body) + ("\r" if end == "\r\n" else "")
    if not end:
        yield _NO_END


def _text(data: bytes, language: str) -> str:
    source = decode(data, language)
    if isinstance(source, Undecodable):
        return ""
    return ("\ufeff" if data.startswith(codecs.BOM_UTF8) else "") + source.data.decode("utf-8")
