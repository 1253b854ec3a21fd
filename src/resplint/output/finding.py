"""One finding as people read it: a page of plain or coloured text."""

from __future__ import annotations

from resplint.contracts.findings import LocatedFix, LocatedStep, Region, Result, SourceLine
from resplint.output.escape import escape
from resplint.output.frame import Mark, frame
from resplint.output.page import Page, wrap
from resplint.output.words import APPLIED_BY


def add_finding(page: Page, result: Result, name: str, width: int | None) -> None:
    """Add a finding to `page`: place, level and rule (whose name is `name`), message, code, trail, fix.

    `width` is that of a terminal, to which lines are wrapped, or None.
    """
    level = result.level.value
    title = f"{level} {escape(result.rule)}"
    where = shown_place(result.path, result.region)
    page.add((f"{where}: ", "strong"), (title, level), (f" {escape(name)}" if name else "", "strong"))
    for line in wrap(escape(result.message), width and width - 2):
        page.add((f"  {line}", ""))
    numbers = [line.number for line in result.frame]
    numbers += [step.region.start_line for step in result.trail if step.snippet]
    gutter = len(str(max(numbers, default=1)))
    add_code(page, result, gutter, width)
    if result.trail:
        page.add((" " * gutter + " |", "gutter"))
    for position, step in enumerate(result.trail, 1):
        _step(page, position, step, gutter, width)
    if result.fix is not None and result.fix.safety in APPLIED_BY:
        _fix(page, result.fix, gutter, width)


def add_code(page: Page, result: Result, gutter: int, width: int | None = None) -> None:
    """Add the code of a finding with its region marked; `gutter` is the width of the column of line numbers."""
    if result.frame:
        frame(page, result.frame, result.region, Mark("^", result.level.value), gutter, width)


def _fix(page: Page, fix: LocatedFix, gutter: int, width: int | None) -> None:
    hint = f"fix available ({APPLIED_BY[fix.safety]}): {escape(fix.title)}"
    first, *rest = wrap(hint, width and width - gutter - 3)
    page.add((" " * gutter + " = ", "gutter"), (first, "good"))
    for line in rest:
        page.add((" " * gutter + f"   {line}", "good"))


def _step(page: Page, position: int, step: LocatedStep, gutter: int, width: int | None) -> None:
    indent = " " * gutter
    where = shown_place(step.path, step.region)
    text = f"{position}. {where}: {escape(step.message)}"
    first, *rest = wrap(text, width and width - gutter - 6)
    page.add((indent + " = ", "gutter"), (first, "trail"))
    for line in rest:
        page.add((f"{indent}      {line}", "trail"))
    if step.snippet:
        line_of_step = SourceLine(step.region.start_line, step.snippet)
        frame(page, (line_of_step,), _first_line(step), Mark("-", "trail"), gutter, width)


def _first_line(step: LocatedStep) -> Region:
    """A step shows one line only; the rest of its region stays unmarked."""
    region = step.region
    if region.end_line == region.start_line:
        return region
    end = len(step.snippet.encode("utf-16-le", "surrogatepass")) // 2 + 1
    return Region(region.start_line, region.start_column, region.start_line, end)


def shown_path(path: str) -> str:
    """A path as a report line may begin with it: never so that a CI runner takes it for one of its commands."""
    shown = escape(path)
    # The runner drops blanks of any kind before it looks for the colons.
    return f"./{shown}" if shown.lstrip().startswith("::") else shown


def shown_place(path: str, region: Region) -> str:
    """Where a region begins, as people and editors read it: "app/queue.py:3:23"."""
    return f"{shown_path(path)}:{region.start_line}:{region.start_column}"
