"""The report as a page on GitHub: the summary of a step, or a comment on a pull request.

What counts comes first: numbers, then a table with the worst findings on top, then each finding with its code, trail
and fix, folded away. The page is never larger than GitHub takes; what does not fit is counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from resplint.contracts.findings import FixSafety, Level, Notification, Region, Report, Result, RuleInfo
from resplint.output.about import NAME, rule_uri
from resplint.output.finding import add_code, shown_path
from resplint.output.fix_diff import diff_lines
from resplint.output.markdown_text import code_block, inline, inline_code, sentences
from resplint.output.options import OutputOptions
from resplint.output.page import Page
from resplint.output.selection import HEADINGS, INCOMPLETE, Selection, grouped, listed, select, worst_first
from resplint.output.uri import path_uri
from resplint.output.words import count, levels, not_shown, searched

_MARKS = {Level.ERROR: "🔴", Level.WARNING: "🟠", Level.NOTE: "🔵"}
_MESSAGE_IN_TABLE = 240
_LONGEST_MESSAGE = 4000
_LISTED = 20
_MAX_STEPS = 20
_SAFETIES = {
    FixSafety.SAFE: "safe: `--fix` applies it",
    FixSafety.UNSAFE: "may change what the program does: `--unsafe-fixes` applies it",
    FixSafety.DISPLAY: "to be done by hand",
}
_SENTENCE_END = re.compile(r"(?<=\.) +(?=[A-Z'`])")
_TABLE = ["| | Rule | Place | Finding |", "|---|---|---|---|"]
_LAST_WORDS = 400
"""Bytes that are kept free for the lines that say how much was left out."""


def render(report: Report, options: OutputOptions) -> bytes:
    """UTF-8 Markdown of at most `options.summary_bytes`."""
    selection = select(report, options)
    results = worst_first(selection.shown)
    rules = {rule.code: rule for rule in report.rules}
    paper = _Paper(options.summary_bytes - _LAST_WORDS)
    head = [*_headline(report, selection, options), *_notifications(listed(report, options))]
    # Numbers and remarks are few. If even they do not fit, nothing can be said but that.
    if not paper.add(head):
        paper.add([*_title(selection, report), "", "This report is too large for its place."])
        return paper.bytes()
    if results:
        # Rows may take half of what is left, so that the worst findings are shown in full.
        table = _Paper(paper.left // 2)
        table.add(["", *_TABLE])
        rows = table.add_while_they_fit([_row(result, rules, options)] for result in results)
        paper.add(table.lines)
        if rows < len(results):
            paper.last(f"{count(len(results) - rows, 'more finding')}, less severe, did not fit into this table.")
        shown = paper.add_while_they_fit(_details(result, rules, options) for result in results)
        if shown < len(results):
            paper.last(f"For {count(len(results) - shown, 'finding')}, code and trail did not fit into this report.")
    return paper.bytes()


class _Paper:
    """Lines that together have at most `room` bytes."""

    def __init__(self, room: int) -> None:
        self.lines: list[str] = []
        self.left = room

    def add(self, lines: Sequence[str]) -> bool:
        """Add all of `lines`, or none if there is no room for them."""
        size = sum(len(line.encode("utf-8")) + 1 for line in lines)
        if size > self.left:
            return False
        self.left -= size
        self.lines += lines
        return True

    def add_while_they_fit(self, blocks: Iterable[Sequence[str]]) -> int:
        """Add blocks until one does not fit; how many were added."""
        number = 0
        for block in blocks:
            if not self.add(block):
                break
            number += 1
        return number

    def last(self, line: str) -> None:
        """Add a line for which room was kept."""
        self.lines += ["", line]

    def bytes(self) -> bytes:
        return "".join(f"{line}\n" for line in self.lines).encode("utf-8")


def _title(selection: Selection, report: Report) -> list[str]:
    if selection.shown:
        return [f"## {NAME}: {count(len(selection.shown), 'finding')}"]
    incomplete = any(notification.kind in INCOMPLETE for notification in report.notifications)
    return [f"## {NAME}: no findings" + " in what could be analysed" * incomplete]


def _headline(report: Report, selection: Selection, options: OutputOptions) -> list[str]:
    shown = selection.shown
    numbers = [f"{levels(shown)} in {count(len({result.path for result in shown}), 'file')}"] if shown else []
    clauses = [
        f"**{'; '.join(numbers)}**" if numbers else "",
        searched(report),
        *map(inline, not_shown(report, selection, options)),
    ]
    return [*_title(selection, report), "", " · ".join(clause for clause in clauses if clause)]


def _notifications(notifications: Sequence[Notification]) -> list[str]:
    lines: list[str] = []
    for kind, of_kind in grouped(notifications):
        heading, level = HEADINGS[kind]
        summary = f"{_MARKS[level]} {heading} ({len(of_kind):,})"
        lines += ["", f"<details><summary>{summary}</summary>", ""]
        for each in of_kind[:_LISTED]:
            line = f":{each.line}" if each.line else ""
            where = f"{inline_code(shown_path(each.path) + line)}&#58; " if each.path else ""
            lines.append(f"- {where}<span></span>{inline(_clipped(each.message, _MESSAGE_IN_TABLE))}")
        if len(of_kind) > _LISTED:
            lines.append(f"- and {len(of_kind) - _LISTED:,} more")
        lines += ["", "</details>"]
    return lines


def _row(result: Result, rules: Mapping[str, RuleInfo], options: OutputOptions) -> str:
    # The first sentence of a message stands alone.
    message = sentences(_clipped(_SENTENCE_END.split(result.message, 1)[0], _MESSAGE_IN_TABLE))
    place = _place(result.path, result.region, options)
    return f"| {_MARKS[result.level]} {result.level.value} | {_rule(result, rules)} | {place} | {message} |"


def _rule(result: Result, rules: Mapping[str, RuleInfo]) -> str:
    rule = rules.get(result.rule)
    if rule is None:
        return inline(result.rule)
    return f"[{inline(rule.code)}]({rule_uri(rule)}) {inline(rule.name)}"


def _place(path: str, region: Region, options: OutputOptions) -> str:
    shown = inline_code(f"{shown_path(path)}:{region.start_line}")
    if not options.source_url:
        return shown
    lines = f"#L{region.start_line}" + (f"-L{region.end_line}" if region.end_line > region.start_line else "")
    return f"[{shown}]({options.source_url}{path_uri(path)}{lines})"


def _details(result: Result, rules: Mapping[str, RuleInfo], options: OutputOptions) -> list[str]:
    rule = rules.get(result.rule)
    title = f"{inline(result.rule)} {inline(rule.name)}" if rule else inline(result.rule)
    where = inline_code(f"{shown_path(result.path)}:{result.region.start_line}")
    lines = ["", f"<details><summary>{_MARKS[result.level]} {title}, {where}</summary>", ""]
    # What comes first on a line may be a heading or a list, hence the empty element.
    lines += [f"<span></span>{sentences(_clipped(result.message, _LONGEST_MESSAGE))}", ""]
    if result.help:
        lines += [f"**Help**: {sentences(_clipped(result.help, _LONGEST_MESSAGE))}", ""]
    lines += [*_code(result), *_trail(result, options), *_fix(result)]
    return [*lines, "</details>"]


def _code(result: Result) -> list[str]:
    if not result.frame:
        return []
    page = Page()
    add_code(page, result, len(str(result.frame[-1].number)))
    lines = page.render(color=False).decode("utf-8").splitlines()
    return [*code_block(lines[1:], "text"), ""]


def _trail(result: Result, options: OutputOptions) -> list[str]:
    lines = []
    said = ""
    for number, step in enumerate(result.steps[:_MAX_STEPS], 1):
        said_here = sentences(_clipped(step.message, _MESSAGE_IN_TABLE))
        code = inline_code(_clipped(step.snippet.strip(), _MESSAGE_IN_TABLE))
        place = _place(step.path, step.region, options)
        lines.append(f"{number}. {place}: {said_here}" + (f"<br>{code}" if code and code != said else ""))
        said = code
    if len(result.steps) > _MAX_STEPS:
        lines.append(f"{_MAX_STEPS + 1}. and {count(len(result.steps) - _MAX_STEPS, 'more step')}")
    return [*lines, ""] if lines else []


def _fix(result: Result) -> list[str]:
    if result.fix is None:
        return []
    title = inline(_clipped(result.fix.title.strip().rstrip("."), _MESSAGE_IN_TABLE))
    return [f"**Fix**: {title} ({_SAFETIES[result.fix.safety]})", "", *code_block(diff_lines(result), "diff"), ""]


def _clipped(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
