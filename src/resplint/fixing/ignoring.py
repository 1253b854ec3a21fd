"""Suppressions for everything that was found: what files look like with a comment at each finding."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from resplint.contracts.findings import Notification, NotificationKind, Report, Result
from resplint.files.editable import EditableText, editable
from resplint.files.source import Undecodable
from resplint.fixing.ignore_comments import Suppressed, below
from resplint.fixing.records import ChangedFile, Plan, Scanner
from resplint.fixing.texts import Text


def plan_ignores(
    scanner: Scanner, initial: Report, wanted: Iterable[Result], rules: Mapping[str, str], reason: str
) -> tuple[Plan, int]:
    """What files look like when comments suppress the `wanted` results of the report `initial`, and how many they do.

    Nothing is written. `rules` maps codes to names.
    """
    files: list[ChangedFile] = []
    notes: list[Notification] = []
    ignored = 0
    for path, results in groupby(sorted(wanted, key=Result.sort_key), key=lambda result: result.path):
        found = list(results)
        source = scanner.source(path)
        if source is None:  # a manifest, or a file of settings
            for one in found:
                remedy = f"write `resplint: ignore[{one.rule}] {reason}` in a comment there"
                notes.append(_note(path, one.region.start_line, f"this is no source file; {remedy}"))
            continue
        text = editable(source.data, source.language)
        if not isinstance(text, EditableText):
            notes.append(_note(path, 0, text.reason if isinstance(text, Undecodable) else "it cannot be read any more"))
            continue
        try:
            text.encode(reason)
        except UnicodeEncodeError as error:
            notes.append(_note(path, 0, f"its encoding ({error.encoding}) lacks characters of the reason"))
            continue
        after, left = _commented(Suppressed(Text(text.text), source.language, path, rules), found, reason)
        data = text.encode(after)
        notes += (_note(path, each.region.start_line, f"no comment can stand at {each.rule}") for each in left)
        ignored += len(found) - len(left)
        if data != source.data:
            files.append(ChangedFile(path, source.language, source.data, data))
    report = scanner.scan({file.path: file.after for file in files}) if files else initial
    return Plan(initial, report, tuple(files), (), tuple(notes)), ignored


def _commented(file: Suppressed, results: Sequence[Result], reason: str) -> tuple[str, list[Result]]:
    """The text with comments, and the results for which there is no place."""
    left = []
    # From below: what is written for one leaves the others above it where they are, but for those around it.
    waiting = sorted(results, key=lambda result: result.region, reverse=True)
    while waiting:
        result, *waiting = waiting
        if file.ignores(result):
            continue
        edit = file.ignore_here(result, reason)
        if edit is None:
            left.append(result)
            continue
        file = Suppressed(Text(file.text.replaced([edit])), file.language, file.path, file.rules)
        waiting = [below(each, edit) for each in waiting]
    return file.text.text, left


def _note(path: str, line: int, reason: str) -> Notification:
    return Notification(NotificationKind.NOT_FIXED, f"Not ignored: {reason}.", path, line)
