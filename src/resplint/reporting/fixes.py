"""Fixes as diffs, as far as the code around them is known."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping

from resplint.reporting.code import MAX_WIDTH, Extent, extent, split_lines
from resplint.reporting.messages import clip
from resplint.reporting.records import DiffRow, FileDiff
from resplint.reporting.sarif import ArtifactChange, Replacement

MAX_ROWS = 80
_CONTEXT = 1

_Edit = tuple[Extent, Replacement]


def file_diff(change: ArtifactChange, path: str, known: Callable[[str], Mapping[int, str]], *, utf16: bool) -> FileDiff:
    """What `change` does to the file at `path`; `known` gives the lines of a file that can be shown."""
    lines = known(path)
    edits = [(extent(each.deleted_region, utf16=utf16), each) for each in change.replacements]
    rows: list[DiffRow] = []
    whole = [(where, each) for where, each in edits if where and _is_known(where, lines)]
    if len(whole) == len(edits):
        rows = _unified(whole, lines)
    else:
        for where, each in edits:
            rows += _bare(where, each)
    cut = [DiffRow(row.sign, clip(row.text, MAX_WIDTH), row.number) for row in rows[:MAX_ROWS]]
    if len(rows) > MAX_ROWS:
        cut.append(DiffRow(" ", "…"))
    return FileDiff(path, tuple(cut))


def _is_known(where: Extent, lines: Mapping[int, str]) -> bool:
    return where.end_line - where.start_line <= MAX_ROWS and all(
        number in lines for number in range(where.start_line, where.end_line + 1)
    )


def _unified(edits: list[_Edit], lines: Mapping[int, str]) -> list[DiffRow]:
    rows: list[DiffRow] = []
    for group in _groups(edits, lines):
        first = min(where.start_line for where, _ in group)
        last = max(where.end_line for where, _ in group)
        while first - 1 in lines and first > group[0][0].start_line - _CONTEXT:
            first -= 1
        while last + 1 in lines and last < group[-1][0].end_line + _CONTEXT:
            last += 1
        before = [lines[number] for number in range(first, last + 1)]
        if rows:
            rows.append(DiffRow(" ", "…"))
        rows += _compared(before, _edited(before, first, group), first)
    return rows


def _groups(edits: list[_Edit], lines: Mapping[int, str]) -> list[list[_Edit]]:
    """Edits in the order of the file, those that are close to each other together if what lies between is known."""
    groups: list[list[_Edit]] = []
    for edit in sorted(edits, key=lambda each: (each[0].start_line, each[0].start_column)):
        end = groups[-1][-1][0].end_line if groups else 0
        near = groups and edit[0].start_line <= end + 1 + 2 * _CONTEXT
        if near and all(number in lines for number in range(end, edit[0].start_line)):
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _edited(before: list[str], first: int, group: list[_Edit]) -> list[str]:
    text = "\n".join(before)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line) + 1)
    for where, edit in reversed(group):
        start_line, end_line = where.start_line - first, where.end_line - first
        start = starts[start_line] + where.index(before[start_line], where.start_column)
        length = len(before[end_line])
        end = starts[end_line] + (where.index(before[end_line], where.end_column) if where.end_column else length)
        text = text[:start] + _inserted(edit) + text[max(start, end) :]
    return split_lines(text) if text else []


def _compared(before: list[str], after: list[str], first: int) -> list[DiffRow]:
    rows: list[DiffRow] = []
    for tag, start, end, other, other_end in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            rows += [DiffRow(" ", before[index], first + index) for index in range(start, end)]
        else:
            rows += [DiffRow("-", before[index], first + index) for index in range(start, end)]
            rows += [DiffRow("+", text) for text in after[other:other_end]]
    return rows


def _bare(where: Extent | None, edit: Replacement) -> list[DiffRow]:
    """An edit whose surroundings are unknown: what goes, if the file tells it, and what comes."""
    number = where.start_line if where else 0
    snippet = edit.deleted_region.snippet
    gone = split_lines(snippet.text) if snippet and snippet.text else []
    rows = [DiffRow("-", text, number + index if number else 0) for index, text in enumerate(gone)]
    inserted = _inserted(edit)
    return rows + ([DiffRow("+", text) for text in split_lines(inserted)] if inserted else [])


def _inserted(edit: Replacement) -> str:
    return (edit.inserted_content.text if edit.inserted_content else None) or ""
