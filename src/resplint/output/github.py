"""Annotations for GitHub: workflow commands that a runner finds in the log of a step and shows beside the code.

GitHub shows ten annotations of each kind for a step and drops the rest without a word. So the worst come first, and
what finds no place is listed in the log, with a notice that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from resplint.contracts.findings import Level, LocatedStep, Notification, NotificationKind, Region, Report, Result
from resplint.output.about import NAME, rule_uri
from resplint.output.escape import escape
from resplint.output.finding import shown_place
from resplint.output.options import OutputOptions
from resplint.output.page import Page
from resplint.output.selection import HEADINGS, grouped, listed, select, worst_first
from resplint.output.words import count, found, not_shown, searched

MAX_ANNOTATIONS = 10
"""Of each kind, in one step."""
_MAX_STEPS = 10
_IN_LOG = (NotificationKind.UNSUPPORTED,)
"""What is the same for every change of the code, and therefore stands in the log alone."""
_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


class _Annotation(msgspec.Struct, frozen=True):
    """What one command says; `line` is what the log says instead when there is no place for the command."""

    level: Level
    command: str
    line: str


def render(report: Report, options: OutputOptions) -> bytes:
    """Commands and, below them, a summary for those who read the log; UTF-8."""
    selection = select(report, options)
    uris = {rule.code: rule_uri(rule) for rule in report.rules}
    names = {rule.code: rule.name for rule in report.rules}
    annotations = [_finding(result, names, uris) for result in worst_first(selection.shown)]
    remarks = grouped(listed(report, options))
    annotations += [_notification(each) for kind, group in remarks for each in group if kind not in _IN_LOG]
    placed, left = _placed(annotations)
    page = Page()
    for annotation in left:
        page.add((annotation.line, ""))
    page.add((f"{found(report, selection)}; {searched(report)}", ""))
    for clause in not_shown(report, selection, options):
        page.add((escape(clause), ""))
    for kind, group in remarks:
        for each in group if kind in _IN_LOG else ():
            page.add((escape(each.message), ""))
    commands = [annotation.command for annotation in placed]
    if left:
        commands.append(_command("notice", {"title": NAME}, _more(left)))
    # A page makes sure that none of its lines is a command, so these stand outside of it.
    return "".join(f"{command}\n" for command in commands).encode("utf-8") + page.render(color=False)


def _placed(annotations: Sequence[_Annotation]) -> tuple[list[_Annotation], list[_Annotation]]:
    """Annotations that GitHub will show, worst level first, and those that it would drop."""
    by_level = {level: [each for each in annotations if each.level is level] for level in reversed(Level)}
    room = dict.fromkeys(Level, MAX_ANNOTATIONS)
    if any(len(each) > MAX_ANNOTATIONS for each in by_level.values()):
        room[Level.NOTE] -= 1  # for the notice that there are more
    placed = [each for level, of_level in by_level.items() for each in of_level[: room[level]]]
    left = [each for level, of_level in by_level.items() for each in of_level[room[level] :]]
    return placed, left


def _more(left: Sequence[_Annotation]) -> str:
    numbers = [(sum(each.level is level for each in left), _COMMANDS[level]) for level in reversed(Level)]
    more = ", ".join(count(number, f"more {kind}") for number, kind in numbers if number)
    return f"{more} in the log of this step: GitHub shows {MAX_ANNOTATIONS} annotations of each kind."


def _finding(result: Result, names: Mapping[str, str], uris: Mapping[str, str]) -> _Annotation:
    rule = f"{result.rule} {names.get(result.rule, '')}".rstrip()
    lines = [escape(result.message), *_help(result), *_steps(result.steps)]
    if result.rule in uris:
        lines += ["", uris[result.rule]]
    place = {"file": result.path, **_region(result.region), "title": rule}
    where = f"{shown_place(result.path, result.region)}: {result.level.value} {escape(rule)}"
    return _Annotation(
        result.level,
        _command(_COMMANDS[result.level], place, "\n".join(lines)),
        f"{where}: {escape(result.message)}",
    )


def _help(result: Result) -> Iterable[str]:
    return [f"help: {escape(result.help)}"] if result.help else []


def _steps(trail: Sequence[LocatedStep]) -> Iterable[str]:
    for number, step in enumerate(trail[:_MAX_STEPS], 1):
        yield f"{number}. {shown_place(step.path, step.region)}: {escape(step.message)}"
    if len(trail) > _MAX_STEPS:
        yield f"and {count(len(trail) - _MAX_STEPS, 'more step')}"


def _region(region: Region) -> dict[str, str]:
    lines = {"line": str(region.start_line), "endLine": str(region.end_line)}
    if region.start_line != region.end_line:
        # With columns, the runner refuses an annotation of several lines.
        return lines
    return lines | {"col": str(region.start_column), "endColumn": str(region.end_column)}


def _notification(notification: Notification) -> _Annotation:
    heading, level = HEADINGS[notification.kind]
    message = escape(notification.message)
    place = {"file": notification.path} if notification.path else {}
    if notification.path and notification.line:
        place["line"] = str(notification.line)
    where = escape(notification.path) + (f":{notification.line}" if notification.line else "")
    line = ": ".join(part for part in (heading, where, message) if part)
    return _Annotation(level, _command(_COMMANDS[level], {**place, "title": f"{NAME}: {heading}"}, message), line)


def _command(name: str, properties: Mapping[str, str], data: str) -> str:
    """A workflow command; `data` may have several lines, all else that is unsafe in it is escaped already."""
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name} {listed}::{_data(data)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(escape(text)).replace(":", "%3A").replace(",", "%2C")
