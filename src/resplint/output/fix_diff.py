"""A fix as lines of a diff, as far as the lines that it changes are known from the finding itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from resplint.contracts.findings import LocatedEdit, Result
from resplint.output.escape import escape
from resplint.output.finding import shown_path

_Lines = Mapping[tuple[str, int], str]


def diff_lines(result: Result) -> list[str]:
    """Hunks of the result's fix: a heading ("@@ app/queue.py:3 @@"), then lines that begin with "-" or "+".

    Escaped, tabs as blanks. What a hunk removes is shown only if the code frame or the trail holds its lines.
    """
    if result.fix is None:
        return []
    known = {(result.path, line.number): line.text for line in result.frame}
    known |= {(step.path, step.region.start_line): step.snippet for step in result.trail if step.snippet}
    lines: list[str] = []
    for edits in _hunks(result.fix.edits):
        lines += _hunk(edits, known)
    return lines


def _hunks(edits: Sequence[LocatedEdit]) -> list[list[LocatedEdit]]:
    """Edits that share a line belong together."""
    groups: list[list[LocatedEdit]] = []
    for edit in sorted(edits):
        if groups and groups[-1][-1].path == edit.path and groups[-1][-1].region.end_line >= edit.region.start_line:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups


def _hunk(edits: Sequence[LocatedEdit], known: _Lines) -> list[str]:
    path = edits[0].path
    first, last = edits[0].region.start_line, max(edit.region.end_line for edit in edits)
    heading = f"@@ {shown_path(path)}:{first} @@"
    numbers = range(first, last + 1)
    # The lines are counted before they are listed: a region comes from code, which may have any number of them.
    if len(numbers) > len(known) or any((path, number) not in known for number in numbers):
        return [heading, *(f"+{line}" for edit in edits for line in _shown(edit.text.splitlines()))]
    old = [known[path, number] for number in numbers]
    new = _edited(old, first, edits)
    return [heading, *(f"-{line}" for line in _shown(old)), *(f"+{line}" for line in _shown(new))]


def _edited(old: Sequence[str], first: int, edits: Sequence[LocatedEdit]) -> list[str]:
    """`old`, lines from number `first` on, after `edits`."""
    lines = list(old)
    for edit in reversed(edits):
        start, end = edit.region.start_line - first, edit.region.end_line - first
        before = _units(lines[start], 0, edit.region.start_column - 1)
        behind = _units(lines[end], edit.region.end_column - 1, None)
        lines[start : end + 1] = f"{before}{edit.text}{behind}".split("\n")
    # An edit that takes a whole line away, with its end, leaves nothing of it.
    return lines if lines != [""] else []


def _units(text: str, start: int, end: int | None) -> str:
    """The stretch of `text` between two offsets in UTF-16 code units."""
    units = text.encode("utf-16-le", "surrogatepass")
    return units[2 * start : None if end is None else 2 * end].decode("utf-16-le", "surrogatepass")


def _shown(lines: Sequence[str]) -> list[str]:
    return [escape(line.rstrip("\r").expandtabs(4)) for line in lines]
