"""Reports: one module a format, each a pure function from a report to bytes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from resplint.findings import Report
from resplint.output.options import OutputOptions
from resplint.output.writing import write

__all__ = ["FORMATS", "OutputOptions", "write"]


# Formats are imported when asked for: start-up time counts in a pre-commit hook.
def _text(report: Report, options: OutputOptions) -> bytes:
    from resplint.output.text import render  # noqa: PLC0415

    return render(report, options)


def _json(report: Report, options: OutputOptions) -> bytes:
    from resplint.output.json import render  # noqa: PLC0415

    return render(report, options)


def _sarif(report: Report, options: OutputOptions) -> bytes:
    from resplint.output.sarif import render  # noqa: PLC0415

    return render(report, options)


FORMATS: Mapping[str, Callable[[Report, OutputOptions], bytes]] = {
    "text": _text,
    "json": _json,
    "sarif": _sarif,
}
"""Every format by the name it has on the command line."""
