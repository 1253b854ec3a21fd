"""Places in a SARIF file: files by their relative URI, regions with their code."""

from __future__ import annotations

from typing import Any

from resplint.contracts.findings import Region, Result, SourceLine
from resplint.output.escape import escape
from resplint.output.sarif_limits import MAX_SNIPPET
from resplint.output.uri import path_uri

ROOT = "%SRCROOT%"

_Object = dict[str, Any]


def artifact(path: str) -> _Object:
    """An `artifactLocation`."""
    return {"uri": path_uri(path), "uriBaseId": ROOT}


def region_of(region: Region) -> _Object:
    """A `region`; its columns count as ours do."""
    return {
        "startLine": region.start_line,
        "startColumn": region.start_column,
        "endLine": region.end_line,
        "endColumn": region.end_column,
    }


def physical(path: str, region: Region, snippet: str = "") -> _Object:
    """A `physicalLocation`, with the code of the region unless that is empty."""
    where = region_of(region)
    if snippet:
        where["snippet"] = {"text": snippet}
    return {"artifactLocation": artifact(path), "region": where}


def snippet_of(result: Result) -> str:
    """The code of the region, control characters made visible; empty if it is long or partly unknown."""
    region = result.region
    wanted = range(region.start_line, region.end_line + 1)
    lines = [line for line in result.frame if line.number in wanted]
    if len(lines) != len(wanted) or sum(len(line.text) for line in lines) > MAX_SNIPPET:
        return ""
    return "\n".join(escape(_part(line, region), keep_tabs=True) for line in lines)


def _part(line: SourceLine, region: Region) -> str:
    units = line.text.encode("utf-16-le", "surrogatepass")
    start = 2 * (region.start_column - 1) if line.number == region.start_line else 0
    end = 2 * (region.end_column - 1) if line.number == region.end_line else len(units)
    return units[start:end].decode("utf-16-le", "replace")
