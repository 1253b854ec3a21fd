"""Code in a SARIF file: what surrounds a region, so that readers can show it without the source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from resplint.contracts.findings import LocatedStep, Region, SourceLine
from resplint.output.escape import escape

MAX_CONTEXT = 2000


def context_region(region: Region, lines: Sequence[SourceLine]) -> dict[str, Any] | None:
    """`contextRegion` made of whole `lines`; None where they would not be more than `region`, as the standard wants."""
    if not lines or sum(len(line.text) for line in lines) > MAX_CONTEXT:
        return None
    first, last = lines[0], lines[-1]
    if [line.number for line in lines] != list(range(first.number, last.number + 1)):
        return None
    covers = first.number <= region.start_line and region.end_line <= last.number
    if not covers or _is_all(region, first, last):
        return None
    return {
        "startLine": first.number,
        "endLine": last.number,
        "snippet": {"text": "\n".join(escape(line.text, keep_tabs=True) for line in lines)},
    }


def step_context(step: LocatedStep) -> dict[str, Any]:
    """What to add to the place of a step: its line as context, or as a property where that would be no more than the
    region: it goes on below the line, or is the line itself.
    """
    if not step.snippet:
        return {}
    context = context_region(step.region, (SourceLine(step.region.start_line, step.snippet),))
    if context is not None:
        return {"contextRegion": context}
    if len(step.snippet) <= MAX_CONTEXT:
        return {"properties": {"firstLine": escape(step.snippet, keep_tabs=True)}}
    return {}


def _is_all(region: Region, first: SourceLine, last: SourceLine) -> bool:
    if (region.start_line, region.end_line) != (first.number, last.number) or region.start_column > 1:
        return False
    return region.end_column > len(last.text.encode("utf-16-le", "surrogatepass")) // 2
