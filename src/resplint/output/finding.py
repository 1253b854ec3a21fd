"""One finding as people read it: a page of plain or coloured text.

The trail's last step is the finding itself, which is printed first. Of the other steps, those on lines of code that are
shown already are marked there; steps that share a line share its snippet.
"""

from __future__ import annotations

from collections.abc import Sequence

from resplint.contracts.findings import LocatedStep, Region, Result, SourceLine
from resplint.output.escape import escape
from resplint.output.frame import Mark, Marked, frame
from resplint.output.page import Page, wrap
from resplint.output.words import APPLIED_BY


def add_finding(page: Page, result: Result, name: str, width: int | None) -> None:
    """Add a finding to `page`: place, level and rule (whose name is `name`), message, code, trail, help, fix.

    `width` is that of a terminal, to which lines are wrapped, or None.
    """
    level = result.level.value
    title = f"{level} {escape(result.rule)}"
    where = shown_place(result.path, result.region)
    page.add((f"{where}: ", "strong"), (title, level), (f" {escape(name)}" if name else "", "strong"))
    for line in wrap(escape(result.message), width and width - 2):
        page.add((f"  {line}", ""))
    steps = result.steps
    numbers = [line.number for line in result.frame]
    numbers += [step.region.start_line for step in steps if step.snippet]
    gutter = len(str(max(numbers, default=1)))
    add_code(page, result, gutter, width, steps)
    if steps or result.help or (result.fix is not None and result.fix.safety in APPLIED_BY):
        page.add((" " * gutter + " |", "gutter"))
    _trail(page, result, steps, gutter, width)
    if result.help:
        _remark(page, f"help: {escape(result.help)}", "strong", gutter, width)
    if result.fix is not None and result.fix.safety in APPLIED_BY:
        _remark(
            page, f"fix available ({APPLIED_BY[result.fix.safety]}): {escape(result.fix.title)}", "good", gutter, width
        )


def add_code(
    page: Page, result: Result, gutter: int, width: int | None = None, steps: Sequence[LocatedStep] = ()
) -> None:
    """Add the code of a finding with its region marked, and those of `steps` on the same lines.

    `gutter` is the width of the column of line numbers.
    """
    if result.frame:
        others = [_marked(step) for step in steps if step.path == result.path]
        frame(page, result.frame, result.region, Mark("^", result.level.value), gutter, width, others)


def _remark(page: Page, text: str, style: str, gutter: int, width: int | None) -> None:
    first, *rest = wrap(text, width and width - gutter - 3)
    page.add((" " * gutter + " = ", "gutter"), (first, style))
    for line in rest:
        page.add((" " * gutter + f"   {line}", style))


def _trail(page: Page, result: Result, steps: Sequence[LocatedStep], gutter: int, width: int | None) -> None:
    """Add the steps, each line of code once, below the last of the steps that follow one another on it."""
    shown = {(result.path, line.number) for line in result.frame}
    for position, step in enumerate(steps):
        text = f"{position + 1}. {shown_place(step.path, step.region)}: {escape(step.message)}"
        first, *rest = wrap(text, width and width - gutter - 6)
        page.add((" " * gutter + " = ", "gutter"), (first, "trail"))
        for line in rest:
            page.add((f"{' ' * gutter}      {line}", "trail"))
        following = steps[position + 1] if position + 1 < len(steps) else None
        if not step.snippet or _line(step) in shown or (following is not None and _line(following) == _line(step)):
            continue
        shown.add(_line(step))
        own = _marked(step)
        others = [_marked(other) for other in steps if other is not step and _line(other) == _line(step)]
        source = SourceLine(step.region.start_line, step.snippet)
        frame(page, (source,), own.region, own.mark, gutter, width, others, spaced=False)


def _line(step: LocatedStep) -> tuple[str, int]:
    return step.path, step.region.start_line


def _marked(step: LocatedStep) -> Marked:
    return Marked(_first_line(step), Mark("-", "trail"))


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
